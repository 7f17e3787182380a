//! `-p`: all that is known, as a makefile that says where each thing comes from. Variables come by name, files in the
//! order they were first spoken of.

use super::files::{Dep, File, PatternRule, Recipe, Stamp, State, Status};
use super::output::print;
use super::variables::{Origin, Scope, Variable};
use super::{Bytes, Make};
use crate::calendar::{Moment, Zone};
use capsule_sys::{Time, now};

/// Where something was said.
fn place(place: Option<&(Bytes, usize)>) -> String {
    place.map_or(String::new(), |(file, line)| format!(" (from '{}', line {line})", String::from_utf8_lossy(file)))
}

fn origin(variable: &Variable) -> &'static str {
    match variable.origin {
        Origin::Default => "default",
        Origin::Environment => "environment",
        Origin::File => "makefile",
        Origin::EnvironmentOverride => "environment under -e",
        Origin::CommandLine => "command line",
        Origin::Override => "'override' directive",
        Origin::Automatic => "automatic",
    }
}

/// A definition as it could be read again; `before` each of its lines.
fn definition(out: &mut Bytes, name: &[u8], variable: &Variable, before: &[u8]) {
    let private = if variable.private { " private" } else { "" };
    let from = place(variable.place.as_deref());
    out.extend_from_slice(format!("# {}{private}{from}\n", origin(variable)).as_bytes());
    out.extend_from_slice(before);
    if variable.recursive && variable.value.contains(&b'\n') {
        out.extend_from_slice(&[b"define ", name, b"\n", &variable.value, b"\nendef\n"].concat());
        return;
    }
    let sign: &[u8] = match (variable.append, variable.recursive) {
        (true, _) => b" += ",
        (false, true) => b" = ",
        (false, false) => b" := ",
    };
    out.extend_from_slice(&[name, sign].concat());
    // A dollar of a value that is not expanded again is itself.
    for &b in &*variable.value {
        out.extend_from_slice(if b == b'$' && !variable.recursive { b"$$" } else { std::slice::from_ref(&b) });
    }
    out.push(b'\n');
}

fn scope(out: &mut Bytes, scope: &Scope, before: &[u8]) {
    let mut names: Vec<&Bytes> = scope.keys().collect();
    names.sort();
    for name in names {
        definition(out, name, &scope[name], before);
    }
}

fn prerequisites(out: &mut Bytes, deps: &[Dep]) {
    for dep in deps.iter().filter(|d| !d.order_only) {
        out.extend_from_slice(&[b" ", dep.name.as_slice()].concat());
    }
    if deps.iter().any(|d| d.order_only) {
        out.extend_from_slice(b" |");
        for dep in deps.iter().filter(|d| d.order_only) {
            out.extend_from_slice(&[b" ", dep.name.as_slice()].concat());
        }
    }
    out.push(b'\n');
}

fn recipe(out: &mut Bytes, recipe: Option<&Recipe>) {
    let Some(recipe) = recipe else { return };
    let from = match recipe.file.is_empty() {
        true => " (built-in)".to_owned(),
        false => place(Some(&(recipe.file.clone(), File::first_line(recipe)))),
    };
    out.extend_from_slice(format!("#  recipe to execute{from}:\n").as_bytes());
    for line in &recipe.lines {
        out.extend_from_slice(&[b"\t", line.as_slice(), b"\n"].concat());
    }
}

fn clock(time: Time, format: &[u8]) -> String {
    String::from_utf8_lossy(&Moment::new(time.sec, time.nsec, &Zone::local()).format(format)).into_owned()
}

fn moment() -> String {
    clock(now(), b"%a %b %e %H:%M:%S %Y")
}

impl Make {
    pub fn print_database(&self) {
        let mut out = super::version().lines().map(|line| format!("# {line}\n")).collect::<String>().into_bytes();
        out.extend_from_slice(format!("\n# Make data base, printed on {}\n\n# Variables\n\n", moment()).as_bytes());
        scope(&mut out, &self.globals, b"");
        out.extend_from_slice(b"\n# Pattern-specific Variable Values\n");
        self.print_pattern_variables(&mut out);
        out.extend_from_slice(b"\n# Implicit Rules\n");
        for rule in &self.rules {
            print_pattern_rule(&mut out, rule);
        }
        let terminal = self.rules.iter().filter(|r| r.terminal).count();
        let percent = terminal as f64 / self.rules.len().max(1) as f64 * 100.0;
        let counts = match self.rules.len() {
            0 => "\n# No implicit rules.".to_owned(),
            all => format!("\n# {all} implicit rules, {terminal} ({percent:.1}%) terminal."),
        };
        out.extend_from_slice(format!("{counts}\n# Files\n").as_bytes());
        for file in &self.files {
            match file.double.is_empty() {
                true if file.is_double && file.recipe.is_none() && file.deps.is_empty() => {}
                // Tried as a prerequisite of some implicit rule, and of no further interest.
                true if !file.mentioned && !file.is_target && file.recipe.is_none() && file.state == State::New => {}
                true => self.print_file(&mut out, file),
                // Its rules follow, each a file of its own.
                false => {}
            }
        }
        out.extend_from_slice(b"\n# VPATH Search Paths\n\n");
        self.print_search_paths(&mut out);
        out.extend_from_slice(format!("\n# Finished Make data base on {}\n\n", moment()).as_bytes());
        print(&out);
    }

    fn print_pattern_variables(&self, out: &mut Bytes) {
        for v in self.pattern_variables.iter() {
            out.extend_from_slice(&[b"\n", v.pattern.0.as_slice(), b"%", &v.pattern.1, b" :\n"].concat());
            let variable = Variable::new(&v.text, v.assign != super::variables::Assign::Simple, v.origin);
            definition(out, &v.name, &variable, b"# ");
        }
        let count = self.pattern_variables.len();
        let text = match count {
            0 => "\n# No pattern-specific variable values.\n".to_owned(),
            _ => format!("\n# {count} pattern-specific variable values\n"),
        };
        out.extend_from_slice(text.as_bytes());
    }

    fn print_file(&self, out: &mut Bytes, file: &File) {
        out.push(b'\n');
        if !file.is_target {
            out.extend_from_slice(b"# Not a target:\n");
        }
        scope(out, &file.variables, &[file.name.as_slice(), b": "].concat());
        let colon: &[u8] = if file.is_double { b"::" } else { b":" };
        out.extend_from_slice(&[file.name.as_slice(), colon].concat());
        prerequisites(out, &file.deps);
        let mut tell = |text: &str| out.extend_from_slice(format!("#  {text}\n").as_bytes());
        if file.builtin {
            tell("Builtin rule");
        }
        if file.phony {
            tell("Phony target (prerequisite of .PHONY).");
        }
        if file.precious {
            tell("Precious file (prerequisite of .PRECIOUS).");
        }
        if file.intermediate {
            tell("File is an intermediate prerequisite.");
        }
        tell(match file.tried_implicit {
            true => "Implicit rule search has been done.",
            false => "Implicit rule search has not been done.",
        });
        if let Some(stem) = &file.stem {
            tell(&format!("Implicit/static pattern stem: '{}'", String::from_utf8_lossy(stem)));
        }
        if !file.also.is_empty() {
            let names: Vec<Bytes> = file.also.iter().map(|&id| self.files[id].name.clone()).collect();
            tell(&format!("Also makes: {}", String::from_utf8_lossy(&names.join(&b' '))));
        }
        tell(&match file.stamp {
            None => "Modification time never checked.".to_owned(),
            Some(Stamp::Missing) => "File does not exist.".to_owned(),
            Some(Stamp::Ancient) => "File is very old.".to_owned(),
            // Not to be told from a file that was made, but was not looked at again.
            Some(Stamp::New) => "File does not exist.".to_owned(),
            Some(Stamp::At(time)) => {
                format!("Last modified {}", clock(time, b"%Y-%m-%d %H:%M:%S.%N"))
            }
        });
        tell(if file.state == State::Done { "File has been updated." } else { "File has not been updated." });
        if file.state == State::Done {
            tell(match file.status {
                Status::Good => "Successfully updated.",
                Status::Old => "Needs to be updated (-q is set).",
                Status::Failed => "Failed to be updated.",
            });
        }
        recipe(out, file.recipe.as_deref());
    }

    fn print_search_paths(&self, out: &mut Bytes) {
        for (pattern, dirs) in &self.vpaths {
            out.extend_from_slice(&[b"vpath ", pattern.as_slice(), b" ", &dirs.join(&b':'), b"\n"].concat());
        }
        let text = match self.vpaths.len() {
            0 => "# No 'vpath' search paths.\n".to_owned(),
            count => format!("\n# {count} 'vpath' search paths.\n"),
        };
        out.extend_from_slice(text.as_bytes());
        match self.globals.get(b"VPATH".as_slice()).filter(|v| !v.value.is_empty()) {
            None => out.extend_from_slice(b"\n# No general ('VPATH' variable) search path.\n"),
            Some(v) => {
                out.extend_from_slice(b"\n# General ('VPATH' variable) search path:\n# ");
                out.extend_from_slice(&[&v.value, b"\n".as_slice()].concat());
            }
        }
    }
}

fn print_pattern_rule(out: &mut Bytes, rule: &PatternRule) {
    let names: Vec<Bytes> = rule.targets.iter().map(|(before, after)| [before, &b"%"[..], after].concat()).collect();
    let colon: &[u8] = if rule.terminal { b"::" } else { b":" };
    out.extend_from_slice(&[b"\n", names.join(&b' ').as_slice(), colon].concat());
    prerequisites(out, &rule.deps);
    recipe(out, rule.recipe.as_deref());
}
