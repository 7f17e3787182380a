//! Every function that takes a descriptor refuses one that is not open.
use door_tests::{at, at_mut, check_eq, p1};

fn main() {
    let mut out = [0u64; 16];
    let (o, name) = (at_mut(&mut out), at(b"name"));
    for fd in [99, -1, i32::MIN, i32::MAX] {
        let answers = [
            p1::fd_advise(fd, 0, 0, 0),
            p1::fd_allocate(fd, 0, 1),
            p1::fd_close(fd),
            p1::fd_datasync(fd),
            p1::fd_fdstat_get(fd, o),
            p1::fd_fdstat_set_flags(fd, 0),
            p1::fd_fdstat_set_rights(fd, 0, 0),
            p1::fd_filestat_get(fd, o),
            p1::fd_filestat_set_size(fd, 0),
            p1::fd_filestat_set_times(fd, 0, 0, 0),
            p1::fd_pread(fd, o, 0, 0, o),
            p1::fd_prestat_get(fd, o),
            p1::fd_prestat_dir_name(fd, o, 8),
            p1::fd_pwrite(fd, o, 0, 0, o),
            p1::fd_read(fd, o, 0, o),
            p1::fd_readdir(fd, o, 64, 0, o),
            p1::fd_renumber(fd, 0),
            p1::fd_seek(fd, 0, 0, o),
            p1::fd_sync(fd),
            p1::fd_tell(fd, o),
            p1::fd_write(fd, o, 0, o),
            p1::path_create_directory(fd, name, 4),
            p1::path_filestat_get(fd, 0, name, 4, o),
            p1::path_filestat_set_times(fd, 0, name, 4, 0, 0, 0),
            p1::path_link(fd, 0, name, 4, fd, name, 4),
            p1::path_open(fd, 0, name, 4, 0, 0, 0, 0, o),
            p1::path_readlink(fd, name, 4, o, 8, o),
            p1::path_remove_directory(fd, name, 4),
            p1::path_rename(fd, name, 4, fd, name, 4),
            p1::path_symlink(name, 4, fd, name, 4),
            p1::path_unlink_file(fd, name, 4),
        ];
        let wrong = answers.iter().position(|a| *a != p1::errno::BADF);
        check_eq!(wrong, None);
    }
}
