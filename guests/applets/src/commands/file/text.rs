//! Text: its encoding, its line ends, and what kind of text it looks like.

use super::magic::Kind;

/// An encoding: how it is described, and the charset.
struct Encoding {
    text: &'static str,
    charset: &'static str,
}

/// Bytes that text has among the control characters.
fn is_text_control(b: u8) -> bool {
    matches!(b, 7..=13 | 27)
}

fn encoding(b: &[u8]) -> Option<Encoding> {
    let utf16 = |low: usize| {
        b.len() >= 2 && b[2..].chunks_exact(2).all(|p| p[1 - low] != 0 || p[low] >= 32 || is_text_control(p[low]))
    };
    if b.starts_with(&[0xff, 0xfe]) && utf16(0) {
        return Some(Encoding { text: "Unicode text, UTF-16, little-endian", charset: "utf-16le" });
    }
    if b.starts_with(&[0xfe, 0xff]) && utf16(1) {
        return Some(Encoding { text: "Unicode text, UTF-16, big-endian", charset: "utf-16be" });
    }
    if b.iter().any(|&c| (c < 32 && !is_text_control(c)) || c == 127) {
        return None;
    }
    if b.is_ascii() {
        return Some(Encoding { text: "ASCII", charset: "us-ascii" });
    }
    // The end of what was read may cut a character.
    let whole = match std::str::from_utf8(b) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none(),
    };
    if whole && b.starts_with(b"\xef\xbb\xbf") {
        return Some(Encoding { text: "Unicode text, UTF-8 (with BOM)", charset: "utf-8" });
    }
    if whole {
        return Some(Encoding { text: "Unicode text, UTF-8", charset: "utf-8" });
    }
    if !b.iter().any(|c| (0x80..0xa0).contains(c)) {
        return Some(Encoding { text: "ISO-8859", charset: "iso-8859-1" });
    }
    Some(Encoding { text: "Non-ISO extended-ASCII", charset: "unknown-8bit" })
}

/// What a text is, and its charset.
pub fn identify(b: &[u8], all: bool) -> Option<(Kind, &'static str)> {
    let encoding = encoding(b)?;
    let plain = encoding.charset.starts_with("utf-16");
    let found = if plain { None } else { subject(b) };
    if !plain && all && super::json::is_json(b) {
        return Some((Kind { text: "JSON text data".to_owned(), mime: "application/json" }, encoding.charset));
    }
    if !plain && found.is_none() && is_csv(b) {
        return Some((Kind { text: "CSV text".to_owned(), mime: "text/csv" }, encoding.charset));
    }
    let (subject, mime, executable) = found.unwrap_or_default();
    // An image is no text, even where it is written as one.
    if mime == "image/svg+xml" {
        return Some((Kind { text: subject, mime }, encoding.charset));
    }
    let mime = if mime.is_empty() { "text/plain" } else { mime };
    let start = if subject.is_empty() { String::new() } else { format!("{subject}, ") };
    let run = if executable { " executable" } else { "" };
    let mut text = format!("{start}{} text{run}", encoding.text);
    text += &lines(b, plain);
    Some((Kind { text, mime }, encoding.charset))
}

fn lines(b: &[u8], wide: bool) -> String {
    let narrow: Vec<u8>;
    let b = if wide {
        narrow = b[2.min(b.len())..].iter().copied().filter(|c| *c != 0).collect();
        &narrow
    } else {
        b
    };
    let crlf = memchr::memmem::find_iter(b, b"\r\n").count();
    let lf = memchr::memchr_iter(b'\n', b).count() - crlf;
    let cr = memchr::memchr_iter(b'\r', b).count() - crlf;
    let mut text = String::new();
    let longest = b.split(|c| *c == b'\n' || *c == b'\r').map(<[u8]>::len).max().unwrap_or(0);
    if longest > 300 {
        text += &format!(", with very long lines ({longest})");
    }
    let mut ends = Vec::new();
    if crlf > 0 {
        ends.push("CRLF");
    }
    if cr > 0 {
        ends.push("CR");
    }
    if lf > 0 {
        ends.push("LF");
    }
    if ends.is_empty() {
        text += ", with no line terminators";
    } else if ends != ["LF"] {
        text += &format!(", with {} line terminators", ends.join(", "));
    }
    if b.contains(&27) {
        text += ", with escape sequences";
    }
    if b.contains(&8) {
        text += ", with overstriking";
    }
    text
}

/// What it is about: description, MIME type, and whether it can be run.
fn subject(b: &[u8]) -> Option<(String, &'static str, bool)> {
    let b = b.strip_prefix(b"\xef\xbb\xbf").unwrap_or(b);
    if let Some(rest) = b.strip_prefix(b"#!") {
        return Some(script(rest));
    }
    let start = &b[..b.len().min(4096)];
    let lower = start.to_ascii_lowercase();
    let trimmed = lower.trim_ascii_start();
    let line = |wanted: &[u8]| start.split(|c| *c == b'\n').any(|l| l.starts_with(wanted));
    let text = |text: &str, mime: &'static str| Some((text.to_owned(), mime, false));
    if let Some(rest) = start.strip_prefix(b"<?xml") {
        if memchr::memmem::find(&lower, b"<svg").is_some() {
            return text("SVG Scalable Vector Graphics image", "image/svg+xml");
        }
        let version = memchr::memmem::find(rest, b"version=").map(|at| &rest[at + 9..]);
        let version: String = version
            .unwrap_or_default()
            .iter()
            .take_while(|c| c.is_ascii_digit() || **c == b'.')
            .map(|c| *c as char)
            .collect();
        return Some((format!("XML {version} document"), "text/xml", false));
    }
    if trimmed.starts_with(b"<!doctype html") || trimmed.starts_with(b"<html") || trimmed.starts_with(b"<head") {
        return text("HTML document", "text/html");
    }
    if trimmed.starts_with(b"<svg") {
        return text("SVG Scalable Vector Graphics image", "image/svg+xml");
    }
    if start.starts_with(b"<?php") {
        return text("PHP script", "text/x-php");
    }
    for (mark, what) in [
        ("-----BEGIN CERTIFICATE-----", "PEM certificate"),
        ("-----BEGIN CERTIFICATE REQ", "PEM certificate request"),
        ("-----BEGIN RSA PRIVATE", "PEM RSA private key"),
        ("-----BEGIN OPENSSH PRIVATE", "OpenSSH private key"),
    ] {
        if start.starts_with(mark.as_bytes()) {
            return text(what, "text/plain");
        }
    }
    let unified = start.split(|c| *c == b'\n').collect::<Vec<_>>();
    if unified.windows(3).any(|w| w[0].starts_with(b"--- ") && w[1].starts_with(b"+++ ") && w[2].starts_with(b"@@ ")) {
        return text("unified diff output", "text/x-diff");
    }
    if start.starts_with(b"*** ") && line(b"***************") {
        return text("context diff output", "text/x-diff");
    }
    if start.starts_with(b"diff ") {
        return text("diff output", "text/x-diff");
    }
    if line(b"template <") || line(b"class ") && line(b"#include") || line(b"using namespace") {
        return text("C++ source", "text/x-c++");
    }
    if line(b"#include") || line(b"int main(") || line(b"#ifndef ") && line(b"#define ") {
        return text("C source", "text/x-c");
    }
    if start.starts_with(b"\\documentclass") || line(b"\\documentclass") {
        return text("LaTeX 2e document", "text/x-tex");
    }
    if start.starts_with(b"From: ") || start.starts_with(b"Article ") || start.starts_with(b"Path: ") {
        return text("news or mail", "message/rfc822");
    }
    if start.starts_with(b"Received:") || start.starts_with(b"Return-Path:") {
        return text("SMTP mail", "message/rfc822");
    }
    if start.split(|c| *c == b'\n').any(is_python) {
        return Some(("Python script".to_owned(), "text/x-script.python", true));
    }
    if line(b"SUBDIRS") {
        return text("automake makefile script", "text/x-makefile");
    }
    if [b"all:".as_slice(), b"CFLAGS", b"LDFLAGS", b"VPATH"].iter().any(|mark| line(mark)) {
        return text("makefile script", "text/x-makefile");
    }
    None
}

/// `def f(x):`, `class C:`, `from m import n`.
fn is_python(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    if let Some(rest) = line.strip_prefix(b"from ") {
        return memchr::memmem::find(rest, b" import ").is_some();
    }
    let begins = |rest: &[u8]| rest.trim_ascii_start().first().is_some_and(|c| c.is_ascii_alphabetic() || *c == b'_');
    match (line.strip_prefix(b"def "), line.strip_prefix(b"class ")) {
        (Some(rest), _) => begins(rest) && rest.contains(&b'(') && rest.ends_with(b"):"),
        (_, Some(rest)) => begins(rest) && rest.ends_with(b":"),
        _ => false,
    }
}

/// The program behind `#!`.
fn script(rest: &[u8]) -> (String, &'static str, bool) {
    let line = rest.split(|c| *c == b'\n').next().unwrap_or_default().trim_ascii();
    let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let program = words.next().unwrap_or_default();
    let mut name = crate::input::base_name(program);
    if name == b"env" {
        name = words.find(|w| w[0] != b'-').unwrap_or(name);
    }
    let known: &[(&[u8], &str, &str)] = &[
        (b"sh", "POSIX shell script", "text/x-shellscript"),
        (b"dash", "a /bin/dash script", "text/x-shellscript"),
        (b"bash", "Bourne-Again shell script", "text/x-shellscript"),
        (b"zsh", "Paul Falstad's zsh script", "text/x-shellscript"),
        (b"ksh", "Korn shell script", "text/x-shellscript"),
        (b"tcsh", "Tenex C shell script", "text/x-shellscript"),
        (b"python", "Python script", "text/x-script.python"),
        (b"perl", "Perl script", "text/x-perl"),
        (b"node", "Node.js script", "application/javascript"),
        (b"ruby", "Ruby script", "text/x-ruby"),
        (b"php", "PHP script", "text/x-php"),
        (b"awk", "awk script", "text/x-awk"),
        (b"gawk", "GNU awk script", "text/x-gawk"),
        (b"lua", "Lua script", "text/x-lua"),
    ];
    let stem = name.iter().position(|c| c.is_ascii_digit() || *c == b'.').map_or(name, |at| &name[..at]);
    match known.iter().find(|k| k.0 == stem) {
        Some((_, text, mime)) => ((*text).to_owned(), mime, true),
        None => (format!("a {} script", String::from_utf8_lossy(line)), "text/plain", true),
    }
}

/// At least two lines, all with as many commas, and at least one of them.
fn is_csv(b: &[u8]) -> bool {
    let mut fields = None;
    let mut count = 0;
    for line in b.split(|c| *c == b'\n').take(10) {
        if line.is_empty() {
            break;
        }
        let (mut commas, mut quoted) = (0, false);
        for &c in line {
            match c {
                b'"' => quoted = !quoted,
                b',' if !quoted => commas += 1,
                _ => {}
            }
        }
        if commas == 0 || *fields.get_or_insert(commas) != commas {
            return false;
        }
        count += 1;
    }
    count > 1
}
