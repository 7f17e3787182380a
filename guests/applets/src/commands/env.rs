mod signals;

use crate::options::{NO, OPT, Options, REQ, only};
use crate::quote::{locale, quoted};
use crate::{Args, Exit, Outcome, program, report};
use capsule_sys::{Disposition, Out, STDERR, chdir, environ, write_all};
use signals::Signals;

pub const HELP: &str = "\
Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
Run COMMAND with these variables in its environment.

  -i, --ignore-environment  nothing else in the environment
  -0, --null           print with NUL behind each
  -u, --unset=NAME     without this variable
  -C, --chdir=DIR      in the directory DIR
  -S, --split-string=S  S holds several arguments, as a #! line
                        needs
  -v, --debug          tell each step
      --block-signal[=SIG]    hold back these signals (all)
      --default-signal[=SIG]  handle these signals as ever (all)
      --ignore-signal[=SIG]   ignore these signals (all)
      --list-signal-handling  tell which signals are handled otherwise
      --help        print this help
      --version     print the version

SIG is a list of names or numbers, with commas. - alone is -i. Without COMMAND, the environment is printed.

Exit status:
125  if the env command itself fails
126  if COMMAND is found but cannot be invoked
127  if COMMAND cannot be found
-    the exit status of COMMAND otherwise
";

const BLOCK: char = only(0);
const DEFAULT: char = only(1);
const IGNORE: char = only(2);
const LIST: char = only(3);

/// The status when `env` itself fails.
const FAILED: u8 = 125;

pub fn main(args: &Args) -> Outcome {
    let expanded = expand(args)?;
    let long = &[
        ("ignore-environment", NO, 'i'),
        ("null", NO, '0'),
        ("unset", REQ, 'u'),
        ("chdir", REQ, 'C'),
        ("split-string", REQ, 'S'),
        ("debug", NO, 'v'),
        ("block-signal", OPT, BLOCK),
        ("default-signal", OPT, DEFAULT),
        ("ignore-signal", OPT, IGNORE),
        ("list-signal-handling", NO, LIST),
    ];
    let mut options = Options::new(&expanded, "+i0u:C:S:v", long).status(FAILED);
    let (mut empty, mut end, mut unset, mut dir, mut debug) = (false, b'\n', Vec::new(), None, false);
    let mut signals = Signals::default();
    while let Some(opt) = options.next()? {
        match opt.letter {
            BLOCK => signals.block(opt.value)?,
            DEFAULT => signals.handle(opt.value, Disposition::Default)?,
            IGNORE => signals.handle(opt.value, Disposition::Ignore)?,
            LIST => signals.list = true,
            'i' => empty = true,
            '0' => end = 0,
            'u' => {
                if opt.value().is_empty() || opt.value().contains(&b'=') {
                    let text = format!("cannot unset {}: Invalid argument", locale(opt.value()));
                    return Err(report::die(FAILED, text));
                }
                unset.push(opt.value());
            }
            'C' => dir = Some(opt.value()),
            'v' => debug = true,
            _ => return Err(report::die(FAILED, "-S must come first")),
        }
    }
    let mut operands = options.operands();
    if operands.first().is_some_and(|o| *o == b"-") {
        empty = true;
        operands.remove(0);
    }
    let tell = |text: String| {
        if debug {
            report::plain(&text);
        }
    };
    let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    if empty {
        tell("cleaning environ\n".into());
        unset.clear();
    }
    let mut env = if empty { Vec::new() } else { environ() };
    let named = |entry: &[u8], name: &[u8]| entry.strip_prefix(name).is_some_and(|rest| rest.first() == Some(&b'='));
    for name in unset {
        tell(format!("unset:    {}\n", shown(name)));
        env.retain(|entry| !named(entry, name));
    }
    let settings = operands.iter().take_while(|o| o.contains(&b'=')).count();
    for setting in &operands[..settings] {
        tell(format!("setenv:   {}\n", shown(setting)));
        let name = setting.split(|&b| b == b'=').next().unwrap_or_default();
        match env.iter_mut().find(|entry| named(entry, name)) {
            Some(entry) => *entry = setting.to_vec(),
            None => env.push(setting.to_vec()),
        }
    }
    let command: Vec<Vec<u8>> = operands[settings..].iter().map(|o| o.to_vec()).collect();
    if command.is_empty() {
        if dir.is_some() {
            return Err(report::usage(FAILED, "must specify command with --chdir (-C)"));
        }
        let mut out = Out::stdout();
        for entry in &env {
            out.write(entry);
            out.byte(end);
        }
        return report::finish(&mut out, 0);
    }
    if end == 0 {
        return Err(report::usage(FAILED, "cannot specify --null (-0) with command"));
    }
    signals.apply(tell)?;
    if let Some(dir) = dir {
        tell(format!("chdir:    {}\n", quoted(dir)));
    }
    if let Some(dir) = dir
        && let Err(e) = chdir(dir)
    {
        return Err(report::die(FAILED, format_args!("cannot change directory to {}: {e}", quoted(dir))));
    }
    if debug {
        let mut text = format!("executing: {}\n", String::from_utf8_lossy(&command[0]));
        for (i, arg) in command.iter().enumerate() {
            text += &format!("   arg[{i}]= {}\n", locale(arg));
        }
        let _ = write_all(STDERR, text.as_bytes());
    }
    let why = program::become_command(&command, &env);
    report::fault(locale(&command[0]), why);
    if why == capsule_sys::Errno::ENOENT && command[0].iter().any(|b| b.is_ascii_whitespace() || *b == 11) {
        report::error("use -[v]S to pass options in shebang lines");
    }
    Err(Exit(program::status(why)))
}

/// Replaces `-S string` by the words in it. It is an option of the first argument only in what scripts really do.
fn expand(args: &Args) -> Result<Args, Exit> {
    let mut argv = vec![args.argv.first().cloned().unwrap_or_default()];
    let mut rest = args.rest().iter();
    while let Some(arg) = rest.next() {
        let flags = arg.iter().skip(1).take_while(|b| b"iv0".contains(b)).count();
        let text = match arg.as_slice() {
            b"--split-string" => rest.next().map(Vec::as_slice),
            long if long.starts_with(b"--split-string=") => Some(&long[15..]),
            [b'-', cluster @ ..] if cluster.get(flags) == Some(&b'S') => {
                argv.extend(cluster[..flags].iter().map(|&flag| vec![b'-', flag]));
                let text = &cluster[flags + 1..];
                if text.is_empty() { rest.next().map(Vec::as_slice) } else { Some(text) }
            }
            _ => None,
        };
        match text {
            Some(text) => argv.extend(split(text)?),
            None => {
                argv.push(arg.clone());
                // The first operand ends the options.
                if !arg.starts_with(b"-") || arg == b"-" || arg == b"--" {
                    break;
                }
                if matches!(arg.as_slice(), b"-u" | b"-C" | b"--unset" | b"--chdir") {
                    argv.extend(rest.next().cloned());
                }
            }
        }
    }
    argv.extend(rest.cloned());
    Ok(Args::new(argv))
}

/// Words as `env -S` splits them: quotes, escapes, `${VARIABLE}`, comments.
fn split(text: &[u8]) -> Result<Vec<Vec<u8>>, Exit> {
    let fail = |text: &str| report::die(FAILED, text);
    let (mut words, mut word, mut open): (Vec<Vec<u8>>, Option<Vec<u8>>, u8) = (Vec::new(), None, 0);
    let mut i = 0;
    while i < text.len() {
        let byte = text[i];
        i += 1;
        match byte {
            b'\'' | b'"' if open == byte => open = 0,
            b'\'' | b'"' if open == 0 => {
                open = byte;
                word.get_or_insert_default();
            }
            b' ' | b'\t' | b'\n' | 11 | 12 | b'\r' if open == 0 => words.extend(word.take()),
            b'#' if open == 0 && word.is_none() => break,
            b'\\' => {
                let Some(&next) = text.get(i) else { return Err(fail("invalid backslash at end of string in -S")) };
                i += 1;
                if open == b'\'' && next != b'\\' && next != b'\'' {
                    word.get_or_insert_default().extend([b'\\', next]);
                    continue;
                }
                let plain = match next {
                    b'_' if open == b'"' => b' ',
                    b'_' => {
                        words.extend(word.take());
                        continue;
                    }
                    b'c' if open == 0 => break,
                    b'c' => return Err(fail("'\\c' must not appear in double-quoted -S string")),
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    b'#' | b'$' | b'"' | b'\'' | b'\\' => next,
                    other => {
                        let text = format!("invalid sequence '\\{}' in -S", other as char);
                        return Err(report::die(FAILED, text));
                    }
                };
                word.get_or_insert_default().push(plain);
            }
            b'$' if open != b'\'' => {
                let end = text[i..].iter().position(|&b| b == b'}').filter(|_| text.get(i) == Some(&b'{'));
                let is_name = |name: &[u8]| {
                    name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
                        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
                };
                let end = end.filter(|end| is_name(&text[i + 1..i + end]));
                let Some(end) = end else {
                    let rest = String::from_utf8_lossy(&text[i - 1..]).into_owned();
                    let message = format!("only ${{VARNAME}} expansion is supported, error at: {rest}");
                    return Err(report::die(FAILED, message));
                };
                let value = capsule_sys::getenv(&text[i + 1..i + end]);
                i += end + 1;
                if let Some(value) = value {
                    word.get_or_insert_default().extend(value);
                }
            }
            byte => word.get_or_insert_default().push(byte),
        }
    }
    if open != 0 {
        return Err(fail("no terminating quote in -S string"));
    }
    words.extend(word);
    Ok(words)
}
