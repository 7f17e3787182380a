//! Hashes of strings that differ between processes, though a snapshot holds tables made with one secret.
//!
//! The interpreter hashes strings with one function, FNV. A string that equals one in the snapshot must go on having the hash
//! it has there; every other may have any. So the function is replaced: it computes the hash as before, and looks it up in a
//! table of the snapshot's strings; if the string is one of them, the hash stands. Otherwise it is the interpreter's keyed hash
//! (SipHash-1-3), with a key that is drawn when it is first needed. The driver can set the key before, for `PYTHONHASHSEED`.
//!
//! Strings with a given FNV hash are easily made, so the hash alone does not tell that a string is in the snapshot: the table
//! also has 64 bits of the keyed hash, with a key of its own. No process writes to the table: its pages stay shared.

use crate::wasm::op::*;
use crate::wasm::{
    CODE, Code, FUNCTION, IMPORT, bodies, find, leb, numbers, read_leb, section, sections, signatures, signed_leb,
    vector,
};
use anyhow::{Context, Result, bail, ensure};

/// The table has two to this many slots: the hash, four bytes of nothing, and the mark.
const SLOT_BITS: u32 = 16;
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_SIZE: usize = 16;
const SLOT_SHIFT: i32 = 4;
const MARK: usize = 8;

/// The key of the marks.
const MARK_KEY: i64 = 0x6361_7073_756c_6531;

/// Spreads hashes over the slots: 2^32 divided by the golden ratio.
const SPREAD: u32 = 0x9E37_79B1;

/// The factor of the interpreter's hash of strings (FNV).
const FACTOR: i32 = 1_000_003;

/// Constants of SipHash.
const SIP: [i64; 4] = [0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573];

/// Where things are in the interpreter's memory, as the set-up tells.
pub struct Places {
    table: usize,
    key: usize,
    kinds: Vec<Kind>,
}

/// A type whose objects keep a hash.
#[derive(Clone, Copy)]
struct Kind {
    address: u32,
    layout: Layout,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Count, type, length, hash, state, data; or in the place of data: length and address of its UTF-8, data or its address.
    Text,
    /// Count, type, length, hash, data.
    Bytes,
}

impl Layout {
    /// How far behind the type the hash is.
    const HASH: usize = 8;

    /// Where the data of an object may be, and how long it is then.
    fn places(self, object: usize, word: impl Fn(usize) -> Option<u32>) -> Vec<(usize, usize)> {
        let Some(length) = word(object + 8).map(|length| length as usize) else { return Vec::new() };
        match self {
            Layout::Bytes => vec![(object + 16, length)],
            Layout::Text => {
                let elsewhere = word(object + 28).map(|address| address as usize);
                let starts = [Some(object + 20), Some(object + 28), elsewhere].into_iter().flatten();
                starts.flat_map(|start| [1, 2, 4].map(|width| (start, length.saturating_mul(width)))).collect()
            }
        }
    }
}

impl Places {
    /// u32 address and length of the table, address of the key, then pairs of a type and its layout.
    pub fn decode(record: &[u8]) -> Result<Places> {
        ensure!(record.len().is_multiple_of(4), "the places are cut off");
        let words: Vec<u32> = record.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let [table, length, key, kinds @ ..] = words.as_slice() else { bail!("the places are cut off") };
        ensure!(*length as usize == SLOTS * SLOT_SIZE, "the table has {length} bytes, not {}", SLOTS * SLOT_SIZE);
        let kind =
            |pair: &[u32]| Kind { address: pair[0], layout: if pair[1] == 0 { Layout::Text } else { Layout::Bytes } };
        Ok(Places { table: *table as usize, key: *key as usize, kinds: kinds.chunks_exact(2).map(kind).collect() })
    }
}

/// The strings whose hashes are kept anywhere in the memory, as slots of the table. `fnv` is the interpreter's hash, `mark` the
/// keyed one. An object that is no more, with other data in its place, is none.
pub fn fill(
    memory: &mut [u8],
    places: &Places,
    fnv: impl Fn(&[u8]) -> u32,
    mark: impl Fn(&[u8]) -> u64,
) -> Result<usize> {
    let word = |at: usize| {
        let bytes = memory.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let mut slots = vec![(0u32, 0u64); SLOTS];
    let mut count = 0;
    for at in (4..memory.len()).step_by(4) {
        let Some(kind) = places.kinds.iter().find(|kind| word(at) == Some(kind.address)) else { continue };
        let hash = word(at + Layout::HASH).unwrap_or(0);
        // All ones: it was not computed yet. Zero: it is empty.
        if hash == 0 || hash == u32::MAX {
            continue;
        }
        let data =
            |(start, length): (usize, usize)| memory.get(start..start.checked_add(length)?).filter(|d| !d.is_empty());
        let candidates = kind.layout.places(at - 4, word).into_iter().filter_map(data);
        let Some(data) = candidates.into_iter().find(|data| fnv(data) == hash) else { continue };
        let entry = (hash, mark(data));
        let mut slot = (hash.wrapping_mul(SPREAD) >> (32 - SLOT_BITS)) as usize;
        while slots[slot].0 != 0 && slots[slot] != entry {
            slot = (slot + 1) % SLOTS;
        }
        count += usize::from(slots[slot].0 == 0);
        ensure!(count <= SLOTS * 3 / 4, "the snapshot has more strings than its table is made for");
        slots[slot] = entry;
    }
    let table = places.table..places.table + SLOTS * SLOT_SIZE;
    let table = memory.get_mut(table).context("the table is outside the memory")?;
    for (slot, (hash, mark)) in table.chunks_exact_mut(SLOT_SIZE).zip(&slots) {
        slot[..4].copy_from_slice(&hash.to_le_bytes());
        slot[MARK..].copy_from_slice(&mark.to_le_bytes());
    }
    Ok(count)
}

/// The interpreter's hash of strings, with its secret: where that is, its function tells.
pub fn fnv(wasm: &[u8], memory: &[u8]) -> Result<impl Fn(&[u8]) -> u32 + use<>> {
    let functions = Functions::find(wasm)?;
    let body = bodies(find(wasm, CODE)?)?[functions.hash - functions.imported];
    // Loads the first half of the secret from a constant address.
    let load = [I32_CONST, 0, I32_LOAD, 2];
    let at = body.windows(4).position(|part| part == load).context("the hash of strings has no secret")?;
    let (secret, _) = read_leb(&body[at + 4..])?;
    let half = |at: usize| {
        let bytes = memory.get(at..at + 4).context("the secret is outside the memory")?;
        Ok::<u32, anyhow::Error>(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let (prefix, suffix) = (half(secret)?, half(secret + 4)?);
    Ok(move |data: &[u8]| {
        let Some(&first) = data.first() else { return 0 };
        let step = |x: u32, next: u32| x.wrapping_mul(FACTOR as u32) ^ next;
        // Whole words, but for the last, which goes byte by byte.
        let (words, rest) = data.split_at((data.len() - 1) / 4 * 4);
        let mut x = prefix ^ u32::from(first) << 7;
        for word in words.chunks_exact(4) {
            x = step(x, u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        }
        x = rest.iter().fold(x, |x, &byte| step(x, byte.into())) ^ data.len() as u32 ^ suffix;
        if x == u32::MAX { u32::MAX - 1 } else { x }
    })
}

/// SipHash-1-3 with a key of 64 bits, as the interpreter's keyed hash.
pub fn mark(data: &[u8]) -> u64 {
    fn round(v: &mut [u64; 4]) {
        v[0] = v[0].wrapping_add(v[1]);
        v[2] = v[2].wrapping_add(v[3]);
        v[1] = v[1].rotate_left(13) ^ v[0];
        v[3] = v[3].rotate_left(16) ^ v[2];
        v[0] = v[0].rotate_left(32);
        v[2] = v[2].wrapping_add(v[1]);
        v[0] = v[0].wrapping_add(v[3]);
        v[1] = v[1].rotate_left(17) ^ v[2];
        v[3] = v[3].rotate_left(21) ^ v[0];
        v[2] = v[2].rotate_left(32);
    }
    let key = MARK_KEY as u64;
    let mut v = [SIP[0] as u64 ^ key, SIP[1] as u64, SIP[2] as u64 ^ key, SIP[3] as u64];
    let take = |next: u64, v: &mut [u64; 4]| {
        v[3] ^= next;
        round(v);
        v[0] ^= next;
    };
    let words = data.chunks_exact(8);
    let mut last = (data.len() as u64) << 56;
    for (i, &byte) in words.remainder().iter().enumerate() {
        last |= u64::from(byte) << (8 * i);
    }
    for word in words {
        take(word.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)), &mut v);
    }
    take(last, &mut v);
    v[2] ^= 0xff;
    (0..3).for_each(|_| round(&mut v));
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

/// The module with the other function in the place of its hash of strings.
pub fn with_keyed_hashes(wasm: &[u8], places: &Places) -> Result<Vec<u8>> {
    let functions = Functions::find(wasm)?;
    let mut out = wasm.get(..8).context("no module")?.to_vec();
    for (id, body) in sections(wasm)? {
        match id {
            FUNCTION => {
                let (count, kinds) = read_leb(body)?;
                let moved = [&leb(count + 1), kinds, &leb(functions.hash_kind)].concat();
                section(&mut out, FUNCTION, &moved);
            }
            CODE => section(&mut out, CODE, &functions.code(body, places)?),
            other => section(&mut out, other, body),
        }
    }
    Ok(out)
}

/// The functions that matter, by their indices.
struct Functions {
    imported: usize,
    random: usize,
    hash: usize,
    hash_kind: usize,
    keyed: usize,
    /// The next free one.
    end: usize,
}

impl Functions {
    fn find(wasm: &[u8]) -> Result<Functions> {
        let signatures = signatures(wasm)?;
        let (imported, random) = imports(find(wasm, IMPORT)?)?;
        let kinds = numbers(find(wasm, FUNCTION)?)?;
        let bodies = bodies(find(wasm, CODE)?)?;
        let the_one = |what: &str, signature: &[u8], constants: &[Vec<u8>]| {
            let fits = |i: &usize| {
                let has = |constant: &Vec<u8>| bodies[*i].windows(constant.len()).any(|part| part == constant);
                signatures[*i] == signature && constants.iter().all(has)
            };
            let found: Vec<usize> = (0..bodies.len()).filter(fits).collect();
            match found.as_slice() {
                [one] => Ok(*one),
                others => bail!("{} functions look like {what}", others.len()),
            }
        };
        let factor = [&[I32_CONST], signed_leb(FACTOR.into()).as_slice()].concat();
        let hash = the_one("the hash of strings", &[2, I32, I32, 1, I32], &[factor])?;
        let sip = SIP.map(|constant| [&[I64_CONST], signed_leb(constant).as_slice()].concat());
        let keyed = the_one("the keyed hash", &[3, I64, I32, I32, 1, I64], &sip)?;
        let (hash_kind, end) = (kinds[hash], imported + bodies.len());
        Ok(Functions { imported, random, hash: imported + hash, hash_kind, keyed: imported + keyed, end })
    }

    /// The code section: our function in the place of the old one, which moves to the end.
    fn code(&self, body: &[u8], places: &Places) -> Result<Vec<u8>> {
        let bodies = bodies(body)?;
        let mut out = leb(bodies.len() + 1);
        let ours = self.hash_code(places);
        let old = self.hash - self.imported;
        for (i, body) in bodies.iter().enumerate().chain([(bodies.len(), &bodies[old])]) {
            let body = if i == old { ours.as_slice() } else { body };
            out.extend(leb(body.len()));
            out.extend_from_slice(body);
        }
        Ok(out)
    }

    /// Takes the address (0) and the length (1); the old hash is 2, the slot 3, what is in it 4, the keyed hash 5.
    fn hash_code(&self, places: &Places) -> Vec<u8> {
        let mut code = Code(vec![2, 3, I32, 1, I64]);
        code.get(0).get(1).call(self.end).tee(2);
        code.op(&[I32_EQZ, IF, NO_VALUE]).i32(0).op(&[RETURN, END]);
        code.get(2).i32(SPREAD as i32).op(&[I32_MUL]).i32((32 - SLOT_BITS) as i32).op(&[I32_SHR_U]).set(3);
        code.op(&[BLOCK, NO_VALUE, LOOP, NO_VALUE]);
        code.get(3).i32(SLOT_SHIFT).op(&[I32_SHL]).load(I32_LOAD, 2, places.table).tee(4).op(&[I32_EQZ, BR_IF, 1]);
        code.get(4).get(2).op(&[I32_EQ, IF, NO_VALUE]);
        code.op(&[I64_CONST]).op(&signed_leb(MARK_KEY)).get(0).get(1).call(self.keyed);
        code.get(3).i32(SLOT_SHIFT).op(&[I32_SHL]).load(I64_LOAD, 0, places.table + MARK);
        code.op(&[I64_EQ, IF, NO_VALUE]).get(2).op(&[RETURN, END, END]);
        code.get(3).i32(1).op(&[I32_ADD]).i32(SLOTS as i32 - 1).op(&[I32_AND]).set(3).op(&[BR, 0, END, END]);
        code.i32(0).load(I64_LOAD, 0, places.key).op(&[I64_EQZ, IF, NO_VALUE]);
        code.i32(places.key as u32 as i32).i32(8).call(self.random).op(&[DROP, END]);
        code.i32(0).load(I64_LOAD, 0, places.key).get(0).get(1).call(self.keyed).tee(5);
        code.op(&[I64_CONST, 32, I64_SHR_U]).get(5).op(&[I64_XOR, I32_WRAP, END]);
        code.0
    }
}

/// How many functions are imported, and which of them gives random bytes.
fn imports(body: &[u8]) -> Result<(usize, usize)> {
    let (count, mut rest) = read_leb(body)?;
    let mut random = None;
    for i in 0..count {
        let (_, after) = vector(rest)?;
        let (name, after) = vector(after)?;
        let (kind, after) = after.split_first().context("an import is cut off")?;
        ensure!(*kind == 0, "something else than functions is imported");
        if name == b"random_get" {
            random = Some(i);
        }
        rest = read_leb(after)?.1;
    }
    Ok((count, random.context("the module imports no random_get")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmtime::{Caller, Engine, Instance, Linker, Memory, Module, Store};

    /// A hash that is the first byte times the factor, a keyed one that is the key; random numbers are sevens.
    const TEXT: &str = r#"(module
        (import "wasi" "random_get" (func (param i32 i32) (result i32)))
        (memory (export "memory") 20)
        (func $hash (export "hash") (param i32 i32) (result i32)
            (i32.mul (i32.load8_u (local.get 0)) (i32.const 1000003)))
        (func (param i64 i32 i32) (result i64)
            (drop (i64.const 0x736f6d6570736575)) (drop (i64.const 0x646f72616e646f6d))
            (drop (i64.const 0x6c7967656e657261)) (drop (i64.const 0x7465646279746573))
            (i64.and (local.get 0) (i64.const 0xffffffff))))"#;

    const KEY: usize = 64;
    const TABLE: usize = 65536;
    const KIND: u32 = 0x1234;

    fn places() -> Places {
        let words = [TABLE as u32, (SLOT_SIZE * SLOTS) as u32, KEY as u32, KIND, 1];
        Places::decode(&words.map(u32::to_le_bytes).concat()).unwrap()
    }

    fn instance(wasm: &[u8]) -> (Store<()>, Instance, Memory) {
        let engine = Engine::default();
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new(&engine);
        linker
            .func_wrap("wasi", "random_get", |mut caller: Caller<'_, ()>, at: i32, len: i32| {
                let memory = caller.get_export("memory").unwrap().into_memory().unwrap();
                memory.write(&mut caller, at as usize, &vec![7; len as usize]).unwrap();
                0
            })
            .unwrap();
        let instance = linker.instantiate(&mut store, &Module::new(&engine, wasm).unwrap()).unwrap();
        let memory = instance.get_memory(&mut store, "memory").unwrap();
        (store, instance, memory)
    }

    #[test]
    fn what_the_snapshot_has_keeps_its_hash_and_the_rest_gets_a_key() {
        let wasm = with_keyed_hashes(&wat::parse_str(TEXT).unwrap(), &places()).unwrap();
        let (mut store, instance, memory) = instance(&wasm);
        let kept = 5 * FACTOR;
        let object = |hash: i32| [7, KIND as i32, 1, hash, 5].map(i32::to_le_bytes).concat();
        memory.write(&mut store, 1024, &object(kept)).unwrap();
        // One whose data is not what its hash says, and one that has none.
        memory.write(&mut store, 1100, &object(6 * FACTOR)).unwrap();
        memory.write(&mut store, 1200, &object(-1)).unwrap();
        let fnv = |data: &[u8]| u32::from(data[0]).wrapping_mul(FACTOR as u32);
        let mark = |_: &[u8]| MARK_KEY as u64 & 0xffff_ffff;
        assert_eq!(fill(memory.data_mut(&mut store), &places(), fnv, mark).unwrap(), 1);
        memory.write(&mut store, 2048, &[5, 6, 0]).unwrap();
        let hash = instance.get_typed_func::<(i32, i32), i32>(&mut store, "hash").unwrap();
        assert_eq!(hash.call(&mut store, (2048, 1)).unwrap(), kept);
        assert_eq!(hash.call(&mut store, (2050, 1)).unwrap(), 0);
        assert_eq!(memory.data(&store)[KEY..KEY + 8], [0; 8], "no key is drawn before it is needed");
        assert_eq!(hash.call(&mut store, (2049, 1)).unwrap(), 0x0707_0707);
        memory.write(&mut store, KEY, &[1, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!(hash.call(&mut store, (2049, 1)).unwrap(), 1);
        assert_eq!(hash.call(&mut store, (2048, 1)).unwrap(), kept);
        // The same hash, but another string: the mark differs.
        memory.write(&mut store, TABLE + SLOT_SIZE * slot_of(kept) + MARK, &[1; 8]).unwrap();
        assert_eq!(hash.call(&mut store, (2048, 1)).unwrap(), 1);
    }

    fn slot_of(hash: i32) -> usize {
        ((hash as u32).wrapping_mul(SPREAD) >> (32 - SLOT_BITS)) as usize
    }

    #[test]
    fn a_module_of_another_kind_is_refused() {
        let two = TEXT
            .replace("(func (param i64", "(func (param i32 i32) (result i32) (i32.const 1000003)) (func (param i64");
        for text in ["(module)", &TEXT.replace("random_get", "other"), &TEXT.replace("1000003", "7"), &two] {
            assert!(with_keyed_hashes(&wat::parse_str(text).unwrap(), &places()).is_err());
        }
        assert!(Places::decode(&[0; 12]).is_err() && Places::decode(&[0; 7]).is_err());
        assert!(fill(&mut [0; 64], &places(), |_| 0, |_| 0).is_err());
    }
}
