//! jq's own way with options: letters in clusters, values as words of their own, operands anywhere.

use super::output::Ending;
use super::{USAGE, tell};
use crate::{Args, Exit, report};
use capsule_jq::json::{Colors, Indent, Layout, parse_all, parse_one};
use capsule_jq::{Object, Value};
use capsule_sys::{Errno, OpenFlags, Out, STDERR, STDIN, STDOUT, getenv, isatty, open, read_to_end, write_all};
use std::rc::Rc;

pub struct Settings {
    pub program: String,
    pub files: Vec<Vec<u8>>,
    pub globals: Vec<(String, Value)>,
    pub search: Vec<String>,
    pub layout: Layout,
    pub ending: Ending,
    pub null_input: bool,
    pub raw_input: bool,
    pub slurp: bool,
    pub sequence: bool,
    pub stream: bool,
    pub stream_errors: bool,
    pub unbuffered: bool,
    pub exit_status: bool,
}

/// What operands are.
#[derive(Clone, Copy, PartialEq)]
enum Rest {
    Files,
    Strings,
    Json,
}

struct Parse {
    settings: Settings,
    program: Option<Vec<u8>>,
    from_file: bool,
    named: Object,
    positional: Vec<Value>,
    rest: Rest,
    color: Option<bool>,
    /// Indentation asked for; compact wins.
    indent: Indent,
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn read_file(path: &[u8]) -> Result<Vec<u8>, Errno> {
    let fd = open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
    read_to_end(fd.raw())
}

const HINT: &str =
    "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs at https://jqlang.org\n";

fn usage(message: String) -> Exit {
    tell(message);
    let _ = write_all(STDERR, HINT.as_bytes());
    Exit(USAGE)
}

/// This one comes without a name.
fn no_folder() -> Exit {
    let text = "-L takes a parameter: (e.g. -L /search/path or -L/search/path)\n";
    let _ = write_all(STDERR, format!("{text}{HINT}").as_bytes());
    Exit(USAGE)
}

fn die(message: std::fmt::Arguments) -> Exit {
    tell(message);
    Exit(USAGE)
}

fn print(text: &str) -> Exit {
    let mut out = Out::stdout();
    out.write(text.as_bytes());
    match report::finish(&mut out, 0) {
        Ok(status) => Exit(status),
        Err(exit) => exit,
    }
}

pub fn parse(args: &Args) -> Result<Settings, Exit> {
    let mut parse = Parse {
        settings: Settings {
            program: String::new(),
            files: Vec::new(),
            globals: Vec::new(),
            search: Vec::new(),
            layout: Layout::default(),
            ending: Ending::Newline { raw: false },
            null_input: false,
            raw_input: false,
            slurp: false,
            sequence: false,
            stream: false,
            stream_errors: false,
            unbuffered: false,
            exit_status: false,
        },
        program: None,
        from_file: false,
        named: Object::default(),
        positional: Vec::new(),
        rest: Rest::Files,
        color: None,
        indent: Indent::Spaces(2),
    };
    let mut words = args.rest().iter();
    let mut ended = false;
    while let Some(word) = words.next() {
        // Only what looks like an option is one: a filter may begin with a sign.
        let option = word.starts_with(b"-") && word.get(1).is_some_and(|&b| b == b'-' || b.is_ascii_alphabetic());
        if ended || !option {
            parse.operand(word)?;
        } else if word == b"--" {
            ended = true;
        } else if let Some(long) = word.strip_prefix(b"--") {
            parse.long(&lossy(long), &mut words)?;
        } else {
            parse.letters(&word[1..], &mut words)?;
        }
    }
    parse.finish()
}

type Words<'a> = std::slice::Iter<'a, Vec<u8>>;

impl Parse {
    fn operand(&mut self, word: &[u8]) -> Result<(), Exit> {
        if self.program.is_none() {
            self.program = Some(word.to_vec());
            return Ok(());
        }
        match self.rest {
            Rest::Files => self.settings.files.push(word.to_vec()),
            Rest::Strings => self.positional.push(lossy(word).into()),
            Rest::Json => match parse_one(word) {
                Ok(value) => self.positional.push(value),
                Err(_) => return Err(usage("invalid JSON text passed to --jsonargs".into())),
            },
        }
        Ok(())
    }

    fn letters(&mut self, letters: &[u8], words: &mut Words) -> Result<(), Exit> {
        for (at, &letter) in letters.iter().enumerate() {
            let name = match letter {
                b'n' => "null-input",
                b'R' => "raw-input",
                b's' => "slurp",
                b'c' => "compact-output",
                b'r' => "raw-output",
                b'j' => "join-output",
                b'a' => "ascii-output",
                b'S' => "sort-keys",
                b'C' => "color-output",
                b'M' => "monochrome-output",
                b'b' => "binary",
                b'e' => "exit-status",
                b'f' => "from-file",
                b'h' => "help",
                b'V' => "version",
                b'L' => {
                    // The directory may be the rest of the word.
                    let rest = &letters[at + 1..];
                    let folder = match rest {
                        [] => words.next().ok_or_else(no_folder)?,
                        rest => rest,
                    };
                    self.settings.search.push(lossy(folder));
                    return Ok(());
                }
                other => return Err(usage(format!("Unknown option -{}", char::from(other)))),
            };
            self.long(name, words)?;
        }
        // Whatever their order is in one word.
        if letters.contains(&b'M') {
            self.color = Some(false);
        }
        Ok(())
    }

    fn long(&mut self, name: &str, words: &mut Words) -> Result<(), Exit> {
        let settings = &mut self.settings;
        match name {
            "null-input" => settings.null_input = true,
            "raw-input" => settings.raw_input = true,
            "slurp" => settings.slurp = true,
            "compact-output" => self.indent = Indent::None,
            "raw-output" => settings.ending = Ending::Newline { raw: true },
            "raw-output0" => settings.ending = Ending::Nul,
            "join-output" => settings.ending = Ending::Nothing,
            "ascii-output" => settings.layout.ascii = true,
            "sort-keys" => settings.layout.sorted = true,
            "color-output" => self.color = Some(true),
            "monochrome-output" => self.color = Some(false),
            "tab" => self.indent = Indent::Tab,
            "indent" => self.indent(words)?,
            "unbuffered" => settings.unbuffered = true,
            // Lines end the same way with and without it.
            "binary" => {}
            "stream" => settings.stream = true,
            "stream-errors" => {
                settings.stream = true;
                settings.stream_errors = true;
            }
            "seq" => settings.sequence = true,
            "from-file" => self.from_file = true,
            "library-path" => {
                let folder = words.next().ok_or_else(no_folder)?;
                settings.search.push(lossy(folder));
            }
            "exit-status" => settings.exit_status = true,
            "arg" => {
                let (name, value) = pair(name, words)?;
                self.bind(name, lossy(value).into());
            }
            "argjson" => {
                let (name, value) = pair(name, words)?;
                let value = parse_one(value).map_err(|_| usage("invalid JSON text passed to --argjson".into()))?;
                self.bind(name, value);
            }
            "slurpfile" | "rawfile" | "argfile" => {
                let option = name;
                let (name, path) = pair(option, words)?;
                let shown = lossy(path);
                let content = read_file(path).map_err(|e| {
                    die(format_args!("Bad JSON in --{option} {name} {shown}: Could not open {shown}: {}", reason(e)))
                })?;
                let value = if option == "rawfile" {
                    lossy(&content).into()
                } else {
                    let mut values = parse_all(&content)
                        .map_err(|e| die(format_args!("Bad JSON in --{option} {name} {shown}: {}", e.message)))?;
                    if option == "argfile" && values.len() == 1 { values.remove(0) } else { Value::array(values) }
                };
                self.bind(name, value);
            }
            "args" => self.rest = Rest::Strings,
            "jsonargs" => self.rest = Rest::Json,
            "help" => return Err(print(report::help())),
            "version" => return Err(print("jq-1.8.2\n")),
            "build-configuration" => return Err(print("capsule wasm32-wasip1 regex=fancy-regex literals=kept\n")),
            other => return Err(usage(format!("Unknown option --{other}"))),
        }
        Ok(())
    }

    fn indent(&mut self, words: &mut Words) -> Result<(), Exit> {
        let Some(word) = words.next() else { return Err(usage("--indent takes one parameter".into())) };
        let bad = || usage("--indent takes a number between -1 and 7".into());
        let width = lossy(word).parse::<i64>().map_err(|_| bad())?;
        self.indent = match width {
            i64::MIN..=-2 | 8.. => return Err(bad()),
            -1 => Indent::Tab,
            width => Indent::Spaces(width as u8),
        };
        Ok(())
    }

    /// The first definition of a name holds.
    fn bind(&mut self, name: String, value: Value) {
        if !self.named.contains(&name) {
            self.named.insert(Rc::new(name), value);
        }
    }

    fn finish(mut self) -> Result<Settings, Exit> {
        let text = match self.program.take() {
            Some(word) if self.from_file => {
                let shown = lossy(&word);
                read_file(&word).map_err(|e| die(format_args!("Could not open {shown}: {}", reason(e))))?
            }
            Some(word) => word,
            None if !self.from_file && (!isatty(STDIN) || !isatty(STDOUT)) => b".".to_vec(),
            None => return Err(usage("no filter was given".into())),
        };
        let settings = &mut self.settings;
        settings.program = lossy(&text);
        settings.globals = self.named.entries().iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        let args = Object::from([
            ("positional", Value::array(self.positional)),
            ("named", Value::object(std::mem::take(&mut self.named))),
        ]);
        settings.globals.push(("ARGS".into(), Value::object(args)));
        settings.layout.indent = self.indent;
        if self.color.unwrap_or_else(|| isatty(STDOUT) && getenv(b"NO_COLOR").is_none_or(|v| v.is_empty())) {
            settings.layout.colors = Some(colors());
        }
        Ok(self.settings)
    }
}

/// Why a file was not read; directories have a wording of their own.
fn reason(error: Errno) -> String {
    if error == Errno::EISDIR { "It's a directory".into() } else { error.to_string() }
}

fn pair<'a>(option: &str, words: &mut Words<'a>) -> Result<(String, &'a [u8]), Exit> {
    match (words.next(), words.next()) {
        (Some(name), Some(value)) => Ok((lossy(name), value)),
        _ => {
            let example = match option {
                "arg" => "varname value",
                "argjson" => "varname text",
                _ => "varname filename",
            };
            Err(usage(format!("--{option} takes two parameters (e.g. --{option} {example})")))
        }
    }
}

/// The usual colours, as far as `JQ_COLORS` does not say otherwise.
fn colors() -> Colors {
    let mut all = ["0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "1;34"].map(str::to_owned);
    if let Some(wanted) = getenv(b"JQ_COLORS") {
        let wanted = lossy(&wanted);
        let usual = wanted.is_empty();
        // What ends with a colon sets nothing behind it.
        let wanted = wanted.strip_suffix(':').unwrap_or(&wanted);
        let good = |color: &str| color.bytes().all(|b| b.is_ascii_digit() || b == b';');
        if usual {
            // Nothing was asked for.
        } else if wanted.split(':').all(good) {
            for (color, wanted) in all.iter_mut().zip(wanted.split(':')) {
                *color = wanted.to_owned();
            }
        } else {
            let _ = write_all(STDERR, b"Failed to set $JQ_COLORS\n");
        }
    }
    let [null, r#false, r#true, number, string, array, object, key] = all;
    Colors { null, r#false, r#true, number, string, array, object, key }
}
