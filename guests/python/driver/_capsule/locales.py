"""Locales. There is C's with UTF-8 and no other; the library of C takes any name and does nothing with it, which would make a
program believe that it has, say, German dates.
"""

import locale
import os

_KNOWN = frozenset(("C", "POSIX", "C.UTF-8", "C.utf8"))

# In the order in which Linux names them all.
_NAMES = (
    "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "LC_PAPER", "LC_NAME", "LC_ADDRESS",
    "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION",
)
_CATEGORIES = {getattr(locale, name): name for name in _NAMES if hasattr(locale, name)}

# As every Python starts: the one that is asked for by variables, for characters alone.
_now = {**dict.fromkeys(_NAMES, "C"), "LC_CTYPE": "C.UTF-8"}


def _asked(name):
    """What the variables say."""
    for variable in ("LC_ALL", name, "LANG"):
        if os.environ.get(variable):
            return os.environ[variable]
    return "C"


def set_locale(category, value=None, /):
    """Activates/queries locale processing."""
    if category != locale.LC_ALL and category not in _CATEGORIES:
        raise locale.Error("unsupported locale setting")
    names = _NAMES if category == locale.LC_ALL else [_CATEGORIES[category]]
    if value is not None:
        wanted = {name: value or _asked(name) for name in names}
        if "=" in value:
            wanted = dict(part.partition("=")[::2] for part in value.split(";"))
        if not _KNOWN.issuperset(wanted.values()) or not _now.keys() >= wanted.keys():
            raise locale.Error("unsupported locale setting")
        _now.update({name: "C" if one == "POSIX" else one for name, one in wanted.items()})
    values = {_now[name] for name in names}
    return values.pop() if len(values) == 1 else ";".join(f"{name}={_now[name]}" for name in names)


def install():
    # Text is UTF-8, whatever is set.
    locale._setlocale(locale.LC_CTYPE, "C.UTF-8")
    locale._setlocale = set_locale
    locale.getencoding = lambda: "UTF-8"
