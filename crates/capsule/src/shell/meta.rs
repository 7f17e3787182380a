//! The commands that begin with a colon and a letter: about the session, not in it. (`:` alone is bash's.)

use super::Interactive;
use super::terminal::printable;
use capsule_session::Error;

pub const NAMES: &[&str] = &[":diff", ":fork", ":help", ":restore", ":sessions", ":snapshot", ":switch", ":undo"];

const HELP: &str = "\
:diff            what each command of this sitting changed
:undo            take back the last command: its files and its variables
:snapshot        remember this moment
:restore N       go back to a snapshot
:fork NAME       go on in a copy of this session, under a new name
:sessions        the sessions there are; * is this one
:switch NAME     go on in another of them
:help            this text
Ctrl-C ends the running command, Ctrl-D leaves.
";

pub fn is_meta(line: &str) -> bool {
    line.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

impl Interactive {
    /// Answers what to print.
    pub fn meta(&mut self, line: &str) -> String {
        let mut words = line.split_whitespace();
        let (name, argument) = (words.next().unwrap_or_default(), words.next());
        let answer = match (name, argument, words.next()) {
            (":help", None, _) => Ok(HELP.to_owned()),
            (":diff", None, _) => Ok(self.timeline.show()),
            (":undo", None, _) => self.wait(self.session().undo()).map(|()| {
                self.timeline.note(":undo");
                "the last command was taken back\n".to_owned()
            }),
            (":snapshot", None, _) => self
                .wait(self.session().snapshot())
                .map(|number| format!("snapshot {number}: come back with `:restore {number}`\n")),
            (":restore", Some(number), None) => match number.parse() {
                Ok(number) => self.wait(self.session().restore(number)).map(|()| {
                    self.timeline.note(&format!(":restore {number}"));
                    format!("back at snapshot {number}\n")
                }),
                Err(_) => Ok(format!("'{}' is not the number of a snapshot\n", printable(number))),
            },
            (":fork", Some(name), None) => self.fork(name),
            (":switch", Some(name), None) => self.switch(name),
            (":sessions", None, _) => self.list_sessions(),
            (":restore" | ":fork" | ":switch", ..) => Ok(format!("{name} takes one argument: see :help\n")),
            _ if NAMES.contains(&name) => Ok(format!("{name} takes no argument: see :help\n")),
            _ => Ok(format!("{} is not known: see :help\n", printable(name))),
        };
        answer.unwrap_or_else(|error| format!("{}\n", printable(&error.to_string())))
    }

    fn fork(&mut self, name: &str) -> Result<String, Error> {
        if self.sessions.iter().any(|session| session.id() == name) {
            return Err(Error::Exists(name.to_owned()));
        }
        let session = self.wait(self.session().fork(name))?;
        self.enter(session);
        Ok(format!("this is {} now; what you do here the other session does not see\n", printable(name)))
    }

    fn switch(&mut self, name: &str) -> Result<String, Error> {
        let known = self.sessions.iter().position(|session| session.id() == name);
        let session = match known {
            Some(at) => self.sessions.remove(at),
            None if self.session().kept_beside()?.iter().any(|id| id == name) => {
                self.builder.clone().id(name).build()?
            }
            None => return Ok(format!("there is no session {}: see :sessions\n", printable(name))),
        };
        self.enter(session);
        Ok(format!("this is {} now\n", printable(name)))
    }

    fn list_sessions(&self) -> Result<String, Error> {
        let mut ids = self.session().kept_beside()?;
        ids.extend(self.sessions.iter().map(|session| session.id().to_owned()));
        ids.sort();
        ids.dedup();
        let mark = |id: &str| if id == self.session().id() { '*' } else { ' ' };
        Ok(ids.iter().map(|id| format!("{} {}\n", mark(id), printable(id))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{HELP, NAMES, is_meta};

    #[test]
    fn a_colon_alone_is_bashs() {
        assert!(is_meta(":undo") && is_meta(":x"));
        assert!(!is_meta(":") && !is_meta(": ${x:=1}") && !is_meta(":;ls") && !is_meta(" :undo"));
    }

    #[test]
    fn every_command_is_in_the_help() {
        assert!(NAMES.iter().all(|name| HELP.contains(name)));
    }
}
