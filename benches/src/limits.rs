//! How late a process dies that nothing but its deadline ends.

use crate::Bench;
use crate::report::{Target, median};
use capsule_abi::limits::{Limit, Limits};
use capsule_session::Bash;
use std::time::{Duration, Instant};

const WALL: Duration = Duration::from_millis(50);

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let name = "kill: a spinning process past its deadline";
    if !bench.wanted(name) {
        return Ok(());
    }
    let mut limits = Limits::default();
    limits.set(Limit::Wall, WALL.as_nanos() as u64);
    let session = Bash::builder().runtime(bench.runtime.clone()).host_workspace("memory").limits(limits).build()?;
    let mut late = Vec::new();
    for _ in 0..20 {
        let began = Instant::now();
        let answer = bench.tokio.block_on(session.run("while :; do :; done"))?;
        late.push(began.elapsed().saturating_sub(WALL));
        anyhow::ensure!(answer.exit_code == 137, "{answer:?}");
    }
    let millis = median(late) / 1e3;
    bench.report.row(name, "ms", millis, None, &[Target::AtMost(10.0)]);
    Ok(())
}
