"""What a start costs: until ``initialize`` is answered nothing is loaded that only answers need."""

import subprocess
import sys

HEAVY = (
    "tantivy",
    "tree_sitter",
    "sqlite3",
    "yaml",
    "rich",
    "markdown_it",
    "numpy",
    "gazetteer.app",
    "gazetteer.kb.knowledge",
)
START = """
import sys
from gazetteer.cli import serve
from gazetteer.lsp.messages import Message
from gazetteer.lsp.server import GazetteerServer
from gazetteer.settings import Settings

answers = []
server = GazetteerServer(Settings())
server.protocol.connect(answers.append)
given = {"processId": None, "rootUri": "file:///", "capabilities": {}}
server.protocol.handle(Message("request", 1, "initialize", given))
assert b"serverInfo" in answers[0], answers
print(*(name for name in %r if name in sys.modules))
"""


def test_nothing_heavy_is_loaded_before_initialize_is_answered() -> None:
    """The row of the start: a server is there at once, whatever it knows how to do later."""
    done = subprocess.run([sys.executable, "-P", "-c", START % (HEAVY,)], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")
