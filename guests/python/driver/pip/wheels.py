"""Wheels: what their names say, putting one in its place, and taking it away."""

import base64
import csv
import hashlib
import io
import os
import posixpath
import sys
import zipfile
from importlib import metadata

from pip.requirements import Requirement, canonical
from pip.versions import Version


# Packages that do the same without their native code, only slower: they are installed without it.
WORK_WITHOUT_NATIVE = frozenset(("markupsafe", "msgpack", "pyyaml", "simplejson", "wrapt", "zope-interface"))
_NATIVE = (".so", ".pyd", ".dylib")


class Error(Exception):
    """What the user is told."""


class Scheme:
    """Where files go."""

    def __init__(self, site, scripts, data):
        self.site, self.scripts, self.data = site, scripts, data

    @classmethod
    def chosen(cls, target=None, user=False):
        if target:
            target = os.path.abspath(target)
            return cls(target, os.path.join(target, "bin"), target)
        if user:
            base = os.path.expanduser("~/.local")
        elif sys.prefix != sys.base_prefix:
            base = sys.prefix
        else:
            base = os.environ.get("VIRTUAL_ENV") or "/usr/local"
        return cls(os.path.join(base, "lib/python3.14/site-packages"), os.path.join(base, "bin"), base)


def parse_name(filename):
    """Name and version, and how well it fits, of a wheel's file name; nothing if it is none. Pure Python is 3, what works
    without its native code 2 if it is for this version of Python and 1 if not, everything else 0."""
    parts = filename.removesuffix(".whl").split("-")
    if not filename.endswith(".whl") or len(parts) not in (5, 6):
        return None
    try:
        version = Version(parts[1].replace("_", "-"))
    except ValueError:
        return None
    pythons, abis, platforms = (part.split(".") for part in parts[-3:])
    name = canonical(parts[0])
    if "any" in platforms and "none" in abis and any(map(_is_ours, pythons)):
        return name, version, 3
    if name in WORK_WITHOUT_NATIVE and any(tag.startswith("cp3") for tag in pythons):
        return name, version, 2 if "cp314" in abis else 1
    return name, version, 0


def _is_ours(tag):
    """py3, py30 … py314, cp314: what `none-any` may be said with."""
    major, minor = tag[2:3], tag[3:]
    if tag.startswith("cp"):
        return tag == "cp314"
    return tag.startswith("py") and major == "3" and (not minor or (minor.isdigit() and int(minor) <= 14))


class Wheel:
    """An opened wheel."""

    def __init__(self, file, filename):
        self.filename = filename
        parsed = parse_name(filename)
        if parsed is None:
            raise Error(f"{filename} is not a valid wheel filename.")
        if not parsed[2]:
            raise Error(
                f"{filename} is not a supported wheel on this platform. (The sandbox runs wheels of pure Python: "
                "py3-none-any.)"
            )
        self._without_native = parsed[2] < 3
        try:
            self._zip = zipfile.ZipFile(file)
        except zipfile.BadZipFile:
            raise Error(f"Wheel {filename!r} located at {filename} is invalid.") from None
        infos = [name.partition("/")[0] for name in self._zip.namelist() if name.endswith(".dist-info/METADATA")]
        infos = [info for info in infos if canonical(info.rpartition("-")[0]) == parsed[0] or len(infos) == 1]
        if len(infos) != 1:
            raise Error(f"{filename} has no .dist-info folder")
        self.info = infos[0]
        self.metadata = metadata.PathDistribution(_InZip(self._zip, self.info)).metadata
        self.name, self.version = self.metadata["Name"], Version(self.metadata["Version"])
        self.extras = {canonical(extra) for extra in self.metadata.get_all("Provides-Extra") or ()}

    def requirements(self, extras):
        for text in self.metadata.get_all("Requires-Dist") or ():
            requirement = Requirement(text)
            if requirement.applies(extras):
                yield requirement

    def install(self, scheme, requested):
        """Writes the files, and the list of what was written."""
        listed = self._listed()
        record = f"{self.info}/RECORD"
        members = [one for one in self._zip.infolist() if not one.is_dir() and one.filename != record]
        if self._without_native:
            members = [one for one in members if not one.filename.endswith(_NATIVE)]
        # All are looked at before the first is written.
        for member in members:
            self._place(member.filename, scheme)
            if listed.get(member.filename) not in (None, "", _digest(self._zip.read(member))):
                raise Error(f"{self.filename}: the digest of {member.filename} is not the one in RECORD")
        written = []
        for member in members:
            place, is_script = self._place(member.filename, scheme)
            data = self._zip.read(member)
            if is_script:
                data = _own_interpreter(data, scheme)
            mode = 0o755 if is_script or member.external_attr >> 16 & 0o111 else 0o644
            written.append(_write(place, data, mode))
        for name, call in self._commands():
            written.append(_write(os.path.join(scheme.scripts, name), _script(call, scheme), 0o755))
        info = os.path.join(scheme.site, self.info)
        written.append(_write(os.path.join(info, "INSTALLER"), b"pip\n", 0o644))
        if requested:
            written.append(_write(os.path.join(info, "REQUESTED"), b"", 0o644))
        installed_record = io.StringIO()
        rows = csv.writer(installed_record, lineterminator="\n")
        for place, digest, size in written:
            rows.writerow((os.path.relpath(place, scheme.site), digest, size))
        rows.writerow((record, "", ""))
        _write(os.path.join(info, "RECORD"), installed_record.getvalue().encode(), 0o644)

    def _listed(self):
        try:
            text = self._zip.read(f"{self.info}/RECORD").decode()
        except KeyError:
            raise Error(f"{self.filename} has no RECORD") from None
        return {row[0]: row[1] if row[1].startswith("sha256=") else "" for row in csv.reader(text.splitlines()) if len(row) > 2}

    def _place(self, name, scheme):
        """Where a member goes, and whether it is a script. A wheel chooses names inside its folders, nothing else."""
        parts = name.split("/")
        if name.startswith("/") or "\\" in name or any(part in ("", ".", "..") for part in parts):
            raise Error(f"{self.filename}: the name {name!r} leads out of the folder")
        if parts[0] != self.info.removesuffix(".dist-info") + ".data":
            return os.path.join(scheme.site, name), False
        kinds = {"purelib": scheme.site, "platlib": scheme.site, "scripts": scheme.scripts, "data": scheme.data,
                 "headers": os.path.join(scheme.data, "include")}
        if len(parts) < 3 or parts[1] not in kinds:
            raise Error(f"{self.filename}: {name!r} is in no folder that is known")
        return os.path.join(kinds[parts[1]], *parts[2:]), parts[1] == "scripts"

    def _commands(self):
        """The commands that it asks for: names, and what they call."""
        try:
            text = self._zip.read(f"{self.info}/entry_points.txt").decode()
        except KeyError:
            return
        for point in metadata.EntryPoints._from_text_for(text, None):
            if point.group in ("console_scripts", "gui_scripts") and posixpath.basename(point.name) == point.name:
                yield point.name, point


class _InZip:
    """As much of a path as `importlib.metadata` uses."""

    def __init__(self, archive, info):
        self._zip, self._info = archive, info

    def joinpath(self, name):
        return _InZip(self._zip, f"{self._info}/{name}")

    def read_text(self, encoding="utf-8"):
        return self._zip.read(self._info).decode(encoding)


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _write(place, data, mode):
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if os.path.lexists(place):
        os.unlink(place)
    with open(place, "wb") as file:
        file.write(data)
    os.chmod(place, mode)
    return place, _digest(data), len(data)


def _interpreter(scheme):
    own = os.path.join(scheme.scripts, "python3")
    return own if os.path.exists(own) else "/usr/bin/python3"


def _own_interpreter(data, scheme):
    first, end, rest = data.partition(b"\n")
    return f"#!{_interpreter(scheme)}".encode() + end + rest if first.startswith(b"#!python") else data


def _script(point, scheme):
    first = point.attr.partition(".")[0]
    return (
        f"#!{_interpreter(scheme)}\nimport sys\nfrom {point.module} import {first}\n"
        f'if __name__ == "__main__":\n    sys.argv[0] = sys.argv[0].removesuffix(".exe")\n    sys.exit({point.attr}())\n'
    ).encode()


def installed(path):
    """The packages in some folders by their names; the first of a name counts."""
    found = {}
    for distribution in metadata.distributions(path=list(path)):
        name = distribution.metadata["Name"]
        if name:
            found.setdefault(canonical(name), distribution)
    return found


def site_of(distribution):
    return str(distribution.locate_file(""))


def files_of(distribution):
    """What a package has written, as absolute paths."""
    site = site_of(distribution)
    return [os.path.normpath(os.path.join(site, str(file))) for file in distribution.files or ()]


def uninstall(distribution):
    files = files_of(distribution)
    if not files:
        raise Error(f"Cannot uninstall {distribution.metadata['Name']}: it has no RECORD of its files")
    folders = set()
    for path in files:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
        folder, name = os.path.split(path)
        folders.add(folder)
        if name.endswith(".py"):
            _forget_compiled(folder, name)
    site = os.path.normpath(site_of(distribution))
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(os.path.join(folder, "__pycache__"))
        except OSError:
            pass
        while folder.startswith(site + "/"):
            try:
                os.rmdir(folder)
            except OSError:
                break
            folder = os.path.dirname(folder)


def _forget_compiled(folder, name):
    cache = os.path.join(folder, "__pycache__")
    try:
        names = os.listdir(cache)
    except OSError:
        return
    for compiled in names:
        if compiled.startswith(name.removesuffix(".py") + "."):
            os.unlink(os.path.join(cache, compiled))
