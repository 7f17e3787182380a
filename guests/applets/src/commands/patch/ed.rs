//! The part of `ed` that scripts of `diff -e` use.

/// Runs a script; none when it does something else, or reaches beyond the file.
pub fn run(script: &[u8], file: &[u8]) -> Option<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = file.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    let mut commands = script.split_inclusive(|&b| b == b'\n');
    // The line that a command without an address means.
    let mut current = lines.len();
    while let Some(line) = commands.next() {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
        let value = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<usize>().ok();
        let n = digits(line);
        let (mut first, mut rest) = (current, &line[n..]);
        if n > 0 {
            first = value(&line[..n])?;
        }
        let mut last = first;
        if let Some(more) = rest.strip_prefix(b",") {
            let n = digits(more);
            last = value(&more[..n])?;
            rest = &more[n..];
        }
        if last > lines.len() || first > last {
            return None;
        }
        match rest {
            b"d" if first > 0 => {
                lines.drain(first - 1..last);
                current = first.min(lines.len());
            }
            b"a" | b"c" | b"i" => {
                let at = match rest {
                    b"c" if first > 0 => {
                        lines.drain(first - 1..last);
                        first - 1
                    }
                    b"i" => first.saturating_sub(1),
                    _ => last,
                };
                let mut text = Vec::new();
                for line in commands.by_ref() {
                    if line.strip_suffix(b"\n").unwrap_or(line) == b"." {
                        break;
                    }
                    text.push(line.to_vec());
                }
                current = at + text.len();
                lines.splice(at..at, text);
            }
            b"s/.//" => {
                for line in &mut lines[first.checked_sub(1)?..last] {
                    if line.first().is_some_and(|b| *b != b'\n') {
                        line.remove(0);
                    }
                }
                current = last;
            }
            b"s/^\\.//" => {
                for line in &mut lines[first.checked_sub(1)?..last] {
                    if line.first() == Some(&b'.') {
                        line.remove(0);
                    }
                }
                current = last;
            }
            _ => return None,
        }
    }
    Some(lines.concat())
}
