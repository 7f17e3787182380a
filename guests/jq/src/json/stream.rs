//! Values as a stream of events, without ever holding a whole one: `[path, leaf]` and `[path]` where a container closes.

use super::read::MAX_DEPTH;
use super::token::{Fault, Token, Tokens};
use crate::value::Value;

#[derive(Clone, Copy, PartialEq)]
enum Expect {
    /// A value; at the start of an array its end may come instead.
    Value,
    FirstItem,
    FirstKey,
    Key,
    Colon,
    /// A comma or the end of the container.
    Next,
}

/// Where the stream stands.
pub struct Stream {
    /// For each open container, the key or index of what is inside.
    path: Vec<Value>,
    expect: Expect,
}

impl Default for Stream {
    fn default() -> Stream {
        Stream { path: Vec::new(), expect: Expect::Value }
    }
}

impl Stream {
    pub fn path(&self) -> Value {
        Value::array(self.path.clone())
    }

    /// After a value: its container goes on, or the next text begins.
    fn after(&mut self) {
        self.expect = if self.path.is_empty() { Expect::Value } else { Expect::Next };
    }

    fn leaf(&mut self, value: Value) -> Value {
        self.after();
        Value::array(vec![self.path(), value])
    }

    pub fn next(&mut self, tokens: &mut Tokens) -> Result<Option<Value>, Fault> {
        loop {
            let key = matches!(self.expect, Expect::Key | Expect::FirstKey);
            let token = tokens.next(key)?;
            let step = match token {
                Token::More => return Ok(None),
                Token::End if self.path.is_empty() => return Ok(None),
                Token::End => return Err(tokens.fault_at_end("Unfinished JSON term")),
                Token::Separator if self.path.is_empty() => Ok(None),
                Token::Separator => Err("Truncated value"),
                token => self.step(token),
            };
            match step {
                Ok(None) => {}
                Ok(Some(event)) => return Ok(Some(event)),
                Err(message) => return Err(tokens.fault(message)),
            }
        }
    }

    fn step(&mut self, token: Token) -> Result<Option<Value>, &'static str> {
        match (self.expect, token) {
            (Expect::Value | Expect::FirstItem, Token::Scalar(value)) => return Ok(Some(self.leaf(value))),
            (Expect::Value | Expect::FirstItem, Token::Open(bracket)) => {
                if self.path.len() >= MAX_DEPTH {
                    return Err("Exceeds depth limit for parsing");
                }
                if bracket == b'[' {
                    self.path.push(Value::Number(0.0));
                    self.expect = Expect::FirstItem;
                } else {
                    self.path.push(Value::Null);
                    self.expect = Expect::FirstKey;
                }
            }
            (Expect::FirstItem, Token::Close(b']')) => {
                self.path.pop();
                return Ok(Some(self.leaf(Value::array(Vec::new()))));
            }
            (Expect::FirstKey, Token::Close(b'}')) => {
                self.path.pop();
                return Ok(Some(self.leaf(Value::object(Default::default()))));
            }
            (Expect::FirstKey | Expect::Key, Token::Scalar(key @ Value::String(_))) => {
                if let Some(last) = self.path.last_mut() {
                    *last = key;
                }
                self.expect = Expect::Colon;
            }
            (Expect::FirstKey, Token::Open(b'[')) => return Err("Expected string key after '{', not '['"),
            (Expect::FirstKey, Token::Open(_)) => return Err("Expected string key after '{', not '{'"),
            (Expect::Key, Token::Open(b'[')) => return Err("Expected string key after ',' in object, not '['"),
            (Expect::Key, Token::Open(_)) => return Err("Expected string key after ',' in object, not '{'"),
            (Expect::FirstKey | Expect::Key, Token::Scalar(_)) => return Err("Object keys must be strings"),
            (Expect::Colon, Token::Colon) => self.expect = Expect::Value,
            (Expect::Colon, Token::Scalar(_) | Token::Open(_)) => return Err("Expected separator between values"),
            (Expect::Colon, _) => return Err("Objects must consist of key:value pairs"),
            (Expect::Next, Token::Comma) => match self.path.last_mut() {
                Some(Value::Number(index)) => {
                    *index += 1.0;
                    self.expect = Expect::Value;
                }
                _ => self.expect = Expect::Key,
            },
            (Expect::Next, Token::Close(bracket)) => {
                let array = matches!(self.path.last(), Some(Value::Number(_)));
                if array != (bracket == b']') {
                    return Err(if bracket == b']' {
                        "Unmatched ']' in the middle of an object"
                    } else {
                        "Unmatched '}'"
                    });
                }
                let event = Value::array(vec![self.path()]);
                self.path.pop();
                self.after();
                return Ok(Some(event));
            }
            (Expect::Next, Token::Scalar(_) | Token::Open(_)) => return Err("Expected separator between values"),
            (Expect::Next, _) => return Err("':' should follow a key"),
            (_, Token::Comma) => return Err("Expected value before ','"),
            (_, Token::Colon) => return Err("Expected string key before ':'"),
            (Expect::Key, _) => return Err("Expected another key-value pair"),
            (Expect::Value, Token::Close(b']')) if !self.path.is_empty() => {
                return Err("Expected another array element");
            }
            (_, Token::Close(b']')) => return Err("Unmatched ']' at the top-level"),
            (_, _) => return Err("Unmatched '}' at the top-level"),
        }
        Ok(None)
    }
}
