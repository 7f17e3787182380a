use crate::input::Input;
use crate::options::{NO, Options, REQ};
use crate::{Args, Outcome, number, report};
use capsule_sys::{Out, random};
use md5::{Digest, Md5};

pub const HELP: &str = "\
Usage: mcookie [OPTION]...
Generate a 128-bit random hexadecimal number.

  -f, --file FILE      use FILE as a cookie seed, too
  -m, --max-size NUM   read at most so much of the seed files
  -v, --verbose        tell where the bytes come from
  -h, --help           print this help
  -V, --version        print the version
";

/// What the original takes from the kernel.
const RANDOM_BYTES: usize = 128;
/// Of a seed file when nobody says more.
const USUAL_SEED: u64 = 4096;

pub fn main(args: &Args) -> Outcome {
    let mut options =
        Options::new(args, "f:m:vVh", &[("file", REQ, 'f'), ("max-size", REQ, 'm'), ("verbose", NO, 'v')]);
    let (mut files, mut most, mut verbose) = (Vec::new(), USUAL_SEED, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'f' => files.push(opt.value()),
            'm' => {
                let size = number::unsigned(opt.value(), b"KMGTPEZY");
                most = size.map_err(|bad| number::complain(1, "failed to parse length", opt.value(), bad))?;
            }
            'v' => verbose = true,
            'h' => return Err(options.help()),
            _ => return Err(options.version()),
        }
    }
    let mut hash = Md5::new();
    for file in files {
        let shown = String::from_utf8_lossy(file);
        let mut input = match Input::open(file) {
            Ok(input) => input,
            Err(e) => {
                report::error(format_args!("cannot open {shown}: {e}"));
                continue;
            }
        };
        let mut left = most;
        while let Ok(block) = input.stream.fill() {
            let n = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            if n == 0 {
                break;
            }
            hash.update(&block[..n]);
            input.stream.consume(n);
            left -= n as u64;
        }
        if verbose {
            report::plain(&format!("Got {} bytes from {shown}\n", most - left));
        }
    }
    let mut bytes = [0; RANDOM_BYTES];
    random(&mut bytes).map_err(|e| report::die(1, format_args!("getrandom: {e}")))?;
    if verbose {
        report::plain(&format!("Got {RANDOM_BYTES} bytes from getrandom() function\n"));
    }
    hash.update(bytes);
    let mut out = Out::stdout();
    let hex: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    out.write(format!("{hex}\n").as_bytes());
    report::finish(&mut out, 0)
}
