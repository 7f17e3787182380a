//! The line editor's questions: is this command complete, what could come here, what is the prompt. The sandbox itself
//! answers them, so they agree with the shell that will run the line.

use super::asking::Asking;
use reedline::{
    Completer, CompletionResult, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, Span,
    Suggestion, ValidationResult, Validator,
};
use std::borrow::Cow;

/// Whether Enter runs the line or begins another one.
pub struct Complete(pub Asking);

impl Validator for Complete {
    fn validate(&self, line: &str) -> ValidationResult {
        if line.starts_with(':') || !self.0.is_open(line) {
            ValidationResult::Complete
        } else {
            ValidationResult::Incomplete
        }
    }
}

/// Commands, variables and paths of the sandbox.
pub struct Completions(pub Asking);

impl Completer for Completions {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let line = line.get(..pos).unwrap_or(line);
        let start =
            line.rfind([' ', '\t', '\n', '|', '&', ';', '(', '<', '>', '=', '`', '"', '\'']).map_or(0, |at| at + 1);
        let (before, word) = line.split_at(start);
        let found = match word.rfind('$').map(|at| word[at + 1..].trim_start_matches('{')) {
            Some(prefix) => {
                let kept = &word[..word.len() - prefix.len()];
                self.0.variables(prefix).into_iter().map(|name| format!("{kept}{name}")).collect()
            }
            None if is_command_place(before) && !word.contains('/') => self.0.commands(word),
            None => self.0.paths(word),
        };
        let suggest = |value: String| Suggestion {
            append_whitespace: !value.ends_with('/'),
            value,
            span: Span::new(start, pos),
            ..Suggestion::default()
        };
        CompletionResult::fresh(found.into_iter().map(suggest).collect::<Vec<_>>())
    }
}

/// Whether a word after this text would be a command.
fn is_command_place(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    before.is_empty()
        || before.ends_with(['|', '&', ';', '(', '\n', '`'])
        || ["then", "do", "else", "!", "{", "time"].iter().any(|word| {
            before.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', ';', '\n', '\t']))
        })
}

/// What stands before the line, already expanded.
pub struct Prompted {
    pub first: String,
    pub more: String,
}

impl Prompt for Prompted {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.first)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.more)
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let failing = match search.status {
            PromptHistorySearchStatus::Passing => "",
            PromptHistorySearchStatus::Failing => "failed ",
        };
        Cow::Owned(format!("({failing}search: {}) ", search.term))
    }
}

#[cfg(test)]
mod tests {
    use super::is_command_place;

    #[test]
    fn where_a_command_stands() {
        for before in ["", "  ", "ls | ", "a && ", "if x; then ", "( ", "x=$(", "do\t"] {
            assert!(is_command_place(before), "{before}");
        }
        for before in ["ls ", "cat < ", "undo "] {
            assert!(!is_command_place(before), "{before}");
        }
    }
}
