//! How bzip2 says what is wrong. It stops at data that it cannot read and at output that it cannot write.

use super::Settings;
use super::words::{Trouble, say};
use crate::codec::Fault;
use crate::report;
use capsule_sys::Errno;

const RECOVER: &str = "\nYou can use the `bzip2recover' program to attempt to recover\ndata from undamaged sections \
                       of corrupted files.\n\n";

/// Whether it ends here.
pub fn stops(settings: &Settings, trouble: &Trouble) -> bool {
    match trouble {
        Trouble::Write(_) | Trouble::Fault(Fault::Read(_)) => true,
        Trouble::Fault(fault) => !settings.test && *fault != Fault::NotFormat,
        _ => false,
    }
}

/// Tells it; the status it makes.
pub fn tell(settings: &Settings, name: &str, trouble: Trouble) -> u8 {
    let noisy = settings.quiet == 0;
    let verbose = settings.verbose > 0;
    match trouble {
        Trouble::Open(e) if settings.test => report::error(format_args!("Can't open input {name}: {e}.")),
        Trouble::Open(e) => report::error(format_args!("Can't open input file {name}: {e}.")),
        Trouble::Create(path, e) => {
            report::error(format_args!("Can't create output file {}: {e}.", String::from_utf8_lossy(&path)));
        }
        Trouble::Write(e) | Trouble::Fault(Fault::Read(e)) => {
            stop(settings, name, "I/O or other error, bailing out.  Possible reason follows.", Some(e.text()), false);
        }
        Trouble::Fault(fault) if settings.test => {
            let text = match fault {
                Fault::NotFormat => "bad magic number (file not created by bzip2)",
                Fault::Eof | Fault::Empty => "file ends unexpectedly",
                Fault::Memory => "couldn't allocate enough memory",
                _ => "data integrity (CRC) error in data",
            };
            match verbose {
                true => say(format!("{text}\n")),
                false => report::error(format_args!("{name}: {text}")),
            }
            return 2;
        }
        Trouble::Fault(Fault::NotFormat) => {
            match verbose {
                true => say("not a bzip2 file.\n".to_owned()),
                false => report::error(format_args!("{name} is not a bzip2 file.")),
            }
            return 2;
        }
        Trouble::Fault(Fault::Eof | Fault::Empty) => {
            let text = "Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.";
            // What the last call that failed said: it looked whether the result is there.
            let reason = match (settings.target.is_empty(), name) {
                (false, _) => Errno::ENOENT.text(),
                (true, "(stdin)") => Errno::ENOTTY.text(),
                _ => "Success",
            };
            stop(settings, name, text, Some(reason), true);
            return 2;
        }
        Trouble::Fault(Fault::Memory) => {
            stop(settings, name, "couldn't allocate enough memory", None, false);
            return 1;
        }
        Trouble::Fault(_) => {
            stop(settings, name, "Data integrity error when decompressing.", None, true);
            return 2;
        }
        Trouble::Directory => report::error(format_args!("Input file {name} is a directory.")),
        Trouble::NotRegular | Trouble::Link if noisy => {
            report::error(format_args!("Input file {name} is not a normal file."));
        }
        Trouble::Links(n) => {
            let plural = if n == 1 { "" } else { "s" };
            report::error(format_args!("Input file {name} has {n} other link{plural}."));
        }
        Trouble::Exists(path) => {
            report::error(format_args!("Output file {} already exists.", String::from_utf8_lossy(&path)));
        }
        Trouble::HasSuffix(suffix) if noisy => {
            let suffix = String::from_utf8_lossy(&suffix).into_owned();
            report::error(format_args!("Input file {name} already has {suffix} suffix."));
        }
        Trouble::Garbage => {
            let text = "trailing garbage after EOF ignored";
            match (noisy, verbose, settings.test) {
                (false, _, _) => {}
                (_, true, true) => say(format!("{text}\n")),
                _ if settings.test => report::error(format_args!("{name}: {text}")),
                _ => say(format!("\n{}: {name}: {text}\n", report::program())),
            }
            return 0;
        }
        _ => {}
    }
    1
}

fn stop(settings: &Settings, name: &str, what: &str, reason: Option<&str>, damaged: bool) {
    let program = report::program();
    let mut text = format!("\n{program}: {what}\n");
    if let Some(reason) = reason {
        text += &format!("{program}: {reason}\n");
    }
    if settings.quiet == 0 {
        let target = String::from_utf8_lossy(&settings.target);
        let target = if target.is_empty() { "(stdout)".into() } else { target };
        text += &format!("\tInput file = {name}, output file = {target}\n");
        if damaged {
            text += "\nIt is possible that the compressed file(s) have become corrupted.\nYou can use the -tvv option \
                     to test integrity of such files.\n";
            text += RECOVER;
        }
        if !settings.target.is_empty() {
            text += &format!("{program}: Deleting output file {target}, if it exists.\n");
        }
    }
    say(text);
}

/// The last word, when it stopped before the last file.
pub fn unprocessed(settings: &Settings, (done, of): (usize, usize)) {
    if done < of && settings.quiet == 0 {
        let program = report::program();
        let left = of - done;
        say(format!(
            "{program}: WARNING: some files have not been processed:\n{program}:    {of} specified on command line, \
             {left} not processed yet.\n\n"
        ));
    }
}

/// What follows when files were found to be damaged.
pub fn finished(settings: &Settings, status: u8) {
    if settings.test && status == 2 && settings.quiet == 0 {
        say(RECOVER.to_owned());
    }
}
