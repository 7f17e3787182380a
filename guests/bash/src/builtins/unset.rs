//! `unset`.

use super::{Letter, Letters};
use crate::names::{Name, is_name};
use crate::shell::{Flow, Shell, Target};
use crate::vars::{Attrs, Value, Variable};

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut functions, mut variables, mut references) = (false, false, false);
    let mut letters = Letters::new(args, b"fvn");
    for letter in letters.by_ref() {
        match letter {
            Letter::Plain(b'f') => functions = true,
            Letter::Plain(b'v') => variables = true,
            Letter::Plain(_) => references = true,
            Letter::Bad(option) => return Ok(shell.bad_option("unset", &option)),
            _ => return Ok(2),
        }
    }
    if functions && variables {
        shell.complain("unset", "cannot simultaneously unset a function and a variable");
        return Ok(1);
    }
    let mut status = 0;
    for name in letters.rest() {
        let ok =
            if functions { unset_function(shell, name) } else { unset_variable(shell, name, variables, references)? };
        if !ok {
            status = 1;
        }
    }
    Ok(status)
}

fn unset_function(shell: &mut Shell, name: &[u8]) -> bool {
    if shell.functions.get(name).is_some_and(|f| f.readonly) {
        shell.complain("unset", [name, b": cannot unset: readonly function"].concat());
        return false;
    }
    if shell.functions.remove(name).is_some_and(|f| f.exported) {
        shell.vars.changed_exports();
    }
    true
}

fn unset_variable(shell: &mut Shell, text: &[u8], only_variables: bool, references: bool) -> Flow<bool> {
    let base = text.iter().position(|&b| b == b'[').map_or(text, |open| &text[..open]);
    if !is_name(base) {
        if !only_variables && shell.functions.contains_key(text) {
            return Ok(unset_function(shell, text));
        }
        if !only_variables {
            // It could have been a function's name.
            return Ok(true);
        }
        shell.complain("unset", [b"`", text, b"': not a valid identifier"].concat());
        return Ok(false);
    }
    let name = Name::new(base);
    if base.len() < text.len() {
        return unset_element(shell, name, &text[base.len()..]);
    }
    if references && !shell.vars.get(name).is_some_and(|var| var.attrs.has(Attrs::NAMEREF)) {
        return Ok(true);
    }
    let target = if references { Some((name, None)) } else { shell.resolve(name) };
    let Some((name, subscript)) = target else { return Ok(false) };
    if let Some(inner) = subscript {
        return unset_element(shell, name, &[b"[", &inner[..], b"]"].concat());
    }
    match shell.vars.get(name) {
        None => {
            if !only_variables && shell.functions.contains_key(text) {
                return Ok(unset_function(shell, text));
            }
            Ok(true)
        }
        Some(var) if var.attrs.has(Attrs::READONLY) => {
            shell.complain("unset", [name.bytes(), b": cannot unset: readonly variable"].concat());
            Ok(false)
        }
        Some(_) => {
            shell.unset_var(name);
            Ok(true)
        }
    }
}

fn unset_element(shell: &mut Shell, name: Name, subscript: &[u8]) -> Flow<bool> {
    let Some((name, _)) = shell.resolve(name) else { return Ok(false) };
    let inner = subscript.strip_prefix(b"[").and_then(|s| s.strip_suffix(b"]")).unwrap_or(subscript);
    let Some(var) = shell.vars.get(name) else { return Ok(true) };
    if var.attrs.has(Attrs::READONLY) {
        shell.complain("unset", [name.bytes(), b": cannot unset: readonly variable"].concat());
        return Ok(false);
    }
    let assoc = matches!(var.value, Value::Assoc(_));
    if matches!(inner, b"@" | b"*") && !assoc {
        if var.is_array() {
            let var = shell.vars.entry(name);
            var.value = Value::Indexed(Box::default());
        } else {
            shell.unset_var(name);
        }
        return Ok(true);
    }
    let text = [name.bytes(), b"[", inner, b"]"].concat();
    let shown = inner.to_vec();
    let Some(target) = shell.target_of_text(&text)? else {
        if assoc && !shown.is_empty() {
            shell.complain("unset", [b"[", &shown[..], b"]: bad array subscript"].concat());
        }
        return Ok(shown.is_empty());
    };
    let bad = match (&target, shell.vars.get_mut(name)) {
        (Target::Key(_, key), Some(Variable { value: Value::Assoc(array), .. })) => {
            array.remove(key);
            false
        }
        (Target::Index(_, index), Some(Variable { value: Value::Indexed(array), .. })) => {
            let index = if *index < 0 { index + array.end() } else { *index };
            if index >= 0 {
                array.remove(index);
            }
            index < 0
        }
        (Target::Index(_, 0), Some(_)) => {
            shell.unset_var(name);
            return Ok(true);
        }
        (Target::Index(..), Some(_)) => {
            shell.complain("unset", [name.bytes(), b": not an array variable"].concat());
            return Ok(false);
        }
        _ => false,
    };
    if bad {
        shell.complain("unset", [b"[", &shown[..], b"]: bad array subscript"].concat());
    }
    Ok(!bad)
}
