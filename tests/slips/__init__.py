"""Slips: single wrong lines that the tests must catch. `python -m tests.slips` plants each and shows that they do."""

from __future__ import annotations

from tests.slips.front_end import FRONT_END
from tests.slips.package import PACKAGE
from tests.slips.slip import Slip

GROUPS: dict[str, tuple[Slip, ...]] = {"package": PACKAGE, "front-end": FRONT_END}


def all_slips() -> tuple[Slip, ...]:
    """Those of all groups."""
    return tuple(slip for slips in GROUPS.values() for slip in slips)
