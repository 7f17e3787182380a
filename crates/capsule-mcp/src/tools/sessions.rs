//! `sessions`: which sessions there are.

use super::schema::{self, Effect, texts};
use super::{Call, answer, arguments};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, Tool};
use serde::Deserialize;
use serde_json::json;

const DESCRIPTION: &str = "\
List all currently active shell sessions, by their session_id.

What it does to the world: nothing. A session begins with the first call that names it.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {}

pub fn definition() -> Tool {
    let input = schema::arguments(json!({}), &[]);
    let output = schema::answer(json!({ "sessions": texts("The ids of the sessions") }), &["sessions"]);
    let effect = Effect { read_only: true, destructive: false, idempotent: true };
    schema::tool("sessions", "List sessions", DESCRIPTION, input, output, effect)
}

pub fn call(call: Call<'_>) -> Result<CallToolResult, ErrorData> {
    let Arguments {} = arguments::read("sessions", call.arguments)?;
    match call.sessions.ids() {
        Ok(ids) => answer::structured(&json!({ "sessions": ids }), false),
        Err(error) => Ok(answer::failed(&error)),
    }
}
