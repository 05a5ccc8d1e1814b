"""The limits of one process of the server, for whoever looks after it."""

from __future__ import annotations

from viz_transformer.machine import budget, memory, processors
from viz_transformer.places import processes
from viz_transformer.room.classroom_server import MAX_MEMBERS, MAX_SOCKETS
from viz_transformer.room.store import MAX_ALL_ANSWERS, MAX_ROOMS
from viz_transformer.server.arrivals import LARGEST, MOST_OF_ALL
from viz_transformer.server.visitors import MOST, MOST_OF_ONE
from viz_transformer.training.queue import most_at_once


def limits() -> list[str]:
    """The lines that `/readyz?verbose` adds."""
    return [
        f"of the machine: {processors()} processors, {memory() // 10**6:,} MB, for {processes()} processes",
        f"passes at a time: {max(1, processors() // processes())}; one long computation of all processes",
        f"training runs at a time, of all processes: {most_at_once()}",
        f"kept for all visitors: {budget() // 10**6:,} MB",
        f"connections: {MOST:,}, of one address {MOST_OF_ONE:,}",
        f"a message: {LARGEST // 10**6} MB; all that have begun to come: {MOST_OF_ALL // 10**6} MB",
        f"rooms: {MAX_ROOMS}, with {MAX_MEMBERS:,} members each and {MAX_SOCKETS:,} in this process; "
        f"answers of all rooms: {MAX_ALL_ANSWERS // 10**6} MB",
    ]
