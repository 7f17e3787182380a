//! Recursion that the interpreter can see, so that it raises RecursionError where its process would have died.
//!
//! CPython looks at the stack pointer before it recurses in C, and before it frees what may hold more to free. In
//! WebAssembly that is the pointer of the shadow stack, where only variables with addresses live: a function without them
//! leaves it where it was, however deep the calls, and the native stack overflows first. So every function that looks, or
//! that has another look for it, takes some of the shadow stack for itself, in proportion to what calls of its kind take
//! of the native one.

use crate::wasm::op::*;
use crate::wasm::{CODE, Code, IMPORT, bodies, find, leb, read_leb, section, sections, signatures};
use anyhow::{Context, Result, bail, ensure};
use wasmparser::{BinaryReader, FunctionBody, Operator};

/// What a function that looks takes. Between two looks lie at most 1 100 bytes of the shadow stack that way, and calls took
/// up to 1 700 bytes of the native one; the interpreter stops at 3.8 MiB of the first, the engine at 8 MiB of the second.
const SHARE: i32 = 640;

/// The limit's place in the state of a thread: `i32.const 712`, `i32.add`, `i32.load` is how a function looks.
const LOOK: [u8; 7] = [0x41, 0xc8, 0x05, 0x6a, 0x28, 0x02, 0x00];

/// A function that looks and is shorter does nothing else: it looks for those who call it.
const GLANCE: usize = 128;

/// As many functions look in the interpreter that is pinned; far fewer would mean that they look in another way.
const LEAST: usize = 40;

/// The module whose functions that look at the stack pointer have moved it before.
pub fn with_visible_depth(wasm: &[u8]) -> Result<Vec<u8>> {
    let changed = with_shares(wasm)?;
    ensure!(changed.1 >= LEAST, "only {} functions look how deep the stack is", changed.1);
    Ok(changed.0)
}

/// The module, and how many functions look.
fn with_shares(wasm: &[u8]) -> Result<(Vec<u8>, usize)> {
    let signatures = signatures(wasm)?;
    let bodies = bodies(find(wasm, CODE)?)?;
    let looks: Vec<bool> = bodies.iter().map(|body| body.windows(LOOK.len()).any(|part| part == LOOK)).collect();
    let imported = imported(wasm)?;
    let glance = |called: u32| {
        let i = (called as usize).checked_sub(imported);
        i.is_some_and(|i| looks.get(i) == Some(&true) && bodies[i].len() < GLANCE)
    };
    let mut code = leb(bodies.len());
    for ((body, kind), &looks) in bodies.iter().zip(&signatures).zip(&looks) {
        let body = if looks || calls(body, glance)? { with_share(body, kind)? } else { body.to_vec() };
        code.extend(leb(body.len()));
        code.extend(body);
    }
    let mut out = wasm.get(..8).context("no module")?.to_vec();
    for (id, body) in sections(wasm)? {
        section(&mut out, id, if id == CODE { &code } else { body });
    }
    Ok((out, looks.into_iter().filter(|looks| *looks).count()))
}

/// How many functions are imported; nothing else is.
fn imported(wasm: &[u8]) -> Result<usize> {
    let section = sections(wasm)?.into_iter().find(|(id, _)| *id == IMPORT);
    section.map_or(Ok(0), |(_, body)| Ok(read_leb(body)?.0))
}

/// Whether a function calls one of these.
fn calls(body: &[u8], wanted: impl Fn(u32) -> bool) -> Result<bool> {
    for operator in FunctionBody::new(BinaryReader::new(body, 0)).get_operators_reader()? {
        if let Operator::Call { function_index } = operator?
            && wanted(function_index)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A function that moves the stack pointer down, does what it did inside a block, and moves it up again.
fn with_share(body: &[u8], kind: &[u8]) -> Result<Vec<u8>> {
    let result = match results(kind)? {
        [] => NO_VALUE,
        [one] => *one,
        _ => bail!("a function with several results"),
    };
    let code = FunctionBody::new(BinaryReader::new(body, 0)).get_operators_reader()?;
    let start = code.original_position();
    let mut out = Code(body[..start].to_vec());
    move_pointer(&mut out, I32_SUB);
    out.op(&[BLOCK, result]);
    // What was not copied yet, and the blocks around the place.
    let (mut from, mut depth) = (start, 0);
    for operator in code.into_iter_with_offsets() {
        let (operator, at) = operator?;
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => depth += 1,
            // The last one ends the new block.
            Operator::End => depth -= 1,
            Operator::Return => {
                let depth = usize::try_from(depth).context("a return behind the end")?;
                out.op(&body[from..at]).op(&[BR]).op(&leb(depth));
                from = at + 1;
            }
            Operator::ReturnCall { .. } | Operator::ReturnCallIndirect { .. } => bail!("a tail call leaves the block"),
            _ => {}
        }
    }
    out.op(&body[from..]);
    move_pointer(&mut out, I32_ADD);
    out.op(&[END]);
    Ok(out.0)
}

/// The stack pointer is the first global, the only one that changes.
fn move_pointer(code: &mut Code, how: u8) {
    code.op(&[GLOBAL_GET, 0]).i32(SHARE).op(&[how, GLOBAL_SET, 0]);
}

/// The results of a signature, without their number.
fn results(kind: &[u8]) -> Result<&[u8]> {
    let (parameters, rest) = read_leb(kind)?;
    let (count, results) = read_leb(rest.get(parameters..).context("a signature is cut off")?)?;
    ensure!(results.len() == count, "a signature is cut off");
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmtime::{Engine, Instance, Module, Store};

    /// Each looks where the pointer is, and leaves in a way of its own.
    const TEXT: &str = r#"(module
        (memory 1)
        (global $sp (export "sp") (mut i32) (i32.const 60000))
        (func (export "end") (param i32) (result i32)
            (drop (i32.load (i32.add (local.get 0) (i32.const 712))))
            (global.get $sp))
        (func (export "return") (param i32) (result i32)
            (drop (i32.load (i32.add (local.get 0) (i32.const 712))))
            (block (loop (if (local.get 0) (then (return (global.get $sp))))))
            (i32.const 0))
        (func (export "branch") (param i32) (result i32)
            (drop (i32.load (i32.add (local.get 0) (i32.const 712))))
            (br_if 0 (global.get $sp) (local.get 0))
            (drop) (return (i32.const 0)))
        (func (export "nothing") (param i32)
            (drop (i32.load (i32.add (local.get 0) (i32.const 712))))
            (if (local.get 0) (then (return))))
        (func (export "asks") (param i32) (result i32)
            (call 3 (local.get 0))
            (global.get $sp))
        (func (export "blind") (param i32) (result i32) (global.get $sp)))"#;

    #[test]
    fn who_looks_has_moved_the_pointer_and_moves_it_back() {
        let (wasm, looking) = with_shares(&wat::parse_str(TEXT).unwrap()).unwrap();
        assert_eq!(looking, 4);
        let engine = Engine::default();
        let mut store = Store::new(&engine, ());
        let instance = Instance::new(&mut store, &Module::new(&engine, &wasm).unwrap(), &[]).unwrap();
        for (name, share) in [("end", SHARE), ("return", SHARE), ("branch", SHARE), ("asks", SHARE), ("blind", 0)] {
            let function = instance.get_typed_func::<i32, i32>(&mut store, name).unwrap();
            assert_eq!(function.call(&mut store, 1).unwrap(), 60000 - share, "{name}");
        }
        let function = instance.get_typed_func::<i32, ()>(&mut store, "nothing").unwrap();
        function.call(&mut store, 1).unwrap();
        let pointer = instance.get_global(&mut store, "sp").unwrap().get(&mut store).i32();
        assert_eq!(pointer, Some(60000));
    }

    #[test]
    fn an_interpreter_that_looks_in_another_way_is_refused() {
        assert!(with_visible_depth(&wat::parse_str(TEXT).unwrap()).is_err());
    }
}
