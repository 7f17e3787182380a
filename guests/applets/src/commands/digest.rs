//! `md5sum` and its relatives, `b2sum`, `cksum`: one command with different defaults.

use crate::input::Input;
use crate::options::{Long, NO, Options, REQ, no_word, only};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, number, report};
use capsule_sys::{Errno, In, Out, STDIN, fstat};

pub mod algorithm;
mod blake2b;
mod check;
mod crc;
use algorithm::Algorithm;
use check::Checking;
pub use crc::zip_crc;

/// `HELP` and `main` of a command that has one algorithm.
macro_rules! sum {
    ($module:ident, $algorithm:ident, $bits:literal, $extra:literal) => {
        pub mod $module {
            use crate::{Args, Outcome};

            pub const HELP: &str = concat!(
                "Usage: ",
                stringify!($module),
                " [OPTION]... [FILE]...\nMake or verify ",
                $bits,
                " checksums.\n\nStandard input is read where FILE is - or missing.\n\n",
                "  -b, --binary         mark the input as binary\n",
                "  -c, --check          the FILEs are lists of checksums: verify what they name\n",
                $extra,
                "      --tag            write a line in the form of BSD\n",
                "  -t, --text           mark the input as text (default)\n",
                "  -z, --zero           end lines with NUL, and leave names as they are\n\n",
                "When checking:\n",
                "      --ignore-missing  say nothing of files that do not exist\n",
                "      --quiet          say nothing of files that agree\n",
                "      --status         say nothing at all; the status tells\n",
                "      --strict         lines of another form are a failure\n",
                "  -w, --warn           tell of each line of another form\n",
                "      --help        print this help\n",
                "      --version     print the version\n",
            );

            pub fn main(args: &Args) -> Outcome {
                super::command(args, Some(super::Algorithm::$algorithm))
            }
        }
    };
}

sum!(md5sum, Md5, "MD5 (128-bit)", "");
sum!(sha1sum, Sha1, "SHA1 (160-bit)", "");
sum!(sha224sum, Sha224, "SHA224 (224-bit)", "");
sum!(sha256sum, Sha256, "SHA256 (256-bit)", "");
sum!(sha384sum, Sha384, "SHA384 (384-bit)", "");
sum!(sha512sum, Sha512, "SHA512 (512-bit)", "");
sum!(b2sum, Blake2b, "BLAKE2b (512-bit)", "  -l, --length=BITS    digest length, a multiple of 8 up to 512\n");

pub mod cksum {
    use crate::{Args, Outcome};

    pub const HELP: &str = "\
Usage: cksum [OPTION]... [FILE]...
Make or verify checksums: the CRC of POSIX, or of another algorithm.

Standard input is read where FILE is - or missing.

  -a, --algorithm=TYPE  sysv, bsd, crc (default), md5, sha1, sha224, sha256,
                          sha384, sha512, blake2b, sm3
  -c, --check           the FILEs are lists of checksums: verify what they name
      --debug           tell which implementation is used
  -l, --length=BITS     digest length of blake2b, a multiple of 8
      --tag             write lines in the form of BSD (default)
      --untagged        write lines without the name of the algorithm
  -z, --zero            end lines with NUL, and leave names as they are

When checking:
      --ignore-missing  say nothing of files that do not exist
      --quiet           say nothing of files that agree
      --status          say nothing at all; the status tells
      --strict          lines of another form are a failure
  -w, --warn            tell of each line of another form
      --help        print this help
      --version     print the version
";

    pub fn main(args: &Args) -> Outcome {
        super::command(args, None)
    }
}

const IGNORE_MISSING: char = only(0);
const QUIET: char = only(1);
const STATUS: char = only(2);
const STRICT: char = only(3);
const TAG: char = only(4);
const UNTAGGED: char = only(5);
const DEBUG: char = only(6);

const SUM: &[Long] = &[
    ("binary", NO, 'b'),
    ("check", NO, 'c'),
    ("ignore-missing", NO, IGNORE_MISSING),
    ("quiet", NO, QUIET),
    ("status", NO, STATUS),
    ("strict", NO, STRICT),
    ("tag", NO, TAG),
    ("text", NO, 't'),
    ("warn", NO, 'w'),
    ("zero", NO, 'z'),
    // Of b2sum only.
    ("length", REQ, 'l'),
];

const CKSUM: &[Long] = &[
    ("algorithm", REQ, 'a'),
    ("check", NO, 'c'),
    ("debug", NO, DEBUG),
    ("ignore-missing", NO, IGNORE_MISSING),
    ("length", REQ, 'l'),
    ("quiet", NO, QUIET),
    ("status", NO, STATUS),
    ("strict", NO, STRICT),
    ("tag", NO, TAG),
    ("untagged", NO, UNTAGGED),
    ("warn", NO, 'w'),
    ("zero", NO, 'z'),
];

/// How lines are written.
struct Style {
    tagged: bool,
    binary: bool,
    zero: bool,
    /// A name behind the old sums only where names were given.
    named: bool,
}

fn command(args: &Args, fixed: Option<Algorithm>) -> Outcome {
    let is_cksum = fixed.is_none();
    let mut options = match fixed {
        None => Options::new(args, "a:bcl:twz", CKSUM),
        Some(Algorithm::Blake2b) => Options::new(args, "bcl:twz", SUM),
        Some(_) => Options::new(args, "bctwz", &SUM[..SUM.len() - 1]),
    };
    let (mut chosen, mut check, mut length) = (fixed, false, None);
    let (mut tagged, mut binary, mut zero) = (is_cksum, None, false);
    let mut debug = false;
    let mut c = Checking::default();
    while let Some(opt) = options.next()? {
        match opt.letter {
            // Only whole words will do.
            'a' => match algorithm::WORDS.iter().find(|w| w.0.as_bytes() == opt.value()) {
                Some(found) => chosen = Some(found.1),
                None => return Err(no_word(opt.value(), "--algorithm", "invalid", algorithm::WORDS, 1)),
            },
            'b' | 't' if is_cksum => return Err(report::try_help(1)),
            'b' => binary = Some(true),
            't' => binary = Some(false),
            'c' => check = true,
            'l' => {
                let bits = number::unsigned(opt.value(), b"");
                let bits = bits.map_err(|bad| number::complain(1, "invalid length", opt.value(), bad))?;
                if bits % 8 != 0 {
                    report::error(format_args!("invalid length: {}", locale(opt.value())));
                    return Err(report::die(1, "length is not a multiple of 8"));
                }
                length = Some((bits, opt.value()));
            }
            'w' => (c.warn, c.silent, c.quiet) = (true, false, false),
            'z' => zero = true,
            IGNORE_MISSING => c.ignore_missing = true,
            QUIET => (c.quiet, c.silent, c.warn) = (true, false, false),
            STATUS => (c.silent, c.warn, c.quiet) = (true, false, false),
            STRICT => c.strict = true,
            TAG if is_cksum => tagged = true,
            TAG => (tagged, binary) = (true, Some(true)),
            DEBUG => debug = true,
            UNTAGGED => tagged = false,
            _ => {}
        }
    }
    let algorithm = chosen.unwrap_or(Algorithm::Crc);
    let mut bits = algorithm.bits();
    if let Some((wanted, text)) = length {
        if is_cksum && algorithm != Algorithm::Blake2b && wanted > 0 {
            return Err(report::die(1, "--length is only supported with --algorithm=blake2b"));
        }
        if wanted > bits as u64 {
            report::error(format_args!("invalid length: {}", locale(text)));
            return Err(report::die(1, "maximum digest length for 'BLAKE2b' is 512 bits"));
        }
        bits = if wanted > 0 { wanted as usize } else { bits };
    }
    if check && chosen.is_some_and(Algorithm::is_old) {
        return Err(report::die(1, "--check is not supported with --algorithm={bsd,sysv,crc}"));
    }
    c.agree(check, zero, binary, tagged && !is_cksum)?;
    let operands = options.operands();
    let style = Style { tagged, binary: binary.unwrap_or(false), zero, named: !operands.is_empty() };
    let operands = if operands.is_empty() { vec![b"-".as_slice()] } else { operands };
    if debug && algorithm == Algorithm::Crc && !check {
        report::error("using generic hardware support");
    }
    let mut out = Out::stdout();
    let mut good = true;
    for &name in &operands {
        if check {
            good &= c.file(name, chosen, bits, &mut out);
            continue;
        }
        match sum(name, algorithm, bits) {
            Ok((digest, size)) => style.line(&mut out, algorithm, bits, &digest, size, name),
            Err(e) => {
                let _ = out.flush();
                report::fault(quote::name(name), e);
                good = false;
            }
        }
        if out.error().is_some() {
            break;
        }
    }
    finish(&mut out, u8::from(!good), &operands)
}

/// The last flush. Of lines that could not be written no reason is known any more, and standard input is closed last.
fn finish(out: &mut Out, status: u8, operands: &[&[u8]]) -> Outcome {
    let written = out.flush();
    if operands.contains(&b"-".as_slice())
        && let Err(e) = fstat(STDIN)
    {
        return Err(report::die(1, format_args!("standard input: {e}")));
    }
    match written {
        Ok(()) => Ok(status),
        Err(Errno::EBADF) => report::finish(out, status),
        Err(_) => Err(report::die(1, "write error")),
    }
}

/// The digest of a file, and its size.
fn sum(name: &[u8], algorithm: Algorithm, bits: usize) -> Result<(Vec<u8>, u64), Errno> {
    let mut input = Input::open(name)?;
    stream_sum(&mut input.stream, algorithm, bits)
}

fn stream_sum(stream: &mut In, algorithm: Algorithm, bits: usize) -> Result<(Vec<u8>, u64), Errno> {
    let mut hasher = algorithm.hasher(bits);
    let mut size = 0;
    loop {
        let block = stream.fill()?;
        if block.is_empty() {
            return Ok((hasher.finish(size), size));
        }
        hasher.update(block);
        let n = block.len();
        size += n as u64;
        stream.consume(n);
    }
}

fn hex(digest: &[u8]) -> Vec<u8> {
    let digits = b"0123456789abcdef";
    digest.iter().flat_map(|b| [digits[usize::from(b >> 4)], digits[usize::from(b & 15)]]).collect()
}

/// Whether a name would break a line.
fn breaks_line(name: &[u8]) -> bool {
    name.iter().any(|b| matches!(b, b'\\' | b'\n' | b'\r'))
}

fn write_name(out: &mut Out, name: &[u8], escape: bool) {
    for &byte in name {
        match byte {
            b'\\' if escape => out.write(b"\\\\"),
            b'\n' if escape => out.write(b"\\n"),
            b'\r' if escape => out.write(b"\\r"),
            other => out.byte(other),
        }
    }
}

impl Style {
    fn line(&self, out: &mut Out, algorithm: Algorithm, bits: usize, digest: &[u8], size: u64, name: &[u8]) {
        let end = if self.zero { 0 } else { b'\n' };
        if algorithm.is_old() {
            let value = digest.iter().fold(0u32, |v, b| v << 8 | u32::from(*b));
            let text = match algorithm {
                Algorithm::Bsd => format!("{value:05} {:>5}", size.div_ceil(1024)),
                Algorithm::Sysv => format!("{value} {}", size.div_ceil(512)),
                _ => format!("{value} {size}"),
            };
            out.write(text.as_bytes());
            if self.named {
                out.byte(b' ');
                out.write(name);
            }
            return out.byte(end);
        }
        let escape = !self.zero && breaks_line(name);
        if escape {
            out.byte(b'\\');
        }
        if self.tagged {
            out.write(algorithm.tag().as_bytes());
            if bits < algorithm.bits() {
                out.write(format!("-{bits}").as_bytes());
            }
            out.write(b" (");
            write_name(out, name, escape);
            out.write(b") = ");
            out.write(&hex(digest));
        } else {
            out.write(&hex(digest));
            out.write(if self.binary { b" *" } else { b"  " });
            write_name(out, name, escape);
        }
        out.byte(end);
    }
}

/// The old `sum`: BSD's by default.
pub mod sum {
    use super::{Algorithm, Style, finish, sum};
    use crate::options::{NO, Options};
    use crate::{Args, Outcome, quote, report};
    use capsule_sys::Out;

    pub const HELP: &str = "\
Usage: sum [OPTION]... [FILE]...
Print checksum and block counts for each FILE.

Standard input is read where FILE is - or missing.

  -r              as BSD does it, blocks of 1 KiB (so it is)
  -s, --sysv      as System V does it, blocks of 512 bytes
      --help        print this help
      --version     print the version
";

    pub fn main(args: &Args) -> Outcome {
        let mut options = Options::new(args, "rs", &[("sysv", NO, 's')]);
        let mut algorithm = Algorithm::Bsd;
        while let Some(opt) = options.next()? {
            algorithm = if opt.letter == 's' { Algorithm::Sysv } else { Algorithm::Bsd };
        }
        let operands = options.operands();
        let style = Style { tagged: false, binary: false, zero: false, named: !operands.is_empty() };
        let operands = if operands.is_empty() { vec![b"-".as_slice()] } else { operands };
        let (mut out, mut status) = (Out::stdout(), 0);
        for &name in &operands {
            match sum(name, algorithm, 16) {
                Ok((digest, size)) => style.line(&mut out, algorithm, 16, &digest, size, name),
                Err(e) => {
                    let _ = out.flush();
                    report::fault(quote::name(name), e);
                    status = 1;
                }
            }
        }
        finish(&mut out, status, &operands)
    }
}

/// The CRC of zip and gzip files.
pub mod crc32 {
    use super::zip_crc;
    use crate::input::Input;
    use crate::{Args, Outcome, options, quote, report};
    use capsule_sys::{Errno, Out};

    pub const HELP: &str = "\
Usage: crc32 [FILE]...
Print the CRC-32 of each FILE (as in zip and gzip) in hexadecimal.

Standard input is read where FILE is - or missing.

      --help        print this help
      --version     print the version
";

    fn file(name: &[u8]) -> Result<u32, Errno> {
        let mut input = Input::open(name)?;
        let mut crc = 0;
        loop {
            let block = input.stream.fill()?;
            if block.is_empty() {
                return Ok(crc);
            }
            crc = zip_crc(crc, block);
            let n = block.len();
            input.stream.consume(n);
        }
    }

    pub fn main(args: &Args) -> Outcome {
        let mut operands = options::only_operands(args, 1)?;
        let named = operands.len() > 1;
        if operands.is_empty() {
            operands.push(b"-");
        }
        let (mut out, mut status) = (Out::stdout(), 0);
        for name in operands {
            match file(name) {
                Ok(crc) => {
                    out.write(format!("{crc:08x}").as_bytes());
                    if named {
                        out.byte(b'\t');
                        out.write(name);
                    }
                    out.byte(b'\n');
                }
                Err(e) => {
                    let _ = out.flush();
                    report::fault(quote::name(name), e);
                    status = 1;
                }
            }
        }
        report::finish(&mut out, status)
    }
}

/// An option that means something only when checking was given without it, or the other way round.
fn meaningless(message: &str) -> Exit {
    report::usage(1, message)
}
