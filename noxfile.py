"""A contributor's day, one word each.

``nox -s format``, ``lint``, ``types``, ``tests``, ``soak``, ``faults``, ``bench``.

``nox`` alone runs what CI runs. Every session has an environment of its own; ``nox -r`` uses it again.
"""

import nox

nox.options.sessions = ["lint", "types", "tests"]
nox.options.error_on_external_run = True

EDITABLE = ("-e", ".[dev]", "--config-settings", "editable_mode=strict")
"""Strict: type checkers see the package that lies in ``server/`` under the name it is imported by."""


@nox.session
def format(session: nox.Session) -> None:  # noqa: A001 -- the word that a contributor types
    """Rewrite the sources as they should look."""
    session.install("ruff>=0.14")
    session.run("ruff", "format", ".")
    session.run("ruff", "check", "--fix", ".")


@nox.session
def lint(session: nox.Session) -> None:
    """Look at the form of the sources without changing them."""
    session.install("ruff>=0.14")
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the package and of its tests."""
    session.install(*EDITABLE)
    session.run("mypy", "-p", "gazetteer")
    session.run("mypy", "--explicit-package-bases", "tests")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests, as the README says; arguments go to pytest."""
    session.install(*EDITABLE)
    session.run("pytest", *session.posargs)


@nox.session
def soak(session: nox.Session) -> None:
    """Run the long counts in full: state machine, kills, two processes. Takes an hour or more."""
    session.install(*EDITABLE)
    session.run("pytest", "-m", "soak", "-o", "faulthandler_timeout=0", *session.posargs)


@nox.session
def faults(session: nox.Session) -> None:
    """Plant faults in a copy of the package, each of which the tests have to see; takes some minutes."""
    session.install(*EDITABLE)
    session.run("python", "tests/planted_faults.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure quality, time and memory; arguments go to the benchmark."""
    session.install(*EDITABLE)
    session.run("python", "-m", "benchmarks", *session.posargs)
