//! Functions. One that comes from a saved state stays text until it is called: a session with hundreds of functions starts
//! as fast as one without.

use crate::syntax::ast::{CommandKind, FunctionBody};
use crate::syntax::{ParseOptions, Parser, print_function, save_function};
use std::cell::OnceCell;
use std::rc::Rc;

#[derive(Clone)]
pub struct Function {
    code: Rc<Code>,
    pub exported: bool,
    pub readonly: bool,
    pub traced: bool,
    /// The file it was read from, for BASH_SOURCE.
    pub source: Rc<[u8]>,
}

struct Code {
    /// None inside: the text is not a function definition.
    body: OnceCell<Option<Rc<FunctionBody>>>,
    /// What was saved, once somebody knows it.
    text: OnceCell<Vec<u8>>,
    /// What `declare -f` prints, once somebody asked.
    shown: OnceCell<Vec<u8>>,
    /// Where the body starts.
    line: u32,
}

impl Function {
    pub fn new(body: Rc<FunctionBody>, source: Rc<[u8]>) -> Function {
        let line = body.line;
        Function::of(
            Code { body: OnceCell::from(Some(body)), text: OnceCell::new(), shown: OnceCell::new(), line },
            source,
        )
    }

    /// From what [`Function::save`] gave.
    pub fn from_text(text: Vec<u8>, line: u32, source: Rc<[u8]>) -> Function {
        Function::of(Code { body: OnceCell::new(), text: OnceCell::from(text), shown: OnceCell::new(), line }, source)
    }

    fn of(code: Code, source: Rc<[u8]>) -> Function {
        Function { code: Rc::new(code), exported: false, readonly: false, traced: false, source }
    }

    /// None for a text that does not parse, which only a damaged state has.
    pub fn body(&self) -> Option<&Rc<FunctionBody>> {
        let code = &self.code;
        let parse = || parse_definition(code.text.get()?.clone(), code.line.saturating_sub(1));
        code.body.get_or_init(parse).as_ref()
    }

    pub fn line(&self) -> u32 {
        self.code.line
    }

    /// As `declare -f` shows it.
    pub fn print(&self, name: &[u8]) -> &[u8] {
        self.code.shown.get_or_init(|| match self.body() {
            Some(body) => print_function(name, body),
            None => Vec::new(),
        })
    }

    /// As it is read again, by a session or a child.
    pub fn save(&self, name: &[u8]) -> &[u8] {
        self.code.text.get_or_init(|| match self.code.body.get() {
            Some(Some(body)) => save_function(name, body),
            _ => Vec::new(),
        })
    }
}

/// The body in `name () { … }`. Aliases are long expanded, and a pattern that was read under extglob must be so again.
pub fn parse_definition(text: Vec<u8>, line: u32) -> Option<Rc<FunctionBody>> {
    let options = ParseOptions { extglob: true, ..ParseOptions::default() };
    let mut none = ();
    let mut parser = Parser::new(text, line, &mut none, options);
    let list = parser.next_command().ok()??;
    let ([item], true) = (&list.items[..], parser.at_end()) else { return None };
    let [stage] = &item.and_or.first.stages[..] else { return None };
    match &stage.kind {
        CommandKind::Function(definition) => Some(Rc::clone(&definition.body)),
        _ => None,
    }
}
