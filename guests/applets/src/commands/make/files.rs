//! What makefiles say about files: rules, prerequisites, recipes.

use super::variables::{Assign, Scope};
use super::words::{split_pattern, stem, tidy};
use super::{Bytes, Make};
use capsule_sys::Time;
use std::rc::Rc;

pub type FileId = usize;

/// The lines of a recipe, as written.
#[derive(Debug, PartialEq, Eq)]
pub struct Recipe {
    pub lines: Vec<Bytes>,
    /// The makefile; empty: one of make's own.
    pub file: Bytes,
    /// The line of each.
    pub numbers: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Dep {
    pub name: Bytes,
    /// Only has to be there.
    pub order_only: bool,
    /// Has a `$` to be expanded when the target is looked at.
    pub second: bool,
    pub file: Option<FileId>,
    /// Newer than the target.
    pub changed: bool,
    /// Behind `.WAIT`: looked at once all before it are made.
    pub waits: bool,
}

impl Dep {
    pub fn new(name: &[u8], order_only: bool) -> Dep {
        Dep { name: tidy(name).to_vec(), order_only, second: false, file: None, changed: false, waits: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum State {
    #[default]
    New,
    /// Its prerequisites are being looked at.
    Looking,
    Running,
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Status {
    #[default]
    Good,
    /// With `-q`: would have to be made.
    Old,
    Failed,
}

/// When a file was changed last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stamp {
    Missing,
    /// `-o`: older than everything.
    Ancient,
    At(Time),
    /// Just now, by what we pretend or did.
    New,
}

#[derive(Default)]
pub struct File {
    pub name: Bytes,
    /// Where it was found along VPATH.
    pub found: Option<Bytes>,
    pub deps: Vec<Dep>,
    pub recipe: Option<Rc<Recipe>>,
    /// The rules of a `::` target, each an entry of its own.
    pub double: Vec<FileId>,
    pub is_double: bool,
    pub is_target: bool,
    /// Known before any makefile was read.
    pub builtin: bool,
    pub phony: bool,
    pub precious: bool,
    pub secondary: bool,
    pub intermediate: bool,
    /// Named in a makefile, not only made up by an implicit rule.
    pub mentioned: bool,
    pub silent: bool,
    pub ignore: bool,
    pub not_intermediate: bool,
    pub stem: Option<Bytes>,
    /// Made by the same recipe.
    pub also: Vec<FileId>,
    pub variables: Scope,
    pub patterns_applied: bool,
    pub parent: Option<FileId>,
    pub tried_implicit: bool,
    pub expanded: bool,
    pub stamp: Option<Stamp>,
    pub state: State,
    pub status: Status,
    /// Its recipe was run.
    pub ran: bool,
    pub location: Option<(Bytes, usize)>,
}

/// An implicit rule.
#[derive(Debug)]
pub struct PatternRule {
    pub targets: Vec<(Bytes, Bytes)>,
    pub deps: Vec<Dep>,
    pub recipe: Option<Rc<Recipe>>,
    /// `::`: what it needs must be there or be mentioned.
    pub terminal: bool,
}

/// `%.o: NAME = value`
pub struct PatternVariable {
    pub pattern: (Bytes, Bytes),
    pub name: Bytes,
    pub assign: Assign,
    pub text: Bytes,
    pub origin: super::variables::Origin,
    pub export: Option<bool>,
}

impl Make {
    pub fn file(&mut self, name: &[u8]) -> FileId {
        let name = tidy(name);
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = self.files.len();
        self.files.push(File { name: name.to_vec(), ..File::default() });
        self.names.insert(name.to_vec(), id);
        id
    }

    pub fn known(&self, name: &[u8]) -> Option<FileId> {
        self.names.get(tidy(name)).copied()
    }

    /// A nameless entry for one of the rules of a `::` target.
    pub fn double_entry(&mut self, of: FileId) -> FileId {
        let id = self.files.len();
        let name = self.files[of].name.clone();
        self.files.push(File { name, is_double: true, is_target: true, mentioned: true, ..File::default() });
        self.files[of].double.push(id);
        id
    }

    /// Pattern-specific variables come into a file's scope when it is first looked at, the most special last.
    pub fn apply_pattern_variables(&mut self, id: FileId) -> Result<(), crate::Exit> {
        if std::mem::replace(&mut self.files[id].patterns_applied, true) || self.pattern_variables.is_empty() {
            return Ok(());
        }
        let name = self.files[id].name.clone();
        let variables = self.pattern_variables.clone();
        let mut fitting: Vec<_> = variables.iter().filter_map(|v| Some((stem(&v.pattern, &name)?.len(), v))).collect();
        fitting.sort_by_key(|f| std::cmp::Reverse(f.0));
        // The file's own definitions go on top.
        let own = std::mem::take(&mut self.files[id].variables);
        for (_, v) in fitting {
            self.define(&v.name, v.assign, &v.text, v.origin, Some(id))?;
            if let (Some(export), Some(new)) = (v.export, self.files[id].variables.get_mut(&v.name)) {
                new.export = Some(export);
            }
        }
        for (name, variable) in own {
            let base = self.files[id].variables.get(&name).filter(|_| variable.append).cloned();
            let merged = match base {
                Some(base) => {
                    let value = [&base.value[..], b" ", &variable.value[..]].concat();
                    super::variables::Variable { value: value.into(), ..base }
                }
                None => variable,
            };
            self.files[id].variables.insert(name, merged);
        }
        Ok(())
    }

    /// Adds an implicit rule; one with the same targets and prerequisites goes, and one without a recipe is only that.
    pub fn add_pattern_rule(&mut self, rule: PatternRule, replace: bool) {
        let same = |old: &PatternRule| {
            let names = |deps: &[Dep]| deps.iter().map(|d| (d.name.clone(), d.order_only)).collect::<Vec<_>>();
            old.targets == rule.targets && names(&old.deps) == names(&rule.deps)
        };
        if let Some(at) = self.rules.iter().position(|old| same(old)) {
            if !replace {
                return;
            }
            self.rules.remove(at);
        }
        if rule.recipe.is_some() {
            self.rules.push(Rc::new(rule));
        }
    }

    /// `.c.o` and `.c` become `%.o: %.c` and `%: %.c`.
    pub fn convert_suffix_rules(&mut self) {
        let suffixes: Vec<Bytes> = match self.known(b".SUFFIXES") {
            Some(id) => self.files[id].deps.iter().map(|d| d.name.clone()).collect(),
            None => Vec::new(),
        };
        self.suffixes.clone_from(&suffixes);
        let mut found = Vec::new();
        for first in &suffixes {
            let mut ends = vec![Vec::new()];
            ends.extend(suffixes.iter().cloned());
            for second in ends {
                let name = [first.as_slice(), &second].concat();
                let Some(id) = self.known(&name) else { continue };
                let file = &self.files[id];
                if let (Some(recipe), true) = (&file.recipe, file.deps.is_empty()) {
                    found.push((first.clone(), second, recipe.clone()));
                }
            }
        }
        for (from, to, recipe) in found {
            let Ok(dep) = split_pattern(&[b"%", from.as_slice()].concat()) else { continue };
            let rule = PatternRule {
                targets: vec![(Vec::new(), to)],
                deps: vec![Dep::new(&[dep.0.as_slice(), b"%", &dep.1].concat(), false)],
                recipe: Some(recipe),
                terminal: false,
            };
            self.add_pattern_rule(rule, false);
        }
    }
}
