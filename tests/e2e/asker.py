"""A process that asks several corpora whenever it is told to, kept out by permissions although root may start it.

Run as a program, with its parameters as JSON: ``roots``, ``config``, ``cache``, ``server``. Each line of standard input
is a question as `Query` reads it; each line of standard output is what became of it.
"""

import json
import runpy
import sys
from pathlib import Path
from typing import Any


def main(roots: list[str], config: str, cache: str, *, server: bool) -> None:
    """Ask until standard input ends."""
    runpy.run_path(str(Path(__file__).with_name("ordinary.py")))["give_up_rights"]()

    import msgspec
    from gazetteer.corpora.registry import Catalogue
    from gazetteer.kb.errors import GazetteerError
    from gazetteer.retrieval.query import Query, to_wire
    from gazetteer.settings import Settings
    from gazetteer.shelf import Shelf
    from gazetteer.workspace import Workspace

    settings = Settings(db_path=cache, workers=1, sweep_reuse_ms=0)
    catalogue = Catalogue(config)
    with Shelf(settings, catalogue, roots[0], one_shot=not server) as shelf:
        workspace = Workspace(roots, catalogue, cache, shelf.session)
        for line in sys.stdin:
            said: Any
            try:
                said = to_wire(workspace.retrieve(msgspec.json.decode(line, type=Query)))
            except GazetteerError as error:
                said = error.to_wire()
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
