//! Headers: 512 bytes, with GNU's and pax's ways to say what does not fit.

use super::pax::PaxOptions;
use capsule_sys::{FileType, Time};
use std::collections::BTreeMap;

pub const BLOCK: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Regular,
    HardLink,
    Symlink,
    CharDevice,
    BlockDevice,
    Directory,
    Fifo,
    /// What the archive is called.
    Label,
    /// What is no file.
    Other(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    V7,
    Ustar,
    /// GNU's own, of which the older one differs in nothing that is written here.
    Gnu,
    OldGnu,
    Pax,
}

/// A member of an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: Vec<u8>,
    pub link: Vec<u8>,
    pub kind: Kind,
    pub mode: u32,
    pub uid: u64,
    pub gid: u64,
    pub user: Vec<u8>,
    pub group: Vec<u8>,
    pub mtime: Time,
    /// Of files that are stored: pax has room for them.
    pub atime: Option<Time>,
    pub ctime: Option<Time>,
    /// The bytes that follow.
    pub size: u64,
    pub device: (u64, u64),
    /// Where the data belongs, when it has holes, and how large the file is.
    pub sparse: Option<(Vec<(u64, u64)>, u64)>,
}

impl Entry {
    /// The size of the file itself.
    pub fn real_size(&self) -> u64 {
        self.sparse.as_ref().map_or(self.size, |s| s.1)
    }

    pub fn file_type(&self) -> FileType {
        match self.kind {
            Kind::Directory => FileType::Directory,
            Kind::Symlink => FileType::Symlink,
            Kind::CharDevice => FileType::CharDevice,
            Kind::BlockDevice => FileType::BlockDevice,
            Kind::Fifo => FileType::Fifo,
            _ => FileType::Regular,
        }
    }
}

fn text(field: &[u8]) -> Vec<u8> {
    field[..memchr::memchr(0, field).unwrap_or(field.len())].to_vec()
}

/// Octal digits, or GNU's big-endian number when the first bit is set.
pub fn number(field: &[u8]) -> Option<i64> {
    if field[0] & 0x80 != 0 {
        let negative = field[0] == 0xff;
        let mut value: i128 = if negative { -1 } else { i128::from(field[0] & 0x7f) };
        for &byte in &field[1..] {
            value = value.checked_mul(256)? + i128::from(byte);
            if value.abs() > 1 << 80 {
                return None;
            }
        }
        return i64::try_from(value).ok();
    }
    let digits: Vec<u8> =
        field.iter().copied().skip_while(|b| *b == b' ').take_while(|b| (b'0'..=b'7').contains(b)).collect();
    digits.iter().try_fold(0i64, |n, d| n.checked_mul(8)?.checked_add(i64::from(d - b'0')))
}

/// Whether the checksum is right; both ways of counting are in use.
pub fn checksum_fits(block: &[u8; BLOCK]) -> bool {
    let stored = number(&block[148..156]).unwrap_or(-1);
    // The checksum itself counts as eight blanks.
    let (before, behind) = (&block[..148], &block[156..]);
    let sum = |part: &[u8]| part.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    let high = |part: &[u8]| part.iter().map(|byte| u32::from(*byte >> 7)).sum::<u32>();
    let unsigned = i64::from(sum(before) + sum(behind)) + 8 * i64::from(b' ');
    let signed = unsigned - 256 * i64::from(high(before) + high(behind));
    stored == unsigned || stored == signed
}

/// A header without what stands in front of it. None when numbers make no sense.
pub fn decode(block: &[u8; BLOCK]) -> Option<Entry> {
    let size = u64::try_from(number(&block[124..136])?).ok()?;
    let ustar = &block[257..262] == b"ustar";
    let gnu = &block[257..265] == b"ustar  \0";
    let mut name = text(&block[..100]);
    if ustar && !gnu {
        let prefix = text(&block[345..500]);
        if !prefix.is_empty() {
            name = [prefix.as_slice(), b"/", &name].concat();
        }
    }
    // Whether a name ends in a slash is seen when all of it is known.
    let kind = match block[156] {
        b'0' | 0 | b'7' | b'S' => Kind::Regular,
        b'1' => Kind::HardLink,
        b'2' => Kind::Symlink,
        b'3' => Kind::CharDevice,
        b'4' => Kind::BlockDevice,
        b'5' | b'D' => Kind::Directory,
        b'6' => Kind::Fifo,
        b'V' => Kind::Label,
        other => Kind::Other(other),
    };
    let id = |field: &[u8]| u64::try_from(number(field).unwrap_or(0)).unwrap_or(0);
    Some(Entry {
        name,
        link: text(&block[157..257]),
        kind,
        mode: number(&block[100..108]).unwrap_or(0) as u32 & 0o7777,
        uid: id(&block[108..116]),
        gid: id(&block[116..124]),
        user: if ustar { text(&block[265..297]) } else { Vec::new() },
        group: if ustar { text(&block[297..329]) } else { Vec::new() },
        mtime: Time { sec: number(&block[136..148]).unwrap_or(0), nsec: 0 },
        atime: None,
        ctime: None,
        size,
        device: if ustar { (id(&block[329..337]), id(&block[337..345])) } else { (0, 0) },
        sparse: None,
    })
}

/// `LENGTH key=value\n` records.
pub fn pax_records(text: &[u8]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let length = std::str::from_utf8(&rest[..digits]).ok().and_then(|t| t.parse::<usize>().ok()).unwrap_or(0);
        if length <= digits + 1 || length > rest.len() {
            break;
        }
        let record = &rest[digits + 1..length];
        rest = &rest[length..];
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        if let Some(equals) = memchr::memchr(b'=', record) {
            all.insert(record[..equals].to_vec(), record[equals + 1..].to_vec());
        }
    }
    all
}

/// Decimal seconds with a fraction.
pub fn pax_time(text: &[u8]) -> Option<Time> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut sec: i64 = whole.parse().ok()?;
    let digits: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
    let mut nsec: u32 = digits.parse().ok()?;
    if whole.starts_with('-') && nsec > 0 {
        sec -= 1;
        nsec = 1_000_000_000 - nsec;
    }
    Some(Time { sec, nsec })
}

fn put(field: &mut [u8], value: &[u8]) {
    let n = value.len().min(field.len());
    field[..n].copy_from_slice(&value[..n]);
}

/// Octal with leading zeros and a NUL; false when it does not fit.
fn octal(field: &mut [u8], value: u64) -> bool {
    let width = field.len() - 1;
    let digits = format!("{value:0width$o}");
    if digits.len() > width {
        return false;
    }
    field[..width].copy_from_slice(digits.as_bytes());
    true
}

/// As octal, or in GNU's base 256.
fn number_field(field: &mut [u8], value: i64, gnu: bool) -> bool {
    if value >= 0 && octal(field, value as u64) {
        return true;
    }
    if gnu {
        let bytes = i128::from(value).to_be_bytes();
        let n = field.len();
        field.copy_from_slice(&bytes[16 - n..]);
        field[0] |= 0x80;
    }
    gnu
}

fn record(all: &mut Vec<u8>, key: &str, value: &[u8]) {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length.to_string().len() + rest != length {
        length = length.to_string().len() + rest;
    }
    all.extend_from_slice(format!("{length} {key}=").as_bytes());
    all.extend_from_slice(value);
    all.push(b'\n');
}

/// What a format has no room for.
pub enum Unfit {
    Name(&'static str),
    Link(&'static str),
    /// A number, what it counts, and the most there may be.
    Number(i64, &'static str, i64),
}

/// Everything that stands before a member's data. An error names what does not fit into the format.
pub fn encode(entry: &Entry, format: Format, options: &PaxOptions) -> Result<Vec<u8>, Unfit> {
    let format = if format == Format::OldGnu { Format::Gnu } else { format };
    let mut all = Vec::new();
    let mut pax = Vec::new();
    let mut block = [0; BLOCK];
    let mut name = entry.name.as_slice();
    let stand_in = stand_in_name(name);
    if let Some((_, size)) = entry.sparse.as_ref().filter(|_| format == Format::Pax) {
        record(&mut pax, "GNU.sparse.major", b"1");
        record(&mut pax, "GNU.sparse.minor", b"0");
        record(&mut pax, "GNU.sparse.name", name);
        record(&mut pax, "GNU.sparse.realsize", size.to_string().as_bytes());
        name = &stand_in;
    }
    // The oldest format wants a NUL behind every name.
    let most = if format == Format::V7 { 99 } else { 100 };
    if name.len() > most {
        let split = (format != Format::V7 && format != Format::Gnu).then(|| split_name(name)).flatten();
        match (format, split) {
            (_, Some((prefix, rest))) => {
                put(&mut block[345..500], prefix);
                name = rest;
            }
            (Format::Gnu, _) => long(&mut all, b'L', name),
            (Format::Pax, _) => record(&mut pax, "path", name),
            (Format::V7, _) => return Err(Unfit::Name("file name is too long (max 99); not dumped")),
            _ => return Err(Unfit::Name("file name is too long (cannot be split); not dumped")),
        }
    }
    if entry.link.len() > 100 {
        match format {
            Format::Gnu => long(&mut all, b'K', &entry.link),
            Format::Pax => record(&mut pax, "linkpath", &entry.link),
            _ => return Err(Unfit::Link("link name is too long; not dumped")),
        }
    }
    let gnu = format == Format::Gnu;
    put(&mut block[..100], name);
    octal(&mut block[100..108], u64::from(entry.mode));
    let fits_octal = |value: u64, digits: u32| value < 1 << (3 * digits);
    for (range, value, key) in [(108..116, entry.uid, "uid"), (116..124, entry.gid, "gid")] {
        if format == Format::Pax && !fits_octal(value, 7) {
            record(&mut pax, key, value.to_string().as_bytes());
        } else if !number_field(&mut block[range], value as i64, gnu) {
            return Err(Unfit::Number(value as i64, if key == "uid" { "uid_t" } else { "gid_t" }, 0o7_777_777));
        }
    }
    if format == Format::Pax && !fits_octal(entry.size, 11) {
        record(&mut pax, "size", entry.size.to_string().as_bytes());
    } else if !number_field(&mut block[124..136], entry.size as i64, gnu) {
        return Err(Unfit::Number(entry.size as i64, "off_t", 0o77_777_777_777));
    }
    if format == Format::Pax {
        if (entry.mtime.nsec != 0 || !(0..=0o77_777_777_777).contains(&entry.mtime.sec)) && options.wants("mtime") {
            record(&mut pax, "mtime", &decimal(entry.mtime));
        }
        for (key, time) in [("atime", entry.atime), ("ctime", entry.ctime)] {
            if let Some(time) = time.filter(|_| options.wants(key)) {
                record(&mut pax, key, &decimal(time));
            }
        }
        for (key, value) in &options.each {
            record(&mut pax, &String::from_utf8_lossy(key), value);
        }
    }
    if !number_field(&mut block[136..148], entry.mtime.sec, gnu) {
        if format != Format::Pax {
            return Err(Unfit::Number(entry.mtime.sec, "time_t", 0o77_777_777_777));
        }
        octal(&mut block[136..148], 0);
    }
    block[156] = match entry.kind {
        Kind::Regular if entry.sparse.is_some() && gnu => b'S',
        Kind::Regular if format == Format::V7 => 0,
        Kind::Regular => b'0',
        Kind::HardLink => b'1',
        Kind::Symlink => b'2',
        Kind::CharDevice => b'3',
        Kind::BlockDevice => b'4',
        Kind::Directory => b'5',
        Kind::Fifo => b'6',
        Kind::Label => b'V',
        Kind::Other(byte) => byte,
    };
    put(&mut block[157..257], &entry.link);
    if format != Format::V7 {
        put(&mut block[257..265], if gnu { b"ustar  \0" } else { b"ustar\x0000" });
        put(&mut block[265..296], &entry.user);
        put(&mut block[297..328], &entry.group);
    }
    if matches!(entry.kind, Kind::CharDevice | Kind::BlockDevice) || !gnu {
        octal(&mut block[329..337], entry.device.0);
        octal(&mut block[337..345], entry.device.1);
    }
    let more = match &entry.sparse {
        Some((map, size)) if gnu => holes(&mut block, map, *size),
        _ => Vec::new(),
    };
    seal(&mut block);
    if !pax.is_empty() {
        let mut named = options.name(&entry.name);
        named.truncate(100);
        extra(&mut all, b'x', &named, &pax, entry.mtime.sec);
    }
    all.extend_from_slice(&block);
    all.extend(more);
    Ok(all)
}

/// The name that a member with holes has for those who do not know of them.
fn stand_in_name(name: &[u8]) -> Vec<u8> {
    let (dir, base) = (crate::input::dir_name(name), crate::input::base_name(name));
    [dir, format!("/GNUSparseFile.{}/", capsule_sys::getpid()).as_bytes(), base].concat()
}

/// Where a file's data belongs, in pax's format: lines in front of the data, that fill blocks.
pub fn pax_map(map: &[(u64, u64)]) -> Vec<u8> {
    let mut text = format!("{}\n", map.len());
    for (at, length) in map {
        text.push_str(&format!("{at}\n{length}\n"));
    }
    let mut bytes = text.into_bytes();
    bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    bytes
}

/// Where a file's data belongs, in GNU's format: four places in the header, the others in blocks behind it.
fn holes(block: &mut [u8; BLOCK], map: &[(u64, u64)], size: u64) -> Vec<u8> {
    fn places(block: &mut [u8], map: &[(u64, u64)]) {
        for (place, (at, length)) in block.chunks_exact_mut(24).zip(map) {
            number_field(&mut place[..12], *at as i64, true);
            number_field(&mut place[12..], *length as i64, true);
        }
    }
    let (first, rest) = map.split_at(map.len().min(4));
    places(&mut block[386..482], first);
    block[482] = u8::from(!rest.is_empty());
    number_field(&mut block[483..495], size as i64, true);
    let mut more = Vec::new();
    for (nth, part) in rest.chunks(21).enumerate() {
        let mut next = [0; BLOCK];
        places(&mut next[..504], part);
        next[504] = u8::from(21 * (nth + 1) < rest.len());
        more.extend_from_slice(&next);
    }
    more
}

/// The header that says what the archive is called: nothing else is in it.
pub fn label(name: &[u8], now: i64) -> Vec<u8> {
    let mut block = [0; BLOCK];
    put(&mut block[..99], name);
    number_field(&mut block[136..148], now, true);
    block[156] = b'V';
    put(&mut block[257..265], b"ustar  \0");
    seal(&mut block);
    block.to_vec()
}

/// A header for all members behind it; none when there is nothing to tell them.
pub fn global(options: &PaxOptions, now: i64) -> Vec<u8> {
    let mut pax = Vec::new();
    for (key, value) in &options.global {
        record(&mut pax, &String::from_utf8_lossy(key), value);
    }
    let mut all = Vec::new();
    if !pax.is_empty() {
        extra(&mut all, b'g', &options.global(), &pax, now);
    }
    all
}

/// Seconds with as many digits behind the point as they need.
fn decimal(time: Time) -> Vec<u8> {
    // Before 1970 the fraction goes down too.
    let (sec, nsec) = match time.sec < 0 && time.nsec > 0 {
        true => (time.sec + 1, 1_000_000_000 - time.nsec),
        false => (time.sec, time.nsec),
    };
    let sign = if time.sec < 0 && sec == 0 { "-" } else { "" };
    let text = format!("{sign}{sec}.{nsec:09}");
    text.trim_end_matches('0').trim_end_matches('.').as_bytes().to_vec()
}

/// GNU's member that holds a long name.
fn long(all: &mut Vec<u8>, kind: u8, name: &[u8]) {
    extra(all, kind, b"././@LongLink", &[name, b"\0"].concat(), 0);
}

fn extra(all: &mut Vec<u8>, kind: u8, name: &[u8], data: &[u8], mtime: i64) {
    let mut block = [0; BLOCK];
    put(&mut block[..100], name);
    octal(&mut block[100..108], 0o644);
    octal(&mut block[108..116], 0);
    octal(&mut block[116..124], 0);
    octal(&mut block[124..136], data.len() as u64);
    octal(&mut block[136..148], u64::try_from(mtime).unwrap_or(0));
    block[156] = kind;
    if matches!(kind, b'L' | b'K') {
        put(&mut block[265..297], b"root");
        put(&mut block[297..329], b"root");
    }
    put(&mut block[257..265], if matches!(kind, b'x' | b'g') { b"ustar\x0000" } else { b"ustar  \0" });
    seal(&mut block);
    all.extend_from_slice(&block);
    all.extend_from_slice(data);
    all.resize(all.len().next_multiple_of(BLOCK), 0);
}

fn seal(block: &mut [u8; BLOCK]) {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
    let digits = format!("{sum:06o}\0 ");
    put(&mut block[148..156], digits.as_bytes());
}

/// A name as ustar's prefix and rest.
fn split_name(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let first = name.len().saturating_sub(101);
    let slash = first + memchr::memchr(b'/', name.get(first..)?)?;
    let (prefix, rest) = (&name[..slash], &name[slash + 1..]);
    (prefix.len() <= 155 && !prefix.is_empty() && !rest.is_empty() && rest.len() <= 100).then_some((prefix, rest))
}
