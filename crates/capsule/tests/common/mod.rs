//! Cases as data: what both suites of cases share.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::Path;

/// Parts of a file that begin with a line `### NAME`: the name after the chapter's, and the rest.
pub fn parts(file: &Path) -> Vec<(String, String)> {
    let chapter = file.file_stem().unwrap().to_string_lossy().into_owned();
    let text = format!("\n{}", fs::read_to_string(file).unwrap());
    let part = |part: &str| {
        let (name, rest) = part.split_once('\n').unwrap_or((part, ""));
        (format!("{chapter}: {}", name.trim()), format!("{}\n", rest.trim_end()))
    };
    text.split("\n### ").skip(1).map(part).collect()
}

/// The cases that are known to differ: a list in a file, which must name cases, and only such that do differ.
pub struct Verdicts {
    known: BTreeSet<String>,
    wrong: Vec<String>,
    count: usize,
    filter: String,
}

impl Verdicts {
    pub fn new<'a>(known_failures: &Path, names: impl Iterator<Item = &'a str>) -> Verdicts {
        let text = fs::read_to_string(known_failures).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let known: BTreeSet<String> = lines.map(str::to_owned).collect();
        let names: Vec<&str> = names.collect();
        let unique: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(unique.len(), names.len(), "two cases have one name");
        let missing = known.iter().filter(|name| !unique.contains(name.as_str()));
        let wrong =
            missing.map(|name| format!("{name}: listed as a known failure, but there is no such case")).collect();
        Verdicts { known, wrong, count: 0, filter: std::env::var("CAPSULE_CASE").unwrap_or_default() }
    }

    /// Whether a case is to be run: `CAPSULE_CASE` may name some.
    pub fn wants(&self, name: &str) -> bool {
        name.contains(&self.filter)
    }

    /// Compares what came of a case on both sides.
    pub fn compare<T: PartialEq + Debug>(&mut self, name: &str, text: &str, oracle: &str, expected: &T, got: &T) {
        self.count += 1;
        match (expected == got, self.known.contains(name)) {
            (true, false) | (false, true) => {}
            (true, true) => self.wrong.push(format!("{name}: passes now; take it off the list")),
            (false, false) => {
                self.wrong.push(format!("{name}\n{text}{oracle:8} {expected:?}\ncapsule: {got:?}\n"));
            }
        }
    }

    pub fn end(self) {
        println!("{} cases", self.count);
        assert!(self.wrong.is_empty(), "{} of {} cases:\n{}", self.wrong.len(), self.count, self.wrong.join("\n"));
    }
}
