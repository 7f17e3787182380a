"""Versions (PEP 440) and what may be asked of them."""

import functools
import re

_VERSION = re.compile(
    r"""\s*v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)
    (?:[-_.]?(?P<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre_n>\d*))?
    (?:-(?P<post_dash>\d+)|[-_.]?(?P<post>post|rev|r)[-_.]?(?P<post_n>\d*))?
    (?:[-_.]?(?P<dev>dev)[-_.]?(?P<dev_n>\d*))?
    (?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*\Z""",
    re.VERBOSE | re.IGNORECASE,
)

_LETTERS = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}

# Before and after everything that can stand in the same place.
_FIRST, _LAST = (0,), (2,)


@functools.total_ordering
class Version:
    def __init__(self, text):
        found = _VERSION.match(text)
        if found is None:
            raise ValueError(f"Invalid version: {text!r}")
        self.text = text.strip()
        self.epoch = int(found["epoch"] or 0)
        self.release = tuple(map(int, found["release"].split(".")))
        self.pre = self.post = self.dev = self.local = None
        if found["pre"]:
            letter = found["pre"].lower()
            self.pre = (_LETTERS.get(letter, letter), int(found["pre_n"] or 0))
        if found["post_dash"] or found["post"]:
            self.post = int(found["post_dash"] or found["post_n"] or 0)
        if found["dev"]:
            self.dev = int(found["dev_n"] or 0)
        if found["local"]:
            parts = re.split("[-_.]", found["local"].lower())
            self.local = tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts)
        self.is_prerelease = self.pre is not None or self.dev is not None
        self._key = (*self.public_key(), self.local or ())

    def public_key(self):
        """What orders versions, without the local part."""
        release = self.release
        while len(release) > 1 and release[-1] == 0:
            release = release[:-1]
        if self.pre is not None:
            pre = (1, *self.pre)
        else:
            pre = _FIRST if self.post is None and self.dev is not None else _LAST
        post = _FIRST if self.post is None else (1, self.post)
        dev = _LAST if self.dev is None else (1, self.dev)
        return self.epoch, release, pre, post, dev

    def __eq__(self, other):
        return self._key == other._key

    def __lt__(self, other):
        return self._key < other._key

    def __hash__(self):
        return hash(self._key)

    def __str__(self):
        return self.text


class Specifier:
    """A condition, such as `>=1.2`."""

    def __init__(self, operator, text):
        self.operator, self.text = operator, text.strip()
        self.prefix = self.text.endswith(".*")
        if operator == "===":
            self.version = None
            return
        if self.prefix and operator not in ("==", "!="):
            raise ValueError(f"Invalid specifier: {operator}{text}")
        self.version = Version(self.text.removesuffix(".*"))
        if operator == "~=" and len(self.version.release) < 2:
            raise ValueError(f"Invalid specifier: {operator}{text}")

    def __str__(self):
        return self.operator + self.text

    def names_prerelease(self):
        return self.version is not None and self.version.is_prerelease and self.operator not in ("!=", "<", ">")

    def allows(self, version):
        wanted, operator = self.version, self.operator
        if operator == "===":
            return str(version).lower() == self.text.lower()
        if operator in ("==", "!="):
            return self._same(version) == (operator == "==")
        ours, theirs = version.public_key(), wanted.public_key()
        if operator == "~=":
            return ours >= theirs and _begins(version, wanted.epoch, wanted.release[:-1])
        if operator == ">=":
            return ours >= theirs
        if operator == "<=":
            return ours <= theirs
        same_release = (version.epoch, ours[1]) == (wanted.epoch, theirs[1])
        if operator == "<":
            return ours < theirs and not (version.is_prerelease and not wanted.is_prerelease and same_release)
        return ours > theirs and not (version.post is not None and wanted.post is None and same_release)

    def _same(self, version):
        if self.prefix:
            return _begins(version, self.version.epoch, self.version.release)
        if self.version.local is None:
            return version.public_key() == self.version.public_key()
        return version == self.version


def _begins(version, epoch, release):
    padded = version.release + (0,) * (len(release) - len(version.release))
    return version.epoch == epoch and padded[: len(release)] == release


def specifiers(text):
    """Conditions with commas between them."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = re.match(r"(===|~=|==|!=|<=|>=|<|>)\s*(.+)\Z", part)
        if match is None:
            raise ValueError(f"Invalid specifier: {part!r}")
        found.append(Specifier(*match.groups()))
    return found
