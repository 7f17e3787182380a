### division by zero
1 / 0
### a name that is not there
print(undefined_name)
### an index out of range
[1, 2][5]
### a key that is missing
{"a": 1}["b"]
### a type error
"a" + 1
### a value error
int("xyz")
### an attribute error
"abc".nope
### an own exception
class MyError(Exception): pass
raise MyError("own text", 42)
### an exception with several lines
raise ValueError("first\nsecond")
### a syntax error
x = = 1
### an indentation error
if True:
print(1)
### an unclosed bracket
print((1, 2
### an import error
import nonexistent_module_xyz
### an import from error
try: from os import nonexistent_name
except ImportError as e: print(e.name, str(e).split(" (")[0])
### a file that is not there
open("missing.txt")
### a folder opened as a file
open("/")
### recursion without end
import sys
sys.setrecursionlimit(200)
def f(): f()
f()
### unicode errors
b"\xff\xfe".decode("utf-8")
### encoding errors
"é".encode("ascii")
### an assertion
assert 1 > 2, "one is not more"
### stop iteration
next(iter([]))
### overflow
import math
math.exp(1000)
### exit with a number
import sys
print("before"); sys.exit(3)
### exit with a text
import sys
sys.exit("a reason")
### exit with none
import sys
sys.exit()
### exit from a function in a try
import sys
try: sys.exit(4)
finally: print("cleanup")
### exit by raising
raise SystemExit(7)
### exit with true
raise SystemExit(True)
### os._exit writes nothing out
import os, sys
sys.stdout.write("lost"); os._exit(5)
### atexit functions run in reverse
import atexit
atexit.register(print, "first"); atexit.register(print, "second")
print("main")
### atexit runs after an exception
import atexit
atexit.register(print, "cleanup")
raise RuntimeError("x")
### an excepthook
import sys
sys.excepthook = lambda kind, value, tb: print("hook", kind.__name__, value)
raise ValueError("v")
### an exception in a thread of generators
def g():
    yield 1
    raise KeyError("inside")
list(g())
### errno names
import errno, os
for n in ("ENOENT", "EACCES", "EEXIST", "ENOTDIR", "EISDIR", "EINVAL", "ENOTEMPTY", "EPIPE", "EAGAIN"): print(n, getattr(errno, n), os.strerror(getattr(errno, n)), errno.errorcode[getattr(errno, n)])
### oserror classes by number
for n in (1, 2, 4, 10, 11, 13, 17, 20, 21, 32, 104, 110, 111, 3): print(n, type(OSError(n, "x")).__name__, OSError(n, "x"))
### oserror fields
try: open("no/such")
except OSError as e: print(e.errno, e.strerror, e.filename, type(e) is FileNotFoundError, e.args, isinstance(e, IOError))
### oserror with two names
import os
try: os.rename("a", "b")
except OSError as e: print(e, e.filename, e.filename2)
### errors of mkdir and rmdir
import os
os.mkdir("d"); open("d/f", "w").close()
for f, a in ((os.mkdir, "d"), (os.rmdir, "d"), (os.rmdir, "x"), (os.listdir, "d/f"), (os.unlink, "nope"), (os.remove, "no/x")):
    try: f(a)
    except OSError as e: print(type(e).__name__, e)
### traceback module
import traceback
def f(): 1 / 0
try: f()
except ZeroDivisionError: print(traceback.format_exc().splitlines()[-1], len(traceback.extract_stack()) > 0)
### notes
try: raise ValueError("v")
except ValueError as e:
    e.add_note("a note"); print(e.__notes__)
### warnings
import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always"); warnings.warn("careful", DeprecationWarning)
    print(len(w), w[0].category.__name__, w[0].message)
### keyboard interrupt
raise KeyboardInterrupt
### pickled oserror
import pickle
e = pickle.loads(pickle.dumps(OSError(2, "No such file or directory", "f")))
print(type(e).__name__, e)
