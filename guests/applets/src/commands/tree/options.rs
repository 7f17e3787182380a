//! The command line, which is not read as others are: long options have no short forms and no prefixes, and the letters
//! of one word take their values from the words behind it.

use crate::{Exit, report};

/// An option that takes a value, with how it is named in messages.
const LETTERS_WITH_VALUE: &[u8] = b"LPIoHT";
const WORDS_WITH_VALUE: &[&str] =
    &["filelimit", "charset", "timefmt", "sort", "gitfile", "infofile", "hintro", "houtro"];
const WORDS: &[&str] = &[
    "matchdirs",
    "ignore-case",
    "prune",
    "noreport",
    "si",
    "inodes",
    "device",
    "du",
    "dirsfirst",
    "filesfirst",
    "gitignore",
    "fromfile",
    "metafirst",
    "info",
    "nolinks",
    "fflinks",
    "help",
    "version",
];
const LETTERS: &[u8] = b"adfilxpugshDFQNqnCvtcUrJXASR";

/// An option by its name, a letter or a word.
pub struct Opt<'a> {
    pub name: String,
    pub value: &'a [u8],
}

/// Takes the command line apart: options in their order, then operands.
pub fn read(args: &[Vec<u8>]) -> Result<(Vec<Opt<'_>>, Vec<&[u8]>), Exit> {
    let (mut found, mut operands) = (Vec::new(), Vec::new());
    let mut words = args.iter().map(Vec::as_slice);
    while let Some(word) = words.next() {
        match word {
            b"--" => {
                operands.extend(words);
                break;
            }
            [b'-', b'-', long @ ..] => found.push(read_long(long, &mut words)?),
            [b'-', letters @ ..] if !letters.is_empty() => {
                for letter in letters {
                    let name = char::from(*letter).to_string();
                    let value = match letter {
                        letter if LETTERS.contains(letter) => b"",
                        letter if LETTERS_WITH_VALUE.contains(letter) => {
                            let value = words.next().ok_or_else(|| missing(&format!("-{name} option.")))?;
                            if *letter == b'L' && leading_number(value) == 0 {
                                return Err(report::die(1, "Invalid level, must be greater than 0."));
                            }
                            value
                        }
                        _ => return Err(report::usage(1, format_args!("Invalid argument -`{name}'."))),
                    };
                    found.push(Opt { name, value });
                }
            }
            operand => operands.push(operand),
        }
    }
    Ok((found, operands))
}

fn read_long<'a>(text: &'a [u8], words: &mut impl Iterator<Item = &'a [u8]>) -> Result<Opt<'a>, Exit> {
    let (name, given) = match text.iter().position(|b| *b == b'=') {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let name = String::from_utf8_lossy(name).into_owned();
    if WORDS_WITH_VALUE.contains(&name.as_str()) {
        let value = match given {
            Some(b"") => return Err(missing(&format!("--{name}="))),
            Some(value) => value,
            None => words.next().ok_or_else(|| missing(&format!("--{name}")))?,
        };
        return Ok(Opt { name, value });
    }
    if given.is_none() && WORDS.contains(&name.as_str()) {
        return Ok(Opt { name, value: b"" });
    }
    Err(report::usage(1, format_args!("Invalid argument `--{}'.", String::from_utf8_lossy(text))))
}

fn missing(what: &str) -> Exit {
    report::die(1, format_args!("Missing argument to {what}"))
}

/// The number a text begins with; 0 where it begins with none.
pub fn leading_number(text: &[u8]) -> usize {
    let digits = text.iter().take_while(|b| b.is_ascii_digit());
    digits.fold(0usize, |n, b| n.saturating_mul(10).saturating_add(usize::from(b - b'0')))
}
