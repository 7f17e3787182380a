"""The frames of this package are below a program's first one; what lists the stack ends before them."""

import inspect
import sys
import traceback
from itertools import takewhile

_walk_stack = traceback.walk_stack
_getouterframes = inspect.getouterframes


# The first below everything, the others below a thread's first frame.
_OURS = frozenset(("_capsule.run", "_capsule.locks", "_capsule.switch", "_capsule.threads"))


def _is_of_the_program(entry):
    return entry[0].f_globals.get("__name__") not in _OURS


def walk_stack(f):
    """Walk a stack yielding the frame and line number for each frame."""
    return takewhile(_is_of_the_program, _walk_stack(sys._getframe(1) if f is None else f))


def getouterframes(frame, context=1):
    """Get a list of records for a frame and all higher (calling) frames."""
    return list(takewhile(_is_of_the_program, _getouterframes(frame, context)))


def install():
    traceback.walk_stack = walk_stack
    inspect.getouterframes = getouterframes
