//! Random patterns on random texts, beside a model that tries every path, and beside the machine's own tools.

use crate::machine::Text;
use crate::node::Node;
use crate::program::{Program, Step};
use crate::{Groups, Options, Perl, PerlOptions, Regex, Syntax, Whole, parse, pike};
use std::io::Write;
use std::process::{Command, Stdio};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    fn pattern(&mut self, depth: u64, back: bool, looks: bool) -> String {
        let mut pattern = String::new();
        for _ in 0..=self.below(3) {
            let atom = match self.below(12) {
                0..=3 => self.of(&["a", "b", "ab", "c"]).to_owned(),
                4 => self.of(&["é", ".", "x", "_"]).to_owned(),
                5 => self.of(&["[ab]", "[^a]", "[[:alpha:]]", "[é-ü_]", r"\w", r"\W"]).to_owned(),
                6 if looks => self.of(&["^", "$", r"\<", r"\>", r"\b", r"\B"]).to_owned(),
                7 if back => r"(a|b*)\1".to_owned(),
                _ if depth == 0 => "a".to_owned(),
                7..=9 => format!("({})", self.pattern(depth - 1, back, looks)),
                _ => format!("({}|{})", self.pattern(depth - 1, back, looks), self.pattern(depth - 1, back, looks)),
            };
            let anchor = matches!(atom.as_str(), "^" | "$" | r"\<" | r"\>" | r"\b" | r"\B");
            pattern += &atom;
            if !anchor && self.below(3) == 0 {
                pattern += self.of(&["*", "+", "?", "{2}", "{0,2}", "{1,}", "{1,3}"]);
            }
        }
        pattern
    }

    fn text(&mut self, newlines: bool) -> String {
        let units = if newlines {
            &["a", "b", "c", "é", "_", "-", "a", "\n"]
        } else {
            &["a", "b", "c", "é", "_", "-", "a", "b"]
        };
        (0..self.below(7)).map(|_| self.of(units)).collect()
    }
}

/// Every way a tree can match from a place, the preferred first.
fn paths(node: &Node, text: Text<'_>, at: usize, groups: &Groups, then: &mut dyn FnMut(usize, &Groups)) {
    let single = match node {
        Node::Byte(b) => Some(Step::Byte(*b)),
        Node::Char(c) => Some(Step::Char(*c)),
        Node::Any => Some(Step::Any),
        Node::Set(set) => Some(Step::Set(set.clone())),
        _ => None,
    };
    if let Some(step) = single {
        if let Some(len) = text.take(&step, at) {
            then(at + len, groups);
        }
        return;
    }
    match node {
        Node::Empty => then(at, groups),
        Node::Look(look) if text.holds(*look, at) => then(at, groups),
        Node::Back(n) => {
            if let Some((from, to)) = groups[*n]
                && text.bytes[at..].starts_with(&text.bytes[from..to])
            {
                then(at + to - from, groups);
            }
        }
        Node::Group(n, inner) => paths(inner, text, at, groups, &mut |end, groups| {
            let mut groups = groups.clone();
            groups[*n] = Some((at, end));
            then(end, &groups);
        }),
        Node::Cat(all) => match all.split_first() {
            None => then(at, groups),
            Some((first, rest)) => {
                let rest = Node::Cat(rest.to_vec());
                paths(first, text, at, groups, &mut |end, groups| paths(&rest, text, end, groups, then));
            }
        },
        Node::Alt(all) => all.iter().for_each(|node| paths(node, text, at, groups, then)),
        Node::Repeat(inner, 0, Some(most)) => {
            for count in (0..=*most).rev() {
                let copies = Node::Cat(vec![inner.as_ref().clone(); count as usize]);
                paths(&copies, text, at, groups, then);
            }
        }
        Node::Repeat(inner, least, most) if *least > 0 => {
            let mut copies = vec![inner.as_ref().clone(); *least as usize];
            copies.push(Node::Repeat(inner.clone(), 0, most.map(|most| most - least)));
            paths(&Node::Cat(copies), text, at, groups, then);
        }
        Node::Repeat(inner, ..) => {
            paths(inner, text, at, groups, &mut |end, groups| {
                if end > at {
                    paths(node, text, end, groups, then);
                }
            });
            then(at, groups);
        }
        _ => {}
    }
}

/// The leftmost, longest, preferred match.
fn model(node: &Node, count: usize, text: Text<'_>, from: usize) -> Option<Groups> {
    let mut start = from;
    loop {
        let mut best: Option<Groups> = None;
        paths(node, text, start, &vec![None; count + 1], &mut |end, groups| {
            if best.as_ref().is_none_or(|best| best[0].is_some_and(|span| end > span.1)) {
                let mut groups = groups.clone();
                groups[0] = Some((start, end));
                best = Some(groups);
            }
        });
        if best.is_some() || start >= text.bytes.len() {
            return best;
        }
        start += text.unit(start).1;
    }
}

#[test]
fn agrees_with_the_model() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..2500 {
        let back = round % 4 == 0;
        let pattern = random.pattern(2, back, true);
        let options = Options {
            syntax: Syntax::Extended,
            utf8: round % 3 != 0,
            multi_line: round % 5 == 0,
            newline_any: round % 7 != 0,
            ..Options::default()
        };
        let Ok(regex) = Regex::new(pattern.as_bytes(), &options) else { continue };
        let parsed = parse::parse_all(&[pattern.as_bytes()], &options, true).expect("parsed above");
        // Turns that match nothing are counted in another way.
        let empty_turns = parsed.node.any(&mut |node| matches!(node, Node::Repeat(inner, ..) if inner.nullable()));
        for _ in 0..6 {
            let text = random.text(true);
            let from = random.below(2) as usize;
            if !text.is_char_boundary(from) || from > text.len() {
                continue;
            }
            let not_bol = random.below(4) == 0;
            let view = Text { bytes: text.as_bytes(), utf8: options.utf8, not_bol };
            let want = model(&parsed.node, parsed.groups, view, from);
            let context = format!("{pattern:?} on {text:?} from {from} {not_bol} {options:?}");
            let mut got = Groups::new();
            let found = regex.captures_at(text.as_bytes(), from, not_bol, &mut got).then_some(got);
            if empty_turns || back {
                assert_eq!(found.map(|g| g[0]), want.as_ref().map(|g| g[0]), "{context}");
            } else {
                assert_eq!(found, want, "{context}");
            }
            if let (Some(want), false) = (&want, empty_turns || back) {
                let mut slow = vec![None; parsed.groups + 1];
                let whole = want[0].unwrap_or_default();
                assert!(pike::groups(&Program::new(&parsed.node), view, whole, &mut slow), "{context}");
                assert_eq!(&slow, want, "{context}");
            }
            if let Some((start, end)) = want.as_ref().and_then(|g| g[0])
                && !not_bol
            {
                let mut here = Groups::new();
                assert!(regex.match_at(text.as_bytes(), start, &mut here), "{context}");
                assert_eq!(here[0], Some((start, end)), "{context}");
            }
            let span = regex.find_at(text.as_bytes(), from, not_bol);
            assert_eq!(span, want.and_then(|g| g[0]), "{context}");
            if options.multi_line && !options.newline_any {
                let lines = regex.find_line(text.as_bytes(), 0);
                let line_of = |at: usize| text.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
                let whole = Text { not_bol: false, ..view };
                let want = model(&parsed.node, parsed.groups, whole, 0).and_then(|g| g[0]);
                assert_eq!(lines.map(line_of), want.map(|span| line_of(span.1)), "{context}");
            }
        }
    }
}

/// The output of a program of the machine, if it is GNU's.
fn gnu(program: &str, args: &[&str], input: &str) -> Option<(String, bool)> {
    let mut child = Command::new(program)
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(input.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success()))
}

#[test]
fn agrees_with_gnu_sed() {
    let is_gnu = gnu("sed", &["--version"], "").is_some_and(|(out, _)| out.contains("GNU sed"));
    if !is_gnu {
        return;
    }
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let options = Options { syntax: Syntax::Extended, utf8: true, ..Options::default() };
    for _ in 0..120 {
        // GNU's library itself loses matches where groups have conditions in them.
        let pattern = random.pattern(2, false, false);
        let Ok(regex) = Regex::new(pattern.as_bytes(), &options) else { continue };
        let texts: Vec<String> = (0..20).map(|_| random.text(false)).collect();
        let count = regex.group_count().min(9);
        let replacement: String = (0..=count).map(|n| format!("<\\{n}>")).collect();
        let Some((out, _)) = gnu("sed", &["-E", &format!("s/{pattern}/{replacement}/")], &(texts.join("\n") + "\n"))
        else {
            continue;
        };
        for (text, want) in texts.iter().zip(out.lines()) {
            let mut groups = Groups::new();
            let mut got = text.clone();
            if regex.captures_at(text.as_bytes(), 0, false, &mut groups) {
                let part = |n: usize| groups[n].map_or("", |span| &text[span.0..span.1]);
                let parts: String = (0..=count).map(|n| format!("<{}>", part(n))).collect();
                let whole = groups[0].unwrap_or_default();
                got = format!("{}{parts}{}", &text[..whole.0], &text[whole.1..]);
            }
            assert_eq!(got, want, "{pattern:?} on {text:?}");
        }
    }
}

/// No pattern is too odd: it matches or it is refused.
#[test]
fn odd_patterns_do_no_harm() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let pieces = &[
        "a", "b", "é", "\\", "(", ")", "[", "]", "{", "}", "*", "+", "?", "|", "^", "$", ".", "-", ",", "1", "2", ":",
        "=", "<", ">", "!", "\\1", "\\(", "\\)", "\\{", "\\}", "\\w", "\\b", "(?", "(?:", "(?=", "(?<=", "(?<n>",
        "[[:", ":]]", "\\Q", "\\E", "\\p{L}", "\\x", "\\K", "\n", "#", " ", "(*F)", "(?R)", "(?1)", "\\g", "\\k", "0",
        "9", "i", "x",
    ];
    for round in 0..4000 {
        let pattern: String = (0..=random.below(9)).map(|_| random.of(pieces)).collect();
        let text = random.text(true);
        let utf8 = round % 2 == 0;
        for syntax in [Syntax::Basic, Syntax::Extended, Syntax::Awk, Syntax::Emacs, Syntax::Literal] {
            let options =
                Options { syntax, utf8, lenient: round % 3 == 0, ignore_case: round % 5 == 0, ..Options::default() };
            if let Ok(regex) = Regex::new(pattern.as_bytes(), &options) {
                let mut groups = Groups::new();
                regex.captures_at(text.as_bytes(), 0, false, &mut groups);
            }
        }
        let options = PerlOptions { ignore_case: round % 5 == 0, utf8, multi_line: true, lines: true };
        if let Ok(perl) = Perl::new(pattern.as_bytes(), &options, Whole::No) {
            let line = text.lines().next().unwrap_or_default().as_bytes();
            let found = perl.find_at(line, 0);
            // Lines are found where there is a match.
            if let Ok(found) = found {
                assert_eq!(
                    perl.find_line(line, 0).map(|at| at.is_some()),
                    Ok(found.is_some()),
                    "{pattern:?} on {text:?}"
                );
            }
        }
    }
}
