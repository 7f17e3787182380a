//! `compgen`: what a completion would offer.

use super::complete::{ACTIONS, find_action, find_option};
use super::{BUILTINS, Letter, Letters};
use crate::expand::single_quote;
use crate::pattern::Pattern;
use crate::shell::{Flow, SET_OPTIONS, SHOPTS, Shell};
use capsule_sys as sys;

pub fn run_compgen(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let (mut prefix, mut suffix, mut filter) = (Vec::new(), Vec::new(), None);
    let mut actions: Vec<&'static str> = Vec::new();
    let mut word_list = None;
    let mut function = None;
    let mut glob = None;
    let mut command = None;
    let mut completion_options: Vec<&str> = Vec::new();
    let mut letters = Letters::new(args, b"abcdefgjksuvo:A:G:W:F:C:X:P:S:");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(letter) => {
                actions.extend(ACTIONS.iter().filter(|(_, l)| *l == Some(letter)).map(|(action, _)| *action));
            }
            Letter::With(b'A', name) => match find_action(shell, "compgen", name) {
                Some(action) => actions.push(action),
                None => return Ok(2),
            },
            Letter::With(b'W', value) => word_list = Some(value.to_vec()),
            Letter::With(b'F', value) => function = Some(value.to_vec()),
            Letter::With(b'C', value) => command = Some(value.to_vec()),
            Letter::With(b'o', name) => match find_option(shell, "compgen", name) {
                Some(option) => completion_options.push(option),
                None => return Ok(2),
            },
            Letter::With(b'G', value) => glob = Some(value.to_vec()),
            Letter::With(b'P', value) => prefix = value.to_vec(),
            Letter::With(b'S', value) => suffix = value.to_vec(),
            Letter::With(b'X', value) => filter = Some(value.to_vec()),
            Letter::With(..) => {}
            Letter::Bad(option) => return Ok(shell.bad_option("compgen", &option)),
            Letter::Missing(letter) => {
                shell.complain("compgen", format!("-{}: option requires an argument", letter as char));
                return Ok(2);
            }
        }
    }
    let word = letters.rest().first().cloned().unwrap_or_default();
    let asked = letters.next > 1;
    for action in actions {
        let mut names = candidates(shell, action, &word);
        // Keywords and signals have an order of their own.
        if !matches!(action, "keyword" | "signal") {
            names.sort();
        }
        names.retain(|name| name.starts_with(&word));
        found.extend(names);
    }
    if let Some(pattern) = glob {
        found.extend(shell.glob(&pattern));
    }
    if let Some(text) = word_list {
        let Some(words) = word_list_words(shell, &text)? else { return Ok(1) };
        found.extend(words.into_iter().filter(|w| w.starts_with(&word)));
    }
    if let Some(name) = function {
        shell.complain("compgen", "warning: -F option may not work as you expect");
        let Some(function) = shell.functions.get(&name[..]).cloned() else {
            shell.complain("completion", [b"function `", &name[..], b"' not found"].concat());
            return Ok(1);
        };
        for (variable, value) in [
            (&b"COMP_CWORD"[..], &b"-1"[..]),
            (b"COMP_LINE", b""),
            (b"COMP_POINT", b"0"),
            (b"COMP_TYPE", b"0"),
            (b"COMP_KEY", b"0"),
        ] {
            shell.vars.set(variable, value);
        }
        let _ = shell.set_array(crate::names::Name::new(b"COMP_WORDS"), Vec::new());
        shell.unset_var(crate::names::Name::new(b"COMPREPLY"));
        shell.call_function(&function, vec![name, b"compgen".to_vec(), word.clone(), Vec::new()], true)?;
        let replies = shell.array_values(crate::names::Name::new(b"COMPREPLY"));
        found.extend(replies);
    }
    if let Some(command) = command {
        shell.complain("compgen", "warning: -C option may not work as you expect");
        // As a completion would call it: with the command, the word, and the word before it.
        let words = [&b"compgen"[..], &word, b""].map(single_quote).join(&b' ');
        let text = [b"$(", &command[..], b" ", &words, b")"].concat();
        let output = shell.expand_text(&text)?;
        found.extend(output.split(|&b| b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec));
    }
    if let Some(filter) = filter {
        let filter = replace_ampersand(&filter, &word);
        let extended = filter.starts_with(b"!(") && shell.options.shopt(crate::shell::Shopt::Extglob);
        let (negated, text) = match filter.strip_prefix(b"!") {
            Some(rest) if !extended => (true, rest.to_vec()),
            _ => (false, filter),
        };
        let pattern = Pattern::new(&text, shell.pattern_options());
        found.retain(|name| pattern.matches(name) == negated);
    }
    let mut found: Vec<Vec<u8>> = found.into_iter().map(|name| [&prefix[..], &name, &suffix].concat()).collect();
    let has = |option: &str| completion_options.contains(&option);
    let fallback = if found.is_empty() && has("dirnames") || has("plusdirs") {
        candidates(shell, "directory", &word)
    } else if found.is_empty() && (has("default") || has("bashdefault") && !word.contains(&b'/')) {
        candidates(shell, "file", &word)
    } else {
        Vec::new()
    };
    found.extend(fallback.into_iter().filter(|name| name.starts_with(&word)));
    let any = !found.is_empty();
    for name in found {
        shell.out.extend_from_slice(&name);
        shell.out.push(b'\n');
    }
    // A word that nothing was asked of gives nothing, and that is no failure.
    Ok(i32::from(asked && !any))
}

/// `&` in a filter is the word being completed.
fn replace_ampersand(filter: &[u8], word: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = filter.iter().copied().peekable();
    while let Some(b) = bytes.next() {
        match b {
            b'\\' if bytes.peek() == Some(&b'&') => out.extend(bytes.next()),
            b'&' => out.extend_from_slice(word),
            b => out.push(b),
        }
    }
    out
}

/// The words of `-W`: expanded, split by IFS, backslashes quoting. None: it does not parse.
fn word_list_words(shell: &mut Shell, text: &[u8]) -> Flow<Option<Vec<Vec<u8>>>> {
    let mut none = ();
    let mut parser = crate::syntax::Parser::new(text.to_vec(), shell.line, &mut none, shell.parse_options());
    let Ok(word) = parser.word_list_text() else {
        shell.complain("compgen", [b"", text, b": bad substitution"].concat());
        return Ok(None);
    };
    let mut words = Vec::new();
    shell.expand_split_only(&word, &mut words)?;
    Ok(Some(words))
}

fn candidates(shell: &mut Shell, action: &str, word: &[u8]) -> Vec<Vec<u8>> {
    let variables = |shell: &Shell, wanted: &dyn Fn(&crate::vars::Variable) -> bool| -> Vec<Vec<u8>> {
        let names = shell.vars.names();
        names
            .into_iter()
            .filter(|name| shell.vars.get(*name).is_some_and(wanted))
            .map(|name| name.bytes().to_vec())
            .collect()
    };
    match action {
        "alias" => shell.aliases.keys().map(|name| name.to_vec()).collect(),
        "builtin" | "enabled" | "helptopic" => BUILTINS
            .iter()
            .filter(|b| !shell.disabled_builtins.contains(&b.name))
            .map(|b| b.name.as_bytes().to_vec())
            .collect(),
        "disabled" => shell.disabled_builtins.iter().map(|name| name.as_bytes().to_vec()).collect(),
        "function" => shell.functions.keys().map(|name| name.to_vec()).collect(),
        "variable" => variables(shell, &|_| true),
        "arrayvar" => variables(shell, &|var| var.is_array()),
        "export" => variables(shell, &|var| var.attrs.has(crate::vars::Attrs::EXPORT)),
        "keyword" => [
            "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
            "function", "time", "{", "}", "!", "[[", "]]", "coproc",
        ]
        .iter()
        .map(|k| k.as_bytes().to_vec())
        .collect(),
        "setopt" => SET_OPTIONS.iter().map(|o| o.1.as_bytes().to_vec()).collect(),
        "shopt" => SHOPTS.iter().map(|o| o.1.as_bytes().to_vec()).collect(),
        "signal" => (1..=31u8).map(|n| super::trap::name_of(n).into_bytes()).collect(),
        "command" => {
            let mut names: Vec<Vec<u8>> = BUILTINS.iter().map(|b| b.name.as_bytes().to_vec()).collect();
            names.extend(shell.functions.keys().map(|name| name.to_vec()));
            names.extend(candidates(shell, "keyword", word));
            let path = shell.vars.text(b"PATH").map(|v| v.into_owned()).unwrap_or_default();
            for directory in path.split(|&b| b == b':') {
                if let Ok(entries) = sys::read_dir(directory) {
                    let found = entries.filter_map(Result::ok).map(|entry| entry.name);
                    names.extend(
                        found
                            .filter(|n| n.starts_with(word))
                            .filter(|n| crate::exec::is_executable(&[directory, b"/", n].concat())),
                    );
                }
            }
            names.sort();
            names.dedup();
            names
        }
        "file" | "directory" => {
            let (directory, start) = match word.iter().rposition(|&b| b == b'/') {
                Some(slash) => (word[..=slash].to_vec(), word[slash + 1..].to_vec()),
                None => (Vec::new(), word.to_vec()),
            };
            let place = if directory.is_empty() { b".".to_vec() } else { directory.clone() };
            let entries: Vec<Vec<u8>> = match sys::read_dir(&place) {
                Ok(entries) => entries.filter_map(Result::ok).map(|entry| entry.name).collect(),
                Err(_) => Vec::new(),
            };
            let mut names: Vec<Vec<u8>> = entries
                .into_iter()
                .filter(|name| name.starts_with(&start))
                .map(|name| [&directory[..], &name].concat())
                .collect();
            if action == "directory" {
                names.retain(|name| sys::stat(name).is_ok_and(|stat| stat.kind == sys::FileType::Directory));
            }
            names
        }
        "user" => first_columns(b"/etc/passwd"),
        "group" => first_columns(b"/etc/group"),
        _ => Vec::new(),
    }
}

/// The names in a file whose lines begin with one and a colon.
fn first_columns(path: &[u8]) -> Vec<Vec<u8>> {
    let text = sys::open(path, sys::OpenFlags::RDONLY, 0).and_then(|file| sys::read_to_end(file.raw()));
    text.unwrap_or_default()
        .split(|&b| b == b'\n')
        .filter_map(|line| line.split(|&b| b == b':').next())
        .filter(|name| !name.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}
