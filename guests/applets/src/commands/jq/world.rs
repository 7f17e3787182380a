//! What programs ask of the system.

use super::options::read_file;
use crate::calendar::{Moment, Zone};
use crate::path::{Missing, canonical};
use capsule_jq::natives::Fields;
use capsule_jq::{Host, Library, Object, Value};
use capsule_sys::{STDERR, environ, getenv, now, write_all};
use std::rc::Rc;

/// The folder that jq is in.
const ORIGIN: &str = "/usr/bin";

/// Where inputs come from.
pub trait Source {
    fn next(&mut self) -> Option<Result<Value, Value>>;
    fn filename(&mut self) -> Value;
    fn line(&mut self) -> usize;
    /// `FILE:LINE` of the last input.
    fn position(&mut self) -> String;
    /// Functions a command adds.
    fn extra(&mut self, name: &str, _input: &Value, _arg: &Value) -> Result<Value, String> {
        Err(format!("{name} is not available here"))
    }
}

pub struct World<S> {
    pub source: S,
    search: Vec<String>,
    zone: Option<Zone>,
}

impl<S: Source> World<S> {
    pub fn new(source: S, search: Vec<String>) -> World<S> {
        World { source, search, zone: None }
    }

    fn zone(&mut self) -> &Zone {
        self.zone.get_or_insert_with(Zone::local)
    }
}

impl<S> Library for World<S> {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        read_file(path.as_bytes()).ok()
    }

    fn search_list(&self) -> Vec<String> {
        if self.search.is_empty() {
            return ["~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib"].map(str::to_owned).to_vec();
        }
        // Those that are there are shown without links and dots.
        let shown = |folder: &String| match canonical(folder.as_bytes(), Missing::None, false, true) {
            Ok(path) => String::from_utf8_lossy(&path).into_owned(),
            Err(_) => folder.clone(),
        };
        self.search.iter().map(shown).collect()
    }

    fn folder(&self, name: &str) -> String {
        let home = || getenv(b"HOME").map(|home| String::from_utf8_lossy(&home).into_owned()).unwrap_or_default();
        if let Some(rest) = name.strip_prefix("$ORIGIN/../") {
            format!("/usr/{rest}")
        } else if let Some(rest) = name.strip_prefix("$ORIGIN/") {
            format!("{ORIGIN}/{rest}")
        } else if name == "~" || name.starts_with("~/") {
            home() + &name[1..]
        } else {
            name.to_owned()
        }
    }
}

impl<S: Source> Host for World<S> {
    fn input(&mut self) -> Option<Result<Value, Value>> {
        self.source.next()
    }

    fn message(&mut self, text: &[u8]) {
        let _ = write_all(STDERR, text);
    }

    fn filename(&mut self) -> Value {
        self.source.filename()
    }

    fn line(&mut self) -> usize {
        self.source.line()
    }

    fn position(&mut self) -> String {
        self.source.position()
    }

    fn extra(&mut self, name: &str, input: &Value, arg: &Value) -> Result<Value, String> {
        self.source.extra(name, input, arg)
    }

    fn environment(&mut self) -> Value {
        let mut object = Object::default();
        for entry in environ() {
            let text = String::from_utf8_lossy(&entry);
            let (name, value) = text.split_once('=').unwrap_or((&text, ""));
            object.insert(Rc::new(name.to_owned()), value.into());
        }
        Value::object(object)
    }

    fn now(&mut self) -> f64 {
        let time = now();
        time.sec as f64 + f64::from(time.nsec) / 1e9
    }

    fn local_offset(&mut self, seconds: i64) -> (i32, String) {
        let local = self.zone().at(seconds);
        (local.offset, local.name)
    }

    fn strftime(&mut self, time: &Fields, zone: (i32, String), format: &[u8]) -> Vec<u8> {
        let part = |value: i64, low: i64, high: i64| value.clamp(low, high) as u32;
        let moment = Moment {
            year: time.year,
            month: part(time.month, 0, 11) + 1,
            day: part(time.day, 0, 31),
            hour: part(time.hour, 0, 23),
            minute: part(time.minute, 0, 59),
            second: part(time.second, 0, 61),
            nanos: 0,
            weekday: part(time.weekday, 0, 6),
            yearday: part(time.yearday, 0, 365),
            seconds_since_epoch: time.seconds() - i64::from(zone.0),
            offset: zone.0,
            zone: zone.1,
        };
        moment.format(&with_short_year(format, time.year))
    }
}

/// A format with the year in it where that has less than four digits: C's library does not fill it up as `date` does.
fn with_short_year(format: &[u8], year: i64) -> Vec<u8> {
    let mut out = Vec::with_capacity(format.len());
    let mut rest = format;
    while let [first, more @ ..] = rest {
        match (first, more) {
            (b'%', [b'Y', after @ ..]) if (0..1000).contains(&year) => {
                out.extend_from_slice(year.to_string().as_bytes());
                rest = after;
            }
            (b'%', [b'F', after @ ..]) if (0..1000).contains(&year) => {
                out.extend_from_slice(format!("{year}-%m-%d").as_bytes());
                rest = after;
            }
            (b'%', [letter, after @ ..]) => {
                out.extend_from_slice(&[b'%', *letter]);
                rest = after;
            }
            _ => {
                out.push(*first);
                rest = more;
            }
        }
    }
    out
}
