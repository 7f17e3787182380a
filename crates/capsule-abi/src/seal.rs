//! A guest's own hash, in a custom section at its end. Whoever embeds the guest knows by it which compiled code belongs
//! to it, without reading the whole of it at each start. Only the host's own bytes are believed: a file that a guest
//! wrote is hashed.

use alloc::vec::Vec;

const NAME: &[u8] = b"capsule.seal";

/// Bytes of the hash (BLAKE3).
pub const HASH: usize = 32;

/// Custom section, size of what follows, length of the name, the name; then the hash.
const fn head() -> [u8; 3 + NAME.len()] {
    let mut head = [0; 3 + NAME.len()];
    head[1] = (1 + NAME.len() + HASH) as u8;
    head[2] = NAME.len() as u8;
    let mut at = 0;
    while at < NAME.len() {
        head[3 + at] = NAME[at];
        at += 1;
    }
    head
}

const HEAD: [u8; 3 + NAME.len()] = head();

/// The module without its seal, and the hash the seal tells.
pub fn split(module: &[u8]) -> (&[u8], Option<[u8; HASH]>) {
    let found = module.split_last_chunk::<HASH>().and_then(|(rest, hash)| Some((rest.strip_suffix(&HEAD)?, *hash)));
    found.map_or((module, None), |(body, hash)| (body, Some(hash)))
}

/// The seal to put behind a module with this hash.
pub fn section(hash: &[u8; HASH]) -> Vec<u8> {
    [HEAD.as_slice(), hash].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_found_where_it_was_put() {
        let module = b"\0asm\x01\0\0\0".as_slice();
        let sealed = [module, &section(&[7; HASH])].concat();
        assert_eq!(split(&sealed), (module, Some([7; HASH])));
        assert_eq!(split(module), (module, None));
        assert_eq!(split(&sealed[..sealed.len() - 1]).1, None);
        assert_eq!(usize::from(sealed[9]), sealed.len() - 10, "one section, to the end");
    }
}
