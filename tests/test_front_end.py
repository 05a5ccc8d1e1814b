"""The front ends in one file each: nothing is lost, in an order that runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from viz_transformer.ui.components import front_end
from viz_transformer.ui.components.front_end import FRONTEND, bundled, one_file

ENTRIES = sorted(
    {
        f"{name}.js"
        for path in FRONTEND.parent.glob("*.py")
        for name in re.findall(r'\bcomponent\("(\w+)"', path.read_text())
    }
)


def imports_of(name: str) -> dict[str, set[str]]:
    """Module -> the names that the module `name` imports from it."""
    source = (FRONTEND / name).read_text(encoding="utf-8")
    found = re.findall(r'^import \{ ([^}]*) \} from "\./(\w+\.js)";', source, re.MULTILINE)
    assert len(found) == source.count("\nimport ") + source.startswith("import "), f"{name} imports in another form."
    return {module: {one.split(" as ")[0].strip() for one in names.split(",")} for names, module in found}


def graph_of(entry: str) -> set[str]:
    seen, waiting = {entry}, [entry]
    while waiting:
        new = set(imports_of(waiting.pop())) - seen
        seen |= new
        waiting += new
    return seen


def test_every_component_is_served_in_one_file() -> None:
    assert len(ENTRIES) >= 11
    served = {path.name: re.findall(r"\bjs=(\w+)\(", path.read_text()) for path in FRONTEND.parent.glob("*.py")}
    assert {name: used for name, used in served.items() if used} == {"front_end.py": ["one_file"]}


@pytest.mark.parametrize("entry", ENTRIES)
def test_one_file_holds_every_module_once_after_what_it_imports(entry: str) -> None:
    text = bundled(entry)
    assert not re.search(r"^import\b|\bimport\(", text, re.MULTILINE)
    assert re.findall(r"^export .*", text, re.MULTILINE) == re.findall(
        r"^export default.*", (FRONTEND / entry).read_text(encoding="utf-8"), re.MULTILINE
    )
    places = {name: text.index(f"const $${name.removesuffix('.js')} = (() => {{") for name in graph_of(entry) - {entry}}
    assert text.count(" = (() => {\n") >= len(places)
    for name in graph_of(entry):
        for imported in imports_of(name):
            assert places[imported] < places.get(name, len(text)), f"{name} runs before {imported}."


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_is_imported_is_handed_on(entry: str) -> None:
    text = bundled(entry)
    for name in graph_of(entry):
        for imported, names in imports_of(name).items():
            scope = text[text.index(f"const $${imported.removesuffix('.js')} = ") :]
            handed_on = re.search(r"^return \{ (.*) \};\n\}\)\(\);$", scope, re.MULTILINE)
            assert handed_on is not None
            assert names <= set(handed_on[1].split(", ")), f"{name} imports what {imported} does not export."


def test_what_cannot_be_joined_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "FRONTEND", tmp_path)
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = 1;\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\nexport const b = 1;\n')
    with pytest.raises(ValueError, match="a → b → a"):
        bundled("a.js")
    (tmp_path / "b.js").write_text("const b = 1;\nexport { b };\n")
    with pytest.raises(ValueError, match=r"b\.js: 'export \{ b \};'"):
        bundled("a.js")


def test_it_is_written_once_and_again_when_a_module_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "FRONTEND", tmp_path)
    (tmp_path / "a.js").write_text("export default 1;\n")
    assert one_file("a.js") == "built/a.js"
    built = tmp_path / "built" / "a.js"
    assert built.read_text() == "export default 1;\n"
    (tmp_path / "a.js").write_text("export default 2;\n")
    one_file("a.js")
    assert built.read_text() == "export default 2;\n"
    assert [path.name for path in built.parent.iterdir()] == ["a.js"]


def test_a_folder_that_cannot_be_written_to_serves_the_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "FRONTEND", tmp_path)
    (tmp_path / "a.js").write_text("export default 1;\n")
    (tmp_path / "built").write_text("a file where the folder would be")
    assert one_file("a.js") == "a.js"
