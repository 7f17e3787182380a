//! `import` and `include`: where modules are looked for, and what of them comes into scope.

use super::{CompileError, Compiler, Entry, explain};
use crate::json;
use crate::syntax::{self, Dialect, Import, Module};
use crate::value::{Object, Value};
use std::rc::Rc;

/// Where modules are read from.
pub trait Library {
    /// The text of a file, if there is one.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;
    /// Where modules are looked for when an import does not say.
    fn search_list(&self) -> Vec<String>;
}

/// How many modules may wait for one another: a longer chain is a circle.
const MAX_OPEN: usize = 64;

/// The file an import names: its path and its text.
fn locate(loader: &mut dyn Library, import: &Import, directory: Option<&str>) -> Option<(String, Vec<u8>)> {
    let extension = if import.is_data { "json" } else { "jq" };
    let mut folders = Vec::new();
    if let Some(Value::Object(meta)) = &import.meta {
        let here = directory.unwrap_or(".");
        let mut add = |folder: &str| {
            folders.push(if folder.starts_with('/') { folder.to_owned() } else { format!("{here}/{folder}") });
        };
        match meta.get("search") {
            Some(Value::String(folder)) => add(folder),
            Some(Value::Array(all)) => all.0.iter().filter_map(Value::as_str).for_each(add),
            _ => {}
        }
    }
    if folders.is_empty() {
        folders = loader.search_list();
    }
    let last = import.path.rsplit('/').next().unwrap_or_default();
    for folder in folders {
        for path in
            [format!("{folder}/{}.{extension}", import.path), format!("{folder}/{}/{last}.{extension}", import.path)]
        {
            if let Some(text) = loader.read(&path) {
                return Some((path, text));
            }
        }
    }
    None
}

impl Compiler<'_> {
    /// Brings what is imported into scope.
    pub(super) fn imports(
        &mut self,
        imports: &[Import],
        directory: Option<&str>,
        file: &str,
        text: &str,
    ) -> Result<(), CompileError> {
        for import in imports {
            if import.path.split('/').any(|part| part == "..") {
                let message = "Relative paths to modules may not traverse to parent directories";
                return Err(CompileError(format!("jq: error: {message} ({})\n", import.path)));
            }
            let Some((path, content)) = locate(self.loader, import, directory) else {
                return Err(CompileError(format!("jq: error: module not found: {}\n", import.path)));
            };
            let content = String::from_utf8_lossy(&content).into_owned();
            let fault = |message: String| explain(&syntax::SyntaxError::new(message, import.at), file, text);
            match (&import.alias, import.is_data) {
                (Some(alias), true) => {
                    let values = json::parse_all(content.as_bytes()).map_err(|e| fault(e.message))?;
                    let value = Value::array(values);
                    self.names.push(Entry::Constant(alias.clone(), value.clone()));
                    self.names.push(Entry::Constant(format!("{alias}::{alias}"), value));
                }
                (alias, _) => {
                    let entries = self.module(&path, &content)?;
                    for entry in entries.iter() {
                        let Entry::Function { name, arity, id, .. } = entry else { continue };
                        let name = match alias {
                            Some(alias) => format!("{alias}::{name}"),
                            None => name.clone(),
                        };
                        self.names.push(Entry::Function { name, arity: *arity, id: *id, depth: 0 });
                    }
                }
            }
        }
        Ok(())
    }

    /// Compiles a module once; its functions.
    fn module(&mut self, path: &str, text: &str) -> Result<Rc<Vec<Entry>>, CompileError> {
        if let Some(known) = self.modules.get(path) {
            return Ok(known.clone());
        }
        if self.open.len() >= MAX_OPEN || self.open.iter().any(|open| open == path) {
            return Err(CompileError(format!("jq: error: module import cycle detected: {path}")));
        }
        let show = |e| explain(&e, path, text);
        let module = syntax::parse(text, Dialect::Jq).map_err(show)?;
        if module.main.is_some() {
            return Err(CompileError(format!(
                "jq: error: library should only have function definitions, not a main expression\n{path}"
            )));
        }
        self.open.push(path.to_owned());
        let names = std::mem::take(&mut self.names);
        let directory = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let result = self.module_defs(&module, directory, path, text);
        self.names = names;
        self.open.pop();
        let entries = Rc::new(result?);
        self.modules.insert(path.to_owned(), entries.clone());
        Ok(entries)
    }

    fn module_defs(
        &mut self,
        module: &Module,
        directory: &str,
        path: &str,
        text: &str,
    ) -> Result<Vec<Entry>, CompileError> {
        self.imports(&module.imports, Some(directory), path, text)?;
        let before = self.names.entries.len();
        for def in &module.defs {
            self.define(def).map_err(|e| explain(&e, path, text))?;
        }
        Ok(self.names.entries.split_off(before))
    }
}

/// What `modulemeta` tells of a module.
pub fn metadata(loader: &mut dyn Library, name: &str) -> Result<Value, String> {
    let import = Import { path: name.to_owned(), alias: None, is_data: false, meta: None, at: 0 };
    let Some((_, content)) = locate(loader, &import, None) else {
        return Err(format!("module not found: {name}"));
    };
    let module = syntax::parse(&String::from_utf8_lossy(&content), Dialect::Jq).map_err(|e| e.message)?;
    let mut object = match module.meta {
        Some(Value::Object(meta)) => meta.as_ref().clone(),
        _ => Object::default(),
    };
    let mut deps = Vec::new();
    for import in module.imports {
        let mut entry = match import.meta {
            Some(Value::Object(meta)) => meta.as_ref().clone(),
            _ => Object::default(),
        };
        if let Some(alias) = import.alias {
            entry.insert(Rc::new("as".into()), alias.into());
        }
        entry.insert(Rc::new("is_data".into()), import.is_data.into());
        entry.insert(Rc::new("relpath".into()), import.path.into());
        deps.push(Value::object(entry));
    }
    let defs = module.defs.iter().map(|def| Value::text(format!("{}/{}", def.name, def.params.len()))).collect();
    object.insert(Rc::new("deps".into()), Value::array(deps));
    object.insert(Rc::new("defs".into()), Value::array(defs));
    Ok(Value::object(object))
}
