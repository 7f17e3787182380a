//! `[[ … ]]`, and the tests it shares with `test`.

use crate::pattern::Pattern;
use crate::shell::{Flow, Shell, Shopt, Unwind};
use crate::syntax::ast::CondExpr;
use crate::vars::Variable;
use capsule_regex::{Groups, Options, Regex, Syntax};
use capsule_sys as sys;
use std::cell::RefCell;
use std::rc::Rc;

impl Shell {
    pub(super) fn run_cond(&mut self, expr: &CondExpr) -> Flow {
        self.run_debug_trap(Vec::new)?;
        let result = self.eval_cond(expr);
        self.status = match result {
            Ok(true) => 0,
            Ok(false) => 1,
            Err(CondStop::Status(status)) => status,
            Err(CondStop::Unwind(unwind)) => return Err(unwind),
        };
        Ok(())
    }

    fn eval_cond(&mut self, expr: &CondExpr) -> Result<bool, CondStop> {
        Ok(match expr {
            CondExpr::Word(word) => {
                let text = self.expand_single(word)?;
                self.trace_cond(None, &text, None);
                !text.is_empty()
            }
            CondExpr::Unary(op, word) => {
                let text = self.expand_single(word)?;
                self.trace_cond(Some(op), &text, None);
                self.unary_test(op[1], &text)?
            }
            CondExpr::Binary(op, left, right) => {
                let left = self.expand_single(left)?;
                match &op[..] {
                    b"==" | b"=" | b"!=" => {
                        let text = self.expand_pattern(right)?;
                        self.trace_cond(Some(op), &left, Some(&text));
                        let mut options = self.match_options();
                        options.extglob = true;
                        Pattern::new(&text, options).matches(&left) == (op[0] == b'=')
                    }
                    b"=~" => {
                        let text = self.expand_regex(right)?;
                        self.trace_cond(Some(op), &left, Some(&text));
                        match regex_match(self, &text, &left) {
                            Some(found) => found,
                            None => return Err(CondStop::Status(2)),
                        }
                    }
                    b"<" | b">" => {
                        let right = self.expand_single(right)?;
                        self.trace_cond(Some(op), &left, Some(&right));
                        let order = self.collate(&left, &right);
                        order == if op[0] == b'<' { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
                    }
                    b"-nt" | b"-ot" | b"-ef" => {
                        let right = self.expand_single(right)?;
                        self.trace_cond(Some(op), &left, Some(&right));
                        compare_files(op, &left, &right)
                    }
                    _ => {
                        let right = self.expand_single(right)?;
                        self.trace_cond(Some(op), &left, Some(&right));
                        self.arith_prefix = b"[[: ";
                        let numbers = self.evaluate(&left).and_then(|a| Ok((a, self.evaluate(&right)?)));
                        self.arith_prefix = b"";
                        let (a, b) = match numbers {
                            Err(Unwind::Discard) => return Err(CondStop::Status(1)),
                            numbers => numbers?,
                        };
                        compare_numbers(op, a, b)
                    }
                }
            }
            CondExpr::Not(inner) => !self.eval_cond(inner)?,
            CondExpr::And(left, right) => self.eval_cond(left)? && self.eval_cond(right)?,
            CondExpr::Or(left, right) => self.eval_cond(left)? || self.eval_cond(right)?,
            CondExpr::Group(inner) => self.eval_cond(inner)?,
        })
    }

    /// A unary test by its letter.
    pub fn unary_test(&mut self, op: u8, text: &[u8]) -> Flow<bool> {
        Ok(match op {
            b'n' => !text.is_empty(),
            b'z' => text.is_empty(),
            b'o' => crate::shell::Options::by_name(text).is_some_and(|opt| self.options.get(opt)),
            b'v' => self.is_set(text)?,
            b'R' => crate::names::Name::find(text)
                .and_then(|name| self.vars.get(name))
                .is_some_and(|var| var.attrs.has(crate::vars::Attrs::NAMEREF) && var.set),
            b't' => crate::arith::parse_integer(text.trim_ascii())
                .and_then(|fd| i32::try_from(fd).ok())
                .is_some_and(sys::isatty),
            op => file_test(op, text),
        })
    }

    /// `-v name`, `-v name[index]`.
    fn is_set(&mut self, text: &[u8]) -> Flow<bool> {
        if let Some(n) = crate::arith::parse_integer(text) {
            return Ok(n == 0 || usize::try_from(n).is_ok_and(|n| n <= self.positional.len()));
        }
        if let Some(base) = text.strip_suffix(b"[@]").or(text.strip_suffix(b"[*]")) {
            let name = crate::names::Name::new(base);
            let Some((name, _)) = self.resolve(name) else { return Ok(false) };
            // An associative array may have such a key.
            if let Some(Variable { value: crate::vars::Value::Assoc(array), .. }) = self.vars.get(name) {
                return Ok(array.get(&text[base.len() + 1..base.len() + 2]).is_some());
            }
            return Ok(!self.array_values(name).is_empty());
        }
        // A reference to an element is looked up by its whole text, which names nothing.
        if let Some(name) = crate::names::Name::find(text)
            && let Some((_, Some(_))) = self.resolve(name)
        {
            return Ok(false);
        }
        match self.target_of_text(text)? {
            Some(target) => Ok(self.read_target(&target).is_some()),
            None => Ok(false),
        }
    }
}

enum CondStop {
    Status(i32),
    Unwind(Unwind),
}

impl From<Unwind> for CondStop {
    fn from(unwind: Unwind) -> CondStop {
        CondStop::Unwind(unwind)
    }
}

pub fn compare_numbers(op: &[u8], a: i64, b: i64) -> bool {
    match op {
        b"-eq" => a == b,
        b"-ne" => a != b,
        b"-lt" => a < b,
        b"-le" => a <= b,
        b"-gt" => a > b,
        _ => a >= b,
    }
}

pub fn compare_files(op: &[u8], a: &[u8], b: &[u8]) -> bool {
    let (a, b) = (sys::stat(a).ok(), sys::stat(b).ok());
    match (op, a, b) {
        (b"-ef", Some(a), Some(b)) => a.dev == b.dev && a.ino == b.ino,
        (b"-nt", Some(a), Some(b)) => a.mtime > b.mtime,
        (b"-nt", Some(_), None) => true,
        (b"-ot", Some(a), Some(b)) => a.mtime < b.mtime,
        (b"-ot", None, Some(_)) => true,
        _ => false,
    }
}

/// Tests of files by their letter.
pub fn file_test(op: u8, path: &[u8]) -> bool {
    use sys::FileType as Type;
    if matches!(op, b'h' | b'L') {
        return sys::lstat(path).is_ok_and(|stat| stat.kind == Type::Symlink);
    }
    // `/dev/fd/N` and its like are there when the descriptor is.
    let stat = match path.strip_prefix(b"/dev/fd/").and_then(crate::arith::parse_integer) {
        Some(fd) => i32::try_from(fd).map_err(|_| sys::Errno::EBADF).and_then(sys::fstat),
        None => match path {
            b"/dev/stdin" => sys::fstat(0),
            b"/dev/stdout" => sys::fstat(1),
            b"/dev/stderr" => sys::fstat(2),
            _ => sys::stat(path),
        },
    };
    let Ok(stat) = stat else { return false };
    match op {
        b'a' | b'e' => true,
        b'b' => stat.kind == Type::BlockDevice,
        b'c' => stat.kind == Type::CharDevice,
        b'd' => stat.kind == Type::Directory,
        b'f' => stat.kind == Type::Regular,
        b'p' => stat.kind == Type::Fifo,
        b'S' => stat.kind == Type::Socket,
        b's' => stat.size > 0,
        b'g' => stat.mode & 0o2000 != 0,
        b'u' => stat.mode & 0o4000 != 0,
        b'k' => stat.mode & 0o1000 != 0,
        b'r' => sys::access(path, sys::R_OK).is_ok(),
        b'w' => sys::access(path, sys::W_OK).is_ok(),
        b'x' => sys::access(path, sys::X_OK).is_ok(),
        b'O' => sys::getids().is_ok_and(|ids| ids.0 == stat.uid),
        b'G' => sys::getids().is_ok_and(|ids| ids.1 == stat.gid),
        b'N' => stat.mtime > stat.atime,
        _ => false,
    }
}

/// Matches and sets BASH_REMATCH; None when the expression is not one.
pub(crate) fn regex_match(shell: &mut Shell, pattern: &[u8], text: &[u8]) -> Option<bool> {
    let nocase = shell.options.shopt(Shopt::Nocasematch);
    let regex = compiled(pattern, nocase, shell.utf8)?;
    let mut groups = Groups::new();
    let found = regex.captures_at(text, 0, false, &mut groups);
    if !found {
        groups.clear();
    }
    let name = crate::names::Name::new(b"BASH_REMATCH");
    let values =
        groups.into_iter().map(|group| group.map_or(Vec::new(), |(start, end)| text[start..end].to_vec())).collect();
    let _ = shell.set_array(name, values);
    Some(found)
}

thread_local! {
    /// The last expression with its options: loops ask for the same again and again.
    static LAST: RefCell<Option<Compiled>> = const { RefCell::new(None) };
}

/// An expression, whether case does not count, whether characters are UTF-8.
type Compiled = (Vec<u8>, bool, bool, Rc<Regex>);

fn compiled(pattern: &[u8], ignore_case: bool, utf8: bool) -> Option<Rc<Regex>> {
    LAST.with_borrow_mut(|last| {
        if let Some((text, case, mode, regex)) = last
            && text == pattern
            && (*case, *mode) == (ignore_case, utf8)
        {
            return Some(regex.clone());
        }
        let options = Options { syntax: Syntax::Extended, ignore_case, utf8, loose_close: true, ..Options::default() };
        let regex = Rc::new(Regex::new(pattern, &options).ok()?);
        *last = Some((pattern.to_vec(), ignore_case, utf8, regex.clone()));
        Some(regex)
    })
}
