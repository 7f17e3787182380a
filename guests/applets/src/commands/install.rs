use super::cp::copy::same_entry;
use super::cp::{Target, destination};
use crate::backup::{self, Backup};
use crate::input::{Input, base_name, dir_name, join};
use crate::mode::Change;
use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::path::from_the_top;
use crate::quote::{locale, quoted};
use crate::users::Names;
use crate::{Args, Exit, Outcome, number, program, report};
use capsule_sys::{
    AT_FDCWD, Errno, FileType, OpenFlags, Out, SetTime, SpawnRequest, Stat, chmod, chown, environ, fstat, getenv,
    getids, lstat, mkdir, open, spawn, stat, unlink, utimens, wait,
};
use std::collections::HashSet;

pub const HELP: &str = "\
Usage: install [OPTION]... [-T] SOURCE DEST
  or:  install [OPTION]... SOURCE... DIRECTORY
  or:  install [OPTION]... -t DIRECTORY SOURCE...
  or:  install [OPTION]... -d DIRECTORY...
Copy files and set their modes and owners, or make directories (-d).

      --backup[=CONTROL]  keep what would be overwritten as a backup
  -b                  --backup of the usual kind
  -c                  (changes nothing)
  -C, --compare       leave a destination alone that is the same already
  -d, --directory     make directories, with all above them
  -D                  make the directories above DEST, or the target directory
  -g, --group=GROUP   set the group
  -m, --mode=MODE     permissions, as for chmod (rwxr-xr-x)
  -o, --owner=OWNER   set the owner
  -p, --preserve-timestamps   keep access and modification times
  -s, --strip         take symbols out
      --strip-program=PROGRAM  program used to strip
  -S, --suffix=SUFFIX  what the names of backups end with
  -t, --target-directory=DIRECTORY  copy all SOURCEs into DIRECTORY
  -T, --no-target-directory  DEST is no directory to install into
  -v, --verbose       tell what is made
  -Z, --context[=CTX], --preserve-context  no effect: there are no security contexts
      --help        print this help
      --version     print the version
";

const BACKUP: char = only(0);
const STRIP_PROGRAM: char = only(1);
const CONTEXT: char = only(2);
const PRESERVE_CONTEXT: char = only(3);
const LONG: &[Long] = &[
    ("backup", OPT, BACKUP),
    ("compare", NO, 'C'),
    ("context", OPT, CONTEXT),
    ("directory", NO, 'd'),
    ("group", REQ, 'g'),
    ("mode", REQ, 'm'),
    ("no-target-directory", NO, 'T'),
    ("owner", REQ, 'o'),
    ("preserve-context", NO, PRESERVE_CONTEXT),
    ("preserve-timestamps", NO, 'p'),
    ("strip", NO, 's'),
    ("strip-program", REQ, STRIP_PROGRAM),
    ("suffix", REQ, 'S'),
    ("target-directory", REQ, 't'),
    ("verbose", NO, 'v'),
];

struct Install {
    mode: u32,
    directory_mode: u32,
    owner: Option<u32>,
    group: Option<u32>,
    backup: Option<Backup>,
    compare: bool,
    times: bool,
    strip: Option<Vec<u8>>,
    /// What was installed: a second file of the same name does not replace the first.
    made: HashSet<Vec<u8>>,
    verbose: bool,
    parents: bool,
    failed: bool,
    out: Out,
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "bcCsDdg:m:o:pt:TvS:Z", LONG);
    let (mut backup, mut suffix, mut mode, mut target) = (None, None, None, None);
    let (mut directories, mut plain, mut strip, mut strip_program) = (false, false, false, b"strip".to_vec());
    let mut has_program = false;
    let (mut owner, mut group) = (None, None);
    let mut i = Install {
        mode: 0o755,
        directory_mode: 0o755,
        owner: None,
        group: None,
        backup: None,
        compare: false,
        times: false,
        strip: None,
        made: HashSet::new(),
        verbose: false,
        parents: false,
        failed: false,
        out: Out::stdout(),
    };
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' | BACKUP => backup = Some(opt.value),
            'c' => {}
            'C' => i.compare = true,
            'd' => directories = true,
            'D' => i.parents = true,
            'g' => group = Some(opt.value()),
            'm' => mode = Some(opt.value()),
            'o' => owner = Some(opt.value()),
            'p' => i.times = true,
            's' => strip = true,
            STRIP_PROGRAM => (strip_program, has_program) = (opt.value().to_vec(), true),
            'S' => (suffix, backup) = (Some(opt.value()), backup.or(Some(None))),
            't' => target = Some(opt.value()),
            'T' => plain = true,
            'Z' => {}
            CONTEXT => {
                if opt.value.is_some() {
                    report::error("warning: ignoring --context; it requires an SELinux-enabled kernel");
                }
            }
            PRESERVE_CONTEXT => {
                report::error("WARNING: ignoring --preserve-context; this kernel is not SELinux-enabled");
            }
            _ => i.verbose = true,
        }
    }
    if directories && strip {
        return Err(report::die(1, "the strip option may not be used when installing a directory"));
    }
    if directories && target.is_some() {
        return Err(report::die(1, "target directory not allowed when installing a directory"));
    }
    if has_program && !strip {
        report::error("WARNING: ignoring --strip-program option as -s option was not specified");
    }
    i.strip = strip.then_some(strip_program);
    i.backup = Backup::choose(backup, suffix)?;
    if i.compare && i.times {
        return Err(report::usage(1, "options --compare (-C) and --preserve-timestamps are mutually exclusive"));
    }
    if i.compare && strip {
        return Err(report::usage(1, "options --compare (-C) and --strip are mutually exclusive"));
    }
    let operands = options.operands();
    match operands.as_slice() {
        [] => return Err(report::usage(1, "missing file operand")),
        [only] if !directories && target.is_none() => {
            let text = format!("missing destination file operand after {}", quoted(only));
            return Err(report::usage(1, text));
        }
        _ => {}
    }
    if let Some(text) = mode {
        let change =
            Change::parse(text).ok_or_else(|| report::die(1, format_args!("invalid mode {}", locale(text))))?;
        i.mode = change.apply(0, false, 0);
        i.directory_mode = change.apply(0, true, 0);
        if i.compare && i.mode & !0o777 != 0 {
            report::error("the --compare (-C) option is ignored when you specify a mode with non-permission bits");
        }
    }
    if let Some(name) = owner {
        let id = id_as_c(Names::users(), name);
        i.owner = Some(id.ok_or_else(|| report::die(1, format_args!("invalid user {}", locale(name))))?);
    }
    if let Some(name) = group {
        let id = id_as_c(Names::groups(), name);
        i.group = Some(id.ok_or_else(|| report::die(1, format_args!("invalid group {}", locale(name))))?);
    }
    if directories {
        for dir in operands {
            i.directory(dir);
        }
    } else {
        i.files(&operands, target, plain)?;
    }
    let status = u8::from(i.failed);
    report::finish(&mut i.out, status)
}

impl Install {
    fn fail(&mut self, message: String) {
        let _ = self.out.flush();
        report::error(message);
        self.failed = true;
    }

    fn tell(&mut self, text: String) {
        if self.verbose {
            self.out.write(text.as_bytes());
        }
    }

    /// A directory with all above it; those above have the usual mode.
    fn directory(&mut self, path: &[u8]) {
        match self.above(path).and_then(|()| self.make(path).map_err(|e| (path.to_vec(), e))) {
            Err((dir, e)) => self.fail(format!("cannot create directory {}: {e}", locale(&dir))),
            Ok(()) => {
                let mode = self.directory_mode;
                let set = chmod(path, mode).and_then(|()| self.own(path));
                if let Err(e) = set {
                    self.fail(format!("cannot change permissions of {}: {e}", quoted(path)));
                }
            }
        }
    }

    fn make(&mut self, path: &[u8]) -> Result<(), Errno> {
        match mkdir(path, 0o755) {
            Ok(()) => {
                // Whatever the umask says.
                chmod(path, 0o755)?;
                self.tell(format!("{}: creating directory {}\n", report::program(), quoted(path)));
                Ok(())
            }
            Err(Errno::EEXIST) if stat(path).is_ok_and(|s| s.kind == FileType::Directory) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Makes what is above a path, from the top; or which of those could not be made.
    fn above(&mut self, path: &[u8]) -> Result<(), (Vec<u8>, Errno)> {
        let dir = dir_name(path).to_vec();
        if stat(&dir).is_ok_and(|s| s.kind == FileType::Directory) {
            return Ok(());
        }
        for dir in from_the_top(&dir) {
            if !stat(dir).is_ok_and(|s| s.kind == FileType::Directory) {
                let found = |e| if e == Errno::EEXIST { Errno::ENOTDIR } else { e };
                self.make(dir).map_err(|e| (dir.to_vec(), found(e)))?;
            }
        }
        Ok(())
    }

    fn own(&self, path: &[u8]) -> Result<(), Errno> {
        if self.owner.is_some() || self.group.is_some() { chown(path, self.owner, self.group) } else { Ok(()) }
    }

    fn files(&mut self, operands: &[&[u8]], target: Option<&[u8]>, plain: bool) -> Result<(), Exit> {
        if self.parents {
            let dir = match (target, operands) {
                (Some(dir), _) => Some(dir.to_vec()),
                (None, [_, dest]) => Some(dir_name(dest).to_vec()),
                _ => None,
            };
            if let Some(dir) = dir
                && let Err((dir, e)) = self.above(&join(&dir, b"file"))
            {
                return Err(report::die(1, format_args!("cannot create directory {}: {e}", quoted(&dir))));
            }
        }
        if let Some(dir) = target {
            let found =
                stat(dir).and_then(|s| if s.kind == FileType::Directory { Ok(()) } else { Err(Errno::ENOTDIR) });
            found.map_err(|e| report::die(1, format_args!("failed to access {}: {e}", quoted(dir))))?;
        }
        // With -D, the destination is a file even if nothing is there yet.
        let Some((sources, target)) = destination(operands, target, plain)? else { return Ok(()) };
        for source in sources {
            match &target {
                Target::File(to) => self.file(source, to),
                Target::Directory(dir) => self.file(source, &join(dir, base_name(source))),
            }
        }
        Ok(())
    }

    fn file(&mut self, from: &[u8], to: &[u8]) {
        let source = match stat(from) {
            Ok(s) => s,
            Err(e) => return self.fail(format!("cannot stat {}: {e}", quoted(from))),
        };
        if source.kind == FileType::Directory {
            return self.fail(format!("omitting directory {}", quoted(from)));
        }
        if let Err(e) = lstat(to)
            && e != Errno::ENOENT
        {
            return self.fail(format!("cannot stat {}: {e}", quoted(to)));
        }
        if self.made.contains(to) {
            let text = format!("will not overwrite just-created {} with {}", quoted(to), quoted(from));
            return self.fail(text);
        }
        if let Ok(s) = stat(to) {
            // Another name of the same file is only a name, and goes; but not what a link is to be read through.
            let is_link = |path| lstat(path).is_ok_and(|s| s.kind == FileType::Symlink);
            let only_a_name = !same_entry(from, to) && (is_link(to) || (s.nlink > 1 && !is_link(from)));
            if (s.dev, s.ino) == (source.dev, source.ino) && !only_a_name {
                return self.fail(format!("{} and {} are the same file", quoted(from), quoted(to)));
            }
            if s.kind == FileType::Directory {
                return self.fail(format!("cannot overwrite directory {} with non-directory", quoted(to)));
            }
        }
        if self.compare && self.unchanged(from, to, &source) {
            return;
        }
        let saved = match &self.backup {
            Some(backup) => match backup.save(to) {
                Ok(saved) => saved,
                Err(_) => {
                    self.failed = true;
                    return;
                }
            },
            None => None,
        };
        if saved.is_none() && lstat(to).is_ok() {
            if let Err(e) = unlink(to) {
                return self.fail(format!("cannot remove {}: {e}", quoted(to)));
            }
            self.tell(format!("removed {}\n", quoted(to)));
        }
        let mut text = format!("{} -> {}", quoted(from), quoted(to));
        if let Some(saved) = &saved {
            text += &format!(" (backup: {})", quoted(saved));
        }
        self.tell(text + "\n");
        if let Err(message) = copy(from, to) {
            if let Some(saved) = &saved {
                let _ = backup::restore(AT_FDCWD, saved, to);
            }
            return self.fail(message);
        }
        self.made.insert(to.to_vec());
        if let Some(strip) = self.strip.clone()
            && let Err(e) = run(&strip, to)
        {
            let _ = unlink(to);
            return self.fail(e);
        }
        if self.times {
            let _ = utimens(to, SetTime::At(source.atime), SetTime::At(source.mtime));
        }
        if let Err(e) = self.own(to) {
            self.fail(format!("cannot change ownership of {}: {e}", quoted(to)));
        }
        if let Err(e) = chmod(to, self.mode) {
            self.fail(format!("cannot change permissions of {}: {e}", quoted(to)));
        }
    }

    /// Whether the destination is as it would become.
    fn unchanged(&self, from: &[u8], to: &[u8], source: &Stat) -> bool {
        let Ok(there) = lstat(to) else { return false };
        let (uid, gid) = getids().unwrap_or_default();
        there.kind == FileType::Regular
            && there.size == source.size
            && there.mode == self.mode
            && there.mode & !0o777 == 0
            && there.uid == self.owner.unwrap_or(uid)
            && there.gid == self.group.unwrap_or(gid)
            && same(from, to).unwrap_or(false)
    }
}

fn same(a: &[u8], b: &[u8]) -> Result<bool, Errno> {
    let (mut a, mut b) = (Input::open(a)?, Input::open(b)?);
    loop {
        let (x, y) = (a.stream.fill()?, b.stream.fill()?);
        let n = x.len().min(y.len());
        if n == 0 || x[..n] != y[..n] {
            return Ok(x.is_empty() && y.is_empty());
        }
        a.stream.consume(n);
        b.stream.consume(n);
    }
}

fn copy(from: &[u8], to: &[u8]) -> Result<(), String> {
    let mut input = Input::open(from).map_err(|e| format!("cannot open {} for reading: {e}", quoted(from)))?;
    // Nobody else reads it before its mode is set.
    let file = open(to, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::EXCL, 0o600)
        .map_err(|e| if e == Errno::EISDIR && to.ends_with(b"/") { Errno::ENOTDIR } else { e })
        .map_err(|e| format!("cannot create regular file {}: {e}", quoted(to)))?;
    let mut out = Out::new(file.raw());
    let regular = fstat(input.fd()).is_ok_and(|s| s.kind == FileType::Regular);
    let unwritten = |e| match regular {
        // As cp says it.
        true => format!("error copying {} to {}: {e}", quoted(from), quoted(to)),
        false => format!("error writing {}: {e}", quoted(to)),
    };
    loop {
        let block = input.stream.fill().map_err(|e| format!("error reading {}: {e}", quoted(from)))?;
        if block.is_empty() {
            return out.flush().map_err(unwritten);
        }
        out.write(block);
        let n = block.len();
        input.stream.consume(n);
        out.error().map_or(Ok(()), |e| Err(unwritten(e)))?;
    }
}

fn run(command: &[u8], file: &[u8]) -> Result<(), String> {
    let shown = quoted(command);
    let path = getenv(b"PATH").unwrap_or_default();
    let request = |path| SpawnRequest {
        path,
        argv: vec![command.to_vec(), file.to_vec()],
        env: environ(),
        ..SpawnRequest::default()
    };
    let pid = program::find(command, &path).and_then(|p| spawn(&request(p)));
    let pid = pid.map_err(|e| format!("cannot run {shown}: {e}"))?;
    match wait(pid, 0) {
        Ok(Some(waited)) if waited.status.shell_code() == 0 => Ok(()),
        _ => Err("strip process terminated abnormally".to_owned()),
    }
}

/// The id of a name, or a number as C writes them: a 0 in front makes it octal.
fn id_as_c(mut names: Names, name: &[u8]) -> Option<u32> {
    let known = names.lines().iter().any(|fields| fields[0] == name);
    if known { names.id(name) } else { number::unsigned_as_c(name, b"").ok()?.try_into().ok() }
}
