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
use copy::{Copier, Follow, Preserve, Update};

pub const HELP: &str = "\
Usage: cp [OPTION]... [-T] SOURCE DEST
  or:  cp [OPTION]... SOURCE... DIRECTORY
  or:  cp [OPTION]... -t DIRECTORY SOURCE...
Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.

  -a, --archive                same as -dR --preserve=all
      --attributes-only        don't copy the file data, just the attributes
      --backup[=CONTROL]       make a backup of each existing destination file
  -b                           like --backup but does not accept an argument
      --copy-contents          copy contents of special files when recursive
  -d                           same as --no-dereference --preserve=links
  -f, --force                  if an existing destination file cannot be
                                 opened, remove it and try again
  -i, --interactive            prompt before overwrite
  -H                           follow command-line symbolic links in SOURCE
  -l, --link                   hard link files instead of copying
  -L, --dereference            always follow symbolic links in SOURCE
  -n, --no-clobber             do not overwrite an existing file
  -P, --no-dereference         never follow symbolic links in SOURCE
  -p                           same as --preserve=mode,ownership,timestamps
      --preserve[=ATTR_LIST]   preserve the specified attributes
      --no-preserve=ATTR_LIST  don't preserve the specified attributes
      --parents                use full source file name under DIRECTORY
  -R, -r, --recursive          copy directories recursively
      --reflink[=WHEN]         control clone/CoW copies (they are what they are)
      --remove-destination     remove each existing destination file before
                                 attempting to open it
      --sparse=WHEN            control creation of sparse files (always sparse)
      --strip-trailing-slashes  remove any trailing slashes from each SOURCE
  -s, --symbolic-link          make symbolic links instead of copying
  -S, --suffix=SUFFIX          override the usual backup suffix
  -t, --target-directory=DIRECTORY  copy all SOURCE arguments into DIRECTORY
  -T, --no-target-directory    treat DEST as a normal file
  -u, --update                 copy only when the SOURCE file is newer
                                 than the destination file or when the
                                 destination file is missing
  -v, --verbose                explain what is being done
  -x, --one-file-system        stay on this file system
  -Z, --context[=CTX]          no effect: there are no security contexts
      --help        display this help and exit
      --version     output version information and exit
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
                word(opt.value(), "--sparse", &[("never", 0), ("auto", 1), ("always", 2)], 1)?;
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
    // Whole trees are copied as they are; single files through their links.
    let whole = cp.recursive && !cp.link;
    cp.follow = follow.unwrap_or(if whole { Follow::Never } else { Follow::Always });
    if cp.recursive {
        cp.umask = capsule_sys::umask(0);
        capsule_sys::umask(cp.umask);
    }
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
