"""What a package wants (PEP 508): a name, extras, versions, and when."""

import os
import platform
import re
import sys

from pip.versions import Version, specifiers

_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[(?P<extras>[^\]]*)\])?\s*"
    r"(?:@\s*(?P<url>\S+)|\(?(?P<versions>[^;()@]*)\)?)\s*(?:;(?P<marker>.*))?\Z",
    re.DOTALL,
)

_TOKEN = re.compile(r"\s*(?:(?P<string>'[^']*'|\"[^\"]*\")|(?P<word>[A-Za-z_.][A-Za-z_.0-9]*)|(?P<sign>===|~=|==|!=|<=|>=|<|>|[()]))")


def canonical(name):
    """The one form of a name that may be written in several."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Requirement:
    def __init__(self, text):
        found = _REQUIREMENT.match(text)
        if found is None:
            raise ValueError(f"Invalid requirement: {text.strip()!r}")
        self.text, self.name, self.url = text.strip(), found["name"], found["url"]
        self.extras = {canonical(extra.strip()) for extra in (found["extras"] or "").split(",") if extra.strip()}
        self.versions = specifiers(found["versions"] or "")
        self.marker = (found["marker"] or "").strip()

    def applies(self, extras=()):
        """Whether it holds here, for a package that is wanted with these extras."""
        return not self.marker or any(_Marker(self.marker, extra).value() for extra in (extras or ("",)))

    def allows(self, version):
        return all(condition.allows(version) for condition in self.versions)

    def __str__(self):
        extras = f"[{','.join(sorted(self.extras))}]" if self.extras else ""
        return self.name + extras + ",".join(map(str, self.versions))


def environment():
    """What markers can ask."""
    return {
        "os_name": os.name, "sys_platform": sys.platform, "platform_machine": platform.machine(),
        "platform_python_implementation": platform.python_implementation(), "platform_release": platform.release(),
        "platform_system": platform.system(), "platform_version": platform.version(),
        "python_version": ".".join(platform.python_version_tuple()[:2]), "python_full_version": platform.python_version(),
        "implementation_name": sys.implementation.name, "implementation_version": platform.python_version(),
    }


class _Marker:
    """Reads and answers a condition on the environment. Nesting is bounded by Python's own recursion limit."""

    def __init__(self, text, extra):
        self._tokens, at = [], 0
        text = text.strip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise ValueError(f"Invalid marker: {text!r}")
            self._tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()
        self._text, self._environment = text, {**environment(), "extra": extra}

    def value(self):
        self._at = 0
        result = self._any()
        if self._at != len(self._tokens):
            raise ValueError(f"Invalid marker: {self._text!r}")
        return result

    def _peek(self):
        return self._tokens[self._at][1] if self._at < len(self._tokens) else None

    def _next(self):
        if self._at == len(self._tokens):
            raise ValueError(f"Invalid marker: {self._text!r}")
        self._at += 1
        return self._tokens[self._at - 1]

    def _any(self):
        result = self._all()
        while self._peek() == "or":
            self._at += 1
            result = self._all() or result
        return result

    def _all(self):
        result = self._one()
        while self._peek() == "and":
            self._at += 1
            result = self._one() and result
        return result

    def _one(self):
        if self._peek() == "(":
            self._at += 1
            result = self._any()
            if self._next()[1] != ")":
                raise ValueError(f"Invalid marker: {self._text!r}")
            return result
        left, operator = self._operand(), self._next()[1]
        if operator == "not":
            operator += " " + self._next()[1]
        right = self._operand()
        return _compare(*left, operator, *right)

    def _operand(self):
        kind, text = self._next()
        if kind == "string":
            return text[1:-1], False
        name = text.replace(".", "_").replace("python_implementation", "platform_python_implementation")
        name = name.replace("platform_platform_", "platform_")
        if kind != "word" or name not in self._environment:
            raise ValueError(f"Invalid marker: {self._text!r}")
        return self._environment[name], name == "extra"


def _compare(left, left_is_extra, operator, right, right_is_extra):
    if operator == "in":
        return left in right
    if operator == "not in":
        return left not in right
    if left_is_extra or right_is_extra:
        left, right = canonical(left), canonical(right)
    else:
        try:
            return specifiers(operator + right)[0].allows(Version(left))
        except ValueError:
            pass
    comparisons = {"==": left == right, "===": left == right, "!=": left != right, "<": left < right, ">": left > right,
                   "<=": left <= right, ">=": left >= right}
    if operator not in comparisons:
        raise ValueError(f"Invalid marker operator: {operator!r}")
    return comparisons[operator]
