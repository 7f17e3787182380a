"""`strftime` as Linux's C library has it. The one of the interpreter knows fewer directives, and answers nothing at all
for a format with one that it does not know. `datetime` formats with the function of `time`.
"""

import re
import time

_KNOWN = frozenset("aAbBcCdDeFgGhHIjmMnprRsStTuUVwWxXyYzZ%")
_DIRECTIVE = re.compile(r"%([-_0^]?)(\d*[EO]?)(.?)", re.DOTALL)

_strftime = time.strftime


def strftime(format, fields=None, /):
    """Convert a time tuple to a string according to a format specification."""
    if fields is None:
        fields = time.localtime()
    if isinstance(format, str):
        format = _DIRECTIVE.sub(lambda directive: _meant(directive, fields), format)
    return _strftime(format, fields)


def _meant(directive, fields):
    """A directive in words that the interpreter knows."""
    flag, more, letter = directive.groups()
    if letter in ("k", "l") and not more:
        return "%" + (flag or "_") + {"k": "H", "l": "I"}[letter]
    if letter == "P" and not more:
        return _strftime("%p", fields).lower()
    if letter not in _KNOWN:
        # What nobody knows stands for itself.
        return directive[0].replace("%", "%%")
    if flag == "^":
        return _strftime("%" + more + letter, fields).upper().replace("%", "%%")
    return directive[0]


def install():
    time.strftime = strftime
