"""Plants slips one by one, each in a copy of the project, and prints which test caught it.

python -m tests.slips                   all of them
python -m tests.slips package           a group: package or front-end
python -m tests.slips "rank" "top-p"    those whose names have these words
python -m tests.slips --list            what there is
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.slips import GROUPS, all_slips
from tests.slips.proof import Copy, copy_of
from tests.slips.slip import Slip


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 where a slip is not caught, is stale, or its tests fail without it."""
    parser = argparse.ArgumentParser(prog="python -m tests.slips", description="Shows that every slip is caught.")
    parser.add_argument("names", nargs="*", help=f"groups ({', '.join(GROUPS)}) or parts of names; all if none")
    parser.add_argument("--list", action="store_true", help="only name the slips")
    chosen = parser.parse_args(arguments)
    slips = chosen_slips(chosen.names)
    if not slips:
        print(f"There is no slip of this name: {', '.join(chosen.names)}.")
        return 1
    if chosen.list:
        for slip in slips:
            print(f"{slip.file}: {slip.name}")
        return 0
    with copy_of() as copy:
        return 0 if stands(slips, copy) and all_caught(slips, copy) else 1


def chosen_slips(names: Sequence[str]) -> list[Slip]:
    """The slips of the groups, and those with a name that has one of `names` in it; all if there are none."""
    groups = [slip for name in names for slip in GROUPS.get(name, ())]
    words = [name.casefold() for name in names if name not in GROUPS]
    return [
        slip
        for slip in all_slips()
        if not names or slip in groups or any(word in slip.name.casefold() for word in words)
    ]


def stands(slips: Sequence[Slip], copy: Copy) -> bool:
    """Whether every slip fits its file, and every test passes without them; says what is wrong."""
    for slip in slips:
        try:
            slip.changed((copy.root / slip.file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            print(error)
            return False
    tests = dict.fromkeys(test for slip in slips for test in slip.tests)
    print(f"{len(slips)} slips, {len(tests)} tests. First the tests without the slips …", flush=True)
    outcome = copy.run(tests)
    if not outcome.passed:
        print(f"They must pass without the slips: {outcome}")
    return outcome.passed


def all_caught(slips: Sequence[Slip], copy: Copy) -> bool:
    """Plants one after the other and prints the table."""
    width = max(len(slip.name) for slip in slips)
    print(f"\n{'slip':{width}}  {'':10}  {'s':>5}  by")
    missed = 0
    for slip in slips:
        outcome, seconds = copy.prove(slip)
        verdict = "caught" if outcome.caught_by else "NOT CAUGHT"
        print(f"{slip.name:{width}}  {verdict:10}  {seconds:5.1f}  {outcome.caught_by or outcome}", flush=True)
        missed += not outcome.caught_by
    print(f"\n{len(slips) - missed} of {len(slips)} slips were caught.")
    return not missed


if __name__ == "__main__":
    sys.exit(main())
