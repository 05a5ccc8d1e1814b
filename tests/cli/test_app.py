"""The command `app`, up to the moment at which it becomes the server; `tests/browser/test_wheel.py` goes on."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_cli import assert_refused
from viz_transformer.cli import open_browser
from viz_transformer.cli.app import address, free_port, has_screen, server_command
from viz_transformer.cli.main import main
from viz_transformer.resources import resource

HERE = "127.0.0.1"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens at."""
    with socket.create_server((HERE, 0)) as server:
        yield server.getsockname()[1]


class Started:
    """The commands that this process would have become, and those that it would have started beside itself."""

    def __init__(self) -> None:
        self.servers: list[list[str]] = []
        self.others: list[list[str]] = []


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    started = Started()
    monkeypatch.setattr("os.execv", lambda path, command: started.servers.append(command))
    monkeypatch.setattr("subprocess.Popen", started.others.append)
    return started


def test_the_app_is_served_here_and_opened(
    started: Started, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("viz_transformer.cli.app.has_screen", lambda: True)
    assert main(["app", "--port", "0"]) == 0
    [server] = started.servers
    assert server[0] == sys.executable
    assert {str(resource("app.py")), "--server.address=127.0.0.1"} <= set(server)
    [port] = [flag.removeprefix("--server.port=") for flag in server if flag.startswith("--server.port=")]
    assert f"http://127.0.0.1:{port} " in capsys.readouterr().out
    [browser] = started.others
    assert browser[-2:] == [open_browser.__file__, f"http://127.0.0.1:{port}"]


@pytest.mark.parametrize(("arguments", "screen"), [(["--no-browser"], True), ([], False)])
def test_no_browser_is_opened_where_nobody_wants_or_sees_one(
    started: Started, monkeypatch: pytest.MonkeyPatch, arguments: list[str], screen: bool
) -> None:
    monkeypatch.setattr("viz_transformer.cli.app.has_screen", lambda: screen)
    assert main(["app", "--port", "0", *arguments]) == 0
    assert len(started.servers) == 1
    assert not started.others


def test_the_browser_is_opened_once_the_server_listens(taken: int, tmp_path: Path) -> None:
    """The program as `app` starts it: a browser that writes down what it is asked to open."""
    asked = tmp_path / "asked"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {asked}\n')
    browser.chmod(0o755)
    url = f"http://{HERE}:{taken}"
    command = [sys.executable, "-P", open_browser.__file__, url]
    subprocess.run(command, env={**os.environ, "BROWSER": str(browser)}, check=True, timeout=60)
    assert asked.read_text() == f"{url}\n"


def test_no_browser_is_opened_on_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server((HERE, 0)) as server:
        closed = server.getsockname()[1]
    monkeypatch.setattr("webbrowser.open", None)
    assert not open_browser.open_when_ready(f"http://{HERE}:{closed}", seconds=0.2)


def test_a_screen_is_known_by_the_desktop_that_runs_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not has_screen()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_screen()


@pytest.mark.parametrize(
    ("host", "spelled"), [(HERE, HERE), ("0.0.0.0", "localhost"), ("::", "localhost"), ("::1", "[::1]")]
)
def test_the_address_is_one_to_visit(host: str, spelled: str) -> None:
    assert address(host) == spelled


def test_other_machines_may_come_in_where_somebody_says_so(
    started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["app", "--port", "0", "--host", "0.0.0.0"]) == 0
    assert {"--server.address=0.0.0.0", "--server.allowedHosts=*"} <= set(started.servers[0])
    assert "http://localhost:" in capsys.readouterr().out  # 0.0.0.0 is no address to visit


def test_who_names_the_hosts_is_not_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", "attention.example.org")
    assert not any("allowedHosts" in flag for flag in server_command("0.0.0.0", 1))


def test_the_next_free_port_is_taken(taken: int) -> None:
    with socket.create_server((HERE, 0)) as other:
        free = other.getsockname()[1]
    assert free_port(HERE, [taken, free]) == free


def test_a_port_that_is_taken_is_refused(taken: int, started: Started, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(capsys, main(["app", "--port", str(taken)]), taken, HERE, "--port")
    assert not started.servers


@pytest.mark.parametrize(
    ("arguments", "named"),
    [(["--port", "70000"], "70000"), (["--port", "-1"], "-1"), (["--host", "no such host"], "no such host")],
)
def test_what_is_no_place_to_serve_at_is_refused(
    arguments: list[str], named: str, started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(capsys, main(["app", *arguments]), named)
    assert not started.servers


def test_without_streamlit_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "streamlit", None)  # importing it fails
    assert_refused(capsys, main(["app"]), "streamlit", "pip install 'viz-transformer[app]'")
    assert not started.servers


def test_the_settings_of_a_start_leave_those_of_the_project_alone() -> None:
    """One source for each: no flag repeats what `.streamlit/config.toml` says, except the address."""
    text = resource(".streamlit/config.toml").read_text(encoding="utf-8")
    flags = [flag.partition("=")[0].rpartition(".")[2] for flag in server_command(HERE, 1) if "=" in flag]
    assert {name for name in flags if f"\n{name} =" in text} == {"address"}
