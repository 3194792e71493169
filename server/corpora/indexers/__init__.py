"""What a corpus of a certain make is made of: one row an indexer (row C7).

An indexer chooses *which* files of a tree are read. How a file is read depends on its language alone (``kb/extract``),
so that the same file gives the same facts in every corpus. Rows are plain globs; there is no code for any of them, and
nothing that a tree holds picks a row: the registry's entry does.
"""

from .table import INDEXERS, IndexerRules, rules_of

__all__ = ["INDEXERS", "IndexerRules", "rules_of"]
