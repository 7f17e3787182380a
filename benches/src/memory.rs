//! What a session costs that does nothing.

use crate::Bench;
use crate::report::Target;

const SESSIONS: usize = 1000;

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    let name = "memory: an idle session after one run";
    if !bench.wanted(name) {
        return Ok(());
    }
    let mut sessions = Vec::with_capacity(SESSIONS);
    let mut open = |count: usize| {
        for _ in 0..count {
            let session = bench.session()?;
            let answer = bench.tokio.block_on(session.run("echo hi > file; cat file"))?;
            anyhow::ensure!(answer.stdout == "hi\n", "{answer:?}");
            sessions.push(session);
        }
        Ok::<(), anyhow::Error>(())
    };
    // The first ones pay for what all share.
    open(50)?;
    let before = resident()?;
    open(SESSIONS)?;
    let each = (resident()? - before) / SESSIONS as f64 / 1024.0;
    bench.report.row(name, "KiB", each, None, &[Target::AtMost(200.0)]);
    Ok(())
}

/// Resident bytes of this process.
fn resident() -> anyhow::Result<f64> {
    let statm = std::fs::read_to_string("/proc/self/statm")?;
    let pages: f64 = statm.split_whitespace().nth(1).unwrap_or_default().parse()?;
    Ok(pages * 4096.0)
}
