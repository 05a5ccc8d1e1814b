"""What every head does, in numbers: on the sentence shown, and over held-out sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import product
from urllib.parse import urlencode

import streamlit as st

from viz_transformer.analysis.catalogue import HeadCatalogue, read_catalogue
from viz_transformer.analysis.measures import MEASURES, Definition, measure_heads
from viz_transformer.analysis.scores import ALIGNMENT
from viz_transformer.heads import HeadRef
from viz_transformer.sentences import N_
from viz_transformer.trace import Trace
from viz_transformer.translator import model_folder, shipped_models
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, number_table
from viz_transformer.ui.shared.attributions import attribution_of
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.head_names import choose_head, head_label, head_title
from viz_transformer.ui.shared.models import ModelChoice, card_of
from viz_transformer.views.maps import unit_names
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import marked
from viz_transformer.views.text import _, in_a_row
from viz_transformer.views.trace_view import default_labels
from viz_transformer.visible import escape

Numbers = Mapping[HeadRef, Mapping[str, float]]
HEAD = 400  # px, of one head's weights beside the table
DEFINITIONS: dict[str, Definition] = {item.name: item for item in (*MEASURES, ALIGNMENT)}
IN_FORMULAS = (N_("punctuation"), N_("word"))  # the words in formulas, here so that they are translated
_WORDS = re.compile(r"\\text\{([^}]*)\}")


@st.fragment
def heads_measured(model: ModelChoice, trace: Trace) -> None:
    """The table of all measures, sorted by one (in the link as `measure`), one head's weights (`of`), and the sentences
    where the measure is highest in it.
    """
    here: Numbers = measure_heads(trace)
    catalogue = catalogue_of(model.name)
    held_out: Numbers = catalogue.means if catalogue else {}
    titles = {
        name: _("{measure} ({unit})").format(measure=_(item.title), unit=unit_names()[item.unit])
        for name, item in DEFINITIONS.items()
    }
    if not any(ALIGNMENT.name in values for values in held_out.values()):
        del titles[ALIGNMENT.name]
    options = {"both": _("both"), "here": _("this sentence"), "held": _("held-out")}
    picture, side = picture_and_side("measured", HEAD)
    with side:
        with st.container(horizontal=True):
            chosen = linked_choice(_("Sort by"), "measure", titles, _most(held_out or here), wide=True)
            ranked = _ranked(chosen, held_out, here)
            head = choose_head(_("Head"), "of", trace.config, ranked[0])
        shown = linked_choice(_("Numbers"), "numbers", options, "both") if catalogue else "here"
        matrix_view([weights_of(trace, head, head_title(head))], key="measured-head")
    definition = DEFINITIONS[chosen]
    columns = {key: (options[key], numbers) for key, numbers in (("here", here), ("held", held_out))}
    table = [column for key, column in columns.items() if shown in ("both", key)]
    with picture:
        _table(chosen, [chosen, *(name for name in titles if name != chosen)], ranked, table)
        sentence = _reading(chosen, ranked, held_out, here)
        st.html(f'<p class="vt-reads" data-testid="measured-reads">{escape(sentence)}</p>')
    st.markdown(marked(_(definition.definition)).replace("<", r"\<"))
    st.latex(_WORDS.sub(lambda found: rf"\text{{{_(found[1])}}}", definition.formula))
    st.caption(
        _(
            "Rows i are queries, 1 to T; columns j are keys, 1 to S; A holds a head's weights. R leaves out a row "
            "that may attend to only one key. Shares are shaded from 0 to 1, other numbers from 0 to the largest in "
            "their column. — means that the measure is not defined there, or that there is no such key."
        )
    )
    if not catalogue:
        st.caption(_("There are no held-out numbers for these weights. This command computes them:"))
        st.code(f"python -m viz_transformer evaluate {model.name} --heads", language="bash", wrap_lines=True)
        return
    _about(catalogue, bool(card_of(model.name).get("task")))
    _strongest(model, catalogue, head, definition)


def weights_of(trace: Trace, head: HeadRef, title: str, name: str = "") -> Matrix:
    """A head's weights on the scale that all weights have."""
    labels, record = default_labels(), trace.attention(head.module, head.layer)
    ends = trace.predicted_tokens if head.module != "encoder_self" else ()
    return Matrix(
        title,
        record.weights[head.head],
        rows=labels[f"query_{head.module}"],
        columns=labels[f"key_{head.module}"],
        row_labels=list(record.query_tokens),
        column_labels=list(record.key_tokens),
        row_ends=list(ends),
        row_ends_axis=_("is writing") if ends else "",
        mask=record.mask,
        scale_name=_("weight"),
        extent=1.0,
        name=name,
        is_pinnable=False,
    )


def _reading(name: str, ranked: Sequence[HeadRef], held_out: Numbers, here: Numbers) -> str:
    """A sentence about the head with the highest value."""
    best = ranked[0]
    if name == ALIGNMENT.name:
        sentence = _("Head {head} aligns best: {value}. Does the output need it? Take it out under Knock-out.")
    else:
        sentence = _(
            "Head {head} has the highest «{measure}»: {value}. Does the output need it? Take it out under Knock-out."
        )
    value = held_out.get(best, {}).get(name, here[best].get(name, math.nan))
    return sentence.format(head=head_label(best), measure=_(DEFINITIONS[name].title), value=f"{value:.3f}")


@kept()
def catalogue_of(name: str) -> HeadCatalogue | None:
    """What was measured over held-out sentences; None for a model that does not come with the app."""
    return read_catalogue(model_folder(name)) if name in shipped_models() else None


def _most(numbers: Numbers) -> str:
    """The measure that is highest for a head of cross-attention, among those that are shares: the one to sort by."""
    shares = [
        (value, name)
        for head, values in numbers.items()
        for name, value in values.items()
        if head.module == "cross" and DEFINITIONS[name].unit == "share" and not math.isnan(value)
    ]
    return max(shares)[1]


def _ranked(name: str, held_out: Numbers, here: Numbers) -> list[HeadRef]:
    """All heads, the highest value of `name` first: by its held-out value where there is one."""

    def place(head: HeadRef) -> float:
        value = held_out.get(head, {}).get(name, here[head].get(name, math.nan))
        return math.inf if math.isnan(value) else -value

    return sorted(here, key=place)


def _table(chosen: str, names: Sequence[str], heads: Sequence[HeadRef], columns: Sequence[tuple[str, Numbers]]) -> None:
    cells: list[list[Cell]] = [[Cell(head_label(head), "strong" if head == heads[0] else "")] for head in heads]
    titles = [_("head")]
    for name, (title, numbers) in product(names, columns):
        values = [numbers.get(head, {}).get(name, math.nan) for head in heads]
        found = [value for value in values if not math.isnan(value)]
        if not found:
            continue
        titles.append(_("{measure}: {of}").format(measure=_(DEFINITIONS[name].title), of=title))
        darkest = 1.0 if DEFINITIONS[name].unit == "share" else max(found)
        for row, value in zip(cells, values, strict=True):
            row.append(Cell("—") if math.isnan(value) else Cell(f"{value:.3f}", shade=value / (darkest or 1.0)))
    caption = _("All heads, sorted by «{measure}». «cross 1.2» is cross-attention, layer 1, head 2.")
    number_table("heads-measured", caption.format(measure=_(DEFINITIONS[chosen].title)), titles, cells)


def _about(catalogue: HeadCatalogue, is_task: bool) -> None:
    about = catalogue.about
    sentence = _("Held-out: the mean over {count} sentences ({data}, seed {seed}), each with the model's own output.")
    said = {name: about.get(name, "?") for name in ("count", "data", "seed")}
    if is_task:
        said["data"] = _("random sequences that training did not draw")
    pieces = [sentence.format(**said)]
    if about.get("alignment"):
        pieces.append(_("Alignment: over the hand-aligned pairs of {file}.").format(file=about["alignment"]))
    if attribution := attribution_of(about):
        pieces.append(_("{attribution}.").format(attribution=attribution))
    st.html(f'<p class="vt-caption">{escape(in_a_row(*pieces))}</p>')


def _strongest(model: ModelChoice, catalogue: HeadCatalogue, head: HeadRef, definition: Definition) -> None:
    examples = catalogue.strongest.get(head, {}).get(definition.name, ())
    name = _(definition.title)
    if not examples:
        st.caption(_("«{measure}» is not defined for {head}.").format(measure=name, head=head_title(head)))
        return
    place = {"module": head.module, "layer": head.layer + 1, "head": head.head + 1}
    items = []
    for value, source, target in examples:
        link = {**st.query_params.to_dict(), "model": model.name, "source": source, **place}
        link = {**link, "target": target} if target else {k: v for k, v in link.items() if k != "target"}
        text = f"{source} → {target}" if target else source
        anchor = f'<a style="color: inherit" href="?{escape(urlencode(link))}"><bdi>{escape(text)}</bdi></a>'
        items.append(f"<li>{anchor} {value:.3f}</li>")
    caption = _("Held-out sentences with the highest «{measure}» in {head}; choose one to open it here:").format(
        measure=name, head=head_title(head)
    )
    st.html(f'<p class="vt-caption">{escape(caption)}</p><ol data-testid="strongest">{"".join(items)}</ol>')
