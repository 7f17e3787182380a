//! The algorithms, by the crates of RustCrypto and our own old sums.

use super::blake2b::Blake2b;
use super::crc::{Sysv, posix_crc};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use sm3::Sm3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    Bsd,
    Sysv,
    Crc,
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Blake2b,
    Sm3,
}

/// What `cksum -a` knows.
pub const WORDS: &[(&str, Algorithm)] = &[
    ("bsd", Algorithm::Bsd),
    ("sysv", Algorithm::Sysv),
    ("crc", Algorithm::Crc),
    ("md5", Algorithm::Md5),
    ("sha1", Algorithm::Sha1),
    ("sha224", Algorithm::Sha224),
    ("sha256", Algorithm::Sha256),
    ("sha384", Algorithm::Sha384),
    ("sha512", Algorithm::Sha512),
    ("blake2b", Algorithm::Blake2b),
    ("sm3", Algorithm::Sm3),
];

impl Algorithm {
    /// The name in a line of BSD's form.
    pub fn tag(self) -> &'static str {
        match self {
            Algorithm::Bsd => "BSD",
            Algorithm::Sysv => "SYSV",
            Algorithm::Crc => "CRC",
            Algorithm::Md5 => "MD5",
            Algorithm::Sha1 => "SHA1",
            Algorithm::Sha224 => "SHA224",
            Algorithm::Sha256 => "SHA256",
            Algorithm::Sha384 => "SHA384",
            Algorithm::Sha512 => "SHA512",
            Algorithm::Blake2b => "BLAKE2b",
            Algorithm::Sm3 => "SM3",
        }
    }

    pub fn bits(self) -> usize {
        match self {
            Algorithm::Bsd | Algorithm::Sysv => 16,
            Algorithm::Crc => 32,
            Algorithm::Md5 => 128,
            Algorithm::Sha1 => 160,
            Algorithm::Sha224 => 224,
            Algorithm::Sha256 | Algorithm::Sm3 => 256,
            Algorithm::Sha384 => 384,
            Algorithm::Sha512 | Algorithm::Blake2b => 512,
        }
    }

    /// Those that have no lines to check.
    pub fn is_old(self) -> bool {
        matches!(self, Algorithm::Bsd | Algorithm::Sysv | Algorithm::Crc)
    }

    pub fn hasher(self, bits: usize) -> Hasher {
        match self {
            Algorithm::Bsd => Hasher::Bsd(0),
            Algorithm::Sysv => Hasher::Sysv(Sysv::default()),
            Algorithm::Crc => Hasher::Crc(0),
            Algorithm::Md5 => Hasher::Md5(Md5::new()),
            Algorithm::Sha1 => Hasher::Sha1(Sha1::new()),
            Algorithm::Sha224 => Hasher::Sha224(Sha224::new()),
            Algorithm::Sha256 => Hasher::Sha256(Sha256::new()),
            Algorithm::Sha384 => Hasher::Sha384(Sha384::new()),
            Algorithm::Sha512 => Hasher::Sha512(Sha512::new()),
            Algorithm::Blake2b => Hasher::Blake2b(Blake2b::new(bits / 8)),
            Algorithm::Sm3 => Hasher::Sm3(Sm3::new()),
        }
    }
}

#[allow(clippy::large_enum_variant, reason = "one lives at a time")]
pub enum Hasher {
    Bsd(u16),
    Sysv(Sysv),
    Crc(u32),
    Md5(Md5),
    Sha1(Sha1),
    Sha224(Sha224),
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
    Blake2b(Blake2b),
    Sm3(Sm3),
}

impl Hasher {
    pub fn update(&mut self, block: &[u8]) {
        match self {
            Hasher::Bsd(sum) => *sum = block.iter().fold(*sum, |s, b| s.rotate_right(1).wrapping_add(u16::from(*b))),
            Hasher::Sysv(sum) => sum.update(block),
            Hasher::Crc(crc) => *crc = posix_crc(*crc, block),
            Hasher::Md5(h) => Digest::update(h, block),
            Hasher::Sha1(h) => Digest::update(h, block),
            Hasher::Sha224(h) => Digest::update(h, block),
            Hasher::Sha256(h) => Digest::update(h, block),
            Hasher::Sha384(h) => Digest::update(h, block),
            Hasher::Sha512(h) => Digest::update(h, block),
            Hasher::Blake2b(h) => h.update(block),
            Hasher::Sm3(h) => Digest::update(h, block),
        }
    }

    /// The digest of so many bytes.
    pub fn finish(self, size: u64) -> Vec<u8> {
        match self {
            Hasher::Bsd(sum) => sum.to_be_bytes().to_vec(),
            Hasher::Sysv(sum) => sum.finish().to_be_bytes().to_vec(),
            Hasher::Crc(crc) => {
                // The size counts too, as many bytes of it as there are, the lowest first.
                let bytes = size.to_le_bytes();
                let used = 8 - (size.leading_zeros() / 8) as usize;
                (!posix_crc(crc, &bytes[..used])).to_be_bytes().to_vec()
            }
            Hasher::Md5(h) => h.finalize().to_vec(),
            Hasher::Sha1(h) => h.finalize().to_vec(),
            Hasher::Sha224(h) => h.finalize().to_vec(),
            Hasher::Sha256(h) => h.finalize().to_vec(),
            Hasher::Sha384(h) => h.finalize().to_vec(),
            Hasher::Sha512(h) => h.finalize().to_vec(),
            Hasher::Blake2b(h) => h.finish(),
            Hasher::Sm3(h) => h.finalize().to_vec(),
        }
    }
}
