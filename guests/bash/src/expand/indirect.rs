//! `${!name}`.

use super::param::{ParamValue, Reference, reference_name};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{ParamName, ParamOp, Part};
use crate::syntax::{ParseOptions, Parser};
use crate::vars::Attrs;

impl Shell {
    /// What the parameter's value names. None: nothing to expand.
    pub(super) fn indirect(&mut self, reference: &Reference) -> Flow<Option<Reference>> {
        // A nameref's indirection is the name it refers to, not a value.
        if let (ParamName::Variable(name), None) = (reference.name, &reference.subscript) {
            let is_reference =
                self.vars.get(name).filter(|var| var.attrs.has(Attrs::NAMEREF) && var.set).and_then(|var| var.get());
            if let Some(text) = is_reference {
                let text = text.to_vec();
                self.indirect_text = Some(text);
                return Ok(Some(Reference { name: ParamName::Special(b'\x01'), subscript: None }));
            }
        }
        let value = match self.value_of(reference)? {
            ParamValue::Unset => {
                let name = reference_name(reference.name);
                return self.discard([&name[..], b": invalid indirect expansion"].concat());
            }
            ParamValue::Scalar(text) => text,
            ParamValue::List { items, .. } => items.join(&b' '),
        };
        let mut none = ();
        let text = [&value[..], b"}"].concat();
        let mut parser = Parser::new(text, self.line, &mut none, ParseOptions::default());
        match parser.param_text() {
            Ok(Part::Param(inner)) if !inner.length && !inner.indirect && matches!(inner.op, ParamOp::None) => {
                Ok(Some(Reference { name: inner.name, subscript: inner.subscript.clone() }))
            }
            _ => self.discard([&value[..], b": invalid variable name"].concat()),
        }
    }
}
