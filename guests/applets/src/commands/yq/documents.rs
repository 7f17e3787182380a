//! Files to documents.

use super::options::{Format, Settings, format_named};
use super::yaml::{self, Document};
use super::{tables, toml, xml};
use crate::commands::jq::read_file;
use crate::commands::jq::world::Source;
use capsule_jq::{Object, Value, json};
use capsule_sys::{STDIN, getenv, read_to_end};

/// A document and where it is from.
pub struct Input {
    pub value: Value,
    /// What YAML says beyond the value.
    pub document: Option<Document>,
    pub format: Format,
    name: String,
    file: usize,
    number: usize,
}

impl Input {
    pub fn null() -> Input {
        Input { value: Value::Null, document: None, format: Format::Yaml, name: "-".into(), file: 0, number: 0 }
    }

    /// The value with its origin, as programs get it.
    pub fn described(&self) -> Value {
        Value::object(Object::from([
            ("value", self.value.clone()),
            ("file", self.file.into()),
            ("document", self.number.into()),
            ("name", self.name.as_str().into()),
        ]))
    }
}

pub fn read_all(files: &[Vec<u8>], settings: &Settings) -> Result<Vec<Input>, String> {
    if settings.null_input {
        return Ok(vec![Input::null()]);
    }
    let mut all = Vec::new();
    for (number, file) in files.iter().enumerate() {
        all.extend(read(file, number, settings)?);
    }
    Ok(all)
}

pub fn read(file: &[u8], file_number: usize, settings: &Settings) -> Result<Vec<Input>, String> {
    let name = String::from_utf8_lossy(file).into_owned();
    let bytes = if file == b"-" { read_to_end(STDIN) } else { read_file(file) };
    let bytes = bytes.map_err(|e| format!("open {name}: {e}"))?;
    let format = settings.input.unwrap_or_else(|| {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        // The short names of formats are no extensions.
        if extension.len() < 3 { Format::Yaml } else { format_named(extension).unwrap_or(Format::Yaml) }
    });
    let bad = |message: String| format!("bad file '{name}': {message}");
    let text = String::from_utf8_lossy(&bytes);
    let input =
        |value, document, number| Input { value, document, format, name: name.clone(), file: file_number, number };
    Ok(match format {
        Format::Yaml => {
            let documents = yaml::parse(&text).map_err(bad)?;
            let each = documents.into_iter().enumerate();
            each.map(|(number, document)| input(document.root.value.clone(), Some(document), number)).collect()
        }
        Format::Json => {
            let values = json::parse_all(&bytes).map_err(|e| bad(e.message))?;
            values.into_iter().enumerate().map(|(number, value)| input(value, None, number)).collect()
        }
        Format::Toml => vec![input(toml::parse(&text).map_err(bad)?, None, 0)],
        Format::Csv => vec![input(tables::parse(&text, ',').map_err(bad)?, None, 0)],
        Format::Tsv => vec![input(tables::parse(&text, '\t').map_err(bad)?, None, 0)],
        Format::Properties => vec![input(tables::parse_properties(&text).map_err(bad)?, None, 0)],
        Format::Xml => vec![input(xml::parse(&text).map_err(bad)?, None, 0)],
        Format::Shell => return Err("shell is for output only".into()),
    })
}

/// The functions yq has and jq has not; no inputs beside the documents.
pub struct Documents;

impl Source for Documents {
    fn next(&mut self) -> Option<Result<Value, Value>> {
        None
    }

    fn filename(&mut self) -> Value {
        Value::Null
    }

    fn line(&mut self) -> usize {
        0
    }

    fn position(&mut self) -> String {
        String::new()
    }

    fn extra(&mut self, name: &str, input: &Value, arg: &Value) -> Result<Value, String> {
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| format!("{name} needs a string"));
        let one = |text: &str| -> Result<Value, String> {
            Ok(yaml::parse(text)?.into_iter().next().map_or(Value::Null, |document| document.root.value))
        };
        match name {
            "from_yaml" => one(&text(input)?),
            "to_yaml" => Ok(yaml::Writer::new(2, yaml::Keep::NOTHING).write(input, None).into()),
            "from_xml" => xml::parse(&text(input)?),
            "from_csv" => tables::parse(&text(input)?, ','),
            "from_tsv" => tables::parse(&text(input)?, '\t'),
            "from_props" => tables::parse_properties(&text(input)?),
            "to_xml" => Ok(xml::write(input, 2)?.into()),
            "to_csv" => Ok(tables::write(input, ',')?.into()),
            "to_tsv" => Ok(tables::write(input, '\t')?.into()),
            "to_props" => Ok(tables::write_properties(input)?.into()),
            "envsubst" => substituted(&text(input)?).map(Value::from),
            "load" | "load_str" => {
                let path = text(arg)?;
                let bytes = read_file(path.as_bytes()).map_err(|e| format!("failed to load {path}: {e}"))?;
                let content = String::from_utf8_lossy(&bytes);
                if name == "load_str" {
                    return Ok(content.into_owned().into());
                }
                match path.rsplit_once('.').map(|(_, extension)| extension) {
                    Some("json") => {
                        json::parse_one(&bytes).map_err(|e| format!("failed to load {path}: {}", e.message))
                    }
                    Some("toml") => toml::parse(&content).map_err(|e| format!("failed to load {path}: {e}")),
                    _ => one(&content).map_err(|e| format!("failed to load {path}: {e}")),
                }
            }
            "env" | "strenv" => {
                let variable = text(arg)?;
                let Some(value) = getenv(variable.as_bytes()) else {
                    return Err(format!("value for env variable '{variable}' not provided in env()"));
                };
                let value = String::from_utf8_lossy(&value);
                if name == "env" { one(&value) } else { Ok(value.into_owned().into()) }
            }
            _ => Err(format!("{name} is not available here")),
        }
    }
}

/// `$NAME`, `${NAME}`, `${NAME-default}` and `${NAME:-default}` by what the environment says.
fn substituted(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out += &rest[..at];
        rest = &rest[at + 1..];
        let word = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let value = |name: &str| getenv(name.as_bytes()).map(|value| String::from_utf8_lossy(&value).into_owned());
        if let Some(inside) = rest.strip_prefix('{') {
            let (body, after) = inside.split_once('}').ok_or("closing brace expected")?;
            rest = after;
            let (name, more) = body.split_at(word(body));
            match (value(name), more.strip_prefix(":-"), more.strip_prefix('-')) {
                (Some(value), Some(other), _) => out += if value.is_empty() { other } else { &value },
                (None, Some(other), _) | (None, None, Some(other)) => out += other,
                (found, None, Some(_)) => out += &found.unwrap_or_default(),
                (found, None, None) if more.is_empty() => out += &found.unwrap_or_default(),
                _ => return Err(format!("cannot substitute ${{{body}}}")),
            }
        } else {
            let (name, after) = rest.split_at(word(rest));
            if name.is_empty() {
                out.push('$');
            } else {
                out += &value(name).unwrap_or_default();
                rest = after;
            }
        }
    }
    Ok(out + rest)
}
