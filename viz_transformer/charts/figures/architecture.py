"""How large the parts of a model are."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from viz_transformer.charts.figures import checked
from viz_transformer.charts.figures.with_plotly import dressed, in_template, verbatim
from viz_transformer.charts.style import Theme, style_of

LABELS = {"title": "", "model": "model", "unit": "parameters", "share": "of the model"}


def part_sizes(
    groups: Mapping[str, Mapping[str, int]],
    *,
    labels: Mapping[str, str] | None = None,
    theme: Theme = "light",
) -> go.Figure:
    """A treemap: the area of each part is its size, and the parts of a group add up to the group.

    Args:
        groups: name → part → its size, whole and not below 0, such as parameters, operations or bytes. Parts of size 0
            are left out.
        labels: other words for "title", "model" (all together), "unit" and "share".

    Raises:
        ValueError: a size is no whole number from 0, or all are 0.
    """
    said, style = checked.texts(LABELS, labels), style_of(theme)
    ids, parents, names, sizes, colours = ["all"], [""], [said["model"]], [0], [style.panel]
    for n, (group, parts) in enumerate(groups.items()):
        for part, size in parts.items():
            if isinstance(size, bool) or not isinstance(size, int) or size < 0:
                raise ValueError(f"Sizes must be whole numbers from 0; that of {part!r} is {size!r}.")
        total = sum(parts.values())
        if not total:
            continue
        hue = style.series[n % len(style.series)]
        sizes[0] += total
        shown = {f"{n}.{k}": (part, size) for k, (part, size) in enumerate(parts.items()) if size}
        ids += [f"{n}", *shown]
        parents += ["all", *[f"{n}"] * len(shown)]
        names += [group, *(part for part, _size in shown.values())]
        sizes += [total, *(size for _part, size in shown.values())]
        colours += [hue] * (1 + len(shown))
    if not sizes[0]:
        raise ValueError("At least one part must be larger than 0.")
    unit = in_template(said["unit"])
    figure = go.Figure(
        go.Treemap(
            ids=ids,
            parents=parents,
            labels=[verbatim(name) for name in names],
            values=sizes,
            branchvalues="total",
            customdata=[f"{size:,}" for size in sizes],
            texttemplate="%{label}<br>%{customdata}",
            hovertemplate=f"%{{label}}<br>%{{customdata}} {unit}<br>%{{percentRoot:.1%}} {in_template(said['share'])}"
            "<extra></extra>",
            marker={"colors": colours, "line": {"color": style.background, "width": 1}},
            textfont={"size": 15},
            root={"color": style.panel},
            pathbar={"visible": False},
            tiling={"pad": 2},
        )
    )
    return dressed(figure, style, said["title"], height=460)
