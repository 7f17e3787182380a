//! Why a pattern is none, in the words of GNU's C library.

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error {
    pub message: &'static str,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl std::error::Error for Error {}

macro_rules! errors {
    ($($name:ident $message:literal)*) => { $(pub(crate) const $name: Error = Error { message: $message };)* };
}

errors! {
    BAD_BACK_REFERENCE "Invalid back reference"
    BAD_CLASS "Invalid character class name"
    BAD_CLASS_SYNTAX "character class syntax is [[:space:]], not [:space:]"
    BAD_COLLATION "Invalid collation character"
    BAD_INTERVAL "Invalid content of \\{\\}"
    BAD_PATTERN "Invalid regular expression"
    BAD_RANGE "Invalid range end"
    BAD_REPEAT "Invalid preceding regular expression"
    OPEN_BRACE "Unmatched \\{"
    OPEN_BRACKET "Unmatched [, [^, [:, [., or [="
    OPEN_GROUP "Unmatched ( or \\("
    CLOSE_GROUP "Unmatched ) or \\)"
    TOO_BIG "Regular expression too big"
    TRAILING_BACKSLASH "Trailing backslash"
}
