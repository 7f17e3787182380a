### hello
print("hello", 1, 2.5, None, True, sep=", ", end="!\n")
### closures keep their variables
def counter():
    n = 0
    def step():
        nonlocal n
        n += 1
        return n
    return step
a, b = counter(), counter()
print(a(), a(), b())
### default arguments are made once
def f(x, l=[]):
    l.append(x); return l
print(f(1), f(2), f(3, []))
### unpacking
a, *b, c = range(5); (d, e), f = (1, 2), 3
print(a, b, c, d, e, f, [*b, *"xy"], {**{"k": 1}, "j": 2})
### keyword-only and positional-only
def f(a, /, b, *, c=3): return a, b, c
print(f(1, b=2), f(1, 2, c=4))
try: f(a=1, b=2)
except TypeError as e: print(type(e).__name__)
### comprehension scopes
x = 5
print([x for x in range(3)], x, {k: v for k, v in zip("ab", (1, 2))}, {c for c in "aab"} == {"a", "b"}, sum(i * i for i in range(10)))
### generators
def g():
    got = yield 1
    print("got", got)
    yield from (2, 3)
    return 4
it = g(); print(next(it), it.send("x"), next(it))
try: next(it)
except StopIteration as e: print("end", e.value)
### context managers
class C:
    def __enter__(self): print("in"); return self
    def __exit__(self, kind, value, tb): print("out", kind and kind.__name__); return True
with C(): raise ValueError("x")
print("after")
### try, else, finally
def f(n):
    try:
        if n: raise KeyError(n)
    except KeyError as e: return "except", e.args
    else: return "else"
    finally: print("finally")
print(f(0), f(1))
### chained exceptions
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise ValueError("bad") from e
except ValueError as e: print(repr(e), repr(e.__cause__))
### exception groups
try: raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
except* ValueError as g: print("v", g.exceptions)
except* TypeError as g: print("t", g.exceptions)
### match
def m(x):
    match x:
        case 0: return "zero"
        case int(n) if n < 0: return "negative"
        case [a, *rest]: return a, rest
        case {"k": v, **more}: return v, more
        case str() | bytes(): return "text"
        case _: return "other"
print(m(0), m(-3), m([1, 2, 3]), m({"k": 1, "z": 2}), m("s"), m(b""), m(1.5))
### walrus
if (n := len("hello")) > 3: print(n)
print([y for x in range(5) if (y := x * x) % 2])
### classes, inheritance and super
class A:
    def who(self): return "A"
class B(A):
    def who(self): return "B" + super().who()
class C(A):
    def who(self): return "C" + super().who()
class D(B, C): pass
print(D().who(), [k.__name__ for k in D.__mro__])
### properties and descriptors
class T:
    def __init__(self): self._c = 0
    @property
    def f(self): return self._c * 9 / 5 + 32
    @f.setter
    def f(self, v): self._c = (v - 32) * 5 / 9
t = T(); t.f = 212; print(t._c, t.f)
class Typed:
    def __set_name__(self, o, n): self.n = n
    def __get__(self, i, o): return i.__dict__[self.n]
    def __set__(self, i, v):
        if not isinstance(v, int): raise TypeError(self.n)
        i.__dict__[self.n] = v
class P: x = Typed()
p = P(); p.x = 3; print(p.x)
try: p.x = "s"
except TypeError as e: print("refused", e)
### slots
class S: __slots__ = ("a",)
s = S(); s.a = 1
try: s.b = 2
except AttributeError: print("no b")
### operator overloading
class V:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return V(self.x + o.x, self.y + o.y)
    def __mul__(self, k): return V(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __repr__(self): return f"V({self.x}, {self.y})"
print(V(1, 2) + V(3, 4), 2 * V(1, 2), V(1, 1) == V(1, 1))
### decorators with arguments
import functools
def times(n):
    def deco(f):
        @functools.wraps(f)
        def g(*a): return [f(*a) for _ in range(n)]
        return g
    return deco
@times(2)
def hi(x): "doc"; return x
print(hi(3), hi.__name__, hi.__doc__)
### metaclasses
class M(type):
    def __new__(m, name, bases, d): d["tag"] = name.lower(); return super().__new__(m, name, bases, d)
class K(metaclass=M): pass
print(K.tag, type(K).__name__)
### init_subclass and class_getitem
class Base:
    kinds = []
    def __init_subclass__(cls, **kw): Base.kinds.append((cls.__name__, kw)); super().__init_subclass__()
    def __class_getitem__(cls, k): return f"{cls.__name__}[{k}]"
class X(Base, tag=1): pass
print(Base.kinds, Base[3])
### f-strings
x, w = 3.14159, 10
print(f"{x:.2f}|{x:>{w}.1f}|{w!r:<5}|{w=}|{'a' + 'b'}|{{}}|{1234567:,}|{255:#x}|{0.5:%}")
### global and nonlocal
g = 1
def f():
    global g
    g += 1
f(); print(g)
### loops with else
for i in range(3):
    if i == 5: break
else: print("no break")
while True: break
else: print("never")
### del, is, in, not
l = [1, 2, 3]; del l[0]; print(l, 2 in l, 9 not in l, l is l, l is not [2, 3])
### chained comparison
print(1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True)
### ternary and short circuit
print("a" if 0 else "b", 0 or [] or "x", 1 and 2, not "")
### slices
l = list(range(10)); print(l[::2], l[::-1], l[2:5], l[-3:], l[:-7]); l[2:5] = ["x"]; print(l); del l[::3]; print(l)
### star args
def f(*a, **k): return a, sorted(k.items())
print(f(1, *[2, 3], x=1, **{"y": 2}))
### recursion
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(20))
### iterators of one's own
class R:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if not self.n: raise StopIteration
        self.n -= 1; return self.n
print(list(R(3)), max(R(4)), sum(R(5)))
### annotations
def f(a: int, b: str = "x") -> list[int]: ...
print(f.__annotations__ == {"a": int, "b": str, "return": list[int]})
### assert
try: assert 1 == 2, "not equal"
except AssertionError as e: print(e)
### lambda and sorting
print(sorted(["bb", "a", "CCC"], key=lambda s: (len(s), s)), sorted([3, 1, 2], reverse=True))
### exec, eval, compile
d = {}; exec("x = 1\ny = x + 1", d); print(d["y"], eval("x * 10", d), eval(compile("2 ** 8", "<e>", "eval")))
### type hints at run time
import typing
def f(x: "int | None") -> "str": ...
print(typing.get_type_hints(f))
### unpack errors
try: a, b = 1, 2, 3
except ValueError as e: print(str(e)[:36])
try: a, b = 1,
except ValueError as e: print(e)
### dynamic attributes
class O: pass
o = O(); setattr(o, "k", 5); print(getattr(o, "k"), hasattr(o, "z"), getattr(o, "z", "dflt"), vars(o)); del o.k; print(vars(o))
### string multiplication and joins
print("ab" * 3, "-".join("abc"), ("a", "b") + ("c",), [0] * 3)
### large loops
n = 0
for i in range(300000): n += i & 3
print(n)
### late binding of loop variables
print([f() for f in [lambda: i for i in range(3)]], [f() for f in [lambda i=i: i for i in range(3)]])
### async comprehension and generators
import asyncio
async def g():
    for i in range(3): yield i
async def main(): print([i async for i in g()], [i * 2 async for i in g() if i])
asyncio.run(main())
### dunder call, len, bool, contains
class Q:
    def __call__(self, x): return x + 1
    def __len__(self): return 0
    def __contains__(self, x): return x == 7
    def __getitem__(self, k): return k
q = Q(); print(q(1), len(q), bool(q), 7 in q, q[1:2], q["a", 2])
### long chains are freed
class Slots:
    __slots__ = ("next",)
class Plain: pass
def chain(make, n=200000):
    last = None
    for _ in range(n): last = make(last)
def node(kind):
    def make(last):
        new = kind(); new.next = last
        return new
    return make
for make in (node(Slots), node(Plain), lambda last: [last], lambda last: (last,), lambda last: {"next": last}): chain(make)
print("freed")
