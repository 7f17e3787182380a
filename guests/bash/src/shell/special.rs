//! Variables that are computed when read, and what assignments to special ones do.

use super::{CommandText, Ifs, Options, Shell};
use crate::names::Name;
use crate::vars::{AssocArray, IndexedArray, Special, Value, Variable};
use capsule_sys as sys;
use std::borrow::Cow;
use std::rc::Rc;

impl Shell {
    /// The value of `$name` (element 0 of arrays), namerefs not followed.
    pub fn read_scalar(&mut self, name: Name) -> Option<Cow<'_, [u8]>> {
        match self.vars.special(name) {
            special if !special.is_computed() => self.vars.get(name).and_then(Variable::get).map(Cow::Borrowed),
            special => self.computed(special).and_then(|value| match value {
                Value::Scalar(text) => Some(Cow::Owned(text)),
                Value::Indexed(array) => array.get(0).map(|v| Cow::Owned(v.to_vec())),
                Value::Assoc(array) => array.get(b"0").map(|v| Cow::Owned(v.to_vec())),
            }),
        }
    }

    /// Brings a computed variable up to date in its slot, so that it can be looked at like any other.
    pub fn refresh(&mut self, name: Name) {
        let special = self.vars.special(name);
        if !special.is_computed() {
            return;
        }
        if let Some(value) = self.computed(special) {
            let set = match &value {
                Value::Indexed(array) => !array.is_empty() || special != Special::FuncName,
                _ => true,
            };
            let var = self.vars.entry(name);
            var.value = value;
            var.set = set;
        }
    }

    fn computed(&mut self, special: Special) -> Option<Value> {
        let number = |n: i64| Some(Value::Scalar(n.to_string().into_bytes()));
        match special {
            Special::Random => number(self.next_random().into()),
            Special::SRandom => number((sys::random_u64() as u32).into()),
            Special::Seconds => {
                let elapsed = (sys::clock(sys::Clock::Realtime) / 1_000_000_000) as i64 - self.started as i64;
                number(self.seconds_base.wrapping_add(elapsed))
            }
            Special::LineNo => number(self.line.into()),
            Special::EpochSeconds => number(sys::now().sec),
            Special::EpochRealtime => {
                let now = sys::now();
                Some(Value::Scalar(format!("{}.{:06}", now.sec, now.nsec / 1000).into_bytes()))
            }
            Special::BashPid => number(sys::getpid().into()),
            Special::BashCommand => match &*self.command_text {
                CommandText::Text(text) => Some(Value::Scalar(text.clone())),
                CommandText::None => Some(Value::Scalar(Vec::new())),
            },
            Special::BashSubshell => number(self.subshell.into()),
            Special::FuncName => {
                let mut names = Vec::new();
                if self.in_function() {
                    names = self.calls.iter().rev().map(|call| call.name.to_vec()).collect();
                }
                Some(indexed(names))
            }
            Special::BashSource => {
                let mut names: Vec<Vec<u8>> = self.calls.iter().rev().map(|call| call.source.to_vec()).collect();
                if self.calls.is_empty() {
                    names.clear();
                }
                Some(indexed(names))
            }
            Special::BashLineNo => {
                Some(indexed(self.calls.iter().rev().map(|c| c.call_line.to_string().into_bytes()).collect()))
            }
            Special::BashArgc => {
                Some(indexed(self.call_arguments().map(|args| args.len().to_string().into_bytes()).collect()))
            }
            Special::BashArgv => {
                Some(indexed(self.call_arguments().flat_map(|args| args.iter().rev().cloned()).collect()))
            }
            Special::DirStack => {
                let mut list = vec![self.cwd.clone()];
                list.extend(self.directories.iter().rev().cloned());
                Some(indexed(list))
            }
            Special::Groups => {
                let gid = sys::getids().map_or(0, |ids| ids.1);
                Some(indexed(vec![gid.to_string().into_bytes()]))
            }
            Special::PipeStatus => Some(indexed(self.pipe_status.iter().map(|s| s.to_string().into_bytes()).collect())),
            Special::BashAliases => {
                let mut array = AssocArray::default();
                for (name, value) in self.aliases.iter() {
                    array.set(name, value.to_vec());
                }
                Some(Value::Assoc(Box::new(array)))
            }
            Special::BashCmds => {
                let mut array = AssocArray::default();
                for (name, (path, _)) in &self.hashed {
                    array.set(name, path.clone());
                }
                Some(Value::Assoc(Box::new(array)))
            }
            Special::HistCmd => number(self.history.len() as i64),
            Special::BashArgv0 => Some(Value::Scalar(self.arg0.clone())),
            Special::ShellOpts => Some(Value::Scalar(self.options.set_names())),
            Special::BashOpts => Some(Value::Scalar(self.options.shopt_names())),
            _ => None,
        }
    }

    /// The arguments of the calls under way, the newest first: under extdebug. The shell's own stand at the end, as they
    /// were when somebody first looked outside a function.
    fn call_arguments(&mut self) -> impl Iterator<Item = &Vec<Vec<u8>>> {
        if !self.in_function() {
            self.note_arguments();
        }
        self.calls.iter().rev().filter_map(|call| call.args.as_ref()).chain(self.own_arguments.as_deref())
    }

    pub fn note_arguments(&mut self) {
        let positional = &self.positional;
        self.own_arguments.get_or_insert_with(|| Rc::clone(positional));
    }

    /// bash's own generator (a Park–Miller generator, halves mixed), so that a seed gives the numbers bash gives.
    pub fn next_random(&mut self) -> u32 {
        if std::mem::take(&mut self.random_inherited) {
            self.random = sys::random_u64() as u32;
            self.random_last = u32::MAX;
        }
        loop {
            let seed = if self.random == 0 { 123_459_876 } else { self.random } as i64;
            let (high, low) = (seed / 127_773, seed % 127_773);
            let mut next = 16_807 * low - 2_836 * high;
            if next < 0 {
                next += 0x7fff_ffff;
            }
            self.random = next as u32;
            let number = (self.random >> 16) ^ (self.random & 65_535);
            let number = number & 32_767;
            if number != self.random_last {
                self.random_last = number;
                return number;
            }
        }
    }

    /// After an assignment to (or unset of) a special variable.
    pub fn assigned_special(&mut self, name: Name) {
        match self.vars.special(name) {
            Special::Ifs => self.update_ifs(),
            Special::Path => self.hashed.clear(),
            Special::Locale => self.locale_assigned(name),
            Special::OptInd => self.getopts_at = 0,
            Special::Random => {
                let seed = self.assigned_number(name);
                self.random = seed as u32;
                self.random_last = u32::MAX;
                self.random_inherited = false;
            }
            Special::Seconds => {
                self.seconds_base = self.assigned_number(name);
                self.started = sys::clock(sys::Clock::Realtime) / 1_000_000_000;
            }
            Special::BashArgv0 => {
                if let Some(text) = self.vars.get(name).and_then(Variable::get) {
                    self.arg0 = text.to_vec();
                }
            }
            Special::Posix => self.options.put(super::Opt::Posix, self.vars.get(name).is_some()),
            Special::BashAliases => {
                if let Some(Variable { value: Value::Assoc(array), .. }) = self.vars.get(name) {
                    let map = array.iter().map(|(k, v)| (k.into(), v.into())).collect();
                    self.aliases = Rc::new(map);
                }
            }
            _ => {}
        }
    }

    fn assigned_number(&self, name: Name) -> i64 {
        self.vars.get(name).and_then(Variable::get).and_then(crate::arith::parse_integer).unwrap_or(0)
    }

    /// A scope ended: what depends on variables is brought up to date.
    pub fn hidden_changed(&mut self) {
        if self.vars.take_special_restored() {
            self.hashed.clear();
            self.getopts_at = 0;
            self.update_locale();
        }
    }

    pub fn restore_local_options(&mut self, saved: &[u8]) {
        if let Ok(bits) = <[u8; 4]>::try_from(saved) {
            self.options.restore(u32::from_le_bytes(bits));
        }
    }

    pub fn update_ifs(&mut self) {
        let text = match self.vars.find(b"IFS").and_then(Variable::get) {
            Some(text) => text.to_vec(),
            None => b" \t\n".to_vec(),
        };
        let mut kinds = [0; 256];
        let mut wide = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let len = crate::pattern::char_len(&text[at..], self.utf8);
            let b = text[at];
            kinds[usize::from(b)] = match len {
                1 if matches!(b, b' ' | b'\t' | b'\n') => 1,
                1 => 2,
                _ => {
                    wide.push(text[at..at + len].to_vec());
                    3
                }
            };
            at += len;
        }
        let len = crate::pattern::char_len(&text, self.utf8).min(text.len());
        self.ifs = Rc::new(Ifs { kinds, first: text[..len].to_vec(), empty: text.is_empty(), wide });
    }

    /// A locale that is not there is told, and changes nothing.
    fn locale_assigned(&mut self, name: Name) {
        if self.locale_for_others {
            return;
        }
        let text = |shell: &Shell, name: &[u8]| shell.vars.text(name).map(|v| v.into_owned()).filter(|v| !v.is_empty());
        let value = text(self, name.bytes());
        if name != Name::LC_ALL && text(self, b"LC_ALL").is_some() {
            return;
        }
        match value {
            Some(value) if !is_known_locale(&value) => {
                if name != Name::LANG {
                    let name = String::from_utf8_lossy(name.bytes()).into_owned();
                    let why = sys::Errno::ENOENT.text();
                    let head = format!("warning: setlocale: {name}: cannot change locale (");
                    self.error([head.as_bytes(), &value, b"): ", why.as_bytes()].concat());
                }
            }
            _ => self.update_locale(),
        }
    }

    /// `LC_ALL` as it was when the shell began.
    pub fn check_first_locale(&mut self) {
        let Some(value) = self.vars.text(b"LC_ALL").map(|v| v.into_owned()) else { return };
        if !value.is_empty() && !is_known_locale(&value) {
            let name = self.arg0.clone();
            let head = b": warning: setlocale: LC_ALL: cannot change locale (";
            self.stderr(&[&name[..], head, &value, b")\n"].concat());
        }
    }

    pub fn update_locale(&mut self) {
        let locale = [&b"LC_ALL"[..], b"LC_CTYPE", b"LANG"]
            .iter()
            .find_map(|name| self.vars.find(name).and_then(Variable::get).filter(|v| !v.is_empty()));
        self.utf8 = locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.ends_with(b".utf-8") || locale.ends_with(b".utf8")
        });
        crate::expand::set_quoting_locale(self.utf8);
        self.update_ifs();
    }

    pub fn flags_text(&self) -> Vec<u8> {
        let options: &Options = &self.options;
        options.flags()
    }
}

/// Those of a Debian without language packs.
fn is_known_locale(name: &[u8]) -> bool {
    matches!(&name.to_ascii_lowercase()[..], b"c" | b"posix" | b"c.utf-8" | b"c.utf8")
}

fn indexed(values: Vec<Vec<u8>>) -> Value {
    Value::Indexed(Box::new(values.into_iter().collect::<IndexedArray>()))
}
