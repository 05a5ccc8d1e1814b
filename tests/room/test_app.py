"""The app's own server: it admits to rooms whoever calls it by its own name, once it has loaded what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from threading import Event
from threading import enumerate as enumerate_threads

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from streamlit import config
from streamlit.runtime import Runtime

from tests.room.conftest import free_port
from viz_transformer.resources import resource
from viz_transformer.ui.shared import warm_up

HERE = "http://localhost:8501"
SOCKETS = "ws://localhost:8501"
PATIENCE = 60


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], TestClient]]:
    """Starts the server, which loads no model."""
    monkeypatch.setattr(warm_up, "warm_up", lambda say: None)
    monkeypatch.setattr(config, "_main_script_path", str(resource("app.py")))
    monkeypatch.setattr(config, "_server_mode", None)
    monkeypatch.delenv("VIZ_ROOMS", raising=False)
    allowed = config.get_option("server.allowedHosts")
    config.set_option("server.allowedHosts", ["localhost"])

    def start() -> TestClient:
        spec = spec_from_file_location("app", resource("app.py"))
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return TestClient(module.app, HERE, headers={"Origin": HERE})

    yield start
    config.set_option("server.allowedHosts", allowed)
    Runtime._instance = None


def wait_until_ready() -> None:
    for thread in enumerate_threads():
        if thread.name == "get ready":
            thread.join(PATIENCE)


def test_a_room_is_opened_joined_and_led(start: Callable[[], TestClient]) -> None:
    with start() as server:
        wait_until_ready()
        opened = server.post("/room")
        assert opened.status_code == 201
        assert opened.headers["x-content-type-options"] == "nosniff"
        code, secret = opened.json()["code"], opened.json()["secret"]
        room = f"{SOCKETS}/room/{code}"
        with server.websocket_connect(room) as lecturer, server.websocket_connect(room) as page:
            lecturer.send_json({"hello": {"seat": None, "secret": secret}})
            assert lecturer.receive_json()["welcome"]["leads"]
            page.send_json({"hello": {"seat": None, "secret": None}})
            assert not page.receive_json()["welcome"]["leads"]
            lecturer.send_json({"mode": "free"})
            assert page.receive_json() == {"state": {"seq": 1, "mode": "free"}}


def test_until_it_is_ready_there_are_no_rooms(start: Callable[[], TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = Event()
    monkeypatch.setattr(warm_up, "warm_up", lambda say: may_end.wait(PATIENCE))
    with start() as server:
        try:
            assert server.post("/room").status_code == 503
            with pytest.raises(WebSocketDisconnect), server.websocket_connect(f"{SOCKETS}/room/KQRTB"):
                pass
        finally:
            may_end.set()
        wait_until_ready()
        assert server.post("/room").status_code == 201


@pytest.mark.parametrize("host", ["evil.example:8501", "127.0.0.1:8501", "localhost@evil.example"])
def test_by_a_foreign_name_nobody_comes_in(start: Callable[[], TestClient], host: str) -> None:
    """DNS rebinding: Host and Origin agree, but it is not a name that this server may be called by."""
    headers = {"Origin": f"http://{host}", "Host": host}
    with start() as server:
        wait_until_ready()
        assert server.post("/room", headers=headers).status_code == 403
        code = server.post("/room").json()["code"]
        with pytest.raises(WebSocketDisconnect), server.websocket_connect(f"{SOCKETS}/room/{code}", headers=headers):
            pass
        with server.websocket_connect(f"{SOCKETS}/room/{code}"):
            pass


def test_an_address_that_names_no_store_ends_the_server_with_a_sentence() -> None:
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={free_port()}"]
    environment = {**os.environ, "VIZ_ROOMS": "http://:password@example.org"}
    ended = subprocess.run(
        command, cwd=resource("app.py").parent, env=environment, capture_output=True, text=True, timeout=PATIENCE * 2
    )
    assert ended.returncode == 1
    assert "VIZ_ROOMS: The address of the store of rooms must begin with redis://" in ended.stderr
    assert "password" not in ended.stdout + ended.stderr
