"""Only one file uses what is private to Streamlit; where some of that has changed, the app still runs, and says so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import streamlit as st

from tests.first_visit import processes, visit
from viz_transformer.ui.shared.streamlit_private import ALL

ROOT = Path(__file__).resolve().parent.parent
FENCE = ROOT / "viz_transformer/ui/shared/streamlit_private.py"
APP = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "viz_transformer").rglob("*.py")]
# The modules of Streamlit that its documentation names.
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
    """Neither by a module's name in a text, nor as an attribute of what is public."""
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


# What the app uses of each module, which another version could rename: «a.b» is b of a.
NAMES = {
    "streamlit.proto.BackMsg_pb2": ["BackMsg"],
    "streamlit.runtime.scriptrunner": ["get_script_run_ctx"],
    "streamlit.runtime.state.query_params": [
        "QueryParams",
        "QueryParams._send_query_param_msg",
        "QueryParams.populate_from_query_string",
        "QueryParams.set_initial_query_params_from_current",
        "QueryParams.set_with_no_forward_msg",
        "QueryParams.get_binding_for_param",
        "QueryParams.unbind_widget",
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


def test_every_module_is_tried() -> None:
    assert {one.module for one in ALL} == {*NAMES}


@pytest.fixture(scope="module")
def new_process() -> Iterator[ProcessPoolExecutor]:
    with processes() as pool:
        yield pool


@pytest.mark.parametrize(("module", "name"), [(module, name) for module in NAMES for name in NAMES[module]])
def test_where_a_name_is_another_the_app_says_so_and_runs(
    new_process: ProcessPoolExecutor, module: str, name: str
) -> None:
    [private] = [one for one in ALL if one.module == module]
    told = f"Streamlit {st.__version__} has changed {module}: {private.without}."
    assert "\n" not in told
    came = new_process.submit(visit, "masks", (module, name)).result()
    assert came["lines"] == [told]
    assert came["ready"] == (200, f"ready\n{told}")
    assert came["headings"] == ["Masks"]
    assert came["faults"] == []


@pytest.mark.parametrize("page", ["attention", "masks", "heads", "decoding", "scaling", "positions"])
def test_the_first_link_that_a_server_ever_gets_may_lead_to_any_page(
    new_process: ProcessPoolExecutor, page: str
) -> None:
    came = new_process.submit(visit, page).result()
    assert came["lines"] == []
    assert came["ready"] == (200, "ready")
    assert [heading.lower() for heading in came["headings"]][:1] == [page]
    assert came["faults"] == []
    assert "page_not_found" not in came["kinds"]
    assert "torch._dynamo" not in came["imported"]  # PyTorch's compiler: 2 s and 70 MB, which nothing here uses
