//! `fork`: a second session that begins as the first one is.

use super::arguments::{self, SessionId};
use super::schema::{self, Effect, text};
use super::{Call, answer};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, Tool};
use serde::Deserialize;
use serde_json::json;

const DESCRIPTION: &str = "\
Make a copy of a session under a new session_id: files, cwd, variables and functions as they are now. It takes microseconds; \
the two share what neither changes.

What it does to the world: one more session exists. The first stays as it is, and from then on neither sees what happens in \
the other. Good for trying something out. A session that already has the new id is an error; folders of the host that the user \
mounted are not copied, both sessions see the same.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    new_session_id: SessionId,
    #[serde(default)]
    session_id: SessionId,
}

pub fn definition() -> Tool {
    let input = schema::arguments(
        json!({
            "new_session_id": text("The id of the copy; no session may have it."),
            "session_id": schema::session_id("The session to copy. Defaults to 'default'."),
        }),
        &["new_session_id"],
    );
    let output = schema::answer(
        json!({
            "ok": { "type": "boolean" },
            "session_id": text("The session that was copied"),
            "new_session_id": text("The copy"),
        }),
        &["ok", "session_id", "new_session_id"],
    );
    let effect = Effect { read_only: false, destructive: false, idempotent: false };
    schema::tool("fork", "Fork a session", DESCRIPTION, input, output, effect)
}

pub async fn call(call: Call<'_>) -> Result<CallToolResult, ErrorData> {
    let Arguments { session_id, new_session_id } = arguments::read("fork", call.arguments)?;
    let (id, new_id) = (session_id.0, new_session_id.0);
    // A copy of a session that was never used is a mistake in its id, most likely.
    match call.sessions.ids() {
        Ok(ids) if id != arguments::DEFAULT_SESSION && !ids.contains(&id) => {
            let message = format!("there is no session '{id}': the tool sessions lists those there are");
            return Ok(CallToolResult::error(vec![ContentBlock::text(message)]));
        }
        Ok(_) => {}
        Err(error) => return Ok(answer::failed(&error)),
    }
    match call.sessions.fork(&id, &new_id).await {
        Ok(_) => answer::structured(&json!({ "ok": true, "session_id": id, "new_session_id": new_id }), false),
        Err(error) => Ok(answer::failed(&error)),
    }
}
