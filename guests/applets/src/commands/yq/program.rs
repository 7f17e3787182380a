//! Expressions to programs: yq's own functions are added, and the documents are put in.

use super::documents::{Documents, Input};
use super::options::Settings;
use super::rewrite::{rewrite, take_apart};
use crate::Exit;
use crate::commands::jq::world::World;
use capsule_jq::compile::{CompileError, compile_tree, parse};
use capsule_jq::syntax::{Ast, Dialect};
use capsule_jq::{Machine, Program, Stop, Value, json};

/// What yq has beyond jq.
const FUNCTIONS: &str = r#"
def upcase: ascii_upcase;
def downcase: ascii_downcase;
def to_json: tojson;
def to_json($indent): tojson;
def from_json: fromjson;
def to_yaml: _extra("to_yaml"; null);
def from_yaml: _extra("from_yaml"; null);
def to_xml: _extra("to_xml"; null);
def from_xml: _extra("from_xml"; null);
def to_csv: _extra("to_csv"; null);
def from_csv: _extra("from_csv"; null);
def to_tsv: _extra("to_tsv"; null);
def from_tsv: _extra("from_tsv"; null);
def to_props: _extra("to_props"; null);
def from_props: _extra("from_props"; null);
def envsubst: _extra("envsubst"; null);
def from_unix: todate;
def to_unix: fromdate;
def array_to_map: to_entries | map(select(.value != null) | .key |= tostring) | from_entries;
def _like($value; $text; $regex): if $value | type == "string" then $value | test($regex) else $value == $text end;
def _merge($a; $b; $flags):
  def has_flag($flag): $flags | contains($flag);
  [$a, $b | type] as [$left, $right]
  | if $left == "object" and $right == "object" then
      reduce ($b | keys_unsorted[]) as $key ($a;
        if has($key) then .[$key] = _merge(.[$key]; $b[$key]; $flags)
        elif has_flag("?") then . else .[$key] = $b[$key] end)
    elif $left == "array" and $right == "array" and has_flag("+") then $a + $b
    elif $left == "array" and $right == "array" and has_flag("d") then
      reduce range($b | length) as $i ($a;
        .[$i] = if $i < length then _merge(.[$i]; $b[$i]; $flags) else $b[$i] end)
    elif has_flag("n") and $a != null then $a else $b end;
def load_str($file): _extra("load_str"; $file);
def load($file): _extra("load"; $file);
def load_xml($file): load_str($file) | from_xml;
def load_props($file): load_str($file) | from_props;
def load_base64($file): load_str($file) | @base64d;
def env($name): _extra("env"; $name);
def strenv($name): _extra("strenv"; $name);
def kind: if type == "object" then "map" elif type == "array" then "seq" else "scalar" end;
def tag: if type == "number" then (if floor == . then "!!int" else "!!float" end)
  else {"null": "!!null", "boolean": "!!bool", "string": "!!str", "array": "!!seq", "object": "!!map"}[type] end;
def sort_keys(f): f |= if type == "object" then to_entries | sort_by(.key) | from_entries else . end;
def with(paths; f): paths |= f;
def explode(f): .;
def omit($keys): with_entries(select(.key as $key | any($keys[]; . == $key) | not));
def pick(f): . as $all
  | (try [path(f)] catch null) as $paths
  | if $paths then reduce $paths[] as $p (null; setpath($p; $all | getpath($p)))
    else f as $keys | with_entries(select(.key as $key | any($keys[]; . == $key))) end;
def any_c(f): any(f);
def all_c(f): all(f);
def split_doc: .;
def splitDoc: .;
def filter(f): if type == "object" then with_entries(select(.value | f)) else map(select(f)) end;
def to_number: tonumber;
def to_string: tostring;
def trim_space: trim;
def format_datetime($format): fromdate | strftime($format);
def pivot: if (.[0] | type) == "object"
  then . as $rows | reduce (.[] | keys_unsorted[]) as $key ({}; if has($key) then . else .[$key] = ($rows | map(.[$key])) end)
  else transpose end;
def _expanded($match): gsub("\\$\\{?(?<group>[0-9A-Za-z_]+)\\}?"; .group as $group
  | if $group == "0" then $match.string
    elif ($group | test("^[0-9]+$")) then $match.captures[($group | tonumber) - 1].string // ""
    else first($match.captures[] | select(.name == $group) | .string) // "" end);
def sub(f): [f] as [$regex, $text]
  | reduce ([match($regex; "g")] | reverse[]) as $match (.;
      .[:$match.offset] + ($text | _expanded($match)) + .[$match.offset + $match.length:]);
def keys: keys_unsorted;
def type: tag;
"#;

/// The variables an expression's document comes in.
const VALUE: &str = "*value";
const ORIGINS: &[(&str, &str)] = &[
    ("fi", "*file"),
    ("fileIndex", "*file"),
    ("file_index", "*file"),
    ("di", "*document"),
    ("documentIndex", "*document"),
    ("document_index", "*document"),
    ("filename", "*name"),
];
const DOCUMENTS: &str = "*documents";

pub fn compile(settings: &Settings, inputs: &[Input]) -> Result<Program, Exit> {
    let mut functions = parse(FUNCTIONS, Dialect::Jq).map_err(fail)?;
    let mut module = parse(&settings.expression, Dialect::Yq).map_err(fail)?;
    functions.defs.append(&mut module.defs);
    module.defs = functions.defs;
    let main = rewrite(module.main.take().unwrap_or(Ast::Identity));
    let mut globals = Vec::new();
    module.main = Some(if settings.all {
        globals.push((DOCUMENTS.to_owned(), Value::array(inputs.iter().map(Input::described).collect())));
        spread(main)
    } else {
        from_each(Ast::Identity, main)
    });
    let mut world = World::new(Documents, Vec::new());
    compile_tree(&module, &settings.expression, globals, &mut world).map_err(fail)
}

/// The first error says it; jq's name does not belong there.
fn fail(error: CompileError) -> Exit {
    let text = error.0.first().map_or("", String::as_str);
    super::fail(text.strip_prefix("jq: error: ").unwrap_or(text))
}

/// `source as {value: $*value, …} | $*value | body`, with the names of the origin as functions.
fn from_each(source: Ast, body: Ast) -> Ast {
    let mut body = Ast::Pipe(vec![Ast::var(VALUE), body]);
    for (name, variable) in ORIGINS {
        let def = capsule_jq::syntax::Def { name: (*name).to_owned(), params: Vec::new(), body: Ast::var(variable) };
        body = Ast::Def(Box::new(def), Box::new(body));
    }
    let entries = [("value", VALUE), ("file", "*file"), ("document", "*document"), ("name", "*name")];
    take_apart(source, &entries, body)
}

/// The input of every operand is all documents, one after the other: `select(fi == 0) * select(fi == 1)`.
fn spread(ast: Ast) -> Ast {
    match ast {
        Ast::Binary(meaning, left, right) => Ast::Binary(meaning, Box::new(spread(*left)), Box::new(spread(*right))),
        Ast::Array(Some(inner)) => Ast::Array(Some(Box::new(spread(*inner)))),
        Ast::Reduce { source, patterns, init, update } => {
            Ast::Reduce { source: Box::new(spread(*source)), patterns, init, update }
        }
        Ast::Pipe(mut stages) if !stages.is_empty() => {
            let first = spread(stages.remove(0));
            stages.insert(0, first);
            Ast::Pipe(stages)
        }
        other => {
            let documents = Ast::Each { base: Box::new(Ast::var(DOCUMENTS)), optional: false };
            from_each(documents, other)
        }
    }
}

/// The text an expression makes of a value: `$index` is its number among the results.
pub fn named(expression: &str, value: &Value, index: usize) -> Result<String, Exit> {
    let mut world = World::new(Documents, Vec::new());
    let mut module = parse(FUNCTIONS, Dialect::Jq).map_err(fail)?;
    module.main = parse(expression, Dialect::Yq).map_err(fail)?.main;
    let program = compile_tree(&module, expression, vec![("index".into(), index.into())], &mut world).map_err(fail)?;
    let mut machine = Machine::new(&program, &mut world);
    machine.start(value.clone());
    match machine.next() {
        Some(Ok(Value::String(name))) => Ok(name.to_string()),
        Some(Ok(other)) => Ok(json::to_string(&other)),
        Some(Err(Stop::Error(error))) => Err(super::fail(error.as_str().unwrap_or("the name of a file failed"))),
        _ => Err(super::fail(format_args!("no name for a file came of '{expression}'"))),
    }
}
