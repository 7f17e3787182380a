use super::squeeze::compressor;
use crate::options::{Long, NO, only};

pub(super) const LONG: &[Long] = &[
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
    ("repetitive-fast", NO, only(3)),
    ("repetitive-best", NO, only(3)),
    ("fast", NO, only(0)),
    ("best", NO, only(1)),
];

pub(super) const SHORT: &str = "cdfhkLqstvVz123456789";

/// What the help of the whole family says.
macro_rules! options {
    () => {
        "
  -c, --stdout        output to standard out
  -d, --decompress    turn back
  -f, --force         overwrite existing output files
  -k, --keep          leave the files there
  -q, --quiet         suppress noncritical error messages
  -s, --small         use less memory (little is used anyway)
  -t, --test          only check the files
  -v, --verbose       be verbose
  -z, --compress      compress
  -1 .. -9            blocks of 100 kB to 900 kB
      --fast          the same as -1
      --best          the same as -9
  -h, --help          print this help
  -V, -L, --version, --license  print the version

Standard input is read where FILE is - or missing.
"
    };
}

compressor!("bzip2", "Turn FILEs into .bz2, or back.", Bzip2, Bzip2, decompress: false, stdout: false);

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
