"""The process's own memory, as far as switching between threads needs it: the interpreter's structures stand in it. The set-up
lays two views over all of it and finds the state of the interpreter's one thread.
"""

# Words of 32 bits and bytes from address 0, and words from the half of what 32 bits can name: no object of Python is larger.
words = None
raw = None
high = None

HALF = 1 << 31

# The address of the thread's state, and of the loop that runs in it, which asyncio's C code notes behind.
state = None
running_loop = None


def get(address):
    """The word at an address."""
    return words[address >> 2] if address < HALF else high[address - HALF >> 2]


def put(address, value):
    if address < HALF:
        words[address >> 2] = value
    else:
        high[address - HALF >> 2] = value
