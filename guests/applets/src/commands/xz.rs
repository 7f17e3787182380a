use super::squeeze::{self, Family, Tool};
use crate::codec::Format;
use crate::options::{Long, NO, REQ, only};
use crate::{Args, Outcome};

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

pub const HELP: &str = "\
Usage: xz [OPTION]... [FILE]...
Compress or decompress FILEs in the .xz format.

  -z, --compress      force compression
  -d, --decompress    force decompression
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -k, --keep          keep (don't delete) input files
  -f, --force         force overwrite of output file and (de)compress links
  -c, --stdout        write to standard output and don't delete input files
  -F, --format=FMT    'auto' (default), 'xz', 'lzma'
  -S, --suffix=.SUF   use the suffix '.SUF' on compressed files
  -T, --threads=NUM   accepted
  -0 ... -9           compression preset; default is 6
  -e, --extreme       accepted
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

pub fn main(args: &Args) -> Outcome {
    let tool =
        Tool { family: Family::Xz, format: Format::Xz, decompress: false, stdout: false, short: SHORT, long: LONG };
    squeeze::main(args, &tool)
}

/// `unxz`
pub mod unxz {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: unxz [OPTION]... [FILE]...
Decompress FILEs of the .xz format.

  -z, --compress      force compression
  -d, --decompress    force decompression
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -k, --keep          keep (don't delete) input files
  -f, --force         force overwrite of output file and (de)compress links
  -c, --stdout        write to standard output and don't delete input files
  -F, --format=FMT    'auto' (default), 'xz', 'lzma'
  -S, --suffix=.SUF   use the suffix '.SUF' on compressed files
  -T, --threads=NUM   accepted
  -0 ... -9           compression preset; default is 6
  -e, --extreme       accepted
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool =
            Tool { family: Family::Xz, format: Format::Xz, decompress: true, stdout: false, short: SHORT, long: LONG };
        squeeze::main(args, &tool)
    }
}

/// `xzcat`
pub mod xzcat {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: xzcat [OPTION]... [FILE]...
Decompress FILEs of the .xz format to standard output.

  -z, --compress      force compression
  -d, --decompress    force decompression
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -k, --keep          keep (don't delete) input files
  -f, --force         force overwrite of output file and (de)compress links
  -c, --stdout        write to standard output and don't delete input files
  -F, --format=FMT    'auto' (default), 'xz', 'lzma'
  -S, --suffix=.SUF   use the suffix '.SUF' on compressed files
  -T, --threads=NUM   accepted
  -0 ... -9           compression preset; default is 6
  -e, --extreme       accepted
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool =
            Tool { family: Family::Xz, format: Format::Xz, decompress: true, stdout: true, short: SHORT, long: LONG };
        squeeze::main(args, &tool)
    }
}

/// `lzma`
pub mod lzma {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: lzma [OPTION]... [FILE]...
Compress or decompress FILEs in the .lzma format.

  -z, --compress      force compression
  -d, --decompress    force decompression
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -k, --keep          keep (don't delete) input files
  -f, --force         force overwrite of output file and (de)compress links
  -c, --stdout        write to standard output and don't delete input files
  -F, --format=FMT    'auto' (default), 'xz', 'lzma'
  -S, --suffix=.SUF   use the suffix '.SUF' on compressed files
  -T, --threads=NUM   accepted
  -0 ... -9           compression preset; default is 6
  -e, --extreme       accepted
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool = Tool {
            family: Family::Xz,
            format: Format::Lzma,
            decompress: false,
            stdout: false,
            short: SHORT,
            long: LONG,
        };
        squeeze::main(args, &tool)
    }
}

/// `unlzma`
pub mod unlzma {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: unlzma [OPTION]... [FILE]...
Decompress FILEs of the .lzma format.

  -z, --compress      force compression
  -d, --decompress    force decompression
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -k, --keep          keep (don't delete) input files
  -f, --force         force overwrite of output file and (de)compress links
  -c, --stdout        write to standard output and don't delete input files
  -F, --format=FMT    'auto' (default), 'xz', 'lzma'
  -S, --suffix=.SUF   use the suffix '.SUF' on compressed files
  -T, --threads=NUM   accepted
  -0 ... -9           compression preset; default is 6
  -e, --extreme       accepted
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool = Tool {
            family: Family::Xz,
            format: Format::Lzma,
            decompress: true,
            stdout: false,
            short: SHORT,
            long: LONG,
        };
        squeeze::main(args, &tool)
    }
}

/// `lzcat`
pub mod lzcat {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: lzcat [OPTION]... [FILE]...
Decompress FILEs of the .lzma format to standard output.

  -z, --compress      force compression
  -d, --decompress    force decompression
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -k, --keep          keep (don't delete) input files
  -f, --force         force overwrite of output file and (de)compress links
  -c, --stdout        write to standard output and don't delete input files
  -F, --format=FMT    'auto' (default), 'xz', 'lzma'
  -S, --suffix=.SUF   use the suffix '.SUF' on compressed files
  -T, --threads=NUM   accepted
  -0 ... -9           compression preset; default is 6
  -e, --extreme       accepted
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool =
            Tool { family: Family::Xz, format: Format::Lzma, decompress: true, stdout: true, short: SHORT, long: LONG };
        squeeze::main(args, &tool)
    }
}
