"""Signals. The kernel writes those that a program catches into the interpreter's own marks ("a signal has come, this
one"), as a signal handler in C would; the interpreter then runs the program's handler between two instructions, or when
a call was interrupted. Where the marks are is found when the guest is built.
"""

import signal
import time
from struct import pack, unpack

import _signal

from _capsule import threads
from _capsule.kernel import call

# The address of the first handler's mark, the distance of the next, the mark that there is any, and the word that makes
# the interpreter look, with its bit.
marks = None

DEFAULT, IGNORE, CATCH = range(3)

_register = _signal.signal


def begin():
    """Tells the kernel where the marks are and which signals the interpreter treats by itself; the working directory."""
    interrupts, cwd = call_begin()
    if interrupts == IGNORE:
        _register(signal.SIGINT, _signal.SIG_IGN)
    return cwd


def call_begin():
    answer = call("begin", pack("<IIIII", *marks))
    return unpack("<i", answer[:4])[0], answer[4:]


def retried(name, body):
    """A call that may be interrupted by a signal, again until it is not. A handler runs before the next try."""
    while True:
        try:
            return call(name, body)
        except InterruptedError:
            pass


def set_signal(signalnum, handler):
    """Set the action for the given signal."""
    number = int(signalnum)
    if number in (signal.SIGKILL, signal.SIGSTOP):
        from _capsule.kernel import error

        raise error(22)
    before = signal._int_to_enum(_register(number, signal._enum_to_int(handler)), signal.Handlers)
    action = {signal.SIG_DFL: DEFAULT, signal.SIG_IGN: IGNORE}.get(handler, CATCH)
    call("signal_action", pack("<ii", number, action))
    return before


def sleep(seconds, /):
    """Delay execution for a given number of seconds."""
    if isinstance(seconds, str):
        raise TypeError("'str' object cannot be interpreted as an integer")
    nanoseconds = round(seconds * 1_000_000_000)
    if nanoseconds < 0:
        raise ValueError("sleep length must be non-negative")
    if threads.alive:
        threads.sleep(nanoseconds / 1_000_000_000)
        return
    end = time.monotonic_ns() + nanoseconds
    while True:
        try:
            call("sleep", pack("<Q", nanoseconds))
            return
        except InterruptedError:
            # A handler has run; what is left is slept.
            nanoseconds = max(end - time.monotonic_ns(), 0)


def pause():
    """Wait until a signal arrives."""
    try:
        call("pause")
    except InterruptedError:
        pass


def raise_signal(signalnum, /):
    """Send a signal to the executing process."""
    import os

    os.kill(os.getpid(), signalnum)


def pthread_sigmask(how, mask):
    """Fetch and/or change the signal mask."""
    bits = sum(1 << (int(number) - 1) for number in mask)
    (before,) = unpack("<Q", call("signal_mask", pack("<iQ", how, bits)))
    return {signal._int_to_enum(n, signal.Signals) for n in range(1, 65) if before >> (n - 1) & 1}


def siginterrupt(signalnum, flag, /):
    """Calls are always continued after a signal."""


def valid_signals():
    """Return a set of valid signal numbers on this platform."""
    # The library of C keeps two for itself.
    return {signal._int_to_enum(n, signal.Signals) for n in range(1, 65) if n not in (32, 33)}


def pthread_kill(thread_id, signalnum, /):
    """Send a signal to a thread: there is one."""
    raise_signal(signalnum)


def install():
    names = {
        "valid_signals": valid_signals, "pthread_kill": pthread_kill, "SIGRTMIN": 34, "SIGRTMAX": 64,
        "SIGCLD": signal.SIGCHLD,
        "signal": set_signal, "pause": pause, "raise_signal": raise_signal, "pthread_sigmask": pthread_sigmask,
        "siginterrupt": siginterrupt, "SIG_BLOCK": 0, "SIG_UNBLOCK": 1, "SIG_SETMASK": 2,
    }
    for name, value in names.items():
        setattr(signal, name, value)
    time.sleep = sleep
    time.thread_time, time.thread_time_ns = time.process_time, time.process_time_ns
    set_signal.__name__ = "signal"
    _register(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        _register(number, _signal.SIG_IGN)
