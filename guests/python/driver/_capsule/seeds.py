"""`random` after `seed(0.5)`: the seed is the number's hash, and must be the one that a machine of 64 bits has."""

import math
import random

_MODULUS = (1 << 61) - 1

_seed = random.Random.seed


def _hash(number):
    """As `hash()` says, without a sign."""
    numerator, denominator = number.as_integer_ratio()
    value = abs(numerator) * pow(denominator, -1, _MODULUS) % _MODULUS
    if number < 0:
        value = -2 if value == 1 else -value
    return value & (1 << 64) - 1


def seed(self, a=None, version=2):
    """Initialize internal state from a seed."""
    _seed(self, _hash(a) if isinstance(a, float) and math.isfinite(a) else a, version)


def install():
    random.Random.seed = seed
    random.seed = random._inst.seed
