"""What is private to Streamlit stands in one file, and the app runs where any of it has changed, and says so."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from viz_transformer.ui.shared.streamlit_private import ALL

ROOT = Path(__file__).resolve().parent.parent
FENCE = ROOT / "viz_transformer/ui/shared/streamlit_private.py"
APP = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "viz_transformer").rglob("*.py")]
# Of Streamlit's modules, those that its documentation names.
PUBLIC = {"", "errors", "components.v1", "components.v2", "testing.v1", "delta_generator"}


def imported(path: Path) -> set[str]:
    """The modules of Streamlit's that a file imports anywhere, but for what only a type checker reads."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.removeprefix("streamlit").lstrip(".") for name in names if name.split(".")[0] == "streamlit"}


def texts(path: Path) -> set[str]:
    """All names that a file uses, and all its texts but docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return said | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def test_nothing_else_imports_what_streamlit_keeps_to_itself() -> None:
    assert len(APP) > 300
    assert {str(path.relative_to(ROOT)): private for path in APP if (private := imported(path) - PUBLIC)} == {}


def test_nothing_else_reaches_for_it_by_another_way() -> None:
    """Neither by its name, nor as a part of what is public."""
    ways = re.compile(r"(st|streamlit)\.(runtime|proto|web|elements|file_util)\b")
    for path in APP:
        if path != FENCE:
            assert not ways.search(path.read_text(encoding="utf-8")), path
            assert not {one for one in texts(path) if one.startswith("streamlit.")}, path


def test_there_is_little_of_it_and_each_part_says_what_it_is_for() -> None:
    assert len(ALL) <= 4
    assert len({one.module for one in ALL}) == len(ALL)
    for one in ALL:
        assert all(len(said.split()) > 5 for said in (one.use, one.public, one.without))


def test_this_version_has_all_of_it() -> None:
    assert [one.module for one in ALL if one.found is None] == []


# What is used of each module, as another version could call it: «a.b.c» is c of b of a.
NAMES = {
    "streamlit.proto.BackMsg_pb2": ["BackMsg"],
    "streamlit.runtime.scriptrunner": ["get_script_run_ctx"],
    "streamlit.runtime.state.query_params": [
        "QueryParams",
        "QueryParams._send_query_param_msg",
        "QueryParams.populate_from_query_string",
        "QueryParams.set_initial_query_params_from_current",
        "QueryParams.set_with_no_forward_msg",
    ],
    "streamlit.runtime.state.session_state": [
        "WStates",
        "WStates.__getitem__",
        "Serialized",
        "Value",
        "WidgetMetadata",
        "parse_url_param",
        "SessionState",
        "SessionState.on_script_will_rerun",
    ],
}
# In a new Python, whose Streamlit knows one thing by another name, a visitor opens a page of the server.
#
# It is another for us alone, and so is a class without a method: Streamlit itself goes on with what it has.
WITHOUT = """
import json, logging, sys, threading
from importlib import import_module
from types import ModuleType

import streamlit as st
import streamlit.web.server.starlette.starlette_app
from starlette.testclient import TestClient
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

module, name, app = ModuleType(sys.argv[1]), sys.argv[2], sys.argv[3]
vars(module).update(vars(import_module(sys.argv[1])))
first, _, method = name.partition(".")
found = getattr(module, first)
delattr(module, first)
setattr(module, "another_" + first, found)
if method:
    own = {key: value for key, value in vars(found).items() if key not in (method, "__dict__", "__weakref__")}
    for slot in own.pop("__slots__", ()):
        own.pop(slot)
    setattr(module, first, type(first, (), own))

lines = []
class Lines(logging.Handler):
    def emit(self, record):
        lines.append(self.format(record))
logging.getLogger().addHandler(Lines(logging.WARNING))

from viz_transformer.ui.shared import streamlit_private

streamlit_private.import_module = lambda name: module if name == sys.argv[1] else import_module(name)
from viz_transformer.server.around import around
from viz_transformer.ui.shared import warm_up

warm_up.warm_up = lambda: None
config._main_script_path, config._server_mode = app, None
shown, kinds = [], []
with TestClient(st.App(app, **around(app)), "http://localhost:8501") as server:
    for thread in threading.enumerate():
        if thread.name == "get ready":
            thread.join(100)
    ready = server.get("/readyz")
    with server.websocket_connect("ws://localhost:8501/_stcore/stream", subprotocols=["streamlit"]) as visitor:
        asked = {"page_name": "masks", "query_string": "model=copy"}
        visitor.send_bytes(BackMsg(rerun_script=asked).SerializeToString())
        while "script_finished" not in kinds:
            message = ForwardMsg.FromString(visitor.receive_bytes())
            kinds.append(message.WhichOneof("type"))
            shown.append(message.delta.new_element)
print(json.dumps({
    "lines": lines,
    "ready": [ready.status_code, ready.text],
    "headings": [one.heading.body for one in shown if one.WhichOneof("type") == "heading"],
    "faults": [str(one) for one in shown if one.WhichOneof("type") in ("exception", "alert")],
}))
"""


def without(module: str, name: str) -> dict[str, Any]:
    command = [sys.executable, "-c", WITHOUT, module, name, str(ROOT / "app.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def test_every_module_is_tried() -> None:
    assert {one.module for one in ALL} == {*NAMES}


@pytest.mark.parametrize(("module", "name"), [(module, name) for module in NAMES for name in NAMES[module]])
def test_where_a_name_is_another_the_app_says_so_and_runs(module: str, name: str) -> None:
    [private] = [one for one in ALL if one.module == module]
    told = f"Streamlit {st.__version__} has changed {module}: {private.without}."
    assert "\n" not in told
    assert without(module, name) == {
        "lines": [told],
        "ready": [200, f"ready\n{told}"],
        "headings": ["Masks"],
        "faults": [],
    }
