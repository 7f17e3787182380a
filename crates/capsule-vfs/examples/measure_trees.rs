//! How long calls take on each kind of tree:
//! `cargo run --release -p capsule-vfs --example measure_trees`

use capsule_abi::fs::OpenFlags;
use capsule_vfs::{Caller, Credentials, Filesystem, HostDir, MemoryFs, Overlay, Quota, Vfs};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const CREATE: OpenFlags = OpenFlags(OpenFlags::CREAT.0 | OpenFlags::RDWR.0);

/// The best of many short rounds, in nanoseconds an operation: what other processes take from the machine is left out.
fn measure(rounds: u32, mut operation: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..100 {
        let start = Instant::now();
        for _ in 0..rounds {
            operation();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(rounds));
    }
    best
}

fn fill(vfs: &Vfs, caller: &Caller) {
    for path in ["/usr", "/usr/lib"] {
        vfs.mkdir(caller, None, path.as_bytes(), 0o755).expect("mkdir");
    }
    for n in 0..500 {
        let node = vfs.open(caller, None, format!("/usr/lib/lib{n}.so").as_bytes(), CREATE, 0o644).expect("create");
        node.write_at(0, &[1; 4096]).expect("write");
    }
}

fn on(name: &str, fs: Arc<dyn Filesystem>, filled: bool) {
    let vfs = Vfs::new(fs);
    let caller = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
    if !filled {
        fill(&vfs, &caller);
    }
    let stat = measure(1000, || {
        black_box(vfs.stat(&caller, None, black_box(b"/usr/lib/lib250.so"), true)).expect("stat");
    });
    let create = measure(100, || {
        drop(vfs.open(&caller, None, b"/usr/lib/new", CREATE, 0o644).expect("create"));
        vfs.unlink(&caller, None, b"/usr/lib/new").expect("unlink");
    });
    let node = vfs.open(&caller, None, b"/usr/lib/lib7.so", CREATE, 0o644).expect("open");
    let mut buf = vec![0; 4096];
    let read = measure(1000, || assert_eq!(black_box(node.read_at(0, &mut buf)), Ok(4096)));
    let write = measure(1000, || assert_eq!(black_box(node.write_at(0, &buf)), Ok(4096)));
    let dir = vfs.open(&caller, None, b"/usr/lib", OpenFlags::RDONLY, 0).expect("open");
    let list = measure(5, || {
        let mut count = 0;
        dir.read_dir(0, &mut |_| {
            count += 1;
            true
        })
        .expect("read_dir");
        assert_eq!(black_box(count), 502);
    });
    println!("{name:32} {stat:10.0} {create:14.0} {read:12.0} {write:12.0} {:12.0}", list / 500.0);
}

fn main() {
    println!(
        "{:32} {:>10} {:>14} {:>12} {:>12} {:>12}   (ns)",
        "", "stat a/b/c", "create+unlink", "read 4 KiB", "write 4 KiB", "list a name"
    );
    let memory = || Arc::new(MemoryFs::new(Quota::new(1 << 34, 1 << 24)));
    on("memory", memory(), false);
    let lower = memory();
    let vfs = Vfs::new(lower.clone());
    fill(&vfs, &Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 });
    on("overlay, files below", Arc::new(Overlay::new(lower, memory()).expect("overlay")), true);
    on("overlay, files above", Arc::new(Overlay::new(memory(), memory()).expect("overlay")), false);
    for openat2 in [true, false] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let dir = HostDir::open(folder.path(), false, Quota::unlimited()).expect("a host folder");
        let dir = if openat2 { dir } else { dir.without_openat2() };
        on(if openat2 { "host folder" } else { "host folder without openat2" }, Arc::new(dir), false);
    }
}
