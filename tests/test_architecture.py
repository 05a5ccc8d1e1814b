"""The house rules of DESIGN §2, read from the sources: which way imports run, and what nobody may use.

A rule yields the line and the words of each offence in a file. One test a rule goes through all files and names every
offence that it finds; `test_an_offence_is_found` plants some against each rule.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TypeGuard

import pytest

import viz_transformer
from tests.sources import ROOT, Source, sources

PACKAGE = ROOT / "viz_transformer"

# Imports run one way: a module of the core may import those above it only. A new module gets its place here.
CORE = [
    "resources", "sentences", "sentence_ends", "visible", "lines", "strict_json",
    "config", "masks", "hooks", "optional", "machine", "places", "seeds", "lectures", "lecture_links", "lecture_steps",
    "attention",
    "layers",
    "model",
    "heads", "chinese", "tokenizer_files", "tokenizers", "sentencepiece_tokenizer",
    "slips", "interventions", "recording", "trace",
    "decoding.ranking", "decoding.step_decoder", "decoding.search", "decoding.n_best", "decoding.sampling",
    "training.tasks", "training.corpus", "training.exchange", "training.loop", "training.slips",
    "checkpoint", "devices",
    "translator",
    "marian.files", "marian.fields", "marian.weights", "marian.importing",
    "training.evaluation", "training.snapshots",
    "analysis.divisor", "analysis.measures", "analysis.scores", "analysis.catalogue", "analysis.reports",
    "analysis.logit_lens", "analysis.logit_attribution", "analysis.doubt",
    "training.toy_runs", "training.worker", "training.scratch", "training.run", "training.queue",
    "cli.errors", "cli.open_browser", "cli.app", "cli.train", "cli.evaluate", "cli.export", "cli.importing",
    "cli.translate", "cli.main", "__main__",
]  # fmt: skip
FOLDERS = {"decoding", "marian", "training", "analysis", "cli"}  # of the core
# The public face of the package imports the core; nothing in the core imports it back.
FACE = "__init__"
# What a notebook displays by itself: these two import the parts that display them, but only inside of methods.
SHOWN = {"trace", "translator"}
SHOW = {"notebook", "views"}
# What each part outside of the core may import from the package: the parts named here, and itself.
PARTS: dict[str, set[str]] = {
    "experiments": {"core"},
    "charts": set(),  # arrays in, figure out
    "room": set(),  # rooms of a class, for the server, which knows nothing of what is shown
    "views": {"core", "experiments"},  # what the app and notebooks show alike
    "notebook": {"core", "face", "experiments", "views"},
    "ui": {"core", "face", "experiments", "charts", "views", "notebook"},
    "pages": {"core", "face", "experiments", "charts", "views", "ui"},
    "server": {"core", "room", "ui"},  # around the pages
    "app": {"views", "ui", "server"},
}
# In `ui` each page has a folder, its room, from which no other room imports; what two need is in one of these.
COMMON_ROOMS = {"shared", "components"}

# The one place where `torch.load` stands: a person's own files in a format of old, read as tensors alone.
READS_OLD_CHECKPOINTS = "viz_transformer/marian/files.py"

SOURCES = sources("viz_transformer/**/*.py", "pages/**/*.py", "app.py")
CORE_SOURCES = [
    source
    for source in SOURCES
    if (path := ROOT / source.name).parent == PACKAGE
    or (path.parent.name in FOLDERS and path.parent.parent == PACKAGE and path.stem != FACE)
]
ROOMS = {path.parent.name for path in (PACKAGE / "ui").glob("*/__init__.py")} - COMMON_ROOMS

Offences = Iterator[tuple[int, str]]
Rule = Callable[[Source], Offences]


def assert_kept(rule: Rule, files: list[Source]) -> None:
    """Names the file, the line and the words of each offence."""
    assert files
    found = [f"{source.name}:{line}: {what}" for source in files for line, what in rule(source)]
    assert not found, "\n".join(found)


def part_of(source: Source) -> str:
    """The part of the house that a file lives in; a core module is its own part."""
    first, *rest = source.name.removesuffix(".py").split("/")
    if first != "viz_transformer":
        return first
    return ".".join(rest) if rest[0] in FOLDERS else rest[0]


def imported_parts(source: Source) -> Offences:
    """Line and name of the parts of this project that a file imports from."""
    for line, name in source.imports:
        first, *rest = name.split(".")
        if first == "viz_transformer":
            inside = ".".join(rest[:2]) if rest and rest[0] in FOLDERS else (rest[0] if rest else FACE)
            yield line, inside if inside in CORE or (PACKAGE / inside).is_dir() else FACE
        elif first in ("pages", "app"):
            yield line, first


def imports_from(source: Source, libraries: set[str]) -> Offences:
    yield from ((line, name) for line, name in source.imports if name.split(".")[0] in libraries)


def is_of_the_app(source: Source) -> bool:
    return part_of(source) in ("ui", "server", "pages", "app")


def test_the_sources_are_where_this_test_looks() -> None:
    assert len(SOURCES) > 20
    assert {"viz_transformer/model.py", "viz_transformer/translator.py"} <= {source.name for source in SOURCES}


def test_every_module_has_its_place() -> None:
    found = {part_of(source) for source in CORE_SOURCES} - {FACE}
    assert found == set(CORE), "Give a new module its place in CORE above."
    folders = {path.name for path in PACKAGE.iterdir() if list(path.glob("*.py"))}
    assert folders <= set(PARTS) | FOLDERS, "Give a new part its place in PARTS above."


# --- Which way imports run -------------------------------------------------------------------------------------


def imports_from_below(source: Source) -> Offences:
    part = part_of(source)
    above = set(CORE) if part == FACE else set(CORE[: CORE.index(part)])
    allowed = above | (SHOW if part in SHOWN else set())
    yield from ((line, part) for line, part in imported_parts(source) if part not in allowed)


def test_core_modules_import_only_what_stands_above_them() -> None:
    assert_kept(imports_from_below, CORE_SOURCES)


def views_at_import(source: Source) -> Offences:
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[1:2] in [[part] for part in SHOW]:
            yield node.lineno, str(node.module)


def test_who_only_computes_loads_no_views() -> None:
    """They import the views inside of methods, or where only a type checker looks."""
    assert_kept(views_at_import, sources(*(f"viz_transformer/{name}.py" for name in sorted(SHOWN))))
    code = f"import sys, {', '.join(f'viz_transformer.{name}' for name in sorted(SHOWN))}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [name for part in SHOW for name in loaded.split() if f"viz_transformer.{part}" in name] == []


def imports_what_its_part_may_not(source: Source) -> Offences:
    part = part_of(source).split(".")[0]
    if part in FOLDERS:  # its __init__.py has a docstring and imports nothing
        yield from source.imports
        return
    core = set(CORE[: CORE.index("cli.open_browser")])  # the command line is for people
    allowed = set().union(*({"core": core, "face": {FACE}}.get(p, {p}) for p in PARTS[part]))
    allowed |= {part} if part not in ("pages", "app") else set()
    yield from ((line, part) for line, part in imported_parts(source) if part not in allowed)


def test_the_other_parts_import_only_what_they_may() -> None:
    assert_kept(imports_what_its_part_may_not, [source for source in SOURCES if source not in CORE_SOURCES])


def enters_a_room(source: Source) -> Offences:
    """A page's room imports itself and what is common; what is common imports no room."""
    for line, name in source.imports:
        if name.startswith("viz_transformer.ui.") and name.split(".")[2] in ROOMS - {source.name.split("/")[-2]}:
            yield line, name


def test_no_room_enters_another() -> None:
    assert_kept(enters_a_room, sources("viz_transformer/ui/**/*.py"))


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


# --- What nobody may use ---------------------------------------------------------------------------------------


def streamlit_outside_of_the_app(source: Source) -> Offences:
    if not is_of_the_app(source):
        yield from imports_from(source, {"streamlit"})


def test_streamlit_is_imported_by_the_app_only() -> None:
    assert_kept(streamlit_outside_of_the_app, SOURCES)


def torch_in_charts(source: Source) -> Offences:
    if part_of(source) == "charts":
        yield from imports_from(source, {"torch", "safetensors", "tokenizers"})


def test_charts_know_no_torch() -> None:
    assert_kept(torch_in_charts, SOURCES)


def imports_tests(source: Source) -> Offences:
    yield from imports_from(source, {"tests"})


def test_benchmarks_import_no_tests() -> None:
    assert_kept(imports_tests, sources("bench/*.py"))


def pickles(source: Source) -> Offences:
    libraries = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    yield from imports_from(source, libraries)
    banned = {("torch", "load"), ("torch", "save"), ("np", "load"), ("pd", "read_pickle")}
    weights_only = [node.func for node in source.nodes if reads_weights_only(node)]
    allowed = weights_only if source.name == READS_OLD_CHECKPOINTS else []
    for node in source.nodes:
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)) or node in allowed:
            continue
        if (node.value.id, node.attr) in banned:
            yield node.lineno, ast.unparse(node)


def reads_weights_only(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether this is torch.load(…, weights_only=True), which makes tensors and nothing else."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load"):
        return False
    return any(one.arg == "weights_only" and ast.unparse(one.value) == "True" for one in node.keywords)


def test_nothing_is_pickled() -> None:
    assert_kept(pickles, SOURCES)


def imports_models_of_strangers(source: Source) -> Offences:
    """The app reads no old checkpoints and no SentencePiece models from a browser: the command line does."""
    if is_of_the_app(source):
        for line, part in imported_parts(source):
            if part.startswith(("marian", "sentencepiece_tokenizer")):
                yield line, part


def test_the_app_imports_no_models_of_strangers() -> None:
    assert_kept(imports_models_of_strangers, SOURCES)


def lets_text_through(source: Source) -> Offences:
    for node in source.nodes:
        if isinstance(node, ast.keyword) and node.arg == "unsafe_allow_html" and ast.unparse(node.value) != "False":
            yield node.lineno, ast.unparse(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec"):
            yield node.lineno, ast.unparse(node)


def test_no_text_is_let_through_as_html() -> None:
    assert_kept(lets_text_through, SOURCES)


def keeps_without_a_budget(source: Source) -> Offences:
    """Streamlit's caches and `lru_cache` count entries, of 20 MB at times: `ui/shared/byte_cache.py` counts bytes."""
    caches = ("cache_data", "cache_resource", "lru_cache")
    if not is_of_the_app(source):
        return
    for node in source.nodes:
        if isinstance(node, ast.Call) and name_of(node.func) in caches and not is_of_a_session(node):
            yield node.lineno, ast.unparse(node)
        for decorator in getattr(node, "decorator_list", []):
            if name_of(decorator) in caches:
                yield decorator.lineno, ast.unparse(decorator)


def is_of_a_session(call: ast.Call) -> bool:
    return any(key.arg == "scope" and ast.unparse(key.value) == "'session'" for key in call.keywords)


def name_of(node: ast.expr) -> str | None:
    """The last name of `a` or `a.b`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


def test_what_visitors_share_is_kept_within_one_budget() -> None:
    assert_kept(keeps_without_a_budget, SOURCES)


# --- What is said of it ----------------------------------------------------------------------------------------


def says_nothing_of_itself(source: Source) -> Offences:
    if source.text.strip() and not ast.get_docstring(source.tree):
        yield 1, "no docstring"


def test_every_module_says_what_it_is_for() -> None:
    assert_kept(says_nothing_of_itself, SOURCES)


def has_a_docstring_of_its_own(name: str, public: object) -> bool:
    if not (inspect.isclass(public) or inspect.isfunction(public)):
        return name == "ATTENTION_MODULES"  # a tuple of strings: its module's docstring says what they are
    written = public.__doc__ or ""
    # What @dataclass and NamedTuple write by themselves is a signature, no docstring.
    return bool(written.strip()) and not written.startswith(f"{name}(")


def test_every_public_name_has_a_docstring_of_its_own() -> None:
    public = {name: getattr(viz_transformer, name) for name in viz_transformer.__all__}
    assert [name for name, one in public.items() if not has_a_docstring_of_its_own(name, one)] == []


def test_all_names_are_listed_in_order() -> None:
    assert viz_transformer.__all__ == sorted(viz_transformer.__all__)


# --- The rules find what is against them -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "file", "line"),
    [
        (imports_from_below, "viz_transformer/masks.py", "from .attention import MultiHeadAttention"),
        (imports_from_below, "viz_transformer/decoding/search.py", "import viz_transformer.translator"),
        (imports_from_below, "viz_transformer/model.py", "def f(): from viz_transformer.views import terms"),
        (imports_from_below, "viz_transformer/trace.py", "import viz_transformer.ui.shared"),
        (imports_from_below, "viz_transformer/hooks.py", "from viz_transformer import Trace"),
        (views_at_import, "viz_transformer/trace.py", "from viz_transformer.views.text import _"),
        (imports_what_its_part_may_not, "viz_transformer/decoding/__init__.py", "import os"),
        (imports_what_its_part_may_not, "viz_transformer/charts/masks.py", "from viz_transformer.trace import Trace"),
        (imports_what_its_part_may_not, "viz_transformer/room/store.py", "from viz_transformer.views.text import _"),
        (imports_what_its_part_may_not, "viz_transformer/experiments/masks/masks.py", "import viz_transformer.ui"),
        (imports_what_its_part_may_not, "viz_transformer/ui/masks/masks.py", "import pages.masks"),
        (imports_what_its_part_may_not, "pages/masks.py", "from viz_transformer.cli import train"),
        (imports_what_its_part_may_not, "pages/masks.py", "import pages.heads"),
        (enters_a_room, "viz_transformer/ui/masks/masks.py", "from viz_transformer.ui.heads import view"),
        (enters_a_room, "viz_transformer/ui/shared/link.py", "from ..heads.view import view"),
        (streamlit_outside_of_the_app, "viz_transformer/views/text.py", "import streamlit.runtime"),
        (torch_in_charts, "viz_transformer/charts/masks.py", "from torch import Tensor"),
        (imports_tests, "bench/room.py", "from tests.helpers import one"),
        (pickles, "viz_transformer/checkpoint.py", "import pickle"),
        (pickles, "viz_transformer/checkpoint.py", "torch.load(file)"),
        (pickles, "viz_transformer/checkpoint.py", "torch.load(file, weights_only=True)"),
        (pickles, READS_OLD_CHECKPOINTS, "torch.load(file, weights_only=is_old)"),
        (pickles, "pages/masks.py", "read = pd.read_pickle"),
        (imports_models_of_strangers, "pages/overview.py", "from viz_transformer.marian import importing"),
        (imports_models_of_strangers, "app.py", "import viz_transformer.sentencepiece_tokenizer"),
        (lets_text_through, "pages/masks.py", "st.markdown(text, unsafe_allow_html=True)"),
        (lets_text_through, "pages/masks.py", "st.markdown(text, unsafe_allow_html=is_ours)"),
        (lets_text_through, "viz_transformer/trace.py", "exec(text)"),
        (keeps_without_a_budget, "pages/masks.py", "@st.cache_data\ndef f(): ..."),
        (keeps_without_a_budget, "viz_transformer/ui/masks/masks.py", "@lru_cache\ndef f(): ..."),
        (keeps_without_a_budget, "viz_transformer/ui/masks/masks.py", "lru_cache(99)(f)"),
        (keeps_without_a_budget, "app.py", 'st.cache_resource(f, scope="global")'),
        (says_nothing_of_itself, "pages/masks.py", "import this"),
    ],
)
def test_an_offence_is_found(rule: Rule, file: str, line: str) -> None:
    before = "" if rule is says_nothing_of_itself else '"""A file."""\n\n'
    found = [*rule(Source(file, f"{before}{line}\n"))]
    assert [line for line, _what in found] == [before.count("\n") + 1]
    with pytest.raises(AssertionError, match=rf"{file}:{found[0][0]}: "):
        assert_kept(rule, [Source(file, f"{before}{line}\n"), Source(file, '"""A file."""\n')])


@pytest.mark.parametrize(
    ("rule", "file", "line"),
    [
        (
            imports_from_below,
            "viz_transformer/trace.py",
            "def show(): from viz_transformer.notebook import notebook_view",
        ),
        (enters_a_room, "viz_transformer/ui/masks/masks.py", "from viz_transformer.ui.shared import link"),
        (enters_a_room, "viz_transformer/ui/masks/masks.py", "from .other import view"),
        (streamlit_outside_of_the_app, "viz_transformer/ui/shared/link.py", "import streamlit as st"),
        (pickles, READS_OLD_CHECKPOINTS, "torch.load(file, weights_only=True)"),
        (lets_text_through, "pages/masks.py", "st.markdown(text, unsafe_allow_html=False); model.eval()"),
        (keeps_without_a_budget, "app.py", 'st.cache_resource(f, scope="session")'),
        (keeps_without_a_budget, "viz_transformer/trace.py", "lru_cache(99)(f)"),
    ],
)
def test_what_is_allowed_is_no_offence(rule: Rule, file: str, line: str) -> None:
    assert [*rule(Source(file, f'"""A file."""\n{line}\n'))] == []


def test_a_public_name_without_words_of_its_own_is_found() -> None:
    class Silent: ...

    class Generated:
        __doc__ = "Generated(x: int)"

    for name, public in (("Silent", Silent), ("Generated", Generated), ("NUMBER", 3)):
        assert not has_a_docstring_of_its_own(name, public)
