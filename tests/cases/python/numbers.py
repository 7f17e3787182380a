### big integers
print(2 ** 200, 3 ** 100 % 1000007, 10 ** 50 // 7, -(2 ** 70) >> 3, (1 << 100) | 1)
### factorials and gcd
import math
print(math.factorial(30), math.gcd(48, 36), math.lcm(4, 6), math.comb(50, 25), math.perm(10, 3), math.isqrt(10 ** 20), math.prod([1, 2, 3]))
### integer division and modulo
print(7 // 2, -7 // 2, 7 % -3, -7 % 3, divmod(-7, 2), divmod(7.5, 2), -7 // 2.0)
### powers
print(2 ** 10, 2 ** -1, pow(3, 200, 13), pow(3, -1, 7), (-8) ** 2, 0 ** 0, 1.5 ** 2)
### bases
print(int("ff", 16), int("0b101", 0), int("z", 36), hex(255), oct(8), bin(5), int("1_000"), (255).to_bytes(2, "big"), int.from_bytes(b"\x01\x00", "little"), (10).bit_length(), (255).bit_count())
### floats
print(0.1 + 0.2, 1e300 * 1e10, -0.0, float("nan"), float("inf"), 1 / 3, 1e-7, 123456789.123456789, 1e16, 1e22, 5e-324)
### float methods
print((3.75).as_integer_ratio(), (1.5).hex(), float.fromhex("0x1.8p+0"), (2.0).is_integer(), round(2.5), round(-2.5), round(2.675, 2), round(1234, -2))
### math functions
import math
print(math.sqrt(2), math.sin(1), math.cos(1), math.tan(1), math.log(10), math.log2(8), math.log10(1000), math.exp(1), math.pi, math.e, math.atan2(1, 2), math.hypot(3, 4))
### more math
import math
print(math.floor(-1.5), math.ceil(-1.5), math.trunc(-1.5), math.fmod(-7, 3), math.modf(3.25), math.frexp(8), math.ldexp(0.5, 4), math.isclose(0.1 + 0.2, 0.3), math.copysign(1, -0.0), math.fsum([0.1] * 10), math.gamma(5), math.erf(1), math.degrees(math.pi), math.dist((0, 0), (3, 4)))
### complex numbers
import cmath
z = 3 + 4j
print(z, abs(z), z.conjugate(), z * 1j, z ** 2, cmath.sqrt(-1), cmath.phase(1j), complex("1+2j"))
### decimal
from decimal import Decimal, getcontext, ROUND_HALF_UP, localcontext
print(Decimal("0.1") + Decimal("0.2"), Decimal(1) / Decimal(7), Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP), Decimal("1E+5"), Decimal("-0"), Decimal("123.45").as_tuple())
with localcontext() as c:
    c.prec = 50; print(Decimal(2).sqrt(), Decimal(1).exp())
### decimal errors
from decimal import Decimal, InvalidOperation, DivisionByZero
for f in (lambda: Decimal("x"), lambda: Decimal(1) / 0, lambda: Decimal(0) / 0):
    try: f()
    except Exception as e: print(type(e).__name__)
### fractions
from fractions import Fraction
print(Fraction(1, 3) + Fraction(1, 6), Fraction("0.125"), Fraction(0.5), Fraction(22, 7).limit_denominator(3), float(Fraction(1, 4)), Fraction(3, 4) ** 2)
### statistics
import statistics as s
d = [1, 2, 2, 3, 4, 10]
print(s.mean(d), s.median(d), s.mode(d), round(s.stdev(d), 6), s.pvariance(d), s.quantiles(d, n=4), s.fmean(d), s.multimode(d), s.correlation([1, 2, 3], [2, 4, 7]))
### random with a seed
import random
r = random.Random(42)
print(r.random(), r.randint(1, 100), r.choice("abc"), r.sample(range(100), 5), r.gauss(0, 1), r.uniform(1, 2), r.getrandbits(64)); l = list(range(10)); r.shuffle(l); print(l, r.choices([1, 2, 3], weights=[1, 2, 3], k=5))
### random differs between processes
import subprocess, sys
f = lambda: subprocess.run([sys.executable, "-c", "import random, uuid, secrets; print(random.random(), uuid.uuid4(), secrets.token_hex(4))"], capture_output=True, text=True).stdout
a, b = f(), f(); print(a != b, len(a) > 20)
### number parsing errors
for t in ("", "1.5", "0x", "1__0", " 12 "):
    try: print(int(t))
    except ValueError as e: print(e)
### int to string limits
import sys
print(len(str(10 ** 4000)), sys.get_int_max_str_digits())
try: str(10 ** 5000)
except ValueError as e: print("limit")
### bool arithmetic
print(True + True, sum([True, False, True]), isinstance(True, int), True == 1, int(True), bool("False"))
### bitwise
print(5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 10, -16 >> 2, 0xFF & ~0x0F)
### numbers module
import numbers
print(isinstance(1, numbers.Integral), isinstance(1.5, numbers.Rational), isinstance(1j, numbers.Complex))
### struct
import struct
print(struct.pack("<ihb?d", 1, -2, 3, True, 1.5), struct.unpack(">HI", b"\x00\x01\x00\x00\x00\x02"), struct.calcsize("<iq"), struct.pack("5s", b"ab"), list(struct.iter_unpack("<H", b"\1\0\2\0")))
### array
import array
a = array.array("i", [1, 2, 3]); a.append(4); print(a, a.tobytes() == struct.pack("<4i", 1, 2, 3, 4) if "struct" in globals() else a.itemsize, a[1:3], sum(a))
### primes
n = 5000; sieve = bytearray([1]) * (n + 1)
for i in range(2, int(n ** 0.5) + 1):
    if sieve[i]: sieve[i * i :: i] = bytes(len(range(i * i, n + 1, i)))
p = [i for i in range(2, n + 1) if sieve[i]]; print(len(p), p[-3:])
### digits of pi
def pi():
    q, r, t, k, n, l = 1, 0, 1, 1, 3, 3
    while True:
        if 4 * q + r - t < n * t:
            yield n; q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else: q, r, t, k, n, l = q * k, (2 * q + r) * l, t * l, k + 1, (q * (7 * k + 2) + r * l) // (t * l), l + 2
g = pi(); print("".join(str(next(g)) for _ in range(60)))
### seeds that are floats
import random
for s in (0.5, -1.5, 3.0, 1e300, -0.0, float("inf"), 0.1, 5e-324, -(2.0 ** 61)): random.seed(s); r = random.Random(s); print(random.random(), r.random(), r.randint(1, 1000))
