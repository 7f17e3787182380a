"""`multiprocessing`: processes are started anew (`spawn`) and talk through pipes. Its modules are changed when they are loaded."""

import os
from importlib.machinery import PathFinder
from itertools import count
from types import MethodType

from _capsule.network import only_http

# The length of the name that a connection has.
_NAME = 20

_numbers = count()

_COPY = "the start method {!r} copies the process, which cannot be done in the sandbox: use 'spawn'"


def _context(module):
    contexts = module._concrete_contexts
    for name in ("fork", "forkserver"):

        def refuse(self, name=name):
            raise ValueError(_COPY.format(name))

        type(contexts[name])._check_available = refuse
    module._default_context = module.DefaultContext(contexts["spawn"])

    def get_all_start_methods(self):
        """Returns a list of the supported start methods, default first."""
        return ["spawn"]

    module.DefaultContext.get_all_start_methods = get_all_start_methods


def _connection(module):
    class Both(module.Connection):
        """An end of two pipes."""

        def __init__(self, reads, writes):
            super().__init__(reads)
            self._writes = writes

        def _send(self, buf, write=os.write):
            while len(buf):
                buf = buf[write(self._writes, buf) :]

        def _close(self, close=os.close):
            close(self._handle)
            close(self._writes)

    def rebuild(reads, writes):
        return Both(reads.detach(), writes.detach())

    def reduce(end):
        from multiprocessing.reduction import DupFd

        return rebuild, (DupFd(end._handle), DupFd(end._writes))

    one_way = module.Pipe

    def Pipe(duplex=True):
        """Returns pair of connection objects at either end of a pipe"""
        if not duplex:
            return one_way(False)
        (first_reads, second_writes), (second_reads, first_writes) = os.pipe(), os.pipe()
        return Both(first_reads, first_writes), Both(second_reads, second_writes)

    class Listener:
        """Where others connect in this session: a named pipe, into which each writes the name of two of its own."""

        def __init__(self, address, family, backlog=1):
            if family != "AF_UNIX":
                raise only_http()
            os.mkfifo(address, 0o600)
            self._address, self._family, self._last_accepted = address, family, None
            # For both, so that it does not end with the last who has connected.
            self._fd = os.open(address, os.O_RDWR)
            self._unlink = module.util.Finalize(self, os.unlink, args=(address,), exitpriority=0)

        def accept(self):
            name = os.fsdecode(os.read(self._fd, _NAME))
            reads = os.open(f"{self._address}{name}a", os.O_RDONLY)
            writes = os.open(f"{self._address}{name}b", os.O_WRONLY)
            for end in "ab":
                os.unlink(f"{self._address}{name}{end}")
            return Both(reads, writes)

        def close(self):
            if self._unlink is not None:
                os.close(self._fd)
                self._unlink()
                self._unlink = None

    def connect(address):
        if not isinstance(address, str):
            raise only_http()
        name = f"-{next(_numbers):09}-{os.getpid():09}"
        fd = os.open(address, os.O_WRONLY)
        for end in "ab":
            os.mkfifo(f"{address}{name}{end}", 0o600)
        os.write(fd, name.encode())
        os.close(fd)
        writes = os.open(f"{address}{name}a", os.O_WRONLY)
        return Both(os.open(f"{address}{name}b", os.O_RDONLY), writes)

    module.SocketListener, module.SocketClient, module.default_family = Listener, connect, "AF_UNIX"
    # Known by name to those that unpickle it.
    rebuild.__module__, rebuild.__qualname__ = module.__name__, "rebuild_both"
    module.rebuild_both, module.Pipe = rebuild, Pipe
    module.reduction.register(Both, reduce)


def _managers(module):
    """A manager calls what its clients ask for in threads, by names and with lists of arguments. With methods that would be C code."""

    def plain(*args):
        found = getattr(*args)
        if type(found) is not MethodType:
            return found
        function, first = found.__func__, found.__self__

        def method(*args, **kwargs):
            return function(first, *args, **kwargs)

        return method

    module.getattr = plain


_CHANGES = {
    "multiprocessing.context": _context,
    "multiprocessing.connection": _connection,
    "multiprocessing.managers": _managers,
}


class _Loader:
    """Changes a module after it was loaded."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def exec_module(self, module):
        self._loader.exec_module(module)
        _CHANGES[module.__name__](module)


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _CHANGES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin.startswith("/usr/local/lib/python314.zip/"):
            spec.loader = _Loader(spec.loader)
        return spec


def install():
    import sys

    # Before the finder of files.
    sys.meta_path.insert(sys.meta_path.index(PathFinder), Finder)
