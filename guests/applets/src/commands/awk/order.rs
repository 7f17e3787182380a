//! The order of a loop over an array: whole numbers upwards, as gawk has them in most cases, then the other keys in the
//! order they were made.

use super::array::{Array, Key};
use super::value::Value;

/// What gawk would keep the array in.
pub fn kind_name(array: &Array) -> &'static str {
    let mut kind = "null";
    for (key, _) in array.iter() {
        match key {
            Key::Int(1..) if kind != "str" => kind = if kind == "int" { "int" } else { "cint" },
            Key::Int(0) if kind == "null" => kind = "cint",
            Key::Int(_) if kind != "str" => kind = "int",
            _ => return "str",
        }
    }
    kind
}

pub fn keys(array: &Array) -> Vec<Value> {
    entries(array).into_iter().map(|(key, _)| key.value()).collect()
}

pub fn entries(array: &Array) -> Vec<(&Key, &Value)> {
    let (mut numbers, mut all): (Vec<_>, Vec<_>) = array.iter().partition(|(key, _)| matches!(key, Key::Int(0..)));
    // Arrays that are filled by counting are in order already.
    numbers.sort_by_key(|(key, _)| match key {
        Key::Int(n) => *n,
        _ => 0,
    });
    numbers.append(&mut all);
    numbers
}
