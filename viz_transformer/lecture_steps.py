"""A scene's places changed by views: a step is what leads from one to the next, and all other places stay as they are.

A view is a link as a scene has it, `attention?stage=scores`. A step that leads to a view without a parameter leaves it
empty, `whatif=`: the page then has its default, whatever that is for this model and text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote

from viz_transformer.lectures import LANGUAGES, Said, Scene, said
from viz_transformer.sentences import N_, SentenceError

# The characters that a link must escape. All others stay readable, in the lecture's file, too.
_SIGNS = re.compile(r"[%&+#=\x00-\x1f\x7f]")


def query_of(parameters: Mapping[str, str]) -> str:
    """Parameters as a link has them, readable."""
    return "&".join(f"{_spelled(name)}={_spelled(value)}" for name, value in parameters.items())


def step_between(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The step that leads from a place with these parameters to another."""
    changed = {name: value for name, value in after.items() if before.get(name) != value}
    return query_of({**changed, **{name: "" for name in before if name not in after}})


def with_step(scene: Scene, view: str, language: str, says: Said = "") -> Scene:
    """The scene with one more step at its end, and the sentence that goes with it.

    Raises:
        ValueError: a sentence, if the view is of another page, or shows nothing new and says nothing.
    """
    _refuse_other_page(scene, view, language)
    step = step_between(scene.parameters(language, len(scene.steps)), _parameters(view))
    if not (step or says):
        raise SentenceError(N_("This is what the scene shows already. Change the view first, or type a sentence."))
    sentences = tuple(scene.says_at(n) for n in range(scene.n_steps)) if says else scene.says
    return replace(scene, steps=(*scene.steps, step), says=(*sentences, says) if says else sentences)


def with_view(scene: Scene, place: int, view: str, language: str) -> Scene:
    """The scene with another view at one place: 0 is its beginning, 1 its first step.

    Raises:
        ValueError: a sentence, if the view is of another page, but that the scene has no steps.
    """
    if place or scene.steps:
        _refuse_other_page(scene, view, language)
    if place:
        step = step_between(scene.parameters(language, place - 1), _parameters(view))
        steps = [*scene.steps]
        steps[place - 1] = said_anew(steps[place - 1], language, step)
        changed = replace(scene, steps=tuple(steps))
    else:
        changed = replace(scene, link=said_anew(scene.link, language, view))
    return _leading_on(changed, place, scene, place + 1)


def without_step(scene: Scene, place: int) -> Scene:
    """The scene without this step and its sentence; 1 is the first step."""
    left = replace(
        scene,
        steps=(*scene.steps[: place - 1], *scene.steps[place:]),
        says=(*scene.says[:place], *scene.says[place + 1 :]),
    )
    return _leading_on(left, place - 1, scene, place + 1)


def said_anew(old: Said, language: str, text: str) -> Said:
    """`old` with another text in one language; what it says in the others stays."""
    if text == said(old, language):
        return old
    return text if isinstance(old, str) else {**old, language: text}


def _leading_on(scene: Scene, place: int, before: Scene, to: int) -> Scene:
    """The scene in which the step after `place`, if there is one, leads to where `before` is at its place `to`."""
    if place >= len(scene.steps):
        return scene
    steps: list[Said] = [*scene.steps]
    texts = {one: step_between(scene.parameters(one, place), before.parameters(one, to)) for one in LANGUAGES}
    steps[place] = texts if len({*texts.values()}) > 1 else texts[LANGUAGES[0]]
    return replace(scene, steps=tuple(steps))


def _refuse_other_page(scene: Scene, view: str, language: str) -> None:
    if Scene("", view).page(language) != scene.page(language):
        raise SentenceError(
            N_("The steps of a scene are views of one page, here of “{page}”: make this view a scene of its own."),
            page=scene.page(language),
        )


def _parameters(view: str) -> dict[str, str]:
    return Scene("", view).parameters(LANGUAGES[0])


def _spelled(text: str) -> str:
    return _SIGNS.sub(lambda sign: quote(sign[0], safe=""), text)
