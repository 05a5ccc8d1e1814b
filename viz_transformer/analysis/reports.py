"""What the command line prints about heads: their agreement with word alignments, and the held-out measures."""

from __future__ import annotations

from collections.abc import Sequence
from gettext import gettext as _
from itertools import product
from typing import Any, get_args
from unicodedata import east_asian_width

import numpy as np

from viz_transformer.analysis.catalogue import HeadCatalogue
from viz_transformer.analysis.measures import MEASURES
from viz_transformer.analysis.scores import ALIGNMENT, AlignedPair, Among, Row, alignment_scores
from viz_transformer.sentences import N_
from viz_transformer.translator import Translator

_HEADINGS: dict[tuple[Row, Among], str] = {
    ("predicts", "keys"): N_("cross-attention against {count} hand-aligned pairs, row that predicts the token:"),
    ("predicts", "words"): N_(
        "cross-attention against {count} hand-aligned pairs, row that predicts the token, end token left out:"
    ),
    ("reads", "keys"): N_("cross-attention against {count} hand-aligned pairs, row that reads the token:"),
    ("reads", "words"): N_(
        "cross-attention against {count} hand-aligned pairs, row that reads the token, end token left out:"
    ),
}


def report_alignment(translator: Translator, pairs: Sequence[AlignedPair]) -> dict[str, Any]:
    """Prints the accuracy and alignment error rate of every cross-attention head, and returns them as JSON values."""
    accuracy: dict[str, Any] = {}
    error_rate: dict[str, Any] = {}
    line = _("{name}, layer {layer}: heads {numbers}, mean over heads {mean:.3f}")
    for among, row in product(get_args(Among), get_args(Row)):
        left_out = ", end token left out" if among == "words" else ""  # part of a key in the card: never translated
        scores = alignment_scores(translator, pairs, row, among)
        print(_(_HEADINGS[row, among]).format(count=len(pairs)))
        for name, heads, means, report in (
            (_("accuracy"), scores.accuracy, scores.mean_accuracy, accuracy),
            (_("alignment error rate"), scores.error_rate, scores.mean_error_rate, error_rate),
        ):
            for layer, (values, mean) in enumerate(zip(heads, means, strict=True)):
                numbers = " ".join(f"{value:.3f}" for value in values)
                print("  " + line.format(name=name, layer=layer, numbers=numbers, mean=mean))
            report[f"{row}{left_out}"] = {"heads": _rounded(heads), "mean over heads": _rounded(means)}
    return {"alignment_accuracy": accuracy, "alignment_error_rate": error_rate}


def print_catalogue(catalogue: HeadCatalogue) -> None:
    """Prints one line for each head, with one column for each measure."""
    names = [measure.name for measure in (*MEASURES, ALIGNMENT)]
    print(aligned(_("mean over the sentences"), 24), *(f"{name:>12}" for name in names))
    for ref, means in catalogue.means.items():
        cells = (f"{means[name]:12.3f}" if name in means else f"{'-':>12}" for name in names)
        print(f"{'.'.join(map(str, ref)):24} {' '.join(cells)}")


def aligned(text: str, width: int) -> str:
    """A cell of a printed table: to the right for a negative width. A Chinese character is two columns wide."""
    columns = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
    gap = " " * (abs(width) - columns)
    return gap + text if width < 0 else text + gap


def _rounded(values: np.ndarray) -> list[Any]:
    rounded: list[Any] = values.astype(np.float64).round(4).tolist()
    return rounded
