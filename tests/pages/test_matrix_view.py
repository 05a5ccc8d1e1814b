"""What goes to the matrix component, read back as the browser reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from safetensors import deserialize

from tests.packed import unpacked
from viz_transformer.views.codec import pack
from viz_transformer.views.sheets import Choice, Matrix, Sheet, Stage, sheets_content

RANDOM = np.random.default_rng(4)
SCORES = Matrix(
    "QKᵀ",
    RANDOM.normal(size=(2, 3)).astype(np.float32),
    "query",
    "key",
    row_labels=("<s>", "$x$"),
    column_labels=("a", "a", "👋"),
    mask=np.array([[True, False, True], [True, True, False]]),
    scale="diverging",
)
QUERIES = Matrix("Q", RANDOM.normal(size=(2, 48)), "query", "dimension", row_labels=("<s>", "$x$"), scale="diverging")
STAGE = Stage("scores", (0, 1), lit=("scores",))


def sent(sheets: list[Sheet], choices: Sequence[Choice] = ()) -> Any:
    return unpacked(pack(sheets_content(sheets, choices)))


def test_every_number_and_every_mask_arrives() -> None:
    content = sent([Sheet([SCORES, QUERIES], [STAGE], [("QKᵀ", "scores")])], [Choice("head", "Head", "12")])
    (sheet,) = content["sheets"]
    scores, queries = sheet["matrices"]
    assert scores["rowLabels"] == ["<s>", "$x$"]
    assert queries["columnLabels"] is None
    assert sheet["formula"] == [["QKᵀ", "scores"]]
    assert content["choices"][0]["options"] == ["1", "2"]
    assert scores["values"].dtype == queries["values"].dtype == np.float32
    np.testing.assert_array_equal(scores["values"], SCORES.values)
    np.testing.assert_array_equal(queries["values"], QUERIES.values.astype(np.float32))
    np.testing.assert_array_equal(scores["mask"], SCORES.mask)
    assert queries["mask"].shape == (2, 48)
    assert queries["mask"].all()


def test_the_browser_has_a_sheet_for_each_combination_and_equal_arrays_once() -> None:
    layers, heads = Choice("layer", "Layer", "12", turns_sheets=True), Choice("head", "Head", "123", turns_sheets=True)
    others = [replace(SCORES, values=SCORES.values + n) for n in range(6)]
    sheets = [Sheet([scores, QUERIES], [STAGE]) for scores in others]
    content = sheets_content(sheets, [Choice("module", "Module", "123"), layers, heads])
    assert (
        len(deserialize(pack(content))) == 1 + 1 + 6 + 2
    )  # the JSON, the queries once, the scores of each sheet, two masks
    assert [choice["turnsSheets"] for choice in content["choices"]] == [False, True, True]
    for sheet, scores in zip(unpacked(pack(content))["sheets"], others, strict=True):
        np.testing.assert_array_equal(sheet["matrices"][0]["values"], scores.values)
        np.testing.assert_array_equal(sheet["matrices"][1]["values"], QUERIES.values.astype(np.float32))
    with pytest.raises(ValueError, match="need 6 sheets; there were 5"):
        sheets_content(sheets[:5], [layers, heads])


def test_infinities_and_nan_arrive_as_they_are() -> None:
    odd = replace(SCORES, values=np.array([[np.nan, -np.inf, 1], [0, 2, np.inf]]), mask=None)
    content = sent([Sheet([odd], [Stage("", (0,))])])
    np.testing.assert_array_equal(content["sheets"][0]["matrices"][0]["values"], odd.values)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"row_labels": ("a",)}, "2 rows, but 1 labels"),
        ({"column_labels": ("a",)}, "3 columns, but 1 labels"),
        ({"row_ends": ("a", "b", "c")}, "2 rows, but 3 labels"),
        ({"mask": np.ones((3, 2), dtype=bool)}, r"\(2, 3\), but its mask's is \(3, 2\)"),
        ({"values": np.zeros(3)}, "rows and columns"),
        ({"values": np.zeros((0, 3))}, "rows and columns"),
        ({"scale": "rainbow"}, "it was 'rainbow'"),
        ({"scale": "sequential", "values": np.full((2, 3), -0.5)}, "starts at 0"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        sheets_content([Sheet([replace(SCORES, **changes)], [Stage("", (0,))])])


def test_a_negative_number_that_is_masked_does_not_count() -> None:
    values = np.array([[0.5, -1.0, 0.5], [1.0, 0.0, -1.0]])
    sheets_content([Sheet([replace(SCORES, values=values, scale="sequential")], [Stage("", (0,))])])


def test_names_and_stages_are_checked() -> None:
    with pytest.raises(ValueError, match="a name of its own"):
        sheets_content([Sheet([replace(SCORES, name="x"), replace(QUERIES, name="x")], [STAGE])])
    with pytest.raises(ValueError, match="must show some of the 1 matrices"):
        sheets_content([Sheet([SCORES], [STAGE])])
    with pytest.raises(ValueError, match="must show some"):
        sheets_content([Sheet([SCORES], [Stage("none", ())])])
