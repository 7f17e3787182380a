//! Options as Go's pflag takes them: `-o=json`, `-ojson`, `-o json`, letters in clusters, operands anywhere.

use super::fail;
use crate::commands::jq::read_file;
use crate::{Args, Exit, report};
use capsule_sys::{FileType, Out, STDIN, isatty, stat};
use std::cell::Cell;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Yaml,
    Json,
    Toml,
    Csv,
    Tsv,
    Properties,
    Xml,
    Shell,
}

impl Format {
    /// What the names of files of this format end with.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Yaml => ".yml",
            Format::Json => ".json",
            Format::Toml => ".toml",
            Format::Csv => ".csv",
            Format::Tsv => ".tsv",
            Format::Properties => ".properties",
            Format::Xml => ".xml",
            Format::Shell => ".sh",
        }
    }
}

pub struct Settings {
    pub expression: String,
    pub files: Vec<Vec<u8>>,
    /// All documents together.
    pub all: bool,
    pub in_place: bool,
    pub null_input: bool,
    pub input: Option<Format>,
    pub output: Option<Format>,
    pub pretty: bool,
    /// `... comments=""`
    pub no_comments: bool,
    pub indent: usize,
    pub unwrap: Option<bool>,
    pub no_documents: bool,
    pub exit_status: bool,
    pub nul: bool,
    /// The expression that names a file for each result.
    pub split: Option<String>,
    /// How many results went into files of their own.
    pub written: Cell<usize>,
}

/// Letter (or none), name, whether it takes a value.
const OPTIONS: &[(char, &str, bool)] = &[
    ('i', "inplace", false),
    ('\0', "in-place", false),
    ('n', "null-input", false),
    ('o', "output-format", true),
    ('p', "input-format", true),
    ('P', "prettyPrint", false),
    ('I', "indent", true),
    ('r', "unwrapScalar", false),
    ('\0', "raw-output", false),
    ('N', "no-doc", false),
    ('e', "exit-status", false),
    ('0', "nul-output", false),
    ('s', "split-exp", true),
    ('\0', "split-exp-file", true),
    ('\0', "expression", true),
    ('\0', "from-file", true),
    ('j', "tojson", false),
    ('y', "yaml-output", false),
    ('Y', "yaml-roundtrip", false),
    ('c', "compact-output", false),
    ('M', "no-colors", false),
    ('h', "help", false),
    ('V', "version", false),
];

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn print(text: &str) -> Exit {
    let mut out = Out::stdout();
    out.write(text.as_bytes());
    match report::finish(&mut out, 0) {
        Ok(status) => Exit(status),
        Err(exit) => exit,
    }
}

pub fn format_named(name: &str) -> Option<Format> {
    match name {
        "yaml" | "y" | "yml" => Some(Format::Yaml),
        "json" | "j" => Some(Format::Json),
        "toml" => Some(Format::Toml),
        "csv" | "c" => Some(Format::Csv),
        "tsv" | "t" => Some(Format::Tsv),
        "props" | "p" | "properties" => Some(Format::Properties),
        "xml" | "x" => Some(Format::Xml),
        "shell" | "s" => Some(Format::Shell),
        _ => None,
    }
}

struct Parse {
    settings: Settings,
    expression: Option<String>,
    operands: Vec<Vec<u8>>,
}

pub fn parse(args: &Args) -> Result<Settings, Exit> {
    let mut parse = Parse {
        settings: Settings {
            expression: String::new(),
            files: Vec::new(),
            all: false,
            in_place: false,
            null_input: false,
            input: None,
            output: None,
            pretty: false,
            no_comments: false,
            indent: 2,
            unwrap: None,
            no_documents: false,
            exit_status: false,
            nul: false,
            split: None,
            written: Cell::new(0),
        },
        expression: None,
        operands: Vec::new(),
    };
    let mut words = args.rest().iter();
    let mut ended = false;
    let mut first = true;
    while let Some(word) = words.next() {
        if ended || word == b"-" || !word.starts_with(b"-") {
            match word.as_slice() {
                b"eval" | b"e" if first => {}
                b"eval-all" | b"ea" if first => parse.settings.all = true,
                _ => parse.operands.push(word.clone()),
            }
            first = false;
        } else if word == b"--" {
            ended = true;
        } else if let Some(long) = word.strip_prefix(b"--") {
            let long = lossy(long);
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long.as_str(), None),
            };
            let Some(option) = OPTIONS.iter().find(|o| o.1 == name) else {
                return Err(fail(format_args!("unknown flag: --{name}")));
            };
            parse.option(option, value, &mut words)?;
        } else {
            parse.letters(&lossy(&word[1..]), &mut words)?;
        }
    }
    parse.finish()
}

type Words<'a> = std::slice::Iter<'a, Vec<u8>>;

impl Parse {
    fn letters(&mut self, letters: &str, words: &mut Words) -> Result<(), Exit> {
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            let Some(option) = OPTIONS.iter().find(|o| o.0 == letter && letter != '\0') else {
                return Err(fail(format_args!("unknown shorthand flag: '{letter}' in -{letters}")));
            };
            let given = rest.strip_prefix('=');
            if option.2 && !rest.is_empty() {
                let value = given.unwrap_or(rest).to_owned();
                return self.option(option, Some(value), words);
            }
            if let Some(value) = given {
                return self.option(option, Some(value.to_owned()), words);
            }
            self.option(option, None, words)?;
        }
        Ok(())
    }

    fn option(
        &mut self,
        &(_, name, takes): &(char, &str, bool),
        value: Option<String>,
        words: &mut Words,
    ) -> Result<(), Exit> {
        let value = match (takes, value) {
            (true, None) => {
                let word = words.next().ok_or_else(|| fail(format_args!("flag needs an argument: --{name}")))?;
                lossy(word)
            }
            (_, value) => value.unwrap_or_else(|| "true".into()),
        };
        let on = || match value.as_str() {
            "true" | "1" | "t" => Ok(true),
            "false" | "0" | "f" => Ok(false),
            _ => Err(fail(format_args!("invalid argument \"{value}\" for --{name}"))),
        };
        let format = || match value.as_str() {
            "auto" | "a" => Ok(None),
            other => format_named(other).map(Some).ok_or_else(|| {
                fail(format_args!(
                    "unknown format '{other}': yaml, json, toml, xml, csv, tsv, props and shell are known"
                ))
            }),
        };
        let settings = &mut self.settings;
        match name {
            "inplace" | "in-place" => settings.in_place = on()?,
            "null-input" => settings.null_input = on()?,
            "output-format" => settings.output = format()?,
            "input-format" => settings.input = format()?,
            "prettyPrint" => settings.pretty = on()?,
            "indent" => match value.parse() {
                Ok(indent @ 0..=16) => settings.indent = indent,
                _ => return Err(fail(format_args!("invalid argument \"{value}\" for --indent"))),
            },
            "unwrapScalar" | "raw-output" => settings.unwrap = Some(on()?),
            "no-doc" => settings.no_documents = on()?,
            "exit-status" => settings.exit_status = on()?,
            "nul-output" => settings.nul = on()?,
            "split-exp" => settings.split = Some(value),
            "split-exp-file" => {
                let text = read_file(value.as_bytes()).map_err(|e| fail(format_args!("open {value}: {e}")))?;
                settings.split = Some(lossy(&text).trim().to_owned());
            }
            "expression" => self.expression = Some(value),
            "from-file" => {
                let text = read_file(value.as_bytes()).map_err(|e| fail(format_args!("open {value}: {e}")))?;
                self.expression = Some(lossy(&text));
            }
            "tojson" => settings.output = Some(Format::Json),
            "yaml-output" | "yaml-roundtrip" => settings.output = Some(Format::Yaml),
            "compact-output" => {
                settings.output = Some(Format::Json);
                settings.indent = 0;
            }
            "help" => return Err(print(report::help())),
            "version" => return Err(print(concat!("yq (Capsule) version ", env!("CARGO_PKG_VERSION"), "\n"))),
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Settings, Exit> {
        let mut operands = std::mem::take(&mut self.operands);
        let is_file = |word: &[u8]| word == b"-" || stat(word).is_ok_and(|stat| stat.kind != FileType::Directory);
        self.settings.expression = match self.expression.take() {
            Some(expression) => expression,
            None if operands.first().is_some_and(|word| !is_file(word)) => lossy(&operands.remove(0)),
            None => ".".into(),
        };
        let (expression, no_comments) = without_comments(&self.settings.expression);
        (self.settings.expression, self.settings.no_comments) = (expression, no_comments);
        if operands.is_empty() && !self.settings.null_input {
            if isatty(STDIN) {
                return Err(fail("no file was given; see yq --help"));
            }
            operands.push(b"-".to_vec());
        }
        self.settings.files = operands;
        Ok(self.settings)
    }
}

/// `... comments=""`, which takes all comments away, is no expression of jq's: it is taken out of the pipe.
fn without_comments(expression: &str) -> (String, bool) {
    let takes = |stage: &&str| {
        let stage: String = stage.chars().filter(|c| !c.is_whitespace()).collect();
        matches!(stage.as_str(), "...comments=\"\"" | "..comments=\"\"" | "(...)comments=\"\"")
    };
    if !expression.split('|').any(|stage| takes(&stage)) {
        return (expression.to_owned(), false);
    }
    let rest: Vec<&str> = expression.split('|').filter(|stage| !takes(stage)).collect();
    (if rest.is_empty() { ".".to_owned() } else { rest.join("|") }, true)
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_are_taken_away() {
        assert_eq!(without_comments("... comments=\"\""), (".".to_owned(), true));
        assert_eq!(without_comments(".a |= 1 | ...comments = \"\""), (".a |= 1 ".to_owned(), true));
        assert_eq!(without_comments(".a || .b"), (".a || .b".to_owned(), false));
    }
}
