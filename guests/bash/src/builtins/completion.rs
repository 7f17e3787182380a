//! `compgen`, `complete`, `compopt`: what scripts use of programmable completion.

use super::{BUILTINS, Letter, Letters};
use crate::expand::single_quote;
use crate::pattern::Pattern;
use crate::shell::{Flow, SET_OPTIONS, SHOPTS, Shell};
use capsule_sys as sys;

pub fn run_compopt(shell: &mut Shell, _: &[Vec<u8>]) -> Flow<i32> {
    shell.complain("compopt", "not currently executing completion function");
    Ok(1)
}

pub fn run_complete(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut print, mut remove, mut defaults) = (args.len() == 1, false, false);
    let mut options: Vec<u8> = Vec::new();
    let mut letters = Letters::new(args, b"abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'p') => print = true,
            Letter::Plain(b'r') => remove = true,
            Letter::Plain(letter @ (b'D' | b'E' | b'I')) => {
                defaults = true;
                options.extend_from_slice(&[b' ', b'-', letter]);
            }
            Letter::With(b'A', value) if short_action(value).is_some() => {
                options.extend_from_slice(&[b' ', b'-', short_action(value).unwrap_or(b'f')]);
            }
            Letter::Plain(letter) => options.extend_from_slice(&[b' ', b'-', letter]),
            Letter::With(letter, value) => {
                options.extend_from_slice(&[b' ', b'-', letter, b' ']);
                let quoted = matches!(letter, b'W' | b'P' | b'S' | b'X' | b'G' | b'C');
                options.extend_from_slice(&if quoted { single_quote(value) } else { value.to_vec() });
            }
            Letter::Bad(option) => return Ok(shell.bad_option("complete", &option)),
            Letter::Missing(letter) => {
                shell.complain("complete", format!("-{}: option requires an argument", letter as char));
                return Ok(2);
            }
        }
    }
    let names = letters.rest().to_vec();
    if names.is_empty() && !remove && !print && !defaults {
        return Ok(shell.usage("complete"));
    }
    if remove {
        if names.is_empty() {
            shell.completions.clear();
        }
        for name in &names {
            shell.completions.remove(&name[..]);
        }
        return Ok(0);
    }
    if print {
        let mut all: Vec<_> = shell.completions.iter().map(|(n, o)| (n.to_vec(), o.clone())).collect();
        all.sort();
        let mut status = 0;
        for name in &names {
            if !shell.completions.contains_key(&name[..]) {
                shell.complain("complete", [&name[..], b": no completion specification"].concat());
                status = 1;
            }
        }
        for (name, options) in all.iter().filter(|(n, _)| names.is_empty() || names.contains(n)) {
            shell.out.extend_from_slice(&[b"complete", &options[..], b" ", name, b"\n"].concat());
        }
        return Ok(status);
    }
    for name in names {
        shell.completions.insert(name.into(), options.clone());
    }
    Ok(0)
}

/// The letter that means the same as `-A action`.
fn short_action(action: &[u8]) -> Option<u8> {
    Some(match action {
        b"alias" => b'a',
        b"builtin" => b'b',
        b"command" => b'c',
        b"directory" => b'd',
        b"export" => b'e',
        b"file" => b'f',
        b"group" => b'g',
        b"job" => b'j',
        b"keyword" => b'k',
        b"service" => b's',
        b"user" => b'u',
        b"variable" => b'v',
        _ => return None,
    })
}

/// What `-o` takes.
const OPTIONS: &[&[u8]] =
    &[b"bashdefault", b"default", b"dirnames", b"filenames", b"noquote", b"nosort", b"nospace", b"plusdirs"];

pub fn run_compgen(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let (mut prefix, mut suffix, mut filter) = (Vec::new(), Vec::new(), None);
    let mut actions: Vec<&'static str> = Vec::new();
    let mut word_list = None;
    let mut function = None;
    let mut glob = None;
    let mut command = None;
    let mut completion_options: Vec<Vec<u8>> = Vec::new();
    let mut letters = Letters::new(args, b"abcdefgjksuvo:A:G:W:F:C:X:P:S:");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(letter) => actions.push(match letter {
                b'a' => "alias",
                b'b' => "builtin",
                b'c' => "command",
                b'd' => "directory",
                b'e' => "export",
                b'f' => "file",
                b'k' => "keyword",
                b'v' => "variable",
                b'u' => "user",
                _ => "none",
            }),
            Letter::With(b'A', value) => {
                const ACTIONS: &[&str] = &[
                    "alias",
                    "arrayvar",
                    "binding",
                    "builtin",
                    "command",
                    "directory",
                    "disabled",
                    "enabled",
                    "export",
                    "file",
                    "function",
                    "group",
                    "helptopic",
                    "hostname",
                    "job",
                    "keyword",
                    "running",
                    "service",
                    "setopt",
                    "shopt",
                    "signal",
                    "stopped",
                    "user",
                    "variable",
                ];
                match ACTIONS.iter().find(|action| action.as_bytes() == value) {
                    Some(action) => actions.push(action),
                    None => {
                        shell.complain("compgen", [value, b": invalid action name"].concat());
                        return Ok(2);
                    }
                }
            }
            Letter::With(b'W', value) => word_list = Some(value.to_vec()),
            Letter::With(b'F', value) => function = Some(value.to_vec()),
            Letter::With(b'C', value) => command = Some(value.to_vec()),
            Letter::With(b'o', value) if !OPTIONS.contains(&value) => {
                shell.complain("compgen", [value, b": invalid option name"].concat());
                return Ok(2);
            }
            Letter::With(b'o', value) => completion_options.push(value.to_vec()),
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
    for action in actions {
        let mut names = candidates(shell, action, &word);
        // Keywords have an order of their own.
        if action != "keyword" {
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
    if let Some(name) = function
        && let Some(function) = shell.functions.get(&name[..]).cloned()
    {
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
        let text = [b"$(", &command[..], b")"].concat();
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
    let has = |option: &[u8]| completion_options.iter().any(|o| o == option);
    let fallback = if found.is_empty() && has(b"dirnames") || has(b"plusdirs") {
        candidates(shell, "directory", &word)
    } else if found.is_empty() && (has(b"default") || has(b"bashdefault") && !word.contains(&b'/')) {
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
    Ok(i32::from(!any))
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
        "user" => match sys::open(b"/etc/passwd", sys::OpenFlags::RDONLY, 0).and_then(|f| sys::read_to_end(f.raw())) {
            Ok(text) => text
                .split(|&b| b == b'\n')
                .filter_map(|line| line.split(|&b| b == b':').next())
                .filter(|name| !name.is_empty())
                .map(<[u8]>::to_vec)
                .collect(),
            Err(_) => Vec::new(),
        },
        _ => Vec::new(),
    }
}
