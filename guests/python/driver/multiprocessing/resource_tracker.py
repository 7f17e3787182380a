"""Nothing outlives the processes that use it here, so that nobody has to clean up behind them: this tracks nothing."""

import os

__all__ = ["ensure_running", "register", "unregister"]


class ResourceTracker:
    def __init__(self):
        self._fd = self._pid = None

    def getfd(self):
        """A descriptor for children, which expect one."""
        if self._fd is None:
            self._fd = os.open("/dev/null", os.O_RDONLY)
        return self._fd

    def ensure_running(self):
        """There is no process to run."""

    def register(self, name, rtype):
        """Notes nothing."""

    def unregister(self, name, rtype):
        """Notes nothing."""


_resource_tracker = ResourceTracker()
ensure_running = _resource_tracker.ensure_running
register = _resource_tracker.register
unregister = _resource_tracker.unregister
getfd = _resource_tracker.getfd
