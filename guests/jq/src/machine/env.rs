//! Variables, filters given as arguments, labels: a chain, the innermost first.

use crate::term::Term;
use crate::value::Value;
use std::rc::Rc;

#[derive(Clone, Default)]
pub struct Env<'p>(Option<Rc<Binding<'p>>>);

pub enum Slot<'p> {
    Var(Value),
    /// A filter and the place it was written at.
    Filter(&'p Term, Env<'p>),
    /// Where a label stands in the stack of choices.
    Label(usize),
}

struct Binding<'p> {
    slot: Slot<'p>,
    outer: Env<'p>,
}

impl<'p> Env<'p> {
    pub fn bind(&self, slot: Slot<'p>) -> Env<'p> {
        Env(Some(Rc::new(Binding { slot, outer: self.clone() })))
    }

    /// The environment this many bindings up.
    pub fn up(&self, count: u32) -> Env<'p> {
        let mut env = self;
        for _ in 0..count {
            match &env.0 {
                Some(binding) => env = &binding.outer,
                None => break,
            }
        }
        env.clone()
    }

    fn slot(&self, up: u32) -> Option<&Slot<'p>> {
        let mut env = self;
        for _ in 0..up {
            env = &env.0.as_ref()?.outer;
        }
        env.0.as_ref().map(|binding| &binding.slot)
    }

    pub fn var(&self, up: u32) -> &Value {
        match self.slot(up) {
            Some(Slot::Var(value)) => value,
            _ => &Value::Null,
        }
    }

    pub fn filter(&self, up: u32) -> Option<(&'p Term, &Env<'p>)> {
        match self.slot(up) {
            Some(Slot::Filter(term, env)) => Some((term, env)),
            _ => None,
        }
    }

    pub fn label(&self, up: u32) -> usize {
        match self.slot(up) {
            Some(Slot::Label(height)) => *height,
            _ => 0,
        }
    }
}

impl<'p> Binding<'p> {
    /// Takes what it holds on to.
    fn strip(&mut self, open: &mut Vec<Rc<Binding<'p>>>) {
        open.extend(self.outer.0.take());
        if let Slot::Filter(_, env) = &mut self.slot {
            open.extend(env.0.take());
        }
    }
}

impl Drop for Binding<'_> {
    fn drop(&mut self) {
        // Filters hold environments that hold filters: a long chain must not take the stack when it goes.
        // Most of the time nothing ends here.
        let last = |env: &Env| env.0.as_ref().is_some_and(|rc| Rc::strong_count(rc) == 1);
        let filter = matches!(&self.slot, Slot::Filter(_, env) if last(env));
        if !filter && !last(&self.outer) {
            return;
        }
        let mut open = Vec::new();
        self.strip(&mut open);
        while let Some(rc) = open.pop() {
            if let Some(mut binding) = Rc::into_inner(rc) {
                binding.strip(&mut open);
            }
        }
    }
}
