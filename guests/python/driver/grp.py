"""The groups in /etc/group."""

from _structseq import Record


class struct_group(Record):
    """A line of /etc/group."""

    _fields = ("gr_name", "gr_passwd", "gr_gid", "gr_mem")


def getgrall():
    """All groups."""
    found = []
    try:
        with open("/etc/group", encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return found
    for line in lines:
        parts = line.split(":")
        if len(parts) == 4 and parts[2].isdigit():
            found.append(struct_group((parts[0], parts[1], int(parts[2]), [m for m in parts[3].split(",") if m])))
    return found


def getgrnam(name):
    """The group with this name."""
    for group in getgrall():
        if group.gr_name == name:
            return group
    raise KeyError(f"getgrnam(): name not found: {name!r}")


def getgrgid(id):
    """The group with this number."""
    for group in getgrall():
        if group.gr_gid == id:
            return group
    raise KeyError(f"getgrgid(): gid not found: {id}")
