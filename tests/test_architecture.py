"""The house rules of DESIGN §2, read from the sources: which way imports run, and what nobody may use."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from typing import TypeGuard

import pytest

import viz_transformer

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "viz_transformer"

# Imports run one way: a module of the core may import those above it only. A new module gets its place here.
CORE = [
    "resources", "sentences", "strict_json",
    "config", "masks", "hooks", "optional", "seeds", "lectures", "lecture_links",
    "attention",
    "layers",
    "model",
    "heads", "chinese", "tokenizer_files", "tokenizers", "sentencepiece_tokenizer",
    "slips", "interventions", "recording", "trace",
    "decoding.ranking", "decoding.step_decoder", "decoding.search", "decoding.n_best", "decoding.sampling",
    "training.tasks", "training.corpus", "training.loop", "training.slips", "checkpoint", "devices",
    "translator",
    "marian.files", "marian.fields", "marian.weights", "marian.importing",
    "training.evaluation", "training.snapshots",
    "analysis.divisor", "analysis.measures", "analysis.scores", "analysis.catalogue", "analysis.reports",
    "analysis.logit_lens", "analysis.logit_attribution",
    "training.toy_runs", "training.worker", "training.scratch", "training.run", "training.queue",
    "cli.open_browser", "cli.app", "cli.train", "cli.evaluate", "cli.export", "cli.importing", "cli.main", "__main__",
]  # fmt: skip
FOLDERS = {"decoding", "marian", "training", "analysis", "cli"}  # of the core
# The public face of the package imports the core; nothing in the core imports it back.
FACE = "__init__"
# What a notebook shows by itself: these two import, inside of their methods alone, the part that shows them.
SHOWN = {"trace", "translator"}
SHOW = {"notebook", "views"}
# What each part of the rest may import from the package: the parts named here, and itself.
PARTS: dict[str, set[str]] = {
    "experiments": {"core"},
    "charts": set(),  # arrays in, figure out
    "room": set(),  # of a class: the server's part, which knows nothing of what is shown
    "views": {"core", "experiments"},  # what is shown, wherever it is shown
    "notebook": {"core", "face", "experiments", "views"},
    "ui": {"core", "face", "experiments", "charts", "views", "notebook"},
    "pages": {"core", "face", "experiments", "charts", "views", "ui"},
    "server": {"room", "ui"},  # around the pages
    "app": {"views", "ui", "server"},
}
# In `ui` each page has a room, which no other room enters; what two need stands in one of these.
COMMON_ROOMS = {"shared", "components"}

# The one place where `torch.load` stands: a person's own files in a format of old, read as tensors alone.
READS_OLD_CHECKPOINTS = PACKAGE / "marian/files.py"

SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "pages").rglob("*.py"), *ROOT.glob("app.py")])
CORE_SOURCES = [
    path
    for path in SOURCES
    if path.parent == PACKAGE or (path.parent.name in FOLDERS and path.parent.parent == PACKAGE and path.stem != FACE)
]
ROOMS = {path.parent.name for path in (PACKAGE / "ui").glob("*/__init__.py")} - COMMON_ROOMS


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports_of(path: Path) -> set[str]:
    """Full names of everything a file imports, anywhere in it: `from a import b` is a.b, relative ones resolved."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1]] if node.level else []
            base += [node.module] if node.module else []
            found |= {".".join([*base, alias.name]) for alias in node.names}
    return found


def part_of(path: Path) -> str:
    """The part of the house that a file lives in; a core module is its own part."""
    first, *rest = path.relative_to(ROOT).with_suffix("").parts
    if first != "viz_transformer":
        return first
    return ".".join(rest) if rest[0] in FOLDERS else rest[0]


def imported_parts(path: Path) -> set[str]:
    """The parts of this project that a file imports from."""
    names = set()
    for name in imports_of(path):
        first, *rest = name.split(".")
        if first == "viz_transformer":
            inside = ".".join(rest[:2]) if rest and rest[0] in FOLDERS else (rest[0] if rest else FACE)
            names.add(inside if inside in CORE or (PACKAGE / inside).is_dir() else FACE)
        elif first in ("pages", "app"):
            names.add(first)
    return names


def test_the_sources_are_where_this_test_looks() -> None:
    assert len(SOURCES) > 20
    assert {"viz_transformer/model.py", "viz_transformer/translator.py"} <= {name_of(path) for path in SOURCES}


def test_every_module_has_its_place() -> None:
    found = {part_of(path) for path in CORE_SOURCES} - {FACE}
    assert found == set(CORE), "Give a new module its place in CORE above."
    folders = {path.name for path in PACKAGE.iterdir() if list(path.glob("*.py"))}
    assert folders <= set(PARTS) | FOLDERS, "Give a new part its place in PARTS above."


@pytest.mark.parametrize("path", CORE_SOURCES, ids=name_of)
def test_core_modules_import_only_what_stands_above_them(path: Path) -> None:
    above = set(CORE) if part_of(path) == FACE else set(CORE[: CORE.index(part_of(path))])
    assert imported_parts(path) <= above | (SHOW if part_of(path) in SHOWN else set())


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_who_only_computes_loads_no_views(name: str) -> None:
    """The import stands in a method, or where only a type checker looks."""
    path = PACKAGE / f"{name}.py"
    for node in tree_of(path).body:
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[1:2] not in [[part] for part in SHOW]
    assert not any(f"viz_transformer.{part}" in one for part in SHOW for one in loaded_by(f"viz_transformer.{name}"))


def loaded_by(module: str) -> set[str]:
    """The modules that a fresh Python has after importing one."""
    code = f"import sys, {module}; print(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()
    )


@pytest.mark.parametrize("path", [path for path in SOURCES if path not in CORE_SOURCES], ids=name_of)
def test_the_other_parts_import_only_what_they_may(path: Path) -> None:
    part = part_of(path).split(".")[0]
    if part in FOLDERS:  # the folder's own docstring
        assert not imports_of(path)
        return
    core = set(CORE[: CORE.index("cli.open_browser")])  # the command line is for people
    allowed = set().union(*({"core": core, "face": {FACE}}.get(p, {p}) for p in PARTS[part]))
    assert imported_parts(path) <= allowed | ({part} if part not in ("pages", "app") else set())


@pytest.mark.parametrize("path", sorted((PACKAGE / "ui").rglob("*.py")), ids=name_of)
def test_no_room_enters_another(path: Path) -> None:
    """A page's room imports itself and what is common; what is common imports no room."""
    entered = {name.split(".")[2] for name in imports_of(path) if name.startswith("viz_transformer.ui.")}
    assert entered & ROOMS <= {path.parent.name}


def test_each_page_has_a_room_of_its_name() -> None:
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == ROOMS
    for folder in ("viz_transformer/experiments", "tests/experiments"):  # the numbers behind a page's lessons
        assert {path.parent.name for path in (ROOT / folder).glob("*/__init__.py")} <= ROOMS
    assert {path.stem for path in (PACKAGE / "charts").glob("*.py")} - {FACE, "plots", "style"} <= ROOMS
    figures = {path.stem for path in (PACKAGE / "charts/figures").glob("*.py")}
    assert figures - {FACE, "checked", "with_altair", "with_plotly"} <= ROOMS


def test_nothing_stands_in_the_hall() -> None:
    """A file of `ui` stands in a room, not beside the rooms."""
    assert {path.name for path in (PACKAGE / "ui").glob("*.py")} == {"__init__.py"}


def test_the_pillars_of_the_design_stand_in_their_order() -> None:
    order = ["config", "masks", "hooks", "attention", "layers", "model", "trace", "decoding.search", "translator"]
    places = [CORE.index(name) for name in order]
    assert places == sorted(places)
    assert CORE.index("heads") < CORE.index("interventions") < CORE.index("decoding.search")


def forbidden(path: Path, names: set[str]) -> set[str]:
    return {name for name in imports_of(path) if name.split(".")[0] in names}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_streamlit_is_imported_by_the_app_only(path: Path) -> None:
    if part_of(path) not in ("ui", "server", "pages", "app"):
        assert not forbidden(path, {"streamlit"})


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_charts_know_no_torch(path: Path) -> None:
    if part_of(path) == "charts":
        assert not forbidden(path, {"torch", "safetensors", "tokenizers"})


@pytest.mark.parametrize("path", sorted((ROOT / "bench").glob("*.py")), ids=name_of)
def test_benchmarks_import_no_tests(path: Path) -> None:
    assert not forbidden(path, {"tests"})


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_nothing_is_pickled(path: Path) -> None:
    assert not forbidden(path, {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"})
    banned = {("torch", "load"), ("torch", "save"), ("np", "load"), ("pd", "read_pickle")}
    nodes = [*ast.walk(tree_of(path))]
    weights_only = [node.func for node in nodes if reads_weights_only(node)]
    assert not weights_only or path == READS_OLD_CHECKPOINTS
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node not in weights_only:
            assert (node.value.id, node.attr) not in banned


def reads_weights_only(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether this is torch.load(…, weights_only=True), which makes tensors and nothing else."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load"):
        return False
    return any(one.arg == "weights_only" and ast.unparse(one.value) == "True" for one in node.keywords)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_the_app_imports_no_models_of_strangers(path: Path) -> None:
    """Neither old checkpoints nor SentencePiece models that a browser sent: the command line reads them."""
    if part_of(path) in ("ui", "server", "pages", "app"):
        assert not {part for part in imported_parts(path) if part.startswith(("marian", "sentencepiece_tokenizer"))}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_text_is_let_through_as_html(path: Path) -> None:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.keyword) and node.arg == "unsafe_allow_html":
            assert isinstance(node.value, ast.Constant) and node.value.value is False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            assert name not in ("eval", "exec") or isinstance(node.func, ast.Attribute)


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if part_of(path) in ("ui", "server", "pages", "app")], ids=name_of
)
def test_what_visitors_share_is_kept_within_one_budget(path: Path) -> None:
    """Streamlit's caches and `lru_cache` count entries, and one may have 20 MB: `ui/shared/kept.py` counts bytes."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            of_a_session = any(key.arg == "scope" and ast.literal_eval(key.value) == "session" for key in node.keywords)
            assert name not in ("cache_data", "cache_resource", "lru_cache") or of_a_session
        for decorator in getattr(node, "decorator_list", []):
            assert getattr(decorator, "attr", None) not in ("cache_data", "cache_resource", "lru_cache")


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    if path.read_text(encoding="utf-8").strip():
        assert ast.get_docstring(tree_of(path))


@pytest.mark.parametrize("name", viz_transformer.__all__)
def test_every_public_name_has_a_docstring_of_its_own(name: str) -> None:
    public = getattr(viz_transformer, name)
    if not (inspect.isclass(public) or inspect.isfunction(public)):
        assert name == "ATTENTION_MODULES"  # a tuple of strings: its module's docstring says what they are
        return
    written = public.__doc__
    assert written and written.strip()
    # What @dataclass and NamedTuple write by themselves is a signature, no docstring.
    assert not written.startswith(f"{name}(")


def test_all_names_are_listed_in_order() -> None:
    assert viz_transformer.__all__ == sorted(viz_transformer.__all__)
