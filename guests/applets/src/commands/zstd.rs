use super::squeeze::compressor;
use crate::options::{Long, NO, OPT, REQ, only};

const LONG: &[Long] = &[
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
    ("check", NO, only(3)),
];

const SHORT: &str = "o:kdfcrtlqvVzT:0123456789";

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
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
      --long[=#]      accepted: matches are looked for within 4 MiB
      --check         add a checksum (always)
  -T#, --threads=#    use at most # threads; there is one
  -z, --compress      perform compression (default)
      --help          print this help
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
