"""Predict, then reveal: where a scene asks, an answer sheet stands in place of the page until one has answered.

The server hides all that comes after the sheet, so that none of it is seen too early; the browser shows it on reveal.
What was predicted, and whether it was revealed, stays in the browser.
"""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from viz_transformer.experiments.lecture.answers import packed_answer
from viz_transformer.lectures import Ask, Lecture, Scene, said
from viz_transformer.translator import TextError
from viz_transformer.ui.components.component import Component, NoView
from viz_transformer.ui.lecture.prediction_questions import Question, question_of
from viz_transformer.ui.shared.models import ModelDamaged
from viz_transformer.ui.shared.notes import sentence_of
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.text import _, language, sentence

# Not seen, read out or reached by Tab; see frontend/src/lecture/predict.ts, and server/index.py for the first moment.
_HIDDEN = '<style>.st-key-predict:not([data-revealed="{id}"]) ~ * {{ display: none !important; }}</style>'


def show_ask(name: str, lecture: Lecture, index: int) -> None:
    """Shows the answer sheet of a scene that asks; if there is no true answer, a sentence, and nothing is hidden."""
    scene, spoken = lecture.scenes[index], language()
    if scene.ask is None:
        return
    id = ask_id(name, lecture, index, spoken)
    # Asked for in every run: only visitors who have the model may see its answer. The passes behind it are kept.
    question = question_or_why(scene.ask, scene, spoken)
    if isinstance(question, str):
        st.caption(_("There is nothing to predict here: {why}").format(why=question))
        return
    st.html(_HIDDEN.format(id=id))
    _PREDICT.show(_content(id, scene.ask, question), key="predict", view=NoView())


def question_or_why(ask: Ask, scene: Scene, spoken: str) -> Question | str:
    """What is asked of a scene's view; or a sentence in Markdown, why it has no true answer."""
    parameters = scene.parameters(spoken)
    try:
        return question_of(ask, scene.page(spoken), parameters, said(scene.question, spoken))
    except TextError as error:
        return sentence_of(error)
    except ModelDamaged as error:
        return _("The files of the model {name} are damaged.").format(name=verbatim(error.name))
    except KeyError:
        return _("The model {name} is not available here.").format(name=verbatim(parameters.get("model", "")))
    except ValueError as error:
        return verbatim(sentence(error))


def ask_id(name: str, lecture: Lecture, index: int, language: str) -> str:
    """By which the browser knows a question again, and keeps what was predicted."""
    scene = lecture.scenes[index]
    described = repr((name, index, scene.ask, scene.page(language), sorted(scene.parameters(language).items())))
    return hashlib.blake2b(described.encode(), digest_size=8).hexdigest()


def _content(id: str, ask: Ask, question: Question) -> dict[str, Any]:
    return {
        "id": id,
        "kind": ask.kind,
        "of": ask.of,
        "task": question.task,
        "rule": question.rule,
        "titles": question.axes,
        **packed_answer(question.answer),
    }


def predict_labels() -> dict[str, str]:
    """Every text of the answer sheet."""
    return {
        "predict": _("Your prediction"),
        "reveal": _("Reveal"),
        "show": _("Show me"),
        "again": _("Try again"),
        "score": _("Your score: {score}%"),
        "yours": _("yours"),
        "model": _("the model's"),
        "true": _("the true one"),
        # In a room
        "send": _("Send"),
        "sending": _("Your answer is on its way."),
        "sent": _("Your answer is counted; you can change it until your lecturer reveals the solution."),
        "waits": _("Your lecturer will reveal the solution once the class has answered."),
        "not_taken": _("Your answer was not accepted: the question is closed, or the room is full."),
        "answered": _("{count} answered, {members} are here."),
        "unread": _("Your lecturer reads what the class has typed before showing it."),
        "class": _("the class, {count} answers"),
        "count": _("answers"),
        "others": _("others"),
        "class_cells": _("The class: how many of {count} marked each cell"),
        "cell_count": _("{cell}: marked by {count} of {answers}"),
        "class_median": _("The class: {count} answers, median {median}."),
        "beyond": _("{count} of them lie beyond this line."),
        "class_curves": _("the class, {count} curves"),
        # A choice, and words of one's own
        "right_is": _("The right one: {option}"),
        "words_field": _("Your answer"),
        # Cells
        "hint_weights": _("Click a cell in each row, or use the arrow keys and the space bar."),
        "hint_weights_touch": _("Tap a cell in each row."),
        "hint_mask": _("Click or drag over cells, or use the arrow keys and the space bar."),
        "hint_mask_touch": _("Tap cells, or draw over them."),
        "cell": _("row {i} “{row}”, column {j} “{column}”"),
        "cell_weight": _("{cell}: weight {weight}"),
        "cell_taken": _("{cell}: masked out"),
        "cell_left": _("{cell}: kept"),
        "not_allowed": _("{cell}: masked"),
        "marked": _("{cell}, marked by you"),
        "most": _("the largest weight in a row"),
        "taken": _("masked out"),
        "wrong": _("wrong"),
        "writes": _("{read} → {written}"),
        # Token
        "token_field": _("The next token"),
        "rank": _("rank"),
        "token": _("token"),
        "probability": _("probability"),
        "no_token": _(
            "“{token}” is not a token in this model's vocabulary: it would have to be written as several tokens."
        ),
        "token_rank": _("“{token}” is number {rank} of {count}, with probability {probability}."),
        # Number
        "number_field": _("Your number"),
        "no_number": _("Type a number, such as 0.25."),
        "number_both": _("Yours: {yours}; the model's: {true}."),
        "number_true": _("The model's: {true}."),
        # Curve
        "hint_curve": _("Draw from the left to the right; or choose a point with Tab and move it with the arrow keys."),
        "handle": _("{x_title} {x}: {y_title}"),
        "nothing": _("nothing drawn"),
        "curve": _("{y} against {x}"),
    }


_PREDICT = Component("predict_view", NoView, predict_labels)
