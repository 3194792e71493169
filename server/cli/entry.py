"""From what was typed to an exit status: the one place where errors become a sentence.

No traceback reaches a user. An error of ours is its own sentence with the exit status of its code; a failure of the
system below (full disk, no permission) that nobody put into words is ``unavailable``; anything else is ``internal``
and says how to get the traceback. An interrupt and a closed pipe end quietly.
"""

import errno
import os
import sys
import traceback
from collections.abc import Sequence

import click

from ..kb.errors import EXIT_CODES, GazetteerError, InternalError, InvalidArgumentError, UnavailableError
from . import INTERRUPTED
from .commands import gazetteer
from .output import Output, OutputError, flush, let_go

DEBUG = "GAZETTEER_DEBUG"
COMPLETE = "_GAZETTEER_COMPLETE"
"""Set by the shell when it asks for completions."""

_SYSTEM = frozenset(
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EMFILE", "ENFILE", "EIO", "ENOMEM", "EFBIG")
)
"""Failures of the machine; everything else that the operating system reports here is a mistake of ours."""


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    try:
        status = _run(arguments)
        flush()
    except BrokenPipeError:
        # whoever read us has seen enough; nothing may complain while the interpreter flushes at exit
        let_go(sys.stdout)
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, OutputError) as error:
        let_go(sys.stdout)
        cause = error.__cause__ or error
        reason = getattr(cause, "strerror", None) or cause
        return _report(UnavailableError(f"The output cannot be written ({reason}); look at where it goes."), False)
    return status


def _run(arguments: Sequence[str]) -> int:
    as_json = "--json" in (arguments[: arguments.index("--")] if "--" in arguments else arguments)
    try:
        if COMPLETE in os.environ:
            gazetteer.main(list(arguments), prog_name="gazetteer")
        # not main() of the framework: it would make the exit status 1 of a closed pipe, which is "no hits" here
        with gazetteer.make_context("gazetteer", list(arguments)) as context:
            return int(gazetteer.invoke(context) or 0)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return EXIT_CODES[InvalidArgumentError.code]
    except click.ClickException as error:
        return _report(InvalidArgumentError(_usage(error)), as_json)
    except GazetteerError as error:
        return _report(error, as_json)
    except MemoryError:
        return _report(UnavailableError("There is not enough memory; close something or --exclude more."), as_json)
    except (BrokenPipeError, OutputError):
        raise
    except OSError as error:
        if error.errno not in _SYSTEM:
            return _report(_unforeseen(error), as_json)
        where = f" at {error.filename}" if error.filename else ""
        return _report(UnavailableError(f"{error.strerror}{where}; make room or allow it, and try again."), as_json)
    except Exception as error:
        return _report(_unforeseen(error), as_json)


def _usage(error: click.ClickException) -> str:
    """Put a usage error into one sentence that ends with where to look."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "gazetteer"
    return f"{error.format_message().rstrip('.')}; see {command} --help."


def _unforeseen(error: Exception) -> InternalError:
    return InternalError(
        f"This is a bug in Gazetteer ({type(error).__name__}); set {DEBUG}=1 and repeat the command to get what a "
        "report needs."
    )


def _report(error: GazetteerError, as_json: bool) -> int:
    """Print the error where its reader looks: JSON on standard output, a sentence on standard error."""
    output = Output(as_json=as_json)
    if os.environ.get(DEBUG):
        output.notes((("", line),) for line in traceback.format_exc().splitlines())
    if as_json:
        output.data(error.to_wire())
    else:
        output.notes([(("bad", "gazetteer: "), ("", error.message))])
    return EXIT_CODES[error.code]
