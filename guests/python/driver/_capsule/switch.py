"""Switching between stacks of Python's calls.

A call from Python to Python takes no room on C's stack: the interpreter makes a frame in a chunk of memory of the thread's,
notes its caller's frame in it, and goes on in the same loop of C. So the calls that one loop has made are all in that memory, and
the loop can be left in the middle of them: the frame of `leave` is told that its caller is the frame at which the loop ends.
The frames stay as they are. To go on, `__invert__` is called in a new loop of C, and is told that its caller is the one that
called `leave`: it returns there.

What the interpreter notes of a thread beside its frames (where it makes the next one, the exception that is being handled, the
context, the keys of `threading.local`, tracing, asyncio's running loop) is exchanged with them.

Where C code stands between two of the calls (`sorted` that calls a key function, `iter(get, None)`), the stack cannot be left.
"""

from struct import pack, unpack_from

from _capsule import memory
from _capsule.memory import HALF, get, put

# In the thread's state: the word that says how many calls are left, the frame that runs, the context and half of its version.
_REMAINING, _CURRENT, _CONTEXT, _VERSION = ((memory.state >> 2) + word for word in (8, 13, 30, 33))

# The exception that is being handled stands there.
_EXCEPTION = 39

# What is exchanged. Tracing, exceptions and the dict; hooks of asynchronous generators and the context; the memory for frames and
# the exception that is being handled; the keys of `threading.local`; asyncio's loop and task, which stand behind the state.
_A, _B, _C, _D, _E, _F, _G, _H = (memory.state + word * 4 for word in (14, 23, 27, 31, 36, 41, 44, 46))
_I, _J = memory.running_loop, memory.running_loop + 8
_DICT_AT, _COUNTER_AT = 6 * 4, 7 * 4

# Of a frame, in bytes: its caller's, the word with whom it belongs to, and the mark of those at which a loop of C ends.
_PREVIOUS, _OWNER, _OF_C = 4, 36, 3

# Memory for frames that threads have left behind.
_unused = []


class Stack:
    """The calls of one thread; `body` is the first, and lets no exception pass."""

    __slots__ = ("body", "done", "_bottom", "_top", "_loop", "_depth", "_parts")

    def __init__(self, body, context):
        self.body, self.done, self._depth, self._bottom = body, False, 0, None
        first = bytearray(9 * 4)
        first[20:24] = pack("<I", memory.state + _EXCEPTION * 4)
        # The count of C's calls for a state is the interpreter's.
        first[_COUNTER_AT : _COUNTER_AT + 4] = memory.raw[_A + _COUNTER_AT : _A + _COUNTER_AT + 4]
        frames = _unused.pop() if _unused else bytes(5 * 4)
        # The thread that this belongs to keeps the context.
        self._parts = bytes(first), pack("<4I", 0, 0, 0, id(context)), frames, bytes(8), bytes(8)

    def run(self):
        """Runs it until it ends or leaves."""
        raw, words = memory.raw, memory.words
        error = None
        ours = bytes(raw[_A:_B]), bytes(raw[_C:_D]), bytes(raw[_E:_F]), bytes(raw[_G:_H]), bytes(raw[_I:_J])
        left = words[_REMAINING]
        # Nothing is called between these: a call would make its frame in the memory of one and leave it in that of the other.
        raw[_A:_B], raw[_C:_D], raw[_E:_F], raw[_G:_H], raw[_I:_J] = self._parts
        words[_VERSION] += 1
        words[_REMAINING] = left - self._depth
        try:
            # An operator, because after a call the interpreter looks for signals, whose handlers may raise anything.
            ~self
        except BaseException as raised:
            error = raised
        theirs = bytes(raw[_A:_B]), bytes(raw[_C:_D]), bytes(raw[_E:_F]), bytes(raw[_G:_H]), bytes(raw[_I:_J])
        raw[_A:_B], raw[_C:_D], raw[_E:_F], raw[_G:_H], raw[_I:_J] = ours
        self._depth = left - words[_REMAINING]
        words[_REMAINING] = left
        words[_VERSION] += 1
        if self.done:
            _give_back(theirs)
            self._parts = None
        else:
            self._parts = theirs
        if error is not None:
            raise error

    def __invert__(self):
        """The first call of a loop of C. Nothing is called where frames are changed: see `run`."""
        words, high = memory.words, memory.high
        frame = words[_CURRENT] + _PREVIOUS
        self._loop = loop = words[frame >> 2] if frame < HALF else high[frame - HALF >> 2]
        if self._bottom is None:
            self._bottom = frame
            try:
                self.body()
            finally:
                self.done = True
            return
        bottom = self._bottom
        if bottom < HALF:
            words[bottom >> 2] = loop
        else:
            high[bottom - HALF >> 2] = loop
        if frame < HALF:
            words[frame >> 2] = self._top
        else:
            high[frame - HALF >> 2] = self._top

    def can_leave(self):
        """Whether no C code stands between the caller and the first call."""
        frame = memory.words[_CURRENT]
        while get(frame + _OWNER) >> 16 & 0xFF != _OF_C:
            frame = get(frame + _PREVIOUS)
        return frame == self._loop

    def leave(self):
        """Goes back to the caller of `run`; returns when it runs again. Only where it can leave."""
        words, high = memory.words, memory.high
        frame = words[_CURRENT] + _PREVIOUS
        self._top = words[frame >> 2] if frame < HALF else high[frame - HALF >> 2]
        # Nobody is below while it does not run.
        bottom = self._bottom
        if bottom < HALF:
            words[bottom >> 2] = 0
        else:
            high[bottom - HALF >> 2] = 0
        if frame < HALF:
            words[frame >> 2] = self._loop
        else:
            high[frame - HALF >> 2] = self._loop


def _give_back(parts):
    """What a thread that has ended still holds."""
    rest, _, frames, keys, _ = parts
    _unused.append(frames)
    held = [*unpack_from("<I", rest, _DICT_AT), *unpack_from("<2I", keys)]
    for address in filter(None, held):
        # A list is made to hold it, and lets it go.
        box = [None]
        put(get(id(box) + 12), address)


def in_context(context, function, args, kwargs):
    """As `context.run` does it, without C code between."""
    words = memory.words
    before = words[_CONTEXT]
    words[_CONTEXT] = id(context)
    words[_VERSION] += 1
    try:
        return function(*args, **kwargs)
    finally:
        words[_CONTEXT] = before
        words[_VERSION] += 1
