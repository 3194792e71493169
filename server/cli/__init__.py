"""The command line: one module a group of commands, rendering apart from doing, no logic of its own.

``main`` is the console script. It imports as little as possible, because ``gazetteer --help`` is typed by people who
wait, and it turns an interrupt at any moment, even while modules load, into the quiet exit status 130.
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import NoReturn

INTERRUPTED = 130
PATIENCE_S = 0.8
"""How long an interrupted command may tidy up. What it leaves undone then is what a killed process leaves: nothing that
needs repair. It may be waiting for a lock of another process, and people wait a second."""


def main() -> NoReturn:
    """Run the command that the process was started with and exit with its status."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else whoever started us has it ignored
        signal.signal(signal.SIGINT, _interrupt)
    try:
        from .entry import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)


def _interrupt(_signal: int, _frame: object) -> NoReturn:
    """Interrupt once; another Ctrl-C would only disturb the tidying, which ends by itself or is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end = threading.Timer(PATIENCE_S, os._exit, (INTERRUPTED,))
    end.daemon = True
    with suppress(RuntimeError):  # no more threads: then it is tidied up for as long as it takes
        end.start()
    raise KeyboardInterrupt
