"""The users in /etc/passwd."""

from _structseq import Record


class struct_passwd(Record):
    """A line of /etc/passwd."""

    _fields = ("pw_name", "pw_passwd", "pw_uid", "pw_gid", "pw_gecos", "pw_dir", "pw_shell")


def getpwall():
    """All users."""
    found = []
    try:
        with open("/etc/passwd", encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return found
    for line in lines:
        parts = line.split(":")
        if len(parts) == 7 and parts[2].isdigit() and parts[3].isdigit():
            parts[2:4] = map(int, parts[2:4])
            found.append(struct_passwd(parts))
    return found


def getpwnam(name, /):
    """The user with this name."""
    for user in getpwall():
        if user.pw_name == name:
            return user
    raise KeyError(f"getpwnam(): name not found: {name!r}")


def getpwuid(uid, /):
    """The user with this number."""
    for user in getpwall():
        if user.pw_uid == uid:
            return user
    raise KeyError(f"getpwuid(): uid not found: {uid}")
