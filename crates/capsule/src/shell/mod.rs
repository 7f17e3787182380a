//! The interactive shell: a line editor outside, a session inside.
//!
//! * `line`, `asking`: completeness, completion and prompts, asked of the session itself
//! * `highlight`: colours while typing
//! * `running`: one command from Enter to the next prompt
//! * `terminal`: what a guest may send to the terminal
//! * `timeline`, `meta`: `:diff`, `:undo` and the other commands about the session

mod asking;
mod highlight;
mod line;
mod meta;
mod running;
mod terminal;
mod timeline;

use asking::Asking;
use capsule_session::{Bash, Error};
use line::{Complete, Completions, Prompted};
use reedline::{
    ColumnarMenu, DefaultHinter, Emacs, FileBackedHistory, KeyCode, KeyModifiers, MenuBuilder, Reedline, ReedlineEvent,
    ReedlineMenu, Signal, default_emacs_keybindings,
};
use std::future::Future;
use std::path::PathBuf;
use timeline::Timeline;
use tokio::runtime::{Handle, Runtime};

const HISTORY: usize = 10_000;
const MENU: &str = "completions";

/// One sitting at the terminal.
pub struct Interactive {
    tokio: Handle,
    /// The one that is used, last; before it those that were left by `:fork`.
    sessions: Vec<Bash>,
    timeline: Timeline,
    status: i32,
}

/// Talks with the user until they leave. The status of the last command.
pub fn run(tokio: &Runtime, session: Bash, history: Option<PathBuf>) -> anyhow::Result<i32> {
    let mut shell = Interactive {
        tokio: tokio.handle().clone(),
        sessions: vec![session],
        timeline: Timeline::default(),
        status: 0,
    };
    let mut editor = shell.editor(history)?;
    println!("Capsule: everything here happens in a sandbox. :help tells more, Ctrl-D leaves.");
    loop {
        match editor.read_line(&shell.prompt())? {
            Signal::Success(line) if line.trim().is_empty() => {}
            Signal::Success(line) if line.starts_with(':') => {
                let count = shell.sessions.len();
                print!("{}", shell.meta(line.trim()));
                if shell.sessions.len() > count {
                    editor = shell.equip(editor);
                }
            }
            Signal::Success(line) => {
                if shell.execute(&line)? {
                    break;
                }
                editor = shell.equip(editor);
            }
            Signal::CtrlC => {}
            _ => break,
        }
    }
    shell.wait(shell.session().close())?;
    Ok(shell.status)
}

impl Interactive {
    fn session(&self) -> &Bash {
        // Never empty: sessions are only added.
        &self.sessions[self.sessions.len() - 1]
    }

    fn enter(&mut self, session: Bash) {
        self.sessions.push(session);
        self.timeline = Timeline::default();
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.tokio.block_on(work)
    }

    fn asking(&self) -> Asking {
        Asking { session: self.session().clone(), tokio: self.tokio.clone() }
    }

    fn list_sessions(&self) -> String {
        let current = self.sessions.len() - 1;
        let mark = |at| if at == current { '*' } else { ' ' };
        self.sessions.iter().enumerate().map(|(at, session)| format!("{} {}\n", mark(at), session.id())).collect()
    }

    fn editor(&self, history: Option<PathBuf>) -> anyhow::Result<Reedline> {
        let history = match history {
            Some(path) => FileBackedHistory::with_file(HISTORY, path)?,
            None => FileBackedHistory::new(HISTORY)?,
        };
        let mut keys = default_emacs_keybindings();
        let complete = ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]);
        keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
        let menu = ColumnarMenu::default().with_name(MENU);
        let editor = Reedline::create()
            .with_history(Box::new(history))
            .with_hinter(Box::new(DefaultHinter::default()))
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_ansi_colors(std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()));
        Ok(self.equip(editor))
    }

    /// What depends on the session: it may be another one now, or know other commands.
    fn equip(&self, editor: Reedline) -> Reedline {
        let commands = self.asking().all_commands();
        editor
            .with_validator(Box::new(Complete(self.asking())))
            .with_completer(Box::new(Completions(self.asking())))
            .with_highlighter(Box::new(highlight::Colours { commands }))
    }

    /// `PS1` as the session has it; by default where we are, and the last status when it was not 0.
    fn prompt(&self) -> Prompted {
        let script = "[[ -v PS1 ]] && printf '%s\\0%s' \"${PS1@P}\" \"${PS2@P}\"";
        if let Some(answer) = self.asking().ask(script).filter(|answer| answer.exit_code == 0)
            && let Some((first, more)) = answer.stdout.split_once('\0')
        {
            return Prompted { first: safe(first), more: safe(more) };
        }
        let status = if self.status == 0 { String::new() } else { format!("[{}] ", self.status) };
        let cwd = safe(&self.session().state().cwd);
        Prompted { first: format!("{status}{cwd} $ "), more: "> ".to_owned() }
    }
}

/// Text of the guest's for the terminal.
fn safe(text: &str) -> String {
    let mut bytes = Vec::new();
    // Readline's marks around what takes no room.
    let text: Vec<u8> = text.bytes().filter(|b| *b != 1 && *b != 2).collect();
    terminal::Filter::default().pass(&text, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
