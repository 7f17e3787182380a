"""Functions of `os` that others are made of: walking by descriptors, and copying between them."""

import os
import posix
import stat
import zipimport
from types import FunctionType

from _capsule import system
from _capsule.kernel import error


class _Entry:
    """An entry of a directory that is known by its descriptor."""

    __slots__ = ("_fd", "name", "path")

    def __init__(self, fd, name):
        self._fd, self.name, self.path = fd, name, name

    def stat(self, *, follow_symlinks=True):
        return os.stat(self.name, dir_fd=self._fd, follow_symlinks=follow_symlinks)

    def _is(self, kind, follow_symlinks):
        try:
            return kind(self.stat(follow_symlinks=follow_symlinks).st_mode)
        except FileNotFoundError:
            return False

    def is_dir(self, *, follow_symlinks=True):
        return self._is(stat.S_ISDIR, follow_symlinks)

    def is_file(self, *, follow_symlinks=True):
        return self._is(stat.S_ISREG, follow_symlinks)

    def is_symlink(self):
        return self._is(stat.S_ISLNK, False)

    def is_junction(self):
        return False

    def inode(self):
        return self.stat(follow_symlinks=False).st_ino

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<DirEntry {self.name!r}>"


class _Scan:
    def __init__(self, fd):
        self._entries = iter([_Entry(fd, name) for name in os.listdir(fd)])

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._entries)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._entries = iter(())


def scandir(path=None):
    """Return an iterator of DirEntry objects for given path."""
    return _Scan(path) if isinstance(path, int) else system.scandir(path)


def sendfile(out_fd, in_fd, offset, count):
    """Copy count bytes from file descriptor in_fd to file descriptor out_fd."""
    data = os.read(in_fd, count) if offset is None else posix.pread(in_fd, count, offset)
    return _write_all(out_fd, data)


def copy_file_range(src, dst, count, offset_src=None, offset_dst=None):
    """Copy count bytes from one file descriptor to another."""
    if count < 0:
        raise ValueError("negative value for 'count' not allowed")
    data = os.read(src, count) if offset_src is None else posix.pread(src, count, offset_src)
    return _write_all(dst, data) if offset_dst is None else posix.pwrite(dst, data, offset_dst)


def _write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    return len(data)


def posix_fallocate(fd, offset, length, /):
    """Ensure that a file has allocated at least a particular number of bytes on disk."""
    if offset < 0 or length <= 0:
        raise error(22)
    if os.fstat(fd).st_size < offset + length:
        os.ftruncate(fd, offset + length)


def preadv(fd, buffers, offset, flags=0, /):
    """Reads from a file descriptor into a number of mutable bytes-like objects, at an offset."""
    data = posix.pread(fd, sum(memoryview(b).nbytes for b in buffers), offset)
    at = 0
    for buffer in buffers:
        view = memoryview(buffer).cast("B")
        part = data[at : at + len(view)]
        view[: len(part)] = part
        at += len(part)
    return len(data)


def pwritev(fd, buffers, offset, flags=0, /):
    """Writes the contents of bytes-like objects to a file descriptor at a given offset."""
    return posix.pwrite(fd, b"".join(bytes(b) for b in buffers), offset)


def _function_of_the_library(name, *defaults):
    """A function that `os` has in its code and leaves out where descriptors of directories are not known."""
    code = zipimport.zipimporter("/usr/local/lib/python314.zip").get_code("os")
    (found,) = [part for part in code.co_consts if getattr(part, "co_name", None) == name]
    return FunctionType(found, os.__dict__, name, *defaults)


def install():
    names = {
        "scandir": scandir, "sendfile": sendfile, "copy_file_range": copy_file_range, "posix_fallocate": posix_fallocate,
        "preadv": preadv, "pwritev": pwritev,
    }
    fwalk = _function_of_the_library("fwalk", (".", True, None))
    fwalk.__kwdefaults__ = {"follow_symlinks": False, "dir_fd": None}
    os._fwalk = _function_of_the_library("_fwalk")
    names["fwalk"] = fwalk
    for name, value in names.items():
        setattr(os, name, value)
        if name not in os.__all__:
            os.__all__.append(name)
    os._fwalk_walk, os._fwalk_yield, os._fwalk_close = range(3)
    os.supports_fd.add(scandir)
