//! CSV, TSV and properties: to values and back.

use super::yaml::plain;
use capsule_jq::{Object, Value, json};
use std::rc::Rc;

/// How deep the keys of properties may nest, and how long their lists may be.
const MAX_DEPTH: usize = 200;
const MAX_INDEX: usize = 100_000;

/// Rows under a header become mappings; cells are taken as YAML takes plain words.
pub fn parse(text: &str, separator: char) -> Result<Value, String> {
    let mut rows = rows(text, separator)?.into_iter();
    let header: Vec<Rc<String>> = rows.next().unwrap_or_default().into_iter().map(Rc::new).collect();
    let mut all = Vec::new();
    for (number, row) in rows.enumerate() {
        if row.len() != header.len() {
            return Err(format!("record on line {}: wrong number of fields", number + 2));
        }
        let mut object = Object::default();
        for (key, cell) in header.iter().zip(row) {
            object.insert(key.clone(), plain(&cell));
        }
        all.push(Value::object(object));
    }
    Ok(Value::array(all))
}

fn rows(text: &str, separator: char) -> Result<Vec<Vec<String>>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    let (mut fresh, mut empty) = (true, true);
    while let Some(c) = chars.next() {
        match c {
            '"' if fresh => loop {
                empty = false;
                match chars.next() {
                    None => return Err(format!("record on line {}: extraneous or missing \"", rows.len() + 1)),
                    Some('"') if chars.peek() == Some(&'"') => cell.extend(chars.next()),
                    Some('"') => {
                        fresh = false;
                        break;
                    }
                    Some(c) => cell.push(c),
                }
            },
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' => {
                // Empty lines are no rows.
                if !empty {
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                }
                (fresh, empty) = (true, true);
            }
            c if c == separator => {
                row.push(std::mem::take(&mut cell));
                (fresh, empty) = (true, false);
            }
            c => {
                cell.push(c);
                (fresh, empty) = (false, false);
            }
        }
    }
    if !empty {
        row.push(cell);
        rows.push(row);
    }
    Ok(rows)
}

/// A list of scalars is a row, a list of lists is rows, a list of mappings has the keys of the first as its header.
pub fn write(value: &Value, separator: char) -> Result<String, String> {
    let name = if separator == ',' { "csv" } else { "tsv" };
    let Some(items) = value.as_array() else {
        return Err(format!("{name} encoding only works for arrays, got: {}", value.kind()));
    };
    let mut out = String::new();
    match items.first() {
        Some(Value::Object(first)) => {
            let header: Vec<&Rc<String>> = first.entries().iter().map(|e| &e.0).collect();
            let names = header.iter().map(|key| key.to_string());
            line(names, separator, &mut out);
            for item in items {
                let Value::Object(object) = item else { return Err(mixed(name, item)) };
                let cells: Result<Vec<String>, String> =
                    header.iter().map(|key| object.get(key).map_or(Ok(String::new()), |v| cell(v, name))).collect();
                line(cells?.into_iter(), separator, &mut out);
            }
        }
        Some(Value::Array(_)) => {
            for item in items {
                let Some(row) = item.as_array() else { return Err(mixed(name, item)) };
                let cells: Result<Vec<String>, String> = row.iter().map(|v| cell(v, name)).collect();
                line(cells?.into_iter(), separator, &mut out);
            }
        }
        _ => {
            let cells: Result<Vec<String>, String> = items.iter().map(|v| cell(v, name)).collect();
            line(cells?.into_iter(), separator, &mut out);
        }
    }
    Ok(out)
}

fn mixed(name: &str, value: &Value) -> String {
    format!("{name} encoding only works for rows of one kind, got: {}", value.kind())
}

fn cell(value: &Value, name: &str) -> Result<String, String> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.to_string()),
        Value::Array(_) | Value::Object(_) => {
            Err(format!("{name} encoding only works for arrays of scalars, got: {}", value.kind()))
        }
        other => Ok(json::to_string(other)),
    }
}

fn line(cells: impl Iterator<Item = String>, separator: char, out: &mut String) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(separator);
        }
        let quoted = cell.contains([separator, '"', '\n', '\r']) || cell.starts_with([' ', '\t']) || cell == "\\.";
        if quoted {
            out.push('"');
            out.push_str(&cell.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(&cell);
        }
    }
    out.push('\n');
}

/// `a.b.0 = value` lines.
pub fn parse_properties(text: &str) -> Result<Value, String> {
    let mut root = Value::Null;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start().to_owned();
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        while line.ends_with('\\') && !line.ends_with("\\\\") {
            line.pop();
            line.push_str(lines.next().unwrap_or_default().trim_start());
        }
        let (key, value) = match line.find(['=', ':']) {
            Some(at) => (line[..at].trim_end(), line[at + 1..].trim()),
            None => line.split_once(char::is_whitespace).map_or((line.as_str(), ""), |(k, v)| (k, v.trim())),
        };
        let mut path = Vec::new();
        for part in key.split('.') {
            path.push(match part.parse::<usize>() {
                Ok(index) if index > MAX_INDEX => return Err(format!("property '{key}': index too large")),
                Ok(index) => Value::from(index),
                Err(_) => Value::from(part),
            });
        }
        if path.len() > MAX_DEPTH {
            return Err(format!("property '{key}' is nested too deeply"));
        }
        capsule_jq::paths::set_path(&mut root, &path, plain(value))?;
    }
    Ok(root)
}

/// Every scalar with the path to it; what stands between the parts is `between`.
fn leaves(value: &Value, path: &mut Vec<String>, each: &mut dyn FnMut(&[String], &Value)) -> Result<(), String> {
    if path.len() > MAX_DEPTH {
        return Err("the value is nested too deeply".into());
    }
    match value {
        Value::Object(object) => {
            for (key, value) in object.entries() {
                path.push(key.to_string());
                leaves(value, path, each)?;
                path.pop();
            }
        }
        Value::Array(items) => {
            for (at, value) in items.0.iter().enumerate() {
                path.push(at.to_string());
                leaves(value, path, each)?;
                path.pop();
            }
        }
        scalar => each(path, scalar),
    }
    Ok(())
}

fn scalar(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.to_string(),
        other => json::to_string(other),
    }
}

pub fn write_properties(value: &Value) -> Result<String, String> {
    let mut out = String::new();
    leaves(value, &mut Vec::new(), &mut |path, value| {
        let text = scalar(value).replace('\n', "\\n");
        out.push_str(&format!("{} = {text}\n", path.join(".")));
    })?;
    Ok(out)
}

/// `a_b='value'` lines for a shell.
pub fn write_shell(value: &Value) -> Result<String, String> {
    let mut out = String::new();
    leaves(value, &mut Vec::new(), &mut |path, value| {
        let mut name: String =
            path.join("_").chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if name.is_empty() {
            name = "value".into();
        } else if name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, '_');
        }
        let text = scalar(value);
        let bare = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:,@%+=".contains(c));
        let quoted = if bare { text } else { format!("'{}'", text.replace('\'', "'\"'\"'")) };
        out.push_str(&format!("{name}={quoted}\n"));
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables() {
        let value = parse("a,b\n1,\"x, \"\"y\"\"\"\n\ntrue,\n", ',').expect("a table");
        assert_eq!(json::to_string(&value), r#"[{"a":1,"b":"x, \"y\""},{"a":true,"b":null}]"#);
        assert_eq!(write(&value, ',').expect("text"), "a,b\n1,\"x, \"\"y\"\"\"\ntrue,\n");
        assert!(parse("a,b\n1\n", ',').is_err());
        assert!(parse("a\n\"x", ',').is_err());
    }

    #[test]
    fn properties() {
        let value = parse_properties("# c\na.b.0 = x\na.b.1=2\nc: d e\n").expect("properties");
        assert_eq!(json::to_string(&value), r#"{"a":{"b":["x",2]},"c":"d e"}"#);
        assert_eq!(write_properties(&value).expect("text"), "a.b.0 = x\na.b.1 = 2\nc = d e\n");
    }
}
