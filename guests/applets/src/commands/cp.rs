//! Copying: this file reads the command line; `copy` does the work, for `cp`, `mv` across file systems and `install`.

use crate::backup::Backup;
use crate::input::{base_name, join};
use crate::options::{Long, NO, OPT, Options, REQ, only, word};
use crate::quote::quoted;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, FileType, stat};

pub mod copy;
mod file;
mod replace;
use copy::{Copier, Follow, Preserve, Sparse, Update};

pub const HELP: &str = "\
Usage: cp [OPTION]... [-T] SOURCE DEST
  or:  cp [OPTION]... SOURCE... DIRECTORY
  or:  cp [OPTION]... -t DIRECTORY SOURCE...
Copy a file to DEST, or several into DIRECTORY.

  -a, --archive                -dR, with everything preserved
      --attributes-only        permissions, times and owners, without contents
      --backup[=CONTROL]       keep what would be overwritten as a backup
  -b                           --backup of the usual kind
      --copy-contents          with -R, read FIFOs and devices like files
  -d                           links stay links, hard ones too
  -f, --force                  where a destination cannot be opened,
                                 remove it and try again
  -i, --interactive            ask before overwriting
  -H                           follow links among the operands
  -l, --link                   make hard links, no copies
  -L, --dereference            follow every symbolic link
  -n, --no-clobber             never overwrite
  -P, --no-dereference         copy symbolic links as links
  -p                           keep permissions, owner and times
      --preserve[=ATTR_LIST]   preserve the specified attributes
      --no-preserve=ATTR_LIST  do not keep these after all
      --parents                make the operand's directories below DIRECTORY
  -R, -r, --recursive          copy whole trees
      --reflink[=WHEN]         share the data: always (an error here), auto, never
      --remove-destination     remove what is there before copying
      --sparse=WHEN            holes in place of zeros: always, never, or where the
                                 source has some (auto)
      --strip-trailing-slashes  leave slashes at the end of a SOURCE away
  -s, --symbolic-link          make symbolic links, no copies
  -S, --suffix=SUFFIX          what the names of backups end with
  -t, --target-directory=DIRECTORY  copy into DIRECTORY
  -T, --no-target-directory    DEST is no directory to copy into
  -u, --update                 skip what is not older
                                 at the destination
  -v, --verbose                name each file
  -x, --one-file-system        do not leave the file system
  -Z, --context[=CTX]          no effect: there are no security contexts
      --help        print this help
      --version     print the version
";

const ATTRIBUTES: char = only(0);
const BACKUP: char = only(1);
const PRESERVE: char = only(2);
const NO_PRESERVE: char = only(3);
const PARENTS: char = only(4);
const REFLINK: char = only(5);
const REMOVE: char = only(6);
const SPARSE: char = only(7);
const STRIP: char = only(8);
const CONTENTS: char = only(9);
const CONTEXT: char = only(10);

const LONG: &[Long] = &[
    ("archive", NO, 'a'),
    ("attributes-only", NO, ATTRIBUTES),
    ("backup", OPT, BACKUP),
    ("context", OPT, CONTEXT),
    ("copy-contents", NO, CONTENTS),
    ("dereference", NO, 'L'),
    ("force", NO, 'f'),
    ("interactive", NO, 'i'),
    ("link", NO, 'l'),
    ("no-clobber", NO, 'n'),
    ("no-dereference", NO, 'P'),
    ("no-preserve", REQ, NO_PRESERVE),
    ("no-target-directory", NO, 'T'),
    ("one-file-system", NO, 'x'),
    ("parents", NO, PARENTS),
    ("preserve", OPT, PRESERVE),
    ("recursive", NO, 'R'),
    ("reflink", OPT, REFLINK),
    ("remove-destination", NO, REMOVE),
    ("sparse", REQ, SPARSE),
    ("strip-trailing-slashes", NO, STRIP),
    ("suffix", REQ, 'S'),
    ("symbolic-link", NO, 's'),
    ("target-directory", REQ, 't'),
    ("update", NO, 'u'),
    ("verbose", NO, 'v'),
];

pub fn main(args: &Args) -> Outcome {
    let mut cp = Copier::new();
    let (mut backup, mut suffix, mut directory, mut plain) = (None, None, None, false);
    let (mut follow, mut parents, mut strip) = (None, false, false);
    let mut options = Options::new(args, "abdfHilLnprsS:t:uvxPRTZ", LONG);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => {
                follow = Some(Follow::Never);
                cp.recursive = true;
                cp.preserve = Preserve::ALL;
            }
            ATTRIBUTES => cp.data = false,
            CONTENTS => cp.contents = true,
            'Z' => {}
            CONTEXT => {
                if opt.value.is_some() {
                    report::error("warning: ignoring --context; it requires an SELinux-enabled kernel");
                }
            }
            'b' | BACKUP => backup = Some(opt.value),
            'd' => {
                follow = Some(Follow::Never);
                cp.preserve.links = true;
            }
            'f' => cp.force = true,
            'i' => (cp.interactive, cp.no_clobber) = (true, false),
            'n' => (cp.interactive, cp.no_clobber) = (false, true),
            'H' => follow = Some(Follow::Operands),
            'L' => follow = Some(Follow::Always),
            'P' => follow = Some(Follow::Never),
            'l' => cp.link = true,
            's' => cp.symbolic = true,
            'p' => cp.preserve.attributes(true),
            PRESERVE => cp.preserve.set(opt.value.unwrap_or(b"mode,ownership,timestamps"), true)?,
            NO_PRESERVE => cp.preserve.set(opt.value(), false)?,
            PARENTS => parents = true,
            'r' | 'R' => cp.recursive = true,
            REFLINK => {
                let words = &[("auto", 0), ("always", 1), ("never", 2)];
                cp.clone = opt.value.map_or(Ok(1), |v| word(v, "--reflink", words, 1))? == 1;
            }
            SPARSE => {
                let words = &[("never", Sparse::Never), ("auto", Sparse::Auto), ("always", Sparse::Always)];
                cp.sparse = word(opt.value(), "--sparse", words, 1)?;
            }
            REMOVE => cp.remove = true,
            STRIP => strip = true,
            'S' => (suffix, backup) = (Some(opt.value()), backup.or(Some(None))),
            't' => directory = Some(opt.value()),
            'T' => plain = true,
            'u' => cp.update = Update::Newer,
            'v' => cp.verbose = true,
            _ => cp.one_file_system = true,
        }
    }
    cp.backup = Backup::choose(backup, suffix)?;
    if cp.link && cp.symbolic {
        return Err(report::usage(1, "cannot make both hard and symbolic links"));
    }
    if cp.backup.is_some() && cp.no_clobber {
        return Err(report::usage(1, "options --backup and --no-clobber are mutually exclusive"));
    }
    if cp.clone && cp.sparse != Sparse::Auto {
        return Err(report::usage(1, "--reflink can be used only with --sparse=auto"));
    }
    // Whole trees are copied as they are; single files through their links.
    let whole = cp.recursive && !cp.link;
    cp.follow = follow.unwrap_or(if whole { Follow::Never } else { Follow::Always });
    cp.umask = capsule_sys::umask(0);
    capsule_sys::umask(cp.umask);
    let operands = options.operands();
    let Some((sources, target)) = destination(&operands, directory, plain)? else { return Ok(1) };
    cp.several = sources.len() > 1;
    for source in sources {
        let source = if strip && matches!(target, Target::Directory(_)) { trim_slashes(source) } else { source };
        match &target {
            Target::File(to) => {
                if parents {
                    return Err(report::usage(1, "with --parents, the destination must be a directory"));
                }
                let regular = || stat(to).is_ok_and(|there| there.kind == FileType::Regular);
                match cp.backup.take_if(|_| cp.force && source == to && regular()) {
                    // A file onto itself, by force: the copy is the backup.
                    Some(backup) => cp.operand(source, &backup.name(to)),
                    None => cp.operand(source, to),
                };
            }
            Target::Directory(dir) if parents => cp.with_parents(source, dir),
            Target::Directory(dir) => {
                let base = base_name(source);
                // `cp -r .. dir` copies what is in it.
                let to = if base == b".." { dir.to_vec() } else { join(dir, base) };
                cp.operand(source, &to);
            }
        }
    }
    let status = u8::from(cp.failed);
    report::finish(&mut cp.out, status)
}

/// Where things go.
pub enum Target {
    File(Vec<u8>),
    Directory(Vec<u8>),
}

type Destination<'a> = Option<(Vec<&'a [u8]>, Target)>;

/// Which operands are sources, and where they go; for `cp` and `mv`.
pub fn destination<'a>(operands: &[&'a [u8]], directory: Option<&[u8]>, plain: bool) -> Result<Destination<'a>, Exit> {
    let is_dir = |path: &[u8]| stat(path).map(|s| s.kind == FileType::Directory);
    if operands.is_empty() {
        return Err(report::usage(1, "missing file operand"));
    }
    if let Some(dir) = directory {
        if plain {
            return Err(report::die(1, "cannot combine --target-directory (-t) and --no-target-directory (-T)"));
        }
        return match is_dir(dir) {
            Ok(true) => Ok(Some((operands.to_vec(), Target::Directory(dir.to_vec())))),
            Ok(false) => Err(report::die(1, format_args!("target directory {}: {}", quoted(dir), Errno::ENOTDIR))),
            Err(e) => Err(report::die(1, format_args!("target directory {}: {e}", quoted(dir)))),
        };
    }
    let (last, sources) = match operands {
        [sources @ .., last] if !sources.is_empty() => (*last, sources.to_vec()),
        _ => {
            let text = format!("missing destination file operand after {}", quoted(operands[0]));
            return Err(report::usage(1, text));
        }
    };
    if plain {
        if let Some(extra) = operands.get(2) {
            return Err(report::usage(1, format_args!("extra operand {}", quoted(extra))));
        }
        return Ok(Some((sources, Target::File(last.to_vec()))));
    }
    match is_dir(last) {
        Ok(true) => Ok(Some((sources, Target::Directory(last.to_vec())))),
        other if sources.len() > 1 => {
            let e = other.err().unwrap_or(Errno::ENOTDIR);
            Err(report::die(1, format_args!("target {}: {e}", quoted(last))))
        }
        _ => Ok(Some((sources, Target::File(last.to_vec())))),
    }
}

/// Without the slashes at its end; a root stays one.
pub fn trim_slashes(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&b| b != b'/').map_or(path.len().min(1), |i| i + 1);
    &path[..end]
}
