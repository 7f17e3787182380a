"""Calls that wait, where there are threads: the others run meanwhile. Without threads each is what it was."""

import os
import select
import selectors
import time

from _capsule import threads

# Seconds between two looks at a child: short at first, for the many that end at once.
_FIRST, _LONGEST = 0.0005, 0.01

_read = os.read
_select_files = select.select
_select_polled = selectors._PollLikeSelector.select


def read(fd, length, /):
    """Read from a file descriptor. Returns a bytes object."""
    if threads.alive and os.get_blocking(fd):
        threads.wait(files=[(fd, select.POLLIN)])
    return _read(fd, length)


def _number(file):
    return file if isinstance(file, int) else file.fileno()


def select_files(rlist, wlist, xlist, timeout=None, /):
    """Wait until one or more file descriptors are ready for some kind of I/O."""
    if threads.alive and timeout != 0:
        files = [(_number(file), select.POLLIN) for file in rlist] + [(_number(file), select.POLLOUT) for file in wlist]
        threads.wait(timeout, files)
        timeout = 0
    return _select_files(rlist, wlist, xlist, timeout)


def select_polled(self, timeout=None):
    if threads.alive and (timeout is None or timeout > 0):
        read, write = selectors.EVENT_READ, selectors.EVENT_WRITE
        files = [
            (key.fd, (key.events & read and select.POLLIN) | (key.events & write and select.POLLOUT))
            for key in self._fd_to_key.values()
        ]
        threads.wait(timeout, files)
        timeout = 0
    elif threads.alive:
        threads.asked()
    return _select_polled(self, timeout)


def wait_for_child(wait, pid, options):
    """`wait` without stopping the other threads."""
    pause = _FIRST
    while threads.alive and not options & os.WNOHANG:
        found = wait(pid, options | os.WNOHANG)
        if found[0]:
            return found
        threads.wait(pause)
        pause = min(pause * 2, _LONGEST)
    return wait(pid, options)


def _asking(kind, name):
    """A method that only tells how things are: who calls it in a loop waits for others to change them."""
    method = getattr(kind, name)

    def ask(self):
        threads.asked()
        return method(self)

    ask.__name__, ask.__qualname__, ask.__doc__ = method.__name__, method.__qualname__, method.__doc__
    setattr(kind, name, ask)


def install():
    import queue
    import threading
    from concurrent.futures import _base, thread

    from _capsule import locks

    os.read = read
    select.select = select_files
    selectors.SelectSelector._select = staticmethod(select_files)
    selectors._PollLikeSelector.select = select_polled
    # The one in C would stop all threads.
    simple = queue._PySimpleQueue
    simple.__name__ = simple.__qualname__ = "SimpleQueue"
    simple.__module__ = "_queue"
    queue.SimpleQueue = simple
    threading.Thread.run = locks._run
    threads.begun = True
    threading._MainThread.native_id = property(lambda self: os.getpid())
    thread.WorkerContext.run = lambda self, task: locks.call(*task)
    for kind, names in ((threading.Event, ("is_set",)), (queue.Queue, ("empty", "qsize", "full")), (_base.Future, ("done",))):
        for name in names:
            _asking(kind, name)
