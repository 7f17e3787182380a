//! Arguments of tools, as a client sent them.

use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The session of a call that names none.
pub const DEFAULT_SESSION: &str = "default";

/// A session's id is any text of at most so many bytes.
const MOST_ID: usize = 256;

/// The id of a session. Null is as good as nothing: some clients send it for what they leave out.
pub struct SessionId(pub String);

impl Default for SessionId {
    fn default() -> SessionId {
        SessionId(DEFAULT_SESSION.to_owned())
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SessionId, D::Error> {
        match Option::<String>::deserialize(deserializer)? {
            None => Ok(SessionId::default()),
            Some(id) if id.len() > MOST_ID => {
                Err(D::Error::custom(format!("a session id has at most {MOST_ID} bytes, this one has {}", id.len())))
            }
            Some(id) => Ok(SessionId(id)),
        }
    }
}

/// Reads the arguments of `tool`; the error names the one that is wrong.
pub fn read<T: DeserializeOwned>(tool: &str, arguments: JsonObject) -> Result<T, ErrorData> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let place = error.path().to_string();
        let why = error.into_inner();
        let message = match place.as_str() {
            "." => format!("{tool}: {why}"),
            place => format!("{tool}: {place}: {why}"),
        };
        ErrorData::invalid_params(message, None)
    })
}
