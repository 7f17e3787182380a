//! Simple commands.

use super::redirect::Undo;
use crate::builtins::{self, Argument, Builtin, Run};
use crate::names::{Name, command_named};
use crate::shell::{CommandText, Flow, Opt, Shell, Unwind};
use crate::syntax::ast::*;
use crate::vars::Attrs;
use std::rc::Rc;

/// The array assignments among a command's arguments, by position.
type Declared = Vec<Option<Rc<Assignment>>>;

impl Shell {
    pub(super) fn run_simple(&mut self, simple: &SimpleCommand, redirects: &[Redirect], line: u32, last: bool) -> Flow {
        self.line = line;
        let watched = self.traps.watches_commands();
        if watched || command_named() {
            let kind = CommandKind::Simple(simple.clone());
            self.remember_command(&Command { kind, redirects: redirects.to_vec(), line });
        }
        if watched && self.debug_trap(Vec::new)? {
            self.status = 0;
            return Ok(());
        }
        self.substitution_status = None;
        let mark = self.process_subs.len();
        let result = self.run_simple_inner(simple, redirects, last);
        if self.process_subs.len() > mark {
            self.end_process_subs(mark);
        }
        result
    }

    /// BASH_COMMAND, for those who look.
    pub(super) fn remember_command(&mut self, command: &Command) {
        if self.in_trap == 0 {
            self.command_text = Rc::new(CommandText::Text(crate::syntax::print_command(command)));
        }
    }

    fn run_simple_inner(&mut self, simple: &SimpleCommand, redirects: &[Redirect], last: bool) -> Flow {
        if simple.words.is_empty() {
            return self.run_assignments(simple, redirects);
        }
        let moved = if self.options.get(Opt::Keyword) { self.keywords_first(simple) } else { None };
        let simple = moved.as_ref().unwrap_or(simple);
        let (args, declared) = self.command_arguments(simple)?;
        if args.is_empty() {
            // Everything expanded to nothing.
            return self.run_assignments(simple, redirects);
        }
        let last_word = args.last().cloned();
        let result = self.dispatch(args, declared, simple, redirects, last);
        // Functions and evals have set it for themselves; the call's own last word counts after it.
        if let Some(word) = last_word {
            self.set_last_argument(&word);
        }
        result
    }

    /// `set -k`: assignments count wherever they stand. None when there are none behind the command's name.
    fn keywords_first(&self, simple: &SimpleCommand) -> Option<SimpleCommand> {
        let [name, words @ ..] = &simple.words[..] else { return None };
        let mut moved = SimpleCommand { assignments: simple.assignments.clone(), words: vec![name.clone()] };
        for word in words {
            let mut none = ();
            let mut parser = crate::syntax::Parser::new(word.raw.to_vec(), self.line, &mut none, self.parse_options());
            match parser.assignment_text() {
                Some(assignment) => moved.assignments.push(assignment),
                None => moved.words.push(word.clone()),
            }
        }
        (moved.words.len() < simple.words.len()).then_some(moved)
    }

    fn dispatch(
        &mut self,
        args: Vec<Vec<u8>>,
        mut declared: Declared,
        simple: &SimpleCommand,
        redirects: &[Redirect],
        last: bool,
    ) -> Flow {
        let name = &args[0];
        if self.options.get(Opt::Posix)
            && let Some(builtin) = builtins::find(self, name).filter(|b| b.special)
        {
            return self.run_builtin(builtin, args, declared, simple, redirects, last);
        }
        if let Some(function) = self.functions.get(&name[..]) {
            let function = function.clone();
            return self.run_function_command(function, args, simple, redirects);
        }
        if let Some(builtin) = builtins::find(self, name) {
            declared.resize(args.len(), None);
            return self.run_builtin(builtin, args, declared, simple, redirects, last);
        }
        self.run_external(args, simple, redirects, last)
    }

    /// The words expanded; arguments of declaration builtins that are assignments stay one word each.
    fn command_arguments(&mut self, simple: &SimpleCommand) -> Flow<(Vec<Vec<u8>>, Declared)> {
        let mut args = Vec::with_capacity(simple.words.len());
        let mut declared = Vec::new();
        for word in &simple.words {
            let Some(assignment) = &word.assignment else {
                self.expand_word_into(word, &mut args)?;
                continue;
            };
            declared.resize(args.len(), None);
            match &assignment.value {
                // Braces come first: `declare v={1,2}` is `declare v=1 v=2`.
                AssignedValue::Scalar(_) if word.braces && self.options.get(Opt::Braceexpand) => {
                    let words = crate::syntax::expand_braces(word).unwrap_or_else(|| vec![word.clone()]);
                    for word in &words {
                        args.push(self.expand_assignment(word)?);
                    }
                }
                AssignedValue::Array(_) => {
                    args.push(word.raw.to_vec());
                    declared.push(Some(Rc::clone(assignment)));
                }
                AssignedValue::Scalar(value) => {
                    let mut text = assignment.name.bytes().to_vec();
                    match &assignment.subscript {
                        None => {}
                        Some(Subscript::At) => text.extend_from_slice(b"[@]"),
                        Some(Subscript::Star) => text.extend_from_slice(b"[*]"),
                        Some(Subscript::Index(index)) => {
                            let key = self.expand_single(&index.word)?;
                            text.push(b'[');
                            text.extend_from_slice(&key);
                            text.push(b']');
                        }
                    }
                    text.extend_from_slice(if assignment.append { b"+=" } else { b"=" });
                    text.extend_from_slice(&self.expand_assignment(value)?);
                    args.push(text);
                    declared.push(None);
                }
            }
        }
        Ok((args, declared))
    }

    /// No command: redirections happen and are undone, assignments stay.
    fn run_assignments(&mut self, simple: &SimpleCommand, redirects: &[Redirect]) -> Flow {
        // Values come before redirections: `x=$(cmd) 2>/dev/null` shows what cmd complains of.
        for assignment in &simple.assignments {
            self.run_assignment(assignment, true)?;
        }
        let status = self.substitution_status.take().unwrap_or(0);
        let mut undo = Undo::default();
        let redirected = self.redirect(redirects, &mut undo)?;
        self.undo_redirects(undo);
        self.status = if redirected { status } else { 1 };
        self.set_last_argument(b"");
        Ok(())
    }

    /// Assignments before a command: in a frame of their own, exported.
    pub(super) fn push_temporary(&mut self, simple: &SimpleCommand) -> Flow<bool> {
        if simple.assignments.is_empty() {
            return Ok(false);
        }
        // All values are seen as before the command where bash does so: each one in order.
        self.vars.push_frame(true);
        for assignment in &simple.assignments {
            if let Err(unwind) = self.run_temporary_assignment(assignment) {
                self.pop_vars();
                return Err(unwind);
            }
        }
        Ok(true)
    }

    pub(super) fn pop_temporary(&mut self, pushed: bool) {
        if pushed {
            self.pop_vars();
        }
    }

    /// Ends a scope; IFS and the like are as before again.
    pub fn pop_vars(&mut self) {
        if let Some(options) = self.vars.pop_frame() {
            self.restore_local_options(&options);
        }
        self.hidden_changed();
    }

    fn run_temporary_assignment(&mut self, assignment: &Assignment) -> Flow {
        let name = match self.resolve(assignment.name) {
            Some((name, None)) => name,
            _ => assignment.name,
        };
        if self.readonly(name) {
            self.error_about(name.bytes(), "readonly variable");
            self.status = 1;
            return if self.posix() { Err(Unwind::Exit) } else { Ok(()) };
        }
        if assignment.subscript.is_some() {
            // An element cannot be in the environment; bash drops it.
            return Ok(());
        }
        let word = match &assignment.value {
            AssignedValue::Scalar(word) => word,
            AssignedValue::Array(elements) => {
                // The child sees the text.
                let raws: Vec<&[u8]> = elements.iter().map(|element| &element.raw[..]).collect();
                let text = [b"(", &raws.join(&b' ')[..], b")"].concat();
                self.vars.make_local(name, true);
                let mut var = crate::vars::Variable::scalar(text);
                var.attrs = Attrs::EXPORT.with(Attrs::TEMPORARY);
                self.vars.put(name, var);
                return Ok(());
            }
        };
        let mut value = self.expand_assignment(word)?;
        let old = self.vars.get(name).cloned();
        if assignment.append {
            let mut before = old.as_ref().and_then(|var| var.get()).unwrap_or_default().to_vec();
            if old.as_ref().is_some_and(|var| var.attrs.has(Attrs::INTEGER)) {
                let sum = self.evaluate(&before)?.wrapping_add(self.evaluate(&value)?);
                value = sum.to_string().into_bytes();
            } else {
                before.extend_from_slice(&value);
                value = before;
            }
        }
        self.trace_assignment(assignment, &value);
        self.vars.make_local(name, true);
        let attrs = old.map_or(Attrs::default(), |var| var.attrs).without(Attrs::NAMEREF.with(Attrs::READONLY));
        let var = self.vars.entry(name);
        var.attrs = attrs.with(Attrs::EXPORT).with(Attrs::TEMPORARY);
        var.value = crate::vars::Value::Scalar(Vec::new());
        var.set = false;
        self.vars.changed_exports();
        let target = crate::shell::Target::Whole(name);
        if self.assign(&target, value, false).is_err() {
            self.status = 1;
            return Err(Unwind::Discard);
        }
        Ok(())
    }

    fn run_function_command(
        &mut self,
        function: crate::shell::Function,
        args: Vec<Vec<u8>>,
        simple: &SimpleCommand,
        redirects: &[Redirect],
    ) -> Flow {
        let pushed = self.push_temporary(simple)?;
        self.trace_command(&args);
        let mut undo = Undo::default();
        let result = match self.redirect(redirects, &mut undo) {
            Ok(true) => self.call_function_in(&function, args, true, pushed),
            Ok(false) => {
                self.status = 1;
                Ok(())
            }
            Err(unwind) => Err(unwind),
        };
        self.flush_out();
        self.undo_redirects(undo);
        self.pop_temporary(pushed);
        result
    }

    fn run_builtin(
        &mut self,
        builtin: &'static Builtin,
        args: Vec<Vec<u8>>,
        declared: Declared,
        simple: &SimpleCommand,
        redirects: &[Redirect],
        last: bool,
    ) -> Flow {
        let keep = builtin.special && self.posix();
        // Arrays are expanded with the other words, before anything is assigned: `local IFS=. a=($x)`.
        let early = declared.iter().any(Option::is_some)
            && (args.len() > 2 || !simple.assignments.is_empty() || self.options.get(Opt::Xtrace));
        let declared = if early { self.expand_declared(declared)? } else { declared };
        let pushed = if keep {
            for assignment in &simple.assignments {
                self.run_assignment(assignment, true)?;
            }
            false
        } else {
            self.push_temporary(simple)?
        };
        self.trace_declaration(&args, &declared);
        let mut undo = Undo::default();
        let is_exec = builtin.name == "exec";
        let result = match self.redirect(redirects, &mut undo) {
            Ok(true) => self.call_builtin(builtin, args, declared, last && redirects.is_empty()),
            Ok(false) => {
                self.status = 1;
                if builtin.special && self.posix() {
                    self.undo_redirects(undo);
                    self.pop_temporary(pushed);
                    return Err(Unwind::Exit);
                }
                Ok(())
            }
            Err(unwind) => Err(unwind),
        };
        self.finish_builtin(builtin);
        if is_exec && result.is_ok() && self.exec_keeps_redirects {
            self.exec_keeps_redirects = false;
            self.keep_redirects(undo);
        } else {
            self.undo_redirects(undo);
        }
        self.pop_temporary(pushed);
        result
    }

    /// What `set -x` shows of a builtin: of arrays the name alone.
    fn trace_declaration(&mut self, args: &[Vec<u8>], declared: &Declared) {
        if self.options.get(Opt::Xtrace) && declared.iter().any(Option::is_some) {
            let shown = |(i, arg): (usize, &Vec<u8>)| match declared.get(i) {
                Some(Some(assignment)) => assignment.name.bytes().to_vec(),
                _ => arg.clone(),
            };
            let args: Vec<Vec<u8>> = args.iter().enumerate().map(shown).collect();
            return self.trace_command(&args);
        }
        self.trace_command(args);
    }

    /// The arrays among the arguments of a declaration, made of plain words; `set -x` shows each as an assignment of its own.
    fn expand_declared(&mut self, declared: Declared) -> Flow<Declared> {
        let mut done = Vec::with_capacity(declared.len());
        for assignment in declared {
            let Some(Assignment { name, subscript, append, value: AssignedValue::Array(elements) }) =
                assignment.as_deref()
            else {
                done.push(assignment);
                continue;
            };
            let mut expanded = Vec::with_capacity(elements.len());
            for element in elements {
                let mut values = Vec::new();
                let key = match &element.key {
                    Some(Subscript::Index(index)) => {
                        values.push(self.expand_assignment(&element.value)?);
                        Some(self.expand_single(&index.word)?)
                    }
                    _ => {
                        self.expand_word_into(&element.value, &mut values)?;
                        None
                    }
                };
                for value in values {
                    expanded.push(plain_element(key.clone(), element.append, value));
                }
            }
            let assignment = Assignment {
                name: *name,
                subscript: subscript.clone(),
                append: *append,
                value: AssignedValue::Array(expanded),
            };
            self.trace_array(&assignment);
            done.push(Some(Rc::new(assignment)));
        }
        Ok(done)
    }

    /// Runs a builtin with its arguments; the status is set.
    pub fn call_builtin(
        &mut self,
        builtin: &'static Builtin,
        args: Vec<Vec<u8>>,
        declared: Declared,
        last: bool,
    ) -> Flow {
        self.may_replace = last;
        if builtins::asked_for_help(self, builtin, args.get(1).map(Vec::as_slice)) {
            self.status = 2;
            return Ok(());
        }
        if self.refuses_builtin(builtin.name, &args) {
            self.status = 1;
            return Ok(());
        }
        let status = match builtin.run {
            Run::Plain(run) => run(self, &args)?,
            Run::Declaration(run) => {
                let arguments: Vec<Argument> = args
                    .into_iter()
                    .zip(declared.into_iter().chain(std::iter::repeat(None)))
                    .map(|(text, assignment)| Argument { text, assignment })
                    .collect();
                run(self, &arguments)?
            }
        };
        self.status = status;
        Ok(())
    }

    /// Writes the builtin's output and tells when that failed.
    pub fn finish_builtin(&mut self, builtin: &Builtin) {
        if let Some(errno) = self.flush_out() {
            // Where that is a signal that ends the shell, nothing is said.
            self.note_signals();
            self.error(format!("{}: write error: {}", builtin.name, errno.text()));
            self.status = 1;
        }
    }

    fn set_last_argument(&mut self, argument: &[u8]) {
        let var = self.vars.entry(Name::LAST_ARGUMENT);
        var.attrs = Attrs::default();
        var.set = true;
        match &mut var.value {
            crate::vars::Value::Scalar(text) => {
                text.clear();
                text.extend_from_slice(argument);
            }
            other => *other = crate::vars::Value::Scalar(argument.to_vec()),
        }
    }

    fn run_external(&mut self, args: Vec<Vec<u8>>, simple: &SimpleCommand, redirects: &[Redirect], last: bool) -> Flow {
        // A locale for a program is no business of the shell's.
        let outer = std::mem::replace(&mut self.locale_for_others, true);
        let pushed = self.push_temporary(simple);
        self.locale_for_others = outer;
        let pushed = pushed?;
        self.trace_command(&args);
        let mut undo = Undo::default();
        let result = match self.redirect(redirects, &mut undo) {
            Ok(true) => {
                let text = || {
                    let kind = CommandKind::Simple(simple.clone());
                    crate::syntax::print_command(&Command { kind, redirects: redirects.to_vec(), line: 0 })
                };
                self.tells_later = !redirects.is_empty();
                let result = self.start_external_as(args, last, &text);
                self.tells_later = false;
                result
            }
            Ok(false) => {
                self.status = 1;
                Ok(())
            }
            Err(unwind) => Err(unwind),
        };
        self.undo_redirects(undo);
        self.tell_killed();
        self.pop_temporary(pushed);
        self.follow_window();
        result
    }

    pub fn start_external(&mut self, args: Vec<Vec<u8>>, last: bool) -> Flow {
        let text = args.join(&b' ');
        let result = self.start_external_as(args, last, &|| text.clone());
        self.follow_window();
        result
    }

    /// `text` is what messages call the command.
    fn start_external_as(&mut self, args: Vec<Vec<u8>>, last: bool, text: &dyn Fn() -> Vec<u8>) -> Flow {
        let name = args[0].clone();
        if self.refuses_program(&name) {
            self.status = 1;
            return Ok(());
        }
        match self.find_program(&name) {
            Some(path) => self.run_program(path, args, last, text),
            None => return self.not_found(args),
        }
        Ok(())
    }

    /// `command not found`, unless the script handles that itself.
    fn not_found(&mut self, args: Vec<Vec<u8>>) -> Flow {
        if let Some(handler) = self.functions.get(&b"command_not_found_handle"[..]).cloned() {
            let mut call = vec![b"command_not_found_handle".to_vec()];
            call.extend(args);
            self.before_process();
            let child = capsule_sys::fork(|| {
                self.enter_subshell();
                self.run_in_child(|shell| shell.call_function(&handler, call, true))
            });
            self.status = child.map_or(127, |pid| self.wait_for(pid));
            return Ok(());
        }
        let mut name = args[0].clone();
        // Without a PATH the name itself is tried.
        let tried = name.contains(&b'/') || !name.is_empty() && self.vars.text(b"PATH").is_none_or(|v| v.is_empty());
        if crate::expand::needs_ansi(&name) {
            name = crate::expand::ansi_quote(&name);
        }
        self.error_about(&name, if tried { "No such file or directory" } else { "command not found" });
        self.status = 127;
        Ok(())
    }
}

/// An element of an array in which nothing is left to expand.
fn plain_element(key: Option<Vec<u8>>, append: bool, value: Vec<u8>) -> ArrayElement {
    use crate::expand::single_quote;
    let plain = |text: Vec<u8>| {
        let raw = single_quote(&text).into();
        Word { parts: vec![Part::Quoted(text.clone().into())], raw, plain: Some(text.into()), ..Word::default() }
    };
    let value = plain(value);
    let mut raw = Vec::new();
    if let Some(key) = &key {
        let end: &[u8] = if append { b"]+=" } else { b"]=" };
        raw = [b"[", &single_quote(key)[..], end].concat();
    }
    raw.extend_from_slice(&value.raw);
    let key = key.map(|key| Subscript::Index(Rc::new(ArithText { word: plain(key), ..ArithText::default() })));
    ArrayElement { key, append, raw: raw.into(), value }
}
