"""File control: the flags of descriptors. Locks are not kept in the sandbox, and asking for one says so."""

from struct import pack

from _capsule.kernel import error, number

F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL = range(5)
F_GETLK, F_SETLK, F_SETLKW = 5, 6, 7
F_RDLCK, F_WRLCK, F_UNLCK = range(3)
F_DUPFD_CLOEXEC = 1030
FD_CLOEXEC = 1
LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8


def _descriptor(file):
    return file if isinstance(file, int) else file.fileno()


def fcntl(fd, cmd, arg=0, /):
    """Perform the operation cmd on file descriptor fd."""
    fd = _descriptor(fd)
    if cmd in (F_DUPFD, F_DUPFD_CLOEXEC):
        return number("dup", pack("<iiI", fd, arg, cmd == F_DUPFD_CLOEXEC))
    if cmd in (F_GETFD, F_SETFD, F_GETFL, F_SETFL):
        return number("fcntl", pack("<iiI", fd, cmd, arg))
    raise error(22)


def ioctl(fd, request, arg=0, mutate_flag=True, /):
    """There are no device controls in the sandbox."""
    _descriptor(fd)
    raise error(25)


def flock(fd, operation, /):
    """Locks are not kept in the sandbox."""
    _descriptor(fd)
    raise error(38)


def lockf(fd, cmd, len=0, start=0, whence=0, /):
    """Locks are not kept in the sandbox."""
    _descriptor(fd)
    raise error(38)
