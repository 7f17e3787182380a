"""Interface to the bzip2 compression format, by the sandbox's own bzip2."""

from _capsule import packers

__all__ = ["BZ2File", "BZ2Compressor", "BZ2Decompressor", "open", "compress", "decompress"]


def _level(compresslevel):
    if not 1 <= compresslevel <= 9:
        raise ValueError("compresslevel must be between 1 and 9")
    return ["bzip2", f"-{compresslevel}", "-c"]


def compress(data, compresslevel=9):
    """Compress a block of data."""
    return packers.run(_level(compresslevel), bytes(data), OSError)


def decompress(data):
    """Decompress a block of data."""
    if not data:
        return b""
    try:
        return packers.run(["bzip2", "-dc"], bytes(data), OSError)
    except OSError:
        if bytes(data[:3]) == b"BZh":
            raise ValueError("Compressed data ended before the end-of-stream marker was reached") from None
        raise OSError("Invalid data stream") from None


class BZ2Compressor(packers.Packer):
    """Compresses all that it is given when it is flushed."""

    def __init__(self, compresslevel=9, /):
        super().__init__(_level(compresslevel), OSError)


class BZ2Decompressor(packers.Unpacker):
    """Decompresses a stream when it is whole."""

    def __init__(self):
        super().__init__(["bzip2", "-dc"], OSError, packers.begins_with(b"BZh"), OSError("Invalid data stream"))


class BZ2File(packers.File):
    """A file object for (de)compressed bzip2 files."""

    def __init__(self, filename, mode="r", *, compresslevel=9):
        super().__init__(filename, mode, lambda data: compress(data, compresslevel), decompress)


def open(filename, mode="rb", compresslevel=9, encoding=None, errors=None, newline=None):
    """Open a bzip2-compressed file in binary or text mode."""
    return packers.text_or_bytes(
        lambda mode: BZ2File(filename, mode, compresslevel=compresslevel), mode, encoding, errors, newline
    )
