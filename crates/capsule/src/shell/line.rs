//! The line editor's questions: is this command complete, what could come here, what is the prompt. The sandbox itself
//! answers them, so they agree with the shell that will run the line.

use super::asking::Asking;
use super::meta;
use super::word::Word;
use reedline::{
    Completer, CompletionResult, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, Span,
    Suggestion, ValidationResult, Validator,
};
use std::borrow::Cow;

/// Whether Enter runs the line or begins another one.
pub struct Complete(pub Asking);

impl Validator for Complete {
    fn validate(&self, line: &str) -> ValidationResult {
        if meta::is_meta(line) || !self.0.is_open(line) {
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
        if meta::is_meta(line) {
            let names = meta::NAMES.iter().filter(|name| name.starts_with(line));
            return suggestions(names.map(|name| (*name).to_owned()), 0, pos);
        }
        let word = Word::last_of(line);
        if let Some((prefix, braced)) = word.variable(line) {
            let close = if braced { "}" } else { "" };
            let names = self.0.variables(prefix).into_iter().map(|name| format!("{name}{close}"));
            return suggestions(names, pos - prefix.len(), pos);
        }
        let before = &line[..word.start];
        let mut found = match is_command_place(before) && !word.text.contains('/') {
            true => self.0.commands(&word.text),
            false => self.0.paths(&word.text),
        };
        if wants_folder(before) {
            found.retain(|path| path.ends_with('/'));
        }
        suggestions(found.into_iter().map(|name| word.quoted(&name)), word.start, pos)
    }
}

fn suggestions(values: impl Iterator<Item = String>, start: usize, end: usize) -> CompletionResult {
    let suggest = |value: String| Suggestion {
        // A folder is followed by what is in it.
        append_whitespace: !value.ends_with('/'),
        value,
        span: Span::new(start, end),
        ..Suggestion::default()
    };
    CompletionResult::fresh(values.map(suggest).collect::<Vec<_>>())
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

/// Whether a word after this text can only be a folder.
fn wants_folder(before: &str) -> bool {
    let command = before.trim_end_matches([' ', '\t']);
    command.len() < before.len()
        && ["cd", "pushd", "rmdir"].iter().any(|name| command.strip_suffix(name).is_some_and(is_command_place))
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
    use super::{is_command_place, wants_folder};

    #[test]
    fn where_a_command_stands() {
        for before in ["", "  ", "ls | ", "a && ", "if x; then ", "( ", "x=$(", "do\t"] {
            assert!(is_command_place(before), "{before}");
        }
        for before in ["ls ", "cat < ", "undo "] {
            assert!(!is_command_place(before), "{before}");
        }
    }

    #[test]
    fn where_a_folder_stands() {
        assert!(wants_folder("cd ") && wants_folder("x; cd ") && wants_folder("(pushd\t"));
        assert!(!wants_folder("cd") && !wants_folder("echo cd ") && !wants_folder("abcd "));
    }
}
