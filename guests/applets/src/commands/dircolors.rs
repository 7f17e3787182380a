use crate::input::Input;
use crate::options::{NO, Options, only};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, glob, report};
use capsule_sys::{Out, getenv};

pub const HELP: &str = "\
Usage: dircolors [OPTION]... [FILE]
Print the shell command that sets LS_COLORS.

  -b, --sh, --bourne-shell  output Bourne shell code
  -c, --csh, --c-shell      output C shell code
  -p, --print-database      output the built-in colors
      --print-ls-colors     output each color as it looks
      --help        print this help
      --version     print the version

The colors are those of FILE, or built in without one.
";

const DATABASE: &str = include_str!("dircolors/database.txt");
const PRINT_LS: char = only(0);

/// Keywords and what `LS_COLORS` calls them.
const KINDS: &[(&str, &str)] = &[
    ("NORMAL", "no"),
    ("NORM", "no"),
    ("FILE", "fi"),
    ("RESET", "rs"),
    ("DIR", "di"),
    ("LNK", "ln"),
    ("LINK", "ln"),
    ("SYMLINK", "ln"),
    ("ORPHAN", "or"),
    ("MISSING", "mi"),
    ("FIFO", "pi"),
    ("PIPE", "pi"),
    ("SOCK", "so"),
    ("BLK", "bd"),
    ("BLOCK", "bd"),
    ("CHR", "cd"),
    ("CHAR", "cd"),
    ("DOOR", "do"),
    ("EXEC", "ex"),
    ("LEFT", "lc"),
    ("LEFTCODE", "lc"),
    ("RIGHT", "rc"),
    ("RIGHTCODE", "rc"),
    ("END", "ec"),
    ("ENDCODE", "ec"),
    ("SUID", "su"),
    ("SETUID", "su"),
    ("SGID", "sg"),
    ("SETGID", "sg"),
    ("STICKY", "st"),
    ("OTHER_WRITABLE", "ow"),
    ("OWR", "ow"),
    ("STICKY_OTHER_WRITABLE", "tw"),
    ("OWT", "tw"),
    ("CAPABILITY", "ca"),
    ("MULTIHARDLINK", "mh"),
    ("CLRTOEOL", "cl"),
];

#[derive(Clone, Copy, PartialEq)]
enum Output {
    Sh,
    Csh,
    Shown,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("bourne-shell", NO, 'b'),
        ("sh", NO, 'b'),
        ("csh", NO, 'c'),
        ("c-shell", NO, 'c'),
        ("print-database", NO, 'p'),
        ("print-ls-colors", NO, PRINT_LS),
    ];
    let mut options = Options::new(args, "bcp", long);
    let (mut output, mut database) = (None, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' => output = Some(Output::Sh),
            'c' => output = Some(Output::Csh),
            'p' => database = true,
            _ => output = Some(Output::Shown),
        }
    }
    let operands = options.operands();
    let shows = database || output == Some(Output::Shown);
    if database && output.is_some() {
        let message = match output {
            Some(Output::Shown) => "options --print-database and --print-ls-colors are mutually exclusive",
            _ => "the options to output non shell syntax,\nand to select a shell syntax are mutually exclusive",
        };
        return Err(report::usage(1, message));
    }
    if let Some(extra) = operands.get(usize::from(!database)) {
        report::error(format_args!("extra operand {}", locale(extra)));
        if shows && database {
            let text = "file operands cannot be combined with --print-database (-p)\n";
            let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
        }
        return Err(report::try_help(1));
    }
    let mut out = Out::stdout();
    if database {
        out.write(DATABASE.as_bytes());
        return report::finish(&mut out, 0);
    }
    let output = match output {
        Some(output) => output,
        None => match getenv(b"SHELL").filter(|s| !s.is_empty()) {
            None => return Err(report::die(1, "no SHELL environment variable, and no shell type option given")),
            Some(shell) if matches!(crate::input::base_name(&shell), b"csh" | b"tcsh") => Output::Csh,
            Some(_) => Output::Sh,
        },
    };
    let (text, name) = match operands.first() {
        None => (DATABASE.as_bytes().to_vec(), "<internal>".to_owned()),
        Some(file) => {
            let name = quote::name(file);
            let mut text = Vec::new();
            let read = Input::open(file).and_then(|mut i| i.stream.read_to_end(&mut text));
            read.map_err(|e| report::die(1, format_args!("{name}: {e}")))?;
            (text, name)
        }
    };
    let colors = colors(&text, &name, output)?;
    match output {
        Output::Sh => {
            out.write(b"LS_COLORS='");
            out.write(&colors);
            out.write(b"';\nexport LS_COLORS\n");
        }
        Output::Csh => {
            out.write(b"setenv LS_COLORS '");
            out.write(&colors);
            out.write(b"'\n");
        }
        Output::Shown => out.write(&colors),
    }
    report::finish(&mut out, 0)
}

/// Whether the lines that follow hold.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// No terminal was named yet.
    Global,
    No,
    /// A terminal matched just now: another may follow.
    Sure,
    Yes,
}

fn colors(text: &[u8], name: &str, output: Output) -> Result<Vec<u8>, Exit> {
    let terminal = getenv(b"TERM").filter(|t| !t.is_empty()).unwrap_or_else(|| b"none".to_vec());
    let color_terminal = getenv(b"COLORTERM").unwrap_or_default();
    let (mut state, mut good, mut all) = (State::Global, true, Vec::new());
    for (number, line) in text.split(|&b| b == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        // A keyword may hold the sign that begins a comment elsewhere.
        let (keyword, value) = line.split_at(end);
        let value = value[..value.iter().position(|&b| b == b'#').unwrap_or(value.len())].trim_ascii();
        if value.is_empty() {
            report::error(format_args!("{name}:{}: invalid line;  missing second token", number + 1));
            good = false;
            continue;
        }
        let against = match keyword.to_ascii_uppercase().as_slice() {
            b"TERM" => Some(&terminal),
            b"COLORTERM" => Some(&color_terminal),
            _ => None,
        };
        if let Some(text) = against {
            if state != State::Sure {
                state = if glob::matches(value, text, false) { State::Sure } else { State::No };
            }
            continue;
        }
        if state == State::Sure {
            state = State::Yes;
        }
        if state == State::No {
            continue;
        }
        let upper = keyword.to_ascii_uppercase();
        let kind = KINDS.iter().find(|k| k.0.as_bytes() == upper);
        match (keyword[0], kind) {
            (b'.', _) => entry(&mut all, &[b"*", keyword].concat(), value, output),
            (b'*', _) => entry(&mut all, keyword, value, output),
            (_, Some(kind)) => entry(&mut all, kind.1.as_bytes(), value, output),
            _ if matches!(upper.as_slice(), b"OPTIONS" | b"COLOR" | b"EIGHTBIT") => {}
            _ if state == State::Yes => {
                let shown = String::from_utf8_lossy(keyword);
                report::error(format_args!("{name}:{}: unrecognized keyword {shown}", number + 1));
                good = false;
            }
            _ => {}
        }
    }
    if good { Ok(all) } else { Err(Exit(1)) }
}

fn entry(all: &mut Vec<u8>, key: &[u8], value: &[u8], output: Output) {
    if output == Output::Shown {
        let line: [&[u8]; 7] = [b"\x1b[", value, b"m", key, b"\t", value, b"\x1b[0m\n"];
        return all.extend(line.concat());
    }
    escaped(all, key);
    all.push(b'=');
    escaped(all, value);
    all.push(b':');
}

/// Quotes for the shell, and a backslash before what ends an entry.
fn escaped(all: &mut Vec<u8>, text: &[u8]) {
    let mut plain = true;
    for &byte in text {
        match byte {
            b'\'' => {
                all.extend_from_slice(b"'\\''");
                plain = true;
                continue;
            }
            b'\\' | b'^' => plain = !plain,
            b':' | b'=' => {
                if plain {
                    all.push(b'\\');
                }
                plain = true;
            }
            _ => plain = true,
        }
        all.push(byte);
    }
}
