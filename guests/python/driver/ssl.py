"""TLS is the host's: a connection that is wrapped here asks for https, whose certificates the host checks, always. Settings
that would make it less strict are accepted and change nothing; a certificate for the client is refused.
"""

import base64
import collections
import enum
import os
import socket
import textwrap

OPENSSL_VERSION, OPENSSL_VERSION_INFO, OPENSSL_VERSION_NUMBER = (
    # Libraries refuse another name at its beginning.
    "OpenSSL 3.0.0 in name only: TLS is the sandbox's host's", (3, 0, 0, 0, 0), 0x30000000
)
HAS_SNI = HAS_ALPN = HAS_TLSv1_2 = HAS_TLSv1_3 = HAS_NEVER_CHECK_COMMON_NAME = True
HAS_SSLv2 = HAS_SSLv3 = HAS_TLSv1 = HAS_TLSv1_1 = HAS_NPN = False
PROTOCOL_TLS = PROTOCOL_SSLv23 = 2
PROTOCOL_TLSv1, PROTOCOL_TLSv1_1, PROTOCOL_TLSv1_2 = 3, 4, 5
PROTOCOL_TLS_CLIENT, PROTOCOL_TLS_SERVER = 16, 17
OP_ALL, OP_NO_SSLv2, OP_NO_SSLv3, OP_NO_TLSv1, OP_NO_TLSv1_1 = 0x80000050, 0, 0x2000000, 0x4000000, 0x10000000
OP_NO_TLSv1_2, OP_NO_TLSv1_3, OP_SINGLE_DH_USE, OP_SINGLE_ECDH_USE = 0x8000000, 0x20000000, 0, 0
OP_NO_COMPRESSION, OP_NO_TICKET, OP_IGNORE_UNEXPECTED_EOF, OP_LEGACY_SERVER_CONNECT = 0x20000, 0x4000, 0x80, 4
VERIFY_DEFAULT, VERIFY_X509_STRICT, VERIFY_X509_PARTIAL_CHAIN, VERIFY_X509_TRUSTED_FIRST = 0, 0x20, 0x80000, 0x8000
CHANNEL_BINDING_TYPES = []


class VerifyMode(enum.IntEnum):
    CERT_NONE, CERT_OPTIONAL, CERT_REQUIRED = range(3)


CERT_NONE, CERT_OPTIONAL, CERT_REQUIRED = VerifyMode


class TLSVersion(enum.IntEnum):
    MINIMUM_SUPPORTED, SSLv3, TLSv1, TLSv1_1, TLSv1_2, TLSv1_3, MAXIMUM_SUPPORTED = -2, 768, 769, 770, 771, 772, -1


class Purpose(enum.Enum):
    SERVER_AUTH, CLIENT_AUTH = "server", "client"


class SSLError(OSError):
    """Something of TLS failed."""

    library = reason = None

    def __str__(self):
        return self.strerror if isinstance(self.strerror, str) else super().__str__()


class SSLCertVerificationError(SSLError, ValueError):
    """A certificate does not hold."""

    verify_code, verify_message = 1, ""


class SSLZeroReturnError(SSLError):
    pass


class SSLWantReadError(SSLError):
    pass


class SSLWantWriteError(SSLError):
    pass


class SSLSyscallError(SSLError):
    pass


class SSLEOFError(SSLError):
    pass


CertificateError = SSLCertVerificationError


def _failure(text, is_certificate):
    """What the host tells of a connection that it could not make, as OpenSSL would."""
    if not is_certificate:
        return SSLError(1, f"[SSL] {text}")
    error = SSLCertVerificationError(1, f"[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: {text}")
    error.library, error.reason, error.verify_message = "SSL", "CERTIFICATE_VERIFY_FAILED", text
    return error


class SSLSocket(socket.socket):
    """A connection for https."""

    _scheme = "https"

    def getpeercert(self, binary_form=False):
        return b"" if binary_form else {}

    @property
    def _sslobj(self):
        """Asked by httpx, for the protocol."""
        return self

    def selected_alpn_protocol(self):
        return None

    def version(self):
        return "TLSv1.3"

    def cipher(self):
        return None

    def unwrap(self):
        return self

    def do_handshake(self, block=False):
        """The host does it."""


class SSLContext:
    """What would be agreed on; the host decides it."""

    def __init__(self, protocol=PROTOCOL_TLS_CLIENT):
        self.protocol, self.check_hostname, self.verify_mode = protocol, True, CERT_REQUIRED
        self.options, self.verify_flags, self.post_handshake_auth = OP_ALL, VERIFY_DEFAULT, False
        self.minimum_version, self.maximum_version = TLSVersion.TLSv1_2, TLSVersion.MAXIMUM_SUPPORTED
        self.sslsocket_class, self.keylog_filename, self.hostname_checks_common_name = SSLSocket, None, False

    def wrap_socket(self, sock, server_side=False, do_handshake_on_connect=True, suppress_ragged_eofs=True,
                    server_hostname=None, session=None):
        if server_side:
            raise SSLError("there are no servers in the sandbox")
        sock.__class__ = SSLSocket
        return sock

    def _accept(self, *_, **__):
        """A setting that is the host's."""

    load_verify_locations = load_default_certs = set_default_verify_paths = _accept
    set_ciphers = set_alpn_protocols = set_npn_protocols = set_ecdh_curve = _accept

    def load_cert_chain(self, certfile, keyfile=None, password=None):
        raise SSLError("certificates of a client cannot be used in the sandbox")

    def get_ca_certs(self, binary_form=False):
        return []

    def cert_store_stats(self):
        return {"x509": 0, "crl": 0, "x509_ca": 0}


def create_default_context(purpose=Purpose.SERVER_AUTH, *, cafile=None, capath=None, cadata=None):
    """A context for https."""
    return SSLContext()


_create_default_https_context = _create_stdlib_context = create_default_context


def _create_unverified_context(*_, **__):
    """Certificates are checked all the same."""
    return SSLContext()


PEM_HEADER, PEM_FOOTER = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


def DER_cert_to_PEM_cert(der):
    """Takes a certificate in binary DER format and returns the PEM version of it as a string."""
    text = base64.standard_b64encode(der).decode("ascii")
    return "\n".join([PEM_HEADER, *textwrap.wrap(text, 64), PEM_FOOTER, ""])


def PEM_cert_to_DER_cert(pem):
    """Takes a certificate in PEM format and returns the DER version of it."""
    text = pem.strip()
    if not (text.startswith(PEM_HEADER) and text.endswith(PEM_FOOTER)):
        raise ValueError(f"Invalid PEM encoding; must start with {PEM_HEADER} and end with {PEM_FOOTER}")
    return base64.decodebytes(text[len(PEM_HEADER) : -len(PEM_FOOTER)].encode("ascii"))


def RAND_bytes(n, /):
    """Generate n cryptographically strong pseudo-random bytes."""
    return os.urandom(n)


def RAND_status():
    """Random numbers are always there."""
    return True


DefaultVerifyPaths = collections.namedtuple(
    "DefaultVerifyPaths", "cafile capath openssl_cafile_env openssl_cafile openssl_capath_env openssl_capath"
)


def get_default_verify_paths():
    """The certificates that are trusted are the host's, and no files of the sandbox."""
    return DefaultVerifyPaths(None, None, "SSL_CERT_FILE", "", "SSL_CERT_DIR", "")


_ABSENT = frozenset(("MemoryBIO", "SSLObject", "SSLSession", "get_server_certificate"))


def __getattr__(name):
    why = ": TLS is the sandbox's host's, which makes HTTPS requests and nothing else" if name in _ABSENT else ""
    raise AttributeError(f"module 'ssl' has no attribute {name!r}{why}", name=name)
