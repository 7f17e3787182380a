//! ed: the line editor.
//!
//! * `address`: which lines are meant; `commands`: what is done with them; `substitute`: the `s` command

mod address;
mod commands;
mod substitute;

use crate::options::{Long, NO, Options, REQ, only};
use crate::{Args, Outcome, report};
use capsule_regex::{Regex, Syntax};
use capsule_sys::{Errno, In, OpenFlags, Out, STDIN, open, read_to_end};
use std::rc::Rc;

const UNREADABLE: &str = "Cannot read input file";

pub const HELP: &str = "\
Usage: ed [OPTION]... [FILE]
Edit text line by line, by the commands on standard input.

  -E, --extended-regexp      patterns are extended ones
  -l, --loose-exit-status    status 0 even where a command failed
  -p, --prompt=STRING        ask with STRING
  -q, --quiet, --silent      no error messages
  -r, --restricted           no ! and only files of this directory
  -s, --script               no byte counts
  -v, --verbose              explain errors, as H does
      --strip-trailing-cr    strip carriage returns at the ends of lines
  -h, --help                 print this help
  -V, --version              print the version
";

const STRIP: char = only(0);
const LONG: &[Long] = &[
    ("extended-regexp", NO, 'E'),
    ("traditional", NO, 'G'),
    ("loose-exit-status", NO, 'l'),
    ("prompt", REQ, 'p'),
    ("quiet", NO, 'q'),
    ("silent", NO, 'q'),
    ("restricted", NO, 'r'),
    ("script", NO, 's'),
    ("verbose", NO, 'v'),
    ("strip-trailing-cr", NO, STRIP),
];

type Line = Rc<Vec<u8>>;

/// Why a command was not carried out, or the end.
enum Stop {
    Wrong(&'static str),
    Quit,
}

type Done<T> = Result<T, Stop>;

/// What `u` goes back to.
#[derive(Clone, Default)]
struct State {
    lines: Vec<Line>,
    current: usize,
    marks: [Option<Line>; 26],
    changed: bool,
}

struct Editor {
    now: State,
    before: Option<State>,
    file: Vec<u8>,
    input: In,
    /// Commands of a global command that are still to come.
    queued: Option<std::collections::VecDeque<Vec<u8>>>,
    out: Out,
    prompt: Option<Vec<u8>>,
    prompting: bool,
    verbose: bool,
    silent: bool,
    quiet: bool,
    restricted: bool,
    strip: bool,
    syntax: Syntax,
    last_regex: Option<Rc<Regex>>,
    last_substitution: Option<substitute::Substitution>,
    last_error: &'static str,
    last_shell: Option<Vec<u8>>,
    /// The last command that `G` or `V` was given.
    last_asked: Option<Vec<u8>>,
    yanked: Vec<Line>,
    warned: bool,
    /// The input ended before a buffer that had changed was written.
    lost: bool,
    window: usize,
    failed: bool,
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "EGhlp:qrsvV", LONG);
    let mut editor = Editor {
        now: State::default(),
        before: None,
        file: Vec::new(),
        input: In::new(STDIN),
        queued: None,
        out: Out::stdout(),
        prompt: None,
        prompting: false,
        verbose: false,
        silent: false,
        quiet: false,
        restricted: false,
        strip: false,
        syntax: Syntax::Basic,
        last_regex: None,
        last_substitution: None,
        last_error: "",
        last_shell: None,
        last_asked: None,
        yanked: Vec::new(),
        warned: false,
        lost: false,
        window: 22,
        failed: false,
    };
    let mut loose = false;
    while let Some(opt) = options.next()? {
        match opt.letter {
            'E' => editor.syntax = Syntax::Extended,
            'l' => loose = true,
            'p' => {
                editor.prompt = Some(opt.value().to_vec());
                editor.prompting = true;
            }
            'q' => editor.quiet = true,
            'r' => editor.restricted = true,
            's' => editor.silent = true,
            'v' => editor.verbose = true,
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            STRIP => editor.strip = true,
            'G' => return Err(report::die(1, "the option -G is not supported here")),
            _ => {}
        }
    }
    // One that is a dash alone is `-s` of old.
    let operands = options.operands();
    editor.silent |= operands.first() == Some(&b"-".as_slice());
    if let Some(name) = operands.iter().find(|name| **name != b"-") {
        let result = match name.strip_prefix(b"!") {
            Some(command) => editor.read_command(command, 0),
            None if editor.allowed(name).is_err() => editor.allowed(name),
            None => {
                editor.file = name.to_vec();
                editor.read_file(name, 0)
            }
        };
        // A file that is not there yet is no failure.
        if let Err(Stop::Wrong(text)) = result {
            if text == UNREADABLE || editor.restricted && text.ends_with("restricted") {
                editor.complain(text);
                let _ = editor.out.flush();
                return Err(crate::Exit(1));
            }
            editor.last_error = text;
        }
        editor.now.changed = false;
        editor.before = None;
    }
    editor.run();
    let status = match editor.failed && !loose {
        true if editor.lost => 2,
        failed => u8::from(failed),
    };
    report::finish(&mut editor.out, status)
}

impl Editor {
    fn run(&mut self) {
        loop {
            if self.prompting {
                let prompt = self.prompt.clone().unwrap_or_else(|| b"*".to_vec());
                self.out.write(&prompt);
            }
            let _ = self.out.flush();
            let Some(line) = self.line() else {
                // The end of the input is a `q` that is not asked twice about.
                if self.now.changed && !self.warned {
                    self.complain("Warning: buffer modified");
                    self.lost = true;
                }
                return;
            };
            match self.command(&line) {
                Ok(()) => {}
                Err(Stop::Quit) => return,
                Err(Stop::Wrong(text)) => self.complain(text),
            }
        }
    }

    fn complain(&mut self, text: &'static str) {
        self.last_error = text;
        self.failed = true;
        self.queued = None;
        self.out.write(b"?\n");
        if self.verbose {
            self.out.write(text.as_bytes());
            self.out.byte(b'\n');
        }
        let _ = self.out.flush();
    }

    /// The next line of commands or text, without its end.
    fn line(&mut self) -> Option<Vec<u8>> {
        if let Some(queued) = &mut self.queued {
            return queued.pop_front();
        }
        let mut line = Vec::new();
        if !self.input.read_until(b'\n', &mut line).unwrap_or(false) {
            return None;
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Some(line)
    }

    /// Puts a file behind a line and tells how large it was.
    fn read_file(&mut self, name: &[u8], after: usize) -> Done<()> {
        let text = open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw()));
        match text {
            Ok(text) => {
                self.insert_text(&text, after);
                Ok(())
            }
            Err(errno) => {
                let _ = self.out.flush();
                if !self.quiet {
                    let colon = if name.is_empty() { "" } else { ": " };
                    report::plain(&format!("{}{colon}{errno}\n", String::from_utf8_lossy(name)));
                }
                let what = if errno == Errno::EISDIR { UNREADABLE } else { "Cannot open input file" };
                Err(Stop::Wrong(what))
            }
        }
    }

    fn insert_text(&mut self, text: &[u8], after: usize) {
        let mut size = text.len();
        let mut lines: Vec<Line> = text.split(|b| *b == b'\n').map(|l| Rc::new(l.to_vec())).collect();
        if lines.last().is_some_and(|l| l.is_empty()) {
            lines.pop();
        } else if !text.is_empty() {
            size += 1;
            self.out.write(b"Newline appended\n");
        }
        if self.strip {
            for line in &mut lines {
                if line.ends_with(b"\r") {
                    *line = Rc::new(line[..line.len() - 1].to_vec());
                }
            }
        }
        if !self.silent {
            self.out.write(format!("{size}\n").as_bytes());
        }
        self.insert(lines, after);
    }

    /// Puts lines behind a line; the last of them is the current one.
    fn insert(&mut self, lines: Vec<Line>, after: usize) {
        let count = lines.len();
        self.now.lines.splice(after..after, lines);
        self.now.current = after + count;
        if count > 0 {
            self.now.changed = true;
        }
    }
}
