//! Outputs: the layout and what comes after each.

use capsule_jq::Value;
use capsule_jq::json::Layout;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Newline { raw: bool },
    Nothing,
    Nul,
}

pub struct Writer {
    layout: Layout,
    ending: Ending,
}

impl Writer {
    pub fn new(layout: Layout, ending: Ending) -> Writer {
        Writer { layout, ending }
    }

    /// Whether it is written without quotes, or would be but for what is not in ASCII.
    pub fn is_raw(&self, value: &Value) -> bool {
        matches!(value, Value::String(_)) && self.ending != (Ending::Newline { raw: false })
    }

    pub fn write(&self, value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
        match value {
            Value::String(text) if self.is_raw(value) => {
                if self.ending == Ending::Nul && text.contains('\0') {
                    return Err("Cannot dump a string containing NUL with --raw-output0 option".into());
                }
                // Even raw strings stay in ASCII when that is asked for.
                if self.layout.ascii {
                    self.layout.write(value, out);
                } else {
                    out.extend_from_slice(text.as_bytes());
                }
            }
            other => self.layout.write(other, out),
        }
        match self.ending {
            Ending::Newline { .. } => out.push(b'\n'),
            Ending::Nothing => {}
            Ending::Nul => out.push(0),
        }
        Ok(())
    }
}
