use super::squeeze::compressor;
use crate::options::{Long, NO, only};

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

/// What the help of the whole family says.
macro_rules! options {
    () => {
        "
  -c, --stdout        output to standard out
  -d, --decompress    force decompression
  -f, --force         overwrite existing output files
  -k, --keep          keep (don't delete) input files
  -q, --quiet         suppress noncritical error messages
  -s, --small         use less memory (little is used anyway)
  -t, --test          test compressed file integrity
  -v, --verbose       be verbose
  -z, --compress      force compression
  -1 .. -9            set block size to 100k .. 900k
      --fast          alias for -1
      --best          alias for -9
      --help          display this help and exit
  -V, --version       output version information and exit

With no FILE, or when FILE is -, read standard input.
"
    };
}

compressor!("bzip2", "Compress or decompress FILEs in the bzip2 format.", Bzip2, Bzip2, decompress: false, stdout: false);

/// `bunzip2`
pub mod bunzip2 {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("bunzip2", "Decompress FILEs of the bzip2 format.", Bzip2, Bzip2, decompress: true, stdout: false);
}

/// `bzcat`
pub mod bzcat {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("bzcat", "Decompress FILEs of the bzip2 format to standard output.", Bzip2, Bzip2, decompress: true, stdout: true);
}
