"""What `python3 -h` and its like print."""

USAGE = "usage: python3 [option] ... [-c cmd | -m mod | file | -] [arg] ..."

_OPTIONS = """Options (and corresponding environment variables):
-b     : warn when bytes become text or are compared with it; -bb: an error
-B     : write no bytecode (PYTHONDONTWRITEBYTECODE)
-c cmd : run cmd (ends the options)
-d     : counted in sys.flags alone: only a debug build does more (PYTHONDEBUG)
-E     : take no PYTHON* variables
-h     : print this and exit (also -? or --help)
-i     : go on interactively when the script has ended (PYTHONINSPECT)
-I     : isolated: -E, -P and -s together
-m mod : run a library module as a script (ends the options)
-O     : leave out assert statements and what depends on __debug__
         (PYTHONOPTIMIZE)
-OO    : -O, and leave out docstrings
-P     : do not put the script's folder first in sys.path (PYTHONSAFEPATH)
-q     : no banner
-R     : random string hashes, whatever PYTHONHASHSEED says
-s     : no packages of the user (PYTHONNOUSERSITE)
-S     : do not import site: the standard library alone
-u     : write standard output and error at once (PYTHONUNBUFFERED)
-v     : tell of imports on standard error (PYTHONVERBOSE)
-V     : print the version and exit (also --version); twice: more of it
-W arg : what becomes of warnings (PYTHONWARNINGS)
-x     : leave out the first line of the script
-X opt : implementation-specific option; see --help-xoptions
--check-hash-based-pycs always|default|never:
         whether bytecode that names its source's digest is compared with it
--help-env: print help about variables and exit
--help-xoptions: print help about -X options and exit
--help-all: print all of it and exit

Arguments:
file   : run this script, or the __main__ of a folder or zip file
-      : run what standard input holds (the default)
arg ...: what the program gets in sys.argv[1:]
"""

_VARIABLES = """Environment variables that change what the interpreter does:
PYTHONASYNCIODEBUG: asyncio in debug mode
PYTHONBREAKPOINT: what breakpoint() calls; 0: nothing
PYTHON_COLORS: 1: colours in tracebacks and help; 0: none
PYTHON_CONTEXT_AWARE_WARNINGS: as -X context_aware_warnings
PYTHON_CPU_COUNT: as -X cpu_count
PYTHONDEBUG: as -d
PYTHONDEVMODE: as -X dev
PYTHONDONTWRITEBYTECODE: as -B
PYTHONEXECUTABLE: what sys.executable says
PYTHONFAULTHANDLER: as -X faulthandler
PYTHONHASHSEED: the seed of string hashes: a number, or "random"
PYTHONINSPECT: as -i
PYTHONINTMAXSTRDIGITS: as -X int_max_str_digits
PYTHONIOENCODING: ENCODING[:ERRORS] of the standard streams
PYTHONMALLOC: checked for its name; there is one allocator
PYTHONNODEBUGRANGES: as -X no_debug_ranges
PYTHONNOUSERSITE: as -s
PYTHONOPTIMIZE: as -O
PYTHONPATH: folders that are looked into for modules first, with : between
PYTHONPLATLIBDIR: what sys.platlibdir says
PYTHONPROFILEIMPORTTIME: as -X importtime
PYTHONPYCACHEPREFIX: as -X pycache_prefix
PYTHONSAFEPATH: as -P
PYTHONSTARTUP: a file that is run when the interpreter starts interactively
PYTHON_THREAD_INHERIT_CONTEXT: as -X thread_inherit_context
PYTHONTRACEMALLOC: as -X tracemalloc
PYTHONUNBUFFERED: as -u
PYTHONUSERBASE: the folder of the user's packages
PYTHONUTF8: as -X utf8
PYTHONVERBOSE: as -v
PYTHONWARNDEFAULTENCODING: as -X warn_default_encoding
PYTHONWARNINGS: as -W, with , between
"""

_X = """The following implementation-specific options are available:
-X context_aware_warnings=[0|1]: filters of warnings belong to a context
-X cpu_count=N: what os.cpu_count() says
-X dev: development mode: warnings that are hidden otherwise, more checks
-X disable-remote-debug: nothing here debugs from outside
-X faulthandler: tell where the program was when a signal killed it
-X frozen_modules=[on|off]: no difference: the library is in the snapshot
-X gil=1: the only way there is here
-X importtime[=2]: tell how long imports took; 2: cached ones too
-X int_max_str_digits=N: the most digits of an int from or to text; 0: any
-X no_debug_ranges: no columns in code, and so no carets in tracebacks
-X perf, -X perf_jit: refused: there is no perf in the sandbox
-X pycache_prefix=DIR: bytecode goes below this folder
-X thread_inherit_context=[0|1]: threads start with a copy of the context
-X tracemalloc[=N]: trace allocations, with N frames each
-X utf8[=0|1]: UTF-8 mode; text is UTF-8 in any case
-X warn_default_encoding: warn when a text file is opened without an encoding
"""


def text_for(option):
    """The text for `--help`, `--help-env`, `--help-xoptions` or `--help-all`."""
    if option == "--help-env":
        return _VARIABLES
    if option == "--help-xoptions":
        return _X
    text = f"{USAGE}\n{_OPTIONS}"
    return f"{text}\n{_VARIABLES}\n{_X}" if option == "--help-all" else text
