"""What a scene of a lecture sends: its terms are marked, and explained in the first scene that has them."""

from __future__ import annotations

import re

import pytest

from viz_transformer.lecture_links import shipped_lectures
from viz_transformer.lectures import LANGUAGES, Lecture, Scene
from viz_transformer.ui.lecture.scene import lecture_content
from viz_transformer.views.terms import glossary, named_in
from viz_transformer.views.text import speaking

MARK = re.compile(r"\[([^\]]*)\]\(#term-([\w-]+)\)")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", shipped_lectures())
def test_no_scene_uses_a_term_that_it_and_those_before_it_do_not_explain(name: str, language: str) -> None:
    with speaking(language):
        content = lecture_content(name, shipped_lectures()[name], marks=True)
        slugs = {f"{term['title']}{': ' if language == 'en' else '：'}{term['said']}": slug
                 for slug, term in glossary().items()}  # fmt: skip
        known: list[str] = []
        for n, scene in enumerate(content["scenes"]):
            texts = dict(scene["explained"])
            known += [slugs[MARK.sub(r"\1", line)] for line in texts.pop("words", "").splitlines()]
            marks = {slug for text in (scene["question"], *texts.values()) for _said, slug in MARK.findall(text)}
            sentences = (place["says"] for place in content["places"] if place["scene"] == n)
            assert marks | {*named_in(*sentences).split()} <= {*known}, scene["title"]
    assert len(known) == len({*known}) > (12 if name == "slips" else 25)


def test_a_lecture_that_somebody_wrote_is_sent_as_it_is() -> None:
    typed = Scene("a", "masks", "Which [key](#term-key) has the query?", "Answer: the key", says=("key",))
    (scene,) = lecture_content("z.", Lecture("Mine", (typed,)))["scenes"]
    assert scene["question"] == typed.question
    assert scene["explained"] == [("answer", "the key")]
