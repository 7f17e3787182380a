//! Calls: functions and sourced files.

use super::traps::{DEBUG, ERR, RETURN};
use crate::names::Name;
use crate::shell::{CallFrame, Flow, Function, Opt, Shell, Shopt, Unwind};
use crate::stack::is_deep_for_call;
use std::rc::Rc;

impl Shell {
    /// `args[0]` is the function's name. `fresh`: with its own positional parameters.
    pub fn call_function(&mut self, function: &Function, args: Vec<Vec<u8>>, fresh: bool) -> Flow {
        self.call_function_in(function, args, fresh, false)
    }

    /// `assigned`: the newest scope has the assignments before the call, which are locals of the function.
    pub(super) fn call_function_in(
        &mut self,
        function: &Function,
        args: Vec<Vec<u8>>,
        fresh: bool,
        assigned: bool,
    ) -> Flow {
        let limit = self.vars.get(Name::FUNCNEST).and_then(|var| crate::arith::parse_integer(var.get()?)).unwrap_or(0);
        let nest = i64::from(self.functions_running);
        if limit > 0 && nest >= limit {
            let message = format!("maximum function nesting level exceeded ({limit})");
            let name = args[0].clone();
            self.error_about(&name, message);
            self.status = 1;
            return Err(Unwind::Discard);
        }
        if is_deep_for_call() {
            let name = args[0].clone();
            self.error_about(&name, format!("maximum function nesting level exceeded ({nest})"));
            self.status = 1;
            return Err(Unwind::Discard);
        }
        let Some(body) = function.body() else {
            return self.discard([&args[0][..], b": the saved text of this function is damaged"].concat());
        };
        let mut args = args;
        let name: Rc<[u8]> = args.remove(0).into();
        let shown = self.options.shopt(Shopt::Extdebug).then(|| args.clone());
        let outer = fresh.then(|| std::mem::replace(&mut self.positional, Rc::new(args)));
        self.calls.push(CallFrame {
            name,
            source: Rc::clone(&function.source),
            call_line: self.line,
            is_function: true,
            args: shown,
        });
        if assigned {
            self.vars.adopt_frame();
        } else {
            self.vars.push_frame(false);
        }
        self.depth += 1;
        self.functions_running += 1;
        let loops = std::mem::replace(&mut self.loops, 0);
        let line = self.line;
        let traced = function.traced || self.options.get(Opt::Functrace);
        let hidden = if traced { (None, None) } else { (self.traps.hide(DEBUG), self.traps.hide(RETURN)) };
        let hidden_err = if self.options.get(Opt::Errtrace) { None } else { self.traps.hide(ERR) };
        let mut result = Ok(());
        if traced {
            self.line = body.line;
            result = self.run_debug_trap(Vec::new);
        }
        if result.is_ok() {
            result = self.run_command(&body.command, false);
        }
        result = self.after_return(result);
        self.traps.unhide(DEBUG, hidden.0);
        self.traps.unhide(RETURN, hidden.1);
        self.traps.unhide(ERR, hidden_err);
        self.loops = loops;
        self.line = line;
        self.functions_running -= 1;
        self.depth -= 1;
        if !assigned {
            self.pop_vars();
        }
        self.calls.pop();
        if let Some(outer) = outer {
            self.positional = outer;
        }
        result
    }

    /// A call is over: the RETURN trap.
    fn after_return(&mut self, result: Flow) -> Flow {
        let status = self.status;
        match result {
            Err(Unwind::Return) => self.status = self.before_return,
            other => other?,
        }
        let result = if self.traps.has(RETURN) { self.run_trap(RETURN) } else { Ok(()) };
        if result != Err(Unwind::Exit) {
            self.status = status;
        }
        result
    }

    /// Runs a file in this shell.
    pub fn source_file(&mut self, path: &[u8], text: Vec<u8>, args: Option<Vec<Vec<u8>>>) -> Flow {
        if is_deep_for_call() {
            self.error_about(path, "maximum source nesting level exceeded");
            self.status = 1;
            return Err(Unwind::Discard);
        }
        let shown = args.clone().unwrap_or_else(|| vec![path.to_vec()]);
        let outer = args.map(|args| std::mem::replace(&mut self.positional, Rc::new(args)));
        self.calls.push(CallFrame {
            name: b"source"[..].into(),
            source: path.into(),
            call_line: self.line,
            is_function: false,
            args: Some(shown),
        });
        self.depth += 1;
        self.sources_running += 1;
        let line = self.line;
        let mut result = self.run_text(text, 1, b"", false);
        result = self.after_return(result);
        self.line = line;
        self.sources_running -= 1;
        self.depth -= 1;
        self.calls.pop();
        if let Some(outer) = outer {
            self.positional = outer;
        }
        result
    }
}
