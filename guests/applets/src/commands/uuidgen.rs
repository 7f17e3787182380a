//! `uuidgen`: identifiers by chance, by time, or by the hash of a name.

use crate::options::{NO, Options, REQ};
use crate::quote::plain;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Out, now, random_u64};
use md5::{Digest, Md5};
use sha1::Sha1;

pub const HELP: &str = "\
Usage: uuidgen [OPTION]...
Create a new UUID value.

  -r, --random          generate random-based uuid
  -t, --time            generate time-based uuid
  -n, --namespace NS    generate hash-based uuid in this namespace
                        (@dns, @url, @oid, @x500, or a uuid)
  -N, --name NAME       generate hash-based uuid from this name
  -m, --md5             generate md5 hash
  -s, --sha1            generate sha1 hash
  -x, --hex             interpret name as hex string
  -h, --help            print this help
  -V, --version         print the version
";

/// Between 15 October 1582, when such clocks begin, and 1970, in units of 100 ns.
const SINCE_1582: u64 = 0x01b2_1dd2_1381_4000;

/// The namespaces with a name differ in one byte.
const NAMESPACES: &[(&[u8], u8)] = &[(b"@dns", 0x10), (b"@url", 0x11), (b"@oid", 0x12), (b"@x500", 0x14)];

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("random", NO, 'r'),
        ("time", NO, 't'),
        ("namespace", REQ, 'n'),
        ("name", REQ, 'N'),
        ("md5", NO, 'm'),
        ("sha1", NO, 's'),
        ("hex", NO, 'x'),
    ];
    let mut options = Options::new(args, "rthVn:N:msx", long);
    let (mut kind, mut namespace, mut name, mut hex) = ('r', None, None, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            'n' => namespace = Some(opt.value()),
            'N' => name = Some(opt.value().to_vec()),
            'x' => hex = true,
            letter => kind = letter,
        }
    }
    let hashed = matches!(kind, 'm' | 's');
    if namespace.is_some() {
        if name.is_none() {
            return Err(report::usage(1, "--namespace requires --name argument"));
        }
        if !hashed {
            return Err(report::usage(1, "--namespace requires --md5 or --sha1"));
        }
    } else if name.is_some() || hashed {
        let which = if name.is_some() { "--name" } else { "--md5 or --sha1" };
        return Err(report::usage(1, format_args!("{which} requires --namespace argument")));
    }
    let uuid = match (namespace, name) {
        (Some(namespace), Some(name)) => {
            let name = if hex { unhex(&name)? } else { name };
            by_name(&parse(namespace)?, &name, kind)
        }
        _ if kind == 't' => by_time(),
        _ => stamped((u128::from(random_u64()) << 64 | u128::from(random_u64())).to_be_bytes(), 4),
    };
    let mut out = Out::stdout();
    out.write(format!("{}\n", show(&uuid)).as_bytes());
    report::finish(&mut out, 0)
}

/// With its version and variant in their places.
fn stamped(mut bytes: [u8; 16], version: u8) -> [u8; 16] {
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes
}

fn by_time() -> [u8; 16] {
    let time = now();
    let ticks = (time.sec as u64).wrapping_mul(10_000_000).wrapping_add(u64::from(time.nsec) / 100);
    let ticks = ticks.wrapping_add(SINCE_1582);
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&(ticks as u32).to_be_bytes());
    bytes[4..6].copy_from_slice(&((ticks >> 32) as u16).to_be_bytes());
    bytes[6..8].copy_from_slice(&((ticks >> 48) as u16).to_be_bytes());
    bytes[8..].copy_from_slice(&random_u64().to_be_bytes());
    // No card has an address here: a random one says so by its first bit.
    bytes[10] |= 1;
    stamped(bytes, 1)
}

fn by_name(namespace: &[u8; 16], name: &[u8], kind: char) -> [u8; 16] {
    let text = [namespace.as_slice(), name].concat();
    let digest = if kind == 'm' { Md5::digest(&text).to_vec() } else { Sha1::digest(&text).to_vec() };
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    stamped(bytes, if kind == 'm' { 3 } else { 5 })
}

fn parse(text: &[u8]) -> Result<[u8; 16], Exit> {
    if let Some((_, byte)) = NAMESPACES.iter().find(|(name, _)| *name == text) {
        // 6ba7b810-9dad-11d1-80b4-00c04fd430c8 and its neighbours.
        return Ok([0x6b, 0xa7, 0xb8, *byte, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0, 0xc0, 0x4f, 0xd4, 0x30, 0xc8]);
    }
    let bad = || report::usage(1, format_args!("invalid uuid for namespace: {}", plain(text)));
    let dashes = text.len() == 36 && [8, 13, 18, 23].iter().all(|&at| text[at] == b'-');
    let digits: Vec<u8> = text.iter().copied().filter(|b| *b != b'-').collect();
    let bytes = hex(&digits).filter(|bytes| dashes && bytes.len() == 16).ok_or_else(bad)?;
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&bytes);
    Ok(uuid)
}

fn hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?);
    digits.chunks(2).map(pair).collect()
}

fn unhex(text: &[u8]) -> Result<Vec<u8>, Exit> {
    hex(text).ok_or_else(|| report::usage(1, "not a valid hex string"))
}

fn show(uuid: &[u8; 16]) -> String {
    let part = |range: std::ops::Range<usize>| uuid[range].iter().map(|b| format!("{b:02x}")).collect::<String>();
    [part(0..4), part(4..6), part(6..8), part(8..10), part(10..16)].join("-")
}
