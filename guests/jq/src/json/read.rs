//! Values out of tokens, with jq's wording of what is wrong.

use super::stream::Stream;
use super::token::{Fault, Token, Tokens};
use crate::value::{Object, Text, Value};

/// How deep arrays and objects may nest.
pub const MAX_DEPTH: usize = 10_000;

/// A container that is open.
enum Open {
    Array(Vec<Value>),
    Object(Object),
    /// A key, its object below.
    Key(Text),
}

/// Reads a stream of values. Feed it blocks; [`Reader::next`] gives values until it wants more.
pub struct Reader {
    tokens: Tokens,
    open: Vec<Open>,
    /// A value that is read and not placed yet.
    value: Option<Value>,
    /// A sequence: a text that fails is skipped.
    sequence: bool,
    stream: Option<Stream>,
    failed_at: Value,
    /// Whether the end was seen.
    done: bool,
}

impl Reader {
    pub fn new(sequence: bool, stream: bool) -> Reader {
        Reader {
            tokens: Tokens::new(sequence),
            open: Vec::new(),
            value: None,
            sequence,
            stream: stream.then(Stream::default),
            failed_at: Value::Null,
            done: false,
        }
    }

    pub fn feed(&mut self, block: &[u8]) {
        self.tokens.feed(block);
    }

    pub fn end(&mut self) {
        self.tokens.end();
    }

    pub fn has_ended(&self) -> bool {
        self.tokens.has_ended()
    }

    pub fn restart_lines(&mut self) {
        self.tokens.restart_lines();
    }

    pub fn line(&self) -> usize {
        self.tokens.line()
    }

    /// Where a stream of events stood at the last error.
    pub fn stream_path(&self) -> Value {
        self.failed_at.clone()
    }

    /// The next value; `None` when more input is needed, or at the end.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Value>, Fault> {
        if self.done {
            return Ok(None);
        }
        let result = match self.stream.take() {
            Some(mut stream) => {
                let result = stream.next(&mut self.tokens);
                if result.is_err() {
                    self.failed_at = stream.path();
                    stream = Stream::default();
                }
                self.stream = Some(stream);
                result
            }
            None => self.whole(),
        };
        if result.is_err() {
            self.open.clear();
            self.value = None;
            // Whoever catches the error goes on with the next line. In a sequence it goes on at once, until a separator
            // makes sense of it again.
            if !self.sequence {
                self.tokens.skip_line();
            }
            self.done = self.tokens.is_used_up();
        }
        result
    }

    fn whole(&mut self) -> Result<Option<Value>, Fault> {
        loop {
            let key = matches!(self.open.last(), Some(Open::Object(_)));
            let token = self.tokens.next(key)?;
            match token {
                Token::More => return Ok(None),
                Token::End => {
                    if self.open.is_empty() && self.value.is_none() {
                        return Ok(None);
                    }
                    return Err(self.tokens.fault_at_end("Unfinished JSON term"));
                }
                Token::Separator => {
                    if !self.open.is_empty() && !self.tokens.is_blank() {
                        return Err(self.tokens.fault("Truncated value"));
                    }
                    self.open.clear();
                    self.value = None;
                }
                Token::Cut(word) => {
                    let number = matches!(word, Ok(Value::Number(_) | Value::Literal(_)));
                    return Err(self.tokens.fault(match number && self.open.is_empty() {
                        true => "Potentially truncated top-level numeric value",
                        false => "Truncated value",
                    }));
                }
                Token::Scalar(value) => {
                    if self.open.is_empty() {
                        return self.top(value).map(Some);
                    }
                    if self.value.is_some() {
                        // A word ends where something else begins.
                        let end = usize::from(value.as_str().is_none());
                        return Err(self.tokens.fault_behind("Expected separator between values", end));
                    }
                    self.value = Some(value);
                }
                other => {
                    if let Some(value) = self.place(other).map_err(|message| self.tokens.fault(message))? {
                        return Ok(Some(value));
                    }
                }
            }
        }
    }

    /// A word or a string that is a text of its own. A word is lost if the mark that ends it is wrong, and a number that
    /// ends a sequence may go on elsewhere.
    fn top(&mut self, value: Value) -> Result<Value, Fault> {
        let number = matches!(value, Value::Number(_) | Value::Literal(_));
        if self.sequence && number && self.tokens.is_used_up() {
            return Err(self.tokens.fault_at_end("Potentially truncated top-level numeric value"));
        }
        if let Some(mark) = self.tokens.mark_behind(&value) {
            self.place(mark).map_err(|message| self.tokens.fault(message))?;
        }
        Ok(value)
    }

    /// Applies a mark; a value when it closed the outermost container.
    fn place(&mut self, token: Token) -> Result<Option<Value>, &'static str> {
        match token {
            Token::Open(bracket) => {
                if self.open.len() >= MAX_DEPTH {
                    return Err("Exceeds depth limit for parsing");
                }
                if self.value.is_some() {
                    return Err("Expected separator between values");
                }
                self.open.push(match bracket {
                    b'[' => Open::Array(Vec::new()),
                    _ => Open::Object(Object::default()),
                });
            }
            Token::Colon => {
                let Some(value) = self.value.take() else { return Err("Expected string key before ':'") };
                match (self.open.last(), value) {
                    (Some(Open::Object(_)), Value::String(key)) => self.open.push(Open::Key(key)),
                    (Some(Open::Object(_)), _) => return Err("Object keys must be strings"),
                    _ => return Err("':' not as part of an object"),
                }
            }
            Token::Comma => {
                let Some(value) = self.value.take() else { return Err("Expected value before ','") };
                self.add(value)?;
            }
            Token::Close(b']') => {
                if !matches!(self.open.last(), Some(Open::Array(_))) {
                    return Err("Unmatched ']'");
                }
                let value = self.value.take();
                let Some(Open::Array(mut items)) = self.open.pop() else { return Err("Unmatched ']'") };
                match value {
                    Some(value) => items.push(value),
                    None if !items.is_empty() => return Err("Expected another array element"),
                    None => {}
                }
                return Ok(self.done(Value::array(items)));
            }
            Token::Close(_) => {
                match self.value.take() {
                    Some(value) => match self.open.last() {
                        Some(Open::Key(_)) => self.add(value)?,
                        _ => return Err("Objects must consist of key:value pairs"),
                    },
                    None => match self.open.last() {
                        Some(Open::Object(object)) if object.is_empty() => {}
                        Some(Open::Object(_)) => return Err("Expected another key-value pair"),
                        _ => return Err("Unmatched '}'"),
                    },
                }
                let Some(Open::Object(object)) = self.open.pop() else { return Err("Unmatched '}'") };
                return Ok(self.done(Value::object(object)));
            }
            _ => {}
        }
        Ok(None)
    }

    /// Puts a value where it belongs.
    fn add(&mut self, value: Value) -> Result<(), &'static str> {
        match self.open.last_mut() {
            Some(Open::Array(items)) => items.push(value),
            Some(Open::Key(_)) => {
                if let (Some(Open::Key(key)), Some(Open::Object(object))) = (self.open.pop(), self.open.last_mut()) {
                    object.insert(key, value);
                }
            }
            Some(Open::Object(_)) => return Err("Objects must consist of key:value pairs"),
            None => return Err("',' not as part of an object or array"),
        }
        Ok(())
    }

    fn done(&mut self, value: Value) -> Option<Value> {
        if self.open.is_empty() {
            return Some(value);
        }
        self.value = Some(value);
        None
    }
}

/// The one value of a text.
pub fn parse_one(text: &[u8]) -> Result<Value, Fault> {
    let mut all = parse_all(text)?;
    match all.len() {
        1 => Ok(all.remove(0)),
        0 => Err(Fault { message: "Expected JSON value".into() }),
        _ => Err(Fault { message: "Unexpected extra JSON values".into() }),
    }
}

/// All values of a text.
pub fn parse_all(text: &[u8]) -> Result<Vec<Value>, Fault> {
    let mut reader = Reader::new(false, false);
    reader.feed(text);
    reader.end();
    let mut all = Vec::new();
    while let Some(value) = reader.next()? {
        all.push(value);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::to_string;

    #[test]
    fn blocks_may_end_anywhere() {
        let text = br#" {"a":[1,2.50,"x\u00e9\n",true],"b":{}} null 12 "#;
        for size in 1..text.len() {
            let mut reader = Reader::new(false, false);
            let mut seen = Vec::new();
            for block in text.chunks(size) {
                reader.feed(block);
                while let Some(value) = reader.next().expect("good JSON") {
                    seen.push(to_string(&value));
                }
            }
            reader.end();
            while let Some(value) = reader.next().expect("good JSON") {
                seen.push(to_string(&value));
            }
            assert_eq!(seen, [r#"{"a":[1,2.50,"xé\n",true],"b":{}}"#, "null", "12"], "blocks of {size}");
        }
    }

    #[test]
    fn faults() {
        let fault = |text: &str| parse_all(text.as_bytes()).expect_err(text).message;
        assert_eq!(fault("[1,,2]"), "Expected value before ',' at line 1, column 4");
        assert_eq!(fault("{\"a\":1 \"b\"}"), "Expected separator between values at line 1, column 10");
        assert_eq!(fault("[1"), "Unfinished JSON term at EOF at line 1, column 2");
        assert_eq!(fault("foo bar"), "Invalid literal at line 1, column 4");
        assert_eq!(fault("{1:2}"), "Object keys must be strings at line 1, column 3");
    }
}
