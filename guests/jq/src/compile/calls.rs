//! Calls: what a name with so many arguments stands for.

use super::{Compiler, Entry, Result};
use crate::natives;
use crate::syntax::{Ast, SyntaxError};
use crate::term::{Op, Sub, Term};
use crate::value::Value;

impl Compiler<'_> {
    pub(super) fn call(&mut self, name: &str, args: &[Ast], at: usize) -> Result<Term> {
        let mut up = 0;
        let mut found = None;
        for entry in self.names.entries.iter().rev() {
            match entry {
                Entry::Param(param) if args.is_empty() && param == name => return Ok(Term::new(Op::Param(up))),
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
            let args = self.terms(args)?;
            return Ok(Term::new(Op::Call { function, scope, args }));
        }
        if let Some(op) = self.special(name, args)? {
            return Ok(Term::new(op));
        }
        if let Some(native) = natives::find(name, args.len()) {
            let args = self.terms(args)?;
            return Ok(Term::new(Op::Native { native, args }));
        }
        let function = self.library_function(name, args.len()).map_err(|e| SyntaxError { at, ..e })?;
        if let Some(function) = function {
            let args = self.terms(args)?;
            return Ok(Term::new(Op::Call { function, scope: self.scope(0), args }));
        }
        Err(SyntaxError::new(format!("{name}/{} is not defined", args.len()), at))
    }

    /// Functions the machine knows.
    fn special(&mut self, name: &str, args: &[Ast]) -> Result<Option<Op>> {
        let op = match (name, args) {
            ("null", []) => Op::Literal(Value::Null),
            ("true", []) => Op::Literal(Value::Bool(true)),
            ("false", []) => Op::Literal(Value::Bool(false)),
            ("empty", []) => Op::Empty,
            ("error", []) => Op::Error(None),
            ("error", [message]) => Op::Error(Some(self.sub(message)?)),
            ("path", [paths]) => Op::Path(self.sub(paths)?),
            ("getpath", [path]) => Op::GetPath(self.sub(path)?),
            ("limit", [count, body]) => Op::Limit { count: self.sub(count)?, body: self.sub(body)? },
            ("first", [body]) => Op::First(self.sub(body)?),
            ("last", [body]) => Op::Last(self.sub(body)?),
            ("range", [to]) => {
                let from = Box::new(Term::literal(0.0));
                Op::Range { from, to: self.sub(to)?, by: None }
            }
            ("range", [from, to]) => Op::Range { from: self.sub(from)?, to: self.sub(to)?, by: None },
            ("range", [from, to, by]) => {
                Op::Range { from: self.sub(from)?, to: self.sub(to)?, by: Some(self.sub(by)?) }
            }
            ("recurse", []) => Op::Recurse,
            ("input", []) => Op::Input,
            ("inputs", []) => Op::Inputs,
            ("halt", []) => Op::Halt(None),
            ("halt_error", []) => Op::Halt(Some(Box::new(Term::literal(5.0)))),
            ("halt_error", [status]) => Op::Halt(Some(self.sub(status)?)),
            // What follows is sugar that is faster without a call.
            ("not", []) => {
                let [yes, no] = [true, false].map(|b| Box::new(Term::literal(b)));
                Op::If { condition: identity(), then: no, otherwise: yes }
            }
            ("select", [condition]) => {
                let otherwise = Box::new(Term::new(Op::Empty));
                Op::If { condition: self.sub(condition)?, then: identity(), otherwise }
            }
            ("map", [body]) => {
                let each = Term::new(Op::Each { base: identity(), optional: false });
                let body = self.term(body)?;
                Op::Array(Some(Box::new(Term::new(Op::Pipe(vec![each, body])))))
            }
            ("del", [paths]) => {
                let paths = Term::new(Op::Path(self.sub(paths)?));
                let paths = Term::new(Op::Array(Some(Box::new(paths))));
                let Some(native) = natives::find("delpaths", 1) else { return Ok(None) };
                Op::Native { native, args: vec![paths] }
            }
            _ => return Ok(None),
        };
        Ok(Some(op))
    }
}

fn identity() -> Sub {
    Box::new(Term::new(Op::Identity))
}
