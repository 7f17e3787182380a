//! What the commands of this sitting changed, in order.

use super::coloured;
use super::terminal::printable;
use capsule_session::{Answer, Diff};
use nu_ansi_term::{Color, Style};
use std::fmt::Write as _;

#[derive(Default)]
pub struct Timeline {
    steps: Vec<Step>,
}

struct Step {
    command: String,
    diff: Diff,
    is_note: bool,
}

/// `+2 ~1 -0`.
fn counts(diff: &Diff) -> String {
    let [created, modified, deleted] = diff.counts();
    format!("+{created} ~{modified} -{deleted}")
}

/// The dim line after a command.
pub fn summary(answer: &Answer) -> String {
    let time = match answer.duration {
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms if ms < 1000.0 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", ms / 1000.0),
    };
    painted(Style::new().dimmed(), format!("{}  {time}", counts(&answer.diff)))
}

fn painted(style: Style, text: String) -> String {
    if coloured() { style.paint(text).to_string() } else { text }
}

impl Timeline {
    pub fn add(&mut self, command: &str, diff: &Diff) {
        self.steps.push(Step { command: command.to_owned(), diff: diff.clone(), is_note: false });
    }

    /// Something happened to the session that is no command in it.
    pub fn note(&mut self, what: &str) {
        self.steps.push(Step { command: what.to_owned(), diff: Diff::default(), is_note: true });
    }

    /// Every command that changed files, with the files.
    pub fn show(&self) -> String {
        let mut text = String::new();
        for (number, step) in (1..).zip(&self.steps) {
            let changed = step.diff.counts() != [0; 3];
            if !changed && !step.is_note {
                continue;
            }
            let first = printable(step.command.lines().next().unwrap_or_default());
            let counts = if changed {
                format!("  {}", painted(Style::new().dimmed(), counts(&step.diff)))
            } else {
                String::new()
            };
            let _ = writeln!(text, "{number} {first}{counts}");
            let lists = [('+', Color::Green, &step.diff.created), ('~', Color::Yellow, &step.diff.modified)];
            for (mark, colour, paths) in lists.into_iter().chain([('-', Color::Red, &step.diff.deleted)]) {
                for path in paths {
                    let _ = writeln!(text, "  {}", painted(colour.normal(), format!("{mark} {}", printable(path))));
                }
            }
            if let Some(omitted) = step.diff.omitted {
                let more = omitted.created + omitted.modified + omitted.deleted;
                let _ = writeln!(text, "  {}", painted(Style::new().dimmed(), format!("… and {more} more")));
            }
        }
        if text.is_empty() { "nothing has changed yet\n".to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::Timeline;
    use capsule_session::Diff;

    #[test]
    fn only_commands_that_changed_something_are_shown() {
        let mut timeline = Timeline::default();
        assert_eq!(timeline.show(), "nothing has changed yet\n");
        timeline.add("ls", &Diff::default());
        timeline.add("touch a", &Diff { created: vec!["a\x1b[2J".into()], ..Diff::default() });
        let text = timeline.show();
        assert!(text.starts_with("2 touch a") && text.contains("+ a?[2J") && !text.contains("ls"), "{text}");
    }
}
