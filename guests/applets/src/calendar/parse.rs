//! Dates as people write them, by the grammar of GNU's manual: items in any order (calendar dates, times of day, zones,
//! days of the week, relative items, plain numbers), each kind but the relative ones at most once.

use super::words::{Number, Token, Unit, tokens};
use super::{Moment, Zone, days_from_civil};
use capsule_sys::Time;

/// What was read so far. Everything begins as now.
struct Items {
    year: Number,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: u32,
    afternoon: Option<bool>,
    /// East of Greenwich in seconds.
    zone: i64,
    local_summer: bool,
    weekday: (u32, i64),
    months: i64,
    days: i64,
    seconds: i64,
    more_nanos: i64,
    // How often each kind was seen.
    dates: u32,
    times: u32,
    weekdays: u32,
    zones: u32,
    local_zones: u32,
    summers: u32,
    relative: bool,
}

/// The time that `text` means at `now`; none when it means nothing.
pub fn parse(text: &[u8], now: Time, zone: &Zone) -> Option<Time> {
    let text = std::str::from_utf8(text).ok()?.trim_start();
    let (mut zone, mut text) = (zone.clone(), text);
    if let Some(rest) = text.strip_prefix("TZ=\"") {
        let mut name = String::new();
        let mut chars = rest.chars();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => name.push(chars.next().filter(|c| matches!(c, '"' | '\\'))?),
                c => name.push(c),
            }
        }
        (zone, text) = (Zone::named(name.as_bytes()), chars.as_str());
    }
    let here = zone.at(now.sec);
    // The other half of the year may have another name.
    let mut names = vec![(here.name.clone(), here.summer)];
    for quarter in 1..=3 {
        let there = zone.at(now.sec + quarter * 90 * 86_400);
        if there.summer != here.summer && names.len() == 1 {
            names.push((there.name, there.summer));
        }
    }
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('@') {
        return match tokens(rest, &[])?.as_slice() {
            [Token::Unsigned(n) | Token::Signed(n, _)] => Some(Time { sec: n.value, nsec: 0 }),
            [Token::Decimal(sec, nsec, _)] => Some(Time { sec: *sec, nsec: *nsec }),
            _ => None,
        };
    }
    let all = tokens(text, &names)?;
    let moment = Moment::new(now.sec, now.nsec, &zone);
    let mut items = Items::new(&moment);
    let mut rest = all.as_slice();
    while !rest.is_empty() {
        let used = items.item(rest)?;
        rest = &rest[used..];
    }
    items.finish(&zone, here.summer)
}

impl Items {
    fn new(now: &Moment) -> Items {
        Items {
            year: Number { value: now.year, digits: 0 },
            month: now.month.into(),
            day: now.day.into(),
            hour: now.hour.into(),
            minute: now.minute.into(),
            second: now.second.into(),
            nanos: now.nanos,
            afternoon: None,
            zone: 0,
            local_summer: false,
            weekday: (0, 0),
            months: 0,
            days: 0,
            seconds: 0,
            more_nanos: 0,
            dates: 0,
            times: 0,
            weekdays: 0,
            zones: 0,
            local_zones: 0,
            summers: 0,
            relative: false,
        }
    }

    /// One item at the front; how many tokens it took.
    fn item(&mut self, tokens: &[Token]) -> Option<usize> {
        use Token::{
            Day, Decimal, Half, LocalZone, Mark, Month, Ordinal, Shift, Signed, Summer, SummerZone, T, Unsigned,
        };
        match tokens {
            [Unsigned(hour), Half(late), ..] => {
                self.set_time(hour.value, 0, 0, 0, Some(*late));
                Some(2)
            }
            [Unsigned(_), Mark(':'), ..] => self.time(tokens),
            [Unsigned(a), Mark('/'), Unsigned(b), rest @ ..] => match rest {
                [Mark('/'), Unsigned(c), ..] if a.digits >= 4 => self.set_date(Some(*a), b.value, c.value, 5),
                [Mark('/'), Unsigned(c), ..] => self.set_date(Some(*c), a.value, b.value, 5),
                [Mark('/'), ..] => None,
                _ => self.set_date(None, a.value, b.value, 3),
            },
            // 2020-01-31: what looks like signs are dashes.
            [Unsigned(year), Signed(month, true), Signed(day, true), rest @ ..] => {
                self.set_date(Some(*year), -month.value, -day.value, 3)?;
                match rest {
                    [T, Unsigned(_), ..] => Some(4 + self.time(&rest[1..])?),
                    [T, ..] => None,
                    _ => Some(3),
                }
            }
            // Digits, then a relative item.
            [Unsigned(number), Signed(n, _), Token::Unit(unit), ..] => {
                self.digits(*number);
                self.add(*unit, n.value, 0)?;
                Some(3)
            }
            [Unsigned(_), Signed(..), ..] => self.time(tokens),
            [Unsigned(day), Month(month), rest @ ..] => match rest {
                // `17-Jun-1992`, and so `6 May +7 days` is a day of the year 7.
                [Signed(year, _), ..] => {
                    let year = Number { value: year.value.saturating_abs(), ..*year };
                    self.set_date(Some(year), i64::from(*month), day.value, 3)
                }
                [Unsigned(year), ..] => self.set_date(Some(*year), i64::from(*month), day.value, 3),
                _ => self.set_date(None, i64::from(*month), day.value, 2),
            },
            [Month(month), Signed(day, true), Signed(year, true), ..] => {
                let year = Number { value: -year.value, ..*year };
                self.set_date(Some(year), i64::from(*month), -day.value, 3)
            }
            [Month(month), Unsigned(day), Mark(','), Unsigned(year), ..] => {
                self.set_date(Some(*year), i64::from(*month), day.value, 4)
            }
            [Month(_), Unsigned(_), Mark(','), ..] => None,
            [Month(month), Unsigned(day), ..] => self.set_date(None, i64::from(*month), day.value, 2),
            [Unsigned(Number { value: n, .. }) | Ordinal(n), Day(day), ..] => self.set_weekday(*day, *n, 2),
            [Day(day), Mark(','), ..] => self.set_weekday(*day, 0, 2),
            [Day(day), ..] => self.set_weekday(*day, 0, 1),
            [
                Unsigned(Number { value: n, .. }) | Ordinal(n) | Signed(Number { value: n, .. }, _),
                Token::Unit(unit),
                rest @ ..,
            ] => self.relative(*unit, *n, 0, rest).map(|used| used + 2),
            [Token::Unit(unit), rest @ ..] => self.relative(*unit, 1, 0, rest).map(|used| used + 1),
            [Decimal(seconds, nanos, _), Token::Unit(Unit::Seconds(1)), rest @ ..] => {
                self.relative(Unit::Seconds(1), *seconds, (*nanos).into(), rest).map(|used| used + 2)
            }
            [Shift(days), ..] => {
                self.relative = true;
                self.days = self.days.checked_add(*days)?;
                Some(1)
            }
            [Unsigned(number), ..] => {
                self.digits(*number);
                Some(1)
            }
            [LocalZone(_), Summer, ..] => {
                (self.local_summer, self.local_zones) = (true, self.local_zones + 1);
                Some(2)
            }
            [LocalZone(summer), ..] => {
                (self.local_summer, self.local_zones) = (*summer, self.local_zones + 1);
                Some(1)
            }
            [Summer, ..] => {
                (self.local_summer, self.local_zones, self.summers) = (true, self.local_zones + 1, self.summers + 1);
                Some(1)
            }
            [T, rest @ ..] => self.named_zone(-7 * 3600, rest),
            [Token::Zone(seconds), rest @ ..] => self.named_zone(*seconds, rest),
            [SummerZone(seconds), ..] => {
                (self.zone, self.zones) = (seconds + 3600, self.zones + 1);
                Some(1)
            }
            _ => None,
        }
    }

    fn named_zone(&mut self, seconds: i64, rest: &[Token]) -> Option<usize> {
        self.zones += 1;
        self.zone = seconds;
        match rest {
            [Token::Summer, ..] => {
                self.zone += 3600;
                Some(2)
            }
            [Token::Signed(n, _), Token::Unit(unit), ..] => {
                self.add(*unit, n.value, 0)?;
                Some(3)
            }
            [Token::Signed(..), ..] => {
                let (offset, used) = offset(rest)?;
                self.zone += offset;
                Some(1 + used)
            }
            _ => Some(1),
        }
    }

    fn set_weekday(&mut self, day: u32, ordinal: i64, used: usize) -> Option<usize> {
        self.weekdays += 1;
        self.weekday = (day, ordinal);
        Some(used)
    }

    fn set_date(&mut self, year: Option<Number>, month: i64, day: i64, used: usize) -> Option<usize> {
        self.dates += 1;
        (self.month, self.day) = (month, day);
        if let Some(year) = year {
            self.year = year;
        }
        Some(used)
    }

    fn set_time(&mut self, hour: i64, minute: i64, second: i64, nanos: u32, afternoon: Option<bool>) {
        self.times += 1;
        (self.hour, self.minute, self.second, self.nanos) = (hour, minute, second, nanos);
        self.afternoon = afternoon;
    }

    /// `10:00`, `10:00:30.5`, with `am`, `pm` or a zone behind; `10 +02`.
    fn time(&mut self, tokens: &[Token]) -> Option<usize> {
        use Token::{Decimal, Half, Mark, Signed, Unsigned};
        let [Unsigned(hour), rest @ ..] = tokens else { return None };
        let mut used = 1;
        let (mut minute, mut second, mut nanos) = (0, 0, 0);
        let mut rest = rest;
        if let [Mark(':'), Unsigned(m), tail @ ..] = rest {
            (minute, used, rest) = (m.value, used + 2, tail);
            match rest {
                [Mark(':'), Unsigned(s), tail @ ..] => (second, used, rest) = (s.value, used + 2, tail),
                [Mark(':'), Decimal(s, n, false), tail @ ..] => {
                    (second, nanos, used, rest) = (*s, *n, used + 2, tail);
                }
                [Mark(':'), ..] => return None,
                _ => {}
            }
            if let [Half(late), ..] = rest {
                self.set_time(hour.value, minute, second, nanos, Some(*late));
                return Some(used + 1);
            }
        } else if !matches!(rest, [Signed(..), ..]) {
            return None;
        }
        self.set_time(hour.value, minute, second, nanos, None);
        if let [Signed(..), ..] = rest {
            let (offset, n) = offset(rest)?;
            (self.zone, self.zones) = (offset, self.zones + 1);
            used += n;
        }
        Some(used)
    }

    /// Digits alone: a year, a date or a time, by what is still missing and how many they are.
    fn digits(&mut self, n: Number) {
        let year_missing = self.dates > 0 && self.year.digits == 0 && !self.relative;
        if year_missing && (self.times > 0 || n.digits > 2) {
            self.year = n;
        } else if n.digits > 4 {
            self.dates += 1;
            (self.day, self.month) = (n.value % 100, n.value / 100 % 100);
            self.year = Number { value: n.value / 10_000, digits: n.digits - 4 };
        } else {
            let (hour, minute) = if n.digits <= 2 { (n.value, 0) } else { (n.value / 100, n.value % 100) };
            self.set_time(hour, minute, 0, 0, None);
        }
    }

    /// A relative item, with `ago` behind it perhaps; how many tokens that took.
    fn relative(&mut self, unit: Unit, count: i64, nanos: i64, rest: &[Token]) -> Option<usize> {
        let (sign, used) = match rest {
            [Token::Ago(sign), ..] => (*sign, 1),
            _ => (1, 0),
        };
        self.add(unit, count.checked_mul(sign)?, nanos * sign)?;
        Some(used)
    }

    fn add(&mut self, unit: Unit, count: i64, nanos: i64) -> Option<()> {
        self.relative = true;
        self.more_nanos += nanos;
        let (total, each) = match unit {
            Unit::Months(each) => (&mut self.months, each),
            Unit::Days(each) => (&mut self.days, each),
            Unit::Seconds(each) => (&mut self.seconds, each),
        };
        *total = total.checked_add(count.checked_mul(each)?)?;
        Some(())
    }

    fn finish(&self, zone: &Zone, summer_now: bool) -> Option<Time> {
        let zones = self.local_zones + self.zones;
        if self.times > 1 || self.dates > 1 || self.weekdays > 1 || self.summers > 1 || zones > 1 {
            return None;
        }
        let mut year = self.year.value;
        if self.year.digits == 2 {
            year += if year < 69 { 2000 } else { 1900 };
        }
        let timed = self.times > 0 || (self.relative && self.dates == 0 && self.weekdays == 0);
        let (hour, minute, second, nanos) = match timed {
            true => (self.hour_of_day()?, self.minute, self.second, self.nanos),
            false => (0, 0, 0, 0),
        };
        // Only numbers of the clock and the calendar; the 31st of April is none.
        if !(0..60).contains(&minute) || !(0..60).contains(&second) || !(1..=12).contains(&self.month) {
            return None;
        }
        let month_days = days_from_months(year, self.month + 1)? - days_from_months(year, self.month)?;
        if !(1..=month_days).contains(&self.day) {
            return None;
        }
        let clock = hour * 3600 + minute * 60 + second;
        let absolute = self.dates + self.weekdays + self.times > 0;
        let summer = match (self.local_zones > 0, absolute) {
            (true, _) => Some(self.local_summer),
            (false, true) => None,
            (false, false) => Some(summer_now),
        };
        let mut days = days_from_months(year, self.month)? + self.day - 1;
        let mut start = to_utc_in(days.checked_mul(86_400)?.checked_add(clock)?, zone, summer, 0);
        // A zone that has no summer time, or none then.
        if self.local_zones > 0 && zone.at(start).summer != self.local_summer {
            return None;
        }
        // A time that the clock skips does not exist; another zone has its own clock.
        if self.zones == 0 && start + i64::from(zone.at(start).offset) != days * 86_400 + clock {
            return None;
        }
        if self.weekdays > 0 && self.dates == 0 {
            let today = (days + 4).rem_euclid(7);
            let (wanted, ordinal) = (i64::from(self.weekday.0), self.weekday.1);
            let weeks = ordinal - i64::from(ordinal > 0 && today != wanted);
            days = days.checked_add((wanted - today).rem_euclid(7))?.checked_add(weeks.checked_mul(7)?)?;
            start = to_utc_in(days.checked_mul(86_400)? + clock, zone, None, zone.at(start).offset);
        }
        if self.months != 0 || self.days != 0 {
            let (y, m, d) = super::civil_from_days(days);
            let first = days_from_months(y, i64::from(m).checked_add(self.months)?)?;
            days = first.checked_add(i64::from(d) - 1)?.checked_add(self.days)?;
            start = to_utc_in(days.checked_mul(86_400)?.checked_add(clock)?, zone, summer, zone.at(start).offset);
        }
        if self.zones > 0 {
            start = start.checked_add(i64::from(zone.at(start).offset))?.checked_sub(self.zone)?;
        }
        let nanos = i64::from(nanos) + self.more_nanos;
        let sec = start.checked_add(self.seconds)?.checked_add(nanos.div_euclid(1_000_000_000))?;
        Some(Time { sec, nsec: nanos.rem_euclid(1_000_000_000) as u32 })
    }

    fn hour_of_day(&self) -> Option<i64> {
        match self.afternoon {
            None => (0..24).contains(&self.hour).then_some(self.hour),
            Some(late) => (1..=12).contains(&self.hour).then_some(self.hour % 12 + if late { 12 } else { 0 }),
        }
    }
}

/// Days before a month, which may be beyond its year.
fn days_from_months(year: i64, month: i64) -> Option<i64> {
    let year = year.checked_add((month - 1).div_euclid(12))?;
    // Years whose days fit into 64 bits of seconds.
    if !(-200_000_000_000..200_000_000_000).contains(&year) {
        return None;
    }
    Some(days_from_civil(year, (month - 1).rem_euclid(12) as u32 + 1, 1))
}

/// `+0200`, `-05:30`, `+2`: seconds, and the tokens used.
fn offset(tokens: &[Token]) -> Option<(i64, usize)> {
    let [Token::Signed(n, negative), rest @ ..] = tokens else { return None };
    let (minutes, used) = match rest {
        [Token::Mark(':'), Token::Unsigned(m), ..] => (n.value * 60 + if *negative { -m.value } else { m.value }, 3),
        [Token::Mark(':'), ..] => return None,
        _ if n.digits <= 2 => (n.value * 60, 1),
        _ => (n.value / 100 * 60 + n.value % 100, 1),
    };
    (-24 * 60..=24 * 60).contains(&minutes).then_some((minutes * 60, used))
}

/// Local time to UTC: the offset that holds at the answer.
pub fn to_utc(local: i64, zone: &Zone) -> i64 {
    to_utc_in(local, zone, None, 0)
}

/// Local time to UTC; none for a time that the clock left out.
pub fn to_utc_existing(local: i64, zone: &Zone) -> Option<i64> {
    let answer = to_utc(local, zone);
    (answer.saturating_add(zone.at(answer).offset.into()) == local).then_some(answer)
}

/// How often an answer is tried; the second try is right but for hours that a change of clocks repeats or leaves out.
const TRIES: u32 = 6;

/// As [`to_utc`]; with `summer`, the time is one of the summer's clock, or not, whatever holds then. Of two answers (the
/// clock was set back) it is the one that the offset `guess` leads to, as in the C library, whose first guess is UTC.
fn to_utc_in(local: i64, zone: &Zone, summer: Option<bool>, guess: i32) -> i64 {
    let mut answer = local.saturating_sub(guess.into());
    let (mut tries, mut before) = (0, answer);
    loop {
        let better = local.saturating_sub(zone.at(answer).offset.into());
        if better == answer {
            break;
        }
        if tries == TRIES {
            // Left out by the clock: the offset before the change counts.
            answer = answer.max(before);
            break;
        }
        (before, answer, tries) = (answer, better, tries + 1);
    }
    let Some(summer) = summer.filter(|s| *s != zone.at(answer).summer) else { return answer };
    // The nearest stretch of the kind that was asked for tells its offset.
    for step in 1..=52 {
        for away in [-step, step] {
            let there = zone.at(answer.saturating_add(away * 7 * 86_400));
            if there.summer == summer {
                return local.saturating_sub(there.offset.into());
            }
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2023-11-14 22:13:20, a Tuesday.
    const NOW: Time = Time { sec: 1_700_000_000, nsec: 0 };

    fn show(text: &str) -> String {
        match parse(text.as_bytes(), NOW, &Zone::utc()) {
            Some(t) => String::from_utf8_lossy(&Moment::new(t.sec, t.nsec, &Zone::utc()).format(b"%F %T")).into_owned(),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn dates() {
        for (text, want) in [
            ("2020-01-31", "2020-01-31 00:00:00"),
            ("2020-01-31 12:34:56.5", "2020-01-31 12:34:56"),
            ("2020-01-31T12:34:56Z", "2020-01-31 12:34:56"),
            ("2020-01-31 12:00 +0200", "2020-01-31 10:00:00"),
            ("1 Jan 2020", "2020-01-01 00:00:00"),
            ("Jan 1 2020 3pm", "2020-01-01 15:00:00"),
            ("Jan 1, 2020 10:00", "2020-01-01 10:00:00"),
            ("20200131", "2020-01-31 00:00:00"),
            ("@86400", "1970-01-02 00:00:00"),
            ("now", "2023-11-14 22:13:20"),
            ("yesterday", "2023-11-13 22:13:20"),
            ("2 days ago", "2023-11-12 22:13:20"),
            ("+1 week", "2023-11-21 22:13:20"),
            ("next month", "2023-12-14 22:13:20"),
            ("friday", "2023-11-17 00:00:00"),
            ("next friday", "2023-11-17 00:00:00"),
            ("last friday", "2023-11-10 00:00:00"),
            ("2020-02-28 + 2 days", "2020-03-01 00:00:00"),
            ("10:30", "2023-11-14 10:30:00"),
            ("monday 3 days", "2023-11-23 00:00:00"),
            ("Jan-5-2020", "2020-01-05 00:00:00"),
            ("2020-01-05 10:00 +2 hours", "2020-01-05 09:00:00"),
            ("2020-01-05 (a (nested) comment) 10:00", "2020-01-05 10:00:00"),
            ("10:00:60", "none"),
            ("2020-01-05T10", "none"),
            ("5 Jan 10:00", "none"),
            ("ago", "none"),
            ("nonsense", "none"),
            ("2020-13-01", "none"),
        ] {
            assert_eq!(show(text), want, "{text}");
        }
    }
}
