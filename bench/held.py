"""How many visitors `deploy/serve` holds at once, each with an open page, started where a process may open 1,024 files.

    python -m bench.held [--visitors 500] [--processes 3] [--write]

Visitors come twenty at a time, open Overview, and stay. A row for every hundred: how many of them are held, the files
that the fullest process of the app has open, and nginx' fullest worker, what all processes of the app hold in memory,
and how long the first page took the slowest of the last twenty.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from time import perf_counter

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from bench.browser import ROOT
from bench.report import Report, machine
from bench.several import Several, children, resident, serving
from bench.visitor import Visitor

PAGE = ROOT / "docs/reliability.md"
AT_ONCE = 20
SOFT = 1024  # files that many shells let a process open, unless it asks for more


def open_files(process: int) -> int:
    return len([*Path(f"/proc/{process}/fd").iterdir()])


def workers(server: Several) -> list[int]:
    """The process ids of nginx' workers."""
    [nginx] = [
        one for one in children(server.program) if Path(f"/proc/{one}/comm").read_text(encoding="utf-8") == "nginx\n"
    ]
    return children(nginx)


async def come(held: AsyncExitStack, visitors: list[Visitor], url: str) -> float | None:
    """A visitor who stays -> seconds until the page was there; None where it does not come."""
    begun = perf_counter()
    with suppress(OSError, InvalidHandshake, ConnectionClosed, TimeoutError):
        visitor = await held.enter_async_context(Visitor(url))
        await visitor.open("overview", {"model": "copy", "source": "1 2 3"})
        visitors.append(visitor)
        return perf_counter() - begun
    return None


async def measure(report: Report, server: Several, count: int) -> None:
    report.head("visitors", "held", "files, app", "files, nginx", "memory, MB", "first page, s")
    visitors: list[Visitor] = []
    async with AsyncExitStack() as held:
        for n in range(0, count, AT_ONCE):
            newcomers = range(min(AT_ONCE, count - n))
            times = await asyncio.gather(*(come(held, visitors, server.url) for _ in newcomers))
            came = n + len(newcomers)
            if came % 100 == 0 or came == count:
                app = server.processes.values()
                still = sum(one.socket.close_code is None for one in visitors)
                first = max((one for one in times if one is not None), default=float("nan"))
                files = [max(map(open_files, of)) for of in (app, workers(server))]
                report.row((came, still, *files, f"{sum(map(resident, app)):,.0f}", f"{first:.1f}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, default=500)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT, hard))
    report = Report()
    with serving(asked.processes) as server:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 16 * SOFT)), hard))  # for the visitors here
        asyncio.run(measure(report, server, asked.visitors))
    if asked.write:
        command = f"python -m bench.held --visitors {asked.visitors} --processes {asked.processes}"
        report.write("held", command, machine("streamlit", "uvicorn", "websockets"), PAGE)


if __name__ == "__main__":
    main()
