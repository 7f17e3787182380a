//! The friends of gzip, bzip2, xz and zstd: grep, diff, cmp and a pager over what is compressed. The format is known by how
//! the data begins, so all of them read all formats, and what is not compressed, too.

use crate::codec::{Fault, Format, Source, decoder, sniff};
use crate::commands::squeeze;
use crate::program;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{
    Disposition, Errno, Fd, FdAction, OpenFlags, STDIN, STDOUT, Signal, SpawnRequest, WaitStatus, dup, environ, getenv,
    open, pipe, signal_action, spawn, stat, wait, write_all,
};

pub const HELP: &str = "\
Usage: zgrep [GREP OPTION]... PATTERN [FILE]...
Search in files that may be compressed.

zegrep is zgrep -E, zfgrep is zgrep -F; bzgrep, xzgrep and zstdgrep are the same. The options are those of grep, but for -r
and -f -.
";

/// `zdiff` and `zcmp`.
pub mod zdiff {
    use crate::{Args, Outcome};

    pub const HELP: &str = "\
Usage: zdiff [OPTION]... FILE1 [FILE2]
Compare files that may be compressed; zcmp compares as cmp does.

With FILE1 only, it is compared with the file of the same name without .gz, .bz2, .xz or .zst. The options are those of diff
(or cmp).
";

    pub fn main(args: &Args) -> Outcome {
        super::compare(args)
    }
}

/// `zmore`, `zless`: there is no terminal to stop at.
pub mod zmore {
    use crate::{Args, Exit, Outcome, report};

    pub const HELP: &str = "\
Usage: zmore [FILE]...
Print files that may be compressed, without pauses.
";

    pub fn main(args: &Args) -> Outcome {
        let files = crate::options::only_operands(args, 1)?;
        let mut status = 0;
        let standard: &[&[u8]] = &[b"-"];
        for &file in if files.is_empty() { standard } else { files.as_slice() } {
            let copied = super::source(file).map_err(super::Trouble::Open).and_then(|s| super::copy(s, 1));
            if let Err(trouble) = copied {
                report::error(format_args!("{}: {}", String::from_utf8_lossy(file), trouble.text()));
                status = 1;
            }
        }
        if status == 0 { Ok(0) } else { Err(Exit(status)) }
    }
}

enum Trouble {
    Open(Errno),
    Data(Option<Format>, Fault),
    Write,
}

impl Trouble {
    fn text(&self) -> &'static str {
        match self {
            Trouble::Open(errno) | Trouble::Data(_, Fault::Read(errno)) => errno.text(),
            Trouble::Data(_, Fault::Eof | Fault::Empty) => "unexpected end of file",
            Trouble::Data(_, Fault::Memory) => "not enough memory",
            Trouble::Data(..) => "the compressed data is damaged",
            Trouble::Write => "write error",
        }
    }
}

fn source(name: &[u8]) -> Result<Source, Errno> {
    match name {
        b"-" => Ok(Source::new(STDIN, None)),
        name => {
            let file = open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)?;
            Ok(Source::new(file.raw(), Some(file)))
        }
    }
}

/// Writes what is inside.
fn copy(mut source: Source, to: i32) -> Result<(), Trouble> {
    let format = sniff(source.look(16).map_err(Trouble::Open)?);
    let mut decode: Box<dyn crate::codec::Decode> = match format {
        Some(format) => decoder(format, source),
        None => Box::new(source),
    };
    let mut buf = vec![0; 64 << 10];
    loop {
        match decode.read(&mut buf).map_err(|fault| Trouble::Data(format, fault))? {
            0 => return Ok(()),
            n => write_all(to, &buf[..n]).map_err(|_| Trouble::Write)?,
        }
    }
}

/// A process that writes what is inside a file to a pipe: its id and the end to read.
fn unpack(name: &[u8]) -> Result<(i32, Fd), Errno> {
    let source = source(name)?;
    let (read, write) = pipe(OpenFlags::CLOEXEC)?;
    let shown = String::from_utf8_lossy(name).into_owned();
    let name = name.to_vec();
    let (reader, writer) = (read.raw(), write.raw());
    let pid = capsule_sys::fork(move || {
        let _ = capsule_sys::close(reader);
        // Whoever reads may have seen enough: no reason to be killed loudly.
        let _ = signal_action(Signal::PIPE, Disposition::Ignore);
        match copy(source, writer) {
            Ok(()) | Err(Trouble::Write) => 0,
            Err(Trouble::Data(Some(format), fault)) => {
                squeeze::complain_of_file(format, &name, fault);
                2
            }
            Err(trouble) => {
                report::error(format_args!("{shown}: {}", trouble.text()));
                2
            }
        }
    })?;
    Ok((pid, read))
}

pub fn ended(pid: i32) -> u8 {
    loop {
        match wait(pid, 0) {
            Ok(Some(waited)) => match waited.status {
                WaitStatus::Exited(code) => return code,
                WaitStatus::Signaled(signal) => return 128 + signal,
                _ => {}
            },
            Err(Errno::EINTR) => {}
            _ => return 2,
        }
    }
}

/// Starts another command with these descriptors.
pub fn start(name: &str, args: &[Vec<u8>], actions: Vec<FdAction>) -> Result<i32, Exit> {
    let path = getenv(b"PATH").unwrap_or_else(|| b"/usr/bin:/bin".to_vec());
    let failed = |e: Errno| report::die(2, format_args!("{name}: {e}"));
    let argv: Vec<Vec<u8>> = [name.as_bytes().to_vec()].into_iter().chain(args.iter().cloned()).collect();
    let path = program::find(name.as_bytes(), &path).map_err(failed)?;
    spawn(&SpawnRequest { path, argv, env: environ(), actions, ..SpawnRequest::default() }).map_err(failed)
}

/// Letters of grep that take a value.
const VALUED: &[u8] = b"efABCmdD";

pub fn main(args: &Args) -> Outcome {
    let called = report::program();
    let called = called.rsplit('/').next().unwrap_or_default().to_owned();
    let mut options: Vec<Vec<u8>> = Vec::new();
    if called.contains("egrep") {
        options.push(b"-E".to_vec());
    } else if called.contains("fgrep") {
        options.push(b"-F".to_vec());
    }
    let (mut pattern, mut files) = (false, Vec::new());
    let (mut named, mut unnamed) = (false, false);
    let mut rest = args.rest().iter().peekable();
    let mut open_options = true;
    while let Some(arg) = rest.next() {
        match arg.as_slice() {
            b"--" if open_options => open_options = false,
            b"--help" if open_options => {
                write_all(STDOUT, HELP.as_bytes()).map_err(|_| Exit(2))?;
                return Ok(0);
            }
            b"--version" if open_options => return version(&called),
            long if open_options && long.starts_with(b"--") => {
                let text = String::from_utf8_lossy(long).into_owned();
                let name = text.split('=').next().unwrap_or_default();
                match name {
                    "--regexp" | "--file" => pattern = true,
                    "--recursive" | "--dereference-recursive" => {
                        return Err(report::die(2, format_args!("option {name} is not supported")));
                    }
                    "--with-filename" => named = true,
                    "--no-filename" => unnamed = true,
                    _ => {}
                }
                options.push(arg.clone());
                let valued = ["--regexp", "--file", "--after-context", "--before-context", "--context", "--max-count"];
                if valued.contains(&name) && !text.contains('=') {
                    options.extend(rest.next().cloned());
                }
            }
            short if open_options && short.len() > 1 && short[0] == b'-' => {
                options.push(arg.clone());
                for (at, &letter) in short.iter().enumerate().skip(1) {
                    match letter {
                        b'e' | b'f' => pattern = true,
                        b'H' => named = true,
                        b'h' => unnamed = true,
                        b'r' | b'R' => {
                            return Err(report::die(2, format_args!("option -{} is not supported", letter as char)));
                        }
                        _ => {}
                    }
                    if VALUED.contains(&letter) {
                        if at + 1 == short.len() {
                            let needs =
                                || report::die(2, format_args!("-{} option requires an argument", letter as char));
                            options.push(rest.next().ok_or_else(needs)?.clone());
                        }
                        break;
                    }
                }
            }
            operand if !pattern => {
                options.extend([b"-e".to_vec(), operand.to_vec()]);
                pattern = true;
            }
            file => files.push(file.to_vec()),
        }
    }
    if !pattern {
        return Err(report::die(2, format_args!("missing pattern; try `{called} --help' for help")));
    }
    let several = files.len() > 1;
    if files.is_empty() {
        files.push(b"-".to_vec());
    }
    let mut status = 1;
    for file in &files {
        // What cannot be opened has nothing in it, and is searched all the same.
        let mut missing = false;
        let unpacked = unpack(file).or_else(|e| {
            missing = true;
            unopened(&called, file, e);
            unpack(b"/dev/null")
        });
        let found = match unpacked {
            Ok((child, read)) => {
                let label: &[u8] = if file == b"-" { b"(standard input)" } else { file };
                let mut all = options.clone();
                all.push([b"--label=".as_slice(), label].concat());
                if (several || named) && !unnamed {
                    all.push(b"-H".to_vec());
                }
                let grep = start("grep", &all, vec![FdAction::Dup2 { from: read.raw(), to: 0 }])?;
                drop(read);
                let found = ended(grep);
                match ended(child) {
                    0 if !missing => found,
                    _ => 2,
                }
            }
            Err(_) => 2,
        };
        status = match (status, found) {
            (s, f) if s >= 2 || f >= 2 => s.max(f),
            (0, _) | (_, 0) => 0,
            _ => 1,
        };
    }
    Ok(status)
}

fn version(called: &str) -> Outcome {
    let text = format!("{called} (Capsule) {}\n", env!("CARGO_PKG_VERSION"));
    write_all(STDOUT, text.as_bytes()).map_err(|_| Exit(2))?;
    Ok(0)
}

/// A file that cannot be opened, in the words of the program that would have unpacked it.
fn unopened(called: &str, file: &[u8], e: Errno) {
    let name = String::from_utf8_lossy(file);
    report::plain(&match called.as_bytes().first() {
        Some(b'b') => format!("bzip2: Can't open input file {name}: {e}.\n"),
        Some(b'x') => format!("xz: {name}: {e}\n"),
        _ if e == Errno::ENOENT && !PACKED.iter().any(|end| file.ends_with(end)) => format!("gzip: {name}.gz: {e}\n"),
        _ => format!("gzip: {name}: {e}\n"),
    });
}

/// How names of compressed files end.
const PACKED: [&[u8]; 10] = [b".gz", b"-gz", b".bz2", b".xz", b".lzma", b".zst", b".Z", b".z", b".tgz", b".taz"];

fn compare(args: &Args) -> Outcome {
    let called = report::program();
    let tool = if called.ends_with("cmp") { "cmp" } else { "diff" };
    let (options, mut files): (Vec<Vec<u8>>, Vec<Vec<u8>>) =
        args.rest().iter().cloned().partition(|arg| arg.len() > 1 && arg.starts_with(b"-"));
    if options.iter().any(|o| o == b"--help") {
        write_all(STDOUT, zdiff::HELP.as_bytes()).map_err(|_| Exit(2))?;
        return Ok(0);
    }
    if options.iter().any(|o| o == b"--version") {
        return version(&called);
    }
    if let [only] = files.as_slice() {
        let plain = PACKED.iter().find_map(|end| only.strip_suffix(*end));
        match plain {
            Some(plain) => files.push(plain.to_vec()),
            None => {
                let shown = String::from_utf8_lossy(only);
                if let Err(e) = stat(only) {
                    return Err(report::die(2, format_args!("{shown}: {e}")));
                }
                return Err(report::die(2, format_args!("{shown}: unknown compressed file extension")));
            }
        }
    }
    let [first, second] = files.as_slice() else {
        return Err(match files.get(2) {
            Some(extra) => report::die(2, format_args!("extra operand '{}'", String::from_utf8_lossy(extra))),
            None => report::die(2, "missing operand"),
        });
    };
    let mut names = Vec::new();
    let mut open_ends = Vec::new();
    let mut children = Vec::new();
    // A file that is not compressed is read by the tool itself, under its own name.
    let packed = |file: &[u8]| file == b"-" || PACKED.iter().any(|end| file.ends_with(end));
    let ends = if packed(first) && packed(second) { [5, 0] } else { [0, 0] };
    for (file, target) in [first, second].into_iter().zip(ends) {
        if file != b"-"
            && let Err(e) = stat(file)
        {
            report::fault(String::from_utf8_lossy(file), e);
            return Err(Exit(2));
        }
        if !packed(file) {
            names.push(file.clone());
            continue;
        }
        match unpack(file) {
            Ok((child, read)) => {
                children.push(child);
                // Out of the way of the descriptors that the tool gets.
                let read = dup(read.raw(), 10, true).map_or(read, Fd::new);
                names.push(if target == 0 { b"-".to_vec() } else { b"/dev/fd/5".to_vec() });
                open_ends.push((read, target));
            }
            Err(e) => {
                report::fault(String::from_utf8_lossy(file), e);
                return Err(Exit(2));
            }
        }
    }
    let all: Vec<Vec<u8>> = options.into_iter().chain(names).collect();
    let actions = open_ends.iter().map(|(read, target)| FdAction::Dup2 { from: read.raw(), to: *target }).collect();
    let tool = start(tool, &all, actions)?;
    drop(open_ends);
    let status = ended(tool);
    let bad = children.into_iter().map(ended).any(|status| status != 0);
    Ok(if bad { 2 } else { status })
}
