//! `$_ = lc`, `$_ = "new-$_"`, `$_ .= ".bak"`: a name made of texts and of what it was.

/// What a name becomes.
pub enum Value {
    /// `$_`
    Name,
    Text(Vec<u8>),
    Joined(Vec<Value>),
    Call(Function, Box<Value>),
}

#[derive(Clone, Copy)]
pub enum Function {
    Lower,
    Upper,
    LowerFirst,
    UpperFirst,
}

const FUNCTIONS: &[(&[u8], Function)] = &[
    (b"lcfirst", Function::LowerFirst),
    (b"ucfirst", Function::UpperFirst),
    (b"lc", Function::Lower),
    (b"uc", Function::Upper),
];

/// Parentheses inside each other.
const DEEPEST: usize = 50;

/// The rest of a statement that begins with `$_`: whether it appends, the value, and what follows.
pub fn parse(text: &[u8]) -> Option<(bool, Value, &[u8])> {
    let text = text.trim_ascii_start();
    let (appends, rest) = match text.strip_prefix(b".=") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix(b"=").filter(|rest| !rest.starts_with(b"=") && !rest.starts_with(b"~"))?),
    };
    let (value, rest) = joined(rest, 0)?;
    Some((appends, value, rest))
}

fn joined(text: &[u8], depth: usize) -> Option<(Value, &[u8])> {
    let (first, mut rest) = term(text.trim_ascii_start(), depth)?;
    let mut values = vec![first];
    while let Some(more) = rest.trim_ascii_start().strip_prefix(b".") {
        let (value, after) = term(more.trim_ascii_start(), depth)?;
        values.push(value);
        rest = after;
    }
    Some((if values.len() == 1 { values.remove(0) } else { Value::Joined(values) }, rest))
}

fn term(text: &[u8], depth: usize) -> Option<(Value, &[u8])> {
    if depth > DEEPEST {
        return None;
    }
    if let Some(inside) = text.strip_prefix(b"(") {
        let (value, rest) = joined(inside, depth + 1)?;
        return Some((value, rest.trim_ascii_start().strip_prefix(b")")?));
    }
    if let Some(rest) = text.strip_prefix(b"$_").filter(|rest| !starts_a_word(rest)) {
        return Some((Value::Name, rest));
    }
    match text.first()? {
        b'\'' => return single(&text[1..]),
        b'"' => return double(&text[1..]),
        _ => {}
    }
    let (name, function) = FUNCTIONS.iter().find(|(name, _)| text.starts_with(name))?;
    let rest = text[name.len()..].trim_ascii_start();
    if starts_a_word(&text[name.len()..]) {
        return None;
    }
    // Without an argument it is `$_`.
    let alone = matches!(rest.first(), None | Some(b';' | b'.' | b')'));
    let (value, rest) = match rest.strip_prefix(b"()") {
        Some(rest) => (Value::Name, rest),
        None if alone => (Value::Name, rest),
        None => term(rest, depth + 1)?,
    };
    Some((Value::Call(*function, Box::new(value)), rest))
}

fn starts_a_word(text: &[u8]) -> bool {
    text.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'[' || *b == b'{')
}

/// A text in single quotes: `\'` and `\\` alone are special.
fn single(text: &[u8]) -> Option<(Value, &[u8])> {
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        match (*text.get(at)?, text.get(at + 1)) {
            (b'\'', _) => return Some((Value::Text(found), &text[at + 1..])),
            (b'\\', Some(next @ (b'\'' | b'\\'))) => {
                found.push(*next);
                at += 1;
            }
            (byte, _) => found.push(byte),
        }
        at += 1;
    }
}

/// A text in double quotes, in which `$_` is the name. Other variables are nobody's.
fn double(text: &[u8]) -> Option<(Value, &[u8])> {
    let (mut values, mut found, mut at) = (Vec::new(), Vec::new(), 0);
    loop {
        match (*text.get(at)?, text.get(at + 1)) {
            (b'"', _) => {
                values.push(Value::Text(found));
                return Some((Value::Joined(values), &text[at + 1..]));
            }
            (b'$', Some(b'_')) if !starts_a_word(&text[at + 2..]) => {
                values.extend([Value::Text(std::mem::take(&mut found)), Value::Name]);
                at += 1;
            }
            (b'$', Some(b'{')) if text[at..].starts_with(b"${_}") => {
                values.extend([Value::Text(std::mem::take(&mut found)), Value::Name]);
                at += 3;
            }
            (b'$' | b'@', Some(_)) => return None,
            (b'\\', Some(b'n' | b't' | b'0'..=b'9' | b'x' | b'a'..=b'z' | b'A'..=b'Z')) => return None,
            (b'\\', Some(next)) => {
                found.push(*next);
                at += 1;
            }
            (byte, _) => found.push(byte),
        }
        at += 1;
    }
}

impl Value {
    pub fn of(&self, name: &[u8]) -> Vec<u8> {
        match self {
            Value::Name => name.to_vec(),
            Value::Text(text) => text.clone(),
            Value::Joined(values) => values.iter().flat_map(|value| value.of(name)).collect(),
            Value::Call(function, value) => {
                // Without `use utf8`, Perl changes the letters of ASCII.
                let mut text = value.of(name);
                match function {
                    Function::Lower => text.make_ascii_lowercase(),
                    Function::Upper => text.make_ascii_uppercase(),
                    Function::LowerFirst => text.iter_mut().take(1).for_each(|b| b.make_ascii_lowercase()),
                    Function::UpperFirst => text.iter_mut().take(1).for_each(|b| b.make_ascii_uppercase()),
                }
                text
            }
        }
    }
}
