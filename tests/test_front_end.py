"""The built front end: one module and one style for all panels, and they are what the sources become."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tests.front_end import FRONT_END, node
from viz_transformer.ui.components.front_end import STATIC
from viz_transformer.views.codec import pack

ROOT = FRONT_END.parent
HASH = re.compile(r"-[0-9a-f]{10}(?=\.(?:js|css|html)$)")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What today's sources are built into, by file name."""
    folder = tmp_path_factory.mktemp("static")
    node("build.ts", folder)
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_is_served_is_what_the_sources_become(built: dict[str, bytes]) -> None:
    assert contents(STATIC) == built, "Run `make front-end`."


def test_it_is_one_module(built: dict[str, bytes]) -> None:
    names = {HASH.sub("", name): len(content) for name, content in built.items()}
    of_live = {name: names.pop(name) for name in ("live.html", "live.js")}
    assert sorted(names) == ["first.js", "page.html", "panels.js"]
    assert sum(names.values()) <= 350_000
    assert sum(of_live.values()) <= 90_000  # of a file one can type into: no page of the app asks for them


def test_the_manifest_lists_it() -> None:
    manifest = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folder = str(STATIC.relative_to(ROOT / "viz_transformer"))
    assert manifest["tool"]["streamlit"]["component"]["components"] == [{"name": "panels", "asset_dir": folder}]


def test_a_file_asks_for_no_other(built: dict[str, bytes]) -> None:
    for name, content in built.items():
        text = content.decode()
        if name.endswith(".js"):
            assert not re.search(r"(?:^|[;}])import\b|\bimport\(", text), name
            exports = re.findall(r"\bexport\s*\{[\w$]+ as default\}", text)
            assert len(exports) == name.startswith("panels"), name  # the other script is written into the page itself
            assert "</script" not in text, name
        assert "@import" not in text, name
        assert not re.search(r"\burl\((?!#)", text), name


def test_a_build_leaves_nothing_of_an_earlier_one(tmp_path: Path, built: dict[str, bytes]) -> None:
    (tmp_path / "panels-0123456789.js").write_text("an older program")
    (tmp_path / "notes.txt").write_text("not of the build")
    node("build.ts", tmp_path)
    assert contents(tmp_path) == built | {"notes.txt": b"not of the build"}


def test_the_codec_is_tested_on_what_python_packs() -> None:
    """`frontend/test/packed.safetensors` is the content of codec.test.ts."""
    weights = np.arange(6, dtype=np.float32).reshape(2, 3) / 4
    content = {
        "modules": [
            {"name": "«你好»", "weights": weights, "mask": np.array([[True, False, True]])},
            {"name": "cross", "weights": weights.copy()},
        ],
        "codes": np.array([0, 1, 65_535], np.uint16),
        "ids": np.array([-1, 2_147_483_647], np.int32),
        "exact": np.array([0.1, -np.inf, np.nan]),
        "raw": np.array([7, 0, 255], np.uint8),
        "nothing": np.zeros((0, 4), np.float32),
        "absent": None,
    }
    assert (FRONT_END / "test/packed.safetensors").read_bytes() == pack(content)
