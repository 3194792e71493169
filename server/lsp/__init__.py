"""The language server: editors say what is open and what changes, and ask; no logic of its own.

``server`` puts it together, ``protocol`` is what the library lacks, ``lifecycle`` begins and ends. State changes run on
the event loop in arrival order (``sync``, ``sessions``); questions and indexing run in threads of our own (``jobs``).
pygls and lsprotocol are imported in this room only, and this room only when ``gazetteer serve`` runs.
"""
