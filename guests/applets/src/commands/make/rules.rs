//! Lines that are rules, and what becomes of them.

use super::files::{Dep, File, FileId, PatternRule, PatternVariable, Recipe};
use super::read::{assignment, uncomment};
use super::variables::{Modifiers, Origin};
use super::words::{after_blanks, pattern_matches, put_stem, split_pattern, stem, tidy, trim, words};
use super::{Bytes, Make, wildcard};
use crate::Exit;
use std::rc::Rc;

/// A rule whose recipe is still being read.
pub struct Pending {
    targets: Vec<Bytes>,
    /// Of a static pattern rule.
    pattern: Option<Bytes>,
    deps: Vec<Dep>,
    double: bool,
    grouped: bool,
    lines: Vec<Bytes>,
    numbers: Vec<usize>,
    has_recipe: bool,
    file: Bytes,
    line: usize,
}

impl Pending {
    /// Lines are counted from the first one of the recipe, however many each of them was written in.
    pub fn add_line(&mut self, line: &[u8], number: usize) {
        self.has_recipe = true;
        self.numbers.push(self.numbers.first().map_or(number, |first| first + self.lines.len()));
        self.lines.push(line.to_vec());
    }
}

/// The first of these bytes that is not inside of a reference.
fn outside(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(&b) = text.get(at) {
        match b {
            b'\\' if text.get(at + 1).is_some_and(|n| wanted.contains(n)) => at += 2,
            b'$' => match text.get(at + 1) {
                Some(&open @ (b'(' | b'{')) => {
                    let close = if open == b'(' { b')' } else { b'}' };
                    at = super::expand::closing(text, at + 2, open, close)? + 1;
                }
                _ => at += 2,
            },
            b if wanted.contains(&b) => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// `targets :` and what follows, with the kind of colon.
struct Colon<'a> {
    targets: &'a [u8],
    double: bool,
    grouped: bool,
    rest: &'a [u8],
}

/// Where what is expanded to find the colon ends.
fn end_of_head(line: &[u8]) -> usize {
    outside(line, b":;").unwrap_or(line.len())
}

fn colon(line: &[u8]) -> Option<Colon<'_>> {
    let at = outside(line, b":")?;
    let double = line.get(at + 1) == Some(&b':');
    let rest = &line[at + 1 + usize::from(double)..];
    let grouped = line[..at].ends_with(b"&");
    Some(Colon { targets: &line[..at - usize::from(grouped)], double, grouped, rest })
}

/// Words with `\:`, `\ ` and `\#` as themselves.
fn names(text: &[u8]) -> Vec<Bytes> {
    let mut list = Vec::new();
    let mut word: Option<Bytes> = None;
    let mut at = 0;
    while let Some(&b) = text.get(at) {
        at += 1;
        match (b, text.get(at)) {
            // A reference that is expanded later is one word.
            (b'$', Some(&open @ (b'(' | b'{'))) => {
                let close = if open == b'(' { b')' } else { b'}' };
                let end = super::expand::closing(text, at + 1, open, close).map_or(text.len(), |i| i + 1);
                word.get_or_insert_default().extend_from_slice(&text[at - 1..end]);
                at = end;
            }
            (b'\\', Some(&next @ (b' ' | b':' | b'\t'))) => {
                word.get_or_insert_default().push(next);
                at += 1;
            }
            (b, _) if super::words::is_blank(b) => list.extend(word.take()),
            (b, _) => word.get_or_insert_default().push(b),
        }
    }
    list.extend(word);
    list
}

fn with_wildcards(list: Vec<Bytes>) -> Vec<Bytes> {
    let expand = |name: Bytes| {
        let name = wildcard::home(&name);
        let found = if wildcard::is_pattern(&name) { wildcard::matches(&name) } else { Vec::new() };
        if found.is_empty() { vec![name] } else { found }
    };
    list.into_iter().flat_map(expand).collect()
}

impl Make {
    /// A line that is neither a definition nor a directive: a rule, or an error.
    pub fn rule_line(&mut self, raw: &[u8], joined: &[u8], number: usize) -> Result<Option<Pending>, Exit> {
        let tab = raw.first() == Some(&self.recipe_prefix);
        let plain = uncomment(joined);
        let line = after_blanks(&plain);
        // The colon may come out of a variable; then all before the recipe is expanded already.
        let end = end_of_head(line);
        let early = line.get(end) == Some(&b':');
        let mut head = self.expand(&line[..end])?;
        if early {
            head.extend_from_slice(&line[end..]);
        }
        let found = colon(&head);
        let Some(found) = found else {
            if trim(&head).is_empty() {
                return Ok(None);
            }
            if tab {
                return Err(self.fatal("recipe commences before first target"));
            }
            let hint = if raw.starts_with(b"        ") { " (did you mean TAB instead of 8 spaces?)" } else { "" };
            return Err(self.fatal(&format!("missing separator{hint}")));
        };
        if tab {
            return Err(self.fatal("recipe commences before first target"));
        }
        let targets = with_wildcards(names(found.targets));
        let (double, grouped, rest) = (found.double, found.grouped, found.rest);
        if let Some(done) = self.target_variable(&targets, rest)? {
            return Ok(done);
        }
        // The recipe behind a semicolon is not expanded now, and its number signs are its own.
        let end = outside(rest, b";").unwrap_or(rest.len());
        let written = early || line.get(end_of_head(line)) == Some(&b';');
        let mut inline = (end < rest.len() || line.get(end_of_head(line)) == Some(&b';')).then(|| {
            let text = match outside(raw, b";") {
                Some(at) if written => &raw[at + 1..],
                // It came out of a variable, and is expanded once more when it runs.
                _ => rest.get(end + 1..).unwrap_or_default(),
            };
            after_blanks(text).to_vec()
        });
        let mut rest = if early { self.expand(&rest[..end])? } else { rest[..end].to_vec() };
        // It may come out of a variable, too.
        if inline.is_none()
            && let Some(at) = outside(&rest, b";")
        {
            inline = Some(after_blanks(&rest[at + 1..]).to_vec());
            rest.truncate(at);
        }
        let (file, line_number) = match &self.location {
            Some((file, _)) => (file.clone(), number),
            None => (Vec::new(), number),
        };
        let mut rule = Pending {
            targets,
            pattern: None,
            deps: Vec::new(),
            double,
            grouped,
            lines: Vec::new(),
            numbers: Vec::new(),
            has_recipe: inline.is_some(),
            file,
            line: line_number,
        };
        let mut prerequisites = rest.as_slice();
        if let Some(second) = outside(prerequisites, b":") {
            let pattern = names(&prerequisites[..second]);
            match pattern.as_slice() {
                [] => return Err(self.fatal("missing target pattern")),
                [one] if one.contains(&b'%') => rule.pattern = Some(tidy(one).to_vec()),
                [_] => return Err(self.fatal("target pattern contains no '%'")),
                _ => return Err(self.fatal("multiple target patterns")),
            }
            prerequisites = &prerequisites[second + 1..];
        }
        rule.deps = self.prerequisites(prerequisites);
        if let Some(first) = inline {
            rule.add_line(&first, number);
        }
        Ok(Some(rule))
    }

    fn prerequisites(&self, text: &[u8]) -> Vec<Dep> {
        let (normal, rest) = match memchr::memchr(b'|', text) {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text, [].as_slice()),
        };
        let (mut list, mut waits) = (Vec::new(), false);
        let order_only = names(rest).into_iter().map(|name| (name, true));
        for (name, order_only) in names(normal).into_iter().map(|name| (name, false)).chain(order_only) {
            if name == b".WAIT" {
                waits = true;
                continue;
            }
            let second = self.second_expansion && name.contains(&b'$');
            let all = if second { vec![name] } else { with_wildcards(vec![name]) };
            list.extend(all.iter().map(|n| Dep { second, waits, ..Dep::new(n, order_only) }));
            waits = false;
        }
        list
    }

    /// `target: NAME = value`
    fn target_variable(&mut self, targets: &[Bytes], rest: &[u8]) -> Result<Option<Option<Pending>>, Exit> {
        let mut modifiers = Modifiers::default();
        let mut text = after_blanks(rest);
        loop {
            if let Some((name, ..)) = assignment(text)
                && !name.iter().any(|&b| super::words::is_blank(b))
            {
                break;
            }
            let word = words(text).next().unwrap_or_default();
            match word {
                b"export" => modifiers.export = true,
                b"override" => modifiers.over = true,
                b"private" => modifiers.private = true,
                _ => return Ok(None),
            }
            text = after_blanks(&text[word.len()..]);
        }
        let Some((name, assign, value)) = assignment(text) else { return Ok(None) };
        let name = self.expand(name)?;
        if trim(&name).is_empty() {
            return Err(self.fatal("empty variable name"));
        }
        let origin = if modifiers.over { Origin::Override } else { Origin::File };
        for target in targets {
            if let Ok(pattern) = split_pattern(target) {
                let export = modifiers.export.then_some(true);
                let text = value.to_vec();
                let variable = PatternVariable { pattern, name: name.clone(), assign, text, origin, export };
                Rc::make_mut(&mut self.pattern_variables).push(Rc::new(variable));
                continue;
            }
            let id = self.file(target);
            self.define(&name, assign, value, origin, Some(id))?;
            if let Some(variable) = self.files[id].variables.get_mut(&name) {
                variable.private = modifiers.private;
                if modifiers.export {
                    variable.export = Some(true);
                }
            }
        }
        Ok(Some(None))
    }

    /// A rule is complete.
    pub fn record(&mut self, rule: Pending) -> Result<(), Exit> {
        let Pending { targets, pattern, deps, double, grouped, lines, numbers, has_recipe, file, line } = rule;
        let here = (file.clone(), line);
        let recipe = has_recipe.then(|| Rc::new(Recipe { lines, file, numbers }));
        if pattern.is_none() && targets.iter().any(|t| split_pattern(t).is_ok()) {
            let patterns: Vec<_> = targets.iter().filter_map(|t| split_pattern(tidy(t)).ok()).collect();
            let mixed = patterns.len() < targets.len();
            let rule = PatternRule { targets: patterns, deps: deps.clone(), recipe: recipe.clone(), terminal: double };
            self.add_pattern_rule(rule, true);
            if !mixed {
                return Ok(());
            }
            self.warn_at(&here, "*** mixed implicit and normal rules: deprecated syntax");
        }
        let targets: Vec<Bytes> =
            targets.into_iter().filter(|t| pattern.is_some() || split_pattern(t).is_err()).collect();
        let mut group = Vec::new();
        for target in &targets {
            let target = tidy(target).to_vec();
            let mut own = deps.clone();
            let mut found_stem = None;
            if let Some(pattern) = &pattern {
                let fits = split_pattern(pattern).ok().and_then(|p| stem(&p, &target).map(<[u8]>::to_vec));
                if let Some(found) = fits {
                    for dep in &mut own {
                        dep.name = tidy(&put_stem(&dep.name, &found)).to_vec();
                    }
                    found_stem = Some(found);
                } else {
                    let text =
                        format!("target '{}' doesn't match the target pattern", String::from_utf8_lossy(&target));
                    self.warn_at(&here, &text);
                    own.clear();
                }
            }
            let id = self.file(&target);
            self.special(&target, &own);
            self.choose_goal(&target);
            let was_target = self.files[id].is_target;
            if was_target && double != self.files[id].is_double && !self.files[id].name.starts_with(b".") {
                let text = format!("target file '{}' has both : and :: entries", String::from_utf8_lossy(&target));
                return Err(self.fatal_at(&here, &text));
            }
            let entry = if double {
                self.files[id].is_double = true;
                self.files[id].is_target = true;
                self.double_entry(id)
            } else {
                id
            };
            self.mention(&own);
            let file = &mut self.files[entry];
            file.is_target = true;
            file.builtin = false;
            file.mentioned = true;
            file.location = Some(here.clone());
            let old = file.recipe.clone();
            if let Some(recipe) = &recipe {
                file.recipe = Some(recipe.clone());
                file.stem = found_stem;
                // The rule with the recipe says what comes first.
                let behind = std::mem::replace(&mut file.deps, own);
                file.deps.extend(behind);
            } else {
                file.deps.extend(own);
                if file.stem.is_none() {
                    file.stem = found_stem;
                }
            }
            if target == b".SUFFIXES" && deps.is_empty() {
                self.files[id].deps.clear();
            }
            if let (Some(old), Some(_)) = (old, &recipe)
                && !target.starts_with(b".")
            {
                let name = String::from_utf8_lossy(&target).into_owned();
                let place = recipe.as_ref().map_or(here.1, |r| File::first_line(r));
                self.warn_at(&(here.0.clone(), place), &format!("warning: overriding recipe for target '{name}'"));
                if !old.file.is_empty() {
                    let place = (old.file.clone(), File::first_line(&old));
                    self.warn_at(&place, &format!("warning: ignoring old recipe for target '{name}'"));
                }
            }
            group.push(entry);
        }
        if grouped {
            if recipe.is_none() && !group.is_empty() {
                return Err(self.fatal_at(&here, "grouped targets must provide a recipe"));
            }
            for &id in &group {
                self.files[id].also = group.iter().copied().filter(|&other| other != id).collect();
            }
        }
        Ok(())
    }

    /// Prerequisites are files that makefiles speak of.
    fn mention(&mut self, deps: &[Dep]) {
        for dep in deps.iter().filter(|d| !d.second) {
            let id = self.file(&dep.name);
            self.files[id].mentioned = true;
        }
    }

    /// The first target that is no special one is the goal.
    fn choose_goal(&mut self, target: &[u8]) {
        if target.starts_with(b".") && !target.contains(&b'/') {
            return;
        }
        let set = self.globals.get(b".DEFAULT_GOAL".as_slice()).is_some_and(|v| !v.value.is_empty());
        if set {
            return;
        }
        let suffix_rule = self.known(b".SUFFIXES").is_some_and(|id| {
            self.files[id].deps.iter().any(|d| target.strip_prefix(d.name.as_slice()).is_some_and(<[u8]>::is_empty))
        });
        if !suffix_rule {
            let goal = super::variables::Variable::new(target, false, Origin::File);
            self.set_global(b".DEFAULT_GOAL", goal);
        }
    }

    /// Targets with a meaning of their own.
    fn special(&mut self, target: &[u8], deps: &[Dep]) {
        let all = deps.is_empty();
        let ids: Vec<FileId> = match target {
            b".PHONY" | b".PRECIOUS" | b".SECONDARY" | b".INTERMEDIATE" | b".SILENT" | b".IGNORE" => {
                deps.iter().map(|d| self.file(&d.name)).collect()
            }
            _ => Vec::new(),
        };
        match target {
            b".SILENT" if all => self.flags.silent = true,
            b".IGNORE" if all => self.flags.ignore = true,
            b".SECONDARY" if all => self.all_secondary = true,
            b".NOTPARALLEL" if all => self.not_parallel = true,
            b".ONESHELL" => self.one_shell = true,
            b".DELETE_ON_ERROR" => self.delete_on_error = true,
            b".SECONDEXPANSION" => self.second_expansion = true,
            b".EXPORT_ALL_VARIABLES" => self.export_all = true,
            b".POSIX" => self.default_variable(".SHELLFLAGS", b"-ec"),
            b".PRECIOUS" => {
                let patterns = deps.iter().filter(|d| d.name.contains(&b'%')).map(|d| d.name.clone());
                self.precious.extend(patterns);
            }
            _ => {}
        }
        for id in ids {
            let file = &mut self.files[id];
            match target {
                b".PHONY" => (file.phony, file.is_target) = (true, true),
                b".PRECIOUS" => file.precious = true,
                b".SECONDARY" => (file.secondary, file.intermediate) = (true, true),
                b".INTERMEDIATE" => file.intermediate = true,
                b".SILENT" => file.silent = true,
                _ => file.ignore = true,
            }
        }
    }

    pub fn is_precious(&self, id: FileId) -> bool {
        self.files[id].precious || self.precious.iter().any(|p| pattern_matches(p, &self.files[id].name))
    }
}

impl File {
    /// Where a recipe starts.
    pub fn first_line(recipe: &Recipe) -> usize {
        recipe.numbers.first().copied().unwrap_or(0)
    }
}
