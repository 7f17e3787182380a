//! Whether a text is one JSON value, an object or an array. No recursion: depth is a stack of brackets.

pub fn is_json(text: &[u8]) -> bool {
    let mut at = 0;
    let mut stack: Vec<u8> = Vec::new();
    // What may come next: a value, or what follows one.
    let mut value_next = true;
    let mut key_next = false;
    skip(text, &mut at);
    if !matches!(text.get(at), Some(b'{' | b'[')) {
        return false;
    }
    loop {
        skip(text, &mut at);
        let Some(&byte) = text.get(at) else { return stack.is_empty() && !value_next };
        if stack.is_empty() && !value_next {
            return false;
        }
        match byte {
            b'{' | b'[' if value_next && !key_next => {
                stack.push(byte);
                at += 1;
                skip(text, &mut at);
                let end = if byte == b'{' { b'}' } else { b']' };
                if text.get(at) == Some(&end) {
                    stack.pop();
                    at += 1;
                    value_next = false;
                } else {
                    key_next = byte == b'{';
                }
            }
            b'"' if value_next => {
                if !string(text, &mut at) {
                    return false;
                }
                if key_next {
                    skip(text, &mut at);
                    if text.get(at) != Some(&b':') {
                        return false;
                    }
                    at += 1;
                    key_next = false;
                } else {
                    value_next = false;
                }
            }
            b',' if !value_next => {
                at += 1;
                value_next = true;
                key_next = stack.last() == Some(&b'{');
            }
            b'}' if !value_next && stack.last() == Some(&b'{') => {
                stack.pop();
                at += 1;
            }
            b']' if !value_next && stack.last() == Some(&b'[') => {
                stack.pop();
                at += 1;
            }
            _ if value_next && !key_next && scalar(text, &mut at) => value_next = false,
            _ => return false,
        }
    }
}

fn skip(text: &[u8], at: &mut usize) {
    while matches!(text.get(*at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        *at += 1;
    }
}

fn string(text: &[u8], at: &mut usize) -> bool {
    *at += 1;
    loop {
        match text.get(*at) {
            Some(b'"') => {
                *at += 1;
                return true;
            }
            Some(b'\\') => *at += 2,
            Some(_) => *at += 1,
            None => return false,
        }
    }
}

fn scalar(text: &[u8], at: &mut usize) -> bool {
    for word in [b"true".as_slice(), b"false", b"null"] {
        if text[*at..].starts_with(word) {
            *at += word.len();
            return true;
        }
    }
    let digits = text[*at..].iter().take_while(|b| b"+-.eE0123456789".contains(b)).count();
    *at += digits;
    digits > 0 && text[*at - digits..*at].iter().any(u8::is_ascii_digit)
}
