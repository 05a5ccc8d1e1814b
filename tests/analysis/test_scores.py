from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from tests.helpers import assert_near, assert_sentence
from viz_transformer import Translator, load
from viz_transformer.analysis.scores import AlignedPair, Row, alignment_scores, read_alignments

PAIRS = [
    AlignedPair("3 1 4", "1 5", ("3", "1", "4"), ("1", "5"), frozenset({(1, 0), (0, 1), (2, 1)})),
    AlignedPair("9 2", "7 7 8", ("9", "2"), ("7", "7", "8"), frozenset({(1, 2), (0, 0)})),  # the second 7 has no link
]


def test_alignment_accuracy_is_the_share_of_rows_that_point_at_a_linked_word(translator: Translator) -> None:
    hits, means, rows = np.zeros((2, 4)), np.zeros(2), 0
    for pair in PAIRS:  # one token a word, so that token t of the target is word t
        shown = translator.trace(pair.source, pair.target)
        for t in range(len(pair.target_words)):
            linked = {i for i, j in pair.sure if j == t}
            if linked:
                rows += 1
                for layer in range(2):
                    weights = shown.attention("cross", layer).weights[:, t]  # (H, S)
                    hits[layer] += [int(row.argmax()) in linked for row in weights]
                    means[layer] += int(weights.mean(axis=0).argmax()) in linked
    assert rows == 4
    scores = alignment_scores(translator, PAIRS)
    assert_near(scores.accuracy, hits / rows, 1e-6)
    assert_near(scores.mean_accuracy, means / rows, 1e-6)
    assert 0 < scores.accuracy.max() <= 1
    in_rows = scores.by_pair * np.array([2, 2])[:, None, None]  # two linked words in each pair
    assert_near(in_rows.sum(axis=0), hits, 1e-5)


@pytest.mark.parametrize(("row", "offset"), [("predicts", 0), ("reads", 1)])
def test_the_alignment_error_rate_counts_links_of_all_target_words(
    translator: Translator, row: Row, offset: int
) -> None:
    scores = alignment_scores(translator, PAIRS, row)
    for layer, head in np.ndindex(scores.error_rate.shape):
        common = drawn = sure = 0
        for pair in PAIRS:
            weights = translator.trace(pair.source, pair.target).attention("cross", layer).weights[head]
            best = [int(weights[t + offset].argmax()) for t in range(len(pair.target_words))]
            links = {(key, t) for t, key in enumerate(best) if key < len(pair.source_words)}  # not the end token
            common, drawn, sure = common + len(links & pair.sure), drawn + len(links), sure + len(pair.sure)
        assert scores.error_rate[layer, head] == pytest.approx(1 - 2 * common / (drawn + sure), abs=1e-6)


def test_among_words_the_end_token_is_left_out(translator: Translator) -> None:
    scores = alignment_scores(translator, PAIRS, "predicts", "words")
    hits = np.zeros_like(scores.accuracy)
    for pair in PAIRS:
        for layer, head in np.ndindex(hits.shape):
            weights = translator.trace(pair.source, pair.target).attention("cross", layer).weights[head]
            best = [int(weights[t, : len(pair.source_words)].argmax()) for t in range(len(pair.target_words))]
            hits[layer, head] += sum((key, t) in pair.sure for t, key in enumerate(best))
    assert_near(scores.accuracy, hits / 4, 1e-6)


def test_a_pair_without_links_counts_for_nothing_but_its_own_links(translator: Translator) -> None:
    unlinked = AlignedPair("3 1", "1", ("3", "1"), ("1",), frozenset())
    scores = alignment_scores(translator, [*PAIRS, unlinked])
    assert np.isnan(scores.by_pair[-1]).all()
    assert_near(scores.accuracy, alignment_scores(translator, PAIRS).accuracy, 0)
    assert (scores.error_rate >= alignment_scores(translator, PAIRS).error_rate).all()


@pytest.mark.parametrize(("model", "right"), [("zh-en", 0.6), ("en-de", 0.8)])
def test_a_head_of_the_shipped_translators_aligns(model: str, right: float) -> None:
    """Pointing at the source word in the same place would be right for a third of the tokens, or for half."""
    path = Path(__file__).parents[2] / "assets" / "data" / f"alignment.{model}.jsonl"
    pairs = read_alignments(path)[:30]
    predicts, reads = (alignment_scores(load(model, "cpu"), pairs, row) for row in get_args(Row))
    assert max(predicts.accuracy.max(), reads.accuracy.max()) > right
    assert min(predicts.error_rate.min(), reads.error_rate.min()) < 0.4


def test_alignments_are_read_from_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "alignments.jsonl"
    rows = [
        {
            "source": pair.source,
            "target": pair.target,
            "source_words": pair.source_words,
            "target_words": pair.target_words,
            "sure": sorted(pair.sure),
        }
        for pair in PAIRS
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert read_alignments(path) == PAIRS
    path.write_text("\r\n\r\n".join(map(json.dumps, rows)), encoding="utf-8-sig", newline="")
    assert read_alignments(path) == PAIRS


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "{}",
        "[]",
        '{"source": "a b", "target": "c", "source_words": ["a"], "target_words": ["c"], "sure": []}',
        '{"source": "a", "target": "c", "source_words": ["a", "b"], "target_words": ["c"], "sure": []}',
        '{"source": "a", "target": "c", "source_words": ["a"], "target_words": ["c"], "sure": [0, 1]}',
    ],
)
def test_a_wrong_line_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "alignments.jsonl"
    good = '{"source": "a", "target": "c", "source_words": ["a"], "target_words": ["c"], "sure": [[0, 0]]}'
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        read_alignments(path)
    assert_sentence(caught.value, path, "line 2")


@pytest.mark.parametrize("model", ["zh-en", "en-de"])
def test_the_projects_own_alignments_can_be_read(model: str) -> None:
    path = Path(__file__).parents[2] / "assets" / "data" / f"alignment.{model}.jsonl"
    pairs = read_alignments(path)
    assert len(pairs) > 10
    for pair in pairs:
        assert all(i < len(pair.source_words) and j < len(pair.target_words) for i, j in pair.sure)
