//! Archives and packed files that end anywhere, or of which any byte is another one: reading them ends by itself, with a
//! status and not with a panic, and writes nothing beside the folder it is in.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The native build of the commands, which cargo puts beside the tests.
fn applet() -> PathBuf {
    let mut path = std::env::current_exe().expect("the test's own path");
    path.pop();
    path.pop();
    path.join("examples/applet")
}

/// Runs a command on the file `x`; why it did not end as it should.
fn fault(dir: &Path, command: &[&str]) -> Option<String> {
    let mut child = Command::new(applet())
        .args(command)
        .current_dir(dir)
        .stdin(fs::File::open(dir.join("../x")).expect("the file"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a command");
    // It takes milliseconds; what takes so much longer does not end.
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        match child.try_wait().expect("a child") {
            Some(status) if status.signal().is_some() || status.code() == Some(101) => return Some(status.to_string()),
            Some(_) => return None,
            None if Instant::now() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                return Some("does not end".to_owned());
            }
            None => sleep(Duration::from_micros(300)),
        }
    }
}

/// Makes an archive with `make`, run by a shell, and reads all that can become of it with each of the commands.
fn survives(name: &str, make: &str, commands: &[&[&str]]) {
    survives_mended(name, make, commands, |_, _| {});
}

/// The same, where `mend` makes a changed byte look as if it had been meant.
fn survives_mended(name: &str, make: &str, commands: &[&[&str]], mend: fn(&mut [u8], usize)) {
    let root = std::env::temp_dir().join(format!("capsule-damaged-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join("d")).expect("a folder");
    let script = format!("a() {{ '{}' \"$@\"; }}; umask 022; echo hello >d/a; ln -s a d/l; {make}", applet().display());
    let made = Command::new("/bin/bash").args(["-c", &script]).current_dir(&root).status().expect("bash");
    assert!(made.success(), "{make}");
    let good = fs::read(root.join("x")).expect("an archive");
    fs::remove_dir_all(root.join("d")).expect("what was packed");
    // Of long archives so many places, most of them bytes that mean something.
    let step = good.len() / 200 + 1;
    let mut places: Vec<usize> = (0..good.len()).filter(|&n| good[n] != 0 || n.is_multiple_of(step)).collect();
    let skipped = places.len() / 300 + 1;
    places = places.into_iter().step_by(skipped).collect();
    let cut = (0..good.len()).filter(|&n| n.is_multiple_of(step)).map(|n| (n, good[..n].to_vec()));
    let flipped = places.into_iter().map(|n| {
        let mut bytes = good.clone();
        bytes[n] ^= [0xff, 0x80, 0x01, 0x10][n % 4];
        mend(&mut bytes, n);
        (n, bytes)
    });
    let mut faults = Vec::new();
    for (at, bytes) in cut.chain(flipped) {
        fs::write(root.join("x"), bytes).expect("a damaged archive");
        for command in commands {
            let inside = root.join("in");
            fs::create_dir_all(&inside).expect("a folder");
            faults.extend(fault(&inside, command).map(|why| format!("{command:?} at {at}: {why}")));
            let _ = fs::remove_dir_all(&inside);
            let beside = fs::read_dir(&root).expect("the folder").count();
            assert!(beside == 1, "{command:?} at {at} wrote beside its folder");
        }
    }
    let _ = fs::remove_dir_all(&root);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn tar() {
    let read: &[&[&str]] = &[&["tar", "xf", "-"]];
    survives("tar", "a tar -b1 -cf x d", read);
    survives("pax", "a tar -b1 --format=pax -cf x d/a", read);
}

/// The checksum of the header that holds a byte.
fn checksum(bytes: &mut [u8], at: usize) {
    let start = at - at % 512;
    let Some(block) = bytes.get_mut(start..start + 512).filter(|b| b[257..262] == *b"ustar") else { return };
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// Lying sizes, numbers below zero or of any length, kinds that do not exist: a header that is as valid as any.
#[test]
fn tar_whose_checksums_fit() {
    let make = "ln d/a d/h; n=$(printf 'n%.0s' {1..120}); echo >d/$n; a tar -b1 -cf x d/$n d";
    survives_mended("sum", make, &[&["tar", "xf", "-"]], checksum);
    survives_mended("sum-pax", "a tar -b1 --format=pax -cf x d/a", &[&["tar", "xf", "-"]], checksum);
}

#[test]
fn tar_with_long_names() {
    let make = "n=$(printf 'n%.0s' {1..120}); echo >d/$n; a tar -b1 -cf x d/$n";
    survives("long", make, &[&["tar", "tvf", "-"]]);
}

#[test]
fn cpio() {
    survives("cpio", "find d | a cpio -o -H newc --quiet >x", &[&["cpio", "-id", "--quiet"]]);
}

#[test]
fn zip() {
    survives("zip", "a zip -qry x.zip d && mv x.zip x", &[&["unzip", "-o", "../x"], &["zipinfo", "../x"]]);
}

#[test]
fn packed_files() {
    for (name, tool) in [("gz", "gzip -n"), ("bz2", "bzip2"), ("xz", "xz"), ("lzma", "lzma"), ("zst", "zstd -q")] {
        let read: &[&str] = &[tool.split(' ').next().unwrap_or(tool), "-dc"];
        survives(name, &format!("seq 40 | a {tool} -c >x"), &[read]);
    }
}

#[test]
fn lists_of_packed_files() {
    survives("xz-list", "seq 40 | a xz -c >x", &[&["xz", "-lv", "../x"]]);
    survives("zstd-list", "seq 40 | a zstd -qc >x", &[&["zstd", "-l", "../x"]]);
}
