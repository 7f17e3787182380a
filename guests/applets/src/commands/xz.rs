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
  -z, --compress      compress
  -d, --decompress    turn back
  -t, --test          only check the files
  -l, --list          list sizes
  -k, --keep          leave the files there
  -f, --force         overwrite, and take links and linked files too
  -c, --stdout        write to standard output and leave the files there
  -F, --format=FMT    'auto' (default), 'xz', 'lzma'
  -S, --suffix=.SUF   use the suffix '.SUF' on compressed files
  -T, --threads=NUM   use at most NUM threads; there is one
  -0 ... -9           compression preset; default is 6
  -e, --extreme       take more time to compress better
  -q, --quiet         suppress warnings
  -Q, --no-warn       warnings leave the exit status at 0
  -v, --verbose       be verbose
      --help          print this help
  -V, --version       print the version

Standard input is read where FILE is - or missing.
"
    };
}

compressor!("xz", "Turn FILEs into .xz, or back.", Xz, Xz, decompress: false, stdout: false);

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

    compressor!("lzma", "Turn FILEs into .lzma, or back.", Xz, Lzma, decompress: false, stdout: false);
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
