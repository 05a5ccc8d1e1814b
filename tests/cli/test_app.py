"""The command `app`, up to the moment at which it becomes the server: `tests/packaging` goes on from there."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator

import pytest

from tests.cli.test_cli import assert_refused
from viz_transformer.cli.app import free_port, has_screen, server_command
from viz_transformer.cli.main import main
from viz_transformer.resources import resource

HERE = "127.0.0.1"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens at."""
    with socket.create_server((HERE, 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that this process would have become."""
    commands: list[list[str]] = []
    monkeypatch.setattr("os.execv", lambda path, command: commands.append(command))
    return commands


def test_the_app_is_served_here_and_opened(
    started: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("viz_transformer.cli.app.has_screen", lambda: True)
    assert main(["app", "--port", "0"]) == 0
    [command] = started
    assert command[0] == sys.executable
    assert str(resource("app.py")) in command
    assert {"--server.address=127.0.0.1", "--server.headless=false", "--server.showEmailPrompt=false"} <= set(command)
    [port] = [flag.removeprefix("--server.port=") for flag in command if flag.startswith("--server.port=")]
    assert f"http://127.0.0.1:{port} " in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "screen"), [(["--no-browser"], True), ([], False)])
def test_no_browser_is_opened_where_nobody_wants_or_sees_one(
    started: list[list[str]], monkeypatch: pytest.MonkeyPatch, arguments: list[str], screen: bool
) -> None:
    monkeypatch.setattr("viz_transformer.cli.app.has_screen", lambda: screen)
    assert main(["app", "--port", "0", *arguments]) == 0
    assert "--server.headless=true" in started[0]


def test_a_screen_is_known_by_the_desktop_that_runs_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not has_screen()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_screen()


def test_other_machines_may_come_in_where_somebody_says_so(
    started: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["app", "--port", "0", "--host", "0.0.0.0"]) == 0
    assert "--server.address=0.0.0.0" in started[0]
    assert "http://localhost:" in capsys.readouterr().out  # 0.0.0.0 is no address to visit


def test_the_next_free_port_is_taken(taken: int) -> None:
    with socket.create_server((HERE, 0)) as other:
        free = other.getsockname()[1]
    assert free_port(HERE, [taken, free]) == free


def test_a_port_that_is_taken_is_refused(
    taken: int, started: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(capsys, main(["app", "--port", str(taken)]), taken, HERE, "--port")
    assert not started


@pytest.mark.parametrize(
    ("arguments", "named"),
    [(["--port", "70000"], "70000"), (["--port", "-1"], "-1"), (["--host", "no such host"], "no such host")],
)
def test_what_is_no_place_to_serve_at_is_refused(
    arguments: list[str], named: str, started: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(capsys, main(["app", *arguments]), named)
    assert not started


def test_without_streamlit_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, started: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "streamlit", None)  # importing it fails
    assert_refused(capsys, main(["app"]), "streamlit", "pip install 'viz-transformer[app]'")
    assert not started


def test_the_settings_of_a_start_leave_those_of_the_project_alone() -> None:
    """One source for each: what `.streamlit/config.toml` says is not said again, except who is let in."""
    text = resource(".streamlit/config.toml").read_text(encoding="utf-8")
    flags = [flag.partition("=")[0].rpartition(".")[2] for flag in server_command(HERE, 1, True) if "=" in flag]
    assert {name for name in flags if f"\n{name} =" in text} == {"address", "headless"}
