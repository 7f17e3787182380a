//! Blocks: literals by Huffman's code, and the sequences of literals and matches by finite state entropy.

use super::bits::Bits;
use super::fse::{self, Table};
use super::huffman::Code;

/// Literals, and then bytes that were there before.
#[derive(Clone, Copy, Debug)]
pub struct Sequence {
    pub literals: u32,
    pub length: u32,
    pub offset: u32,
}

/// The offsets that a frame begins with.
pub const FIRST_OFFSETS: [u32; 3] = [1, 4, 8];

/// What the numbers of a sequence are told as: a code, and more bits with some codes.
#[derive(Clone, Copy)]
struct Part {
    code: u8,
    more: u32,
    bits: u32,
}

/// The kinds of codes: the shares that need no telling, and how fine others may be.
struct Kind {
    shares: &'static [i16],
    log: u32,
    finest: u32,
}

#[rustfmt::skip]
const LITERALS: Kind = Kind {
    shares: &[4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
    log: 6,
    finest: 9,
};
#[rustfmt::skip]
const LENGTHS: Kind = Kind {
    shares: &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    log: 6,
    finest: 9,
};
const OFFSETS: Kind = Kind {
    shares: &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
    log: 5,
    finest: 8,
};

/// Numbers from 16 literals on: where a code begins, and how many bits more it has.
const LITERAL_STEPS: [(u32, u32); 9] =
    [(16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4)];
/// Numbers from 32 on of what a match has beyond three bytes.
const LENGTH_STEPS: [(u32, u32); 11] =
    [(32, 1), (34, 1), (36, 1), (38, 1), (40, 2), (44, 2), (48, 3), (56, 3), (64, 4), (80, 4), (96, 5)];

/// A number of `plain` codes of their own, then of steps, then of one code for each power of two.
fn part(number: u32, plain: u32, steps: &[(u32, u32)], power: u32) -> Part {
    if number < plain {
        return Part { code: number as u8, more: 0, bits: 0 };
    }
    let bits = number.ilog2();
    if bits >= power {
        let code = plain + steps.len() as u32 + bits - power;
        return Part { code: code as u8, more: number, bits };
    }
    let step = steps.iter().rposition(|step| step.0 <= number).unwrap_or(0);
    Part { code: (plain as usize + step) as u8, more: number - steps[step].0, bits: steps[step].1 }
}

fn literals_part(number: u32) -> Part {
    part(number, 16, &LITERAL_STEPS, 6)
}

fn length_part(number: u32) -> Part {
    part(number - 3, 32, &LENGTH_STEPS, 7)
}

fn offset_part(value: u32) -> Part {
    let bits = value.ilog2();
    Part { code: bits as u8, more: value, bits }
}

/// The number an offset is told as, one of the last three offsets by its place; those are brought up to date.
fn offset_value(offset: u32, no_literals: bool, last: &mut [u32; 3]) -> u32 {
    let [a, b, c] = *last;
    // Behind a match without literals the last offset is no choice, and one less than it is.
    let choices = if no_literals { [b, c, a.wrapping_sub(1)] } else { [a, b, c] };
    let chosen = choices.iter().position(|choice| *choice == offset);
    *last = match chosen.map(|place| place + usize::from(no_literals)) {
        Some(0) => [a, b, c],
        Some(1) => [b, a, c],
        _ => [offset, a, b],
    };
    chosen.map_or(offset + 3, |place| place as u32 + 1)
}

/// A block's literals and sequences, packed; none where that is no gain. The offsets are those of the block before.
pub fn pack(literals: &[u8], sequences: &[Sequence], size: usize, offsets: &mut [u32; 3]) -> Option<Vec<u8>> {
    let mut out = pack_literals(literals);
    let mut last = *offsets;
    pack_sequences(sequences, &mut last, &mut out);
    if out.len() >= size {
        return None;
    }
    *offsets = last;
    Some(out)
}

/// How many literals are worth a code of their own.
const FEW: usize = 32;
/// So many literals are one stream, more are four.
const ONE_STREAM: usize = 255;

fn pack_literals(literals: &[u8]) -> Vec<u8> {
    let head = |kind: usize, size: usize| match size {
        0..32 => vec![(kind | size << 3) as u8],
        32..4096 => ((kind | 1 << 2 | size << 4) as u16).to_le_bytes().to_vec(),
        _ => ((kind | 3 << 2 | size << 4) as u32).to_le_bytes()[..3].to_vec(),
    };
    let plain = || [&head(0, literals.len())[..], literals].concat();
    let Some(&first) = literals.first() else { return plain() };
    let counts = count(literals);
    if counts[usize::from(first)] as usize == literals.len() {
        return [&head(1, literals.len())[..], &[first]].concat();
    }
    if literals.len() < FEW {
        return plain();
    }
    packed_literals(literals, &counts).unwrap_or_else(plain)
}

/// How often each byte is there. Four counts in turn: a run of one byte would wait for itself.
fn count(bytes: &[u8]) -> [u32; 256] {
    let mut counts = [[0u32; 256]; 4];
    let (fours, rest) = bytes.as_chunks::<4>();
    for four in fours {
        for (counts, &byte) in counts.iter_mut().zip(four) {
            counts[usize::from(byte)] += 1;
        }
    }
    rest.iter().for_each(|&byte| counts[0][usize::from(byte)] += 1);
    std::array::from_fn(|byte| counts.iter().map(|counts| counts[byte]).sum())
}

fn packed_literals(literals: &[u8], counts: &[u32; 256]) -> Option<Vec<u8>> {
    let code = Code::new(counts)?;
    // What saves less than one in 64 is not worth the time of whoever reads it.
    let worth = literals.len() - literals.len() / 64;
    if code.cost(counts) / 8 >= worth as u64 {
        return None;
    }
    let mut body = code.describe()?;
    let single = literals.len() <= ONE_STREAM;
    if single {
        body.extend(code.stream(literals));
    } else {
        let streams: Vec<Vec<u8>> =
            literals.chunks(literals.len().div_ceil(4)).map(|quarter| code.stream(quarter)).collect();
        for stream in &streams[..3] {
            body.extend_from_slice(&u16::try_from(stream.len()).ok()?.to_le_bytes());
        }
        streams.iter().for_each(|stream| body.extend_from_slice(stream));
    }
    let larger = literals.len().max(body.len());
    let (form, bits) = match larger {
        0..1024 => (u64::from(!single), 10),
        1024..16384 => (2, 14),
        _ => (3, 18),
    };
    let head = 2 | form << 2 | (literals.len() as u64) << 4 | (body.len() as u64) << (4 + bits);
    let bytes = (4 + 2 * bits) / 8;
    (body.len() + bytes < worth).then(|| [&head.to_le_bytes()[..bytes], &body].concat())
}

fn pack_sequences(sequences: &[Sequence], offsets: &mut [u32; 3], out: &mut Vec<u8>) {
    match sequences.len() {
        count @ 0..128 => out.push(count as u8),
        count @ 128..0x7f00 => out.extend([(count >> 8) as u8 + 128, count as u8]),
        count => {
            out.push(255);
            out.extend_from_slice(&((count - 0x7f00) as u16).to_le_bytes());
        }
    }
    if sequences.is_empty() {
        return;
    }
    let parts: Vec<[Part; 3]> = sequences
        .iter()
        .map(|sequence| {
            let value = offset_value(sequence.offset, sequence.literals == 0, offsets);
            [literals_part(sequence.literals), offset_part(value), length_part(sequence.length)]
        })
        .collect();
    let mut modes = 0;
    let mut descriptions = Vec::new();
    let tables = [&LITERALS, &OFFSETS, &LENGTHS].iter().enumerate().map(|(at, kind)| {
        let (mode, description, table) = choose(kind, parts.iter().map(|parts| parts[at].code));
        modes |= mode << (6 - 2 * at);
        descriptions.extend(description);
        table
    });
    let tables: Vec<Table> = tables.collect();
    out.push(modes);
    out.extend(descriptions);
    if let [literals, offsets, lengths] = &tables[..] {
        out.extend(stream(&parts, literals, offsets, lengths));
    }
}

/// The shortest way to tell these codes: its number, what describes the table, and the table.
fn choose(kind: &Kind, codes: impl Iterator<Item = u8>) -> (u8, Vec<u8>, Table) {
    const PREDEFINED: u8 = 0;
    const SINGLE: u8 = 1;
    const DESCRIBED: u8 = 2;
    let mut counts = [0u32; 64];
    codes.for_each(|code| counts[usize::from(code)] += 1);
    let total: u32 = counts.iter().sum();
    let distinct = counts.iter().filter(|count| **count > 0).count() as u32;
    let known = fse::cost(&counts, kind.shares, kind.log);
    if let Some(only) = counts.iter().position(|count| *count == total)
        && known.is_none_or(|known| known > 8.0)
    {
        return (SINGLE, vec![only as u8], Table::single(only as u8));
    }
    let predefined = || (PREDEFINED, Vec::new(), Table::new(kind.shares, kind.log));
    if distinct < 2 {
        return predefined();
    }
    let log = fse::best_log(total, distinct, kind.finest);
    let shares = fse::normalize(&counts, log);
    let description = fse::describe(&shares, log);
    let own = fse::cost(&counts, &shares, log).map(|cost| cost + 8.0 * description.len() as f32);
    match (known, own) {
        (Some(known), Some(own)) if known <= own => predefined(),
        _ => (DESCRIBED, description, Table::new(&shares, log)),
    }
}

fn stream(parts: &[[Part; 3]], literals: &Table, offsets: &Table, lengths: &Table) -> Vec<u8> {
    let mut out = Bits::default();
    let more = |[literals, offset, length]: &[Part; 3], out: &mut Bits| {
        out.add(literals.more, literals.bits);
        out.add(length.more, length.bits);
        out.add(offset.more, offset.bits);
    };
    let Some((last, before)) = parts.split_last() else { return Vec::new() };
    let mut states = [literals.first(last[0].code), offsets.first(last[1].code), lengths.first(last[2].code)];
    more(last, &mut out);
    for parts in before.iter().rev() {
        states[1] = offsets.step(states[1], parts[1].code, &mut out);
        states[2] = lengths.step(states[2], parts[2].code, &mut out);
        states[0] = literals.step(states[0], parts[0].code, &mut out);
        more(parts, &mut out);
    }
    lengths.last(states[2], &mut out);
    offsets.last(states[1], &mut out);
    literals.last(states[0], &mut out);
    out.finish_marked()
}
