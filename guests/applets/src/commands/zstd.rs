use super::squeeze::compressor;
use crate::options::{Long, NO, OPT, REQ, only};

pub(super) const LONG: &[Long] = &[
    ("keep", NO, 'k'),
    ("rm", NO, only(2)),
    ("decompress", NO, 'd'),
    ("uncompress", NO, 'd'),
    ("compress", NO, 'z'),
    ("force", NO, 'f'),
    ("stdout", NO, 'c'),
    ("test", NO, 't'),
    ("list", NO, 'l'),
    ("quiet", NO, 'q'),
    ("verbose", NO, 'v'),
    ("threads", REQ, 'T'),
    ("ultra", NO, only(4)),
    ("no-progress", NO, only(3)),
    ("fast", OPT, only(0)),
    ("long", OPT, only(3)),
    ("check", NO, only(11)),
    ("no-check", NO, only(12)),
    ("filelist", REQ, only(5)),
    ("output-dir-flat", REQ, only(7)),
    ("output-dir-mirror", REQ, only(8)),
    ("format", REQ, 'F'),
    ("pass-through", NO, only(9)),
    ("no-pass-through", NO, only(10)),
    ("exclude-compressed", NO, only(15)),
    // Of speed alone.
    ("single-thread", NO, only(3)),
    ("auto-threads", REQ, only(3)),
    ("asyncio", NO, only(3)),
    ("no-asyncio", NO, only(3)),
    ("sparse", NO, only(3)),
    ("no-sparse", NO, only(3)),
    ("size-hint", REQ, only(3)),
    ("no-dictID", NO, only(3)),
    ("content-size", NO, only(3)),
];

pub(super) const SHORT: &str = "o:kdfchHrtlqvVzT:0123456789";

/// What the help of the whole family says.
macro_rules! options {
    () => {
        "
  -o OUTPUT           write output to a single file, OUTPUT
  -k, --keep          preserve input files (default)
      --rm            remove input files after successful (de)compression
  -#                  compression level 1 to 19, default is 3; --ultra: up to 22
  -d, --decompress    perform decompression
  -f, --force         overwrite output files
  -c, --stdout        write to standard output
  -r                  operate recursively on directories
  -t, --test          only check the files
  -l, --list          list sizes
  -q, --quiet         suppress warnings, twice: errors too
  -v, --verbose       be verbose
      --fast[=#]      the quickest level
      --long[=#]      accepted: matches are looked for within 4 MiB
      --[no-]check    add a checksum (so it is), or none
      --filelist FILE  the names of files are in FILE, a line each
      --output-dir-flat DIR  results go into DIR
      --output-dir-mirror DIR  the same, with the directories of the names
      --format=FORMAT  compress as zstd (default), gzip, xz or lzma
      --[no-]pass-through  hand on what is not compressed
      --exclude-compressed  leave out what has the name of a compressed file
      --no-progress --single-thread --auto-threads=WHICH --[no-]asyncio
      --[no-]sparse --size-hint=# --no-dictID --content-size
                      accepted: they are about speed, or so it is
  -T#, --threads=#    use at most # threads; there is one
  -z, --compress      perform compression (default)
  -h, -H, --help      print this help
  -V, --version       print the version

Standard input is read where FILE is - or missing.
"
    };
}

compressor!("zstd", "Turn FILEs into .zst, or back.", Zstd, Zstd, decompress: false, stdout: false);

/// `unzstd`
pub mod unzstd {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("unzstd", "Decompress FILEs of the zstd format.", Zstd, Zstd, decompress: true, stdout: false);
}

/// `zstdcat`
pub mod zstdcat {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("zstdcat", "Decompress FILEs of the zstd format to standard output.", Zstd, Zstd, decompress: true, stdout: true);
}
