//! The table that is printed, row by row as it is measured.

use std::time::{Duration, Instant};

pub struct Report {
    missed: Vec<String>,
}

/// What a number is compared with.
pub enum Target {
    None,
    /// At most this, in the row's unit.
    AtMost(f64),
    AtLeast(f64),
    /// At most this part of what the machine's own program takes.
    Ratio(f64),
}

impl Report {
    pub fn new() -> Report {
        println!("{:<44} {:>14} {:>14} {:>10}  target", "what", "capsule", "native", "ratio");
        Report { missed: Vec::new() }
    }

    /// A row: a value in a unit, the machine's own program beside it where there is one.
    pub fn row(&mut self, what: &str, unit: &str, value: f64, bash: Option<f64>, targets: &[Target]) {
        let ratio = bash.map(|bash| value / bash);
        let mut verdict = Vec::new();
        for target in targets {
            let (holds, text) = match *target {
                Target::None => continue,
                Target::AtMost(most) => (value <= most, format!("<= {most} {unit}")),
                Target::AtLeast(least) => (value >= least, format!(">= {least} {unit}")),
                Target::Ratio(most) => match ratio {
                    Some(ratio) => (ratio <= most, format!("ratio <= {}", ratio_text(most))),
                    None => continue,
                },
            };
            if !holds {
                self.missed.push(format!("{what}: {text}"));
            }
            verdict.push(format!("{text} {}", if holds { "holds" } else { "MISSED" }));
        }
        let bash = bash.map_or(String::new(), |b| format!("{b:.1} {unit}"));
        let ratio = ratio.map_or(String::new(), ratio_text);
        println!("{what:<44} {:>14} {bash:>14} {ratio:>10}  {}", format!("{value:.1} {unit}"), verdict.join(", "));
    }

    pub fn finish(&self) {
        match self.missed.as_slice() {
            [] => println!("\nevery target holds"),
            missed => println!("\n{} missed:\n  {}", missed.len(), missed.join("\n  ")),
        }
    }
}

fn ratio_text(ratio: f64) -> String {
    if ratio < 0.2 { format!("1/{:.0}", 1.0 / ratio) } else { format!("{ratio:.2}") }
}

/// The median of some durations, in microseconds.
pub fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(f64::NAN, |t| t.as_secs_f64() * 1e6)
}

/// Times a piece of work several times.
pub fn times<E>(rounds: usize, mut work: impl FnMut() -> Result<(), E>) -> Result<Vec<Duration>, E> {
    (0..rounds)
        .map(|_| {
            let began = Instant::now();
            work()?;
            Ok(began.elapsed())
        })
        .collect()
}
