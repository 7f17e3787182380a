//! The binary form of modules: sections, numbers, signatures, bodies and instructions, as far as they are read or written.

use anyhow::{Context, Result, bail, ensure};

pub const CUSTOM: u8 = 0;
const TYPE: u8 = 1;
pub const IMPORT: u8 = 2;
pub const FUNCTION: u8 = 3;
pub const MEMORY: u8 = 5;
pub const GLOBAL: u8 = 6;
pub const CODE: u8 = 10;
pub const DATA: u8 = 11;
pub const DATA_COUNT: u8 = 12;

/// The sections with their numbers.
pub fn sections(wasm: &[u8]) -> Result<Vec<(u8, &[u8])>> {
    let mut rest = wasm.get(8..).context("no module")?;
    let mut all = Vec::new();
    while let Some((&id, after)) = rest.split_first() {
        let (size, after) = read_leb(after)?;
        let (body, next) = after.split_at_checked(size).context("a section is cut off")?;
        all.push((id, body));
        rest = next;
    }
    Ok(all)
}

/// The one section with a number.
pub fn find(wasm: &[u8], wanted: u8) -> Result<&[u8]> {
    let found = sections(wasm)?.into_iter().find(|(id, _)| *id == wanted);
    Ok(found.with_context(|| format!("the module has no section {wanted}"))?.1)
}

/// The signatures of the functions that have bodies, each as it stands in the section without its mark.
pub fn signatures(wasm: &[u8]) -> Result<Vec<&[u8]>> {
    let types = types(find(wasm, TYPE)?)?;
    let kinds = numbers(find(wasm, FUNCTION)?)?;
    ensure!(kinds.len() == bodies(find(wasm, CODE)?)?.len(), "the module has functions without code");
    kinds.into_iter().map(|kind| types.get(kind).copied().context("a function without a type")).collect()
}

fn types(body: &[u8]) -> Result<Vec<&[u8]>> {
    let (count, mut rest) = read_leb(body)?;
    let mut all = Vec::new();
    for _ in 0..count {
        let (mark, kind) = rest.split_first().context("a type is cut off")?;
        ensure!(*mark == 0x60, "a type is no function's");
        let (_, results) = vector(kind)?;
        let (_, after) = vector(results)?;
        all.push(&kind[..kind.len() - after.len()]);
        rest = after;
    }
    Ok(all)
}

pub fn numbers(body: &[u8]) -> Result<Vec<usize>> {
    let (count, mut rest) = read_leb(body)?;
    let mut all = Vec::new();
    for _ in 0..count {
        let (number, after) = read_leb(rest)?;
        all.push(number);
        rest = after;
    }
    Ok(all)
}

pub fn bodies(body: &[u8]) -> Result<Vec<&[u8]>> {
    let (count, mut rest) = read_leb(body)?;
    let mut all = Vec::new();
    for _ in 0..count {
        let (code, after) = vector(rest)?;
        all.push(code);
        rest = after;
    }
    Ok(all)
}

/// Bytes with their number in front, and what follows.
pub fn vector(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let (length, rest) = read_leb(bytes)?;
    rest.split_at_checked(length).context("a part is cut off")
}

pub fn section(out: &mut Vec<u8>, id: u8, body: &[u8]) {
    out.push(id);
    out.extend(leb(body.len()));
    out.extend_from_slice(body);
}

pub fn leb(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}

/// A constant of 32 or 64 bits: both are written alike.
pub fn signed_leb(mut value: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        if (value == 0 && byte & 0x40 == 0) || (value == -1 && byte & 0x40 != 0) {
            bytes.push(byte);
            return bytes;
        }
        bytes.push(byte | 0x80);
    }
}

pub fn read_leb(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let mut value = 0;
    for (i, &byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Ok((value, &bytes[i + 1..]));
        }
    }
    bail!("a number is cut off")
}

/// Types and instructions.
pub mod op {
    pub const BLOCK: u8 = 0x02;
    pub const LOOP: u8 = 0x03;
    pub const IF: u8 = 0x04;
    pub const END: u8 = 0x0b;
    pub const BR: u8 = 0x0c;
    pub const BR_IF: u8 = 0x0d;
    pub const RETURN: u8 = 0x0f;
    pub const CALL: u8 = 0x10;
    pub const DROP: u8 = 0x1a;
    pub const LOCAL_GET: u8 = 0x20;
    pub const LOCAL_SET: u8 = 0x21;
    pub const LOCAL_TEE: u8 = 0x22;
    pub const GLOBAL_GET: u8 = 0x23;
    pub const GLOBAL_SET: u8 = 0x24;
    pub const I32_LOAD: u8 = 0x28;
    pub const I64_LOAD: u8 = 0x29;
    pub const NO_VALUE: u8 = 0x40;
    pub const I32_CONST: u8 = 0x41;
    pub const I64_CONST: u8 = 0x42;
    pub const I32_EQZ: u8 = 0x45;
    pub const I32_EQ: u8 = 0x46;
    pub const I64_EQZ: u8 = 0x50;
    pub const I64_EQ: u8 = 0x51;
    pub const I32_ADD: u8 = 0x6a;
    pub const I32_SUB: u8 = 0x6b;
    pub const I32_MUL: u8 = 0x6c;
    pub const I32_AND: u8 = 0x71;
    pub const I32_SHL: u8 = 0x74;
    pub const I32_SHR_U: u8 = 0x76;
    pub const I64: u8 = 0x7e;
    pub const I32: u8 = 0x7f;
    pub const I64_XOR: u8 = 0x85;
    pub const I64_SHR_U: u8 = 0x88;
    pub const I32_WRAP: u8 = 0xa7;
}

/// Instructions, one after the other.
pub struct Code(pub Vec<u8>);

impl Code {
    pub fn op(&mut self, bytes: &[u8]) -> &mut Code {
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn get(&mut self, local: u8) -> &mut Code {
        self.op(&[op::LOCAL_GET, local])
    }

    pub fn set(&mut self, local: u8) -> &mut Code {
        self.op(&[op::LOCAL_SET, local])
    }

    pub fn tee(&mut self, local: u8) -> &mut Code {
        self.op(&[op::LOCAL_TEE, local])
    }

    pub fn i32(&mut self, value: i32) -> &mut Code {
        self.op(&[op::I32_CONST]).op(&signed_leb(value.into()))
    }

    pub fn call(&mut self, function: usize) -> &mut Code {
        self.op(&[op::CALL]).op(&leb(function))
    }

    pub fn load(&mut self, how: u8, alignment: u8, offset: usize) -> &mut Code {
        self.op(&[how, alignment]).op(&leb(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let values = [0, 63, 64, 127, 128, 8191, 65535, i64::from(i32::MAX), -1, -64, -65, i64::from(i32::MIN)];
        for value in values.into_iter().chain([i64::MAX, i64::MIN]) {
            let bytes = signed_leb(value);
            let kind = if i32::try_from(value).is_ok() { "i32" } else { "i64" };
            let wasm = wat::parse_str(format!("(module (global {kind} ({kind}.const {value})))")).unwrap();
            assert!(wasm.windows(bytes.len()).any(|part| part == bytes), "{value}");
        }
    }
}
