//! Times are set to a value or to now, by descriptor and by path, and not both ways at once.
use door_tests::{at, check, check_eq, ok, p1};

fn main() {
    let dir = p1::here();
    let f = p1::create(dir, b"f", b"x");
    let (a, m) = (1_000_000_000_123_456_789, 1_100_000_000_000_000_001);
    let both = i32::from(p1::FSTFLAGS_ATIM | p1::FSTFLAGS_MTIM);
    check_eq!(p1::fd_filestat_set_times(f, a, m, both), 0);
    let s = ok!(p1::fstat(f));
    check_eq!((s.atim, s.mtim), (a as u64, m as u64));
    check_eq!(p1::fd_filestat_set_times(f, 0, 0, p1::FSTFLAGS_MTIM_NOW.into()), 0);
    let s = ok!(p1::fstat(f));
    check_eq!(s.atim, a as u64);
    check!(s.mtim > m as u64);
    let clash = i32::from(p1::FSTFLAGS_ATIM | p1::FSTFLAGS_ATIM_NOW);
    check_eq!(p1::fd_filestat_set_times(f, 0, 0, clash), p1::errno::INVAL);
    let clash = i32::from(p1::FSTFLAGS_MTIM | p1::FSTFLAGS_MTIM_NOW);
    check_eq!(p1::path_filestat_set_times(dir, 1, at(b"f"), 1, 0, 0, clash), p1::errno::INVAL);
    ok!(p1::symlink(b"f", dir, b"l"));
    check_eq!(p1::path_filestat_set_times(dir, 0, at(b"l"), 1, a, a, both), 0);
    check_eq!(ok!(p1::lstat(dir, b"l")).mtim, a as u64);
    check!(ok!(p1::stat(dir, b"l")).mtim > m as u64);
    check_eq!(p1::path_filestat_set_times(dir, 1, at(b"l"), 1, m, m, both), 0);
    check_eq!(ok!(p1::stat(dir, b"f")).mtim, m as u64);
    check_eq!(p1::path_filestat_set_times(dir, 1, at(b"no"), 2, m, m, both), p1::errno::NOENT);
}
