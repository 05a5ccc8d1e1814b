"""The memory and processors that a process may use, read from cgroup files such as a container's."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from viz_transformer.machine import keep_freed_memory, memory, processors

ALL = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, None),
        ({"memory.max": "536870912\n"}, 512 * 2**20),
        ({"memory.max": "max\n"}, None),
        ({"memory/memory.limit_in_bytes": "536870912\n"}, 512 * 2**20),
        ({"memory/memory.limit_in_bytes": "9223372036854771712\n"}, None),  # how cgroup v1 says: no limit
    ],
)
def test_a_container_has_what_it_is_limited_to(tmp_path: Path, files: dict[str, str], limit: int | None) -> None:
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert memory(write(tmp_path, files)) == (limit or machine)


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, ALL),
        ({"cpu.max": "100000 100000\n"}, 1),
        ({"cpu.max": "50000 100000\n"}, 1),  # half a processor counts as one
        ({"cpu.max": "100000000 100000\n"}, ALL),
        ({"cpu.max": "max 100000\n"}, ALL),
        ({"cpu/cpu.cfs_quota_us": "100000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 1),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, ALL),
    ],
)
def test_a_container_computes_on_what_it_is_limited_to(tmp_path: Path, files: dict[str, str], limit: int) -> None:
    assert processors(write(tmp_path, files)) == limit


def test_a_process_computes_where_it_is_bound_to(tmp_path: Path) -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("This system binds no process to a processor.")
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert processors(tmp_path) == 1
    finally:
        os.sched_setaffinity(0, before)


FAULTS = """
import resource, torch
from viz_transformer.machine import keep_freed_memory
assert keep_freed_memory()
for megabytes in (64, 48, 48, 40, 40):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    torch.ones(megabytes * 2**18)  # 256 pages each
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be told")
def test_memory_that_is_freed_stays_and_is_not_got_anew_page_by_page() -> None:
    done = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    first, *_between, last = map(int, done.stdout.split())
    assert first > 64 * 256
    assert last < 100


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert not keep_freed_memory()
