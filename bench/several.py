"""The app from several processes behind nginx, as `deploy/serve` starts it, for the tests and the benchmarks."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from bench.browser import ROOT
from bench.programs import STORE

STARTED = re.compile(r"Process (\d+) starts as server (\d+)")


class Several:
    """Servers that are ready.

    Attributes:
        url: where nginx is.
        said: lines that `deploy/serve` has printed.
        program: the process id of `deploy/serve`.
    """

    def __init__(self, url: str, said: list[str], program: int) -> None:
        self.url, self.said, self.program = url, said, program

    @property
    def processes(self) -> dict[str, int]:
        """The id of the last process of each server; the servers are called 1, 2, …"""
        return {found[2]: int(found[1]) for found in map(STARTED.match, self.said) if found}


@contextmanager
def serving(count: int) -> Iterator[Several]:
    """Starts so many processes behind a free port of this machine, and ends all of them afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, ROOT / "deploy/serve", str(count), "--listen", address]
    if os.geteuid() == 0:
        command.append("--as-root")  # other users may not be allowed to read a checkout of root's
    environment = {**os.environ, "VIZ_DEVICE": "cpu", "PYTHONUNBUFFERED": "1"}
    if STORE.path:
        environment["PATH"] = f"{os.environ.get('PATH', os.defpath)}:{STORE.path.parent}"
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if f"//{address} " in line:
                break
        else:
            raise RuntimeError(f"The app did not start:\n{''.join(said)}")
        rest = Thread(target=said.extend, args=(process.stdout,))
        rest.start()
        try:
            yield Several(f"http://{address}", said, process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
            rest.join()


def children(process: int) -> list[int]:
    files = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text(encoding="ascii").split()]


def cpu(process: int) -> float:
    """Seconds that it has computed, without the processes that it has started."""
    user, system = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> float:
    """Megabytes."""
    return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
