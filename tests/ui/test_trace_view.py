"""What the view of a trace says of the next token, against the recorded log-probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pages.searches import next_tokens
from viz_transformer import Translator
from viz_transformer.ui.components.trace_view import trace_content


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
