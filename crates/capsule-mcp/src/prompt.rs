//! The one prompt: the sandbox, explained to the model that will work in it.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

const NAME: &str = "sandbox";
const DESCRIPTION: &str = "How to work in Capsule's bash sandbox, and optionally what to do there";
const TEXT: &str = include_str!("prompt.txt");

pub fn definition() -> Prompt {
    let task = PromptArgument::new("task").with_description("What is to be done in the sandbox").with_required(false);
    Prompt::new(NAME, Some(DESCRIPTION), Some(vec![task])).with_title("Work in the sandbox")
}

pub fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    if name != NAME {
        return Err(ErrorData::invalid_params(format!("there is no prompt '{name}': there is {NAME}"), None));
    }
    let text = match arguments.and_then(|arguments| arguments.get("task")) {
        None | Some(Value::Null) => TEXT.to_owned(),
        Some(Value::String(task)) => format!("{TEXT}\nThe task:\n{task}\n"),
        Some(_) => return Err(ErrorData::invalid_params("task: expected a string", None)),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(DESCRIPTION))
}
