//! Compound commands.

use crate::exec::redirect::Undo;
use crate::exec::traps::ERR;
use crate::names::{Name, command_named, is_name};
use crate::pattern::Pattern;
use crate::shell::{Flow, Function, Opt, Shell, Unwind};
use crate::syntax::ast::*;
use capsule_sys as sys;
use std::rc::Rc;

impl Shell {
    /// The last command of this process.
    pub fn run_command_last(&mut self, command: &Command) -> Flow {
        self.run_command(command, true)?;
        Ok(())
    }

    pub fn run_command(&mut self, command: &Command, last: bool) -> Flow {
        if let CommandKind::Simple(simple) = &command.kind {
            return self.run_simple(simple, &command.redirects, command.line, last);
        }
        if crate::stack::is_deep() {
            return self.discard("commands nested too deeply");
        }
        self.line = command.line;
        let remembered = match command.kind {
            CommandKind::Arith(_) | CommandKind::Cond(_) => self.traps.watches_commands() || command_named(),
            // Only an ERR trap is told of it.
            CommandKind::Subshell(_) => self.traps.has(ERR),
            _ => false,
        };
        if remembered {
            self.remember_command(command);
        }
        if command.redirects.is_empty() {
            return self.run_kind(command, last);
        }
        let mark = self.process_subs.len();
        let mut undo = Undo::default();
        let redirected = self.redirect(&command.redirects, &mut undo);
        let result = match redirected {
            Ok(true) => {
                let outer = self.input_given;
                self.input_given |= gives_input(&command.redirects);
                self.tells_later = matches!(command.kind, CommandKind::Subshell(_));
                let result = self.run_kind(command, false);
                self.tells_later = false;
                self.input_given = outer;
                result
            }
            Ok(false) => {
                self.status = 1;
                self.undo_redirects(undo);
                self.end_process_subs(mark);
                // A failing redirection of a compound command counts like a failing command.
                if self.errexit_off == 0 && self.options.get(Opt::Errexit) {
                    return Err(Unwind::Exit);
                }
                return Ok(());
            }
            Err(unwind) => Err(unwind),
        };
        self.flush_out();
        self.undo_redirects(undo);
        self.end_process_subs(mark);
        self.tell_killed();
        result
    }

    fn run_kind(&mut self, command: &Command, last: bool) -> Flow {
        match &command.kind {
            CommandKind::Simple(_) => Ok(()),
            CommandKind::Group(list) => {
                if last {
                    self.run_list_last(list)
                } else {
                    self.run_list(list)
                }
            }
            CommandKind::Subshell(list) => {
                let result = self.run_subshell(list, command);
                self.follow_window();
                result
            }
            CommandKind::For(for_loop) => self.run_for(for_loop, command.line),
            CommandKind::ArithFor(for_loop) => self.run_arith_for(for_loop, command.line),
            CommandKind::Select(for_loop) => self.run_select(for_loop),
            CommandKind::Case(case) => self.run_case(case),
            CommandKind::If(clause) => self.run_if(clause),
            CommandKind::While(while_loop) => self.run_while(while_loop),
            CommandKind::Arith(arith) => {
                self.run_debug_trap(Vec::new)?;
                self.trace_arith(&arith.word);
                let n = match self.evaluate_command(arith) {
                    Ok(n) => n,
                    // An error in (( )) is a failing command, nothing worse.
                    Err(Unwind::Discard) => {
                        self.status = 1;
                        return Ok(());
                    }
                    Err(unwind) => return Err(unwind),
                };
                self.status = i32::from(n == 0);
                Ok(())
            }
            CommandKind::Cond(expr) => self.run_cond(expr),
            CommandKind::Function(definition) => self.define_function(definition),
            CommandKind::Coproc(coproc) => self.run_coproc(coproc),
        }
    }

    fn run_subshell(&mut self, list: &List, command: &Command) -> Flow {
        let text = || crate::syntax::print_command(command);
        if let Some(status) = self.run_subshell_direct(list, &text) {
            self.status = status;
            return Ok(());
        }
        self.before_process();
        let child = sys::fork(|| {
            self.tells_later = false;
            self.enter_subshell();
            self.input_given = gives_input(&command.redirects);
            self.run_in_child(|shell| shell.run_list_last(list))
        });
        match child {
            Ok(pid) => {
                self.status = self.wait_foreground(pid, &text, false);
                Ok(())
            }
            Err(errno) => self.discard(format!("fork: {errno}")),
        }
    }

    fn run_if(&mut self, clause: &If) -> Flow {
        let mut clause = clause;
        loop {
            if self.run_test(&clause.test)? {
                return self.run_list(&clause.then);
            }
            match &clause.otherwise {
                Else::None => {
                    self.status = 0;
                    return Ok(());
                }
                Else::Else(list) => return self.run_list(list),
                Else::Elif(next) => clause = next,
            }
        }
    }

    /// A condition: failures in it mean false, not the end.
    fn run_test(&mut self, list: &List) -> Flow<bool> {
        self.errexit_off += 1;
        let result = self.run_list(list);
        self.errexit_off -= 1;
        result?;
        Ok(self.status == 0)
    }

    fn run_while(&mut self, while_loop: &WhileLoop) -> Flow {
        let mut status = 0;
        self.loops += 1;
        let result = loop {
            match self.run_test(&while_loop.test) {
                Ok(go) if go == while_loop.until => break Ok(()),
                Ok(_) => {}
                Err(unwind) => match loop_unwind(unwind) {
                    LoopStep::Next => continue,
                    LoopStep::Leave => {
                        status = self.status;
                        break Ok(());
                    }
                    LoopStep::Unwind(unwind) => break Err(unwind),
                },
            }
            match self.run_body(&while_loop.body) {
                LoopStep::Next => status = self.status,
                LoopStep::Leave => {
                    status = self.status;
                    break Ok(());
                }
                LoopStep::Unwind(unwind) => break Err(unwind),
            }
        };
        self.loops -= 1;
        result?;
        self.status = status;
        Ok(())
    }

    pub(super) fn run_body(&mut self, body: &List) -> LoopStep {
        match self.run_list(body) {
            Ok(()) => LoopStep::Next,
            Err(unwind) => loop_unwind(unwind),
        }
    }

    pub(super) fn loop_words(&mut self, for_loop: &ForLoop) -> Flow<Rc<Vec<Vec<u8>>>> {
        match &for_loop.words {
            Some(words) => self.expand_words(words).map(Rc::new),
            None => Ok(Rc::clone(&self.positional)),
        }
    }

    fn run_for(&mut self, for_loop: &ForLoop, line: u32) -> Flow {
        let name = &for_loop.variable.raw;
        if !is_name(name) {
            self.error([b"`", &name[..], b"': not a valid identifier"].concat());
            self.status = 1;
            if self.posix() {
                return Err(Unwind::Exit);
            }
            return Ok(());
        }
        let name = Name::new(name);
        let words = self.loop_words(for_loop)?;
        self.status = 0;
        self.loops += 1;
        let mut result = Ok(());
        for word in words.iter() {
            self.line = line;
            if let Err(unwind) = self.run_debug_trap(|| for_text("for", for_loop)) {
                result = Err(unwind);
                break;
            }
            self.trace_for("for", for_loop);
            if self.bind_loop_variable(name, word.clone()).is_err() {
                self.status = 1;
                break;
            }
            match self.run_body(&for_loop.body) {
                LoopStep::Next => {}
                LoopStep::Leave => break,
                LoopStep::Unwind(unwind) => {
                    result = Err(unwind);
                    break;
                }
            }
        }
        self.loops -= 1;
        result
    }

    /// A nameref as loop variable is bound to each word itself.
    fn bind_loop_variable(&mut self, name: Name, word: Vec<u8>) -> Result<(), crate::shell::AssignError> {
        if self.vars.get(name).is_some_and(|var| var.attrs.has(crate::vars::Attrs::NAMEREF)) {
            return self.assign(&crate::shell::Target::Whole(name), word, false);
        }
        self.set_name(name, word)
    }

    /// An expression whose errors say that it is a command.
    fn evaluate_command(&mut self, text: &ArithText) -> Flow<i64> {
        self.arith_prefix = b"((: ";
        let result = self.evaluate_text(text);
        self.arith_prefix = b"";
        result
    }

    fn run_arith_for(&mut self, for_loop: &ArithForLoop, line: u32) -> Flow {
        let failed = |shell: &mut Shell, unwind: Unwind| match unwind {
            Unwind::Discard => {
                shell.status = 1;
                Ok(())
            }
            unwind => Err(unwind),
        };
        self.run_debug_trap(|| [b"((", &for_loop.init.word.raw[..], b"))"].concat())?;
        self.trace_arith(&for_loop.init.word);
        if let Err(unwind) = self.evaluate_command(&for_loop.init) {
            return failed(self, unwind);
        }
        self.loops += 1;
        let mut status = 0;
        let result = loop {
            self.line = line;
            if !for_loop.test.word.raw.trim_ascii().is_empty() {
                if let Err(unwind) = self.run_debug_trap(|| [b"((", &for_loop.test.word.raw[..], b"))"].concat()) {
                    break Err(unwind);
                }
                self.trace_arith(&for_loop.test.word);
                match self.evaluate_command(&for_loop.test) {
                    Ok(0) => break Ok(()),
                    Ok(_) => {}
                    Err(unwind) => {
                        status = 1;
                        break failed(self, unwind);
                    }
                }
            }
            match self.run_body(&for_loop.body) {
                LoopStep::Next => status = self.status,
                LoopStep::Leave => {
                    status = self.status;
                    break Ok(());
                }
                LoopStep::Unwind(unwind) => break Err(unwind),
            }
            self.line = line;
            if let Err(unwind) = self.run_debug_trap(|| [b"((", &for_loop.step.word.raw[..], b"))"].concat()) {
                break Err(unwind);
            }
            self.trace_arith(&for_loop.step.word);
            if let Err(unwind) = self.evaluate_command(&for_loop.step) {
                status = 1;
                break failed(self, unwind);
            }
        };
        self.loops -= 1;
        result?;
        self.status = status;
        Ok(())
    }

    fn run_case(&mut self, case: &Case) -> Flow {
        self.run_debug_trap(|| [b"case ", &case.subject.raw[..], b" in "].concat())?;
        self.trace_case(&case.subject);
        let subject = self.expand_single(&case.subject)?;
        self.status = 0;
        let mut falling = false;
        for clause in &case.clauses {
            let mut matched = falling;
            if !matched {
                for word in &clause.patterns {
                    let pattern = self.expand_pattern(word)?;
                    if Pattern::new(&pattern, self.match_options()).matches(&subject) {
                        matched = true;
                        break;
                    }
                }
            }
            if !matched {
                continue;
            }
            self.status = 0;
            self.run_list(&clause.body)?;
            match clause.end {
                CaseEnd::Break => return Ok(()),
                CaseEnd::FallThrough => falling = true,
                CaseEnd::TestNext => falling = false,
            }
        }
        Ok(())
    }

    fn define_function(&mut self, definition: &FunctionDefinition) -> Flow {
        let name = &definition.name;
        self.status = 0;
        if self.functions.get(&**name).is_some_and(|f| f.readonly) {
            self.error_about(name, "readonly function");
            self.status = 1;
            return Ok(());
        }
        let invalid =
            name.iter().any(|b| matches!(b, b'$' | b'`' | b'\'' | b'"' | b'\\')) || self.posix() && !is_name(name);
        if invalid {
            self.error([b"`", &name[..], b"': not a valid identifier"].concat());
            self.status = 1;
            if self.posix() {
                self.status = 2;
                return Err(Unwind::Exit);
            }
            return Ok(());
        }
        let source: Rc<[u8]> = match self.calls.last() {
            Some(call) => Rc::clone(&call.source),
            None if self.command_string => b"environment"[..].into(),
            None => b"main"[..].into(),
        };
        let exported = self.functions.get(&**name).is_some_and(|f| f.exported) || self.options.get(Opt::Allexport);
        let mut function = Function::new(Rc::clone(&definition.body), source);
        function.exported = exported;
        self.functions.insert(name.to_vec().into(), function);
        if exported {
            self.vars.changed_exports();
        }
        Ok(())
    }
}

pub(super) enum LoopStep {
    Next,
    Leave,
    Unwind(Unwind),
}

/// What `break` and `continue` mean for the innermost loop.
fn loop_unwind(unwind: Unwind) -> LoopStep {
    match unwind {
        Unwind::Break(1) => LoopStep::Leave,
        Unwind::Break(n) => LoopStep::Unwind(Unwind::Break(n - 1)),
        Unwind::Continue(1) => LoopStep::Next,
        Unwind::Continue(n) => LoopStep::Unwind(Unwind::Continue(n - 1)),
        unwind => LoopStep::Unwind(unwind),
    }
}

pub(super) fn for_text(keyword: &str, for_loop: &ForLoop) -> Vec<u8> {
    let mut text = keyword.as_bytes().to_vec();
    text.push(b' ');
    text.extend_from_slice(&for_loop.variable.raw);
    text.extend_from_slice(b" in");
    match &for_loop.words {
        Some(words) => {
            for word in words {
                text.push(b' ');
                text.extend_from_slice(&word.raw);
            }
        }
        None => text.extend_from_slice(b" \"$@\""),
    }
    text
}

/// Whether standard input is among them.
fn gives_input(redirects: &[Redirect]) -> bool {
    redirects.iter().any(|redirect| match redirect.target {
        RedirectFd::Default => redirect.op.default_fd() == sys::STDIN,
        RedirectFd::Number(n) => n == sys::STDIN,
        RedirectFd::Variable(_) => false,
    })
}
