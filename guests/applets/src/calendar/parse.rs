//! Dates as people write them, after GNU's `parse_datetime`: ISO dates and times, month and day names, `@seconds`,
//! relative items (`2 days ago`, `next friday`, `yesterday`), zones.

use super::words::{ORDINALS, Token, is_unit, month, tokens, weekday, zone_hours};
use super::{Moment, Zone, days_from_civil};
use capsule_sys::Time;

/// What was read so far.
#[derive(Default)]
struct Items {
    date: Option<(i64, u32, u32)>,
    /// Nanoseconds since midnight.
    time: Option<u64>,
    /// East of Greenwich in seconds.
    zone: Option<i64>,
    /// Which weekday, and how many weeks on.
    weekday: Option<(u32, i64)>,
    months: i64,
    days: i64,
    seconds: i64,
    nanos: i64,
    relative: bool,
}

/// The time that `text` means at `now`; none when it means nothing.
pub fn parse(text: &[u8], now: Time, zone: &Zone) -> Option<Time> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if let Some(seconds) = text.strip_prefix('@') {
        return epoch(seconds);
    }
    let (mut zone, mut text) = (zone.clone(), text);
    if let Some(rest) = text.strip_prefix("TZ=\"") {
        let (name, rest) = rest.split_once('"')?;
        (zone, text) = (Zone::named(name.as_bytes()), rest);
    }
    let mut items = Items::default();
    let tokens = tokens(&text.to_ascii_lowercase())?;
    let mut rest = tokens.as_slice();
    while !rest.is_empty() {
        let used = items.item(rest)?;
        rest = &rest[used..];
    }
    items.finish(now, &zone)
}

fn epoch(text: &str) -> Option<Time> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let sec: i64 = whole.trim().parse().ok()?;
    let nsec = nanos(fraction)?;
    let negative = whole.trim().starts_with('-') && nsec > 0;
    Some(if negative { Time { sec: sec - 1, nsec: 1_000_000_000 - nsec } } else { Time { sec, nsec } })
}

/// Digits behind a point as nanoseconds.
fn nanos(digits: &str) -> Option<u32> {
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    format!("{digits:0<9}")[..9].parse().ok()
}

impl Items {
    /// One item at the front; how many tokens it took.
    fn item(&mut self, tokens: &[Token]) -> Option<usize> {
        use Token::{Gap, Mark, Number, Word};
        match tokens {
            [Gap | Mark(','), ..] => Some(1),
            // 2020-01-31, 1/31/2020, 2020/1/31, 31-jan-2020
            [Number(y), Mark('-'), Number(m), Mark('-'), Number(d), rest @ ..] => {
                self.set_date(year(y)?, m.parse().ok()?, d.parse().ok()?)?;
                // A T between date and time joins them.
                Some(if matches!(rest, [Word(t), Number(_), Mark(':'), ..] if t == "t") { 6 } else { 5 })
            }
            [Number(a), Mark('/'), Number(b), Mark('/'), Number(c), ..] => {
                let (y, m, d) = if a.len() >= 4 { (a, b, c) } else { (c, a, b) };
                self.set_date(year(y)?, m.parse().ok()?, d.parse().ok()?)?;
                Some(5)
            }
            [Number(m), Mark('/'), Number(d), ..] => {
                self.set_date(i64::MIN, m.parse().ok()?, d.parse().ok()?)?;
                Some(3)
            }
            [Number(d), Mark('-'), Word(m), Mark('-'), Number(y), ..] if month(m).is_some() => {
                self.set_date(year(y)?, month(m)?, d.parse().ok()?)?;
                Some(5)
            }
            [Number(h), Mark(':'), Number(m), rest @ ..] => {
                let (mut used, mut second, mut nano) = (3, 0, 0);
                let mut rest = rest;
                if let [Mark(':'), Number(s), more @ ..] = rest {
                    (second, used, rest) = (s.parse().ok()?, used + 2, more);
                    if let [Mark('.' | ','), Number(f), more @ ..] = rest {
                        (nano, used, rest) = (nanos(f)?, used + 2, more);
                    }
                }
                let (hour, more) = half_day(h.parse().ok()?, rest)?;
                self.set_time(hour, m.parse().ok()?, second, nano)?;
                used += more;
                if let Some((offset, n)) = numeric_zone(&rest[more..]) {
                    self.zone = Some(offset);
                    used += n;
                }
                Some(used)
            }
            // 3pm
            [Number(h), rest @ ..] if matches!(half_day(1, rest), Some((_, 1..))) => {
                let (hour, used) = half_day(h.parse().ok()?, rest)?;
                self.set_time(hour, 0, 0, 0)?;
                Some(1 + used)
            }
            [Number(d), rest @ ..] if named_month(rest).is_some() => {
                let (m, used) = named_month(rest)?;
                let (y, more) = following_year(&rest[used..]);
                self.set_date(y?, m, d.parse().ok()?)?;
                Some(1 + used + more)
            }
            [Word(m), rest @ ..] if month(m).is_some() => {
                let gap = usize::from(matches!(rest, [Gap, ..]));
                let Some(Number(d)) = rest.get(gap) else { return None };
                let (y, more) = following_year(&rest[gap + 1..]);
                self.set_date(y?, month(m)?, d.parse().ok()?)?;
                Some(2 + gap + more)
            }
            [Mark(sign @ ('+' | '-')), rest @ ..] => {
                let gap = usize::from(matches!(rest, [Gap, ..]));
                let Some(Number(n)) = rest.get(gap) else { return None };
                let n: i64 = n.parse().ok()?;
                let n = if *sign == '-' { -n } else { n };
                self.relative(n, &rest[gap + 1..]).map(|used| used + 2 + gap)
            }
            [Number(n), rest @ ..] => match self.relative(n.parse().ok()?, rest) {
                Some(used) => Some(1 + used),
                None => self.bare(n),
            },
            [Word(word), rest @ ..] => self.word(word, rest),
            _ => None,
        }
    }

    /// Digits alone: a date as 20200131, else a time as 1530.
    fn bare(&mut self, digits: &str) -> Option<usize> {
        if let (Some((i64::MIN, month, day)), Some(_)) = (self.date, self.time) {
            // `Mar 4 05:06:07 2020`
            self.date = Some((year(digits)?, month, day));
        } else if digits.len() >= 8 && self.date.is_none() {
            let (y, md) = digits.split_at(digits.len() - 4);
            self.set_date(y.parse().ok()?, md[..2].parse().ok()?, md[2..].parse().ok()?)?;
        } else if digits.len() <= 2 {
            self.set_time(digits.parse().ok()?, 0, 0, 0)?;
        } else if digits.len() <= 4 {
            let (h, m) = digits.split_at(digits.len() - 2);
            self.set_time(h.parse().ok()?, m.parse().ok()?, 0, 0)?;
        } else {
            return None;
        }
        Some(1)
    }

    fn word(&mut self, word: &str, rest: &[Token]) -> Option<usize> {
        match word {
            "now" | "today" => self.relative = true,
            "yesterday" => (self.days, self.relative) = (self.days - 1, true),
            "tomorrow" => (self.days, self.relative) = (self.days + 1, true),
            "noon" => self.set_time(12, 0, 0, 0)?,
            "midnight" => self.set_time(0, 0, 0, 0)?,
            "ago" | "dst" => {}
            "next" | "last" | "this" => {
                let n = match word {
                    "next" => 1,
                    "last" => -1,
                    _ => 0,
                };
                let gap = usize::from(matches!(rest, [Token::Gap, ..]));
                if let Some(Token::Word(day)) = rest.get(gap)
                    && let Some(day) = weekday(day)
                {
                    self.weekday = Some((day, n));
                    return Some(gap + 2);
                }
                return self.relative(n, rest).map(|used| used + 1);
            }
            _ => {
                if let Some(day) = weekday(word) {
                    self.weekday = Some((day, 0));
                } else if let Some(n) = ORDINALS.iter().position(|o| !o.is_empty() && *o == word) {
                    return self.relative(n as i64 + 1, rest).map(|used| used + 1);
                } else if let Some(hours) = zone_hours(word) {
                    self.zone = Some((hours * 3600.0) as i64);
                    if let Some((offset, used)) = numeric_zone(rest) {
                        self.zone = self.zone.map(|zone| zone + offset);
                        return Some(1 + used);
                    }
                } else {
                    return self.relative(1, &[&[Token::Word(word.to_owned())], rest].concat());
                }
            }
        }
        Some(1)
    }

    /// A unit behind a number, and `ago` behind that.
    fn relative(&mut self, n: i64, tokens: &[Token]) -> Option<usize> {
        let gap = usize::from(matches!(tokens, [Token::Gap, ..]));
        let Some(Token::Word(unit)) = tokens.get(gap) else { return None };
        let mut used = gap + 1;
        let after = &tokens[used..];
        let ago_gap = usize::from(matches!(after, [Token::Gap, ..]));
        let mut n = n;
        if matches!(after.get(ago_gap), Some(Token::Word(w)) if w == "ago") {
            n = n.checked_neg()?;
            used += ago_gap + 1;
        }
        let unit = if unit.len() > 3 { unit.strip_suffix('s').unwrap_or(unit) } else { unit };
        match unit {
            "year" => self.months += n.checked_mul(12)?,
            "month" => self.months += n,
            "fortnight" => self.days += n.checked_mul(14)?,
            "week" => self.days += n.checked_mul(7)?,
            "day" => self.days += n,
            "hour" => self.seconds += n.checked_mul(3600)?,
            "minute" | "min" => self.seconds += n.checked_mul(60)?,
            "second" | "sec" => self.seconds += n,
            _ => return None,
        }
        self.relative = true;
        Some(used)
    }

    fn set_date(&mut self, year: i64, month: u32, day: u32) -> Option<()> {
        let good = self.date.is_none() && (1..=12).contains(&month) && (1..=31).contains(&day);
        self.date = Some((year, month, day));
        good.then_some(())
    }

    fn set_time(&mut self, hour: u32, minute: u32, second: u32, nano: u32) -> Option<()> {
        let good = self.time.is_none() && hour < 24 && minute < 60 && second <= 60;
        let seconds = u64::from(hour) * 3600 + u64::from(minute) * 60 + u64::from(second);
        self.time = Some(seconds * 1_000_000_000 + u64::from(nano));
        good.then_some(())
    }

    fn finish(self, now: Time, zone: &Zone) -> Option<Time> {
        let fixed = self.zone.map(|offset| Moment::new(now.sec + offset, now.nsec, &Zone::utc()));
        let today = fixed.unwrap_or_else(|| Moment::new(now.sec, now.nsec, zone));
        let (mut year, mut month, day) = self.date.unwrap_or((today.year, today.month, today.day));
        if year == i64::MIN {
            year = today.year;
        }
        if day > days_in(year, month) {
            return None;
        }
        // A date or a weekday alone means its midnight; relative items alone keep the time of day.
        let keeps_time = self.date.is_none() && self.weekday.is_none() && (self.relative || self.zone.is_none());
        let in_day = match self.time {
            Some(nanos) => nanos as i64,
            None if keeps_time && self.relative => {
                let seconds = today.hour * 3600 + today.minute * 60 + today.second;
                i64::from(seconds) * 1_000_000_000 + i64::from(today.nanos)
            }
            None => 0,
        };
        let total = i64::from(month) - 1 + self.months;
        year += total.div_euclid(12);
        month = total.rem_euclid(12) as u32 + 1;
        // A day the month does not have runs over into the next one.
        let mut days = days_from_civil(year, month, 1) + i64::from(day) - 1 + self.days;
        if let Some((weekday, weeks)) = self.weekday
            && self.date.is_none()
        {
            let current = (days + 4).rem_euclid(7);
            let ahead = (i64::from(weekday) - current).rem_euclid(7);
            days += ahead + 7 * (weeks - i64::from(weeks > 0 && ahead > 0));
        }
        let local = days.checked_mul(86_400)?.checked_add(in_day.div_euclid(1_000_000_000))?;
        let nsec = in_day.rem_euclid(1_000_000_000) + self.nanos;
        let seconds = match self.zone {
            Some(offset) => local - offset,
            None => to_utc(local, zone),
        };
        Some(Time { sec: seconds.checked_add(self.seconds)?, nsec: nsec as u32 })
    }
}

/// Local time to UTC: the offset that holds at the answer.
pub fn to_utc(local: i64, zone: &Zone) -> i64 {
    let guess = local - i64::from(zone.at(local).0);
    local - i64::from(zone.at(guess).0)
}

fn days_in(year: i64, month: u32) -> u32 {
    let next = if month == 12 { days_from_civil(year + 1, 1, 1) } else { days_from_civil(year, month + 1, 1) };
    (next - days_from_civil(year, month, 1)) as u32
}

/// Two digits are a year of 1969 to 2068.
fn year(text: &str) -> Option<i64> {
    let value: i64 = text.parse().ok()?;
    Some(match text.len() {
        0..=2 if value < 69 => value + 2000,
        0..=2 => value + 1900,
        _ => value,
    })
}

fn named_month(tokens: &[Token]) -> Option<(u32, usize)> {
    let gap = usize::from(matches!(tokens, [Token::Gap | Token::Mark('-'), ..]));
    match tokens.get(gap) {
        Some(Token::Word(word)) => month(word).map(|m| (m, gap + 1)),
        _ => None,
    }
}

/// A year behind a date; this year when none follows. A time may follow instead.
fn following_year(tokens: &[Token]) -> (Option<i64>, usize) {
    let skip = tokens.iter().take_while(|t| matches!(t, Token::Gap | Token::Mark(','))).count();
    match &tokens[skip..] {
        [Token::Number(y), Token::Mark(':'), ..] if y.len() <= 2 => (Some(i64::MIN), 0),
        [Token::Number(y), ..] if y.len() == 4 || y.len() == 2 => (year(y), skip + 1),
        _ => (Some(i64::MIN), 0),
    }
}

/// `am` or `pm` behind an hour: the hour of the day and the tokens used.
fn half_day(hour: u32, tokens: &[Token]) -> Option<(u32, usize)> {
    let gap = usize::from(matches!(tokens, [Token::Gap, ..]));
    let Some(Token::Word(word)) = tokens.get(gap) else { return Some((hour, 0)) };
    let late = match word.as_str() {
        "am" | "a.m" => 0,
        "pm" | "p.m" => 12,
        _ => return Some((hour, 0)),
    };
    (1..=12).contains(&hour).then_some((hour % 12 + late, gap + 1))
}

/// `+0200`, `-05:30`, `+2` behind a time.
fn numeric_zone(tokens: &[Token]) -> Option<(i64, usize)> {
    let gap = usize::from(matches!(tokens, [Token::Gap, ..]));
    let [Token::Mark(sign @ ('+' | '-')), Token::Number(digits), rest @ ..] = tokens.get(gap..)? else { return None };
    let mut used = gap + 2;
    let value: i64 = digits.parse().ok()?;
    let minutes = match (digits.len(), rest) {
        (1 | 2, [Token::Mark(':'), Token::Number(m), ..]) => {
            used += 2;
            value * 60 + m.parse::<i64>().ok()?
        }
        // A unit behind it makes it a relative item instead.
        (1 | 2, [Token::Gap, Token::Word(word), ..] | [Token::Word(word), ..]) if is_unit(word) => return None,
        (1 | 2, _) => value * 60,
        (3 | 4, _) => value / 100 * 60 + value % 100,
        _ => return None,
    };
    Some((if *sign == '-' { -minutes } else { minutes } * 60, used))
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
            ("nonsense", "none"),
            ("2020-13-01", "none"),
        ] {
            assert_eq!(show(text), want, "{text}");
        }
    }
}
