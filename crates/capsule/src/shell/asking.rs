//! Questions to the session that leave no trace in it: they are asked of a copy.

use super::highlight::Commands;
use capsule_session::{Bash, Run};
use std::time::Duration;
use tokio::runtime::Handle;

/// Nobody waits longer for a suggestion.
const PATIENCE: Duration = Duration::from_secs(1);

/// How `bash -n` says that the text is not over yet.
const OPEN: &[&str] = &[
    "unexpected end of file",
    "unexpected EOF while looking for",
    "unexpected token `EOF'",
    "delimited by end-of-file",
];

#[derive(Clone)]
pub struct Asking {
    pub session: Bash,
    pub tokio: Handle,
}

impl Asking {
    fn lines(&self, command: String) -> Vec<String> {
        self.tokio.block_on(self.answers(command))
    }

    /// The lines a command prints, run in the shell as it is now. Lines that are not plain text could not be shown.
    async fn answers(&self, command: String) -> Vec<String> {
        let answer = self.session.ask(command, PATIENCE).await;
        let text = answer.map(|answer| answer.stdout).unwrap_or_default();
        let plain = text.lines().filter(|line| !line.chars().any(|c| c.is_control() || c == '\u{fffd}'));
        let mut lines: Vec<String> = plain.map(str::to_owned).collect();
        lines.sort();
        lines.dedup();
        lines
    }

    pub fn commands(&self, prefix: &str) -> Vec<String> {
        self.lines(all_commands(prefix))
    }

    pub fn variables(&self, prefix: &str) -> Vec<String> {
        self.lines(format!("compgen -v -- {}", quoted(prefix)))
    }

    /// Files, with `/` behind folders.
    pub fn paths(&self, prefix: &str) -> Vec<String> {
        // The tilde stays as it was typed.
        let script = format!(
            "p={}; case $p in '~'|'~/'*) q=$HOME${{p#?}};; *) q=$p;; esac; \
             compgen -f -- \"$q\" | while IFS= read -r f; do \
             g=$p${{f#\"$q\"}}; if [[ -d $f ]]; then echo \"$g/\"; else echo \"$g\"; fi; done",
            quoted(prefix)
        );
        self.lines(script)
    }

    /// Every command there is, for colouring. It comes when it comes.
    pub fn learn_commands(self, known: Commands) {
        let tokio = self.tokio.clone();
        tokio.spawn(async move {
            let commands = self.answers(all_commands("")).await;
            if !commands.is_empty() {
                *known.lock() = commands.into_iter().collect();
            }
        });
    }

    /// Whether the shell would wait for more after this text: an open quote, construct or here-document.
    pub fn is_open(&self, text: &str) -> bool {
        let backslashes = text.bytes().rev().take_while(|&b| b == b'\\').count();
        if backslashes % 2 == 1 {
            return true;
        }
        let check = Run::bash(vec![b"-O".to_vec(), b"extglob".to_vec(), b"-n".to_vec(), b"-c".to_vec(), text.into()]);
        let answer = self.tokio.block_on(self.session.ask_program(check, PATIENCE));
        answer.is_ok_and(|answer| OPEN.iter().any(|end| answer.stderr.contains(end)))
    }
}

fn all_commands(prefix: &str) -> String {
    format!("compgen -abck -A function -- {}", quoted(prefix))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
