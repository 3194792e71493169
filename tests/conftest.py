"""What holds for every test: generated examples are the same in every run, and no example is timed.

A run of everything is done by several processes, a file by one of them; a run of some of it by this one, which is then
there sooner, can be stopped in with a debugger, and leaves the other processors to whoever has work for them.
"""

from collections.abc import Generator

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")

MOST_PROCESSES = 4
"""A bound for large machines: each takes up to half a gigabyte."""


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    processes = min((yield), MOST_PROCESSES)
    asked_for_all = config.args_source is not pytest.Config.ArgsSource.ARGS and not config.option.keyword
    return processes if asked_for_all and processes > 1 else 0
