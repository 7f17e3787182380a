//! `write_file`: puts a file into a session.

use super::arguments::{self, SessionId};
use super::schema::{self, Effect, text};
use super::{Call, answer};
use base64::Engine as _;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, Tool};
use serde::Deserialize;
use serde_json::json;

const DESCRIPTION: &str = "\
Write a file of a session, with exactly this content: no quoting, no expansion. Missing folders above it are made.

What it does to the world: a file that is already there is replaced. Only the session's sandbox changes, and the folders the \
user mounted into it for writing.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    content: String,
    #[serde(default)]
    encoding: Encoding,
    #[serde(default)]
    session_id: SessionId,
}

#[derive(Deserialize, Default)]
enum Encoding {
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "base64")]
    Base64,
}

pub fn definition() -> Tool {
    let input = schema::arguments(
        json!({
            "path": text("The file; a relative path starts at /workspace."),
            "content": text("What the file is to contain."),
            "encoding": {
                "type": "string",
                "enum": ["utf-8", "base64"],
                "default": "utf-8",
                "description": "How content is written: as text, or as base64 for other bytes.",
            },
            "session_id": schema::session_id("The session to write into. Defaults to 'default'."),
        }),
        &["path", "content"],
    );
    let output = schema::answer(
        json!({
            "ok": { "type": "boolean" },
            "path": text("The path as it was asked for"),
            "size": { "type": "integer", "description": "Bytes written" },
        }),
        &["ok", "path", "size"],
    );
    let effect = Effect { read_only: false, destructive: true, idempotent: true };
    schema::tool("write_file", "Write a file", DESCRIPTION, input, output, effect)
}

pub async fn call(call: Call<'_>) -> Result<CallToolResult, ErrorData> {
    let arguments: Arguments = arguments::read("write_file", call.arguments)?;
    let bytes = match arguments.encoding {
        Encoding::Utf8 => arguments.content.into_bytes(),
        Encoding::Base64 => base64::engine::general_purpose::STANDARD
            .decode(arguments.content)
            .map_err(|why| ErrorData::invalid_params(format!("write_file: content is not base64: {why}"), None))?,
    };
    let path = arguments.path;
    let written = match call.sessions.get(&arguments.session_id.0) {
        Ok(bash) => bash.write_file(&path, &bytes).await,
        Err(error) => Err(error),
    };
    match written {
        Ok(()) => answer::structured(&json!({ "ok": true, "path": path, "size": bytes.len() }), false),
        Err(error) => Ok(answer::failed(&error)),
    }
}
