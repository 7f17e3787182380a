//! Redirections. The shell changes its own descriptors, keeps copies of what they were, and puts them back.

use super::socket::Socket;
use crate::shell::{Flow, Opt, Shell, Shopt, Target};
use crate::syntax::ast::*;
use capsule_sys as sys;
use sys::OpenFlags;

/// How to put descriptors back, newest last.
#[derive(Default)]
pub struct Undo {
    saved: Vec<(i32, Option<i32>)>,
}

/// Copies of the script's descriptors are kept from here on.
const SAVE_FROM: i32 = 10;

impl Shell {
    /// Carries them out; false after a reported failure.
    pub fn redirect(&mut self, redirects: &[Redirect], undo: &mut Undo) -> Flow<bool> {
        if redirects.is_empty() {
            return Ok(true);
        }
        self.before_process();
        for redirect in redirects {
            match self.redirect_one(redirect, undo) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(unwind) => {
                    let undo = std::mem::take(undo);
                    self.undo_redirects(undo);
                    return Err(unwind);
                }
            }
        }
        Ok(true)
    }

    pub fn undo_redirects(&mut self, undo: Undo) {
        if undo.saved.is_empty() {
            return;
        }
        self.before_process();
        for (fd, saved) in undo.saved.into_iter().rev() {
            match saved {
                Some(copy) => {
                    let _ = sys::dup2(copy, fd, OpenFlags(0));
                    let _ = sys::close(copy);
                }
                None => drop(sys::close(fd)),
            }
        }
    }

    /// `exec > file`: what was before is forgotten.
    pub fn keep_redirects(&mut self, undo: Undo) {
        for copy in undo.saved.into_iter().filter_map(|(_, copy)| copy) {
            let _ = sys::close(copy);
        }
    }

    fn save(&mut self, fd: i32, undo: &mut Undo) {
        let copy = sys::dup(fd, SAVE_FROM, true).ok();
        undo.saved.push((fd, copy));
    }

    /// Makes `fd` a copy of `from` until it is undone.
    pub(super) fn place_copy(&mut self, from: i32, fd: i32, undo: &mut Undo) {
        self.save(fd, undo);
        let _ = sys::dup2(from, fd, OpenFlags(0));
    }

    /// Puts an open file at `fd`.
    fn place_file(&mut self, file: sys::Fd, fd: i32, undo: &mut Undo) -> bool {
        if file.raw() == fd {
            // It was closed before and has taken its place already.
            undo.saved.push((fd, None));
            let _ = sys::set_cloexec(fd, false);
            let _ = file.into_raw();
            return true;
        }
        self.save(fd, undo);
        match sys::dup2(file.raw(), fd, OpenFlags(0)) {
            Ok(()) => true,
            Err(errno) => {
                undo.saved.pop();
                self.error_about(fd.to_string().as_bytes(), errno.text());
                false
            }
        }
    }

    fn redirect_one(&mut self, redirect: &Redirect, undo: &mut Undo) -> Flow<bool> {
        let fd = match &redirect.target {
            RedirectFd::Default => redirect.op.default_fd(),
            RedirectFd::Number(n) => *n,
            RedirectFd::Variable(name) => return self.redirect_variable(redirect, name, undo),
        };
        match redirect.op {
            RedirectOp::DupIn | RedirectOp::DupOut => self.redirect_dup(redirect, fd, undo),
            RedirectOp::WriteBoth | RedirectOp::AppendBoth => {
                let Some(path) = self.redirect_path(&redirect.word)? else { return Ok(false) };
                Ok(self.open_both(&path, redirect.op == RedirectOp::AppendBoth, undo))
            }
            _ => {
                let Some(file) = self.redirect_file(redirect)? else { return Ok(false) };
                let placed = self.place_file(file, fd, undo);
                let owned = redirect.op == RedirectOp::Read
                    && sys::fstat(fd).is_ok_and(|stat| stat.kind == sys::FileType::Regular);
                if placed && owned {
                    self.own_input(fd);
                }
                Ok(placed)
            }
        }
    }

    fn open_both(&mut self, path: &[u8], append: bool, undo: &mut Undo) -> bool {
        let how = if append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | how;
        match self.open_checked(path, flags, !append) {
            Some(file) => {
                if !self.place_file(file, sys::STDOUT, undo) {
                    return false;
                }
                self.save(sys::STDERR, undo);
                sys::dup2(sys::STDOUT, sys::STDERR, OpenFlags(0)).is_ok()
            }
            None => false,
        }
    }

    /// `{name}>file`: a new descriptor from 10 on; it stays open after the command.
    fn redirect_variable(&mut self, redirect: &Redirect, name: &[u8], undo: &mut Undo) -> Flow<bool> {
        let Some(target) = self.target_of_text(name)? else {
            self.error([b"`", name, b"': not a valid identifier"].concat());
            return Ok(false);
        };
        let file = if matches!(redirect.op, RedirectOp::DupIn | RedirectOp::DupOut) {
            let text = self.expand_single(&redirect.word)?;
            if text == b"-" {
                let value = self.read_target(&target).unwrap_or_default();
                let fd = crate::arith::parse_integer(&value).and_then(|n| i32::try_from(n).ok());
                let Some(fd) = fd else {
                    self.error_about(name, "Bad file descriptor");
                    return Ok(false);
                };
                let _ = sys::close(fd);
                return Ok(true);
            }
            let moves = text.ends_with(b"-");
            let digits = text.strip_suffix(b"-").unwrap_or(&text);
            let from = crate::arith::parse_integer(digits).and_then(|n| i32::try_from(n).ok());
            let Some(Ok(fd)) = from.map(|from| sys::dup(from, SAVE_FROM, false)) else {
                self.error_about(&text, "Bad file descriptor");
                return Ok(false);
            };
            if let (true, Some(from)) = (moves, from) {
                let _ = sys::close(from);
            }
            fd
        } else {
            let Some(file) = self.redirect_file(redirect)? else { return Ok(false) };
            match sys::dup(file.raw(), SAVE_FROM, false) {
                Ok(fd) => fd,
                Err(errno) => {
                    self.error_about(name, errno.text());
                    return Ok(false);
                }
            }
        };
        if self.options.shopt(Shopt::VarredirClose) {
            undo.saved.push((file, None));
        }
        if self.assign_fd(&target, file).is_err() {
            let _ = sys::close(file);
            self.error_about(name, "cannot assign fd to variable");
            return Ok(false);
        }
        Ok(true)
    }

    fn assign_fd(&mut self, target: &Target, fd: i32) -> Result<(), crate::shell::AssignError> {
        self.assign(target, fd.to_string().into_bytes(), false)
    }

    /// `n>&m`, `n>&m-`, `n>&-`, and `>&file`.
    fn redirect_dup(&mut self, redirect: &Redirect, fd: i32, undo: &mut Undo) -> Flow<bool> {
        let mut words = Vec::new();
        self.expand_word_into(&redirect.word, &mut words)?;
        let [text] = &words[..] else {
            let raw = redirect.word.raw.to_vec();
            self.error_about(&raw, "ambiguous redirect");
            return Ok(false);
        };
        if text == b"-" {
            self.save(fd, undo);
            let _ = sys::close(fd);
            return Ok(true);
        }
        let moves = text.len() > 1 && text.ends_with(b"-");
        let digits = if moves { &text[..text.len() - 1] } else { &text[..] };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            // `>&word` with a word that is no number writes both; `2>&word` is ambiguous.
            if redirect.op == RedirectOp::DupOut && fd == 1 {
                let path = text.clone();
                return Ok(self.open_both(&path, false, undo));
            }
            let raw = redirect.word.raw.to_vec();
            self.error_about(&raw, "ambiguous redirect");
            return Ok(false);
        }
        let from = crate::arith::parse_integer(digits).and_then(|n| i32::try_from(n).ok()).unwrap_or(i32::MAX);
        if from == fd && sys::fcntl(fd, sys::F_GETFD, 0).is_ok() {
            return Ok(true);
        }
        if sys::fcntl(from, sys::F_GETFD, 0).is_err() || undo.saved.iter().any(|(_, copy)| *copy == Some(from)) {
            // bash names the word, not what came of it.
            let name = redirect.word.raw.strip_suffix(b"-").unwrap_or(&redirect.word.raw).to_vec();
            self.error_about(&name, "Bad file descriptor");
            return Ok(false);
        }
        self.save(fd, undo);
        if let Err(errno) = sys::dup2(from, fd, OpenFlags(0)) {
            undo.saved.pop();
            let digits = digits.to_vec();
            self.error_about(&digits, errno.text());
            return Ok(false);
        }
        if moves {
            // bash does not put a moved descriptor back.
            let _ = sys::close(from);
        }
        Ok(true)
    }

    /// The one path a redirection's word gives; None after a message.
    pub fn redirect_path(&mut self, word: &Word) -> Flow<Option<Vec<u8>>> {
        if let Some(plain) = &word.plain {
            return Ok(Some(plain.to_vec()));
        }
        let mut words = Vec::new();
        if self.posix() {
            words.push(self.expand_single(word)?);
        } else {
            self.expand_word_into(word, &mut words)?;
        }
        if words.len() != 1 {
            let raw = word.raw.to_vec();
            self.error_about(&raw, "ambiguous redirect");
            return Ok(None);
        }
        Ok(words.pop())
    }

    fn redirect_file(&mut self, redirect: &Redirect) -> Flow<Option<sys::Fd>> {
        let flags = match redirect.op {
            RedirectOp::HereDoc { .. } => {
                let text = match redirect.here_doc.as_ref().and_then(|doc| doc.body.get()) {
                    Some(body) => self.expand_single(body)?,
                    None => Vec::new(),
                };
                return Ok(self.text_file(&text));
            }
            RedirectOp::HereString => {
                let mut text = self.expand_single(&redirect.word)?;
                text.push(b'\n');
                return Ok(self.text_file(&text));
            }
            RedirectOp::Read => OpenFlags::RDONLY,
            RedirectOp::ReadWrite => OpenFlags::RDWR | OpenFlags::CREAT,
            RedirectOp::Append => OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::APPEND,
            _ => OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC,
        };
        let Some(path) = self.redirect_path(&redirect.word)? else { return Ok(None) };
        Ok(self.open_checked(&path, flags, redirect.op == RedirectOp::Write))
    }

    /// Opens, with noclobber's refusal and the message of a failure.
    fn open_checked(&mut self, path: &[u8], flags: OpenFlags, clobbers: bool) -> Option<sys::Fd> {
        let mut flags = flags;
        if flags.contains(OpenFlags::CREAT) && self.refuses_output(path) {
            return None;
        }
        if clobbers && self.options.get(Opt::Noclobber) {
            match sys::stat(path) {
                Ok(stat) if stat.kind == sys::FileType::Regular => {
                    self.error_about(path, "cannot overwrite existing file");
                    return None;
                }
                Ok(_) => {}
                Err(_) => flags |= OpenFlags::EXCL,
            }
        }
        self.open_for_redirect(path, flags)
    }

    /// The file or the connection, or why there is none is told.
    pub fn open_for_redirect(&mut self, path: &[u8], flags: OpenFlags) -> Option<sys::Fd> {
        if let Some(socket) = Socket::parse(path) {
            return self.connect(path, &socket);
        }
        loop {
            match sys::open(path, flags | OpenFlags::CLOEXEC, 0o666) {
                Ok(file) => return Some(file),
                Err(sys::Errno::EINTR) => self.note_signals(),
                Err(errno) => {
                    self.error_about(path, errno.text());
                    return None;
                }
            }
        }
    }

    /// A descriptor that reads this text: a pipe when it fits, else a file that is unlinked at once.
    fn text_file(&mut self, text: &[u8]) -> Option<sys::Fd> {
        const PIPE_CAPACITY: usize = 64 * 1024;
        let made = if text.len() <= PIPE_CAPACITY { text_pipe(text) } else { self.text_temporary(text) };
        match made {
            Ok(fd) => Some(fd),
            Err(errno) => {
                self.error(format!("cannot create temp file for here-document: {}", errno.text()));
                None
            }
        }
    }

    fn text_temporary(&self, text: &[u8]) -> sys::Result<sys::Fd> {
        let directory = self.vars.text(b"TMPDIR").map_or(b"/tmp".to_vec(), |v| v.into_owned());
        let name = format!("/sh-thd.{:x}", sys::random_u64());
        let path = [&directory[..], name.as_bytes()].concat();
        let flags = OpenFlags::RDWR | OpenFlags::CREAT | OpenFlags::EXCL | OpenFlags::CLOEXEC;
        let file = sys::open(&path, flags, 0o600)?;
        sys::write_all(file.raw(), text)?;
        let reader = sys::open(&path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0);
        let _ = sys::unlink(&path);
        reader
    }
}

fn text_pipe(text: &[u8]) -> sys::Result<sys::Fd> {
    let (read, write) = sys::pipe(OpenFlags::CLOEXEC)?;
    sys::write_all(write.raw(), text)?;
    Ok(read)
}
