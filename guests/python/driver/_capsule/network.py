"""The network: HTTP and HTTPS alone, made by the host under the session's policy. Libraries speak HTTP over sockets; here a
socket reads the request that is sent into it, and tells the host's answer as HTTP again. Whether a host may be reached is
decided outside, for every request. A redirect is an answer like every other, so what it leads to is asked for anew.
"""

import errno
import io
import os
import socket
import time
from struct import pack, unpack, unpack_from

from _capsule.kernel import call, error, number, string

# A body up to this size is part of the request; a longer one, or one without a length, is handed over as it comes.
_INLINE = 1 << 16

# The head of a request that has not ended by then is none.
_LONGEST_HEAD = 1 << 20

# Belong to the connection, which is the host's.
_NOT_PASSED_ON = {b"connection", b"content-length", b"transfer-encoding", b"upgrade", b"te", b"keep-alive", b"expect"}

_OFF, _BAD_URL, _BAD_REQUEST, _DENIED, _DENIED_ADDRESS, _UNRESOLVED, _CONNECT, _TLS, _CERTIFICATE = range(1, 10)
_TIMEOUT, _CONNECT_TIMEOUT, _CUT = 10, 11, 17
_POLLIN, _POLLOUT = 1, 4
_LONGEST_WAIT = (1 << 31) - 1


# Nothing was sent when one of these happened.
_BEFORE_SENDING = {
    _OFF, _BAD_URL, _BAD_REQUEST, _DENIED, _DENIED_ADDRESS, _UNRESOLVED, _CONNECT, _TLS, _CERTIFICATE, _CONNECT_TIMEOUT
}


class _Unreached(OSError):
    """Nobody was reached."""

    def __init__(self, why):
        self.why = why


def _failure(record):
    """The exception for a record of what went wrong."""
    (fault,) = unpack_from("<I", record)
    text = record[8:].decode(errors="replace")
    if fault == _OFF:
        return OSError(errno.ENETUNREACH, text)
    if fault in (_DENIED, _DENIED_ADDRESS):
        return PermissionError(errno.EACCES, text)
    if fault == _UNRESOLVED:
        return socket.gaierror(socket.EAI_NONAME, text)
    if fault == _CONNECT:
        return ConnectionRefusedError(errno.ECONNREFUSED, text)
    if fault in (_TIMEOUT, _CONNECT_TIMEOUT):
        return TimeoutError(text)
    if fault in (_TLS, _CERTIFICATE):
        import ssl

        return ssl._failure(text, fault == _CERTIFICATE)
    return ConnectionError(text)


class _Record:
    """Reads a record of numbers and strings."""

    def __init__(self, data):
        self._data, self._at = data, 0

    def u32(self):
        (value,) = unpack_from("<I", self._data, self._at)
        self._at += 4
        return value

    def string(self):
        size = self.u32()
        self._at += size
        return self._data[self._at - size : self._at]

    def skip(self, size):
        self._at += size


class _Deadline:
    """How long one operation may take, told in milliseconds; -1 is for ever."""

    def __init__(self, seconds):
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self):
        if self._end is None:
            return -1
        return min(max(round((self._end - time.monotonic()) * 1000), 0), _LONGEST_WAIT)


def _wait(fd, events, seconds):
    """Waits until a descriptor can be read or written."""
    if seconds is None:
        return
    deadline = _Deadline(seconds)
    while True:
        try:
            (ready,) = unpack("<I", call("poll", pack("<iIiI", deadline.left(), 1, fd, events)))
        except InterruptedError:
            continue
        if not ready:
            raise TimeoutError("timed out")
        return


class _Chunks:
    """Takes a chunked body apart as it comes."""

    def __init__(self):
        self._data, self._left, self._line_end, self.ended = bytearray(), 0, 0, False

    def feed(self, data):
        """What the next bytes hold of the body."""
        self._data += data
        out = bytearray()
        while not self.ended:
            part = self._take(self._left)
            out += part
            self._left -= len(part)
            if self._left:
                break
            self._line_end -= len(self._take(self._line_end))
            line, end, rest = self._data.partition(b"\r\n")
            if self._line_end or not end:
                break
            self._left, self._line_end, self._data = int(line.partition(b";")[0], 16), 2, rest
            self.ended = self._left == 0
        return out

    def _take(self, size):
        part = self._data[:size]
        del self._data[:size]
        return part


class _Request:
    """A request whose body is still coming."""

    def __init__(self, head, scheme, host, port, timeout):
        self._timeout, self._chunks, self._length = timeout, None, 0
        self._body, self._taken, self._fd, self._refused = bytearray(), 0, None, False
        first, *lines = bytes(head).split(b"\r\n")
        words = first.split(b" ")
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            raise only_http()
        self._method, target = words[:2]
        self._url = _origin(scheme, host, port) + target if target.startswith(b"/") else target
        self._headers = []
        for name, _, value in (line.partition(b":") for line in lines):
            name, value = name.strip(), value.strip()
            kind = name.lower()
            if kind == b"content-length":
                self._length = int(value)
            elif kind == b"transfer-encoding":
                self._chunks, self._length = _Chunks(), None
            if kind not in _NOT_PASSED_ON:
                self._headers.append((name, value))

    def take(self, data):
        """More of the body; whether it is whole now."""
        if self._chunks is not None:
            data = self._chunks.feed(data)
        self._taken += len(data)
        self._pass_on(data)
        return self._taken >= self._length if self._chunks is None else self._chunks.ended

    def _pass_on(self, data):
        if self._fd is not None:
            self._write(data)
            return
        self._body += data
        if self._length is None or self._length > _INLINE:
            stream = pack("<I", 2) if self._length is None else pack("<IQ", 3, self._length)
            self._open(stream)
            self._write(self._body)

    def answer(self, sock):
        """Sends what is left; the answer is still to come."""
        if self._fd is None:
            self._open(pack("<I", 1) + string(self._body) if self._body else pack("<I", 0))
        else:
            call("http_finish", pack("<i", self._fd))
        fd, self._fd = self._fd, None
        return _Answer(fd, sock)

    def _open(self, body):
        record = [string(self._method), string(self._url), pack("<I", len(self._headers))]
        record += [string(name) + string(value) for name, value in self._headers]
        # No redirects; no limit for the whole exchange, one for connecting.
        record += [body, pack("<IQQ", 0, 0, 0 if self._timeout is None else max(round(self._timeout * 1000), 1))]
        self._fd = number("http_open", b"".join(record))

    def _write(self, data):
        view = memoryview(data)
        try:
            while view and not self._refused:
                _wait(self._fd, _POLLOUT, self._timeout)
                view = view[os.write(self._fd, view) :]
        except TimeoutError:
            raise
        except OSError:
            # The server takes no more: its answer, or the failure, says why.
            self._refused = True

    def __del__(self):
        if self._fd is not None:
            os.close(self._fd)


def _origin(scheme, host, port):
    usual = port == {"http": 80, "https": 443}[scheme]
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}{'' if usual else f':{port}'}".encode()


def only_http():
    return OSError(errno.EOPNOTSUPP, "only HTTP requests leave the sandbox: there are no servers and no other protocols")


class _Answer(io.RawIOBase):
    """An answer as the bytes of HTTP. The time to wait is the socket's, which may change between the operations."""

    def __init__(self, fd, sock):
        self._fd, self._socket, self._has_length = fd, sock, False
        self._pending, self._waited = None, 0.0

    def wait(self, quietly):
        """Waits for the head. `quietly`: that it has not come is told later, by who reads it."""
        if self._pending is not None:
            return
        timeout, begun = self._socket.gettimeout(), time.monotonic()
        deadline = _Deadline(None if timeout is None else max(timeout - self._waited, 0))
        try:
            while True:
                try:
                    head = call("http_head", pack("<ii", self._fd, deadline.left()))
                    break
                except InterruptedError:
                    pass
            self._pending = self._head(head)
        except TimeoutError:
            self._waited += time.monotonic() - begun
            if not quietly:
                self.close()
                raise TimeoutError("timed out") from None
        except OSError:
            why = call("http_error", pack("<i", self._fd))
            self.close()
            if not why:
                raise
            failed = _failure(why)
            raise (_Unreached(failed) if unpack_from("<I", why)[0] in _BEFORE_SENDING else failed) from None

    def _head(self, data):
        record = _Record(data)
        status, version, reason = record.u32(), record.u32(), record.string()
        record.string(), record.string()
        record.skip(4 + 3 * 8)
        lines = [b"HTTP/1.%d %d %s" % (version == 11, status, reason)]
        for _ in range(record.u32()):
            name, value = record.string(), record.string()
            self._has_length |= name.lower() == b"content-length"
            if name.lower() not in (b"connection", b"transfer-encoding", b"keep-alive"):
                lines.append(name + b": " + value)
        return b"\r\n".join([*lines, b"Connection: close", b"", b""])

    def readable(self):
        return True

    def fileno(self):
        return self._fd

    def readinto(self, buffer):
        try:
            self.wait(False)
        except _Unreached as failed:
            raise failed.why from None
        data = self._pending[: len(buffer)]
        if data:
            self._pending = self._pending[len(data) :]
        else:
            _wait(self._fd, _POLLIN, self._socket.gettimeout())
            try:
                data = os.read(self._fd, len(buffer))
            except OSError as failed:
                why = call("http_error", pack("<i", self._fd))
                # What is shorter than it said, libraries tell in their own words.
                if not (why and self._has_length and unpack_from("<I", why) == (_CUT,)):
                    raise (_failure(why) if why else failed) from None
                data = b""
        buffer[: len(data)] = data
        return len(data)

    def close(self):
        if not self.closed:
            os.close(self._fd)
        super().close()


class _Later(io.RawIOBase):
    """The answer to what a socket was sent, asked for when it is read."""

    def __init__(self, sock):
        self._socket, self._answer = sock, None

    def readable(self):
        return True

    def readinto(self, buffer):
        if self._answer is None:
            self._answer = self._socket._exchange()
        return self._answer.readinto(buffer)

    def close(self):
        if self._answer is not None:
            self._answer.close()
        super().close()


class Socket:
    """What libraries take for a connection."""

    _scheme = "http"

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        self.family, self.type, self.proto = socket.AF_INET, socket.SOCK_STREAM, 6
        self._host = self._port = self._reader = self._request = self._answer = None
        self._timeout, self._head = socket.getdefaulttimeout(), bytearray()

    def connect(self, address):
        self._host, self._port = address[0], int(address[1])

    def sendall(self, data, flags=0):
        if self._host is None:
            raise error(errno.ENOTCONN)
        if self._request is None:
            self._head += data
            head, end, data = self._head.partition(b"\r\n\r\n")
            if not end:
                if len(head) > _LONGEST_HEAD:
                    raise only_http()
                return
            self._head.clear()
            self._request = _Request(head, self._scheme, self._host, self._port, self._timeout)
        if self._request.take(data):
            self._ask()

    def send(self, data, flags=0):
        self.sendall(data)
        return len(data)

    def _ask(self):
        """Makes the request. That nobody can be reached is told at once, as `connect` would; the rest when it is read."""
        request, self._request = self._request, None
        try:
            answer = request.answer(self)
            answer.wait(True)
            self._answer = answer
        except _Unreached as failed:
            raise failed.why from None
        except OSError as failed:
            self._answer = failed

    def _exchange(self):
        if self._request is not None:
            self._ask()
        answer, self._answer = self._answer, None
        if answer is None:
            raise only_http() if self._host else error(errno.ENOTCONN)
        if isinstance(answer, OSError):
            raise answer
        return answer

    def makefile(self, mode="r", buffering=None, *, encoding=None, errors=None, newline=None):
        if "w" in mode:
            raise io.UnsupportedOperation("a connection is written with sendall here")
        reader = io.BufferedReader(_Later(self))
        return reader if "b" in mode else io.TextIOWrapper(reader, encoding, errors, newline)

    def recv(self, size, flags=0):
        if self._reader is None:
            self._reader = io.BufferedReader(_Later(self))
        return self._reader.read1(size)

    def recv_into(self, buffer, nbytes=0, flags=0):
        data = self.recv(nbytes or len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def settimeout(self, timeout):
        self._timeout = timeout

    def gettimeout(self):
        return self._timeout

    def setblocking(self, flag):
        self._timeout = None if flag else 0.0

    def getblocking(self):
        return self._timeout != 0.0

    def setsockopt(self, *_):
        """Connections are the host's, and so are their options."""

    def getsockopt(self, *_):
        return 0

    def getpeername(self):
        return self._host, self._port

    def getsockname(self):
        return "0.0.0.0", 0

    def fileno(self):
        return -1

    def shutdown(self, how):
        pass

    def close(self):
        self._reader = self._request = self._answer = None

    def detach(self):
        return -1

    def _refuse(self, *_, **__):
        raise only_http()

    bind = listen = accept = sendto = recvfrom = recvfrom_into = connect_ex = sendmsg = recvmsg = sendfile = _refuse

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def create_connection(address, timeout=None, source_address=None, *, all_errors=False):
    """Connect to address and return the socket object."""
    sock = Socket()
    # The library's own mark for "as by default" is no number.
    if timeout is None or isinstance(timeout, (int, float)):
        sock.settimeout(timeout)
    sock.connect(address)
    return sock


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    """Names are resolved outside, when a request is made."""
    ports = {"http": 80, "https": 443, None: 0}
    if port not in ports and not str(port).isdigit():
        raise socket.gaierror(-8, "Servname not supported for ai_socktype")
    where = host.decode() if isinstance(host, bytes) else host or "localhost"
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (where, ports.get(port) or int(port or 0)))]


def _unresolved(*_):
    raise socket.gaierror(socket.EAI_NONAME, "names are resolved outside the sandbox, when a request is made")


def _refuse(*_, **__):
    raise only_http()


def inet_ntoa(packed, /):
    """Convert an IP address from 32-bit packed binary format to string format."""
    if len(packed) != 4:
        raise OSError("packed IP wrong length")
    return ".".join(map(str, packed))


# Programs name these before they learn that nobody can listen.
_OPTIONS = {
    "SO_REUSEADDR": 2, "SO_ERROR": 4, "SO_BROADCAST": 6, "SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_KEEPALIVE": 9, "SO_LINGER": 13,
    "SO_REUSEPORT": 15,
}


def install():
    socket.socket = socket.SocketType = Socket
    Socket.__name__ = Socket.__qualname__ = "socket"
    socket.create_connection = create_connection
    socket.getaddrinfo = getaddrinfo
    for name in ("gethostbyname", "gethostbyaddr", "gethostbyname_ex", "getnameinfo"):
        setattr(socket, name, _unresolved)
    socket.socketpair = socket.create_server = _refuse
    socket.inet_ntoa = inet_ntoa
    for name, value in _OPTIONS.items():
        setattr(socket, name, value)
    socket.gethostname = socket.getfqdn = lambda *_: os.uname().nodename
    if not hasattr(socket, "EAI_NONAME"):
        socket.EAI_NONAME = -2


def without_proxies(request):
    """The host goes its own way: proxies of the environment are not used, as by the sandbox's curl. `request` is the module
    `urllib.request`."""
    request.getproxies = request.getproxies_environment = dict
