//! Dates as people write them, by the grammar of GNU's manual: items in any order (calendar dates, times of day, zones,
//! days of the week, relative items, plain numbers), each kind but the relative ones at most once.

use super::explain::{Told, clock, zone_text};
use super::words::{Number, Token, Unit, tokens};
use super::{Moment, Zone, days_from_civil};
use capsule_sys::Time;

/// How far away from a date: each unit is counted by itself.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Relative {
    pub years: i64,
    pub months: i64,
    pub days: i64,
    pub hours: i64,
    pub minutes: i64,
    pub seconds: i64,
    pub nanos: i64,
}

/// What was read so far. Everything begins as now.
pub struct Items {
    pub year: Number,
    pub year_seen: bool,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    pub nanos: u32,
    pub afternoon: Option<bool>,
    /// East of Greenwich in seconds.
    pub zone: i64,
    pub local_summer: bool,
    pub weekday: (u32, i64),
    /// The day of the week was counted: `next monday`.
    pub ordinal: bool,
    pub away: Relative,
    // How often each kind was seen.
    pub dates: u32,
    pub times: u32,
    pub weekdays: u32,
    pub zones: u32,
    pub local_zones: u32,
    pub summers: u32,
    pub relative: bool,
    /// What the last item was, and what is to be told before it.
    pub kind: &'static str,
    pub notes: Vec<String>,
}

/// The zone that dates are in, and where it is from, for those who want to know.
pub struct In<'a> {
    pub zone: &'a Zone,
    /// The value of `TZ`; none: the system's zone.
    pub name: Option<&'a str>,
}

/// The time that `text` means at `now`; none when it means nothing.
pub fn parse(text: &[u8], now: Time, zone: &Zone) -> Option<Time> {
    parse_telling(text, now, In { zone, name: None }, &mut |_| {})
}

/// As [`parse`], and tells each step.
pub fn parse_telling(text: &[u8], now: Time, place: In, tell: &mut dyn FnMut(&str)) -> Option<Time> {
    let text = std::str::from_utf8(text).ok()?.trim_start();
    let (mut zone, mut text) = (place.zone.clone(), text);
    let mut written = None;
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
        written = Some(name);
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
    // Nothing at all is midnight.
    let text = if text.is_empty() { "0" } else { text };
    let zone_source = match (&written, place.name) {
        (Some(name), _) => format!("TZ=\"{name}\" in date string"),
        (None, Some("UTC0")) => "TZ=\"UTC0\" environment value or -u".to_owned(),
        (None, Some(name)) => format!("TZ=\"{name}\" environment value"),
        (None, None) => "system default".to_owned(),
    };
    let time = match text.strip_prefix('@') {
        Some(seconds) => since_epoch(seconds, tell)?,
        None => {
            let moment = Moment::new(now.sec, now.nsec, &zone);
            let items = read_items(text, &names, &moment, tell)?;
            tell(&format!("input timezone: {}", items.zone_source(&zone_source)));
            items.finish(&zone, here.summer, tell)?
        }
    };
    tell(&match written.as_deref().or(place.name) {
        None => "timezone: system default".to_owned(),
        Some("UTC0") => "timezone: Universal Time".to_owned(),
        Some(name) => format!("timezone: TZ=\"{name}\" environment value"),
    });
    tell(&format!("final: {}.{:09} (epoch-seconds)", time.sec, time.nsec));
    if !Moment::new(time.sec, 0, &zone).is_in_range() {
        return Some(time);
    }
    tell(&format!("final: {} (UTC)", clock(&Moment::new(time.sec, 0, &Zone::utc()), None)));
    let offset = zone.at(time.sec).offset;
    tell(&format!("final: {} (UTC{})", clock(&Moment::new(time.sec, 0, &zone), None), zone_text(offset.into())));
    Some(time)
}

/// `@SECONDS`
fn since_epoch(text: &str, tell: &mut dyn FnMut(&str)) -> Option<Time> {
    let tokens = tokens(text, &[]);
    let time = match tokens.all.first() {
        Some(Token::Unsigned(n) | Token::Signed(n, _)) => Time { sec: n.value, nsec: 0 },
        Some(Token::Decimal(sec, nsec, _)) => Time { sec: *sec, nsec: *nsec },
        _ => {
            tell("error: parsing failed");
            return None;
        }
    };
    tell(&format!("parsed number of seconds part: number of seconds: {}", time.sec));
    if tokens.all.len() > 1 {
        match &text[tokens.ends[1]..] {
            "" => tell("error: parsing failed"),
            left => tell(&format!("error: parsing failed, stopped at '{left}'")),
        }
        return None;
    }
    tell("input timezone: '@timespec' - always UTC");
    Some(time)
}

fn read_items(text: &str, names: &[(String, bool)], now: &Moment, tell: &mut dyn FnMut(&str)) -> Option<Items> {
    let tokens = tokens(text, names);
    let mut unknown = tokens.unknown.as_ref();
    let (mut items, mut told) = (Items::new(now), Told::default());
    let mut at = 0;
    while at < tokens.all.len() {
        let rest = &tokens.all[at..];
        let used = items.item(rest);
        // Most items end where the next word is known; that an hour or a day away does is known by itself.
        let looks_ahead = used.is_none_or(|used| {
            rest.get(used) == Some(&Token::Unknown) && !matches!(rest[used - 1], Token::Shift(_) | Token::Ago(_))
        });
        if let Some(word) = unknown.filter(|_| looks_ahead) {
            tell(&format!("error: unknown word '{word}'"));
            unknown = None;
        }
        let Some(used) = used else {
            let left = tokens.ends.get(at + offending(rest)).map_or("", |end| &text[*end..]);
            match left.is_empty() {
                true => tell("error: parsing failed"),
                false => tell(&format!("error: parsing failed, stopped at '{left}'")),
            }
            return None;
        };
        for note in items.notes.drain(..) {
            tell(&note);
        }
        tell(&told.part(&items));
        at += used;
    }
    Some(items)
}

/// Which of the tokens is the one that no item goes on with.
fn offending(tokens: &[Token]) -> usize {
    use Token::{Decimal, Mark, Month, Ordinal, Signed, T, Unsigned};
    match tokens {
        [Decimal(..) | Signed(..) | Ordinal(_) | Month(_), ..] => 1,
        [Unsigned(_), Signed(..), Signed(..), T, ..] => 4,
        [Unsigned(_), Mark(mark @ (':' | '/')), ..] => {
            let fits = |(at, token): &(usize, &Token)| match token {
                Unsigned(_) => at % 2 == 0,
                Mark(m) => at % 2 == 1 && m == mark,
                // A zone that is too far away: all of it was read.
                Signed(..) => true,
                _ => false,
            };
            tokens.iter().enumerate().take_while(fits).count()
        }
        _ => 0,
    }
}

impl Items {
    fn new(now: &Moment) -> Items {
        Items {
            year: Number { value: now.year, digits: 0 },
            year_seen: false,
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
            ordinal: false,
            away: Relative::default(),
            dates: 0,
            times: 0,
            weekdays: 0,
            zones: 0,
            local_zones: 0,
            summers: 0,
            relative: false,
            kind: "",
            notes: Vec::new(),
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
                [Mark('/'), Unsigned(c), ..] if a.digits >= 4 => {
                    let text = format!("warning: value {} has {} digits. Assuming YYYY/MM/DD", a.value, a.digits);
                    self.notes.push(text);
                    self.set_date(Some(*a), b.value, c.value, 5)
                }
                [Mark('/'), Unsigned(c), ..] => {
                    let text = "has less than 4 digits. Assuming MM/DD/YY[YY]";
                    self.notes.push(format!("warning: value {} {text}", a.value));
                    self.set_date(Some(*c), a.value, b.value, 5)
                }
                [Mark('/'), ..] => None,
                _ => self.set_date(None, a.value, b.value, 3),
            },
            [Unsigned(_), Mark('/'), ..] => None,
            // 2020-01-31: what looks like signs are dashes.
            [Unsigned(year), Signed(month, true), Signed(day, true), rest @ ..] => {
                self.set_date(Some(*year), -month.value, -day.value, 3)?;
                match rest {
                    [T, Unsigned(_), ..] => {
                        let used = 4 + self.time(&rest[1..])?;
                        self.kind = "datetime";
                        Some(used)
                    }
                    [T, ..] => None,
                    _ => Some(3),
                }
            }
            // Digits, then a relative item.
            [Unsigned(number), Signed(n, _), Token::Unit(unit), ..] => {
                self.digits(*number);
                self.add(*unit, n.value, 0)?;
                self.kind = "hybrid";
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
            [Unsigned(Number { value: n, .. }) | Ordinal(n), Day(day), ..] => {
                self.ordinal = true;
                self.set_weekday(*day, *n, 2)
            }
            [Day(day), Mark(','), ..] => self.set_weekday(*day, 0, 2),
            [Day(day), ..] => self.set_weekday(*day, 0, 1),
            [
                Unsigned(Number { value: n, .. }) | Ordinal(n) | Signed(Number { value: n, .. }, _),
                Token::Unit(unit),
                rest @ ..,
            ] => self.relative(*unit, *n, 0, rest).map(|used| used + 2),
            [Token::Unit(unit), rest @ ..] => self.relative(*unit, 1, 0, rest).map(|used| used + 1),
            [Decimal(seconds, nanos, _), Token::Unit(Unit::Seconds), rest @ ..] => {
                self.relative(Unit::Seconds, *seconds, (*nanos).into(), rest).map(|used| used + 2)
            }
            [Shift(days), ..] => {
                self.add(Unit::Days(1), *days, 0)?;
                Some(1)
            }
            [Unsigned(number), ..] => {
                self.digits(*number);
                Some(1)
            }
            [LocalZone(_), Summer, ..] => {
                self.summers += 1;
                self.set_local_zone(true);
                Some(2)
            }
            [LocalZone(summer), ..] => {
                self.set_local_zone(*summer);
                Some(1)
            }
            [T, rest @ ..] => self.named_zone(-7 * 3600, rest),
            [Token::Zone(seconds), rest @ ..] => self.named_zone(*seconds, rest),
            [SummerZone(seconds), ..] => {
                (self.zone, self.zones, self.kind) = (seconds + 3600, self.zones + 1, "zone");
                Some(1)
            }
            _ => None,
        }
    }

    fn set_local_zone(&mut self, summer: bool) {
        (self.local_summer, self.local_zones, self.kind) = (summer, self.local_zones + 1, "local_zone");
    }

    fn named_zone(&mut self, seconds: i64, rest: &[Token]) -> Option<usize> {
        self.zones += 1;
        self.zone = seconds;
        self.kind = "zone";
        match rest {
            [Token::Summer, ..] => {
                self.zone += 3600;
                Some(2)
            }
            [Token::Signed(n, _), Token::Unit(unit), ..] => {
                self.add(*unit, n.value, 0)?;
                self.notes.push(format!("parsed relative part: {}", self.away));
                self.kind = "zone";
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
        self.kind = "day";
        Some(used)
    }

    fn set_date(&mut self, year: Option<Number>, month: i64, day: i64, used: usize) -> Option<usize> {
        self.dates += 1;
        (self.month, self.day) = (month, day);
        self.kind = "date";
        if let Some(year) = year {
            self.year = year;
        }
        Some(used)
    }

    fn set_time(&mut self, hour: i64, minute: i64, second: i64, nanos: u32, afternoon: Option<bool>) {
        self.times += 1;
        (self.hour, self.minute, self.second, self.nanos) = (hour, minute, second, nanos);
        self.afternoon = afternoon;
        self.kind = "time";
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
            (self.year, self.year_seen) = (n, true);
        } else if n.digits > 4 {
            self.dates += 1;
            (self.day, self.month) = (n.value % 100, n.value / 100 % 100);
            self.year = Number { value: n.value / 10_000, digits: n.digits - 4 };
        } else {
            let (hour, minute) = if n.digits <= 2 { (n.value, 0) } else { (n.value / 100, n.value % 100) };
            self.set_time(hour, minute, 0, 0, None);
        }
        self.kind = "number";
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
        (self.relative, self.kind) = (true, "relative");
        let away = &mut self.away;
        away.nanos += nanos;
        let (total, each) = match unit {
            Unit::Years => (&mut away.years, 1),
            Unit::Months => (&mut away.months, 1),
            Unit::Days(each) => (&mut away.days, each),
            Unit::Hours => (&mut away.hours, 1),
            Unit::Minutes => (&mut away.minutes, 1),
            Unit::Seconds => (&mut away.seconds, 1),
        };
        *total = total.checked_add(count.checked_mul(each)?)?;
        Some(())
    }

    fn finish(&self, zone: &Zone, summer_now: bool, tell: &mut dyn FnMut(&str)) -> Option<Time> {
        let zones = self.local_zones + self.zones;
        let kinds = [
            (self.times, "time"),
            (self.dates, "date"),
            (self.weekdays, "days"),
            (self.summers, "daylight-saving"),
            (zones, "time-zone"),
        ];
        if kinds.iter().any(|kind| kind.0 > 1) {
            for (_, name) in kinds.iter().filter(|kind| kind.0 > 1) {
                tell(&format!("error: seen multiple {name} parts"));
            }
            return None;
        }
        let mut year = self.year.value;
        if self.year.digits == 2 {
            year += if year < 69 { 2000 } else { 1900 };
            tell(&format!("warning: adjusting year value {} to {year}", self.year.value));
        }
        let (hour, minute, second, nanos) = self.time_of_day(tell)?;
        let clock_seconds = hour * 3600 + minute.checked_mul(60)? + second;
        let absolute = self.dates + self.weekdays + self.times > 0;
        let summer = match (self.local_zones > 0, absolute) {
            (true, _) => Some(self.local_summer),
            (false, true) => None,
            (false, false) => Some(summer_now),
        };
        let mut days = days_from_months(year, self.month)?.checked_add(self.day)? - 1;
        let mut start = to_utc_in(days.checked_mul(86_400)?.checked_add(clock_seconds)?, zone, summer, 0);
        let wanted = Moment { year, month: self.month as u32, day: self.day as u32, ..Moment::new(start, 0, zone) };
        let wanted = Moment { hour: hour as u32, minute: minute as u32, second: second as u32, ..wanted };
        // Only numbers of the clock and the calendar; the 31st of April is none.
        let in_range = (0..60).contains(&minute) && (0..60).contains(&second) && self.is_day_of(year)?;
        // A time that the clock skips does not exist; another zone has its own clock.
        let mut skipped = start + i64::from(zone.at(start).offset) != days * 86_400 + clock_seconds;
        let written = Zone::fixed(i32::try_from(self.zone).ok()?, "");
        let zone = if skipped && self.zones > 0 { &written } else { zone };
        if skipped && self.zones > 0 {
            start = days * 86_400 + clock_seconds - self.zone;
            skipped = false;
        }
        // A zone that has no summer time, or none then.
        let out_of_season = self.local_zones > 0 && zone.at(start).summer != self.local_summer;
        if !in_range || skipped || out_of_season {
            super::explain::not_a_time(&wanted, &Moment::new(start, 0, zone), self, tell);
            return None;
        }
        if self.weekdays > 0 && self.dates == 0 {
            let today = (days + 4).rem_euclid(7);
            let (wanted, ordinal) = (i64::from(self.weekday.0), self.weekday.1);
            let weeks = ordinal - i64::from(ordinal > 0 && today != wanted);
            days = days.checked_add((wanted - today).rem_euclid(7))?.checked_add(weeks.checked_mul(7)?)?;
            start = to_utc_in(days.checked_mul(86_400)? + clock_seconds, zone, None, zone.at(start).offset);
            let text = clock(&Moment::new(start, 0, zone), Some(self));
            tell(&format!("new start date: '{}' is '{text}'", super::explain::weekday(self)));
        }
        self.tell_start(&Moment::new(start, 0, zone), tell);
        let away = &self.away;
        if away.years != 0 || away.months != 0 || away.days != 0 {
            let (y, m, d) = super::civil_from_days(days);
            let month = i64::from(m).checked_add(away.months)?.checked_add(away.years.checked_mul(12)?)?;
            let first = days_from_months(y, month)?;
            days = first.checked_add(i64::from(d) - 1)?.checked_add(away.days)?;
            let before = zone.at(start);
            start = to_utc_in(days.checked_mul(86_400)?.checked_add(clock_seconds)?, zone, summer, before.offset);
            let asked = (y.checked_add((month - 1).div_euclid(12))?, (month - 1).rem_euclid(12) + 1, d);
            self.tell_moved(asked, &Moment::new(start, 0, zone), summer.filter(|s| *s != zone.at(start).summer), tell);
        }
        // What is told is the clock of the zone that was written.
        let shown = clock(&Moment::new(start, 0, zone), Some(self));
        let summer_before = zone.at(start).summer;
        if self.zones > 0 {
            start = start.checked_add(i64::from(zone.at(start).offset))?.checked_sub(self.zone)?;
        }
        tell(&format!("'{shown}' = {start} epoch-seconds"));
        let nanos = i64::from(nanos) + away.nanos;
        let sec = start
            .checked_add(away.hours.checked_mul(3600)?)?
            .checked_add(away.minutes.checked_mul(60)?)?
            .checked_add(away.seconds)?
            .checked_add(nanos.div_euclid(1_000_000_000))?;
        if away.hours != 0 || away.minutes != 0 || away.seconds != 0 || away.nanos != 0 {
            tell(&format!(
                "after time adjustment ({:+} hours, {:+} minutes, {:+} seconds, {:+} ns),",
                away.hours, away.minutes, away.seconds, away.nanos
            ));
            tell(&format!("    new time = {sec} epoch-seconds"));
            if zone.at(sec).summer != summer_before {
                tell("warning: daylight saving time changed after time adjustment");
            }
        }
        Some(Time { sec, nsec: nanos.rem_euclid(1_000_000_000) as u32 })
    }

    /// The time of day that a date begins with: the one that was written, now, or midnight.
    fn time_of_day(&self, tell: &mut dyn FnMut(&str)) -> Option<(i64, i64, i64, u32)> {
        let timed = self.times > 0 || (self.relative && self.dates == 0 && self.weekdays == 0);
        if !timed {
            tell("warning: using midnight as starting time: 00:00:00");
            return Some((0, 0, 0, 0));
        }
        let Some(hour) = self.hour_of_day() else {
            let half = self.afternoon.map_or("", |late| if late { "pm" } else { "am" });
            tell(&format!("error: invalid hour {}{half}", self.hour));
            return None;
        };
        let which = if self.times > 0 { "specified" } else { "current" };
        let (minute, second) = (self.minute, self.second);
        tell(&format!("using {which} time as starting value: '{hour:02}:{minute:02}:{second:02}'"));
        Some((hour, minute, second, self.nanos))
    }

    fn is_day_of(&self, year: i64) -> Option<bool> {
        if !(1..=12).contains(&self.month) {
            return Some(false);
        }
        let length = days_from_months(year, self.month + 1)? - days_from_months(year, self.month)?;
        Some((1..=length).contains(&self.day))
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
