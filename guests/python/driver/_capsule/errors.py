"""Linux's error numbers. The interpreter was compiled with WASI's, so an error of the C library arrives as
`OSError(44, "No such file or directory")`. The interpreter looks in a table which class an error number means; here the
table leads to a class that puts the Linux number in place and then becomes the right class.

Which numbers an error is told with is clear from its text: C code always gives the text of its own number, and no text
has the same number in both tables unless it is the same error.
"""

import errno
import os

from _capsule.linux_errors import TABLE

_CLASSES = {
    BlockingIOError: ("EAGAIN", "EALREADY", "EINPROGRESS"),
    BrokenPipeError: ("EPIPE", "ESHUTDOWN"),
    ChildProcessError: ("ECHILD",),
    ConnectionAbortedError: ("ECONNABORTED",),
    ConnectionRefusedError: ("ECONNREFUSED",),
    ConnectionResetError: ("ECONNRESET",),
    FileExistsError: ("EEXIST",),
    FileNotFoundError: ("ENOENT",),
    IsADirectoryError: ("EISDIR",),
    NotADirectoryError: ("ENOTDIR",),
    InterruptedError: ("EINTR",),
    PermissionError: ("EACCES", "EPERM"),
    ProcessLookupError: ("ESRCH",),
    TimeoutError: ("ETIMEDOUT",),
}

CLASSES = tuple(_CLASSES) + (OSError,)

_ENOENT, _EISDIR = 2, 21

_texts = {}
_from_wasi = {}
_by_number = {}


class _Raised(OSError):
    """What the interpreter makes first."""

    __slots__ = ()

    def __init__(self, number, text, *rest):
        known = _from_wasi.get(number)
        if known is not None and known[0] == text:
            number, text = known[1:]
        if number == _EISDIR and rest and isinstance(rest[0], (str, bytes)) and not rest[0]:
            # The C library takes an empty path for the working directory.
            number, text = _ENOENT, _texts[_ENOENT]
        OSError.__init__(self, number, text, *rest)
        self.__class__ = _by_number.get(number, OSError)


def strerror(code, /):
    """Translate an error code to a message string."""
    return _texts.get(code) or f"Unknown error {code}"


def install(table):
    """`table` is the interpreter's own, by number; the classes in it can be assigned to `__class__`."""
    linux = {name: number for number, name, _ in TABLE}
    for number, _, text in TABLE:
        _texts.setdefault(number, text)
    wasi = {name: getattr(errno, name) for name in dir(errno) if name.startswith("E")}
    for name, number in wasi.items():
        # What the sandbox does not allow is EPERM to Linux programs.
        meant = linux.get(name, linux["EPERM"])
        # Some names share a number; the first is the one that C code means.
        _from_wasi.setdefault(number, (os.strerror(number), meant, _texts[meant]))
    for kind, names in _CLASSES.items():
        for name in names:
            _by_number[linux[name]] = kind
    for name in wasi:
        delattr(errno, name)
    errno.errorcode.clear()
    for number, name, _ in TABLE:
        setattr(errno, name, number)
        errno.errorcode.setdefault(number, name)
    os.strerror = strerror
    for number in range(1, 134):
        table[number] = _Raised
