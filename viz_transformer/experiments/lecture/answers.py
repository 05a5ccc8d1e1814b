"""The true answer to what a scene of a lecture asks: recorded in a pass, or drawn, never stored.

Shapes: T queries, S keys, V target vocabulary. Places count from 0. The browser marks an answer against these numbers;
the rules stand in `frontend/src/kit/score.ts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.masks.padding import ModuleMasks
from viz_transformer.experiments.scaling.saturation import SIZES, Scores, entropy_bits, saturation
from viz_transformer.experiments.scaling.variance import Draws, DrawSettings, draw_pair
from viz_transformer.experiments.training.schedule import noam_rates
from viz_transformer.experiments.why_attention.layer_types import Sizes, complexity
from viz_transformer.heads import AttentionModule, n_layers
from viz_transformer.sentences import N_, SentenceError
from viz_transformer.trace import AttentionRecord, Trace

Floats = NDArray[np.float64]

MAX_SIDE = 32  # rows or columns of a matrix that a person can mark
_CURVE_DRAWS = 1000  # pairs q, k behind a curve
_CURVE_POINTS = 64


@dataclass(frozen=True, eq=False)
class Cells:
    """A matrix in which cells are marked: one in each row for weights, any number for a mask.

    Attributes:
        truth: (T, S) float32 the weights; for a mask, 1 where a cell is taken away, else 0.
        allowed: (T, S) bool what may be marked.
        rows, columns: T and S tokens.
        writes: T tokens that the rows write, or none.
    """

    truth: NDArray[np.float32]
    allowed: NDArray[np.bool_]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    writes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if max(self.truth.shape) > MAX_SIDE:
            raise SentenceError(
                N_(
                    "The matrix has {rows} rows and {columns} columns; it can be marked only with up to {limit} of"
                    " each."
                ),
                rows=self.truth.shape[0],
                columns=self.truth.shape[1],
                limit=MAX_SIDE,
            )

    @property
    def chance(self) -> float:
        """The score for treating all cells of a mask alike: the share of masked or of open ones, the larger of them."""
        taken = float(self.truth.mean(dtype=np.float64))
        return max(taken, 1 - taken)


@dataclass(frozen=True, eq=False)
class Token:
    """The next token; without any, words that nobody scores.

    Attributes:
        read: the tokens before it, the start token first.
        tokens: V, the likeliest first.
        probabilities: (V,) float32, in the same order.
    """

    read: tuple[str, ...]
    tokens: tuple[str, ...]
    probabilities: NDArray[np.float32]


@dataclass(frozen=True)
class Number:
    """One number.

    Attributes:
        query, key: the tokens that it belongs to; "" where there is none.
    """

    value: float
    query: str = ""
    key: str = ""


@dataclass(frozen=True)
class Axis:
    """An axis of the empty picture into which a curve is drawn: its ends, and the base of its logarithm, or 0."""

    low: float
    high: float
    log: int = 0


@dataclass(frozen=True, eq=False)
class Curve:
    """y against x: (n,) each, x ascending, both within their axes."""

    x: Floats
    y: Floats
    x_axis: Axis
    y_axis: Axis


@dataclass(frozen=True)
class Choice:
    """Options, and the place of the right one; None: no answer is the right one."""

    options: tuple[str, ...]
    right: int | None


Answer = Cells | Token | Number | Curve | Choice


def weights_of(trace: Trace, module: AttentionModule, layer: int, head: int) -> Cells:
    """The attention weights of one head.

    Raises:
        ValueError: a sentence, where the matrix is too large to be marked, or the model has no such module or layer.
    """
    record = trace.attention(module, layer)
    return Cells(record.weights[head], record.mask, record.query_tokens, record.key_tokens, _writes(trace, module))


def weight_by_head(trace: Trace, module: AttentionModule, cell: tuple[int, int], names: tuple[str, str]) -> Cells:
    """How much weight each head of a module puts at one cell: a row for each layer, a column for each head.

    Args:
        names: of a layer and of a head, `layer {number}` for one.
    """
    row, column = cell
    layers = range(n_layers(trace.config, module))
    weights = np.stack([trace.attention(module, layer).weights[:, row, column] for layer in layers])  # (layers, H)
    rows, columns = (
        tuple(name.format(number=n + 1) for n in range(size)) for name, size in zip(names, weights.shape, strict=True)
    )
    return Cells(weights, np.ones_like(weights, dtype=bool), rows, columns)


def mask_of(trace: Trace, module: AttentionModule, layer: int) -> Cells:
    """What the mask of one attention module takes away.

    Raises:
        ValueError: a sentence, where the matrix is too large to be marked, or the model has no such module or layer.
    """
    record = trace.attention(module, layer)
    return _taken_away(record.mask, record.query_tokens, record.key_tokens, _writes(trace, module))


def mask_of_batch(masks: ModuleMasks, part: str) -> Cells:
    """What a mask takes away of one sentence of a batch.

    Args:
        part: "padding", "causal" or "combined".

    Raises:
        KeyError: it is none of these.
        ValueError: a sentence, where the matrix is too large to be marked.
    """
    causal = np.ones_like(masks.combined) if masks.causal is None else masks.causal
    may = {"padding": masks.padding, "causal": causal, "combined": masks.combined}
    return _taken_away(may[part], masks.query_tokens, masks.key_tokens)


def _taken_away(
    may: NDArray[np.bool_], rows: tuple[str, ...], columns: tuple[str, ...], writes: tuple[str, ...] = ()
) -> Cells:
    return Cells((~may).astype(np.float32), np.ones_like(may), rows, columns, writes)


def _writes(trace: Trace, module: AttentionModule) -> tuple[str, ...]:
    return () if module == "encoder_self" else trace.predicted_tokens


def next_token(trace: Trace, step: int, label: Callable[[int], str]) -> Token:
    """What the model writes at a step.

    Args:
        label: the text of a target vocabulary id.
    """
    log_probs = trace.log_probs[step]  # (V,)
    order = np.argsort(-log_probs, kind="stable")
    probabilities = np.exp(log_probs[order], dtype=np.float64).astype(np.float32)
    return Token(trace.target_tokens[: step + 1], tuple(map(label, order.tolist())), probabilities)


def cell_or_usual(record: AttentionRecord, head: int, cell: tuple[int, int] | None, row: int | None) -> tuple[int, int]:
    """`cell`, kept within the matrix; if None, the cell of the largest weight in `row`, or else in the middle row."""
    weights = record.weights[head]  # (T, S)
    n_rows, n_columns = weights.shape
    if cell is not None:
        return min(cell[0], n_rows - 1), min(cell[1], n_columns - 1)
    row = n_rows // 2 if row is None else min(row, n_rows - 1)
    return row, int(weights[row].argmax())


def weight_at(record: AttentionRecord, head: int, cell: tuple[int, int]) -> Number:
    """One attention weight."""
    row, column = cell
    return Number(float(record.weights[head, row, column]), record.query_tokens[row], record.key_tokens[column])


def entropy_of(record: AttentionRecord, head: int, row: int) -> Number:
    """The entropy of one row's weights, in bits."""
    return Number(float(entropy_bits(record.weights[head, row])), record.query_tokens[row])


def score_sd_of(record: AttentionRecord, head: int, *, scaled: bool) -> Number:
    """The standard deviation of a head's scores over the cells that its mask allows.

    Raises:
        ValueError: a sentence, where there is only one such cell.
    """
    scores = (record.scaled_scores if scaled else record.scores)[head][record.mask].astype(np.float64)
    if scores.size < 2:
        raise SentenceError(N_("A single score has no standard deviation."))
    return Number(float(scores.std(ddof=1)))


def score_sd_drawn(draws: Draws) -> Number:
    """The standard deviation of q·k over these draws.

    Raises:
        ValueError: a sentence, where there is only one draw.
    """
    if len(draws.products) < 2:
        raise SentenceError(N_("A single score has no standard deviation."))
    return Number(float(draws.products.std(ddof=1)))


def crossing(d: int) -> Number:
    """The length at which self-attention takes as many operations as a recurrent layer of width `d`."""
    lengths = (Sizes(n, d, 1, 1) for n in count(1))
    return Number(float(next(at.n for at in lengths if complexity("attention", at) >= complexity("recurrent", at))))


def allowed_in(cells: Cells) -> Number:
    """How many cells a mask allows."""
    return Number(float((cells.truth == 0).sum()))


def score_sd_curve(settings: DrawSettings) -> Curve:
    """The standard deviation of q·k against d_k, from 1000 draws: at each d_k of their first d_k components."""
    sizes = np.append(1, np.arange(1, _CURVE_POINTS + 1) * 16)  # 1, 16, 32, … 1024
    q, k = draw_pair(np.random.default_rng(settings.seed), settings, (_CURVE_DRAWS, int(sizes[-1])))
    products = (q * k).cumsum(axis=1, dtype=np.float64)[:, sizes - 1]  # (draws, sizes)
    y = products.std(axis=0, ddof=1)
    return Curve(sizes.astype(np.float64), y, Axis(0, float(sizes[-1])), Axis(0, _round_up(float(y.max()))))


def gradient_curve(scores: Scores, n_keys: int) -> Curve:
    """The norm of the softmax's Jacobian against d_k, without ÷ √d_k, as a share of its largest.

    Args:
        scores: what `draw_scores` drew.

    Raises:
        ValueError: for a number of keys outside 2 to 64: of one key there is no gradient.
    """
    if n_keys < 2:
        raise SentenceError(N_("A single key has weight 1 whatever its score: there is no gradient to compare."))
    norms = saturation(scores, n_keys).gradient["dot"][0]  # (sizes,)
    x = np.array(SIZES, dtype=np.float64)
    return Curve(x, norms / norms.max(), Axis(x[0], x[-1], 2), Axis(0, 1))


def learning_rate_curve(d_model: int, warmup: int, steps: int) -> Curve:
    """The paper's schedule (§5.3)."""
    rates = noam_rates(steps, d_model, warmup)
    at = np.unique(np.append(np.linspace(1, steps, 4 * _CURVE_POINTS).round().astype(int), min(warmup, steps)))
    return Curve(at.astype(np.float64), rates[at - 1], Axis(0, float(steps)), Axis(0, _round_up(float(rates.max()))))


def _round_up(value: float) -> float:
    """The value rounded up to 1, 2, 4 or 8 times a power of ten: an axis end that does not give the curve away."""
    power: float = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next((float(f"{factor * power:.6g}") for factor in (1, 2, 4, 8) if value <= factor * power), 10 * power)


def packed_answer(answer: Answer) -> dict[str, Any]:
    """The answer as the browser gets it, see `frontend/src/lecture/predict.ts`."""
    match answer:
        case Cells():
            return {
                "truth": np.ascontiguousarray(answer.truth, dtype=np.float32),
                "allowed": np.ascontiguousarray(answer.allowed),
                "rows": answer.rows,
                "columns": answer.columns,
                "writes": answer.writes,
            }
        case Token():
            return {"read": answer.read, "tokens": answer.tokens, "probabilities": answer.probabilities}
        case Number():
            return {"value": answer.value}
        case Choice():
            return {"options": answer.options, "right": answer.right}
        case Curve():
            axes = {
                name: {"low": axis.low, "high": axis.high, "log": axis.log}
                for name, axis in (("x", answer.x_axis), ("y", answer.y_axis))
            }
            return {"x": answer.x, "y": answer.y, "axes": axes}
