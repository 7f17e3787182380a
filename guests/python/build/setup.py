"""Leaves the interpreter ready to run as `python3`: installs the driver, loads what most programs import, and makes all
of it lasting, so that a process shares these pages with every other. Runs inside the interpreter; what its memory holds
afterwards is the guest.
"""

import gc
import importlib
import io
import os
import sys
import zipimport
from struct import pack, unpack

import _bashkit

# Loaded again, after the platform and the error numbers are what they should be.
AGAIN = (
    "concurrent", "glob", "http", "httpx", "httpx2", "logging", "pathlib", "platform", "random", "requests",
    "selectors", "shutil", "signal", "socket", "subprocess", "tempfile", "threading", "urllib", "uuid", "zipfile",
    "_bashkit_http", "_bashkit_webcore", "getpass", "sysconfig", "locale", "gettext", "sqlite3", "gzip", "email",
)

# Of those, the ones that are not wanted at all.
GONE = ("httpx", "httpx2", "requests", "_bashkit_http", "_bashkit_webcore")

PRELOAD = (
    "argparse", "ast", "asyncio", "base64", "bisect", "calendar", "code", "codeop", "collections.abc", "configparser",
    "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "email.message", "enum", "fnmatch",
    "fractions", "functools", "getpass", "glob", "gzip", "hashlib", "heapq", "hmac", "html", "http.client", "inspect",
    "io", "itertools", "json", "linecache", "locale", "logging", "math", "numbers", "operator", "pathlib", "pickle",
    "platform", "pprint", "queue", "random", "re", "runpy", "secrets", "selectors", "shlex", "shutil", "signal", "socket",
    "sqlite3", "statistics", "string", "struct", "subprocess", "tarfile", "tempfile", "textwrap", "threading", "time",
    "timeit", "tokenize", "tomllib", "traceback", "types", "typing", "unicodedata", "unittest", "urllib.parse",
    "urllib.request", "uuid", "warnings", "weakref", "xml.etree.ElementTree", "zipfile", "zlib", "zoneinfo",
    "encodings.idna", "encodings.latin_1", "encodings.ascii", "_strptime", "importlib.metadata", "importlib.resources",
)


def find(data):
    found = _bashkit.http("FIND", "", (), data, None)[2]
    return unpack(f"<{len(found) // 4}I", found)


def peek(address, length):
    return _bashkit.http("PEEK", f"{address} {length}", (), None, None)[2]


def poke(address, data):
    _bashkit.http("POKE", str(address), (), data, None)


def word(address):
    return unpack("<I", peek(address, 4))[0]


def object_at(address):
    """The object with this address: a list is made to hold it."""
    box = [None]
    items = word(id(box) + 12)
    assert word(items) == id(None)
    poke(items, pack("<I", address))
    found = box[0]
    # The list gives back a reference that it never took.
    poke(items, pack("<I", id(None)))
    return found


def error_table():
    """The interpreter's table of error classes: a dict that nothing in Python refers to."""
    import errno

    number = errno.ENOENT
    # Found more than once: the request that looks for it has these bytes too.
    entries = find(pack("<III", hash(number), id(number), id(FileNotFoundError)))
    for address in find(pack("<I", id(dict))):
        # refcount, type, used, watcher tag (of 64 bits), keys, values
        _, _, used, _, keys, values = unpack("<III4xQII", peek(address - 4, 32))
        if values == 0 and used < 64 and any(keys < entry < keys + 1024 for entry in entries):
            table = object_at(address - 4)
            if type(table) is dict and table.get(number) is FileNotFoundError:
                return table
    raise RuntimeError("the table of error classes was not found")


def make_changeable(kind):
    """Lets instances become instances of a class that is written in C."""
    offset, immutable = 84, 1 << 8
    flags = word(id(kind) + offset)
    assert flags == kind.__flags__ & 0xFFFFFFFF, (flags, kind.__flags__)
    poke(id(kind) + offset, pack("<I", flags & ~immutable))


def signal_marks():
    """Where the interpreter notes that a signal has come: see the driver's `signals`."""
    import _signal

    from _capsule import memory

    came = []

    def first(number, frame):
        came.append(number)

    def second(number, frame):
        pass

    # Each handler is a mark and a function; two functions of ours, two signals apart, show where the table is.
    numbers = 10, 12
    before = [_signal.signal(number, handler) for number, handler in zip(numbers, (first, second))]
    (place,) = [at for at in find(pack("<I", id(first))) if word(at + 16) == id(second)]
    handlers = place - 4 - 8 * numbers[0]
    # Behind the table: the descriptor to wake (-1), whether to warn (1), and whether any signal has come (0).
    (state,) = [at for at in range(handlers + 8 * 60, handlers + 8 * 70, 4) if unpack("<iii", peek(at, 12)) == (-1, 1, 0)]
    any_came = state + 8
    # The state of the thread: a limit that we choose, with what is left of it before; the word to look at is 24 before.
    limit, chosen = sys.getrecursionlimit(), 54321
    sys.setrecursionlimit(chosen)
    places = [at for at in find(pack("<I", chosen)) if 0 < chosen - word(at - 4) < 100]
    # The state begins with the threads before and after it, of which there are none, and its interpreter.
    (place,) = [at for at in places if word(at - 36) == word(at - 32) == 0 != word(at - 28)]
    sys.setrecursionlimit(limit)
    memory.state = place - 36
    look, bit = place - 24, 2
    # Numbers are made strings before: that looks for signals as well.
    writes = [(handlers + 8 * numbers[0], 1), (any_came, 1), (look, word(look) | bit)]
    for name, data in [(str(address), pack("<I", value)) for address, value in writes]:
        _bashkit.http("POKE", name, (), data, None)
    assert came == [numbers[0]], "the interpreter did not look for signals"
    for number, handler in zip(numbers, before):
        _signal.signal(number, handler)
    return handlers, 8, any_came, look, bit


def find_settings():
    """Lays `settings.words` over the interpreter's settings: the limit of digits is one that we can set and look for."""
    from _capsule import settings

    before, chosen = sys.get_int_max_str_digits(), 54321
    sys.set_int_max_str_digits(chosen)
    start, count = settings.FIRST * 4, settings.LAST - settings.FIRST + 1
    shown = "dev_mode import_time bytes_warning optimization_level verbose".split()

    def fits(at):
        words = unpack(f"<{count}i", peek(at + start, 4 * count))
        # Nothing is asked for, but for the columns of code; the kind of the settings is in front of all.
        return 0 < words[0] < 4 and words[settings.PLACES["code_debug_ranges"] - settings.FIRST] == 1 and all(
            words[settings.PLACES[name] - settings.FIRST] == 0 for name in shown
        )

    (place,) = filter(fits, find(pack("<I", chosen)))
    settings.words = words_at(place + start, count)
    sys.set_int_max_str_digits(before)
    assert settings.get("int_max_str_digits") == before
    # The old variables for the same, one behind the other from "optimize" to "isolated"; not what looks like them on the
    # stack or the heap.
    old = pack("<10i", 0, 0, 0, 1, sys.flags.ignore_environment, sys.flags.dont_write_bytecode, sys.flags.no_user_site,
               0, sys.flags.hash_randomization, sys.flags.isolated)
    (place,) = [at for at in find(old) if id(None) < at < id(sys.modules)]
    settings.ignore_environment = words_at(place + 16, 1)
    try_settings(settings)


def words_at(address, count):
    """C's ints at an address: an array of bytes is made to have them as its own."""
    array = bytearray(4 * count)
    # Count, type, size, room, address, start.
    size, _, begins, starts = unpack("<4I", peek(id(array) + 8, 16))
    assert size == 4 * count and begins == starts
    poke(id(array) + 16, pack("<II", address, address))
    return memoryview(array).cast("i")


def lay_over_memory():
    """Lays the views of `memory` over the whole of it."""
    from _capsule import memory

    def view(start):
        array = bytearray(16)
        _, _, begins, starts = unpack("<4I", peek(id(array) + 8, 16))
        assert begins == starts
        # Size, room, address, start.
        poke(id(array) + 8, pack("<4I", memory.HALF - 4, memory.HALF - 4, start, start))
        return memoryview(array)

    memory.raw = view(0)
    memory.words = memory.raw.cast("I")
    memory.high = view(memory.HALF).cast("I")
    assert memory.get(memory.state + 8) == word(memory.state + 8)
    # Where asyncio notes the loop that runs in a thread, and behind it the task.
    import _asyncio

    marker = object()
    _asyncio._set_running_loop(marker)
    (memory.running_loop,) = [at for at in range(memory.state, memory.state + 1024, 4) if memory.get(at) == id(marker)]
    _asyncio._set_running_loop(None)
    assert memory.get(memory.running_loop) in (0, id(None)) and memory.get(memory.running_loop + 4) == 0


def try_settings(settings):
    """That the settings are what they are taken for is seen from what they do."""
    import warnings

    def outcome(name, value, call):
        before = settings.get(name)
        settings.put(**{name: value})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                return call()
        except Exception as error:
            return type(error)
        finally:
            settings.put(**{name: before})

    def position():
        return list(compile("1", "", "eval").co_positions())[-1][2]

    assert outcome("bytes_warning", 1, lambda: str(b"")) is BytesWarning and str(b"") == "b''"
    assert outcome("warn_default_encoding", 1, lambda: io.TextIOWrapper(io.BytesIO())) is EncodingWarning
    assert outcome("optimization_level", 1, lambda: eval(compile("assert 0\n__debug__", "", "exec"))) is None
    assert outcome("code_debug_ranges", 0, position) is None and position() == 0
    settings.heed_environment(True)
    os.putenv("PYTHONBREAKPOINT", "builtins.len")
    assert breakpoint("four") == 4
    os.unsetenv("PYTHONBREAKPOINT")
    assert outcome("dev_mode", 1, lambda: b"".decode(errors="nowhere")) is LookupError


def hash_places():
    """Tells where the hashes are that the snapshot keeps, and where the key of all others is to be."""
    from _capsule import hashes

    def with_subclasses(kind):
        return [kind, *(found for below in type.__subclasses__(kind) for found in with_subclasses(below))]

    # bytes: count, type, size, hash, then the data; bytearray: count, type, size, room, address.
    places = [id(hashes.TABLE) + 16, len(hashes.TABLE), word(id(hashes.KEY) + 16)]
    assert peek(places[2], 8) == bytes(8) and peek(places[0] - 16 + 8, 4) == pack("<I", places[1])
    for layout, base in enumerate((str, bytes)):
        for kind in with_subclasses(base):
            places += [id(kind), layout]
    _bashkit.http("PUT", "hashes", (), pack(f"<{len(places)}I", *places), None)


def forget(names):
    """Takes modules out; they are answered by name."""
    gone = {}
    for name in list(sys.modules):
        if name in names or name.partition(".")[0] in names:
            gone[name] = sys.modules.pop(name)
    return gone


def load_again(gone):
    """Loads modules anew, and puts them in the places where the old ones are known."""
    for name in gone:
        if name.partition(".")[0] not in GONE:
            importlib.import_module(name)
    old = {id(module): name for name, module in gone.items()}
    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()):
            if id(value) in old and old[id(value)] in sys.modules:
                setattr(module, name, sys.modules[old[id(value)]])


def add_missing():
    """What CPython takes from OpenSSL, and has no other code for."""
    import hashlib

    from _capsule.digests import pbkdf2_hmac

    hashlib.pbkdf2_hmac = pbkdf2_hmac
    hashlib.__all__ = (*hashlib.__all__, "pbkdf2_hmac")


def main():
    # The directory of the zip that the interpreter was made with.
    zipimport._zip_directory_cache.clear()
    sys.path_importer_cache.clear()
    from _capsule import errors, system

    marks = signal_marks()
    lay_over_memory()
    from _capsule import locks

    locks.install()
    table = error_table()
    for kind in errors.CLASSES:
        make_changeable(kind)
    errors.install(table)
    system.install()
    # There is no kernel yet to ask for the user.
    os.environ["HOME"] = "/root"
    sys.platform = "linux"
    load_again(forget(AGAIN))
    from _capsule import network

    # What builds upon sockets is loaded after that: it looks whether there is TLS.
    network.install()
    forget(("http", "ssl", "urllib"))
    # The parts of asyncio that the interpreter knows in C stay: only the loop is new.
    forget(("asyncio.selector_events", "asyncio.unix_events"))
    importlib.reload(sys.modules["asyncio"])
    from _capsule import absent, dates, files, frames, locales, loop, processes, run, seeds, signals, timers, waits, zone

    for name in PRELOAD:
        importlib.import_module(name)
    network.without_proxies(sys.modules["urllib.request"])
    signals.marks = marks
    find_settings()
    signals.install()
    timers.install()
    waits.install()
    files.install()
    loop.install()
    for kind in (zone.datetime.date, zone.datetime.datetime):
        make_changeable(kind)
    for part in (dates, frames, seeds):
        part.install()
    zone.install()
    locales.install()
    absent.install()
    processes.install()
    add_missing()
    import random

    random.seed(0)
    import _bashkit_boot

    _bashkit_boot.main = run.main
    hash_places()
    sys.argv = [""]
    sys.path[:] = [entry for entry in sys.path if entry]
    gc.collect()
    objects = gc.get_objects()
    _bashkit.immortalize(objects)
    _bashkit.immortalize(gc.get_referents(*objects))
    gc.freeze()


main()
