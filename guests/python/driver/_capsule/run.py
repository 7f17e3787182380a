"""From the command line to the exit status."""

import builtins
import os
import sys
import types

import _bashkit

from _capsule import environments, hashes, options, signals, streams, threads, timers, zone

PACKAGES = ("/usr/lib/python3/dist-packages", "/usr/local/lib/python3.14/site-packages")

# Status of a process whose output could not be written.
LOST_OUTPUT = 120

_here = __name__.partition(".")[0]


def main():
    """Runs one `python3`; the interpreter's entry calls it."""
    status = _main()
    return status if streams.flush_all() else LOST_OUTPUT


def _main():
    data, argv = _bashkit.load_environ(), _bashkit.argv()
    try:
        found = options.parse(argv[1:])
        seed = None if found.ignore_environment or found.hash_randomization else data.get(b"PYTHONHASHSEED")
        key = hashes.key_of(seed)
        if key:
            hashes.KEY[:] = key
            # What was read so far has hashes of another key.
            data, argv = _bashkit.load_environ(), _bashkit.argv()
            found = options.parse(argv[1:])
        os.environ._data = os.environb._data = data
        environ = os.environ
        options.read_environment(found, environ)
        streams.open_all(found, environ)
    except (options.Wrong, options.Fatal) as error:
        return _refused(error)
    found.flags["hash_randomization"] = int(seed != b"0")
    if found.how == "help":
        from _capsule import usage

        sys.stdout.write(usage.text_for(found.help))
        return 0
    if found.how == "version":
        version = sys.version if found.version > 1 else sys.version.partition(" ")[0]
        sys.stdout.write(f"Python {version}\n")
        return 0
    options.apply(found)
    os._start(signals.begin())
    _set_up(argv, found, environ)
    status = _guarded(_run, found)
    if _goes_on(found, environ):
        status = _guarded(_interact, found)
    return _finish(status)


def _refused(error):
    """Tells what the interpreter cannot start with."""
    streams.open_all(options.Options(), {})
    if isinstance(error, options.Fatal):
        sys.stderr.write(error.text)
        return 1
    from _capsule import usage

    sys.stderr.write(f"{error}\n{usage.USAGE}\nTry `python -h' for more information.\n")
    return 2


def _goes_on(found, environ):
    """Whether a dialogue follows the program, which may have asked for it itself."""
    if not found.inspect and not found.ignore_environment and environ.get("PYTHONINSPECT"):
        found.flags["inspect"] = 1
    return found.inspect and found.how != "stdin" and _is_interactive(found)


def _is_interactive(found):
    return sys.stdin is not None and (found.interactive or sys.stdin.isatty())


def _set_up(argv, found, environ):
    """What differs from process to process."""
    import random

    random.seed()
    zone.begin(environ)
    name = argv[0] if argv else "python3"
    sys.orig_argv = list(argv)
    sys.executable = sys._base_executable = f"/usr/bin/{os.path.basename(name) or 'python3'}"
    venv = environments.found(name, environ)
    if venv is not None:
        sys.prefix = sys.exec_prefix = venv.folder
        sys.executable = venv.executable
    if not found.ignore_environment:
        sys.executable = environ.get("PYTHONEXECUTABLE") or sys.executable
        sys.platlibdir = environ.get("PYTHONPLATLIBDIR") or sys.platlibdir
        if "PYTHONBREAKPOINT" in environ:
            # Read in C, whose variables are those of the snapshot.
            os.putenv("PYTHONBREAKPOINT", environ["PYTHONBREAKPOINT"])
    library = [entry for entry in sys.path if entry.startswith("/usr/local/lib/python3")]
    path = []
    if not found.ignore_environment and environ.get("PYTHONPATH"):
        # Absolute: a program that changes its folder still finds its modules.
        path += [os.path.abspath(entry) for entry in environ["PYTHONPATH"].split(":")]
    path += library
    if not found.no_site:
        packages = _packages(found, environ, venv)
        path += packages
    sys.path[:] = path
    if len(path) > len(library):
        _make_room([entry for entry in path if entry not in library])
    if found.no_site:
        _without_site()
        return
    for folder in packages:
        environments.read_path_files(folder)
    if len(path) > len(library):
        environments.customize(found)


def _without_site():
    """What `site` has added is not there when it is not imported."""
    sys.modules.pop("site", None)
    for name in ("copyright", "credits", "exit", "help", "license", "quit"):
        builtins.__dict__.pop(name, None)


# What every interpreter has loaded before a program can say anything.
_ALWAYS = frozenset(
    "sys builtins marshal posix time zipimport codecs encodings abc io stat genericpath posixpath os site runpy".split()
)


def _make_room(folders):
    """Forgets modules of the library that were loaded for speed, when the program has its own of that name."""
    for folder in folders:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            name = name.removesuffix(".py")
            if name in sys.modules and name not in _ALWAYS and not name.startswith("_"):
                for loaded in [key for key in sys.modules if key == name or key.startswith(name + ".")]:
                    del sys.modules[loaded]


def _packages(found, environ, venv):
    """The folders of installed packages that are there: of an environment, of the user, of all."""
    folders = []
    if venv is not None:
        folders.append(venv.packages)
        if not venv.sees_all:
            return [venv.packages] if os.path.isdir(venv.packages) else []
    elif environ.get("VIRTUAL_ENV") and not found.ignore_environment:
        folders.append(os.path.join(environ["VIRTUAL_ENV"], environments.PACKAGES))
    base = None if found.ignore_environment else environ.get("PYTHONUSERBASE")
    if base is None and environ.get("HOME"):
        base = os.path.join(environ["HOME"], ".local")
    if base and not found.no_user_site:
        folders.append(os.path.join(base, environments.PACKAGES))
    return [folder for folder in (*folders, *PACKAGES) if os.path.isdir(folder)]


def _fresh_main(**attributes):
    module = types.ModuleType("__main__")
    module.__builtins__ = builtins
    module.__dict__.update(attributes)
    sys.modules["__main__"] = module
    return module


def _first_in_path(folder, found):
    if not found.safe_path:
        sys.path.insert(0, folder)
        _make_room([folder])


def _execute(source, filename, module, found):
    code = compile(source, filename, "exec", dont_inherit=True)
    if filename.startswith("<") and isinstance(source, (str, bytes)):
        import linecache

        text = source if isinstance(source, str) else source.decode("utf-8", "replace")
        linecache._register_code(code, text, filename)
    exec(code, module.__dict__)


def _run(found):
    if found.how == "command":
        sys.argv = ["-c", *found.rest]
        _first_in_path("", found)
        _execute(found.what, "<string>", _fresh_main(), found)
    elif found.how == "module":
        import runpy

        sys.argv = ["-m", *found.rest]
        _first_in_path(os.getcwd(), found)
        _fresh_main()
        runpy._run_code = _with_source_name(runpy._run_code)
        runpy._run_module_as_main(found.what)
    elif found.how == "script":
        return _run_script(found)
    else:
        sys.argv = [found.what, *found.rest]
        _first_in_path("", found)
        if sys.stdin is None:
            return 0
        if _is_interactive(found):
            # Nothing comes after this, so that `sys.exit()` ends it.
            found.flags["inspect"] = 0
            return _interact(found)
        _execute(sys.stdin.buffer.read(), "<stdin>", _fresh_main(__file__="<stdin>", __cached__=None), found)
    return 0


def _with_source_name(run):
    """The library's modules are compiled; as a program one has the name of its source all the same."""

    def run_code(*args, **more):
        if sys.argv[0].endswith(".pyc"):
            sys.argv[0] = sys.argv[0][:-1]
        return run(*args, **more)

    return run_code


def _run_script(found):
    path = found.what
    absolute = os.path.join(os.getcwd(), path)
    sys.argv = [path, *found.rest]
    if _has_main(absolute):
        import runpy

        sys.path.insert(0, absolute)
        _make_room([absolute])
        _fresh_main()
        runpy._run_module_as_main("__main__", False)
        return 0
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        sys.stderr.write(f"{sys.executable}: can't open file {absolute!r}: [Errno {error.errno}] {error.strerror}\n")
        return 2
    _first_in_path(os.path.dirname(os.path.realpath(path)), found)
    from importlib.machinery import SourceFileLoader, SourcelessFileLoader

    if path.endswith(".pyc"):
        loader = SourcelessFileLoader("__main__", path)
        module = _fresh_main(__file__=absolute, __loader__=loader, __cached__=None)
        exec(loader.get_code("__main__"), module.__dict__)
        return 0
    if found.skip_first_line:
        source = b"\n" + source.partition(b"\n")[2]
    module = _fresh_main(__file__=absolute, __loader__=SourceFileLoader("__main__", path), __cached__=None)
    _execute(source, absolute, module, found)
    return 0


def _has_main(path):
    """Whether a script argument is a folder or a zip file, which may begin with `#!`."""
    if os.path.isdir(path):
        return True
    import zipimport

    try:
        # It looks into regular files alone: what is read from a pipe would be lost to the program.
        zipimport.zipimporter(path)
    except ImportError:
        return False
    return True


def _interact(found):
    """The dialogue at a terminal, or with -i at anything."""
    from _capsule import dialogue

    module = sys.modules.get("__main__")
    if module is None or found.how == "stdin":
        module = _fresh_main()
    dialogue.run(module, found)
    return 0


def _guarded(function, found):
    """The status of what may end in any way."""
    try:
        return function(found)
    except SystemExit as error:
        _before_the_end(found)
        if found.inspect and function is _run:
            _report(error)
            return 1
        return _status_of(error)
    except KeyboardInterrupt as error:
        _before_the_end(found)
        _report(error)
        return _interrupted
    except BaseException as error:
        _before_the_end(found)
        _report(error)
        return 1


def _before_the_end(found):
    """What a script has printed comes before what is told of its end; with -c and -m it comes after."""
    if found.how in ("script", "stdin"):
        streams.flush_quietly()


_interrupted = object()


def _finish(status):
    """What the interpreter does when the program has ended."""
    import atexit

    status = _join_threads(status)
    try:
        atexit._run_exitfuncs()
    except SystemExit as error:
        status = _status_of(error)
    except BaseException:
        pass
    timers.stop()
    _close_files()
    if status is _interrupted:
        streams.flush_all()
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        return 130
    return status


def _join_threads(status):
    """The process lives as long as its threads; daemons are left as they are."""
    import threading

    try:
        if threads.alive:
            threading._shutdown()
    except KeyboardInterrupt:
        return _interrupted
    except BaseException as error:
        _report(error)
        return status or 1
    return status


def _close_files():
    # Files that the program has left open are written out when its variables go.
    import gc

    module = sys.modules.get("__main__")
    try:
        if module is not None:
            module.__dict__.clear()
        gc.collect()
    except BaseException:
        pass


def _status_of(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    try:
        print(code, file=sys.stderr)
    except Exception:
        pass
    return 1


def _report(error):
    """Tells of an exception without the frames of this file."""
    traceback = error.__traceback__
    while traceback is not None and _is_ours(traceback.tb_frame):
        traceback = traceback.tb_next
    error.__traceback__ = traceback
    sys.last_exc = sys.last_value = error
    sys.last_type, sys.last_traceback = type(error), traceback
    try:
        hook = sys.excepthook
        hook(type(error), error, traceback)
    except BaseException as second:
        sys.stderr.write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(second), second, second.__traceback__)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(type(error), error, traceback)


def _is_ours(frame):
    module = frame.f_globals.get("__name__", "")
    return module == __name__ or frame.f_code.co_filename == "<frozen runpy>" or module == "runpy"
