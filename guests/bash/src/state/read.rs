//! Bytes to a state, with everything checked.

use super::write::{function, kind};
use super::{State, StateError};
use crate::builtins::BUILTINS;
use crate::exec::{DEBUG, RETURN};
use crate::names::{Name, is_name};
use crate::shell::{Function, SPECIALS};
use crate::vars::{AssocArray, Attrs, IndexedArray, Value, Variable};
use capsule_abi::state::Head;
use capsule_abi::wire::Reader;
use std::rc::Rc;

type Read<T> = Result<T, StateError>;

impl State {
    pub fn read(bytes: &[u8]) -> Read<State> {
        let mut r = Reader::new(bytes);
        let r = &mut r;
        // What the head says of the environment is for the host: the variables themselves come below.
        let cwd = Head::read(r)?.cwd.to_vec();
        let state = State {
            cwd,
            umask: r.u32().map_err(StateError::from).and_then(|mask| valid(mask, mask <= 0o777, "the umask"))?,
            status: r.i32()?,
            pipe_status: many(r, |r| Ok(r.i32()?))?,
            last_background: Some(r.i32()?).filter(|&pid| pid != 0),
            getopts_at: r.u32()?,
            started: r.u64()?,
            seconds_base: r.i64()?,
            random: (r.u32()?, r.u32()?),
            arg0: text(r, "the shell's name")?,
            positional: many(r, |r| text(r, "a positional parameter"))?,
            set_options: r.bytes()?.to_vec(),
            shopts: r.bytes()?.to_vec(),
            directories: many(r, |r| text(r, "the directory stack"))?,
            disabled_builtins: many(r, builtin)?,
            history: many(r, |r| text(r, "the history"))?,
            history_read: r.u32()? as usize,
            aliases: many(r, |r| Ok((text(r, "an alias")?, text(r, "an alias")?)))?,
            completions: many(r, |r| Ok((text(r, "a completion")?, text(r, "a completion")?)))?,
            hashed: many(r, |r| Ok((text(r, "a hashed command")?, text(r, "a hashed command")?)))?,
            traps: many(r, trap)?,
            functions: many(r, read_function)?,
            ordinary: many(r, special_name)?,
            variables: many(r, |r| Ok((name(r)?, variable(r)?)))?,
        };
        valid((), state.history_read <= state.history.len(), "the history")?;
        if r.is_empty() { Ok(state) } else { Err(StateError::Trailing) }
    }
}

fn valid<T>(value: T, holds: bool, part: &'static str) -> Read<T> {
    if holds { Ok(value) } else { Err(StateError::Invalid(part)) }
}

/// A count, then that many. Little is reserved for what the bytes only promise.
fn many<'a, T>(r: &mut Reader<'a>, mut one: impl FnMut(&mut Reader<'a>) -> Read<T>) -> Read<Vec<T>> {
    let count = r.u32()?;
    let mut all = Vec::with_capacity(count.min(64) as usize);
    for _ in 0..count {
        all.push(one(r)?);
    }
    Ok(all)
}

/// Text of a shell has no NUL.
fn text(r: &mut Reader<'_>, part: &'static str) -> Read<Vec<u8>> {
    let bytes = r.bytes()?;
    valid(bytes.to_vec(), memchr::memchr(0, bytes).is_none(), part)
}

fn name(r: &mut Reader<'_>) -> Read<Name> {
    let bytes = r.bytes()?;
    // Names are kept for ever: what is none does not get that far.
    valid((), is_name(bytes), "the name of a variable")?;
    Ok(Name::new(bytes))
}

fn special_name(r: &mut Reader<'_>) -> Read<Name> {
    let bytes = r.bytes()?;
    let found = SPECIALS.iter().map(|special| special.0).find(|name| name.bytes() == bytes);
    found.ok_or(StateError::Invalid("the name of a special variable"))
}

fn builtin(r: &mut Reader<'_>) -> Read<&'static str> {
    let bytes = r.bytes()?;
    let found = BUILTINS.iter().find(|builtin| builtin.name.as_bytes() == bytes);
    found.map(|builtin| builtin.name).ok_or(StateError::Invalid("a disabled builtin"))
}

fn trap(r: &mut Reader<'_>) -> Read<(u8, Rc<[u8]>)> {
    let number = r.u32()?;
    let condition = u32::from(DEBUG)..=u32::from(RETURN);
    valid((), (1..=64).contains(&number) || condition.contains(&number), "a trap")?;
    Ok((number as u8, text(r, "a trap")?.into()))
}

fn read_function(r: &mut Reader<'_>) -> Read<(Rc<[u8]>, Function)> {
    let name: Rc<[u8]> = text(r, "the name of a function")?.into();
    let flags = r.u32()?;
    valid((), !name.is_empty() && flags & !function::ALL == 0, "a function")?;
    let line = r.u32()?;
    let source = text(r, "a function")?.into();
    let mut found = Function::from_text(text(r, "a function")?, line, source);
    found.exported = flags & function::EXPORTED != 0;
    found.readonly = flags & function::READONLY != 0;
    found.traced = flags & function::TRACED != 0;
    Ok((name, found))
}

fn variable(r: &mut Reader<'_>) -> Read<Variable> {
    let head = r.u32()?;
    let attrs = Attrs((head & 0xffff) as u16);
    valid((), attrs.without(Attrs::LASTING) == Attrs::default(), "the attributes of a variable")?;
    let value = match head >> kind::SHIFT & 0xff {
        kind::SCALAR => Value::Scalar(text(r, "a variable")?),
        kind::INDEXED => Value::Indexed(Box::new(indexed(r)?)),
        kind::ASSOC => Value::Assoc(Box::new(assoc(r)?)),
        kind::COMPUTED => Value::Scalar(Vec::new()),
        _ => return Err(StateError::Invalid("the kind of a variable")),
    };
    let set = valid(head & kind::SET != 0, head >> 25 == 0, "a variable")?;
    Ok(Variable { value, attrs, set })
}

fn indexed(r: &mut Reader<'_>) -> Read<IndexedArray> {
    let mut array = IndexedArray::default();
    let mut next = 0;
    for _ in 0..r.u32()? {
        let index = r.i64()?;
        valid((), index >= next && index < i64::MAX, "the index of an element")?;
        array.set(index, text(r, "an element")?);
        next = index + 1;
    }
    Ok(array)
}

fn assoc(r: &mut Reader<'_>) -> Read<AssocArray> {
    let mut array = AssocArray::default();
    for _ in 0..r.u32()? {
        let key = text(r, "the key of an element")?;
        array.set(&key, text(r, "an element")?);
    }
    Ok(array)
}
