from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from viz_transformer import Trace, Translator
from viz_transformer.analysis import doubt
from viz_transformer.analysis.doubt import Doubt, doubts
from viz_transformer.heads import n_layers


@pytest.fixture
def trace(translator: Translator) -> Trace:
    return translator.trace("3 1 4 1 5")


def signs(trace: Trace) -> dict[str, Doubt]:
    found = doubts(trace)
    assert len({one.sign for one in found}) == len(found)
    return {one.sign: one for one in found}


def test_an_improbable_output_has_its_geometric_mean(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = [np.exp(trace.log_probs[t, token]) for t, token in enumerate(trace.predicted_ids)]
    mean = math.prod(taken) ** (1 / len(taken))
    monkeypatch.setattr(doubt, "LEAST_PROBABILITY", mean + 1e-4)
    assert signs(trace)["improbable"].value == pytest.approx(mean, rel=1e-5)
    monkeypatch.setattr(doubt, "LEAST_PROBABILITY", mean - 1e-4)
    assert "improbable" not in signs(trace)


@pytest.mark.parametrize(
    ("tokens", "repeated"),
    [
        (["der", "der", "Hund", "der"], ("der", 2)),
        (["a", "b", "b", "a", "a", "a"], ("a", 3)),
        (["Er", "!", "!", "Er"], None),  # punctuation is no word
        (["ha", "##ha", "ha", "##ha"], None),
        ([], None),
    ],
)
def test_a_word_that_stands_twice_in_a_row_is_named(
    trace: Trace, tokens: list[str], repeated: tuple[str, int] | None
) -> None:
    rest = [f"w{n}" for n in range(len(trace.predicted_tokens) - 1 - len(tokens))]
    changed = replace(trace, predicted_tokens=(*tokens, *rest, "</s>")[: len(trace.predicted_tokens)])
    found = signs(changed).get("repeated")
    assert (found and (found.token, found.value)) == repeated


def test_a_word_is_unread_where_every_head_looks_elsewhere(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubt, "LEAST_LOOK", 2.0)  # every word is below it: the least is named
    words = [t for t, token in enumerate(trace.predicted_tokens) if token.isalnum()]
    keys = [j for j, token in enumerate(trace.source_tokens) if token.isalnum()]
    assert keys and len(keys) < len(trace.source_tokens)
    looks = {}
    for t in words:
        looks[t] = max(
            trace.attention("cross", layer).weights[head, t, j]
            for layer in range(n_layers(trace.config, "cross"))
            for head in range(trace.config.decoder.n_heads)
            for j in keys
        )
    least = min(looks, key=lambda t: looks[t])
    found = signs(trace)["unread"]
    assert (found.token, found.value) == (trace.predicted_tokens[least], pytest.approx(looks[least]))


def test_a_source_without_a_word_leaves_nothing_unread(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubt, "LEAST_LOOK", 1.0)
    trace = translator.trace("3 1")
    assert "unread" not in signs(replace(trace, source_tokens=("!", "?", "</s>")))
