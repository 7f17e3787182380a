//! Sockets. A process has none until the kernel brings them, so every descriptor is the wrong kind.

use crate::call::Call;
use capsule_abi::Errno;

pub fn sock_accept(call: Call<'_>, fd: i32, _flags: i32, _out: i32) -> Result<(), Errno> {
    no_socket(&call, fd)
}

pub fn sock_recv(
    call: Call<'_>,
    fd: i32,
    _iovs: i32,
    _count: i32,
    _flags: i32,
    _size: i32,
    _out_flags: i32,
) -> Result<(), Errno> {
    no_socket(&call, fd)
}

pub fn sock_send(call: Call<'_>, fd: i32, _iovs: i32, _count: i32, _flags: i32, _size: i32) -> Result<(), Errno> {
    no_socket(&call, fd)
}

pub fn sock_shutdown(call: Call<'_>, fd: i32, _how: i32) -> Result<(), Errno> {
    no_socket(&call, fd)
}

fn no_socket(call: &Call<'_>, fd: i32) -> Result<(), Errno> {
    call.process.description(fd).and(Err(Errno::ENOTSOCK))
}
