use super::cp::copy::{Copier, Follow, Preserve};
use super::cp::{Target, destination, trim_slashes};
use crate::backup::Backup;
use crate::input::{base_name, join};
use crate::options::{NO, OPT, Options, REQ, only};
use crate::quote::quoted;
use crate::{Args, Outcome, report};
use capsule_sys::{
    Errno, FileType, In, STDERR, STDIN, Stat, W_OK, access, isatty, lstat, read_dir, rename, rmdir, unlink, write_all,
};

pub const HELP: &str = "\
Usage: mv [OPTION]... [-T] SOURCE DEST
  or:  mv [OPTION]... SOURCE... DIRECTORY
  or:  mv [OPTION]... -t DIRECTORY SOURCE...
Give SOURCE the name DEST, or move several into DIRECTORY.

      --backup[=CONTROL]       keep what would be overwritten as a backup
  -b                           --backup of the usual kind
  -f, --force                  never ask
  -i, --interactive            ask before overwriting
  -n, --no-clobber             never overwrite
      --strip-trailing-slashes  leave slashes at the end of a SOURCE away
  -S, --suffix=SUFFIX          what the names of backups end with
  -t, --target-directory=DIRECTORY  move into DIRECTORY
  -T, --no-target-directory    DEST is no directory to copy into
  -u, --update                 skip what is not older
                                 at the destination
  -v, --verbose                name each file
  -Z, --context                no effect: there are no security contexts
      --help        print this help
      --version     print the version
";

const BACKUP: char = only(0);
const STRIP: char = only(1);

#[derive(Clone, Copy, PartialEq)]
enum Ask {
    Sometimes,
    Always,
    Never,
    /// Nothing is replaced.
    Skip,
}

struct Mover {
    ask: Ask,
    update: bool,
    backup: Option<Backup>,
    copier: Copier,
    /// What was put into the directory in this run, which a second source of the same name must not replace.
    made: Vec<Vec<u8>>,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("backup", OPT, BACKUP),
        ("context", NO, 'Z'),
        ("force", NO, 'f'),
        ("interactive", NO, 'i'),
        ("no-clobber", NO, 'n'),
        ("no-target-directory", NO, 'T'),
        ("strip-trailing-slashes", NO, STRIP),
        ("suffix", REQ, 'S'),
        ("target-directory", REQ, 't'),
        ("update", NO, 'u'),
        ("verbose", NO, 'v'),
    ];
    let mut options = Options::new(args, "bfint:uvS:TZ", long);
    let mut copier = Copier::new();
    copier.follow = Follow::Never;
    copier.preserve = Preserve::ALL;
    copier.recursive = true;
    copier.moving = true;
    let mut mv = Mover { ask: Ask::Sometimes, update: false, backup: None, copier, made: Vec::new() };
    let (mut backup, mut suffix, mut directory, mut plain, mut strip) = (None, None, None, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'b' | BACKUP => backup = Some(opt.value),
            'f' => mv.ask = Ask::Never,
            'i' => mv.ask = Ask::Always,
            'n' => mv.ask = Ask::Skip,
            STRIP => strip = true,
            'S' => (suffix, backup) = (Some(opt.value()), backup.or(Some(None))),
            't' => directory = Some(opt.value()),
            'T' => plain = true,
            'u' => mv.update = true,
            // There are no security contexts to set.
            'Z' => {}
            _ => mv.copier.verbose = true,
        }
    }
    mv.backup = Backup::choose(backup, suffix)?;
    mv.copier.backup = mv.backup.clone();
    if mv.backup.is_some() && mv.ask == Ask::Skip {
        return Err(report::usage(1, "options --backup and --no-clobber are mutually exclusive"));
    }
    let mut operands = options.operands();
    if strip {
        for operand in &mut operands {
            *operand = trim_slashes(operand);
        }
    }
    // A target that is a link to a directory is one; a plain rename onto a directory is tried first.
    let Some((sources, target)) = destination(&operands, directory, plain)? else { return Ok(1) };
    for source in sources {
        match &target {
            Target::File(to) => mv.one(source, to),
            Target::Directory(dir) => mv.one(source, &join(dir, base_name(source))),
        }
    }
    let status = u8::from(mv.copier.failed);
    report::finish(&mut mv.copier.out, status)
}

impl Mover {
    fn one(&mut self, source: &[u8], to: &[u8]) {
        // With something at both ends nothing is done, whatever slashes there are.
        let exists = |path| lstat(trim_slashes(path)).is_ok();
        let slashed = source.ends_with(b"/") || to.ends_with(b"/");
        if self.ask == Ask::Skip && slashed && exists(source) && exists(to) {
            return;
        }
        let s = match lstat(source) {
            Ok(s) => s,
            Err(e) => return self.copier.fail(format_args!("cannot stat {}: {e}", quoted(source))),
        };
        let mut saved = None;
        let there = match lstat(to) {
            Ok(there) => Some(there),
            Err(Errno::ENOENT) => None,
            Err(e) => return self.copier.fail(format_args!("cannot stat {}: {e}", quoted(to))),
        };
        if let Some(there) = there {
            if !self.may_replace(source, &s, to, &there) {
                return;
            }
            if let Some(backup) = &self.backup {
                match backup.save(to) {
                    Ok(name) => saved = name,
                    Err(_) => {
                        self.copier.failed = true;
                        return;
                    }
                }
            }
        }
        // A file cannot be named with a slash; rename would say so less plainly.
        let moved = if to.ends_with(b"/") && s.kind != FileType::Directory && lstat(to).is_err() {
            Err(Errno::ENOTDIR)
        } else {
            rename(source, to)
        };
        match moved {
            Ok(()) => {
                self.made.push(to.to_vec());
                if self.copier.verbose {
                    let mut line = format!("renamed {} -> {}", quoted(source), quoted(to));
                    if let Some(saved) = saved {
                        line += &format!(" (backup: {})", quoted(&saved));
                    }
                    self.copier.out.write((line + "\n").as_bytes());
                }
            }
            Err(Errno::EXDEV) => {
                let moved = self.across(source, to, &s);
                if let Some(saved) = saved.filter(|_| !moved) {
                    let _ = rename(&saved, to);
                }
            }
            Err(Errno::EINVAL) => {
                let text = format!("cannot move {} to a subdirectory of itself, {}", quoted(source), quoted(to));
                self.copier.fail(text);
            }
            Err(e) => {
                if let Some(saved) = saved {
                    let _ = rename(&saved, to);
                }
                self.copier.fail(format_args!("cannot move {} to {}: {e}", quoted(source), quoted(to)));
            }
        }
    }

    /// To another file system: copied, then removed. Whether the copy is whole.
    fn across(&mut self, source: &[u8], to: &[u8], s: &Stat) -> bool {
        if let Ok(there) = lstat(to) {
            let gone = if there.kind == FileType::Directory { rmdir(to) } else { unlink(to) };
            if let Err(e) = gone {
                let text = format!(
                    "inter-device move failed: {} to {}; unable to remove target: {e}",
                    quoted(source),
                    quoted(to)
                );
                self.copier.fail(text);
                return false;
            }
        }
        let copied = self.copier.operand(source, to);
        if copied && let Err((path, e)) = remove(source, s.kind) {
            self.copier.fail(format_args!("cannot remove {}: {e}", quoted(&path)));
        }
        copied
    }

    fn may_replace(&mut self, source: &[u8], s: &Stat, to: &[u8], there: &Stat) -> bool {
        let (from_dir, to_dir) = (s.kind == FileType::Directory, there.kind == FileType::Directory);
        let lost = self.ask != Ask::Skip && self.copier.same_file(source, s, to, there).is_lost();
        if lost {
            self.copier.fail(format_args!("{} and {} are the same file", quoted(source), quoted(to)));
            return false;
        }
        if self.ask == Ask::Skip || (self.update && !from_dir && there.mtime >= s.mtime) {
            return false;
        }
        let protected = there.kind != FileType::Symlink && access(to, W_OK).is_err();
        if self.ask == Ask::Always || (self.ask == Ask::Sometimes && protected && isatty(STDIN)) {
            let _ = self.copier.out.flush();
            let name = report::program();
            let mode = crate::mode::show(there.st_mode());
            let question = match protected {
                true => {
                    format!("{name}: replace {}, overriding mode {:04o} ({})? ", quoted(to), there.mode, &mode[1..])
                }
                false => format!("{name}: overwrite {}? ", quoted(to)),
            };
            let _ = write_all(STDERR, question.as_bytes());
            let mut line = Vec::new();
            let _ = In::new(STDIN).read_until(b'\n', &mut line);
            if !matches!(line.first(), Some(b'y' | b'Y')) {
                return false;
            }
        }
        if from_dir && !to_dir && self.backup.is_none() {
            let text = format!("cannot overwrite non-directory {} with directory {}", quoted(to), quoted(source));
            self.copier.fail(text);
            return false;
        }
        if !to_dir && self.made.iter().any(|made| made == to) && self.backup.is_none() {
            let text = format!("will not overwrite just-created {} with {}", quoted(to), quoted(source));
            self.copier.fail(text);
            return false;
        }
        if !from_dir && to_dir && self.backup.is_none() {
            self.copier.fail(format_args!("cannot overwrite directory {} with non-directory", quoted(to)));
            return false;
        }
        true
    }
}

/// Removes what was copied away.
fn remove(path: &[u8], kind: FileType) -> Result<(), (Vec<u8>, Errno)> {
    let fail = |e| (path.to_vec(), e);
    if kind != FileType::Directory {
        return unlink(path).map_err(fail);
    }
    for entry in read_dir(path).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        remove(&join(path, &entry.name), entry.kind)?;
    }
    rmdir(path).map_err(fail)
}
