"""Having the client open a document, or tell a person where it is: the one place that asks for either.

A client may not be able to, say no, fail at it, or never answer. None of that is an error of what was asked for: the
document is there all the same.
"""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability

from . import wordy

if TYPE_CHECKING:
    from .server import GazetteerServer

ANSWER_S = 10.0
"""How long a client is waited for; one that does not answer while its own request is under way would wait for us."""


async def reveal(server: "GazetteerServer", uri: str, otherwise: Iterable[str]) -> bool:
    """Have the client open a document; whether it did. If not, it is sent the lines of ``otherwise`` as a message."""
    if get_capability(server.client_capabilities, "window.show_document.support", False):
        wanted = types.ShowDocumentParams(uri, take_focus=True)
        try:
            request = server.protocol.send_request_async(types.WINDOW_SHOW_DOCUMENT, wanted)
            answer = await asyncio.wait_for(request, ANSWER_S)
        except Exception as error:
            server.entries.info(f"The editor did not open a document ({type(error).__name__}).")
        else:
            if answer is not None and answer.success:
                return True
    tell(server, otherwise)
    return False


def tell(server: "GazetteerServer", lines: Iterable[str]) -> None:
    """Send a person a message."""
    text = "\n".join(map(_inert, lines))
    server.protocol.notify(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(types.MessageType.Info, text))


def _inert(line: str) -> str:
    """Return a line for a notification, where clients make links of ``[text](address)``, commands among them."""
    return wordy.plain(line).replace("](", "] (")
