//! What the user who started the server let in, as the agent is told: a model that believes there is no network does not try.

use capsule_session::Mount;

/// What an agent is told before it calls anything. Ten lines, with places for what differs from server to server.
const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// What sessions of a server reach beside their own files.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    pub mounts: Vec<Mount>,
    /// As they were named: `example.com`, `*.example.com`, `https://x:8443` …
    pub hosts: Vec<String>,
}

impl Surroundings {
    pub(crate) fn instructions(&self) -> String {
        INSTRUCTIONS.replace("{mounts}", &self.mounts()).replace("{network}", &self.network())
    }

    fn mounts(&self) -> String {
        let shown = |mount: &Mount| {
            let effect = if mount.read_only { "read-only" } else { "changes there are real" };
            format!("{} ({effect})", one_line(&String::from_utf8_lossy(&mount.guest)))
        };
        match &self.mounts[..] {
            [] => "no folder of the user's is mounted".to_owned(),
            mounts => format!("folders of the user's: {}", mounts.iter().map(shown).collect::<Vec<_>>().join(", ")),
        }
    }

    fn network(&self) -> String {
        match &self.hosts[..] {
            [] => "there is no network".to_owned(),
            hosts => format!("of the network only {} can be reached", one_line(&hosts.join(", "))),
        }
    }
}

fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), "?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_told_what_was_let_in() {
        let nothing = Surroundings::default().instructions();
        assert!(nothing.contains("there is no network") && nothing.contains("no folder of the user's is mounted"));
        let some = Surroundings {
            mounts: vec!["./a::/src:ro".parse().unwrap(), "./b::/out\n".parse().unwrap()],
            hosts: vec!["example.com".to_owned(), "*.pypi.org".to_owned()],
        };
        let text = some.instructions();
        assert!(text.contains("/src (read-only), /out? (changes there are real)"), "{text}");
        assert!(text.contains("only example.com, *.pypi.org can be reached"), "{text}");
        assert_eq!((text.lines().count(), text.contains(['{', '}'])), (10, false), "{text}");
    }
}
