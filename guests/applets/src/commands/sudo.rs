use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::users::Names;
use crate::{Args, Exit, Outcome, program, report};
use capsule_sys::{Errno, Out, chdir, environ, fork, getenv, getids};

pub const HELP: &str = "\
Usage: sudo [OPTION]... [NAME=VALUE]... [COMMAND [ARG]...]
  or:  sudo -l | -v | -k | -K
Run a command as root, which everybody in a sandbox is already: the command is
run as it is, with its environment, and no password is asked for.

  -u, --user=USER      as this user, who must be who we are
  -g, --group=GROUP    as this group, which must be ours
  -D, --chdir=DIR      in this directory
  -i, --login          a login shell, in the home directory
  -s, --shell          $SHELL, with the command if there is one
  -b, --background     do not wait for the command
  -l, --list           what may be run
  -v, --validate, -k, --reset-timestamp, -K, --remove-timestamp
                       nothing to do: there are no passwords
  -E, --preserve-env[=LIST], -H, --set-home, -n, --non-interactive, -S, --stdin,
  -A, --askpass, -P, --preserve-groups, -p, --prompt=TEXT
                       make no difference here
  -h, --help           print this help
  -V, --version        print the version
";

const PRESERVE: char = only(0);
const LONG: &[Long] = &[
    ("user", REQ, 'u'),
    ("group", REQ, 'g'),
    ("chdir", REQ, 'D'),
    ("login", NO, 'i'),
    ("shell", NO, 's'),
    ("background", NO, 'b'),
    ("list", NO, 'l'),
    ("validate", NO, 'v'),
    ("reset-timestamp", NO, 'k'),
    ("remove-timestamp", NO, 'K'),
    ("preserve-env", OPT, PRESERVE),
    ("set-home", NO, 'H'),
    ("non-interactive", NO, 'n'),
    ("stdin", NO, 'S'),
    ("askpass", NO, 'A'),
    ("preserve-groups", NO, 'P'),
    ("prompt", REQ, 'p'),
    ("version", NO, 'V'),
];

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+u:g:D:isblvkKEHnSAPp:Vh", LONG);
    let (mut login, mut shell, mut background, mut list, mut nothing) = (false, false, false, false, false);
    let mut dir = None;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'u' => who(opt.value(), "user", &mut Names::users(), getids().unwrap_or_default().0)?,
            'g' => who(opt.value(), "group", &mut Names::groups(), getids().unwrap_or_default().1)?,
            'D' => dir = Some(opt.value().to_vec()),
            'i' => login = true,
            's' => shell = true,
            'b' => background = true,
            'l' => list = true,
            'v' | 'k' | 'K' => nothing = true,
            'V' => return Err(options.version()),
            'h' => return Err(options.help()),
            _ => {}
        }
    }
    let operands = options.operands();
    let settings = operands.iter().take_while(|word| word.iter().position(|&b| b == b'=').is_some_and(|at| at > 0));
    let settings = settings.count();
    let command: Vec<Vec<u8>> = operands[settings..].iter().map(|word| word.to_vec()).collect();
    if list {
        let mut out = Out::stdout();
        out.write(b"User root may run the following commands on capsule:\n    (ALL : ALL) ALL\n");
        return report::finish(&mut out, 0);
    }
    if command.is_empty() && !login && !shell {
        return if nothing { Ok(0) } else { Err(report::usage(1, "no command specified")) };
    }
    let mut env = environ();
    for setting in &operands[..settings] {
        let end = setting.iter().position(|&b| b == b'=').map_or(0, |at| at + 1);
        env.retain(|entry| !entry.starts_with(&setting[..end]));
        env.push(setting.to_vec());
    }
    let command = match (login, shell) {
        (false, false) => command,
        _ => shell_command(&command, login),
    };
    let home = getenv(b"HOME").unwrap_or_else(|| b"/root".to_vec());
    if let Some(dir) = dir.or(login.then_some(home)) {
        let failed = |e| report::die(1, format_args!("unable to change directory to {}: {e}", lossy(&dir)));
        chdir(&dir).map_err(failed)?;
    }
    if background {
        let child = fork(|| run(&command, &env).into());
        return child.map(|_| 0).map_err(|e| report::die(1, format_args!("unable to fork: {e}")));
    }
    Ok(run(&command, &env))
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Nobody can become somebody else.
fn who(name: &[u8], what: &str, names: &mut Names, own: u32) -> Result<(), Exit> {
    let id = names.id(name.strip_prefix(b"#").unwrap_or(name));
    match id {
        Some(id) if id == own => Ok(()),
        Some(_) => Err(report::die(1, format_args!("cannot run as {what} {}: a sandbox has one user", lossy(name)))),
        None => Err(report::die(1, format_args!("unknown {what} {}", lossy(name)))),
    }
}

/// `$SHELL`, with the command as one text whose odd characters mean themselves.
fn shell_command(command: &[Vec<u8>], login: bool) -> Vec<Vec<u8>> {
    let shell = getenv(b"SHELL").unwrap_or_else(|| b"/bin/bash".to_vec());
    let mut argv = vec![shell];
    if login {
        argv.push(b"-l".to_vec());
    }
    if !command.is_empty() {
        let escaped = command.iter().map(|word| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-$".contains(&b) || !b.is_ascii();
            word.iter().flat_map(|&b| if plain(b) { vec![b] } else { vec![b'\\', b] }).collect::<Vec<u8>>()
        });
        argv.extend([b"-c".to_vec(), escaped.collect::<Vec<_>>().join(&b' ')]);
    }
    argv
}

fn run(command: &[Vec<u8>], env: &[Vec<u8>]) -> u8 {
    let why = program::become_command(command, env);
    let name = lossy(&command[0]);
    match why {
        Errno::ENOENT => report::error(format_args!("{name}: command not found")),
        why => report::error(format_args!("unable to execute {name}: {why}")),
    }
    1
}
