//! The variables the language knows, in the order of their slots.

use super::ast::Var;

macro_rules! slots {
    ($($slot:ident)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum Order { $($slot),* }
        $(pub const $slot: u32 = Order::$slot as u32;)*
        const NAMES: &[&str] = &[$(stringify!($slot)),*];
    };
}

slots! {
    NF NR FNR RT FS OFS ORS RS SUBSEP CONVFMT OFMT IGNORECASE FIELDWIDTHS FPAT LINT
    RSTART RLENGTH FILENAME ARGC ARGIND ERRNO BINMODE TEXTDOMAIN PREC ROUNDMODE
    ARGV ENVIRON PROCINFO SYMTAB FUNCTAB
}

pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
}

pub fn is_special(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Whether reading or writing it is more than a look into its slot.
pub fn has_effect(slot: u32) -> bool {
    slot <= LINT
}

/// The same for any variable.
pub fn of(var: Var) -> Option<u32> {
    match var {
        Var::Global(slot) if has_effect(slot) => Some(slot),
        _ => None,
    }
}
