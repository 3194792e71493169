"""The command line: one module a group of commands, rendering apart from doing, no logic of its own.

``main`` is the console script. It imports as little as possible, because ``gazetteer --help`` is typed by people who
wait, and it turns an interrupt at any moment, even while modules load, into the quiet exit status 130.
"""

import sys
from typing import NoReturn

INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command that the process was started with and exit with its status."""
    try:
        from .entry import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)
