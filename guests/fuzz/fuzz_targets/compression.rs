//! Bytes as something compressed, compressed and read again, and compressed and damaged.
#![no_main]

use capsule_guest_fuzz::{damaged, halves, run};
use libfuzzer_sys::fuzz_target;

const COMPRESSORS: [&str; 5] = ["gzip", "bzip2", "xz", "lzma", "zstd"];

fuzz_target!(|input: &[u8]| {
    let (changes, text) = halves(input);
    run(&["uncompress", "-c"], input);
    for compressor in COMPRESSORS {
        let expand = [compressor, "-dc"];
        run(&expand, input);
        let (status, packed) = run(&[compressor, "-c"], text);
        assert_eq!(status, 0);
        assert_eq!(run(&expand, &packed), (0, text.to_vec()), "{compressor}");
        run(&expand, &damaged(packed, changes));
    }
});
