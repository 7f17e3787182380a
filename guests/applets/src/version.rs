//! The order of version numbers in names, as gnulib's `filevercmp` has it: `a2` before `a10`, `a~` before `a`.

use std::cmp::Ordering;

pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    // Empty, then ".", then "..", then other hidden names, then the rest.
    match (a.is_empty(), b.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Less,
        (false, true) => return Ordering::Greater,
        _ => {}
    }
    match (a[0] == b'.', b[0] == b'.') {
        (true, false) => return Ordering::Less,
        (false, true) => return Ordering::Greater,
        (true, true) => {
            for special in [b".".as_slice(), b".."] {
                match (a == special, b == special) {
                    (true, true) => return Ordering::Equal,
                    (true, false) => return Ordering::Less,
                    (false, true) => return Ordering::Greater,
                    _ => {}
                }
            }
        }
        _ => {}
    }
    let (short_a, short_b) = (&a[..prefix(a)], &b[..prefix(b)]);
    // Names that differ only in their suffixes are compared whole.
    let one_pass = short_a.len() == a.len() && short_b.len() == b.len();
    let order = revision(short_a, short_b);
    if order != Ordering::Equal || one_pass { order } else { revision(a, b) }
}

/// The length without suffixes like `.tar.gz` or `.c~`: `(\.[A-Za-z~][A-Za-z0-9~]*)*$`.
fn prefix(name: &[u8]) -> usize {
    let mut end = name.len();
    // From the end, since few names have such suffixes; the first byte belongs to none.
    loop {
        let start = name[..end].iter().rposition(|b| !(b.is_ascii_alphanumeric() || *b == b'~')).map_or(0, |i| i + 1);
        let letter = name[start..end].first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'~');
        if !letter || start < 2 || name[start - 1] != b'.' {
            return end;
        }
        end = start - 1;
    }
}

/// The weight of a byte outside of a number: `~` before the end, letters before the rest.
fn weight(byte: Option<u8>) -> i32 {
    match byte {
        None => -1,
        Some(b'~') => -2,
        Some(b) if b.is_ascii_digit() => 0,
        Some(b) if b.is_ascii_alphabetic() => b.into(),
        Some(b) => i32::from(b) + 256,
    }
}

/// Debian's comparison: runs of other things by weight, runs of digits by value.
fn revision(a: &[u8], b: &[u8]) -> Ordering {
    // What both begin with says nothing, up to the number that the difference may be in.
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let same = a[..same].iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |i| i + 1);
    let (mut i, mut j) = (same, same);
    while i < a.len() || j < b.len() {
        let digit = |s: &[u8], at: usize| s.get(at).is_some_and(u8::is_ascii_digit);
        while (i < a.len() && !digit(a, i)) || (j < b.len() && !digit(b, j)) {
            let order = weight(a.get(i).copied()).cmp(&weight(b.get(j).copied()));
            if order != Ordering::Equal {
                return order;
            }
            i += 1;
            j += 1;
        }
        while a.get(i) == Some(&b'0') {
            i += 1;
        }
        while b.get(j) == Some(&b'0') {
            j += 1;
        }
        let mut first = Ordering::Equal;
        while digit(a, i) && digit(b, j) {
            first = first.then(a[i].cmp(&b[j]));
            i += 1;
            j += 1;
        }
        if digit(a, i) {
            return Ordering::Greater;
        }
        if digit(b, j) {
            return Ordering::Less;
        }
        if first != Ordering::Equal {
            return first;
        }
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order() {
        let mut names = ["a10", "a2", "a1", "b", "a.tar.gz", "a1.c", "a~", "a", ".", ".b", "", "1.10", "1.9", "1.09"];
        names.sort_by(|a, b| compare(a.as_bytes(), b.as_bytes()).then(a.cmp(b)));
        assert_eq!(
            names,
            ["", ".", ".b", "1.09", "1.9", "1.10", "a~", "a", "a.tar.gz", "a1", "a1.c", "a2", "a10", "b"]
        );
    }
}
