"""The functions of `os` that WASI has not, or has without modes, owners and processes: each is one call of the kernel."""

import os
import posix
import sys
from os import fsdecode, fsencode, fspath
from struct import pack, unpack

from _capsule.kernel import (
    AT_EMPTY_PATH,
    AT_FDCWD,
    AT_REMOVEDIR,
    AT_SYMLINK_NOFOLLOW,
    O_CLOEXEC,
    call,
    error,
    number,
    string,
    strings,
)

_chdir = posix.chdir
_listdir = posix.listdir
_scandir = posix.scandir

ENOENT, EINVAL = 2, 22

# Linux's numbers on x86-64.
FLAGS = {
    "O_RDONLY": 0, "O_WRONLY": 1, "O_RDWR": 2, "O_ACCMODE": 3, "O_CREAT": 0o100, "O_EXCL": 0o200, "O_NOCTTY": 0o400,
    "O_TRUNC": 0o1000, "O_APPEND": 0o2000, "O_NONBLOCK": 0o4000, "O_NDELAY": 0o4000, "O_DSYNC": 0o10000,
    "O_DIRECTORY": 0o200000, "O_NOFOLLOW": 0o400000, "O_CLOEXEC": O_CLOEXEC, "O_SYNC": 0o4010000, "O_RSYNC": 0o4010000,
}
WAITS = {"WNOHANG": 1, "WUNTRACED": 2, "WCONTINUED": 8, "P_WAIT": 0, "P_NOWAIT": 1, "P_NOWAITO": 1}

POSIX_SPAWN_OPEN, POSIX_SPAWN_CLOSE, POSIX_SPAWN_DUP2 = range(3)


def _at(dir_fd):
    return AT_FDCWD if dir_fd is None else dir_fd


def _place(path, dir_fd=None):
    """The descriptor and the path of a call's arguments."""
    return pack("<i", _at(dir_fd)) + string(fsencode(path))


def _node(path, dir_fd, follow):
    """The place and the flags of something that is named by a path or by a descriptor."""
    if isinstance(path, int):
        return pack("<iI", path, 0), AT_EMPTY_PATH
    return _place(path, dir_fd), 0 if follow else AT_SYMLINK_NOFOLLOW


# Files


def _result(record):
    (dev, ino, mode, nlink, uid, gid, rdev, size, blocks, *times) = unpack("<QQIIIIQQQqIIqIIqII", record)
    seconds, nanos = times[0::3], times[1::3]
    exact = [s * 1_000_000_000 + n for s, n in zip(seconds, nanos)]
    floats = [s + n * 1e-9 for s, n in zip(seconds, nanos)]
    return os.stat_result((mode, ino, dev, nlink, uid, gid, size, *seconds, *floats, *exact, 4096, blocks, rdev))


def stat(path, *, dir_fd=None, follow_symlinks=True):
    """Perform a stat system call on the given path."""
    if not isinstance(path, int):
        fspath(path)
    place, flags = _node(path, dir_fd, follow_symlinks)
    return _result(call("stat", place + pack("<I", flags), path))


def lstat(path, *, dir_fd=None):
    """Perform a stat system call on the given path, without following symbolic links."""
    return _result(call("stat", _place(path, dir_fd) + pack("<I", AT_SYMLINK_NOFOLLOW), path))


def fstat(fd):
    """Perform a stat system call on the given file descriptor."""
    return _result(call("stat", pack("<iII", fd, 0, AT_EMPTY_PATH)))


def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    """Use the real uid/gid to test for access to a path."""
    flags = 0 if follow_symlinks else AT_SYMLINK_NOFOLLOW
    try:
        call("access", _place(path, dir_fd) + pack("<II", mode, flags))
    except OSError:
        return False
    return True


def chmod(path, mode, *, dir_fd=None, follow_symlinks=True):
    """Change the access permissions of a file."""
    place, flags = _node(path, dir_fd, follow_symlinks)
    try:
        call("chmod", place + pack("<II", mode & 0o7777, flags), path)
    except OSError as refused:
        if follow_symlinks or refused.errno != EINVAL:
            raise
        # Links have no modes, and those who copy them expect to be told so.
        raise NotImplementedError("chmod: follow_symlinks unavailable on this platform") from None


def fchmod(fd, mode):
    """Change the access permissions of the file given by file descriptor fd."""
    chmod(fd, mode)


def chown(path, uid, gid, *, dir_fd=None, follow_symlinks=True):
    """Change the owner and group id of path to the numeric uid and gid."""
    place, flags = _node(path, dir_fd, follow_symlinks)
    call("chown", place + pack("<III", uid & 0xFFFFFFFF, gid & 0xFFFFFFFF, flags), path)


def lchown(path, uid, gid):
    """Change the owner and group id of path, without following symbolic links."""
    chown(path, uid, gid, follow_symlinks=False)


def fchown(fd, uid, gid):
    """Change the owner and group id of the file specified by file descriptor."""
    chown(fd, uid, gid)


def mkdir(path, mode=0o777, *, dir_fd=None):
    """Create a directory."""
    call("mkdir", _place(path, dir_fd) + pack("<I", mode & 0o7777), path)


def mkfifo(path, mode=0o666, *, dir_fd=None):
    """Create a "fifo" (a POSIX named pipe)."""
    call("mkfifo", _place(path, dir_fd) + pack("<I", mode & 0o7777), path)


def unlink(path, *, dir_fd=None):
    """Remove a file."""
    call("unlink", _place(path, dir_fd) + pack("<I", 0), path)


def rmdir(path, *, dir_fd=None):
    """Remove a directory."""
    call("unlink", _place(path, dir_fd) + pack("<I", AT_REMOVEDIR), path)


def readlink(path, *, dir_fd=None):
    """Return a string representing the path to which the symbolic link points."""
    target = call("readlink", _place(path, dir_fd), path)
    return target if isinstance(fspath(path), bytes) else fsdecode(target)


def symlink(src, dst, target_is_directory=False, *, dir_fd=None):
    """Create a symbolic link pointing to src named dst."""
    call("symlink", string(fsencode(src)) + _place(dst, dir_fd), src, dst)


def link(src, dst, *, src_dir_fd=None, dst_dir_fd=None, follow_symlinks=True):
    """Create a hard link to a file."""
    call("link", _place(src, src_dir_fd) + _place(dst, dst_dir_fd) + pack("<I", 0), src, dst)


def rename(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
    """Rename a file or directory."""
    call("rename", _place(src, src_dir_fd) + _place(dst, dst_dir_fd) + pack("<I", 0), src, dst)


def truncate(path, length):
    """Truncate a file, specified by path, to a specific length."""
    if isinstance(path, int):
        return posix.ftruncate(path, length)
    call("truncate", _place(path) + pack("<q", length), path)


def utime(path, times=None, *, ns=None, dir_fd=None, follow_symlinks=True):
    """Set the access and modified time of path."""
    if times is not None and ns is not None:
        raise ValueError("utime: you may specify either 'times' or 'ns' but not both")
    if times is not None:
        exact = [int(t) * 1_000_000_000 + round((t - int(t)) * 1_000_000_000) for t in times]
    elif ns is not None:
        exact = list(ns)
    else:
        exact = None
    place, flags = _node(path, dir_fd, follow_symlinks)
    record = pack("<qII", 0, 0, 1) * 2
    if exact is not None:
        if len(exact) != 2:
            raise TypeError("utime: 'times' must be either a tuple of two ints or None")
        record = b"".join(pack("<qII", *divmod(t, 1_000_000_000), 0) for t in exact)
    call("utimens", place + pack("<I", flags) + record, path)


def umask(mask):
    """Set the current numeric umask and return the previous umask."""
    return number("umask", pack("<I", mask & 0o777))


def statvfs(path):
    """Perform a statvfs system call on the given path."""
    place = pack("<iI", path, 0) if isinstance(path, int) else _place(path)
    blocks, free, files, files_free, read_only = unpack("<QQQQQ", call("statfs", place, path))
    return os.statvfs_result((4096, 4096, blocks, free, free, files, files_free, files_free, int(read_only), 255))


def _start(cwd):
    """Lets the C library know where the process is."""
    _chdir(cwd)


def chdir(path):
    """Change the current working directory to the specified path."""
    if isinstance(path, int):
        return fchdir(path)
    call("chdir", string(fsencode(path)), path)
    _chdir(call("getcwd"))


def fchdir(fd):
    """Change to the directory of the given file descriptor."""
    if not isinstance(fd, int):
        fd = fd.fileno()
    call("fchdir", pack("<i", fd))
    _chdir(call("getcwd"))


def _named(path):
    """A path that is not empty: the C library would take that for the working directory."""
    if isinstance(path, (str, bytes)) and not path:
        raise error(ENOENT, path)
    return path


def listdir(path=None):
    """Return a list containing the names of the files in the directory."""
    if not isinstance(path, int):
        return _listdir(_named(path))
    fstat(path)
    here = open(".", FLAGS["O_DIRECTORY"])
    try:
        fchdir(path)
        try:
            return _listdir(".")
        finally:
            fchdir(here)
    finally:
        posix.close(here)


class DirEntry:
    """An entry of a directory, as `scandir` gives it."""

    __slots__ = ("_entry", "name", "path", "_stats")

    def __init__(self, entry):
        self._entry, self.name, self.path, self._stats = entry, entry.name, entry.path, {}

    def is_dir(self, *, follow_symlinks=True):
        return self._entry.is_dir(follow_symlinks=follow_symlinks)

    def is_file(self, *, follow_symlinks=True):
        return self._entry.is_file(follow_symlinks=follow_symlinks)

    def is_symlink(self):
        return self._entry.is_symlink()

    def is_junction(self):
        return False

    def inode(self):
        return self._entry.inode()

    def stat(self, *, follow_symlinks=True):
        follow = follow_symlinks and self.is_symlink()
        if follow not in self._stats:
            self._stats[follow] = stat(self.path, follow_symlinks=follow)
        return self._stats[follow]

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<DirEntry {self.name!r}>"

    __class_getitem__ = classmethod(type(list[int]))


DirEntry.__module__ = "posix"


class _Scan:
    def __init__(self, entries):
        self._entries = entries

    def __iter__(self):
        return self

    def __next__(self):
        return DirEntry(next(self._entries))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._entries.close()


def scandir(path=None):
    """Return an iterator of DirEntry objects for given path."""
    return _Scan(_scandir(_named(path)))


# Descriptors


def _linux_flags(flags):
    """An `opener` of a file gets the flags of C code, which are WASI's: none of Linux is as high as those for access."""
    if not flags & posix.O_ACCMODE:
        return flags
    meant = FLAGS["O_RDWR" if flags & posix.O_RDWR == posix.O_RDWR else "O_WRONLY" if flags & posix.O_WRONLY else "O_RDONLY"]
    flags &= ~posix.O_ACCMODE
    for name in ("O_APPEND", "O_CREAT", "O_EXCL", "O_TRUNC"):
        if flags & getattr(posix, name):
            flags &= ~getattr(posix, name)
            meant |= FLAGS[name]
    return flags | meant


def open(path, flags, mode=0o777, *, dir_fd=None):
    """Open a file for low level IO. Returns a file descriptor."""
    flags = _linux_flags(flags)
    return number("open", _place(path, dir_fd) + pack("<II", flags | O_CLOEXEC, mode & 0o7777), path)


def pipe():
    """Create a pipe: the descriptors for reading and for writing."""
    return pipe2(O_CLOEXEC)


def pipe2(flags, /):
    """Create a pipe with flags set atomically."""
    return unpack("<ii", call("pipe", pack("<I", flags)))


def dup(fd, /):
    """Return a duplicate of a file descriptor."""
    return number("dup", pack("<iiI", fd, 0, 1))


def dup2(fd, fd2, inheritable=True):
    """Duplicate file descriptor."""
    return number("dup2", pack("<iiI", fd, fd2, not inheritable))


def get_inheritable(fd, /):
    """Get the close-on-exe flag of the specified file descriptor."""
    return not number("fcntl", pack("<iiI", fd, 1, 0)) & 1


def set_inheritable(fd, inheritable, /):
    """Set the inheritable flag of the specified file descriptor."""
    number("fcntl", pack("<iiI", fd, 2, not inheritable))


def isatty(fd, /):
    """Return True if the fd is connected to a terminal."""
    try:
        return number("isatty", pack("<i", fd)) == 1
    except OSError:
        return False


def readv(fd, buffers, /):
    """Read from a file descriptor into a number of writable buffers."""
    data = os.read(fd, sum(memoryview(b).nbytes for b in buffers))
    at = 0
    for buffer in buffers:
        view = memoryview(buffer).cast("B")
        part = data[at : at + len(view)]
        view[: len(part)] = part
        at += len(part)
    return len(data)


def writev(fd, buffers, /):
    """Write the contents of buffers to a file descriptor."""
    return os.write(fd, b"".join(bytes(b) for b in buffers))


def get_terminal_size(fd=1, /):
    """Return the size of the terminal window as (columns, lines)."""
    size = number("winsize", pack("<i", fd))
    return os.terminal_size((size & 0xFFFF, size >> 16))


# Processes


def _ids():
    return unpack("<iiiiII", call("ids"))


def getpid():
    """Return the current process id."""
    return _ids()[0]


def getppid():
    """Return the parent's process id."""
    return _ids()[1]


def getpgrp():
    """Return the current process group id."""
    return _ids()[2]


def getuid():
    """Return the current process's user id."""
    return _ids()[4]


def getgid():
    """Return the current process's group id."""
    return _ids()[5]


def getresuid():
    """Return a tuple of the current process's real, effective, and saved user ids."""
    return (getuid(),) * 3


def getresgid():
    """Return a tuple of the current process's real, effective, and saved group ids."""
    return (getgid(),) * 3


def getgroups():
    """Return list of supplemental group IDs for the process."""
    return [getgid()]


def getlogin():
    """Return the actual login name."""
    import pwd

    return pwd.getpwuid(getuid()).pw_name


def getpgid(pid):
    """Call the system call getpgid(), and return the result."""
    return number("getpgid", pack("<i", pid))


def setpgid(pid, pgrp, /):
    """Call the system call setpgid(pid, pgrp)."""
    call("setpgid", pack("<ii", pid, pgrp))


def setpgrp():
    """Make the current process the leader of its process group."""
    setpgid(0, 0)


def getsid(pid, /):
    """Call the system call getsid(pid) and return the result."""
    return number("getsid", pack("<i", pid))


def setsid():
    """Call the system call setsid()."""
    number("setsid")


def kill(pid, signal, /):
    """Kill a process with a signal."""
    call("kill", pack("<ii", pid, signal))


def killpg(pgid, signal, /):
    """Kill a process group with a signal."""
    call("kill", pack("<ii", -pgid, signal))


def waitpid(pid, options, /):
    """Wait for completion of a given child process: its id and exit status."""
    return _wait(pid, options)[:2]


def _wait(pid, options):
    from _capsule import threads, waits

    return waits.wait_for_child(_wait_alone, pid, options) if threads.alive else _wait_alone(pid, options)


def _wait_alone(pid, options):
    from _capsule.signals import retried

    return unpack("<iIQQ", retried("wait", pack("<iI", pid, options)))


def wait():
    """Wait for completion of a child process: its id and exit status."""
    return waitpid(-1, 0)


def wait3(options):
    """Wait for completion of a child process: its id, exit status and use of resources."""
    return wait4(-1, options)


def wait4(pid, options):
    """Wait for completion of a specific child process: its id, exit status and use of resources."""
    import resource

    pid, status, cpu, peak = _wait(pid, options)
    return pid, status, resource._usage(cpu, peak)


def WIFEXITED(status):
    return status & 0x7F == 0


def WEXITSTATUS(status):
    return status >> 8 & 0xFF


def WIFSIGNALED(status):
    return status & 0x7F not in (0, 0x7F)


def WTERMSIG(status):
    return status & 0x7F


def WIFSTOPPED(status):
    return status & 0xFF == 0x7F


def WSTOPSIG(status):
    return status >> 8 & 0xFF


def WIFCONTINUED(status):
    return status == 0xFFFF


def WCOREDUMP(status):
    return False


def waitstatus_to_exitcode(status):
    """Convert a wait status to an exit code."""
    if WIFEXITED(status):
        return WEXITSTATUS(status)
    if WIFSIGNALED(status):
        return -WTERMSIG(status)
    raise ValueError(f"process stopped by delivery of signal {WSTOPSIG(status)}")


def _environment(env):
    if env is None:
        return [k + b"=" + v for k, v in os.environb.items()]
    return [fsencode(k) + b"=" + fsencode(v) for k, v in env.items()]


def request(path, argv, env, cwd=None, actions=(), pgid=None, signals=0):
    """The record of `spawn` and `exec`; `env` is a list of `NAME=value`."""
    record = [string(path), strings(argv), strings(env)]
    record.append(pack("<I", 0) if cwd is None else pack("<I", 1) + string(cwd))
    record.append(pack("<I", len(actions)) + b"".join(actions))
    record.append(pack("<I", 0) if pgid is None else pack("<Ii", 1, pgid))
    record.append(pack("<Q", signals))
    return b"".join(record)


def execv(path, argv, /):
    """Execute an executable path with arguments, replacing current process."""
    execve(path, argv, None)


def execve(path, argv, env):
    """Execute an executable path with arguments and environment, replacing current process."""
    if not argv:
        raise ValueError("execve: argv must not be empty")
    call("exec", request(fsencode(path), [fsencode(a) for a in argv], _environment(env)), path)


def posix_spawn(path, argv, env, *, file_actions=(), setpgroup=None, resetids=False, setsid=False, setsigmask=(),
                setsigdef=(), scheduler=None):
    """Execute the program specified by path in a new process."""
    actions = []
    for kind, *rest in file_actions or ():
        if kind == POSIX_SPAWN_OPEN:
            fd, name, flags, mode = rest
            actions.append(pack("<Ii", 2, fd) + string(fsencode(name)) + pack("<II", flags, mode))
        elif kind == POSIX_SPAWN_CLOSE:
            actions.append(pack("<Ii", 1, rest[0]))
        elif kind == POSIX_SPAWN_DUP2:
            actions.append(pack("<Iii", 0, rest[0], rest[1]))
        else:
            raise TypeError("Unknown file_actions identifier")
    signals = sum(1 << (int(s) - 1) for s in setsigdef)
    pgid = 0 if setsid else setpgroup
    body = request(fsencode(path), [fsencode(a) for a in argv], _environment(env), None, actions, pgid, signals)
    return number("spawn", body, path)


def posix_spawnp(path, argv, env, **options):
    """Execute the program specified by path, searched in PATH, in a new process."""
    if os.sep in fsdecode(path):
        return posix_spawn(path, argv, env, **options)
    for folder in os.get_exec_path(env):
        try:
            return posix_spawn(os.path.join(fsdecode(folder), fsdecode(path)), argv, env, **options)
        except (FileNotFoundError, NotADirectoryError):
            pass
    raise error(ENOENT, path)


def _spawn(mode, path, argv, env, spawn):
    pid = spawn(path, argv, os.environ if env is None else env)
    if mode == WAITS["P_NOWAIT"]:
        return pid
    return waitstatus_to_exitcode(waitpid(pid, 0)[1])


def spawnv(mode, file, args):
    """Execute file with arguments from args in a subprocess."""
    return _spawn(mode, file, args, None, posix_spawn)


def spawnve(mode, file, args, env):
    """Execute file with arguments from args in a subprocess with the specified environment."""
    return _spawn(mode, file, args, env, posix_spawn)


def spawnvp(mode, file, args):
    """Execute file (which is looked for along PATH) with arguments from args in a subprocess."""
    return _spawn(mode, file, args, None, posix_spawnp)


def spawnvpe(mode, file, args, env):
    """Execute file (which is looked for along PATH) with the specified environment."""
    return _spawn(mode, file, args, env, posix_spawnp)


def spawnl(mode, file, *args):
    return spawnv(mode, file, args)


def spawnle(mode, file, *args):
    return spawnve(mode, file, args[:-1], args[-1])


def spawnlp(mode, file, *args):
    return spawnvp(mode, file, args)


def spawnlpe(mode, file, *args):
    return spawnvpe(mode, file, args[:-1], args[-1])


def system(command):
    """Execute the command in a subshell."""
    return waitpid(posix_spawn("/bin/sh", ["sh", "-c", command], os.environ), 0)[1]


def uname():
    """Return an object identifying the current operating system."""
    return os.uname_result(("Linux", _host_name(), "6.1.0-capsule", "#1 Capsule", "wasm32"))


def _host_name():
    try:
        with __builtins__["open"]("/etc/hostname") as file:
            return file.read().strip() or "capsule"
    except OSError:
        return "capsule"


def cpu_count():
    """Return the number of logical CPUs in the system."""
    return 1


def sched_getaffinity(pid, /):
    """Return the set of CPUs the process is restricted to."""
    return {0}


def getloadavg():
    """Return average recent system load information."""
    return 0.0, 0.0, 0.0


def getrandom(size, flags=0):
    """Obtain a series of random bytes."""
    return os.urandom(size)


def major(device, /):
    """Extracts a device major number from a raw device number."""
    return device >> 8 & 0xFFF | device >> 32 & 0xFFFFF000


def minor(device, /):
    """Extracts a device minor number from a raw device number."""
    return device & 0xFF | device >> 12 & 0xFFFFFF00


def makedev(major, minor, /):
    """Composes a raw device number from the major and minor device numbers."""
    return (major & 0xFFFFF000) << 32 | (major & 0xFFF) << 8 | (minor & 0xFFFFFF00) << 12 | minor & 0xFF


def sync():
    """Force write of everything to disk."""


def ctermid():
    """Return the name of the controlling terminal for this process."""
    return "/dev/tty"


def ttyname(fd, /):
    """Return the name of the terminal device connected to 'fd'."""
    if not isatty(fd):
        raise error(25)
    return "/dev/tty"


def _functions():
    own = {"request", "call", "error", "number", "string", "strings", "pack", "unpack", "iter_unpack"}
    inherited = {"fsdecode", "fsencode", "fspath"}
    for name, value in globals().items():
        if name not in own | inherited and not name.startswith("_") and callable(value):
            yield name, value


def install():
    """Puts all of this into `os`. The import system uses `posix`, whose functions are faster."""
    names = {**dict(_functions()), **FLAGS, **WAITS}
    names |= {"POSIX_SPAWN_OPEN": 0, "POSIX_SPAWN_CLOSE": 1, "POSIX_SPAWN_DUP2": 2, "GRND_NONBLOCK": 1, "GRND_RANDOM": 2}
    names |= {"remove": unlink, "replace": rename, "geteuid": getuid, "getegid": getgid, "fstatvfs": statvfs}
    for name in ("O_EXEC", "O_SEARCH", "O_TTY_INIT"):
        delattr(os, name)
        os.__all__.remove(name)
    for name, value in names.items():
        setattr(os, name, value)
        if name not in os.__all__:
            os.__all__.append(name)
    os.process_cpu_count = cpu_count
    os._start = _start
    here = {access, chmod, chown, link, lstat, mkdir, mkfifo, open, readlink, rename, rmdir, stat, symlink, unlink, utime}
    os.supports_dir_fd = here
    os.supports_follow_symlinks = {access, chown, link, stat, utime}
    os.supports_fd = {chdir, chmod, chown, listdir, stat, statvfs, truncate, utime}
    os.supports_effective_ids = {access}
