//! The command line with its config files (`-K`) read, cut where `--next` starts another set of options.

use super::options::{find, is_known, letter_takes_value, takes_value, usage};
use crate::input::Input;
use crate::{Exit, report};
use capsule_sys::{FileType, getenv, stat};

/// Config files that name config files.
const MAX_FILES: usize = 20;
/// Switches that hold for all sets.
const GLOBAL: &[&str] =
    &["silent", "show-error", "verbose", "fail-early", "trace", "trace-ascii", "stderr", "progress-bar"];

/// One list of arguments for each set of options.
pub fn sets(args: &[Vec<u8>]) -> Result<Vec<Vec<Vec<u8>>>, Exit> {
    let mut reader = Reader { sets: vec![Vec::new()], global: Vec::new(), files: 0 };
    let disabled = args.first().is_some_and(|arg| arg == b"--disable" || arg.starts_with(b"-q"));
    if let Some(name) = usual_file().filter(|_| !disabled) {
        reader.file(&name, "")?;
    }
    reader.take(args)?;
    Ok(reader.sets)
}

/// The file of options that is read unasked.
fn usual_file() -> Option<Vec<u8>> {
    let places = [(&b"CURL_HOME"[..], &b"/.curlrc"[..]), (b"XDG_CONFIG_HOME", b"/curlrc"), (b"HOME", b"/.curlrc")];
    let names = places.into_iter().filter_map(|(variable, name)| Some([&getenv(variable)?, name].concat()));
    names.into_iter().find(|name| stat(name).is_ok_and(|stat| stat.kind == FileType::Regular))
}

struct Reader {
    sets: Vec<Vec<Vec<u8>>>,
    global: Vec<Vec<u8>>,
    files: usize,
}

impl Reader {
    fn take(&mut self, args: &[Vec<u8>]) -> Result<(), Exit> {
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.as_slice() {
                b"--" => {
                    self.push(arg);
                    rest.by_ref().for_each(|operand| self.push(operand));
                }
                b"--next" | b"-:" => {
                    let global = self.global.clone();
                    self.sets.push(global);
                }
                long if long.starts_with(b"--") => {
                    let shown = String::from_utf8_lossy(long).into_owned();
                    let (entry, _) = find(&shown)?;
                    if entry.0 == "config" {
                        let name = rest.next().ok_or_else(|| usage(&format!("option {shown}: requires parameter")))?;
                        self.file(name, &shown)?;
                        continue;
                    }
                    let global = GLOBAL.contains(&entry.0);
                    let value = if takes_value(entry) { rest.next() } else { None };
                    for word in [Some(arg), value].into_iter().flatten() {
                        if global {
                            self.global.push(word.clone());
                        }
                        self.push(word);
                    }
                }
                cluster if cluster.len() > 1 && cluster[0] == b'-' => self.cluster(cluster, &mut rest)?,
                _ => self.push(arg),
            }
        }
        Ok(())
    }

    fn push(&mut self, arg: &[u8]) {
        if let Some(set) = self.sets.last_mut() {
            set.push(arg.to_vec());
        }
    }

    /// Letters in one word: `-sK file`.
    fn cluster<'a>(&mut self, cluster: &[u8], rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<(), Exit> {
        for (at, &letter) in cluster.iter().enumerate().skip(1) {
            if letter == b'K' {
                if at > 1 {
                    self.push(&cluster[..at]);
                }
                let behind = &cluster[at + 1..];
                let name = if behind.is_empty() { rest.next().cloned() } else { Some(behind.to_vec()) };
                let name = name.ok_or_else(|| usage("option -K: requires parameter"))?;
                return self.file(&name, &String::from_utf8_lossy(&cluster[..=at]));
            }
            if b"sSv".contains(&letter) {
                self.global.push(vec![b'-', letter]);
            }
            if letter_takes_value(letter) {
                self.push(cluster);
                if at + 1 == cluster.len() {
                    rest.next().into_iter().for_each(|value| self.push(value));
                }
                return Ok(());
            }
        }
        self.push(cluster);
        Ok(())
    }

    /// The options in a file, as if they stood there.
    fn file(&mut self, name: &[u8], option: &str) -> Result<(), Exit> {
        self.files += 1;
        let mut text = Vec::new();
        let read = Input::open(name).and_then(|mut input| input.stream.read_to_end(&mut text));
        if read.is_err() || self.files > MAX_FILES {
            report::plain(&format!("curl: cannot read config from '{}'\n", String::from_utf8_lossy(name)));
            let _ = usage(&format!("option {option}: error encountered when reading a file"));
            return Err(Exit(26));
        }
        let silent = |set: &Vec<Vec<u8>>| set.iter().any(|arg| arg == b"-s" || arg == b"--silent");
        let mut args = Vec::new();
        for (number, line) in text.split(|&b| b == b'\n').enumerate() {
            let words = words(line);
            if let Some(bad) = words.first().filter(|word| !known(word)) {
                if !silent(&self.global) && !silent(&args) {
                    let (name, bad) = (String::from_utf8_lossy(name), String::from_utf8_lossy(bad));
                    let bad = bad.trim_start_matches('-');
                    report::plain(&format!("Warning: {name}:{}: warning: '{bad}' is unknown\n", number + 1));
                }
                continue;
            }
            args.extend(words);
        }
        self.take(&args)
    }
}

fn known(word: &[u8]) -> bool {
    word.strip_prefix(b"--").is_none_or(|name| is_known(&String::from_utf8_lossy(name)))
}

/// A line of a config file: an option with or without its dashes, and its value.
fn words(line: &[u8]) -> Vec<Vec<u8>> {
    let line = line.trim_ascii();
    if line.is_empty() || line[0] == b'#' {
        return Vec::new();
    }
    let separator = |b: &u8| b.is_ascii_whitespace() || *b == b'=' || *b == b':';
    let end = line.iter().position(separator).unwrap_or(line.len());
    // `-:` is an option, not a dash and a separator.
    let end = if line.starts_with(b"-:") { 2 } else { end };
    let option = match &line[..end] {
        dashed if dashed.starts_with(b"-") => dashed.to_vec(),
        name => [b"--", name].concat(),
    };
    let mut value = &line[end..];
    while let Some((first, rest)) = value.split_first()
        && separator(first)
    {
        value = rest;
    }
    if value.is_empty() {
        return vec![option];
    }
    let Some(quoted) = value.strip_prefix(b"\"") else {
        // What follows the first word is a comment at best.
        let end = value.iter().position(u8::is_ascii_whitespace).unwrap_or(value.len());
        return vec![option, value[..end].to_vec()];
    };
    let (mut text, mut bytes) = (Vec::new(), quoted.iter());
    while let Some(&b) = bytes.next() {
        match b {
            b'"' => break,
            b'\\' => text.extend(bytes.next().map(|&b| match b {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                b'v' => 11,
                other => other,
            })),
            _ => text.push(b),
        }
    }
    vec![option, text]
}

#[cfg(test)]
mod tests {
    use super::{sets, words};

    #[test]
    fn lines_of_config_files() {
        let read = |line: &str| -> Vec<String> {
            words(line.as_bytes()).iter().map(|w| String::from_utf8_lossy(w).into_owned()).collect()
        };
        assert_eq!(read("url = \"http://a/\\\"b\" # x"), ["--url", "http://a/\"b"]);
        assert_eq!(read("-o file"), ["-o", "file"]);
        assert_eq!(read("silent"), ["--silent"]);
        assert!(read("# comment").is_empty() && read("  ").is_empty());
        assert_eq!(read("user-agent: me and"), ["--user-agent", "me"]);
    }

    #[test]
    fn sets_of_options() {
        let args: Vec<Vec<u8>> =
            ["-s", "-H", "--next", "a", "--next", "-d", "x", "b"].iter().map(|a| a.as_bytes().to_vec()).collect();
        let sets = sets(&args).unwrap_or_default();
        let joined: Vec<String> = sets.iter().map(|s| String::from_utf8_lossy(&s.join(&b' ')).into_owned()).collect();
        assert_eq!(joined, ["-s -H --next a", "-s -d x b"]);
    }
}
