### collections: counter and defaultdict
from collections import Counter, defaultdict
c = Counter("mississippi"); print(c.most_common(2), c["z"], c - Counter("miss"), sorted(c.elements())[:3], c.total())
d = defaultdict(list); d["a"].append(1); print(dict(d), d.get("q"))
### collections: deque
from collections import deque
d = deque([1, 2, 3], maxlen=3); d.append(4); d.appendleft(0); d.rotate(1); print(d, d.popleft(), list(d))
### collections: namedtuple, ordereddict, chainmap
from collections import namedtuple, OrderedDict, ChainMap
P = namedtuple("P", "x y", defaults=[5]); p = P(1); print(p, p._replace(x=9), p._asdict(), P._fields)
o = OrderedDict(a=1, b=2); o.move_to_end("a"); print(list(o), ChainMap({"a": 1}, {"a": 2, "b": 3})["b"])
### heapq and bisect
import heapq, bisect
h = [5, 1, 4]; heapq.heapify(h); heapq.heappush(h, 0); print(heapq.heappop(h), heapq.nlargest(2, h), heapq.nsmallest(2, h), list(heapq.merge([1, 4], [2, 3])))
l = [1, 3, 5]; bisect.insort(l, 4); print(l, bisect.bisect_left(l, 3), bisect.bisect(l, 3))
### itertools
import itertools as it
print(list(it.chain([1], [2, 3])), list(it.islice(it.count(5, 2), 3)), list(it.accumulate([1, 2, 3])), list(it.combinations("abc", 2)), list(it.permutations([1, 2, 3], 2))[:3], list(it.product("ab", [1, 2])), [(k, len(list(g))) for k, g in it.groupby("aabbb")], list(it.zip_longest([1], [2, 3])), list(it.pairwise([1, 2, 3])), list(it.takewhile(lambda x: x < 3, range(9))), list(it.starmap(pow, [(2, 3)])), list(it.compress("abc", [1, 0, 1])))
### functools
import functools
@functools.lru_cache(None)
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
print(f(80), f.cache_info().hits > 0, functools.reduce(lambda a, b: a * b, range(1, 6)), functools.partial(int, base=2)("101"), sorted([3, 1], key=functools.cmp_to_key(lambda a, b: a - b)))
@functools.singledispatch
def g(x): return "any"
@g.register
def _(x: int): return "int"
print(g(1), g("s"))
@functools.total_ordering
class T:
    def __init__(s, v): s.v = v
    def __eq__(s, o): return s.v == o.v
    def __lt__(s, o): return s.v < o.v
print(T(1) >= T(0), T(1) <= T(0))
### operator
import operator as op
print(op.itemgetter(1, 0)("ab"), op.attrgetter("real")(3), op.methodcaller("upper")("x"), op.add(1, 2), op.contains([1], 1))
### dataclasses
from dataclasses import dataclass, field, asdict, replace, astuple
@dataclass(order=True)
class P:
    x: int
    y: int = 2
    tags: list = field(default_factory=list, compare=False)
p = P(1); print(p, asdict(p), replace(p, x=5), P(1) < P(2), astuple(p), P(1, 2) == P(1, 2, [3]))
@dataclass(frozen=True)
class F: a: int
try: F(1).a = 2
except Exception as e: print(type(e).__name__)
### enums
from enum import Enum, IntEnum, Flag, auto
class C(Enum): RED = 1; GREEN = 2
class I(IntEnum): A = 1; B = 2
class F(Flag): X = auto(); Y = auto()
print(C.RED, C(2).name, list(C), C["RED"].value, I.A < I.B, F.X | F.Y, F.X in (F.X | F.Y), I.A + 1)
### json
import json
d = {"b": [1, 2.5, None, True], "a": "é\n\"", "n": {"x": []}}
print(json.dumps(d), json.dumps(d, indent=2, sort_keys=True, ensure_ascii=False), json.loads('{"a": [1, 1e3, "\\u00e9"]}'), json.dumps((1, 2), separators=(",", ":")))
### json errors
import json
for t in ("{", "{'a': 1}", "nul", ""):
    try: json.loads(t)
    except json.JSONDecodeError as e: print(e.lineno, e.colno)
try: json.dumps({1, 2})
except TypeError as e: print(e)
### json with own types
import json, datetime
class E(json.JSONEncoder):
    def default(self, o): return o.isoformat() if isinstance(o, datetime.date) else super().default(o)
print(json.dumps({"d": datetime.date(2024, 1, 2)}, cls=E), json.loads('{"a": 1}', object_pairs_hook=list), json.loads("1.5", parse_float=str), json.dumps(float("inf")))
### csv
import csv, io
o = io.StringIO(); w = csv.writer(o); w.writerow(["a", 'b"c', "d,e", 1, None]); w.writerow(["x\ny", "", 2.5, "q"]); print(repr(o.getvalue()))
print(list(csv.reader(io.StringIO('a,"b ""q""",c\r\n1,,3\r\n'))), list(csv.DictReader(io.StringIO("x;y\n1;2\n"), delimiter=";")))
d = csv.DictWriter(o := io.StringIO(), ["k", "v"], quoting=csv.QUOTE_ALL); d.writeheader(); d.writerow({"k": 1, "v": 2}); print(o.getvalue(), csv.Sniffer().sniff("a;b\n1;2\n").delimiter)
### configparser
import configparser
c = configparser.ConfigParser(); c.read_string("[a]\nx = 1\ny = %(x)s0\n[b]\nz: yes\n; c\n")
print(c.sections(), c["a"]["y"], c.getint("a", "x"), c.getboolean("b", "z"), c.get("b", "q", fallback="none"))
### tomllib
import tomllib
print(tomllib.loads('a = 1\n[b]\nc = [1, 2]\nd = 2024-01-02T03:04:05Z\n[[e]]\nf = "x"\n'))
### xml
import xml.etree.ElementTree as E
r = E.fromstring("<a x='1'><b>t</b><b/>tail</a>"); print(r.tag, r.attrib, [b.text for b in r.iter("b")], E.tostring(r), r.find("b").text)
E.indent(r); print(E.tostring(r, encoding="unicode"))
### minidom and sax
from xml.dom import minidom
import xml.sax
d = minidom.parseString("<a><b c='d'/></a>"); print(d.documentElement.firstChild.getAttribute("c"), d.toxml())
class H(xml.sax.ContentHandler):
    def startElement(self, n, a): print("start", n)
xml.sax.parseString(b"<x><y/></x>", H())
### datetime
from datetime import *
d = datetime(2024, 2, 29, 12, 30, 45, 123456)
print(d, d.isoformat(), d.strftime("%Y-%m-%d %H:%M:%S %j %a %b"), d + timedelta(days=366), d.date(), d.time(), d.weekday(), d.isocalendar(), d.replace(year=2023, day=1), datetime.fromisoformat("2024-01-02T03:04:05+02:00"), date(2024, 3, 1) - date(2024, 2, 1), timedelta(seconds=3661.5))
### datetime parsing and zones
from datetime import *
print(datetime.strptime("02 Jan 2024 15:04", "%d %b %Y %H:%M"), datetime(2024, 1, 1, tzinfo=timezone.utc).timestamp(), datetime.fromtimestamp(0, timezone(timedelta(hours=5, minutes=30))), timezone.utc, datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=-3))).astimezone(timezone.utc))
### zoneinfo
from zoneinfo import ZoneInfo
from datetime import datetime, timedelta
for z in ("Europe/Rome", "America/New_York", "Asia/Kolkata", "Australia/Sydney"):
    d = datetime(2024, 7, 1, 12, tzinfo=ZoneInfo(z)); print(z, d.isoformat(), d.tzname(), (d + timedelta(days=180)).utcoffset())
### calendar
import calendar
print(calendar.month(2024, 2), calendar.isleap(2100), int(calendar.monthrange(2024, 2)[0]), calendar.timegm((1970, 1, 2, 0, 0, 0)))
### time
import time
print(time.strftime("%Y-%m-%d", time.gmtime(0)), time.gmtime(86400)[:6], time.mktime((1970, 1, 1, 0, 0, 0, 0, 1, 0)) is not None, time.time() > 1.6e9, time.monotonic() <= time.monotonic(), time.perf_counter_ns() > 0)
t = time.monotonic(); time.sleep(0.02); print(time.monotonic() - t >= 0.02)
### hashlib
import hashlib
for n in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s"): print(n, hashlib.new(n, b"hello").hexdigest())
print(hashlib.shake_128(b"x").hexdigest(8), hashlib.pbkdf2_hmac("sha256", b"p", b"s", 1000).hex())
### hmac and secrets
import hmac, secrets
print(hmac.new(b"k", b"m", "sha256").hexdigest(), hmac.compare_digest("a", "a"), len(secrets.token_bytes(8)), len(secrets.token_urlsafe(8)) > 8)
### uuid
import uuid
print(uuid.uuid5(uuid.NAMESPACE_DNS, "python.org"), uuid.uuid3(uuid.NAMESPACE_URL, "x"), uuid.UUID("12345678123456781234567812345678").fields[0], uuid.uuid4().version, uuid.uuid1().version)
### pickle
import pickle, datetime
class K:
    def __init__(s, a): s.a = a
    def __reduce__(s): return (K, (s.a,))
for p in range(6):
    d = pickle.dumps([1, "é", {"a": (1.5, None)}, {1, 2}, b"x", K(7), datetime.date(2024, 1, 1), 2 ** 70], p); l = pickle.loads(d); print(p, l[:4], l[5].a, l[6:])
### copy
import copy
a = [1, [2, {"x": 3}]]; b, c = copy.copy(a), copy.deepcopy(a); a[1][1]["x"] = 9; print(b, c)
### weakref and gc
import weakref, gc
class O: pass
o = O(); r = weakref.ref(o, lambda _: print("gone")); d = weakref.WeakValueDictionary(k=o); print(r() is o, len(d)); del o; gc.collect(); print(r(), len(d))
### contextlib
import contextlib, io
@contextlib.contextmanager
def cm():
    print("in")
    try: yield 5
    finally: print("out")
with cm() as x, contextlib.suppress(KeyError): print(x); {}["a"]
with contextlib.redirect_stdout(io.StringIO()) as o: print("hidden")
with contextlib.ExitStack() as s: s.callback(print, "last"); print(repr(o.getvalue()))
### typing
from typing import *
T = TypeVar("T")
class N(NamedTuple): a: int; b: str = "x"
class D(TypedDict): k: int
class P(Protocol):
    def f(self) -> int: ...
print(N(1), D(k=1), get_args(Dict[str, int]), get_origin(List[int]) is list, Literal["a"].__args__, cast(int, "x"))
### abc
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): ...
try: A()
except TypeError: print("abstract")
class B(A):
    def f(self): return 1
print(B().f(), issubclass(B, A))
### inspect
import inspect
def f(a, b=1, *c, d, **e): "doc"
print(inspect.signature(f), inspect.getdoc(f), inspect.isfunction(f), [p.kind.name for p in inspect.signature(f).parameters.values()])
### logging
import logging, sys
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
l = logging.getLogger("app"); l.info("hi %s", 5); l.debug("no"); l.warning("w")
try: 1 / 0
except ZeroDivisionError: l.exception("oops")
### logging.config
import logging.config, logging
logging.config.dictConfig({"version": 1, "handlers": {"h": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout"}}, "root": {"handlers": ["h"], "level": "DEBUG"}})
logging.debug("configured")
### argparse
import argparse
p = argparse.ArgumentParser(prog="tool", description="does things"); p.add_argument("file"); p.add_argument("-n", "--num", type=int, default=3); p.add_argument("-v", action="store_true"); p.add_argument("--k", choices=["a", "b"], nargs="+")
print(p.parse_args(["f", "-n", "5", "-v", "--k", "a", "b"]))
### argparse: an error
import argparse
p = argparse.ArgumentParser(prog="tool"); p.add_argument("-n", type=int)
p.parse_args(["-n", "x"])
### argparse: subcommands
import argparse
p = argparse.ArgumentParser(prog="t"); s = p.add_subparsers(dest="cmd", required=True); a = s.add_parser("add"); a.add_argument("x", type=int); s.add_parser("list")
print(p.parse_args(["add", "4"]), p.parse_args(["list"]))
### optparse and getopt
import getopt, optparse
print(getopt.getopt(["-a", "-b", "x", "--long=1", "rest"], "ab:", ["long="])); o = optparse.OptionParser(); o.add_option("-x", type="int"); print(o.parse_args(["-x", "3", "y"])[0].x)
### unittest
import unittest, sys, io
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 1)
    def test_b(self):
        with self.assertRaises(ValueError): int("x")
    @unittest.skip("no")
    def test_c(self): pass
    def test_d(self):
        for i in range(2):
            with self.subTest(i=i): self.assertTrue(True)
r = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(T)); print(r.testsRun, len(r.failures), len(r.skipped))
### unittest: failures exit with one
import unittest
class T(unittest.TestCase):
    def test_x(self): self.assertEqual([1, 2], [1, 3])
if __name__ == "__main__": unittest.main(verbosity=0, argv=["t"])
### mock
from unittest import mock
m = mock.Mock(return_value=5); print(m(1, k=2), m.call_args, m.called)
with mock.patch("os.getcwd", return_value="/x"):
    import os; print(os.getcwd())
### doctest
import doctest
def f(x):
    """
    >>> f(2)
    4
    """
    return x * 2
print(doctest.testmod())
### urllib.parse
from urllib.parse import *
print(urlparse("https://u:p@h:80/p/a?q=1&r=a%20b#f"), quote("a b/é"), unquote("%C3%A9"), urlencode({"a": "b c", "d": [1, 2]}, True), parse_qs("a=1&a=2&b="), urljoin("http://h/a/b", "../c"))
### email
from email.message import EmailMessage
from email import message_from_string
m = EmailMessage(); m["Subject"] = "Hé"; m["To"] = "a@b.c"; m.set_content("body é\n"); print(m["subject"], m.get_content(), m.as_bytes()[:30]); print(message_from_string("A: 1\nB: 2\n\nx").items())
### mimetypes and http
import mimetypes, http
print(mimetypes.guess_type("a.html"), mimetypes.guess_type("a.tar.gz"), http.HTTPStatus(404).phrase)
### ipaddress
import ipaddress as i
print(i.ip_address("192.168.1.1").is_private, list(i.ip_network("10.0.0.0/30").hosts()), i.ip_address("::1").exploded, i.ip_address("10.0.0.1") in i.ip_network("10.0.0.0/8"))
### graphlib, queue, sched
import graphlib, queue, sched, time
print(list(graphlib.TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}}).static_order())[0]); q = queue.PriorityQueue(); [q.put(x) for x in (3, 1, 2)]; print(q.get(), q.qsize()); s = sched.scheduler(time.monotonic, time.sleep); s.enter(0, 1, print, ("ran",)); s.run()
### zlib and gzip
import zlib, gzip
d = b"hello " * 100; c = zlib.compress(d); print(zlib.decompress(c) == d, len(c) < 50, zlib.crc32(d), zlib.adler32(d), gzip.decompress(gzip.compress(d)) == d)
o = zlib.decompressobj(); print(o.decompress(c[:5]) + o.decompress(c[5:]) == d)
### bz2
import bz2
d = b"hello " * 100; c = bz2.compress(d); print(c[:3], bz2.decompress(c) == d)
with bz2.open("x.bz2", "wt") as f: f.write("line 1\nline 2\n")
with bz2.open("x.bz2", "rt") as f: print(f.read().splitlines())
### lzma
import lzma
d = b"hello " * 100; c = lzma.compress(d); print(c[:6], lzma.decompress(c) == d)
with lzma.open("x.xz", "wb") as f: f.write(d)
print(lzma.open("x.xz").read() == d)
try: lzma.decompress(b"not xz")
except lzma.LZMAError: print("refused")
### zipfile
import zipfile, io
with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED) as z: z.writestr("d/x.txt", "hello" * 50); z.writestr("y", b"\0\1")
with zipfile.ZipFile("a.zip") as z: print(z.namelist(), z.read("y"), z.getinfo("d/x.txt").file_size, z.testzip()); z.extractall("out")
print(open("out/d/x.txt").read()[:5], zipfile.is_zipfile("a.zip"))
### tarfile
import tarfile, io
for mode in ("gz", "bz2", "xz", ""):
    with tarfile.open("a.tar", "w:" + mode) as t:
        i = tarfile.TarInfo("f.txt"); i.size = 3; t.addfile(i, io.BytesIO(b"abc"))
    with tarfile.open("a.tar") as t: print(mode, t.getnames(), t.extractfile("f.txt").read())
### sqlite3 in memory
import sqlite3
c = sqlite3.connect(":memory:"); c.execute("create table t (a integer primary key, b text, c real, d blob)"); c.executemany("insert into t (b, c, d) values (?, ?, ?)", [("x", 1.5, b"\0"), ("é", None, None)])
print(c.execute("select * from t order by a").fetchall(), c.execute("select count(*), sum(c) from t").fetchone(), c.execute("select b from t where a = :n", {"n": 2}).fetchone())
### sqlite3 on a file
import sqlite3
with sqlite3.connect("x.db") as c: c.execute("create table t (v)"); c.execute("insert into t values (42)")
c.close(); c = sqlite3.connect("x.db"); c.row_factory = sqlite3.Row; r = c.execute("select v as value from t").fetchone(); print(r["value"], r.keys())
try: c.execute("select * from nope")
except sqlite3.OperationalError as e: print(e)
c.create_function("twice", 1, lambda x: x * 2); print(tuple(c.execute("select twice(21)").fetchone()))
### sqlite3 transactions
import sqlite3
c = sqlite3.connect("y.db"); c.execute("create table t (v unique)"); c.commit()
try:
    with c: c.execute("insert into t values (1)"); c.execute("insert into t values (1)")
except sqlite3.IntegrityError as e: print(e)
print(c.execute("select count(*) from t").fetchone(), c.execute("with recursive n(x) as (select 1 union all select x + 1 from n where x < 5) select group_concat(x) from n").fetchone())
### shelve and dbm
import shelve
with shelve.open("s") as s: s["k"] = {"a": [1]}
with shelve.open("s") as s: print(s["k"], list(s))
### plistlib
import plistlib
print(plistlib.loads(plistlib.dumps({"a": [1, True, b"x"]})), plistlib.loads(plistlib.dumps({"b": 2}, fmt=plistlib.FMT_BINARY)))
### timeit and cprofile
import timeit, cProfile, pstats, io
print(timeit.timeit("1 + 1", number=10) >= 0); p = cProfile.Profile(); p.runcall(sorted, [3, 1]); s = io.StringIO(); pstats.Stats(p, stream=s).print_stats(); print("function calls" in s.getvalue())
### dis and code
import dis, io, contextlib
with contextlib.redirect_stdout(io.StringIO()) as o: dis.dis(lambda x: x + 1)
print("RETURN_VALUE" in o.getvalue(), (lambda x: x).__code__.co_varnames)
### importlib
import importlib, sys, os
open("mymod.py", "w").write("x = 41\ndef f(): return x + 1\n"); sys.path.insert(0, os.getcwd()); m = importlib.import_module("mymod"); print(m.f(), m.__name__); open("mymod.py", "w").write("x = 100\ny = 'longer text'\n"); importlib.reload(m); print(m.x)
### packages and relative imports
import os, sys
os.makedirs("pkg/sub"); open("pkg/__init__.py", "w").write("v = 1\n"); open("pkg/a.py", "w").write("from . import v\nfrom .sub.b import w\n"); open("pkg/sub/__init__.py", "w").close(); open("pkg/sub/b.py", "w").write("from .. import v\nw = v + 1\n"); sys.path.insert(0, ".")
import pkg.a; print(pkg.a.w, pkg.a.v)
### pkgutil, runpy, zipimport
import runpy, sys, zipfile
open("r.py", "w").write("a = __name__\n"); print(runpy.run_path("r.py")["a"], runpy.run_path("r.py", run_name="z")["a"])
with zipfile.ZipFile("m.zip", "w") as z: z.writestr("inzip.py", "val = 'zip'")
sys.path.insert(0, "m.zip"); import inzip; print(inzip.val)
### threading locks without threads
import threading
l = threading.Lock()
with l: print(l.locked(), threading.current_thread().name, threading.active_count())
t = threading.local(); t.x = 1; print(t.x, threading.main_thread() is threading.current_thread())
### contextvars
import contextvars
v = contextvars.ContextVar("v", default=1); t = v.set(2); print(v.get()); v.reset(t); print(v.get()); c = contextvars.copy_context(); c.run(v.set, 9); print(v.get(), c[v])
### asyncio: gather, tasks, timeouts
import asyncio
async def w(n, t): await asyncio.sleep(t); return n
async def main():
    print(await asyncio.gather(w(1, 0.02), w(2, 0.01)))
    t = asyncio.create_task(w(3, 0)); print(await t)
    try: await asyncio.wait_for(w(4, 5), 0.01)
    except asyncio.TimeoutError: print("timeout")
    async with asyncio.TaskGroup() as g: a = g.create_task(w(5, 0))
    print(a.result())
asyncio.run(main())
### asyncio: queues, events, locks
import asyncio
async def main():
    q, e, l = asyncio.Queue(), asyncio.Event(), asyncio.Lock()
    async def producer():
        for i in range(3): await q.put(i)
        e.set()
    asyncio.create_task(producer()); await e.wait()
    async with l: print([await q.get() for _ in range(3)], q.empty())
    for c in asyncio.as_completed([asyncio.sleep(0.01, "b"), asyncio.sleep(0, "a")]): print(await c)
asyncio.run(main())
### asyncio: subprocess
import asyncio
async def main():
    p = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    print(await p.communicate(b"through cat"), p.returncode)
    p = await asyncio.create_subprocess_shell("echo out; echo err >&2; exit 3", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    print(await p.communicate(), p.returncode)
    p = await asyncio.create_subprocess_exec("printf", "a\\nb\\n", stdout=asyncio.subprocess.PIPE)
    print([line async for line in p.stdout], await p.wait())
asyncio.run(main())
### asyncio: exceptions and cancellation
import asyncio
async def bad(): raise ValueError("inside")
async def forever():
    try: await asyncio.sleep(100)
    except asyncio.CancelledError: print("cancelled"); raise
async def main():
    print(await asyncio.gather(bad(), return_exceptions=True)); t = asyncio.create_task(forever()); await asyncio.sleep(0); t.cancel()
    try: await t
    except asyncio.CancelledError: print("end")
asyncio.run(main())
### types and simple namespace
import types
n = types.SimpleNamespace(a=1); n.b = 2; print(n, types.MappingProxyType({"x": 1}), types.FunctionType.__name__, isinstance(print, types.BuiltinFunctionType))
### reprlib, textual modules
import reprlib, keyword, token
print(reprlib.repr(list(range(100))), keyword.iskeyword("for"), token.tok_name[1])
### colorsys and wave
import colorsys, wave
print(colorsys.rgb_to_hsv(1, 0.5, 0)); w = wave.open("t.wav", "wb"); w.setnchannels(1); w.setsampwidth(2); w.setframerate(8000); w.writeframes(b"\0\0" * 10); w.close(); print(wave.open("t.wav").getnframes())
### gettext, getpass, platform
import gettext, platform, getpass, sys
print(gettext.gettext("x"), platform.python_implementation(), platform.system(), sys.platform, sys.byteorder)
### sys
import sys
print(sys.argv[1:], sys.version_info[0], sys.maxunicode, sys.getrecursionlimit(), sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.intern("a") == "a", sys.stdin.encoding, sys.stdout.encoding, sys.flags.optimize)
### cmd and code
import cmd, code, io
class C(cmd.Cmd):
    def do_hi(self, a): print("hi", a)
    def do_q(self, a): return True
C().onecmd("hi there"); code.InteractiveInterpreter({"x": 5}).runsource("print(x * 2)")
### the stack has the program's frames only
import inspect, io, logging, traceback
def f(): return [x.function for x in inspect.stack()], [x.name for x in traceback.extract_stack()]
print(f(), inspect.stack()[-1].lineno); out = io.StringIO(); traceback.print_stack(file=out); print(out.getvalue().count("File"))
logging.basicConfig(format="%(message)s"); logging.warning("w", stack_info=True)
