//! The bytes of a file: 64 KiB chunks, shared between copies until one of them changes; what is missing reads as zero.

use crate::copy::{copy, extend};
use crate::{Errno, Quota, Result};
use imbl::OrdMap;
use std::sync::Arc;

/// Large enough that copying dominates bookkeeping, small enough that changing one byte of a shared file is cheap.
pub const CHUNK: usize = 64 * 1024;

/// What a chunk after the first costs at least, as on a disk with sectors: finding it takes the host memory too, and a
/// file of one byte in every chunk would cost next to nothing otherwise.
const SECTOR: usize = 512;

/// `off_t` ends here.
pub const MAX_SIZE: u64 = i64::MAX as u64;

/// A file's bytes. Cloning shares them.
#[derive(Clone)]
pub struct FileData {
    size: u64,
    /// Bytes of all chunks: what is not a hole.
    present: u64,
    /// What quota is charged for: the chunks that are not embedded in the binary.
    cost: u64,
    chunks: Chunks,
}

/// No chunk is longer than [`CHUNK`], and none reaches past the file's size.
#[derive(Clone)]
enum Chunks {
    /// Embedded in the binary, cut into chunks at the first change only.
    Static(&'static [u8]),
    /// Only the first chunk is there: most files are small, and stay one allocation.
    One(Chunk),
    Many(OrdMap<u64, Chunk>),
}

#[derive(Clone)]
enum Chunk {
    Static(&'static [u8]),
    Owned(Arc<Vec<u8>>),
}

impl Chunk {
    fn bytes(&self) -> &[u8] {
        match self {
            Chunk::Static(bytes) => bytes,
            Chunk::Owned(bytes) => bytes,
        }
    }

    /// What it costs as a file's chunk with this number.
    fn cost(&self, index: u64) -> usize {
        match self {
            Chunk::Static(_) => 0,
            Chunk::Owned(bytes) => price(index, bytes.len()),
        }
    }

    fn truncate(&mut self, len: usize) {
        match self {
            Chunk::Static(bytes) => *bytes = &bytes[..len.min(bytes.len())],
            Chunk::Owned(shared) if len < shared.len() => match Arc::get_mut(shared) {
                Some(bytes) => {
                    bytes.truncate(len);
                    bytes.shrink_to_fit();
                }
                None => *shared = Arc::new(shared[..len].to_vec()),
            },
            Chunk::Owned(_) => {}
        }
    }

    /// `at + data.len()` is at most [`CHUNK`]. A gap before `at` becomes zeros.
    fn write(&mut self, at: usize, data: &[u8]) {
        let len = self.bytes().len();
        let whole = at == 0 && data.len() >= len;
        let unshared = matches!(self, Chunk::Owned(shared) if Arc::strong_count(shared) == 1);
        if whole && !unshared {
            // All of it is replaced: copying the old bytes first would be for nothing.
            let mut bytes = Vec::with_capacity(data.len());
            extend(&mut bytes, data);
            *self = Chunk::Owned(Arc::new(bytes));
            return;
        }
        if let Chunk::Static(bytes) = self {
            *self = Chunk::Owned(Arc::new(bytes.to_vec()));
        }
        let Chunk::Owned(shared) = self else { return };
        let bytes = Arc::make_mut(shared);
        let end = at + data.len();
        if end > bytes.capacity() {
            // Doubling, but never past a chunk.
            let target = end.max((bytes.capacity() * 2).min(CHUNK));
            bytes.reserve_exact(target - bytes.len());
        }
        if bytes.len() < at {
            bytes.resize(at, 0);
        }
        let inside = data.len().min(bytes.len() - at);
        copy(&mut bytes[at..at + inside], &data[..inside]);
        extend(bytes, &data[inside..]);
    }
}

impl Default for FileData {
    fn default() -> FileData {
        FileData::from_static(&[])
    }
}

impl FileData {
    pub fn from_static(bytes: &'static [u8]) -> FileData {
        let chunks = if bytes.is_empty() { Chunks::One(Chunk::Static(&[])) } else { Chunks::Static(bytes) };
        FileData { size: bytes.len() as u64, present: bytes.len() as u64, cost: 0, chunks }
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes that quota is charged for.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// Units of 512 bytes, as a filesystem with blocks of 4096 counts them.
    pub fn blocks(&self) -> u64 {
        self.present.div_ceil(4096) * 8
    }

    fn chunk(&self, index: u64) -> &[u8] {
        match &self.chunks {
            Chunks::Static(bytes) => static_chunk(bytes, index),
            Chunks::One(chunk) if index == 0 => chunk.bytes(),
            Chunks::One(_) => &[],
            Chunks::Many(map) => map.get(&index).map_or(&[], Chunk::bytes),
        }
    }

    fn chunk_cost(&self, index: u64) -> usize {
        match &self.chunks {
            Chunks::One(chunk) if index == 0 => chunk.cost(0),
            Chunks::Many(map) => map.get(&index).map_or(0, |chunk| chunk.cost(index)),
            _ => 0,
        }
    }

    /// The chunk, made when it is missing.
    fn chunk_mut(&mut self, index: u64) -> &mut Chunk {
        self.split(index);
        match &mut self.chunks {
            Chunks::One(chunk) => chunk,
            Chunks::Many(map) => map.entry(index).or_insert(Chunk::Static(&[])),
            Chunks::Static(_) => unreachable!("split leaves One or Many"),
        }
    }

    /// Brings the chunks into a form in which `index` can be changed.
    fn split(&mut self, index: u64) {
        let chunks = match &mut self.chunks {
            Chunks::Static(bytes) => {
                let chunks: OrdMap<u64, Chunk> = (0_u64..).zip(bytes.chunks(CHUNK).map(Chunk::Static)).collect();
                Chunks::Many(chunks)
            }
            Chunks::One(chunk) if index > 0 => {
                let mut map = OrdMap::new();
                if !chunk.bytes().is_empty() {
                    map.insert(0, chunk.clone());
                }
                Chunks::Many(map)
            }
            _ => return,
        };
        self.chunks = chunks;
    }

    /// As `pread`: fewer bytes than asked only at the end.
    pub fn read(&self, offset: u64, buf: &mut [u8]) -> usize {
        let wanted = (buf.len() as u64).min(self.size.saturating_sub(offset)) as usize;
        let mut done = 0;
        while done < wanted {
            let (index, at) = place(offset + done as u64);
            let n = (CHUNK - at).min(wanted - done);
            let chunk = self.chunk(index);
            let there = chunk.get(at..).unwrap_or(&[]);
            let there = &there[..n.min(there.len())];
            let out = &mut buf[done..done + n];
            copy(&mut out[..there.len()], there);
            out[there.len()..].fill(0);
            done += n;
        }
        wanted
    }

    /// As `pwrite`; writes less when quota ends midway, `ENOSPC` when nothing fits.
    pub fn write(&mut self, offset: u64, data: &[u8], quota: &Quota) -> Result<usize> {
        if data.is_empty() {
            return Ok(0);
        }
        let room = MAX_SIZE.saturating_sub(offset);
        if room == 0 {
            return Err(Errno::EFBIG);
        }
        let data = &data[..(data.len() as u64).min(room) as usize];
        let mut done = 0;
        while done < data.len() {
            let (index, at) = place(offset + done as u64);
            let wanted = (CHUNK - at).min(data.len() - done);
            let n = self.charge(index, at, wanted, quota);
            if n > 0 {
                self.put(index, at, &data[done..done + n]);
            }
            done += n;
            if n < wanted {
                break;
            }
        }
        if done == 0 {
            return Err(Errno::ENOSPC);
        }
        self.size = self.size.max(offset + done as u64);
        Ok(done)
    }

    /// Takes the quota for writing `wanted` bytes into a chunk; how many may be written.
    fn charge(&self, index: u64, at: usize, wanted: usize, quota: &Quota) -> usize {
        let (len, cost) = (self.chunk(index).len(), self.chunk_cost(index));
        let need = (price(index, len.max(at + wanted)) - cost) as u64;
        let got = quota.charge_bytes_up_to(need);
        if got == need {
            return wanted;
        }
        let reach = cost + got as usize;
        let fits = if reach < price(index, len) { 0 } else { wanted.min(reach.saturating_sub(at)) };
        let used = if fits == 0 { 0 } else { (price(index, len.max(at + fits)) - cost) as u64 };
        quota.refund_bytes(got - used);
        fits
    }

    fn put(&mut self, index: u64, at: usize, data: &[u8]) {
        let chunk = self.chunk_mut(index);
        let before = (chunk.bytes().len() as u64, chunk.cost(index) as u64);
        chunk.write(at, data);
        let after = (chunk.bytes().len() as u64, chunk.cost(index) as u64);
        self.present += after.0 - before.0;
        self.cost += after.1 - before.1;
    }

    /// As `ftruncate`; growing makes a hole.
    pub fn set_len(&mut self, size: u64, quota: &Quota) -> Result<()> {
        if size > MAX_SIZE {
            return Err(Errno::EFBIG);
        }
        let cost = self.cost;
        if size == 0 {
            *self = FileData::default();
        } else if size < self.size {
            self.cut(size);
        }
        self.size = size;
        quota.refund_bytes(cost - self.cost);
        Ok(())
    }

    fn cut(&mut self, size: u64) {
        let (last, len) = place(size - 1);
        let len = len + 1;
        let mut removed = (0, 0);
        let mut shorten = |index: u64, chunk: &mut Chunk, len: usize| {
            let before = (chunk.bytes().len(), chunk.cost(index));
            chunk.truncate(len);
            let after = (chunk.bytes().len(), if len == 0 { 0 } else { chunk.cost(index) });
            removed.0 += (before.0 - after.0) as u64;
            removed.1 += (before.1 - after.1) as u64;
        };
        match &mut self.chunks {
            Chunks::Static(bytes) => {
                *bytes = &bytes[..bytes.len().min(usize::try_from(size).unwrap_or(usize::MAX))];
                self.present = bytes.len() as u64;
            }
            Chunks::One(chunk) if last == 0 => shorten(0, chunk, len),
            Chunks::One(_) => {}
            Chunks::Many(map) => {
                let gone: Vec<u64> = map.range(last + 1..).map(|(index, _)| *index).collect();
                for index in gone {
                    if let Some(mut chunk) = map.remove(&index) {
                        shorten(index, &mut chunk, 0);
                    }
                }
                if let Some(chunk) = map.get_mut(&last) {
                    shorten(last, chunk, len);
                }
            }
        }
        self.present -= removed.0;
        self.cost -= removed.1;
    }

    /// Where at or after an offset the next byte may be that is not in a hole.
    pub fn next_data(&self, offset: u64) -> Option<u64> {
        let (index, at) = place(offset);
        if at < self.chunk(index).len() {
            return Some(offset);
        }
        match &self.chunks {
            Chunks::Static(_) | Chunks::One(_) => None,
            Chunks::Many(map) => {
                let later = map.range(index + 1..).find(|(_, chunk)| !chunk.bytes().is_empty());
                later.map(|(index, _)| index * CHUNK as u64)
            }
        }
    }

    /// The bytes, when all of them are embedded in the binary.
    pub fn embedded(&self) -> Option<&'static [u8]> {
        match self.chunks {
            Chunks::Static(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The chunks that are not shared with what the file was before, and the numbers of those that are gone.
    pub fn differences<'a>(&'a self, before: Option<&FileData>) -> (Vec<(u64, &'a [u8])>, Vec<u64>) {
        let old = |index: u64| before.map_or(&[][..], |before| before.chunk(index));
        let same = |index: u64| {
            let (old, new) = (old(index), self.chunk(index));
            std::ptr::eq(old.as_ptr(), new.as_ptr()) && old.len() == new.len()
        };
        let indices = self.indices().into_iter().filter(|&index| !self.chunk(index).is_empty());
        let changed = indices.filter(|&index| !same(index)).map(|index| (index, self.chunk(index))).collect();
        let gone = before.map_or(Vec::new(), |before| before.indices());
        let gone = gone.into_iter().filter(|&index| self.chunk(index).is_empty() && !old(index).is_empty()).collect();
        (changed, gone)
    }

    /// The file with some of its chunks replaced and others gone; none when that is no file.
    pub fn patched(&self, size: u64, changed: Vec<(u64, Vec<u8>)>, gone: &[u64]) -> Option<FileData> {
        let mut data = self.clone();
        data.split(u64::MAX);
        let Chunks::Many(map) = &mut data.chunks else { return None };
        for index in gone {
            map.remove(index);
        }
        for (index, bytes) in changed {
            map.insert(index, Chunk::Owned(Arc::new(bytes)));
        }
        let fits = |(index, chunk): (&u64, &Chunk)| {
            let end = index.checked_mul(CHUNK as u64).and_then(|start| start.checked_add(chunk.bytes().len() as u64));
            (1..=CHUNK).contains(&chunk.bytes().len()) && end.is_some_and(|end| end <= size)
        };
        if size > MAX_SIZE || !map.iter().all(fits) {
            return None;
        }
        data.size = size;
        data.present = map.values().map(|chunk| chunk.bytes().len() as u64).sum();
        data.cost = map.iter().map(|(&index, chunk)| chunk.cost(index) as u64).sum();
        if map.keys().all(|&index| index == 0) {
            data.chunks = Chunks::One(map.get(&0).cloned().unwrap_or(Chunk::Static(&[])));
        }
        Some(data)
    }

    /// The chunks that are there, in order.
    fn indices(&self) -> Vec<u64> {
        match &self.chunks {
            Chunks::Static(bytes) => (0..bytes.len().div_ceil(CHUNK) as u64).collect(),
            Chunks::One(_) => vec![0],
            Chunks::Many(map) => map.keys().copied().collect(),
        }
    }
}

/// By content: a hole is as good as zeros. Chunks that are still shared are not looked at.
impl PartialEq for FileData {
    fn eq(&self, other: &FileData) -> bool {
        if self.size != other.size {
            return false;
        }
        if let (Chunks::Many(a), Chunks::Many(b)) = (&self.chunks, &other.chunks)
            && a.ptr_eq(b)
        {
            return true;
        }
        let same = |index: u64| same_zero_extended(self.chunk(index), other.chunk(index));
        self.indices().into_iter().chain(other.indices()).all(same)
    }
}

impl Eq for FileData {}

fn same_zero_extended(a: &[u8], b: &[u8]) -> bool {
    if a.as_ptr() == b.as_ptr() && a.len() == b.len() {
        return true;
    }
    let common = a.len().min(b.len());
    a[..common] == b[..common] && a[common..].iter().chain(&b[common..]).all(|&byte| byte == 0)
}

fn price(index: u64, len: usize) -> usize {
    if index == 0 { len } else { len.max(SECTOR) }
}

fn static_chunk(bytes: &'static [u8], index: u64) -> &'static [u8] {
    let start = index.saturating_mul(CHUNK as u64);
    if start >= bytes.len() as u64 {
        return &[];
    }
    let start = start as usize;
    &bytes[start..bytes.len().min(start + CHUNK)]
}

fn place(offset: u64) -> (u64, usize) {
    (offset / CHUNK as u64, (offset % CHUNK as u64) as usize)
}
