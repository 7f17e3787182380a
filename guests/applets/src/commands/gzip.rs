use super::squeeze::{self, Family, Tool};
use crate::codec::Format;
use crate::options::{Long, NO, REQ, only};
use crate::{Args, Outcome};

const LONG: &[Long] = &[
    ("stdout", NO, 'c'),
    ("to-stdout", NO, 'c'),
    ("decompress", NO, 'd'),
    ("uncompress", NO, 'd'),
    ("force", NO, 'f'),
    ("keep", NO, 'k'),
    ("list", NO, 'l'),
    ("no-name", NO, 'n'),
    ("name", NO, 'N'),
    ("quiet", NO, 'q'),
    ("silent", NO, 'q'),
    ("recursive", NO, 'r'),
    ("suffix", REQ, 'S'),
    ("test", NO, 't'),
    ("verbose", NO, 'v'),
    ("fast", NO, only(0)),
    ("best", NO, only(1)),
];

const SHORT: &str = "acdfklLnNqrS:tvV123456789";

pub const HELP: &str = "\
Usage: gzip [OPTION]... [FILE]...
Compress or uncompress FILEs (by default, compress FILES in-place).

  -c, --stdout      write on standard output, keep original files unchanged
  -d, --decompress  decompress
  -f, --force       force overwrite of output file and compress links
  -k, --keep        keep (don't delete) input files
  -l, --list        list compressed file contents
  -n, --no-name     do not save or restore the original name and timestamp
  -N, --name        save or restore the original name and timestamp
  -q, --quiet       suppress all warnings
  -r, --recursive   operate recursively on directories
  -S, --suffix=SUF  use suffix SUF on compressed files
  -t, --test        test compressed file integrity
  -v, --verbose     verbose mode
  -1, --fast        compress faster
  -9, --best        compress better
      --help        display this help and exit
  -V, --version     output version information and exit

With no FILE, or when FILE is -, read standard input.
";

pub fn main(args: &Args) -> Outcome {
    let tool =
        Tool { family: Family::Gzip, format: Format::Gzip, decompress: false, stdout: false, short: SHORT, long: LONG };
    squeeze::main(args, &tool)
}

/// `gunzip`
pub mod gunzip {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: gunzip [OPTION]... [FILE]...
Uncompress FILEs (by default, uncompress FILES in-place).

  -c, --stdout      write on standard output, keep original files unchanged
  -d, --decompress  decompress
  -f, --force       force overwrite of output file and compress links
  -k, --keep        keep (don't delete) input files
  -l, --list        list compressed file contents
  -n, --no-name     do not save or restore the original name and timestamp
  -N, --name        save or restore the original name and timestamp
  -q, --quiet       suppress all warnings
  -r, --recursive   operate recursively on directories
  -S, --suffix=SUF  use suffix SUF on compressed files
  -t, --test        test compressed file integrity
  -v, --verbose     verbose mode
  -1, --fast        compress faster
  -9, --best        compress better
      --help        display this help and exit
  -V, --version     output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool = Tool {
            family: Family::Gzip,
            format: Format::Gzip,
            decompress: true,
            stdout: false,
            short: SHORT,
            long: LONG,
        };
        squeeze::main(args, &tool)
    }
}

/// `zcat`
pub mod zcat {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: zcat [OPTION]... [FILE]...
Uncompress FILEs to standard output.

  -c, --stdout      write on standard output, keep original files unchanged
  -d, --decompress  decompress
  -f, --force       force overwrite of output file and compress links
  -k, --keep        keep (don't delete) input files
  -l, --list        list compressed file contents
  -n, --no-name     do not save or restore the original name and timestamp
  -N, --name        save or restore the original name and timestamp
  -q, --quiet       suppress all warnings
  -r, --recursive   operate recursively on directories
  -S, --suffix=SUF  use suffix SUF on compressed files
  -t, --test        test compressed file integrity
  -v, --verbose     verbose mode
  -1, --fast        compress faster
  -9, --best        compress better
      --help        display this help and exit
  -V, --version     output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool = Tool {
            family: Family::Gzip,
            format: Format::Gzip,
            decompress: true,
            stdout: true,
            short: SHORT,
            long: LONG,
        };
        squeeze::main(args, &tool)
    }
}

/// `uncompress`
pub mod uncompress {
    use super::{Args, Family, Format, LONG, Outcome, SHORT, Tool, squeeze};

    pub const HELP: &str = "\
Usage: uncompress [OPTION]... [FILE]...
Uncompress FILEs in the formats of compress and gzip.

  -c, --stdout      write on standard output, keep original files unchanged
  -d, --decompress  decompress
  -f, --force       force overwrite of output file and compress links
  -k, --keep        keep (don't delete) input files
  -l, --list        list compressed file contents
  -n, --no-name     do not save or restore the original name and timestamp
  -N, --name        save or restore the original name and timestamp
  -q, --quiet       suppress all warnings
  -r, --recursive   operate recursively on directories
  -S, --suffix=SUF  use suffix SUF on compressed files
  -t, --test        test compressed file integrity
  -v, --verbose     verbose mode
  -1, --fast        compress faster
  -9, --best        compress better
      --help        display this help and exit
  -V, --version     output version information and exit

With no FILE, or when FILE is -, read standard input.
";

    pub fn main(args: &Args) -> Outcome {
        let tool = Tool {
            family: Family::Gzip,
            format: Format::Lzw,
            decompress: true,
            stdout: false,
            short: SHORT,
            long: LONG,
        };
        squeeze::main(args, &tool)
    }
}
