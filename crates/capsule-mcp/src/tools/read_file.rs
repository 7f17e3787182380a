//! `read_file`: a file of a session.

use super::arguments::{self, SessionId};
use super::schema::{self, Effect, text};
use super::{Call, answer};
use base64::Engine as _;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, Tool};
use serde::Deserialize;
use serde_json::json;

const DESCRIPTION: &str = "\
Read a file of a session exactly as it is: text, or base64 if it is not valid UTF-8.

What it does to the world: nothing. It sees only the session's sandbox and the folders the user mounted there. \
Files of more than 1 MiB are refused: read parts of them with run (head, sed -n, dd).";

/// As much as the answer of a run carries by default.
const MOST: usize = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    #[serde(default)]
    session_id: SessionId,
}

pub fn definition() -> Tool {
    let input = schema::arguments(
        json!({
            "path": text("The file; a relative path starts at /workspace."),
            "session_id": schema::session_id("The session whose file it is. Defaults to 'default'."),
        }),
        &["path"],
    );
    let output = schema::answer(
        json!({
            "path": text("The path as it was asked for"),
            "content": text("The file's content"),
            "encoding": { "type": "string", "enum": ["utf-8", "base64"], "description": "How content is written" },
            "size": { "type": "integer", "description": "Bytes of the file" },
        }),
        &["path", "content", "encoding", "size"],
    );
    let effect = Effect { read_only: true, destructive: false, idempotent: true };
    schema::tool("read_file", "Read a file", DESCRIPTION, input, output, effect)
}

pub async fn call(call: Call<'_>) -> Result<CallToolResult, ErrorData> {
    let Arguments { path, session_id: SessionId(id) } = arguments::read("read_file", call.arguments)?;
    let read = match call.sessions.get(&id) {
        Ok(bash) => bash.read_file(&path).await,
        Err(error) => Err(error),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => return Ok(answer::failed(&error)),
    };
    let size = bytes.len();
    if size > MOST {
        let message =
            format!("{path} has {size} bytes, more than the {MOST} that fit into an answer: read parts of it with run");
        return Ok(CallToolResult::error(vec![ContentBlock::text(message)]));
    }
    let (content, encoding) = match String::from_utf8(bytes) {
        Ok(text) => (text, "utf-8"),
        Err(error) => (base64::engine::general_purpose::STANDARD.encode(error.into_bytes()), "base64"),
    };
    answer::structured(&json!({ "path": path, "content": content, "encoding": encoding, "size": size }), false)
}
