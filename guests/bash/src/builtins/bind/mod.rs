//! `bind`. There is no line editor here; the command keeps what it is told and lists it, and warns as bash does in scripts.

mod keymap;

use super::{Letter, Letters};
use crate::shell::{Flow, Shell};
use capsule_sys as sys;
use keymap::{Action, Keymap, from_text, functions, to_text};

/// What a shell has been told; made when `bind` is first used.
pub struct Keys {
    maps: [Keymap; 3],
    variables: Vec<(&'static str, Vec<u8>)>,
}

impl Keys {
    fn new() -> Keys {
        Keys { maps: keymap::initial(), variables: keymap::variables() }
    }
}

/// The keymap of one call: its table, and what comes before the keys.
#[derive(Clone, Copy)]
struct View {
    map: usize,
    prefix: &'static [u8],
}

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    shell.complain("bind", "warning: line editing not enabled");
    let mut view = View { map: 0, prefix: b"" };
    let mut asked: Vec<Letter> = Vec::new();
    let mut letters = Letters::new(args, b"lpsvPSVXm:f:q:u:r:x:");
    for letter in letters.by_ref() {
        match letter {
            Letter::With(b'm', name) => match keymap::find(name) {
                Some((map, prefix)) => view = View { map, prefix },
                None => {
                    shell.complain("bind", [b"`", name, b"': invalid keymap name"].concat());
                    return Ok(1);
                }
            },
            Letter::Bad(option) => return Ok(shell.bad_option("bind", &option)),
            Letter::Missing(letter) => {
                shell.complain("bind", format!("-{}: option requires an argument", letter as char));
                return Ok(shell.usage("bind"));
            }
            letter => asked.push(letter),
        }
    }
    let mut keys = shell.keys.take().unwrap_or_else(|| Box::new(Keys::new()));
    let mut status = 0;
    for letter in asked {
        match letter {
            Letter::Plain(letter) => keys.list(shell, letter, view),
            Letter::With(letter, text) => status = status.max(keys.change(shell, letter, text, view)),
            Letter::Bad(_) | Letter::Missing(_) => {}
        }
    }
    for line in letters.rest() {
        keys.bind(shell, line, view);
    }
    shell.keys = Some(keys);
    Ok(status)
}

impl Keys {
    /// The keys of a view and what they do, in order.
    fn bound(&self, view: View) -> impl Iterator<Item = (&[u8], &Action)> {
        self.maps[view.map].iter().filter_map(move |(key, action)| {
            key.strip_prefix(view.prefix).filter(|key| !key.is_empty()).map(|key| (key, action))
        })
    }

    fn keys_of(&self, function: &str, view: View) -> Vec<Vec<u8>> {
        let calls = |action: &Action| matches!(action, Action::Function(name) if *name == function);
        self.bound(view).filter(|(_, action)| calls(action)).map(|(key, _)| to_text(key)).collect()
    }

    fn list(&self, shell: &mut Shell, what: u8, view: View) {
        let mut out = Vec::new();
        match what {
            b'l' => functions().for_each(|name| out.extend_from_slice(format!("{name}\n").as_bytes())),
            b'p' => {
                out.push(b'\n');
                for name in functions() {
                    let keys = self.keys_of(name, view);
                    if keys.is_empty() {
                        out.extend_from_slice(format!("# {name} (not bound)\n").as_bytes());
                    }
                    for key in keys {
                        out.extend_from_slice(&[b"\"", &key[..], b"\": ", name.as_bytes(), b"\n"].concat());
                    }
                }
            }
            b'P' => {
                out.push(b'\n');
                for name in functions() {
                    match self.keys_of(name, view) {
                        keys if keys.is_empty() => {
                            out.extend_from_slice(format!("{name} is not bound to any keys\n").as_bytes());
                        }
                        keys => out.extend(told(name, "can be found on", &keys)),
                    }
                }
            }
            b's' | b'S' => {
                for (key, action) in self.bound(view) {
                    let Action::Macro(text) = action else { continue };
                    let (key, text) = (to_text(key), to_text(text));
                    out.extend(match what {
                        b's' => [b"\"", &key[..], b"\": \"", &text, b"\"\n"].concat(),
                        _ => [&key[..], b" outputs ", &text, b"\n"].concat(),
                    });
                }
            }
            b'X' => {
                for (key, action) in self.bound(view) {
                    if let Action::Command(text) = action {
                        out.extend([b"\"", &to_text(key)[..], b"\": \"", text, b"\"\n"].concat());
                    }
                }
            }
            // `-v` and `-V`
            _ => {
                for (name, value) in &self.variables {
                    out.extend(match what {
                        b'v' => [b"set ", name.as_bytes(), b" ", value, b"\n"].concat(),
                        _ => [name.as_bytes(), b" is set to `", value, b"'\n"].concat(),
                    });
                }
            }
        }
        shell.out.extend_from_slice(&out);
    }

    fn change(&mut self, shell: &mut Shell, letter: u8, text: &[u8], view: View) -> i32 {
        match letter {
            b'f' => {
                let file = sys::open(text, sys::OpenFlags::RDONLY | sys::OpenFlags::CLOEXEC, 0);
                match file.and_then(|file| sys::read_to_end(file.raw())) {
                    Ok(lines) => {
                        let lines = lines.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
                        for line in lines.filter(|line| !matches!(line.first(), None | Some(b'#' | b'$'))) {
                            self.bind(shell, line, view);
                        }
                        0
                    }
                    Err(errno) => {
                        shell.complain("bind", [text, b": cannot read: ", errno.text().as_bytes()].concat());
                        1
                    }
                }
            }
            b'q' | b'u' => {
                let Some(name) = functions().find(|name| name.as_bytes() == text) else {
                    shell.complain("bind", [b"`", text, b"': unknown function name"].concat());
                    return 1;
                };
                if letter == b'u' {
                    self.maps[view.map]
                        .retain(|key, action| *action != Action::Function(name) || !key.starts_with(view.prefix));
                    return 0;
                }
                let keys = self.keys_of(name, view);
                if keys.is_empty() {
                    shell.out.extend_from_slice(format!("{name} is not bound to any keys.\n").as_bytes());
                    return 1;
                }
                shell.out.extend(told(name, "can be invoked via", &keys));
                0
            }
            b'r' => {
                self.maps[view.map].remove(&[view.prefix, &from_text(text)].concat());
                0
            }
            // `-x`
            _ => match command(text) {
                Ok((key, command)) => {
                    self.maps[view.map].insert([view.prefix, &key].concat(), Action::Command(command));
                    0
                }
                Err(why) => {
                    shell.complain("bind", [text.trim_ascii_start(), b": ", why.as_bytes()].concat());
                    1
                }
            },
        }
    }

    /// A line as it stands in an inputrc.
    fn bind(&mut self, shell: &mut Shell, line: &[u8], view: View) {
        let complain = |shell: &mut Shell, text: &[u8], why: &str| {
            shell.stderr(&[b"readline: ", text, b": ", why.as_bytes(), b"\n"].concat());
        };
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let words: Vec<&[u8]> = line.split(|b| b" \t".contains(b)).filter(|word| !word.is_empty()).collect();
        if let [set, name, ..] = words[..]
            && set.eq_ignore_ascii_case(b"set")
        {
            let Some(variable) = self.variables.iter_mut().find(|v| v.0.as_bytes().eq_ignore_ascii_case(name)) else {
                return complain(shell, name, "unknown variable name");
            };
            let value = words.get(2).copied().unwrap_or_default();
            let is_switch = matches!(variable.1[..], [b'o', b'n'] | [b'o', b'f', b'f']);
            let on = value.is_empty() || value == b"1" || value.eq_ignore_ascii_case(b"on");
            variable.1 = match (is_switch, on) {
                (true, true) => b"on".to_vec(),
                (true, false) => b"off".to_vec(),
                (false, _) => value.to_vec(),
            };
            return;
        }
        let (keys, rest) = if line[0] == b'"' {
            let Some(end) = closing(line) else { return complain(shell, line, "no closing `\"' in key binding") };
            (from_text(&line[1..end]), &line[end + 1..])
        } else {
            let Some(end) = line.iter().position(|b| b": \t".contains(b)) else {
                return complain(shell, line, "no key sequence terminator");
            };
            (vec![named_key(&line[..end])], &line[end..])
        };
        let rest = rest.trim_ascii_start();
        let value = rest.strip_prefix(b":").unwrap_or(rest).trim_ascii_start();
        let action = match value.first() {
            Some(b'"' | b'\'') => {
                let end = closing(value).unwrap_or(value.len());
                Action::Macro(from_text(&value[1..end]))
            }
            _ => {
                let name = value.split(|b| b" \t".contains(b)).next().unwrap_or_default();
                match functions().find(|known| known.as_bytes().eq_ignore_ascii_case(name)) {
                    Some(function) => Action::Function(function),
                    // An unknown one is passed over in silence.
                    None => return,
                }
            }
        };
        if !keys.is_empty() {
            self.maps[view.map].insert([view.prefix, &keys].concat(), action);
        }
    }
}

/// At most five keys are shown.
fn told(name: &str, how: &str, keys: &[Vec<u8>]) -> Vec<u8> {
    let mut out = format!("{name} {how} ").into_bytes();
    for (at, key) in keys.iter().take(5).enumerate() {
        let end: &[u8] = if at + 1 < keys.len() { b"\", " } else { b"\".\n" };
        out.extend([b"\"", &key[..], end].concat());
    }
    if keys.len() > 5 {
        out.extend(b"...\n");
    }
    out
}

/// Where the quotation that begins a text ends.
fn closing(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b if b == text[0] => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// `"keys": command`
fn command(text: &[u8]) -> Result<(Vec<u8>, Vec<u8>), &'static str> {
    let text = text.trim_ascii_start();
    if text.first() != Some(&b'"') {
        return Err("first non-whitespace character is not `\"'");
    }
    let end = closing(text).ok_or("no closing `\"' in key binding")?;
    let rest = text[end + 1..].trim_ascii_start();
    let value = rest.strip_prefix(b":").ok_or("missing colon separator")?.trim_ascii_start();
    let value = match closing(value).filter(|_| matches!(value.first(), Some(b'"' | b'\''))) {
        Some(end) => from_text(&value[1..end]),
        None => value.to_vec(),
    };
    Ok((from_text(&text[1..end]), value))
}

/// `Control-x`, `Meta-Rubout`, `a`: one key by its name.
fn named_key(text: &[u8]) -> u8 {
    let dash = text.iter().rposition(|&b| b == b'-').filter(|&at| at + 1 < text.len());
    let name = &text[dash.map_or(0, |at| at + 1)..];
    let key = match &name.to_ascii_lowercase()[..] {
        b"del" | b"rubout" => 0x7f,
        b"esc" | b"escape" => 0x1b,
        b"lfd" | b"newline" => b'\n',
        b"ret" | b"return" => b'\r',
        b"spc" | b"space" => b' ',
        b"tab" => b'\t',
        _ => name.first().copied().unwrap_or_default(),
    };
    let lower = text[..dash.map_or(0, |at| at + 1)].to_ascii_lowercase();
    let has = |what: &[u8]| lower.windows(what.len()).any(|part| part == what);
    let key = if has(b"control-") || has(b"c-") { key.to_ascii_uppercase() & 0x1f } else { key };
    if has(b"meta-") || has(b"m-") { key | 0x80 } else { key }
}
