"""What was freed goes back to the system, where the C library can be told so; what is loaded is not searched again."""

import ctypes
import gc
import os

import pytest
from gazetteer.kb import memory

COLLECTED = 3_000


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="not glibc")
def test_freed_memory_is_given_back() -> None:
    kept, libc = [], ctypes.CDLL(None)
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    for at in range(60_000):  # small enough for the heap; one in a thousand stays and holds the heap's end
        place = libc.malloc(1_000)
        ctypes.memset(place, 1, 1_000)
        kept.append((at % 1_000 != 999, place))
    for goes, place in kept:
        if goes:
            libc.free(place)
    before = resident()
    memory.give_back()
    assert before - resident() > 40_000_000
    for goes, place in kept:
        if not goes:
            libc.free(place)


def test_a_library_that_cannot_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda _name: object())  # type: ignore[attr-defined]
    memory._trim.cache_clear()
    memory.give_back()
    memory._trim.cache_clear()


def test_what_is_loaded_is_kept_out_of_collections_and_few_are_made() -> None:
    before = gc.get_threshold()
    kept = [[at] for at in range(1_000)]
    memory.settle()
    try:
        assert gc.get_freeze_count() >= len(kept)
        made = sum(one["collections"] for one in gc.get_stats())
        kept += [[at] for at in range(COLLECTED)]  # with the interpreter's own numbers a collection for every 700
        assert sum(one["collections"] for one in gc.get_stats()) == made
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
