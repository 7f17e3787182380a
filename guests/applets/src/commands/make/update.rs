//! What has to be made, and in which order.

use super::files::{Dep, File, FileId, Stamp, State, Status};
use super::words::{tidy, trim, words};
use super::{Bytes, Make, debug, wildcard};
use crate::Exit;
use capsule_sys::{Errno, OpenFlags, SetTime, open, unlink, utimens};
use std::rc::Rc;

/// How far a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Its recipe runs, or that of something it needs.
    Running,
    Done,
}

impl Make {
    /// Makes the goals; the worst that happened to one of them.
    pub fn make_goals(&mut self, goals: &[FileId], quiet: bool) -> Result<Status, Exit> {
        let mut worst = Status::Good;
        // Each with the number of commands that were started for it.
        let mut left: Vec<(FileId, usize)> = goals.iter().map(|&goal| (goal, 0)).collect();
        while !left.is_empty() {
            let mut again = Vec::new();
            let mut stop = false;
            for &(goal, earlier) in &left {
                let before = self.started;
                // Makefiles are a level below the goals that are asked for.
                let progress = self.update(goal, None, usize::from(quiet))?;
                let started = earlier + self.started - before;
                if progress == Progress::Running {
                    again.push((goal, started));
                    continue;
                }
                let file = &self.files[goal];
                let status = file.status;
                if status == Status::Failed {
                    worst = worst.max_with(status);
                    if self.flags.keep_going && !quiet && file.failed_by_needs(self) {
                        self.tell_error(&format!(
                            "Target '{}' not remade because of errors.",
                            String::from_utf8_lossy(&file.name)
                        ));
                    }
                    if !self.flags.keep_going {
                        stop = true;
                        break;
                    }
                } else {
                    worst = worst.max_with(status);
                    if status == Status::Good && started == 0 && !quiet {
                        self.tell_nothing_done(goal);
                    }
                    if status == Status::Old && self.flags.question {
                        stop = true;
                        break;
                    }
                }
            }
            if stop {
                break;
            }
            left = again;
            if !left.is_empty() {
                self.reap(true)?;
            }
        }
        if !self.jobs.is_empty() && worst == Status::Failed && !self.flags.keep_going {
            self.tell_error("*** Waiting for unfinished jobs....");
        }
        while !self.jobs.is_empty() {
            self.reap(true)?;
        }
        Ok(worst)
    }

    fn tell_nothing_done(&mut self, goal: FileId) {
        if self.flags.silent || self.flags.question {
            return;
        }
        let file = &self.files[goal];
        let has_recipe = file.recipe.is_some() || file.double.iter().any(|&d| self.files[d].recipe.is_some());
        let name = String::from_utf8_lossy(&file.name).into_owned();
        let text = if file.phony || !has_recipe {
            format!("Nothing to be done for '{name}'.")
        } else {
            format!("'{name}' is up to date.")
        };
        self.tell(&text);
    }

    /// Looks at a file and what it needs; makes it when it must be made.
    pub fn update(&mut self, id: FileId, parent: Option<FileId>, level: usize) -> Result<Progress, Exit> {
        match self.files[id].state {
            State::Done => {
                self.debug_file(debug::VERBOSE, level, id, "Pruning file '{}'.");
                return Ok(Progress::Done);
            }
            State::Running => {
                self.debug_file(debug::VERBOSE, level, id, "Still updating file '{}'.");
                self.reap(false)?;
                let done = self.files[id].state == State::Done;
                return Ok(if done { Progress::Done } else { Progress::Running });
            }
            _ => {}
        }
        if level > super::MAX_DEPTH {
            return Err(self.fatal("prerequisites nest too deeply"));
        }
        if self.files[id].parent.is_none() && self.files[id].state == State::New && parent != Some(id) {
            self.files[id].parent = parent;
        }
        if self.files[id].double.is_empty() {
            return self.update_one(id, level);
        }
        // The rules of a double colon, one after the other.
        let mut progress = Progress::Done;
        for entry in self.files[id].double.clone() {
            if self.files[entry].parent.is_none() {
                self.files[entry].parent = Some(id);
            }
            self.files[id].state = State::Looking;
            let one = self.update_one_checked(entry, level)?;
            self.files[id].state = State::New;
            if one == Progress::Running {
                progress = Progress::Running;
                break;
            }
            if self.files[entry].status == Status::Failed {
                break;
            }
        }
        if progress == Progress::Done {
            let entries = self.files[id].double.clone();
            let (mut status, mut ran) = (Status::Good, false);
            for entry in entries {
                status = status.max_with(self.files[entry].status);
                ran |= self.files[entry].ran;
            }
            let file = &mut self.files[id];
            (file.status, file.ran, file.state) = (status, ran, State::Done);
            file.stamp = None;
        }
        Ok(progress)
    }

    fn update_one_checked(&mut self, id: FileId, level: usize) -> Result<Progress, Exit> {
        match self.files[id].state {
            State::Done => Ok(Progress::Done),
            State::Running => Ok(Progress::Running),
            _ => self.update_one(id, level),
        }
    }

    fn update_one(&mut self, id: FileId, level: usize) -> Result<Progress, Exit> {
        self.debug_file(debug::VERBOSE, level, id, "Considering target file '{}'.");
        self.files[id].state = State::Looking;
        let done = self.consider(id, level);
        if self.files[id].state == State::Looking {
            self.files[id].state = State::New;
        }
        done
    }

    /// The recipe and prerequisites that rules without names give.
    fn complete(&mut self, id: FileId, depth: usize) -> Result<(), Exit> {
        self.apply_pattern_variables(id)?;
        let file = &self.files[id];
        if !file.tried_implicit && file.recipe.is_none() && !file.phony {
            self.files[id].tried_implicit = true;
            // With nothing but a directory's name there is nothing to search.
            self.debug_file(debug::IMPLICIT, depth, id, "Looking for an implicit rule for '{}'.");
            let text = match self.search_implicit(id, 0, depth)? {
                true => "Found an implicit rule for '{}'.",
                false => "No implicit rule found for '{}'.",
            };
            self.debug_file(debug::IMPLICIT, depth, id, text);
        }
        let file = &self.files[id];
        if file.recipe.is_none() && !file.is_target && !file.name.starts_with(b".DEFAULT") {
            let default = self.known(b".DEFAULT").and_then(|d| self.files[d].recipe.clone());
            if default.is_some() {
                self.debug_file(debug::IMPLICIT, depth, id, "Using default recipe for '{}'.");
            }
            self.files[id].recipe = default;
        }
        if !std::mem::replace(&mut self.files[id].expanded, true) && self.files[id].deps.iter().any(|d| d.second) {
            let stem = self.files[id].stem.clone().unwrap_or_default();
            let mut deps = Vec::new();
            for dep in std::mem::take(&mut self.files[id].deps) {
                if !dep.second {
                    deps.push(dep);
                    continue;
                }
                for name in self.expand_second(id, &dep.name, &stem)? {
                    deps.push(Dep::new(&name, dep.order_only));
                }
            }
            self.files[id].deps = deps;
        }
        Ok(())
    }

    /// A prerequisite expanded a second time, with the automatic variables of its target.
    pub fn expand_second(&mut self, id: FileId, text: &[u8], stem: &[u8]) -> Result<Vec<Bytes>, Exit> {
        let before = (self.current, self.files[id].stem.clone());
        self.current = Some(id);
        self.files[id].stem = Some(stem.to_vec());
        let expanded = self.expand(text);
        self.current = before.0;
        self.files[id].stem = before.1;
        let expanded = expanded?;
        let names = words(&expanded).flat_map(|w| {
            let found = if wildcard::is_pattern(w) { wildcard::matches(w) } else { Vec::new() };
            if found.is_empty() { vec![w.to_vec()] } else { found }
        });
        Ok(names.collect())
    }

    fn consider(&mut self, id: FileId, level: usize) -> Result<Progress, Exit> {
        let stamp = self.stamp(id);
        let missing = stamp == Stamp::Missing || self.files[id].phony;
        if missing {
            self.debug_file(debug::BASIC, level + 1, id, "File '{}' does not exist.");
        }
        self.complete(id, level + 1)?;
        let mut must = missing || (self.files[id].is_double && self.files[id].deps.is_empty());
        let mut running = false;
        let (mut failed, mut old) = (false, false);
        let mut at = 0;
        while at < self.files[id].deps.len() {
            let name = self.files[id].deps[at].name.clone();
            let dep = match self.files[id].deps[at].file {
                Some(file) => file,
                None => self.file(&name),
            };
            self.files[id].deps[at].file = Some(dep);
            let looped = self.files[dep].state == State::Looking || dep == id;
            if looped {
                let text = format!(
                    "Circular {} <- {} dependency dropped.",
                    String::from_utf8_lossy(&self.files[id].name),
                    String::from_utf8_lossy(&name)
                );
                self.tell_error(&text);
                self.files[id].deps.remove(at);
                continue;
            }
            if running && self.files[id].deps[at].waits {
                break;
            }
            at += 1;
            let order_only = self.files[id].deps[at - 1].order_only;
            let progress = self.check_dep(dep, id, stamp, order_only, &mut must, level)?;
            if progress == Progress::Running {
                running = true;
                if self.not_parallel {
                    break;
                }
                continue;
            }
            match self.files[dep].status {
                Status::Good => continue,
                Status::Old => old = true,
                Status::Failed => failed = true,
            }
            if !self.flags.keep_going {
                break;
            }
        }
        const FINISHED: &str = "Finished prerequisites of target file '{}'.";
        if failed && !self.flags.keep_going {
            self.debug_file(debug::VERBOSE, level + 1, id, FINISHED);
            self.debug_file(debug::VERBOSE, level, id, "Giving up on target file '{}'.");
            // What still runs is waited for by those who asked for it.
            return Ok(self.finish(id, Status::Failed));
        }
        if running {
            self.debug_file(debug::VERBOSE, level + 1, id, FINISHED);
            self.debug_file(debug::VERBOSE, level, id, "The prerequisites of '{}' are being made.");
            return Ok(Progress::Running);
        }
        must |= self.flags.always && self.files[id].recipe.is_some();
        if must {
            // Files in between that were not needed until now.
            for dep in self.files[id].deps.clone() {
                let Some(file) = dep.file else { continue };
                if self.files[file].intermediate && self.files[file].state != State::Done {
                    if self.update(file, Some(id), level + 1)? == Progress::Running {
                        running = true;
                    } else if self.files[file].status == Status::Failed {
                        failed = true;
                    }
                }
            }
        }
        self.debug_file(debug::VERBOSE, level + 1, id, FINISHED);
        if running {
            return Ok(Progress::Running);
        }
        if failed {
            self.debug_file(debug::VERBOSE, level, id, "Giving up on target file '{}'.");
            return Ok(self.finish(id, Status::Failed));
        }
        // With -q, what needs something old is old, also where it has no recipe of its own.
        if old {
            return Ok(self.finish(id, Status::Old));
        }
        let mut changed = false;
        let mut deps = std::mem::take(&mut self.files[id].deps);
        for dep in &mut deps {
            let Some(file) = dep.file else { continue };
            let theirs = self.stamp(file);
            let newer =
                missing || theirs > stamp || (theirs == Stamp::Missing && self.files[file].state == State::Done);
            dep.changed = newer;
            changed |= newer && !dep.order_only;
            if !missing {
                self.tell_prerequisite(id, dep, theirs, level + 1);
            }
        }
        self.files[id].deps = deps;
        must |= changed;
        let double = self.files[id].is_double && self.files[id].deps.is_empty();
        if double {
            self.debug_file(debug::BASIC, level, id, "Target '{}' is double-colon and has no prerequisites.");
        }
        if !missing && self.files[id].recipe.is_none() && !changed {
            if self.files[id].is_target && !double {
                let text = "No recipe for '{}' and no prerequisites actually changed.";
                self.debug_file(debug::VERBOSE, level, id, text);
            }
            must = false;
        } else if !must && self.flags.always && self.files[id].recipe.is_some() {
            self.debug_file(debug::VERBOSE, level, id, "Making '{}' due to always-make flag.");
        }
        must |= self.flags.always && self.files[id].recipe.is_some();
        if self.always_old(id) {
            must = false;
        }
        if !must {
            self.debug(debug::VERBOSE, level, || {
                let file = &self.files[id];
                let found = file.found.as_ref().map(|f| format!("; using VPATH name '{}'", String::from_utf8_lossy(f)));
                let name = String::from_utf8_lossy(&file.name);
                format!("No need to remake target '{name}'{}.", found.unwrap_or_default())
            });
            return Ok(self.finish(id, Status::Good));
        }
        self.debug_file(debug::BASIC, level, id, "Must remake target '{}'.");
        self.remake(id, level)
    }

    fn tell_prerequisite(&self, id: FileId, dep: &Dep, theirs: Stamp, depth: usize) {
        let (level, text) = if dep.order_only {
            (debug::VERBOSE, "is order-only for target")
        } else if theirs == Stamp::Missing {
            (debug::BASIC, "of target '{}' does not exist")
        } else if dep.changed {
            (debug::BASIC, "is newer than target")
        } else {
            (debug::VERBOSE, "is older than target")
        };
        self.debug(level, depth, || {
            let name = String::from_utf8_lossy(&self.files[id].name);
            let text = if text.contains("{}") { text.replace("{}", &name) } else { format!("{text} '{name}'") };
            format!("Prerequisite '{}' {text}.", String::from_utf8_lossy(&dep.name))
        });
    }

    /// Looks at a prerequisite. A file in between that is not there is looked through.
    fn check_dep(
        &mut self,
        dep: FileId,
        parent: FileId,
        stamp: Stamp,
        order_only: bool,
        must: &mut bool,
        level: usize,
    ) -> Result<Progress, Exit> {
        if self.files[dep].intermediate && self.files[dep].state == State::New {
            self.complete(dep, level + 1)?;
        }
        let through = self.files[dep].intermediate
            && !self.files[dep].phony
            && self.files[dep].state == State::New
            && self.stamp(dep) == Stamp::Missing
            && self.files[dep].recipe.is_some();
        if !through {
            let progress = self.update(dep, Some(parent), level + 2)?;
            if progress == Progress::Done && !order_only {
                let theirs = self.stamp(dep);
                if theirs == Stamp::Missing || theirs > stamp {
                    *must = true;
                }
            }
            return Ok(progress);
        }
        if self.files[dep].parent.is_none() {
            self.files[dep].parent = Some(parent);
        }
        let mut progress = Progress::Done;
        let mut needed = false;
        self.files[dep].state = State::Looking;
        for inner in self.files[dep].deps.clone() {
            let file = self.file(&inner.name);
            if self.files[file].state == State::Looking {
                continue;
            }
            let one = self.check_dep(file, dep, stamp, inner.order_only, &mut needed, level + 1);
            match one {
                Ok(Progress::Running) => progress = Progress::Running,
                Ok(Progress::Done) => needed |= self.files[file].status == Status::Failed,
                Err(e) => {
                    self.files[dep].state = State::New;
                    return Err(e);
                }
            }
        }
        self.files[dep].state = State::New;
        // It is made when all is known that its target needs.
        *must |= needed;
        Ok(progress)
    }

    pub fn finish(&mut self, id: FileId, status: Status) -> Progress {
        let file = &mut self.files[id];
        (file.state, file.status) = (State::Done, status);
        Progress::Done
    }

    fn always_old(&self, id: FileId) -> bool {
        self.flags.old.iter().any(|n| tidy(n) == self.files[id].name)
    }

    /// The file must be made.
    fn remake(&mut self, id: FileId, depth: usize) -> Result<Progress, Exit> {
        // What is made is made here, wherever it was found.
        self.files[id].found = None;
        let file = &self.files[id];
        if file.recipe.is_none() {
            if file.phony || file.is_target {
                self.debug_file(debug::BASIC, depth, id, "Successfully remade target file '{}'.");
                // Nothing to do, which counts as done: those who need it are made too.
                if self.files[id].phony || self.look(id) == Stamp::Missing {
                    self.files[id].stamp = Some(Stamp::New);
                }
                return Ok(self.finish(id, Status::Good));
            }
            let progress = self.no_rule(id);
            if self.quiet_missing || self.flags.keep_going {
                self.debug_file(debug::BASIC, depth, id, "Failed to remake target file '{}'.");
            }
            return progress;
        }
        if self.flags.touch && !self.recipe_recurses(id) {
            let progress = self.touch(id);
            self.debug_file(debug::BASIC, depth, id, "Successfully remade target file '{}'.");
            return progress;
        }
        self.start(id, depth)
    }

    fn no_rule(&mut self, id: FileId) -> Result<Progress, Exit> {
        let progress = self.finish(id, Status::Failed);
        if self.quiet_missing {
            return Ok(progress);
        }
        self.tell_include_error();
        let file = &self.files[id];
        let name = String::from_utf8_lossy(&file.name).into_owned();
        let needed = file.parent.map(|p| format!(", needed by '{}'", String::from_utf8_lossy(&self.files[p].name)));
        let stop = if self.flags.keep_going { "" } else { "  Stop." };
        self.tell_error(&format!("*** No rule to make target '{name}'{}.{stop}", needed.unwrap_or_default()));
        Ok(progress)
    }

    fn touch(&mut self, id: FileId) -> Result<Progress, Exit> {
        let name = self.files[id].name.clone();
        if !self.files[id].phony {
            self.started += 1;
            if !self.flags.silent {
                self.print(&[b"touch ", name.as_slice(), b"\n"].concat());
            }
            if !self.flags.just_print {
                let done = open(&name, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC, 0o666)
                    .and_then(|_| utimens(&name, SetTime::Now, SetTime::Now));
                if let Err(e) = done {
                    self.tell_error(&format!("touch: {}: {e}", String::from_utf8_lossy(&name)));
                    return Ok(self.finish(id, Status::Failed));
                }
            }
        }
        self.files[id].ran = true;
        self.files[id].stamp = Some(Stamp::New);
        Ok(self.finish(id, Status::Good))
    }

    /// A recipe is through: what else it made is done as well.
    pub fn finished(&mut self, id: FileId, status: Status, pretended: bool) {
        for other in self.files[id].also.clone() {
            let file = &mut self.files[other];
            (file.state, file.status, file.ran) = (State::Done, status, true);
            file.stamp = if pretended { Some(Stamp::New) } else { None };
        }
        let file = &mut self.files[id];
        file.ran = true;
        file.stamp = if pretended { Some(Stamp::New) } else { None };
        self.finish(id, status);
    }

    /// The makefile that was asked for cannot be made either.
    pub fn tell_include_error(&mut self) {
        match self.include_error.take() {
            Some((Some(place), text)) => self.warn_at(&place, &text),
            Some((None, text)) => self.warn(&text),
            None => {}
        }
    }

    /// Takes away the files that were only made on the way to others.
    pub fn remove_intermediates(&mut self) {
        let mut gone: Vec<Bytes> = Vec::new();
        for id in 0..self.files.len() {
            let file = &self.files[id];
            let wanted = !file.intermediate || file.secondary || self.all_secondary || file.phony || !file.ran;
            if wanted || file.status != Status::Good || self.goals.contains(&id) || self.is_precious(id) {
                continue;
            }
            let name = self.files[id].name.clone();
            if self.flags.just_print || unlink(&name) != Err(Errno::ENOENT) {
                gone.push(name);
            }
        }
        if !gone.is_empty() {
            self.debug(debug::BASIC, 0, || "Removing intermediate files...".to_owned());
        }
        if !gone.is_empty() && !self.flags.silent {
            gone.sort_by_key(|name| self.known(name));
            self.print(&[b"rm ", gone.join(&b' ').as_slice(), b"\n"].concat());
        }
    }

    /// Whether a line of the recipe runs even with `-n`.
    fn recipe_recurses(&self, id: FileId) -> bool {
        let recipe = self.files[id].recipe.clone();
        recipe.is_some_and(|r: Rc<_>| r.lines.iter().any(|line| super::jobs::is_recursive(line)))
    }

    /// The default goal, by its name.
    pub fn default_goal(&mut self) -> Result<Option<FileId>, Exit> {
        let text = self.expand(b"$(.DEFAULT_GOAL)")?;
        let name = trim(&text);
        if words(name).count() > 1 {
            return Err(self.fatal(".DEFAULT_GOAL contains more than one target"));
        }
        Ok((!name.is_empty()).then(|| self.file(name)))
    }
}

impl Status {
    pub fn max_with(self, other: Status) -> Status {
        let rank = |s| match s {
            Status::Good => 0,
            Status::Old => 1,
            Status::Failed => 2,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl File {
    /// It failed because of what it needs, not by itself.
    fn failed_by_needs(&self, make: &Make) -> bool {
        self.deps.iter().any(|d| d.file.is_some_and(|f| make.files[f].status == Status::Failed))
            || self.double.iter().any(|&d| make.files[d].failed_by_needs(make))
    }
}
