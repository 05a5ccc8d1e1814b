"""What the view of a trace says of the next token, against the recorded log-probabilities."""

from __future__ import annotations

import numpy as np
import pytest

import viz_transformer as vt
from tests.pages.searches import next_tokens
from viz_transformer import Translator
from viz_transformer.experiments.heads.words import is_sink
from viz_transformer.heads import HeadRef
from viz_transformer.views.trace_view import clearest_step, trace_content


@pytest.mark.parametrize("top_k", [1, 3, 14, 20])
def test_the_likeliest_tokens_the_taken_one_and_the_rest_are_all_there_are(translator: Translator, top_k: int) -> None:
    trace = translator.trace("3 1 4", "2 7 1 8")
    places = []
    for t, shown in enumerate(next_tokens(trace_content(trace, str, top_k))):
        log_probs = trace.log_probs[t].tolist()
        in_order = sorted(range(14), key=lambda token: -log_probs[token])
        listed = in_order[:top_k]
        if trace.predicted_ids[t] not in listed:
            listed.append(trace.predicted_ids[t])
        assert shown["tokens"] == [str(token) for token in listed]
        assert shown["ranks"] == [in_order.index(token) + 1 for token in listed]
        assert shown["log_probs"] == [log_probs[token] for token in listed]
        assert shown["taken"] == listed.index(trace.predicted_ids[t])
        others = [np.exp(log_probs[token]) for token in in_order if token not in listed]
        assert shown["rest"] == pytest.approx(sum(others), abs=1e-6)
        places.append(shown["taken"])
    assert top_k > 3 or top_k in places  # a token below the list was taken


@pytest.mark.parametrize(
    ("text", "word"), [("你好,世界!", "world"), ("我爱你。", None), ("你能告诉我医院在哪里吗?", None)]
)
def test_a_page_opens_at_the_word_that_comes_most_from_one_source_word(text: str, word: str | None) -> None:
    trace = vt.load("zh-en", "cpu").trace(text)
    for layer in range(2):
        for head in range(4):
            weights = trace.attention("cross", layer).weights[head]
            best, step = -1.0, None
            for t, written in enumerate(trace.predicted_tokens):
                for s, read in enumerate(trace.source_tokens):
                    if not is_sink([written, read]).any() and weights[t, s] > best:
                        best, step = weights[t, s], t
            assert clearest_step(trace, HeadRef("cross", layer, head)) == step
    if word:
        assert trace.predicted_tokens[clearest_step(trace, HeadRef("cross", 1, 3))] == word


def test_where_no_word_is_written_a_page_opens_at_the_last_step() -> None:
    trace = vt.load("zh-en", "cpu").trace("!", "!")
    assert clearest_step(trace, HeadRef("cross", 0, 0)) == len(trace.target_tokens) - 1
