"""Calls of Capsule's kernel. The interpreter has one host function; a request with the method `capsule` is a call named
by its address, with numbers and strings packed little-endian in its body. docs/DOORS.md lists the calls.
"""

from struct import pack, unpack

import _bashkit

from _capsule.linux_errors import TABLE

_request = _bashkit.http

AT_FDCWD = -100
AT_SYMLINK_NOFOLLOW = 0x100
AT_REMOVEDIR = 0x200
AT_EMPTY_PATH = 0x1000
O_CLOEXEC = 0o2000000

TEXTS = {}
for _number, _name, _text in TABLE:
    TEXTS.setdefault(_number, _text)


def call(name, body=b"", *paths):
    """The result of a call as bytes; an `OSError` that names `paths` when it fails."""
    number, _, result = _request("capsule", name, (), body, None)
    if number:
        raise error(number, *paths)
    return result


def error(number, path=None, second=None):
    """The exception for a Linux error number."""
    text = TEXTS.get(number) or f"Unknown error {number}"
    if second is not None:
        return OSError(number, text, path, None, second)
    if path is not None:
        return OSError(number, text, path)
    return OSError(number, text)


def number(name, body=b"", *paths):
    """The result of a call that answers one number."""
    return unpack("<i", call(name, body, *paths))[0]


def string(text):
    """A byte string with its length in front."""
    return pack("<I", len(text)) + text


def strings(texts):
    return pack("<I", len(texts)) + b"".join(map(string, texts))
