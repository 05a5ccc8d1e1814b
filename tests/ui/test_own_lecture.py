"""A lecture of one's own: adding scenes, what the browser is sent, and damaged or hostile input."""

from __future__ import annotations

import json
from random import Random
from urllib.parse import parse_qsl, quote, urlencode

import numpy as np
import pytest
import segno
from hypothesis import given
from hypothesis import strategies as some

from viz_transformer.lecture_links import link_of, packed, unpacked
from viz_transformer.lectures import OURS, PAGES, Lecture, Scene
from viz_transformer.ui.lecture.own import link_in, page_in, repacked, scene_open, with_place, with_scene
from viz_transformer.ui.lecture.share import Shared, qr_code, shared_content
from viz_transformer.views.linked import checked

NONE = Lecture("Mine")
TEXTS = some.text(some.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
LINES = some.text(some.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\r\n"), max_size=40)
TITLES = some.text(some.characters(exclude_categories=["Cs", "Cc"]), max_size=40).filter(str.strip)
VIEWS = some.dictionaries(some.from_regex(r"[a-z_]{3,12}", fullmatch=True), TEXTS.filter(bool), max_size=6)
ADDRESS = "https://example.org/app/attention?model=zh-en&source=%E4%BD%A0%E5%A5%BD&stage=scores"


@given(some.sampled_from(PAGES), VIEWS)
def test_a_scene_opens_what_the_address_opened(page: str, view: dict[str, str]) -> None:
    language = {"lang": "zh", "embed": "true", "hide": "side", "lecture": "attention", "scene": "2", "present": "1"}
    address = f"http://127.0.0.1:8501/{page}?{urlencode({**language, **view})}"
    scene = Scene("Title", link_in(address))
    assert scene.page("en") == page
    assert scene.parameters("en") == {name: text for name, text in view.items() if name not in {*language, *OURS}}


def test_a_link_stays_readable() -> None:
    assert link_in(ADDRESS) == "attention?model=zh-en&source=你好&stage=scores"
    assert link_in("http://a/masks?s1=a%26b%3D1+2%2B3%25%23") == "masks?s1=a%26b%3D1 2%2B3%25%23"
    assert link_in("http://a/masks") == "masks"


@given(TITLES, LINES, LINES)
def test_what_is_typed_is_what_is_kept(title: str, question: str, note: str) -> None:
    first = unpacked(with_scene(NONE, ADDRESS, "First", "", ""))
    both = unpacked(with_scene(first, ADDRESS, title, question, note))
    assert both.scenes[0] == first.scenes[0]
    assert (both.scenes[1].title, both.scenes[1].question, both.scenes[1].note) == (title, question, note)


@pytest.mark.parametrize("sign", ["\0", "\x07", "\x1f", "\x7f"])
def test_a_sign_that_nobody_sees_is_refused_with_a_sentence(sign: str) -> None:
    with pytest.raises(ValueError, match=r"Scene 1: its note must be .* without control characters"):
        with_scene(NONE, ADDRESS, "Title", "", f"a{sign}b")
    lecture = unpacked(with_scene(NONE, f"{ADDRESS}&s1={quote(sign)}", "Title", "", ""))
    assert lecture.scenes[0].parameters("en")["s1"] == sign


NO_PAGE = ["x", "http://[", "http://a/", "http://a/nowhere?x=1", "javascript:alert(1)"]


@pytest.mark.parametrize("address", ["", *NO_PAGE])
def test_what_opens_no_page_is_no_scene(address: str) -> None:
    assert page_in(address) == ""
    with pytest.raises(ValueError, match="open a page first"):
        link_in(address)


@pytest.mark.parametrize("address", NO_PAGE)
def test_where_no_page_is_open_the_box_adds_no_scene(address: str) -> None:
    content = shared_content(Shared(address, title="Title", asked=1))
    assert not content["can_add"]
    assert "open a page first" in content["answer"]["refused"]
    assert not content["answer"]["is_damaged"]


def test_nothing_is_worked_out_while_the_box_is_closed() -> None:
    assert shared_content(Shared()).keys() == {"address", "limits", "long"}


@pytest.mark.parametrize("title", ["", "  ", "x" * 121])
def test_a_scene_that_is_none_is_refused_with_a_sentence(title: str) -> None:
    answer = shared_content(Shared(ADDRESS, title=title, asked=3))["answer"]
    assert answer["asked"] == 3
    assert "title" in answer["refused"]
    assert not answer["is_damaged"]
    assert "mine" not in answer


@pytest.mark.parametrize("mine", ["z.", "z.AAAA", "attention", "z.eJwDAAAAAAE", "<b>"])
def test_a_damaged_lecture_is_said_to_be_damaged(mine: str) -> None:
    answer = shared_content(Shared(ADDRESS, mine, title="Title", asked=1))["answer"]
    assert answer["is_damaged"]
    assert answer["refused"]


def test_a_lecture_that_no_link_can_hold_is_refused() -> None:
    dice = Random(1)
    notes = ["".join(chr(dice.randrange(0x4E00, 0x9000)) for _ in range(4_000)) for _ in range(4)]
    mine = NONE
    with pytest.raises(ValueError, match="shorten its notes"):
        for note in notes:
            mine = unpacked(with_scene(mine, ADDRESS, "Title", "", note))
    assert len(mine.scenes) >= 1


def test_a_changed_lecture_is_read_as_a_file_would_be() -> None:
    with pytest.raises(ValueError, match="it needs a title"):
        repacked(Lecture("Lecture", (Scene("", "masks"),)))
    with pytest.raises(ValueError, match="1 to 60"):
        repacked(Lecture("Lecture"))


@pytest.mark.parametrize("length", [40, 700, 2_000])
def test_the_code_is_of_the_address(length: int) -> None:
    address = f"{ADDRESS}&x={'a' * (length - len(ADDRESS) - 3)}"
    modules = qr_code(address)
    assert modules is not None and modules.dtype == np.uint8
    expected = segno.make(address, micro=False, error="l")
    assert [bytes(row) for row in modules] == [bytes(row) for row in expected.matrix]


def test_what_is_too_long_for_a_code_has_none() -> None:
    assert qr_code("a" * 3_000) is None
    assert shared_content(Shared("http://a/masks?" + "a" * 3_000))["qr"] is None


def test_what_a_browser_sends_is_checked() -> None:
    sent = {"address": ADDRESS, "mine": "", "place": "", "title": "", "question": "", "note": "", "asked": 1}
    assert checked(Shared, sent) == Shared(ADDRESS, asked=1)
    for wrong in ({"address": 1}, {"mine": "\ud800"}, {"title": "x" * 100_001}, {"asked": -1}, {"note": None}):
        assert checked(Shared, json.loads(json.dumps({**sent, **wrong}))) is None


@given(some.text(max_size=200), some.text(max_size=200), some.text(max_size=200))
def test_no_address_and_no_text_is_an_exception(address: str, mine: str, title: str) -> None:
    sent = {"address": address, "mine": mine, "place": title, "title": title, "question": "", "note": title, "asked": 1}
    view = checked(Shared, sent)
    if view is not None:
        shared_content(view)


def test_query_and_pairs_are_read_alike() -> None:
    """Where an address has a parameter twice, a scene keeps its last value, as the page does."""
    scene = Scene("T", link_in("http://a/masks?s1=a&s1=b"))
    assert scene.parameters("en") == dict(parse_qsl("s1=a&s1=b"))


OWN = Lecture(
    "Mine",
    (
        Scene("Masks", "masks"),
        Scene("<b>Scores</b>", "attention?model=zh-en&stage=scores&whatif=none", "Why?", steps=("stage=scale",)),
    ),
)


def added(place: str, address: str = ADDRESS, says: str = "") -> dict[str, object]:
    return dict(shared_content(Shared(address, packed(OWN), place, question=says, asked=1)))


def test_a_view_becomes_the_next_step_or_takes_the_place_of_another() -> None:
    view = {"model": "zh-en", "source": "你好", "stage": "scores"}
    for place, said, shown in (
        ("2+", "Added as the next step of scene 2.", 2),
        ("2", "Scene 2 shows this view now.", 0),
        ("2.2", "Scene 2.2 shows this view now.", 1),
    ):
        answer = added(place, says="Look: {reads} ")["answer"]
        assert answer["said"] == said  # type: ignore[index]
        first, scene = unpacked(answer["mine"]).scenes  # type: ignore[index]
        assert first == OWN.scenes[0]
        assert (scene.title, scene.question) == ("<b>Scores</b>", "Why?")
        assert scene.parameters("en", shown) == view
        assert scene.says == (("", "", "Look: {reads}") if place == "2+" else ())


@pytest.mark.parametrize(
    "place", ["3", "3+", "0", "2.3", "1.2", "2.0", "+", "2++", "x", "٢", "2+\n", "9" * 5000, "<b>"]
)
def test_a_place_that_is_not_there_is_said_and_nothing_changes(place: str) -> None:
    answer = added(place)["answer"]
    assert answer == {
        "asked": 1,
        "refused": "That place in your lecture no longer exists: open this box again.",
        "is_damaged": False,
    }


def test_a_view_of_another_page_is_no_step() -> None:
    assert "views of one page" in added("1+")["answer"]["refused"]  # type: ignore[index]
    assert "mine" in added("1")["answer"]  # type: ignore[operator]  # a scene without steps may be of any


def test_the_box_names_the_places_and_means_the_scene_that_is_open() -> None:
    address = f"http://a/{link_of(OWN, packed(OWN), 1, 1)}"
    shown = shared_content(Shared(address, packed(OWN)))
    assert shown["at"] == "2+"
    assert shown["places"] == [
        ("", "A new scene"),
        ("1+", "1 Masks: its next step"),
        ("1", "1 Masks: in place of its view"),
        ("2+", "2 <b>Scores</b>: its next step"),
        ("2", "2 <b>Scores</b>: in place of its view"),
        ("2.2", "2 <b>Scores</b>: in place of step 2"),
    ]
    later = shared_content(Shared(address, packed(OWN), "2+", question="Look.", asked=1))
    assert later["at"] == "2+"  # the link still has the lecture before
    assert ("2.3", "2 <b>Scores</b>: in place of step 3") in later["places"]
    other = f"http://a/{link_of(Lecture('Other', OWN.scenes), packed(Lecture('Other', OWN.scenes)), 1)}"
    for elsewhere in (
        other,
        ADDRESS,
        address.replace("scene=2.2", "scene=end"),
        f"{ADDRESS}&lecture=attention&scene=1",
    ):
        assert shared_content(Shared(elsewhere, packed(OWN)))["at"] == ""
    assert shared_content(Shared(address))["places"] == [("", "A new scene")]


@given(some.text(max_size=60), some.text(max_size=20), some.text(max_size=20))
def test_no_lecture_and_no_scene_in_an_address_is_an_exception(lecture: str, scene: str, place: str) -> None:
    address = f"http://a/masks?{urlencode({'lecture': lecture, 'scene': scene}, errors='replace')}"
    assert scene_open(OWN, address) is None
    mine = packed(OWN)
    answer = shared_content(
        Shared(f"http://a/masks?lecture={mine}&scene={quote(scene, errors='replace')}", mine, place, asked=1)
    )
    assert answer["at"] in ("", "1+", "2+")
    with pytest.raises(ValueError):
        with_place(OWN, "http://a/", "1", "", "en")
