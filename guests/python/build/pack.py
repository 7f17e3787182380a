"""Packs the standard library into one zip of compiled files: what the interpreter's crate has, what it lacks and
CPython's sources have, and the driver. Runs inside the interpreter. The same inputs give the same bytes.
"""

import importlib.util
import io
import struct
import tarfile
import zipfile

import _bashkit

ZIP = "/usr/local/lib/python314.zip"

# What the crate has put in the place of CPython's own files, or beside them: we do not use it.
REPLACED = ("_bashkit_", "httpx", "requests/", "pdb.", "http/client.", "__hello__", "__phello__")

# What cannot work here (the driver's `absent` module says why), or is not for this place.
LEFT_OUT = (
    "test/", "idlelib/", "turtledemo/", "turtle.py", "tkinter/", "lib2to3/", "ensurepip/", "ctypes/", "ssl.py", "curses/",
    "pydoc_data/", "_aix_support.py", "_android_support.py", "_apple_support.py", "_ios_support.py",
    "_osx_support.py", "__hello__.py", "__phello__/", "antigravity.py", "venv/", "webbrowser.py", "nturl2path.py",
    "_pydecimal.py", "_pydatetime.py", "_sysconfigdata", "site-packages/", "config-", "__pycache__/", "pty.py",
)


def get(name):
    return _bashkit.http("GET", name, (), None, None)[2]


def compiled(source, name):
    """The .pyc of a source, which is never compared with the source again."""
    code = compile(source, f"{ZIP}/{name}", "exec", dont_inherit=True)
    import marshal

    return importlib.util.MAGIC_NUMBER + struct.pack("<I", 1) + importlib.util.source_hash(source) + marshal.dumps(code)


def crate(entries):
    with zipfile.ZipFile(ZIP) as archive:
        for name in archive.namelist():
            if not name.startswith(REPLACED):
                entries[name] = archive.read(name)


def sources(entries):
    with tarfile.open(fileobj=io.BytesIO(get("library.tar"))) as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if not member.isfile() or not name.endswith(".py") or name.startswith(LEFT_OUT) or "/tests/" in name:
                continue
            if name + "c" not in entries:
                entries[name + "c"] = compiled(archive.extractfile(member).read(), name)


def strings(data):
    """Byte strings that have their length in front."""
    parts, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        parts.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return parts


def driver(entries):
    parts = strings(get("driver"))
    for name, source in zip(parts[::2], parts[1::2]):
        name = name.decode()
        entries[name + "c"] = compiled(source, name)


def zones(entries):
    """The time zones, where `zoneinfo` looks for them."""
    folders = {"tzdata", "tzdata/zoneinfo"}
    data = strings(get("zones"))
    for name, zone in zip(data[::2], data[1::2]):
        path = "tzdata/zoneinfo/" + name.decode()
        entries[path] = zone
        parts = path.split("/")
        folders.update("/".join(parts[:n]) for n in range(1, len(parts)))
    entries["tzdata/zones"] = b"".join(name + b"\n" for name in data[::2])
    for folder in folders:
        entries[folder + "/__init__.pyc"] = compiled(b"", folder + "/__init__.py")


def main():
    entries = {}
    crate(entries)
    # Asked for by the name of the platform, which the driver says is linux.
    entries["_sysconfigdata__linux_wasm32-wasi.pyc"] = entries.pop("_sysconfigdata__wasi_wasm32-wasi.pyc")
    sources(entries)
    driver(entries)
    zones(entries)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(entries):
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, entries[name], compresslevel=9)
    _bashkit.http("PUT", "python314.zip", (), out.getvalue(), None)


main()
