"""The documentation names everything public, nothing that is not there, and its examples run."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from importlib import import_module, util
from pathlib import Path

import pytest

import viz_transformer as vt

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
]
EXAMPLE = ("weight_bars.py", "weight_bars.ts")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text_of(page), re.DOTALL)


@pytest.mark.parametrize("name", vt.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"`{name}\b", text_of("docs/package.md"))


def anchors(page: Path) -> set[str]:
    """What GitHub makes of the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text_of(page)):
        if target.startswith("https:"):
            continue
        path = (ROOT / page).parent / target if target else ROOT / page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_exist(page: str) -> None:
    """Those with a folder, such as `viz_transformer/trace.py`."""
    for name in re.findall(r"`([\w./-]+\.(?:py|ts|md|toml|css))`", text_of(page)):
        if "/" in name:
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", PAGES)
def test_functions_that_are_named_exist(page: str) -> None:
    """Functions such as `experiments.masks.padding.make_batch`, and modules."""
    for name in re.findall(r"`(experiments\.[\w.]+)`", text_of(page)):
        path = f"viz_transformer.{name}"
        folder, _dot, last = path.rpartition(".")
        assert util.find_spec(folder) and (hasattr(import_module(folder), last) or util.find_spec(path)), name


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CONTRIBUTING.md" and blocks(page, "python")])
def test_the_examples_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for code in blocks(page, "python"):
        exec(code, names)
    record = names.get("record")
    if page in ("README.md", "docs/package.md"):
        assert isinstance(record, vt.AttentionRecord)
        assert record.weights.shape[1:] == (len(record.query_tokens), len(record.key_tokens))
        assert "'</s>', 'finished'" in capsys.readouterr().out


def parameters_in_links() -> Iterator[str]:
    """The parameters that the app keeps in links, as named in calls of the functions that pages use for it."""
    at_place = {
        "linked": 0,
        "linked_choice": 1,
        "linked_number": 1,
        "choose_head": 1,
        "Slider": 0,
        "Size": 0,
        "choice": 0,
    }
    for path in [*(ROOT / "viz_transformer/ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            keywords = {one.arg: one.value for one in call.keywords}
            place = at_place.get(name, len(call.args))
            match call.args[place] if place < len(call.args) else keywords.get("key") if "bind" in keywords else None:
                case ast.Constant(value=str(parameter)):
                    yield parameter


def test_every_parameter_of_a_link_is_documented() -> None:
    found = set(parameters_in_links())
    assert len(found) > 60
    page = text_of("docs/links.md")
    assert {name for name in found if f"`{name}`" not in page} == set()


def test_the_contributing_guide_shows_the_example_as_it_is_tested() -> None:
    files = [text_of(f"tests/example_component/{name}") for name in EXAMPLE]
    assert [*blocks("CONTRIBUTING.md", "python"), *blocks("CONTRIBUTING.md", "ts")] == files
    assert sum(len(text.splitlines()) for text in files) < 75


def test_the_walk_is_true_of_its_files_and_read_in_two_minutes() -> None:
    _before, walk = text_of("docs/architecture-of-the-code.md").split("## A walk\n")
    named = re.findall(r"`([\w./]+\.(?:py|ts))`", walk)
    files = {name: text_of(name) for name in named if "/" in name}
    assert len(files) >= 8
    assert {name for name in named if "/" not in name} <= {Path(name).name for name in files}
    for name in re.findall(r"`(\w+)`", walk):
        assert any(re.search(rf"\b{name}\(", text) for text in files.values()), name
    assert len(walk.split()) < 450


@pytest.mark.parametrize("name", ["en-de", "zh-en"])
def test_a_translation_model_s_card_says_how_it_was_measured(name: str) -> None:
    """Scores with what sacrebleu calls their signatures; and whose its data are."""
    card = json.loads((ROOT / f"assets/models/{name}/card.json").read_text(encoding="utf-8"))
    assert (
        card["licence"].startswith("CC BY 2.0 FR")
        and card["licence"].split(" (")[1].rstrip(")") == "assets/LICENSE-DATA"
    )
    for search in ("greedy", "beam 4"):
        score = card["scores"]["test.tsv"][search]["all"]
        assert score["count"] == 1000
        assert score["bleu_signature"].startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
        assert score["chrf_signature"].startswith("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:")


@pytest.mark.parametrize("name", ["en-de", "zh-en"])
def test_what_was_judged_is_what_the_model_writes_and_what_is_said_of_it(name: str) -> None:
    """Each line is a set of sentences, a source and, of both searches, the output, the verdict and its reason."""
    card = json.loads((ROOT / f"assets/models/{name}/card.json").read_text(encoding="utf-8"))
    translator, said = vt.load(name, "cpu"), text_of("docs/models.md")
    lines = [line.split("\t") for line in text_of(f"assets/data/verdicts.{name}.tsv").splitlines()]
    for kind in {line[0] for line in lines}:
        sources = [line.split("\t")[0] for line in text_of(f"assets/data/{kind}.{name}.tsv").splitlines()]
        judged = [line[1:] for line in lines if line[0] == kind]
        assert [source for source, *_ in judged] == sources
        for source, greedy, is_good, why, beam, is_beam_good, why_beam in judged:
            searched = translator.translate(source, beam_size=4, length_penalty=1.0)
            assert (greedy, beam) == (translator.translate(source), searched)
            assert (is_good == "1") != bool(why) and (is_beam_good == "1") != bool(why_beam)
        counts = [sum(line[n] == "1" for line in judged) for n in (2, 5)]
        known = card[kind]
        assert [known["acceptable_greedy"], known["acceptable_beam_4"], known["count"]] == [*counts, len(judged)]
        assert f"{counts[0]} are acceptable greedy, {counts[1]} with beam 4" in said


@pytest.mark.parametrize("name", ["en-de", "zh-en"])
def test_how_much_a_sign_of_doubt_is_worth_is_what_was_judged(name: str) -> None:
    """By the judged outputs, which are the shipped model's, and the signs in the passes that wrote them."""
    translator = vt.load(name, "cpu")
    lines = text_of(f"assets/data/judged.{name}.tsv").splitlines()
    assert len(lines) == 240
    doubted, trusted = [], []
    for source, output, right, *_reason in (line.split("\t") for line in lines):
        trace = translator.trace(source)
        assert translator.decode(trace) == output
        (doubted if vt.doubts(trace) else trusted).append(right == "1")
    wrong, right_ones = len(doubted) - sum(doubted), sum(trusted)
    said = text_of("docs/models.md").replace(" %)", "%)")
    assert f"{len(doubted)}, of which {wrong} are wrong ({wrong / len(doubted):.0%})" in said
    assert f"{len(trusted)}, of which {right_ones} are right ({right_ones / len(trusted):.0%})" in said
