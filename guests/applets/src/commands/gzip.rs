use super::squeeze::compressor;
use crate::options::{Long, NO, REQ, only};

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

/// What the help of the whole family says.
macro_rules! options {
    () => {
        "
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
"
    };
}

compressor!("gzip", "Compress or uncompress FILEs (by default, compress FILES in-place).", Gzip, Gzip, decompress: false, stdout: false);

/// `gunzip`
pub mod gunzip {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("gunzip", "Uncompress FILEs (by default, uncompress FILES in-place).", Gzip, Gzip, decompress: true, stdout: false);
}

/// `zcat`
pub mod zcat {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("zcat", "Uncompress FILEs to standard output.", Gzip, Gzip, decompress: true, stdout: true);
}

/// `uncompress`
pub mod uncompress {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("uncompress", "Uncompress FILEs in the formats of compress and gzip.", Gzip, Lzw, decompress: true, stdout: false);
}
