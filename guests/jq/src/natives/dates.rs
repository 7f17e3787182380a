//! Times: seconds since 1970, broken-down times as arrays, and their texts.

mod parse;

use super::{Context, Native, Result, native};
use crate::value::Value;
pub use parse::parse;

pub const TABLE: &[Native] = &[
    native("gmtime", 0, |_, input, _| broken_down(&input, "gmtime", 0)),
    native("localtime", 0, |context, input, _| {
        let seconds = seconds_of(&input, "localtime")?;
        let (offset, _) = context.host.local_offset(seconds.floor() as i64);
        broken_down(&input, "localtime", offset)
    }),
    native("mktime", 0, |_, input, _| match input.as_array() {
        None => Err("mktime requires array inputs".into()),
        Some(_) => match Fields::read(&input, "mktime")?.seconds() {
            // What C's function says when it fails.
            -1 => Err("invalid gmtime representation".into()),
            seconds => Ok(Value::Number(seconds as f64)),
        },
    }),
    native("strftime", 1, |context, input, args| strftime(context, &input, &args[0], "strftime", false)),
    native("strflocaltime", 1, |context, input, args| strftime(context, &input, &args[0], "strflocaltime", true)),
    native("strptime", 1, |_, input, args| match (&input, &args[0]) {
        (Value::String(text), Value::String(format)) => match parse(text, format) {
            Some(fields) => Ok(fields.value(0.0)),
            None => Err(format!("date \"{text}\" does not match format \"{format}\"")),
        },
        _ => Err("strptime/1 requires string inputs and arguments".into()),
    }),
];

/// A time of the calendar, as C's `struct tm` has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fields {
    pub year: i64,
    /// 0 is January.
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    /// 0 is Sunday.
    pub weekday: i64,
    /// 0 is the first of January.
    pub yearday: i64,
}

/// Days since 1970-01-01 of a date of the Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year.saturating_add(month.div_euclid(12));
    let month = month.rem_euclid(12) + 1;
    let y = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era.saturating_mul(146_097).saturating_add(days - 719_468)
}

impl Fields {
    pub fn at(seconds: i64) -> Fields {
        let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let shifted = days + 719_468;
        let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = (shifted_month + 2) % 12;
        let year = year + era * 400 + i64::from(month < 2);
        Fields {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 4).rem_euclid(7),
            yearday: days - days_from_civil(year, 0, 1),
        }
    }

    pub fn seconds(&self) -> i64 {
        let days = days_from_civil(self.year, self.month, self.day);
        let rest = self.hour * 3600 + self.minute * 60 + self.second;
        days.saturating_mul(86_400).saturating_add(rest)
    }

    /// With the days of the week and the year that belong to the date.
    pub fn completed(mut self) -> Fields {
        let days = days_from_civil(self.year, self.month, self.day);
        self.weekday = (days + 4).rem_euclid(7);
        self.yearday = days - days_from_civil(self.year, 0, 1);
        self
    }

    fn value(&self, fraction: f64) -> Value {
        let all = [self.year, self.month, self.day, self.hour, self.minute, self.second, self.weekday, self.yearday];
        let mut list: Vec<Value> = all.iter().map(|&n| Value::Number(n as f64)).collect();
        list[5] = Value::Number(self.second as f64 + fraction);
        Value::array(list)
    }

    fn read(value: &Value, name: &str) -> Result<Fields> {
        let bad = || format!("{name} requires parsed datetime inputs");
        let list = value.as_array().ok_or_else(bad)?;
        let mut fields = [1900, 0, 0, 0, 0, 0, 0, 0i64];
        for (field, value) in fields.iter_mut().zip(list) {
            let value = value.as_number().ok_or_else(bad)?;
            // Far beyond any calendar, and no overflow below.
            *field = value.clamp(-1e9, 1e9) as i64;
        }
        let [year, month, day, hour, minute, second, weekday, yearday] = fields;
        Ok(Fields { year, month, day, hour, minute, second, weekday, yearday })
    }
}

/// Beyond are years that do not fit into 32 bits.
const MAX_SECONDS: f64 = 6.77e16;

fn seconds_of(value: &Value, name: &str) -> Result<f64> {
    match value.as_number() {
        Some(seconds) if seconds.abs() < MAX_SECONDS => Ok(seconds),
        Some(_) => Err("error converting number of seconds since epoch to datetime".into()),
        None => Err(format!("{name}() requires numeric inputs")),
    }
}

fn broken_down(value: &Value, name: &str, offset: i32) -> Result<Value> {
    let seconds = seconds_of(value, name)?;
    Ok(Fields::at(seconds as i64 + i64::from(offset)).value(seconds - seconds.floor()))
}

fn strftime(context: &mut Context, input: &Value, format: &Value, name: &str, local: bool) -> Result<Value> {
    let Value::String(format) = format else {
        return Err(match input {
            Value::Number(_) | Value::Literal(_) | Value::Array(_) => format!("{name}/1 requires a string format"),
            _ => format!("{name}/1 requires parsed datetime inputs"),
        });
    };
    let fields = match input.as_number() {
        Some(_) => {
            let seconds = seconds_of(input, name)? as i64;
            let offset = if local { context.host.local_offset(seconds).0 } else { 0 };
            Fields::at(seconds + i64::from(offset))
        }
        None if input.as_array().is_none() => return Err(format!("{name}/1 requires parsed datetime inputs")),
        None => Fields::at(Fields::read(input, &format!("{name}/1"))?.seconds()),
    };
    // Local times say where they are.
    let zone = if local { context.host.local_offset(fields.seconds()) } else { (0, "GMT".to_owned()) };
    Ok(Value::from(String::from_utf8_lossy(&context.host.strftime(&fields, zone, format.as_bytes())).into_owned()))
}
