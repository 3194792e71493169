"""What holds for every test: generated examples are the same in every run, and no example is timed."""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")
