"""Interface to the xz compression format, by the sandbox's own xz. Raw streams and chosen filters are not supported."""

from _capsule import packers

__all__ = [
    "CHECK_NONE", "CHECK_CRC32", "CHECK_CRC64", "CHECK_SHA256", "FORMAT_AUTO", "FORMAT_XZ", "FORMAT_ALONE", "FORMAT_RAW",
    "PRESET_DEFAULT", "PRESET_EXTREME", "LZMACompressor", "LZMADecompressor", "LZMAFile", "LZMAError", "open", "compress",
    "decompress",
]

CHECK_NONE, CHECK_CRC32, CHECK_CRC64, CHECK_SHA256, CHECK_UNKNOWN = 0, 1, 4, 10, 16
FORMAT_AUTO, FORMAT_XZ, FORMAT_ALONE, FORMAT_RAW = range(4)
PRESET_DEFAULT, PRESET_EXTREME = 6, 1 << 31
# Named in chains of filters, which are refused.
FILTER_DELTA, FILTER_X86, FILTER_POWERPC, FILTER_IA64, FILTER_ARM, FILTER_ARMTHUMB, FILTER_SPARC = range(3, 10)
FILTER_LZMA1, FILTER_LZMA2 = 0x4000000000000001, 0x21
MODE_FAST, MODE_NORMAL = 1, 2
MF_HC3, MF_HC4, MF_BT2, MF_BT3, MF_BT4 = 3, 4, 18, 19, 20

_BEGINNING = b"\xfd7zXZ\0"
_WRONG = "Input format not supported by decoder"


class LZMAError(Exception):
    """The data is damaged, or what is asked for is not supported."""


def _packs(format, check, preset, filters):
    if format != FORMAT_XZ or filters is not None:
        raise LZMAError("only the xz format with its usual filters is supported in the sandbox")
    return ["xz", f"-{(PRESET_DEFAULT if preset is None else preset) & 31}", "-c"]


def _unpacks(format, filters):
    if format not in (FORMAT_AUTO, FORMAT_XZ) or filters is not None:
        raise LZMAError("only the xz format with its usual filters is supported in the sandbox")
    return ["xz", "-dc"]


def is_check_supported(check, /):
    """Test whether the given integrity check is supported."""
    return check in (CHECK_NONE, CHECK_CRC32, CHECK_CRC64)


def compress(data, format=FORMAT_XZ, check=-1, preset=None, filters=None):
    """Compress a block of data."""
    return packers.run(_packs(format, check, preset, filters), bytes(data), LZMAError)


def decompress(data, format=FORMAT_AUTO, memlimit=None, filters=None):
    """Decompress a block of data."""
    command = _unpacks(format, filters)
    if bytes(data[:6]) != _BEGINNING:
        raise LZMAError(_WRONG)
    try:
        return packers.run(command, bytes(data), LZMAError)
    except LZMAError:
        raise LZMAError("Compressed data ended before the end-of-stream marker was reached") from None


class LZMACompressor(packers.Packer):
    """Compresses all that it is given when it is flushed."""

    def __init__(self, format=FORMAT_XZ, check=-1, preset=None, filters=None):
        super().__init__(_packs(format, check, preset, filters), LZMAError)


class LZMADecompressor(packers.Unpacker):
    """Decompresses a stream when it is whole."""

    check = CHECK_UNKNOWN

    def __init__(self, format=FORMAT_AUTO, memlimit=None, filters=None):
        super().__init__(_unpacks(format, filters), LZMAError, (_BEGINNING,), LZMAError(_WRONG))


class LZMAFile(packers.File):
    """A file object for (de)compressed xz files."""

    def __init__(self, filename=None, mode="r", *, format=None, check=-1, preset=None, filters=None):
        def pack(data):
            return compress(data, FORMAT_XZ if format is None else format, check, preset, filters)

        def unpack(data):
            return decompress(data, FORMAT_AUTO if format is None else format, None, filters) if data else b""

        super().__init__(filename, mode, pack, unpack)


def open(filename, mode="rb", *, format=None, check=-1, preset=None, filters=None, encoding=None, errors=None, newline=None):
    """Open an xz-compressed file in binary or text mode."""
    return packers.text_or_bytes(
        lambda mode: LZMAFile(filename, mode, format=format, check=check, preset=preset, filters=filters),
        mode, encoding, errors, newline,
    )
