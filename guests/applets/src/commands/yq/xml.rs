//! XML: elements as mappings, attributes with `+@` in front, text beside them as `+content`.

use capsule_jq::{Object, Value, json};
use std::rc::Rc;

const ATTRIBUTE: &str = "+@";
const CONTENT: &str = "+content";
/// How deep elements may nest.
const MAX_DEPTH: usize = 200;

struct Parser<'a> {
    rest: &'a str,
}

/// An element's parts as they come together.
#[derive(Default)]
struct Open {
    object: Object,
    text: String,
}

impl Open {
    /// Elements of the same name become a list.
    fn add(&mut self, name: &str, value: Value) {
        let value = match self.object.get(name) {
            None => value,
            Some(Value::Array(items)) => {
                let mut items = items.0.clone();
                items.push(value);
                Value::array(items)
            }
            Some(first) => Value::array(vec![first.clone(), value]),
        };
        self.object.insert(Rc::new(name.to_owned()), value);
    }

    fn close(mut self) -> Value {
        let text = self.text.trim();
        if self.object.is_empty() {
            return if text.is_empty() { Value::Null } else { text.into() };
        }
        if !text.is_empty() {
            let text = text.into();
            self.object.insert(Rc::new(CONTENT.to_owned()), text);
        }
        Value::object(self.object)
    }
}

pub fn parse(text: &str) -> Result<Value, String> {
    let mut parser = Parser { rest: text.strip_prefix('\u{feff}').unwrap_or(text) };
    let mut root = Open::default();
    parser.content(&mut root, None, 0)?;
    Ok(root.close())
}

impl<'a> Parser<'a> {
    fn until(&mut self, end: &str) -> Result<&'a str, String> {
        let (before, after) =
            self.rest.split_once(end).ok_or_else(|| format!("XML syntax error: '{end}' is missing"))?;
        self.rest = after;
        Ok(before)
    }

    /// What is inside an element, up to its end.
    fn content(&mut self, into: &mut Open, name: Option<&str>, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err("XML is nested too deeply".into());
        }
        loop {
            let Some(at) = self.rest.find('<') else {
                into.text += &unescape(self.rest);
                self.rest = "";
                return match name {
                    None => Ok(()),
                    Some(name) => Err(format!("XML syntax error: element <{name}> is not closed")),
                };
            };
            into.text += &unescape(&self.rest[..at]);
            self.rest = &self.rest[at + 1..];
            if let Some(rest) = self.rest.strip_prefix("!--") {
                self.rest = rest;
                self.until("-->")?;
            } else if let Some(rest) = self.rest.strip_prefix("![CDATA[") {
                self.rest = rest;
                into.text += self.until("]]>")?;
            } else if let Some(rest) = self.rest.strip_prefix('?') {
                self.rest = rest;
                let text = self.until("?>")?;
                let (target, text) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                into.add(&format!("+p_{target}"), text.trim().into());
            } else if let Some(rest) = self.rest.strip_prefix('!') {
                self.rest = rest;
                let text = self.until(">")?;
                into.add("+directive", text.into());
            } else if let Some(rest) = self.rest.strip_prefix('/') {
                self.rest = rest;
                let closed = self.until(">")?.trim();
                return match name {
                    Some(name) if name == closed => Ok(()),
                    Some(name) => Err(format!("XML syntax error: element <{name}> closed by </{closed}>")),
                    None => Err(format!("XML syntax error: unexpected end element </{closed}>")),
                };
            } else {
                self.element(into, depth)?;
            }
        }
    }

    fn element(&mut self, into: &mut Open, depth: usize) -> Result<(), String> {
        let end = self.rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(self.rest.len());
        let name = &self.rest[..end];
        if name.is_empty() {
            return Err("XML syntax error: expected element name after <".into());
        }
        self.rest = &self.rest[end..];
        let mut open = Open::default();
        loop {
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix("/>") {
                self.rest = rest;
                break;
            }
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                self.content(&mut open, Some(name), depth + 1)?;
                break;
            }
            let key = self.until("=")?.trim();
            self.rest = self.rest.trim_start();
            let quote = self.rest.chars().next().filter(|c| matches!(c, '"' | '\''));
            let quote = quote.ok_or_else(|| format!("XML syntax error: unquoted value of attribute {key}"))?;
            self.rest = &self.rest[1..];
            let value = self.until(quote.encode_utf8(&mut [0; 4]))?;
            open.object.insert(Rc::new(format!("{ATTRIBUTE}{key}")), unescape(value).into());
        }
        into.add(name, open.close());
        Ok(())
    }
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out += &rest[..at];
        rest = &rest[at..];
        let end = rest.find(';').filter(|&end| end < 12);
        let known = end.and_then(|end| match &rest[1..end] {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            other => {
                let code = other.strip_prefix('#')?;
                let code = match code.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => code.parse().ok()?,
                };
                char::from_u32(code)
            }
        });
        match (known, end) {
            (Some(c), Some(end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&#34;").replace('\'', "&#39;")
}

pub fn write(value: &Value, indent: usize) -> Result<String, String> {
    let mut out = String::new();
    match value {
        Value::Object(object) => {
            for (name, value) in object.entries() {
                write_element(name, value, 0, indent, &mut out)?;
            }
        }
        Value::Array(_) => return Err("cannot write a sequence as XML: it has no name".into()),
        scalar => out = escape(&text_of(scalar)) + "\n",
    }
    Ok(out)
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.to_string(),
        other => json::to_string(other),
    }
}

fn write_element(name: &str, value: &Value, depth: usize, indent: usize, out: &mut String) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("the value is nested too deeply".into());
    }
    let pad = " ".repeat(depth * indent);
    if let Some(target) = name.strip_prefix("+p_") {
        out.push_str(&format!("{pad}<?{target} {}?>\n", text_of(value)));
        return Ok(());
    }
    if name == "+directive" {
        out.push_str(&format!("{pad}<!{}>\n", text_of(value)));
        return Ok(());
    }
    match value {
        Value::Array(items) => {
            for item in &items.0 {
                write_element(name, item, depth, indent, out)?;
            }
        }
        Value::Object(object) => {
            let mut attributes = String::new();
            let (mut content, mut children) = (None, Vec::new());
            for (key, value) in object.entries() {
                if let Some(key) = key.strip_prefix(ATTRIBUTE) {
                    if value.is_container() {
                        return Err(format!("attribute {key} must be a scalar"));
                    }
                    attributes += &format!(" {key}=\"{}\"", escape(&text_of(value)));
                } else if key.as_str() == CONTENT {
                    content = Some(escape(&text_of(value)));
                } else {
                    children.push((key, value));
                }
            }
            let text = content.unwrap_or_default();
            if children.is_empty() {
                out.push_str(&format!("{pad}<{name}{attributes}>{text}</{name}>\n"));
                return Ok(());
            }
            out.push_str(&format!("{pad}<{name}{attributes}>{text}\n"));
            for (key, value) in children {
                write_element(key, value, depth + 1, indent, out)?;
            }
            out.push_str(&format!("{pad}</{name}>\n"));
        }
        scalar => out.push_str(&format!("{pad}<{name}>{}</{name}>\n", escape(&text_of(scalar)))),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let text = "<?xml version=\"1.0\"?>\n<a x=\"1\">\n  <b>one &amp; two</b>\n  <b>3</b>\n  <c></c>\n</a>\n";
        let value = parse(text).expect("XML");
        assert_eq!(
            json::to_string(&value),
            r#"{"+p_xml":"version=\"1.0\"","a":{"+@x":"1","b":["one & two","3"],"c":null}}"#
        );
        assert_eq!(write(&value, 2).expect("text"), text);
        for bad in ["<a>", "<a></b>", "</a>", "<a x=1/>", "<a", "<!-- x", &"<a>".repeat(10_000)] {
            assert!(parse(bad).is_err(), "{bad:.20}");
        }
    }
}
