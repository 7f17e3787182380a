//! Calls: what a name with so many arguments stands for.

use super::{Compiler, Entry};
use crate::natives;
use crate::syntax::Ast;
use crate::term::{Op, Sub, Term};
use crate::value::Value;

impl Compiler<'_> {
    pub(super) fn call(&mut self, name: &str, args: &[Ast], at: usize) -> Term {
        let mut up = 0;
        let mut found = None;
        for entry in self.names.entries.iter().rev() {
            match entry {
                Entry::Param(param) if args.is_empty() && param == name => return Term::new(Op::Param(up)),
                Entry::Function { name: function, arity, id, depth } if *arity == args.len() && function == name => {
                    found = Some((*id, *depth));
                    break;
                }
                Entry::Var(_) | Entry::Param(_) | Entry::Label(_) => up += 1,
                _ => {}
            }
        }
        if let Some((function, depth)) = found {
            let scope = self.scope(depth);
            self.faults.called(function);
            let args = self.closures(args);
            return Term::new(Op::Call { function, scope, args });
        }
        if let Some(op) = self.special(name, args) {
            return Term::new(op);
        }
        if let Some(native) = natives::find(name, args.len()) {
            // jq has these in its own language.
            let args = match name {
                "join" | "flatten" | "ltrimstr" | "rtrimstr" | "trimstr" => self.closures(args),
                _ => self.native_args(args),
            };
            return Term::new(Op::Native { native, args });
        }
        if let Some(function) = self.library_function(name, args.len()) {
            let args = self.closures(args);
            return Term::new(Op::Call { function, scope: self.scope(0), args });
        }
        self.undefined(&format!("{name}/{}", args.len()), at, at + name.len())
    }

    fn closures(&mut self, args: &[Ast]) -> Vec<Term> {
        args.iter().map(|arg| self.closure(|c| c.term(arg))).collect()
    }

    /// The arguments of a native function are no functions of their own; the last one comes first.
    fn native_args(&mut self, args: &[Ast]) -> Vec<Term> {
        let mark = self.faults.mark();
        let each = |arg| {
            let middle = self.faults.mark();
            let term = self.term(arg);
            self.faults.swap(mark, middle);
            term
        };
        args.iter().map(each).collect()
    }

    fn argument(&mut self, ast: &Ast) -> Sub {
        self.closure(|c| c.sub(ast))
    }

    /// Functions the machine knows.
    fn special(&mut self, name: &str, args: &[Ast]) -> Option<Op> {
        let op = match (name, args) {
            ("null", []) => Op::Literal(Value::Null),
            ("true", []) => Op::Literal(Value::Bool(true)),
            ("false", []) => Op::Literal(Value::Bool(false)),
            ("empty", []) => Op::Empty,
            ("error", []) => Op::Error(None),
            ("error", [message]) => Op::Error(Some(self.argument(message))),
            ("path", [paths]) => Op::Path(self.argument(paths)),
            ("getpath", [path]) => Op::GetPath(self.sub(path)),
            ("limit", [count, body]) => Op::Limit { count: self.argument(count), body: self.argument(body) },
            ("first", [body]) => Op::First(self.argument(body)),
            ("last", [body]) => Op::Last(self.argument(body)),
            ("range", [to]) => {
                let from = Box::new(Term::literal(0.0));
                Op::Range { from, to: self.argument(to), by: None }
            }
            ("range", [from, to]) => Op::Range { from: self.argument(from), to: self.argument(to), by: None },
            ("range", [from, to, by]) => {
                Op::Range { from: self.argument(from), to: self.argument(to), by: Some(self.argument(by)) }
            }
            ("recurse", []) => Op::Recurse,
            ("input", []) => Op::Input,
            ("inputs", []) => Op::Inputs,
            ("halt", []) => Op::Halt(None),
            ("halt_error", []) => Op::Halt(Some(Box::new(Term::literal(5.0)))),
            ("halt_error", [status]) => Op::Halt(Some(self.sub(status))),
            // What follows is sugar that is faster without a call.
            ("not", []) => {
                let [yes, no] = [true, false].map(|b| Box::new(Term::literal(b)));
                Op::If { condition: identity(), then: no, otherwise: yes }
            }
            ("select", [condition]) => {
                let otherwise = Box::new(Term::new(Op::Empty));
                Op::If { condition: self.argument(condition), then: identity(), otherwise }
            }
            ("map", [body]) => {
                let each = Term::new(Op::Each { base: identity(), optional: false });
                let body = self.closure(|c| c.term(body));
                Op::Array(Some(Box::new(Term::new(Op::Pipe(vec![each, body])))))
            }
            ("del", [paths]) => {
                let paths = Term::new(Op::Path(self.argument(paths)));
                let paths = Term::new(Op::Array(Some(Box::new(paths))));
                let native = natives::find("delpaths", 1)?;
                Op::Native { native, args: vec![paths] }
            }
            _ => return None,
        };
        Some(op)
    }
}

fn identity() -> Sub {
    Box::new(Term::new(Op::Identity))
}
