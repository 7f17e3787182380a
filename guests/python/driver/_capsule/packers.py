"""bzip2, xz and zstd through the commands of the sandbox. A whole stream is packed or unpacked at once, by a process of its own.
"""

import io
import os
import subprocess


def run(command, data, error):
    """What `command` makes of `data`."""
    done = subprocess.run(command, input=data, capture_output=True)
    if done.returncode != 0:
        why = done.stderr.decode(errors="replace").strip().splitlines()
        raise error(why[-1] if why else f"{command[0]} failed")
    return done.stdout


class Packer:
    """Collects all that is to be packed, and packs it at the end."""

    def __init__(self, command, error):
        self._command, self._error, self._parts, self._done = command, error, [], False

    def compress(self, data, /):
        if self._done:
            raise ValueError("Compressor has been flushed")
        self._parts.append(bytes(data))
        return b""

    def flush(self):
        if self._done:
            raise ValueError("Repeated call to flush()")
        self._done = True
        return run(self._command, b"".join(self._parts), self._error)


def begins_with(*beginnings):
    """Tells whether data can be the beginning of something that begins with one of these."""
    return lambda data: any(data[: len(one)] == one[: len(data)] for one in beginnings)


class Unpacker:
    """Collects a packed stream until it is whole."""

    def __init__(self, command, error, fits, wrong):
        """`fits`: whether a stream can begin like this; `wrong`: what is raised when it cannot."""
        self._command, self._error, self._fits, self._wrong = command, error, fits, wrong
        self._packed, self._out, self._tried = bytearray(), None, 0
        self.unused_data = b""

    @property
    def eof(self):
        return self._out == b""

    @property
    def needs_input(self):
        return self._out is None

    def decompress(self, data, max_length=-1):
        if self.eof:
            raise EOFError("End of stream already reached")
        self._packed += data
        if not self._fits(bytes(self._packed[:8])):
            raise self._wrong
        # Tried again only when there is much more, so that small pieces cost no process each.
        if self._out is None and (not data or len(self._packed) >= 2 * self._tried or len(data) % 1024):
            self._tried = len(self._packed)
            try:
                self._out = run(self._command, bytes(self._packed), self._error)
            except self._error:
                return b""
        if self._out is None:
            return b""
        if max_length < 0:
            part, self._out = self._out, b""
        else:
            part, self._out = self._out[:max_length], self._out[max_length:]
        return part


class File(io.BufferedIOBase):
    """A packed file: read as a whole when it is opened, written as a whole when it is closed."""

    def __init__(self, file, mode, pack, unpack):
        self._name, self._closes = None, False
        if mode in ("", "r", "rb"):
            self.mode, opened = "rb", "rb"
        elif mode in ("w", "wb", "x", "xb", "a", "ab"):
            self.mode, opened = "wb", mode[0] + "b"
        else:
            raise ValueError(f"Invalid mode: {mode!r}")
        if isinstance(file, (str, bytes, os.PathLike)):
            self._file, self._closes, self.name = open(file, opened), True, os.fspath(file)
        elif hasattr(file, "read") or hasattr(file, "write"):
            self._file, self.name = file, getattr(file, "name", "")
        else:
            raise TypeError("filename must be a str, bytes, file or PathLike object")
        self._pack, self._unpack = pack, unpack
        self._closed = False
        # Unpacked when it is first read: who only opens it is not told that it is damaged.
        self._buffer = io.BytesIO() if self.mode == "wb" else None

    def _open(self):
        if self._closed:
            raise ValueError("I/O operation on closed file")
        if self._buffer is None:
            self._buffer = io.BytesIO(self._unpack(self._file.read()))
        return self._buffer

    def close(self):
        if self._closed:
            return
        try:
            if self.mode == "wb":
                self._file.write(self._pack(self._buffer.getvalue()))
        finally:
            self._closed = True
            self._buffer = None
            if self._closes:
                self._file.close()
            super().close()

    @property
    def closed(self):
        return self._closed

    def fileno(self):
        return self._file.fileno()

    def readable(self):
        return self.mode == "rb"

    def writable(self):
        return self.mode == "wb"

    def seekable(self):
        return self.readable()

    def read(self, size=-1):
        self._check("rb")
        return self._buffer.read(size)

    def read1(self, size=-1):
        return self.read(size)

    def readinto(self, buffer):
        self._check("rb")
        return self._buffer.readinto(buffer)

    def readline(self, size=-1):
        self._check("rb")
        return self._buffer.readline(size)

    def peek(self, n=0):
        self._check("rb")
        return self._buffer.getvalue()[self._buffer.tell() :][: n or 8192]

    def write(self, data):
        self._check("wb")
        return self._buffer.write(data)

    def seek(self, offset, whence=io.SEEK_SET):
        self._check("rb")
        return self._buffer.seek(offset, whence)

    def tell(self):
        return self._open().tell()

    def _check(self, mode):
        self._open()
        if self.mode != mode:
            raise io.UnsupportedOperation("File not open for " + ("reading" if mode == "rb" else "writing"))


def text_or_bytes(make, mode, encoding, errors, newline):
    """What `open` of both modules does around its file."""
    if "t" not in mode:
        for value, name in ((encoding, "encoding"), (errors, "errors"), (newline, "newline")):
            if value is not None:
                raise ValueError(f"Argument {name!r} not supported in binary mode")
        return make(mode)
    if "b" in mode:
        raise ValueError(f"Invalid mode: {mode!r}")
    return io.TextIOWrapper(make(mode.replace("t", "")), io.text_encoding(encoding), errors, newline)
