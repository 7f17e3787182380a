//! `zipgrep`: grep over the members of a zip archive.

use super::unzip::{find, printable};
use super::zgrep::{ended, start};
use crate::zipfile::{self, Member};
use crate::{Args, Exit, Outcome, glob, report};
use capsule_sys::{Disposition, Fd, FdAction, OpenFlags, Out, STDOUT, Signal, fstat, pipe, signal_action, write_all};

pub const HELP: &str = "\
Usage: zipgrep [EGREP OPTION]... PATTERN FILE[.zip] [MEMBER]...
Search the members of a zip archive, all of them where none are named.
";

const USAGE: &[u8] = b"usage: zipgrep [egrep_options] pattern zipfile [members...]\n\
    Uses unzip and egrep to search the zip members for a string or pattern.\n";

pub fn main(args: &Args) -> Outcome {
    let mut options = vec![b"-E".to_vec()];
    let (mut pattern, mut operands) = (false, Vec::new());
    let (mut unnamed, mut list) = (false, false);
    let mut words = args.rest().iter();
    while let Some(word) = words.next() {
        match word.as_slice() {
            b"--help" => {
                write_all(STDOUT, HELP.as_bytes()).map_err(|_| Exit(2))?;
                return Ok(0);
            }
            b"-e" | b"-f" if operands.is_empty() => {
                pattern = true;
                options.push(word.clone());
                options.extend(words.next().cloned());
            }
            [b'-', letters @ ..] if operands.is_empty() && !letters.is_empty() => {
                unnamed |= letters.contains(&b'h');
                list |= letters.contains(&b'l');
                options.push(word.clone());
            }
            text if !pattern => {
                pattern = true;
                options.extend([b"-e".to_vec(), text.to_vec()]);
            }
            text => operands.push(text.to_vec()),
        }
    }
    let Some((archive, wanted)) = operands.split_first() else {
        write_all(STDOUT, USAGE).map_err(|_| Exit(2))?;
        return Ok(1);
    };
    let directory = find(archive).and_then(|(_, file)| {
        let size = fstat(file.raw()).ok()?.size;
        Some((zipfile::directory(file.raw(), size).ok()??, file))
    });
    let Some((directory, file)) = directory else {
        let shown = String::from_utf8_lossy(archive);
        report::error(format_args!("cannot find or open {shown}, {shown}.zip or {shown}.ZIP."));
        return Ok(9);
    };
    let is_wanted = |member: &&Member| {
        wanted.is_empty() || wanted.iter().any(|w| *w == member.name || glob::matches(w, &member.name, false))
    };
    let mut status = 1;
    for member in directory.members.iter().filter(is_wanted).filter(|m| !m.is_directory()) {
        let mut all = options.clone();
        all.push([b"--label=".as_slice(), &printable(&member.name)].concat());
        if !unnamed && !list {
            all.push(b"-H".to_vec());
        }
        if search(&file, member, &all)? == 0 {
            status = 0;
        }
    }
    Ok(status)
}

/// Hands a member to grep: its status.
fn search(file: &Fd, member: &Member, options: &[Vec<u8>]) -> Outcome {
    let (read, write) = pipe(OpenFlags::CLOEXEC).map_err(|e| report::die(2, e))?;
    let (fd, reader, writer) = (file.raw(), read.raw(), write.raw());
    let member = member.clone();
    let child = capsule_sys::fork(move || {
        let _ = capsule_sys::close(reader);
        // Whoever reads may have seen enough: no reason to be killed loudly.
        let _ = signal_action(Signal::PIPE, Disposition::Ignore);
        let mut out = Out::new(writer);
        let unpacked = zipfile::unpack(fd, &member, None, |data| {
            out.write(data);
            out.error().is_none()
        });
        let _ = out.flush();
        i32::from(unpacked.is_err())
    })
    .map_err(|e| report::die(2, e))?;
    drop(write);
    let grep = start("grep", options, vec![FdAction::Dup2 { from: read.raw(), to: 0 }])?;
    drop(read);
    let found = ended(grep);
    ended(child);
    Ok(found)
}
