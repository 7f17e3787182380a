"""What cannot work here. An import says why, in place of "No module named"."""

import sys

_NATIVE = "it needs native code, and only WebAssembly runs in the sandbox"
_SCREEN = "there is no screen in the sandbox"
_WINDOWS = "it is for Windows"

WHY = {
    "_ctypes": _NATIVE,
    "_curses": "there is no terminal library in the sandbox",
    "_multiprocessing": "processes cannot share memory here; use subprocess",
    "_posixshmem": "processes cannot share memory here",
    "_ssl": "programs open no sockets here: the sandbox makes HTTPS requests itself, under the session's network policy",
    "_tkinter": _SCREEN,
    "antigravity": _SCREEN,
    "ctypes": _NATIVE,
    "curses": "there is no terminal library in the sandbox",
    "ensurepip": "pip is a part of the sandbox and needs no installing",
    "idlelib": _SCREEN,
    "mmap": "files cannot be mapped into the memory of a sandboxed process; read and write them instead",
    "msvcrt": _WINDOWS,
    "nt": _WINDOWS,
    "pty": "there are no pseudo-terminals in the sandbox",
    "readline": "lines are edited by the terminal outside the sandbox",
    "syslog": "there is no system log in the sandbox",
    "tkinter": _SCREEN,
    "turtle": _SCREEN,
    "turtledemo": _SCREEN,
    "webbrowser": "there is no browser in the sandbox",
    "winreg": _WINDOWS,
    "winsound": _WINDOWS,
    "_winapi": _WINDOWS,
}


_SOCKETS = "only HTTP requests leave the sandbox"

# What can be imported but not do all that it does elsewhere; docs/python.md is made from this.
IN_PART = {
    "_posixsubprocess": "no preexec_fn",
    "_socket": _SOCKETS,
    "_thread": "no second thread can be started",
    "asyncio": "no sockets, no threads (to_thread, run_in_executor)",
    "bz2": "a stream is unpacked when it is whole",
    "compression": "bz2, lzma and zstd take whole streams; zstd has one level and no dictionaries",
    "concurrent": "no threads and no processes to run in",
    "fcntl": "no locks, no ioctl",
    "ftplib": _SOCKETS,
    "hashlib": "without scrypt and OpenSSL's digests",
    "http": "http.client under the session's network policy; http.server cannot listen",
    "imaplib": _SOCKETS,
    "lzma": "a stream is unpacked when it is whole; xz only",
    "multiprocessing": "no processes with shared state; use subprocess",
    "os": "no fork; no locks; no extended attributes",
    "poplib": _SOCKETS,
    "select": "select and poll; no epoll",
    "signal": "no alarm and no timers",
    "smtplib": _SOCKETS,
    "socket": _SOCKETS,
    "socketserver": _SOCKETS,
    "ssl": "HTTPS requests, whose certificates the host checks; nothing else",
    "subprocess": "no preexec_fn",
    "termios": "the settings of a terminal are not told",
    "threading": "no second thread can be started; locks, events and local data work",
    "tty": "the settings of a terminal are not told",
    "urllib": "http and https under the session's network policy; no ftp",
    "venv": "activate for bash only; the interpreter is a link",
    "wsgiref": _SOCKETS,
    "xmlrpc": _SOCKETS,
}


class Finder:
    """Asked last: a package of the user's with such a name is found before."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        why = WHY.get(name)
        if why is not None:
            raise ModuleNotFoundError(f"No module named {name!r}: {why}", name=name)
        return None


def install():
    # Frames of the import system are left out of tracebacks; this one is part of it.
    code = Finder.find_spec.__code__
    Finder.find_spec.__code__ = code.replace(co_filename="<frozen importlib._bootstrap>")
    sys.meta_path.append(Finder)
