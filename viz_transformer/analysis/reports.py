"""What the command line says about heads: their agreement with word alignments, and the held-out measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from viz_transformer.analysis.catalogue import HeadCatalogue
from viz_transformer.analysis.measures import MEASURES
from viz_transformer.analysis.scores import ALIGNMENT, AlignedPair, Among, Row, alignment_scores
from viz_transformer.translator import Translator


def report_alignment(translator: Translator, pairs: Sequence[AlignedPair]) -> dict[str, Any]:
    """Prints accuracy and alignment error rate of every head of cross-attention, and returns them as JSON values."""
    accuracy: dict[str, Any] = {}
    error_rate: dict[str, Any] = {}
    ways: list[tuple[Row, Among, str]] = [(row, "keys", row) for row in get_args(Row)]
    ways += [(row, "words", f"{row}, end token left out") for row in get_args(Row)]
    for row, among, way in ways:
        scores = alignment_scores(translator, pairs, row, among)
        print(f"cross-attention at the source word of the token that it {way}, {len(pairs)} hand-aligned pairs:")
        for name, heads, means, report in (
            ("accuracy", scores.accuracy, scores.mean_accuracy, accuracy),
            ("alignment error rate", scores.error_rate, scores.mean_error_rate, error_rate),
        ):
            for layer, (values, mean) in enumerate(zip(heads, means, strict=True)):
                numbers = " ".join(f"{value:.3f}" for value in values)
                print(f"  {name}, layer {layer}: heads {numbers}, mean over heads {mean:.3f}")
            report[way] = {"heads": _rounded(heads), "mean over heads": _rounded(means)}
    return {"alignment_accuracy": accuracy, "alignment_error_rate": error_rate}


def print_catalogue(catalogue: HeadCatalogue) -> None:
    """One line a head, one column a measure."""
    names = [measure.name for measure in (*MEASURES, ALIGNMENT)]
    print(f"{'mean over the sentences':24} {' '.join(f'{name:>12}' for name in names)}")
    for ref, means in catalogue.means.items():
        cells = (f"{means[name]:12.3f}" if name in means else f"{'-':>12}" for name in names)
        print(f"{'.'.join(map(str, ref)):24} {' '.join(cells)}")


def _rounded(values: np.ndarray) -> list[Any]:
    rounded: list[Any] = values.astype(np.float64).round(4).tolist()
    return rounded
