"""Interface to the Zstandard compression format, by the sandbox's own zstd. It has one level, and no dictionaries."""

from _capsule import packers

__all__ = [
    "COMPRESSION_LEVEL_DEFAULT", "ZstdCompressor", "ZstdDecompressor", "ZstdError", "ZstdFile", "compress", "decompress", "open",
]

COMPRESSION_LEVEL_DEFAULT = 3
zstd_version, zstd_version_info = "1.5.0", (1, 5, 0)

# A frame, and those that are to be skipped.
_BEGINNINGS = (b"\x28\xb5\x2f\xfd", *(bytes([n, 0x2A, 0x4D, 0x18]) for n in range(0x50, 0x60)))
_WRONG = "Unable to decompress Zstandard data: Unknown frame descriptor"

_ABSENT = frozenset(
    "CompressionParameter DecompressionParameter FrameInfo Strategy ZstdDict finalize_dict get_frame_info get_frame_size "
    "train_dict".split()
)


class ZstdError(Exception):
    """A stream is damaged, or something is asked for that cannot be done here."""


def _check(level, options, zstd_dict):
    if options or zstd_dict is not None:
        raise ZstdError("options and dictionaries of zstd are not there in the sandbox")
    if level is not None and not -131072 <= level <= 22:
        raise ValueError(f"illegal compression level {level}; the valid range is [-131072, 22]")


def compress(data, level=None, options=None, zstd_dict=None):
    """Return Zstandard compressed data as bytes."""
    _check(level, options, zstd_dict)
    return packers.run(["zstd", "-q", "-c"], bytes(data), ZstdError)


def decompress(data, zstd_dict=None, options=None):
    """Decompress one or more frames of data."""
    _check(None, options, zstd_dict)
    if not data:
        return b""
    if not bytes(data[:4]).startswith(_BEGINNINGS):
        raise ZstdError(_WRONG)
    try:
        return packers.run(["zstd", "-q", "-dc"], bytes(data), ZstdError)
    except ZstdError as error:
        if "premature end" in str(error):
            raise ZstdError("Compressed data ended before the end-of-stream marker was reached") from None
        raise ZstdError(f"Unable to decompress Zstandard data: {error}") from None


class ZstdCompressor(packers.Packer):
    """Compresses all that it is given when it is flushed."""

    CONTINUE, FLUSH_BLOCK, FLUSH_FRAME = range(3)

    def __init__(self, level=None, options=None, zstd_dict=None):
        _check(level, options, zstd_dict)
        super().__init__(["zstd", "-q", "-c"], ZstdError)

    def compress(self, data, mode=CONTINUE):
        super().compress(data)
        return self.flush() if mode == self.FLUSH_FRAME else b""

    def flush(self, mode=FLUSH_FRAME):
        """What was collected, as a frame. Another one can follow."""
        packed = super().flush()
        self._parts, self._done = [], False
        return packed


class ZstdDecompressor(packers.Unpacker):
    """Decompresses a stream when it is whole."""

    def __init__(self, zstd_dict=None, options=None):
        _check(None, options, zstd_dict)
        super().__init__(["zstd", "-q", "-dc"], ZstdError, packers.begins_with(*_BEGINNINGS), ZstdError(_WRONG))


class ZstdFile(packers.File):
    """A file object for Zstandard files."""

    def __init__(self, file, /, mode="r", *, level=None, options=None, zstd_dict=None):
        _check(level, options, zstd_dict)
        super().__init__(file, mode, lambda data: compress(data, level), decompress)


def open(file, /, mode="rb", *, level=None, options=None, zstd_dict=None, encoding=None, errors=None, newline=None):
    """Open a Zstandard file in binary or text mode."""
    _check(level, options, zstd_dict)
    return packers.text_or_bytes(lambda mode: ZstdFile(file, mode, level=level), mode, encoding, errors, newline)


def __getattr__(name):
    why = ": options, dictionaries and frames of zstd are not there in the sandbox" if name in _ABSENT else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{why}", name=name)
