//! TOML: to values and back.

use capsule_jq::{Object, Value, json};
use std::rc::Rc;
use toml::de::{DeTable, DeValue};

/// How deep tables may nest.
const MAX_DEPTH: usize = 200;

pub fn parse(text: &str) -> Result<Value, String> {
    let table = DeTable::parse(text).map_err(|e| format!("toml: {}", e.message()))?;
    table_value(table.get_ref(), 0)
}

fn table_value(table: &DeTable, depth: usize) -> Result<Value, String> {
    let mut object = Object::default();
    for (key, value) in table {
        object.insert(Rc::new(key.get_ref().to_string()), value_of(value.get_ref(), depth + 1)?);
    }
    Ok(Value::object(object))
}

fn value_of(value: &DeValue, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err("toml: tables are nested too deeply".into());
    }
    Ok(match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => integer(number.as_str(), number.radix()),
        DeValue::Float(number) => match number.as_str() {
            "nan" | "+nan" | "-nan" => Value::Number(f64::NAN),
            "inf" | "+inf" => Value::Number(f64::INFINITY),
            "-inf" => Value::Number(f64::NEG_INFINITY),
            text => json::parse_one(text.trim_start_matches('+').as_bytes()).map_err(|e| e.message)?,
        },
        DeValue::Boolean(yes) => Value::Bool(*yes),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(items) => {
            let items: Result<Vec<Value>, String> =
                items.iter().map(|item| value_of(item.get_ref(), depth + 1)).collect();
            Value::array(items?)
        }
        DeValue::Table(table) => table_value(table, depth)?,
    })
}

fn integer(text: &str, radix: u32) -> Value {
    if radix == 10 {
        return json::parse_one(text.trim_start_matches('+').as_bytes()).unwrap_or_default();
    }
    i64::from_str_radix(text, radix).map_or(Value::Null, |n| Value::Number(n as f64))
}

/// A value as a TOML document; only tables can be one.
pub fn write(value: &Value) -> Result<String, String> {
    let Value::Object(object) = value else {
        return Err(format!("only a mapping can be written as TOML, not {}", value.kind()));
    };
    let mut out = String::new();
    table(object, &mut Vec::new(), &mut out)?;
    Ok(out)
}

fn is_table_list(value: &Value) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(|item| matches!(item, Value::Object(_))))
}

fn table(object: &Object, path: &mut Vec<String>, out: &mut String) -> Result<(), String> {
    if path.len() > MAX_DEPTH {
        return Err("the value is nested too deeply for TOML".into());
    }
    // Plain keys first: after a table's header every key would be that table's.
    for (key, value) in object.entries() {
        if !matches!(value, Value::Object(_)) && !is_table_list(value) {
            *out += &format!("{} = {}\n", key_text(key), inline(value, 0)?);
        }
    }
    for (key, value) in object.entries() {
        match value {
            Value::Object(inner) => {
                path.push(key_text(key));
                let bare = inner.entries().iter().any(|e| !matches!(e.1, Value::Object(_)) && !is_table_list(&e.1));
                if bare || inner.is_empty() {
                    *out += &format!("{}[{}]\n", gap(out), path.join("."));
                }
                table(inner, path, out)?;
                path.pop();
            }
            list if is_table_list(list) => {
                path.push(key_text(key));
                for item in list.as_array().unwrap_or_default() {
                    *out += &format!("{}[[{}]]\n", gap(out), path.join("."));
                    if let Value::Object(item) = item {
                        table(item, path, out)?;
                    }
                }
                path.pop();
            }
            _ => {}
        }
    }
    Ok(())
}

fn gap(out: &str) -> &'static str {
    if out.is_empty() { "" } else { "\n" }
}

fn key_text(key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { key.to_owned() } else { json::to_string(&key.into()) }
}

fn inline(value: &Value, depth: usize) -> Result<String, String> {
    if depth > MAX_DEPTH {
        return Err("the value is nested too deeply for TOML".into());
    }
    Ok(match value {
        Value::Null => return Err("TOML has no null".into()),
        Value::Number(n) if n.is_nan() => "nan".into(),
        Value::Number(n) if n.is_infinite() => if *n > 0.0 { "inf" } else { "-inf" }.into(),
        Value::Array(items) => {
            let items: Result<Vec<String>, String> = items.0.iter().map(|item| inline(item, depth + 1)).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(object) => {
            let mut parts = Vec::new();
            for (key, value) in object.entries() {
                parts.push(format!("{} = {}", key_text(key), inline(value, depth + 1)?));
            }
            format!("{{ {} }}", parts.join(", "))
        }
        other => json::to_string(other),
    })
}
