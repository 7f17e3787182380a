//! Prompts: `\u`, `\h`, `\w` … and then the usual expansions.

use crate::shell::{Flow, Shell, Shopt};
use capsule_sys as sys;

impl Shell {
    pub fn expand_prompt(&mut self, text: &[u8]) -> Flow<Vec<u8>> {
        let mut out = Vec::new();
        let mut i = 0;
        while i < text.len() {
            let b = text[i];
            i += 1;
            if b != b'\\' {
                out.push(b);
                continue;
            }
            let Some(&c) = text.get(i) else {
                out.push(b'\\');
                break;
            };
            i += 1;
            match c {
                b'a' => out.push(7),
                b'e' => out.push(27),
                b'n' => out.push(b'\n'),
                b'r' => out.push(b'\r'),
                b'\\' => out.push(b'\\'),
                b'[' | b']' => {}
                b'$' => out.extend_from_slice(if sys::getids().is_ok_and(|ids| ids.0 == 0) { b"#" } else { b"\\$" }),
                b'u' => {
                    let name = match self.vars.text(b"USER") {
                        Some(name) => name.into_owned(),
                        None => b"root".to_vec(),
                    };
                    out.extend_from_slice(&name);
                }
                b'h' | b'H' => {
                    let host = self.vars.text(b"HOSTNAME").map(|v| v.into_owned()).unwrap_or_default();
                    let end = if c == b'h' { host.iter().position(|&b| b == b'.') } else { None };
                    out.extend_from_slice(&host[..end.unwrap_or(host.len())]);
                }
                b'w' | b'W' => {
                    let cwd = self.tilde_form();
                    let start = match c {
                        b'W' if cwd.len() > 1 => cwd.iter().rposition(|&b| b == b'/').map_or(0, |i| i + 1),
                        _ => 0,
                    };
                    for &b in &cwd[start..] {
                        if matches!(b, b'$' | b'`' | b'\\' | b'"') {
                            out.push(b'\\');
                        }
                        out.push(b);
                    }
                }
                b's' => {
                    let name = self.arg0.rsplit(|&b| b == b'/').next().unwrap_or_default().to_vec();
                    out.extend_from_slice(&name);
                }
                b'v' => out.extend_from_slice(b"5.2"),
                b'V' => out.extend_from_slice(b"5.2.15"),
                b'j' => out.extend_from_slice(self.jobs.count().to_string().as_bytes()),
                b'l' => out.extend_from_slice(b"tty"),
                b'#' => out.extend_from_slice(self.command_number.to_string().as_bytes()),
                b'!' => out.extend_from_slice(self.history.len().max(1).to_string().as_bytes()),
                b't' => out.extend_from_slice(&self.time_text(b"%H:%M:%S")),
                b'T' => out.extend_from_slice(&self.time_text(b"%I:%M:%S")),
                b'@' => out.extend_from_slice(&self.time_text(b"%I:%M %p")),
                b'A' => out.extend_from_slice(&self.time_text(b"%H:%M")),
                b'd' => out.extend_from_slice(&self.time_text(b"%a %b %d")),
                b'D' if text.get(i) == Some(&b'{') => {
                    let len = text[i..].iter().position(|&b| b == b'}').unwrap_or(text.len() - i);
                    let format = &text[i + 1..i + len];
                    let format = if format.is_empty() { b"%X" } else { format };
                    out.extend_from_slice(&self.time_text(format));
                    i += len + 1;
                }
                b'0'..=b'7' => {
                    let digits = text[i - 1..].iter().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
                    let value = text[i - 1..i - 1 + digits].iter().fold(0u32, |n, b| n * 8 + u32::from(b - b'0'));
                    out.push(value as u8);
                    i += digits - 1;
                }
                c => out.extend_from_slice(&[b'\\', c]),
            }
        }
        if self.options.shopt(Shopt::Promptvars) { self.expand_text(&out) } else { Ok(out) }
    }

    fn tilde_form(&self) -> Vec<u8> {
        match self.vars.text(b"HOME") {
            Some(home) if home.len() > 1 && self.cwd.starts_with(&home) => {
                let rest = &self.cwd[home.len()..];
                if rest.is_empty() || rest[0] == b'/' { [b"~", rest].concat() } else { self.cwd.clone() }
            }
            _ => self.cwd.clone(),
        }
    }

    /// strftime of now, in the script's time zone.
    pub fn time_text(&self, format: &[u8]) -> Vec<u8> {
        let now = sys::now();
        self.time_text_at(format, now.sec, now.nsec)
    }

    pub fn time_text_at(&self, format: &[u8], seconds: i64, nanos: u32) -> Vec<u8> {
        use capsule_applets::calendar::{Moment, Zone};
        let zone = self.vars.text(b"TZ");
        let zone = zone.map_or_else(Zone::local, |name| Zone::named(&name));
        Moment::new(seconds, nanos, &zone).format(format)
    }
}
