use crate::backup::{self, Backup};
use crate::input::{base_name, dir_name, join};
use crate::options::{NO, OPT, Options, REQ, only};
use crate::quote::quoted;
use crate::{Args, Exit, Outcome, report, temporary};
use capsule_sys::{
    AT_FDCWD, AT_SYMLINK_FOLLOW, Errno, FileType, In, Out, STDERR, STDIN, link, lstat, rename, stat, symlink, write_all,
};

pub const HELP: &str = "\
Usage: ln [OPTION]... [-T] TARGET LINK_NAME
  or:  ln [OPTION]... TARGET
  or:  ln [OPTION]... TARGET... DIRECTORY
  or:  ln [OPTION]... -t DIRECTORY TARGET...
Links are hard ones, unless -s is there.

      --backup[=CONTROL]      keep what would be overwritten as a backup
  -b                          --backup of the usual kind
  -d, -F, --directory         try to hard link directories (it is not permitted)
  -f, --force                 remove what is in the way
  -i, --interactive           ask before removing what is in the way
  -L, --logical               a TARGET that is a link means what it points to
  -n, --no-dereference        a LINK_NAME that is a link to a directory
                                is no directory to link into
  -P, --physical              a TARGET that is a link is linked itself
  -r, --relative              with -s, write the target as seen from the link
  -s, --symbolic              symbolic links
  -S, --suffix=SUFFIX         what the names of backups end with
  -t, --target-directory=DIRECTORY  make the links in DIRECTORY
  -T, --no-target-directory   LINK_NAME is no directory to link into
  -v, --verbose               name each link
      --help        print this help
      --version     print the version
";

const BACKUP: char = only(0);

struct Linker {
    symbolic: bool,
    force: bool,
    interactive: bool,
    logical: bool,
    /// Hard links to directories are tried, too.
    directories: bool,
    relative: bool,
    verbose: bool,
    backup: Option<Backup>,
    out: Out,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("backup", OPT, BACKUP),
        ("directory", NO, 'd'),
        ("force", NO, 'f'),
        ("interactive", NO, 'i'),
        ("logical", NO, 'L'),
        ("no-dereference", NO, 'n'),
        ("no-target-directory", NO, 'T'),
        ("physical", NO, 'P'),
        ("relative", NO, 'r'),
        ("suffix", REQ, 'S'),
        ("symbolic", NO, 's'),
        ("target-directory", REQ, 't'),
        ("verbose", NO, 'v'),
    ];
    let mut options = Options::new(args, "bdfFiLnPrsS:t:Tv", long);
    let mut ln = Linker {
        symbolic: false,
        force: false,
        interactive: false,
        logical: false,
        directories: false,
        relative: false,
        verbose: false,
        backup: None,
        out: Out::stdout(),
    };
    let (mut follow, mut plain, mut directory, mut backup, mut suffix) = (true, false, None, None, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' | BACKUP => backup = Some(opt.value),
            'f' => (ln.force, ln.interactive) = (true, false),
            'i' => (ln.force, ln.interactive) = (false, true),
            'd' | 'F' => ln.directories = true,
            'L' => ln.logical = true,
            'P' => ln.logical = false,
            'n' => follow = false,
            'r' => ln.relative = true,
            's' => ln.symbolic = true,
            'S' => (suffix, backup) = (Some(opt.value()), backup.or(Some(None))),
            't' => directory = Some(opt.value()),
            'T' => plain = true,
            _ => ln.verbose = true,
        }
    }
    ln.backup = Backup::choose(backup, suffix)?;
    let operands = options.operands();
    if ln.relative && !ln.symbolic {
        return Err(report::die(1, "cannot do --relative without --symbolic"));
    }
    if operands.is_empty() && directory.is_none() {
        return Err(report::usage(1, "missing file operand"));
    }
    let is_dir = |path: &[u8]| {
        let found = if follow { stat(path) } else { lstat(path) };
        found.is_ok_and(|s| s.kind == FileType::Directory)
    };
    let mut status = 0;
    let (targets, into): (&[&[u8]], Option<&[u8]>) = match (&operands[..], directory) {
        (all, Some(dir)) => {
            if plain {
                return Err(report::die(1, "cannot combine --target-directory and --no-target-directory"));
            }
            match stat(dir) {
                Ok(s) if s.kind == FileType::Directory => {}
                Ok(_) => return Err(report::die(1, format_args!("target {} is not a directory", quoted(dir)))),
                Err(e) => return Err(report::die(1, format_args!("failed to access {}: {e}", quoted(dir)))),
            }
            if all.is_empty() {
                return Err(report::usage(1, "missing file operand"));
            }
            (all, Some(dir))
        }
        ([from, to], None) if plain || !is_dir(to) => {
            return finish(&mut ln, |ln| ln.one(from, to), status);
        }
        ([only], None) if plain => {
            return Err(report::usage(1, format_args!("missing destination file operand after {}", quoted(only))));
        }
        (all @ [_, _, extra, ..], None) if plain => {
            let _ = all;
            return Err(report::usage(1, format_args!("extra operand {}", quoted(extra))));
        }
        ([only], None) => (std::slice::from_ref(only), Some(b".")),
        ([targets @ .., last], None) => {
            if !is_dir(last) {
                let e = stat(last).err().unwrap_or(Errno::ENOTDIR);
                return Err(report::die(1, format_args!("target {}: {e}", quoted(last))));
            }
            (targets, Some(last))
        }
        ([], None) => (&[], None),
    };
    let dir = into.unwrap_or(b".");
    for target in targets {
        // A root has no name of its own.
        let base = Some(base_name(target)).filter(|&base| base != b"/").unwrap_or_default();
        if ln.one(target, &join(dir, base)).is_err() {
            status = 1;
        }
    }
    report::finish(&mut ln.out, status)
}

fn finish(ln: &mut Linker, act: impl FnOnce(&mut Linker) -> Result<(), Exit>, status: u8) -> Outcome {
    let status = if act(ln).is_err() { 1 } else { status };
    report::finish(&mut ln.out, status)
}

impl Linker {
    fn one(&mut self, target: &[u8], name: &[u8]) -> Result<(), Exit> {
        let mut source = target.to_vec();
        if !self.symbolic {
            let found = if self.logical { stat(target) } else { lstat(target) };
            match found {
                Err(e) => return Err(report::die(1, format_args!("failed to access {}: {e}", quoted(target)))),
                Ok(s) if s.kind == FileType::Directory && !self.directories => {
                    let text = format!("{}: hard link not allowed for directory", crate::quote::name(target));
                    return Err(report::die(1, text));
                }
                Ok(_) => {}
            }
        } else if self.relative {
            source = crate::path::relative(target, dir_name(name));
        }
        let replace = self.force || self.interactive || self.backup.is_some();
        let existing = match lstat(name) {
            Ok(there) => Some(there),
            Err(e) if replace && e != Errno::ENOENT => {
                return Err(report::die(1, format_args!("failed to access {}: {e}", quoted(name))));
            }
            Err(_) => None,
        };
        let mut saved = None;
        if let Some(existing) = existing {
            if replace && existing.kind == FileType::Directory {
                return Err(report::die(1, format_args!("{}: cannot overwrite directory", crate::quote::name(name))));
            }
            // Replacing a file by a link to itself would lose it; a backup keeps it, a hard link is no backup.
            let loses = if self.backup.is_some() { !self.symbolic } else { self.force };
            let same_inode = stat(&source).is_ok_and(|s| (s.dev, s.ino) == (existing.dev, existing.ino));
            let same_entry = base_name(target) == base_name(name) && same_dir(target, name);
            if loses && same_inode && (existing.nlink == 1 || same_entry) {
                return Err(report::die(1, format_args!("{} and {} are the same file", quoted(target), quoted(name))));
            }
            if self.interactive && !self.confirm(name) {
                return Ok(());
            }
            if let Some(backup) = &self.backup {
                let to = backup.name(name);
                match rename(name, &to) {
                    Ok(()) => saved = Some(to),
                    Err(e) => return Err(report::die(1, format_args!("cannot backup {}: {e}", quoted(name)))),
                }
            }
        }
        let make = |name: &[u8]| match self.symbolic {
            true => symlink(&source, name),
            false => link(target, name, if self.logical { AT_SYMLINK_FOLLOW } else { 0 }),
        };
        let made = make(name).or_else(|e| match e {
            Errno::EEXIST if replace => temporary::link_over(name, make),
            e => Err(e),
        });
        match made {
            Ok(()) => {
                if self.verbose {
                    let arrow = if self.symbolic { "->" } else { "=>" };
                    let mut line = String::new();
                    if let Some(saved) = &saved {
                        line = format!("{} ~ ", quoted(saved));
                    }
                    line += &format!("{} {arrow} {}\n", quoted(name), quoted(&source));
                    self.out.write(line.as_bytes());
                }
                Ok(())
            }
            Err(e) => {
                if let Some(saved) = saved {
                    let _ = backup::restore(AT_FDCWD, &saved, name);
                }
                Err(report::die(1, format_args!("failed to create {}: {e}", self.failed(name, target, &source, e))))
            }
        }
    }

    /// What could not be made, told as far as it matters to the error.
    fn failed(&self, name: &[u8], target: &[u8], source: &[u8], e: Errno) -> String {
        if self.symbolic {
            return match e == Errno::ENAMETOOLONG || source.is_empty() {
                true => format!("symbolic link {} -> {}", quoted(name), quoted(source)),
                false => format!("symbolic link {}", quoted(name)),
            };
        }
        match e {
            Errno::EMLINK => format!("hard link to {}", quoted(target)),
            Errno::EEXIST | Errno::ENOSPC | Errno::EDQUOT | Errno::EROFS => format!("hard link {}", quoted(name)),
            _ => format!("hard link {} => {}", quoted(name), quoted(target)),
        }
    }

    fn confirm(&mut self, name: &[u8]) -> bool {
        let _ = self.out.flush();
        let _ = write_all(STDERR, format!("{}: replace {}? ", report::program(), quoted(name)).as_bytes());
        let mut line = Vec::new();
        let _ = In::new(STDIN).read_until(b'\n', &mut line);
        matches!(line.first(), Some(b'y' | b'Y'))
    }
}

fn same_dir(a: &[u8], b: &[u8]) -> bool {
    match (stat(dir_name(a)), stat(dir_name(b))) {
        (Ok(a), Ok(b)) => (a.dev, a.ino) == (b.dev, b.ino),
        _ => false,
    }
}
