//! The commands that begin with a colon: about the session, not in it.

use super::Interactive;

pub const HELP: &str = "\
:diff            what each command of this sitting changed
:undo            take back the last command: its files and its variables
:snapshot        remember this moment
:restore N       go back to a snapshot
:fork NAME       go on in a copy of this session, under a new name
:sessions        the sessions of this sitting
:help            this text
Ctrl-C ends the running command, Ctrl-D leaves.
";

impl Interactive {
    /// Answers what to print.
    pub fn meta(&mut self, line: &str) -> String {
        let mut words = line.split_whitespace();
        let (name, argument) = (words.next().unwrap_or_default(), words.next());
        match (name, argument, words.next()) {
            (":help", None, _) => HELP.to_owned(),
            (":diff", None, _) => self.timeline.show(),
            (":undo", None, _) => match self.wait(self.session().undo()) {
                Ok(()) => {
                    self.timeline.undone();
                    "the last command was taken back\n".to_owned()
                }
                Err(error) => failed(&error),
            },
            (":snapshot", None, _) => match self.wait(self.session().snapshot()) {
                Ok(number) => format!("snapshot {number}: come back with `:restore {number}`\n"),
                Err(error) => failed(&error),
            },
            (":restore", Some(number), None) => match number.parse() {
                Ok(number) => match self.wait(self.session().restore(number)) {
                    Ok(()) => format!("back at snapshot {number}\n"),
                    Err(error) => failed(&error),
                },
                Err(_) => format!("'{number}' is not the number of a snapshot\n"),
            },
            (":fork", Some(name), None) => match self.wait(self.session().fork(name)) {
                Ok(session) => {
                    self.enter(session);
                    format!("this is {name} now; what you do here the other session does not see\n")
                }
                Err(error) => failed(&error),
            },
            (":sessions", None, _) => self.list_sessions(),
            (":restore" | ":fork", ..) => format!("{name} takes one argument: see :help\n"),
            (":help" | ":diff" | ":undo" | ":snapshot" | ":sessions", ..) => {
                format!("{name} takes no argument: see :help\n")
            }
            _ => format!("{name} is not known: see :help\n"),
        }
    }
}

fn failed(error: &capsule_session::Error) -> String {
    format!("{error}\n")
}
