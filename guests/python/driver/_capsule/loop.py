"""`asyncio` without sockets: a pipe wakes the loop, and children that have ended are looked for in short
intervals.
"""

import os
import signal
import warnings

from _capsule.network import only_http

# Seconds between two looks at a child: short at first, for the many that end at once.
_FIRST, _LONGEST = 0.0005, 0.01


class ChildWatcher:
    """Tells the loop when a child has ended."""

    def add_child_handler(self, pid, callback, *args):
        from asyncio import events

        self._look(events.get_running_loop(), pid, _FIRST, callback, args)

    def _look(self, loop, pid, pause, callback, args):
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            warnings.warn(f"child process pid {pid} exit status already read: will report returncode 255", stacklevel=2)
            callback(pid, 255, *args)
            return
        if ended:
            callback(pid, os.waitstatus_to_exitcode(status), *args)
        else:
            loop.call_later(pause, self._look, loop, pid, min(pause * 2, _LONGEST), callback, args)


class _End:
    """An end of a pipe, as far as the loop uses it like a socket."""

    def __init__(self, fd):
        self._fd = fd
        os.set_blocking(fd, False)

    def fileno(self):
        return self._fd

    def recv(self, size):
        return os.read(self._fd, size)

    def send(self, data):
        return os.write(self._fd, data)

    def close(self):
        os.close(self._fd)


def _make_self_pipe(self):
    read, write = os.pipe()
    self._ssock, self._csock = _End(read), _End(write)
    self._internal_fds += 1
    self._add_reader(read, self._read_from_self)


def _write_to_self(self):
    """Wakes the loop, from another thread or from a signal's handler."""
    if self._csock is not None:
        try:
            self._csock.send(b"\0")
        except OSError:
            # It is awake then, or closed.
            pass


def _add_signal_handler(self, sig, callback, *args):
    """Add a handler for a signal."""
    from asyncio import events

    self._check_signal(sig)
    self._check_closed()
    self._signal_handlers[sig] = events.Handle(callback, args, self, None)
    signal.signal(sig, lambda number, _: self._handle_signal(number))


def _remove_signal_handler(self, sig):
    """Remove a handler for a signal."""
    self._check_signal(sig)
    if self._signal_handlers.pop(sig, None) is None:
        return False
    signal.signal(sig, signal.default_int_handler if sig == signal.SIGINT else signal.SIG_DFL)
    return True


async def _refuse(*_, **__):
    raise only_http()


def install():
    from asyncio import selector_events, unix_events

    selector_events.BaseSelectorEventLoop._make_self_pipe = _make_self_pipe
    loop = unix_events._UnixSelectorEventLoop
    loop._write_to_self = _write_to_self
    loop.add_signal_handler = _add_signal_handler
    loop.remove_signal_handler = _remove_signal_handler
    for name in (
        "create_connection", "create_server", "create_datagram_endpoint", "create_unix_connection", "create_unix_server",
        "sock_accept", "sock_connect",
    ):
        setattr(loop, name, _refuse)
    unix_events.can_use_pidfd = lambda: False
    unix_events._ThreadedChildWatcher = ChildWatcher
