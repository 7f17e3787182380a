"""Values and arrays that processes share. No memory can be shared here: they are in a file without a name, which every process has
open, and are read and written there each time. Their types are named by letters, as there is no `ctypes`.
"""

import os
import struct
import tempfile

from multiprocessing import get_context, reduction
from multiprocessing.context import assert_spawning

__all__ = ["RawValue", "RawArray", "Value", "Array", "copy", "synchronized"]

# As they are on Linux with 64 bits, by the letter of `array` and of `ctypes`; a wide character is a number of 4 bytes.
_FORMATS = {
    "c": "c", "u": "I", "b": "b", "B": "B", "h": "h", "H": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "q": "q", "Q": "Q",
    "f": "f", "d": "d",
}


class _Raw:
    """Items of one type in a file."""

    def __init__(self, typecode, count, fd=None):
        if typecode not in _FORMATS:
            raise TypeError(f"this type cannot be shared: {typecode!r}; name one of {' '.join(_FORMATS)}")
        self._typecode, self._count = typecode, count
        self._item = struct.Struct("<" + _FORMATS[typecode])
        if fd is None:
            fd, name = tempfile.mkstemp(prefix="shared-")
            os.unlink(name)
            os.ftruncate(fd, max(1, count * self._item.size))
        self._fd = fd

    def _pack(self, value):
        kind = self._item.format[1:]
        if kind in "fdc":
            return self._item.pack(value)
        # Too large a number loses its upper bits, as it does in C.
        number = ord(value) if self._typecode == "u" else value.__index__()
        size = self._item.size
        return (number & (1 << 8 * size) - 1).to_bytes(size, "little")

    def _unpack(self, data):
        (value,) = self._item.unpack(data)
        return chr(value) if self._typecode == "u" else value

    def _get(self, index):
        return self._unpack(os.pread(self._fd, self._item.size, index * self._item.size))

    def _put(self, index, value):
        os.pwrite(self._fd, self._pack(value), index * self._item.size)

    def __reduce__(self):
        assert_spawning(self)
        return _rebuild, (type(self), self._typecode, self._count, reduction.DupFd(self._fd))

    def __del__(self, close=os.close):
        if getattr(self, "_fd", None) is not None:
            close(self._fd)


def _rebuild(kind, typecode, count, fd):
    return kind(typecode, count, fd.detach())


class _RawValue(_Raw):
    value = property(lambda self: self._get(0), lambda self, value: self._put(0, value))

    def __repr__(self):
        return f"{type(self).__name__}({self.value!r})"


class _RawArray(_Raw):
    def __len__(self):
        return self._count

    def _index(self, index):
        if index < 0:
            index += self._count
        if not 0 <= index < self._count:
            raise IndexError("invalid index")
        return index

    def __getitem__(self, index):
        if isinstance(index, slice):
            items = [self._get(at) for at in range(*index.indices(self._count))]
            return {"c": b"".join, "u": "".join}.get(self._typecode, list)(items)
        return self._get(self._index(index))

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            places = range(*index.indices(self._count))
            items = [bytes((byte,)) for byte in value] if self._typecode == "c" else list(value)
            if len(items) != len(places):
                raise ValueError("Can only assign sequence of same size")
            for at, item in zip(places, items):
                self._put(at, item)
        else:
            self._put(self._index(index), value)

    def __iter__(self):
        return (self._get(at) for at in range(self._count))

    @property
    def raw(self):
        return os.pread(self._fd, self._count, 0)

    @raw.setter
    def raw(self, value):
        os.pwrite(self._fd, value[: self._count], 0)

    @property
    def value(self):
        if self._typecode != "c":
            raise AttributeError("'Array' object has no attribute 'value'")
        return self.raw.partition(b"\0")[0]

    @value.setter
    def value(self, value):
        if len(value) > self._count:
            raise ValueError("byte string too long")
        os.pwrite(self._fd, value + b"\0" * (len(value) < self._count), 0)


def RawValue(typecode_or_type, *args):
    """Returns an object that processes share."""
    raw = _RawValue(typecode_or_type, 1)
    if args:
        raw.value = args[0]
    return raw


def RawArray(typecode_or_type, size_or_initializer):
    """Returns an array that processes share."""
    if isinstance(size_or_initializer, int):
        return _RawArray(typecode_or_type, size_or_initializer)
    raw = _RawArray(typecode_or_type, len(size_or_initializer))
    raw[:] = size_or_initializer
    return raw


def Value(typecode_or_type, *args, lock=True, ctx=None):
    """Returns a wrapper with a lock for an object that processes share."""
    raw = RawValue(typecode_or_type, *args)
    return raw if lock is False else synchronized(raw, None if lock is True else lock, ctx)


def Array(typecode_or_type, size_or_initializer, *, lock=True, ctx=None):
    """Returns a wrapper with a lock for an array that processes share."""
    raw = RawArray(typecode_or_type, size_or_initializer)
    return raw if lock is False else synchronized(raw, None if lock is True else lock, ctx)


def copy(obj):
    """A new object with the same items."""
    new = type(obj)(obj._typecode, obj._count)
    os.pwrite(new._fd, os.pread(obj._fd, obj._count * obj._item.size, 0), 0)
    return new


def synchronized(obj, lock=None, ctx=None):
    """An object together with its lock."""
    kind = Synchronized if isinstance(obj, _RawValue) else SynchronizedString if obj._typecode == "c" else SynchronizedArray
    return kind(obj, lock, ctx)


class SynchronizedBase:
    def __init__(self, obj, lock=None, ctx=None):
        self._obj = obj
        self._lock = lock or (ctx or get_context(force=True)).RLock()
        self.acquire, self.release = self._lock.acquire, self._lock.release

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *args):
        return self._lock.__exit__(*args)

    def __reduce__(self):
        assert_spawning(self)
        return synchronized, (self._obj, self._lock)

    def get_obj(self):
        return self._obj

    def get_lock(self):
        return self._lock

    def __repr__(self):
        return f"<{type(self).__name__} wrapper for {self._obj!r}>"


def _locked(name):
    """An attribute of the object, with its lock held."""

    def get(self):
        with self._lock:
            return getattr(self._obj, name)

    def put(self, value):
        with self._lock:
            setattr(self._obj, name, value)

    return property(get, put)


class Synchronized(SynchronizedBase):
    value = _locked("value")


class SynchronizedArray(SynchronizedBase):
    def __len__(self):
        return len(self._obj)

    def __getitem__(self, index):
        with self._lock:
            return self._obj[index]

    def __setitem__(self, index, value):
        with self._lock:
            self._obj[index] = value

    def __iter__(self):
        return iter(self[:])


class SynchronizedString(SynchronizedArray):
    value = _locked("value")
    raw = _locked("raw")
