//! A guest's linear memory as the doors see it. Every pointer and length comes from the guest and is hostile: nothing
//! here panics, and arithmetic is done in 64 bits, where 32-bit operands cannot overflow.

use capsule_abi::Errno;
use capsule_abi::fs::PATH_MAX;
use std::ops::Range;

/// The most buffers one scattered read or write may name (`IOV_MAX` of Linux).
const IOV_MAX: u32 = 1024;

/// Bytes of one `iovec`: pointer and length.
const IOVEC: u64 = 8;

/// A linear memory, borrowed for the length of one door call (or of one attempt, in calls that may block).
pub struct GuestMemory<'a>(&'a mut [u8]);

/// A checked range of guest memory: in bounds when it was made. Memory never shrinks.
pub type Span = Range<usize>;

impl<'a> GuestMemory<'a> {
    pub fn new(bytes: &'a mut [u8]) -> GuestMemory<'a> {
        GuestMemory(bytes)
    }

    /// The range `ptr..ptr+len`, or `EFAULT`. An empty range is valid wherever it lies.
    pub fn span(&self, ptr: i32, len: i32) -> Result<Span, Errno> {
        self.span_u64(u64::from(ptr as u32), u64::from(len as u32))
    }

    fn span_u64(&self, start: u64, len: u64) -> Result<Span, Errno> {
        if len == 0 {
            return Ok(0..0);
        }
        let end = start.checked_add(len).ok_or(Errno::EFAULT)?;
        if end > self.0.len() as u64 {
            return Err(Errno::EFAULT);
        }
        Ok(start as usize..end as usize)
    }

    /// The bytes of a span; empty if it is not one of this memory.
    pub fn bytes(&self, span: &Span) -> &[u8] {
        self.0.get(span.clone()).unwrap_or_default()
    }

    pub fn bytes_mut(&mut self, span: &Span) -> &mut [u8] {
        self.0.get_mut(span.clone()).unwrap_or_default()
    }

    pub fn slice(&self, ptr: i32, len: i32) -> Result<&[u8], Errno> {
        self.span(ptr, len).map(|span| self.bytes(&span))
    }

    pub fn slice_mut(&mut self, ptr: i32, len: i32) -> Result<&mut [u8], Errno> {
        self.span(ptr, len).map(|span| self.bytes_mut(&span))
    }

    /// `N` bytes at `ptr`.
    pub fn array<const N: usize>(&self, ptr: i32) -> Result<[u8; N], Errno> {
        let span = self.span_u64(u64::from(ptr as u32), N as u64)?;
        self.bytes(&span).try_into().map_err(|_| Errno::EFAULT)
    }

    pub fn u64(&self, ptr: i32) -> Result<u64, Errno> {
        self.array(ptr).map(u64::from_le_bytes)
    }

    /// Copies `bytes` to `ptr`.
    pub fn write(&mut self, ptr: i32, bytes: &[u8]) -> Result<(), Errno> {
        let span = self.span_u64(u64::from(ptr as u32), bytes.len() as u64)?;
        self.bytes_mut(&span).copy_from_slice(bytes);
        Ok(())
    }

    pub fn write_u32(&mut self, ptr: i32, value: u32) -> Result<(), Errno> {
        self.write(ptr, &value.to_le_bytes())
    }

    pub fn write_u64(&mut self, ptr: i32, value: u64) -> Result<(), Errno> {
        self.write(ptr, &value.to_le_bytes())
    }

    /// Whether `len` bytes at `ptr` could be written: for calls that must not act and then fail to tell the result.
    pub fn check(&self, ptr: i32, len: usize) -> Result<(), Errno> {
        self.span_u64(u64::from(ptr as u32), len as u64).map(drop)
    }

    /// A path: at most `PATH_MAX` with the NUL that C counts, and no NUL inside.
    pub fn path(&self, ptr: i32, len: i32) -> Result<&[u8], Errno> {
        let path = self.slice(ptr, len)?;
        if path.len() >= PATH_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        if path.contains(&0) { Err(Errno::EINVAL) } else { Ok(path) }
    }

    /// The buffers of a scattered read or write, each checked; empty ones are left out.
    pub fn iovecs(&self, ptr: i32, count: i32) -> Result<Iovecs, Errno> {
        let count = count as u32;
        if count > IOV_MAX {
            return Err(Errno::EINVAL);
        }
        let table = self.span_u64(u64::from(ptr as u32), u64::from(count) * IOVEC)?;
        let mut iovecs = Iovecs::None;
        let mut total = 0u64;
        for record in self.bytes(&table).chunks_exact(IOVEC as usize) {
            let Some((start, len)) = record.split_first_chunk::<4>() else { return Err(Errno::EFAULT) };
            let len = u32::from_le_bytes(len.try_into().map_err(|_| Errno::EFAULT)?);
            let span = self.span_u64(u64::from(u32::from_le_bytes(*start)), u64::from(len))?;
            total += u64::from(len);
            if !span.is_empty() {
                iovecs.push(span);
            }
        }
        // Linux refuses sums that do not fit its ssize_t; the guest's is 32 bits wide.
        if total > i32::MAX as u64 { Err(Errno::EINVAL) } else { Ok(iovecs) }
    }
}

/// Checked buffers. One is by far the commonest number, and costs no allocation.
#[derive(Debug, PartialEq, Eq)]
pub enum Iovecs {
    None,
    One(Span),
    Many(Vec<Span>),
}

impl Iovecs {
    fn push(&mut self, span: Span) {
        match self {
            Iovecs::None => *self = Iovecs::One(span),
            Iovecs::One(first) => *self = Iovecs::Many(vec![first.clone(), span]),
            Iovecs::Many(all) => all.push(span),
        }
    }

    pub fn spans(&self) -> &[Span] {
        match self {
            Iovecs::None => &[],
            Iovecs::One(span) => std::slice::from_ref(span),
            Iovecs::Many(all) => all,
        }
    }

    pub fn total(&self) -> usize {
        self.spans().iter().map(Range::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(len: usize, f: impl FnOnce(GuestMemory<'_>) -> T) -> T {
        let mut bytes = vec![7; len];
        f(GuestMemory::new(&mut bytes))
    }

    #[test]
    fn ranges_at_the_edges() {
        with(65536, |memory| {
            assert_eq!(memory.slice(65535, 1), Ok(&[7u8][..]));
            assert_eq!(memory.slice(65536, 1), Err(Errno::EFAULT));
            assert_eq!(memory.slice(65536, 0), Ok(&[][..]));
            assert_eq!(memory.slice(-1, 0), Ok(&[][..]));
            assert_eq!(memory.slice(-1, -1), Err(Errno::EFAULT));
            assert_eq!(memory.slice(0, -1), Err(Errno::EFAULT));
            assert_eq!(memory.array(65532), Ok([7u8; 4]));
            assert_eq!(memory.array::<4>(65533), Err(Errno::EFAULT));
            assert_eq!(memory.u64(-4), Err(Errno::EFAULT));
        });
    }

    #[test]
    fn nothing_is_written_when_a_part_does_not_fit() {
        with(16, |mut memory| {
            assert_eq!(memory.write(10, &[0; 8]), Err(Errno::EFAULT));
            assert_eq!(memory.slice(8, 8), Ok(&[7u8; 8][..]));
            assert_eq!(memory.write(-1, b""), Ok(()));
        });
    }

    #[test]
    fn paths_are_bounded() {
        with(65536, |mut memory| {
            assert_eq!(memory.path(0, 4095).map(<[u8]>::len), Ok(4095));
            assert_eq!(memory.path(0, 4096), Err(Errno::ENAMETOOLONG));
            assert_eq!(memory.path(0, -1), Err(Errno::EFAULT));
            assert_eq!(memory.path(65535, 2), Err(Errno::EFAULT));
            memory.write(4, &[0]).unwrap();
            assert_eq!(memory.path(0, 8), Err(Errno::EINVAL));
        });
    }

    #[test]
    fn scattered_buffers() {
        with(65536, |mut memory| {
            let table: Vec<u8> =
                [100u32, 10, 0xffff_ffff, 0, 200, 20].iter().flat_map(|number| number.to_le_bytes()).collect();
            memory.write(0, &table).unwrap();
            assert_eq!(memory.iovecs(0, 0), Ok(Iovecs::None));
            assert_eq!(memory.iovecs(0, 1), Ok(Iovecs::One(100..110)));
            let all = memory.iovecs(0, 3).unwrap();
            assert_eq!(all.spans(), &[100..110, 200..220]);
            assert_eq!(all.total(), 30);
            assert_eq!(memory.iovecs(0, 1025), Err(Errno::EINVAL));
            assert_eq!(memory.iovecs(0, -1), Err(Errno::EINVAL));
            assert_eq!(memory.iovecs(65530, 1), Err(Errno::EFAULT));
            memory.write_u32(4, 65536).unwrap();
            assert_eq!(memory.iovecs(0, 1), Err(Errno::EFAULT));
        });
    }

    #[test]
    fn the_sum_of_buffers_fits_an_ssize() {
        with(1 << 22, |mut memory| {
            let table: Vec<u8> =
                std::iter::repeat_n([0u32, 1 << 22], 1024).flatten().flat_map(u32::to_le_bytes).collect();
            memory.write(0, &table).unwrap();
            assert_eq!(memory.iovecs(0, 1024), Err(Errno::EINVAL));
        });
    }
}
