"""Environments of packages: whether the interpreter was started from one, and the .pth files in folders of packages."""

import os
import sys

PACKAGES = "lib/python3.14/site-packages"


class Environment:
    """A folder that `venv` has made."""

    def __init__(self, executable, settings):
        self.executable, self.folder = executable, os.path.dirname(os.path.dirname(executable))
        self.packages = os.path.join(self.folder, PACKAGES)
        self.sees_all = False
        for line in settings.splitlines():
            key, _, value = line.partition("=")
            if key.strip().lower() == "include-system-site-packages":
                self.sees_all = value.strip().lower() == "true"


def found(name, environ):
    """The environment whose command was started, if it is one's."""
    for place in _places(name, environ):
        try:
            with open(os.path.join(os.path.dirname(os.path.dirname(place)), "pyvenv.cfg"), encoding="utf-8") as file:
                return Environment(place, file.read())
        except (OSError, UnicodeDecodeError):
            pass
    return None


def _places(name, environ):
    """The path of the command, links not followed."""
    if "/" in name:
        yield os.path.abspath(name)
        return
    for folder in environ.get("PATH", "").split(":"):
        # The usual places are in no environment.
        if folder in ("/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin", "/usr/local/sbin"):
            continue
        path = os.path.join(folder or ".", name)
        if os.path.exists(path):
            yield os.path.abspath(path)
            return


def read_path_files(folder):
    """Adds what .pth files name, and runs what they import, as `site` does."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".pth") and not name.startswith("."))
    except OSError:
        return
    for name in names:
        try:
            with open(os.path.join(folder, name), encoding="utf-8-sig") as file:
                lines = file.read().splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            if line.startswith(("import ", "import\t")):
                try:
                    exec(line)
                except Exception as error:
                    sys.stderr.write(f"Error processing line of {os.path.join(folder, name)}: {error}\n")
                    break
            elif line.strip() and not line.startswith("#"):
                path = os.path.join(folder, line.rstrip())
                if path not in sys.path and os.path.exists(path):
                    sys.path.append(path)


def customize(found):
    """Imports what an installation or a user has put there to be imported first, as `site` does."""
    for name in ("sitecustomize", *(() if found.no_user_site else ("usercustomize",))):
        try:
            __import__(name)
        except Exception as error:
            if isinstance(error, ImportError) and error.name == name:
                continue
            if found.verbose:
                sys.excepthook(type(error), error, error.__traceback__)
            else:
                why = f"{type(error).__name__}: {error}"
                sys.stderr.write(f"Error in {name}; set PYTHONVERBOSE for traceback:\n{why}\n")
