"""How many files and connections this process may have open."""

from __future__ import annotations

import sys

MOST = 65_536  # enough for ten thousand visitors, of whom each takes five; some systems give no process more


def raise_limit() -> int | None:
    """Raises it to `MOST`, or as far as the hard limit allows: many shells set 1,024, which 200 visitors use up.

    Returns:
        How many there may be now; None where the system has no such limit (Windows).
    """
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
