"""What this process may use of the machine, or of the container that it runs in."""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path

BUDGET = "VIZ_MEMORY_MB"  # environment variable: megabytes that all visitors' kept values may take together
_USUAL = 4 * 2**30  # bytes that are assumed where the system does not tell
_MEMORY = ("memory.max", "memory/memory.limit_in_bytes")  # files with a container's limit, in cgroup 2 and 1
_CGROUP = Path("/sys/fs/cgroup")
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4  # parameters of `mallopt`


def memory(cgroup: Path = _CGROUP) -> int:
    """Bytes of memory: the machine's, or what its container is limited to."""
    try:
        found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, OSError, ValueError):  # not a Unix
        found = [_USUAL]
    return min(found + [number for name in _MEMORY for number in _numbers(cgroup / name)])


def budget() -> int:
    """Bytes for kept values: `VIZ_MEMORY_MB`, or else a quarter of the machine's memory, or of the container's.

    Raises:
        ValueError: the variable holds no number above 0.
    """
    said = os.environ.get(BUDGET, "").strip()
    if not said:
        return memory() // 4
    try:
        megabytes = float(said)
    except ValueError:
        megabytes = 0.0
    if not 0 < megabytes < float("inf"):
        raise ValueError(f"{BUDGET} must be a number of megabytes above 0; it is {said!r}.")
    return int(megabytes * 10**6)


def processors(cgroup: Path = _CGROUP) -> int:
    """How many processors this process may use, by its affinity and its container's limit; at least one."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Microseconds of computing in each period, and the period's length; "max" or -1 where nothing is limited.
    both = _numbers(cgroup / "cpu.max") or [
        *_numbers(cgroup / "cpu/cpu.cfs_quota_us"),
        *_numbers(cgroup / "cpu/cpu.cfs_period_us"),
    ]
    if len(both) == 2 and min(both) > 0:
        own = min(own, both[0] // both[1])
    return max(1, own)


def keep_freed_memory() -> bool:
    """Makes this process keep the memory that it frees from now on; returns False where the C library is not glibc.

    By default glibc hands large tensors back to the system, and gets the next step's page by page, each filled with
    zeros: a quarter of the time that training takes.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(_MMAP_MAX, 0) and mallopt(_TRIM_THRESHOLD, 2**31 - 1))


def _numbers(file: Path) -> list[int]:
    """The numbers in a file; empty where there is no such file, or it says that there is no limit."""
    try:
        return [int(word) for word in file.read_text(encoding="ascii").split()]
    except (OSError, ValueError):
        return []
