//! What the world around the program is asked for.

use super::{Native, names, native};
use crate::compile;
use crate::json::to_string;
use crate::prelude;
use crate::value::Value;

pub const TABLE: &[Native] = &[
    native("env", 0, |context, _, _| Ok(context.host.environment())),
    native("now", 0, |context, _, _| Ok(Value::Number(context.host.now()))),
    native("input_filename", 0, |context, _, _| Ok(context.host.filename())),
    native("input_line_number", 0, |context, _, _| Ok(context.host.line().into())),
    native("debug", 0, |context, input, _| {
        context.host.message(format!("[\"DEBUG:\",{}]\n", to_string(&input)).as_bytes());
        Ok(input)
    }),
    native("stderr", 0, |context, input, _| {
        // Strings as they are, other values as JSON; nothing is added.
        let text = match &input {
            Value::String(text) => text.to_string(),
            other => to_string(other),
        };
        context.host.message(text.as_bytes());
        Ok(input)
    }),
    native("get_search_list", 0, |context, _, _| {
        Ok(Value::array(context.host.search_list().into_iter().map(Value::from).collect()))
    }),
    native("get_prog_origin", 0, |_, _, _| Ok(".".into())),
    native("get_jq_origin", 0, |_, _, _| Ok("/usr/bin".into())),
    native("modulemeta", 0, |context, input, _| match &input {
        Value::String(name) => compile::metadata(context.host, name),
        _ => Err("modulemeta input module name must be a string".into()),
    }),
    native("_extra", 2, |context, input, args| match &args[0] {
        Value::String(name) => context.host.extra(name, &input, &args[1]),
        _ => Err("_extra needs a name".into()),
    }),
    native("builtins", 0, |_, _, _| Ok(Value::array(names().chain(prelude::names()).map(Value::from).collect()))),
    native("have_literal_numbers", 0, |_, _, _| Ok(true.into())),
    native("have_decnum", 0, |_, _, _| Ok(true.into())),
];
