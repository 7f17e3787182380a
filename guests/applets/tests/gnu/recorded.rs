//! What the tools answered on a machine that had them all, for machines that lack some: `tests/recorded/NAME.txt` beside
//! `tests/cases/NAME.txt`. `RECORD=1` writes them anew.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// The answers to the cases of one file, by user and script.
#[derive(Default)]
pub struct Recorded {
    answers: HashMap<String, String>,
}

/// Where the answers to the cases of this name are.
pub fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recorded").join(name)
}

impl Recorded {
    /// None are known where there is no such file.
    pub fn read(name: &str) -> Recorded {
        let text = fs::read_to_string(file(name)).unwrap_or_default();
        let mut answers = HashMap::new();
        for block in text.split("\n$ ").map(|block| block.strip_prefix("$ ").unwrap_or(block)) {
            // The script ends where lines begin that stand further in.
            let (case, answer) = block.split_once("\n  ").unwrap_or((block, ""));
            answers.insert(case.replace("\n> ", "\n"), format!("  {}", answer.trim_end_matches('\n')));
        }
        Recorded { answers }
    }

    pub fn get(&self, case: &str) -> Option<&str> {
        self.answers.get(case).map(String::as_str)
    }
}

/// Writes the answers to the cases of one file, in their order.
pub fn write(name: &str, answers: &[(String, String)]) {
    let mut text = String::new();
    for (case, answer) in answers {
        let _ = writeln!(text, "$ {}\n{answer}\n", case.replace('\n', "\n> "));
    }
    fs::create_dir_all(file(name).with_file_name("")).expect("the folder of answers");
    fs::write(file(name), text).expect("a file of answers");
}

/// An answer as it stands in a file: one line each, control characters readable, nothing that looks like another case.
pub fn shown(answer: &str) -> String {
    let lines: Vec<String> = answer.lines().map(|line| format!("  {}", line.escape_debug())).collect();
    lines.join("\n")
}
