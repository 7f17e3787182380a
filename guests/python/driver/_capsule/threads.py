"""Threads, which take turns: one runs until it waits for something or ends, and then another does.

A thread that waits leaves its stack (`switch`) and goes on when what it waits for has come. The program's first thread never
leaves: the others run upon its stack while it waits. So do they upon that of a thread that cannot leave because C code stands
in its calls; what is below such a thread goes on after it.
"""

import select
import sys
import time
from collections import deque
from struct import pack

from _capsule.kernel import call as kernel_call
from _capsule.switch import Stack

# How often and how many seconds a thread may only ask how things are; and until files and times are looked at again.
_QUESTIONS, _TURN = 20, 0.005

# How many seconds a thread that could go on waits for a daemon that stands upon it, or others for one that sleeps with a lock.
_PATIENCE = 1.0

# Seconds that files are waited for at most where a signal's handler may change what threads wait for.
_MOMENT = 0.05

# Until a signal comes: as long as one call can sleep.
_LONG = 3600.0


class Abandoned(BaseException):
    """Ends a daemon that waits for what will never come, where what is below it can go on."""


class Task:
    """A thread, as the loop knows it."""

    __slots__ = (
        "ident", "daemon", "context", "stack", "done", "joiners", "held", "woken", "queued", "deadline", "files", "patience",
        "error",
    )

    def __init__(self, ident, daemon):
        self.ident, self.daemon, self.stack, self.done = ident, daemon, None, False
        self.joiners, self.held, self.woken, self.queued = [], 0, False, False
        self.deadline = self.files = self.error = self.context = self.patience = None


main = None
current = None

# Whether there is a kernel to ask: not while the guest is built.
begun = False

# Threads that were started and have not ended, without the first.
alive = {}
_ready = deque()
# Those that wait until a time or for files.
_watched = {}
# Those that could not leave their stack, from the lowest on.
_standing = []
_turn_began = 0.0
_asked = 0
_numbers = 0


def begin(ident):
    """The program's first thread."""
    global main, current
    main = current = Task(ident, False)


def start(daemon, context, body, *args):
    """A thread that runs `body` when its turn comes."""
    global _numbers, _turn_began
    if not _numbers:
        from _capsule import sentinels

        sentinels.install()
    _numbers += 1
    if not alive:
        _turn_began = time.monotonic()
    task = Task(main.ident + (_numbers << 12), daemon)
    task.context = context

    def run():
        try:
            body(*args)
        except Abandoned:
            pass
        except KeyboardInterrupt as error:
            interrupt(error)
        except BaseException as error:
            sys.excepthook(type(error), error, error.__traceback__)
        finally:
            end(task)

    task.stack = Stack(run, context)
    alive[task] = None
    _queue(task)
    return task


def number_of(task):
    return task.ident - main.ident >> 12


def end(task):
    task.done = True
    alive.pop(task, None)
    for joiner in task.joiners:
        wake(joiner)
    task.joiners.clear()


def interrupt(error):
    """An interrupt is the first thread's."""
    main.error = error
    _watched.pop(main, None)
    _queue(main)


def _queue(task):
    if not task.queued:
        task.queued = True
        _ready.append(task)


def wake(task):
    """What a thread waits for has come."""
    task.woken = True
    _queue(task)


def wake_one(tasks):
    """Wakes the first that can go on now: one that is below another cannot, and the other may wait for the same."""
    for at, task in enumerate(tasks):
        if task not in _standing or task is _standing[-1]:
            return wake(tasks.pop(at))
    wake(tasks.pop(0))


def wait(seconds=None, files=None):
    """Waits to be woken, or for one of `files` (descriptors, each with what is to happen); whether that came in time."""
    task = current
    task.woken = task.queued = False
    if seconds is not None or files:
        task.deadline = None if seconds is None else time.monotonic() + seconds
        task.files = files
        _watched[task] = None
    try:
        _leave(task)
    finally:
        task.deadline = task.files = None
        _watched.pop(task, None)
    return task.woken


def _leave(task):
    """Lets others run until it is this one's turn."""
    global current, _asked
    try:
        if task.stack is not None and task.stack.can_leave():
            task.stack.leave()
        else:
            _stand(task)
    except BaseException:
        # It goes on otherwise than by its turn.
        if task in _ready:
            _ready.remove(task)
        raise
    finally:
        current, _asked = task, 0
        task.queued, task.patience = False, None
    if task.error is not None:
        error, task.error = task.error, None
        raise error


def pass_on():
    """Lets the others run, if there are any that can."""
    if alive:
        sleep(0)


def asked():
    """A thread has asked how things are: if it does nothing else, they will not change unless the others have their turn."""
    global _asked
    if alive:
        _asked += 1
        if _asked > _QUESTIONS and time.monotonic() - _turn_began > _TURN:
            sleep(0)


def sleep(seconds):
    """Lets the others run, and goes on after that many seconds."""
    task = current
    if seconds > 0:
        # Who stands upon a thread that cannot leave may want the lock that it holds, and could not have it before it goes on.
        soon = time.monotonic() + seconds
        if task.held and task.stack is not None and soon - _turn_began < _PATIENCE and not task.stack.can_leave():
            while (left := soon - time.monotonic()) > 0:
                _pause(left)
        else:
            wait(seconds)
        return
    task.woken = task.queued = False
    _queue(task)
    _look()
    _leave(task)


def join(task, seconds=None):
    """Waits until a thread has ended; whether it has."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while not task.done:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            pass_on()
            return task.done
        task.joiners.append(current)
        try:
            wait(left)
        finally:
            if current in task.joiners:
                task.joiners.remove(current)
    return True


def _stand(task):
    """Runs other threads upon the stack of one that waits, until it is its turn."""
    global current, _turn_began
    _standing.append(task)
    later = []
    looked = time.monotonic()
    try:
        while True:
            if not _ready:
                _idle(task, later)
                continue
            following = _ready.popleft()
            if following is task:
                return
            if following in _standing:
                # It is below, and has its turn when this one has gone on.
                later.append(following)
                continue
            following.queued = False
            current = following
            _turn_began = time.monotonic()
            try:
                following.stack.run()
            except BaseException:
                # A signal's handler has raised this before the thread had its turn.
                if not following.done:
                    _queue(following)
                raise
            if _watched and time.monotonic() - looked > _TURN:
                _look()
                looked = time.monotonic()
    finally:
        _standing.pop()
        _ready.extendleft(reversed(later))
        _turn_began = time.monotonic()


def _idle(task, later):
    """Waits for a time or for files; where nothing can come any more, that is told. `later` could go on, but are below."""
    if task.daemon and later and task not in _watched:
        if task.patience is None:
            task.patience = time.monotonic() + _PATIENCE
            _watched[task] = None
            task.deadline = task.patience
    if any(one is task or one not in _standing for one in _watched):
        _look(True)
        if task.patience is not None and not task.woken and time.monotonic() >= task.patience:
            task.error = Abandoned()
        return
    if _signals_are_caught():
        _pause(_LONG)
        return
    if task is main:
        task.error = RuntimeError("deadlock: every thread waits for another one")
    elif task.daemon:
        task.error = Abandoned()
    else:
        task.error = RuntimeError(
            "deadlock: threads take turns in the sandbox, and what this one waits for can only come from a thread that "
            "cannot go on before it, because C code stands in its calls"
        )
    _queue(task)


def _signals_are_caught():
    import signal

    own = (None, signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler)
    return any(signal.getsignal(number) not in own for number in range(1, 32))


def _look(waits=False):
    """Finds out whose time is over or whose files are ready; waits for the first of them, if asked to."""
    if not _watched:
        return
    now = time.monotonic()
    able = [one for one in _watched if one is _standing[-1] or one not in _standing] if waits else list(_watched)
    deadlines = [one.deadline for one in able if one.deadline is not None]
    left = max(0.0, min(deadlines) - now) if deadlines else None
    poll = _poll(able)
    if poll is not None and waits and _signals_are_caught():
        # After a handler it goes on to wait, whatever the handler has changed.
        left = _MOMENT if left is None else min(left, _MOMENT)
    if poll is not None:
        happened = poll.poll(None if waits and left is None else left * 1000 if waits else 0)
        ready = {fd for fd, _ in happened}
        for one in able:
            if one.files and any(fd in ready for fd, _ in one.files):
                _watched.pop(one, None)
                wake(one)
    elif waits:
        _pause(left)
    now = time.monotonic()
    for one in able:
        if one.deadline is not None and one.deadline <= now and one in _watched:
            del _watched[one]
            _queue(one)


def _poll(tasks):
    asked = {}
    for task in tasks:
        for fd, events in task.files or ():
            asked[fd] = asked.get(fd, 0) | events
    if not asked:
        return None
    poll = select.poll()
    for fd, events in asked.items():
        poll.register(fd, events)
    return poll


def _pause(seconds):
    """Sleeps; a signal may end it before, and its handler has run then."""
    try:
        kernel_call("sleep", pack("<Q", round(seconds * 1_000_000_000)))
    except InterruptedError:
        pass


def finish():
    """Waits for all threads that are no daemons."""
    while True:
        task = next((one for one in alive if not one.daemon), None)
        if task is None:
            return
        join(task)
