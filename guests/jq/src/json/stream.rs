//! Values as a stream of events, without ever holding a whole one: `[path, leaf]` and `[path]` where a container closes.
//! A leaf is told when what follows it is known to be good.

use super::read::MAX_DEPTH;
use super::token::{Fault, Token, Tokens};
use crate::value::Value;

#[derive(Clone, Copy, PartialEq)]
enum Seen {
    /// Nothing of a text yet.
    Nothing,
    OpenArray,
    OpenObject,
    Colon,
    Comma,
    Value,
}

/// Where the stream stands.
pub struct Stream {
    /// For each open container, the key or index of what is inside; null where a key is still to come.
    path: Vec<Value>,
    seen: Seen,
    /// A value that may be a leaf or a key.
    value: Option<Value>,
    /// An event that comes behind the one that was told.
    pending: Option<Value>,
}

impl Default for Stream {
    fn default() -> Stream {
        Stream { path: Vec::new(), seen: Seen::Nothing, value: None, pending: None }
    }
}

const NO_SEPARATOR: &str = "Expected separator between values";

impl Stream {
    pub fn path(&self) -> Value {
        Value::array(self.path.clone())
    }

    pub fn next(&mut self, tokens: &mut Tokens) -> Result<Option<Value>, Fault> {
        if let Some(event) = self.pending.take() {
            return Ok(Some(event));
        }
        loop {
            let key = matches!(self.path.last(), Some(Value::Null));
            match tokens.next(key)? {
                Token::More => return Ok(None),
                Token::End if self.path.is_empty() => return Ok(None),
                Token::End => return Err(tokens.fault_at_end("Unfinished JSON term")),
                Token::Separator if self.path.is_empty() => *self = Stream::default(),
                Token::Cut(word) if self.path.is_empty() => {
                    let value = word.map_err(|message| tokens.fault(message))?;
                    return Ok(Some(self.leaf(value)));
                }
                Token::Separator | Token::Cut(_) => return Err(tokens.fault("Truncated value")),
                Token::Scalar(value) => {
                    if self.value.is_some() || self.seen == Seen::Value {
                        return Err(tokens.fault_behind(NO_SEPARATOR, usize::from(value.as_str().is_none())));
                    }
                    if self.path.is_empty() {
                        // It is told only if the mark that may end it is good.
                        if let Some(mark) = tokens.mark_behind(&value) {
                            self.mark(mark).map_err(|message| tokens.fault(message))?;
                        }
                        return Ok(Some(Value::array(vec![Value::array(Vec::new()), value])));
                    }
                    self.value = Some(value);
                    self.seen = Seen::Value;
                }
                mark => {
                    if let Some(event) = self.mark(mark).map_err(|message| tokens.fault(message))? {
                        return Ok(Some(event));
                    }
                }
            }
        }
    }

    fn leaf(&self, value: Value) -> Value {
        Value::array(vec![self.path(), value])
    }

    fn mark(&mut self, mark: Token) -> Result<Option<Value>, &'static str> {
        let in_array = matches!(self.path.last(), Some(Value::Number(_)));
        match mark {
            Token::Open(bracket) => self.open(bracket, in_array)?,
            Token::Colon => self.colon(in_array)?,
            Token::Comma => return self.comma(),
            Token::Close(bracket) => return self.close(bracket, in_array).map(Some),
            _ => {}
        }
        Ok(None)
    }

    fn open(&mut self, bracket: u8, in_array: bool) -> Result<(), &'static str> {
        let array = bracket == b'[';
        if self.path.len() >= MAX_DEPTH {
            return Err("Exceeds depth limit for parsing");
        }
        match self.seen {
            Seen::Value if self.value.is_some() || !array => return Err("Expected a separator between values"),
            Seen::OpenObject if array => return Err("Expected string key after '{', not '['"),
            Seen::OpenObject => return Err("Expected string key after '{', not '{'"),
            Seen::Comma if !in_array && array => return Err("Expected string key after ',' in object, not '['"),
            Seen::Comma if !in_array => return Err("Expected string key after ',' in object, not '{'"),
            _ => {}
        }
        self.path.push(if array { Value::Number(0.0) } else { Value::Null });
        self.seen = if array { Seen::OpenArray } else { Seen::OpenObject };
        Ok(())
    }

    fn colon(&mut self, in_array: bool) -> Result<(), &'static str> {
        if in_array || self.path.is_empty() {
            return Err("':' not as part of an object");
        }
        match (self.value.take(), self.path.last_mut()) {
            (Some(key @ Value::String(_)), Some(last)) => *last = key,
            (Some(_), _) => return Err("Object keys must be strings"),
            _ => return Err("Expected string key before ':'"),
        }
        self.seen = Seen::Colon;
        Ok(())
    }

    fn comma(&mut self) -> Result<Option<Value>, &'static str> {
        if self.seen != Seen::Value {
            return Err("Expected value before ','");
        }
        if matches!(self.path.last(), Some(Value::Null)) {
            return Err("Objects must consist of key:value pairs");
        }
        let event = self.value.take().map(|value| self.leaf(value));
        match self.path.last_mut() {
            Some(Value::Number(index)) => *index += 1.0,
            Some(key) => *key = Value::Null,
            None => return Err("',' not as part of an object or array"),
        }
        self.seen = Seen::Comma;
        Ok(event)
    }

    fn close(&mut self, bracket: u8, in_array: bool) -> Result<Value, &'static str> {
        let array = bracket == b']';
        match (self.path.last(), self.seen) {
            (None, _) if array => return Err("Unmatched ']' at the top-level"),
            (None, _) => return Err("Unmatched '}' at the top-level"),
            (_, Seen::Comma) if array => return Err("Expected another array element"),
            (_, Seen::Comma) => return Err("Expected another key:value pair"),
            _ if array && !in_array => return Err("Unmatched ']' in the middle of an object"),
            _ if !array && in_array => return Err("Unmatched '}' in the middle of an array"),
            (Some(Value::Null), _) if self.value.is_some() => return Err("Objects must consist of key:value pairs"),
            (_, Seen::Colon) => return Err("Missing value in key:value pair"),
            _ => {}
        }
        let empty = matches!(self.seen, Seen::OpenArray | Seen::OpenObject);
        let leaf = self.value.take().map(|value| self.leaf(value));
        let end = Value::array(vec![self.path()]);
        self.path.pop();
        self.seen = if self.path.is_empty() { Seen::Nothing } else { Seen::Value };
        if empty {
            let nothing = if array { Value::array(Vec::new()) } else { Value::object(Default::default()) };
            return Ok(self.leaf(nothing));
        }
        Ok(match leaf {
            Some(leaf) => {
                self.pending = Some(end);
                leaf
            }
            None => end,
        })
    }
}
