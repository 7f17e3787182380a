//! Several URLs in one: `{a,b}`, `[1-9]`, `[a-z:2]`, and `#1` in names of files.

/// A URL and what its sets stood for.
pub type Expanded = (Vec<u8>, Vec<Vec<u8>>);

/// The most URLs of one argument: a set of a billion is a mistake.
const MOST: usize = 100_000;

/// Why, and where in the text.
pub struct Bad(pub &'static str, pub usize);

pub fn expand(text: &[u8]) -> Result<Vec<Expanded>, Bad> {
    let mut all: Vec<Expanded> = vec![(Vec::new(), Vec::new())];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let (choices, used) = match rest[0] {
            b'\\' if rest.len() > 1 && b"{}[]".contains(&rest[1]) => (None, 2),
            b'{' => {
                let end = rest.iter().position(|&b| b == b'}').ok_or(Bad("unmatched brace", at + 1))?;
                (Some(rest[1..end].split(|&b| b == b',').map(<[u8]>::to_vec).collect()), end + 1)
            }
            b'[' => {
                let end = rest.iter().position(|&b| b == b']').ok_or(Bad("bad range", text.len() + 1))?;
                let inner = &rest[1..end];
                match inner.contains(&b':') && !inner.contains(&b'-') {
                    // An address.
                    true => (Some(vec![rest[..=end].to_vec()]), end + 1),
                    false => (Some(range(inner).ok_or(Bad("bad range", at + end + 2))?), end + 1),
                }
            }
            b'}' => return Err(Bad("unmatched close brace/bracket", at + 1)),
            b']' => return Err(Bad("unmatched close brace/bracket", at + 1)),
            _ => (None, 1),
        };
        match choices {
            None => all.iter_mut().for_each(|(url, _)| url.push(rest[used - 1])),
            Some(choices) => {
                if all.len().saturating_mul(choices.len()) > MOST {
                    return Err(Bad("range overflow", at + 2));
                }
                let address = rest[0] == b'[' && choices.first().is_some_and(|c| c.starts_with(b"["));
                let mut next = Vec::with_capacity(all.len() * choices.len());
                for (url, values) in &all {
                    for choice in &choices {
                        let mut values = values.clone();
                        if !address {
                            values.push(choice.clone());
                        }
                        next.push(([url.as_slice(), choice].concat(), values));
                    }
                }
                all = next;
            }
        }
        at += used;
    }
    Ok(all)
}

/// `1-10`, `001-100:10`, `a-z`
fn range(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let text = std::str::from_utf8(text).ok()?;
    let (bounds, step) = match text.split_once(':') {
        Some((bounds, step)) => (bounds, step.parse::<u64>().ok().filter(|&s| s > 0)?),
        None => (text, 1),
    };
    let (low, high) = bounds.split_once('-')?;
    let steps = |low: u64, high: u64| (low..=high).step_by(step as usize).take(MOST + 1);
    if let (&[a], &[b]) = (low.as_bytes(), high.as_bytes())
        && a.is_ascii_alphabetic()
        && b.is_ascii_alphabetic()
        && a <= b
    {
        return Some(steps(a.into(), b.into()).map(|c| vec![c as u8]).collect());
    }
    let (from, to) = (low.parse::<u64>().ok()?, high.parse::<u64>().ok()?);
    if from > to {
        return None;
    }
    let width = if low.starts_with('0') { low.len() } else { 0 };
    Some(steps(from, to).map(|n| crate::pad::zeros(&n.to_string(), width).into_bytes()).collect())
}

/// `#1` in the name of a file.
pub fn fill_in(name: &[u8], values: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while at < name.len() {
        let digits = name[at..].strip_prefix(b"#").map_or(0, |d| d.iter().take_while(|b| b.is_ascii_digit()).count());
        let number = std::str::from_utf8(&name[at + 1..at + 1 + digits.min(name.len() - at - 1)]).ok();
        match number.and_then(|n| n.parse::<usize>().ok()).and_then(|n| values.get(n.checked_sub(1)?)) {
            Some(value) if digits > 0 => {
                out.extend_from_slice(value);
                at += 1 + digits;
            }
            _ => {
                out.push(name[at]);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Option<Vec<String>> {
        let all = expand(text.as_bytes()).ok()?;
        Some(all.iter().map(|(url, _)| String::from_utf8_lossy(url).into_owned()).collect())
    }

    #[test]
    fn sets() {
        assert_eq!(all("x/{a,b}[1-2]").unwrap(), ["x/a1", "x/a2", "x/b1", "x/b2"]);
        assert_eq!(all("[08-10]").unwrap(), ["08", "09", "10"]);
        assert_eq!(all("[a-e:2]").unwrap(), ["a", "c", "e"]);
        assert_eq!(all("http://[::1]:80/").unwrap(), ["http://[::1]:80/"]);
        assert_eq!(all("a\\{b").unwrap(), ["a{b"]);
        for bad in ["{a", "[1", "[9-1]", "[1-999999999]", "}", "[x]"] {
            assert!(all(bad).is_none(), "{bad}");
        }
        assert_eq!(fill_in(b"f_#1#2_#9.txt", &[b"a".to_vec(), b"b".to_vec()]), b"f_ab_#9.txt");
        assert_eq!(fill_in(b"#", &[]), b"#");
    }
}
