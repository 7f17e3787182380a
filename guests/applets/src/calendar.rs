//! Broken-down time and `strftime` with GNU's flags, in the C locale. Time zones: see `zone`.

mod explain;
pub mod parse;
mod words;
mod zone;

use crate::pad;
use std::fmt::Write;
pub use zone::{Local, Zone};

/// A time of the calendar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    pub nanos: u32,
    /// 0 is Sunday.
    pub weekday: u32,
    /// 0 is the first of January.
    pub yearday: u32,
    pub seconds_since_epoch: i64,
    /// East of Greenwich, in seconds.
    pub offset: i32,
    pub zone: String,
}

pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// Conversions that have no other era's form, or no other digits'.
const NOT_WITH_E: &[u8] = b"aAbBdDeFgGhHIjklmMNSUvVwW";
const NOT_WITH_O: &[u8] = b"aAcDFqvxXY";
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Days since 1970-01-01 of a date in the proleptic Gregorian calendar (Hinnant's algorithm).
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let mp = (i64::from(month) + 9) % 12;
    let doy = (153 * mp + 2) / 5 + i64::from(day) - 1;
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    era * 146_097 + doe - 719_468
}

/// Year, month and day of a day since 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = (doy - (153 * mp + 2) / 5 + 1) as u32;
    let month = if mp < 10 { mp + 3 } else { mp - 9 } as u32;
    (yoe + era * 400 + i64::from(month <= 2), month, day)
}

impl Moment {
    /// Whether the year is one that C's calendar has: 32 bits after 1900.
    pub fn is_in_range(&self) -> bool {
        i32::try_from(self.year - 1900).is_ok()
    }

    pub fn new(seconds: i64, nanos: u32, zone: &Zone) -> Moment {
        let Local { offset, name, .. } = zone.at(seconds);
        let local = seconds.saturating_add(offset.into());
        let days = local.div_euclid(86_400);
        let rest = local.rem_euclid(86_400) as u32;
        let (year, month, day) = civil_from_days(days);
        Moment {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            nanos,
            weekday: (days + 4).rem_euclid(7) as u32,
            yearday: (days - days_from_civil(year, 1, 1)) as u32,
            seconds_since_epoch: seconds,
            offset,
            zone: name,
        }
    }

    /// The ISO week's year and number.
    fn iso_week(&self) -> (i64, u32) {
        let monday = |day: u32| (day + 6) % 7;
        let week = (i64::from(self.yearday) - i64::from(monday(self.weekday)) + 10) / 7;
        let weeks = |year: i64| {
            let first = (days_from_civil(year, 1, 1) + 4).rem_euclid(7);
            let leap = days_from_civil(year + 1, 1, 1) - days_from_civil(year, 1, 1) == 366;
            if first == 4 || (first == 3 && leap) { 53 } else { 52 }
        };
        if week < 1 {
            (self.year - 1, weeks(self.year - 1))
        } else if week > i64::from(weeks(self.year)) {
            (self.year + 1, 1)
        } else {
            (self.year, week as u32)
        }
    }

    /// As GNU's `strftime`: flags `_ - 0 + ^ #`, widths, `%N`, `%:z`, `%s`.
    pub fn format(&self, format: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = format;
        while let Some(percent) = memchr::memchr(b'%', rest) {
            out.extend_from_slice(&rest[..percent]);
            let spec = &rest[percent..];
            let used = self.conversion(spec, &mut out);
            rest = &spec[used..];
        }
        out.extend_from_slice(rest);
        out
    }

    /// One conversion at the start of `spec`; how long it was.
    fn conversion(&self, spec: &[u8], out: &mut Vec<u8>) -> usize {
        let mut at = 1;
        let (mut pad, mut upper, mut swap) = (None, false, false);
        while let Some(&b) = spec.get(at) {
            match b {
                b'_' | b'-' | b'0' | b'+' => pad = Some(b),
                b'^' => upper = true,
                b'#' => swap = true,
                _ => break,
            }
            at += 1;
        }
        let is_given = spec.get(at).is_some_and(u8::is_ascii_digit);
        let width = Some(pad::number(spec, &mut at)).filter(|_| is_given);
        let modifier = spec.get(at).copied().filter(|b| matches!(b, b'E' | b'O'));
        at += usize::from(modifier.is_some());
        let colons = spec[at..].iter().take_while(|&&b| b == b':').count();
        at += colons;
        let letter = match (modifier, spec.get(at).copied()) {
            (Some(b'E'), Some(letter)) if NOT_WITH_E.contains(&letter) => 0,
            (Some(b'O'), Some(letter)) if NOT_WITH_O.contains(&letter) => 0,
            (_, Some(letter)) if colons == 0 || letter == b'z' && colons < 4 => letter,
            _ => 0,
        };
        // A percent sign that is no part of `%%` begins the next one.
        let next = at > 1 && spec.get(at) == Some(&b'%');
        let end = if next { at } else { (at + 1).min(spec.len()) };
        // A number: value, usual width, usual padding. A text: as it is.
        let number = |value: i64, usual: usize, fill: u8| -> Vec<u8> {
            let fill = match pad {
                Some(b'_') => b' ',
                Some(b'0' | b'+') => b'0',
                _ => fill,
            };
            let width = if pad == Some(b'-') { 0 } else { width.unwrap_or(usual) };
            let digits = value.unsigned_abs().to_string();
            let sign = if value < 0 { "-" } else { "" };
            padded(sign, &digits, width, fill)
        };
        // Years: with `+`, those that have more digits than usual, or room for more, show their sign.
        let year = |value: i64, usual: usize, negative: bool| -> Vec<u8> {
            let width = if pad == Some(b'-') { 0 } else { width.unwrap_or(usual) };
            let digits = value.unsigned_abs().to_string();
            let signed = pad == Some(b'+') && (digits.len() > usual || width > usual);
            let sign = match (negative, signed) {
                (true, _) => "-",
                (false, true) => "+",
                (false, false) => "",
            };
            padded(sign, &digits, width, if pad == Some(b'_') { b' ' } else { b'0' })
        };
        let hour12 = i64::from((self.hour + 11) % 12 + 1);
        let sub = |format: &[u8]| self.format(format);
        let (mut text, numeric) = match letter {
            // The C library's own numbers: flags and widths pad what it says.
            b'Y' | b'C' if modifier == Some(b'E') => (sub(&[b'%', b'-', letter]), false),
            b'y' if modifier.is_some() => (sub(b"%y"), false),
            b'd' | b'e' | b'H' | b'I' | b'm' | b'M' | b'S' | b'u' | b'U' | b'V' | b'w' | b'W' if modifier.is_some() => {
                (sub(&[b'%', letter]), false)
            }
            b'%' if !next => (b"%".to_vec(), false),
            b'n' => (b"\n".to_vec(), false),
            b't' => (b"\t".to_vec(), false),
            b'a' => (DAYS[self.weekday as usize].as_bytes()[..3].to_vec(), false),
            b'A' => (DAYS[self.weekday as usize].as_bytes().to_vec(), false),
            b'b' | b'h' => (MONTHS[self.month as usize - 1].as_bytes()[..3].to_vec(), false),
            b'B' => (MONTHS[self.month as usize - 1].as_bytes().to_vec(), false),
            // The C library's own, which does not fill up the year.
            b'c' => (sub(b"%a %b %e %H:%M:%S %-Y"), false),
            b'C' => (year(self.year / 100, 2, self.year < 0), true),
            b'd' => (number(self.day.into(), 2, b'0'), true),
            b'D' => (sub(format!("%m/%d/%{}y", pad.map_or(String::new(), |p| char::from(p).into())).as_bytes()), false),
            b'e' => (number(self.day.into(), 2, b' '), true),
            b'F' => {
                // The width is that of the whole; the year gets what month and day leave.
                let flag = pad.unwrap_or(if width.is_none() { b'+' } else { b'0' }) as char;
                let year = match width {
                    None if pad.is_none() => 4,
                    // At least 1: a 0 would be a flag.
                    width => width.unwrap_or(0).saturating_sub(6).max(1),
                };
                (sub(format!("%{flag}{year}Y-%m-%d").as_bytes()), true)
            }
            b'g' => (year(self.iso_week().0.rem_euclid(100), 2, false), true),
            b'G' => (year(self.iso_week().0, 4, self.iso_week().0 < 0), true),
            b'H' => (number(self.hour.into(), 2, b'0'), true),
            b'I' => (number(hour12, 2, b'0'), true),
            b'j' => (number(i64::from(self.yearday) + 1, 3, b'0'), true),
            b'k' => (number(self.hour.into(), 2, b' '), true),
            b'l' => (number(hour12, 2, b' '), true),
            b'm' => (number(self.month.into(), 2, b'0'), true),
            b'M' => (number(self.minute.into(), 2, b'0'), true),
            b'N' => (self.nanos_text(pad, width), true),
            b'p' => {
                let text = if self.hour >= 12 { b"PM" } else { b"AM" };
                let text = if swap { text.to_ascii_lowercase() } else { text.to_vec() };
                upper &= !swap;
                swap = false;
                (text, false)
            }
            b'P' => {
                upper = false;
                (if self.hour >= 12 { b"pm" } else { b"am" }.to_vec(), false)
            }
            b'q' => (number(i64::from((self.month - 1) / 3 + 1), 1, b'0'), true),
            b'r' => (sub(b"%I:%M:%S %p"), false),
            b'R' => (sub(b"%H:%M"), false),
            b's' => (number(self.seconds_since_epoch, 1, b'0'), true),
            b'S' => (number(self.second.into(), 2, b'0'), true),
            b'T' | b'X' => (sub(b"%H:%M:%S"), false),
            b'u' => (number(i64::from((self.weekday + 6) % 7 + 1), 1, b'0'), true),
            b'U' => (number(i64::from((self.yearday + 7 - self.weekday) / 7), 2, b'0'), true),
            b'V' => (number(self.iso_week().1.into(), 2, b'0'), true),
            b'w' => (number(self.weekday.into(), 1, b'0'), true),
            b'W' => (number(i64::from((self.yearday + 7 - (self.weekday + 6) % 7) / 7), 2, b'0'), true),
            b'x' => (sub(format!("%m/%d/{:02}", self.year.rem_euclid(100)).as_bytes()), false),
            b'y' => (year((self.year % 100).abs(), 2, false), true),
            b'Y' => (year(self.year, 4, self.year < 0), true),
            b'z' => (self.offset_text(colons, pad, width), true),
            b'Z' => {
                let zone = self.zone.clone().into_bytes();
                let zone = if swap { zone.to_ascii_lowercase() } else { zone };
                upper &= !swap;
                swap = false;
                (zone, false)
            }
            // Not a conversion: it stands for itself.
            _ => (spec[..end].to_vec(), false),
        };
        // Only names have a case to change.
        if upper || (swap && matches!(letter, b'a' | b'A' | b'b' | b'B' | b'h')) {
            text.make_ascii_uppercase();
        }
        if !numeric && let Some(width) = width.filter(|_| pad != Some(b'-')) {
            let fill = if matches!(pad, Some(b'0' | b'+')) { b'0' } else { b' ' };
            out.extend(std::iter::repeat_n(fill, width.saturating_sub(text.len())));
        }
        out.extend_from_slice(&text);
        end
    }

    /// `%N`: the width is how many digits are wanted. Zeros at the end are padding.
    fn nanos_text(&self, pad: Option<u8>, width: Option<usize>) -> Vec<u8> {
        let width = width.filter(|w| *w > 0);
        let mut digits = format!("{:09}", self.nanos).into_bytes();
        digits.truncate(width.unwrap_or(9));
        // Alone, `%-N` has the digits that the clock has.
        if pad == Some(b'-') && width.is_none() {
            return digits;
        }
        while digits.len() > 1 && digits.last() == Some(&b'0') {
            digits.pop();
        }
        if pad != Some(b'-') {
            digits.resize(width.unwrap_or(9), if pad == Some(b'_') { b' ' } else { b'0' });
        }
        digits
    }

    fn offset_text(&self, colons: usize, pad: Option<u8>, width: Option<usize>) -> Vec<u8> {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let o = self.offset.unsigned_abs();
        let (h, m, s) = (o / 3600, o / 60 % 60, o % 60);
        let mut body = String::new();
        let _ = match colons {
            0 => write!(body, "{h:02}{m:02}"),
            1 => write!(body, "{h:02}:{m:02}"),
            2 => write!(body, "{h:02}:{m:02}:{s:02}"),
            3 if s != 0 => write!(body, "{h:02}:{m:02}:{s:02}"),
            3 if m != 0 => write!(body, "{h:02}:{m:02}"),
            _ => write!(body, "{h:02}"),
        };
        let usual = body.len() + 1;
        // Zeros in front are padding, but for the last digit of the hours.
        let zeros = body.bytes().zip(body.bytes().skip(1)).take_while(|(b, next)| *b == b'0' && *next != b':').count();
        let body = &body[zeros..];
        let width = if pad == Some(b'-') { 0 } else { width.unwrap_or(usual) };
        let missing = width.saturating_sub(body.len() + 1);
        match pad {
            Some(b'_') => format!("{}{sign}{body}", " ".repeat(missing)),
            _ => format!("{sign}{}{body}", "0".repeat(missing)),
        }
        .into_bytes()
    }
}

/// A number with its sign, blanks in front of it or zeros behind it.
fn padded(sign: &str, digits: &str, width: usize, fill: u8) -> Vec<u8> {
    let filling = vec![fill; width.saturating_sub(digits.len() + sign.len())];
    if fill == b'0' {
        [sign.as_bytes(), &filling, digits.as_bytes()].concat()
    } else {
        [&filling, sign.as_bytes(), digits.as_bytes()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let moment = Moment::new(1_700_000_000, 5_000_000, &Zone::utc());
        let show = |format: &str| String::from_utf8_lossy(&moment.format(format.as_bytes())).into_owned();
        assert_eq!(show("%F %T"), "2023-11-14 22:13:20");
        assert_eq!(show("%a %b %e %j %U %W %V %G"), "Tue Nov 14 318 46 46 46 2023");
        assert_eq!(show("%s.%N %3N"), "1700000000.005000000 005");
        assert_eq!(show("%-d %_m %05d %^a %z %:z %%"), "14 11 00014 TUE +0000 +00:00 %");
        assert_eq!(show("%I %p %#p %P"), "10 PM pm pm");
        for days in [-1_000_000, -1, 0, 59, 60, 11_016, 20_000, 1_000_000] {
            let (y, m, d) = civil_from_days(days);
            assert_eq!(days_from_civil(y, m, d), days);
        }
    }
}
