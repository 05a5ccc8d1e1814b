"""Where an answer is written on paper, by its kind, as HTML: heads to mark, cells to fill in, lines, a box."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from viz_transformer.experiments.exercises.answers import ACell, AHead, ANumber, AText
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import Exercise
from viz_transformer.heads import AttentionModule, HeadRef
from viz_transformer.ui.shared.choices import axes_of, module_names, numbered
from viz_transformer.views.text import _
from viz_transformer.visible import escape

_LINES = 2  # for a sentence


def answer_space(exercise: Exercise, bench: Bench) -> str:
    """Empty, and as large as an answer to this exercise needs it."""
    kind = exercise.kind
    if isinstance(kind, AHead):
        return _heads(kind.options(bench).values())
    if isinstance(kind, AText):
        return f"<p>{escape(_(kind.label))}</p>" + '<div class="vt-line"></div>' * _LINES
    before = '<div class="vt-working"></div>' if isinstance(kind, ANumber) else ""
    if isinstance(kind, ACell):
        before = _cells(kind.module, bench)
    return f'{before}<p>{escape(_(kind.label))} <span class="vt-box"></span></p>'


def _heads(heads: Iterable[HeadRef]) -> str:
    """A grid for each module, a row for each of its layers."""
    grids = []
    for module, of_module in groupby(heads, lambda head: head.module):
        layers = [len([*of_layer]) for _layer, of_layer in groupby(of_module, lambda head: head.layer)]
        caption = _("{module}: layer ↓, head →").format(module=module_names()[module])
        grids.append(_grid(caption, _counted(len(layers)), _counted(max(layers))))
    task = escape(_("Mark the head."))
    return f"<p>{task}</p>{''.join(grids)}"


def _cells(module: AttentionModule, bench: Bench) -> str:
    """The cells of a module's matrices."""
    record, (rows, columns) = bench.trace.attention(module, 0), axes_of(module)
    caption = _("{rows} ↓, {columns} →").format(rows=rows, columns=columns)
    return _grid(caption, numbered(record.query_tokens), numbered(record.key_tokens))


def _counted(count: int) -> list[str]:
    return [str(n + 1) for n in range(count)]


def _grid(caption: str, rows: Sequence[str], columns: Sequence[str]) -> str:
    """A table with a head for each row and column, and nothing in it."""
    heads = "".join(f'<th scope="col"><bdi>{escape(column)}</bdi></th>' for column in columns)
    empty = "<td></td>" * len(columns)
    body = "".join(f'<tr><th scope="row"><bdi>{escape(row)}</bdi></th>{empty}</tr>' for row in rows)
    return f'<table class="vt-grid"><caption>{escape(caption)}</caption><tr><td></td>{heads}</tr>{body}</table>'
