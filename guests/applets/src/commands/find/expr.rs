//! The tree and how it is evaluated.

use super::exec::Exec;
use super::printf::Format;
use super::tests::{self, Test};
use super::{exec, list};
use crate::input::base_name;
use crate::quote::locale;
use crate::report;
use crate::users::Names;
use capsule_sys::{Errno, Fd, FileType, Out, Stat, Time, lstat, rmdir, stat, unlink};

pub enum Expr {
    /// All of them, from the left, while they are true.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// The value of the last.
    List(Vec<Expr>),
    Not(Box<Expr>),
    Test(Test),
    Action(Action),
}

pub enum Action {
    /// The number of the output, and what ends a name.
    Print(usize, u8),
    Printf(usize, Format),
    List(usize),
    /// By number: what runs at the end is found there.
    Exec(usize),
    Delete,
    Prune,
    Quit,
}

/// A file that actions write to.
pub struct Output {
    pub name: Vec<u8>,
    pub out: Out,
    /// Keeps it open.
    pub _file: Option<Fd>,
}

/// What actions share.
pub struct Context {
    /// The first is standard output.
    pub outputs: Vec<Output>,
    pub commands: Vec<Exec>,
    pub users: Names,
    pub groups: Names,
    pub zone: crate::calendar::Zone,
    pub now: Time,
    pub widths: list::Widths,
    pub ignore_race: bool,
    pub depth_first: bool,
    pub status: u8,
    pub quit: bool,
    pub prune: bool,
}

impl Context {
    /// Everything buffered goes out before another program may write.
    pub fn flush(&mut self) {
        for output in &mut self.outputs {
            let _ = output.out.flush();
        }
    }

    pub fn fault(&mut self, path: &[u8], errno: Errno) {
        let _ = self.outputs[0].out.flush();
        report::fault(locale(path), errno);
        self.status = 1;
    }
}

/// The file under the expression.
pub struct File<'a> {
    pub path: &'a [u8],
    /// How long the starting point is in it.
    pub start: usize,
    pub depth: usize,
    pub kind: FileType,
    /// Symbolic links are followed here.
    pub follow: bool,
    pub stat: Option<Stat>,
}

impl File<'_> {
    pub fn name(&self) -> &[u8] {
        if self.depth > 0 {
            // No slash ends it: it was built from a name.
            return &self.path[memchr::memrchr(b'/', self.path).map_or(0, |i| i + 1)..];
        }
        base_name(self.path)
    }

    /// The metadata; what cannot be had is told once and makes the test false.
    pub fn stat(&mut self, context: &mut Context) -> Option<Stat> {
        if self.stat.is_none() {
            let answer = match self.follow {
                true => stat_or_link(self.path),
                false => lstat(self.path),
            };
            match answer {
                Ok(stat) => self.stat = Some(stat),
                Err(Errno::ENOENT) if context.ignore_race && self.depth > 0 => {}
                Err(e) => context.fault(self.path, e),
            }
        }
        self.stat
    }
}

pub fn evaluate(expr: &mut Expr, file: &mut File, context: &mut Context) -> bool {
    match expr {
        Expr::And(all) => all.iter_mut().all(|e| !context.quit && evaluate(e, file, context)),
        Expr::Or(any) => any.iter_mut().any(|e| context.quit || evaluate(e, file, context)),
        Expr::List(all) => {
            let mut value = true;
            for e in all {
                if context.quit {
                    break;
                }
                value = evaluate(e, file, context);
            }
            value
        }
        Expr::Not(e) => !evaluate(e, file, context),
        Expr::Test(test) => tests::holds(test, file, context),
        Expr::Action(action) => act(action, file, context),
    }
}

fn act(action: &mut Action, file: &mut File, context: &mut Context) -> bool {
    match action {
        Action::Print(output, end) => {
            let out = &mut context.outputs[*output].out;
            out.write(file.path);
            out.byte(*end);
            true
        }
        Action::Printf(output, format) => {
            format.print(*output, file, context);
            true
        }
        Action::List(output) => {
            list::list(*output, file, context);
            true
        }
        Action::Exec(number) => exec::run(*number, file, context),
        Action::Delete => delete(file, context),
        Action::Prune => {
            // With -depth what is inside came before.
            context.prune = !context.depth_first;
            true
        }
        Action::Quit => {
            context.quit = true;
            true
        }
    }
}

fn delete(file: &mut File, context: &mut Context) -> bool {
    if file.path == b"." {
        return true;
    }
    // A link to a directory is removed as a link, even where links are followed.
    let directory = match file.follow {
        true => lstat(file.path).is_ok_and(|s| s.kind == FileType::Directory),
        false => file.kind == FileType::Directory,
    };
    let answer = if directory { rmdir(file.path) } else { unlink(file.path) };
    match answer {
        Ok(()) => true,
        Err(Errno::ENOENT) if context.ignore_race => true,
        Err(e) => {
            context.flush();
            report::fault(format_args!("cannot delete {}", locale(file.path)), e);
            context.status = 1;
            false
        }
    }
}

/// What a link leads to; where it leads nowhere, the link itself. A circle is an error.
pub fn stat_or_link(path: &[u8]) -> Result<Stat, Errno> {
    stat(path).or_else(|e| if e == Errno::ENOENT || e == Errno::ENOTDIR { lstat(path) } else { Err(e) })
}
