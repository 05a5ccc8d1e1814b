"""Runs pytest again and again in a process that has imported the libraries, but nothing of the project: importing them
takes longer than most tests. Each run is a fork, which imports the project as it is then.

In: a line of JSON, pytest's arguments. Out: a line of JSON, the exit code, or null after `LIMIT` seconds.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from importlib import import_module
from pathlib import Path

LIBRARIES = ("torch", "pandas", "safetensors", "tokenizers", "streamlit", "streamlit.testing.v1", "hypothesis", "scipy")
LIMIT = 600.0  # seconds: a test that a slip makes endless has not caught it
PRINTED = "printed.txt"  # what pytest printed, in the working folder


def run(arguments: list[str]) -> None:
    """One run, in a fork."""
    printed = os.open(PRINTED, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    import pytest

    sys.exit(int(pytest.main(arguments)))


def main() -> None:
    for name in LIBRARIES:
        import_module(name)
    for line in sys.stdin:
        process = multiprocessing.get_context("fork").Process(target=run, args=(json.loads(line),))
        process.start()
        process.join(LIMIT)
        if process.is_alive():
            process.kill()
            process.join()
            Path(PRINTED).write_text(f"took more than {LIMIT:.0f} s", encoding="utf-8")
        print(json.dumps(process.exitcode), flush=True)


if __name__ == "__main__":
    main()
