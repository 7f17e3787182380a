"""Local time by TZ: the name of a zone (`Europe/Berlin`) or a rule (`CET-1CEST,M3.5.0,M10.5.0/3`). The C library of the
interpreter knows UTC alone, so when TZ says something else, the functions of `time` and `datetime` that speak of local
time are replaced.
"""

import datetime
import gc
import os
import re
import time
from struct import pack

_UTC_NAMES = {"", "UTC", "UTC0", "GMT", "GMT0", "Etc/UTC", "Etc/GMT", "Universal", "Zulu", "Etc/UCT", "UCT"}

# What a rule without dates means.
_USUAL_DATES = ",M3.2.0,M11.1.0"

_RULE = re.compile(r"(?P<std>[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)(?P<offset>[+-]?\d{1,3}(?::\d\d){0,2})(?P<dst>[A-Za-z<].*)?\Z")

_EPOCH = datetime.datetime(1970, 1, 1)
_SECOND = datetime.timedelta(seconds=1)

# A year as the interpreter counts it when it looks which of January and July is summer.
_YEAR = (365 * 24 + 6) * 3600

# None while local time is UTC.
_zone = None

_date, _datetime = datetime.date, datetime.datetime
_own = {}


def _zone_of(text):
    """The zone that TZ means; none for UTC, and for what has no meaning, as in C."""
    text = text.removeprefix(":").removeprefix("/usr/share/zoneinfo/")
    if text in _UTC_NAMES:
        return None
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(text)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        pass
    rule = _RULE.match(text)
    if rule is None:
        name = re.match("[A-Za-z]{3,}", text)
        if name is None:
            return None
        # Unknown, but it has a name: UTC under that name.
        text = name[0] + "0"
        rule = _RULE.match(text)
    if rule["dst"] and "," not in text:
        text += _USUAL_DATES
    try:
        return zoneinfo.ZoneInfo.from_file(_rule_file(rule, text))
    except ValueError:
        return None


def _rule_file(rule, text):
    """A file of a zone that has nothing but a rule."""
    import io

    sign, *parts = re.match(r"([+-]?)(\d+)(?::(\d+))?(?::(\d+))?", rule["offset"]).groups()
    hours, minutes, seconds = (int(part or 0) for part in parts)
    offset = (1 if sign == "-" else -1) * (hours * 3600 + minutes * 60 + seconds)
    name = rule["std"].strip("<>").encode() + b"\0"
    counts = pack(">6I", 0, 0, 0, 0, 1, len(name))
    part = b"TZif2" + bytes(15) + counts + pack(">iBB", offset, 0, 0) + name
    return io.BytesIO(part + part + b"\n" + text.encode() + b"\n")


def _aware(naive):
    return naive.replace(tzinfo=_zone)


# time


def localtime(seconds=None, /):
    """localtime([seconds]) -> (tm_year,tm_mon,tm_mday,tm_hour,tm_min,tm_sec,tm_wday,tm_yday,tm_isdst)"""
    seconds = time.time() if seconds is None else seconds
    try:
        found = _own["fromtimestamp"].__get__(None, _datetime)(seconds // 1, _zone)
    except (OverflowError, ValueError):
        return time.gmtime(seconds)
    return time.struct_time((*found.timetuple(), found.tzname(), found.utcoffset() // _SECOND))


def mktime(fields, /):
    """Convert a time tuple in local time to seconds since the Epoch."""
    year, month, *rest = fields[:6]
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    day, hour, minute, second = rest
    naive = _datetime(year, month, 1) + datetime.timedelta(day - 1, second, 0, 0, minute, hour)
    summer = fields[8]
    if summer >= 0:
        for fold in (0, 1):
            local = naive.replace(tzinfo=_zone, fold=fold)
            if bool(local.dst()) == bool(summer):
                return float((naive - _EPOCH) // _SECOND - local.utcoffset() // _SECOND)
        if time.daylight:
            return float((naive - _EPOCH) // _SECOND + (time.altzone if summer else time.timezone))
    return _own["timestamp"](_aware(naive))


def strftime(format, fields=None, /):
    """Convert a time tuple to a string according to a format specification."""
    if fields is None:
        fields = localtime()
    elif getattr(fields, "tm_zone", None) is None and len(fields) == 9 and fields[8] in (0, 1):
        offset = -(time.altzone if fields[8] else time.timezone)
        fields = time.struct_time((*fields, time.tzname[fields[8]], offset))
    return _own["strftime"](format, fields)


def asctime(fields=None, /):
    """Convert a time tuple to a string, e.g. 'Sat Jun 06 16:26:11 1998'."""
    return _own["asctime"](localtime() if fields is None else fields)


def ctime(seconds=None, /):
    """Convert a time in seconds since the Epoch to a string in local time."""
    return _own["asctime"](localtime(seconds))


# datetime


def now(cls, tz=None):
    """Returns new datetime object representing current time local to tz."""
    if tz is not None:
        return _own["now"].__get__(None, cls)(tz)
    return _own["now"].__get__(None, cls)(_zone).replace(tzinfo=None)


def fromtimestamp(cls, timestamp, tz=None):
    """Create a datetime from a POSIX timestamp."""
    if tz is not None:
        return _own["fromtimestamp"].__get__(None, cls)(timestamp, tz)
    return _own["fromtimestamp"].__get__(None, cls)(timestamp, _zone).replace(tzinfo=None)


def timestamp(self):
    """Return POSIX timestamp as float."""
    return _own["timestamp"](_aware(self) if self.tzinfo is None else self)


def astimezone(self, tz=None):
    """Convert to local time in new timezone tz."""
    if self.tzinfo is None or self.utcoffset() is None:
        self = _aware(self)
    if tz is not None:
        return _own["astimezone"](self, tz)
    local = _own["astimezone"](self, _zone)
    return local.replace(tzinfo=datetime.timezone(local.utcoffset(), local.tzname()), fold=0)


def date_fromtimestamp(cls, timestamp, /):
    """Create a date from a POSIX timestamp."""
    return cls(*localtime(timestamp)[:3])


def date_today(cls):
    """Current date or datetime: same as self.__class__.fromtimestamp(time.time())."""
    return cls.fromtimestamp(time.time())


_TIME = (localtime, mktime, strftime, asctime, ctime)
_DATETIME = (now, fromtimestamp, timestamp, astimezone)


def _replacement(function):
    return classmethod(function) if function in (now, fromtimestamp) else function


def _change(kind, names):
    """Changes a class that is written in C: what assigning does to it is not seen, but makes lookups begin anew."""
    (members,) = gc.get_referents(vars(kind))
    members.update(names)
    kind._zone = None


def tzset():
    """Initialize, or reinitialize, the local timezone to the value stored in os.environ['TZ']."""
    global _zone
    zone = _zone_of(os.environ.get("TZ", ""))
    if zone is not None and _zone is None:
        for function in _TIME:
            setattr(time, function.__name__, function)
        _change(_datetime, {function.__name__: _replacement(function) for function in _DATETIME})
        _change(_date, {"fromtimestamp": classmethod(date_fromtimestamp), "today": classmethod(date_today)})
    elif zone is None and _zone is not None:
        for function in _TIME:
            setattr(time, function.__name__, _own[function.__name__])
        _change(_datetime, {function.__name__: _own[function.__name__] for function in _DATETIME})
        _change(_date, {name: _own["date." + name] for name in ("fromtimestamp", "today")})
    _zone = zone
    if zone is None:
        time.tzname, time.timezone, time.altzone, time.daylight = ("UTC", "UTC"), 0, 0, 0
        return
    start = int(time.time()) // _YEAR * _YEAR
    winter, summer = localtime(start), localtime(start + _YEAR // 2)
    # South of the equator it is the other way round.
    first, second = (summer, winter) if winter.tm_gmtoff > summer.tm_gmtoff else (winter, summer)
    time.tzname, time.daylight = (first.tm_zone, second.tm_zone), int(first.tm_gmtoff != second.tm_gmtoff)
    time.timezone, time.altzone = -first.tm_gmtoff, -second.tm_gmtoff


def begin(environ):
    """At the start of a process."""
    if environ.get("TZ"):
        tzset()


def install():
    """The classes can be changed."""
    for function in _TIME:
        _own[function.__name__] = getattr(time, function.__name__)
    for function in _DATETIME:
        _own[function.__name__] = vars(_datetime)[function.__name__]
    for name in ("fromtimestamp", "today"):
        _own["date." + name] = vars(_date)[name]
    time.tzset = tzset
