//! Expressions to programs: yq's own functions are added, and the documents are put in.

use super::documents::{Documents, Input};
use super::options::Settings;
use crate::Exit;
use crate::commands::jq::world::World;
use capsule_jq::compile::{CompileError, compile_tree, parse};
use capsule_jq::syntax::{Ast, Dialect, Pattern, PatternKey};
use capsule_jq::{Program, Value};

/// What yq has beyond jq.
const FUNCTIONS: &str = r#"
def upcase: ascii_upcase;
def downcase: ascii_downcase;
def to_json: tojson;
def to_json($indent): tojson;
def from_json: fromjson;
def to_yaml: _extra("to_yaml"; null);
def from_yaml: _extra("from_yaml"; null);
def load($file): _extra("load"; $file);
def load_str($file): _extra("load_str"; $file);
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
    let fail = |e: CompileError| {
        // The first line says it; jq's name does not belong there.
        let text = e.0.strip_prefix("jq: error: ").unwrap_or(&e.0).to_owned();
        super::fail(text)
    };
    let mut functions = parse(FUNCTIONS, Dialect::Jq).map_err(fail)?;
    let mut module = parse(&settings.expression, Dialect::Yq).map_err(fail)?;
    functions.defs.append(&mut module.defs);
    module.defs = functions.defs;
    let main = with_paths(module.main.take().unwrap_or(Ast::Identity));
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

/// `source as {value: $*value, …} | $*value | body`, with the names of the origin as functions.
fn from_each(source: Ast, body: Ast) -> Ast {
    let entry =
        |key: &str, variable: &str| (PatternKey::Value(Ast::text(key)), Some(Pattern::Var(variable.to_owned())));
    let pattern = Pattern::Object(vec![
        entry("value", VALUE),
        entry("file", "*file"),
        entry("document", "*document"),
        entry("name", "*name"),
    ]);
    let mut body = Ast::Pipe(vec![Ast::var(VALUE), body]);
    for (name, variable) in ORIGINS {
        let def = capsule_jq::syntax::Def {
            name: (*name).to_owned(),
            params: Vec::new(),
            body: Ast::Var((*variable).to_owned(), 0),
        };
        body = Ast::Def(Box::new(def), Box::new(body));
    }
    Ast::As { source: Box::new(source), patterns: vec![pattern], body: Box::new(body) }
}

/// `PATHS | path`, `PATHS | key` and `PATHS | parent` ask where a value is: jq's `path` is told the paths themselves.
fn with_paths(ast: Ast) -> Ast {
    let place = |stage: &Ast| {
        matches!(stage, Ast::Call(name, given, _)
        if given.is_empty() && matches!(name.as_str(), "path" | "key" | "parent"))
    };
    match ast {
        Ast::Array(Some(inner)) => Ast::Array(Some(Box::new(with_paths(*inner)))),
        Ast::Pipe(mut stages) => {
            let Some(at) = stages.iter().position(place).filter(|&at| at > 0) else { return Ast::Pipe(stages) };
            let rest = stages.split_off(at + 1);
            let (asked, line) = match stages.pop() {
                Some(Ast::Call(name, _, line)) => (name, line),
                _ => return Ast::Pipe(rest),
            };
            let path = Ast::Call("path".into(), vec![Ast::Pipe(stages)], line);
            let (found, whole) = ("*path", "*whole");
            let last = |from: Option<i32>, to: Option<i32>| Ast::Slice {
                base: Box::new(Ast::var(found)),
                from: from.map(|n| Box::new(Ast::Literal(Value::from(f64::from(n))))),
                to: to.map(|n| Box::new(Ast::Literal(Value::from(f64::from(n))))),
                optional: false,
            };
            let told = match asked.as_str() {
                "path" => Ast::var(found),
                "key" => {
                    let one = Ast::Each { base: Box::new(last(Some(-1), None)), optional: false };
                    Ast::Call("first".into(), vec![one], line)
                }
                _ => Ast::Pipe(vec![Ast::var(whole), Ast::Call("getpath".into(), vec![last(None, Some(-1))], line)]),
            };
            let mut stages = vec![told];
            stages.extend(rest);
            let body = Ast::As {
                source: Box::new(path),
                patterns: vec![Pattern::Var(found.into())],
                body: Box::new(Ast::Pipe(stages)),
            };
            Ast::As {
                source: Box::new(Ast::Identity),
                patterns: vec![Pattern::Var(whole.into())],
                body: Box::new(body),
            }
        }
        other => other,
    }
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
