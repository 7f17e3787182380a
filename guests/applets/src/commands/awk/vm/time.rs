//! `strftime` and `mktime`.

use super::super::array::Key;
use super::super::value::Value;
use super::{Run, Vm};
use crate::calendar::parse::to_utc;
use crate::calendar::{Moment, Zone, days_from_civil};

const FORMAT: &[u8] = b"%a %b %e %H:%M:%S %Z %Y";

impl Vm {
    fn zone(&mut self) -> Zone {
        self.zone.get_or_insert_with(Zone::local).clone()
    }

    pub fn strftime(&mut self, args: usize) -> Run<()> {
        let utc = args > 2 && self.pop().truth();
        let seconds = if args > 1 { self.pop().number() } else { capsule_sys::now().sec as f64 };
        let format = match args {
            0 => {
                let own = self.procinfo.borrow().get(&Key::from_bytes(b"strftime")).cloned();
                own.map_or_else(|| FORMAT.to_vec(), |value| self.text_of(&value))
            }
            _ => {
                let format = self.pop();
                self.text_of(&format)
            }
        };
        // Years beyond what a calendar holds have no text.
        if !seconds.is_finite() || seconds.abs() > 6e16 {
            self.warn("strftime: second argument out of range for time_t");
            self.stack.push(Value::string(b""));
            return Ok(());
        }
        let zone = if utc { Zone::utc() } else { self.zone() };
        let mut moment = Moment::new(seconds.floor() as i64, 0, &zone);
        if utc {
            "GMT".clone_into(&mut moment.zone);
        }
        self.stack.push(Value::owned(moment.format(&known(&format))));
        Ok(())
    }

    /// `YYYY MM DD HH MM SS [DST]`; what is out of range runs over.
    pub fn mktime(&mut self, args: usize) -> Run<()> {
        let utc = args > 1 && self.pop().truth();
        let text = self.pop();
        let text = String::from_utf8_lossy(&self.text_of(&text)).into_owned();
        let parts: Option<Vec<i64>> = text.split_ascii_whitespace().take(7).map(|word| word.parse().ok()).collect();
        let seconds = match parts.as_deref() {
            Some([year, month, day, hour, minute, second, rest @ ..])
                if [year, month, day, hour, minute, second].iter().all(|n| n.abs() < 1_000_000_000) =>
            {
                let months = year * 12 + month - 1;
                let days = days_from_civil(months.div_euclid(12), months.rem_euclid(12) as u32 + 1, 1) + day - 1;
                let local = days * 86_400 + hour * 3600 + minute * 60 + second;
                let zone = if utc { Zone::utc() } else { self.zone() };
                let seconds = to_utc(local, &zone);
                // A summer time that is asked for and does not hold moves the hour, and so does the contrary.
                match (rest.first(), zone.at(seconds).summer) {
                    (Some(1..), false) if !utc => seconds - 3600,
                    (Some(0), true) if !utc => seconds + 3600,
                    _ => seconds,
                }
            }
            _ => -1,
        };
        self.stack.push(Value::Num(seconds as f64));
        Ok(())
    }
}

/// The format with what the C library does not know, and our calendar does, as plain text.
fn known(format: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(format.len());
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let marks = rest[1..].iter().take_while(|b| b"_-0^#+123456789EO".contains(b)).count();
        let known = rest.get(marks + 1).is_some_and(|b| b"%aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ".contains(b));
        if known {
            out.extend_from_slice(&rest[..marks + 2]);
            rest = &rest[marks + 2..];
        } else {
            out.extend_from_slice(b"%%");
            rest = &rest[1..];
        }
    }
    out.extend_from_slice(rest);
    out
}
