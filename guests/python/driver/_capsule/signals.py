"""Signals."""

from _capsule.kernel import call


def retried(name, body):
    """A call that may be interrupted by a signal, again until it is not."""
    while True:
        try:
            return call(name, body)
        except InterruptedError:
            pass
