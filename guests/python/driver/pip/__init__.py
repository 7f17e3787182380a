"""A small pip for the sandbox: wheels of pure Python, from files, from folders of wheels, and from an index where the
session's network policy allows it. Nothing is built: a package that has only sources cannot be installed.

* `versions`: versions and what may be asked of them
* `requirements`: what a package wants
* `wheels`: putting a wheel in its place, and taking it away
* `sources`: where wheels come from
* `resolve`: which wheels fit together
* `commands`: the command line
"""

__version__ = "1.0+capsule"


def main(args=None):
    """Runs one command; its status."""
    from pip.commands import main

    return main(args)
