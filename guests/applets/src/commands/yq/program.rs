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
    let main = module.main.take().unwrap_or(Ast::Identity);
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
