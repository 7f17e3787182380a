//! Which implicit rule makes a file that no other rule has a recipe for.

use super::files::{Dep, FileId, PatternRule, Stamp};
use super::words::{file_part, put_stem, split_pattern, stem, tidy};
use super::{Bytes, Make, debug};
use crate::Exit;
use std::rc::Rc;

/// How many rules a file may be away from one that exists.
const MAX_CHAIN: usize = 8;

/// A rule that fits a name.
struct Candidate {
    rule: Rc<PatternRule>,
    /// What stands for `%`, and the directory that the pattern did not speak of.
    stem: Bytes,
    dir: Bytes,
    target: usize,
}

/// What a rule asks for.
struct Plan {
    deps: Vec<Dep>,
    /// Those that must be made by a rule in turn.
    through: Vec<FileId>,
}

impl Make {
    /// Finds a rule and gives the file its recipe and prerequisites; false when there is none.
    pub fn search_implicit(&mut self, id: FileId, level: usize, depth: usize) -> Result<bool, Exit> {
        let name = self.files[id].name.clone();
        if level > MAX_CHAIN || name.is_empty() {
            return Ok(false);
        }
        if self.impossible.contains(&name) {
            return Ok(false);
        }
        for _ in &self.searching {
            self.debug(debug::IMPLICIT, depth, || "Avoiding implicit rule recursion.".to_owned());
        }
        let candidates = self.candidates(&name, level > 0);
        for through in [false, true] {
            for candidate in &candidates {
                if through && candidate.rule.terminal {
                    continue;
                }
                // One rule does not help itself.
                if self.searching.iter().any(|rule| Rc::ptr_eq(rule, &candidate.rule)) {
                    continue;
                }
                self.searching.push(candidate.rule.clone());
                let plan = self.plan(id, candidate, through, (level, depth));
                self.searching.pop();
                if let Some(plan) = plan? {
                    self.adopt(id, candidate, plan);
                    return Ok(true);
                }
            }
        }
        self.impossible.insert(name);
        Ok(false)
    }

    fn candidates(&self, name: &[u8], between: bool) -> Vec<Candidate> {
        let base = file_part(name);
        let dir = &name[..name.len() - base.len()];
        let mut list: Vec<Candidate> = Vec::new();
        let mut specific = self.suffixes.iter().any(|s| name.len() > s.len() && name.ends_with(s));
        for rule in &self.rules {
            for (target, pattern) in rule.targets.iter().enumerate() {
                let slash = pattern.0.contains(&b'/') || pattern.1.contains(&b'/');
                let (text, dir): (&[u8], &[u8]) = if slash || dir.is_empty() { (name, b"") } else { (base, dir) };
                let Some(stem) = stem(pattern, text).filter(|s| !s.is_empty()) else { continue };
                let anything = pattern.0.is_empty() && pattern.1.is_empty();
                // What fits everything makes nothing in between.
                if anything && between && !rule.terminal {
                    continue;
                }
                specific |= !anything && !rule.terminal;
                list.push(Candidate { rule: rule.clone(), stem: stem.to_vec(), dir: dir.to_vec(), target });
                break;
            }
        }
        if specific {
            // What fits everything is not for names of a known kind.
            list.retain(|c| c.rule.terminal || c.rule.targets[c.target] != (Vec::new(), Vec::new()));
        }
        // The directory that a pattern did not speak of belongs to what stands for `%`.
        list.sort_by_key(|c| c.stem.len() + c.dir.len());
        list
    }

    /// What the rule needs, when all of it is there or can be had.
    fn plan(
        &mut self,
        id: FileId,
        candidate: &Candidate,
        through: bool,
        (level, depth): (usize, usize),
    ) -> Result<Option<Plan>, Exit> {
        let tell = |make: &Make, text: &str, name: &[u8]| {
            make.debug(debug::IMPLICIT, depth, || text.replace("{}", &String::from_utf8_lossy(name)));
        };
        tell(self, "Trying pattern rule with stem '{}'.", &candidate.stem);
        let mut plan = Plan { deps: Vec::new(), through: Vec::new() };
        let full: Bytes = [candidate.dir.as_slice(), &candidate.stem].concat();
        for dep in candidate.rule.deps.clone() {
            let names = if dep.second {
                self.expand_second(id, &put_stem_words(&dep.name, &candidate.stem, &candidate.dir), &full)?
            } else if split_pattern(&dep.name).is_ok() {
                // The directory goes before what the stem was put into.
                vec![[candidate.dir.as_slice(), &put_stem(&dep.name, &candidate.stem)].concat()]
            } else {
                vec![dep.name.clone()]
            };
            for name in names {
                let name = tidy(&name).to_vec();
                let implicit = split_pattern(&dep.name).is_ok();
                let text = match (self.impossible.contains(&name), implicit) {
                    (false, true) => "Trying implicit prerequisite '{}'.",
                    (false, false) => "Trying rule prerequisite '{}'.",
                    (true, true) => "Rejecting impossible implicit prerequisite '{}'.",
                    (true, false) => "Rejecting impossible rule prerequisite '{}'.",
                };
                tell(self, text, &name);
                if let Some(known) = self.known(&name)
                    && (self.files[known].mentioned || self.files[known].is_target)
                {
                    plan.deps.push(Dep::new(&name, dep.order_only));
                    continue;
                }
                let file = self.file(&name);
                if self.stamp(file) != Stamp::Missing {
                    plan.deps.push(Dep::new(&name, dep.order_only));
                    continue;
                }
                if !through || file == id {
                    return Ok(None);
                }
                // A rule for what is missing: the file is in between.
                let had = self.files[file].recipe.is_some();
                tell(self, "Looking for a rule with intermediate file '{}'.", &name);
                if !had && !self.search_implicit(file, level + 1, depth + 1)? {
                    return Ok(None);
                }
                plan.through.push(file);
                plan.deps.push(Dep::new(&name, dep.order_only));
            }
        }
        Ok(Some(plan))
    }

    fn adopt(&mut self, id: FileId, candidate: &Candidate, plan: Plan) {
        for between in plan.through {
            let file = &mut self.files[between];
            file.tried_implicit = true;
            file.intermediate = !file.not_intermediate;
        }
        let stem: Bytes = [candidate.dir.as_slice(), &candidate.stem].concat();
        let mut also = Vec::new();
        for (at, pattern) in candidate.rule.targets.iter().enumerate() {
            if at != candidate.target {
                let name = [&candidate.dir, &pattern.0, &candidate.stem, &pattern.1].map(Vec::as_slice).concat();
                also.push(self.file(&name));
            }
        }
        let file = &mut self.files[id];
        let explicit = std::mem::replace(&mut file.deps, plan.deps);
        file.deps.extend(explicit);
        file.recipe = candidate.rule.recipe.clone();
        file.stem = Some(stem);
        file.is_target = true;
        file.also = also;
    }
}

/// A prerequisite that is expanded again: the stem goes in, in every word.
fn put_stem_words(text: &[u8], stem: &[u8], dir: &[u8]) -> Bytes {
    match split_pattern(text) {
        Ok(_) if !text.starts_with(b"$") => [dir, &put_stem(text, stem)].concat(),
        _ => put_stem(text, stem),
    }
}
