//! The main input, the start and the end.

use super::super::array::{Array, Key, Kind};
use super::super::builtins;
use super::super::input::{Got, Reader, Separator};
use super::super::io::Io;
use super::super::lex::unescape;
use super::super::op::Program;
use super::super::random::Random;
use super::super::record::Record;
use super::super::regex::Cache;
use super::super::special::*;
use super::super::value::Value;
use super::{Main, Modes, Run, Stop, Vm};
use capsule_sys::{
    Errno, FileType, OpenFlags, Out, STDOUT, chmod, environ, fstat, getids, getpgid, getpid, getppid, isatty, open,
    rename, unlink,
};
use std::rc::Rc;

/// What C's library holds back of output.
const STDIO: usize = 4096;

impl Vm {
    pub fn new(program: Program, modes: Modes, argv: &[Vec<u8>], extra: &[Vec<u8>]) -> Vm {
        let mut vm = Vm {
            globals: vec![Value::Untyped; program.globals.len()],
            ranges: vec![false; program.ranges],
            program: Rc::new(program),
            modes,
            stack: Vec::with_capacity(256),
            frames: Vec::new(),
            base: 0,
            pc: 0,
            nested: 0,
            loops: Vec::new(),
            buf: Vec::new(),
            marks: Vec::new(),
            record: Record::default(),
            regexes: Cache::default(),
            separator: if modes.csv { Separator::Csv } else { Separator::Byte(b'\n') },
            rt: Vec::new(),
            nr: 0.0,
            fnr: 0.0,
            ofmt: b"%.6g".to_vec(),
            ors: b"\n".to_vec(),
            subsep: vec![0o34],
            lint: false,
            lint_is_fatal: false,
            out: Out::stdout(),
            interactive: isatty(STDOUT),
            io: Io::default(),
            main: Main { reader: None, fd: None, next: 1.0, used: false, ended: false, skip: false },
            inplace: None,
            incoming: Vec::new(),
            mark: Vec::new(),
            pending: None,
            random: Random::new(),
            status: 0,
            exiting: false,
            procinfo: Array::shared("PROCINFO"),
            environ: Array::shared("ENVIRON"),
            zone: None,
        };
        vm.record.utf8 = modes.utf8;
        vm.regexes.utf8 = modes.utf8;
        vm.regexes.plain_braces = modes.traditional;
        vm.set_up(argv, extra);
        vm
    }

    fn set_up(&mut self, argv: &[Vec<u8>], extra: &[Vec<u8>]) {
        let text = |s: &str| Value::string(s.as_bytes());
        let first = [
            (FS, " "),
            (OFS, " "),
            (ORS, "\n"),
            (RS, "\n"),
            (SUBSEP, "\x1c"),
            (CONVFMT, "%.6g"),
            (OFMT, "%.6g"),
            (FIELDWIDTHS, ""),
            (FPAT, "[^[:space:]]+"),
            (FILENAME, ""),
            (ERRNO, ""),
            (TEXTDOMAIN, "messages"),
            (ROUNDMODE, "N"),
        ];
        for (slot, value) in first {
            self.globals[slot as usize] = text(value);
        }
        for (slot, value) in [
            (NF, 0.0),
            (NR, 0.0),
            (FNR, 0.0),
            (RSTART, 0.0),
            (RLENGTH, 0.0),
            (ARGC, argv.len() as f64),
            (ARGIND, 0.0),
            (BINMODE, 0.0),
            (IGNORECASE, 0.0),
            (LINT, 0.0),
            (PREC, 53.0),
        ] {
            self.globals[slot as usize] = Value::Num(value);
        }
        if self.modes.csv {
            let _ = self.use_fs();
        }
        let operands = Array::shared("ARGV");
        for (i, arg) in argv.iter().enumerate() {
            operands.borrow_mut().set(Key::Int(i as i64), Value::input(arg));
        }
        self.globals[ARGV as usize] = Value::Array(operands);
        for entry in environ() {
            if let Some(at) = memchr::memchr(b'=', &entry) {
                self.environ.borrow_mut().set(Key::from_bytes(&entry[..at]), Value::input(&entry[at + 1..]));
            }
        }
        self.globals[ENVIRON as usize] = Value::Array(self.environ.clone());
        self.set_up_procinfo(extra);
        self.globals[PROCINFO as usize] = Value::Array(self.procinfo.clone());
        let symbols = Array::shared("SYMTAB");
        symbols.borrow_mut().kind = Kind::Symbols;
        self.globals[SYMTAB as usize] = Value::Array(symbols);
        let functions = Array::shared("FUNCTAB");
        for name in self.function_names() {
            functions.borrow_mut().set(Key::from_bytes(name.as_bytes()), text(&name));
        }
        functions.borrow_mut().kind = Kind::Functions;
        self.globals[FUNCTAB as usize] = Value::Array(functions);
    }

    fn function_names(&self) -> Vec<String> {
        let own = self.program.functions.iter().filter(|f| f.defined).map(|f| f.name.clone());
        own.chain(builtins::all().iter().map(|b| b.name.to_owned())).collect()
    }

    fn set_up_procinfo(&mut self, args: &[Vec<u8>]) {
        let (uid, gid) = getids().unwrap_or_default();
        let pid = getpid();
        let mut info = self.procinfo.borrow_mut();
        let mut put = |key: &str, value: Value| info.set(Key::from_bytes(key.as_bytes()), value);
        put("version", Value::string(b"5.2.1"));
        put("strftime", Value::string(b"%a %b %e %H:%M:%S %Z %Y"));
        put("platform", Value::string(b"posix"));
        put("pgrpid", Value::Num(getpgid(0).unwrap_or(pid).into()));
        put("pid", Value::Num(pid.into()));
        put("ppid", Value::Num(getppid().into()));
        for (key, id) in [("uid", uid), ("euid", uid), ("gid", gid), ("egid", gid)] {
            put(key, Value::Num(id.into()));
        }
        put("FS", Value::string(if self.modes.csv { b"CSV" } else { b"FS" }));
        let argv = Array::shared("PROCINFO[\"argv\"]");
        for (i, arg) in args.iter().enumerate() {
            argv.borrow_mut().set(Key::Int(i as i64), Value::input(arg));
        }
        put("argv", Value::Array(argv));
        let names = Array::shared("PROCINFO[\"identifiers\"]");
        for name in &self.program.globals {
            let kind = if is_special(name) { "scalar" } else { "untyped" };
            names.borrow_mut().set(Key::from_bytes(name.as_bytes()), Value::string(kind.as_bytes()));
        }
        for function in self.program.functions.iter().filter(|f| f.defined) {
            names.borrow_mut().set(Key::from_bytes(function.name.as_bytes()), Value::string(b"user"));
        }
        for builtin in builtins::all() {
            names.borrow_mut().set(Key::from_bytes(builtin.name.as_bytes()), Value::string(b"builtin"));
        }
        put("identifiers", Value::Array(names));
    }

    /// What `fnmatch` brings beside its function.
    pub fn set_up_fnmatch(&mut self) {
        let Some(slot) = self.program.globals.iter().position(|g| g == "FNM_NOMATCH") else { return };
        self.globals[slot] = Value::Num(1.0);
        let Some(slot) = self.program.globals.iter().position(|g| g == "FNM") else { return };
        let flags = Array::shared("FNM");
        for (name, bit) in
            [("CASEFOLD", 16), ("FILE_NAME", 1), ("LEADING_DIR", 8), ("NOESCAPE", 2), ("PATHNAME", 1), ("PERIOD", 4)]
        {
            flags.borrow_mut().set(Key::from_bytes(name.as_bytes()), Value::Num(f64::from(bit)));
        }
        self.globals[slot] = Value::Array(flags);
    }

    /// `name=value` from the command line; false when it is no assignment.
    pub fn assign(&mut self, text: &[u8]) -> Run<bool> {
        let Some(at) = memchr::memchr(b'=', text) else { return Ok(false) };
        let name = &text[..at];
        let good = name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b':');
        if !good {
            return Ok(false);
        }
        let name = String::from_utf8_lossy(name).into_owned();
        let name = name.strip_prefix("awk::").unwrap_or(&name);
        if builtins::find(name).is_some() {
            return Err(self.fatal(format_args!("cannot use gawk builtin `{name}' as variable name")));
        }
        if self.program.functions.iter().any(|f| f.name == name && f.defined) {
            return Err(self.fatal(format_args!("cannot use function `{name}' as variable name")));
        }
        let value = match &text[at + 1..] {
            [b'@', b'/', regex @ .., b'/'] if !self.modes.posix && !self.modes.traditional => {
                Value::regex(regex.to_vec())
            }
            text => Value::input(&unescape(text)),
        };
        match self.program.globals.iter().position(|g| g == name) {
            Some(slot) => {
                self.set_var(super::super::ast::Var::Global(slot as u32), value)?;
            }
            None => self.late(name, value),
        }
        Ok(true)
    }

    /// A variable the program does not mention: only `SYMTAB` can see it.
    fn late(&mut self, name: &str, value: Value) {
        if let Some(program) = Rc::get_mut(&mut self.program) {
            program.globals.push(name.to_owned());
            self.globals.push(value);
        }
    }

    /// Runs the program; its status.
    pub fn execute(&mut self) -> u8 {
        match self.all_rules() {
            Err(Stop::Fatal(status)) => self.give_up(status),
            result => self.finish(result == Ok(true)),
        }
    }

    /// What was printed before an error that ends the program is out; nothing else is.
    pub(super) fn give_up(&mut self, status: u8) -> u8 {
        let _ = self.out.flush();
        self.io.flush();
        status
    }

    /// The end: what commands were given to print comes before what still waits here. A status that `exit` chose stays.
    pub(super) fn finish(&mut self, chosen: bool) -> u8 {
        self.pc = 0;
        for name in self.io.open_names() {
            if let Err(Stop::Fatal(status)) = self.close_named(&name, None) {
                return self.give_up(status);
            }
        }
        // So much would not have waited for the end in stdio: printing it had failed.
        let printing = self.out.buffered() >= STDIO;
        match self.out.flush() {
            Ok(()) => self.status,
            Err(Errno::EPIPE) => self.die_of_pipe(),
            Err(errno) if printing && !self.forgiving_stdout() => {
                let stop = self.fatal(format_args!("print to \"standard output\" failed: {errno}"));
                if let Stop::Fatal(status) = stop { status } else { self.status }
            }
            Err(errno) => {
                self.warn(format_args!("error writing standard output: {errno}"));
                if chosen || self.status != 0 { self.status } else { 1 }
            }
        }
    }

    /// All of the program; whether `exit` ended it.
    fn all_rules(&mut self) -> Run<bool> {
        let program = self.program.clone();
        let mut left = false;
        match self.phase(&program.begin, "BEGIN") {
            Ok(()) => {
                let reads = [&program.main, &program.end, &program.begin_file, &program.end_file];
                if reads.iter().any(|rules| !rules.is_empty()) {
                    match self.main_loop(&program) {
                        Err(Stop::Exit) => left = true,
                        other => other?,
                    }
                }
            }
            Err(Stop::Exit) => left = true,
            Err(stop) => return Err(stop),
        }
        self.unwind();
        self.exiting = true;
        match self.phase(&program.end, "END") {
            Err(Stop::Exit) => left = true,
            other => other?,
        }
        self.end_inplace()?;
        Ok(left)
    }

    fn phase(&mut self, rules: &[u32], name: &str) -> Run<()> {
        for &start in rules {
            let outside = match self.run(start as usize) {
                Err(Stop::Next) => "next",
                Err(Stop::NextFile) => "nextfile",
                other => {
                    other?;
                    continue;
                }
            };
            return Err(self.fatal(format_args!("`{outside}' cannot be called from a `{name}' rule")));
        }
        Ok(())
    }

    fn main_loop(&mut self, program: &Program) -> Run<()> {
        loop {
            match self.next_main(None)? {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(errno) if program.end_file.is_empty() => {
                    let name = self.text_of(&self.globals[FILENAME as usize].clone());
                    let name = String::from_utf8_lossy(&name).into_owned();
                    return Err(self.fatal(format_args!("error reading input file `{name}': {errno}")));
                }
                // The rule can look at ERRNO.
                Err(_) => {
                    self.end_file(program)?;
                    continue;
                }
            }
            for &start in &program.main {
                match self.run(start as usize) {
                    Ok(()) => {}
                    Err(Stop::Next) => {
                        self.unwind();
                        break;
                    }
                    Err(Stop::NextFile) => {
                        self.unwind();
                        self.main.skip = true;
                        break;
                    }
                    Err(stop) => return Err(stop),
                }
            }
        }
    }

    /// The rules around a file; false when they skip it.
    fn file_rules(&mut self, rules: &[u32]) -> Run<bool> {
        for &start in rules {
            let before = (self.stack.len(), self.frames.len(), self.loops.len(), self.base);
            let (buf, marks, pc) = (self.buf.len(), self.marks.len(), self.pc);
            let result = self.run(start as usize);
            self.pc = pc;
            match result {
                Ok(()) => {}
                Err(Stop::NextFile | Stop::Next) => {
                    self.stack.truncate(before.0);
                    self.frames.truncate(before.1);
                    self.loops.truncate(before.2);
                    self.base = before.3;
                    self.buf.truncate(buf);
                    self.marks.truncate(marks);
                    return Ok(false);
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(true)
    }

    /// The next record of the main input: into `$0`, or into `other`. False at the end, and why a file could not be read on.
    pub fn next_main(&mut self, other: Option<&mut Vec<u8>>) -> Run<Result<bool, Errno>> {
        let program = self.program.clone();
        let mut other = other;
        loop {
            if self.main.skip {
                self.main.skip = false;
                self.end_file(&program)?;
            }
            if self.main.reader.is_none() && !self.next_file(&program)? {
                return Ok(Ok(false));
            }
            let Some(reader) = &mut self.main.reader else { continue };
            // Who waits for our output sees it before we wait for input.
            if reader.is_empty() && !self.program.main.is_empty() && self.out.error().is_none() && self.slow_input() {
                let _ = self.out.flush();
            }
            let Some(reader) = &mut self.main.reader else { continue };
            let got = match other.as_deref_mut() {
                Some(text) => {
                    text.clear();
                    reader.record(&self.separator, text, &mut self.rt)
                }
                None => {
                    self.incoming.clear();
                    let got = reader.record(&self.separator, &mut self.incoming, &mut self.rt);
                    if got == Ok(Got::Record) {
                        self.record.take(&mut self.incoming);
                    }
                    got
                }
            };
            match got {
                Ok(Got::Record) => {
                    self.nr += 1.0;
                    self.fnr += 1.0;
                    return Ok(Ok(true));
                }
                Ok(Got::End) => self.end_file(&program)?,
                Err(errno) => {
                    self.set_errno(errno);
                    self.main.reader = None;
                    self.main.fd = None;
                    return Ok(Err(errno));
                }
            }
        }
    }

    /// Whether reading may wait for somebody.
    fn slow_input(&self) -> bool {
        self.main.fd.is_none()
    }

    fn end_file(&mut self, program: &Program) -> Run<()> {
        self.main.reader = None;
        self.main.fd = None;
        self.file_rules(&program.end_file)?;
        self.end_inplace()
    }

    /// Opens the next operand; false when there is none left.
    fn next_file(&mut self, program: &Program) -> Run<bool> {
        loop {
            if self.main.ended {
                return Ok(false);
            }
            let Some(name) = self.next_operand()? else {
                self.main.ended = true;
                return Ok(false);
            };
            self.globals[FILENAME as usize] = Value::input(&name);
            self.fnr = 0.0;
            let opened = self.open_main(&name);
            self.globals[ERRNO as usize] = Value::string(b"");
            if let Err(errno) = opened {
                self.set_errno(errno);
            }
            if !program.begin_file.is_empty() && !self.file_rules(&program.begin_file)? {
                self.main.reader = None;
                self.main.fd = None;
                if opened.is_ok() {
                    self.file_rules(&program.end_file)?;
                }
                continue;
            }
            match opened {
                Ok(()) => {
                    if self.modes.inplace {
                        self.begin_inplace(&name)?;
                    }
                    return Ok(true);
                }
                Err(errno) => {
                    let shown = String::from_utf8_lossy(&name).into_owned();
                    if errno == Errno::EISDIR && !self.modes.posix && !self.modes.traditional {
                        self.warn(format_args!("command line argument `{shown}' is a directory: skipped"));
                        continue;
                    }
                    return Err(self.fatal(format_args!("cannot open file `{shown}' for reading: {errno}")));
                }
            }
        }
    }

    /// The next operand that is a file; assignments on the way are done.
    fn next_operand(&mut self) -> Run<Option<Vec<u8>>> {
        loop {
            let count = self.globals[ARGC as usize].number();
            if self.main.next >= count {
                if self.main.used {
                    return Ok(None);
                }
                self.main.used = true;
                return Ok(Some(b"-".to_vec()));
            }
            let n = self.main.next;
            self.main.next += 1.0;
            let operand =
                self.globals[ARGV as usize].array().and_then(|a| a.borrow().get(&Key::Int(n as i64)).cloned());
            let Some(operand) = operand else { continue };
            let operand = self.text_of(&operand);
            if operand.is_empty() {
                continue;
            }
            if self.assign(&operand)? {
                continue;
            }
            self.main.used = true;
            self.globals[ARGIND as usize] = Value::Num(n);
            return Ok(Some(operand));
        }
    }

    fn open_main(&mut self, name: &[u8]) -> Result<(), Errno> {
        if let Some(fd) = super::super::io::special(name, false) {
            if fstat(fd).is_ok_and(|stat| stat.kind == FileType::Directory) {
                return Err(Errno::EISDIR);
            }
            self.main.reader = Some(Reader::new(fd));
            self.main.fd = None;
            return Ok(());
        }
        let fd = open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
        if fstat(fd.raw())?.kind == FileType::Directory {
            return Err(Errno::EISDIR);
        }
        self.main.reader = Some(Reader::new(fd.raw()));
        self.main.fd = Some(fd);
        Ok(())
    }

    /// From here on the output is the new text of the file.
    fn begin_inplace(&mut self, name: &[u8]) -> Run<()> {
        let Some(fd) = &self.main.fd else { return Ok(()) };
        let mode = fstat(fd.raw()).map(|s| s.mode).unwrap_or(0o644);
        self.flush_stdout()?;
        let temporary = [name, b".awk", getpid().to_string().as_bytes()].concat();
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        match open(&temporary, flags, 0o600) {
            Ok(file) => {
                let _ = chmod(&temporary, mode);
                let number = file.into_raw();
                self.out = Out::new(number);
                self.inplace = Some((name.to_vec(), temporary, number));
                Ok(())
            }
            Err(errno) => {
                let shown = String::from_utf8_lossy(name).into_owned();
                Err(self.fatal(format_args!("inplace::begin: cannot replace `{shown}': {errno}")))
            }
        }
    }

    /// What a fatal error has left unfinished is no file of the user's.
    pub fn abandon_inplace(&mut self) {
        if let Some((_, temporary, _)) = self.inplace.take() {
            let _ = unlink(&temporary);
        }
    }

    fn end_inplace(&mut self) -> Run<()> {
        let Some((name, temporary, number)) = self.inplace.take() else { return Ok(()) };
        let written = self.out.flush();
        let _ = capsule_sys::close(number);
        self.out = Out::stdout();
        let suffix = self.program.globals.iter().position(|g| g == "inplace::suffix" || g == "INPLACE_SUFFIX");
        let suffix = suffix.map(|slot| self.text_of(&self.globals[slot].clone())).filter(|s| !s.is_empty());
        let mut result = written;
        if let Some(suffix) = suffix {
            result = result.and_then(|()| rename(&name, &[&name[..], &suffix].concat()));
        }
        result = result.and_then(|()| rename(&temporary, &name));
        if let Err(errno) = result {
            let _ = unlink(&temporary);
            let shown = String::from_utf8_lossy(&name).into_owned();
            return Err(self.fatal(format_args!("inplace::end: cannot replace `{shown}': {errno}")));
        }
        Ok(())
    }

    /// For the parts beside this folder.
    pub fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    pub fn fail(&mut self, text: String) -> Stop {
        self.fatal(text)
    }

    pub fn function(&self, name: &str) -> Option<u32> {
        let plain = name.strip_prefix("awk::").unwrap_or(name);
        self.program.functions.iter().position(|f| f.name == plain && f.defined).map(|f| f as u32)
    }
}
