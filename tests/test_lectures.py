"""Lectures as data: read and written without loss; what is mangled gets a sentence; the shipped ones are whole."""

from __future__ import annotations

import base64
import json
import re
import tracemalloc
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.helpers import assert_sentence, examples
from viz_transformer.experiments.exercises.catalogue import BY_SLUG
from viz_transformer.lecture_links import (
    at_place,
    find,
    link_of,
    packed,
    place_of,
    proof_link,
    shipped_lectures,
    unpacked,
)
from viz_transformer.lectures import (
    ASKS,
    LANGUAGES,
    MAX_FILE,
    MAX_MINUTES,
    MAX_NAME,
    MAX_SCENE_LINK,
    MAX_SCENES,
    MAX_STEPS,
    MAX_TITLE,
    OURS,
    PAGES,
    Ask,
    Lecture,
    Proof,
    Said,
    Scene,
    explained,
    from_json,
    note_parts,
    said,
    to_json,
)
from viz_transformer.resources import resource
from viz_transformer.sentences import SentenceError
from viz_transformer.ui.shared.controls import MAX_LINK
from viz_transformer.views.terms import TERMS

SHIPPED = shipped_lectures()
PLACES = [
    pytest.param(name, index, step, language, id=f"{name}-{index + 1}.{step + 1}-{language}")
    for name, lecture in SHIPPED.items()
    for index, step in lecture.places()
    for language in LANGUAGES
]

# What people may write.
WORDS = some.text(some.characters(exclude_categories=["Cs", "Cc"]), max_size=30)
NEEDED = WORDS.filter(str.strip)
LINES = some.lists(WORDS, max_size=3).map("\n".join)


def texts(words: some.SearchStrategy[str]) -> some.SearchStrategy[Said]:
    return words | some.dictionaries(some.sampled_from(LANGUAGES), words, min_size=1)


NAMES = some.sampled_from(["model", "source", "stage", "cell", "x"])
QUERIES = some.dictionaries(NAMES, WORDS.filter(bool), max_size=3).map(
    lambda parameters: "&".join(f"{name}={value.encode().hex()}" for name, value in parameters.items())
)
LINKS = some.builds(lambda page, query: f"{page}?{query}", some.sampled_from(PAGES), QUERIES)
ASKED = some.sampled_from([Ask(kind, of) for kind, names in ASKS.items() if kind != "choice" for of in names])
CHOICES = some.builds(
    Ask,
    some.just("choice"),
    some.just("question"),
    some.lists(texts(NEEDED), min_size=2, max_size=6).map(tuple),
    some.none() | some.integers(1, 2),
)
SCENES = some.builds(
    Scene,
    title=texts(NEEDED),
    link=texts(LINKS),
    question=texts(WORDS),
    note=texts(LINES),
    steps=some.lists(texts(QUERIES), max_size=3).map(tuple),
    light=some.lists(some.sampled_from(["mask", "query"]), max_size=2).map(tuple),
    ask=some.none() | ASKED | CHOICES,
    says=some.just(()) | texts(WORDS).map(lambda said: (said,)),
    minutes=some.none() | some.integers(1, MAX_MINUTES) | some.floats(0, MAX_MINUTES, exclude_min=True),
    proof=some.none() | some.builds(Proof, texts(NEEDED), texts(LINKS)),
    name=some.sampled_from(["", "qkv", "add-norm", "7"]),
)
LECTURES = some.builds(
    Lecture,
    texts(NEEDED),
    some.lists(SCENES, min_size=1, max_size=4, unique_by=lambda scene: scene.name or id(scene)).map(tuple),
    some.lists(texts(NEEDED), max_size=2).map(tuple),
)


def plain(lecture: Lecture) -> dict[str, Any]:
    raw: dict[str, Any] = json.loads(to_json(lecture))
    return raw


SMALL = plain(
    Lecture(
        "Mine",
        (
            Scene(
                {"en": "Masks", "zh": "掩码"},
                "masks?model=zh-en",
                "Which?",
                "Ask.",
                ("mask=causal",),
                ("mask",),
                proof=Proof("See", {"en": "masks", "zh": "masks?lang=zh"}),
                name="masks",
            ),
            Scene("Scores", "attention?stage=scores", ask=Ask("cells", "weights"), minutes=7.5),
        ),
    )
)


@given(LECTURES)
def test_a_lecture_is_read_as_it_was_written(lecture: Lecture) -> None:
    assert from_json(to_json(lecture).encode()) == lecture
    assert from_json(to_json(lecture).encode("utf-8-sig")) == lecture  # as an editor may save it
    assert unpacked(packed(lecture)) == lecture
    assert find(packed(lecture)) == lecture


@given(LECTURES, some.sampled_from(LANGUAGES))
def test_every_place_has_a_link_that_leads_back_to_it(lecture: Lecture, language: str) -> None:
    for index, step in lecture.places():
        link = link_of(lecture, "mine", index, step, language)
        assert link.partition("?")[0] in PAGES
        (spelled,) = re.findall(r"[?&]scene=([^&]+)", link)
        assert place_of(lecture, spelled) == (index, step)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", (0, 0)),
        ("0", (0, 0)),
        ("-1", (0, 0)),
        ("x", (0, 0)),
        ("1.x", (0, 0)),
        ("٣", (0, 0)),
        ("½", (0, 0)),
        ("1e9", (0, 0)),
        (".", (0, 0)),
        (".2", (0, 1)),
        ("1.1.1", (0, 0)),
        ("1.2.1", (0, 1)),
        ("1.99", (0, 1)),
        ("2.2", (1, 0)),
        ("99999999999", (1, 0)),
    ],
)
def test_a_place_that_makes_no_sense_is_the_nearest(text: str, place: tuple[int, int]) -> None:
    lecture = Lecture("t", (Scene("a", "masks", steps=("mask=causal",)), Scene("b", "heads")))
    assert place_of(lecture, text) == place
    assert lecture.places()[at_place(lecture, text)] == place


def test_a_scene_with_a_name_is_the_same_in_links_wherever_it_stands() -> None:
    scenes = (Scene("a", "masks", name="1"), Scene("b", "heads", steps=("x=1",), name="2"))
    lecture = Lecture("t", scenes)
    later = Lecture("t", (Scene("new", "overview", name="start"), *scenes))
    for index, step in lecture.places():
        assert link_of(later, "t", index + 1, step) == link_of(lecture, "t", index, step)
    assert place_of(later, "2.2") == (2, 1)
    assert place_of(later, "start") == (0, 0)
    assert place_of(later, "3") == (2, 0)  # nobody's name


def test_a_proof_is_of_the_scenes_own_model_and_sentence() -> None:
    scene = Scene("a", "heads?model=zh-en&source=我&layer=2", proof=Proof("See", "masks?lesson=causality"))
    assert proof_link(scene, "en") == "masks?model=zh-en&source=%E6%88%91&lesson=causality"


def test_a_lecture_fits_into_a_link() -> None:
    """Ten scenes as one adds them: a view of a page, a title, a question of sixty characters."""
    links = (said(scene.link, "en") for scene in SHIPPED["attention"].scenes[:10])
    titles = (said(scene.title, "en") for scene in SHIPPED["attention"].scenes)
    questions = (said(scene.question, "en")[:60] for scene in SHIPPED["attention"].scenes)
    mine = Lecture("Attention on Monday", tuple(map(Scene, titles, links, questions)))
    assert len(mine.scenes) == 10
    assert len(f"lecture?lecture={packed(mine)}") <= MAX_LINK


# --- What is wrong gets a sentence

BAD: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no scenes": (lambda raw: raw.pop("scenes"), "no list of scenes"),
    "scenes of another kind": (lambda raw: raw.update(scenes={}), "no list of scenes"),
    "another format": (lambda raw: raw.update(format=2), "this version reads 1"),
    "no scene at all": (lambda raw: raw.update(scenes=[]), f"1 to {MAX_SCENES}"),
    "too many scenes": (lambda raw: raw.update(scenes=raw["scenes"] * MAX_SCENES), f"this one has {2 * MAX_SCENES}"),
    "no title": (lambda raw: raw.pop("title"), "The lecture: it needs a title"),
    "a scene that is none": (lambda raw: raw["scenes"].append(7), "Scene 3"),
    "a scene without a title": (lambda raw: raw["scenes"][1].pop("title"), "Scene 2: it needs a title"),
    "a blank title": (lambda raw: raw["scenes"][1].update(title={"en": "a", "zh": " "}), "Scene 2: it needs a title"),
    "a scene without a link": (lambda raw: raw["scenes"][0].pop("link"), "Scene 1: it needs a link"),
    "a title that is too long": (lambda raw: raw["scenes"][0].update(title="x" * 121), f"up to {MAX_TITLE}"),
    "a note that is a number": (lambda raw: raw["scenes"][0].update(note=1), "its note must be"),
    "another language": (lambda raw: raw["scenes"][0].update(note={"fr": "a"}), "each of en, zh"),
    "half of a character": (lambda raw: raw["scenes"][0].update(note="\ud800"), "its note must be"),
    "a zero byte": (lambda raw: raw["scenes"][0].update(title="a\x00"), "its title must be"),
    "a title of two lines": (lambda raw: raw["scenes"][0].update(title="a\nb"), "its title must be"),
    "a link of two lines": (lambda raw: raw["scenes"][0].update(link="masks\n?a=1"), "its link must be"),
    "no page of ours": (lambda raw: raw["scenes"][0].update(link="https://x.org/?a=1"), "https://x.org/"),
    "no page of ours in Chinese": (lambda raw: raw["scenes"][0].update(link={"en": "masks", "zh": "mask"}), "“mask”"),
    "a parameter of the lecture": (lambda raw: raw["scenes"][0].update(link="masks?scene=2"), "“scene”"),
    "the same in a step": (lambda raw: raw["scenes"][0].update(steps=["present=1"]), "“present”"),
    "the same in Chinese": (lambda raw: raw["scenes"][0].update(steps=[{"en": "a=1", "zh": "notes=1"}]), "“notes”"),
    "steps that are a text": (lambda raw: raw["scenes"][0].update(steps="mask=causal"), f"up to {MAX_STEPS}"),
    "too many steps": (lambda raw: raw["scenes"][0].update(steps=["a=1"] * 31), f"up to {MAX_STEPS}"),
    "a step that is a number": (lambda raw: raw["scenes"][0].update(steps=[1]), "its steps must be"),
    "a step that is too long": (lambda raw: raw["scenes"][0].update(steps=["x" * 2001]), f"up to {MAX_SCENE_LINK}"),
    "lights that are numbers": (lambda raw: raw["scenes"][0].update(light=[1]), "its light must be"),
    "nothing that can be asked": (lambda raw: raw["scenes"][1].update(ask={"kind": "cells", "of": "next"}), "cells: "),
    "an ask that is a text": (lambda raw: raw["scenes"][1].update(ask="cells"), "Scene 2: nothing of this kind"),
    "a choice of one": (
        lambda raw: raw["scenes"][1].update(ask={"kind": "choice", "options": ["a"]}),
        "2 to 6 options",
    ),
    "too many options": (
        lambda raw: raw["scenes"][1].update(ask={"kind": "choice", "options": ["a"] * 7}),
        "its options must be a list of up to 6",
    ),
    "a right one that is none": (
        lambda raw: raw["scenes"][1].update(ask={"kind": "choice", "options": ["a", "b"], "right": 3}),
        "the number of the right one",
    ),
    "more sentences than places": (lambda raw: raw["scenes"][0].update(says=["a", "b", "c"]), "only 2 places"),
    "a sentence that is a number": (lambda raw: raw["scenes"][0].update(says=[1]), "its says must be"),
    **{
        f"minutes that are {minutes}": (
            lambda raw, minutes=minutes: raw["scenes"][1].update(minutes=minutes),
            f"Scene 2: its minutes must be a number above 0, up to {MAX_MINUTES}",
        )
        for minutes in (0, -1, 180.5, 10**400, float("inf"), float("nan"), True, "8", [8], {"en": 8})
    },
    "a name of two words": (lambda raw: raw["scenes"][0].update(name="a b"), f"up to {MAX_NAME} letters"),
    "a name that is a list": (lambda raw: raw["scenes"][0].update(name=[]), f"up to {MAX_NAME} letters"),
    "the name of the closing": (lambda raw: raw["scenes"][0].update(name="end"), f"up to {MAX_NAME} letters"),
    "a name of two scenes": (lambda raw: raw["scenes"][0].update(name="2"), "are called “2”"),
    "a proof without a link": (lambda raw: raw["scenes"][0].update(proof={"says": "See"}), "Scene 1: it needs a link"),
    "a proof that is a text": (lambda raw: raw["scenes"][0].update(proof="masks"), "Scene 1: it needs a says"),
    "a proof on no page": (lambda raw: raw["scenes"][0].update(proof={"says": "a", "link": "x"}), "opens “x”"),
    "an ask that is a list": (lambda raw: raw["scenes"][1].update(ask={"kind": [], "of": []}), "nothing of this kind"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_a_sentence_that_says_what_and_where(name: str) -> None:
    raw = json.loads(json.dumps(SMALL))
    change, part = BAD[name]
    change(raw)
    with pytest.raises(SentenceError) as caught:
        from_json(json.dumps(raw).encode())
    assert_sentence(caught.value, part)


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "cannot be read as JSON"),
        (b"\xff\xfe", "cannot be read as JSON"),
        (b"[" * 100_000, "cannot be read as JSON"),
        (b"1" * 10_000, "cannot be read as JSON"),
        (b"[]", "no list of scenes"),
        (b" " * (MAX_FILE + 1), f"up to {MAX_FILE} bytes"),
    ],
    ids=["empty", "no text", "deep", "a huge number", "a list", "too large"],
)
def test_what_is_no_file_of_ours_gets_a_sentence(data: bytes, part: str) -> None:
    with pytest.raises(SentenceError) as caught:
        from_json(data)
    assert_sentence(caught.value, part)


def test_a_lecture_that_is_not_here_gets_a_sentence_with_those_that_are() -> None:
    with pytest.raises(SentenceError) as caught:
        find("atention")
    assert_sentence(caught.value, "atention", *SHIPPED)


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_link_that_was_cut_says_so(cut: int) -> None:
    with pytest.raises(SentenceError) as caught:
        find(packed(SHIPPED["slips"])[:-cut])
    assert_sentence(caught.value, "a part of the link may be missing")


@pytest.mark.parametrize("sign", [" ", "!", ".", "\n", "é", "=", "+"])
def test_a_link_with_a_sign_that_is_none_of_its_own_says_so(sign: str) -> None:
    link = packed(SHIPPED["slips"])
    with pytest.raises(SentenceError) as caught:
        find(f"{link[:20]}{sign}{link[20:]}")
    assert_sentence(caught.value, "a part of the link may be missing")


def test_a_few_bytes_that_say_they_are_megabytes_take_no_memory() -> None:
    squeezer, blank = zlib.compressobj(9), b" " * 2**20
    bomb = b"".join(squeezer.compress(blank) for _ in range(20)) + squeezer.flush()
    link = "z." + base64.urlsafe_b64encode(bomb).decode()
    tracemalloc.start()
    with pytest.raises(SentenceError) as caught:
        find(link)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_sentence(caught.value, MAX_FILE)
    assert most < 8 * len(link) + 4 * MAX_FILE


def reads_or_says_why(read: Callable[[], Lecture]) -> None:
    """A lecture that can be opened everywhere, or a sentence; nothing else."""
    try:
        lecture = read()
    except SentenceError as error:
        assert_sentence(error)
        return
    assert lecture.places()
    for index, step in lecture.places():
        for language in LANGUAGES:
            link = link_of(lecture, "mine", index, step, language)
            assert link.partition("?")[0] in PAGES
            assert not set(lecture.scenes[index].parameters(language, step)) & set(OURS)
    assert from_json(to_json(lecture).encode()) == lecture


LEAVES = some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=8)
ANYTHING = LEAVES | some.recursive(
    LEAVES, lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=6), inner, max_size=3)
)


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value within a JSON value, and to itself."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(way for name, inner in items for way in paths_of(inner, (*path, name)))]


def with_value(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else [*value]
    copy[path[0]] = with_value(value[path[0]], path[1:], new)
    return copy


@examples(120)
@given(some.lists(some.tuples(some.sampled_from(paths_of(SMALL)), ANYTHING), min_size=1, max_size=3))
def test_a_file_with_anything_anywhere_is_read_or_gets_a_sentence(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    raw: Any = SMALL
    for path, new in changes:
        if path in paths_of(raw):
            raw = with_value(raw, path, new)
    reads_or_says_why(lambda: from_json(json.dumps(raw).encode()))


def mangled(whole: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for start, length, new in edits:
        at = start % (len(whole) + 1)
        whole = whole[:at] + new + whole[at + length :]
    return whole


def edits_of(signs: some.SearchStrategy[bytes]) -> some.SearchStrategy[list[tuple[int, int, bytes]]]:
    return some.lists(some.tuples(some.integers(0, 10**4), some.integers(0, 20), signs), min_size=1, max_size=3)


@examples(160)
@given(edits_of(some.binary(max_size=6) | some.sampled_from([b'"', b"}", b"[", b"\\ud800", b"1e999", b"null"])))
def test_a_mangled_file_is_read_or_gets_a_sentence(edits: list[tuple[int, int, bytes]]) -> None:
    reads_or_says_why(lambda: from_json(mangled(json.dumps(SMALL).encode(), edits)))


LINK = packed(from_json(json.dumps(SMALL).encode())).encode()


@examples(120)
@given(edits_of(some.text(max_size=6).map(lambda text: text.encode("utf-8", "replace"))))
def test_a_mangled_link_is_read_or_gets_a_sentence(edits: list[tuple[int, int, bytes]]) -> None:
    reads_or_says_why(lambda: find(mangled(LINK, edits).decode("utf-8", "replace")))


# --- The parts of a note


@pytest.mark.parametrize(
    ("note", "parts"),
    [
        ("Ask: a?\nand b?\nAnswer: c", [("Ask", "a?\nand b?"), ("Answer", "c")]),
        ("提问：甲？\n答案: 乙", [("提问", "甲？"), ("答案", "乙")]),
        ("Slowly.\n\nPoint at: it\nUsual answer:", [("", "Slowly."), ("Point at", "it"), ("Usual answer", "")]),
        ("  Plain,\n  as typed. Ask: no heading\n", [("", "  Plain,\n  as typed. Ask: no heading\n")]),
        ("Ask them.", [("", "Ask them.")]),
        ("", [("", "")]),
    ],
)
def test_a_note_falls_into_the_parts_that_its_lines_name(note: str, parts: list[tuple[str, str]]) -> None:
    assert note_parts(note) == parts


@given(LINES)
def test_a_note_without_headings_stays_as_it_is(note: str) -> None:
    assert note_parts(f"a{note}") == [("", f"a{note}")]


# --- The shipped lectures


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_shipped_note_has_the_four_parts(language: str) -> None:
    for lecture in SHIPPED.values():
        for scene in lecture.scenes:
            headings, texts = zip(*note_parts(said(scene.note, language)), strict=True)
            assert len(headings) == 4 and all(headings) and all(texts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_shipped_scene_explains_itself_to_who_reads_alone(language: str) -> None:
    for lecture in SHIPPED.values():
        for scene in lecture.scenes:
            names, texts = zip(*explained(scene, language), strict=True)
            assert names == ("usual", "answer", "keep")
            assert all(text in said(scene.note, language) for text in texts[:2])
            assert len({*scene.exercises}) == 3 and {*scene.exercises} <= set(BY_SLUG)
            assert scene.proof and said(scene.proof.says, language).strip()


def test_what_a_scene_does_not_have_is_not_explained() -> None:
    assert explained(Scene("", "overview", note="Answer: 42"), "zh") == [("answer", "42")]
    spoken = Scene("", "overview", note="Say it aloud.", keep={"en": "Keep.", "zh": "记住"})
    assert explained(spoken, "zh") == [("keep", "记住")]
    assert explained(Scene("", "overview"), "en") == []


def test_the_guide_and_the_lecture_plan_the_same_minutes() -> None:
    table = (resource("README.md").parent / "docs/lecturers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+)–(\d+) \| (\d+) .*\| .* \| .* \| .* \|$", table, re.MULTILINE)
    planned = {int(scene): int(end) - int(start) for start, end, scene in rows}
    scenes = SHIPPED["attention"].scenes
    assert [planned[n] for n in range(1, len(scenes) + 1)] == [scene.minutes for scene in scenes]
    assert sum(planned.values()) == 90


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_lecture_is_whole_in_both_languages(name: str) -> None:
    lecture = SHIPPED[name]
    for scene in lecture.scenes:
        for text in (lecture.title, scene.title, scene.question, scene.note, scene.keep):
            assert isinstance(text, Mapping) and set(text) == set(LANGUAGES)
            assert all(one.strip() for one in text.values())
            assert not any("`" in one for one in text.values())  # texts are shown as they are, with no markup
        for text in (scene.title, scene.question, scene.note, scene.keep):
            assert re.search(r"[\u4e00-\u9fff]", said(text, "zh")) or text == scene.title
            assert len(re.findall(r"[\u4e00-\u9fff]", said(text, "en"))) == 0


def test_the_shipped_files_are_written_as_the_app_writes_them() -> None:
    for file in sorted(resource("assets/lectures").glob("*.json")):
        lecture = SHIPPED[file.stem.partition("-")[2]]
        assert file.read_text(encoding="utf-8") == to_json(lecture)


def test_every_scene_asks_before_it_answers_and_its_last_step_says_the_answer() -> None:
    scenes = [scene for lecture in SHIPPED.values() for scene in lecture.scenes]
    assert len(SHIPPED["attention"].scenes) == 16
    assert len(SHIPPED["slips"].scenes) == 7
    assert {scene.ask.kind for scene in scenes if scene.ask} == set(ASKS) - {"text"}
    for scene in scenes:
        assert scene.ask
        assert scene.ask.kind != "choice" or scene.ask.right
        assert len(scene.says) == scene.n_steps
        for text in scene.says:
            assert text == "{reads}" or (isinstance(text, Mapping) and set(text) == set(LANGUAGES))


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_model_and_one_sentence_run_through_a_lecture(language: str) -> None:
    read = [
        (parameters["model"], parameters["source"])
        for lecture in SHIPPED.values()
        for scene in lecture.scenes
        if "source" in (parameters := scene.parameters(language))
    ]
    assert len(read) >= 15
    assert len(set(read)) == 1


def test_what_is_to_be_looked_at_stands_in_the_glossary() -> None:
    lights = {light for lecture in SHIPPED.values() for scene in lecture.scenes for light in scene.light}
    assert lights <= {term.slug for term in TERMS}
    assert all(scene.light for lecture in SHIPPED.values() for scene in lecture.scenes)


def test_old_links_to_the_twelve_scenes_still_open_them() -> None:
    titles = {
        "1": "Why attention", "4": "QKᵀ: every query meets every key", "7": "Softmax, then · V", "12": "Training",
    }  # fmt: skip
    for name, title in titles.items():
        index, _step = place_of(SHIPPED["attention"], name)
        assert said(SHIPPED["attention"].scenes[index].title, "en") == title


@pytest.mark.parametrize(("name", "index", "step", "language"), PLACES)
def test_the_link_of_a_place_is_short(name: str, index: int, step: int, language: str) -> None:
    assert len(link_of(SHIPPED[name], name, index, step, language, lang="zh", present="1")) < MAX_LINK / 3
