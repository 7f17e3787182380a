use super::squeeze::compressor;
use crate::options::{Long, NO, REQ, only};

const LONG: &[Long] = &[
    ("compress", NO, 'z'),
    ("decompress", NO, 'd'),
    ("uncompress", NO, 'd'),
    ("test", NO, 't'),
    ("list", NO, 'l'),
    ("keep", NO, 'k'),
    ("force", NO, 'f'),
    ("stdout", NO, 'c'),
    ("to-stdout", NO, 'c'),
    ("format", REQ, 'F'),
    ("suffix", REQ, 'S'),
    ("threads", REQ, 'T'),
    ("memlimit", REQ, 'M'),
    ("memory", REQ, 'M'),
    ("extreme", NO, 'e'),
    ("quiet", NO, 'q'),
    ("no-warn", NO, 'Q'),
    ("verbose", NO, 'v'),
    ("fast", NO, only(0)),
    ("best", NO, only(1)),
];

const SHORT: &str = "zdtlkfcF:S:T:M:eqQvV0123456789";

/// What the help of the whole family says.
macro_rules! options {
    () => {
        "
  -z, --compress      force compression
  -d, --decompress    force decompression
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -k, --keep          keep (don't delete) input files
  -f, --force         force overwrite of output file and (de)compress links
  -c, --stdout        write to standard output and don't delete input files
  -F, --format=FMT    'auto' (default), 'xz', 'lzma'
  -S, --suffix=.SUF   use the suffix '.SUF' on compressed files
  -T, --threads=NUM   use at most NUM threads; there is one
  -0 ... -9           compression preset; default is 6
  -e, --extreme       take more time to compress better
  -q, --quiet         suppress warnings
  -Q, --no-warn       warnings leave the exit status at 0
  -v, --verbose       be verbose
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
"
    };
}

compressor!("xz", "Compress or decompress FILEs in the .xz format.", Xz, Xz, decompress: false, stdout: false);

/// `unxz`
pub mod unxz {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("unxz", "Decompress FILEs of the .xz format.", Xz, Xz, decompress: true, stdout: false);
}

/// `xzcat`
pub mod xzcat {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("xzcat", "Decompress FILEs of the .xz format to standard output.", Xz, Xz, decompress: true, stdout: true);
}

/// `lzma`
pub mod lzma {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("lzma", "Compress or decompress FILEs in the .lzma format.", Xz, Lzma, decompress: false, stdout: false);
}

/// `unlzma`
pub mod unlzma {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("unlzma", "Decompress FILEs of the .lzma format.", Xz, Lzma, decompress: true, stdout: false);
}

/// `lzcat`
pub mod lzcat {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("lzcat", "Decompress FILEs of the .lzma format to standard output.", Xz, Lzma, decompress: true, stdout: true);
}
