"""What goes to the matrix component, read back as the browser reads it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from viz_transformer.ui.components.matrix_view import Choice, Matrix, Sheet, Stage, pack_sheets

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


def unpack(packed: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(packed[:4], "little")
    assert length % 4 == 0
    return json.loads(packed[4 : 4 + length]), packed[4 + length :]


def test_every_number_and_every_mask_arrives() -> None:
    header, arrays = unpack(
        pack_sheets([Sheet([SCORES, QUERIES], [STAGE], [("QKᵀ", "scores")])], [Choice("head", "Head", "12")])
    )
    (sheet,) = header["sheets"]
    assert [matrix["shape"] for matrix in sheet["matrices"]] == [[2, 3], [2, 48]]
    assert sheet["matrices"][0]["rowLabels"] == ["<s>", "$x$"]
    assert sheet["matrices"][1]["columnLabels"] is None
    assert sheet["formula"] == [["QKᵀ", "scores"]]
    assert header["values"] == header["masks"] == [6, 96]
    assert header["choices"][0]["options"] == ["1", "2"]
    values, masks = np.frombuffer(arrays[: 4 * 102], "<f4"), np.frombuffer(arrays[4 * 102 :], np.uint8)
    np.testing.assert_array_equal(values[:6].reshape(2, 3), SCORES.values)
    np.testing.assert_array_equal(values[6:].reshape(2, 48), QUERIES.values.astype(np.float32))
    np.testing.assert_array_equal(masks[:6].reshape(2, 3), SCORES.mask)
    assert masks[6:].all()
    assert len(masks) == 102


def test_the_browser_has_a_sheet_for_each_combination_and_equal_arrays_once() -> None:
    layers, heads = Choice("layer", "Layer", "12", turns_sheets=True), Choice("head", "Head", "123", turns_sheets=True)
    others = [replace(SCORES, values=SCORES.values + n) for n in range(6)]
    sheets = [Sheet([scores, QUERIES], [STAGE]) for scores in others]
    header, arrays = unpack(pack_sheets(sheets, [Choice("module", "Module", "123"), layers, heads]))
    assert header["values"] == [6, 96, 6, 6, 6, 6, 6]  # the queries once
    assert header["masks"] == [6, 96]
    assert [choice["turnsSheets"] for choice in header["choices"]] == [False, True, True]
    starts = np.cumsum([0, *header["values"]])
    for sheet, scores in zip(header["sheets"], others, strict=True):
        start = 4 * int(starts[sheet["matrices"][0]["values"]])
        np.testing.assert_array_equal(np.frombuffer(arrays[start : start + 24], "<f4").reshape(2, 3), scores.values)
        assert sheet["matrices"][1]["values"] == 1
    with pytest.raises(ValueError, match="need 6 sheets; there were 5"):
        pack_sheets(sheets[:5], [layers, heads])


def test_infinities_and_nan_arrive_as_they_are() -> None:
    odd = replace(SCORES, values=np.array([[np.nan, -np.inf, 1], [0, 2, np.inf]]), mask=None)
    _, arrays = unpack(pack_sheets([Sheet([odd], [Stage("", (0,))])]))
    np.testing.assert_array_equal(np.frombuffer(arrays[:24], "<f4").reshape(2, 3), odd.values)


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
        pack_sheets([Sheet([replace(SCORES, **changes)], [Stage("", (0,))])])


def test_a_negative_number_that_is_masked_does_not_count() -> None:
    values = np.array([[0.5, -1.0, 0.5], [1.0, 0.0, -1.0]])
    pack_sheets([Sheet([replace(SCORES, values=values, scale="sequential")], [Stage("", (0,))])])


def test_names_and_stages_are_checked() -> None:
    with pytest.raises(ValueError, match="a name of its own"):
        pack_sheets([Sheet([replace(SCORES, name="x"), replace(QUERIES, name="x")], [STAGE])])
    with pytest.raises(ValueError, match="must show some of the 1 matrices"):
        pack_sheets([Sheet([SCORES], [STAGE])])
    with pytest.raises(ValueError, match="must show some"):
        pack_sheets([Sheet([SCORES], [Stage("none", ())])])
