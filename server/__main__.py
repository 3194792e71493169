"""``python -m gazetteer`` is the command ``gazetteer``."""

from .cli import main

main()
