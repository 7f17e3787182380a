use super::squeeze::compressor;
use crate::options::{Long, NO, REQ, only};

pub(super) const LONG: &[Long] = &[
    ("ascii", NO, 'a'),
    ("bits", REQ, 'b'),
    ("stdout", NO, 'c'),
    ("to-stdout", NO, 'c'),
    ("decompress", NO, 'd'),
    ("uncompress", NO, 'd'),
    ("force", NO, 'f'),
    ("keep", NO, 'k'),
    ("list", NO, 'l'),
    ("license", NO, 'L'),
    ("no-name", NO, 'n'),
    ("name", NO, 'N'),
    ("quiet", NO, 'q'),
    ("silent", NO, 'q'),
    ("recursive", NO, 'r'),
    ("rsyncable", NO, only(16)),
    ("synchronous", NO, only(13)),
    ("suffix", REQ, 'S'),
    ("test", NO, 't'),
    ("verbose", NO, 'v'),
    ("fast", NO, only(0)),
    ("best", NO, only(1)),
];

pub(super) const SHORT: &str = "ab:cdfhH?klLmMnNqrS:tvVZ123456789";

/// What the help of the whole family says.
macro_rules! options {
    () => {
        "
  -c, --stdout      write to standard output and leave the files there
  -d, --decompress  turn back
  -f, --force       overwrite, and take links and linked files too
  -h, --help        print this help
  -k, --keep        leave the files there
  -l, --list        tell sizes and names
  -n, --no-name     do not keep, or use, the name and time inside
  -N, --name        keep, or use, the name and time inside
  -q, --quiet       no warnings
  -r, --recursive   go down into directories
  -S, --suffix=SUF  names end with SUF, not .gz
      --rsyncable   equal parts of files stay equal when packed
      --synchronous the result is on the disk before the file goes
  -t, --test        only check the files
  -v, --verbose     tell what is done
  -1, --fast        quickest
  -9, --best        smallest
  -V, -L, --version, --license  print the version

Standard input is read where FILE is - or missing.
"
    };
}

compressor!("gzip", "Compress FILEs, each into one whose name has .gz behind it.", Gzip, Gzip, decompress: false, stdout: false);

/// `gunzip`
pub mod gunzip {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("gunzip", "Turn compressed FILEs back.", Gzip, Gzip, decompress: true, stdout: false);
}

/// `zcat`
pub mod zcat {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("zcat", "Print what compressed FILEs hold.", Gzip, Gzip, decompress: true, stdout: true);
}

/// `uncompress`
pub mod uncompress {
    use super::{LONG, SHORT};
    use crate::commands::squeeze::compressor;

    compressor!("uncompress", "Uncompress FILEs in the formats of compress and gzip.", Gzip, Lzw, decompress: true, stdout: false);
}
