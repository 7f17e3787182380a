"""The network: there are no sockets. Until the session may reach hosts, whoever asks for one is told that it may not."""

import errno
import socket

OFF = "network is off for this session"


def _refuse(*_, **__):
    raise OSError(errno.ENETUNREACH, OFF)


def install():
    for name in ("create_connection", "getaddrinfo", "gethostbyname", "gethostbyaddr", "socketpair"):
        setattr(socket, name, _refuse)
    socket.gethostname = _host_name


def _host_name():
    import os

    return os.uname().nodename
