//! Bytes as an archive, and archives with damage: listed and unpacked to standard output.
#![no_main]

use capsule_guest_fuzz::{damaged, file, run};
use libfuzzer_sys::fuzz_target;

const READERS: [&[&str]; 9] = [
    &["tar", "-tv"],
    &["tar", "-xO"],
    &["tar", "-d"],
    &["cpio", "-tv"],
    &["unzip", "-lv"],
    &["unzip", "-t"],
    &["unzip", "-p"],
    &["zipinfo", "-v"],
    &["zipinfo"],
];

fn read(archive: &[u8]) {
    let path = file("archive", archive);
    for reader in READERS {
        let mut argv: Vec<&[u8]> = reader.iter().map(|arg| arg.as_bytes()).collect();
        match reader[0] {
            "tar" => argv.extend([b"-f", &path[..]]),
            "cpio" => {}
            _ => argv.push(&path),
        }
        run(&argv, archive);
    }
}

/// The sum that a header of tar has over itself, so that other damage is looked at.
fn mended(mut archive: Vec<u8>) -> Vec<u8> {
    if let Some(header) = archive.get_mut(..512) {
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    }
    archive
}

fuzz_target!(|input: &[u8]| {
    read(input);
    let text = file("text", b"text text text text\n");
    for format in ["ustar", "gnu", "pax", "v7"] {
        let format = format!("--format={format}");
        let argv = [b"tar" as &[u8], b"-cPf", b"-", format.as_bytes(), &text[..]];
        read(&mended(damaged(run(&argv, b"").1, input)));
    }
    for format in ["bin", "odc", "newc"] {
        read(&damaged(run(&["cpio", "-oH", format], &text).1, input));
    }
    read(&damaged(run(&[b"zip" as &[u8], b"-q", b"-", &text], b"").1, input));
});
