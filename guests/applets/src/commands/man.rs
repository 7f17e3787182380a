use crate::options::{NO, Options};
use crate::quote::raw;
use crate::{Applet, Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: man [SECTION] NAME...
  or:  man -k WORD...
Print what a command's help says: there is no pager and nothing else to read.
The shell's own commands are told about by 'help NAME'.

  -k, --apropos    commands whose names or summaries have the words
  -f, --whatis     only the summary of each NAME
  -a               all pages of that name: there is one
      --help        print this help
      --version     print the version
";

pub mod whatis {
    use crate::options::only_operands;
    use crate::{Args, Outcome, report};

    pub const HELP: &str = "\
Usage: whatis NAME...
Print the summary of commands, as man -f does.

      --help        print this help
      --version     print the version
";

    pub fn main(args: &Args) -> Outcome {
        report::hint(report::Hint::Usage);
        let names = only_operands(args, 1)?;
        if names.is_empty() {
            return super::what("whatis");
        }
        super::summaries(&names, |name, applet| applet.name.as_bytes() == name)
    }
}

pub mod apropos {
    use crate::options::only_operands;
    use crate::{Args, Outcome, report};

    pub const HELP: &str = "\
Usage: apropos WORD...
List the commands whose names or summaries have the words, as man -k does.

      --help        print this help
      --version     print the version
";

    pub fn main(args: &Args) -> Outcome {
        report::hint(report::Hint::Usage);
        let words = only_operands(args, 1)?;
        if words.is_empty() {
            return super::what("apropos");
        }
        super::summaries(&words, super::mentions)
    }
}

fn what(name: &str) -> Outcome {
    let mut out = Out::stdout();
    out.write(format!("{name} what?\n").as_bytes());
    report::finish(&mut out, 1)
}

/// What is said about those that match each of some words.
fn summaries(words: &[&[u8]], matches: impl Fn(&[u8], &Applet) -> bool) -> Outcome {
    let (mut out, mut status) = (Out::stdout(), 0);
    for word in words {
        let mut found = crate::all().iter().filter(|applet| matches(word, applet)).peekable();
        if found.peek().is_none() {
            let _ = out.flush();
            report::plain(&raw(&[word, &b": nothing appropriate.\n"[..]].concat()));
            status = NOT_FOUND;
        }
        for applet in found {
            out.write(format!("{:<20} - {}\n", format!("{} (1)", applet.name), applet.summary()).as_bytes());
        }
    }
    report::finish(&mut out, status)
}

fn mentions(word: &[u8], applet: &Applet) -> bool {
    let word = String::from_utf8_lossy(word).to_lowercase();
    applet.name.contains(&word) || applet.summary().to_lowercase().contains(&word)
}

/// The status when there is no such page.
const NOT_FOUND: u8 = 16;

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "kfalPw", &[("apropos", NO, 'k'), ("whatis", NO, 'f')]);
    report::hint(report::Hint::Usage);
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
        report::plain("What manual page do you want?\nFor example, try 'man man'.\n");
        return Ok(1);
    }
    if search {
        return summaries(&operands, mentions);
    }
    if brief {
        return summaries(&operands, |name, applet| applet.name.as_bytes() == name);
    }
    let (mut out, mut status) = (Out::stdout(), 0);
    for name in operands {
        match crate::find(name) {
            Some(applet) => {
                let title = format!("{}(1)", applet.name.to_uppercase());
                out.write(format!("{title:<24}{:^24}{title:>24}\n\n", "Capsule").as_bytes());
                out.write(applet.help.as_bytes());
            }
            None => {
                let _ = out.flush();
                report::plain(&raw(&[b"No manual entry for ", name, b"\n"].concat()));
                status = NOT_FOUND;
            }
        }
    }
    report::finish(&mut out, status)
}
