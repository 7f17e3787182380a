use super::squeeze::{self, Family, Tool};
use crate::codec::Format;
use crate::options::{Long, NO, only};
use crate::{Args, Outcome};

const LONG: &[Long] = &[
    ("stdout", NO, 'c'),
    ("decompress", NO, 'd'),
    ("force", NO, 'f'),
    ("keep", NO, 'k'),
    ("quiet", NO, 'q'),
    ("small", NO, 's'),
    ("test", NO, 't'),
    ("verbose", NO, 'v'),
    ("compress", NO, 'z'),
    ("license", NO, 'L'),
    ("fast", NO, only(0)),
    ("best", NO, only(1)),
];

const SHORT: &str = "cdfkLqstvVz123456789";

pub const HELP: &str = "\
Usage: bzip2 [OPTION]... [FILE]...
Compress or decompress FILEs in the bzip2 format.

  -c, --stdout        output to standard out
  -d, --decompress    force decompression
  -f, --force         overwrite existing output files
  -k, --keep          keep (don't delete) input files
  -q, --quiet         suppress noncritical error messages
  -s, --small         accepted
  -t, --test          test compressed file integrity
  -v, --verbose       be verbose
  -z, --compress      force compression
  -1 .. -9            set block size to 100k .. 900k
      --fast          alias for -1
      --best          alias for -9
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

pub fn main(args: &Args) -> Outcome {
    let tool = Tool {
        family: Family::Bzip2,
        format: Format::Bzip2,
        decompress: false,
        stdout: false,
        short: SHORT,
        long: LONG,
    };
    squeeze::main(args, &tool)
}

/// `bunzip2`
pub mod bunzip2 {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: bunzip2 [OPTION]... [FILE]...
Decompress FILEs of the bzip2 format.

  -c, --stdout        output to standard out
  -d, --decompress    force decompression
  -f, --force         overwrite existing output files
  -k, --keep          keep (don't delete) input files
  -q, --quiet         suppress noncritical error messages
  -s, --small         accepted
  -t, --test          test compressed file integrity
  -v, --verbose       be verbose
  -z, --compress      force compression
  -1 .. -9            set block size to 100k .. 900k
      --fast          alias for -1
      --best          alias for -9
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool = Tool {
            family: Family::Bzip2,
            format: Format::Bzip2,
            decompress: true,
            stdout: false,
            short: SHORT,
            long: LONG,
        };
        squeeze::main(args, &tool)
    }
}

/// `bzcat`
pub mod bzcat {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: bzcat [OPTION]... [FILE]...
Decompress FILEs of the bzip2 format to standard output.

  -c, --stdout        output to standard out
  -d, --decompress    force decompression
  -f, --force         overwrite existing output files
  -k, --keep          keep (don't delete) input files
  -q, --quiet         suppress noncritical error messages
  -s, --small         accepted
  -t, --test          test compressed file integrity
  -v, --verbose       be verbose
  -z, --compress      force compression
  -1 .. -9            set block size to 100k .. 900k
      --fast          alias for -1
      --best          alias for -9
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool = Tool {
            family: Family::Bzip2,
            format: Format::Bzip2,
            decompress: true,
            stdout: true,
            short: SHORT,
            long: LONG,
        };
        squeeze::main(args, &tool)
    }
}
