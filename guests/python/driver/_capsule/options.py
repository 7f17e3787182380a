"""The command line of `python3`, and the variables that say the same. What CPython refuses is refused in its words."""

import sys

from _capsule import settings

# The flags without a value, by the field of sys.flags that they count.
_FLAGS = {
    "b": "bytes_warning", "B": "dont_write_bytecode", "d": "debug", "E": "ignore_environment", "i": "interactive",
    "I": "isolated", "O": "optimize", "P": "safe_path", "q": "quiet", "R": "hash_randomization", "s": "no_user_site",
    "S": "no_site", "u": "unbuffered", "v": "verbose", "x": "skip_first_line",
}

_CHECKS = ("default", "always", "never")

_ALLOCATORS = frozenset(
    "default debug malloc malloc_debug pymalloc pymalloc_debug mimalloc mimalloc_debug".split()
)

# The fewest digits that may be a limit, the most frames of an allocation that are kept.
_FEWEST_DIGITS, _MOST_FRAMES = 640, 65535


class Wrong(Exception):
    """The command line cannot be understood."""


class Fatal(Exception):
    """A setting with which CPython does not start: the part of it that says so, and its words."""

    def __init__(self, part, text, state="preinitialized"):
        self.text = f"Fatal Python error: {part}: {text}\nPython runtime state: {state}\n\n"


class Options:
    """What was asked for: how to run (`command`, `module`, `script`, `stdin`, `version`, `help`), what, and with what."""

    def __init__(self):
        self.how, self.what, self.rest = "stdin", "", []
        self.flags = dict.fromkeys([*_FLAGS.values(), "inspect", "warn_default_encoding"], 0)
        self.warnings = []
        self.x = {}
        self.version = 0
        self.help = None
        self.check_hash_pycs = "default"
        self.utf8 = 1

    def __getattr__(self, name):
        try:
            return self.flags[name]
        except KeyError:
            raise AttributeError(name) from None


def parse(args):
    found, at = Options(), 0

    def value_of(option):
        nonlocal at
        if at >= len(args):
            raise Wrong(f"Argument expected for the {option}")
        at += 1
        return args[at - 1]

    while at < len(args):
        arg = args[at]
        if arg == "--":
            at += 1
            break
        if arg == "-" or not arg.startswith("-"):
            break
        at += 1
        if arg.startswith("--"):
            if arg == "--version":
                found.version += 1
            elif arg == "--help" or arg in ("--help-all", "--help-env", "--help-xoptions"):
                found.help = arg
            elif arg == "--check-hash-based-pycs":
                found.check_hash_pycs = value_of("--check-hash-based-pycs options")
                if found.check_hash_pycs not in _CHECKS:
                    raise Wrong("--check-hash-based-pycs must be one of 'default', 'always', or 'never'")
            else:
                raise Wrong(f"unknown option {arg}")
            continue
        letters = arg[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in "cmWX":
                value = letters or value_of(f"-{letter} option")
                letters = ""
                if letter == "W":
                    found.warnings.append(value)
                elif letter == "X":
                    name, has_value, text = value.partition("=")
                    found.x[name] = text if has_value else True
                else:
                    found.how = "command" if letter == "c" else "module"
                    found.what, found.rest = value, args[at:]
                    return _finish(found)
            elif letter == "V":
                found.version += 1
            elif letter in "h?":
                found.help = "--help"
            elif letter in _FLAGS:
                found.flags[_FLAGS[letter]] += 1
            elif letter == "J":
                raise Wrong("-J is reserved for Jython")
            elif letter != "t":
                # -t has had no meaning since Python 3, and is still taken.
                raise Wrong(f"Unknown option: -{letter}")
    if at < len(args):
        found.how, found.what, found.rest = "script", args[at], args[at + 1 :]
        if found.what == "-":
            found.how = "stdin"
    return _finish(found)


def _finish(found):
    if found.version:
        found.how = "version"
    if found.help:
        found.how = "help"
    if found.flags["isolated"]:
        for name in ("ignore_environment", "safe_path", "no_user_site"):
            found.flags[name] = 1
    found.flags["inspect"] = found.flags["interactive"]
    return found


def read_environment(found, environ):
    """Adds what variables say, and settles what -X and variables say together."""

    def variable(name):
        return None if found.ignore_environment else environ.get(name) or None

    for name, flag in (
        ("PYTHONOPTIMIZE", "optimize"), ("PYTHONINSPECT", "inspect"), ("PYTHONUNBUFFERED", "unbuffered"),
        ("PYTHONNOUSERSITE", "no_user_site"), ("PYTHONVERBOSE", "verbose"), ("PYTHONDEBUG", "debug"),
        ("PYTHONDONTWRITEBYTECODE", "dont_write_bytecode"),
    ):
        text = variable(name)
        if text:
            found.flags[flag] = max(found.flags[flag], int(text) if text.isdigit() else 1)
    if variable("PYTHONSAFEPATH"):
        found.flags["safe_path"] = 1
    if "warn_default_encoding" in found.x or variable("PYTHONWARNDEFAULTENCODING"):
        found.flags["warn_default_encoding"] = 1
    found.dev = "dev" in found.x or variable("PYTHONDEVMODE") is not None
    _settle_warnings(found, variable)
    found.utf8 = _utf8(found, variable, environ)
    found.digits = _digits(found, variable)
    found.frames = _frames(found, variable)
    found.import_time = _import_time(found, variable)
    found.positions = not ("no_debug_ranges" in found.x or variable("PYTHONNODEBUGRANGES"))
    found.faulthandler = found.dev or "faulthandler" in found.x or variable("PYTHONFAULTHANDLER") is not None
    found.processors = _processors(found, variable)
    for name in ("thread_inherit_context", "context_aware_warnings"):
        found.flags[name] = _switch(found, variable, name)
    prefix = found.x.get("pycache_prefix", variable("PYTHONPYCACHEPREFIX"))
    found.pycache_prefix = prefix if isinstance(prefix, str) and prefix else None
    _refuse(found, variable)


def _settle_warnings(found, variable):
    """From the weakest to the strongest; one that was there before is not said again."""
    asked = ["default"] if found.dev else []
    asked += (variable("PYTHONWARNINGS") or "").split(",") + found.warnings
    if found.bytes_warning:
        asked.append("error::BytesWarning" if found.bytes_warning > 1 else "default::BytesWarning")
    found.warnings = [option for option in dict.fromkeys(asked) if option]


def _utf8(found, variable, environ):
    for value, wrong in (
        (found.x.get("utf8"), "invalid -X utf8 option value"),
        (variable("PYTHONUTF8"), "invalid PYTHONUTF8 environment variable value"),
    ):
        if value is not None:
            if value not in (True, "0", "1"):
                raise Fatal("preconfig_init_utf8_mode", wrong, "preinitializing")
            return int(value)
    locale = next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), "C")
    return int(not locale.lower().replace("-", "").endswith("utf8"))


def _number(text):
    try:
        return int(text) if isinstance(text, str) and text.isascii() else None
    except ValueError:
        return None


def _digits(found, variable):
    """The limit of digits, None where nothing is said."""
    limit = None
    for value, name in (
        (variable("PYTHONINTMAXSTRDIGITS"), "PYTHONINTMAXSTRDIGITS"),
        (found.x.get("int_max_str_digits"), "-X int_max_str_digits"),
    ):
        if value is not None:
            limit = _number(value)
            if limit is None or limit != 0 and limit < _FEWEST_DIGITS:
                wrong = f"{name}: invalid limit; must be >= {_FEWEST_DIGITS} or 0 for unlimited."
                raise Fatal("config_init_int_max_str_digits", wrong)
    return limit


def _frames(found, variable):
    """How many frames of each allocation are kept; none are when it is zero."""
    frames = 0
    for value, name in (
        (variable("PYTHONTRACEMALLOC"), "PYTHONTRACEMALLOC"),
        (found.x.get("tracemalloc"), "-X tracemalloc=NFRAME"),
    ):
        if value is not None:
            frames = 1 if value is True else _number(value)
            if frames is None or not 0 <= frames <= _MOST_FRAMES:
                raise Fatal("config_init_tracemalloc", f"{name}: invalid number of frames")
    return frames


def _import_time(found, variable):
    level = 0
    for value, name in (
        (variable("PYTHONPROFILEIMPORTTIME"), "PYTHONPROFILEIMPORTTIME: numeric"),
        (found.x.get("importtime"), "-X importtime:"),
    ):
        if value is not None:
            level = _number(value)
            level = 1 if level is None else level
            if not 0 <= level <= 2:
                wrong = f"{name} values other than 1 and 2 are reserved for future use."
                raise Fatal("config_init_import_time", wrong)
    return level


def _processors(found, variable):
    value = found.x.get("cpu_count", variable("PYTHON_CPU_COUNT"))
    if value is None or value == "default":
        return None
    count = _number(value)
    if count is None or count < 1:
        wrong = "-X cpu_count=n option: n is missing or an invalid number, n must be greater than 0"
        raise Fatal("config_init_cpu_count", wrong)
    return count


def _switch(found, variable, name):
    value = found.x.get(name, variable(f"PYTHON_{name.upper()}"))
    if value not in (None, "0", "1"):
        raise Fatal(f"config_init_{name}", f"-X {name}=n: n is missing or invalid")
    return int(value or 0)


def _refuse(found, variable):
    """What CPython cannot start with, or not here."""
    gil = found.x.get("gil", variable("PYTHON_GIL"))
    if gil == "0":
        raise Fatal("config_read_gil", "Disabling the GIL is not supported by this build")
    if gil not in (None, "1"):
        raise Fatal("config_read_gil", 'PYTHON_GIL / -X gil must be "0" or "1"')
    if found.x.get("frozen_modules") not in (None, True, "", "on", "off"):
        raise Fatal("config_init_import", 'bad value for option -X frozen_modules (expected "on" or "off")')
    if variable("PYTHONMALLOC") not in (None, *_ALLOCATORS):
        raise Fatal("preconfig_init_allocator", "PYTHONMALLOC: unknown allocator", "preinitializing")
    for name in ("perf", "perf_jit"):
        if found.x.get(name, "0") != "0":
            raise Fatal("config_init_perf_profiling", f"-X {name}: there is no perf in the sandbox")
    for name in ("PYTHONPERFSUPPORT", "PYTHON_PERF_JIT_SUPPORT"):
        if variable(name) not in (None, "0"):
            raise Fatal("config_init_perf_profiling", f"{name}: there is no perf in the sandbox")
    if variable("PYTHONHOME"):
        wrong = "PYTHONHOME: the library is a part of the sandbox and cannot be taken from elsewhere"
        raise Fatal("config_init_home", wrong)


def apply(found):
    """Sets `sys.flags`, what hangs on it, and the same in the interpreter itself."""
    flags = {name: min(value, 255) for name, value in found.flags.items() if hasattr(sys.flags, name)}
    flags["safe_path"] = bool(flags["safe_path"])
    flags["interactive"], flags["inspect"] = min(found.interactive, 1), min(found.inspect, 1)
    flags["utf8_mode"], flags["dev_mode"] = found.utf8, found.dev
    if found.digits is not None:
        sys.set_int_max_str_digits(found.digits)
        flags["int_max_str_digits"] = found.digits
    sys.flags = sys.flags.__replace__(**flags)
    sys.dont_write_bytecode = bool(found.dont_write_bytecode)
    sys.pycache_prefix = found.pycache_prefix
    sys._xoptions.clear()
    sys._xoptions.update(found.x)
    sys.warnoptions[:] = found.warnings
    settings.heed_environment(not found.ignore_environment)
    settings.put(
        dev_mode=int(found.dev), import_time=found.import_time,
        code_debug_ranges=int(found.positions), bytes_warning=found.bytes_warning,
        warn_default_encoding=found.warn_default_encoding, optimization_level=found.optimize,
        parser_debug=found.debug, verbose=found.verbose, thread_inherit_context=found.thread_inherit_context,
        context_aware_warnings=found.context_aware_warnings,
    )
    if found.optimize:
        import builtins

        builtins.__dict__["__debug__"] = False
    if found.check_hash_pycs != "default":
        import _imp

        _imp.check_hash_based_pycs = found.check_hash_pycs
    if found.processors:
        import os

        os.cpu_count = os.process_cpu_count = lambda: found.processors
    if found.warnings:
        import warnings

        warnings._processoptions(found.warnings)
    if found.frames:
        import tracemalloc

        tracemalloc.start(found.frames)
    if found.faulthandler:
        import faulthandler

        faulthandler.enable()
