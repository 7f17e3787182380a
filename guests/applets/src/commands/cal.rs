//! cal: months and years, as Debian's prints them, with the calendar of Great Britain (11 days are missing in 1752).

use crate::calendar::{MONTHS, Moment, Zone, days_from_civil};
use crate::options::Options;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Out, now};

pub const HELP: &str = "\
Usage: cal [-31hjy] [-A MONTHS] [-B MONTHS] [-d YYYY-MM] [-m MONTH] [[MONTH] YEAR]
Print a calendar: this month, a month, or a year.

  -3            the month before and the month after, too
  -1            one month only
  -A MONTHS     so many months after
  -B MONTHS     so many months before
  -d YYYY-MM    as if this were the current month
  -h            do not mark today (it is never marked here)
  -j            days of the year instead of days of the month
  -m MONTH      this month, by number or name
  -y            the whole year
";

/// A month's lines: heading without the year, then weeks.
struct Month {
    year: i64,
    month: u32,
    weeks: [String; 6],
}

/// Days between a date of the old calendar (before 14 September 1752) and 1970-01-01.
fn julian_days(year: i64, month: u32, day: u32) -> i64 {
    let (y, m) = if month <= 2 { (year - 1, i64::from(month) + 9) } else { (year, i64::from(month) - 3) };
    y.div_euclid(4) * 1461 + y.rem_euclid(4) * 365 + (153 * m + 2) / 5 + i64::from(day) - 1 - 719_470
}

fn is_old(year: i64, month: u32, day: u32) -> bool {
    (year, month, day) < (1752, 9, 14)
}

fn day_number(year: i64, month: u32, day: u32) -> i64 {
    if is_old(year, month, day) { julian_days(year, month, day) } else { days_from_civil(year, month, day) }
}

fn length(year: i64, month: u32) -> u32 {
    let leap = if year <= 1752 { year % 4 == 0 } else { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) };
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Month {
    fn new(year: i64, month: u32, julian: bool) -> Month {
        let width = if julian { 4 } else { 3 };
        let mut weeks: [String; 6] = Default::default();
        let mut week = 0;
        let first = day_number(year, month, 1);
        for day in 1..=length(year, month) {
            if (year, month) == (1752, 9) && (3..14).contains(&day) {
                continue;
            }
            let number = day_number(year, month, day);
            // 1970-01-01 was a Thursday.
            let weekday = (number + 4).rem_euclid(7) as usize;
            if weekday == 0 && number != first {
                week += 1;
            }
            let shown = if julian { number - day_number(year, 1, 1) + 1 } else { i64::from(day) };
            let line = &mut weeks[week];
            while line.len() < weekday * width {
                line.push(' ');
            }
            line.push_str(&format!("{shown:>w$} ", w = width - 1));
        }
        let full = 7 * width + 1;
        for line in &mut weeks {
            while line.len() < full {
                line.push(' ');
            }
        }
        Month { year, month, weeks }
    }
}

/// In the middle of a width, the larger half behind.
fn centre(text: &str, width: usize) -> String {
    let left = (width - text.len().min(width)) / 2;
    format!("{:left$}{text:<rest$}", "", rest = width - left)
}

fn print(months: &[Month], julian: bool, out: &mut Out) {
    let (cell, names, across) = match julian {
        true => (27, " Su  Mo  Tu  We  Th  Fr  Sa  ", 2),
        false => (20, "Su Mo Tu We Th Fr Sa  ", 3),
    };
    let mut heading = None;
    for (number, row) in months.chunks(across).enumerate() {
        if number > 0 {
            out.byte(b'\n');
        }
        // Rows that stand as in the calendar of a year have it above.
        let as_in_year = (row[0].month as usize - 1).is_multiple_of(across) && row.len() == across;
        if as_in_year && heading != Some(row[0].year) {
            out.write(centre(&row[0].year.to_string(), cell * across).trim_end().as_bytes());
            out.byte(b'\n');
            heading = Some(row[0].year);
        }
        let mut lines = vec![String::new(); 8];
        for month in row {
            let name = MONTHS[month.month as usize - 1];
            let title = match heading == Some(month.year) {
                true => name.to_owned(),
                false => format!("{name} {}", month.year),
            };
            lines[0] += &format!("{}  ", centre(&title, cell));
            lines[1] += names;
            for (line, week) in lines[2..].iter_mut().zip(&month.weeks) {
                *line += week;
            }
        }
        for line in lines {
            out.write(line.as_bytes());
            out.byte(b'\n');
        }
    }
}

pub fn main(args: &Args) -> Outcome {
    let today = Moment::new(now().sec, 0, &Zone::local());
    let (mut year, mut month) = (today.year, today.month);
    let (mut before, mut after, mut whole, mut julian) = (0, 0, false, false);
    let mut chosen = false;
    let mut options = Options::new(args, "31hjyA:B:d:m:C", &[]).status(64);
    while let Some(opt) = options.next()? {
        let count = || {
            opt.text()
                .parse::<i64>()
                .map_err(|_| report::die(64, format_args!("Argument to -{} must be positive", opt.letter)))
        };
        match opt.letter {
            '3' => (before, after) = (1, 1),
            '1' => (before, after) = (0, 0),
            'j' => julian = true,
            'y' => whole = true,
            'A' => after = count()?.clamp(0, 1200),
            'B' => before = count()?.clamp(0, 1200),
            'd' => {
                let text = opt.text();
                let parts = text.split_once('-').and_then(|(y, m)| Some((y.parse().ok()?, m.parse().ok()?)));
                (year, month) = parts
                    .filter(|(_, m)| (1..=12).contains(m))
                    .ok_or_else(|| report::die(64, format_args!("not a valid month {text}")))?;
            }
            'm' => {
                month = month_of(&opt.text())?;
                chosen = true;
            }
            _ => {}
        }
    }
    let operands: Vec<String> = options.operands().iter().map(|o| String::from_utf8_lossy(o).into_owned()).collect();
    match operands.as_slice() {
        [] => {}
        [only] => {
            year = year_of(only)?;
            whole |= !chosen && before == 0 && after == 0;
        }
        [first, second] => {
            month = month_of(first)?;
            year = year_of(second)?;
        }
        _ => return Err(report::try_help(64)),
    }
    let mut out = Out::stdout();
    let at = year * 12 + i64::from(month) - 1;
    let range = if whole { year * 12..=year * 12 + 11 } else { at - before..=at + after };
    let months: Vec<Month> = range
        .filter(|n| (12..120_000).contains(n))
        .map(|n| Month::new(n.div_euclid(12), n.rem_euclid(12) as u32 + 1, julian))
        .collect();
    print(&months, julian, &mut out);
    report::finish(&mut out, 0)
}

fn year_of(text: &str) -> Result<i64, Exit> {
    let year = text.parse::<i64>().map_err(|_| report::die(64, format_args!("not a valid year {text}")))?;
    match year {
        1..=9999 => Ok(year),
        _ => Err(report::die(64, format_args!("year `{text}' not in range 1..9999"))),
    }
}

fn month_of(text: &str) -> Result<u32, Exit> {
    let lower = text.to_ascii_lowercase();
    if let Ok(number @ 1..=12) = text.parse::<u32>() {
        return Ok(number);
    }
    let named = MONTHS.iter().position(|name| lower.len() >= 3 && name.to_ascii_lowercase().starts_with(&lower));
    match named {
        Some(at) => Ok(at as u32 + 1),
        None => Err(report::die(64, format_args!("{text} is neither a month number (1..12) nor a name"))),
    }
}
