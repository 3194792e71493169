"""What the tree of a document does not define, looked up in the other corpora that take part and are open (row L3, L5).

A look at another corpus waits for nothing, as every look: what is not open or not indexed is passed over here, and
opened in the background by whoever keeps it. A name says less in another tree than in its own, so it counts only where
it stands as a use of something, and behind an accessor only where what is in front of it is found there as well.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from lsprotocol import types

from ..kb.cancel import Cancel
from ..kb.errors import DamagedError, UnavailableError
from .jumps import MAX_PLACES, definitions_of, stopping, uses_of
from .looking import Look, folder_of, glance_elsewhere

if TYPE_CHECKING:
    from ..app import Session
    from ..context.meaning import Meanings, Named
    from ..context.pointing import Name
    from .server import GazetteerServer

LEAST = 3
"""Characters of a name that is looked up elsewhere."""


def others(server: "GazetteerServer", uri: str) -> "tuple[Session, ...]":
    """The sessions of the corpora beside the one that a document is in; on the event loop."""
    found = folder_of(server, uri)
    if found is None:
        return ()
    return tuple(one.session for one in server.corpora.beside(found[0]) if one.session is not None)


def name_used(seen: Look, offset: int) -> "Name | None":
    """The name at an offset, where it stands as a use of something that may be defined elsewhere."""
    from ..context.meaning import near_of
    from ..context.pointing import name_at

    name = name_at(seen.text, offset, seen.document.language)
    if name is None or len(name.text) < LEAST or name.of_self or (name.member and not name.qualifiers):
        return None
    near = near_of(seen.document, seen.glance.snapshot.derived(seen.document), name)
    return name if near.used else None


def is_defined(seen: Look, name: "Name", cancel: Cancel) -> bool:
    """Whether the document's own tree defines the name as it stands there."""
    from ..context.meaning import Meanings

    named = Meanings(seen.glance, stopping(cancel)).name(seen.document, name)
    return named is not None and bool(named.found.found)


def defined_in(
    sessions: "Sequence[Session]", name: "Name", seen: Look, cancel: Cancel
) -> "Iterator[tuple[Look, Meanings, Named]]":
    """What defines a name in other corpora: a look at the likeliest document of each that does."""
    from ..context.meaning import Meanings

    for session in sessions:
        cancel.check()
        with suppress(DamagedError, UnavailableError):  # whoever asks a question there mends it
            glance = glance_elsewhere(session)
            if glance is None:
                continue
            meanings = Meanings(glance, stopping(cancel))
            named = meanings.bare(name.text, name.start)
            if named is None or named.best is None or not _fits(name, meanings, named):
                continue
            yield Look.elsewhere(session, glance, named.best.document, seen.units), meanings, named


def _fits(name: "Name", meanings: "Meanings", named: "Named") -> bool:
    """Whether what is written in front of a name is found where it is defined: its container, or its document."""
    if not name.member or named.best is None:
        return True
    around = {*meanings.container(named.best).split("."), *named.best.document.path.replace(".", "/").split("/")}
    return name.qualifiers[-1] in around


def defining_across(sessions: "Sequence[Session]", seen: Look, offset: int, cancel: Cancel) -> Iterator[types.Location]:
    """Where other corpora define the name at an offset, which the document's own tree does not."""
    name = name_used(seen, offset)
    if name is None or is_defined(seen, name, cancel):
        return
    for there, _, named in defined_in(sessions, name, seen, cancel):
        yield from definitions_of(there, named)


def using_across(sessions: "Sequence[Session]", seen: Look, offset: int, cancel: Cancel) -> Iterator[types.Location]:
    """Where other corpora use the name at an offset: those that mean the same by it, because only one defines it."""
    from ..context.meaning import Meanings

    name = name_used(seen, offset)
    if name is None:
        return
    here = is_defined(seen, name, cancel)
    defining = {there.session.root for there, _, _ in defined_in(sessions, name, seen, cancel)}
    left = MAX_PLACES
    for session in sessions:
        if here == (session.root in defining):  # here and there: two things of one name; nowhere: nobody knows
            continue
        with suppress(DamagedError, UnavailableError):
            glance = glance_elsewhere(session)
            if glance is None:
                continue
            there, meanings = seen._replace(session=session, glance=glance), Meanings(glance, stopping(cancel))
            for use in uses_of(there, meanings, name, None)[:left]:
                cancel.check()
                if glance.holds(use.document):
                    yield from there.on_line(use.document, use.line, name.text)
                    left -= 1
