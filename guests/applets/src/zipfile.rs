//! The zip format: a directory at the end, a header before each member.

use crate::calendar::{Moment, Zone, days_from_civil};
use capsule_sys::{Errno, Result, Time, pread};

mod unpack;

pub use unpack::{Bad, Keys, Unpacking, can_unpack, unpack};

/// The number of Unix among the systems that members are made on.
pub const UNIX: u8 = 3;

/// A member, as the directory tells of it.
#[derive(Clone, Default, Debug)]
pub struct Member {
    pub name: Vec<u8>,
    pub method: u16,
    pub flags: u16,
    pub crc: u32,
    pub packed: u64,
    pub size: u64,
    /// Where its header begins.
    pub offset: u64,
    /// The type and mode of Unix; 0 where it was made elsewhere.
    pub mode: u32,
    /// DOS time: date in the upper half.
    pub dos_time: u32,
    pub mtime: Option<i64>,
    /// When it was read last, and whose it is, where that is noted.
    pub atime: Option<i64>,
    pub ids: Option<(u32, u32)>,
    pub comment: Vec<u8>,
    /// The version of the format it was made by, in tenths, and on which system.
    pub made_by: u8,
    pub host: u8,
    /// What the system it was made on, and the archiver, noted of it.
    pub attributes: u32,
    pub internal: u16,
    pub has_extra: bool,
}

impl Member {
    pub fn is_directory(&self) -> bool {
        self.name.ends_with(b"/")
    }

    pub fn is_encrypted(&self) -> bool {
        self.flags & 1 != 0
    }

    /// What its data has when it is packed, without what belongs to the password.
    pub fn packed_data(&self) -> u64 {
        self.packed.saturating_sub(if self.is_encrypted() { 12 } else { 0 })
    }

    pub fn is_symlink(&self) -> bool {
        self.mode & 0o170000 == 0o120000
    }

    /// The time as it is shown.
    pub fn when(&self, zone: &Zone) -> Moment {
        let seconds = self.mtime.unwrap_or_else(|| {
            let (date, time) = (self.dos_time >> 16, self.dos_time & 0xffff);
            let month = (date >> 5 & 15).clamp(1, 12);
            let days = days_from_civil(1980 + i64::from(date >> 9), month, (date & 31).max(1));
            let local = days * 86_400 + i64::from(time >> 11) * 3600 + i64::from(time >> 5 & 63) * 60;
            crate::calendar::parse::to_utc(local + i64::from(time & 31) * 2, zone)
        });
        Moment::new(seconds, 0, zone)
    }
}

/// A time as DOS writes it, in steps of two seconds from 1980 on.
pub fn dos_time(time: Time, zone: &Zone) -> u32 {
    let m = Moment::new(time.sec + (time.sec & 1), 0, zone);
    if m.year < 1980 {
        return 0x21 << 16;
    }
    let date = (((m.year.min(2107) - 1980) as u32) << 9) | (m.month << 5) | m.day;
    (date << 16) | (m.hour << 11) | (m.minute << 5) | (m.second / 2)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

fn read_at(fd: i32, offset: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let mut done = 0;
    while done < length {
        match pread(fd, &mut bytes[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e),
        }
    }
    bytes.truncate(done);
    Ok(bytes)
}

/// The most that a directory may have: a zip of a million names is below it.
const DIRECTORY: u64 = 256 << 20;

/// What stands at the end of a zip file.
#[derive(Default, Debug)]
pub struct Directory {
    pub members: Vec<Member>,
    pub comment: Vec<u8>,
    /// Where it begins.
    pub start: u64,
    /// How much stands in front of the archive that is no part of it.
    pub before: u64,
}

/// The directory of a zip file; none when it has none.
pub fn directory(fd: i32, size: u64) -> Result<Option<Directory>> {
    let tail_at = size.saturating_sub(65_557);
    let tail = read_at(fd, tail_at, (size - tail_at) as usize)?;
    let Some(end) = memchr::memmem::rfind(&tail, b"PK\x05\x06") else { return Ok(None) };
    let record = &tail[end..];
    let comment = record.get(22..22 + usize::from(u16_at(record, 20)).min(record.len().saturating_sub(22)));
    let comment = comment.unwrap_or_default().to_vec();
    let mut length = u64::from(u32_at(record, 12));
    let mut start = u64::from(u32_at(record, 16));
    // Behind 4 GiB or 65535 members the numbers are elsewhere.
    if end >= 20 && tail[end - 20..].starts_with(b"PK\x06\x07") {
        let at = u64_at(&tail, end - 20 + 8);
        let record = read_at(fd, at, 56)?;
        if record.starts_with(b"PK\x06\x06") {
            length = u64_at(&record, 40);
            start = u64_at(&record, 48);
        }
    }
    if length > DIRECTORY || start.checked_add(length).is_none_or(|end| end > size) {
        return Ok(None);
    }
    // Something may stand in front of the archive, such as a program that unpacks it.
    let shift = (tail_at + end as u64).saturating_sub(start + length);
    let mut bytes = read_at(fd, start, length as usize)?;
    let mut moved = 0;
    if !bytes.starts_with(b"PK\x01\x02") && shift > 0 && length > 0 {
        bytes = read_at(fd, start + shift, length as usize)?;
        moved = shift;
    }
    let mut members = Vec::new();
    let mut rest = bytes.as_slice();
    while rest.starts_with(b"PK\x01\x02") && rest.len() >= 46 {
        let (name, extra, comment) = (u16_at(rest, 28), u16_at(rest, 30), u16_at(rest, 32));
        let (name, extra, comment) = (usize::from(name), usize::from(extra), usize::from(comment));
        let whole = 46 + name + extra + comment;
        if whole > rest.len() {
            break;
        }
        let mut member = Member {
            name: rest[46..46 + name].to_vec(),
            method: u16_at(rest, 10),
            flags: u16_at(rest, 8),
            crc: u32_at(rest, 16),
            packed: u32_at(rest, 20).into(),
            size: u32_at(rest, 24).into(),
            offset: u32_at(rest, 42).into(),
            mode: if rest[5] == UNIX { u32_at(rest, 38) >> 16 } else { 0 },
            dos_time: u32_at(rest, 12),
            mtime: None,
            atime: None,
            ids: None,
            comment: rest[46 + name + extra..whole].to_vec(),
            made_by: rest[4],
            host: rest[5],
            attributes: u32_at(rest, 38),
            internal: u16_at(rest, 36),
            has_extra: extra > 0,
        };
        extras(&rest[46 + name..46 + name + extra], &mut member);
        member.offset = member.offset.saturating_add(moved);
        members.push(member);
        rest = &rest[whole..];
    }
    let start = start.saturating_add(moved);
    Ok(Some(Directory { members, comment, start, before: moved }))
}

fn extras(mut rest: &[u8], member: &mut Member) {
    while rest.len() >= 4 {
        let (kind, length) = (u16_at(rest, 0), usize::from(u16_at(rest, 2)));
        let Some(field) = rest.get(4..4 + length) else { break };
        match kind {
            1 => {
                // Only the numbers that did not fit are here, in this order.
                let mut at = 0;
                for value in [&mut member.size, &mut member.packed, &mut member.offset] {
                    if *value == 0xffff_ffff && at + 8 <= field.len() {
                        *value = u64_at(field, at);
                        at += 8;
                    }
                }
            }
            0x5455 if field.first().is_some_and(|f| f & 1 != 0) && field.len() >= 5 => {
                member.mtime = Some(i64::from(u32_at(field, 1) as i32));
            }
            // Of Unix: a version, and both numbers with their lengths.
            0x7875 if field.len() == 11 && field.starts_with(&[1, 4]) && field[6] == 4 => {
                member.ids = Some((u32_at(field, 2), u32_at(field, 7)));
            }
            _ => {}
        }
        rest = &rest[4 + length..];
    }
}

/// What only the header in front of a member has: when it was read last.
pub fn local_times(fd: i32, at: u64, length: u16, member: &mut Member) -> Result<()> {
    let extra = read_at(fd, at, length.into())?;
    let mut rest = extra.as_slice();
    while rest.len() >= 4 {
        let length = usize::from(u16_at(rest, 2));
        let Some(field) = rest.get(4..4 + length) else { break };
        if u16_at(rest, 0) == 0x5455 && field.first().is_some_and(|f| f & 3 == 3) && field.len() >= 9 {
            member.atime = Some(i64::from(u32_at(field, 5) as i32));
        }
        rest = &rest[4 + length..];
    }
    Ok(())
}

/// The header in front of a member's data. Room for large numbers is there from the start.
pub fn local_header(member: &Member, large: bool) -> Vec<u8> {
    let mut extra = Vec::new();
    if large {
        extra.extend([1, 0, 16, 0]);
        extra.extend(member.size.to_le_bytes());
        extra.extend(member.packed.to_le_bytes());
    }
    unix_extra(member, &mut extra, true);
    let mut head = b"PK\x03\x04".to_vec();
    head.extend(needed(member, large).to_le_bytes());
    head.extend(member.flags.to_le_bytes());
    head.extend(member.method.to_le_bytes());
    head.extend(member.dos_time.to_le_bytes());
    head.extend(member.crc.to_le_bytes());
    head.extend(small(if large { u64::MAX } else { member.packed }));
    head.extend(small(if large { u64::MAX } else { member.size }));
    head.extend((member.name.len() as u16).to_le_bytes());
    head.extend((extra.len() as u16).to_le_bytes());
    head.extend_from_slice(&member.name);
    head.extend(extra);
    head
}

/// What follows the data of a member whose header says so.
pub fn descriptor(member: &Member, large: bool) -> Vec<u8> {
    let mut bytes = b"PK\x07\x08".to_vec();
    bytes.extend(member.crc.to_le_bytes());
    for value in [member.packed, member.size] {
        match large {
            true => bytes.extend(value.to_le_bytes()),
            false => bytes.extend(small(value)),
        }
    }
    bytes
}

fn small(value: u64) -> [u8; 4] {
    u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes()
}

/// The version of the format that a reader must know.
fn needed(member: &Member, large: bool) -> u16 {
    match (large, member.method) {
        (true, _) => 45,
        (false, 0) => 10,
        (false, _) => 20,
    }
}

/// The times, of which the directory has the first only, and whose it is.
fn unix_extra(member: &Member, extra: &mut Vec<u8>, local: bool) {
    let seconds = |time: Option<i64>| time.and_then(|t| i32::try_from(t).ok());
    if let Some(time) = seconds(member.mtime) {
        let read = seconds(member.atime);
        let flags = if read.is_some() { 3 } else { 1 };
        let read = read.filter(|_| local);
        extra.extend([0x55, 0x54, if read.is_some() { 9 } else { 5 }, 0, flags]);
        extra.extend(time.to_le_bytes());
        extra.extend(read.iter().flat_map(|t| t.to_le_bytes()));
    }
    if let Some((user, group)) = member.ids {
        extra.extend([0x75, 0x78, 11, 0, 1, 4]);
        extra.extend(user.to_le_bytes());
        extra.push(4);
        extra.extend(group.to_le_bytes());
    }
}

/// The directory and the record at the end of it.
pub fn directory_bytes(members: &[Member], start: u64, comment: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for member in members {
        let mut extra = Vec::new();
        let mut large = Vec::new();
        for value in [member.size, member.packed, member.offset] {
            if value >= 0xffff_ffff {
                large.extend(value.to_le_bytes());
            }
        }
        if !large.is_empty() {
            extra.extend([1, 0]);
            extra.extend((large.len() as u16).to_le_bytes());
            extra.extend(&large);
        }
        unix_extra(member, &mut extra, false);
        all.extend(b"PK\x01\x02");
        // What was made elsewhere says so still.
        let (version, attributes) = match member.host {
            UNIX => (30, member.mode << 16 | if member.is_directory() { 0x10 } else { 0 }),
            _ => (member.made_by, member.attributes),
        };
        all.extend([version, member.host]);
        all.extend(needed(member, !large.is_empty()).to_le_bytes());
        all.extend(member.flags.to_le_bytes());
        all.extend(member.method.to_le_bytes());
        all.extend(member.dos_time.to_le_bytes());
        all.extend(member.crc.to_le_bytes());
        all.extend(small(member.packed));
        all.extend(small(member.size));
        all.extend((member.name.len() as u16).to_le_bytes());
        all.extend((extra.len() as u16).to_le_bytes());
        all.extend((member.comment.len() as u16).to_le_bytes());
        all.extend([0; 2]);
        all.extend(member.internal.to_le_bytes());
        all.extend(attributes.to_le_bytes());
        all.extend(small(member.offset));
        all.extend(&member.name);
        all.extend(&extra);
        all.extend(&member.comment);
    }
    let (count, length) = (members.len() as u64, all.len() as u64);
    if count >= 0xffff || start >= 0xffff_ffff || length >= 0xffff_ffff {
        let at = start + length;
        all.extend(b"PK\x06\x06");
        all.extend(44u64.to_le_bytes());
        all.extend([45, 3, 45, 0]);
        all.extend([0; 8]);
        for value in [count, count, length, start] {
            all.extend(value.to_le_bytes());
        }
        all.extend(b"PK\x06\x07");
        all.extend([0; 4]);
        all.extend(at.to_le_bytes());
        all.extend(1u32.to_le_bytes());
    }
    let count = u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes();
    all.extend(b"PK\x05\x06");
    all.extend([0; 4]);
    all.extend(count);
    all.extend(count);
    all.extend(small(length));
    all.extend(small(start));
    let comment = &comment[..comment.len().min(0xffff)];
    all.extend((comment.len() as u16).to_le_bytes());
    all.extend(comment);
    all
}
