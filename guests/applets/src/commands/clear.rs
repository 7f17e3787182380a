use crate::options::Options;
use crate::quote::raw;
use crate::{Args, Outcome, report};
use capsule_sys::{Out, getenv};

pub const HELP: &str = "\
Usage: clear [-x] [-T TERM]
Clear the screen and what was scrolled off it.

  -x        keep what was scrolled off
  -T TERM   for this terminal
  -V        print the version
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "xT:V", &[]);
    let (mut keep, mut terminal) = (false, getenv(b"TERM"));
    while let Some(opt) = options.next()? {
        match opt.letter {
            'x' => keep = true,
            'T' => terminal = Some(opt.value().to_vec()),
            _ => return Err(options.version()),
        }
    }
    if !options.operands().is_empty() {
        return Err(report::try_help(1));
    }
    let mut out = Out::stdout();
    match terminal.as_deref() {
        None => {
            report::plain("TERM environment variable not set.\n");
            return Ok(1);
        }
        Some(b"dumb") => return Ok(1),
        Some(name) if !super::tput::is_known(name) => {
            report::plain(&raw(&[b"'", name, b"': unknown terminal type.\n"].concat()));
            return Ok(1);
        }
        Some(name) => {
            // Those that are no xterm clear from the cursor on, and some keep nothing.
            let xterm =
                [&b"xterm"[..], b"rxvt", b"konsole", b"gnome", b"putty", b"st", b"alacritty", b"foot", b"kitty"];
            let short = !xterm.iter().any(|known| name.starts_with(known));
            out.write(if short { b"\x1b[H\x1b[J" } else { b"\x1b[H\x1b[2J" });
            if !keep && (!short || name.starts_with(b"linux")) {
                out.write(b"\x1b[3J");
            }
        }
    }
    report::finish(&mut out, 0)
}
