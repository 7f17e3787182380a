//! `--json`: what is found as messages, one a line.

use super::print::{Printer, Totals};
use crate::http::base64;
use crate::lines::{Found, Place};

/// Lines that are not told yet: whether the last one of a file has an end is known only when it is through.
pub struct Held {
    text: Vec<u8>,
    place: Place,
    selected: bool,
    spans: Vec<(usize, usize)>,
}

/// What is known of one file, or of all.
#[derive(Clone, Copy, Default)]
pub struct Stats {
    nanoseconds: u64,
    searches: u64,
    bytes_searched: u64,
    bytes_printed: u64,
    matched_lines: u64,
    matches: u64,
}

impl Printer<'_> {
    pub fn json_lines(&mut self, text: &[u8], place: Place, selected: bool, spans: Vec<(usize, usize)>) {
        self.json_held(None);
        self.held = Some(Held { text: text.to_vec(), place, selected, spans });
    }

    /// Tells the lines that wait. `size`: of the whole input, when it is through.
    fn json_held(&mut self, size: Option<u64>) {
        let Some(Held { text, place, selected, spans }) = self.held.take() else { return };
        if !self.begun {
            self.begun = true;
            let path = data(&self.path);
            self.json_message(&format!("{{\"type\":\"begin\",\"data\":{{\"path\":{path}}}}}\n"));
        }
        let unended = size.is_some_and(|size| place.offset + text.len() as u64 > size);
        let lines = &text[..text.len() - usize::from(unended)];
        let submatches: Vec<String> = spans
            .iter()
            .map(|&(start, end)| format!("{{\"match\":{},\"start\":{start},\"end\":{end}}}", data(&text[start..end])))
            .collect();
        let kind = if selected { "match" } else { "context" };
        let number = if self.asked.numbers { place.number.to_string() } else { "null".to_owned() };
        let message = format!(
            "{{\"type\":\"{kind}\",\"data\":{{\"path\":{},\"lines\":{},\"line_number\":{number},\"absolute_offset\":{},\
             \"submatches\":[{}]}}}}\n",
            data(&self.path),
            data(lines),
            place.offset,
            submatches.join(",")
        );
        self.json_message(&message);
        if selected {
            self.stats.matches += spans.len() as u64;
            self.stats.matched_lines += memchr::memchr_iter(b'\n', &text).count() as u64;
        }
    }

    fn json_message(&mut self, message: &str) {
        self.stats.bytes_printed += message.len() as u64;
        self.out.write(message.as_bytes());
    }

    /// The end of a file in which something was found.
    pub fn json_end(&mut self, found: &Found, nanoseconds: u64) {
        self.json_held(Some(found.bytes));
        if !self.begun {
            return;
        }
        self.stats.nanoseconds = nanoseconds;
        self.stats.bytes_searched = if found.full { found.after } else { found.bytes };
        self.stats.searches = 1;
        let binary = found.binary.map_or("null".to_owned(), |at| at.to_string());
        let stats = self.stats;
        let message = format!(
            "{{\"type\":\"end\",\"data\":{{\"path\":{},\"binary_offset\":{binary},\"stats\":{{\"elapsed\":{{\"secs\":{},\
             \"nanos\":{},\"human\":\"{}\"}},\"searches\":1,\"searches_with_match\":1,\"bytes_searched\":{},\
             \"bytes_printed\":{},\"matched_lines\":{},\"matches\":{}}}}}}}\n",
            data(&self.path),
            nanoseconds / NANOSECONDS,
            nanoseconds % NANOSECONDS,
            human(nanoseconds),
            stats.bytes_searched,
            stats.bytes_printed,
            stats.matched_lines,
            stats.matches
        );
        self.out.write(message.as_bytes());
        self.totals.json.add(&stats);
    }
}

impl Stats {
    fn add(&mut self, other: &Stats) {
        self.nanoseconds += other.nanoseconds;
        self.searches += other.searches;
        self.bytes_searched += other.bytes_searched;
        self.bytes_printed += other.bytes_printed;
        self.matched_lines += other.matched_lines;
        self.matches += other.matches;
    }
}

/// What was found in all files.
pub fn summary(totals: &Totals, nanoseconds: u64) -> String {
    let elapsed =
        |n: u64| format!("{{\"human\":\"{}\",\"nanos\":{},\"secs\":{}}}", human(n), n % NANOSECONDS, n / NANOSECONDS);
    let stats = &totals.json;
    format!(
        "{{\"data\":{{\"elapsed_total\":{},\"stats\":{{\"bytes_printed\":{},\"bytes_searched\":{},\"elapsed\":{},\
         \"matched_lines\":{},\"matches\":{},\"searches\":{},\"searches_with_match\":{}}}}},\"type\":\"summary\"}}\n",
        elapsed(nanoseconds),
        stats.bytes_printed,
        stats.bytes_searched,
        elapsed(stats.nanoseconds),
        stats.matched_lines,
        stats.matches,
        stats.searches,
        stats.searches
    )
}

const NANOSECONDS: u64 = 1_000_000_000;

fn human(nanoseconds: u64) -> String {
    format!("{:.6}s", nanoseconds as f64 / NANOSECONDS as f64)
}

/// Text, or bytes that are none.
fn data(bytes: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return format!("{{\"bytes\":\"{}\"}}", base64(bytes)) };
    let mut out = String::from("{\"text\":\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            '\u{8}' => out += "\\b",
            '\u{c}' => out += "\\f",
            c if c < ' ' => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\"}"
}
