"""The headers and status codes of `app.py`'s server: what a browser may do, and nothing about visitors."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from threading import Event
from threading import enumerate as enumerate_threads

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse
from streamlit import config
from streamlit.components.v2 import get_bidi_component_manager
from streamlit.runtime import Runtime

from viz_transformer.resources import resource
from viz_transformer.ui.shared import warm_up
from viz_transformer.ui.shared.own_models import MAX_FILE


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], TestClient]]:
    """Starts a server, which loads no model."""
    monkeypatch.setattr(warm_up, "warm_up", lambda say: None)
    monkeypatch.setattr(config, "_main_script_path", str(resource("app.py")))
    monkeypatch.setattr(config, "_server_mode", None)

    def start() -> TestClient:
        spec = spec_from_file_location("app", resource("app.py"))
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return TestClient(module.app, "http://localhost:8501")

    yield start
    Runtime._instance = None


def policy(client: TestClient, path: str = "/") -> dict[str, list[str]]:
    """The Content-Security-Policy of an answer: directive → sources."""
    rules = client.get(path).headers["content-security-policy"].split("; ")
    return {name: allowed for name, *allowed in map(str.split, rules)}


@pytest.mark.parametrize("path", ["/", "/attention", "/_stcore/health", "/readyz", "/no/such/file", "/_stcore/metrics"])
def test_every_answer_says_what_a_browser_may_do(client: Callable[[], TestClient], path: str) -> None:
    with client() as server:
        headers, rules = server.get(path).headers, policy(server, path)
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "same-origin")
    own, *hashes, wasm = rules["script-src"]
    assert (own, wasm) == ("'self'", "'wasm-unsafe-eval'")
    # The line of script of Streamlit's own page, and ours before it.
    assert len(hashes) == 2 and all(one.startswith("'sha256-") for one in hashes)
    assert rules["frame-ancestors"] == ["'self'"]
    assert rules["object-src"] == rules["base-uri"] == rules["form-action"] == ["'none'"]
    assert "unsafe-eval" not in str(rules).replace("wasm-unsafe-eval", "")
    assert not any(source == "*" or source.startswith("http") for allowed in rules.values() for source in allowed)


def test_the_site_of_a_course_may_frame_it_where_somebody_says_so(
    client: Callable[[], TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIZ_FRAME_ANCESTORS", "https://course.example.org https://*.example.edu")
    with client() as server:
        assert policy(server)["frame-ancestors"] == ["'self'", "https://course.example.org", "https://*.example.edu"]


def test_one_of_several_servers_sends_visitors_to_the_others_until_it_is_ready(
    client: Callable[[], TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = Event()
    monkeypatch.setenv("VIZ_SERVER", "2")
    monkeypatch.setattr(warm_up, "warm_up", lambda say: may_end.wait(60))
    with client() as server:
        for path in ("/", "/_stcore/health", "/readyz"):
            assert server.get(path).status_code == 503
        with pytest.raises(WebSocketDenialResponse) as denied, server.websocket_connect("/_stcore/stream"):
            pass
        assert denied.value.status_code == 503
        may_end.set()
        for thread in enumerate_threads():
            if thread.name == "get ready":
                thread.join(60)
        answer = server.get("/")
        assert (answer.status_code, answer.headers["viz-server"]) == (200, "2")


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/"])
def test_what_streamlit_counts_about_everybody_is_closed(client: Callable[[], TestClient], path: str) -> None:
    with client() as server:
        assert server.get(path).status_code == 404


@pytest.mark.parametrize("name", ["nothing.js", "n" * 300, "%00", "a%0Ab.js"])
def test_who_asks_for_an_unknown_file_fills_no_log(
    client: Callable[[], TestClient], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with client() as server:
        assert get_bidi_component_manager().get_component_path("viz-transformer.panels")
        monkeypatch.setattr(logging.getLogger("streamlit"), "propagate", True)
        caplog.clear()
        answer = server.get(f"/_stcore/bidi-components/viz-transformer.panels/{name}")
        assert answer.status_code in (400, 404)
        assert not caplog.records


@pytest.mark.parametrize("path", ["/no-such.js", "/static/js/no-such.js", "/heads/no.css", "/x/y.js.map", "/a.png"])
def test_a_file_that_is_not_there_is_not_found(client: Callable[[], TestClient], path: str) -> None:
    with client() as server:
        assert server.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/", "/heads", "/heads/", "/no_such_page", "/overview?source=a.js", "/favicon.png"])
def test_every_page_is_and_so_is_what_there_is(client: Callable[[], TestClient], path: str) -> None:
    with client() as server:
        assert server.get(path).status_code == 200


def test_the_server_takes_no_larger_file_than_the_page() -> None:
    settings = tomllib.loads(resource(".streamlit/config.toml").read_text(encoding="utf-8"))["server"]
    assert settings["maxUploadSize"] * 2**20 == MAX_FILE
