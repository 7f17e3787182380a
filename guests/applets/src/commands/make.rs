//! `make`, as POSIX has it with GNU's additions.
//!
//! * `flags`: the command line and MAKEFLAGS; `defaults`: what is known without a makefile
//! * `read` takes makefiles line by line, `rules` those lines that are rules; `files` is what they say
//! * `variables`, `expand`, `functions`, `automatic`: text; `words` and `wildcard`: names
//! * `update` decides what must be made (`stamps`: how old files are), `implicit` by which rule; `jobs` runs recipes,
//!   `jobserver` says how many at a time, `output` where what they print goes
//! * `debug` and `database` tell of all that

mod automatic;
mod database;
mod debug;
mod defaults;
mod expand;
mod files;
mod flags;
mod functions;
mod implicit;
mod jobs;
mod jobserver;
mod output;
mod read;
mod rules;
mod stamps;
mod update;
mod variables;
mod wildcard;
mod words;

use crate::{Args, Exit, Outcome};
use automatic::is_automatic;
use capsule_sys::{Errno, chdir, environ, getcwd, getenv, stat};
use files::{File, FileId, PatternRule, PatternVariable, Stamp, Status};
use flags::{Flags, Words};
use jobserver::Jobserver;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use variables::{Origin, Scope, Variable};

type Bytes = Vec<u8>;

/// References within references: each takes some of the stack.
const MAX_NESTING: usize = 300;
/// How far a chain of prerequisites goes, for the same reason.
const MAX_DEPTH: usize = 1000;
/// Makefiles that include each other, and evals in evals.
const MAX_INCLUDES: usize = 60;
/// The longest value: what grows beyond it never ends.
const MAX_TEXT: usize = 64 << 20;
/// How often makefiles may be remade before it is given up.
const MAX_RESTARTS: usize = 50;

pub const HELP: &str = "\
Usage: make [options] [target] ...
Bring files up to date by the rules in a makefile.

  -b, -m                      have no effect
  -B, --always-make           make everything
  -C DIRECTORY, --directory=DIRECTORY
                              go to DIRECTORY first
  -d                          tell all that can be told, as --debug=a
      --debug[=WORDS]         tell what is done and why: a(ll), b(asic: what
                              is out of date), v(erbose: what was looked at),
                              i(mplicit: the search for rules), j(obs),
                              m(akefiles, while they are remade), n(one)
  -e, --environment-overrides
                              the environment wins over makefiles
  -E STRING, --eval=STRING    read STRING as a makefile before the others
  -f FILE, --file=FILE, --makefile=FILE
                              read FILE as the makefile
  -h, --help                  print this message and exit
  -i, --ignore-errors         go on when a command fails
  -I DIRECTORY, --include-dir=DIRECTORY
                              look for included makefiles in DIRECTORY, too
  -j [N], --jobs[=N]          run N recipes at a time, any number without N;
                              makes that recipes start share that number
      --jobserver-auth=R,W    how they do: by a pipe, which make passes on
  -k, --keep-going            make what can be made when something fails
  -l [N], --load-average[=N], --max-load[=N]
                              passed on: what runs here is no load
  -L, --check-symlink-times   the later time of links and their targets counts
  -n, --just-print, --dry-run, --recon
                              print the commands, do not run them
  -o FILE, --old-file=FILE, --assume-old=FILE
                              FILE is older than everything
  -O[TYPE], --output-sync[=TYPE]
                              keep the output of a target together: none,
                              line, target or recurse
  -p, --print-data-base       print all variables and rules at the end
  -q, --question              run nothing; the status tells what is up to date
  -r, --no-builtin-rules      without the built-in rules
  -R, --no-builtin-variables  without the built-in variables
  -s, --silent, --quiet       do not print the commands
      --no-silent             print them again
  -S, --no-keep-going, --stop
                              take -k back
  -t, --touch                 touch targets instead of making them
      --trace                 tell why each target is made
  -v, --version               print the version and exit
  -w, --print-directory       print the current directory
      --no-print-directory    take -w back, also where it is the default
  -W FILE, --what-if=FILE, --new-file=FILE, --assume-new=FILE
                              FILE was changed just now
      --warn-undefined-variables
                              warn where an undefined variable is used
";

/// A makefile that could not be read.
struct MissingMakefile {
    name: Bytes,
    /// Not `-include`.
    needed: bool,
    /// Where it was asked for; none: on the command line.
    place: Option<(Bytes, usize)>,
    why: Errno,
}

/// Everything a run knows.
pub struct Make {
    flags: Flags,
    /// `NAME=value` words of the command line.
    definitions: Vec<Bytes>,
    /// What the program was called as.
    command: Bytes,
    level: usize,
    globals: Scope,
    /// The variables of functions, the innermost last.
    frames: Vec<Scope>,
    /// Whose variables are seen.
    current: Option<FileId>,
    expanding: Vec<(Bytes, bool)>,
    /// Where the variable that is being expanded was defined.
    inside: Option<Rc<(Bytes, usize)>>,
    depth: usize,
    calls: usize,
    files: Vec<File>,
    names: HashMap<Bytes, FileId>,
    rules: Vec<Rc<PatternRule>>,
    searching: Vec<Rc<PatternRule>>,
    /// A name that ends in one of these is of a known kind.
    suffixes: Vec<Bytes>,
    /// Names no implicit rule makes.
    impossible: HashSet<Bytes>,
    pattern_variables: Rc<Vec<Rc<PatternVariable>>>,
    vpaths: Vec<(Bytes, Vec<Bytes>)>,
    precious: Vec<Bytes>,
    include_dirs: Vec<Bytes>,
    location: Option<(Bytes, usize)>,
    reading: usize,
    /// Makefiles, and whether they were asked for without `-`.
    read_list: Vec<(Bytes, bool)>,
    missing: Vec<MissingMakefile>,
    stopped: Option<Exit>,
    recipe_prefix: u8,
    export_all: bool,
    second_expansion: bool,
    one_shell: bool,
    delete_on_error: bool,
    not_parallel: bool,
    all_secondary: bool,
    quiet_missing: bool,
    goals: Vec<FileId>,
    jobs: Vec<jobs::Job>,
    /// Recipes started so far.
    job_count: usize,
    /// What the jobserver gave us.
    tokens: Vec<u8>,
    /// Commands run so far.
    started: usize,
    failed: bool,
    /// What is to be said of a makefile that could not be read, once it is clear that it cannot be made.
    include_error: Option<(Option<(Bytes, usize)>, String)>,
    /// A makefile that was asked for could not be made, and all else goes on with `-k`.
    makefile_failed: bool,
    /// A file is from the future.
    skewed: bool,
}

pub fn main(args: &Args) -> Outcome {
    let mut flags = Flags::new();
    let mut outer = Vec::new();
    for variable in [&b"GNUMAKEFLAGS"[..], b"MAKEFLAGS"] {
        let mut inherited = vec![b"make".to_vec()];
        let words = flags::split_flags(&getenv(variable).unwrap_or_default());
        inherited.extend(words.into_iter().filter(|word| flags::is_known(word)));
        outer.extend(flags.parse(&Args::new(inherited))?.definitions);
    }
    let inherited_jobs = std::mem::take(&mut flags.jobs_given);
    let words = flags.parse(args)?;
    if flags.version {
        output::print(version().as_bytes());
        return if output::is_lost() { Ok(1) } else { Ok(0) };
    }
    let command = args.argv.first().cloned().unwrap_or_else(|| b"make".to_vec());
    let level = getenv(b"MAKELEVEL").and_then(|v| std::str::from_utf8(&v).ok()?.parse().ok()).unwrap_or(0);
    let name = shown_name(level);
    for dir in &flags.directories {
        if let Err(e) = chdir(dir) {
            output::complain(&format!("{name}: *** {}: {e}.  Stop.\n", String::from_utf8_lossy(dir)));
            return Ok(2);
        }
    }
    let implied = !flags.silent && (!flags.directories.is_empty() || level > 0);
    let shown = flags.print_directory.unwrap_or(implied);
    if shown && flags.print_directory.is_none() {
        flags.print_directory = Some(true);
    }
    if flags.makefiles.iter().filter(|name| *name == b"-").count() > 1 {
        output::complain(&format!("{name}: *** Makefile from standard input specified twice..  Stop.\n"));
        return Ok(2);
    }
    if flags.debug & debug::BASIC != 0 {
        output::print_apart(version().as_bytes());
    }
    set_up_jobs(&mut flags, inherited_jobs, &name);
    // Where the output of each target is kept together, each is put between these lines.
    if shown && (flags.jobs == 1 || matches!(flags.together, None | Some(output::Together::Recurse))) {
        output::enter_later(directory_line(&name, "Entering"));
    }
    let mut definitions = outer;
    definitions.extend(words.definitions);
    let done = run_until_settled(&flags, &Words { definitions, goals: words.goals }, &command, level);
    if output::has_entered() {
        output::print(&directory_line(&name, "Leaving"));
    }
    if output::is_lost() { Ok(1) } else { done }
}

/// Reads and makes, again from the start when makefiles were made anew.
fn run_until_settled(flags: &Flags, words: &Words, command: &[u8], level: usize) -> Outcome {
    for restarts in 0..=MAX_RESTARTS {
        let mut make = Make::new(flags.clone(), command.to_vec(), level);
        let done = make.run(words, restarts);
        make.jobs.clear();
        make.give_back();
        if flags.print_database && !matches!(done, Ok(None)) {
            make.print_database();
        }
        match done {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(exit) => return Err(exit),
        }
    }
    output::complain(&format!("{}: *** makefiles are remade again and again.  Stop.\n", shown_name(level)));
    Ok(2)
}

/// How many recipes run at a time, and with whom we share that.
fn set_up_jobs(flags: &mut Flags, inherited: bool, name: &str) {
    let auth = flags.jobserver_text.take();
    let forced = flags.jobs_given;
    flags.jobs_given |= inherited;
    if let Some(auth) = auth {
        if !forced {
            flags.jobserver = Jobserver::inherited(&auth);
            if flags.jobserver.is_some() {
                return;
            }
            let why = "jobserver unavailable: using -j1.  Add '+' to parent make rule.";
            output::complain(&format!("{name}: warning: {why}\n"));
            (flags.jobs, flags.jobs_given) = (1, true);
        } else {
            let jobs = if flags.jobs == usize::MAX { 0 } else { flags.jobs };
            output::complain(&format!("{name}: warning: -j{jobs} forced in submake: resetting jobserver mode.\n"));
        }
    }
    if flags.jobs > 1 && flags.jobs != usize::MAX {
        // Without a pipe every make counts its own.
        flags.jobserver = Jobserver::new(flags.jobs).ok();
    }
}

fn version() -> String {
    format!("make (Capsule) {}, with what GNU Make 4.3 does\n", env!("CARGO_PKG_VERSION"))
}

fn shown_name(level: usize) -> String {
    if level == 0 { "make".to_owned() } else { format!("make[{level}]") }
}

/// `make: Entering directory '…'`
fn directory_line(name: &str, what: &str) -> Bytes {
    let cwd = getcwd().unwrap_or_default();
    [format!("{name}: {what} directory '").as_bytes(), &cwd, b"'\n"].concat()
}

impl Make {
    fn new(flags: Flags, command: Bytes, level: usize) -> Make {
        Make {
            flags,
            definitions: Vec::new(),
            command,
            level,
            globals: Scope::new(),
            frames: Vec::new(),
            current: None,
            expanding: Vec::new(),
            inside: None,
            depth: 0,
            calls: 0,
            files: Vec::new(),
            names: HashMap::new(),
            rules: Vec::new(),
            searching: Vec::new(),
            suffixes: Vec::new(),
            impossible: HashSet::new(),
            pattern_variables: Rc::default(),
            vpaths: Vec::new(),
            precious: Vec::new(),
            include_dirs: Vec::new(),
            location: None,
            reading: 0,
            read_list: Vec::new(),
            missing: Vec::new(),
            stopped: None,
            recipe_prefix: b'\t',
            export_all: false,
            second_expansion: false,
            one_shell: false,
            delete_on_error: false,
            not_parallel: false,
            all_secondary: false,
            quiet_missing: false,
            goals: Vec::new(),
            jobs: Vec::new(),
            job_count: 0,
            tokens: Vec::new(),
            started: 0,
            failed: false,
            include_error: None,
            makefile_failed: false,
            skewed: false,
        }
    }

    /// Reads the makefiles and makes the goals; none: the makefiles have changed.
    fn run(&mut self, given: &Words, restarts: usize) -> Result<Option<u8>, Exit> {
        self.set_up(given, restarts)?;
        self.debug(debug::BASIC, 0, || "Reading makefiles...".to_owned());
        for text in self.flags.evals.clone() {
            self.read_text(&text)?;
        }
        let mut found = false;
        let list = getenv(b"MAKEFILES").unwrap_or_default();
        for name in words::words(&list) {
            let _ = self.read_makefile(name, false);
            self.stopped.take().map_or(Ok(()), Err)?;
        }
        // Their targets are not what is made.
        self.set_global(b".DEFAULT_GOAL", Variable::new(b"", false, Origin::File));
        for name in self.flags.makefiles.clone() {
            if let Err(e) = self.read_makefile(&name, true) {
                if e == Errno::EISDIR {
                    return Err(self.fatal(&format!("{}: {e}", String::from_utf8_lossy(&name))));
                }
                self.tell_error(&format!("{}: {e}", String::from_utf8_lossy(&name)));
                self.missing.push(MissingMakefile { name, needed: true, place: None, why: e });
            }
            self.stopped.take().map_or(Ok(()), Err)?;
            found = true;
        }
        if !found {
            for name in [b"GNUmakefile".as_slice(), b"makefile", b"Makefile"] {
                if stat(name).is_ok() {
                    match self.read_makefile(name, true) {
                        Ok(()) => found = true,
                        Err(e) => self.tell_error(&format!("{}: {e}", String::from_utf8_lossy(name))),
                    }
                    self.stopped.take().map_or(Ok(()), Err)?;
                    break;
                }
            }
        }
        self.location = None;
        self.install_default_rules();
        if self.remake_makefiles()? {
            return Ok(None);
        }
        let mut goals = Vec::new();
        for name in &given.goals {
            let id = self.file(name);
            self.files[id].mentioned = true;
            goals.push(id);
        }
        if goals.is_empty() {
            match self.default_goal()? {
                Some(goal) => goals.push(goal),
                None if found || !self.read_list.is_empty() => return Err(self.fatal("No targets")),
                None => return Err(self.fatal("No targets specified and no makefile found")),
            }
        }
        self.goals = goals.clone();
        self.debug(debug::BASIC, 0, || "Updating goal targets....".to_owned());
        let status = self.make_goals(&goals, false)?;
        self.remove_intermediates();
        if self.skewed {
            self.tell_error("warning:  Clock skew detected.  Your build may be incomplete.");
        }
        Ok(Some(match status {
            _ if self.makefile_failed => 2,
            Status::Good => 0,
            Status::Old => 1,
            Status::Failed => 2,
        }))
    }

    fn set_up(&mut self, given: &Words, restarts: usize) -> Result<(), Exit> {
        self.include_dirs = self.flags.include_dirs.clone();
        self.include_dirs.extend([b"/usr/local/include".to_vec(), b"/usr/include".to_vec()]);
        self.install_defaults();
        for entry in environ() {
            let Some(at) = entry.iter().position(|&b| b == b'=') else { continue };
            let name = &entry[..at];
            if matches!(name, b"SHELL" | b"MAKEFLAGS" | b"MAKELEVEL" | b"MAKE_RESTARTS") {
                continue;
            }
            let variable =
                Variable { export: Some(true), ..Variable::new(&entry[at + 1..], true, Origin::Environment) };
            self.set_global(name, variable);
        }
        let level = self.level.to_string();
        self.set_global(b"MAKELEVEL", Variable::new(level.as_bytes(), false, Origin::Environment));
        let cwd = getcwd().unwrap_or_default();
        self.set_global(b"CURDIR", Variable::new(&cwd, false, Origin::File));
        let goals = given.goals.join(&b' ');
        if !goals.is_empty() {
            self.set_global(b"MAKECMDGOALS", Variable::new(&goals, false, Origin::Default));
        }
        if restarts > 0 {
            let text = restarts.to_string();
            self.set_global(b"MAKE_RESTARTS", Variable::new(text.as_bytes(), false, Origin::Environment));
        }
        self.set_global(b".DEFAULT_GOAL", Variable::new(b"", false, Origin::File));
        let dirs = self.include_dirs.iter().filter(|d| stat(d).is_ok()).cloned().collect::<Vec<_>>().join(&b' ');
        self.set_global(b".INCLUDE_DIRS", Variable::new(&dirs, true, Origin::Default));
        for word in &given.definitions {
            let Some((name, assign, value)) = read::assignment(word) else { continue };
            let (name, value) = (name.to_vec(), value.to_vec());
            self.define(&name, assign, &value, Origin::CommandLine, None)?;
            let shown = [name.as_slice(), if self.globals[&name].recursive { b"=" } else { b":=" }, &value].concat();
            // The last one of a name counts.
            self.definitions.retain(|d| read::assignment(d).is_none_or(|(old, ..)| old != name));
            self.definitions.push(shown);
        }
        let old = self.old_flags();
        self.set_global(b"MFLAGS", Variable::new(&old, true, Origin::Environment));
        let text = self.flags_text();
        let origin = if self.flags.environment { Origin::EnvironmentOverride } else { Origin::File };
        self.set_global(b"MAKEFLAGS", Variable::new(&text, true, origin));
        if !self.definitions.is_empty() {
            let overrides = self.overrides();
            self.set_global(b"MAKEOVERRIDES", Variable::new(&overrides, true, Origin::Default));
        }
        Ok(())
    }

    /// Makefiles are files like others; true when one was made anew.
    fn remake_makefiles(&mut self) -> Result<bool, Exit> {
        let asked = (self.flags.just_print, self.flags.question, self.flags.touch, self.flags.always);
        (self.flags.just_print, self.flags.question, self.flags.touch, self.flags.always) =
            (false, false, false, false);
        let debugging = self.flags.debug;
        self.debug(debug::BASIC, 0, || "Updating makefiles....".to_owned());
        if !self.tells(debug::MAKEFILES) {
            self.flags.debug = 0;
        }
        let mut again = false;
        let mut failed = None;
        let missing = std::mem::take(&mut self.missing);
        let mut all: Vec<(Bytes, bool, Option<usize>)> =
            self.read_list.iter().map(|(name, needed)| (name.clone(), *needed, None)).collect();
        all.extend(missing.iter().enumerate().map(|(at, m)| (m.name.clone(), m.needed, Some(at))));
        for (name, needed_at_all, at) in all.into_iter().rev() {
            if name == b"-" {
                continue;
            }
            let id = self.file(&name);
            let before = self.stamp(id);
            // A `::` rule without prerequisites would be made for ever.
            if self.files[id].double.iter().any(|&d| self.files[d].deps.is_empty()) || self.files[id].phony {
                continue;
            }
            let needed = at.map(|at| &missing[at]).filter(|m| m.needed && m.place.is_some());
            self.quiet_missing = needed.is_none() && (at.is_some() || !needed_at_all);
            self.include_error =
                needed.map(|m| (m.place.clone(), format!("{}: {}", String::from_utf8_lossy(&m.name), m.why)));
            let done = self.make_goals(&[id], true);
            self.quiet_missing = false;
            let status = done?;
            if self.files[id].ran && status == Status::Good {
                self.files[id].stamp = None;
                let now = self.stamp(id);
                again |= now != before && now != Stamp::Missing;
            }
            self.include_error = None;
            if needed_at_all && status == Status::Failed {
                let from_command_line = at.is_some_and(|at| missing[at].place.is_none());
                if self.flags.keep_going && !from_command_line {
                    let name = String::from_utf8_lossy(&self.files[id].name).into_owned();
                    self.tell_error(&format!("Failed to remake makefile '{name}'."));
                    self.makefile_failed = true;
                    continue;
                }
                failed = Some((id, from_command_line));
                if !self.flags.keep_going {
                    break;
                }
            }
        }
        (self.flags.just_print, self.flags.question, self.flags.touch, self.flags.always) = asked;
        self.flags.debug = debugging;
        if let Some((id, from_command_line)) = failed {
            if from_command_line && !self.files[id].ran {
                let name = String::from_utf8_lossy(&self.files[id].name).into_owned();
                return Err(self.fatal(&format!("No rule to make target '{name}'")));
            }
            return Err(Exit(2));
        }
        self.failed = false;
        Ok(again)
    }

    fn name(&self) -> String {
        shown_name(self.level)
    }

    /// To standard output.
    fn tell(&self, text: &str) {
        output::print(format!("{}: {text}\n", self.name()).as_bytes());
    }

    fn tell_error(&self, text: &str) {
        output::complain(&format!("{}: {text}\n", self.name()));
    }

    fn place(&self) -> String {
        match &self.location {
            Some(place) => shown_place(place),
            None => self.name(),
        }
    }

    fn warn(&self, text: &str) {
        output::complain(&format!("{}: {text}\n", self.place()));
    }

    fn warn_at(&self, place: &(Bytes, usize), text: &str) {
        output::complain(&format!("{}: {text}\n", shown_place(place)));
    }

    /// The end of it all.
    fn fatal(&self, text: &str) -> Exit {
        self.warn(&format!("*** {text}.  Stop."));
        Exit(2)
    }

    /// The same, where the variable that is being expanded was defined.
    fn fatal_inside(&self, text: &str) -> Exit {
        match &self.inside {
            Some(place) => self.fatal_at(place, text),
            None => self.fatal(text),
        }
    }

    fn fatal_at(&self, place: &(Bytes, usize), text: &str) -> Exit {
        self.warn_at(place, &format!("*** {text}.  Stop."));
        Exit(2)
    }
}

fn shown_place(place: &(Bytes, usize)) -> String {
    format!("{}:{}", String::from_utf8_lossy(&place.0), place.1)
}
