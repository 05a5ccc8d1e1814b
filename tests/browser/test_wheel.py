"""The app of the installed wheel: in another folder, for somebody who may write nowhere."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from threading import Thread
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.pixels import cell_colours
from tests.helpers import until
from tests.test_deploy import health_check
from tests.wheel import Installed, build, installed


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    with installed(build("wheel", tmp_path_factory.mktemp("wheel")), "app") as environment:
        yield environment


@pytest.fixture(scope="module")
def said(environment: Installed) -> Iterator[list[str]]:
    """What the installed app prints while it serves."""
    command = environment.command("viz-transformer", "app", "--no-browser", "--port", "0")
    with subprocess.Popen(
        command,
        cwd=environment.home,
        env=environment.variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout is not None
        said = [server.stdout.readline()]
        rest = Thread(target=said.extend, args=(server.stdout,))
        rest.start()
        try:
            until(lambda: server.poll() is not None or listens(said))
            assert server.poll() is None, "".join(said)
            yield said
        finally:
            server.terminate()
            server.wait(timeout=30)
            rest.join()


def address(said: list[str]) -> str:
    return re.findall(r"http://\S+", said[0])[0]


def listens(said: list[str]) -> bool:
    place = urlsplit(address(said))
    with socket.socket() as client:
        return not client.connect_ex((place.hostname, place.port))


@pytest.fixture(scope="module")
def app_url(said: list[str]) -> str:
    """What `visit` goes to."""
    return address(said)


def test_the_overview_shows_what_the_shipped_model_did(visit: Callable[..., Page]) -> None:
    page = visit()
    expect(page.get_by_test_id("output")).to_have_text("Hello, world!")
    matrix = page.get_by_test_id("tv-matrix-cross")
    expect(matrix).to_be_visible()
    assert len(np.unique(cell_colours(matrix, (4, 4)).reshape(-1, 3), axis=0)) > 4  # many weights, many colours
    expect(page.get_by_test_id("stTopNav")).to_be_visible()


def test_another_page_opens_by_its_link(visit: Callable[..., Page]) -> None:
    page = visit("attention?model=copy")
    expect(page.locator("canvas:visible").first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_health_check_of_the_container_tells_a_server_that_answers(environment: Installed, app_url: str) -> None:
    program, option, code = health_check()
    here = code.replace("http://127.0.0.1:8501", app_url)
    assert here != code
    assert environment.run(program, option, here).returncode == 0
    assert environment.run(program, option, code.replace("8501", "1")).returncode  # nobody listens there


def test_nothing_went_wrong_and_nothing_was_written(environment: Installed, said: list[str]) -> None:
    """Nor did Streamlit ask for an e-mail address, or give advice."""
    assert not re.search("traceback|error|mail|skills", "".join(said), re.IGNORECASE), "".join(said)
    assert not list(environment.home.iterdir())
