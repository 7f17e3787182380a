//! The chains of filters that xz can be asked for, one option each, in the order they work in.

use crate::codec::{Chain, Filter, FilterKind, LzmaChoice};
use crate::{Exit, report};

/// The most that a dictionary may have: what is packed with more could not be unpacked here.
const DICTIONARY: u64 = 64 << 20;

fn bad(text: impl std::fmt::Display) -> Exit {
    report::die(1, text)
}

/// What an option adds to the chain.
pub fn add(chain: &mut Chain, kind: FilterKind, text: Option<&[u8]>) -> Result<(), Exit> {
    if chain.filters.len() + usize::from(chain.lzma.is_some()) == 4 {
        return Err(bad("Maximum number of filters is four"));
    }
    // The one that packs is the last one.
    if chain.lzma.is_some() {
        return Err(bad("Unsupported filter chain or filter options"));
    }
    let text = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
    let pairs = || text.split(',').filter(|pair| !pair.is_empty());
    if kind == FilterKind::Lzma2 {
        let mut choice = LzmaChoice::default();
        for pair in pairs() {
            lzma_option(&mut choice, pair)?;
        }
        if choice.lc.unwrap_or(3) + choice.lp.unwrap_or(0) > 4 {
            return Err(bad("The sum of lc and lp must not exceed 4"));
        }
        chain.lzma = Some(choice);
        return Ok(());
    }
    let mut property = u32::from(kind == FilterKind::Delta);
    for pair in pairs() {
        let (name, value) = split(pair)?;
        property = match (kind, name) {
            (FilterKind::Delta, "dist") => number(name, value, 1, 256)?,
            (FilterKind::Delta, _) => return Err(bad(format_args!("{name}: Invalid option name"))),
            (_, "start") => number(name, value, 0, u32::MAX.into())?,
            _ => return Err(bad(format_args!("{name}: Invalid option name"))),
        };
    }
    chain.filters.push(Filter { kind, property });
    Ok(())
}

/// Whether a chain ends with what packs.
pub fn check(chain: &Chain) -> Result<(), Exit> {
    match chain.lzma.is_none() && !chain.filters.is_empty() {
        true => Err(bad("Unsupported filter chain or filter options")),
        false => Ok(()),
    }
}

fn split(pair: &str) -> Result<(&str, &str), Exit> {
    let invalid = || bad(format_args!("{pair}: Options must be `name=value' pairs separated with commas"));
    pair.split_once('=').filter(|(_, value)| !value.is_empty()).ok_or_else(invalid)
}

fn number(name: &str, text: &str, least: u64, most: u64) -> Result<u32, Exit> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let Ok(value) = text[..digits].parse::<u64>() else {
        return Err(bad(format_args!("{text}: Value is not a non-negative decimal integer")));
    };
    let shift = match &text[digits..] {
        "" => 0,
        "k" | "K" | "KiB" | "kiB" | "Ki" | "KB" | "kB" => 10,
        "m" | "M" | "MiB" | "Mi" | "MB" => 20,
        "g" | "G" | "GiB" | "Gi" | "GB" => 30,
        rest => {
            report::error(format_args!("{rest}: Invalid multiplier suffix"));
            return Err(bad("Valid suffixes are `KiB' (2^10), `MiB' (2^20), and `GiB' (2^30)."));
        }
    };
    let value = value.checked_mul(1 << shift).filter(|value| (least..=most).contains(value));
    value
        .and_then(|value| u32::try_from(value).ok())
        .ok_or_else(|| bad(format_args!("Value of the option `{name}' must be in the range [{least}, {most}]")))
}

fn lzma_option(choice: &mut LzmaChoice, pair: &str) -> Result<(), Exit> {
    let (name, value) = split(pair)?;
    let invalid = || bad(format_args!("{value}: Invalid option value"));
    match name {
        "preset" => {
            let unsupported = || bad(format_args!("Unsupported LZMA1/LZMA2 preset: {value}"));
            let (digits, extreme) = value.strip_suffix('e').map_or((value, false), |digits| (digits, true));
            let level = digits.parse::<u32>().ok().filter(|level| *level <= 9).ok_or_else(unsupported)?;
            // It stands for all the others.
            *choice = LzmaChoice { preset: Some((level, extreme)), ..LzmaChoice::default() };
        }
        "dict" => {
            let size = number(name, value, 4096, 1_610_612_736)?;
            if u64::from(size) > DICTIONARY {
                return Err(bad("a dictionary of more than 64 MiB is not supported here"));
            }
            choice.dictionary = Some(size);
        }
        "lc" => choice.lc = Some(number(name, value, 0, 4)?),
        "lp" => choice.lp = Some(number(name, value, 0, 4)?),
        "pb" => choice.pb = Some(number(name, value, 0, 4)?),
        "nice" => choice.nice = Some(number(name, value, 2, 273)?),
        "depth" => choice.depth = Some(number(name, value, 0, 1 << 20)?),
        "mode" => {
            choice.fast = Some(match value {
                "fast" => true,
                "normal" => false,
                _ => return Err(invalid()),
            })
        }
        "mf" => {
            choice.hash_chains = Some(match value {
                "hc4" | "hc3" => true,
                "bt4" | "bt3" | "bt2" => false,
                _ => return Err(invalid()),
            })
        }
        _ => return Err(bad(format_args!("{name}: Invalid option name"))),
    }
    Ok(())
}
