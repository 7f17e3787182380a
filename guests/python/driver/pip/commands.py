"""The command line of pip."""

import os
import re
import shlex
import sys

from pip import __version__
from pip.requirements import Requirement, canonical
from pip.versions import Version
from pip.wheels import Error, Scheme, files_of, installed, site_of, uninstall

USAGE = """
Usage:
  pip <command> [options]

Commands:
  install      Install packages: NAME, NAME==VERSION, a wheel's path or address, -r FILE
  uninstall    Uninstall packages
  list         List installed packages
  show         Show information about installed packages
  freeze       Output installed packages in requirements format
  check        Verify installed packages have compatible dependencies
  help         Show help for commands

In the sandbox packages are not built: only wheels of pure Python can be installed. They come from a path, from a folder of
wheels (--find-links FOLDER), or from an index, if the session's network policy names its hosts.
"""

_HELP = {
    "install": """[options] <requirement or wheel> ...
  -r FILE, --requirement FILE   what the file lists
  -c FILE, --constraint FILE    versions the file allows
  -t DIR, --target DIR          into this folder
  --user                        into ~/.local
  -U, --upgrade                 newer versions of what is named
  --force-reinstall             even what is there
  --no-deps                     without what it depends on
  --pre                         versions before a release, too
  -f PLACE, --find-links PLACE  a folder of wheels, or a page of links
  -i URL, --index-url URL       another index than https://pypi.org/simple
  --extra-index-url URL         one more
  --no-index                    no index at all
  -q, --quiet                   say less
  --dry-run                     only say what would be done""",
    "uninstall": "[-y] [-q] [-r FILE] <name> ...",
    "list": "[--format columns|freeze|json] [--user] [--path DIR]",
    "show": "[-f] <name> ...",
    "freeze": "[--path DIR] [--user]",
    "check": "",
}

# Options by command: the field, and whether a value follows ("many": more than once).
_COMMON = {
    "-q": ("quiet", None), "--quiet": ("quiet", None), "-h": ("help", None), "--help": ("help", None),
    # What these ask for is so in any case.
    "--disable-pip-version-check": ("ignored", None), "--no-input": ("ignored", None), "--no-color": ("ignored", None),
    "--no-cache-dir": ("ignored", None), "--isolated": ("isolated", None), "-v": ("ignored", None), "--verbose": ("ignored", None),
    "--progress-bar": ("ignored", "one"), "--timeout": ("ignored", "one"), "--retries": ("ignored", "one"),
    "--root-user-action": ("ignored", "one"), "--break-system-packages": ("ignored", None),
    "--no-python-version-warning": ("ignored", None), "--require-virtualenv": ("require_virtualenv", None),
}
_OPTIONS = {
    "install": {
        "-r": ("requirement", "many"), "--requirement": ("requirement", "many"), "-c": ("constraint", "many"),
        "--constraint": ("constraint", "many"), "-t": ("target", "one"), "--target": ("target", "one"),
        "--user": ("user", None), "-U": ("upgrade", None), "--upgrade": ("upgrade", None),
        "--force-reinstall": ("force_reinstall", None), "--no-deps": ("no_deps", None), "--pre": ("pre", None),
        "-f": ("find_links", "many"), "--find-links": ("find_links", "many"), "-i": ("index_url", "one"),
        "--index-url": ("index_url", "one"), "--extra-index-url": ("extra_index_url", "many"),
        "--no-index": ("no_index", None), "--dry-run": ("dry_run", None),
        # Wheels are all that is installed, and bytecode is written when a module is first imported.
        "--only-binary": ("ignored", "one"), "--prefer-binary": ("ignored", None), "--no-compile": ("ignored", None),
        "--compile": ("ignored", None), "--no-warn-script-location": ("ignored", None),
    },
    "uninstall": {"-y": ("yes", None), "--yes": ("yes", None), "-r": ("requirement", "many"), "--requirement": ("requirement", "many")},
    "list": {"--format": ("format", "one"), "--user": ("user", None), "--path": ("path", "many")},
    "show": {"-f": ("files", None), "--files": ("files", None)},
    "freeze": {"--path": ("path", "many"), "--user": ("user", None), "--all": ("ignored", None)},
    "check": {},
}


class _Options:
    """What was asked for."""

    def __init__(self):
        self.arguments = []

    def __getattr__(self, name):
        return None


class _Usage(Exception):
    """The command line cannot be understood."""


def _parse(command, args):
    known, found, at = {**_COMMON, **_OPTIONS[command]}, _Options(), 0
    while at < len(args):
        arg, at = args[at], at + 1
        if arg == "--":
            found.arguments += args[at:]
            break
        if not arg.startswith("-") or arg == "-":
            found.arguments.append(arg)
            continue
        name, has_value, value = arg.partition("=")
        if not arg.startswith("--"):
            # Short options stand together, and a value may follow at once: -qU, -fDIR.
            name, value = arg[:2], arg[2:]
            has_value = bool(value)
            if has_value and name in known and known[name][1] is None:
                args[at:at] = ["-" + value]
                has_value = False
        if name not in known:
            raise _Usage(f"no such option: {name}")
        field, takes = known[name]
        if takes is None:
            if has_value:
                raise _Usage(f"{name} option does not take a value")
            setattr(found, field, True)
            continue
        if not has_value:
            if at == len(args):
                raise _Usage(f"{name} option requires 1 argument")
            value, at = args[at], at + 1
        if takes == "many":
            setattr(found, field, [*(getattr(found, field) or ()), value])
        else:
            setattr(found, field, value)
    return found


def main(args=None):
    args = list(sys.argv[1:] if args is None else args)
    while args and args[0] in ("-q", "--quiet", "--disable-pip-version-check", "--no-input", "--isolated", "--no-cache-dir"):
        args.append(args.pop(0))
        if all(arg.startswith("-") for arg in args):
            break
    if args and args[0] in ("--version", "-V"):
        print(f"pip {__version__} from {os.path.dirname(__file__)} (python {sys.version_info.major}.{sys.version_info.minor})")
        return 0
    if not args or args[0] in ("help", "-h", "--help"):
        if len(args) > 1 and args[1] in _HELP:
            print(f"\nUsage:\n  pip {args[1]} {_HELP[args[1]]}")
        else:
            print(USAGE)
        return 0
    command = args.pop(0)
    if command not in _OPTIONS:
        print(f'ERROR: unknown command "{command}"; in the sandbox pip knows {", ".join(_OPTIONS)}', file=sys.stderr)
        return 1
    try:
        options = _parse(command, args)
        if options.help:
            print(f"\nUsage:\n  pip {command} {_HELP[command]}")
            return 0
        return _COMMANDS[command](options) or 0
    except _Usage as wrong:
        print(f"\nUsage:\n  pip {command} {_HELP[command]}\n\n{wrong}", file=sys.stderr)
        return 2
    except (Error, ValueError) as wrong:
        for line in str(wrong).splitlines():
            print(f"ERROR: {line}", file=sys.stderr)
        return 1
    except OSError as wrong:
        print(f"ERROR: Could not install packages due to an OSError: {wrong}", file=sys.stderr)
        return 1


def _listed(path, depth=0):
    """The lines of a requirements file: arguments, and options that stand in it."""
    if depth > 10:
        raise Error("requirements files name each other without end")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as failed:
        raise Error(f"Could not open requirements file: {failed}") from None
    for line in re.sub(r"\\\n", "", text).splitlines():
        line = re.sub(r"(^|\s+)#.*", "", line).strip()
        if not line:
            continue
        if not line.startswith("-"):
            yield re.sub(r"\s--hash=\S+", "", line)
            continue
        words = shlex.split(line)
        name, has_value, value = words[0].partition("=")
        if not has_value:
            value = words[1] if len(words) > 1 else ""
        if name in ("-r", "--requirement"):
            yield from _listed(os.path.join(os.path.dirname(path), value), depth + 1)
        elif name in ("-f", "--find-links", "-i", "--index-url", "--extra-index-url", "--no-index", "--pre"):
            yield name, value
        else:
            raise Error(f"{path}: {words[0]} cannot be used in the sandbox")


def _read_files(options):
    for path in options.requirement or ():
        for one in _listed(path):
            if isinstance(one, str):
                options.arguments.append(one)
                continue
            field, takes = _OPTIONS["install"][one[0]]
            if takes == "many":
                setattr(options, field, [*(getattr(options, field) or ()), one[1]])
            else:
                setattr(options, field, one[1] if takes else True)


def _finder(options):
    from pip.sources import INDEX, Finder

    environ = {} if options.isolated else os.environ
    links = [*(options.find_links or ()), *environ.get("PIP_FIND_LINKS", "").split()]
    if options.no_index or environ.get("PIP_NO_INDEX", "") not in ("", "0", "false", "no"):
        return Finder(links, [], options.pre)
    first = options.index_url or environ.get("PIP_INDEX_URL") or INDEX
    more = [*(options.extra_index_url or ()), *environ.get("PIP_EXTRA_INDEX_URL", "").split()]
    return Finder(links, [first, *more], options.pre)


def _install(options):
    from pip.resolve import resolve
    from pip.sources import from_file, from_url

    _read_files(options)
    if not options.arguments:
        raise _Usage('You must give at least one requirement to install (see "pip help install")')
    scheme = Scheme.chosen(options.target, options.user)
    asked, fixed = [], []
    for text in options.arguments:
        path, extras = text, ()
        bracket = re.fullmatch(r"(.*\.whl)\[([^\]]*)\]", text)
        if bracket:
            path, extras = bracket[1], [canonical(extra.strip()) for extra in bracket[2].split(",")]
        if re.match(r"(https?|file|git\+\w+)://?", path):
            fixed.append((from_url(path), extras))
        elif path.endswith((".whl", ".tar.gz", ".zip")) or "/" in path.partition("@")[0] or path == ".":
            fixed.append((from_file(path), extras))
        else:
            requirement = Requirement(text)
            if requirement.applies():
                asked.append(requirement)
    present = {} if options.target else installed([scheme.site, *_sites()])
    _say(options, present, asked, scheme)
    limits = [Requirement(text) for path in options.constraint or () for text in _listed(path) if isinstance(text, str)]
    plan = resolve(_limited(asked, limits), fixed, _finder(options), present, options)
    names = []
    for wanted, candidate in plan:
        wheel = candidate.wheel()
        names.append(f"{wheel.name}-{wheel.version}")
        if options.dry_run:
            continue
        old = installed([scheme.site]).get(wanted.name)
        if old is not None:
            if not options.quiet:
                print(f"  Attempting uninstall: {wheel.name}\n    Found existing installation: {wheel.name} {old.version}")
            uninstall(old)
        wheel.install(scheme, None in wanted.parents)
    if names and not options.quiet:
        print(f"{'Would install' if options.dry_run else 'Successfully installed'} {' '.join(sorted(names))}")


def _limited(asked, limits):
    """Conditions of a constraints file hold for what is asked for."""
    for requirement in asked:
        for limit in limits:
            if canonical(limit.name) == canonical(requirement.name):
                requirement.versions += limit.versions
    return asked


def _say(options, present, asked, scheme):
    if options.quiet:
        return
    for requirement in asked:
        have = present.get(canonical(requirement.name))
        if have is not None and requirement.allows(Version(have.version)) and not (options.upgrade or options.force_reinstall):
            print(f"Requirement already satisfied: {requirement} in {site_of(have)} ({have.version})")


def _sites():
    return [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]


def _chosen(options):
    if options.path:
        return options.path
    return [Scheme.chosen(user=True).site] if options.user else _sites()


def _uninstall(options):
    _read_files(options)
    if not options.arguments:
        raise _Usage("You must give at least one requirement to uninstall")
    status = 0
    for text in options.arguments:
        name = canonical(Requirement(text).name)
        found = installed(_sites()).get(name)
        if found is None:
            print(f"WARNING: Skipping {text} as it is not installed.", file=sys.stderr)
            continue
        title = f"{found.metadata['Name']}-{found.version}"
        if not options.quiet:
            print(f"Found existing installation: {found.metadata['Name']} {found.version}")
        if not options.yes:
            print(f"Uninstalling {title}:\n  Would remove:")
            for path in sorted({os.path.dirname(path) for path in files_of(found)}):
                print(f"    {path}/*")
            print("Proceed (Y/n)? ", end="", flush=True)
            answer = sys.stdin.readline()
            if not answer or answer.strip().lower() not in ("", "y", "yes"):
                status = 0 if answer else 2
                continue
        uninstall(found)
        if not options.quiet:
            print(f"Uninstalling {title}:\n  Successfully uninstalled {title}")
    return status


def _sorted(found):
    return sorted(found.values(), key=lambda one: canonical(one.metadata["Name"]))


def _list(options):
    rows = [(one.metadata["Name"], one.version) for one in _sorted(installed(_chosen(options)))]
    form = options.format or "columns"
    if form == "json":
        import json

        print(json.dumps([{"name": name, "version": version} for name, version in rows]))
    elif form == "freeze":
        for name, version in rows:
            print(f"{name}=={version}")
    elif form != "columns":
        raise _Usage(f"option --format: invalid choice: {form!r} (choose from 'columns', 'freeze', 'json')")
    elif rows:
        width = max(7, *(len(name) for name, _ in rows))
        longest = max(7, *(len(version) for _, version in rows))
        print(f"{'Package':<{width}} Version\n{'-' * width} {'-' * longest}")
        for name, version in rows:
            print(f"{name:<{width}} {version}")


def _freeze(options):
    for one in _sorted(installed(_chosen(options))):
        print(f"{one.metadata['Name']}=={one.version}")


def _show(options):
    if not options.arguments:
        print("WARNING: ERROR: Please provide a package name or names.", file=sys.stderr)
        return 1
    found, all_installed, first = 0, installed(_sites()), True
    for name in options.arguments:
        one = all_installed.get(canonical(name))
        if one is None:
            print(f"WARNING: Package(s) not found: {name}", file=sys.stderr)
            continue
        found += 1
        if not first:
            print("---")
        first = False
        data = one.metadata
        below = sorted({Requirement(text).name for text in data.get_all("Requires-Dist") or () if Requirement(text).applies()})
        above = sorted(
            other.metadata["Name"] for other in all_installed.values()
            if any(
                canonical(Requirement(text).name) == canonical(data["Name"]) and Requirement(text).applies()
                for text in other.metadata.get_all("Requires-Dist") or ()
            )
        )
        for title, value in (
            ("Name", data["Name"]), ("Version", one.version), ("Summary", data.get("Summary", "")),
            ("Home-page", data.get("Home-page", "")), ("Author", data.get("Author", "")),
            ("Author-email", data.get("Author-email", "")), ("License", data.get("License-Expression") or data.get("License", "")),
            ("Location", site_of(one)), ("Requires", ", ".join(below)), ("Required-by", ", ".join(above)),
        ):
            print(f"{title}: {value}".rstrip(" ") if value else f"{title}:")
        if options.files:
            print("Files:")
            for file in sorted(map(str, one.files or ())):
                print(f"  {file}")
    return 0 if found else 1


def _check(options):
    found, broken = installed(_sites()), 0
    for one in _sorted(found):
        for text in one.metadata.get_all("Requires-Dist") or ():
            requirement = Requirement(text)
            if not requirement.applies():
                continue
            have = found.get(canonical(requirement.name))
            title = f"{one.metadata['Name']} {one.version}"
            if have is None:
                print(f"{title} requires {requirement.name}, which is not installed.")
            elif not requirement.allows(Version(have.version)):
                print(f"{title} has requirement {requirement}, but you have {have.metadata['Name']} {have.version}.")
            else:
                continue
            broken = 1
    if not broken:
        print("No broken requirements found.")
    return broken


_COMMANDS = {
    "install": _install, "uninstall": _uninstall, "list": _list, "show": _show, "freeze": _freeze, "check": _check,
}
