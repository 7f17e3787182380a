//! One file at a time: found, patched in memory, and put in place when it is done.

use super::hunk::{Hunk, Work};
use super::parse::{Kind, Name, Patch};
use super::{ReadOnly, Settings, TROUBLE, ed, fatal, make_directories, names, reject, shown};
use crate::input::{base_name, dir_name, join};
use crate::{Exit, Outcome, report};
use capsule_sys::{
    Errno, Fd, FileType, OpenFlags, Out, STDOUT, Stat, W_OK, access, fchmod, getpid, lstat, open, open_apart, read,
    read_to_end, rename, rmdir, stat, unlink, write_all,
};

pub struct Patcher<'a> {
    settings: Settings,
    out: Out,
    /// The file named on the command line.
    file: Option<&'a [u8]>,
    status: u8,
    /// Files whose backup this run has made already.
    saved: Vec<Vec<u8>>,
    /// The file of `-o`.
    output: Option<Fd>,
}

/// What became of a file's hunks.
struct Fate {
    failed: Vec<(Hunk, isize)>,
    /// Something was off, so the original is worth keeping.
    mismatch: bool,
    skipped: bool,
}

impl<'a> Patcher<'a> {
    pub fn new(settings: Settings, out: Out, file: Option<&'a [u8]>) -> Patcher<'a> {
        Patcher { settings, out, file, status: 0, saved: Vec::new(), output: None }
    }

    pub fn flush(&mut self) {
        let _ = self.out.flush();
    }

    pub fn finish(mut self) -> Outcome {
        if self.settings.verbose {
            self.say("done\n");
        }
        match self.out.flush() {
            Ok(()) => Ok(self.status),
            Err(e) => Err(report::die(TROUBLE, format_args!("**** write error : {e}"))),
        }
    }

    fn say(&mut self, text: &str) {
        if !self.settings.silent {
            self.out.write(text.as_bytes());
        }
    }

    /// Said even with -s: something was not done.
    fn warn(&mut self, text: &str) {
        self.out.write(text.as_bytes());
    }

    fn failed(&mut self) {
        self.status = self.status.max(1);
    }

    /// An answer from the terminal; nobody there says nothing.
    fn ask(&mut self, question: &str) -> Vec<u8> {
        self.warn(question);
        self.flush();
        let mut answer = Vec::new();
        if let Ok(terminal) = open(b"/dev/tty", OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0) {
            let mut byte = [0];
            while let Ok(1) = read(terminal.raw(), &mut byte) {
                if byte[0] == b'\n' {
                    return answer;
                }
                answer.push(byte[0]);
            }
        }
        self.warn("\n");
        answer
    }

    pub fn patch(&mut self, mut patch: Patch) -> Result<(), Exit> {
        if self.settings.verbose {
            self.tell_kind(&patch);
        }
        let count = patch.hunks.len();
        let Some((from, to)) = self.names(&patch) else {
            self.ignored(count);
            return Ok(());
        };
        if patch.git.as_ref().is_some_and(|g| g.binary) && count == 0 {
            self.warn(&format!("File {}: git binary diffs are not supported.\n", shown(&to)));
            self.failed();
            return Ok(());
        }
        let found = if self.settings.follow { stat(&from) } else { lstat(&from) };
        let found = match found {
            Ok(s) => Some(s),
            Err(Errno::ENOENT | Errno::ENOTDIR) => None,
            Err(e) => return Err(fatal("Can't get file attributes of file", &from, e)),
        };
        if found.is_some_and(|s| s.kind != FileType::Regular) {
            self.warn(&format!("File {} is not a regular file -- refusing to patch\n", shown(&from)));
            let failed = patch.hunks.iter().map(|h| (h.clone(), 0)).collect();
            let fate = Fate { failed, mismatch: false, skipped: true };
            return self.rejects(&patch, &to, fate, count);
        }
        if found.is_some() && self.settings.read_only != ReadOnly::Ignore && access(&from, W_OK).is_err() {
            if self.settings.read_only == ReadOnly::Fail {
                self.warn(&format!("File {} is read-only; refusing to patch\n", shown(&from)));
                let failed = patch.hunks.iter().map(|h| (h.clone(), 0)).collect();
                return self.rejects(&patch, &to, Fate { failed, mismatch: false, skipped: true }, count);
            }
            self.warn(&format!("File {} is read-only; trying to patch anyway\n", shown(&from)));
        }
        let mut reverse = self.settings.reverse;
        let mut skip = false;
        self.check_existence(&patch, &from, found, &mut reverse, &mut skip);
        if skip {
            self.ignored(count);
            return Ok(());
        }
        if reverse {
            self.turn(&mut patch);
        }
        let bytes = match found {
            None => Vec::new(),
            Some(_) => open(&from, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)
                .and_then(|fd| read_to_end(fd.raw()))
                .map_err(|e| fatal("can't open file", &from, e))?,
        };
        let verb = if self.settings.dry { "checking" } else { "patching" };
        let mut line = match &self.settings.output {
            Some(output) => format!("{verb} file {} (read from {})", shown(output), shown(&from)),
            None => format!("{verb} file {}", shown(&to)),
        };
        if from != to && self.settings.output.is_none() {
            let how = if patch.git.as_ref().is_some_and(|g| g.copy) { "copied" } else { "renamed" };
            line += &format!(" ({how} from {})", shown(&from));
        }
        if patch.kind != Some(Kind::Ed) {
            self.say(&format!("{line}\n"));
        }
        if self.settings.verbose {
            self.say("Using Plan A...\n");
        }
        if patch.kind == Some(Kind::Ed) {
            let Some(result) = ed::run(&patch.script, &bytes) else {
                self.flush();
                return Err(report::die(TROUBLE, "**** the ed script does more than diff -e writes, or does not fit"));
            };
            return self.put(&patch, &from, &to, found, &result, false);
        }
        let mut work = Work::new(&bytes, self.settings.blanks);
        let fate = self.hunks(&mut patch, &mut work, &mut reverse);
        work.finish();
        let result = std::mem::take(&mut work.out);
        drop(work);
        let deletes = patch.new.as_ref().is_some_and(|n| n.missing);
        let missing_input = found.is_none() && !deletes && !fate.skipped && fate.failed.len() == count && count > 0;
        if missing_input {
            self.flush();
            return Err(fatal("Can't reopen file", &from, Errno::ENOENT));
        }
        if !fate.skipped {
            self.put(&patch, &from, &to, found, &result, fate.mismatch || !fate.failed.is_empty())?;
        }
        if !fate.failed.is_empty() {
            self.rejects(&patch, &to, fate, count)?;
        }
        Ok(())
    }

    /// Says which file a patch is about that could not be read to its end.
    pub fn announce(&mut self, patch: &Patch) {
        if let Some((_, to)) = self.names(patch) {
            let verb = if self.settings.dry { "checking" } else { "patching" };
            self.say(&format!("{verb} file {}\n", shown(&to)));
        }
    }

    fn turn(&self, patch: &mut Patch) {
        patch.hunks.iter_mut().for_each(Hunk::reverse);
        std::mem::swap(&mut patch.old, &mut patch.new);
        if let Some(git) = &mut patch.git {
            std::mem::swap(&mut git.created, &mut git.deleted);
            std::mem::swap(&mut git.old_mode, &mut git.new_mode);
        }
    }

    fn tell_kind(&mut self, patch: &Patch) {
        let kind = match patch.kind {
            Some(Kind::Unified) => "a unified diff",
            Some(Kind::Context) => "a new-style context diff",
            Some(Kind::Normal) => "a normal diff",
            Some(Kind::Ed) => "an ed script",
            None => "a git diff",
        };
        self.say(&format!("Hmm...  Looks like {kind} to me...\n"));
        self.tell_lead(patch);
    }

    fn tell_lead(&mut self, patch: &Patch) {
        if patch.lead.is_empty() {
            return;
        }
        self.warn("The text leading up to this was:\n--------------------------\n");
        for line in &patch.lead {
            self.out.byte(b'|');
            self.out.write(line);
        }
        self.warn("--------------------------\n");
    }

    fn ignored(&mut self, hunks: usize) {
        let plural = if hunks == 1 { "" } else { "s" };
        self.warn(&format!("{hunks} out of {hunks} hunk{plural} ignored\n"));
        self.failed();
    }

    /// Where to read and where to write.
    fn names(&mut self, patch: &Patch) -> Option<(Vec<u8>, Vec<u8>)> {
        if let Some(file) = self.file {
            return Some((file.to_vec(), file.to_vec()));
        }
        let mut names = names::candidates(patch, self.settings.strip);
        let mut told: Vec<Vec<u8>> = Vec::new();
        names.retain(|name| {
            let safe = names::is_safe(name);
            if !safe && !told.contains(name) {
                told.push(name.clone());
            }
            safe
        });
        for name in told {
            self.warn(&format!("Ignoring potentially dangerous file name {}\n", shown(&name)));
        }
        if let Some(git) = &patch.git
            && (git.rename || git.copy)
            && let [old, new] = &names[..]
        {
            let (from, to) = if self.settings.reverse { (new, old) } else { (old, new) };
            return Some((from.clone(), to.clone()));
        }
        let empty = patch.hunks.len() == 1 && {
            let hunk = &patch.hunks[0];
            if self.settings.reverse { hunk.after().is_empty() } else { hunk.before().is_empty() }
        };
        let created = patch.git.as_ref().is_some_and(|g| g.created || g.deleted);
        let missing = |name: &Option<Name>| name.as_ref().is_some_and(|n| n.missing);
        let creates = empty || created || missing(&patch.old) || missing(&patch.new);
        if let Some(name) = names::choose(&names, creates) {
            return Some((name.clone(), name));
        }
        self.not_found(patch)
    }

    fn not_found(&mut self, patch: &Patch) -> Option<(Vec<u8>, Vec<u8>)> {
        self.warn(&format!("can't find file to patch at input line {}\n", patch.line));
        if patch.old.is_some() || patch.new.is_some() || patch.index.is_some() {
            self.warn(match self.settings.strip {
                None => "Perhaps you should have used the -p or --strip option?\n",
                Some(_) => "Perhaps you used the wrong -p or --strip option?\n",
            });
        }
        self.tell_lead(patch);
        if self.settings.force || self.settings.batch {
            self.warn("No file to patch.  Skipping patch.\n");
            return None;
        }
        loop {
            let answer = self.ask("File to patch: ");
            if !answer.is_empty() && stat(&answer).is_ok() {
                return Some((answer.clone(), answer));
            }
            if !answer.is_empty() {
                self.warn(&format!("{}: No such file or directory\n", shown(&answer)));
            }
            let answer = self.ask("Skip this patch? [y] ");
            if answer.first() != Some(&b'n') {
                self.warn("Skipping patch.\n");
                return None;
            }
        }
    }

    /// A patch that makes what is there, or removes what is not, was perhaps meant the other way.
    fn check_existence(
        &mut self,
        patch: &Patch,
        name: &[u8],
        found: Option<Stat>,
        reverse: &mut bool,
        skip: &mut bool,
    ) {
        if patch.hunks.is_empty() {
            return;
        }
        let empty = found.is_none_or(|s| s.size == 0);
        let side = if *reverse != empty { &patch.new } else { &patch.old };
        if !side.as_ref().is_some_and(|n| n.missing) {
            return;
        }
        let when = if *reverse { ", when reversed," } else { "" };
        let text = format!(
            "The next patch{when} would {} the file {},\nwhich {}!",
            match found {
                Some(_) if empty => "empty out",
                _ if empty => "delete",
                _ => "create",
            },
            shown(name),
            match found {
                None => "does not exist",
                Some(_) if empty => "is already empty",
                Some(_) => "already exists",
            }
        );
        if self.may_reverse(&text, *reverse, skip) {
            *reverse = !*reverse;
        }
    }

    fn may_reverse(&mut self, text: &str, reverse: bool, skip: &mut bool) -> bool {
        if self.settings.forward || !(self.settings.force && self.settings.silent) {
            self.warn(text);
        }
        if self.settings.forward {
            self.warn("  Skipping patch.\n");
            *skip = true;
            return false;
        }
        if self.settings.force {
            self.say("  Applying it anyway.\n");
            return false;
        }
        if self.settings.batch {
            self.warn(if reverse { "  Ignoring -R.\n" } else { "  Assuming -R.\n" });
            return true;
        }
        let yes = |answer: Vec<u8>| answer.first() == Some(&b'y');
        if yes(self.ask(if reverse { "  Ignore -R? [n] " } else { "  Assume -R? [n] " })) {
            return true;
        }
        if !yes(self.ask("Apply anyway? [n] ")) {
            self.say("Skipping patch.\n");
            *skip = true;
        }
        false
    }

    fn hunks(&mut self, patch: &mut Patch, work: &mut Work, reverse: &mut bool) -> Fate {
        let mut fate = Fate { failed: Vec::new(), mismatch: false, skipped: false };
        let mut anyway = false;
        for at in 0..patch.hunks.len() {
            let (prefix, suffix) = patch.hunks[at].context();
            let most = self.settings.fuzz.min(prefix.max(suffix));
            let mut fuzz = 0;
            let mut place = None;
            while !fate.skipped {
                // A new file's content fits into no other.
                let taken = patch.old.as_ref().is_some_and(|n| n.missing) && !work.lines.is_empty();
                place = if taken { None } else { work.locate(&patch.hunks[at], fuzz) };
                if place.is_none() && at == 0 && !self.settings.force && !anyway && *reverse == self.settings.reverse {
                    // Perhaps it has been applied already.
                    let mut turned = patch.hunks[at].clone();
                    turned.reverse();
                    if work.locate(&turned, fuzz).is_some() {
                        work.in_offset = 0;
                        let what = if *reverse { "Unreversed" } else { "Reversed (or previously applied)" };
                        if self.may_reverse(&format!("{what} patch detected!"), *reverse, &mut fate.skipped) {
                            *reverse = !*reverse;
                            self.turn(patch);
                            place = work.locate(&patch.hunks[at], fuzz);
                        } else {
                            anyway = true;
                            continue;
                        }
                    }
                }
                if place.is_some() || fuzz >= most {
                    break;
                }
                fuzz += 1;
            }
            let number = at + 1;
            let hunk = &patch.hunks[at];
            let near = place.unwrap_or(hunk.first()) as isize + work.out_offset;
            match place {
                Some(place) => {
                    let off = work.in_offset;
                    work.apply(hunk, place, fuzz);
                    fate.mismatch |= fuzz > 0 || off != 0;
                    if self.settings.verbose || fuzz > 0 || off != 0 {
                        let mut text = format!("Hunk #{number} succeeded at {near}");
                        if fuzz > 0 {
                            text += &format!(" with fuzz {fuzz}");
                        }
                        if off != 0 {
                            text += &format!(" (offset {off} line{})", if off == 1 { "" } else { "s" });
                        }
                        self.say(&format!("{text}.\n"));
                    }
                }
                None => {
                    fate.failed.push((hunk.clone(), work.out_offset));
                    if !fate.skipped {
                        self.say(&format!("Hunk #{number} FAILED at {near}.\n"));
                    }
                }
            }
        }
        fate
    }

    /// Puts the result where it belongs.
    fn put(
        &mut self,
        patch: &Patch,
        from: &[u8],
        to: &[u8],
        found: Option<Stat>,
        result: &[u8],
        mismatch: bool,
    ) -> Result<(), Exit> {
        if self.settings.dry {
            return Ok(());
        }
        if let Some(output) = self.settings.output.clone() {
            return self.put_output(&output, result);
        }
        let git = patch.git.clone().unwrap_or_default();
        let gone = git.deleted || patch.new.as_ref().is_some_and(|n| n.missing);
        if self.settings.backup || (mismatch && self.settings.backup_mismatch) {
            self.save(to, if from == to { found } else { lstat(to).ok() })?;
        }
        if result.is_empty() && (self.settings.remove_empty || gone) {
            if found.is_some() {
                unlink(from).map_err(|e| fatal("Can't remove file", from, e))?;
                let mut dir = dir_name(from);
                while dir != b"." && dir != b"/" && rmdir(dir).is_ok() {
                    dir = dir_name(dir);
                }
            }
            return Ok(());
        }
        if gone {
            self.warn(&format!("Not deleting file {} as content differs from patch\n", shown(to)));
            self.failed();
        }
        let mode = git.new_mode.map(|m| m & 0o777).or(found.map(|s| s.mode));
        make_directories(to);
        write_file(to, result, mode)?;
        if from != to && git.rename {
            unlink(from).map_err(|e| fatal("Can't remove file", from, e))?;
        }
        Ok(())
    }

    fn put_output(&mut self, output: &[u8], result: &[u8]) -> Result<(), Exit> {
        let fault = |e| fatal("Can't write to file", output, e);
        if output == b"-" {
            self.flush();
            let unwritten = |e| report::die(TROUBLE, format_args!("**** write error : {e}"));
            return write_all(STDOUT, result).map_err(unwritten);
        }
        // All results of one run go there, one after the other.
        self.output.as_ref().map_or(Ok(()), |file| write_all(file.raw(), result)).map_err(fault)
    }

    /// `-o`: the file is there, and empty, before anything is patched.
    pub fn begin_output(&mut self) -> Result<(), Exit> {
        if let Some(output) = self.settings.output.as_deref().filter(|o| *o != b"-" && !self.settings.dry) {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
            let file = open_apart(output, flags, 0o600).map_err(|e| fatal("Can't create file", output, e))?;
            self.output = Some(file);
        }
        Ok(())
    }

    fn save(&mut self, path: &[u8], found: Option<Stat>) -> Result<(), Exit> {
        if self.saved.iter().any(|p| p == path) {
            return Ok(());
        }
        self.saved.push(path.to_vec());
        let prefix = self.settings.prefix.as_deref().unwrap_or_default();
        let base_prefix = self.settings.base_prefix.as_deref().unwrap_or_default();
        let to = if prefix.is_empty() && base_prefix.is_empty() {
            let Some(keep) = &self.settings.keep else { return Ok(()) };
            keep.name(path)
        } else {
            let base = [base_prefix, base_name(path)].concat();
            let named = if dir_name(path) == b"." { base } else { join(dir_name(path), &base) };
            let suffix: &[u8] = if self.settings.suffix_given { b".orig" } else { b"" };
            [prefix, &named, suffix].concat()
        };
        let bytes = match found {
            None => Vec::new(),
            Some(_) => open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0)
                .and_then(|fd| read_to_end(fd.raw()))
                .map_err(|e| fatal("Can't open file", path, e))?,
        };
        make_directories(&to);
        write_file(&to, &bytes, found.map(|s| s.mode))
    }

    fn rejects(&mut self, patch: &Patch, to: &[u8], fate: Fate, count: usize) -> Result<(), Exit> {
        self.failed();
        let plural = if count == 1 { "" } else { "s" };
        let what = if fate.skipped { "ignored" } else { "FAILED" };
        let mut text = format!("{} out of {count} hunk{plural} {what}", fate.failed.len());
        let target = self.settings.output.clone().unwrap_or_else(|| to.to_vec());
        let file = self.settings.reject.clone().unwrap_or_else(|| [target.as_slice(), b".rej"].concat());
        let wanted = !self.settings.dry && file != b"-";
        if wanted {
            text += &format!(" -- saving rejects to file {}", shown(&file));
        }
        self.warn(&format!("{text}\n"));
        if wanted {
            let unified = self.settings.reject_unified.unwrap_or(patch.kind == Some(Kind::Unified));
            make_directories(&file);
            write_file(&file, &reject::text(patch, &fate.failed, unified, self.settings.strip), None)?;
        }
        Ok(())
    }
}

/// Writes beside the file and renames, so that there is always a whole one.
fn write_file(path: &[u8], bytes: &[u8], mode: Option<u32>) -> Result<(), Exit> {
    if stat(path) == Err(Errno::ELOOP) {
        return Err(fatal("Can't create file", path, Errno::ELOOP));
    }
    let temporary = join(dir_name(path), format!(".patch{}", getpid()).as_bytes());
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::NOFOLLOW | OpenFlags::CLOEXEC;
    let file = open(&temporary, flags, 0o666).map_err(|e| fatal("Can't create file", path, e))?;
    let written = write_all(file.raw(), bytes)
        .and_then(|()| mode.map_or(Ok(()), |mode| fchmod(file.raw(), mode)))
        .and_then(|()| file.close())
        .and_then(|()| rename(&temporary, path));
    written.map_err(|e| {
        let _ = unlink(&temporary);
        match e {
            Errno::EISDIR => fatal("Can't create file", path, e),
            Errno::ENOSPC => report::die(TROUBLE, format_args!("**** write error : {e}")),
            e => fatal("Can't write to file", path, e),
        }
    })
}
