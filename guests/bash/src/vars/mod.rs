//! Variables: values with attributes, in slots indexed by their interned names. Scopes are dynamic and bound shallowly:
//! a slot holds what is visible now, and a frame keeps what it hid, so reading a variable never walks anything.

mod assoc;
mod indexed;

pub use assoc::AssocArray;
pub use indexed::IndexedArray;

use crate::names::Name;
use std::borrow::Cow;
use std::rc::Rc;

/// Attributes, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Attrs(pub u16);

impl Attrs {
    pub const EXPORT: Attrs = Attrs(1);
    pub const READONLY: Attrs = Attrs(2);
    pub const INTEGER: Attrs = Attrs(4);
    pub const LOWER: Attrs = Attrs(8);
    pub const UPPER: Attrs = Attrs(16);
    pub const CAPITAL: Attrs = Attrs(32);
    pub const NAMEREF: Attrs = Attrs(64);
    pub const TRACE: Attrs = Attrs(128);
    /// From the assignments before a command.
    pub const TEMPORARY: Attrs = Attrs(256);
    /// All that a saved state may have.
    pub const LASTING: Attrs = Attrs(255);

    pub fn has(self, other: Attrs) -> bool {
        self.0 & other.0 != 0
    }

    pub fn with(self, other: Attrs) -> Attrs {
        Attrs(self.0 | other.0)
    }

    pub fn without(self, other: Attrs) -> Attrs {
        Attrs(self.0 & !other.0)
    }
}

#[derive(Clone, Debug)]
pub enum Value {
    Scalar(Vec<u8>),
    Indexed(Box<IndexedArray>),
    Assoc(Box<AssocArray>),
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub value: Value,
    pub attrs: Attrs,
    /// False: declared, but never given a value.
    pub set: bool,
}

impl Variable {
    pub fn scalar(value: Vec<u8>) -> Variable {
        Variable { value: Value::Scalar(value), attrs: Attrs::default(), set: true }
    }

    pub fn declared() -> Variable {
        Variable { value: Value::Scalar(Vec::new()), attrs: Attrs::default(), set: false }
    }

    pub fn is_array(&self) -> bool {
        !matches!(self.value, Value::Scalar(_))
    }

    /// What `$name` gives: the value, or element 0 of an array.
    pub fn get(&self) -> Option<&[u8]> {
        if !self.set {
            return None;
        }
        match &self.value {
            Value::Scalar(text) => Some(text),
            Value::Indexed(array) => array.get(0),
            Value::Assoc(array) => array.get(b"0"),
        }
    }

    /// The letters `${x@a}` gives.
    pub fn attribute_letters(&self) -> String {
        let mut letters = String::new();
        match self.value {
            Value::Indexed(_) => letters.push('a'),
            Value::Assoc(_) => letters.push('A'),
            Value::Scalar(_) => {}
        }
        let table = [
            (Attrs::INTEGER, 'i'),
            (Attrs::NAMEREF, 'n'),
            (Attrs::READONLY, 'r'),
            (Attrs::TRACE, 't'),
            (Attrs::EXPORT, 'x'),
            (Attrs::CAPITAL, 'c'),
            (Attrs::LOWER, 'l'),
            (Attrs::UPPER, 'u'),
        ];
        letters.extend(table.iter().filter(|(bit, _)| self.attrs.has(*bit)).map(|(_, c)| c));
        letters
    }
}

/// Variables that are computed, or whose assignment does something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Special {
    #[default]
    None,
    Random,
    SRandom,
    Seconds,
    LineNo,
    EpochSeconds,
    EpochRealtime,
    BashPid,
    BashCommand,
    BashSubshell,
    FuncName,
    BashSource,
    BashLineNo,
    BashArgc,
    BashArgv,
    DirStack,
    Groups,
    PipeStatus,
    BashAliases,
    BashCmds,
    BashArgv0,
    ShellOpts,
    BashOpts,
    HistCmd,
    /// Assignments only.
    Ifs,
    Path,
    Locale,
    OptInd,
    Posix,
    GlobIgnore,
}

impl Special {
    /// The value is made when it is read; of the others assignments are noticed.
    pub fn is_computed(self) -> bool {
        use Special::{GlobIgnore, Ifs, Locale, None, OptInd, Path, Posix};
        !matches!(self, None | Ifs | Path | Locale | OptInd | Posix | GlobIgnore)
    }
}

#[derive(Default)]
struct Slot {
    var: Option<Variable>,
    /// The frame (counted from 1) whose local this is; 0 is global.
    scope: u32,
    special: Special,
}

/// What a function call or a temporary environment hid.
#[derive(Default)]
struct Frame {
    hidden: Vec<(Name, Option<Variable>, u32)>,
    /// Of a command's own assignments, not of a function.
    temporary: bool,
    /// `local -`
    pub saved_options: Option<Vec<u8>>,
}

#[derive(Default)]
pub struct Vars {
    slots: Vec<Slot>,
    frames: Vec<Frame>,
    /// The environment for children, until an exported variable changes.
    environment: Option<Rc<Vec<Vec<u8>>>>,
    /// A frame that ended hid a special variable.
    special_restored: bool,
}

impl Vars {
    fn slot(&mut self, name: Name) -> &mut Slot {
        let index = name.index();
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, Slot::default);
        }
        &mut self.slots[index]
    }

    pub fn special(&self, name: Name) -> Special {
        self.slots.get(name.index()).map_or(Special::None, |slot| slot.special)
    }

    pub fn set_special(&mut self, name: Name, special: Special) {
        self.slot(name).special = special;
    }

    /// Every variable that is there, in the order of first use.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &Variable)> {
        self.slots.iter().enumerate().filter_map(|(i, slot)| Some((Name::from_index(i), slot.var.as_ref()?)))
    }

    pub fn get(&self, name: Name) -> Option<&Variable> {
        self.slots.get(name.index()).and_then(|slot| slot.var.as_ref())
    }

    pub fn find(&self, name: &[u8]) -> Option<&Variable> {
        Name::find(name).and_then(|name| self.get(name))
    }

    /// For changing in place; the environment is made anew if the variable is exported.
    pub fn get_mut(&mut self, name: Name) -> Option<&mut Variable> {
        let exported = self.get(name)?.attrs.has(Attrs::EXPORT);
        if exported {
            self.environment = None;
        }
        self.slots[name.index()].var.as_mut()
    }

    /// The variable, made when it is not there.
    pub fn entry(&mut self, name: Name) -> &mut Variable {
        if self.get(name).is_some_and(|var| var.attrs.has(Attrs::EXPORT)) {
            self.environment = None;
        }
        self.slot(name).var.get_or_insert_with(Variable::declared)
    }

    pub fn put(&mut self, name: Name, var: Variable) {
        self.environment = None;
        self.slot(name).var = Some(var);
    }

    /// Assigns a plain value without asking anything (attributes stay).
    pub fn set(&mut self, name: &[u8], value: &[u8]) {
        let var = self.entry(Name::new(name));
        var.set = true;
        match &mut var.value {
            Value::Scalar(text) => {
                text.clear();
                text.extend_from_slice(value);
            }
            Value::Indexed(array) => array.set(0, value.to_vec()),
            Value::Assoc(array) => array.set(b"0", value.to_vec()),
        }
    }

    pub fn changed_exports(&mut self) {
        self.environment = None;
    }

    /// Forgets a variable. A local of the running function stays hidden-but-unset; a caller's local is taken away, and
    /// what it hid is seen again.
    pub fn unset(&mut self, name: Name, localvar_unset: bool) {
        self.environment = None;
        let current = self.function_scope();
        let slot = self.slot(name);
        let scope = slot.scope;
        if scope == 0 {
            slot.var = None;
            slot.special = Special::None;
            return;
        }
        let temporary = self.frames.get(scope as usize - 1).is_some_and(|frame| frame.temporary)
            || self.get(name).is_some_and(|var| var.attrs.has(Attrs::TEMPORARY));
        if (scope == current && !temporary) || localvar_unset {
            let slot = self.slot(name);
            if let Some(var) = &mut slot.var {
                var.set = false;
                var.attrs = Attrs::default();
                var.value = Value::Scalar(Vec::new());
            }
            return;
        }
        self.reveal(name, scope);
    }

    fn reveal(&mut self, name: Name, scope: u32) {
        let Some(frame) = self.frames.get_mut(scope as usize - 1) else { return };
        if let Some(at) = frame.hidden.iter().rposition(|(hidden, _, _)| *hidden == name) {
            let (_, var, outer) = frame.hidden.swap_remove(at);
            let slot = self.slot(name);
            slot.var = var;
            slot.scope = outer;
        }
    }

    /// The frame of the running function: 0 outside functions.
    pub fn function_scope(&self) -> u32 {
        self.frames.iter().rposition(|frame| !frame.temporary).map_or(0, |i| i as u32 + 1)
    }

    pub fn push_frame(&mut self, temporary: bool) {
        self.frames.push(Frame { temporary, ..Frame::default() });
    }

    /// Makes the newest frame, a command's own, that of the function it calls.
    pub fn adopt_frame(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.temporary = false;
        }
    }

    /// Ends the newest frame: what it hid is back. `local -` options are given back to the caller.
    pub fn pop_frame(&mut self) -> Option<Vec<u8>> {
        let frame = self.frames.pop()?;
        for (name, var, scope) in frame.hidden.into_iter().rev() {
            let exported = |v: &Option<Variable>| v.as_ref().is_some_and(|v| v.attrs.has(Attrs::EXPORT));
            if exported(&var) || exported(&self.slot(name).var) {
                self.environment = None;
            }
            let slot = self.slot(name);
            slot.var = var;
            slot.scope = scope;
            let special = slot.special != Special::None;
            self.special_restored |= special;
        }
        frame.saved_options
    }

    /// Whether a special variable came back since the last time this was asked.
    pub fn take_special_restored(&mut self) -> bool {
        std::mem::take(&mut self.special_restored)
    }

    pub fn in_function(&self) -> bool {
        self.function_scope() > 0
    }

    /// Makes the name local to a frame (the newest function's, or the newest of all for temporary assignments) and says
    /// whether it was not so before. What it hid is given for those who inherit.
    pub fn make_local(&mut self, name: Name, temporary: bool) -> bool {
        let scope = if temporary { self.frames.len() as u32 } else { self.function_scope() };
        if scope == 0 {
            return false;
        }
        let slot = self.slot(name);
        if slot.scope >= scope && slot.var.is_some() {
            return false;
        }
        let hidden = slot.var.take();
        let outer = std::mem::replace(&mut slot.scope, scope);
        if hidden.as_ref().is_some_and(|v| v.attrs.has(Attrs::EXPORT)) {
            self.environment = None;
        }
        self.frames[scope as usize - 1].hidden.push((name, hidden, outer));
        true
    }

    /// What the newest frame hides under this name.
    pub fn hidden(&self, name: Name) -> Option<&Variable> {
        let scope = self.slots.get(name.index())?.scope;
        let frame = self.frames.get((scope as usize).checked_sub(1)?)?;
        frame.hidden.iter().rev().find(|(hidden, _, _)| *hidden == name).and_then(|(_, var, _)| var.as_ref())
    }

    pub fn is_local(&self, name: Name) -> bool {
        let scope = self.function_scope();
        scope > 0 && self.slots.get(name.index()).is_some_and(|slot| slot.scope >= scope)
    }

    /// Takes the variable to the global scope: `declare -g`.
    pub fn with_global<R>(&mut self, name: Name, act: impl FnOnce(&mut Option<Variable>) -> R) -> R {
        self.environment = None;
        let mut scope = self.slot(name).scope;
        if scope == 0 {
            return act(&mut self.slot(name).var);
        }
        loop {
            let Some(frame) = self.frames.get_mut((scope as usize).wrapping_sub(1)) else {
                return act(&mut self.slot(name).var);
            };
            match frame.hidden.iter_mut().rev().find(|(hidden, _, _)| *hidden == name) {
                Some((_, var, 0)) => return act(var),
                Some((_, _, outer)) => scope = *outer,
                None => return act(&mut self.slot(name).var),
            }
        }
    }

    pub fn save_options(&mut self, options: Vec<u8>) {
        if let Some(frame) = self.frames.iter_mut().rev().find(|frame| !frame.temporary) {
            frame.saved_options.get_or_insert(options);
        }
    }

    /// Names of all variables that are there, sorted.
    pub fn names(&self) -> Vec<Name> {
        let mut names: Vec<Name> =
            (0..self.slots.len()).filter(|&i| self.slots[i].var.is_some()).map(Name::from_index).collect();
        names.sort_by_key(|name| name.bytes());
        names
    }

    /// Names of the running function's locals, sorted.
    pub fn local_names(&self) -> Vec<Name> {
        let scope = self.function_scope();
        let mut names = self.names();
        names.retain(|name| scope > 0 && self.slots[name.index()].scope == scope);
        names
    }

    /// `NAME=value` of everything exported, sorted by nothing in particular: the order of first use.
    pub fn environment(&mut self, extra: impl FnOnce(&mut Vec<Vec<u8>>)) -> Rc<Vec<Vec<u8>>> {
        if let Some(environment) = &self.environment {
            return Rc::clone(environment);
        }
        let mut list = self.exported().map(|(name, value)| [name, b"=", value].concat()).collect();
        extra(&mut list);
        let list = Rc::new(list);
        self.environment = Some(Rc::clone(&list));
        list
    }

    /// Names and values of everything exported.
    pub fn exported(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let exported = |var: &&Variable| var.attrs.has(Attrs::EXPORT) && var.set && !var.is_array();
        let slots = self.slots.iter().enumerate();
        slots.filter_map(move |(i, slot)| {
            let value = slot.var.as_ref().filter(exported)?.get()?;
            Some((Name::from_index(i).bytes(), value))
        })
    }

    pub fn text(&self, name: &[u8]) -> Option<Cow<'_, [u8]>> {
        self.find(name).and_then(Variable::get).map(Cow::Borrowed)
    }
}
