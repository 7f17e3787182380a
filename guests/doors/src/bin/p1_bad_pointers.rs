//! Every function answers FAULT to an address outside of memory, and nothing is harmed.
use door_tests::{BAD, at, check, check_eq, ok, p1};

fn main() {
    let dir = p1::here();
    let f = p1::create(dir, b"f", b"0123456789");
    ok!(p1::seek(f, 0, p1::WHENCE_SET));
    let name = at(b"f");
    for bad in BAD {
        let vectors = [bad, 16];
        let v = at(&vectors);
        let mut n = 0u32;
        let out = door_tests::at_mut(&mut n);
        let answers = [
            p1::args_get(bad, bad),
            p1::args_sizes_get(bad, out),
            p1::args_sizes_get(out, bad),
            p1::environ_sizes_get(bad, bad),
            p1::clock_res_get(0, bad),
            p1::clock_time_get(0, 0, bad),
            p1::fd_fdstat_get(f, bad),
            p1::fd_filestat_get(f, bad),
            p1::fd_pread(f, v, 1, 0, out),
            p1::fd_pread(f, bad, 1, 0, out),
            p1::fd_prestat_get(p1::ROOT, bad),
            p1::fd_prestat_dir_name(p1::ROOT, bad, 1),
            p1::fd_pwrite(f, v, 1, 0, out),
            p1::fd_pwrite(f, bad, 1, 0, out),
            p1::fd_read(f, v, 1, out),
            p1::fd_read(f, bad, 2, out),
            p1::fd_readdir(dir, bad, 100, 0, out),
            p1::fd_seek(f, 0, 0, bad),
            p1::fd_tell(f, bad),
            p1::fd_write(f, v, 1, out),
            p1::fd_write(f, bad, 2, out),
            p1::path_create_directory(dir, bad, 16),
            p1::path_filestat_get(dir, 0, bad, 16, out),
            p1::path_filestat_get(dir, 0, name, 1, bad),
            p1::path_filestat_set_times(dir, 0, bad, 16, 0, 0, 0),
            p1::path_link(dir, 0, bad, 16, dir, name, 1),
            p1::path_link(dir, 0, name, 1, dir, bad, 16),
            p1::path_open(dir, 0, bad, 16, 0, 2, 0, 0, out),
            p1::path_open(dir, 0, name, 1, 0, 2, 0, 0, bad),
            p1::path_readlink(dir, bad, 16, name, 1, out),
            p1::path_remove_directory(dir, bad, 16),
            p1::path_rename(dir, bad, 16, dir, name, 1),
            p1::path_rename(dir, name, 1, dir, bad, 16),
            p1::path_symlink(bad, 16, dir, name, 1),
            p1::path_symlink(name, 1, dir, bad, 16),
            p1::path_unlink_file(dir, bad, 16),
            p1::poll_oneoff(bad, bad, 1, out),
            p1::random_get(bad, 16),
        ];
        let wrong = answers.iter().position(|a| *a != p1::errno::FAULT);
        check_eq!(wrong.map(|i| (i, answers[i])), None);
    }
    check_eq!(door_tests::get(b"f"), b"0123456789");
    check_eq!(ok!(p1::tell(f)), 0);
    // A length that runs out of memory.
    check_eq!(p1::random_get(name, -1), p1::errno::FAULT);
    check!(matches!(p1::path_unlink_file(dir, name, -1), p1::errno::FAULT | p1::errno::NAMETOOLONG));
}
