//! How long the namespace's calls take on a tree in memory:
//! `cargo run --release -p capsule-vfs --example measure [PART OF A NAME]`

use capsule_abi::fs::OpenFlags;
use capsule_vfs::{Caller, Credentials, Filesystem, MemoryFs, NewNode, NodeKind, Quota, Vfs};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const CREATE: OpenFlags = OpenFlags(OpenFlags::CREAT.0 | OpenFlags::RDWR.0);

/// The best of many short rounds, in nanoseconds an operation: what other processes take from the machine is left out.
fn measure(name: &str, rounds: u32, mut operation: impl FnMut()) -> f64 {
    if std::env::args().nth(1).is_some_and(|wanted| !name.contains(&wanted)) {
        return f64::NAN;
    }
    let mut best = f64::MAX;
    let short = (rounds / 50).max(1);
    for _ in 0..300 {
        let start = Instant::now();
        for _ in 0..short {
            operation();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(short));
    }
    println!("{name:48} {best:10.1} ns");
    best
}

fn main() {
    let vfs = Vfs::new(Arc::new(MemoryFs::new(Quota::new(1 << 34, 1 << 24))));
    let root = Caller { credentials: Credentials::default(), umask: 0o022, cwd: vfs.root(), pid: 1 };
    let user = Caller { credentials: Credentials { uid: 1000, gid: 1000 }, ..root };
    for path in ["/usr", "/usr/lib", "/usr/bin", "/usr/share", "/workspace"] {
        vfs.mkdir(&root, None, path.as_bytes(), 0o777).expect("mkdir");
    }
    for n in 0..500 {
        vfs.open(&root, None, format!("/usr/lib/lib{n}.so").as_bytes(), CREATE, 0o644).expect("create");
    }
    let _ = vfs.set_attributes(
        &root,
        None,
        b"/workspace",
        true,
        &capsule_vfs::Attributes { mode: Some(0o777), ..Default::default() },
    );

    measure("stat /usr/lib/lib250.so, user 0", 200_000, || {
        black_box(vfs.stat(&root, None, black_box(b"/usr/lib/lib250.so"), true)).ok();
    });
    measure("stat /usr/lib/lib250.so, user 1000", 200_000, || {
        black_box(vfs.stat(&user, None, black_box(b"/usr/lib/lib250.so"), true)).ok();
    });
    measure("open + close of it", 200_000, || {
        black_box(vfs.open(&root, None, b"/usr/lib/lib250.so", OpenFlags::RDONLY, 0)).ok();
    });
    for journal in [false, true] {
        let state = if journal { "journal on" } else { "journal off" };
        if journal {
            vfs.journal().begin();
        }
        measure(&format!("create + close + unlink, {state}"), 100_000, || {
            drop(vfs.open(&user, None, b"/workspace/file", CREATE, 0o644));
            vfs.unlink(&user, None, b"/workspace/file").ok();
        });
        measure(&format!("mkdir + rename + rmdir, {state}"), 100_000, || {
            vfs.mkdir(&user, None, b"/workspace/d", 0o755).ok();
            vfs.rename(&user, None, b"/workspace/d", None, b"/workspace/e", 0).ok();
            vfs.remove_dir(&user, None, b"/workspace/e").ok();
        });
    }
    let file = vfs.open(&root, None, b"/workspace/big", CREATE, 0o644).expect("create");
    let mut buf = vec![1_u8; 64 * 1024];
    let mut copy = vec![0_u8; 64 * 1024];
    let plain = measure("copy of 64 KiB", 10_000, || {
        capsule_vfs::copy::copy(black_box(&mut copy), black_box(&buf));
    });
    measure("  the same by memcpy", 10_000, || {
        black_box(&mut copy).copy_from_slice(black_box(&buf));
    });
    let write = measure("write 64 KiB in place", 10_000, || {
        black_box(file.write_at(0, &buf)).ok();
    });
    let read = measure("read 64 KiB", 10_000, || {
        black_box(file.read_at(0, &mut buf)).ok();
    });
    println!("  of a copy: write {:.2}x, read {:.2}x", write / plain, read / plain);
    let mut end = 0;
    measure("write 64 KiB at the end (100 MB, then again)", 1600, || {
        if end >= 1600 * buf.len() as u64 {
            file.set_len(0).ok();
            end = 0;
        }
        file.write_at(end, &buf).ok();
        end += buf.len() as u64;
    });
    let mut offset = 0;
    measure("append 16 bytes", 100_000, || {
        file.append(b"0123456789abcdef").ok();
        offset += 16;
    });

    vfs.journal().begin();
    measure("changes of a run that changed nothing", 10_000, || {
        black_box(vfs.changes());
    });
    for n in 0..10_000 {
        vfs.open(&root, None, format!("/workspace/new{n}").as_bytes(), CREATE, 0o644).expect("create");
    }
    measure("changes of a run that made 10 000 files", 50, || {
        black_box(vfs.changes());
    });
    vfs.journal().stop();

    let fs = MemoryFs::new(Quota::unlimited());
    let dir = NewNode { kind: NodeKind::Directory, mode: 0o755, uid: 0, gid: 0 };
    let regular = NewNode { kind: NodeKind::Regular, ..dir.clone() };
    for d in 0..100 {
        let dir = fs.create(fs.root(), format!("d{d}").as_bytes(), &dir).expect("mkdir");
        for f in 0..100 {
            let file = fs.create(dir, format!("f{f}").as_bytes(), &regular).expect("create");
            fs.write(file, 0, b"some bytes").expect("write");
        }
    }
    measure("fork of 10 000 files (and dropping it)", 1_000, || {
        black_box(fs.fork(Quota::unlimited()));
    });
    let first = fs.lookup(fs.root(), b"d0").expect("d0");
    measure("fork of 10 000 files + create + write + drop", 1_000, || {
        let fork = fs.fork(Quota::unlimited());
        let node = fork.create(first, b"new", &regular).expect("create");
        fork.write(node, 0, b"x").expect("write");
    });
}
