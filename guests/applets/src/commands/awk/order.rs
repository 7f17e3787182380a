//! The order of a loop over an array. Programs should not count on one, but many do count on gawk's, so it is the same
//! here: whole numbers upwards in their blocks, other keys by the places of a hash table that doubles.

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
    let all: Vec<(&Key, &Value)> = array.iter().collect();
    all
}
