//! `undo`: takes back the last step of a session.

use super::arguments::{self, SessionId};
use super::schema::{self, Effect, text};
use super::{Call, answer};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, Tool};
use serde::Deserialize;
use serde_json::json;

const DESCRIPTION: &str = "\
Take back the last step of a session: its files, cwd, variables and functions are again what they were before the last run, \
write_file or reset. The last eight steps can be taken back, one call each.

What it does to the world: what the last step did in the sandbox is gone, and cannot be done again but by doing it. Other \
sessions stay as they are. Changes in folders of the host that the user mounted are not taken back.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    session_id: SessionId,
}

pub fn definition() -> Tool {
    let input = schema::arguments(
        json!({ "session_id": schema::session_id("The session whose last step is taken back. Defaults to 'default'.") }),
        &[],
    );
    let output = schema::answer(
        json!({ "ok": { "type": "boolean" }, "session_id": text("The session"), "state": schema::state() }),
        &["ok", "session_id", "state"],
    );
    let effect = Effect { read_only: false, destructive: true, idempotent: false };
    schema::tool("undo", "Undo the last step", DESCRIPTION, input, output, effect)
}

pub async fn call(call: Call<'_>) -> Result<CallToolResult, ErrorData> {
    let Arguments { session_id: SessionId(id) } = arguments::read("undo", call.arguments)?;
    let bash = match call.sessions.get(&id) {
        Ok(bash) => bash,
        Err(error) => return Ok(answer::failed(&error)),
    };
    match bash.undo().await {
        Ok(()) => answer::structured(&json!({ "ok": true, "session_id": id, "state": bash.state() }), false),
        Err(error) => Ok(answer::failed(&error)),
    }
}
