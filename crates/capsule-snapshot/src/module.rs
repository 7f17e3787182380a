//! A module with other memory: the data section is written anew from the bytes a run has left, everything else stays.
//!
//! What a run can change beside memory is globals and tables. The interpreter has one mutable global, the stack pointer,
//! which is back at its start when the outermost call returns, and never changes its table; a module where that could be
//! different is refused.

use crate::wasm::{CUSTOM, DATA, DATA_COUNT, GLOBAL, MEMORY, leb, read_leb, section, sections, signed_leb};
use anyhow::{Context, Result, bail, ensure};

const PAGE: usize = 65536;

/// Zeros shorter than this are cheaper as bytes than as the end of one segment and the head of another.
const GAP: usize = 64;

/// Marks a program that makes every path absolute before it asks for it: `capsule_engine` reads it.
const NATIVE: &str = "capsule";

/// The module with `memory` as what its memory starts as.
pub fn with_memory(wasm: &[u8], memory: &[u8]) -> Result<Vec<u8>> {
    ensure!(memory.len().is_multiple_of(PAGE), "a memory of {} bytes is no whole number of pages", memory.len());
    let segments = segments(memory);
    let mut out = wasm.get(..8).context("no module")?.to_vec();
    let mut wrote_data = false;
    for (id, body) in sections(wasm)? {
        match id {
            // Names and producers are for debuggers.
            CUSTOM => {}
            MEMORY => section(&mut out, MEMORY, &memory_section(body, memory.len() / PAGE)?),
            GLOBAL => {
                ensure!(mutable_globals(body)? <= 1, "the module has more mutable globals than the stack pointer");
                section(&mut out, GLOBAL, body);
            }
            DATA_COUNT => section(&mut out, DATA_COUNT, &leb(segments.len())),
            DATA => {
                section(&mut out, DATA, &data_section(memory, &segments));
                wrote_data = true;
            }
            other => section(&mut out, other, body),
        }
    }
    ensure!(wrote_data, "the module has no data");
    let mut mark = leb(NATIVE.len());
    mark.extend_from_slice(NATIVE.as_bytes());
    section(&mut out, CUSTOM, &mark);
    Ok(out)
}

/// The ranges that are not zero.
fn segments(memory: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut all: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(start) = memory[at..].iter().position(|&byte| byte != 0).map(|n| at + n) {
        let end = memory[start..].iter().position(|&byte| byte == 0).map_or(memory.len(), |n| start + n);
        match all.last_mut() {
            Some(last) if start - last.end < GAP => last.end = end,
            _ => all.push(start..end),
        }
        at = end;
    }
    all
}

fn data_section(memory: &[u8], segments: &[std::ops::Range<usize>]) -> Vec<u8> {
    let mut body = leb(segments.len());
    for segment in segments {
        // Active, in memory 0, at a constant: i32.const N, end.
        body.extend_from_slice(&[0, 0x41]);
        body.extend(signed_leb((segment.start as u32 as i32).into()));
        body.push(0x0b);
        body.extend(leb(segment.len()));
        body.extend_from_slice(&memory[segment.clone()]);
    }
    body
}

/// The one memory, with as many pages as it has now.
fn memory_section(body: &[u8], pages: usize) -> Result<Vec<u8>> {
    let (count, rest) = read_leb(body)?;
    ensure!(count == 1, "the module has {count} memories");
    let (&flags, rest) = rest.split_first().context("a memory without limits")?;
    let (_, most) = read_leb(rest)?;
    let mut out = vec![1, flags];
    out.extend(leb(pages));
    match flags {
        0 => {}
        1 => out.extend_from_slice(most),
        _ => bail!("the memory is shared or has 64-bit addresses"),
    }
    Ok(out)
}

/// How many globals can change. Only the forms that linkers write are known.
fn mutable_globals(body: &[u8]) -> Result<usize> {
    let (count, mut rest) = read_leb(body)?;
    let mut mutable = 0;
    for _ in 0..count {
        let [_, changes, constant, after @ ..] = rest else { bail!("a global is cut off") };
        ensure!(matches!(constant, 0x41 | 0x42), "a global is no constant");
        mutable += usize::from(*changes);
        let end = after.iter().position(|byte| byte & 0x80 == 0).context("a global is cut off")?;
        ensure!(after.get(end + 1) == Some(&0x0b), "a global is no constant");
        rest = &after[end + 2..];
    }
    Ok(mutable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmtime::{Engine, Instance, Module, Store};

    const TEXT: &str = r#"(module
        (memory (export "memory") 1)
        (global $sp (mut i32) (i32.const 1024))
        (data (i32.const 8) "hello")
        (func (export "run")
            (drop (memory.grow (i32.const 1)))
            (i32.store8 (i32.const 8) (i32.const 72))
            (i32.store (i32.const 70000) (i32.const 123456789))))"#;

    #[test]
    fn a_module_starts_where_the_run_before_ended() {
        let wasm = wat::parse_str(TEXT).unwrap();
        let engine = Engine::default();
        let memory_after = |wasm: &[u8], run: bool| {
            let mut store = Store::new(&engine, ());
            let module = Module::new(&engine, wasm).unwrap();
            let instance = Instance::new(&mut store, &module, &[]).unwrap();
            if run {
                instance.get_typed_func::<(), ()>(&mut store, "run").unwrap().call(&mut store, ()).unwrap();
            }
            instance.get_memory(&mut store, "memory").unwrap().data(&store).to_vec()
        };
        let after = memory_after(&wasm, true);
        assert_eq!(after.len(), 2 * PAGE);
        let snapshot = with_memory(&wasm, &after).unwrap();
        assert_eq!(memory_after(&snapshot, false), after);
        assert_eq!(with_memory(&wasm, &after).unwrap(), snapshot);
    }

    #[test]
    fn state_that_would_be_lost_is_refused() {
        let two = wat::parse_str(
            r#"(module (memory 1) (data (i32.const 0) "x")
            (global (mut i32) (i32.const 1)) (global (mut i64) (i64.const -5)))"#,
        );
        assert!(with_memory(&two.unwrap(), &[0; PAGE]).is_err());
        for cut in [0, 8, 9, 20] {
            let wasm = wat::parse_str(TEXT).unwrap();
            assert!(with_memory(&wasm[..cut], &[0; PAGE]).is_err());
        }
    }
}
