"""The key of string hashes. Strings that the snapshot holds have the hashes they have there; every other is hashed with a
key that the interpreter draws when it first needs one (crates/capsule-snapshot/src/hashes.rs), or that is set here.
"""

from _capsule.options import Fatal

# The hashes of the snapshot: filled when the guest is built.
TABLE = bytes(1 << 20)

# All zeros until it is drawn or set; never resized, since the interpreter knows its address.
KEY = bytearray(8)

_LARGEST = (1 << 32) - 1
_SPREAD = 0x9E3779B97F4A7C15

def key_of(seed):
    """The key that PYTHONHASHSEED asks for: none for a random one."""
    if not seed or seed == b"random":
        return None
    if not seed.isdigit() or int(seed) > _LARGEST:
        wrong = f'PYTHONHASHSEED must be "random" or an integer in range [0; {_LARGEST}]'
        raise Fatal("config_init_hash_seed", wrong)
    # Odd times something that is not zero: never zero.
    return ((int(seed) + 1) * _SPREAD & (1 << 64) - 1).to_bytes(8, "little")
