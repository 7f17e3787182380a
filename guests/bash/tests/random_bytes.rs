//! The fuzz targets' functions over scripts with damage: bytes flipped, cut and doubled.

#[path = "random_bytes/mod.rs"]
mod bytes;
mod random_script;

use random_script::{Dice, list};

/// A script, then damaged in a few places.
fn damaged(seed: u64) -> Vec<u8> {
    let mut dice = Dice::new(seed);
    let mut text = list(&mut dice, (seed % 3) as u32).into_bytes();
    for _ in 0..dice.roll(6) {
        let at = dice.roll(text.len().max(1)).min(text.len());
        match dice.roll(4) {
            0 => text.truncate(at),
            1 => text.insert(at, b"(){}[]$\"'`\\|&;<> \n\0\xff"[dice.roll(20)]),
            2 if at < text.len() => text[at] ^= 1 << dice.roll(8),
            _ => {
                let tail = text[at..].to_vec();
                text.extend_from_slice(&tail[..tail.len().min(40)]);
            }
        }
    }
    text
}

#[test]
fn no_bytes_break_the_parser() {
    for seed in 0..5000 {
        bytes::parse_anything(&damaged(seed));
    }
}

#[test]
fn no_bytes_break_the_expander() {
    let pieces = [
        "${x}", "${x:-$y}", "${x:1:2}", "${x/a/b}", "${!x}", "${x@Q}", "${a[1]}", "${a[@]}", "$((y*2))", "$(( ", "\"",
        "'", "{a,b}", "~", "*", "[a-", "${x^^}", "${#x}", "\\", "${", "}", "$@", "\"$*\"", "${@:1:1}", "$'\\x41'", "é",
        "\u{fffd}", "${x:?}", "=", "a",
    ];
    for seed in 0..3000 {
        let mut dice = Dice::new(seed);
        let text: String = (0..dice.roll(8)).map(|_| dice.pick(&pieces)).collect();
        bytes::expand_anything(text.as_bytes());
    }
}
