### write and read
with open("f.txt", "w") as f: print(f.write("hello\nwörld\n"))
print(open("f.txt").read(), open("f.txt", "rb").read(), open("f.txt").readlines(), [l.strip() for l in open("f.txt")])
### append, seek, truncate
with open("f", "w+") as f: f.write("abcdef"); f.seek(2); print(f.read(2), f.tell()); f.truncate(3)
with open("f", "a") as f: f.write("Z")
print(open("f").read())
### binary and buffering
with open("b", "wb", buffering=0) as f: f.write(bytes(range(256)))
with open("b", "rb") as f: print(f.read(3), f.seek(-2, 2), f.read(), f.readinto(bytearray(2)))
### newlines
with open("n", "w", newline="\r\n") as f: f.write("a\nb\n")
print(open("n", "rb").read(), repr(open("n").read()), repr(open("n", newline="").read()))
### encodings of files
with open("l", "w", encoding="latin-1") as f: f.write("é")
print(open("l", "rb").read(), open("l", encoding="latin-1").read())
with open("u", "w", encoding="utf-8-sig") as f: f.write("x")
print(open("u", "rb").read(), open("u", encoding="utf-8-sig").read())
### exclusive creation
open("x", "x").close()
try: open("x", "x")
except FileExistsError as e: print(e)
### modes are checked
open("r", "w").write("a")
f = open("r")
try: f.write("b")
except Exception as e: print(type(e).__name__, e)
f.close()
try: f.read()
except ValueError as e: print(e)
### os.path
import os.path as p
print(p.join("a", "b", "/c"), p.split("/a/b"), p.splitext("x.tar.gz"), p.basename("/a/b/"), p.dirname("/a/b"), p.normpath("a/../b//c/."), p.isabs("/x"), p.commonpath(["/a/b", "/a/c"]), p.relpath("/a/b", "/a/c"), p.exists("nope"))
### pathlib
from pathlib import Path, PurePosixPath
d = Path("d/e"); d.mkdir(parents=True, exist_ok=True); f = d / "x.txt"; print(f.write_text("hi"), f.read_text(), f.suffix, f.stem, f.name, f.parent, f.exists(), f.is_file(), d.is_dir(), f.stat().st_size, sorted(map(str, Path(".").rglob("*"))), PurePosixPath("/a/b").relative_to("/a"), f.with_suffix(".md"), f.parts)
f.rename(d / "y"); print(list(d.iterdir())); (d / "y").unlink(); d.rmdir(); print(d.exists(), Path("a") / "b", Path("/x").joinpath("y"), Path("a*b").match("a*"))
### pathlib: bytes, touch, links
from pathlib import Path
p = Path("t"); p.touch(); p.write_bytes(b"\0\1"); print(p.read_bytes()); l = Path("l"); l.symlink_to("t"); print(l.is_symlink(), l.readlink(), l.resolve().name, l.lstat().st_size)
try: Path("no").read_text()
except FileNotFoundError as e: print(e)
try: p.mkdir()
except FileExistsError as e: print(e.errno)
### listdir, walk, scandir
import os
os.makedirs("a/b/c"); open("a/x", "w").write("12345"); open("a/b/y", "w").close()
print(sorted(os.listdir("a")), [(r, sorted(d), sorted(f)) for r, d, f in os.walk("a")])
with os.scandir("a") as s: print(sorted((e.name, e.is_dir(), e.is_file(), e.stat().st_size if e.is_file() else 0, e.path) for e in s))
### glob
import glob, os
os.makedirs("g/h"); [open(n, "w").close() for n in ("g/a.py", "g/b.txt", "g/h/c.py", "g/.hid")]
print(sorted(glob.glob("g/*.py")), sorted(glob.glob("g/**/*.py", recursive=True)), glob.glob("g/[ab].*") != [], glob.glob("nope*"), glob.escape("a[b]"))
### stat modes
import os, stat
open("m", "w").close(); os.chmod("m", 0o640); s = os.stat("m"); print(oct(s.st_mode), stat.filemode(s.st_mode), s.st_size, stat.S_ISREG(s.st_mode), s.st_nlink); os.mkdir("md", 0o750); print(stat.filemode(os.stat("md").st_mode)); os.link("m", "m2"); print(os.stat("m").st_nlink, os.path.samefile("m", "m2"))
### umask
import os
old = os.umask(0o027); open("u", "w").close(); os.mkdir("ud"); print(oct(os.stat("u").st_mode & 0o777), oct(os.stat("ud").st_mode & 0o777), oct(os.umask(old)))
### times
import os
open("t", "w").close(); os.utime("t", (1000, 2000.5)); s = os.stat("t"); print(s.st_atime, s.st_mtime, s.st_mtime_ns); os.utime("t", ns=(1, 2)); print(os.stat("t").st_mtime_ns)
### symbolic links
import os
open("real", "w").write("x"); os.symlink("real", "ln"); print(os.readlink("ln"), os.path.islink("ln"), os.path.realpath("ln") == os.path.abspath("real"), os.lstat("ln").st_size, open("ln").read()); os.symlink("nowhere", "dang"); print(os.path.exists("dang"), os.path.lexists("dang"))
### rename and replace
import os
open("a", "w").write("1"); open("b", "w").write("2"); os.replace("a", "b"); print(open("b").read(), os.path.exists("a")); os.rename("b", "c"); print(os.listdir())
### low-level descriptors
import os
fd = os.open("low", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600); print(os.write(fd, b"hello"), os.lseek(fd, 1, os.SEEK_SET), os.read(fd, 3), os.fstat(fd).st_size, oct(os.fstat(fd).st_mode)); os.ftruncate(fd, 2); d = os.dup(fd); os.close(fd); print(os.pread(d, 10, 0)); os.close(d)
try: os.read(d, 1)
except OSError as e: print(e)
### pipes
import os
r, w = os.pipe(); os.write(w, b"through"); os.close(w); print(os.read(r, 100), os.read(r, 10)); os.close(r)
r, w = os.pipe(); os.close(r)
try: os.write(w, b"x")
except BrokenPipeError as e: print(e)
### shutil
import shutil, os
os.makedirs("s/t"); open("s/f", "w").write("data"); os.chmod("s/f", 0o700); shutil.copy("s/f", "copy"); shutil.copy2("s/f", "copy2"); print(oct(os.stat("copy").st_mode & 0o777)); shutil.copytree("s", "s2"); print(sorted(os.listdir("s2"))); shutil.move("s2/f", "moved"); print(open("moved").read()); shutil.rmtree("s"); print(os.path.exists("s"), shutil.which("ls") is not None, shutil.which("nope_x"))
### shutil archives
import shutil, os
os.mkdir("ar"); open("ar/f", "w").write("x"); print(os.path.basename(shutil.make_archive("out", "zip", "ar")), os.path.basename(shutil.make_archive("out", "gztar", "ar"))); shutil.unpack_archive("out.tar.gz", "un"); print(os.listdir("un"), shutil.disk_usage(".").total > 0)
### tempfile
import tempfile, os
with tempfile.TemporaryDirectory() as d: print(os.path.isdir(d)); open(os.path.join(d, "x"), "w").close()
print(os.path.exists(d))
with tempfile.NamedTemporaryFile("w+", suffix=".txt") as f: f.write("a"); f.flush(); print(os.path.getsize(f.name), f.name.endswith(".txt"), oct(os.stat(f.name).st_mode & 0o777))
with tempfile.TemporaryFile() as f: f.write(b"x"); f.seek(0); print(f.read())
fd, n = tempfile.mkstemp(); os.close(fd); os.unlink(n); print(tempfile.gettempdir())
s = tempfile.SpooledTemporaryFile(10); s.write(b"abc"); s.seek(0); print(s.read())
### chdir and getcwd
import os
os.mkdir("w"); os.chdir("w"); open("in", "w").close(); os.chdir(".."); print(os.listdir("w"), os.path.basename(os.getcwd()) != "w")
import contextlib
with contextlib.chdir("w"): print(os.listdir())
### environment
import os
os.environ["MY_VAR"] = "1"; print(os.getenv("MY_VAR"), "MY_VAR" in os.environ, os.environ.get("NOPE", "d")); del os.environ["MY_VAR"]; print(os.getenv("MY_VAR")); os.environ["A_B"] = "é"; print(os.popen("echo $A_B").read(), os.path.expandvars("$A_B x"))
### fileinput
import fileinput
open("a", "w").write("1\n2\n"); open("b", "w").write("3\n")
for l in fileinput.input(["a", "b"]): print(fileinput.filename(), fileinput.lineno(), l.strip())
with fileinput.input("a", inplace=True) as f:
    for l in f: print(l.strip() * 2)
print(open("a").read())
### filecmp and linecache
import filecmp, linecache, os
open("a", "w").write("x\ny\n"); open("b", "w").write("x\ny\n"); print(filecmp.cmp("a", "b"), linecache.getline("a", 2)); os.mkdir("d1"); os.mkdir("d2"); open("d1/f", "w").close(); print(filecmp.dircmp("d1", "d2").left_only)
### names with spaces and unicode
import os
for n in ("a b", "é漢", "-x", "new\nline", "q'\""): open(n, "w").write(n)
print(sorted(os.listdir()), sorted(os.listdir(b".")))
### files left open are written
f = open("left", "w"); f.write("data")
import subprocess
f.flush(); print(subprocess.run(["cat", "left"], capture_output=True).stdout)
g = open("left2", "w"); g.write("never closed")
### large file
with open("big", "wb") as f:
    for i in range(64): f.write(bytes([i]) * 65536)
import os, hashlib
print(os.path.getsize("big"), hashlib.sha256(open("big", "rb").read()).hexdigest())
### sparse and offsets
with open("sp", "wb") as f: f.seek(1000000); f.write(b"x")
import os
print(os.path.getsize("sp"), open("sp", "rb").read(3))
### io layers
import io
f = io.open("t", "w+b"); w = io.TextIOWrapper(f, "utf-8", line_buffering=True); w.write("a\n"); print(w.buffer is f, w.seekable()); w.close(); r = io.BufferedReader(io.FileIO("t")); print(r.peek(1)[:1], r.read1(5))
### statvfs and access
import os
open("acc", "w").close(); print(os.access("acc", os.R_OK), os.access("nope", os.F_OK), os.statvfs(".").f_bsize > 0)
### devices
import os
open("/dev/null", "w").write("x"); print(open("/dev/null").read() == "", len(open("/dev/urandom", "rb").read(8)), open("/dev/zero", "rb").read(3), os.devnull)
### writing where it is not allowed
for p in ("/nonexistent/x", "/nonexistent/dir/file"):
    try: open(p, "w")
    except OSError as e: print(type(e).__name__ in ("FileNotFoundError", "PermissionError"))
### files while descriptor 3 is in use
import os
d = os.dup(1); open("f", "w").write("x"); print(open("f").read()); os.dup2(d, 3); open("g", "w").write("y"); print(open("g").read(), os.listdir() != [])
### damaged streams are told of at once
import bz2, lzma
for make, wrong in (bz2.BZ2Decompressor, OSError), (lzma.LZMADecompressor, lzma.LZMAError):
    try: make().decompress(b"this is not packed at all")
    except wrong as error: print(type(error).__name__, error)
    whole = {bz2.BZ2Decompressor: bz2, lzma.LZMADecompressor: lzma}[make].compress(b"x" * 1000)
    unpacker = make()
    print(len(b"".join(unpacker.decompress(whole[i:i + 7]) for i in range(0, len(whole), 7))), unpacker.eof)
### device numbers
import os
for major, minor in (0, 0), (8, 1), (259, 70000), (4095, 255): print(os.major(os.makedev(major, minor)), os.minor(os.makedev(major, minor)), os.makedev(major, minor))
### lzma of the old format
import lzma
for format in lzma.FORMAT_XZ, lzma.FORMAT_ALONE:
    packed = lzma.compress(b"text " * 500, format)
    print(len(packed) < 200, lzma.decompress(packed) == b"text " * 500, lzma.decompress(packed, format) == b"text " * 500)
    unpacker = lzma.LZMADecompressor()
    print(len(b"".join(unpacker.decompress(packed[i:i + 3]) for i in range(0, len(packed), 3))), unpacker.eof)
with lzma.open("f.lzma", "wt", format=lzma.FORMAT_ALONE) as file: file.write("one\ntwo\n")
with lzma.open("f.lzma", "rt") as file: print(file.readlines())
for data in b"", b"not packed", lzma.compress(b"x" * 1000)[:30]:
    try: lzma.decompress(data)
    except lzma.LZMAError as error: print(error)
### zip files with every compression
import zipfile
for kind in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA:
    with zipfile.ZipFile("x.zip", "w", kind) as archive: archive.writestr("d/a.txt", "some text\n" * 300); archive.writestr("empty", "")
    with zipfile.ZipFile("x.zip") as archive:
        print(archive.namelist(), archive.testzip(), archive.getinfo("d/a.txt").compress_type, archive.getinfo("d/a.txt").compress_size < 3001)
        with archive.open("d/a.txt") as member: print(len(member.readlines()), member.read())
### a zip file that was made elsewhere with lzma
import base64, io, zipfile
packed = base64.b64decode(
    "UEsDBD8AAgAOAIMYIlhu6BuLLwAAAKAPAAABAAAAYQkEBQBdAACAAAA7m8qq0RQVXdwqZAiwCRgHeQCtXSchTyJognU45Bh8///P0QAAUEsBAj8DPwACAA4A"
    "gxgiWG7oG4svAAAAoA8AAAEAAAAAAAAAAAAAAIABAAAAAGFQSwUGAAAAAAEAAQAvAAAATgAAAAAA")
print(len(zipfile.ZipFile(io.BytesIO(packed)).read("a")))
### trees with links are copied as they are
import os, shutil
os.makedirs("s/t"); open("s/f", "w").write("x"); os.symlink("f", "s/l"); os.symlink("gone", "s/t/g"); shutil.copytree("s", "d", symlinks=True)
print(os.readlink("d/l"), os.readlink("d/t/g"), sorted(os.listdir("d")), os.chmod in os.supports_follow_symlinks)
try: os.chmod("d/l", 0o600, follow_symlinks=False)
except NotImplementedError as e: print(e)
shutil.copy2("s/l", "copy", follow_symlinks=False); print(os.readlink("copy")); shutil.move("d/t/g", "moved"); print(os.readlink("moved"))
### a folder that is open as descriptor
import os
os.makedirs("t/a"); open("t/a/f", "w").write("1"); open("top", "w").write("2"); fd = os.open("t", os.O_RDONLY | os.O_DIRECTORY)
print(open("top").read(), os.listdir(fd), sorted(os.listdir()), os.stat("a/f", dir_fd=fd).st_size, os.path.exists("t/a/f"))
import colorsys
f = os.open("a/f", os.O_RDWR, dir_fd=fd); os.write(f, b"xyz"); os.close(f); print(open("t/a/f").read()); os.fchdir(fd); print(os.path.basename(os.getcwd()), os.listdir())
os.chdir(".."); os.close(fd); print(os.listdir("t"))
try: os.listdir(fd)
except OSError as e: print(e)
### paths that are empty
import os
for call in (open, os.stat, os.listdir, os.mkdir, lambda p: open(p, "w"), lambda p: open(os.fsencode(p))):
    try: call("")
    except OSError as e: print(type(e).__name__, e)
### openers
import os
with open("p", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as f: f.write("x")
print(oct(os.stat("p").st_mode)); os.mkdir("d"); fd = os.open("d", os.O_RDONLY)
for mode in ("w", "a", "r", "r+", "rb"):
    with open("in", mode, opener=lambda path, flags: os.open(path, flags | os.O_CLOEXEC, dir_fd=fd)) as f: print(mode, f.write("12") if f.writable() else f.read())
try: open("in", "x", opener=lambda path, flags: os.open(path, flags, dir_fd=fd))
except FileExistsError as e: print(e)
try: open("no", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW))
except FileNotFoundError as e: print(e)
print(os.listdir("d"))
