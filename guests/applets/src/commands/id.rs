use crate::options::{NO, Options};
use crate::quote::locale;
use crate::users::{Names, memberships};
use crate::{Args, Outcome, report};
use capsule_sys::{Out, getids};

pub const HELP: &str = "\
Usage: id [OPTION]... [USER]...
Tell who USER is and in which groups,
or whom this process belongs to.

  -a             nothing; other systems know it
  -g, --group    the effective group alone
  -G, --groups   all groups
  -n, --name     with -u, -g or -G: names, not numbers
  -r, --real     with -u, -g or -G: the real one, not the effective one
  -u, --user     the effective user alone
  -Z, --context  the security context: there is none
  -z, --zero     NUL between them, not blanks
                   (with -u, -g or -G)
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("group", NO, 'g'),
        ("groups", NO, 'G'),
        ("name", NO, 'n'),
        ("real", NO, 'r'),
        ("user", NO, 'u'),
        ("zero", NO, 'z'),
        ("context", NO, 'Z'),
    ];
    let mut options = Options::new(args, "agGnruzZ", long);
    let (mut what, mut names, mut real, mut zero) = (None, false, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => {}
            'n' => names = true,
            'r' => real = true,
            'z' => zero = true,
            'Z' => return Err(report::die(1, "--context (-Z) works only on an SELinux-enabled kernel")),
            letter => {
                if what.is_some_and(|w| w != letter) {
                    return Err(report::die(1, "cannot print \"only\" of more than one choice"));
                }
                what = Some(letter);
            }
        }
    }
    if what.is_none() && (names || real) {
        return Err(report::die(1, "cannot print only names or real IDs in default format"));
    }
    if what.is_none() && zero {
        return Err(report::die(1, "option --zero not permitted in default format"));
    }
    let (mut users, mut groups) = (Names::users(), Names::groups());
    let mut subjects = Vec::new();
    let mut status = 0;
    let operands = options.operands();
    if operands.is_empty() {
        let (uid, gid) = getids().map_err(|e| report::die(1, format_args!("cannot tell who you are: {e}")))?;
        subjects.push((uid, gid, vec![gid]));
    }
    for operand in operands {
        let Some((uid, all)) = memberships(&mut users, &mut groups, operand) else {
            // The empty name is refused before anybody looks for it, and that leaves its mark.
            let why = if operand.is_empty() { ": No such file or directory" } else { "" };
            report::error(format_args!("{}: no such user{why}", locale(operand)));
            status = 1;
            continue;
        };
        let gid = all[0];
        subjects.push((uid, gid, all));
    }
    let mut out = Out::stdout();
    let end = if zero { "\0" } else { "\n" };
    for (uid, gid, all) in subjects {
        let named = |names_of: &mut Names, id: u32| match names {
            true => names_of.name(id).unwrap_or_else(|| id.to_string()),
            false => id.to_string(),
        };
        let text = match what {
            Some('u') => named(&mut users, uid),
            Some('g') => named(&mut groups, gid),
            Some(_) => {
                let list: Vec<String> = all.iter().map(|id| named(&mut groups, *id)).collect();
                list.join(if zero { "\0" } else { " " })
            }
            None => {
                let both = |names_of: &mut Names, id: u32| match names_of.name(id) {
                    Some(name) => format!("{id}({name})"),
                    None => id.to_string(),
                };
                let list: Vec<String> = all.iter().map(|id| both(&mut groups, *id)).collect();
                format!("uid={} gid={} groups={}", both(&mut users, uid), both(&mut groups, gid), list.join(","))
            }
        };
        out.write(format!("{text}{end}").as_bytes());
    }
    report::finish(&mut out, status)
}
