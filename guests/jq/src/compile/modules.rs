//! `import` and `include`: where modules are looked for, and what of them comes into scope.

use super::{CompileError, Compiler, Entry, Names, Source};
use crate::json;
use crate::machine::Host;
use crate::syntax::{self, Dialect, Import, Module};
use crate::value::{Object, Value};
use std::rc::Rc;

/// Where modules are read from.
pub trait Library {
    /// The text of a file, if there is one.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;
    /// Where modules are looked for when an import does not say.
    fn search_list(&self) -> Vec<String>;
    /// The folder that a name in such a list means.
    fn folder(&self, name: &str) -> String {
        name.to_owned()
    }
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
            // A dot alone is the folder jq runs in, not that of the module.
            let complete = folder == "." || folder.starts_with(['/', '~', '$']);
            folders.push(if complete { folder.to_owned() } else { format!("{here}/{folder}") });
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
        let folder = loader.folder(&folder);
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
    /// Brings the user's own functions into scope, if `~/.jq` is a file.
    pub(super) fn own_library(&mut self) -> Result<(), CompileError> {
        let path = self.loader.folder("~/.jq");
        let Some(content) = self.loader.read(&path) else { return Ok(()) };
        let functions = self.module(&path, &String::from_utf8_lossy(&content))?;
        functions.iter().for_each(|function| self.names.push(function.clone()));
        Ok(())
    }

    /// Brings what is imported into scope. The last is read first, and what is wrong with one does not keep the others
    /// from being read; one that is not there does.
    pub(super) fn imports(&mut self, imports: &[Import], directory: Option<&str>) -> Result<(), CompileError> {
        let mut read = Vec::new();
        let mut errors = Vec::new();
        for import in imports.iter().rev() {
            let (path, content) = self.find(import, directory).map_err(|message| {
                errors.push(message);
                CompileError(std::mem::take(&mut errors))
            })?;
            match self.import(import, &path, &content) {
                Ok(entries) => read.push(entries),
                Err(error) => errors.extend(error.0),
            }
        }
        if !errors.is_empty() {
            return Err(CompileError(errors));
        }
        read.into_iter().rev().flatten().for_each(|entry| self.names.push(entry));
        Ok(())
    }

    fn find(&mut self, import: &Import, directory: Option<&str>) -> Result<(String, String), String> {
        if import.path.split('/').any(|part| part == "..") {
            let message = "Relative paths to modules may not traverse to parent directories";
            return Err(format!("jq: error: {message} ({})\n", import.path));
        }
        match locate(self.loader, import, directory) {
            Some((path, content)) => Ok((path, String::from_utf8_lossy(&content).into_owned())),
            None => Err(format!("jq: error: module not found: {}\n", import.path)),
        }
    }

    /// The names that an import brings into scope.
    fn import(&mut self, import: &Import, path: &str, content: &str) -> Result<Vec<Entry>, CompileError> {
        if let (Some(alias), true) = (&import.alias, import.is_data) {
            let values = json::parse_all(content.as_bytes())
                .map_err(|e| CompileError::new(format!("jq: error loading data file {path}: {}\n", e.message)))?;
            let value = Value::array(values);
            let qualified = format!("{alias}::{alias}");
            return Ok(vec![Entry::Constant(alias.clone(), value.clone()), Entry::Constant(qualified, value)]);
        }
        let functions = self.module(path, content)?;
        let named = functions.iter().filter_map(|entry| {
            let Entry::Function { name, arity, id, .. } = entry else { return None };
            let name = match &import.alias {
                Some(alias) => format!("{alias}::{name}"),
                None => name.clone(),
            };
            Some(Entry::Function { name, arity: *arity, id: *id, depth: 0 })
        });
        Ok(named.collect())
    }

    /// Compiles a module once; its functions.
    fn module(&mut self, path: &str, text: &str) -> Result<Rc<Vec<Entry>>, CompileError> {
        if let Some(known) = self.modules.get(path) {
            return Ok(known.clone());
        }
        if self.open.len() >= MAX_OPEN || self.open.iter().any(|open| open == path) {
            return Err(CompileError::new(format!("jq: error: circular import of {path}\n")));
        }
        let source = Source::new(path, text);
        let module = syntax::parse(text, Dialect::Jq).map_err(|errors| source.explain_all(&errors))?;
        if module.main.is_some() {
            let message = "jq: error: library should only have function definitions, not a main expression";
            return Err(CompileError::new(format!("jq: error: {message}")));
        }
        self.open.push(path.to_owned());
        let globals = Names { entries: self.globals.clone(), depth: 0 };
        let names = std::mem::replace(&mut self.names, globals);
        let outer = std::mem::replace(&mut self.source, source);
        let directory = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let result = self.module_defs(&module, directory);
        self.names = names;
        self.source = outer;
        self.open.pop();
        let entries = Rc::new(result?);
        self.modules.insert(path.to_owned(), entries.clone());
        Ok(entries)
    }

    fn module_defs(&mut self, module: &Module, directory: &str) -> Result<Vec<Entry>, CompileError> {
        self.imports(&module.imports, Some(directory))?;
        let before = self.names.entries.len();
        for def in &module.defs {
            self.define(def);
        }
        Ok(self.names.entries.split_off(before))
    }
}

/// What `modulemeta` tells of a module.
pub fn metadata(loader: &mut dyn Host, name: &str) -> Result<Value, String> {
    let import = Import { path: name.to_owned(), alias: None, is_data: false, meta: None };
    let Some((path, content)) = locate(loader, &import, None) else {
        return Err(format!("module not found: {name}"));
    };
    let text = String::from_utf8_lossy(&content);
    let module = match syntax::parse(&text, Dialect::Jq) {
        Ok(module) => module,
        Err(errors) => {
            let messages = Source::new(&path, &text).explain_all(&errors).0.join("\n");
            loader.message((messages + "\n").as_bytes());
            return Ok(Value::Null);
        }
    };
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
