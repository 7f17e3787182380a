### a pool
import multiprocessing as mp, os
def square(x): return x * x
if __name__ == "__main__":
    mp.set_start_method("spawn")
    with mp.Pool(2) as p:
        print(p.map(square, range(5)), p.apply(pow, (2, 5)), p.starmap(pow, [(2, 3), (3, 2)]), sorted(p.imap_unordered(square, [3, 4])), list(p.imap(square, [5])))
        r = p.map_async(square, [1, 2]); print(r.get(timeout=30), r.successful())
        print(p.apply(os.getpid) != os.getpid())
### a pool: errors
import multiprocessing as mp
def bad(x): raise ValueError(f"bad {x}")
if __name__ == "__main__":
    with mp.get_context("spawn").Pool(1) as p:
        try: p.map(bad, [1])
        except ValueError as e: print(e)
        try: p.apply_async(lambda: 1).get()
        except Exception as e: print("not pickled")
### processes
import multiprocessing as mp, os, sys
def f(q, n): q.put((n, mp.current_process().name, os.getppid()))
def code(n): sys.exit(n)
def boom(): raise KeyError("child")
if __name__ == "__main__":
    ctx = mp.get_context("spawn"); q = ctx.Queue()
    ps = [ctx.Process(target=f, args=(q, n), name=f"p{n}") for n in range(2)]
    for p in ps: p.start()
    print(sorted((n, name, pid == os.getpid()) for n, name, pid in (q.get(), q.get())))
    for p in ps: p.join()
    print([p.exitcode for p in ps], [p.is_alive() for p in ps], mp.active_children())
    p = ctx.Process(target=code, args=(3,)); p.start(); p.join(); print(p.exitcode)
    p = ctx.Process(target=boom); p.start(); p.join(); print(p.exitcode)
    p = ctx.Process(target=__import__("time").sleep, args=(30,)); p.start(); p.terminate(); p.join(); print(p.exitcode)
### pipes, events and locks between processes
import multiprocessing as mp
def f(c, e, l, s):
    with l: c.send([c.recv() * 2, "x" * 100000])
    e.set(); s.release(); c.close()
if __name__ == "__main__":
    ctx = mp.get_context("spawn"); a, b = ctx.Pipe(); e, l, s = ctx.Event(), ctx.Lock(), ctx.Semaphore(0)
    p = ctx.Process(target=f, args=(b, e, l, s)); p.start(); b.close(); a.send(21)
    n, x = a.recv(); print(n, len(x), e.wait(30), s.acquire(timeout=30), a.poll(1)); p.join()
    try: a.recv()
    except EOFError: print("end")
    r = ctx.RLock(); print(r.acquire(), r.acquire(), r.release(), r.release(), l.acquire(timeout=0.1), l.acquire(False))
    for x in (r, ctx.BoundedSemaphore(1)):
        try: x.release()
        except (AssertionError, ValueError) as error: print(error)
### a queue that is joined
import multiprocessing as mp
def work(q, out):
    while (x := q.get()) is not None: out.put(x + 1); q.task_done()
    q.task_done()
if __name__ == "__main__":
    ctx = mp.get_context("spawn"); q, out = ctx.JoinableQueue(), ctx.Queue()
    p = ctx.Process(target=work, args=(q, out)); p.start()
    for i in (1, 2, 3, None): q.put(i)
    q.join(); print(sorted(out.get() for _ in range(3)), out.empty()); p.join(); print(p.exitcode)
### process pool executor
from concurrent.futures import ProcessPoolExecutor, as_completed
import multiprocessing as mp, os
def square(x): return x * x
def bad(): raise ValueError("from the child")
def die(): os._exit(3)
if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=mp.get_context("spawn")) as ex:
        print(list(ex.map(square, range(6), chunksize=2)), sorted(f.result() for f in as_completed([ex.submit(square, n) for n in (7, 8)])))
        try: ex.submit(bad).result()
        except ValueError as e: print(e)
    from concurrent.futures.process import BrokenProcessPool
    with ProcessPoolExecutor(1, mp_context=mp.get_context("spawn")) as ex:
        try: ex.submit(die).result()
        except BrokenProcessPool as e: print("broken")
### an executor of processes in asyncio
import asyncio, multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
def f(n): return n + 1
async def main():
    with ProcessPoolExecutor(1, mp_context=mp.get_context("spawn")) as ex:
        print(await asyncio.gather(*[asyncio.get_running_loop().run_in_executor(ex, f, n) for n in range(3)]))
if __name__ == "__main__": asyncio.run(main())
### managers
import multiprocessing as mp
def work(d, l, lock, n):
    with lock: d[n] = n * n; l.append(n); d["sum"] = d.get("sum", 0) + n
if __name__ == "__main__":
    ctx = mp.get_context("spawn")
    with ctx.Manager() as m:
        d, l, lock, q, v, ns = m.dict(), m.list(), m.Lock(), m.Queue(), m.Value("i", 3), m.Namespace()
        ps = [ctx.Process(target=work, args=(d, l, lock, n)) for n in range(3)]
        for p in ps: p.start()
        for p in ps: p.join()
        q.put("x"); v.value += 1; ns.a = 5; print(sorted(map(str, d.items())), sorted(l), q.get(), v.value, ns.a, len(d), [p.exitcode for p in ps])
        try: d["none"]
        except KeyError as e: print("KeyError", e)
### values and arrays
import multiprocessing as mp
def work(v, a, raw, n):
    for _ in range(20):
        with v.get_lock(): v.value += 1
    a[n] = n * 1.5; raw[n] += n
if __name__ == "__main__":
    ctx = mp.get_context("spawn"); v, a, raw, s = ctx.Value("i", 5), ctx.Array("d", 3), ctx.RawArray("h", [10, 20, 30]), ctx.Array("c", b"hello")
    ps = [ctx.Process(target=work, args=(v, a, raw, n)) for n in range(3)]
    for p in ps: p.start()
    for p in ps: p.join()
    print(v.value, list(a), a[:], a[-1], len(a), raw[:], s.value, s.raw, [p.exitcode for p in ps])
    with v.get_lock(): v.value = 2**31 + 3
    s.value = b"hi"; a[0:2] = [7, 8]; print(v.value, s.value, a[:], mp.Value("d").value, ctx.Value("b", 1, lock=False).value)
    for bad in (lambda: a[9], lambda: a.__setitem__(slice(0, 2), [1])):
        try: bad()
        except (IndexError, ValueError) as e: print(type(e).__name__, e)
