"""Semaphores that processes share: a pipe that holds a byte for each time it can still be acquired."""

import os
import select
import threading
import time

from _capsule import threads

RECURSIVE_MUTEX, SEMAPHORE = range(2)

flags = {}

# Bits of a handle for each end of the pipe: more descriptors than a process can have.
_END = 20


def sem_unlink(name):
    """The pipe goes with the last process that has it."""


class SemLock:
    """A semaphore, or a lock that its owner can acquire again."""

    # As many bytes as a pipe holds.
    SEM_VALUE_MAX = 1 << 16

    def __init__(self, kind, value, maxvalue, name, unlink):
        if not 0 <= value <= maxvalue or value > self.SEM_VALUE_MAX:
            raise ValueError("semaphore value out of range")
        self._set(os.pipe(), kind, maxvalue, name)
        os.set_blocking(self._read, False)
        if value:
            os.write(self._write, bytes(value))

    def _set(self, ends, kind, maxvalue, name):
        self._read, self._write = ends
        self.kind, self.maxvalue, self.name = kind, maxvalue, name
        self._taken, self._owner = 0, None

    @classmethod
    def _rebuild(cls, handle, kind, maxvalue, name):
        self = cls.__new__(cls)
        self._set((handle >> _END, handle & (1 << _END) - 1), kind, maxvalue, name)
        return self

    @property
    def handle(self):
        from multiprocessing.context import get_spawning_popen

        popen = get_spawning_popen()
        if popen is not None:
            # A child is being started, and is to have both ends.
            popen.duplicate_for_child(self._read)
            popen.duplicate_for_child(self._write)
        return self._read << _END | self._write

    def acquire(self, block=True, timeout=None):
        """Acquire the semaphore/lock."""
        if self.kind == RECURSIVE_MUTEX and self._is_mine():
            self._taken += 1
            return True
        deadline = None if timeout is None else time.monotonic() + max(timeout, 0)
        while True:
            try:
                os.read(self._read, 1)
                break
            except BlockingIOError:
                left = None if deadline is None else deadline - time.monotonic()
                if not block or left is not None and left <= 0:
                    threads.asked()
                    return False
                select.select([self._read], [], [], left)
        self._taken += 1
        self._owner = threading.get_ident()
        return True

    def release(self):
        """Release the semaphore/lock."""
        if self.kind == RECURSIVE_MUTEX:
            if not self._is_mine():
                raise AssertionError("attempt to release recursive lock not owned by thread")
            if self._taken > 1:
                self._taken -= 1
                return
        elif self.maxvalue < self.SEM_VALUE_MAX and self._get_value() >= self.maxvalue:
            raise ValueError("semaphore or lock released too many times")
        self._taken -= 1
        os.write(self._write, b"\0")

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()

    def _count(self):
        return self._taken

    def _is_mine(self):
        return self._taken > 0 and self._owner == threading.get_ident()

    def _is_zero(self):
        return not select.select([self._read], [], [], 0)[0]

    def _get_value(self):
        """How many bytes the pipe has: they are taken out and put back."""
        try:
            found = os.read(self._read, self.SEM_VALUE_MAX)
        except BlockingIOError:
            return 0
        os.write(self._write, found)
        return len(found)

    def _after_fork(self):
        self._taken = 0

    def __del__(self, close=os.close):
        for end in (getattr(self, "_read", None), getattr(self, "_write", None)):
            if end is not None:
                try:
                    close(end)
                except OSError:
                    pass
