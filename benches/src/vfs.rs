//! The filesystem in memory, without processes.

use crate::Bench;
use crate::report::{Target, median, times};
use capsule_abi::Errno;
use capsule_abi::fs::OpenFlags;
use capsule_vfs::{Caller, Credentials, MemoryFs, Quota, Vfs};
use std::sync::Arc;

/// Operations in one measured round: a clock is too coarse for one.
const BATCH: usize = 1000;

pub fn run(bench: &mut Bench) -> anyhow::Result<()> {
    if !bench.wanted("vfs") {
        return Ok(());
    }
    let memory = MemoryFs::new(Quota::unlimited());
    let forked = memory.fork(Quota::unlimited());
    let vfs = Vfs::new(Arc::new(forked));
    let root = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
    let create = OpenFlags::CREAT | OpenFlags::RDWR;
    vfs.mkdir(&root, None, b"/a", 0o755)?;
    vfs.mkdir(&root, None, b"/a/b", 0o755)?;
    let file = vfs.open(&root, None, b"/a/b/file", create, 0o644)?;
    let mut op = |what: &str, most: f64, mut work: Box<dyn FnMut() -> Result<(), Errno> + '_>| {
        let rounds = times(200, || (0..BATCH).try_for_each(|_| work()))?;
        let nanos = median(rounds) * 1e3 / BATCH as f64;
        bench.report.row(what, "ns", nanos, None, &[Target::AtMost(most)]);
        Ok::<(), Errno>(())
    };
    op("vfs: stat /a/b/file", 150.0, Box::new(|| vfs.stat(&root, None, b"/a/b/file", true).map(drop)))?;
    op(
        "vfs: open and close /a/b/file",
        500.0,
        Box::new(|| vfs.open(&root, None, b"/a/b/file", OpenFlags::RDONLY, 0).map(drop)),
    )?;
    op(
        "vfs: create and unlink",
        2000.0,
        Box::new(|| {
            vfs.open(&root, None, b"/a/b/new", create, 0o644)?;
            vfs.unlink(&root, None, b"/a/b/new")
        }),
    )?;
    let block = vec![7; 64 << 10];
    op("vfs: write 64 KiB", 20_000.0, Box::new(|| file.write_at(0, &block).map(drop)))?;
    let mut buffer = vec![0; 64 << 10];
    op("vfs: read 64 KiB", 20_000.0, Box::new(|| file.read_at(0, &mut buffer).map(drop)))?;

    let memory = Arc::new(MemoryFs::new(Quota::unlimited()));
    let vfs = Vfs::new(memory.clone());
    for i in 0..10_000 {
        vfs.open(&root, None, format!("/file{i}").as_bytes(), create, 0o644)?.write_at(0, b"some text")?;
    }
    let forks = times(200, || {
        drop(memory.fork(Quota::unlimited()));
        Ok::<(), Errno>(())
    })?;
    bench.report.row("vfs: fork of 10 000 files", "µs", median(forks), None, &[Target::AtMost(1000.0)]);
    Ok(())
}
