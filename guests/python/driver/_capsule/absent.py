"""What cannot work here. An import says why, in place of "No module named"."""

import sys

_NATIVE = "it needs native code, and only WebAssembly runs in the sandbox"
_SCREEN = "there is no screen in the sandbox"
_WINDOWS = "it is for Windows"

WHY = {
    "_ctypes": _NATIVE,
    "_curses": "there is no terminal library in the sandbox",
    "_posixshmem": "processes cannot share memory here",
    "_remote_debugging": "no program looks into another here",
    "_ssl": "programs open no sockets here: the sandbox makes HTTPS requests itself, under the session's network policy",
    "_tkinter": _SCREEN,
    "antigravity": _SCREEN,
    "ctypes": _NATIVE,
    "curses": "there is no terminal library in the sandbox",
    "ensurepip": "pip is a part of the sandbox and needs no installing",
    "idlelib": _SCREEN,
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

_COPY = "a process cannot be copied in the sandbox; use subprocess"
_TERMINALS = "there are no pseudo-terminals in the sandbox"
_PRIORITIES = "there are no priorities in the sandbox"
_ATTRIBUTES = "files have no extended attributes in the sandbox"
_USERS = "a program cannot become another user in the sandbox"
_WAITING = "signals are not waited for in the sandbox; a handler is called"
_CALL = "the sandbox's kernel has no such call"

# The names that a program may look for in vain, by module.
NAMES = {
    "os": {
        **dict.fromkeys(("fork", "forkpty", "register_at_fork"), _COPY),
        **dict.fromkeys(("openpty", "login_tty"), _TERMINALS),
        **dict.fromkeys(("nice", "getpriority", "setpriority", "sched_setaffinity", "sched_setscheduler"), _PRIORITIES),
        **dict.fromkeys(("getxattr", "listxattr", "removexattr", "setxattr"), _ATTRIBUTES),
        **dict.fromkeys(("setuid", "setgid", "seteuid", "setegid", "setreuid", "setregid", "setgroups"), _USERS),
        **dict.fromkeys(
            ("chroot", "eventfd", "memfd_create", "mknod", "pidfd_open", "splice", "waitid"), _CALL,
        ),
        "lockf": "file locks are not kept in the sandbox",
    },
    "signal": {
        **dict.fromkeys(("sigpending", "sigtimedwait", "sigwait", "sigwaitinfo"), _WAITING),
    },
}

_TURNS = "threads take turns: one runs until it waits or ends"
_SOCKETS = "only HTTP requests leave the sandbox"

# What can be imported but not do all that it does elsewhere; docs/python.md is made from this.
IN_PART = {
    "_posixsubprocess": "no preexec_fn",
    "_socket": _SOCKETS,
    "_thread": _TURNS,
    "asyncio": "no sockets",
    "bz2": "a stream is unpacked when it is whole",
    "compression": "bz2, lzma and zstd take whole streams; zstd has one level and no dictionaries",
    "concurrent": "no interpreters to run in",
    "fcntl": "no locks, no ioctl",
    "ftplib": _SOCKETS,
    "hashlib": "without scrypt and OpenSSL's digests",
    "http": "http.client under the session's network policy; http.server cannot listen",
    "imaplib": _SOCKETS,
    "lzma": "a stream is unpacked when it is whole; no chosen filters or checks",
    "mmap": "a copy of the file, written through; changes of others are not seen",
    "multiprocessing": "processes are started by spawn; no shared memory",
    "os": "no fork; no locks; no extended attributes",
    "poplib": _SOCKETS,
    "select": "select and poll; no epoll",
    "signal": "no timers of processor time; signals are not waited for",
    "smtplib": _SOCKETS,
    "socket": _SOCKETS,
    "socketserver": _SOCKETS,
    "sqlite3": "no full-text search, R*Trees, mathematical functions, write-ahead log or extensions",
    "ssl": "HTTPS requests, whose certificates the host checks; nothing else",
    "subprocess": "no preexec_fn",
    "termios": "the settings of a terminal are not told",
    "threading": _TURNS,
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


def _explain(module, why):
    """Says why a name is not in a module."""

    def __getattr__(name):
        reason = why.get(name)
        text = f"module {module.__name__!r} has no attribute {name!r}" + (f": {reason}" if reason else "")
        raise AttributeError(text, name=name, obj=module)

    module.__getattr__ = __getattr__


def install():
    for name, why in NAMES.items():
        _explain(sys.modules[name], why)
    # Frames of the import system are left out of tracebacks; this one is part of it.
    code = Finder.find_spec.__code__
    Finder.find_spec.__code__ = code.replace(co_filename="<frozen importlib._bootstrap>")
    sys.meta_path.append(Finder)
