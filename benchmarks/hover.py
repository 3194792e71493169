"""What a hover costs: names of a real tree, asked over the protocol, each for the first time and once more.

    python benchmarks/hover.py --tree TREE [--hovers 400] [--warm 100]

The server has indexed the tree before. Documents are drawn at random, and a name in each; the first ``--warm`` hovers
are not counted. *New place*: nobody asked about it before. *Again*: the same places once more. *Nothing there*: blank
places, which is what asking and answering costs by itself. The first line says how large the tree is.
"""

import argparse
import os
import random
import re
import shutil
import tempfile
import time
from typing import Any

from server import Client, editor_capabilities, gazetteer, tell

ENDINGS = (".py", ".c", ".h", ".cc", ".cpp", ".js", ".ts", ".go", ".rs", ".java", ".rb", ".cs", ".kt", ".scala", ".lua")
NAME = re.compile(r"[A-Za-z_]\w{2,}")
SEED = 20_240_817
Place = tuple[str, int, int]


def files(tree: str) -> list[str]:
    """Source files of a tree, in order."""
    found = []
    for folder, folders, names in os.walk(tree):
        folders.sort()
        found += [os.path.join(folder, name) for name in sorted(names) if name.endswith(ENDINGS)]
    return [path for path in found if 200 < os.path.getsize(path) < 200_000]


def draw(texts: dict[str, str], count: int, form: re.Pattern[str]) -> list[Place]:
    """Places at random: URI, line, character of something that looks like ``form``."""
    random.seed(SEED)
    places: list[Place] = []
    while len(places) < count:
        uri = random.choice(list(texts))
        lines = texts[uri].split("\n")
        line = random.randrange(len(lines))
        found = list(form.finditer(lines[line]))
        if found and lines[line].isascii():
            places.append((uri, line, random.choice(found).start()))
    return places


def ask(client: Client, places: list[Place]) -> tuple[list[float], int]:
    """Milliseconds of each hover, and how many had something to say."""
    took, told = [], 0
    for uri, line, character in places:
        position = {"line": line, "character": character}
        began = time.perf_counter()
        answer = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
        took.append((time.perf_counter() - began) * 1000)
        told += answer is not None
    return took, told


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tree", required=True)
    arguments.add_argument("--hovers", type=int, default=400)
    arguments.add_argument("--warm", type=int, default=100)
    given = arguments.parse_args()
    tree, cache = os.path.realpath(given.tree), tempfile.mkdtemp()
    try:
        client = Client(gazetteer(), cache)
        client.initialize(f"file://{tree}", editor_capabilities())
        client.notify("initialized", {})
        client.request("gazetteer/sync", {})
        status: dict[str, Any] = client.request("gazetteer/status", {})
        print(f"{status['documents']:,} documents, {status['chunks']:,} chunks; load {os.getloadavg()[0]:.1f}")
        random.seed(SEED)
        texts = {}
        for path in random.sample(files(tree), min(60, len(files(tree)))):
            with open(path, encoding="utf-8", errors="replace") as file:
                texts[f"file://{path}"] = file.read()
        for uri, text in texts.items():
            document = {"uri": uri, "languageId": "x", "version": 1, "text": text}
            client.notify("textDocument/didOpen", {"textDocument": document})
        client.request("gazetteer/barrier", {})
        drawn = draw(texts, given.hovers + given.warm, NAME)
        ask(client, drawn[: given.warm])
        places = drawn[given.warm :]
        took, told = ask(client, places)
        tell(f"hover, new place ({told} of {len(places)} with a card)", took)
        tell("hover, again", ask(client, places)[0])
        tell("hover, nothing there", ask(client, draw(texts, len(places), re.compile(r"(?<=\s)\s(?=\s)|^$")))[0])
        client.close()
    finally:
        shutil.rmtree(cache)


main()
