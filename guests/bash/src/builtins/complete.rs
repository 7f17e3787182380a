//! `complete` and `compopt`: which completions commands have. A specification is kept as the options that make it again.

use super::{Letter, Letters};
use crate::expand::single_quote;
use crate::shell::{Flow, Shell};

/// What `-o` takes, in the order in which it is shown.
pub(super) const OPTIONS: &[&str] =
    &["bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"];

/// What `-A` takes, and the letter that means the same; in the order in which they are shown.
pub(super) const ACTIONS: &[(&str, Option<u8>)] = &[
    ("alias", Some(b'a')),
    ("builtin", Some(b'b')),
    ("command", Some(b'c')),
    ("directory", Some(b'd')),
    ("export", Some(b'e')),
    ("file", Some(b'f')),
    ("group", Some(b'g')),
    ("job", Some(b'j')),
    ("keyword", Some(b'k')),
    ("service", Some(b's')),
    ("user", Some(b'u')),
    ("variable", Some(b'v')),
    ("arrayvar", None),
    ("binding", None),
    ("disabled", None),
    ("enabled", None),
    ("function", None),
    ("helptopic", None),
    ("hostname", None),
    ("running", None),
    ("setopt", None),
    ("shopt", None),
    ("signal", None),
    ("stopped", None),
];

/// The letters with a value, in the order in which they are shown.
const VALUES: &[u8] = b"GWPSXCF";

/// What a word of `complete` stands for that is no command: `-D`, `-E`, `-I`, and the names bash has for them.
const PLACES: &[(&[u8], &[u8])] = &[(b"-D", b"_DefaultCmD_"), (b"-E", b"_EmptycmD_"), (b"-I", b"_InitialWorD_")];

#[derive(Default)]
struct Spec {
    options: Vec<&'static str>,
    actions: Vec<&'static str>,
    values: Vec<(u8, Vec<u8>)>,
}

impl Spec {
    /// ` -o nospace -f -W 'a b'`
    fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for option in OPTIONS.iter().filter(|option| self.options.contains(option)) {
            text.extend_from_slice(format!(" -o {option}").as_bytes());
        }
        for (action, letter) in ACTIONS.iter().filter(|(action, _)| self.actions.contains(action)) {
            match letter {
                Some(letter) => text.extend_from_slice(&[b' ', b'-', *letter]),
                None => text.extend_from_slice(format!(" -A {action}").as_bytes()),
            }
        }
        for letter in VALUES {
            if let Some((_, value)) = self.values.iter().rfind(|(l, _)| l == letter) {
                text.extend_from_slice(&[b' ', b'-', *letter, b' ']);
                text.extend_from_slice(&if *letter == b'F' { value.clone() } else { single_quote(value) });
            }
        }
        text
    }
}

/// The option of that name, or the message that there is none.
pub(super) fn find_option(shell: &mut Shell, me: &str, name: &[u8]) -> Option<&'static str> {
    let found = OPTIONS.iter().copied().find(|option| option.as_bytes() == name);
    if found.is_none() {
        shell.complain(me, [name, b": invalid option name"].concat());
    }
    found
}

pub(super) fn find_action(shell: &mut Shell, me: &str, name: &[u8]) -> Option<&'static str> {
    let found = ACTIONS.iter().map(|(action, _)| *action).find(|action| action.as_bytes() == name);
    if found.is_none() {
        shell.complain(me, [name, b": invalid action name"].concat());
    }
    found
}

fn unknown(shell: &mut Shell, me: &str, name: &[u8]) -> i32 {
    let shown = PLACES.iter().find(|(place, _)| *place == name).map_or(name, |(_, shown)| shown);
    shell.complain(me, [shown, b": no completion specification"].concat());
    1
}

fn show(shell: &mut Shell, name: &[u8]) -> i32 {
    let Some(options) = shell.completions.get(name).cloned() else { return unknown(shell, "complete", name) };
    shell.out.extend_from_slice(&[b"complete", &options[..], b" ", name, b"\n"].concat());
    0
}

pub fn run_complete(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut print, mut remove) = (args.len() == 1, false);
    let mut spec = Spec::default();
    let mut names: Vec<Vec<u8>> = Vec::new();
    let mut letters = Letters::new(args, b"abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'p') => print = true,
            Letter::Plain(b'r') => remove = true,
            Letter::Plain(place @ (b'D' | b'E' | b'I')) => names = vec![vec![b'-', place]],
            Letter::Plain(letter) => {
                spec.actions.extend(ACTIONS.iter().filter(|(_, l)| *l == Some(letter)).map(|(action, _)| *action));
            }
            Letter::With(b'o', name) => match find_option(shell, "complete", name) {
                Some(option) => spec.options.push(option),
                None => return Ok(2),
            },
            Letter::With(b'A', name) => match find_action(shell, "complete", name) {
                Some(action) => spec.actions.push(action),
                None => return Ok(2),
            },
            Letter::With(letter, value) => spec.values.push((letter, value.to_vec())),
            Letter::Bad(option) => return Ok(shell.bad_option("complete", &option)),
            Letter::Missing(letter) => {
                shell.complain("complete", format!("-{}: option requires an argument", letter as char));
                return Ok(2);
            }
        }
    }
    if names.is_empty() {
        names = letters.rest().to_vec();
    }
    let mut status = 0;
    if remove {
        if names.is_empty() {
            shell.completions.clear();
        }
        for name in &names {
            if shell.completions.remove(&name[..]).is_none() {
                status = unknown(shell, "complete", name);
            }
        }
        return Ok(status);
    }
    if print {
        if names.is_empty() {
            names = shell.completions.keys().map(|name| name.to_vec()).collect();
            names.sort();
        }
        for name in &names {
            status |= show(shell, name);
        }
        return Ok(status);
    }
    if names.is_empty() {
        return Ok(shell.usage("complete"));
    }
    let text = spec.text();
    for name in names {
        shell.completions.insert(name.into(), text.clone());
    }
    Ok(0)
}

pub fn run_compopt(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut changes: Vec<(&'static str, bool)> = Vec::new();
    let mut names: Vec<Vec<u8>> = Vec::new();
    let mut rest = args[1..].iter();
    while let Some(arg) = rest.as_slice().first() {
        match &arg[..] {
            b"--" => {
                rest.next();
                break;
            }
            [sign @ (b'-' | b'+'), b'o', value @ ..] => {
                rest.next();
                let name = if value.is_empty() { rest.next().cloned() } else { Some(value.to_vec()) };
                let Some(name) = name else {
                    let option = [*sign, b'o'];
                    shell.complain("compopt", [&option[..], b": option requires an argument"].concat());
                    return Ok(shell.usage("compopt"));
                };
                match find_option(shell, "compopt", &name) {
                    Some(option) => changes.push((option, *sign == b'-')),
                    None => return Ok(2),
                }
            }
            [b'-', place @ (b'D' | b'E' | b'I')] => {
                rest.next();
                names = vec![vec![b'-', *place]];
            }
            [b'-', letter, ..] => {
                let option = [b'-', *letter];
                return Ok(shell.bad_option("compopt", &option));
            }
            _ => break,
        }
    }
    if names.is_empty() {
        names = rest.cloned().collect();
    }
    if names.is_empty() {
        shell.complain("compopt", "not currently executing completion function");
        return Ok(1);
    }
    let mut status = 0;
    for name in names {
        let Some(text) = shell.completions.get(&name[..]).cloned() else {
            status = unknown(shell, "compopt", &name);
            continue;
        };
        let (mut options, others) = split_options(&text);
        if changes.is_empty() {
            let list: Vec<String> = OPTIONS
                .iter()
                .map(|option| format!("{}o {option}", if options.contains(option) { '-' } else { '+' }))
                .collect();
            shell.out.extend_from_slice(&[b"compopt ", list.join(" ").as_bytes(), b" ", &name, b"\n"].concat());
            continue;
        }
        for (option, on) in &changes {
            options.retain(|o| o != option);
            if *on {
                options.push(option);
            }
        }
        let text = [Spec { options, ..Spec::default() }.text(), others].concat();
        shell.completions.insert(name.into(), text);
    }
    Ok(status)
}

/// The `-o` options at the start of a specification, and the rest of it.
fn split_options(text: &[u8]) -> (Vec<&'static str>, Vec<u8>) {
    let mut options = Vec::new();
    let mut rest = text;
    while let Some(after) = rest.strip_prefix(b" -o ") {
        let end = after.iter().position(|&b| b == b' ').unwrap_or(after.len());
        options.extend(OPTIONS.iter().copied().filter(|option| option.as_bytes() == &after[..end]));
        rest = &after[end..];
    }
    (options, rest.to_vec())
}
