"""Interface to the xz and lzma compression formats, by the sandbox's own xz. Chosen filters are not supported, and of raw streams
only those of zip files.
"""

from struct import pack, unpack

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
_CUT = "Compressed data ended before the end-of-stream marker was reached"


class LZMAError(Exception):
    """The data is damaged, or what is asked for is not supported."""


# What a stream of the old format begins with, before its length: one byte of properties, and the size of the dictionary.
_USUAL = b"\x5d\0\0\x80\0"
_UNKNOWN_LENGTH = b"\xff" * 8
_HEAD = len(_USUAL) + len(_UNKNOWN_LENGTH)

_OLD = ["xz", "--format=lzma"]


def _encode_filter_properties(filter, /):
    """The properties of a raw stream, as zip files keep them."""
    if filter != {"id": FILTER_LZMA1}:
        raise LZMAError("filters cannot be chosen in the sandbox")
    return _USUAL


def _decode_filter_properties(filter_id, encoded_props, /):
    """The filter that properties stand for."""
    if filter_id != FILTER_LZMA1 or len(encoded_props) != len(_USUAL):
        raise LZMAError("only the properties of LZMA1 are known in the sandbox")
    first, size = unpack("<BI", encoded_props)
    return {"id": filter_id, "dict_size": size, "lc": first % 9, "lp": first // 9 % 5, "pb": first // 45}


def _head(filters):
    """What the old format has before a raw stream with these filters."""
    match filters:
        case [{"id": 0x4000000000000001, "dict_size": size, "lc": lc, "lp": lp, "pb": pb}]:
            return pack("<BI", (pb * 5 + lp) * 9 + lc, size) + _UNKNOWN_LENGTH
    raise LZMAError("of raw streams only those of zip files are supported in the sandbox")


def _packs(format, check, preset, filters):
    level = f"-{(PRESET_DEFAULT if preset is None else preset) & 31}"
    if format == FORMAT_RAW and filters and filters[0] == _decode_filter_properties(FILTER_LZMA1, _USUAL):
        return [*_OLD, "-c"]
    if filters is not None or format not in (FORMAT_XZ, FORMAT_ALONE):
        raise LZMAError("filters cannot be chosen in the sandbox")
    if format == FORMAT_ALONE:
        return [*_OLD, level, "-c"]
    if check not in (-1, CHECK_CRC64):
        raise LZMAError("there is only CHECK_CRC64 in the sandbox")
    return ["xz", level, "-c"]


def _unpacks(format, filters, data):
    """The command, and what it needs before the data."""
    if format == FORMAT_RAW:
        return [*_OLD, "-dc"], _head(filters)
    if filters is not None:
        raise ValueError("Cannot specify filters except with FORMAT_RAW")
    if format == FORMAT_XZ or format == FORMAT_AUTO and data[:6] == _BEGINNING[: len(data)]:
        return ["xz", "-dc"], b""
    return [*_OLD, "-dc"], b""


def _fits(format, data):
    """Whether a stream can begin like this."""
    new, old = data[:6] == _BEGINNING[: len(data)], data[:1] <= b"\xe0" and data[1:2] == b"\0"[: len(data) - 1]
    return {FORMAT_XZ: new, FORMAT_ALONE: old, FORMAT_RAW: True}.get(format, new or old)


def is_check_supported(check, /):
    """Test whether the given integrity check is supported."""
    return check in (CHECK_NONE, CHECK_CRC32, CHECK_CRC64)


def compress(data, format=FORMAT_XZ, check=-1, preset=None, filters=None):
    """Compress a block of data."""
    packer = LZMACompressor(format, check, preset, filters)
    return packer.compress(data) + packer.flush()


def decompress(data, format=FORMAT_AUTO, memlimit=None, filters=None):
    """Decompress a block of data."""
    data = bytes(data)
    command, before = _unpacks(format, filters, data)
    if not data or not _fits(format, data):
        raise LZMAError(_WRONG if data else _CUT)
    try:
        return packers.run(command, before + data, LZMAError)
    except LZMAError:
        raise LZMAError(_CUT) from None


class LZMACompressor(packers.Packer):
    """Compresses all that it is given when it is flushed."""

    def __init__(self, format=FORMAT_XZ, check=-1, preset=None, filters=None):
        super().__init__(_packs(format, check, preset, filters), LZMAError)
        self._format = format

    def flush(self):
        packed = super().flush()
        return packed[_HEAD:] if self._format == FORMAT_RAW else packed


class LZMADecompressor(packers.Unpacker):
    """Decompresses a stream when it is whole."""

    check = CHECK_UNKNOWN

    def __init__(self, format=FORMAT_AUTO, memlimit=None, filters=None):
        command, before = _unpacks(format, filters, b"")
        super().__init__(command, LZMAError, lambda data: _fits(format, data), LZMAError(_WRONG))
        self._format, self._packed = format, bytearray(before)

    def decompress(self, data, max_length=-1):
        if self._format == FORMAT_AUTO and not self._packed:
            self._command, _ = _unpacks(FORMAT_AUTO, None, bytes(data))
        return super().decompress(data, max_length)


class LZMAFile(packers.File):
    """A file object for (de)compressed xz files."""

    def __init__(self, filename=None, mode="r", *, format=None, check=-1, preset=None, filters=None):
        def packed(data):
            return compress(data, FORMAT_XZ if format is None else format, check, preset, filters)

        def unpacked(data):
            return decompress(data, FORMAT_AUTO if format is None else format, None, filters) if data else b""

        super().__init__(filename, mode, packed, unpacked)


def open(filename, mode="rb", *, format=None, check=-1, preset=None, filters=None, encoding=None, errors=None, newline=None):
    """Open an xz-compressed file in binary or text mode."""
    return packers.text_or_bytes(
        lambda mode: LZMAFile(filename, mode, format=format, check=check, preset=preset, filters=filters),
        mode, encoding, errors, newline,
    )
