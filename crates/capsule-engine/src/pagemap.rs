//! Which pages of a linear memory were written, so that `fork` copies only those. Linux 6.7 answers with one ioctl,
//! `PAGEMAP_SCAN`; elsewhere [`copy_differing`] compares with the memory of a fresh instance.

use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::LazyLock;

/// The unit of copying: the page size, or a divisor of it where pages are larger.
const PAGE: usize = 4096;

/// Regions one call reports; a small heap has a handful.
const REGIONS: usize = 128;

/// `_IOWR('f', 16, struct pm_scan_arg)`.
const PAGEMAP_SCAN: libc::Ioctl = 0xC060_6610u32 as libc::Ioctl;

const PAGE_IS_FILE: u64 = 1 << 2;
const PAGE_IS_PRESENT: u64 = 1 << 3;
const PAGE_IS_SWAPPED: u64 = 1 << 4;
const PAGE_IS_PFNZERO: u64 = 1 << 5;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct PageRegion {
    start: u64,
    end: u64,
    categories: u64,
}

#[repr(C)]
#[derive(Default)]
struct PmScanArg {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

static PAGEMAP: LazyLock<Option<File>> = LazyLock::new(|| File::open("/proc/self/pagemap").ok());

/// How far a look at a memory came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Looked {
    /// To this offset; the end of the memory when it has seen everything.
    Until(usize),
    /// The system cannot say, though a part may have been told: every page counts as written.
    Unknown,
}

/// Calls `each` with the ranges of `memory` (offsets, whole pages) from `from` on that hold written pages, until they have
/// `most` bytes in all.
#[expect(unsafe_code, reason = "an ioctl that no library wraps")]
pub fn written(memory: &[u8], from: usize, most: usize, mut each: impl FnMut(Range<usize>)) -> Looked {
    if from >= memory.len() {
        return Looked::Until(memory.len());
    }
    let Some(pagemap) = PAGEMAP.as_ref() else { return Looked::Unknown };
    let base = memory.as_ptr() as u64;
    let end = base + memory.len() as u64;
    if [base as usize, memory.len(), from].iter().any(|number| !number.is_multiple_of(PAGE)) {
        return Looked::Unknown;
    }
    let mut regions = [PageRegion::default(); REGIONS];
    let (mut start, mut told) = (base + from as u64, 0);
    while start < end && told < most {
        let mut arg = PmScanArg {
            size: size_of::<PmScanArg>() as u64,
            start,
            end,
            vec: regions.as_mut_ptr() as u64,
            vec_len: REGIONS as u64,
            max_pages: (most - told).div_ceil(PAGE) as u64,
            // Neither the shared zero page nor an unwritten page of the module's image; and somewhere: in memory, or
            // swapped out (also said of pages that are just being moved).
            category_inverted: PAGE_IS_FILE | PAGE_IS_PFNZERO,
            category_mask: PAGE_IS_FILE | PAGE_IS_PFNZERO,
            category_anyof_mask: PAGE_IS_PRESENT | PAGE_IS_SWAPPED,
            ..PmScanArg::default()
        };
        // SAFETY: `arg` has the layout of the kernel's `struct pm_scan_arg` (96 bytes, said in `size`) and lives through
        // the call, as does the array of `vec_len` regions it points to. Without flags the call only reads page tables.
        let found = unsafe { libc::ioctl(pagemap.as_raw_fd(), PAGEMAP_SCAN, &mut arg) };
        let Some(found) = usize::try_from(found).ok().and_then(|n| regions.get(..n)) else { return Looked::Unknown };
        for region in found {
            // The kernel's answer is clamped so that a surprise cannot become a wild range.
            let (from, to) = (region.start.clamp(base, end), region.end.clamp(base, end));
            if from < to {
                told += (to - from) as usize;
                each((from - base) as usize..(to - base) as usize);
            }
        }
        if arg.walk_end <= start {
            return Looked::Unknown;
        }
        start = arg.walk_end.min(end);
    }
    Looked::Until((start - base) as usize)
}

/// Makes `target`, the memory of a fresh instance, equal to `source`, writing only the pages that differ.
pub fn copy_differing(source: &[u8], target: &mut [u8]) {
    for (source, target) in source.chunks(PAGE).zip(target.chunks_mut(PAGE)) {
        // Both have the same length, except that a last target page may be longer.
        if let Some(target) = target.get_mut(..source.len())
            && target != source
        {
            target.copy_from_slice(source);
        }
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "the tests map memory as Wasmtime does")]
mod tests {
    use super::*;

    /// A private anonymous mapping, as linear memories are.
    struct Mapping(*mut u8, usize);

    impl Mapping {
        fn new(len: usize) -> Mapping {
            let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: a new anonymous mapping at an address of the system's choice.
            let address = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0) };
            assert_ne!(address, libc::MAP_FAILED);
            Mapping(address.cast(), len)
        }

        fn bytes(&mut self) -> &mut [u8] {
            // SAFETY: the mapping is readable, writable, `len` bytes long and borrowed uniquely.
            unsafe { std::slice::from_raw_parts_mut(self.0, self.1) }
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: this is the mapping made in `new`, and nothing borrows it any more.
            unsafe { libc::munmap(self.0.cast(), self.1) };
        }
    }

    /// The written pages, looked for so many bytes at a time.
    fn pages(memory: &[u8], most: usize) -> Option<Vec<usize>> {
        let (mut pages, mut at) = (Vec::new(), 0);
        while at < memory.len() {
            match written(memory, at, most, |range| pages.extend((range.start / PAGE)..(range.end / PAGE))) {
                Looked::Until(offset) => at = offset,
                Looked::Unknown => return None,
            }
        }
        Some(pages)
    }

    #[test]
    fn finds_exactly_the_written_pages_however_many_regions_they_make() {
        let mut mapping = Mapping::new(4096 * PAGE);
        let Some(none) = pages(mapping.bytes(), usize::MAX) else { return };
        assert!(none.is_empty());
        let every_third: Vec<usize> = (0..4096).step_by(3).collect();
        for &page in &every_third {
            mapping.bytes()[page * PAGE + 17] = 1;
        }
        // Reading maps the shared zero page, which is not a written one.
        assert_eq!(mapping.bytes()[PAGE], 0);
        for most in [usize::MAX, 100 * PAGE, PAGE, 1] {
            assert_eq!(pages(mapping.bytes(), most).unwrap(), every_third, "{most} bytes at a time");
        }
    }

    #[test]
    fn empty_and_odd_ranges() {
        assert_eq!(written(&[], 0, 1, |_| panic!("there are no pages")), Looked::Until(0));
        let mut mapping = Mapping::new(2 * PAGE);
        assert_eq!(written(&mapping.bytes()[1..], 0, 1, |_| panic!("not whole pages")), Looked::Unknown);
        assert_eq!(written(mapping.bytes(), 1, 1, |_| panic!("not whole pages")), Looked::Unknown);
    }

    #[test]
    fn comparing_copies_what_differs() {
        let mut source = vec![0; 3 * PAGE];
        source[PAGE] = 1;
        let mut target = vec![0; 4 * PAGE];
        target[2 * PAGE + 5] = 7;
        copy_differing(&source, &mut target);
        assert_eq!(source, target[..3 * PAGE]);
        copy_differing(&source, &mut []);
    }
}
