"""The command line of `python3`."""

import sys

USAGE = "usage: python3 [option] ... [-c cmd | -m mod | file | -] [arg] ..."

HELP = (
    USAGE
    + """
Options (and corresponding environment variables):
-b     : accepted; bytes and strings are compared without a warning
-B     : write no bytecode (PYTHONDONTWRITEBYTECODE)
-c cmd : run cmd (ends the options)
-d     : accepted; there is no debug build
-E     : take no PYTHON* variables
-h     : print this and exit (also -? or --help)
-i     : go on interactively when the script has ended
-I     : isolated: -E, -P and -s together
-m mod : run a library module as a script (ends the options)
-O     : leave out assert statements and what depends on __debug__
-OO    : -O, and leave out docstrings
-P     : do not put the script's folder first in sys.path
-q     : no banner
-R     : random string hashes, whatever PYTHONHASHSEED says
-s     : no packages of the user
-S     : no packages but the standard library
-u     : write standard output and error at once (PYTHONUNBUFFERED)
-v     : tell of imports on standard error (PYTHONVERBOSE)
-V     : print the version and exit (also --version); twice: more of it
-W arg : what becomes of warnings (PYTHONWARNINGS)
-x     : leave out the first line of the script
-X opt : implementation-specific option
file   : run this script, or the __main__ of a folder or zip file
-      : run what standard input holds (the default)
arg ...: what the program gets in sys.argv[1:]
"""
)

# The flags without a value, by the field of sys.flags that they count.
_FLAGS = {
    "b": "bytes_warning", "B": "dont_write_bytecode", "d": "debug", "E": "ignore_environment", "i": "inspect",
    "I": "isolated", "O": "optimize", "P": "safe_path", "q": "quiet", "R": "hash_randomization", "s": "no_user_site",
    "S": "no_site", "u": "unbuffered", "v": "verbose", "x": "skip_first_line",
}


class Wrong(Exception):
    """The command line cannot be understood."""


class Options:
    """What was asked for: how to run (`command`, `module`, `script`, `stdin`, `version`, `help`), what, and with what."""

    def __init__(self):
        self.how, self.what, self.rest = "stdin", "", []
        self.flags = dict.fromkeys(_FLAGS.values(), 0)
        self.warnings = []
        self.x = {}
        self.version = 0

    def __getattr__(self, name):
        try:
            return self.flags[name]
        except KeyError:
            raise AttributeError(name) from None


def parse(args):
    found, at = Options(), 0
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
            elif arg in ("--help", "--help-all", "--help-env", "--help-xoptions"):
                found.how = "help"
                return found
            elif arg == "--check-hash-based-pycs" and at < len(args):
                at += 1
            else:
                raise Wrong(f"unknown option {arg}")
            continue
        letters = arg[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in "cmWX":
                if letters:
                    value = letters
                elif at < len(args):
                    value, at = args[at], at + 1
                else:
                    raise Wrong(f"Argument expected for the -{letter} option")
                if letter == "W":
                    found.warnings.append(value)
                elif letter == "X":
                    name, has_value, text = value.partition("=")
                    found.x[name] = text if has_value else True
                else:
                    found.how = "command" if letter == "c" else "module"
                    found.what, found.rest = value, args[at:]
                    return _finish(found)
                break
            if letter == "V":
                found.version += 1
            elif letter in "h?":
                found.how = "help"
                return found
            elif letter in _FLAGS:
                found.flags[_FLAGS[letter]] += 1
            else:
                raise Wrong(f"Unknown option: -{letter}")
    if at < len(args):
        found.how, found.what, found.rest = "script", args[at], args[at + 1 :]
        if found.what == "-":
            found.how = "stdin"
    return _finish(found)


def _finish(found):
    if found.version:
        found.how = "version"
    if found.flags["isolated"]:
        for name in ("ignore_environment", "safe_path", "no_user_site"):
            found.flags[name] = 1
    return found


def read_environment(found, environ):
    """The variables that say the same as options."""

    def is_set(name):
        return bool(environ.get(name))

    def level(name):
        text = environ.get(name, "")
        return int(text) if text.isdigit() else 1

    if found.ignore_environment:
        return
    for name, flag in (
        ("PYTHONOPTIMIZE", "optimize"), ("PYTHONINSPECT", "inspect"), ("PYTHONUNBUFFERED", "unbuffered"),
        ("PYTHONNOUSERSITE", "no_user_site"), ("PYTHONSAFEPATH", "safe_path"), ("PYTHONVERBOSE", "verbose"),
        ("PYTHONDONTWRITEBYTECODE", "dont_write_bytecode"),
    ):
        if is_set(name):
            found.flags[flag] = max(found.flags[flag], level(name))
    if is_set("PYTHONWARNINGS"):
        found.warnings[:0] = environ["PYTHONWARNINGS"].split(",")
    if is_set("PYTHONDEVMODE"):
        found.x.setdefault("dev", True)


def apply(found):
    """Sets `sys.flags` and what hangs on it."""
    flags = {name: min(value, 255) for name, value in found.flags.items() if hasattr(sys.flags, name)}
    flags["safe_path"] = bool(flags["safe_path"])
    flags["utf8_mode"] = 1
    flags["interactive"] = flags["inspect"]
    digits = found.x.get("int_max_str_digits")
    if isinstance(digits, str) and digits.isdigit():
        sys.set_int_max_str_digits(int(digits))
        flags["int_max_str_digits"] = int(digits)
    flags["dev_mode"] = "dev" in found.x
    sys.flags = sys.flags.__replace__(**flags)
    sys.dont_write_bytecode = bool(found.dont_write_bytecode)
    sys._xoptions.clear()
    sys._xoptions.update(found.x)
    sys.warnoptions[:] = found.warnings
    if found.optimize:
        from importlib._bootstrap_external import SourceLoader

        SourceLoader.source_to_code.__kwdefaults__["_optimize"] = min(found.optimize, 2)
    if found.warnings or "dev" in found.x:
        import warnings

        if "dev" in found.x:
            warnings.simplefilter("default")
        warnings._processoptions(found.warnings)
