//! A member's data: stored, deflated or in bzip2's blocks, and with the password of old.

use super::{Member, read_at, u16_at};
use bzip2::{Decompress as Bunzip, Status as BlockStatus};
use capsule_sys::Errno;
use flate2::{Decompress as Inflate, FlushDecompress, Status};

/// Why a member's data is no good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bad {
    Read(Errno),
    Header,
    Data,
    Crc(u32),
    Length,
    Method,
    /// There is no password, or another one.
    Encrypted,
    Password,
}

/// Where a member's data is.
pub struct Unpacking {
    /// Where it begins and ends.
    pub data: std::ops::Range<u64>,
}

impl Unpacking {
    /// Looks at the header in front of the data.
    pub fn find(fd: i32, member: &Member) -> Result<Unpacking, Bad> {
        let head = read_at(fd, member.offset, 30).map_err(Bad::Read)?;
        if !head.starts_with(b"PK\x03\x04") || head.len() < 30 {
            return Err(Bad::Header);
        }
        let start = 30 + u64::from(u16_at(&head, 26)) + u64::from(u16_at(&head, 28));
        let start = member.offset.checked_add(start).ok_or(Bad::Header)?;
        let end = start.checked_add(member.packed).ok_or(Bad::Header)?;
        Ok(Unpacking { data: start..end })
    }
}

enum Method {
    Stored,
    Deflated(Box<Inflate>),
    Bzip2(Box<Bunzip>),
}

impl Method {
    fn new(member: &Member) -> Result<Method, Bad> {
        match member.method {
            0 => Ok(Method::Stored),
            8 => Ok(Method::Deflated(Box::new(Inflate::new(false)))),
            12 => Ok(Method::Bzip2(Box::new(Bunzip::new(false)))),
            _ => Err(Bad::Method),
        }
    }

    /// Some of the input becomes some output: how much of each, and whether that was the end.
    fn step(&mut self, input: &[u8], block: &mut [u8]) -> Result<(usize, usize, bool), Bad> {
        match self {
            Method::Stored => {
                let n = input.len().min(block.len());
                block[..n].copy_from_slice(&input[..n]);
                Ok((n, n, false))
            }
            Method::Deflated(inflate) => {
                let before = (inflate.total_in(), inflate.total_out());
                let status = inflate.decompress(input, block, FlushDecompress::None).map_err(|_| Bad::Data)?;
                let (used, made) = (inflate.total_in() - before.0, inflate.total_out() - before.1);
                Ok((used as usize, made as usize, status == Status::StreamEnd))
            }
            Method::Bzip2(stream) => {
                let before = (stream.total_in(), stream.total_out());
                let status = stream.decompress(input, block).map_err(|_| Bad::Data)?;
                let (used, made) = (stream.total_in() - before.0, stream.total_out() - before.1);
                Ok((used as usize, made as usize, status == BlockStatus::StreamEnd))
            }
        }
    }
}

/// Whether a member can be unpacked at all: how it is packed is known, and so is the password.
pub fn can_unpack(fd: i32, member: &Member, password: Option<&[u8]>) -> Result<(), Bad> {
    Method::new(member)?;
    if member.is_encrypted() {
        let at = Unpacking::find(fd, member)?.data.start;
        unlock(fd, member, at, password.ok_or(Bad::Encrypted)?)?;
    }
    Ok(())
}

/// Hands a member's data on, piece by piece; `take` says false to stop.
pub fn unpack(
    fd: i32,
    member: &Member,
    password: Option<&[u8]>,
    mut take: impl FnMut(&[u8]) -> bool,
) -> Result<(), Bad> {
    let mut method = Method::new(member)?;
    let mut at = Unpacking::find(fd, member)?.data.start;
    let mut left = member.packed;
    let mut keys = None;
    if member.is_encrypted() {
        keys = Some(unlock(fd, member, at, password.ok_or(Bad::Encrypted)?)?);
        at += 12;
        left -= 12;
    }
    let mut crc = flate2::Crc::new();
    let mut made = 0u64;
    let mut block = vec![0; 64 * 1024];
    while left > 0 {
        let mut piece = read_at(fd, at, left.min(64 * 1024) as usize).map_err(Bad::Read)?;
        if piece.is_empty() {
            return Err(Bad::Data);
        }
        at += piece.len() as u64;
        left -= piece.len() as u64;
        if let Some(keys) = &mut keys {
            piece.iter_mut().for_each(|byte| *byte = keys.decrypt(*byte));
        }
        let mut input = piece.as_slice();
        loop {
            let (used, n, ended) = method.step(input, &mut block)?;
            input = &input[used..];
            made += n as u64;
            // More than was promised is a bomb or a mistake.
            if made > member.size {
                return Err(Bad::Length);
            }
            crc.update(&block[..n]);
            if n > 0 && !take(&block[..n]) {
                return Ok(());
            }
            if ended {
                left = 0;
                break;
            }
            if n == 0 && (input.is_empty() || used == 0) {
                break;
            }
        }
    }
    if made != member.size {
        return Err(Bad::Length);
    }
    if crc.sum() != member.crc {
        return Err(Bad::Crc(crc.sum()));
    }
    Ok(())
}

/// The twelve bytes in front of the data tell whether the password is the right one.
fn unlock(fd: i32, member: &Member, at: u64, password: &[u8]) -> Result<Keys, Bad> {
    let head = read_at(fd, at, 12).map_err(Bad::Read)?;
    if head.len() < 12 || member.packed < 12 {
        return Err(Bad::Data);
    }
    let mut keys = Keys::new(password);
    let last = head.iter().map(|byte| keys.decrypt(*byte)).last();
    // Where the checksum was not known yet, the time stands for it.
    let known = if member.flags & 8 != 0 { member.dos_time >> 8 } else { member.crc >> 24 };
    if last == Some(known as u8) { Ok(keys) } else { Err(Bad::Password) }
}

/// The cipher of old zip files: weak, and known to all.
#[derive(Clone)]
pub struct Keys([u32; 3]);

impl Keys {
    pub fn new(password: &[u8]) -> Keys {
        let mut keys = Keys([0x1234_5678, 0x2345_6789, 0x3456_7890]);
        password.iter().for_each(|byte| keys.update(*byte));
        keys
    }

    fn update(&mut self, byte: u8) {
        let Keys([a, b, c]) = self;
        *a = crc_step(*a, byte);
        *b = b.wrapping_add(*a & 0xff).wrapping_mul(134_775_813).wrapping_add(1);
        *c = crc_step(*c, (*b >> 24) as u8);
    }

    /// What the next byte is mixed with.
    fn mask(&self) -> u8 {
        let low = self.0[2] | 2;
        (low.wrapping_mul(low ^ 1) >> 8) as u8
    }

    fn decrypt(&mut self, byte: u8) -> u8 {
        let plain = byte ^ self.mask();
        self.update(plain);
        plain
    }

    pub fn encrypted(&mut self, plain: &[u8]) -> Vec<u8> {
        let encrypt = |byte: &u8| {
            let mixed = byte ^ self.mask();
            self.update(*byte);
            mixed
        };
        plain.iter().map(encrypt).collect()
    }
}

/// One byte of the usual checksum.
fn crc_step(crc: u32, byte: u8) -> u32 {
    (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 != 0 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
}
