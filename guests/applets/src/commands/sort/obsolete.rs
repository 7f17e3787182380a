//! `+POS1 [-POS2]`: keys as they were before `-k`, counted from zero. They are rewritten as `-k` before options are read.

use crate::Args;
use capsule_sys::getenv;

/// Versions of POSIX in between took `+` away; before and after, it is allowed.
fn allowed() -> bool {
    let version = getenv(b"_POSIX2_VERSION").and_then(|v| std::str::from_utf8(&v).ok()?.parse().ok());
    let version: u64 = version.unwrap_or(200_809);
    !(200_112..200_809).contains(&version)
}

pub fn rewrite(args: &Args) -> Args {
    let is_key = |arg: &[u8]| arg.len() > 1 && arg[0] == b'+' && (arg[1].is_ascii_digit() || arg[1] == b'.');
    if !args.rest().iter().any(|a| is_key(a)) {
        return args.clone();
    }
    let always = allowed();
    let mut argv = vec![args.argv[0].clone()];
    let mut rest = args.rest().iter().peekable();
    while let Some(arg) = rest.next() {
        let end = rest.peek().filter(|e| e.len() > 1 && e[0] == b'-' && e[1].is_ascii_digit());
        if is_key(arg)
            && (always || end.is_some())
            && let Some(key) = key(&arg[1..], end.map(|e| &e[1..]))
        {
            if end.is_some() {
                rest.next();
            }
            argv.extend([b"-k".to_vec(), key]);
            continue;
        }
        argv.push(arg.clone());
        if arg == b"--" {
            break;
        }
        // The value of an option is no key.
        let takes_next = match arg.strip_prefix(b"--") {
            Some(long) => {
                let names: [&[u8]; 5] = [b"key", b"output", b"buffer-size", b"field-separator", b"temporary-directory"];
                names.contains(&long)
            }
            None => {
                arg.len() > 1 && arg[0] == b'-' && arg.iter().position(|b| b"koStT".contains(b)) == Some(arg.len() - 1)
            }
        };
        if takes_next {
            argv.extend(rest.next().cloned());
        }
    }
    argv.extend(rest.cloned());
    Args::new(argv)
}

/// `F.C` and letters, in parts.
fn position(text: &[u8]) -> Option<(u64, u64, &[u8])> {
    let number = |text: &[u8]| -> Option<u64> {
        if text.is_empty() { Some(0) } else { std::str::from_utf8(text).ok()?.parse().ok() }
    };
    let n = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (field, rest) = text.split_at(n);
    let (char, letters) = match rest.strip_prefix(b".") {
        Some(rest) => rest.split_at(rest.iter().take_while(|b| b.is_ascii_digit()).count()),
        None => (&[][..], rest),
    };
    letters.iter().all(|b| b"bdfghiMnRrV".contains(b)).then_some((number(field)?, number(char)?, letters))
}

fn key(start: &[u8], end: Option<&[u8]>) -> Option<Vec<u8>> {
    let (field, char, letters) = position(start)?;
    let mut key = format!("{}.{}", field + 1, char + 1).into_bytes();
    key.extend_from_slice(letters);
    if let Some(end) = end {
        let (field, char, letters) = position(end)?;
        // Up to a field's beginning is up to the end of the one before.
        let text = if char == 0 { format!(",{}", field.max(1)) } else { format!(",{}.{char}", field + 1) };
        key.extend_from_slice(text.as_bytes());
        key.extend_from_slice(letters);
    }
    Some(key)
}
