//! A new shell: variables from the environment, and those bash always has.

use super::{CommandText, Ifs, Options, Shell};
use crate::names::{Name, is_name};
use crate::state::State;
use crate::vars::{Attrs, IndexedArray, Special, Value, Variable, Vars};
use capsule_sys as sys;
use std::rc::Rc;

pub const VERSION: &str = "5.2.15(1)-release";

/// What `set_facts` sets anew at every start.
pub const FACTS: &[&[u8]] = &[b"BASH_VERSINFO", b"UID", b"EUID", b"PPID"];

pub const SPECIALS: &[(Name, Special)] = &[
    (Name::RANDOM, Special::Random),
    (Name::SRANDOM, Special::SRandom),
    (Name::SECONDS, Special::Seconds),
    (Name::LINENO, Special::LineNo),
    (Name::EPOCHSECONDS, Special::EpochSeconds),
    (Name::EPOCHREALTIME, Special::EpochRealtime),
    (Name::BASHPID, Special::BashPid),
    (Name::BASH_COMMAND, Special::BashCommand),
    (Name::BASH_SUBSHELL, Special::BashSubshell),
    (Name::FUNCNAME, Special::FuncName),
    (Name::BASH_SOURCE, Special::BashSource),
    (Name::BASH_LINENO, Special::BashLineNo),
    (Name::BASH_ARGC, Special::BashArgc),
    (Name::BASH_ARGV, Special::BashArgv),
    (Name::DIRSTACK, Special::DirStack),
    (Name::GROUPS, Special::Groups),
    (Name::PIPESTATUS, Special::PipeStatus),
    (Name::BASH_ALIASES, Special::BashAliases),
    (Name::BASH_CMDS, Special::BashCmds),
    (Name::BASH_ARGV0, Special::BashArgv0),
    (Name::SHELLOPTS, Special::ShellOpts),
    (Name::BASHOPTS, Special::BashOpts),
    (Name::HISTCMD, Special::HistCmd),
    (Name::IFS, Special::Ifs),
    (Name::PATH, Special::Path),
    (Name::LC_ALL, Special::Locale),
    (Name::LC_CTYPE, Special::Locale),
    (Name::LANG, Special::Locale),
    (Name::LC_COLLATE, Special::Locale),
    (Name::LC_MESSAGES, Special::Locale),
    (Name::LC_NUMERIC, Special::Locale),
    (Name::LC_TIME, Special::Locale),
    (Name::OPTIND, Special::OptInd),
    (Name::POSIXLY_CORRECT, Special::Posix),
    (Name::GLOBIGNORE, Special::GlobIgnore),
];

/// The attributes of a computed variable, unless a script changes them.
pub fn usual_attrs(name: Name) -> Attrs {
    match name {
        Name::RANDOM | Name::SRANDOM | Name::SECONDS | Name::BASHPID | Name::HISTCMD => Attrs::INTEGER,
        Name::SHELLOPTS | Name::BASHOPTS => Attrs::READONLY,
        _ => Attrs::default(),
    }
}

impl Shell {
    /// A shell that starts anew.
    pub fn new(arg0: Vec<u8>, environment: Vec<Vec<u8>>) -> Shell {
        let mut shell = Shell::blank(arg0);
        shell.import(environment);
        shell.register_specials();
        shell.set_defaults();
        shell.set_facts();
        shell.set_working_directory();
        shell.update_locale();
        shell.check_first_locale();
        shell
    }

    /// A shell that goes on from a saved state; the environment given now counts more.
    pub fn resumed(arg0: Vec<u8>, state: State, environment: Vec<Vec<u8>>) -> Shell {
        let mut shell = Shell::blank(arg0);
        shell.register_specials();
        state.apply(&mut shell);
        // Where the shell is, and how deep, is the session's own.
        let own = [&b"PWD="[..], b"OLDPWD=", b"SHLVL=", b"_="];
        shell.import(environment.into_iter().filter(|entry| !own.iter().any(|name| entry.starts_with(name))));
        shell.set_facts();
        shell.update_locale();
        shell
    }

    fn blank(arg0: Vec<u8>) -> Shell {
        Shell {
            vars: Vars::default(),
            functions: Default::default(),
            aliases: Rc::default(),
            options: Options::default(),
            arg0,
            positional: Rc::default(),
            own_arguments: None,
            status: 0,
            pipe_status: Vec::new(),
            last_background: None,
            pid: sys::getpid(),
            line: 1,
            calls: Vec::new(),
            ifs: Rc::new(Ifs { kinds: [0; 256], first: Vec::new(), empty: false, wide: Vec::new() }),
            utf8: false,
            traps: Default::default(),
            jobs: Default::default(),
            hashed: Default::default(),
            directories: Vec::new(),
            cwd: Vec::new(),
            loops: 0,
            functions_running: 0,
            sources_running: 0,
            subshell: 0,
            errexit_off: 0,
            out: Vec::new(),
            capturing: false,
            interactive: false,
            command_string: false,
            started: sys::clock(sys::Clock::Realtime) / 1_000_000_000,
            seconds_base: 0,
            random: sys::random_u64() as u32,
            random_last: u32::MAX,
            random_inherited: false,
            getopts_at: 0,
            command_text: Rc::new(CommandText::None),
            process_subs: Vec::new(),
            depth: 0,
            substitution_status: None,
            disabled_builtins: Vec::new(),
            history: Vec::new(),
            history_read: 0,
            completions: Default::default(),
            exiting: false,
            coprocs: Vec::new(),
            in_trap: 0,
            abandon_all: false,
            locale_for_others: false,
            tells_later: false,
            killed: None,
            before_return: 0,
            fatal_expansion: false,
            arith_error: false,
            arith_prefix: b"",
            indirect_text: None,
            command_number: 0,
            exec_keeps_redirects: false,
            may_replace: false,
            trace_level: 0,
            trap_status: 0,
            own_input: None,
            keys: None,
            input_given: false,
            session: None,
            left: false,
        }
    }

    fn import(&mut self, environment: impl IntoIterator<Item = Vec<u8>>) {
        for entry in environment {
            let Some(equals) = entry.iter().position(|&b| b == b'=') else { continue };
            let (name, value) = (&entry[..equals], &entry[equals + 1..]);
            if let Some(function) = name.strip_prefix(b"BASH_FUNC_").and_then(|n| n.strip_suffix(b"%%")) {
                self.import_function(function, value);
            } else if is_name(name) && !matches!(name, b"IFS" | b"SHELLOPTS" | b"BASHOPTS") {
                let mut var = Variable::scalar(value.to_vec());
                var.attrs = Attrs::EXPORT;
                self.vars.put(Name::new(name), var);
            } else if name == b"SHELLOPTS" {
                for option in value.split(|&b| b == b':') {
                    if let Some(opt) = Options::by_name(option) {
                        self.options.put(opt, true);
                    }
                }
            } else if name == b"BASHOPTS" {
                for option in value.split(|&b| b == b':') {
                    if let Some(shopt) = Options::shopt_by_name(option) {
                        self.options.put_shopt(shopt, true);
                    }
                }
            }
        }
    }

    /// `BASH_FUNC_name%%=() { …; }`
    fn import_function(&mut self, name: &[u8], value: &[u8]) {
        if !value.starts_with(b"() {") {
            return;
        }
        if let Some(body) = super::parse_definition([name, b" ", value].concat(), 1) {
            let mut function = super::Function::new(body, b"environment"[..].into());
            function.exported = true;
            self.functions.insert(name.into(), function);
        }
    }

    fn register_specials(&mut self) {
        for &(name, special) in SPECIALS {
            self.vars.set_special(name, special);
            if special.is_computed() {
                // What kind of variable it is; the value is made when it is read.
                let var = self.vars.entry(name);
                var.attrs = var.attrs.with(usual_attrs(name));
                (var.value, var.set) = match special {
                    Special::FuncName => (Value::Indexed(Box::default()), false),
                    Special::BashSource
                    | Special::BashLineNo
                    | Special::BashArgc
                    | Special::BashArgv
                    | Special::DirStack
                    | Special::Groups
                    | Special::PipeStatus => (Value::Indexed(Box::default()), true),
                    Special::BashAliases | Special::BashCmds => (Value::Assoc(Box::default()), true),
                    Special::ShellOpts | Special::BashOpts => (Value::Scalar(Vec::new()), true),
                    _ => (Value::Scalar(Vec::new()), false),
                };
            }
        }
        self.vars.entry(Name::OPTIND).attrs = Attrs::INTEGER;
    }

    fn set_defaults(&mut self) {
        let default = |vars: &mut Vars, name: &str, value: &[u8]| {
            if vars.find(name.as_bytes()).is_none() {
                vars.set(name.as_bytes(), value);
            }
        };
        let vars = &mut self.vars;
        vars.set(b"IFS", b" \t\n");
        vars.set(b"OPTIND", b"1");
        default(vars, "OPTERR", b"1");
        vars.set(b"PS4", vars.text(b"PS4").map_or(b"+ ".to_vec(), |v| v.into_owned()).as_slice());
        default(vars, "PATH", b"/usr/local/bin:/usr/bin:/bin");
        vars.set(b"BASH_VERSION", VERSION.as_bytes());
        vars.set(b"COMP_WORDBREAKS", b" \t\n\"'@><=;|&(:");
        vars.set(
            b"BASH_LOADABLES_PATH",
            b"/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.",
        );
        default(vars, "HOSTTYPE", b"x86_64");
        default(vars, "MACHTYPE", b"x86_64-pc-linux-gnu");
        default(vars, "OSTYPE", b"linux-gnu");
        vars.set(b"BASH", b"/bin/bash");
        default(vars, "SHELL", b"/bin/bash");
        default(vars, "TERM", b"dumb");
        if vars.find(b"HOSTNAME").is_none() {
            let read = sys::open(b"/etc/hostname", sys::OpenFlags::RDONLY | sys::OpenFlags::CLOEXEC, 0)
                .and_then(|file| sys::read_to_end(file.raw()));
            let host = read.unwrap_or_default();
            vars.set(b"HOSTNAME", if host.trim_ascii().is_empty() { b"capsule" } else { host.trim_ascii() });
        }
        let level = vars.text(b"SHLVL").and_then(|v| crate::arith::parse_integer(&v)).unwrap_or(0);
        vars.set(b"SHLVL", (level + 1).max(1).to_string().as_bytes());
        self.export(b"SHLVL");
        let old = self.vars.text(b"OLDPWD").map(|v| v.into_owned());
        let gone = old.is_none_or(|path| !sys::stat(&path).is_ok_and(|s| s.kind == sys::FileType::Directory));
        if gone {
            self.vars.put(Name::new(b"OLDPWD"), Variable::declared());
            self.vars.entry(Name::new(b"OLDPWD")).attrs = Attrs::EXPORT;
        }
        let me = self.arg0.clone();
        if self.vars.find(b"_").is_none() {
            self.vars.set(b"_", &me);
        }
    }

    /// Readonly variables that tell of this process; a state does not have them.
    fn set_facts(&mut self) {
        let vars = &mut self.vars;
        let versinfo = ["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"];
        let array: IndexedArray = versinfo.iter().map(|s| s.as_bytes().to_vec()).collect();
        let fixed = |value: Value, attrs: Attrs| Variable { value, attrs: attrs.with(Attrs::READONLY), set: true };
        vars.put(Name::new(b"BASH_VERSINFO"), fixed(Value::Indexed(Box::new(array)), Attrs::default()));
        let (uid, _) = sys::getids().unwrap_or((0, 0));
        let number = |n: i64| Value::Scalar(n.to_string().into_bytes());
        vars.put(Name::new(b"UID"), fixed(number(uid.into()), Attrs::INTEGER));
        vars.put(Name::new(b"EUID"), fixed(number(uid.into()), Attrs::INTEGER));
        vars.put(Name::new(b"PPID"), fixed(number(sys::getppid().into()), Attrs::INTEGER));
    }

    pub fn export(&mut self, name: &[u8]) {
        let var = self.vars.entry(Name::new(name));
        var.attrs = var.attrs.with(Attrs::EXPORT);
        self.vars.changed_exports();
    }

    /// PWD is kept when it names the working directory, links and all.
    pub(crate) fn set_working_directory(&mut self) {
        let physical = sys::getcwd().unwrap_or_else(|_| b"/".to_vec());
        let inherited = self.vars.text(b"PWD").map(|v| v.into_owned()).filter(|pwd| {
            pwd.starts_with(b"/")
                && !pwd.split(|&b| b == b'/').any(|part| part == b"." || part == b"..")
                && match (sys::stat(pwd), sys::stat(b".")) {
                    (Ok(a), Ok(b)) => a.dev == b.dev && a.ino == b.ino,
                    _ => false,
                }
        });
        self.cwd = inherited.unwrap_or(physical);
        let cwd = self.cwd.clone();
        self.vars.set(b"PWD", &cwd);
        self.export(b"PWD");
    }
}
