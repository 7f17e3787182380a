"""The limits of this process, and what it has used."""

from struct import pack, unpack

from _capsule.kernel import call
from _structseq import Record

RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CORE = range(5)
RLIMIT_RSS, RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_MEMLOCK, RLIMIT_AS = range(5, 10)
RLIM_INFINITY = -1
RUSAGE_SELF, RUSAGE_CHILDREN = 0, -1

error = OSError


class struct_rusage(Record):
    """What a process has used."""

    _fields = (
        "ru_utime", "ru_stime", "ru_maxrss", "ru_ixrss", "ru_idrss", "ru_isrss", "ru_minflt", "ru_majflt", "ru_nswap",
        "ru_inblock", "ru_oublock", "ru_msgsnd", "ru_msgrcv", "ru_nsignals", "ru_nvcsw", "ru_nivcsw",
    )


def _usage(cpu, peak):
    return struct_rusage((cpu / 1e9, 0.0, peak // 1024, *[0] * 13))


def _told(value):
    return RLIM_INFINITY if value == 2**64 - 1 else value


def getrlimit(resource, /):
    """The soft and the hard limit."""
    return tuple(map(_told, unpack("<QQ", call("getrlimit", pack("<i", resource)))))


def setrlimit(resource, limits, /):
    """Sets the soft and the hard limit."""
    soft, hard = (value % 2**64 for value in limits)
    call("setrlimit", pack("<iQQ", resource, soft, hard))


def getrusage(who, /):
    """What this process or its children have used."""
    return _usage(*unpack("<QQ", call("getrusage", pack("<i", who))))


def getpagesize():
    """The size of a page."""
    return 65536
