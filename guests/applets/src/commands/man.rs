use crate::options::{NO, Options};
use crate::{Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: man [SECTION] NAME...
  or:  man -k WORD...
Print what a command's help says: there is no pager and nothing else to read.
The shell's own commands are told about by 'help NAME'.

  -k, --apropos    commands whose names or summaries have the words
  -f, --whatis     only the summary of each NAME
      --help        display this help and exit
      --version     output version information and exit
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "kfalPw", &[("apropos", NO, 'k'), ("whatis", NO, 'f')]);
    let (mut search, mut brief) = (false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'k' => search = true,
            'f' => brief = true,
            'a' => {}
            other => {
                return Err(report::die(2, format_args!("-{other} is not supported: there are no pages in files")));
            }
        }
    }
    let mut operands = options.operands();
    if operands.len() > 1 && matches!(operands[0], [b'1'..=b'9']) {
        operands.remove(0);
    }
    if operands.is_empty() {
        return Err(report::die(1, "What manual page do you want?\nFor example, try 'man ls'."));
    }
    let (mut out, mut status) = (Out::stdout(), 0);
    for name in operands {
        let shown = String::from_utf8_lossy(name);
        if search {
            let word = shown.to_lowercase();
            let mut any = false;
            for applet in crate::all() {
                if applet.name.contains(&word) || applet.summary().to_lowercase().contains(&word) {
                    out.write(format!("{} (1) - {}\n", applet.name, applet.summary()).as_bytes());
                    any = true;
                }
            }
            if !any {
                report::error(format_args!("{shown}: nothing appropriate."));
                status = 16;
            }
            continue;
        }
        match crate::find(name) {
            Some(applet) if brief => out.write(format!("{} (1) - {}\n", applet.name, applet.summary()).as_bytes()),
            Some(applet) => {
                let title = format!("{}(1)", applet.name.to_uppercase());
                out.write(format!("{title:<24}{:^24}{title:>24}\n\n", "Capsule").as_bytes());
                out.write(applet.help.as_bytes());
            }
            None => {
                report::error(format_args!("No manual entry for {shown}"));
                status = 16;
            }
        }
    }
    report::finish(&mut out, status)
}
