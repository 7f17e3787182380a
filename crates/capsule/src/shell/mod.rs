//! The interactive shell: a line editor outside, a session inside.
//!
//! * `line`, `word`, `asking`: completeness, completion and prompts, asked of the session itself
//! * `highlight`: colours while typing
//! * `ahead`: what was typed before it was asked for
//! * `running`: one command from Enter to the next prompt
//! * `terminal`: what a guest may send to the terminal
//! * `timeline`, `meta`: `:diff`, `:undo` and the other commands about the session

mod ahead;
mod asking;
mod highlight;
mod line;
mod meta;
mod running;
mod terminal;
mod timeline;
mod word;

use ahead::{Ahead, Typed};
use asking::Asking;
use capsule_session::{Bash, BashBuilder, Error};
use line::{Complete, Completions, Prompted};
use reedline::{
    ColumnarMenu, DefaultHinter, EditCommand, Emacs, FileBackedHistory, KeyCode, KeyModifiers, MenuBuilder, Reedline,
    ReedlineEvent, ReedlineMenu, Signal, default_emacs_keybindings,
};
use std::future::Future;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use terminal::{printable, safe};
use timeline::Timeline;
use tokio::runtime::{Handle, Runtime};

const HISTORY: usize = 10_000;
const MENU: &str = "completions";

/// One sitting at the terminal.
pub struct Interactive {
    tokio: Handle,
    /// For sessions that are switched to.
    builder: BashBuilder,
    /// The one that is used, last; before it those that were left by `:fork` and `:switch`.
    sessions: Vec<Bash>,
    timeline: Timeline,
    status: i32,
    signals: running::Signals,
    ahead: Ahead,
    /// What is coloured as a command.
    commands: highlight::Commands,
    /// Where the lines typed into each session are kept.
    histories: Option<PathBuf>,
}

/// Whether colours of our own are wanted.
pub fn coloured() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Talks with the user until they leave. The status of the last command.
pub fn run(tokio: &Runtime, builder: BashBuilder, session: Bash, histories: Option<PathBuf>) -> anyhow::Result<i32> {
    // Before Ctrl-C means something else: compiling may take a while.
    tokio.block_on(session.preload("bash"))?;
    let signals = tokio.block_on(async { running::Signals::new() })?;
    let mut shell = Interactive {
        tokio: tokio.handle().clone(),
        builder,
        sessions: vec![session],
        timeline: Timeline::default(),
        status: 0,
        signals,
        ahead: Ahead::default(),
        commands: highlight::Commands::default(),
        histories,
    };
    println!("Capsule: everything here happens in a sandbox. :help tells more, Ctrl-D leaves.");
    let mut prompt = shell.prompt();
    let mut editor = shell.editor()?;
    loop {
        let id = shell.session().id().to_owned();
        let signal;
        (signal, editor) = shell.read(editor, &prompt)?;
        match signal {
            Signal::Success(line) if line.trim().is_empty() => {}
            Signal::Success(line) if meta::is_meta(&line) => {
                print!("{}", shell.meta(line.trim()));
                std::io::stdout().flush()?;
            }
            Signal::Success(line) => {
                if shell.execute(&line) {
                    break;
                }
            }
            Signal::CtrlC => continue,
            _ => break,
        }
        // The process may end in many ways: what was typed is kept at once. A history that cannot be is no reason to end.
        let _ = editor.sync_history();
        prompt = shell.prompt();
        if shell.session().id() != id {
            editor = editor.with_history(shell.history()?);
        }
        editor = shell.equip(editor);
    }
    shell.sessions.iter().try_for_each(|session| shell.wait(session.close()))?;
    Ok(shell.status)
}

impl Interactive {
    fn session(&self) -> &Bash {
        // Never empty: whatever is taken out is put in again.
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

    fn editor(&self) -> anyhow::Result<Reedline> {
        let mut keys = default_emacs_keybindings();
        let complete = ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]);
        keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
        let menu = ColumnarMenu::default().with_name(MENU).with_marker("");
        let editor = Reedline::create()
            .with_history(self.history()?)
            .with_history_exclusion_prefix(Some(" ".to_owned()))
            .with_hinter(Box::new(DefaultHinter::default()))
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            .with_quick_completions(true)
            .with_partial_completions(true)
            // Several lines that are pasted are one command to be looked at, and not run before Enter.
            .use_bracketed_paste(true)
            .with_ansi_colors(coloured());
        Ok(self.equip(editor))
    }

    /// A line: from what was typed ahead, or from the keyboard.
    fn read(&self, mut editor: Reedline, prompt: &Prompted) -> anyhow::Result<(Signal, Reedline)> {
        let typed = self.ahead.command(&self.asking())?;
        let (text, whole) = match typed {
            Some(Typed::Command(text)) => (text, true),
            Some(Typed::Begun(text)) => (text, false),
            Some(Typed::End) => return Ok((Signal::CtrlD, editor)),
            None => (String::new(), false),
        };
        editor.run_edit_commands(&[EditCommand::InsertString(text)]);
        editor = editor.with_immediately_accept(whole);
        let signal = editor.read_line(prompt)?;
        self.ahead.take_keys()?;
        Ok((signal, editor.with_immediately_accept(false)))
    }

    fn history(&self) -> anyhow::Result<Box<FileBackedHistory>> {
        let file = self.histories.as_deref().map(|folder| history_file(folder, self.session().id()));
        Ok(Box::new(match file {
            Some(path) => FileBackedHistory::with_file(HISTORY, path)?,
            None => FileBackedHistory::new(HISTORY)?,
        }))
    }

    /// What depends on the session: it may be another one now, or know other commands.
    fn equip(&self, editor: Reedline) -> Reedline {
        self.asking().learn_commands(self.commands.clone());
        let commands = self.commands.clone();
        editor
            .with_validator(Box::new(Complete(self.asking())))
            .with_completer(Box::new(Completions(self.asking())))
            .with_highlighter(Box::new(highlight::Colours { commands }))
    }

    /// `PS1` as the session has it, after its `PROMPT_COMMAND`; by default where we are, and the last status when it was not 0.
    fn prompt(&mut self) -> Prompted {
        if let Some([first, more]) = self.ask_prompt() {
            return Prompted { first: shown(&first), more: shown(&more) };
        }
        let status = if self.status == 0 { String::new() } else { format!("[{}] ", self.status) };
        let cwd = printable(&self.session().state().cwd);
        Prompted { first: format!("{status}{cwd} $ "), more: "> ".to_owned() }
    }
}

/// An id is a name and never a path.
fn history_file(folder: &Path, session: &str) -> PathBuf {
    folder.join(&blake3::hash(session.as_bytes()).to_hex()[..32])
}

/// A prompt of the guest's, without readline's marks around what takes no room.
fn shown(prompt: &[u8]) -> String {
    let text: Vec<u8> = prompt.iter().copied().filter(|b| *b != 1 && *b != 2).collect();
    safe(&String::from_utf8_lossy(&text))
}
