"""``python -m benchmarks COMMAND ...``: what is measured, and with which arguments, is in README.md."""

import os
import runpy
import sys

COMMANDS = (
    "run",
    "ablation",
    "analysis",
    "history",
    "scaling",
    "buffers",
    "edits",
    "memory",
    "hover",
    "server",
    "federated",
    "definitions",
)


def main() -> None:
    """Hand the rest of the command line to one of the programs beside this file."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in COMMANDS:
        print(f"{__doc__}\n\nName one of: {', '.join(COMMANDS)}. Each has --help.", file=sys.stderr)
        sys.exit(0 if name in ("", "-h", "--help") else 2)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # as it is when a program is run by its path
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    sys.argv = [program, *sys.argv[2:]]
    runpy.run_path(program, run_name="__main__")


main()
