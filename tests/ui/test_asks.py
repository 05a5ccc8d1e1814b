"""What each page can ask, against the questions themselves: the parameters that they read are those that it has."""

from __future__ import annotations

import pytest

from tests.hostile.links import parameters
from viz_transformer.lecture_links import shipped_lectures
from viz_transformer.lectures import ASKS, LANGUAGES, PAGES, SHOWN, Ask, asks_of
from viz_transformer.ui.lecture.prediction_questions import question_of
from viz_transformer.ui.lecture.scene_fields import ask_names

ANYWHERE = ("choice", "text")
ASKED = [(kind, of) for kind, names in ASKS.items() for of in names]
OF_A_VIEW = [(page, *asked) for page in PAGES for asked in ASKED if asked[0] not in ANYWHERE]
# Any view has them.
SHARED = {"model", "source", "target", "module", "layer", "head"}


class Read(dict[str, str]):
    """The parameters of a link, which notes which of them are read."""

    def __init__(self) -> None:
        super().__init__(model="copy")
        self.names: set[str] = set()

    def get(self, name: str, usual: object = None) -> object:  # type: ignore[override]
        self.names.add(name)
        return super().get(name, usual)


@pytest.mark.parametrize(("page", "kind", "of"), OF_A_VIEW)
def test_a_page_offers_what_it_has_the_parameters_of(page: str, kind: str, of: str) -> None:
    link = Read()
    question = question_of(Ask(kind, of), page, link)
    assert question.task and question.rule
    own, read = set(parameters()[page]) - SHARED, link.names - SHARED
    if (kind, of) in asks_of(page):
        assert read & own
    elif read <= own:
        assert (page, of) == ("scaling", "crossing")  # its d is another one: the components of a vector


def test_everything_is_offered_somewhere_has_a_name_and_fits_the_shipped_lectures() -> None:
    assert {asked for page in PAGES for asked in asks_of(page)} == {*ASKED}
    assert {*SHOWN} <= {*PAGES}
    assert {*ask_names()} == {"", *(f"{kind}.{of}" for kind, of in ASKED)}
    for lecture in shipped_lectures().values():
        for scene in lecture.scenes:
            for language in LANGUAGES:
                assert scene.ask and (scene.ask.kind, scene.ask.of) in asks_of(scene.page(language))
