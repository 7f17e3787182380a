//! `@base64`, `@csv` and the others: values put into texts.

use super::{Native, Result, native, wrong};
use crate::json::to_string;
use crate::term::Format;
use crate::value::Value;

pub const TABLE: &[Native] = &[native("format", 1, |_, input, args| match &args[0] {
    Value::String(name) => match format_named(name) {
        Some(known) => Ok(format(known, &input)?.into()),
        None => Err(format!("{name} is not a valid format")),
    },
    other => wrong(other, "is not a valid format"),
})];

/// A value in a format; strings as they are in `@text`.
pub fn format(format: Format, value: &Value) -> Result<String> {
    match format {
        Format::Text => Ok(plain(value)),
        Format::Json => Ok(to_string(value)),
        Format::Csv => row(value, "csv", ",", |text| format!("\"{}\"", text.replace('"', "\"\"").replace('\0', "\\0"))),
        Format::Tsv => row(value, "tsv", "\t", |text| {
            text.replace('\\', "\\\\")
                .replace('\t', "\\t")
                .replace('\n', "\\n")
                .replace('\r', "\\r")
                .replace('\0', "\\0")
        }),
        Format::Html => {
            let mut out = String::new();
            for c in plain(value).chars() {
                match c {
                    '<' => out += "&lt;",
                    '>' => out += "&gt;",
                    '&' => out += "&amp;",
                    '\'' => out += "&apos;",
                    '"' => out += "&quot;",
                    '\0' => out += "\\0",
                    _ => out.push(c),
                }
            }
            Ok(out)
        }
        Format::Uri => {
            let mut out = String::new();
            for b in plain(value).bytes() {
                if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) {
                    out.push(b.into());
                } else {
                    out += &format!("%{b:02X}");
                }
            }
            Ok(out)
        }
        Format::UriDecode => uri_decode(&plain(value)),
        Format::Sh => match value {
            Value::Array(items) => {
                let words: Result<Vec<_>> = items.0.iter().map(shell_word).collect();
                Ok(words?.join(" "))
            }
            other => shell_word(other),
        },
        Format::Base64 => Ok(base64(plain(value).as_bytes())),
        Format::Base64Decode => base64_decode(&plain(value)),
        Format::Base32 => Ok(base32(plain(value).as_bytes())),
        Format::Base32Decode => base32_decode(&plain(value)),
    }
}

/// `tostring`
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        other => to_string(other),
    }
}

fn row(value: &Value, name: &str, between: &str, quote: impl Fn(&str) -> String) -> Result<String> {
    let Some(items) = value.as_array() else {
        return wrong(value, &format!("cannot be {name}-formatted, only array"));
    };
    let mut cells = Vec::new();
    for item in items {
        cells.push(match item {
            Value::Null => String::new(),
            Value::Number(number) if number.is_nan() => String::new(),
            Value::Bool(_) | Value::Number(_) | Value::Literal(_) => to_string(item),
            Value::String(text) => quote(text),
            other => return wrong(other, "is not valid in a csv row"),
        });
    }
    Ok(cells.join(between))
}

fn shell_word(value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(format!("'{}'", text.replace('\'', "'\\''").replace('\0', "\\0"))),
        Value::Array(_) | Value::Object(_) => wrong(value, "can not be escaped for shell"),
        other => Ok(to_string(other)),
    }
}

fn uri_decode(text: &str) -> Result<String> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        if b != b'%' {
            out.push(b);
            continue;
        }
        let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
        match (digit(bytes.next()), digit(bytes.next())) {
            (Some(high), Some(low)) => out.push((high * 16 + low) as u8),
            _ => return wrong(&text.into(), "is not a valid uri encoding"),
        }
    }
    String::from_utf8(out).or_else(|_| wrong(&text.into(), "is not a valid uri encoding"))
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, &b| word << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for n in 0..4 {
            out.push(if n <= chunk.len() { BASE64[(word >> (18 - 6 * n) & 63) as usize].into() } else { '=' });
        }
    }
    out
}

fn base64_decode(text: &str) -> Result<String> {
    let (mut out, mut word, mut bits) = (Vec::new(), 0u32, 0);
    let trimmed = text.trim_end_matches('=');
    let mut digits = 0;
    for b in trimmed.bytes() {
        // What is not of the alphabet ends it.
        let Some(digit) = BASE64.iter().position(|&d| d == b) else {
            return wrong(&text.into(), "is not valid base64 data");
        };
        digits += 1;
        word = word << 6 | digit as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
        }
    }
    if digits % 4 == 1 {
        return wrong(&text.into(), "trailing base64 byte found");
    }
    Ok(crate::json::text(out))
}

fn base32(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(5) {
        let word = chunk.iter().fold(0u64, |word, &b| word << 8 | u64::from(b)) << (8 * (5 - chunk.len()));
        let digits = (chunk.len() * 8).div_ceil(5);
        for n in 0..8 {
            out.push(if n < digits { BASE32[(word >> (35 - 5 * n) & 31) as usize].into() } else { '=' });
        }
    }
    out
}

fn base32_decode(text: &str) -> Result<String> {
    let (mut out, mut word, mut bits) = (Vec::new(), 0u64, 0);
    for b in text.trim_end_matches('=').bytes() {
        let Some(digit) = BASE32.iter().position(|&d| d == b) else {
            return wrong(&text.into(), "is not valid base32 data");
        };
        word = word << 5 | digit as u64;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
        }
    }
    Ok(crate::json::text(out))
}

/// The format of a name: `@text` …
pub fn format_named(name: &str) -> Option<Format> {
    Some(match name.trim_start_matches('@') {
        "text" => Format::Text,
        "json" => Format::Json,
        "csv" => Format::Csv,
        "tsv" => Format::Tsv,
        "html" => Format::Html,
        "uri" => Format::Uri,
        "urid" => Format::UriDecode,
        "sh" => Format::Sh,
        "base64" => Format::Base64,
        "base64d" => Format::Base64Decode,
        "base32" => Format::Base32,
        "base32d" => Format::Base32Decode,
        _ => return None,
    })
}
