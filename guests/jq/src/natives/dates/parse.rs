//! `strptime`.

use super::Fields;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

struct Parse<'a> {
    rest: &'a [u8],
    fields: Fields,
    /// 12-hour clock: whether it is after noon.
    afternoon: Option<bool>,
    hour12: Option<i64>,
    century: Option<i64>,
    yearday: Option<i64>,
    weekday: Option<i64>,
    /// A week of the year, and the day it begins with.
    week: Option<(i64, i64)>,
    has_month: bool,
    has_day: bool,
    /// Whether anything of a date was read, so that its day of the week is to be found.
    has_date: bool,
    epoch: Option<i64>,
}

/// What C's library leaves where it knows no day of the week or of the year.
const NO_WEEKDAY: i64 = 8;
const NO_YEARDAY: i64 = 367;

/// Reads a time as a format describes it. All of the text must be used.
pub fn parse(text: &str, format: &str) -> Option<Fields> {
    let fields = Fields { year: 1900, ..Fields::default() };
    let mut parse = Parse {
        rest: text.as_bytes(),
        fields,
        afternoon: None,
        hour12: None,
        century: None,
        yearday: None,
        weekday: None,
        week: None,
        has_month: false,
        has_day: false,
        has_date: false,
        epoch: None,
    };
    parse.format(format.as_bytes(), 0)?;
    if !parse.rest.is_empty() {
        return None;
    }
    if let Some(epoch) = parse.epoch {
        return Some(Fields::at(epoch));
    }
    if let Some(hour) = parse.hour12 {
        parse.fields.hour = hour % 12 + if parse.afternoon == Some(true) { 12 } else { 0 };
    }
    if let Some(century) = parse.century {
        parse.fields.year = century * 100 + parse.fields.year.rem_euclid(100);
    }
    parse.complete();
    Some(parse.fields)
}

impl Parse<'_> {
    /// Finds the parts of the date that were not given.
    fn complete(&mut self) {
        if self.has_date && self.weekday.is_none() {
            if let Some(yearday) = self.yearday {
                self.take_date(yearday);
            }
            self.weekday = Some(self.fields.completed().weekday);
        }
        if self.has_date && self.yearday.is_none() {
            self.yearday = Some(self.fields.completed().yearday);
        }
        if let (Some((week, first)), Some(weekday)) = (self.week, self.weekday) {
            let january = Fields { month: 0, day: 1, ..self.fields }.completed().weekday;
            let yearday = (7 - (january - first)) % 7 + (week - 1) * 7 + (weekday - first + 7) % 7;
            self.take_date(yearday);
            self.yearday = Some(yearday);
        }
        let found = self.fields.completed();
        let dated = (1..=31).contains(&self.fields.day);
        let or = |given: Option<i64>, found: i64, none: i64| given.unwrap_or(if dated { found } else { none });
        self.fields.weekday = or(self.weekday, found.weekday, NO_WEEKDAY);
        self.fields.yearday = or(self.yearday, found.yearday, NO_YEARDAY);
    }

    /// The month and the day that a day of the year is, as far as they were not given.
    fn take_date(&mut self, yearday: i64) {
        let date = Fields::at(Fields { month: 0, day: 1 + yearday, ..self.fields }.seconds());
        if !self.has_month {
            self.fields.month = date.month;
        }
        if !self.has_day {
            self.fields.day = date.day;
        }
    }

    fn spaces(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn number(&mut self, digits: usize, low: i64, high: i64) -> Option<i64> {
        self.spaces();
        let len = self.rest.iter().take(digits).take_while(|b| b.is_ascii_digit()).count();
        if len == 0 {
            return None;
        }
        let value = self.rest[..len].iter().fold(0, |n, b| n * 10 + i64::from(b - b'0'));
        self.rest = &self.rest[len..];
        (low..=high).contains(&value).then_some(value)
    }

    fn signed(&mut self, digits: usize) -> Option<i64> {
        self.spaces();
        let negative = self.rest.first() == Some(&b'-');
        if matches!(self.rest.first(), Some(b'-' | b'+')) {
            self.rest = &self.rest[1..];
        }
        let value = self.number(digits, 0, i64::MAX)?;
        Some(if negative { -value } else { value })
    }

    /// A name in full or by its first three letters.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let starts = |rest: &[u8], name: &str| {
            rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        };
        for (at, name) in names.iter().enumerate() {
            for form in [name, &name[..3]] {
                if starts(self.rest, form) {
                    self.rest = &self.rest[form.len()..];
                    return Some(at as i64);
                }
            }
        }
        None
    }

    fn format(&mut self, format: &[u8], depth: u32) -> Option<()> {
        let mut format = format.iter();
        while let Some(&b) = format.next() {
            if b.is_ascii_whitespace() {
                self.spaces();
                continue;
            }
            if b != b'%' {
                self.rest = self.rest.strip_prefix(&[b])?;
                continue;
            }
            let mut letter = *format.next()?;
            while matches!(letter, b'E' | b'O' | b'-' | b'_' | b'0' | b'^' | b'#') {
                letter = *format.next()?;
            }
            self.conversion(letter, depth)?;
        }
        Some(())
    }

    fn conversion(&mut self, letter: u8, depth: u32) -> Option<()> {
        if depth > 2 {
            return None;
        }
        let sub = |parse: &mut Self, format: &str| parse.format(format.as_bytes(), depth + 1);
        match letter {
            b'%' => self.rest = self.rest.strip_prefix(b"%")?,
            b'n' | b't' => self.spaces(),
            b'Y' => {
                self.fields.year = self.signed(4)?;
                self.has_date = true;
            }
            b'C' => {
                self.century = Some(self.number(2, 0, 99)?);
                self.has_date = true;
            }
            b'y' => {
                self.has_date = true;
                let year = self.number(2, 0, 99)?;
                self.fields.year = year + if year < 69 { 2000 } else { 1900 };
            }
            b'm' => {
                self.fields.month = self.number(2, 1, 12)? - 1;
                (self.has_month, self.has_date) = (true, true);
            }
            b'd' | b'e' => {
                self.fields.day = self.number(2, 1, 31)?;
                (self.has_day, self.has_date) = (true, true);
            }
            b'b' | b'B' | b'h' => {
                self.fields.month = self.name(&MONTHS)?;
                (self.has_month, self.has_date) = (true, true);
            }
            b'a' | b'A' => self.weekday = Some(self.name(&DAYS)?),
            b'u' => self.weekday = Some(self.number(1, 1, 7)? % 7),
            b'w' => self.weekday = Some(self.number(1, 0, 6)?),
            b'j' => self.yearday = Some(self.number(3, 1, 366)? - 1),
            b'H' | b'k' => self.fields.hour = self.number(2, 0, 23)?,
            b'I' | b'l' => self.hour12 = Some(self.number(2, 1, 12)?),
            b'M' => self.fields.minute = self.number(2, 0, 59)?,
            b'S' => self.fields.second = self.number(2, 0, 61)?,
            b'p' | b'P' => {
                let start = self.rest.get(..2)?;
                self.afternoon = match start.to_ascii_lowercase().as_slice() {
                    b"am" => Some(false),
                    b"pm" => Some(true),
                    _ => return None,
                };
                self.rest = &self.rest[2..];
            }
            b's' => self.epoch = Some(self.signed(18)?),
            b'U' => self.week = Some((self.number(2, 0, 53)?, 0)),
            b'W' => self.week = Some((self.number(2, 0, 53)?, 1)),
            b'V' => {
                self.number(2, 0, 53)?;
            }
            b'G' => {
                self.number(4, 0, 9999)?;
            }
            b'g' => {
                self.number(2, 0, 99)?;
            }
            b'D' | b'x' => sub(self, "%m/%d/%y")?,
            b'F' => sub(self, "%Y-%m-%d")?,
            b'T' | b'X' => sub(self, "%H:%M:%S")?,
            b'R' => sub(self, "%H:%M")?,
            b'r' => sub(self, "%I:%M:%S %p")?,
            b'c' => sub(self, "%a %b %e %H:%M:%S %Y")?,
            b'z' => {
                self.spaces();
                if let Some(rest) = self.rest.strip_prefix(b"Z") {
                    self.rest = rest;
                } else {
                    // C's `struct tm` of the answer has no place for it: it is only checked.
                    if !matches!(self.rest.first()?, b'+' | b'-') {
                        return None;
                    }
                    self.rest = &self.rest[1..];
                    self.number(2, 0, 24)?;
                    self.rest = self.rest.strip_prefix(b":").unwrap_or(self.rest);
                    if self.rest.first().is_some_and(u8::is_ascii_digit) {
                        self.number(2, 0, 59)?;
                    }
                }
            }
            b'Z' => {
                let len = self.rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
                self.rest = &self.rest[len..];
            }
            _ => return None,
        }
        Some(())
    }
}
