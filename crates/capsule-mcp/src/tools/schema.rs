//! Pieces of schemas.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// What a tool does to the world, as clients ask it. None reaches out of the sandbox.
pub struct Effect {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
}

pub fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    input: Value,
    output: Value,
    effect: Effect,
) -> Tool {
    let annotations = ToolAnnotations::with_title(title)
        .read_only(effect.read_only)
        .destructive(effect.destructive)
        .idempotent(effect.idempotent)
        .open_world(false);
    Tool::new(name, description, object(input))
        .with_title(title)
        .with_raw_output_schema(Arc::new(object(output)))
        .with_annotations(annotations)
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

/// An object with these arguments and no others.
pub fn arguments(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// An object that has at least `required`.
pub fn answer(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The argument that names the session.
pub fn session_id(description: &str) -> Value {
    json!({ "type": "string", "default": super::arguments::DEFAULT_SESSION, "description": description })
}

/// Where a shell is and what it has exported.
pub fn state() -> Value {
    answer(
        json!({
            "cwd": text("Working directory of the next command"),
            "env": { "type": "object", "additionalProperties": { "type": "string" } },
        }),
        &["cwd", "env"],
    )
}

pub fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}
