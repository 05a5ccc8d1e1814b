"""Every benchmark with its smallest settings: whether each still runs, not what it measures.

    python -m bench.all [names of benchmarks]

It goes through all of them, whatever fails, and then says how each went.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from importlib.util import find_spec
from time import monotonic

from bench.browser import ROOT
from bench.programs import NGINX, STORE

SMALLEST = {  # the arguments of each run
    "attacks": ["--seconds 1", "--soak 0.01"],
    "attention_page": ["--rounds 2"],
    "big_model": ["--places 2 --visitors 1"],
    "class": ["--visitors 1 --processes 1 --seconds 4 --think 1"],
    "copying": [""],
    "decoding_vs_huggingface": ["--repeats 1"],
    "first_screen": ["overview masks"],
    "first_visit": ["--starts 1 --tabs 1"],
    "heads_vs_bertviz": ["--lengths 16 --repeats 1"],
    "heavy": ["--rounds 1"],
    "held_lecture": ["--followers 1 --keys 3"],
    "held": ["--visitors 20 --processes 1"],
    "html_vs_bertviz": ["--lengths 16 --repeats 1"],
    "lessons": ["--rounds 1"],
    "memory": ["tour --texts 1", "visits --visits 1 --warm-up 1"],
    "recording": ["--repeats 1"],
    "rerun": ["--reruns 1"],
    "room": ["--clients 2 --processes 1", "--clients 2 --processes 2 --pages"],
    "strangers": ["--rounds 1"],
    "training_vs_torch": ["--repeats 1 --steps 2"],
}
PACKAGES = {"heads_vs_bertviz": ("bertviz", "IPython"), "html_vs_bertviz": ("bertviz", "IPython")}
PROGRAMS = {"class": (NGINX,), "held": (NGINX,), "room": (NGINX, STORE)}
LONGEST = 1200  # seconds of one run


def main() -> int:
    """Exit code 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="of benchmarks; all where none is given")
    names = parser.parse_args().names or list(SMALLEST)
    outcomes = [outcome(name, options) for name in names for options in SMALLEST[name]]
    print("\n" + "\n".join(outcomes))
    return int(any("FAILED" in one for one in outcomes))


def outcome(name: str, options: str) -> str:
    """Runs it -> how that went, in a line."""
    title = f"bench.{name} {options}"
    if missing := lacking(name):
        return f"{title}: skipped, {'; '.join(missing)}"
    print(f"\n{title}", flush=True)
    command = [sys.executable, "-m", f"bench.{name}", *shlex.split(options)]
    started = monotonic()
    try:
        code = subprocess.run(command, cwd=ROOT, timeout=LONGEST).returncode
    except subprocess.TimeoutExpired:
        code = None
    verdict = "passed" if code == 0 else f"FAILED, {f'exit code {code}' if code else 'it did not end'},"
    return f"{title}: {verdict} in {monotonic() - started:.0f} s"


def lacking(name: str) -> list[str]:
    """Why it cannot run here."""
    packages = [
        f"{one} is not installed: see bench/requirements.txt" for one in PACKAGES.get(name, ()) if not find_spec(one)
    ]
    return packages + [one.missing for one in PROGRAMS.get(name, ()) if not one.path]


if __name__ == "__main__":
    raise SystemExit(main())
