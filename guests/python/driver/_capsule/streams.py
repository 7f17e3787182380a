"""Standard input, output and error, made anew in every process: whether they are terminals is not known before."""

import codecs
import io
import os
import sys

from _capsule.options import Fatal

_FILE = {"stdin": 0, "stdout": 1, "stderr": 2}


def _errors(environ):
    # As CPython does: where the locale says nothing, bytes that are no UTF-8 pass unharmed.
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = environ.get(name)
        if value:
            return "surrogateescape" if value in ("C", "POSIX", "C.UTF-8", "C.utf8") else "strict"
    return "surrogateescape"


def _stream(name, mode, encoding, errors, unbuffered):
    fd = _FILE[name]
    try:
        raw = io.FileIO(fd, mode, closefd=False)
    except OSError:
        return None
    raw.name = f"<{name}>"
    terminal = os.isatty(fd)
    if mode == "r":
        buffer = io.BufferedReader(raw)
    elif unbuffered:
        buffer = raw
    else:
        buffer = io.BufferedWriter(raw)
    stream = io.TextIOWrapper(
        # Also when reading: only files that a program opens have their line endings made one.
        buffer, encoding, errors, newline="\n",
        line_buffering=mode == "w" and (terminal or name == "stderr"), write_through=unbuffered and mode == "w",
    )
    stream.mode = mode
    return stream


def _encoding(asked, errors):
    """What PYTHONIOENCODING asks for."""
    name, _, handler = asked.partition(":")
    try:
        encoding = codecs.lookup(name or "utf-8").name
        codecs.lookup_error(handler or "strict")
    except LookupError as wrong:
        state = f"core initialized\nLookupError: {wrong}"
        raise Fatal("init_sys_streams", "can't initialize sys standard streams", state) from None
    return encoding, handler or ("strict" if name else errors)


def open_all(found, environ):
    encoding, errors = "utf-8", "surrogateescape" if found.utf8 else _errors(environ)
    asked = "" if found.ignore_environment else environ.get("PYTHONIOENCODING", "")
    if asked:
        encoding, errors = _encoding(asked, errors)
    unbuffered = bool(found.unbuffered)
    sys.stdin = sys.__stdin__ = _stream("stdin", "r", encoding, errors, False)
    sys.stdout = sys.__stdout__ = _stream("stdout", "w", encoding, errors, unbuffered)
    sys.stderr = sys.__stderr__ = _stream("stderr", "w", encoding, "backslashreplace", unbuffered)


def flush_quietly():
    """Writes out what was printed; that it cannot be written is told at the end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def flush_all():
    """Whether all that was printed is written; what is not is told as CPython tells it."""
    good = True
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name, None)
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except Exception as error:
            if name == "stdout":
                good = False
                try:
                    sys.stderr.write(f"Exception ignored while flushing sys.stdout:\n{type(error).__name__}: {error}\n")
                    sys.stderr.flush()
                except Exception:
                    pass
    return good
