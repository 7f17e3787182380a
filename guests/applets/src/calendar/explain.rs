//! How a date was understood, step by step, in the words of GNU's `date --debug`.

use super::parse::{Items, Relative};
use super::{DAYS, Moment};
use std::fmt;

/// `+02`, `-03:30`
pub fn zone_text(seconds: i64) -> String {
    let size = seconds.unsigned_abs();
    let mut text = format!("{}{:02}", if seconds < 0 { '-' } else { '+' }, size / 3600);
    if !size.is_multiple_of(3600) {
        text += &format!(":{:02}", size / 60 % 60);
    }
    if !size.is_multiple_of(60) {
        text += &format!(":{:02}", size % 60);
    }
    text
}

fn day(moment: &Moment) -> String {
    format!("(Y-M-D) {}-{:02}-{:02}", year(moment.year), moment.month, moment.day)
}

/// A year has four digits at least.
fn year(year: i64) -> String {
    if year < 0 { format!("-{:03}", year.unsigned_abs()) } else { format!("{year:04}") }
}

/// Date and time, and the zone where one was written.
pub fn clock(moment: &Moment, items: Option<&Items>) -> String {
    let zone = items.filter(|items| items.zones > 0).map(|items| format!(" TZ={}", zone_text(items.zone)));
    let (hour, minute, second) = (moment.hour, moment.minute, moment.second);
    format!("{} {hour:02}:{minute:02}:{second:02}{}", day(moment), zone.unwrap_or_default())
}

const ORDINALS: [&str; 14] = [
    "last",
    "this",
    "next/first",
    "(SECOND)",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eight",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
];

/// `next/first Fri`
pub fn weekday(items: &Items) -> String {
    let (day, ordinal) = items.weekday;
    let name = &DAYS[day as usize % 7][..3];
    if !items.ordinal {
        return name.to_owned();
    }
    match usize::try_from(ordinal + 1).ok().and_then(|at| ORDINALS.get(at)) {
        Some(word) => format!("{word} {name}"),
        None => format!("{ordinal} {name}"),
    }
}

impl fmt::Display for Relative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.years, "year(s)"),
            (self.months, "month(s)"),
            (self.days, "day(s)"),
            (self.hours, "hour(s)"),
            (self.minutes, "minutes"),
            (self.seconds, "seconds"),
            (self.nanos, "nanoseconds"),
        ];
        let parts: Vec<String> = parts.iter().filter(|p| p.0 != 0).map(|(n, unit)| format!("{n:+} {unit}")).collect();
        f.write_str(&if parts.is_empty() { "today/this/now".to_owned() } else { parts.join(" ") })
    }
}

/// Which kinds of items were told already: each is told once.
#[derive(Default)]
pub struct Told {
    date: bool,
    year: bool,
    time: bool,
    weekday: bool,
    local_zone: bool,
    zone: bool,
}

impl Told {
    /// What the item that was read last has added.
    pub fn part(&mut self, items: &Items) -> String {
        let mut parts = Vec::new();
        let mut once = |seen: bool, told: &mut bool, text: &dyn Fn() -> String| {
            if seen && !std::mem::replace(told, true) {
                parts.push(text());
            }
        };
        if matches!(items.kind, "relative" | "hybrid") {
            return format!("parsed {} part: {}", items.kind, items.away);
        }
        once(items.dates > 0, &mut self.date, &|| {
            format!("(Y-M-D) {}-{:02}-{:02}", year(items.year.value), items.month, items.day)
        });
        once(items.year_seen, &mut self.year, &|| format!("year: {}", year(items.year.value)));
        once(items.times > 0, &mut self.time, &|| {
            let nanos = if items.nanos == 0 { String::new() } else { format!(".{:09}", items.nanos) };
            let half = if items.afternoon == Some(true) { "pm" } else { "" };
            format!("{:02}:{:02}:{:02}{nanos}{half}", items.hour, items.minute, items.second)
        });
        once(items.weekdays > 0, &mut self.weekday, &|| {
            let (day, ordinal) = items.weekday;
            format!("{} (day ordinal={ordinal} number={day})", weekday(items))
        });
        once(items.local_zones > 0, &mut self.local_zone, &|| {
            let summer = if items.summers > 0 { " DST" } else { "" };
            format!("isdst={}{summer}", u8::from(items.local_summer))
        });
        once(items.zones > 0, &mut self.zone, &|| format!("UTC{}", zone_text(items.zone)));
        format!("parsed {} part: {}", items.kind, parts.join(" "))
    }
}

impl Items {
    /// Where the zone of a date is from.
    pub fn zone_source(&self, otherwise: &str) -> String {
        if self.zones > 0 {
            return format!("parsed date/time string ({})", zone_text(self.zone));
        }
        let summer = if self.local_zones > 0 && self.local_summer { ", dst" } else { "" };
        format!("{otherwise}{summer}")
    }

    /// The date that relative items go from.
    pub fn tell_start(&self, start: &Moment, tell: &mut dyn FnMut(&str)) {
        if self.dates == 0 && self.weekdays == 0 {
            tell(&format!("using current date as starting value: '{}'", day(start)));
        }
        if self.dates > 0 && self.weekdays > 0 {
            tell(&format!("warning: day ({}) ignored when explicit dates are given", weekday(self)));
        }
        tell(&format!("starting date/time: '{}'", clock(start, Some(self))));
        if (self.away.years != 0 || self.away.months != 0) && start.day != 15 {
            tell("warning: when adding relative months/years, it is recommended to specify the 15th of the months");
        }
        if self.away.days != 0 && start.hour != 12 {
            tell("warning: when adding relative days, it is recommended to specify noon");
        }
    }

    /// The date after years, months and days were added; `asked` is what the sum was before it became a date.
    pub fn tell_moved(&self, asked: (i64, i64, u32), now: &Moment, season: Option<bool>, tell: &mut dyn FnMut(&str)) {
        let Relative { years, months, days, .. } = self.away;
        tell(&format!("after date adjustment ({years:+} years, {months:+} months, {days:+} days),"));
        tell(&format!("    new date/time = '{}'", clock(now, Some(self))));
        if season.is_some() {
            tell("warning: daylight saving time changed after date adjustment");
        }
        let (y, m, d) = asked;
        if days == 0 && (now.day != d || (months == 0 && i64::from(now.month) != m)) {
            tell("warning: month/year adjustment resulted in shifted dates:");
            tell(&format!("     adjusted Y M D: {} {m:02} {d:02}", year(y)));
            tell(&format!("   normalized Y M D: {} {:02} {:02}", year(now.year), now.month, now.day));
        }
    }
}

/// What was written is no time; what it would be.
pub fn not_a_time(wanted: &Moment, normal: &Moment, items: &Items, tell: &mut dyn FnMut(&str)) {
    let same = [
        wanted.year == normal.year,
        wanted.month == normal.month,
        wanted.day == normal.day,
        wanted.hour == normal.hour,
        wanted.minute == normal.minute,
        wanted.second == normal.second,
    ];
    tell("error: invalid date/time value:");
    tell(&format!("    user provided time: '{}'", clock(wanted, Some(items))));
    tell(&format!("       normalized time: '{}'", clock(normal, Some(items))));
    let marks: Vec<&str> = same
        .iter()
        .enumerate()
        .map(|(at, same)| match (same, at) {
            (true, 0) => "    ",
            (true, _) => "  ",
            (false, 0) => "----",
            (false, _) => "--",
        })
        .collect();
    tell(format!("{:33}{}", "", marks.join(" ")).trim_end());
    tell("     possible reasons:");
    if same == [true, true, true, false, true, true] {
        tell("       non-existing due to daylight-saving time;");
    }
    if !same[1] && !same[2] {
        tell("       invalid day/month combination;");
    }
    tell("       numeric values overflow;");
    tell(if items.zones > 0 { "       incorrect timezone" } else { "       missing timezone" });
}
