use super::squeeze::{self, Family, Tool};
use crate::codec::Format;
use crate::options::{Long, NO, OPT, REQ, only};
use crate::{Args, Outcome};

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
    ("ultra", NO, 'e'),
    ("no-progress", NO, 'e'),
    ("fast", OPT, only(0)),
];

const SHORT: &str = "o:kdfcrtlqvVzT:0123456789";

pub const HELP: &str = "\
Usage: zstd [OPTION]... [FILE]...
Compress or decompress FILEs in the zstd format.

  -o OUTPUT           write output to a single file, OUTPUT
  -k, --keep          preserve input files (default)
      --rm            remove input files after successful (de)compression
  -#                  compression level; one level is made, all are accepted
  -d, --decompress    perform decompression
  -f, --force         overwrite output files
  -c, --stdout        write to standard output
  -r                  operate recursively on directories
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
  -T#, --threads=#    accepted
  -z, --compress      perform compression (default)
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

pub fn main(args: &Args) -> Outcome {
    let tool =
        Tool { family: Family::Zstd, format: Format::Zstd, decompress: false, stdout: false, short: SHORT, long: LONG };
    squeeze::main(args, &tool)
}

/// `unzstd`
pub mod unzstd {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: unzstd [OPTION]... [FILE]...
Decompress FILEs of the zstd format.

  -o OUTPUT           write output to a single file, OUTPUT
  -k, --keep          preserve input files (default)
      --rm            remove input files after successful (de)compression
  -#                  compression level; one level is made, all are accepted
  -d, --decompress    perform decompression
  -f, --force         overwrite output files
  -c, --stdout        write to standard output
  -r                  operate recursively on directories
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
  -T#, --threads=#    accepted
  -z, --compress      perform compression (default)
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool = Tool {
            family: Family::Zstd,
            format: Format::Zstd,
            decompress: true,
            stdout: false,
            short: SHORT,
            long: LONG,
        };
        squeeze::main(args, &tool)
    }
}

/// `zstdcat`
pub mod zstdcat {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: zstdcat [OPTION]... [FILE]...
Decompress FILEs of the zstd format to standard output.

  -o OUTPUT           write output to a single file, OUTPUT
  -k, --keep          preserve input files (default)
      --rm            remove input files after successful (de)compression
  -#                  compression level; one level is made, all are accepted
  -d, --decompress    perform decompression
  -f, --force         overwrite output files
  -c, --stdout        write to standard output
  -r                  operate recursively on directories
  -t, --test          test compressed file integrity
  -l, --list          list sizes
  -q, --quiet         suppress warnings
  -v, --verbose       be verbose
  -T#, --threads=#    accepted
  -z, --compress      perform compression (default)
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool = Tool {
            family: Family::Zstd,
            format: Format::Zstd,
            decompress: true,
            stdout: true,
            short: SHORT,
            long: LONG,
        };
        squeeze::main(args, &tool)
    }
}
