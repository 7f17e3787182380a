use crate::options::{Long, NO, Options, REQ};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Out, STDERR, getenv, write_all};

pub const HELP: &str = "\
Usage: getopt OPTSTRING PARAMETERS...
  or:  getopt [OPTION]... -o|--options OPTSTRING [OPTION]... [--] PARAMETERS...
Parse a script's parameters, and write them in order, quoted for eval.

  -a, --alternative           long options may begin with one -
  -l, --longoptions=LONGOPTS  the long options, with commas; a : behind one that
                                takes a value, :: behind one that may
  -n, --name=PROGNAME         the name in messages
  -o, --options=OPTSTRING     the short options; + in front: the first parameter
                                ends them, - in front: all stay in place
  -q, --quiet                 no messages
  -Q, --quiet-output          no output
  -s, --shell=SHELL           quote for sh, bash, csh or tcsh
  -T, --test                  status 4: this is the getopt that quotes
  -u, --unquoted              do not quote
      --help        print this help
      --version     print the version

The status is 0, 1 for wrong parameters, 2 for a wrong call of getopt, 3 for
trouble, 4 for -T.
";

const LONG: &[Long] = &[
    ("alternative", NO, 'a'),
    ("longoptions", REQ, 'l'),
    ("name", REQ, 'n'),
    ("options", REQ, 'o'),
    ("quiet", NO, 'q'),
    ("quiet-output", NO, 'Q'),
    ("shell", REQ, 's'),
    ("test", NO, 'T'),
    ("unquoted", NO, 'u'),
];

const USAGE: u8 = 2;

/// How many values an option takes: none, one, perhaps one.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    None,
    One,
    Maybe,
}

struct Getopt {
    short: Vec<(u8, Takes)>,
    long: Vec<(Vec<u8>, Takes)>,
    alternative: bool,
    /// The first parameter ends the options; all stay where they are.
    stop: bool,
    in_place: bool,
    quote: bool,
    csh: bool,
    name: Vec<u8>,
    messages: bool,
    failed: bool,
    words: Vec<Vec<u8>>,
}

pub fn main(args: &Args) -> Outcome {
    let compatible = getenv(b"GETOPT_COMPATIBLE").is_some();
    let mut g = Getopt {
        short: Vec::new(),
        long: Vec::new(),
        alternative: false,
        stop: false,
        in_place: false,
        quote: true,
        csh: false,
        name: args.argv.first().cloned().unwrap_or_default(),
        messages: true,
        failed: false,
        words: Vec::new(),
    };
    let old_style = args.rest().first().is_some_and(|a| !a.starts_with(b"-"));
    let mut quiet = false;
    let parameters: Vec<&[u8]>;
    if compatible || old_style {
        let [string, rest @ ..] = args.rest() else {
            return Err(report::usage(USAGE, "missing optstring argument"));
        };
        g.set_short(string);
        g.quote = false;
        parameters = rest.iter().map(Vec::as_slice).collect();
    } else {
        let mut options = Options::new(args, "+ao:l:n:qQs:Tu", LONG).status(USAGE);
        let mut string = None;
        while let Some(opt) = options.next()? {
            match opt.letter {
                'a' => g.alternative = true,
                'o' => string = Some(opt.value()),
                'l' => g.set_long(opt.value())?,
                'n' => g.name = opt.value().to_vec(),
                'q' => g.messages = false,
                'Q' => quiet = true,
                's' => {
                    g.csh = match opt.value() {
                        b"sh" | b"bash" => false,
                        b"csh" | b"tcsh" => true,
                        _ => return Err(report::usage(USAGE, "unknown shell after -s or --shell argument")),
                    }
                }
                'T' => return Ok(4),
                _ => g.quote = false,
            }
        }
        let mut rest = options.operands();
        if string.is_none() {
            if rest.is_empty() {
                return Err(report::usage(USAGE, "missing optstring argument"));
            }
            string = Some(rest.remove(0));
        }
        g.set_short(string.unwrap_or_default());
        parameters = rest;
    }
    g.parse(&parameters);
    let mut out = Out::stdout();
    if !quiet {
        for word in &g.words {
            out.byte(b' ');
            out.write(word);
        }
        out.byte(b'\n');
    }
    report::output_fails(3, "write error");
    report::finish(&mut out, u8::from(g.failed))
}

impl Getopt {
    fn set_short(&mut self, text: &[u8]) {
        let mut rest = text;
        match rest.first() {
            Some(b'+') => (self.stop, rest) = (true, &rest[1..]),
            Some(b'-') => (self.in_place, rest) = (true, &rest[1..]),
            _ => {}
        }
        self.stop |= getenv(b"POSIXLY_CORRECT").is_some();
        rest = rest.strip_prefix(b":").unwrap_or(rest);
        while let Some((&letter, tail)) = rest.split_first() {
            let colons = tail.iter().take(2).take_while(|b| **b == b':').count();
            self.short.push((letter, [Takes::None, Takes::One, Takes::Maybe][colons]));
            rest = &tail[colons..];
        }
    }

    fn set_long(&mut self, list: &[u8]) -> Result<(), Exit> {
        for name in list.split(|b| b",  \t\n".contains(b)).filter(|n| !n.is_empty()) {
            let (name, takes) = match (name.strip_suffix(b"::"), name.strip_suffix(b":")) {
                (Some(name), _) => (name, Takes::Maybe),
                (None, Some(name)) => (name, Takes::One),
                _ => (name, Takes::None),
            };
            if name.is_empty() {
                return Err(report::usage(USAGE, "empty long option after -l or --long argument"));
            }
            self.long.push((name.to_vec(), takes));
        }
        Ok(())
    }

    fn complain(&mut self, text: &str) {
        self.failed = true;
        if self.messages {
            let line = [self.name.as_slice(), b": ", text.as_bytes(), b"\n"].concat();
            let _ = write_all(STDERR, &line);
        }
    }

    fn quoted(&self, word: &[u8]) -> Vec<u8> {
        if !self.quote {
            return word.to_vec();
        }
        let mut text = b"'".to_vec();
        for &byte in word {
            match byte {
                b'\'' => text.extend(b"'\\''"),
                b'\\' if self.csh => text.extend(b"\\\\"),
                b'!' if self.csh => text.extend(b"'\\!'"),
                b'\n' if self.csh => text.extend(b"\\n"),
                other => text.push(other),
            }
        }
        text.push(b'\'');
        text
    }

    fn value(&mut self, value: &[u8]) {
        let word = self.quoted(value);
        self.words.push(word);
    }

    fn parse(&mut self, parameters: &[&[u8]]) {
        let mut left = Vec::new();
        let mut at = 0;
        while let Some(&word) = parameters.get(at) {
            at += 1;
            if word == b"--" {
                break;
            }
            if let Some(name) = word.strip_prefix(b"--").filter(|_| !self.long.is_empty() || word.len() > 2) {
                self.long_option(name, "--", parameters, &mut at);
            } else if word.len() > 1 && word[0] == b'-' {
                let one_letter = word.len() == 2 || self.short.iter().any(|s| s.0 == word[1]);
                let known = |name: &[u8]| {
                    let name = name.split(|&b| b == b'=').next().unwrap_or_default();
                    self.long.iter().any(|l| l.0.starts_with(name))
                };
                if self.alternative && known(&word[1..]) && !(word.len() == 2 && one_letter) {
                    self.long_option(&word[1..], "-", parameters, &mut at);
                } else {
                    self.cluster(&word[1..], parameters, &mut at);
                }
            } else if self.in_place {
                self.value(word);
            } else {
                left.push(word);
                if self.stop {
                    break;
                }
            }
        }
        self.words.push(b"--".to_vec());
        left.extend(&parameters[at.min(parameters.len())..]);
        for word in left {
            self.value(word);
        }
    }

    fn cluster(&mut self, letters: &[u8], parameters: &[&[u8]], at: &mut usize) {
        let mut rest = letters;
        while let Some((&letter, tail)) = rest.split_first() {
            rest = tail;
            let Some(&(_, takes)) = self.short.iter().find(|s| s.0 == letter) else {
                self.complain(&format!("invalid option -- '{}'", letter as char));
                continue;
            };
            self.words.push(vec![b'-', letter]);
            match takes {
                Takes::None => {}
                Takes::Maybe => {
                    self.value(rest);
                    return;
                }
                Takes::One if !rest.is_empty() => {
                    self.value(rest);
                    return;
                }
                Takes::One => match parameters.get(*at) {
                    Some(&value) => {
                        *at += 1;
                        self.value(value);
                    }
                    None => {
                        self.words.pop();
                        self.complain(&format!("option requires an argument -- '{}'", letter as char));
                    }
                },
            }
        }
    }

    fn long_option(&mut self, text: &[u8], dashes: &str, parameters: &[&[u8]], at: &mut usize) {
        let (name, given) = match text.iter().position(|&b| b == b'=') {
            Some(i) => (&text[..i], Some(&text[i + 1..])),
            None => (text, None),
        };
        let shown = crate::quote::raw(name);
        let near: Vec<(Vec<u8>, Takes)> = match self.long.iter().find(|l| l.0 == name) {
            Some(exact) => vec![exact.clone()],
            None => self.long.iter().filter(|l| l.0.starts_with(name)).cloned().collect(),
        };
        let (full, takes) = match near.as_slice() {
            [only] => only.clone(),
            [] => return self.complain(&format!("unrecognized option '{dashes}{shown}'")),
            several => {
                let all: String = several.iter().map(|l| format!(" '{dashes}{}'", crate::quote::raw(&l.0))).collect();
                return self.complain(&format!("option '{dashes}{shown}' is ambiguous; possibilities:{all}"));
            }
        };
        let full_name = crate::quote::raw(&full);
        self.words.push([b"--", full.as_slice()].concat());
        match (takes, given) {
            (Takes::None, None) => {}
            (Takes::None, Some(_)) => {
                self.words.pop();
                self.complain(&format!("option '{dashes}{full_name}' doesn't allow an argument"));
            }
            (Takes::Maybe, given) => self.value(given.unwrap_or_default()),
            (Takes::One, Some(value)) => self.value(value),
            (Takes::One, None) => match parameters.get(*at) {
                Some(&value) => {
                    *at += 1;
                    self.value(value);
                }
                None => {
                    self.words.pop();
                    self.complain(&format!("option '{dashes}{full_name}' requires an argument"));
                }
            },
        }
    }
}
