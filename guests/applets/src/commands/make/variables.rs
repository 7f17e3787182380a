//! Variables: where each came from, which of two definitions wins, and the scopes a name is looked for in.

use super::files::FileId;
use super::{Bytes, Make};
use std::collections::HashMap;
use std::rc::Rc;

/// Where a variable came from; a later one wins over an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    Default,
    Environment,
    File,
    /// The environment with `-e`.
    EnvironmentOverride,
    CommandLine,
    Override,
    Automatic,
}

impl Origin {
    pub fn name(self) -> &'static str {
        match self {
            Origin::Default => "default",
            Origin::Environment => "environment",
            Origin::File => "file",
            Origin::EnvironmentOverride => "environment override",
            Origin::CommandLine => "command line",
            Origin::Override => "override",
            Origin::Automatic => "automatic",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub value: Rc<[u8]>,
    /// Expanded when it is used, not when it was defined.
    pub recursive: bool,
    pub origin: Origin,
    /// None: as `.EXPORT_ALL_VARIABLES` and the origin say.
    pub export: Option<bool>,
    /// Goes behind the value of the outer scopes, as `+=` for a target asks.
    pub append: bool,
    /// Not inherited by prerequisites.
    pub private: bool,
    /// Where it was defined, for messages.
    pub place: Option<Rc<(Bytes, usize)>>,
}

impl Variable {
    pub fn new(value: &[u8], recursive: bool, origin: Origin) -> Variable {
        Variable { value: value.into(), recursive, origin, export: None, append: false, private: false, place: None }
    }
}

pub type Scope = HashMap<Bytes, Variable>;

/// The `=` of a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assign {
    Recursive,
    Simple,
    /// `:::=`: expanded now, and once more when it is used, which changes nothing.
    Immediate,
    Append,
    Conditional,
    Shell,
}

/// What stands before a definition.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Modifiers {
    pub export: bool,
    pub over: bool,
    pub private: bool,
    pub define: bool,
    pub undefine: bool,
}

/// Where a found variable lives, to go on from there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Frame(usize),
    File(FileId),
    Global,
}

impl Make {
    /// The innermost variable of this name.
    pub fn variable(&self, name: &[u8]) -> Option<(&Variable, Place)> {
        for (at, frame) in self.frames.iter().enumerate().rev() {
            if let Some(found) = frame.get(name) {
                return Some((found, Place::Frame(at)));
            }
        }
        let found = self.current.and_then(|file| self.file_variable(name, file, true));
        let hidden = self.current.is_some();
        found.or_else(|| Some((self.globals.get(name).filter(|v| !(hidden && v.private))?, Place::Global)))
    }

    /// In the scopes of a file and of those that needed it.
    fn file_variable(&self, name: &[u8], file: FileId, own: bool) -> Option<(&Variable, Place)> {
        let (mut at, mut inner) = (Some(file), own);
        let mut steps = 0;
        while let Some(id) = at {
            if let Some(found) = self.files[id].variables.get(name).filter(|v| inner || !v.private) {
                return Some((found, Place::File(id)));
            }
            inner = false;
            at = self.files[id].parent;
            // Parents are set while a file is looked at, so they make no loop; this is for the case that they do.
            steps += 1;
            if steps > super::MAX_DEPTH {
                break;
            }
        }
        None
    }

    /// The variable that one with `append` goes behind.
    pub fn outer_variable(&self, name: &[u8], place: Place) -> Option<(&Variable, Place)> {
        if let Place::File(id) = place
            && let Some(parent) = self.files[id].parent
            && let Some(found) = self.file_variable(name, parent, false)
        {
            return Some(found);
        }
        match place {
            Place::Global => None,
            _ => Some((self.globals.get(name)?, Place::Global)),
        }
    }

    /// Sets a variable unless one of a higher origin is there.
    pub fn set_global(&mut self, name: &[u8], variable: Variable) {
        let kept = self.flags.environment;
        match self.globals.get_mut(name) {
            // With -e the environment wins, which shows once somebody tries.
            Some(old) if kept && old.origin == Origin::Environment && variable.origin == Origin::File => {
                old.origin = Origin::EnvironmentOverride;
            }
            Some(old) if old.origin > variable.origin => {}
            Some(old) => {
                let export = old.export.or(variable.export);
                *old = Variable { export, ..variable };
            }
            None => {
                self.globals.insert(name.to_vec(), variable);
            }
        }
    }

    pub fn default_variable(&mut self, name: &str, value: &[u8]) {
        self.set_global(name.as_bytes(), Variable::new(value, true, Origin::Default));
    }

    /// Defines a variable as a makefile asks; `of`: for a target only.
    pub fn define(
        &mut self,
        name: &[u8],
        assign: Assign,
        text: &[u8],
        origin: Origin,
        of: Option<FileId>,
    ) -> Result<(), crate::Exit> {
        let before = self.current;
        if of.is_some() {
            self.current = of;
        }
        let done = self.define_in(name, assign, text, origin, of);
        self.current = before;
        done
    }

    fn define_in(
        &mut self,
        name: &[u8],
        assign: Assign,
        text: &[u8],
        origin: Origin,
        of: Option<FileId>,
    ) -> Result<(), crate::Exit> {
        let old = match of {
            None => self.globals.get(name).cloned(),
            Some(file) => self.files[file].variables.get(name).cloned(),
        };
        let mut variable = match assign {
            Assign::Recursive => Variable::new(text, true, origin),
            Assign::Simple => Variable::new(&self.expand(text)?, false, origin),
            Assign::Immediate => {
                let value = self.expand(text)?;
                let dollars = value.iter().flat_map(|b| if *b == b'$' { vec![b'$'; 2] } else { vec![*b] });
                Variable::new(&dollars.collect::<Bytes>(), true, origin)
            }
            Assign::Shell => {
                let command = self.expand(text)?;
                Variable::new(&self.shell_output(&command)?, true, origin)
            }
            Assign::Conditional => {
                let known = match of {
                    None => old.is_some(),
                    Some(_) => self.variable(name).is_some(),
                };
                if known {
                    return Ok(());
                }
                Variable::new(text, true, origin)
            }
            Assign::Append => match &old {
                Some(old) if of.is_none() || !old.append || old.recursive => {
                    if of.is_none() && old.origin > origin {
                        return Ok(());
                    }
                    let added = if old.recursive { text.to_vec() } else { self.expand(text)? };
                    let mut value = old.value.to_vec();
                    if !value.is_empty() {
                        value.push(b' ');
                    }
                    value.extend_from_slice(&added);
                    Variable { value: value.into(), origin: old.origin.max(origin), ..old.clone() }
                }
                Some(_) | None if of.is_none() => Variable::new(text, true, origin),
                _ => {
                    // What it goes behind decides when it is expanded.
                    let simple = self.variable(name).is_some_and(|(v, _)| !v.recursive);
                    let value = if simple { self.expand(text)? } else { text.to_vec() };
                    Variable { append: true, ..Variable::new(&value, !simple, origin) }
                }
            },
        };
        variable.place = self.location.clone().map(Rc::new);
        match of {
            None => {
                if name == b"MAKEFLAGS" && origin >= Origin::File {
                    let flags = variable.value.to_vec();
                    self.flags_from_makefile(&flags)?;
                    let all = self.flags_text();
                    variable.value = all.into();
                }
                self.set_global(name, variable);
            }
            Some(file) => {
                // What the command line says holds for targets too.
                let global = self.globals.get(name).filter(|g| {
                    origin != Origin::Override && matches!(g.origin, Origin::CommandLine | Origin::EnvironmentOverride)
                });
                if let Some(global) = global {
                    variable = Variable { append: false, ..global.clone() };
                }
                let export = old.and_then(|v| v.export);
                self.files[file].variables.insert(name.to_vec(), Variable { export, ..variable });
            }
        }
        if of.is_none() {
            self.noticed(name);
        }
        Ok(())
    }

    /// Variables that change how makefiles are read.
    fn noticed(&mut self, name: &[u8]) {
        if name == b".RECIPEPREFIX" {
            let value = self.globals.get(name).map(|v| v.value.clone());
            self.recipe_prefix = value.and_then(|v| v.first().copied()).unwrap_or(b'\t');
        }
    }
}
