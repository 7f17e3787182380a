//! The word that is being typed: what it means without its quotes, and how a longer one is written with them.

/// Characters that mean something to the shell; they stand in a name with a backslash before them.
const SPECIAL: &str = " \t\n'\"\\$`|&;()<>*?[]{}!#~=";

/// The last word of a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it begins, with its quote.
    pub start: usize,
    /// Without quotes and backslashes.
    pub text: String,
    /// The quote that is still open.
    quote: Option<char>,
    /// Its first character is a tilde that the shell expands.
    home: bool,
}

impl Word {
    pub fn last_of(line: &str) -> Word {
        let begin = |start| Word { start, text: String::new(), quote: None, home: line[start..].starts_with('~') };
        let mut word = begin(0);
        let mut chars = line.char_indices();
        while let Some((at, c)) = chars.next() {
            match (word.quote, c) {
                (Some(quote), c) if c == quote => word.quote = None,
                (None, '\'' | '"') => word.quote = Some(c),
                (None, '\\') => word.text.extend(chars.next().map(|(_, c)| c)),
                (Some('"'), '\\') => match chars.next() {
                    Some((_, c @ ('"' | '\\' | '$' | '`'))) => word.text.push(c),
                    other => word.text.extend(['\\'].into_iter().chain(other.map(|(_, c)| c))),
                },
                (None, ' ' | '\t' | '\n' | '|' | '&' | ';' | '(' | ')' | '<' | '>' | '=' | '`') => word = begin(at + 1),
                (_, c) => word.text.push(c),
            }
        }
        word
    }

    /// The name of a variable that is being typed at the line's end, and whether it stands in braces.
    pub fn variable<'a>(&self, line: &'a str) -> Option<(&'a str, bool)> {
        let raw = &line[self.start..];
        let (before, rest) = raw.rsplit_once('$').filter(|_| self.quote != Some('\''))?;
        let escaped = before.bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 1;
        let name = rest.strip_prefix('{');
        let (name, braced) = (name.unwrap_or(rest), name.is_some());
        let fits = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        (fits && !escaped).then_some((name, braced))
    }

    /// How a name is written in this word's place.
    pub fn quoted(&self, name: &str) -> String {
        let mut out = String::new();
        match self.quote {
            Some(quote) => {
                out.push(quote);
                for c in name.chars() {
                    match (quote, c) {
                        ('\'', '\'') => out.push_str(r"'\''"),
                        ('"', '"' | '\\' | '$' | '`') => out.extend(['\\', c]),
                        _ => out.push(c),
                    }
                }
                if !name.ends_with('/') {
                    out.push(quote);
                }
            }
            None => {
                for (at, c) in name.char_indices() {
                    if SPECIAL.contains(c) && !(at == 0 && c == '~' && self.home) {
                        out.push('\\');
                    }
                    out.push(c);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Word;

    fn last(line: &str) -> (usize, String) {
        let word = Word::last_of(line);
        (word.start, word.text)
    }

    #[test]
    fn the_word_without_its_quotes() {
        assert_eq!(last("ls my\\ fi"), (3, "my fi".to_owned()));
        assert_eq!(last("ls 'my fi"), (3, "my fi".to_owned()));
        assert_eq!(last("cat <\"a\\\"b"), (5, "a\"b".to_owned()));
        assert_eq!(last("x=/tm"), (2, "/tm".to_owned()));
        assert_eq!(last("ls é "), (6, String::new()));
        assert_eq!(last("a\\"), (0, "a".to_owned()));
    }

    #[test]
    fn names_as_they_are_written() {
        let write = |line: &str, name: &str| Word::last_of(line).quoted(name);
        assert_eq!(write("ls my", "my file"), "my\\ file");
        assert_eq!(write("ls 'my", "my o'file"), r"'my o'\''file'");
        assert_eq!(write("ls \"my", "my $file/"), "\"my \\$file/");
        assert_eq!(write("ls ~/a", "~/a b"), "~/a\\ b");
        assert_eq!(write("ls \\~", "~a"), "\\~a");
        assert_eq!(write("ls ü", "ü*"), "ü\\*");
    }

    #[test]
    fn variables_where_they_are_expanded() {
        let name = |line: &'static str| Word::last_of(line).variable(line);
        assert_eq!(name("echo $HO"), Some(("HO", false)));
        assert_eq!(name("echo \"a${HO"), Some(("HO", true)));
        assert_eq!(name("echo a$"), Some(("", false)));
        for line in ["echo '$HO", "echo \\$HO", "echo $HOME/x", "echo x"] {
            assert_eq!(name(line), None, "{line}");
        }
    }
}
