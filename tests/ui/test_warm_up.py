"""What the server does before its first visitor comes: once, without keeping the health check waiting."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Event
from threading import enumerate as enumerate_threads

import pytest
import streamlit as st
from starlette.testclient import TestClient
from streamlit import config
from streamlit.runtime import Runtime

from viz_transformer.devices import pick_device
from viz_transformer.translator import Translator, load
from viz_transformer.ui.shared import models, warm_up
from viz_transformer.ui.shared.controls import USUAL_MODELS

APP = Path(__file__).resolve().parents[2] / "app.py"
SOON = 120  # seconds for what a busy machine may be slow at


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[st.App]:
    """The server that `streamlit run app.py` imports; nothing is loaded yet."""
    monkeypatch.setattr(config, "_main_script_path", str(APP))
    monkeypatch.setattr(config, "_server_mode", None)
    models._shipped.clear()
    models._own_output.clear()
    spec = spec_from_file_location("app", APP)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.app
    Runtime._instance = None
    gc.unfreeze()


def test_health_is_answered_during_the_one_load_that_a_visitor_waits_for_too(
    server: st.App, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[str] = []
    begun, may_end = Event(), Event()

    def slow_load(name: str, device: str) -> Translator:
        loads.append(name)
        begun.set()
        assert may_end.wait(SOON)
        return load(name, device)

    monkeypatch.setattr(models, "load", slow_load)
    with TestClient(server, "http://localhost") as client, ThreadPoolExecutor() as visitors:
        try:
            assert begun.wait(SOON)
            assert client.get("/_stcore/health").text == "ok"
            assert client.get("/readyz").status_code == 503
            visitor = visitors.submit(models.load_translator, "en-de", pick_device().type)
            assert not visitor.done()
        finally:
            may_end.set()
        translator = visitor.result(SOON)
        wait_until_loaded()
        assert client.get("/readyz").text == "ready"
        assert translator is models.load_translator("en-de", pick_device().type)
    assert loads == list(USUAL_MODELS.values())


def wait_until_loaded() -> None:
    for thread in enumerate_threads():
        if thread.name == "get ready":
            thread.join(SOON)


def test_a_model_that_does_not_work_keeps_nobody_from_the_others(
    server: st.App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load_all_but_one(name: str, device: str) -> Translator:
        if name == "en-de":
            raise ValueError("/srv/models/en-de is damaged")
        return load(name, device)

    monkeypatch.setattr(models, "load", load_all_but_one)
    with TestClient(server, "http://localhost") as client:
        wait_until_loaded()
        answer = client.get("/readyz")
        assert answer.status_code == 200
        assert answer.text.splitlines() == ["ready", "The model en-de does not work; the log says why."]
        assert models.load_translator("zh-en", pick_device().type)


def test_a_server_that_cannot_start_says_so_and_ends(
    server: st.App, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """So that it is restarted, or noticed. If it went on, it would be asked for ever whether it is ready."""

    def fail(say: object) -> None:
        raise ImportError("no page")

    ended: list[int] = []
    monkeypatch.setattr(warm_up, "warm_up", fail)
    monkeypatch.setattr(os, "_exit", ended.append)
    with TestClient(server, "http://localhost"):
        wait_until_loaded()
    assert ended == [1] and "The app cannot start." in caplog.text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_server_may_have_as_many_visitors_as_its_machine_lets_it() -> None:
    begun_by_a_shell = """
import resource
_soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
from viz_transformer.server.descriptors import raise_limit
print(raise_limit(), resource.getrlimit(resource.RLIMIT_NOFILE)[0], min(hard, 65_536) if hard > 0 else 65_536)
"""
    said = subprocess.run([sys.executable, "-c", begun_by_a_shell], capture_output=True, text=True, check=True)
    assert len({*said.stdout.split()}) == 1
