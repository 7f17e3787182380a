use crate::options::Options;
use crate::quote::raw;
use crate::{Args, Outcome, report};
use capsule_sys::{Out, getenv};

pub const HELP: &str = "\
Usage: reset [OPTION]... [TERMINAL]
Write what sets a terminal back to how it begins. Its settings (stty) are not
touched: they belong to the host, and -c -e -i -k -m are refused.

  -I        write nothing
  -q        print the name of the terminal, and do nothing else
  -r        print it on standard error
  -s        print what sets TERM in a shell
  -Q, -w    (no settings are told, the window is as it is)
  -V        print the version

      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "cIQqrswVe:i:k:m:", &[]);
    let (mut writes, mut asks, mut tells, mut sets) = (true, false, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'I' => writes = false,
            'q' => asks = true,
            'r' => tells = true,
            's' => sets = true,
            'V' => return Err(options.version()),
            'Q' | 'w' => {}
            other => {
                let why = "the settings of the terminal belong to the host";
                return Err(report::die(1, format_args!("-{other} is not supported: {why}")));
            }
        }
    }
    let given = options.operands().first().map(|name| name.to_vec());
    let terminal = given.or_else(|| getenv(b"TERM")).filter(|name| !name.is_empty()).unwrap_or(b"unknown".to_vec());
    if !super::tput::is_known(&terminal) {
        report::error(raw(&[b"unknown terminal type ", terminal.as_slice()].concat()));
        return Ok(1);
    }
    let mut out = Out::stdout();
    if asks {
        out.write(&[terminal.as_slice(), b"\n"].concat());
        return report::finish(&mut out, 0);
    }
    if writes {
        out.write(b"\x1bc\x1b[!p\x1b[?3;4l\x1b[4l\x1b>");
    }
    if tells {
        report::plain(&raw(&[b"Terminal type is ", terminal.as_slice(), b".\n"].concat()));
    }
    if sets {
        out.write(&[b"TERM=", terminal.as_slice(), b";\n"].concat());
    }
    report::finish(&mut out, 0)
}
