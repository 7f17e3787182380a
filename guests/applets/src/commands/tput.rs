use crate::options::Options;
use crate::{Args, Exit, Outcome, number, report};
use capsule_sys::{In, OpenFlags, Out, STDERR, STDIN, STDOUT, Window, getenv, open, window};

pub const HELP: &str = "\
Usage: tput [-T TERM] CAPABILITY [PARAMETER]...
  or:  tput [-T TERM] -S
Write what a terminal needs to be told, or what it can do. Terminals that work
like xterm and ANSI's are known, and dumb.

  -T TERM   for this terminal, not $TERM
  -S        capabilities from standard input, one a line
  -x        clear keeps what was scrolled off
  -V        print the version
      --help        print this help
      --version     print the version

The status is 0, 1 where a flag or text is missing, 2 for wrong usage, 3 for an
unknown terminal, 4 for an unknown capability.
";

/// What is written as it stands.
const TEXTS: &[(&str, &str)] = &[
    ("bel", "\x07"),
    ("blink", "\x1b[5m"),
    ("bold", "\x1b[1m"),
    ("civis", "\x1b[?25l"),
    ("clear", "\x1b[H\x1b[2J\x1b[3J"),
    ("cnorm", "\x1b[?12l\x1b[?25h"),
    ("cr", "\r"),
    ("cub1", "\x08"),
    ("cud1", "\n"),
    ("cuf1", "\x1b[C"),
    ("cuu1", "\x1b[A"),
    ("cvvis", "\x1b[?12;25h"),
    ("dch1", "\x1b[P"),
    ("dim", "\x1b[2m"),
    ("dl1", "\x1b[M"),
    ("ed", "\x1b[J"),
    ("el", "\x1b[K"),
    ("el1", "\x1b[1K"),
    ("flash", "\x1b[?5h\x1b[?5l"),
    ("home", "\x1b[H"),
    ("ht", "\t"),
    ("il1", "\x1b[L"),
    ("invis", "\x1b[8m"),
    ("op", "\x1b[39;49m"),
    ("rc", "\x1b8"),
    ("rev", "\x1b[7m"),
    ("ri", "\x1bM"),
    ("rmacs", "\x1b(B"),
    ("rmcup", "\x1b[?1049l\x1b[23;0;0t"),
    ("rmir", "\x1b[4l"),
    ("rmkx", "\x1b[?1l\x1b>"),
    ("rmso", "\x1b[27m"),
    ("rmul", "\x1b[24m"),
    ("ritm", "\x1b[23m"),
    ("sc", "\x1b7"),
    ("sgr0", "\x1b(B\x1b[m"),
    ("sitm", "\x1b[3m"),
    ("smacs", "\x1b(0"),
    ("smcup", "\x1b[?1049h\x1b[22;0;0t"),
    ("smir", "\x1b[4h"),
    ("smkx", "\x1b[?1h\x1b="),
    ("smso", "\x1b[7m"),
    ("smul", "\x1b[4m"),
    ("reset", "\x1bc\x1b[!p\x1b[?3;4l\x1b[4l\x1b>"),
    ("init", "\x1b[!p\x1b[?3;4l\x1b[4l\x1b>"),
    ("kcuu1", "\x1bOA"),
    ("kcud1", "\x1bOB"),
    ("kcuf1", "\x1bOC"),
    ("kcub1", "\x1bOD"),
    ("khome", "\x1bOH"),
    ("kend", "\x1bOF"),
];

/// Those with parameters: `#1` and `#2` stand for them.
const SHAPES: &[(&str, &str)] = &[
    ("cup", "\x1b[#1+;#2+H"),
    ("cub", "\x1b[#1D"),
    ("cud", "\x1b[#1B"),
    ("cuf", "\x1b[#1C"),
    ("cuu", "\x1b[#1A"),
    ("hpa", "\x1b[#1+G"),
    ("vpa", "\x1b[#1+d"),
    ("ech", "\x1b[#1X"),
    ("ich", "\x1b[#1@"),
    ("dch", "\x1b[#1P"),
    ("il", "\x1b[#1L"),
    ("dl", "\x1b[#1M"),
    ("csr", "\x1b[#1+;#2+r"),
    ("indn", "\x1b[#1S"),
    ("rin", "\x1b[#1T"),
];

const KNOWN: &[&str] = &[
    "xterm",
    "screen",
    "tmux",
    "vt",
    "linux",
    "ansi",
    "rxvt",
    "konsole",
    "gnome",
    "cygwin",
    "putty",
    "st",
    "alacritty",
    "foot",
    "wezterm",
    "kitty",
];

/// Whether a terminal of this name is one of those, or can do nothing.
pub fn is_known(name: &[u8]) -> bool {
    name == b"dumb" || name == b"unknown" || KNOWN.iter().any(|known| name.starts_with(known.as_bytes()))
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "+T:SxV", &[]).status(2);
    let (mut terminal, mut from_input, mut keep) = (getenv(b"TERM"), false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'T' => terminal = Some(opt.value().to_vec()),
            'S' => from_input = true,
            'V' => return Err(options.version()),
            _ => keep = true,
        }
    }
    let operands = options.operands();
    let mut out = Out::stdout();
    let terminal = terminal.filter(|t| !t.is_empty());
    let Some(terminal) = terminal else { return Err(report::die(2, "No value for $TERM and no -T specified")) };
    let dumb = terminal == b"dumb" || terminal == b"unknown";
    if !is_known(&terminal) {
        return Err(report::die(3, format_args!("unknown terminal \"{}\"", String::from_utf8_lossy(&terminal))));
    }
    let rich = !dumb && (terminal.ends_with(b"256color") || terminal.ends_with(b"direct"));
    let t = Terminal { dumb, keep, colors: if rich { 256 } else { 8 } };
    if from_input {
        let (mut stream, mut line) = (In::new(STDIN), Vec::new());
        let mut status = 0;
        while stream.read_until(b'\n', &mut line).unwrap_or(false) {
            let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect();
            if !words.is_empty() {
                status = t.show(&words, &mut out)?;
            }
            line.clear();
        }
        return report::finish(&mut out, status);
    }
    if operands.is_empty() {
        return Err(report::usage(2, "a capability is needed"));
    }
    // Several may stand in a row, each with as many parameters as it has.
    let (mut rest, mut status) = (operands.as_slice(), 0);
    while !rest.is_empty() {
        let (one, behind) = rest.split_at((1 + parameters(rest[0])).min(rest.len()));
        status = t.show(one, &mut out)?;
        rest = behind;
    }
    report::finish(&mut out, status)
}

/// How many parameters a capability has.
fn parameters(name: &[u8]) -> usize {
    let of = |shape: &(&str, &str)| if shape.1.contains("#2") { 2 } else { 1 };
    match name {
        b"setaf" | b"setab" | b"setf" | b"setb" => 1,
        b"sgr" => 9,
        name => SHAPES.iter().find(|shape| shape.0.as_bytes() == name).map_or(0, of),
    }
}

/// What the environment says, then the window of any descriptor or of the terminal itself.
fn size(variable: &[u8], usual: u64, of: fn(Window) -> u16) -> u64 {
    let said = getenv(variable).and_then(|v| number::unsigned(&v, b"").ok()).filter(|n| *n > 0);
    let controlling = || window(open(b"/dev/tty", OpenFlags::RDWR | OpenFlags::CLOEXEC, 0).ok()?.raw());
    let seen = || [STDERR, STDOUT, STDIN].into_iter().find_map(window).or_else(controlling);
    said.or_else(|| seen().map(|window| of(window).into())).unwrap_or(usual)
}

struct Terminal {
    dumb: bool,
    /// `clear` leaves what was scrolled off.
    keep: bool,
    colors: u32,
}

impl Terminal {
    fn show(&self, words: &[&[u8]], out: &mut Out) -> Result<u8, Exit> {
        let name = String::from_utf8_lossy(words[0]).into_owned();
        let parameter = |i: usize| words.get(i).and_then(|w| number::unsigned(w, b"").ok()).unwrap_or(0);
        match name.as_str() {
            "cols" | "co" => out.write(format!("{}\n", size(b"COLUMNS", 80, |window| window.columns)).as_bytes()),
            "lines" | "li" => out.write(format!("{}\n", size(b"LINES", 24, |window| window.rows)).as_bytes()),
            "colors" | "Co" if self.dumb => {
                out.write(b"-1\n");
            }
            "colors" | "Co" => out.write(format!("{}\n", self.colors).as_bytes()),
            "longname" => out.write(if self.dumb { b"80-column dumb tty" } else { b"terminal like xterm" }),
            "am" => {}
            "it" => out.write(b"8\n"),
            "clear" if self.keep && !self.dumb => out.write(b"\x1b[H\x1b[2J"),
            "bce" | "km" | "mir" | "msgr" | "npc" | "xenl" => return Ok(u8::from(self.dumb)),
            "hs" | "ccc" | "eslok" => return Ok(1),
            "setaf" | "setab" | "setf" | "setb" if !self.dumb => {
                // The older two count colours with red and blue the other way round.
                let color = match (name.len(), parameter(1)) {
                    (4, color @ (1 | 3)) => color + 3,
                    (4, color @ (4 | 6)) => color - 3,
                    (_, color) => color,
                };
                let (low, high, wide) = if name.ends_with('b') { (40, 100, 48) } else { (30, 90, 38) };
                let text = match color {
                    0..8 => format!("\x1b[{}m", low + color),
                    8..16 if self.colors > 8 => format!("\x1b[{}m", high + color - 8),
                    // Eight colours are counted on as they are.
                    _ if self.colors <= 8 => format!("\x1b[{}{color}m", low / 10),
                    _ => format!("\x1b[{wide};5;{color}m"),
                };
                out.write(text.as_bytes());
            }
            "cup" | "cub" | "cud" | "cuf" | "cuu" | "hpa" | "vpa" | "ech" | "ich" | "dch" | "il" | "dl" | "csr"
            | "indn" | "rin"
                if !self.dumb =>
            {
                let shape = SHAPES.iter().find(|s| s.0 == name).map_or("", |s| s.1);
                let mut text = shape.to_owned();
                for i in 1..=2 {
                    let value = parameter(i);
                    text = text.replace(&format!("#{i}+"), &(value + 1).to_string());
                    text = text.replace(&format!("#{i}"), &value.to_string());
                }
                out.write(text.as_bytes());
            }
            "sgr" if !self.dumb => {
                let codes = [(1, "7"), (2, "4"), (3, "7"), (4, "5"), (5, "2"), (6, "1"), (7, "8")];
                let mut text = "\x1b(B\x1b[0".to_owned();
                for (i, code) in codes {
                    if parameter(i) > 0 {
                        text += &format!(";{code}");
                    }
                }
                out.write((text + "m").as_bytes());
            }
            _ => match TEXTS.iter().find(|t| t.0 == name) {
                Some((_, _)) if self.dumb && !matches!(name.as_str(), "bel" | "cr" | "cud1" | "reset" | "init") => {
                    return Ok(1);
                }
                Some((_, text)) if !self.dumb || matches!(name.as_str(), "bel" | "cr" | "cud1") => {
                    out.write(text.as_bytes());
                }
                Some(_) => {}
                None if self.dumb
                    && (SHAPES.iter().any(|s| s.0 == name) || name.starts_with("set") || name == "sgr") =>
                {
                    return Ok(1);
                }
                None => return Err(report::die(4, format_args!("unknown terminfo capability '{name}'"))),
            },
        }
        Ok(0)
    }
}
