//! Questions to the session that leave no trace in it.

use capsule_session::{Answer, Bash, Run, RunOptions};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// Nobody waits longer for a suggestion.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Asking {
    pub session: Bash,
    pub tokio: Handle,
}

impl Asking {
    /// What a command prints, run in the session's shell as it is now; what it does there is forgotten.
    pub fn ask(&self, command: impl Into<Vec<u8>>) -> Option<Answer> {
        let options = RunOptions { timeout: Some(PATIENCE), forget: true, ..RunOptions::default() };
        self.tokio.block_on(self.session.run_with(command, options)).ok()
    }

    fn lines(&self, command: String) -> Vec<String> {
        let mut lines: Vec<String> =
            self.ask(command).map(|answer| answer.stdout.lines().map(str::to_owned).collect()).unwrap_or_default();
        lines.sort();
        lines.dedup();
        lines
    }

    pub fn commands(&self, prefix: &str) -> Vec<String> {
        self.lines(format!("compgen -abck -A function -- {}", quoted(prefix)))
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

    /// Every command there is, for colouring.
    pub fn all_commands(&self) -> Arc<HashSet<String>> {
        Arc::new(self.commands("").into_iter().collect())
    }

    /// Whether the shell would wait for more after this text: an open quote, construct or here-document.
    pub fn is_open(&self, text: &str) -> bool {
        let backslashes = text.bytes().rev().take_while(|&b| b == b'\\').count();
        if backslashes % 2 == 1 {
            return true;
        }
        let check = Run::bash(vec![b"-O".to_vec(), b"extglob".to_vec(), b"-n".to_vec(), b"-c".to_vec(), text.into()]);
        let answer = match self.tokio.block_on(self.session.execute(check)) {
            Ok(answer) => answer,
            Err(_) => return false,
        };
        let ends = ["unexpected end of file", "unexpected EOF while looking for matching", "delimited by end-of-file"];
        ends.iter().any(|end| answer.stderr.contains(end))
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
