//! `rename` as Debian has it: an expression of Perl's changes each name. Of Perl it knows `s///`, `y///`, `tr///` and `$_ = `. With
//! two words instead of an expression it is the other `rename`: the first becomes the second.

mod assign;
mod expression;

use crate::input::{base_name, dir_name, join};
use crate::options::{NO, OPT, Options, REQ, only};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{In, Out, STDIN, lstat};
use expression::Statement;

pub const HELP: &str = "\
Usage: rename [OPTION]... EXPRESSION [FILE]...
  or:  rename [OPTION]... FROM TO FILE...
Rename files: EXPRESSION is one or more of s/PATTERN/REPLACEMENT/[gims],
y/FROM/TO/[cds], tr/FROM/TO/[cds] and $_ = VALUE or $_ .= VALUE, with ; between
them. In the replacement, $1, $& and the cases \\L \\U \\l \\u \\E mean what they
do in Perl. A VALUE is made of $_, texts in quotes, lc, uc, lcfirst and ucfirst,
with . between them. The rest of Perl is an error.

With no FILE, read names from standard input, one a line.

  -v, --verbose     print the names of files that were renamed
  -n, --nono, --no-act, --just-print
                    print what would be renamed, and rename nothing
  -f, --force       replace files that exist
  -d, --filename, --nopath, --nofullpath
                    change the name only, not the directory before it
      --path, --fullpath   change the whole path (the default)
  -0, --null        names on standard input end with NUL
  -e, --expression=EXPRESSION
                    an expression; may be repeated
  -E EXPRESSION     the same, and a ; after it
  -h, --help        print this help
  -V, --version     print the version
";

/// A wrong command line or expression. Files that could not be renamed are told of and no more.
const TROUBLE: u8 = 2;

struct Asked {
    verbose: bool,
    dry: bool,
    force: bool,
    name_only: bool,
}

pub fn main(args: &Args) -> Outcome {
    const PATH: char = only(0);
    let long = &[
        ("verbose", NO, 'v'),
        ("nono", NO, 'n'),
        ("no-act", NO, 'n'),
        ("just-print", NO, 'n'),
        ("force", NO, 'f'),
        ("filename", NO, 'd'),
        ("nopath", NO, 'd'),
        ("nofullpath", NO, 'd'),
        ("path", NO, PATH),
        ("fullpath", NO, PATH),
        ("null", NO, '0'),
        ("unicode", OPT, 'u'),
        ("expression", REQ, 'e'),
    ];
    let mut options = Options::new(args, "+vnfd0hVe:E:u", long).status(TROUBLE);
    let mut asked = Asked { verbose: false, dry: false, force: false, name_only: false };
    let (mut end, mut code) = (b'\n', None::<Vec<u8>>);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'v' => asked.verbose = true,
            'n' => asked.dry = true,
            'f' => asked.force = true,
            'd' => asked.name_only = true,
            PATH => asked.name_only = false,
            '0' => end = 0,
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            'e' => code.get_or_insert_default().extend_from_slice(opt.value()),
            'E' => code.get_or_insert_default().extend([opt.value(), b";"].concat()),
            _ => return Err(report::die(TROUBLE, "-u is not supported: names are UTF-8 where they can be")),
        }
    }
    let mut operands = options.operands();
    let statements = match code {
        Some(code) => expression::parse(&code),
        None if operands.is_empty() => return Err(report::usage(TROUBLE, "missing operand")),
        None if !expression::is_one(operands[0]) && operands.len() > 2 => {
            let (from, to) = (operands.remove(0), operands.remove(0));
            Ok(vec![Statement::Literal { from: from.to_vec(), to: to.to_vec() }])
        }
        None => expression::parse(operands.remove(0)),
    };
    let statements = statements.map_err(|why| report::die(TROUBLE, why))?;
    let mut out = Out::stdout();
    if operands.is_empty() {
        let mut input = In::new(STDIN);
        let mut line = Vec::new();
        while input.read_until(end, &mut line).map_err(|e| report::die(1, format_args!("read error: {e}")))? {
            let name = line.strip_suffix(&[end]).unwrap_or(&line);
            asked.rename(name, &statements, &mut out)?;
            line.clear();
        }
    }
    for name in operands {
        asked.rename(name, &statements, &mut out)?;
    }
    out.flush().map(|()| 0).map_err(|e| {
        // As Perl says it.
        report::plain(&format!("Unable to flush stdout: {e}\n"));
        Exit(1)
    })
}

impl Asked {
    fn rename(&self, was: &[u8], statements: &[Statement], out: &mut Out) -> Result<(), Exit> {
        let (dir, mut name) = match self.name_only && was.contains(&b'/') {
            true => (Some(dir_name(was)), base_name(was).to_vec()),
            false => (None, was.to_vec()),
        };
        for statement in statements {
            name = statement.apply(&name).map_err(|why| report::die(TROUBLE, why))?;
        }
        let new = dir.map_or(name.clone(), |dir| join(dir, &name));
        if new == was {
            return Ok(());
        }
        let (old, shown) = (String::from_utf8_lossy(was), String::from_utf8_lossy(&new));
        let complain = |text: String, out: &mut Out| {
            // In the order things happened.
            let _ = out.flush();
            report::plain(&text);
        };
        if !self.force && lstat(&new).is_ok() {
            complain(format!("{old} not renamed: {shown} already exists\n"), out);
        } else if self.dry {
            out.write(&[b"rename(", was, b", ", new.as_slice(), b")\n"].concat());
        } else if let Err(e) = capsule_sys::rename(was, &new) {
            complain(format!("Can't rename {old} {shown}: {e}\n"), out);
        } else if self.verbose {
            out.write(&[was, b" renamed as ", new.as_slice(), b"\n"].concat());
        }
        Ok(())
    }
}
