### start and join
import threading, time
done = []
def work(n): time.sleep(0.1 * (3 - n)); done.append(n)
ts = [threading.Thread(target=work, args=(n,), name=f"w{n}") for n in range(3)]
for t in ts: t.start()
print([t.is_alive() for t in ts], threading.active_count())
for t in ts: t.join()
print(done, [t.is_alive() for t in ts], [t.name for t in ts], threading.active_count(), threading.enumerate() == [threading.main_thread()])
### names and identities
import threading
seen = []
def f(): t = threading.current_thread(); seen.append((t.name, t.daemon, t.ident == threading.get_ident(), t.native_id == threading.get_native_id(), t is threading.main_thread()))
for t in (threading.Thread(target=f), threading.Thread(target=f, daemon=True), threading.Thread(target=f, name="x")): t.start(); t.join()
f(); print(seen)
t = threading.Thread(target=f)
print(t.ident, t.is_alive(), t.name)
try: t.join()
except RuntimeError as e: print(e)
t.start(); t.join()
try: t.start()
except RuntimeError as e: print(e)
try: threading.current_thread().join()
except RuntimeError as e: print(e)
### a subclass, keyword arguments, methods and callables
import threading, functools
class T(threading.Thread):
    def __init__(self, n): super().__init__(); self.n = n
    def run(self): self.result = self.n ** 2
ts = [T(n) for n in range(4)]
[t.start() for t in ts]; [t.join() for t in ts]; print([t.result for t in ts])
out = []
class C:
    def m(self, a, b=0): out.append(("m", a, b))
    def __call__(self, a): out.append(("call", a))
c = C()
for target, args, kwargs in ((c.m, (1,), {"b": 2}), (c, (3,), {}), (functools.partial(c.m, 4), (), {"b": 5}), (out.append, (6,), {}), (None, (), {})):
    t = threading.Thread(target=target, args=args, kwargs=kwargs); t.start(); t.join()
print(out)
### a lock around a counter that is slept on
import threading, time
lock = threading.Lock(); n = 0
def add():
    global n
    for _ in range(5):
        with lock: v = n; time.sleep(0.0005); n = v + 1
ts = [threading.Thread(target=add) for _ in range(6)]
[t.start() for t in ts]; [t.join() for t in ts]; print(n, lock.locked())
### locks
import threading
l = threading.Lock(); print(l.acquire(), l.acquire(False), l.acquire(blocking=False), l.acquire(timeout=0.01), l.locked(), repr(l).split(" at ")[0], l.release(), repr(l).split(" at ")[0], type(l))
try: l.release()
except RuntimeError as e: print(e)
for a in ((False, 1), (True, -2), (True, 1e20)):
    try: l.acquire(*a)
    except (ValueError, OverflowError) as e: print(type(e).__name__)
r = threading.RLock(); print(r.acquire(), r.acquire(), repr(r).split(" owner")[0], "count=2" in repr(r)); r.release(); r.release()
try: r.release()
except RuntimeError as e: print(e)
import pickle, copy
for x in (l, r):
    for f in (pickle.dumps, copy.deepcopy):
        try: f(x)
        except TypeError as e: print(e)
print(isinstance(l, type(threading.Lock())), isinstance(r, type(threading.RLock())))
### another thread's rlock
import threading
r = threading.RLock(); got = []
r.acquire()
def f():
    got.append(r.acquire(False)); got.append(r.acquire(timeout=0.01))
    try: r.release()
    except RuntimeError as e: got.append(str(e))
    with r: got.append("in")
t = threading.Thread(target=f); t.start(); t.join(0.05); print(got, t.is_alive()); r.release(); t.join(); print(got)
### events
import threading
a, b = threading.Event(), threading.Event(); log = []
def ping():
    for i in range(3): a.wait(); a.clear(); log.append(("ping", i)); b.set()
def pong():
    for i in range(3): a.set(); b.wait(); b.clear(); log.append(("pong", i))
ts = [threading.Thread(target=f) for f in (ping, pong)]
[t.start() for t in ts]; [t.join() for t in ts]; print(log, a.wait(0.01), a.is_set(), b.wait(timeout=0))
### a loop until an event is set
import threading, time
stop, n = threading.Event(), 0
def spin():
    global n
    while not stop.is_set(): n += 1
t = threading.Thread(target=spin); t.start(); time.sleep(0.02); stop.set(); t.join(); print(n > 0, t.is_alive())
### conditions
import threading
c = threading.Condition(); items = []; got = []
def consume():
    for _ in range(5):
        with c:
            while not items: c.wait()
            got.append(items.pop(0))
def produce():
    for i in range(5):
        with c: items.append(i); c.notify()
ts = [threading.Thread(target=consume), threading.Thread(target=produce)]
[t.start() for t in ts]; [t.join() for t in ts]; print(got)
with c: print(c.wait(0.01), c.wait_for(lambda: True), c.wait_for(lambda: False, 0.01))
try: c.notify()
except RuntimeError as e: print(e)
try: c.wait()
except RuntimeError as e: print(e)
### semaphores
import threading, time
s = threading.Semaphore(2); inside = most = 0
def f():
    global inside, most
    with s: inside += 1; most = max(most, inside); time.sleep(0.003); inside -= 1
ts = [threading.Thread(target=f) for _ in range(6)]
[t.start() for t in ts]; [t.join() for t in ts]; print(most, inside, s.acquire(False), s.acquire(False), s.acquire(False), s.acquire(timeout=0.01))
b = threading.BoundedSemaphore(1)
try: b.release()
except ValueError as e: print(e)
### barriers
import threading
b = threading.Barrier(3, action=lambda: log.append("all")); log = []; order = []
def f(n): i = b.wait(); order.append(i); log.append("past")
ts = [threading.Thread(target=f, args=(n,)) for n in range(3)]
[t.start() for t in ts]; [t.join() for t in ts]; print(log, sorted(order), b.broken, b.parties, b.n_waiting)
b = threading.Barrier(2, timeout=0.01); errors = []
def g():
    try: b.wait()
    except threading.BrokenBarrierError as e: errors.append(type(e).__name__)
t = threading.Thread(target=g); t.start(); t.join(); print(errors, b.broken)
b.reset(); print(b.broken); b.abort()
try: b.wait()
except threading.BrokenBarrierError: print("broken")
### timers
import threading, time
log = []
t = threading.Timer(0.01, log.append, ["late"]); t.start(); u = threading.Timer(5, log.append, ["never"]); u.start(); u.cancel(); t.join(); u.join(); print(log, t.finished.is_set())
### local data
import threading
d = threading.local(); d.x = "main"; seen = {}
class L(threading.local):
    y = 1
    def __init__(self, z): self.z = z
l = L(5)
def f(n):
    seen[n] = [hasattr(d, "x"), l.y, l.z]; d.x = n; l.z += n; threading.Event().wait(0.005); seen[n] += [d.x, l.z]
ts = [threading.Thread(target=f, args=(n,)) for n in range(3)]
[t.start() for t in ts]; [t.join() for t in ts]; print(sorted(seen.items()), d.x, l.z)
### context variables
import threading, contextvars, concurrent.futures as cf, asyncio
v = contextvars.ContextVar("v", default="none"); v.set("main"); out = []
def f(n): v.set(n); threading.Event().wait(0.003); out.append(v.get())
ts = [threading.Thread(target=f, args=(n,)) for n in range(3)]
[t.start() for t in ts]; [t.join() for t in ts]; print(sorted(out), v.get())
async def main():
    v.set("task")
    def g(): threading.Event().wait(0.002); r = v.get(); v.set("changed"); return r
    return await asyncio.to_thread(g), v.get()
print(asyncio.run(main()), v.get())
### a bounded queue, both ways round
import threading, queue
def run(first):
    q = queue.Queue(maxsize=2); got = []
    def produce():
        for i in range(20): q.put(i)
        q.put(None)
    def consume():
        while (x := q.get()) is not None: got.append(x)
    a, b = threading.Thread(target=produce), threading.Thread(target=consume)
    for t in (a, b) if first else (b, a): t.start()
    for t in (b, a) if first else (a, b): t.join()
    return got == list(range(20)), q.empty()
print(run(True), run(False))
### iter with a sentinel
import threading, queue
q = queue.Queue(); got = []
def consume():
    for x in iter(q.get, None): got.append(x * 2)
t = threading.Thread(target=consume); t.start()
for i in range(5): q.put(i)
q.put(None); t.join(); print(got)
### a pool of daemons and join of the queue
import threading, queue
q, lock, done = queue.Queue(), threading.Lock(), []
def worker():
    while True:
        item = q.get()
        try:
            with lock: done.append(item ** 2)
        finally: q.task_done()
for _ in range(3): threading.Thread(target=worker, daemon=True).start()
for i in range(10): q.put(i)
q.join(); print(sorted(done), q.unfinished_tasks)
for i in range(3): q.put(i)
q.join(); print(len(done))
### other queues
import threading, queue
p, l, s = queue.PriorityQueue(), queue.LifoQueue(), queue.SimpleQueue()
def fill():
    for i in (3, 1, 2): p.put(i); l.put(i); s.put(i)
t = threading.Thread(target=fill); t.start()
print([p.get(timeout=1) for _ in range(3)]); t.join(); print([l.get() for _ in range(3)], [s.get() for _ in range(3)], s.empty(), s.qsize())
for call in (lambda: queue.Queue().get(timeout=0.01), lambda: queue.Queue().get_nowait(), lambda: s.get(timeout=0.01), lambda: s.get_nowait()):
    try: call()
    except queue.Empty: print("empty")
q = queue.Queue(1); q.put(1)
for call in (lambda: q.put(2, timeout=0.01), lambda: q.put_nowait(2)):
    try: call()
    except queue.Full: print("full")
### an exception in a thread
import threading
def f(): raise ValueError("from a thread")
t = threading.Thread(target=f); t.start(); t.join(); print(t.is_alive(), "main goes on")
### the hook for exceptions
import threading, sys
seen = []
threading.excepthook = lambda a: seen.append((a.exc_type.__name__, str(a.exc_value), a.thread.name, a.exc_traceback is not None))
def f(): {}["k"]
t = threading.Thread(target=f, name="n"); t.start(); t.join()
t = threading.Thread(target=sys.exit); t.start(); t.join(); print(seen)
### threads that go on after the main program
import threading, time, atexit
atexit.register(print, "atexit")
def f(): time.sleep(0.2); print("thread ends")
threading.Thread(target=f).start()
print("main ends")
### a daemon does not keep the process
import threading, time
def f():
    try: time.sleep(30); print("never")
    finally: print("never")
threading.Thread(target=f, daemon=True).start()
time.sleep(0.01); print("main ends")
### exit with threads
import threading, time, sys
def f(): time.sleep(0.01); print("thread")
threading.Thread(target=f).start()
sys.exit(3)
### an error of the main thread, with threads
import threading, time
def f(): time.sleep(0.01); print("thread")
threading.Thread(target=f).start()
raise KeyError("main")
### handled exceptions stay with their threads
import threading, time, sys
out = []
def f(n):
    try: raise ValueError(n)
    except ValueError:
        time.sleep(0.003); out.append(str(sys.exception()))
        try: raise KeyError(n)
        except KeyError as e: time.sleep(0.002); out.append((type(e.__context__).__name__, str(e.__context__)))
ts = [threading.Thread(target=f, args=(n,)) for n in range(3)]
[t.start() for t in ts]; [t.join() for t in ts]; print(sorted(map(str, out)), sys.exception())
### generators, recursion and deep stacks that wait
import threading, time
def deep(n): return time.sleep(0.001) or 0 if n == 0 else deep(n - 1) + 1
def numbers(k):
    for i in range(3): time.sleep(0.001); yield i * k
out = {}
def f(k): out[k] = (deep(50 * k), list(numbers(k)), [x for x in numbers(k)], sorted(range(3), key=lambda x: (time.sleep(0.001), -x)[1]))
ts = [threading.Thread(target=f, args=(k,)) for k in range(1, 5)]
[t.start() for t in ts]; [t.join() for t in ts]; print(sorted(out.items()))
### many threads
import threading, time
n = 0; lock = threading.Lock()
def f():
    global n
    time.sleep(0.001)
    with lock: n += 1
ts = [threading.Thread(target=f) for _ in range(300)]
[t.start() for t in ts]; [t.join() for t in ts]; print(n)
### _thread
import _thread, time
out = []
def f(*a, **k): out.append((a, k)); lock.release()
lock = _thread.allocate_lock(); lock.acquire(); i = _thread.start_new_thread(f, (1, 2), {"k": 3}); lock.acquire(); print(out, isinstance(i, int), _thread.get_ident() != i)
def g(): lock.release(); _thread.exit(); out.append("never")
_thread.start_new_thread(g, ()); lock.acquire(); time.sleep(0.01); print(len(out))
for args in ((1, ()), (f, [])):
    try: _thread.start_new_thread(*args)
    except TypeError as e: print(e)
### executor: map and submit
from concurrent.futures import ThreadPoolExecutor
import time, threading
with ThreadPoolExecutor(max_workers=4) as ex:
    print(list(ex.map(lambda x: x * x, range(10))), list(ex.map(pow, [2, 3], [5, 2])))
    f = ex.submit(lambda a, b=1: a + b, 1, b=2); print(f.result(), f.done(), f.exception(), f.cancel(), f.cancelled())
    t = time.monotonic(); list(ex.map(time.sleep, [0.2] * 4)); print(time.monotonic() - t < 0.7)
try: ex.submit(print)
except RuntimeError as e: print(e)
### executor: exceptions and timeouts
from concurrent.futures import ThreadPoolExecutor, TimeoutError
import threading
def bad(x): raise ValueError(f"bad {x}")
go = threading.Event()
with ThreadPoolExecutor(2) as ex:
    f = ex.submit(bad, 1)
    try: f.result()
    except ValueError as e: print(e, repr(f.exception()))
    slow = ex.submit(go.wait)
    try: slow.result(timeout=0.01)
    except TimeoutError: print("timeout", slow.running())
    go.set(); print(slow.result())
    it = ex.map(bad, [1, 2])
    try: next(it)
    except ValueError as e: print(e)
### executor: as_completed and wait
from concurrent.futures import *
import time
with ThreadPoolExecutor(3) as ex:
    fs = {ex.submit(lambda n=n: (time.sleep(n / 10), n)[1]): n for n in (3, 1, 2)}
    print([(fs[f], f.result()) for f in as_completed(fs)])
    fs = [ex.submit(time.sleep, s) for s in (0, 0.5)]
    d, n = wait(fs, return_when=FIRST_COMPLETED); print(len(d), len(n)); d, n = wait(fs, timeout=0.01); print(len(d), len(n)); d, n = wait(fs); print(len(d), len(n))
    def bad(): raise KeyError
    d, n = wait([ex.submit(bad), ex.submit(time.sleep, 0.5)], return_when=FIRST_EXCEPTION); print(len(d), len(n))
    try: list(as_completed([ex.submit(time.sleep, 0.5)], timeout=0.01))
    except TimeoutError as e: print(e)
### executor: cancelling, callbacks, names, initializer
from concurrent.futures import *
import threading
go = threading.Event(); log = []
ex = ThreadPoolExecutor(1, thread_name_prefix="pre", initializer=log.append, initargs=("init",))
a = ex.submit(go.wait); b = ex.submit(print, "never"); b.add_done_callback(lambda f: log.append(("done", f.cancelled())))
while not a.running(): threading.Event().wait(0.001)
print(b.cancel(), b.cancelled(), a.cancel()); go.set(); print(a.result(), ex.submit(lambda: threading.current_thread().name).result(), log)
try: b.result()
except CancelledError: print("cancelled")
c = [ex.submit(threading.Event().wait, 0.02) for _ in range(3)]; ex.shutdown(wait=True, cancel_futures=True); print([f.cancelled() for f in c][1:])
def boom(): raise ValueError
ex = ThreadPoolExecutor(1, initializer=boom)
try: ex.submit(print).result()
except BrokenExecutor as e: print(type(e).__name__, e)
### executor without shutdown
from concurrent.futures import ThreadPoolExecutor
import time
ex = ThreadPoolExecutor(2)
def f(n): time.sleep(0.3 * n); print("did", n)
for n in (1, 2): ex.submit(f, n)
print("main ends")
### asyncio.to_thread and run_in_executor
import asyncio, time, threading
from concurrent.futures import ThreadPoolExecutor
async def main():
    t = time.monotonic()
    print(await asyncio.gather(*(asyncio.to_thread(lambda n=n: (time.sleep(0.2), n)[1]) for n in range(4))), time.monotonic() - t < 0.7)
    loop = asyncio.get_running_loop(); ticks = 0
    async def tick():
        nonlocal ticks
        while True: ticks += 1; await asyncio.sleep(0.005)
    task = asyncio.create_task(tick())
    print(await loop.run_in_executor(None, lambda: (time.sleep(0.2), "x")[1]), ticks > 3); task.cancel()
    with ThreadPoolExecutor(2) as ex: print(await asyncio.gather(*[loop.run_in_executor(ex, pow, 2, n) for n in range(5)]))
    try: await asyncio.to_thread(lambda: 1 / 0)
    except ZeroDivisionError as e: print(e)
    try: await asyncio.wait_for(asyncio.to_thread(time.sleep, 0.5), 0.01)
    except asyncio.TimeoutError: print("timeout")
asyncio.run(main())
### a loop in a thread
import asyncio, threading
loop = asyncio.new_event_loop()
t = threading.Thread(target=loop.run_forever, daemon=True); t.start()
async def add(a, b): await asyncio.sleep(0.005); return a + b
fs = [asyncio.run_coroutine_threadsafe(add(n, 1), loop) for n in range(3)]
print([f.result(timeout=5) for f in fs]); loop.call_soon_threadsafe(loop.stop); t.join(); loop.close()
out = []
def run(n): out.append(asyncio.run(add(n, n)))
ts = [threading.Thread(target=run, args=(n,)) for n in range(3)]
[t.start() for t in ts]; [t.join() for t in ts]; print(sorted(out))
### a queue between threads and a loop
import asyncio, threading, time
async def main():
    q, loop = asyncio.Queue(), asyncio.get_running_loop()
    def feed():
        for i in range(3): time.sleep(0.003); loop.call_soon_threadsafe(q.put_nowait, i)
    threading.Thread(target=feed).start()
    print([await q.get() for _ in range(3)])
asyncio.run(main())
### children of threads
import subprocess, threading
out = {}
def f(n): out[n] = subprocess.run(["sh", "-c", f"sleep 0.0{n}; echo {n}"], capture_output=True, text=True).stdout
ts = [threading.Thread(target=f, args=(n,)) for n in range(4)]
[t.start() for t in ts]; [t.join() for t in ts]; print(sorted(out.items()))
p = subprocess.Popen(["sh", "-c", "echo a; echo b; echo c >&2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True); got = []
def read(name, stream):
    for line in stream: got.append((name, line.strip()))
ts = [threading.Thread(target=read, args=a) for a in (("out", p.stdout), ("err", p.stderr))]
[t.start() for t in ts]; [t.join() for t in ts]; print(p.wait(), sorted(got))
### a pipe between threads
import os, threading
r, w = os.pipe(); got = []
def read():
    while (d := os.read(r, 10)): got.append(d)
t = threading.Thread(target=read); t.start()
for i in range(3): os.write(w, b"x%d" % i); threading.Event().wait(0.002)
os.close(w); t.join(); print(b"".join(got))
### logging from threads
import logging, logging.handlers, queue, threading, sys
logging.basicConfig(stream=sys.stdout, format="%(threadName)s %(message)s", level=logging.INFO)
ts = [threading.Thread(target=logging.info, args=("hello",), name=f"t{n}") for n in range(2)]
for t in ts: t.start(); t.join()
q = queue.Queue(); got = []
class H(logging.Handler):
    def emit(self, r): got.append(r.getMessage())
ql = logging.handlers.QueueListener(q, H()); log = logging.getLogger("q"); log.propagate = False; log.addHandler(logging.handlers.QueueHandler(q)); ql.start()
for i in range(3): log.warning("m%d", i)
ql.stop(); print(got)
### sched and timers together
import sched, time, threading
s = sched.scheduler(time.monotonic, time.sleep); log = []
for d, n in ((0.02, "b"), (0.01, "a")): s.enter(d, 1, log.append, (n,))
t = threading.Thread(target=s.run); t.start(); t.join(); print(log)
### trace and profile functions
import threading, sys
calls = []
def f(): pass
threading.setprofile(lambda frame, event, arg: calls.append(event) if frame.f_code is f.__code__ else None)
t = threading.Thread(target=f); t.start(); t.join(); threading.setprofile(None); print(calls, sys.getprofile())
threading.settrace(lambda *a: None); t = threading.Thread(target=f); t.start(); t.join(); threading.settrace(None); print(sys.gettrace(), threading.gettrace())
### a thread pool of multiprocessing
from multiprocessing.pool import ThreadPool
from multiprocessing.dummy import Pool
import time
with ThreadPool(3) as p:
    print(p.map(lambda x: x * 2, range(5)), p.apply(pow, (2, 3)), p.apply_async(sum, ([1, 2],)).get(), sorted(p.imap_unordered(abs, [-1, -2])), list(p.imap(abs, [-3])), p.starmap(pow, [(2, 2), (3, 2)]))
p = Pool(2); print(p.map(str, [1, 2])); p.close(); p.join()
### a signal while threads wait for files
import os, signal, threading, subprocess
e = threading.Event(); signal.signal(signal.SIGUSR1, lambda *_: e.set()); r, w = os.pipe()
threading.Thread(target=os.read, args=(r, 1), daemon=True).start()
subprocess.Popen(["sh", "-c", f"sleep 0.1; kill -USR1 {os.getpid()}"]); print(e.wait(20))
### an interrupt while threads run
import os, signal, threading, time
stop = threading.Event()
def work():
    while not stop.wait(0.005): pass
ts = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in ts]; threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try: time.sleep(20)
except KeyboardInterrupt: print("interrupted")
stop.set(); [t.join() for t in ts]; print("end")
### the philosophers
import threading, time
forks, meals = [threading.Lock() for _ in range(5)], [0] * 5
def philosopher(i):
    a, b = sorted((i, (i + 1) % 5))
    for _ in range(10):
        with forks[a]:
            time.sleep(0.0002)
            with forks[b]: meals[i] += 1
ts = [threading.Thread(target=philosopher, args=(i,)) for i in range(5)]
[t.start() for t in ts]; [t.join() for t in ts]; print(meals)
### executors in executors
from concurrent.futures import ThreadPoolExecutor
def outer(x):
    with ThreadPoolExecutor(2) as e: return sum(e.map(lambda y: y + 1, range(x)))
with ThreadPoolExecutor(3) as e: print(list(e.map(outer, range(6))))
### data of a thread goes with it
import threading, weakref, gc
class X: pass
l, refs = threading.local(), []
def f(): l.x = X(); refs.append(weakref.ref(l.x))
t = threading.Thread(target=f); t.start(); t.join(); del t; gc.collect(); print(refs[0]() is None)
### deep recursion in threads
import threading, time
out = []
def deep(n):
    if n % 100 == 0: time.sleep(0)
    return deep(n + 1)
def f():
    try: deep(1)
    except RecursionError: out.append("too deep")
ts = [threading.Thread(target=f) for _ in range(3)]
[t.start() for t in ts]; [t.join() for t in ts]; print(out)
### one object for all threads
import threading, time
class One:
    made, only, lock = 0, None, threading.Lock()
    def __new__(cls):
        if cls.only is None:
            with cls.lock:
                if cls.only is None: time.sleep(0.01); One.made += 1; cls.only = super().__new__(cls)
        return cls.only
out = []
ts = [threading.Thread(target=lambda: out.append(One())) for _ in range(10)]
[t.start() for t in ts]; [t.join() for t in ts]; print(len(set(map(id, out))), One.made)
### stages of a pipeline
import threading, queue
def stage(f, i, o):
    for x in iter(i.get, None): o.put(f(x))
    o.put(None)
qs = [queue.Queue(3) for _ in range(4)]
ts = [threading.Thread(target=stage, args=(f, qs[k], qs[k + 1])) for k, f in enumerate((lambda x: x + 1, lambda x: x * 2, str))]
[t.start() for t in ts]
def feed():
    for i in range(12): qs[0].put(i)
    qs[0].put(None)
threading.Thread(target=feed).start(); print(list(iter(qs[3].get, None))); [t.join() for t in ts]
