"""`_thread` for threads that take turns: its locks, and starting and joining."""

import _thread
import threading
import time
from functools import Placeholder, partial
from types import FunctionType, MethodType

import _contextvars

from _capsule import threads
from _capsule.switch import in_context

TIMEOUT_MAX = _thread.TIMEOUT_MAX


def _seconds(blocking, timeout):
    """How long to wait: nothing for ever, and 0 for not at all."""
    if timeout != -1:
        if not blocking:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0:
            raise ValueError("timeout value must be a non-negative number")
        if timeout > TIMEOUT_MAX:
            raise OverflowError("timeout value is too large")
        return timeout
    return None if blocking else 0


class _Waiting:
    """What both kinds of locks have in common: `_owner` is nothing where the lock is free."""

    __slots__ = ("_owner", "_waiters", "__weakref__")

    def __new__(cls):
        self = object.__new__(cls)
        self._owner, self._waiters = None, []
        return self

    def _wait(self, seconds):
        """Waits until the lock is free; whether it is."""
        if seconds == 0:
            threads.asked()
            return self._owner is None
        deadline = None if seconds is None else time.monotonic() + seconds
        task = threads.current
        while self._owner is not None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            self._waiters.append(task)
            try:
                threads.wait(left)
            finally:
                if task in self._waiters:
                    self._waiters.remove(task)
        return True

    def _free(self):
        self._owner = None
        if self._waiters:
            threads.wake_one(self._waiters)

    def locked(self):
        """Return whether the lock is held."""
        return self._owner is not None

    def _at_fork_reinit(self):
        self._owner = None
        self._waiters.clear()

    def __reduce__(self):
        raise TypeError(f"cannot pickle '_thread.{type(self).__name__}' object")

    def __reduce_ex__(self, protocol):
        return self.__reduce__()


class lock(_Waiting):
    """A lock object is a synchronization primitive."""

    __slots__ = ()

    def acquire(self, blocking=True, timeout=-1):
        """Lock the lock."""
        if self._owner is not None or timeout != -1:
            seconds = _seconds(blocking, timeout)
            if self._owner is not None and not self._wait(seconds):
                return False
        self._owner = threads.current
        return True

    def __enter__(self):
        if self._owner is not None:
            self._wait(None)
        self._owner = task = threads.current
        task.held += 1
        return True

    def release(self):
        """Release the lock, allowing another thread that is waiting for it to go on."""
        if self._owner is None:
            raise RuntimeError("release unlocked lock")
        self._owner = None
        if self._waiters:
            threads.wake_one(self._waiters)

    def __exit__(self, *_):
        threads.current.held -= 1
        self.release()

    acquire_lock, release_lock, locked_lock = acquire, release, _Waiting.locked

    def __repr__(self):
        state = "unlocked" if self._owner is None else "locked"
        return f"<{state} _thread.lock object at {id(self):#x}>"


class RLock(_Waiting):
    """A lock that its owner can acquire again."""

    __slots__ = ("_count",)

    def __new__(cls):
        self = _Waiting.__new__(cls)
        self._count = 0
        return self

    def acquire(self, blocking=True, timeout=-1):
        """Lock the lock."""
        task = threads.current
        if timeout != -1 or not blocking:
            seconds = _seconds(blocking, timeout)
        else:
            seconds = None
        if self._owner is not task:
            if self._owner is not None and not self._wait(seconds):
                return False
            self._owner = task
        self._count += 1
        return True

    def __enter__(self):
        task = threads.current
        if self._owner is not task:
            if self._owner is not None:
                self._wait(None)
            self._owner = task
        self._count += 1
        task.held += 1
        return True

    def release(self):
        """Release the lock."""
        if self._owner is not threads.current:
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if not self._count:
            self._owner = None
            if self._waiters:
                threads.wake_one(self._waiters)

    def __exit__(self, *_):
        threads.current.held -= 1
        self.release()

    def _is_owned(self):
        return self._owner is threads.current

    def _recursion_count(self):
        return self._count if self._is_owned() else 0

    def _release_save(self):
        if not self._count:
            raise RuntimeError("cannot release un-acquired lock")
        saved, self._count = (self._count, self._owner), 0
        self._free()
        return saved

    def _acquire_restore(self, saved):
        if self._owner is not None:
            self._wait(None)
        self._count, self._owner = saved

    def _at_fork_reinit(self):
        super()._at_fork_reinit()
        self._count = 0

    def __repr__(self):
        owner = self._owner
        state, ident = ("unlocked", 0) if owner is None else ("locked", owner.ident)
        return f"<{state} _thread.RLock object owner={ident} count={self._count} at {id(self):#x}>"


class _ThreadHandle:
    """What `threading` knows a thread by."""

    __slots__ = ("_task", "_done", "__weakref__")

    def __init__(self):
        self._task, self._done = None, False

    @property
    def ident(self):
        return self._task.ident if self._task else 0

    def is_done(self):
        threads.asked()
        return self._done or self._task is not None and self._task.done

    def _set_done(self):
        self._done = True

    def join(self, timeout=None):
        if self._done:
            return
        if self._task is None:
            raise RuntimeError("thread not started")
        if self._task is threads.current:
            raise RuntimeError("Cannot join current thread")
        threads.join(self._task, None if timeout is None or timeout < 0 else timeout)

    def __repr__(self):
        return f"<_ThreadHandle object: ident={self.ident}>"


def make_thread_handle(ident):
    handle = _ThreadHandle()
    handle._task = threads.main if ident == threads.main.ident else next(t for t in threads.alive if t.ident == ident)
    return handle


def call(function, args, kwargs):
    """Calls what a thread is to do so that no C code stands below it where that can be."""
    while True:
        kind = type(function)
        if kind is FunctionType:
            break
        if kind is MethodType:
            function, args = function.__func__, (function.__self__, *args)
        elif kind is partial and Placeholder not in function.args:
            function, args, kwargs = function.func, (*function.args, *args), {**function.keywords, **kwargs}
        elif type(getattr(function, "__self__", None)) is _contextvars.Context and function.__name__ == "run" and args:
            return in_context(function.__self__, call, (args[0], args[1:], kwargs), {})
        elif type(getattr(kind, "__call__", None)) is FunctionType:
            function, args = kind.__call__, (function, *args)
        else:
            break
    return function(*args, **kwargs)


def _own(thread):
    """What a thread of `threading` does, from its start to its end."""
    try:
        if threading._trace_hook:
            threading._sys.settrace(threading._trace_hook)
        if threading._profile_hook:
            threading._sys.setprofile(threading._profile_hook)
        try:
            thread.run()
        except threads.Abandoned:
            raise
        except KeyboardInterrupt as error:
            threads.interrupt(error)
        except BaseException as error:
            error.__traceback__ = _of_the_program(error.__traceback__)
            thread._invoke_excepthook(thread)
    finally:
        thread._delete()


def _of_the_program(traceback):
    """A traceback without the frames of this file, if any are left."""
    inner = traceback
    while inner is not None and inner.tb_frame.f_globals is globals():
        inner = inner.tb_next
    return inner or traceback


def start_joinable_thread(function, handle=None, daemon=True):
    """Start a thread that can be joined."""
    if threading._SHUTTING_DOWN:
        raise PythonFinalizationError("can't create new thread at interpreter shutdown")
    handle = handle or _ThreadHandle()
    thread = getattr(function, "__self__", None)
    if isinstance(thread, threading.Thread):
        handle._task = task = threads.start(daemon, thread._context, _own, thread)
        # It counts as started, and waits for its turn.
        thread._ident = task.ident
        thread._native_id = _native(task)
        thread._started.set()
        with threading._active_limbo_lock:
            threading._active[task.ident] = thread
            del threading._limbo[thread]
    else:
        handle._task = threads.start(daemon, _contextvars.Context(), call, function, (), {})
    return handle


def start_new_thread(function, args, kwargs={}, /):
    """Start a new thread and return its identifier."""
    if not callable(function):
        raise TypeError("first arg must be callable")
    if not isinstance(args, tuple):
        raise TypeError("2nd arg must be a tuple")
    if not isinstance(kwargs, dict):
        raise TypeError("optional 3rd arg must be a dictionary")

    def body():
        try:
            call(function, args, kwargs)
        except (SystemExit, threads.Abandoned):
            pass
        except BaseException as error:
            text = f"Exception ignored in thread started by {function!r}"
            threading._sys.unraisablehook(_Unraisable(type(error), error, error.__traceback__, text, None))

    return threads.start(True, _contextvars.Context(), body).ident


class _Unraisable(tuple):
    """The arguments of `sys.unraisablehook`."""

    exc_type, exc_value, exc_traceback, err_msg, object = (property(lambda self, n=n: self[n]) for n in range(5))

    def __new__(cls, *fields):
        return tuple.__new__(cls, fields)


def get_ident():
    """Return a non-zero integer that uniquely identifies the current thread amongst the others that exist."""
    return threads.current.ident


def _native(task):
    """The first thread has the process's number."""
    return threading._os.getpid() + threads.number_of(task)


def get_native_id():
    """Return a non-negative integer identifying the thread as reported by the OS."""
    # The first thread asks when the guest is built, and is asked again: see `waits.install`.
    return _native(threads.current) if threads.begun else 0


def _run(self):
    """Method representing the thread's activity."""
    try:
        if self._target is not None:
            call(self._target, self._args, self._kwargs)
    finally:
        del self._target, self._args, self._kwargs


def install():
    """Puts all of this into `_thread`, before `threading` is loaded."""
    threads.begin(_thread.get_ident())
    for kind in (lock, RLock, _ThreadHandle):
        kind.__module__ = "_thread"
    names = {
        "lock": lock, "LockType": lock, "allocate_lock": lock, "allocate": lock, "RLock": RLock, "_ThreadHandle": _ThreadHandle,
        "_make_thread_handle": make_thread_handle, "start_joinable_thread": start_joinable_thread,
        "start_new_thread": start_new_thread, "start_new": start_new_thread, "get_ident": get_ident,
        "get_native_id": get_native_id, "_shutdown": threads.finish, "_count": lambda: len(threads.alive),
    }
    for name, value in names.items():
        setattr(_thread, name, value)
