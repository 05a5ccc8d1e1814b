"""Stores and servers of rooms, as the tests of this folder need them."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bench.programs import STORE

needs_redis = pytest.mark.skipif(not STORE.path, reason=STORE.missing)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


class RedisServer:
    """A real Redis or Valkey, on the same port after a restart; with `keeps`, it has its data again, too."""

    def __init__(self, folder: Path, keeps: bool = False) -> None:
        self.folder, self.keeps, self.port = folder, keeps, free_port()
        self.start()

    @property
    def address(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        keeping = ["--appendonly", "yes", "--appendfsync", "always"] if self.keeps else ["--appendonly", "no"]
        command = [str(STORE.path), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", *keeping]
        self.process = subprocess.Popen([*command, "--dir", str(self.folder)], stdout=subprocess.DEVNULL)
        while not self._answers():
            assert self.process.poll() is None, "Redis does not start."

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5) as one:
            one.sendall(b"PING\r\n")
            return one.recv(16).startswith(b"+PONG")
        return False

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture
def lasting_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A server that has its data again when it is killed and restarted."""
    server = RedisServer(tmp_path, keeps=True)
    yield server
    server.kill()


@pytest.fixture
def question() -> dict[str, Any]:
    return {"id": "q1", "kind": "cells", "size": 4, "columns": 2, "title": "Where does it look?"}
