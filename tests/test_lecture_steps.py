"""A scene's places changed by views: the one that was meant shows the view exactly, and all others stay."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from viz_transformer.lecture_steps import query_of, said_anew, step_between, with_step, with_view, without_step
from viz_transformer.lectures import LANGUAGES, Lecture, Said, Scene, from_json, to_json

VALUES = some.text(some.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
VIEWS = some.dictionaries(some.sampled_from(["stage", "cell", "head", "whatif", "source", "x y&"]), VALUES, max_size=5)
LINKS = VIEWS.map(lambda view: f"attention?{query_of(view)}")
SPOKEN = some.sampled_from(LANGUAGES)


def said(texts: some.SearchStrategy[str]) -> some.SearchStrategy[Said]:
    return texts | some.fixed_dictionaries(dict.fromkeys(LANGUAGES, texts))


SCENES = some.builds(
    lambda link, steps, says: Scene("Title", link, steps=tuple(steps), says=tuple(says[: len(steps) + 1])),
    said(LINKS),
    some.lists(said(VIEWS.map(query_of)), max_size=3),
    some.lists(said(VALUES), max_size=4),
)


def shown(scene: Scene, language: str) -> list[dict[str, str]]:
    return [scene.parameters(language, place) for place in range(scene.n_steps)]


def view_of(link: str) -> dict[str, str]:
    return Scene("Title", link).parameters("en")


def assert_is_kept(scene: Scene) -> None:
    lecture = Lecture("Lecture", (scene,))
    assert from_json(to_json(lecture).encode()) == lecture


@given(VIEWS, VIEWS)
def test_a_step_leads_exactly_to_the_view(before: dict[str, str], after: dict[str, str]) -> None:
    scene = Scene("Title", f"masks?{query_of(before)}", steps=(step_between(before, after),))
    assert scene.parameters("en", 1) == after


def test_a_step_has_only_what_differs_and_leaves_empty_what_the_view_has_not() -> None:
    scene = Scene("Title", "attention?head=1&stage=scores&whatif=none")
    changed = with_step(scene, "attention?head=1&stage=softmax", "en", "Look.")
    assert changed.steps == ("stage=softmax&whatif=",)
    assert changed.says == ("", "Look.")
    assert changed.parameters("en", 1) == {"head": "1", "stage": "softmax"}


@given(SCENES, LINKS, SPOKEN)
def test_a_next_step_shows_the_view_and_nothing_else_changes(scene: Scene, view: str, language: str) -> None:
    changed = with_step(scene, view, language, "says")
    assert shown(changed, language) == [*shown(scene, language), view_of(view)]
    assert [changed.says_at(n) for n in range(changed.n_steps)] == [
        *[scene.says_at(n) for n in range(scene.n_steps)],
        "says",
    ]
    assert_is_kept(changed)


@given(SCENES, LINKS, SPOKEN, some.data())
def test_a_view_in_place_of_another_changes_that_place_alone(
    scene: Scene, view: str, language: str, data: some.DataObject
) -> None:
    place = data.draw(some.integers(0, len(scene.steps)))
    changed = with_view(scene, place, view, language)
    expected = shown(scene, language)
    expected[place] = view_of(view)
    assert shown(changed, language) == expected
    assert changed.says == scene.says
    assert_is_kept(changed)


@given(SCENES, some.data())
def test_a_step_is_removed_with_its_sentence_in_both_languages(scene: Scene, data: some.DataObject) -> None:
    scene = replace(scene, steps=(*scene.steps, "head=last"))
    place = data.draw(some.integers(1, len(scene.steps)))
    left = without_step(scene, place)
    for language in LANGUAGES:
        expected = shown(scene, language)
        del expected[place]
        assert shown(left, language) == expected
    says = [scene.says_at(n) for n in range(scene.n_steps)]
    del says[place]
    assert [left.says_at(n) for n in range(left.n_steps)] == says
    assert_is_kept(left)


def test_what_cannot_be_a_step_is_refused_with_a_sentence() -> None:
    scene = Scene("Title", "attention?stage=scores", steps=("stage=softmax",))
    for view in ("masks?stage=scores", "masks"):
        with pytest.raises(ValueError, match="views of one page, here of “attention”"):
            with_step(scene, view, "en")
        for place in (0, 1):
            with pytest.raises(ValueError, match="views of one page"):
                with_view(scene, place, view, "en")
    with pytest.raises(ValueError, match="shows already"):
        with_step(scene, "attention?stage=softmax", "en")
    assert with_step(scene, "attention?stage=softmax", "en", "Look again.").n_steps == 3
    assert with_view(Scene("Title", "attention"), 0, "masks?s1=a", "en").page("en") == "masks"


def test_a_step_that_leaves_out_what_belongs_to_the_lecture_is_refused() -> None:
    """Else a later step could hide it."""
    for steps in (("present=",), ("present=1", "present=")):
        with pytest.raises(ValueError, match="“present” in its link belongs to the lecture"):
            from_json(to_json(Lecture("Lecture", (Scene("Title", "masks", steps=steps),))).encode())


def test_a_text_is_changed_in_the_language_it_was_typed_in() -> None:
    both = {"en": "Masks", "zh": "掩码"}
    assert said_anew(both, "zh", "掩码！") == {"en": "Masks", "zh": "掩码！"}
    assert said_anew(both, "en", "Masks") is both
    assert said_anew({"en": "Masks"}, "zh", "Masks") == {"en": "Masks"}
    assert said_anew("Masks", "zh", "掩码") == "掩码"
