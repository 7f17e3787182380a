"""Where wheels come from: files, folders, and an index (PEP 503 and 691) where the network policy allows it."""

import html.parser
import io
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from hashlib import sha256

from pip.requirements import canonical
from pip.versions import Version, specifiers
from pip.wheels import Error, Wheel, parse_name

_JSON = "application/vnd.pypi.simple.v1+json"
INDEX = "https://pypi.org/simple"
_TIMEOUT = 60

# Longer answers of an index are not read.
_LONGEST_LIST = 64 << 20
_LONGEST_WHEEL = 512 << 20

WITHOUT_NETWORK = (
    "Without the network these work: pip install ./NAME.whl, and pip install --no-index --find-links FOLDER NAME "
    "with a folder of wheels (mounted, for example)."
)


def fetch(url, longest, accept="*/*"):
    """The type and the bytes of what is at an address."""
    request = urllib.request.Request(url, headers={"Accept": accept, "User-Agent": "pip of Capsule"})
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
            data = answer.read(longest + 1)
            if len(data) > longest:
                raise Error(f"{url} is larger than {longest} bytes")
            return answer.headers.get_content_type(), data, answer.geturl()
    except urllib.error.HTTPError as failed:
        if failed.code == 404:
            return None, b"", url
        raise Error(f"HTTP error {failed.code} while getting {url}") from None
    except OSError as failed:
        why = getattr(failed, "reason", failed)
        why = getattr(why, "strerror", None) or why
        raise Error(f"{url} cannot be reached: {why}\n{WITHOUT_NETWORK}") from None


class Candidate:
    """A wheel that could be installed."""

    def __init__(self, name, version, fit, filename, place, digest=None, requires_python=None, yanked=False):
        self.name, self.version, self.fit, self.filename = name, version, fit, filename
        self._place, self._digest, self._wheel = place, digest, None
        self.requires_python, self.yanked = requires_python, yanked

    def runs_here(self):
        import platform

        try:
            here = Version(platform.python_version())
            return all(condition.allows(here) for condition in specifiers(self.requires_python or ""))
        except ValueError:
            return True

    def wheel(self):
        if self._wheel is None:
            if "://" not in self._place:
                self._wheel = Wheel(self._place, self.filename)
            else:
                data = fetch(self._place, _LONGEST_WHEEL)[1]
                if self._digest and sha256(data).hexdigest() != self._digest:
                    raise Error(f"THESE PACKAGES DO NOT MATCH THE HASHES: {self.filename} is not what the index promised")
                self._wheel = Wheel(io.BytesIO(data), self.filename)
        return self._wheel


def from_file(path):
    filename = os.path.basename(path)
    if not filename.endswith(".whl"):
        kind = "a folder of sources" if os.path.isdir(path) else "no wheel"
        raise Error(f"{path!r} is {kind}: in the sandbox packages are not built, only wheels of pure Python are installed")
    parsed = parse_name(filename)
    if not os.path.exists(path):
        raise Error(f"Requirement {path!r} looks like a filename, but the file does not exist")
    if parsed is None:
        raise Error(f"{filename} is not a valid wheel filename.")
    candidate = Candidate(*parsed, filename, path)
    candidate.wheel()
    return candidate


def from_url(url, name=None):
    filename = urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])
    if url.startswith("file:"):
        return from_file(urllib.parse.unquote(urllib.parse.urlsplit(url).path))
    if not url.startswith(("http://", "https://")):
        raise Error(f"{url} cannot be fetched: only wheels over http and https can")
    parsed = parse_name(filename)
    if parsed is None:
        raise Error(f"{url} is no wheel: in the sandbox packages are not built")
    digest = urllib.parse.urlsplit(url).fragment
    candidate = Candidate(*parsed, filename, url, digest.removeprefix("sha256=") if "sha256=" in digest else None)
    candidate.wheel()
    return candidate


class Finder:
    """Looks for wheels by name."""

    def __init__(self, links, indexes, pre=False):
        self._links, self._indexes, self._pre, self._known = links, indexes, pre, {}
        # Of what was seen last: names of files that cannot be used.
        self.unusable = []

    def candidates(self, name):
        """The wheels of a package that run here, the newest first."""
        name = canonical(name)
        if name not in self._known:
            found = []
            for link in self._links:
                found += self._in_folder(link, name) if "://" not in link else self._in_page(link, name)
            for index in self._indexes:
                found += self._in_page(f"{index.rstrip('/')}/{name}/", name)
            found.sort(key=lambda candidate: (candidate.version, candidate.fit), reverse=True)
            self._known[name] = [candidate for candidate in found if candidate.runs_here()]
        return self._known[name]

    def best(self, name, allows, named_prerelease):
        """The newest that is allowed; one that is no release only where nothing else is, or it was asked for."""
        fitting = [one for one in self.candidates(name) if allows(one.version)]
        plain = [one for one in fitting if not one.version.is_prerelease and not one.yanked]
        if self._pre or named_prerelease or not plain:
            return fitting[0] if fitting else None
        return plain[0]

    def _in_folder(self, folder, name):
        try:
            names = os.listdir(folder)
        except NotADirectoryError:
            folder, names = os.path.split(folder)[0] or ".", [os.path.basename(folder)]
        except OSError as failed:
            raise Error(f"--find-links {folder}: {failed.strerror}") from None
        return self._of_name(name, ((one, os.path.join(folder, one), None, None, False) for one in names))

    def _in_page(self, url, name):
        kind, data, url = fetch(url, _LONGEST_LIST, f"{_JSON}, text/html;q=0.5")
        if kind == _JSON:
            files = [
                (one["filename"], urllib.parse.urljoin(url, one["url"]), one.get("hashes", {}).get("sha256"),
                 one.get("requires-python"), bool(one.get("yanked")))
                for one in json.loads(data).get("files", ())
            ]
        elif kind is None:
            files = []
        else:
            page = _Page(url)
            page.feed(data.decode(errors="replace"))
            files = page.files
        return self._of_name(name, files)

    def _of_name(self, name, files):
        found = []
        for filename, place, digest, requires_python, yanked in files:
            parsed = parse_name(filename)
            if parsed is not None and parsed[0] == name and parsed[2]:
                found.append(Candidate(*parsed, filename, place, digest, requires_python, yanked))
            elif canonical(filename).startswith(name + "-") and filename.endswith((".whl", ".tar.gz", ".zip")):
                self.unusable.append(filename)
        return found


class _Page(html.parser.HTMLParser):
    """The list of an index that speaks HTML."""

    def __init__(self, url):
        super().__init__()
        self._url, self.files = url, []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag != "a" or not attrs.get("href"):
            return
        url = urllib.parse.urljoin(self._url, attrs["href"])
        parts = urllib.parse.urlsplit(url)
        digest = parts.fragment.removeprefix("sha256=") if parts.fragment.startswith("sha256=") else None
        filename = urllib.parse.unquote(parts.path.rpartition("/")[2])
        self.files.append(
            (filename, urllib.parse.urldefrag(url).url, digest, attrs.get("data-requires-python"), "data-yanked" in attrs)
        )
