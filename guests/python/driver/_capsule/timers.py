"""`signal.alarm` and timers. The kernel has none, so that a small process sleeps and sends the signal. It is no child of the
program's: a shell starts it, says its number and ends.
"""

import os
import signal
import time

ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF = range(3)

_SCRIPT = """
exec 3>&1 >/dev/null 2>&1 </dev/null
{ exec 3>&-; sleep "$2"; kill -ALRM "$1" || exit
  [ "$3" = 0 ] || while sleep "$3" && kill -ALRM "$1"; do :; done; } &
echo $! >&3
"""

# The process that sleeps, when its time is over, and after how many seconds it sends again.
_sleeper, _end, _interval = None, 0.0, 0.0


class ItimerError(OSError):
    """Raised when setitimer or getitimer fail."""


def getitimer(which, /):
    """Returns current value of given itimer: the seconds that are left, and the interval."""
    _check(which)
    if _sleeper is None or which != ITIMER_REAL:
        return 0.0, 0.0
    left = _end - time.monotonic()
    if left <= 0:
        if not _interval:
            return 0.0, 0.0
        left %= _interval
    return left, _interval


def setitimer(which, seconds, interval=0.0, /):
    """Sets given itimer to fire after seconds, and then every interval seconds. Returns what it was before."""
    global _sleeper, _end, _interval
    _check(which)
    if which != ITIMER_REAL:
        raise ItimerError(22, "Invalid argument: the sandbox has timers of real time alone")
    if seconds < 0 or interval < 0:
        raise ItimerError(22, "Invalid argument")
    before = getitimer(which)
    stop()
    if seconds:
        read, write = os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, write, 1)]
        command = ["sh", "-c", _SCRIPT, "sh", str(os.getpid()), f"{seconds:.6f}", f"{interval:.6f}" if interval else "0"]
        try:
            shell = os.posix_spawn("/bin/sh", command, {"PATH": "/usr/bin:/bin"}, file_actions=actions)
        finally:
            os.close(write)
        _sleeper = int(os.read(read, 20))
        os.close(read)
        os.waitpid(shell, 0)
        _end, _interval = time.monotonic() + seconds, float(interval)
    return before


def alarm(seconds, /):
    """Arrange for SIGALRM to arrive after the given number of seconds."""
    left, _ = setitimer(ITIMER_REAL, int(seconds))
    # What is left is told in whole seconds, and never as none.
    return max(1, round(left)) if left else 0


def stop():
    """Sends no signal any more."""
    global _sleeper
    if _sleeper is not None:
        try:
            os.kill(_sleeper, signal.SIGKILL)
        except OSError:
            pass
        _sleeper = None


def _check(which):
    if which not in (ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF):
        raise ItimerError(22, "Invalid argument")


def install():
    ItimerError.__module__, ItimerError.__qualname__ = "signal", "itimer_error"
    ItimerError.__name__ = "itimer_error"
    names = {"alarm": alarm, "setitimer": setitimer, "getitimer": getitimer, "ItimerError": ItimerError}
    for name, value in names.items():
        setattr(signal, name, value)
    signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF = ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF
