//! Answers of tools.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;

/// The same answer as text, in JSON that people can read, and as a value.
pub fn structured(answer: &impl Serialize, is_error: bool) -> Result<CallToolResult, ErrorData> {
    let failed = |error: serde_json::Error| ErrorData::internal_error(error.to_string(), None);
    let text = serde_json::to_string_pretty(answer).map_err(failed)?;
    let value = serde_json::to_value(answer).map_err(failed)?;
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result.is_error = Some(is_error);
    Ok(result)
}

/// What could not be done, for the model to read.
pub fn failed(error: &capsule_session::Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}
