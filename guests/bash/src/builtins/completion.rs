//! `compgen`, `complete`, `compopt`, `bind`: what scripts use of programmable completion.

use super::{BUILTINS, Letter, Letters};
use crate::expand::single_quote;
use crate::pattern::Pattern;
use crate::shell::{Flow, SET_OPTIONS, SHOPTS, Shell};
use capsule_sys as sys;

pub fn run_bind(shell: &mut Shell, _: &[Vec<u8>]) -> Flow<i32> {
    shell.complain("bind", "warning: line editing not enabled");
    Ok(0)
}

pub fn run_compopt(shell: &mut Shell, _: &[Vec<u8>]) -> Flow<i32> {
    shell.complain("compopt", "not currently executing completion function");
    Ok(1)
}

pub fn run_complete(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut print, mut remove) = (args.len() == 1, false);
    let mut options: Vec<u8> = Vec::new();
    let mut letters = Letters::new(args, b"abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:");
    while let Some(letter) = letters.next() {
        match letter {
            Letter::Plain(b'p') => print = true,
            Letter::Plain(b'r') => remove = true,
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

pub fn run_compgen(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let (mut prefix, mut suffix, mut filter) = (Vec::new(), Vec::new(), None);
    let mut actions: Vec<&'static str> = Vec::new();
    let mut word_list = None;
    let mut function = None;
    let mut glob = None;
    let mut letters = Letters::new(args, b"abcdefgjksuvo:A:G:W:F:C:X:P:S:");
    while let Some(letter) = letters.next() {
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
                    "alias", "arrayvar", "binding", "builtin", "command", "directory", "disabled", "enabled", "export", "file",
                    "function", "group", "helptopic", "hostname", "job", "keyword", "running", "service", "setopt",
                    "shopt", "signal", "stopped", "user", "variable",
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
        names.sort();
        names.retain(|name| name.starts_with(&word));
        found.extend(names);
    }
    if let Some(pattern) = glob {
        found.extend(shell.glob(&pattern));
    }
    if let Some(text) = word_list {
        let text = shell.expand_text(&text)?;
        let ifs = std::rc::Rc::clone(&shell.ifs);
        let words = text.split(|&b| ifs.kinds[usize::from(b)] != 0).filter(|w| !w.is_empty());
        found.extend(words.filter(|w| w.starts_with(&word)).map(<[u8]>::to_vec));
    }
    if let Some(name) = function {
        if let Some(function) = shell.functions.get(&name[..]).cloned() {
            shell.unset_var(crate::names::Name::new(b"COMPREPLY"));
            shell.call_function(&function, vec![name, b"compgen".to_vec(), word.clone(), Vec::new()], true)?;
            let replies = shell.array_values(crate::names::Name::new(b"COMPREPLY"));
            found.extend(replies.into_iter().filter(|reply| reply.starts_with(&word)));
        }
    }
    if let Some(filter) = filter {
        let (negated, text) = match filter.strip_prefix(b"!") {
            Some(rest) => (true, rest.to_vec()),
            None => (false, filter),
        };
        let pattern = Pattern::new(&text, shell.pattern_options());
        found.retain(|name| pattern.matches(name) == negated);
    }
    let any = !found.is_empty();
    for name in found {
        shell.out.extend_from_slice(&[&prefix[..], &name, &suffix, b"\n"].concat());
    }
    Ok(i32::from(!any))
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
            let path = shell.vars.text(b"PATH").map(|v| v.into_owned()).unwrap_or_default();
            for directory in path.split(|&b| b == b':') {
                if let Ok(entries) = sys::read_dir(directory) {
                    names.extend(entries.filter_map(Result::ok).map(|entry| entry.name));
                }
            }
            names.sort();
            names.dedup();
            names
        }
        "file" | "directory" => {
            let pattern = [&crate::expand::backslash_quote(word)[..], b"*"].concat();
            let mut names = if word.is_empty() { shell.glob(b"*") } else { shell.glob(&pattern) };
            if action == "directory" {
                names.retain(|name| sys::stat(name).is_ok_and(|stat| stat.kind == sys::FileType::Directory));
            }
            names
        }
        _ => Vec::new(),
    }
}
