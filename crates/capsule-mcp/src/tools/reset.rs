//! `reset`: a session as it began.

use super::arguments::{self, SessionId};
use super::schema::{self, Effect, text};
use super::{Call, answer};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, Tool};
use serde::Deserialize;
use serde_json::json;

const DESCRIPTION: &str = "\
Reset the sandboxed filesystem and shell state (cwd, env vars) for a session back to their initial values.

What it does to the world: every file, variable and function of that session is gone (the tool undo, where it is offered, can \
take this back); other sessions and the host stay as they are. It waits for a run of the session that goes on.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    session_id: SessionId,
}

pub fn definition() -> Tool {
    let input = schema::arguments(
        json!({ "session_id": schema::session_id("The session to reset. Defaults to 'default'.") }),
        &[],
    );
    let output = schema::answer(
        json!({ "ok": { "type": "boolean" }, "session_id": text("The session that was reset") }),
        &["ok", "session_id"],
    );
    let effect = Effect { read_only: false, destructive: true, idempotent: true };
    schema::tool("reset", "Reset a session", DESCRIPTION, input, output, effect)
}

pub async fn call(call: Call<'_>) -> Result<CallToolResult, ErrorData> {
    let Arguments { session_id: SessionId(id) } = arguments::read("reset", call.arguments)?;
    let done = match call.sessions.get(&id) {
        Ok(bash) => bash.reset().await,
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => answer::structured(&json!({ "ok": true, "session_id": id }), false),
        Err(error) => Ok(answer::failed(&error)),
    }
}
