//! Files that another program reads first: `--pre`, and what is compressed under `-z`.

use super::describe;
use super::options::Asked;
use crate::{program, temporary};
use capsule_sys::{Errno, Fd, FdAction, OpenFlags, STDERR, STDIN, STDOUT, WaitStatus, open, pipe, pread, wait};

/// What takes a file apart, by the end of its name.
const UNPACKERS: [(&[&str], &[&str]); 6] = [
    (&["gz", "tgz"], &["gzip", "-d", "-c"]),
    (&["bz2", "tbz2"], &["bzip2", "-d", "-c"]),
    (&["xz", "txz"], &["xz", "-d", "-c"]),
    (&["lzma"], &["xz", "--format=lzma", "-d", "-c"]),
    (&["zst", "zstd"], &["zstd", "-q", "-d", "-c"]),
    (&["Z"], &["uncompress", "-c"]),
];

/// A program that reads a file for us.
pub struct Through {
    pub output: Fd,
    errors: Fd,
    pid: i32,
    /// The command, where it was the user's.
    shown: Option<String>,
}

/// The program that is to read a file, if one is; why it could not be started.
pub fn start(asked: &Asked, path: &[u8]) -> Result<Option<Through>, String> {
    let name = crate::input::base_name(path);
    if let Some(command) = &asked.pre
        && (asked.pre_globs.is_empty() || asked.pre_globs.verdict(path))
    {
        let argv = vec![command.clone(), path.to_vec()];
        let words: Vec<String> = argv.iter().map(|word| format!("{:?}", String::from_utf8_lossy(word))).collect();
        let shown = words.join(" ");
        return match run(&argv, Some(path)) {
            Ok(through) => Ok(Some(Through { shown: Some(shown), ..through })),
            Err(e) => Err(format!("preprocessor command could not start: '{shown}': {}", describe(e))),
        };
    }
    if !asked.search_zip {
        return Ok(None);
    }
    let suffix = memchr::memrchr(b'.', name).map(|dot| &name[dot + 1..]);
    let unpacker = UNPACKERS.iter().find(|(ends, _)| ends.iter().any(|end| Some(end.as_bytes()) == suffix));
    let Some((_, command)) = unpacker else { return Ok(None) };
    let mut argv: Vec<Vec<u8>> = command.iter().map(|word| word.as_bytes().to_vec()).collect();
    argv.push(path.to_vec());
    // Without the program the file is searched as it is.
    Ok(run(&argv, None).ok())
}

fn run(argv: &[Vec<u8>], input: Option<&[u8]>) -> Result<Through, Errno> {
    let (output, to_us) = pipe(OpenFlags::CLOEXEC)?;
    // A file, as nobody empties a second pipe while the first is read.
    let errors = temporary::unnamed(&temporary::directory(), "rg")?;
    let input = open(input.unwrap_or(b"/dev/null"), OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
    let to = |fd: &Fd, to| FdAction::Dup2 { from: fd.raw(), to };
    let pid = program::start(argv, vec![to(&input, STDIN), to(&to_us, STDOUT), to(&errors, STDERR)])?;
    Ok(Through { output, errors, pid, shown: None })
}

impl Through {
    /// Waits for its end; what went wrong. `all`: what it wrote was read to the end.
    pub fn finish(self, all: bool) -> Option<String> {
        drop(self.output);
        let good = loop {
            match wait(self.pid, 0) {
                Ok(Some(waited)) => break matches!(waited.status, WaitStatus::Exited(0)),
                Err(Errno::EINTR) => {}
                _ => break true,
            }
        };
        if good || !all {
            return None;
        }
        // More than this of complaints is not told.
        let mut told = [0; 4096];
        let n = pread(self.errors.raw(), &mut told, 0).unwrap_or(0);
        let (rule, told) = ("-".repeat(79), String::from_utf8_lossy(&told[..n]).trim().to_owned());
        let told = if told.is_empty() { "<stderr is empty>".to_owned() } else { told };
        let what = self.shown.map(|shown| format!("preprocessor command failed: '{shown}': ")).unwrap_or_default();
        Some(format!("{what}\n{rule}\n{told}\n{rule}"))
    }
}
