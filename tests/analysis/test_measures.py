"""Each measure against plain loops over the recorded weights, and on weights whose answer is known."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.helpers import N_LAYERS
from viz_transformer import ATTENTION_MODULES, AttentionRecord, HeadRef, Translator
from viz_transformer.analysis.measures import MEASURES, measure_heads
from viz_transformer.heads import AttentionModule

BY_NAME = {measure.name: measure for measure in MEASURES}


def with_weights(
    translator: Translator, module: AttentionModule, text: str, target: str, keys: object
) -> AttentionRecord:
    """The record of a real pass in which every head's row i has all its weight on key keys[i]."""
    record = translator.trace(text, target).attention(module, 0)
    weights = np.broadcast_to(np.eye(len(record.key_tokens), dtype=np.float32)[keys], record.weights.shape)
    return replace(record, make_stages=lambda: {"weights": weights})


def by_loops(record: AttentionRecord, head: int) -> dict[str, float]:
    """All measures of one head, straight from their definitions; rows and keys counted from 1."""
    weights = record.weights[head]
    n_queries, n_keys = weights.shape
    rows = [i for i in range(1, n_queries + 1) if record.mask[i - 1].sum() > 1]
    keys = range(1, n_keys + 1)
    m = min(n_queries, n_keys) - 1
    tokens = dict(zip(keys, record.key_tokens, strict=True))

    def weight(i: int, j: int) -> float:
        return float(weights[i - 1, j - 1])

    def at(offset: int) -> list[float]:
        return [weight(i, i + offset) for i in rows if 1 <= i + offset <= n_keys]

    def on(*meant: str) -> list[float]:
        chosen = [j for j in keys if tokens[j] in meant]
        return [sum(weight(i, j) for j in chosen) for i in rows] if chosen else []

    bits = [-sum(weight(i, j) * np.log2(weight(i, j)) for j in keys if weight(i, j) > 0) for i in rows]
    values = {
        "previous": at(-1),
        "same": at(0),
        "next": at(1),
        "diagonal": [weight(i, i) for i in range(1, m + 1)],
        "antidiagonal": [weight(i, n_keys - i) for i in range(1, m + 1)],
        "start": on("<s>"),
        "end": on("</s>"),
        "punctuation": on(),  # digits only
        "sinks": on("<s>", "</s>"),
        "distance": [sum(weight(i, j) * abs(i - j) for j in keys) for i in rows],
        "entropy": bits,
        "keys": [2**value for value in bits],
    }
    return {name: float(np.mean(numbers)) if numbers else np.nan for name, numbers in values.items()}


@pytest.mark.parametrize("target", ["1 5", "2 7 1 8 2 8", "4"])
def test_every_measure_is_what_its_definition_says(translator: Translator, target: str) -> None:
    trace = translator.trace("3 1 4 1", target)
    measured = measure_heads(trace)
    heads = {HeadRef(m, layer, h) for m in ATTENTION_MODULES for layer in range(N_LAYERS) for h in range(4)}
    assert set(measured) == heads
    for ref, values in measured.items():
        expected = by_loops(trace.attention(ref.module, ref.layer), ref.head)
        assert set(values) == {measure.name for measure in MEASURES if ref.module in measure.modules}
        assert values == pytest.approx({name: expected[name] for name in values}, abs=1e-5, nan_ok=True)


PRINTED = re.compile(
    r"\\frac\{1\}\{\|(R'?)\|\}\\sum_\{i \\in \1\} A_\{i,\\,i([+-]1)?\}"
    r"(?:, \\quad R' = \\\{i \\in R : (.+)\\\})?"
)


def by_formula(formula: str, record: AttentionRecord, head: int) -> float:
    """The mean of A_{i, i + offset} that the LaTeX of a formula says, rows and keys counted from 1."""
    found = PRINTED.fullmatch(formula)
    assert found, formula
    name, offset, condition = found[1], int(found[2] or 0), (found[3] or "True").replace(r"\le", "<=")
    assert (name == "R") == (found[3] is None)
    n_queries, n_keys = record.mask.shape
    rows = [i for i in range(1, n_queries + 1) if record.mask[i - 1].sum() > 1]
    meant = [i for i in rows if eval(condition, {"i": i, "S": n_keys})]
    weights = [record.weights[head, i - 1, i + offset - 1] if 1 <= i + offset <= n_keys else 0.0 for i in meant]
    return float(np.sum(weights) / len(meant)) if meant else np.nan


@pytest.mark.parametrize("name", ["previous", "same", "next"])
@pytest.mark.parametrize("target", ["1 5", "2 7 1 8 2 8", "4"])
def test_the_printed_formula_divides_by_the_rows_that_have_such_a_key(
    translator: Translator, name: str, target: str
) -> None:
    trace = translator.trace("3 1 4", target)  # of more tokens than the target, or of fewer
    for module in BY_NAME[name].modules:
        record = trace.attention(module, 1)
        expected = [by_formula(BY_NAME[name].formula, record, head) for head in range(4)]
        assert BY_NAME[name].of(record).tolist() == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_a_copying_head_and_a_reversing_head_are_told_apart(translator: Translator) -> None:
    text = "3 1 4 1 5"  # five digits and the end: row i writes digit i, the sixth row the end
    copying = with_weights(translator, "cross", text, text, [0, 1, 2, 3, 4, 5])
    reversing = with_weights(translator, "cross", text, text, [4, 3, 2, 1, 0, 5])
    diagonal, antidiagonal = BY_NAME["diagonal"].of, BY_NAME["antidiagonal"].of
    assert diagonal(copying).tolist() == antidiagonal(reversing).tolist() == [1, 1, 1, 1]
    assert diagonal(reversing).tolist() == antidiagonal(copying).tolist() == pytest.approx([1 / 5] * 4)  # the middle


def test_sharp_and_even_rows(translator: Translator) -> None:
    sharp = with_weights(translator, "encoder_self", "3 1 4", "1", [3, 3, 3, 3])
    assert BY_NAME["end"].of(sharp).tolist() == BY_NAME["keys"].of(sharp).tolist() == [1, 1, 1, 1]
    assert BY_NAME["entropy"].of(sharp).tolist() == [0, 0, 0, 0]
    assert BY_NAME["distance"].of(sharp).tolist() == pytest.approx([6 / 4] * 4)
    even = replace(sharp, make_stages=lambda: {"weights": np.full_like(sharp.weights, 0.25)})
    assert BY_NAME["entropy"].of(even).tolist() == pytest.approx([2] * 4)
    assert BY_NAME["keys"].of(even).tolist() == pytest.approx([4] * 4)


def test_punctuation_is_a_sink_of_its_own(translator: Translator) -> None:
    record = with_weights(translator, "encoder_self", "3 1 4", "1", [1, 1, 3, 3])
    record = replace(record, key_tokens=("3", "。", "...", "</s>"))
    assert BY_NAME["punctuation"].of(record).tolist() == pytest.approx([0.5] * 4)
    assert BY_NAME["sinks"].of(record).tolist() == [1] * 4
    assert np.isnan(BY_NAME["punctuation"].of(replace(record, key_tokens=("3", "$", "a", "</s>")))).all()


def test_the_decoders_first_row_is_left_out(translator: Translator) -> None:
    record = with_weights(translator, "decoder_self", "3 1 4", "1 5", [0, 1, 2])
    assert BY_NAME["same"].of(record).tolist() == [1] * 4
    assert BY_NAME["start"].of(record).tolist() == [0] * 4  # the first row has nowhere else to look


def test_definitions_can_be_read() -> None:
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)
    for measure in MEASURES:
        assert measure.definition.endswith(".")
        assert "A_{" in measure.formula or "H_i" in measure.formula
