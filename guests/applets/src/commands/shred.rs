use crate::input::{dir_name, join};
use crate::number;
use crate::options::{NO, OPT, Options, REQ, only, word};
use crate::quote::{locale, name};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{
    Errno, FileType, OpenFlags, STDOUT, Seek, chmod, fstat, fsync, ftruncate, open, random, read_full, rename, seek,
    unlink, write,
};

pub const HELP: &str = "\
Usage: shred [OPTION]... FILE...
Overwrite the specified FILE(s) repeatedly.

FILE may be -, standard output.

  -f, --force    make it writable, if it is not
  -n, --iterations=N  N times (3)
      --random-source=FILE  take the random bytes from FILE
  -s, --size=N   SIZE bytes, such as 10K or 3M
  -u             and remove it
      --remove[=HOW]  like -u; HOW is unlink, wipe or wipesync
  -v, --verbose  tell each pass
  -x, --exact    do not round file sizes up to the next full block
  -z, --zero     and once more with zeros
      --help        print this help
      --version     print the version

The session's disk is memory or files of the host: what was there before may
still be in places that no program here can reach.
";

const SOURCE: char = only(0);
const REMOVE: char = only(1);
const BLOCK: u64 = 4096;

struct Shred<'a> {
    force: bool,
    passes: u64,
    source: Option<&'a [u8]>,
    size: Option<u64>,
    remove: Option<bool>,
    verbose: bool,
    exact: bool,
    zero: bool,
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("exact", NO, 'x'),
        ("force", NO, 'f'),
        ("iterations", REQ, 'n'),
        ("random-source", REQ, SOURCE),
        ("remove", OPT, REMOVE),
        ("size", REQ, 's'),
        ("verbose", NO, 'v'),
        ("zero", NO, 'z'),
    ];
    let mut options = Options::new(args, "fn:s:uvxz", long);
    let mut s = Shred {
        force: false,
        passes: 3,
        source: None,
        size: None,
        remove: None,
        verbose: false,
        exact: false,
        zero: false,
    };
    while let Some(opt) = options.next()? {
        match opt.letter {
            'f' => s.force = true,
            'n' => {
                s.passes = number::unsigned(opt.value(), b"")
                    .map_err(|bad| number::complain(1, "invalid number of passes", opt.value(), bad))?;
            }
            SOURCE => {
                if s.source.is_some_and(|o| o != opt.value()) {
                    return Err(report::die(1, "multiple random sources specified"));
                }
                s.source = Some(opt.value());
            }
            's' => {
                let size = number::unsigned_as_c(opt.value(), b"cbBkKMGTPEZY0");
                s.size = Some(size.map_err(|bad| number::complain(1, "invalid file size", opt.value(), bad))?);
            }
            'u' => s.remove = Some(true),
            REMOVE => {
                let words = [("unlink", 0), ("wipe", 1), ("wipesync", 2)];
                s.remove = Some(opt.value.map_or(Ok(2), |v| word(v, "--remove", &words, 1))? > 0);
            }
            'v' => s.verbose = true,
            'x' => s.exact = true,
            _ => s.zero = true,
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return Err(report::usage(1, "missing file operand"));
    }
    let mut status = 0;
    for file in operands {
        if s.file(file).is_err() {
            status = 1;
        }
    }
    Ok(status)
}

impl Shred<'_> {
    fn file(&self, file: &[u8]) -> Result<(), Exit> {
        let shown = name(file);
        let fail = |what: &str, e: Errno| report::die(1, format_args!("{shown}: {what}: {e}"));
        let mut opened = None;
        let fd = if file == b"-" {
            STDOUT
        } else {
            let flags = OpenFlags::WRONLY | OpenFlags::CLOEXEC;
            let mut result = open(file, flags, 0);
            if self.force && result.as_ref().err() == Some(&Errno::EACCES) && chmod(file, 0o200).is_ok() {
                result = open(file, flags, 0);
            }
            opened.insert(result.map_err(|e| fail("failed to open for writing", e))?).raw()
        };
        let s = fstat(fd).map_err(|e| fail("fstat failed", e))?;
        if !matches!(s.kind, FileType::Regular | FileType::BlockDevice) {
            return Err(report::die(1, format_args!("{shown}: invalid file type")));
        }
        let mut size = self.size.unwrap_or(s.size);
        if self.size.is_none() && !self.exact {
            size = size.next_multiple_of(BLOCK);
        }
        // Nothing is there to be written over.
        let passes = if size == 0 { 0 } else { self.passes.saturating_add(self.zero.into()) };
        let mut source = match self.source {
            Some(path) => Some(
                open(path, OpenFlags::RDONLY, 0).map_err(|e| report::die(1, format_args!("{}: {e}", name(path))))?,
            ),
            None => None,
        };
        for pass in 1..=passes {
            let zeros = self.zero && pass == passes;
            if self.verbose {
                let kind = if zeros { "000000" } else { "random" };
                report::error(format_args!("{shown}: pass {pass}/{passes} ({kind})..."));
            }
            seek(fd, Seek::Start(0)).map_err(|e| fail("cannot rewind", e))?;
            let mut left = size;
            let mut block = vec![0; 65_536];
            while left > 0 {
                let n = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                if !zeros {
                    match &mut source {
                        Some(source) => {
                            let got = read_full(source.raw(), &mut block[..n]).map_err(|e| fail("random source", e))?;
                            if got < n {
                                let text = format!("{}: end of file", locale(self.source.unwrap_or_default()));
                                return Err(report::die(1, text));
                            }
                        }
                        None => random(&mut block[..n]).map_err(|e| fail("random", e))?,
                    }
                }
                let mut done = 0;
                while done < n {
                    done += write(fd, &block[done..n])
                        .map_err(|e| fail(&format!("error writing at offset {}", size - left + done as u64), e))?;
                }
                left -= n as u64;
            }
            let _ = fsync(fd);
        }
        if let Some(wipe) = self.remove {
            ftruncate(fd, 0).map_err(|e| fail("error truncating", e))?;
            drop(opened);
            self.remove(file, wipe, &shown)?;
        }
        Ok(())
    }

    /// Under shorter and shorter names of zeros, then not at all.
    fn remove(&self, file: &[u8], wipe: bool, shown: &str) -> Result<(), Exit> {
        if self.verbose {
            report::error(format_args!("{shown}: removing"));
        }
        let mut current = file.to_vec();
        if wipe {
            let length = crate::input::base_name(file).len();
            for n in (1..=length).rev() {
                let next = match dir_name(file) {
                    b"." if !file.contains(&b'/') => vec![b'0'; n],
                    dir => join(dir, &vec![b'0'; n]),
                };
                if capsule_sys::lstat(&next).is_ok() || rename(&current, &next).is_err() {
                    continue;
                }
                if self.verbose {
                    report::error(format_args!("{}: renamed to {}", name(&current), name(&next)));
                }
                current = next;
            }
        }
        unlink(&current).map_err(|e| report::die(1, format_args!("{shown}: failed to remove: {e}")))?;
        if self.verbose {
            report::error(format_args!("{shown}: removed"));
        }
        Ok(())
    }
}
