from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import assert_near, assert_sentence
from viz_transformer import ATTENTION_MODULES, HeadRef, Translator
from viz_transformer.head_scores import AlignedPair, alignment_accuracy, head_scores, read_alignments

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
    heads, layers = alignment_accuracy(translator, PAIRS)
    assert_near(heads, hits / rows, 1e-6)
    assert_near(layers, means / rows, 1e-6)
    assert 0 < heads.max() <= 1


def test_head_scores_are_mean_weights_on_neighbours_and_sinks(translator: Translator) -> None:
    sources = ["3 1 4 1", "9 2 6"]
    measured = head_scores(translator, sources)
    traces = [translator.trace(source) for source in sources]
    assert set(measured) == {HeadRef(m, layer, h) for m in ATTENTION_MODULES for layer in range(2) for h in range(4)}
    for (module, layer, head), scores in measured.items():
        by_hand: dict[str, list[float]] = {"previous": [], "same": [], "next": [], "sink": []}
        for shown in traces:
            record = shown.attention(module, layer)
            weights = record.weights[head]
            queries, keys = weights.shape
            for name, offset in (("previous", -1), ("same", 0), ("next", 1)):
                values = [weights[i, i + offset] for i in range(queries) if 0 <= i + offset < keys]
                by_hand[name].append(float(np.mean(values)))
            sinks = [i for i, token in enumerate(record.key_tokens) if token in ("<s>", "</s>")]
            by_hand["sink"].append(float(weights[:, sinks].sum(axis=1).mean()))
        assert scores == pytest.approx({name: np.mean(values) for name, values in by_hand.items()}, abs=1e-6)


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


def test_the_projects_own_alignments_can_be_read() -> None:
    path = Path(__file__).parent.parent / "assets" / "data" / "alignment.zh-en.jsonl"
    pairs = read_alignments(path)
    assert len(pairs) > 10
    for pair in pairs:
        assert all(i < len(pair.source_words) and j < len(pair.target_words) for i, j in pair.sure)
