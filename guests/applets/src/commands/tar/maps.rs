//! `--owner-map` and `--group-map`: files whose lines say which owner stands for which in the archive.

use super::{fatal, read_list, shown};
use crate::users::Names;
use crate::{Exit, report};

/// An id of files, and the id and the name it has in the archive.
pub type Map = Vec<(u32, u32, Vec<u8>)>;

/// Lines of `OLD NEW[:ID]`, where `+` is in front of what is a number.
pub fn read(file: &[u8], names: &mut Names, what: &str) -> Result<Map, Exit> {
    let text = read_list(file).map_err(|e| fatal(format_args!("{}: Cannot open: {e}", shown(file))))?;
    let mut map = Map::new();
    let mut failed = false;
    for (number, line) in text.split(|b| *b == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        match rule(line, names, what) {
            Ok(rule) => map.push(rule),
            Err(why) => {
                report::error(format_args!("{}:{}: {why}", shown(file), number + 1));
                failed = true;
            }
        }
    }
    if failed { Err(fatal("errors reading map file")) } else { Ok(map) }
}

fn rule(line: &[u8], names: &mut Names, what: &str) -> Result<(u32, u32, Vec<u8>), String> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (Some(old), Some(new), None) = (words.next(), words.next(), words.next()) else {
        return Err("malformed line".to_owned());
    };
    let old = id(old, names, what)?;
    let (name, given) = match memchr::memchr(b':', new) {
        Some(colon) => (&new[..colon], Some(&new[colon + 1..])),
        None => (new, None),
    };
    match (name, given) {
        ([b'+', ..], None) => {
            let new = id(name, names, what)?;
            Ok((old, new, names.name(new).unwrap_or_default().into_bytes()))
        }
        (name, Some(given)) => Ok((old, number(given, what)?, name.to_vec())),
        (name, None) => Ok((old, id(name, names, what)?, name.to_vec())),
    }
}

fn id(text: &[u8], names: &mut Names, what: &str) -> Result<u32, String> {
    match text.strip_prefix(b"+") {
        Some(digits) => number(digits, what),
        None => names
            .lines()
            .iter()
            .any(|fields| fields[0] == text)
            .then(|| names.id(text))
            .flatten()
            .ok_or_else(|| format!("can't obtain {what} of {}", shown(text))),
    }
}

fn number(digits: &[u8], what: &str) -> Result<u32, String> {
    let value = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok());
    value.ok_or_else(|| format!("invalid {what}: {}", shown(digits)))
}
