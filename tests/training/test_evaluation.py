from __future__ import annotations

import pytest

from tests.helpers import random_translator
from viz_transformer.training.evaluation import exact_match, scores_by_length, translate_all, translation_score
from viz_transformer.training.tasks import TASKS, Task


def test_exact_match_is_the_share_that_greedy_search_gets_right(monkeypatch: pytest.MonkeyPatch) -> None:
    translator = random_translator(1, peaked=2.0)

    def own_answer_or_not(digits: str) -> str:
        """A task that this very model solves for digit strings of odd length; of the others it stops too early."""
        answer = translator.translate(digits).replace(" ", "")
        return answer if len(digits) % 2 else f"{answer}0"

    monkeypatch.setitem(TASKS, "copy", own_answer_or_not)
    pairs = Task("copy").pairs(40, seed=5)
    by_hand = sum(translator.translate(source) == target for source, target in pairs) / 40
    assert 0.2 < by_hand < 0.8
    assert exact_match(translator, pairs, batch_size=7) == by_hand


def test_a_perfect_output_scores_a_hundred_and_a_foreign_one_nothing() -> None:
    references = ["The cat sat on the mat today.", "Where is the old house by the river?"]
    perfect = translation_score(references, references)
    assert (perfect.count, perfect.bleu, perfect.chrf) == (2, pytest.approx(100), pytest.approx(100))
    assert translation_score(["zzz", "qqq"], references).bleu == 0
    assert "tok:13a" in perfect.bleu_signature and "case:mixed" in perfect.bleu_signature


def test_scores_are_given_for_all_and_for_each_length_that_occurs() -> None:
    pairs = [("a", "one two"), ("b", "one two three four five six"), ("c", " ".join(["word"] * 20))]
    rows = scores_by_length([target for _, target in pairs], pairs)
    assert [(name, score.count) for name, score in rows] == [("all", 3), ("1-5", 1), ("6-10", 1), ("16+", 1)]


def test_all_sources_are_translated_in_order() -> None:
    translator = random_translator(1, peaked=2.0)
    sources = ["1", "2 3", "4 5 6"]
    assert translate_all(translator, sources, beam_size=2) == [translator.translate(s, beam_size=2) for s in sources]
