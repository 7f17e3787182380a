//! Members one after the other, from a stream.

use super::checkpoint::Checkpoints;
use super::header::{self, BLOCK, Entry, Kind};
use crate::codec::{Decode, Fault};
use std::collections::BTreeMap;

/// Why an archive cannot be read on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    Fault(Fault),
    /// It ends inside of a member.
    Cut,
    /// The first block is no header.
    NotTar,
    /// The first block is no header; one may follow.
    Garbage,
    /// A block in the middle is none; reading goes on behind it.
    Skipped,
}

pub struct Reader {
    input: Box<dyn Decode>,
    /// What has been read from the stream.
    pub offset: u64,
    /// Where the last header began: appending goes on there at the end.
    pub header_at: u64,
    /// What is left of the member's data, and its padding.
    left: u64,
    padding: u64,
    first: bool,
    /// A header was begun.
    partial: bool,
    block: Vec<u8>,
    /// How much of it is filled at once.
    reach: usize,
    at: usize,
    filled: usize,
    /// A header that was found and is to be read.
    again: Option<[u8; BLOCK]>,
    global: BTreeMap<Vec<u8>, Vec<u8>>,
    pub ignore_zeros: bool,
    /// The block of zeros that ended it.
    pub zeros: Option<u64>,
    /// The same, where a second one was missing.
    pub alone: Option<u64>,
    /// Data that is left out is not read, where the archive is a file.
    pub seeks: bool,
    pub record: u64,
    pub checkpoints: Checkpoints,
}

/// How much is read at once, and how much where members are left out.
const LARGEST_READ: usize = 64 * 1024;
const AFTER_SKIP: usize = 16 * 1024;

/// The most that a header's extra data may have: names and maps, no files.
const EXTRA: u64 = 16 << 20;

impl Reader {
    pub fn new(input: Box<dyn Decode>) -> Reader {
        Reader {
            input,
            offset: 0,
            header_at: 0,
            left: 0,
            padding: 0,
            first: true,
            partial: false,
            block: vec![0; LARGEST_READ],
            reach: LARGEST_READ,
            at: 0,
            filled: 0,
            again: None,
            global: BTreeMap::new(),
            ignore_zeros: false,
            zeros: None,
            alone: None,
            seeks: true,
            record: 20 * BLOCK as u64,
            checkpoints: Checkpoints::default(),
        }
    }

    fn more(&mut self) -> Result<bool, Broken> {
        if self.at == self.filled {
            self.at = 0;
            self.filled = 0;
            self.filled = self.input.read(&mut self.block[..self.reach]).map_err(Broken::Fault)?;
        }
        Ok(self.filled > self.at)
    }

    /// A block; none at the end, and an error where it ends in the middle of one.
    fn next_block(&mut self) -> Result<Option<[u8; BLOCK]>, Broken> {
        if let Some(block) = self.again.take() {
            return Ok(Some(block));
        }
        let mut block = [0; BLOCK];
        let mut done = 0;
        self.partial = false;
        while done < BLOCK {
            self.partial = done > 0;
            if !self.more()? {
                return if done == 0 { Ok(None) } else { Err(Broken::Cut) };
            }
            let n = (self.filled - self.at).min(BLOCK - done);
            block[done..done + n].copy_from_slice(&self.block[self.at..self.at + n]);
            self.at += n;
            done += n;
        }
        self.offset += BLOCK as u64;
        self.reached();
        Ok(Some(block))
    }

    /// Some of the member's data; empty when all of it is read.
    pub fn data(&mut self) -> Result<&[u8], Broken> {
        if self.left == 0 {
            return Ok(&[]);
        }
        if !self.more()? {
            return Err(Broken::Cut);
        }
        let n = (self.filled - self.at).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let from = self.at;
        self.at += n;
        self.left -= n as u64;
        self.offset += n as u64;
        self.reached();
        Ok(&self.block[from..from + n])
    }

    /// Whether there is more of a member to come.
    pub fn is_inside(&self) -> bool {
        self.left > 0 || self.padding > 0 || self.partial
    }

    /// A record counts when its first byte is read.
    fn reached(&mut self) {
        if self.checkpoints.is_active() {
            self.checkpoints.reached(self.offset.next_multiple_of(self.record), self.record, false);
        }
    }

    /// Reads on where the archive has ended, so that what unpacks it comes to its end.
    pub fn drain(&mut self) -> Result<(), Fault> {
        while self.input.read(&mut self.block)? > 0 {}
        Ok(())
    }

    /// Goes on behind a damaged block: whether there is a header, which is read next.
    pub fn find_header(&mut self) -> bool {
        loop {
            match self.next_block() {
                Ok(Some(block)) if block.iter().all(|b| *b == 0) => return false,
                Ok(Some(block)) if header::checksum_fits(&block) => {
                    self.again = Some(block);
                    return true;
                }
                Ok(Some(_)) => {}
                _ => return false,
            }
        }
    }

    /// Steps over what is left of the member.
    pub fn skip(&mut self) -> Result<(), Broken> {
        let at_hand = (self.filled - self.at) as u64;
        if self.seeks && self.left > at_hand {
            let passed = self.input.skip(self.left - at_hand);
            if passed > 0 {
                // Most of what is read now may be left out, too.
                self.reach = AFTER_SKIP;
                self.at = self.filled;
                self.offset += self.left;
                self.left = 0;
                self.reached();
            }
        }
        while !self.data()?.is_empty() {}
        self.left = std::mem::take(&mut self.padding);
        while !self.data()?.is_empty() {}
        Ok(())
    }

    fn begin(&mut self, size: u64) {
        self.left = size;
        self.padding = size.next_multiple_of(BLOCK as u64) - size;
    }

    fn extra(&mut self, size: u64) -> Result<Vec<u8>, Broken> {
        if size > EXTRA {
            return Err(Broken::Fault(Fault::Memory));
        }
        self.begin(size);
        let mut all = Vec::new();
        loop {
            let data = self.data()?;
            if data.is_empty() {
                break;
            }
            all.extend_from_slice(data);
        }
        self.skip()?;
        Ok(all)
    }

    /// The next member; none at the end.
    pub fn next(&mut self) -> Result<Option<Entry>, Broken> {
        self.skip()?;
        let (mut name, mut link) = (None, None);
        let mut records = self.global.clone();
        self.header_at = self.offset;
        loop {
            let block = match self.next_block() {
                Ok(Some(block)) => block,
                // Less than a header is no archive at all.
                Ok(None) | Err(Broken::Cut) if self.first => return Err(Broken::NotTar),
                Ok(None) => return Ok(None),
                Err(broken) => return Err(broken),
            };
            if block.iter().all(|b| *b == 0) {
                if self.ignore_zeros {
                    self.header_at = self.offset;
                    continue;
                }
                // A second block of zeros ends it; a lone one does too.
                self.first = false;
                let number = self.offset / BLOCK as u64;
                self.zeros = Some(number - 1);
                match self.next_block() {
                    Ok(Some(block)) if block.iter().all(|b| *b == 0) => {}
                    _ => self.alone = Some(number),
                }
                return Ok(None);
            }
            let first = std::mem::replace(&mut self.first, false);
            if !header::checksum_fits(&block) {
                return Err(if first { Broken::Garbage } else { Broken::Skipped });
            }
            let Some(mut entry) = header::decode(&block) else { return Err(Broken::Skipped) };
            match block[156] {
                b'L' | b'K' => {
                    let mut text = self.extra(entry.size)?;
                    text.truncate(memchr::memchr(0, &text).unwrap_or(text.len()));
                    *if block[156] == b'L' { &mut name } else { &mut link } = Some(text);
                    continue;
                }
                b'x' | b'X' => {
                    records.extend(header::pax_records(&self.extra(entry.size)?));
                    continue;
                }
                b'g' => {
                    let more = header::pax_records(&self.extra(entry.size)?);
                    self.global.extend(more);
                    records = self.global.clone();
                    continue;
                }
                _ => {}
            }
            if let Some(name) = name {
                entry.name = name;
            }
            if let Some(link) = link {
                entry.link = link;
            }
            if block[156] == b'S' {
                self.old_sparse(&block, &mut entry)?;
            }
            apply(&records, &mut entry);
            if entry.kind == Kind::Regular && entry.name.ends_with(b"/") {
                entry.kind = Kind::Directory;
            }
            // Links and directories have no data, whatever the number says.
            let size = match entry.kind {
                Kind::Regular | Kind::Other(_) => entry.size,
                Kind::HardLink if entry.size > 0 => entry.size,
                _ => 0,
            };
            entry.size = size;
            self.begin(size);
            if records.get(b"GNU.sparse.major".as_slice()).is_some_and(|v| v == b"1") {
                self.new_sparse(&mut entry)?;
            }
            return Ok(Some(entry));
        }
    }

    /// GNU's own form: pieces in the header and in blocks behind it.
    fn old_sparse(&mut self, block: &[u8; BLOCK], entry: &mut Entry) -> Result<(), Broken> {
        let mut map = Vec::new();
        let pieces = |part: &[u8], count: usize, map: &mut Vec<(u64, u64)>| {
            for piece in part.chunks_exact(24).take(count) {
                if piece[0] == 0 {
                    break;
                }
                let value = |field: &[u8]| u64::try_from(header::number(field).unwrap_or(0)).unwrap_or(0);
                map.push((value(&piece[..12]), value(&piece[12..])));
            }
        };
        pieces(&block[386..482], 4, &mut map);
        let mut more = block[482] != 0;
        while more {
            let Some(next) = self.next_block()? else { return Err(Broken::Cut) };
            pieces(&next[..504], 21, &mut map);
            more = next[504] != 0 && map.len() < 1 << 20;
        }
        let real = u64::try_from(header::number(&block[483..495]).unwrap_or(0)).unwrap_or(0);
        entry.sparse = Some((map, real));
        Ok(())
    }

    /// pax's form 1.0: the map stands in front of the data, as lines.
    fn new_sparse(&mut self, entry: &mut Entry) -> Result<(), Broken> {
        let real = entry.sparse.as_ref().map_or(entry.size, |s| s.1);
        let mut lines: Vec<u64> = Vec::new();
        let mut text = Vec::new();
        let mut wanted = 1;
        let mut used = 0u64;
        while lines.len() < wanted {
            if self.left < BLOCK as u64 {
                return Err(Broken::Cut);
            }
            let Some(block) = self.next_block()? else { return Err(Broken::Cut) };
            self.left -= BLOCK as u64;
            used += BLOCK as u64;
            text.extend_from_slice(&block);
            while let Some(end) = memchr::memchr(b'\n', &text) {
                let value =
                    std::str::from_utf8(&text[..end]).ok().and_then(|t| t.parse().ok()).ok_or(Broken::Skipped)?;
                text.drain(..=end);
                if lines.is_empty() {
                    wanted = 1 + 2 * usize::try_from(value).unwrap_or(0).min(1 << 20);
                }
                lines.push(value);
                if lines.len() == wanted {
                    break;
                }
            }
        }
        entry.size -= used;
        entry.sparse = Some((lines[1..].chunks_exact(2).map(|p| (p[0], p[1])).collect(), real));
        Ok(())
    }
}

fn apply(records: &BTreeMap<Vec<u8>, Vec<u8>>, entry: &mut Entry) {
    let number = |value: &[u8]| std::str::from_utf8(value).ok().and_then(|t| t.parse::<u64>().ok());
    let mut map = Vec::new();
    for (key, value) in records {
        match key.as_slice() {
            b"path" => entry.name = value.clone(),
            b"linkpath" => entry.link = value.clone(),
            b"size" => entry.size = number(value).unwrap_or(entry.size),
            b"uid" => entry.uid = number(value).unwrap_or(entry.uid),
            b"gid" => entry.gid = number(value).unwrap_or(entry.gid),
            b"uname" => entry.user = value.clone(),
            b"gname" => entry.group = value.clone(),
            b"mtime" => entry.mtime = header::pax_time(value).unwrap_or(entry.mtime),
            b"GNU.sparse.map" => {
                let numbers: Vec<u64> = value.split(|b| *b == b',').filter_map(number).collect();
                map = numbers.chunks_exact(2).map(|p| (p[0], p[1])).collect();
            }
            b"GNU.sparse.realsize" | b"GNU.sparse.size" => {
                let real = number(value).unwrap_or(entry.size);
                entry.sparse = Some((Vec::new(), real));
            }
            _ => {}
        }
    }
    // The name that others see has a part in front of it that says how it is stored.
    if let Some(name) = records.get(b"GNU.sparse.name".as_slice()) {
        entry.name = name.clone();
    }
    if !map.is_empty()
        && let Some(sparse) = &mut entry.sparse
    {
        sparse.0 = map;
    }
}
