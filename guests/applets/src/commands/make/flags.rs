//! The command line and `MAKEFLAGS`.

use super::jobserver::Jobserver;
use super::output::Together;
use super::words::words;
use super::{Bytes, Make, debug};
use crate::options::{Long, NO, OPT, Opt, Options, REQ, only};
use crate::{Args, Exit, report};

/// What the options ask for.
#[derive(Clone, Default)]
pub struct Flags {
    pub always: bool,
    pub environment: bool,
    pub ignore: bool,
    pub keep_going: bool,
    pub check_links: bool,
    pub just_print: bool,
    pub question: bool,
    pub no_rules: bool,
    pub no_variables: bool,
    pub silent: bool,
    pub touch: bool,
    pub print_directory: Option<bool>,
    pub trace: bool,
    pub warn_undefined: bool,
    pub jobs: usize,
    pub jobs_given: bool,
    /// `-l`: nothing but what runs here is a load, and so this only goes on to other makes.
    pub load: Option<Bytes>,
    /// `-O`
    pub together: Option<Together>,
    /// What `-d` and `--debug` ask to tell, and in which words they did.
    pub debug: u32,
    pub debug_all: bool,
    pub debug_words: Vec<Bytes>,
    pub print_database: bool,
    /// What makes share that run recipes at a time; as text, what MAKEFLAGS says of it.
    pub jobserver: Option<Jobserver>,
    pub jobserver_text: Option<Bytes>,
    pub old: Vec<Bytes>,
    pub new_files: Vec<Bytes>,
    pub include_dirs: Vec<Bytes>,
    pub directories: Vec<Bytes>,
    pub makefiles: Vec<Bytes>,
    pub evals: Vec<Bytes>,
    pub version: bool,
}

/// What is left of the words: goals and definitions.
pub struct Words {
    pub definitions: Vec<Bytes>,
    pub goals: Vec<Bytes>,
}

const SHORT: &str = "bBC:deE:f:hiI:j::kl::Lmno:O::pqrRsStvwW:";

const LONG: &[Long] = &[
    ("always-make", NO, 'B'),
    ("assume-new", REQ, 'W'),
    ("assume-old", REQ, 'o'),
    ("check-symlink-times", NO, 'L'),
    ("debug", OPT, only(4)),
    ("directory", REQ, 'C'),
    ("dry-run", NO, 'n'),
    ("environment-overrides", NO, 'e'),
    ("eval", REQ, 'E'),
    ("file", REQ, 'f'),
    ("ignore-errors", NO, 'i'),
    ("include-dir", REQ, 'I'),
    ("jobs", OPT, 'j'),
    ("jobserver-auth", REQ, only(5)),
    ("just-print", NO, 'n'),
    ("keep-going", NO, 'k'),
    ("load-average", OPT, 'l'),
    ("makefile", REQ, 'f'),
    ("max-load", OPT, 'l'),
    ("new-file", REQ, 'W'),
    ("no-builtin-rules", NO, 'r'),
    ("no-builtin-variables", NO, 'R'),
    ("no-keep-going", NO, 'S'),
    ("no-print-directory", NO, only(0)),
    ("no-silent", NO, only(3)),
    ("old-file", REQ, 'o'),
    ("output-sync", OPT, 'O'),
    ("print-data-base", NO, 'p'),
    ("print-directory", NO, 'w'),
    ("question", NO, 'q'),
    ("quiet", NO, 's'),
    ("recon", NO, 'n'),
    ("silent", NO, 's'),
    ("stop", NO, 'S'),
    ("touch", NO, 't'),
    ("trace", NO, only(1)),
    ("warn-undefined-variables", NO, only(2)),
    ("what-if", REQ, 'W'),
];

impl Flags {
    pub fn new() -> Flags {
        Flags { jobs: 1, ..Flags::default() }
    }

    /// Takes in the words of a command line.
    pub fn parse(&mut self, args: &Args) -> Result<Words, Exit> {
        let mut options = Options::new(args, SHORT, LONG).status(2);
        report::hint(report::Hint::Help);
        while let Some(opt) = options.next()? {
            let value = opt.value;
            match opt.letter {
                'b' | 'm' => {}
                'B' => self.always = true,
                'C' => self.directories.push(filled(&opt)?),
                'd' => (self.debug, self.debug_all) = (debug::ALL, true),
                'e' => self.environment = true,
                'E' => self.evals.push(opt.value().to_vec()),
                'f' => self.makefiles.push(filled(&opt)?),
                'h' => return Err(options.help()),
                'i' => self.ignore = true,
                'I' => self.include_dirs.push(filled(&opt)?),
                'j' => {
                    self.jobs_given = true;
                    self.jobs = value.or_else(|| options.number()).map_or(Ok(usize::MAX), jobs)?;
                }
                'k' => self.keep_going = true,
                'l' => self.load = value.or_else(|| options.number()).map(|text| load(text).into_bytes()),
                'L' => self.check_links = true,
                'n' => self.just_print = true,
                'o' => self.old.push(filled(&opt)?),
                'O' => match value {
                    Some(b"none") => self.together = None,
                    Some(b"line") => self.together = Some(Together::Line),
                    None | Some(b"target") => self.together = Some(Together::Target),
                    Some(b"recurse") => self.together = Some(Together::Recurse),
                    Some(other) => {
                        let text = format!("*** unknown output-sync type '{}'.  Stop.", String::from_utf8_lossy(other));
                        return Err(report::die(2, text));
                    }
                },
                'p' => self.print_database = true,
                'q' => self.question = true,
                'r' => self.no_rules = true,
                'R' => (self.no_variables, self.no_rules) = (true, true),
                's' => self.silent = true,
                'S' => self.keep_going = false,
                't' => self.touch = true,
                'v' => self.version = true,
                'w' => self.print_directory = Some(true),
                'W' => self.new_files.push(filled(&opt)?),
                c if c == only(0) => self.print_directory = Some(false),
                c if c == only(1) => self.trace = true,
                c if c == only(3) => self.silent = false,
                c if c == only(4) => {
                    let text = value.unwrap_or(b"basic");
                    debug::levels(text, &mut self.debug).map_err(|rest| {
                        let rest = String::from_utf8_lossy(&rest);
                        report::die(2, format!("*** unknown debug level specification '{rest}'.  Stop."))
                    })?;
                    self.debug_words.push(text.to_vec());
                }
                c if c == only(5) => self.jobserver_text = value.map(<[u8]>::to_vec),
                _ => self.warn_undefined = true,
            }
        }
        let mut found = Words { definitions: Vec::new(), goals: Vec::new() };
        for word in options.operands() {
            match super::read::assignment(word) {
                Some((b"", ..)) => return Err(report::die(2, "*** empty variable name.  Stop.")),
                Some(_) => found.definitions.push(word.to_vec()),
                None if word.is_empty() => {
                    return Err(report::die(2, "*** empty string invalid as file name.  Stop."));
                }
                None => found.goals.push(word.to_vec()),
            }
        }
        Ok(found)
    }

    /// Flags for makes that recipes start: letters in one word, then those with values.
    fn text(&self) -> String {
        let letters = [
            ('B', self.always),
            ('d', self.debug_all),
            ('e', self.environment),
            ('i', self.ignore),
            ('k', self.keep_going),
            ('L', self.check_links),
            ('n', self.just_print),
            ('p', self.print_database),
            ('q', self.question),
            ('r', self.no_rules),
            ('R', self.no_variables),
            ('s', self.silent),
            ('t', self.touch),
            ('w', self.print_directory == Some(true)),
        ];
        let mut text: String = letters.iter().filter(|l| l.1).map(|l| l.0).collect();
        for dir in &self.include_dirs {
            text += &format!(" -I{}", String::from_utf8_lossy(dir));
        }
        if self.jobs_given {
            text += " -j";
            if self.jobs != usize::MAX {
                text += &self.jobs.to_string();
            }
        }
        if let Some(load) = &self.load {
            text += &format!(" -l{}", String::from_utf8_lossy(load));
        }
        if let Some(together) = self.together {
            text += &format!(" -O{}", together.name());
        }
        for words in &self.debug_words {
            text += &format!(" --debug={}", String::from_utf8_lossy(words));
        }
        if let Some(server) = self.jobserver {
            text += &format!(" --jobserver-auth={},{}", server.reader, server.writer);
        }
        if self.print_directory == Some(false) {
            text += " --no-print-directory";
        }
        if self.trace {
            text += " --trace";
        }
        if self.warn_undefined {
            text += " --warn-undefined-variables";
        }
        text
    }
}

/// A value that may not be empty.
fn filled(opt: &Opt) -> Result<Bytes, Exit> {
    if opt.value().is_empty() {
        let text = format!("the '-{}' option requires a non-empty string argument", opt.letter);
        return Err(report::usage(2, text));
    }
    Ok(opt.value().to_vec())
}

/// Whether a word of the environment's flags has a meaning: those without one are passed over.
pub fn is_known(word: &[u8]) -> bool {
    match word {
        [b'-', b'-'] => true,
        [b'-', b'-', name @ ..] => {
            let name = name.split(|&b| b == b'=').next().unwrap_or_default();
            LONG.iter().any(|long| long.0.as_bytes().starts_with(name))
        }
        [b'-', letter, ..] => SHORT.as_bytes().contains(letter) && *letter != b':',
        _ => true,
    }
}

fn jobs(text: &[u8]) -> Result<usize, Exit> {
    match std::str::from_utf8(text).ok().and_then(|t| t.parse().ok()) {
        Some(n) if n > 0 => Ok(n),
        _ => Err(report::usage(2, "the '-j' option requires a positive integer argument")),
    }
}

/// A load as it is passed on: what is no number counts as 0.
fn load(text: &[u8]) -> String {
    let value: f64 = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0);
    value.to_string()
}

/// The words of MAKEFLAGS; a backslash keeps what follows in the word.
pub fn split_flags(text: &[u8]) -> Vec<Bytes> {
    let (mut list, mut word): (Vec<Bytes>, Option<Bytes>) = (Vec::new(), None);
    let mut bytes = text.iter();
    while let Some(&b) = bytes.next() {
        match b {
            b'\\' => word.get_or_insert_default().extend(bytes.next()),
            b' ' | b'\t' => list.extend(word.take()),
            _ => word.get_or_insert_default().push(b),
        }
    }
    list.extend(word);
    // The letters come without a dash.
    if let Some(first) = list.first_mut()
        && !first.starts_with(b"-")
        && !first.contains(&b'=')
    {
        first.insert(0, b'-');
    }
    list
}

impl Make {
    /// The value of MAKEFLAGS.
    pub fn flags_text(&self) -> Bytes {
        let mut text = self.flags.text().into_bytes();
        if !self.definitions.is_empty() {
            text.extend_from_slice(b" -- ");
            text.extend_from_slice(&self.overrides());
        }
        text
    }

    /// The definitions of the command line, the last one first.
    pub fn overrides(&self) -> Bytes {
        let quoted: Vec<Bytes> = self
            .definitions
            .iter()
            .rev()
            .map(|d| d.iter().flat_map(|&b| if b" \\\t".contains(&b) { vec![b'\\', b] } else { vec![b] }).collect())
            .collect();
        quoted.join(&b' ')
    }

    /// `MAKEFLAGS += -r` in a makefile.
    pub fn flags_from_makefile(&mut self, text: &[u8]) -> Result<(), Exit> {
        let mut list = vec![b"make".to_vec()];
        list.extend(split_flags(text).into_iter().take_while(|w| w != b"--"));
        let mut flags = self.flags.clone();
        if flags.parse(&Args::new(list)).is_ok() {
            // What only a command line may ask for stays as it is there.
            let kept = std::mem::take(&mut self.flags);
            self.flags = Flags { directories: kept.directories, makefiles: kept.makefiles, evals: kept.evals, ..flags };
            self.flags.include_dirs.dedup();
            self.flags.debug_words.dedup();
        }
        Ok(())
    }

    /// `MFLAGS`, as older makefiles use it.
    pub fn old_flags(&self) -> Bytes {
        let text = self.flags.text();
        let text = text.trim_start();
        match words(text.as_bytes()).next() {
            Some(first) if !first.starts_with(b"-") => [b"-", text.as_bytes()].concat(),
            _ => text.as_bytes().to_vec(),
        }
    }
}
