"""The interpreter's own settings, a structure in C (`PyConfig`) that says how it compiles, imports and warns. It stands at the
same place in every process: the set-up finds it, by the one value that a program can change, and lays `words` over it.
"""

# How many words behind the limit of digits each setting stands; all are C's int.
PLACES = {
    "dev_mode": -44, "import_time": -36, "code_debug_ranges": -35, "bytes_warning": -17,
    "warn_default_encoding": -16, "optimization_level": -13, "parser_debug": -12, "verbose": -10,
    "int_max_str_digits": 0, "thread_inherit_context": 1, "context_aware_warnings": 2,
}

# The structure begins here, and what is looked at of it ends there.
FIRST, LAST = -47, 2

words = None

# An older one that stands alone: whether C takes no variables.
ignore_environment = None


def put(**values):
    for name, value in values.items():
        words[PLACES[name] - FIRST] = value


def get(name):
    return words[PLACES[name] - FIRST]


def heed_environment(heeded):
    ignore_environment[0] = int(not heeded)
