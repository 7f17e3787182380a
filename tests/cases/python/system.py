### alarm
import signal, time
def h(n, f): raise TimeoutError("too long")
signal.signal(signal.SIGALRM, h); print(signal.alarm(1), signal.alarm(0) in (1,))
signal.alarm(1); t = time.monotonic()
try:
    while True: sum(range(100))
except TimeoutError as e: print(e, 0.5 < time.monotonic() - t < 5)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try: time.sleep(10)
except TimeoutError as e: print("slept", e)
signal.setitimer(signal.ITIMER_REAL, 5); left, every = signal.getitimer(signal.ITIMER_REAL); print(4 < left <= 5, every, signal.setitimer(signal.ITIMER_REAL, 0)[0] > 4, signal.getitimer(signal.ITIMER_REAL))
### alarm again and again
import signal
n = 0
def h(*_):
    global n; n += 1
signal.signal(signal.SIGALRM, h); signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
while n < 3: signal.pause()
signal.setitimer(signal.ITIMER_REAL, 0); print(n)
### alarm without a handler
import subprocess, sys
print(subprocess.run([sys.executable, "-c", "import signal, time; signal.alarm(1); time.sleep(20)"]).returncode)
### a timeout by alarm, and none
import signal, contextlib
@contextlib.contextmanager
def limit(s):
    def h(*_): raise TimeoutError
    old = signal.signal(signal.SIGALRM, h); signal.setitimer(signal.ITIMER_REAL, s)
    try: yield
    finally: signal.setitimer(signal.ITIMER_REAL, 0); signal.signal(signal.SIGALRM, old)
with limit(5): print("quick")
try:
    with limit(0.05):
        while True: sum(range(1000))
except TimeoutError: print("timeout")
### fwalk and scandir of a descriptor
import os
os.makedirs("a/b/c"); open("a/f", "w").write("12345"); open("a/b/g", "w").close(); os.symlink("f", "a/l")
for root, dirs, files, fd in os.fwalk("a"): print(root, sorted(dirs), sorted((n, os.stat(n, dir_fd=fd).st_size) for n in files))
print([(r, sorted(d)) for r, d, f, fd in os.fwalk("a", topdown=False)])
fd = os.open("a", os.O_RDONLY)
with os.scandir(fd) as it: print(sorted((e.name, e.path, e.is_dir(), e.is_file(), e.is_symlink(), e.stat().st_size if e.is_file() else 0) for e in it))
print(sorted(os.listdir(fd)), [r for r, *_ in os.fwalk(dir_fd=fd)]); os.close(fd)
### sendfile and copy_file_range
import os
open("x", "wb").write(b"0123456789"); i, o = os.open("x", os.O_RDONLY), os.open("y", os.O_RDWR | os.O_CREAT)
print(os.sendfile(o, i, 2, 3), os.sendfile(o, i, 8, 10), os.copy_file_range(i, o, 4), os.copy_file_range(i, o, 2, 0, 1), os.pread(o, 100, 0))
os.posix_fallocate(o, 0, 20); b = bytearray(3), bytearray(4); print(os.fstat(o).st_size, os.preadv(o, b, 1), b, os.pwritev(o, [b"AB", b"C"], 0), os.pread(o, 5, 0))
### mmap: reading
import mmap, re
open("f", "wb").write(b"first line\nsecond line\nlast")
with open("f", "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
    print(len(m), m[:5], m[0], m[-1], m.find(b"line"), m.rfind(b"line"), m.readline(), m.tell(), m.read(6), m.size(), b"last" in m, b"t" in m, m.closed); m.seek(0)
    print(re.findall(rb"\w+ line", m), bytes(m[6:10]), [l for l in iter(m.readline, b"")], bytes(memoryview(m)[:3]))
    for change in (lambda: m.__setitem__(0, 1), lambda: m.write(b"x")):
        try: change()
        except TypeError as e: print(e)
print(m.closed)
try: m[0]
except ValueError as e: print(e)
### mmap: writing
import mmap
open("f", "wb").write(b"0123456789")
with open("f", "r+b") as f:
    m = mmap.mmap(f.fileno(), 0); m[0:2] = b"AB"; m[9] = ord("Z"); m.seek(4); m.write(b"xy"); m.move(6, 0, 2); m.flush(); print(m[:], open("f", "rb").read()); m.close()
    m = mmap.mmap(f.fileno(), 4, access=mmap.ACCESS_COPY); m[0] = 0; m.close(); print(open("f", "rb").read())
    m = mmap.mmap(f.fileno(), 0); m.resize(12); print(len(m), m[10:])
    for bad in (lambda: m.__setitem__(slice(0, 2), b"x"), lambda: m.seek(99), lambda: m[99], lambda: mmap.mmap(f.fileno(), 99)):
        try: bad()
        except (ValueError, IndexError) as e: print(type(e).__name__, e)
m = mmap.mmap(-1, 13); m.write(b"Hello world!"); m.seek(0); print(m.readline(), len(m))
open("e", "w").close()
try: mmap.mmap(open("e", "r+b").fileno(), 0)
except ValueError as e: print(e)
