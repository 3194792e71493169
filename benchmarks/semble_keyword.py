"""semble 0.7's keyword ranking for the harness: its own chunks, BM25 and code-aware reranking, no semantic part.

Only its public API is used. It wants a static model to open an index, which cannot be had offline; one that gives every
text the same vector stands in, and ``alpha=0`` leaves it out of the ranking. Run it with a Python that has semble:
``harness.py run --system py:benchmarks/semble_keyword.py:Keyword --python VENV/bin/python ...``.
"""

import os
import tempfile
from typing import Any

import numpy as np
from model2vec import StaticModel
from semble import SembleIndex
from semble.types import ContentType
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace


class Keyword:
    """Code only, as semble has it by default."""

    CONTENT: Any = ContentType.CODE

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="semble-bench-")
        os.environ["HF_HUB_OFFLINE"] = "1"
        os.environ["SEMBLE_CACHE_LOCATION"] = self._folder.name  # nothing is found ready-made, nothing is left behind
        self._model = os.path.join(self._folder.name, "model")
        tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        StaticModel(np.ones((1, 2), dtype=np.float32), tokenizer).save_pretrained(self._model)

    def index(self, root: str) -> None:
        """Index a tree."""
        self._index = SembleIndex.from_path(root, content=self.CONTENT, model_path=self._model)

    def search(self, query: str, k: int) -> list[tuple[str, int, int]]:
        """Places, best first."""
        found = self._index.search(query, top_k=k, alpha=0.0)
        return [(one.chunk.file_path, one.chunk.start_line, one.chunk.end_line) for one in found]
