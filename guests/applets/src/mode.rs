//! Modes as `chmod` reads them: octal, or `who op perms` clauses.

use capsule_sys::MODE_BITS;

/// A change of mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// The digits, and whether there were so many that set-id bits of directories are cleared too.
    Octal(u32, bool),
    Clauses(Vec<Clause>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    op: u8,
    /// The bits of the users named; none named means all, under the umask.
    who: u32,
    perms: Perms,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Perms {
    /// Bits of `rwst` in every place they can be, and whether `X` was among them.
    Bits(u32, bool),
    /// Those of the user (6), the group (3) or others (0): how far to shift.
    Copy(u32),
    /// Octal digits behind an operator.
    Exact(u32),
}

impl Change {
    pub fn parse(text: &[u8]) -> Option<Change> {
        if text.first().is_some_and(u8::is_ascii_digit) {
            let value = octal(text)?;
            return Some(Change::Octal(value, text.len() > 4));
        }
        let mut clauses = Vec::new();
        let mut rest = text;
        loop {
            let mut who = 0;
            while let Some(&b) = rest.first() {
                who |= match b {
                    b'u' => 0o4700,
                    b'g' => 0o2070,
                    b'o' => 0o1007,
                    b'a' => 0o7777,
                    _ => break,
                };
                rest = &rest[1..];
            }
            if !rest.first().is_some_and(|b| b"+-=".contains(b)) {
                return None;
            }
            while let Some(&op @ (b'+' | b'-' | b'=')) = rest.first() {
                rest = &rest[1..];
                let perms = perms(&mut rest)?;
                clauses.push(Clause { op, who, perms });
            }
            match rest.split_first() {
                None => return Some(Change::Clauses(clauses)),
                Some((b',', more)) => rest = more,
                Some(_) => return None,
            }
        }
    }

    /// The mode after the change.
    pub fn apply(&self, old: u32, directory: bool, umask: u32) -> u32 {
        let clauses = match self {
            // Digits leave a directory's set-id bits alone unless they name them.
            Change::Octal(value, long) if directory && !long => return value | (old & 0o6000),
            Change::Octal(value, _) => return *value,
            Change::Clauses(clauses) => clauses,
        };
        let mut mode = old & MODE_BITS;
        for clause in clauses {
            let who = if clause.who == 0 { 0o7777 & !umask } else { clause.who };
            let bits = match clause.perms {
                Perms::Bits(bits, x) => {
                    let x = if x && (directory || mode & 0o111 != 0) { 0o111 } else { 0 };
                    (bits | x) & who
                }
                Perms::Copy(shift) => ((mode >> shift & 7) * 0o111) & who,
                Perms::Exact(value) => value,
            };
            match clause.op {
                b'+' => mode |= bits,
                b'-' => mode &= !bits,
                _ => {
                    // `=` leaves set-id bits of directories alone unless the clause speaks of them.
                    let named = if clause.who == 0 { 0o7777 } else { clause.who };
                    let mut cleared = if matches!(clause.perms, Perms::Exact(_)) { 0o7777 } else { named };
                    if directory {
                        cleared &= !0o6000 | (bits & 0o6000);
                    }
                    mode = (mode & !cleared) | bits;
                }
            }
        }
        mode
    }
}

fn octal(text: &[u8]) -> Option<u32> {
    let mut value = 0;
    for &b in text {
        if !(b'0'..=b'7').contains(&b) {
            return None;
        }
        value = value * 8 + u32::from(b - b'0');
        if value > MODE_BITS {
            return None;
        }
    }
    Some(value)
}

fn perms(rest: &mut &[u8]) -> Option<Perms> {
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits > 0 {
        let value = octal(&rest[..digits])?;
        *rest = &rest[digits..];
        return Some(Perms::Exact(value));
    }
    if let Some(&b @ (b'u' | b'g' | b'o')) = rest.first() {
        *rest = &rest[1..];
        return Some(Perms::Copy(match b {
            b'u' => 6,
            b'g' => 3,
            _ => 0,
        }));
    }
    let (mut bits, mut x) = (0, false);
    while let Some(&b) = rest.first() {
        bits |= match b {
            b'r' => 0o444,
            b'w' => 0o222,
            b'x' => 0o111,
            b's' => 0o6000,
            b't' => 0o1000,
            b'X' => {
                x = true;
                0
            }
            _ => break,
        };
        *rest = &rest[1..];
    }
    Some(Perms::Bits(bits, x))
}

/// `drwxr-xr-x`
pub fn show(st_mode: u32) -> String {
    let kind = match st_mode & 0o170000 {
        0o010000 => 'p',
        0o020000 => 'c',
        0o040000 => 'd',
        0o060000 => 'b',
        0o100000 => '-',
        0o120000 => 'l',
        0o140000 => 's',
        _ => '?',
    };
    let mut text = String::from(kind);
    for (shift, special, letter) in [(6, 0o4000, 's'), (3, 0o2000, 's'), (0, 0o1000, 't')] {
        let bits = st_mode >> shift & 7;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        text.push(match (bits & 1 != 0, st_mode & special != 0) {
            (true, true) => letter,
            (false, true) => letter.to_ascii_uppercase(),
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(text: &str, old: u32, directory: bool) -> Option<u32> {
        Change::parse(text.as_bytes()).map(|c| c.apply(old, directory, 0o022))
    }

    #[test]
    fn changes() {
        assert_eq!(apply("755", 0o600, false), Some(0o755));
        assert_eq!(apply("+x", 0o644, false), Some(0o755));
        assert_eq!(apply("+w", 0o444, false), Some(0o644));
        assert_eq!(apply("u=rw,go=r", 0o777, false), Some(0o644));
        assert_eq!(apply("g=u", 0o700, false), Some(0o770));
        assert_eq!(apply("a+X", 0o644, false), Some(0o644));
        assert_eq!(apply("a+X", 0o644, true), Some(0o755));
        assert_eq!(apply("u+s,g-s", 0o2755, true), Some(0o4755));
        assert_eq!(apply("755", 0o2700, true), Some(0o2755));
        assert_eq!(apply("00755", 0o2700, true), Some(0o755));
        assert_eq!(apply("z", 0, false), None);
        assert_eq!(apply("888", 0, false), None);
        assert_eq!(show(0o104755), "-rwsr-xr-x");
        assert_eq!(show(0o041777), "drwxrwxrwt");
    }
}
