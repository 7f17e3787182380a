use super::squeeze::compressor;
use crate::options::{Long, NO, OPT, REQ, only};

pub(super) const LONG: &[Long] = &[
    ("compress", NO, 'z'),
    ("decompress", NO, 'd'),
    ("uncompress", NO, 'd'),
    ("test", NO, 't'),
    ("list", NO, 'l'),
    ("keep", NO, 'k'),
    ("force", NO, 'f'),
    ("stdout", NO, 'c'),
    ("to-stdout", NO, 'c'),
    ("single-stream", NO, only(14)),
    ("no-sparse", NO, only(3)),
    ("files", OPT, only(5)),
    ("files0", OPT, only(6)),
    ("format", REQ, 'F'),
    ("check", REQ, 'C'),
    ("suffix", REQ, 'S'),
    ("threads", REQ, 'T'),
    ("memlimit", REQ, 'M'),
    ("memory", REQ, 'M'),
    ("memlimit-compress", REQ, 'M'),
    ("memlimit-decompress", REQ, 'M'),
    ("memlimit-mt-decompress", REQ, 'M'),
    ("no-adjust", NO, only(3)),
    ("extreme", NO, 'e'),
    ("quiet", NO, 'q'),
    ("no-warn", NO, 'Q'),
    ("verbose", NO, 'v'),
    ("fast", NO, only(0)),
    ("best", NO, only(1)),
    ("long-help", NO, 'H'),
    ("robot", NO, only(17)),
    ("x86", OPT, only(20)),
    ("arm", OPT, only(21)),
    ("armthumb", OPT, only(22)),
    ("arm64", OPT, only(23)),
    ("powerpc", OPT, only(24)),
    ("ia64", OPT, only(25)),
    ("sparc", OPT, only(26)),
    ("delta", OPT, only(27)),
    ("lzma2", OPT, only(28)),
];

pub(super) const SHORT: &str = "zdtlkfcC:F:S:T:M:ehHqQrvV0123456789";

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
      --single-stream decompress the first stream only
      --no-sparse     write zeros as they are (so it is)
      --files[=FILE]  the names of files are in FILE (standard input), a line each
      --files0[=FILE]  the same with a NUL behind each
  -F, --format=FMT    'auto' (default), 'xz', 'lzma'
  -C, --check=CHECK   'none', 'crc32', 'crc64' (default), 'sha256'
  -S, --suffix=.SUF   use the suffix '.SUF' on compressed files
  -T, --threads=NUM   use at most NUM threads; there is one
  -M, --memlimit=LIMIT, --memory=, --memlimit-compress=, --memlimit-decompress=,
      --memlimit-mt-decompress=  use no more memory: below 100 MiB an error
      --no-adjust     never another level than asked for (so it is)
  -0 ... -9           compression preset; default is 6
      --fast --best   the same as -0 and -9
  -e, --extreme       take more time to compress better
      --lzma2[=OPTS]  the packer with preset=, dict=, lc=, lp=, pb=, mode=, nice=, mf=, depth=
      --x86 --arm --armthumb --arm64 --powerpc --ia64 --sparc [=start=OFFSET]
      --delta[=dist=N]  filters in front of --lzma2
      --robot         lists for programs
  -q, --quiet         suppress warnings, twice: errors too
  -Q, --no-warn       warnings leave the exit status at 0
  -v, --verbose       be verbose
  -h, -H, --help, --long-help  print this help
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
