//! Copying bytes at the speed the machine has.

/// Below the size from which glibc copies with `rep movsb`.
const BLOCK: usize = 1024;

/// `copy_from_slice` in blocks. On AMD processors a large `memcpy` whose target lies a few bytes behind its source (in
/// their pages) takes sixteen times as long (measured on EPYC: 64 KiB in 21 µs instead of 1.3): guests choose their
/// buffers' addresses, so large copies go through here.
///
/// As `copy_from_slice`, it panics when the lengths differ.
pub fn copy(to: &mut [u8], from: &[u8]) {
    assert_eq!(to.len(), from.len(), "copy between slices of different lengths");
    for (to, from) in to.chunks_mut(BLOCK).zip(from.chunks(BLOCK)) {
        to.copy_from_slice(from);
    }
}

/// `extend_from_slice` in blocks.
pub fn extend(to: &mut Vec<u8>, from: &[u8]) {
    to.reserve(from.len());
    for from in from.chunks(BLOCK) {
        to.extend_from_slice(from);
    }
}
