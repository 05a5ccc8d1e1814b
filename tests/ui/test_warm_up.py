"""What the server does before its first visitor comes: once, without keeping the health check waiting."""

from __future__ import annotations

import gc
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
from viz_transformer.ui.shared import models
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
    with TestClient(server) as client, ThreadPoolExecutor() as visitors:
        try:
            assert begun.wait(SOON)
            assert client.get("/_stcore/health").text == "ok"
            assert client.get("/readyz").status_code == 503
            visitor = visitors.submit(models.load_translator, "en-de", pick_device().type)
            assert not visitor.done()
        finally:
            may_end.set()
        translator = visitor.result(SOON)
        for thread in enumerate_threads():
            if thread.name == "get ready":
                thread.join(SOON)
        assert client.get("/readyz").text == "ready"
        assert translator is models.load_translator("en-de", pick_device().type)
    assert loads == list(USUAL_MODELS.values())
