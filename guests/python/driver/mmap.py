"""Memory maps of files, as far as a process that maps nothing can have them: the bytes are read when the map is made, and what is
changed in it is written to the file at once (through a view of the memory: when the map is flushed or closed). What others
change in the file afterwards is not seen.
"""

import os

error = OSError

ACCESS_DEFAULT, ACCESS_READ, ACCESS_WRITE, ACCESS_COPY = range(4)
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
MAP_SHARED, MAP_PRIVATE, MAP_ANON, MAP_ANONYMOUS, MAP_POPULATE, MAP_NORESERVE = 1, 2, 0x20, 0x20, 0x8000, 0x4000
MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED = range(5)
PAGESIZE = ALLOCATIONGRANULARITY = 4096

_CLOSED = "mmap closed or invalid"
_READ_ONLY = "mmap can't modify a readonly memory map."


class mmap:
    """Maps length bytes of a file into memory; both as bytes and as a file."""

    def __init__(
        self, fileno, length, flags=MAP_SHARED, prot=PROT_WRITE | PROT_READ, access=ACCESS_DEFAULT, offset=0, *, trackfd=True
    ):
        if length < 0:
            raise OverflowError("memory mapped length must be positive")
        if offset < 0:
            raise OverflowError("memory mapped offset must be positive")
        if offset % ALLOCATIONGRANULARITY:
            raise OSError(22, "Invalid argument")
        if access != ACCESS_DEFAULT and (flags != MAP_SHARED or prot != PROT_WRITE | PROT_READ):
            raise ValueError("mmap can't specify both access and flags, prot.")
        if access == ACCESS_COPY:
            flags = MAP_PRIVATE
        elif access not in (ACCESS_DEFAULT, ACCESS_READ, ACCESS_WRITE):
            raise ValueError("mmap invalid access parameter.")
        self._writable = access != ACCESS_READ and bool(prot & PROT_WRITE)
        self._offset, self._at, self._fd, self._kept = offset, 0, None, False
        if fileno == -1:
            self._data = bytearray(length)
            return
        size = os.fstat(fileno).st_size
        if not length:
            if not size:
                raise ValueError("cannot mmap an empty file")
            if offset >= size:
                raise ValueError("mmap offset is greater than file size")
            length = size - offset
        elif offset + length > size:
            raise ValueError("mmap length is greater than file size")
        self._data = bytearray(os.pread(fileno, length, offset))
        self._fd = os.dup(fileno)
        self._kept = self._writable and bool(flags & MAP_SHARED)
        if self._kept:
            # A file that cannot be written cannot be mapped for that.
            os.pwrite(self._fd, b"", offset)

    def _bytes(self):
        if self._data is None:
            raise ValueError(_CLOSED)
        return self._data

    def _to_change(self):
        data = self._bytes()
        if not self._writable:
            raise TypeError(_READ_ONLY)
        return data

    def _changed(self, start, end):
        if self._fd is not None and self._kept and start < end:
            os.pwrite(self._fd, self._data[start:end], self._offset + start)

    def __buffer__(self, flags):
        view = memoryview(self._bytes())
        return view if self._writable else view.toreadonly()

    @property
    def closed(self):
        return self._data is None

    def close(self):
        if self._data is not None:
            self.flush()
            self._data = None
            if self._fd is not None:
                os.close(self._fd)
                self._fd = None

    def __enter__(self):
        self._bytes()
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        try:
            self.close()
        except Exception:
            pass

    def __len__(self):
        return len(self._bytes())

    def __getitem__(self, index):
        data = self._bytes()
        if isinstance(index, slice):
            return bytes(data[index])
        try:
            return data[index]
        except IndexError:
            raise IndexError("mmap index out of range") from None

    def __setitem__(self, index, value):
        data = self._to_change()
        if isinstance(index, slice):
            start, end, step = index.indices(len(data))
            value = bytes(value)
            if len(value) != len(range(start, end, step)):
                raise IndexError("mmap slice assignment is wrong size")
            data[index] = value
            self._changed(min(start, end), max(start, end) if step == 1 else len(data))
            return
        if index < 0:
            index += len(data)
        if not 0 <= index < len(data):
            raise IndexError("mmap index out of range")
        if not 0 <= value <= 255:
            raise ValueError("mmap item value must be in range(0, 256)")
        data[index] = value
        self._changed(index, index + 1)

    def __iter__(self):
        for at in range(len(self)):
            yield bytes((self._data[at],))

    def find(self, sub, start=None, end=None):
        return self._bytes().find(sub, self._at if start is None else start, *(() if end is None else (end,)))

    def rfind(self, sub, start=None, end=None):
        return self._bytes().rfind(sub, self._at if start is None else start, *(() if end is None else (end,)))

    def read(self, n=None):
        data = self._bytes()
        end = len(data) if n is None or n < 0 else min(self._at + n, len(data))
        found, self._at = bytes(data[self._at : end]), max(end, self._at)
        return found

    def read_byte(self):
        data = self._bytes()
        if self._at >= len(data):
            raise ValueError("read byte out of range")
        self._at += 1
        return data[self._at - 1]

    def readline(self):
        end = self._bytes().find(b"\n", self._at)
        return self.read(None if end < 0 else end + 1 - self._at)

    def write(self, data):
        own, data = self._to_change(), bytes(data)
        if self._at + len(data) > len(own):
            raise ValueError("data out of range")
        own[self._at : self._at + len(data)] = data
        self._changed(self._at, self._at + len(data))
        self._at += len(data)
        return len(data)

    def write_byte(self, byte):
        if self._at >= len(self._to_change()):
            raise ValueError("write byte out of range")
        self.write(bytes((byte,)))

    def move(self, dest, src, count):
        data = self._to_change()
        if min(dest, src, count) < 0 or max(dest, src) + count > len(data):
            raise ValueError("source, destination, or count out of range")
        data[dest : dest + count] = data[src : src + count]
        self._changed(dest, dest + count)

    def seek(self, pos, whence=0):
        at = pos + (0, self._at, len(self._bytes()))[whence]
        if not 0 <= at <= len(self._data):
            raise ValueError("seek out of range")
        self._at = at
        return at

    def seekable(self):
        return True

    def tell(self):
        self._bytes()
        return self._at

    def size(self):
        return len(self._bytes()) if self._fd is None else os.fstat(self._fd).st_size

    def resize(self, newsize):
        data = self._to_change()
        if self._fd is not None:
            os.ftruncate(self._fd, self._offset + newsize)
        data[newsize:] = bytes(max(0, newsize - len(data)))

    def flush(self, offset=0, size=None, *, flags=0):
        data = self._bytes()
        size = len(data) - offset if size is None else size
        if offset < 0 or size < 0 or offset + size > len(data):
            raise ValueError("flush values out of range")
        self._changed(offset, offset + size)

    def madvise(self, option, start=0, length=None):
        """Advice changes nothing."""
        self._bytes()

    def __repr__(self):
        if self._data is None:
            return "<mmap.mmap closed=True>"
        access = "ACCESS_DEFAULT" if self._writable else "ACCESS_READ"
        return f"<mmap.mmap closed=False, access={access}, length={len(self)}, pos={self._at}, offset={self._offset}>"
