"""What `subprocess` starts programs with: a child is never a copy of its parent here, so nothing of ours runs in it."""

import os
from os import fsencode
from struct import pack

from _capsule.kernel import number
from _capsule.system import request

# No process has this number, so waiting for it answers that there is no such child.
_NOBODY = 1 << 22


def fork_exec(
    args, executables, close_fds, keep_fds, cwd, env, p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite,
    errpipe_read, errpipe_write, restore_signals, new_session, group, gid, groups, uid, umask, preexec_fn, *_,
):
    """Starts the first of `executables` that there is. Why none could be started goes to the error pipe."""
    if preexec_fn is not None:
        raise RuntimeError("preexec_fn cannot work in the sandbox: a child process is not a copy of its parent")
    for asked, is_ours in ((uid, os.getuid), (gid, os.getgid)):
        if asked is not None and asked != is_ours():
            return _failed(errpipe_write, 1)
    environment = [k + b"=" + v for k, v in os.environb.items()] if env is None else list(env)
    folder = None if cwd is None else os.path.join(os.getcwdb(), fsencode(cwd))
    argv = [fsencode(argument) for argument in args]
    if any(b"\0" in text for text in (*argv, *environment, folder or b"", *map(fsencode, executables))):
        raise ValueError("embedded null byte")
    if folder is not None and not os.path.isdir(folder):
        return _failed(errpipe_write, 20 if os.path.lexists(folder) else 2, "noexec:chdir")
    actions = _actions(p2cread, c2pwrite, errwrite, close_fds, [fd for fd in keep_fds if fd != errpipe_write])
    signals = 1 << 12 | 1 << 24 if restore_signals else 0
    pgid = 0 if new_session else group if group >= 0 else None
    before = os.umask(umask) if umask >= 0 else None
    try:
        why = 2
        for executable in executables:
            path = os.path.join(folder or b"", fsencode(executable))
            try:
                return number("spawn", request(path, argv, environment, folder, actions, pgid, signals))
            except OSError as error:
                # As exec does it along PATH: a name that is not there is no reason to stop, another failure is remembered.
                if error.errno not in (2, 20):
                    why = error.errno
        return _failed(errpipe_write, why)
    finally:
        if before is not None:
            os.umask(before)


def _failed(pipe, errno, where=""):
    os.write(pipe, b"OSError:%x:%s" % (errno, where.encode()))
    return _NOBODY


def _actions(stdin, stdout, stderr, close_fds, keep_fds):
    wanted = [(fd, to) for to, fd in enumerate((stdin, stdout, stderr)) if fd >= 0]
    actions = []
    if any(fd < 3 and fd != to for fd, to in wanted):
        # One of the three is to become another of them: none may be overwritten before it was copied.
        moved = {fd: os.dup(fd) for fd, _ in wanted if fd < 3}
        wanted = [(moved.get(fd, fd), to) for fd, to in wanted]
    actions += [pack("<Iii", 0, fd, to) for fd, to in wanted]
    actions += [pack("<Iii", 0, fd, fd) for fd in keep_fds]
    if close_fds:
        actions += [pack("<Ii", 1, fd) for fd in _inherited() if fd not in keep_fds]
    return actions


def _inherited():
    """The descriptors above 2 that a child would get."""
    found = []
    try:
        names = os.listdir("/proc/self/fd")
    except OSError:
        return found
    for name in names:
        fd = int(name) if name.isdigit() else 0
        try:
            if fd > 2 and os.get_inheritable(fd):
                found.append(fd)
        except OSError:
            pass
    return found
