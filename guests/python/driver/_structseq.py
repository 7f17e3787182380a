"""Tuples with named fields that print as C's do."""


class Record(tuple):
    __slots__ = ()
    _fields = ()

    def __getattr__(self, name):
        try:
            return self[type(self)._fields.index(name)]
        except ValueError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None

    def __repr__(self):
        kind = type(self)
        fields = ", ".join(f"{name}={value!r}" for name, value in zip(kind._fields, self))
        return f"{kind.__module__}.{kind.__name__}({fields})"
