use crate::options::{NO, Options, REQ};
use crate::quote::{locale, quoted};
use crate::{Args, Outcome, report};
use capsule_sys::{Errno, OpenFlags, Out, STDIN, Window, isatty, open, window};

pub const HELP: &str = "\
Usage: stty [-F DEVICE | --file=DEVICE] [-a | -g | size | speed]
Tell about the terminal that is standard input. A terminal belongs to the host:
nothing of it can be changed here, and only its size is known.

  -a, --all          print all that is known
  -g, --save         (there is nothing to save)
  -F, --file=DEVICE  this device, not standard input
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+agF:", &[("all", NO, 'a'), ("save", NO, 'g'), ("file", REQ, 'F')]);
    let (mut all, mut save, mut device) = (false, false, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => all = true,
            'g' => save = true,
            _ => device = Some(opt.value()),
        }
    }
    let operands = options.operands();
    if all && save {
        let text = "the options for verbose and stty-readable output styles are\nmutually exclusive";
        return Err(report::die(1, text));
    }
    let opened = match device {
        Some(name) => {
            let opened = open(name, OpenFlags::RDONLY | OpenFlags::NONBLOCK, 0);
            Some(opened.map_err(|e| report::die(1, format_args!("{}: {e}", crate::quote::name(name))))?)
        }
        None => None,
    };
    let fd = opened.as_ref().map_or(STDIN, |fd| fd.raw());
    if !isatty(fd) {
        let name = device.map_or("'standard input'".to_owned(), quoted);
        return Err(report::die(1, format_args!("{name}: {}", Errno::ENOTTY)));
    }
    let Window { rows, columns } = window(fd).unwrap_or_default();
    let text = match operands.as_slice() {
        [] if save => return Err(report::die(1, "settings of the terminal are not known here (-g)")),
        [] if all => format!("speed 38400 baud; rows {rows}; columns {columns}; line = 0;\n"),
        [] => "speed 38400 baud; line = 0;\n".to_owned(),
        [b"size"] => format!("{rows} {columns}\n"),
        [b"speed"] => "38400\n".to_owned(),
        [other, ..] => {
            return Err(report::die(1, format_args!("the terminal cannot be changed from here: {}", locale(other))));
        }
    };
    let mut out = Out::stdout();
    out.write(text.as_bytes());
    report::finish(&mut out, 0)
}
