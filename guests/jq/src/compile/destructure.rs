//! Patterns taken apart into single bindings.

use super::{Compiler, Entry};
use crate::syntax::{Ast, Param, Pattern, PatternKey};
use crate::term::{Op, Term};
use crate::value::Value;

/// The variables of a pattern, each once, in order.
fn variables(pattern: &Pattern, into: &mut Vec<String>) {
    let mut add = |name: &String| {
        if !into.contains(name) {
            into.push(name.clone());
        }
    };
    match pattern {
        Pattern::Var(name) => add(name),
        Pattern::Array(items) => items.iter().for_each(|item| variables(item, into)),
        Pattern::Object(entries) => {
            for (key, inner) in entries {
                if let PatternKey::Var(name) = key
                    && !into.contains(name)
                {
                    into.push(name.clone());
                }
                if let Some(inner) = inner {
                    variables(inner, into);
                }
            }
        }
    }
}

/// A piece of a pattern that is still to be bound: what it applies to, and the pattern.
type Step<'a> = (String, &'a Pattern);

impl Compiler<'_> {
    /// `source as patterns | body`
    pub(super) fn bind(&mut self, source: &Ast, patterns: &[Pattern], body: &Ast) -> Term {
        match patterns {
            [Pattern::Var(name)] => {
                let source = self.sub(source);
                let body = self.with(vec![Entry::Var(name.clone())], |c| c.sub(body));
                Term::new(Op::As { source, body })
            }
            [pattern] => {
                let whole = self.invent();
                let source = self.sub(source);
                let body = self.with(vec![Entry::Var(whole.clone())], |c| {
                    c.destructure(vec![(whole, pattern)], &mut |c| c.term(body))
                });
                Term::new(Op::As { source, body: Box::new(body) })
            }
            _ => self.alternatives(source, patterns, body),
        }
    }

    /// Binds one step after the other, then does `inside`.
    fn destructure(&mut self, mut steps: Vec<Step>, inside: &mut dyn FnMut(&mut Self) -> Term) -> Term {
        let Some((from, pattern)) = steps.pop() else { return inside(self) };
        match pattern {
            Pattern::Var(name) => {
                let source = self.variable(&from, 0, 0);
                self.then_bind(source, name.clone(), |c| c.destructure(steps, inside))
            }
            Pattern::Array(items) => {
                // Item by item: the rest of the array waits as steps behind this one.
                self.items(from, items, 0, steps, inside)
            }
            Pattern::Object(entries) => self.entries(from, entries, steps, inside),
        }
    }

    /// `source as $name | rest`
    fn then_bind(&mut self, source: Term, name: String, rest: impl FnOnce(&mut Self) -> Term) -> Term {
        let body = self.with(vec![Entry::Var(name)], rest);
        Term::new(Op::As { source: Box::new(source), body: Box::new(body) })
    }

    fn items(
        &mut self,
        from: String,
        items: &[Pattern],
        index: usize,
        steps: Vec<Step>,
        inside: &mut dyn FnMut(&mut Self) -> Term,
    ) -> Term {
        let Some((first, rest)) = items.split_first() else { return self.destructure(steps, inside) };
        let base = Box::new(self.variable(&from, 0, 0));
        let key = Box::new(Term::literal(index as f64));
        let source = Term::new(Op::Index { base, key, optional: false });
        let name = self.invent();
        self.then_bind(source, name.clone(), |c| {
            c.destructure(vec![(name, first)], &mut |c| {
                let steps = steps.iter().map(|(from, pattern)| (from.clone(), *pattern)).collect();
                c.items(from.clone(), rest, index + 1, steps, inside)
            })
        })
    }

    fn entries(
        &mut self,
        from: String,
        entries: &[(PatternKey, Option<Pattern>)],
        steps: Vec<Step>,
        inside: &mut dyn FnMut(&mut Self) -> Term,
    ) -> Term {
        let Some(((key, inner), rest)) = entries.split_first() else { return self.destructure(steps, inside) };
        let base = Box::new(self.variable(&from, 0, 0));
        let mut next = |c: &mut Self| {
            let steps = steps.iter().map(|(from, pattern)| (from.clone(), *pattern)).collect();
            c.entries(from.clone(), rest, steps, inside)
        };
        match key {
            PatternKey::Var(name) => {
                let key = Box::new(Term::literal(name.as_str()));
                let source = Term::new(Op::Index { base, key, optional: false });
                self.then_bind(source, name.clone(), |c| match inner {
                    Some(inner) => c.destructure(vec![(name.clone(), inner)], &mut next),
                    None => next(c),
                })
            }
            PatternKey::Value(key) => {
                let key = self.sub(key);
                let source = Term::new(Op::Index { base, key, optional: false });
                let name = self.invent();
                self.then_bind(source, name.clone(), |c| match inner {
                    Some(inner) => c.destructure(vec![(name.clone(), inner)], &mut next),
                    None => next(c),
                })
            }
        }
    }

    /// `source as P ?// Q | body`: the body is a function of all variables, tried with those of each pattern in turn.
    fn alternatives(&mut self, source: &Ast, patterns: &[Pattern], body: &Ast) -> Term {
        let mut all = Vec::new();
        patterns.iter().for_each(|pattern| variables(pattern, &mut all));
        let id = self.functions.len();
        self.functions.push(None);
        let (depth, function) = (self.names.depth, self.invent());
        let params: Vec<_> = all.iter().map(|name| Param { name: name.clone(), is_value: true }).collect();
        let arity = params.len();
        let entries = self.names.entries.len();
        self.names.push(Entry::Function { name: function.clone(), arity, id, depth });
        // It stands behind the patterns: what is wrong with it is told later.
        let (body, faults) = self.apart(|c| c.body_of(&params, body));
        self.functions[id] = Some(crate::term::Function { body });
        let whole = self.invent();
        let source = self.sub(source);
        let tried = self.with(vec![Entry::Var(whole.clone())], |c| {
            let mut tried = Vec::new();
            for pattern in patterns {
                let mut own = Vec::new();
                variables(pattern, &mut own);
                let args: Vec<Ast> = all
                    .iter()
                    .map(|name| if own.contains(name) { Ast::var(name) } else { Ast::Literal(Value::Null) })
                    .collect();
                tried.push(c.destructure(vec![(whole.clone(), pattern)], &mut |c| c.call(&function, &args, 0)));
            }
            Term::new(Op::TryEach(tried))
        });
        self.faults.append(faults);
        self.names.entries.truncate(entries);
        self.names.depth = depth;
        Term::new(Op::As { source, body: Box::new(tried) })
    }

    /// The source and the variable of a loop. Patterns become an array of what they bind, taken apart in the body.
    fn loop_source(&mut self, source: &Ast, patterns: &[Pattern]) -> (Term, String, Vec<String>) {
        if let [Pattern::Var(name)] = patterns {
            return (self.term(source), name.clone(), Vec::new());
        }
        let mut all = Vec::new();
        patterns.iter().for_each(|pattern| variables(pattern, &mut all));
        let list = Ast::Array(Some(Box::new(Ast::Comma(all.iter().map(|name| Ast::var(name)).collect()))));
        let source = self.bind(source, patterns, &list);
        (source, self.invent(), all)
    }

    /// A part of a loop's body: the item is bound, then what it was taken apart into.
    fn loop_body(&mut self, item: &str, all: &[String], body: &Ast) -> Term {
        self.with(vec![Entry::Var(item.to_owned())], |c| c.unpack(item, all, 0, body))
    }

    fn unpack(&mut self, item: &str, all: &[String], at: usize, body: &Ast) -> Term {
        let Some(name) = all.get(at) else { return self.term(body) };
        let base = Box::new(self.variable(item, 0, 0));
        let key = Box::new(Term::literal(at as f64));
        let source = Term::new(Op::Index { base, key, optional: false });
        self.then_bind(source, name.clone(), |c| c.unpack(item, all, at + 1, body))
    }

    pub(super) fn reduce(&mut self, source: &Ast, patterns: &[Pattern], init: &Ast, update: &Ast) -> Term {
        let init = self.sub(init);
        let (source, item, all) = self.loop_source(source, patterns);
        let update = Box::new(self.loop_body(&item, &all, update));
        Term::new(Op::Reduce { source: Box::new(source), init, update })
    }

    pub(super) fn foreach(
        &mut self,
        source: &Ast,
        patterns: &[Pattern],
        init: &Ast,
        update: &Ast,
        extract: Option<&Ast>,
    ) -> Term {
        let init = self.sub(init);
        let (source, item, all) = self.loop_source(source, patterns);
        let update = Box::new(self.loop_body(&item, &all, update));
        let extract = extract.map(|extract| Box::new(self.loop_body(&item, &all, extract)));
        Term::new(Op::Foreach { source: Box::new(source), init, update, extract })
    }
}
