//! `run`: a command in a session's shell.

use super::arguments::{self, SessionId};
use super::schema::{self, Effect, text, texts};
use super::{Call, answer};
use crate::progress::Progress;
use capsule_session::{Bash, Input, RunOptions};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, Tool};
use serde::Deserialize;
use serde_json::{Value, json};
use std::num::NonZeroU64;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const DESCRIPTION: &str = "\
Run a bash command inside the sandboxed Capsule environment. Returns stdout, stderr, exit code, filesystem diff, and \
current shell state (cwd + env).

What it does to the world: it changes only the session's own sandbox. Files, cwd, variables, functions and aliases persist \
for later calls with the same session_id; other sessions and the host see nothing. Commands like rm really delete there. \
Forbidden: host files (but for folders the user mounted, where changes are real), the network (but for hosts the user allowed), and programs other \
than those in the sandbox. Limits on time, memory, processes, files and output end a run loudly: the answer names the limit. \
A run that is cancelled, times out or is killed keeps the files it wrote and the shell state of the last completed run.

Output and lists over the answer limit (64 KiB unless the user changed it) are cut, and limit says in which file of the \
sandbox all of it is.

The command may be a whole script with pipes, loops and here-documents. Background jobs end with the run; it waits for those \
that can still write to its output. It cannot ask questions: give input with stdin. \
isError is true when the exit code is not 0. Use reset to start over.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    command: String,
    #[serde(default)]
    session_id: SessionId,
    timeout_ms: Option<NonZeroU64>,
    stdin: Option<String>,
    diff: Option<DiffOf>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum DiffOf {
    Paths,
    Contents,
}

pub fn definition() -> Tool {
    let input = schema::arguments(
        json!({
            "command": text("The bash command to execute."),
            "session_id": schema::session_id(
                "Identifier for the shell session. Commands within the same session share cwd, env, and filesystem \
                 state. Defaults to 'default'.",
            ),
            "timeout_ms": {
                "type": "integer",
                "minimum": 1,
                "description": "End the run after this many milliseconds. Defaults to the session's limit of wall time, \
                                which it cannot exceed.",
            },
            "stdin": text("Text for the command's standard input. Defaults to none."),
            "diff": {
                "type": "string",
                "enum": ["paths", "contents"],
                "default": "paths",
                "description": "Whether the diff names the changed files only, or also tells what changed in them.",
            },
        }),
        &["command"],
    );
    let effect = Effect { read_only: false, destructive: true, idempotent: false };
    schema::tool("run", "Run bash in the sandbox", DESCRIPTION, input, output(), effect)
}

fn output() -> Value {
    let summary = json!({
        "type": "object",
        "properties": { "size": { "type": "integer" }, "sha256": { "type": "string" } },
    });
    let file = schema::answer(
        json!({
            "path": text("The file"),
            "change": { "type": "string", "enum": ["created", "modified", "deleted"] },
            "text": text("The difference as diff -u prints it, if both sides are text"),
            "before": summary,
            "after": summary,
        }),
        &["path", "change"],
    );
    let count = json!({ "type": "integer", "description": "Entries the list was too long for" });
    let diff = schema::answer(
        json!({
            "created": texts("Paths that exist now and did not before"),
            "modified": texts("Paths with other contents than before"),
            "deleted": texts("Paths that are gone"),
            "contents": { "type": "array", "items": file, "description": "What changed in the files, if diff is contents" },
            "omitted": schema::answer(
                json!({ "created": count, "modified": count, "deleted": count, "contents": count }),
                &["created", "modified", "deleted"],
            ),
        }),
        &["created", "modified", "deleted"],
    );
    schema::answer(
        json!({
            "stdout": text("What the command printed"),
            "stderr": text("What it printed on standard error"),
            "stdoutBase64": text("The exact bytes, if stdout is not valid UTF-8"),
            "stderrBase64": text("The exact bytes, if stderr is not valid UTF-8"),
            "exitCode": { "type": "integer", "description": "Exit status; 128 + N if signal N ended the shell" },
            "diff": diff,
            "state": schema::state(),
            "duration": { "type": "number", "description": "Milliseconds" },
            "feedback": texts("What a silent command did, in words"),
            "truncated": { "type": "boolean", "description": "Whether output or a list was cut" },
            "limit": texts("The limits that were reached, what they ended or cut, and where the whole of it is"),
            "network": {
                "type": "array",
                "description": "The requests to other hosts",
                "items": schema::answer(
                    json!({
                        "method": text("GET, POST …"),
                        "url": text("Without secrets"),
                        "status": { "type": "integer", "description": "The status, if there was an answer" },
                        "sent": { "type": "integer", "description": "Bytes of the request's body" },
                        "received": { "type": "integer", "description": "Bytes of the answer's body" },
                        "milliseconds": { "type": "integer" },
                        "error": text("Why it failed"),
                    }),
                    &["method", "url", "sent", "received", "milliseconds"],
                ),
            },
        }),
        &["stdout", "stderr", "exitCode", "diff", "state", "duration", "feedback"],
    )
}

pub async fn call(call: Call<'_>) -> Result<CallToolResult, ErrorData> {
    let token = call.context.meta.get_progress_token();
    let arguments: Arguments = arguments::read("run", call.arguments)?;
    let bash = match call.sessions.get(&arguments.session_id.0) {
        Ok(bash) => bash,
        Err(error) => return Ok(answer::failed(&error)),
    };
    let mut options = RunOptions {
        stdin: arguments.stdin.map_or(Input::Empty, |text| Input::Bytes(text.into_bytes())),
        timeout: arguments.timeout_ms.map(|ms| Duration::from_millis(ms.get())),
        cancel: Some(call.context.ct.clone()),
        contents: arguments.diff == Some(DiffOf::Contents),
        ..RunOptions::default()
    };
    let Some(token) = token else {
        return finished(run(&bash, arguments.command, options).await);
    };
    let progress = Progress::default();
    options.on_output = Some(progress.listener());
    let over = CancellationToken::new();
    let _over = over.clone().drop_guard();
    let reporter = tokio::spawn(progress.report(call.context.peer.clone(), token, over.clone()));
    let outcome = run(&bash, arguments.command, options).await;
    over.cancel();
    // No progress may follow the answer.
    let _ = reporter.await;
    finished(outcome)
}

type Outcome = Result<capsule_session::Answer, capsule_session::Error>;

async fn run(bash: &Bash, command: String, options: RunOptions) -> Outcome {
    bash.run_with(command, options).await
}

fn finished(outcome: Outcome) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(answer) => answer::structured(&answer, answer.exit_code != 0),
        Err(error) => Ok(answer::failed(&error)),
    }
}
