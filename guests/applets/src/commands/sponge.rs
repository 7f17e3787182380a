use crate::input::dir_name;
use crate::options::{NO, Options};
use crate::quote::quoted;
use crate::{Args, Exit, Outcome, report, temporary};
use capsule_sys::{
    Errno, FileType, In, OpenFlags, Out, STDIN, W_OK, access, fchmod, fstat, ftruncate, lstat, open, rename, unlink,
    write_all,
};

pub const HELP: &str = "\
Usage: sponge [-a] [FILE]
Soak up standard input and write it to FILE, once all of it is read: a command
may read the file that its output replaces. Without FILE, standard output.

  -a, --append   append to FILE
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "a", &[("append", NO, 'a')]);
    let mut append = false;
    while options.next()?.is_some() {
        append = true;
    }
    let operands = options.operands();
    if let Some(extra) = operands.get(1) {
        return Err(report::usage(1, format_args!("extra operand {}", quoted(extra))));
    }
    let mut all = Vec::new();
    In::new(STDIN).read_to_end(&mut all).map_err(|e| report::die(1, format_args!("read error: {e}")))?;
    let Some(&file) = operands.first() else {
        let mut out = Out::stdout();
        out.write(&all);
        return report::finish(&mut out, 0);
    };
    let fail = |what: &str, e: Errno| {
        report::plain(&format!("error {what} output file: {e}\n"));
        Exit(1)
    };
    let unopened = |e| fail("opening", e);
    let unwritten = |e| fail("writing buffer to", e);
    // A file is replaced whole or stays as it was; what is no file of its own, or has other names, is written to.
    if !append
        && let Ok(there) = lstat(file)
        && there.kind == FileType::Regular
        && there.nlink == 1
        && access(file, W_OK).is_ok()
        && let Ok((new, temporary)) = temporary::named(dir_name(file), "sponge.")
    {
        let written = write_all(new.raw(), &all)
            .and_then(|()| fchmod(new.raw(), there.mode))
            .and_then(|()| new.close())
            .and_then(|()| rename(&temporary, file));
        return written.map(|()| 0).map_err(|e| {
            let _ = unlink(&temporary);
            unwritten(e)
        });
    }
    let (new, how) = (lstat(file).is_err(), if append { OpenFlags::APPEND } else { OpenFlags::TRUNC });
    let target = open(file, OpenFlags::WRONLY | OpenFlags::CREAT | how, 0o666).map_err(unopened)?;
    let size = fstat(target.raw()).map_or(0, |stat| stat.size);
    write_all(target.raw(), &all).map_err(|e| {
        // Nothing is left half-written.
        let _ = if new { unlink(file) } else { ftruncate(target.raw(), size) };
        unwritten(e)
    })?;
    Ok(0)
}
