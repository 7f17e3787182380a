//! `--check`: lines of checksums, in any of the three forms that tools write.

use super::algorithm::Algorithm;
use super::{hex, meaningless, sum, write_name};
use crate::input::Input;
use crate::{Exit, quote, report};
use capsule_sys::{Errno, Out};

#[derive(Default)]
pub struct Checking {
    pub ignore_missing: bool,
    pub quiet: bool,
    pub silent: bool,
    pub strict: bool,
    pub warn: bool,
}

/// One line understood.
struct Entry {
    algorithm: Algorithm,
    bits: usize,
    digest: Vec<u8>,
    name: Vec<u8>,
}

/// Whether lines have one blank between digest and name, as BSD's `md5 -r` writes; decided by the first such line.
type Reversed = Option<bool>;

impl Checking {
    /// Options that contradict each other.
    pub fn agree(&self, check: bool, zero: bool, binary: Option<bool>, tagged: bool) -> Result<(), Exit> {
        if tagged && binary == Some(false) {
            return Err(meaningless("--tag does not support --text mode"));
        }
        if zero && check {
            return Err(meaningless("the --zero option is not supported when verifying checksums"));
        }
        if tagged && check {
            return Err(meaningless("the --tag option is meaningless when verifying checksums"));
        }
        if binary.is_some() && check {
            return Err(meaningless("the --binary and --text options are meaningless when verifying checksums"));
        }
        let only = [
            (self.ignore_missing, "ignore-missing"),
            (self.silent, "status"),
            (self.warn, "warn"),
            (self.quiet, "quiet"),
            (self.strict, "strict"),
        ];
        match only.iter().find(|option| option.0 && !check) {
            Some((_, name)) => {
                Err(meaningless(&format!("the --{name} option is meaningful only when verifying checksums")))
            }
            None => Ok(()),
        }
    }

    /// Checks the lines of one file; whether all was well.
    pub fn file(&self, list: &[u8], chosen: Option<Algorithm>, bits: usize, out: &mut Out) -> bool {
        let shown = if list == b"-" { "'standard input'".to_owned() } else { quote::name(list) };
        let fail = |e: Errno, out: &mut Out| {
            let _ = out.flush();
            report::fault(&shown, e);
            false
        };
        let mut input = match Input::open(list) {
            Ok(input) => input,
            Err(e) => return fail(e, out),
        };
        let (mut line, mut number, mut reversed) = (Vec::new(), 0u64, None);
        let (mut proper, mut improper, mut unread, mut different, mut matched) = (0u64, 0u64, 0u64, 0u64, false);
        loop {
            line.clear();
            match input.stream.read_until(b'\n', &mut line) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => {
                    let _ = out.flush();
                    report::error(format_args!("{shown}: read error"));
                    return false;
                }
            }
            number += 1;
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            if text.is_empty() || text[0] == b'#' {
                continue;
            }
            let Some(entry) = parse(text, chosen, bits, &mut reversed).filter(|e| !(list == b"-" && e.name == b"-"))
            else {
                improper += 1;
                if self.warn {
                    let _ = out.flush();
                    let tag = chosen.unwrap_or(Algorithm::Crc).tag();
                    report::error(format_args!("{shown}: {number}: improperly formatted {tag} checksum line"));
                }
                continue;
            };
            proper += 1;
            let result = match sum(&entry.name, entry.algorithm, entry.bits) {
                Err(Errno::ENOENT) if self.ignore_missing => continue,
                Err(e) => {
                    let _ = out.flush();
                    report::fault(quote::name(&entry.name), e);
                    unread += 1;
                    "FAILED open or read"
                }
                Ok((digest, _)) if hex(&digest).eq_ignore_ascii_case(&entry.digest) => {
                    matched = true;
                    if self.quiet {
                        continue;
                    }
                    "OK"
                }
                Ok(_) => {
                    different += 1;
                    "FAILED"
                }
            };
            if !self.silent {
                // Here only a line end matters.
                let escape = entry.name.contains(&b'\n');
                if escape {
                    out.byte(b'\\');
                }
                write_name(out, &entry.name, escape);
                out.write(format!(": {result}\n").as_bytes());
            }
        }
        let _ = out.flush();
        if proper == 0 {
            report::error(format_args!("{shown}: no properly formatted checksum lines found"));
        } else if !self.silent {
            let warning = |count: u64, one: &str, many: &str| {
                if count > 0 {
                    report::error(format_args!("WARNING: {count} {}", if count == 1 { one } else { many }));
                }
            };
            warning(improper, "line is improperly formatted", "lines are improperly formatted");
            warning(unread, "listed file could not be read", "listed files could not be read");
            warning(different, "computed checksum did NOT match", "computed checksums did NOT match");
            if self.ignore_missing && !matched {
                report::error(format_args!("{shown}: no file was verified"));
            }
        }
        proper > 0 && matched && different == 0 && unread == 0 && !(self.strict && improper > 0)
    }
}

fn is_blank(b: &u8) -> bool {
    matches!(b, b' ' | b'\t')
}

fn parse(line: &[u8], chosen: Option<Algorithm>, bits: usize, reversed: &mut Reversed) -> Option<Entry> {
    let text = &line[line.iter().take_while(|b| is_blank(b)).count()..];
    let (escaped, text) = match text.strip_prefix(b"\\") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (algorithm, bits, digest, name) = match chosen {
        None => {
            let tag = &text[..text.iter().position(|b| b"-( ".contains(b))?];
            let found = super::algorithm::WORDS.iter().find(|w| w.1.tag().as_bytes() == tag)?.1;
            if found.is_old() {
                return None;
            }
            tagged(text, found)?
        }
        Some(algorithm) if text.starts_with(algorithm.tag().as_bytes()) => tagged(text, algorithm)?,
        Some(algorithm) => plain(text, algorithm, bits, reversed)?,
    };
    let name = if escaped { unescape(name)? } else { name.to_vec() };
    Some(Entry { algorithm, bits, digest: digest.to_vec(), name })
}

type Parts<'a> = (Algorithm, usize, &'a [u8], &'a [u8]);

/// `MD5 (name) = digest`, `MD5(name)= digest`, `BLAKE2b-64 (name) = digest`.
fn tagged(text: &[u8], algorithm: Algorithm) -> Option<Parts<'_>> {
    let mut rest = text.strip_prefix(algorithm.tag().as_bytes())?;
    let mut bits = algorithm.bits();
    if algorithm == Algorithm::Blake2b
        && let Some(length) = rest.strip_prefix(b"-")
    {
        let n = length.iter().take_while(|b| b.is_ascii_digit()).count();
        bits = std::str::from_utf8(&length[..n]).ok()?.parse().ok()?;
        if bits == 0 || !bits.is_multiple_of(8) || bits > algorithm.bits() {
            return None;
        }
        rest = &length[n..];
    }
    rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
    let close = rest.iter().rposition(|&b| b == b')')?;
    let digest = rest[close + 1..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    (digest.len() == bits / 4 && digest.iter().all(u8::is_ascii_hexdigit)).then_some((
        algorithm,
        bits,
        digest,
        &rest[..close],
    ))
}

/// `digest  name`, `digest *name`, `digest name`.
fn plain<'a>(text: &'a [u8], algorithm: Algorithm, bits: usize, reversed: &mut Reversed) -> Option<Parts<'a>> {
    let digits = text.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let bits = if algorithm == Algorithm::Blake2b { digits * 4 } else { bits };
    if digits != bits / 4 || digits < 2 || digits % 2 == 1 || bits > algorithm.bits() {
        return None;
    }
    let rest = &text[digits..];
    // A blank, the mark, and a name at least.
    if rest.len() < 2 || !is_blank(&rest[0]) {
        return None;
    }
    let mut name = &rest[1..];
    if name.len() == 1 || !matches!(name[0], b' ' | b'*') {
        if *reversed == Some(false) {
            return None;
        }
        *reversed = Some(true);
    } else if *reversed != Some(true) {
        *reversed = Some(false);
        name = &name[1..];
    }
    Some((algorithm, bits, &text[..digits], name))
}

fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let (mut plain, mut bytes) = (Vec::new(), name.iter());
    while let Some(&byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            0 => return None,
            other => other,
        });
    }
    Some(plain)
}
