use crate::options::Options;
use crate::users::Names;
use crate::{Args, Outcome, report};
use capsule_sys::Out;

pub const HELP: &str = "\
Usage: pinky [OPTION]... [USER]...
Look up users: those who are logged in (nobody is), or with -l the USERs.

  -l   long output for the specified USERs
  -b   omit the home directory and shell in long format
  -h   omit the project file in long format
  -p   omit the plan file in long format
  -s   short output (the default)
  -f   omit the line of headings in short format
  -w   omit the full name in short format
  -i   omit the full name and remote host in short format
  -q   omit the full name, remote host and idle time in short format
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "lbhpsfwiq", &[]);
    let (mut long, mut homes, mut heading, mut name, mut host, mut idle) = (false, true, true, true, true, true);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'l' => long = true,
            's' => long = false,
            'b' => homes = false,
            'f' => heading = false,
            'w' => name = false,
            'i' => (name, host) = (false, false),
            'q' => (name, host, idle) = (false, false, false),
            // Plans and projects are not looked for in the first place.
            _ => {}
        }
    }
    let operands = options.operands();
    let mut out = Out::stdout();
    if long {
        if operands.is_empty() {
            return Err(report::usage(1, "no username specified; at least one must be specified when using -l"));
        }
        let mut users = Names::users();
        for user in operands {
            let entry = users.lines().iter().find(|fields| fields[0] == user).cloned();
            let field =
                |n: usize| entry.as_ref().and_then(|e| e.get(n)).map(|f| String::from_utf8_lossy(f).into_owned());
            let full = field(4).map_or("???".to_owned(), |f| f.split(',').next().unwrap_or_default().to_owned());
            let login = String::from_utf8_lossy(user);
            out.write(format!("Login name: {login:<28}In real life:  {full}\n").as_bytes());
            if homes && let (Some(home), Some(shell)) = (field(5), field(6)) {
                out.write(format!("Directory: {home:<29}Shell:  {shell}\n").as_bytes());
            }
            if entry.is_some() {
                out.byte(b'\n');
            }
        }
    } else if heading {
        let mut text = format!("{:<8}", "Login");
        for (shown, title, width) in [(name, "Name", 19), (true, " TTY", 9), (idle, "Idle", 6), (true, "When", 12)] {
            if shown {
                text += &format!(" {title:<width$}");
            }
        }
        text += if host { " Where\n" } else { "\n" };
        out.write(text.as_bytes());
    }
    report::finish(&mut out, 0)
}
