"""The views of a trace."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from viz_transformer.experiments.attention.steps import HeadStages, head_stages
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, n_layers, stack_config
from viz_transformer.interventions import intervention_to_dict
from viz_transformer.notebook import still
from viz_transformer.notebook.notebook_view import About, ShownView, Theme, check_theme, written
from viz_transformer.sentences import SentenceError
from viz_transformer.translator import load
from viz_transformer.views.head_sheet import Axes, axes_of, sheet_of
from viz_transformer.views.head_stages import stages_content
from viz_transformer.views.heads import HeadsView, fitting, fitting_query, usual_view
from viz_transformer.views.kinds import ARCS, GLANCE, OVERVIEW, OVERVIEW_OF_GIVEN, QUERY_KEY, STEPS, Kind
from viz_transformer.views.maps import maps_content, maps_of, measure_scores, sizes_of
from viz_transformer.views.matrices import StagesView
from viz_transformer.views.matrices import fitting as fitting_stages
from viz_transformer.views.sheets import Choice, Sheet, sheets_content
from viz_transformer.views.text import _, speaking
from viz_transformer.views.trace_view import TraceView, clearest_step, default_labels, trace_content
from viz_transformer.views.trace_view import fitting as fitting_trace

if TYPE_CHECKING:
    from viz_transformer.trace import AttentionRecord, Trace
    from viz_transformer.translator import Translator


def overview(trace: Trace, *, exact: bool | None = None, language: str | None = None) -> ShownView[TraceView]:
    """Every layer and head of a trace's attention, step by step, with the likeliest tokens of each step.

    Args:
        exact: True sends every recorded weight as it is, in four bytes; False rounds it to the four decimals that are
            shown, in two bytes. None: True up to `EXACT` weights.
        language: of its texts; None: English or, in the app, the visitor's.
    """
    opens_with = _opens_with(trace)
    weights = sum(trace.attention(m, 0).weights.size * n_layers(trace.config, m) for m in ATTENTION_MODULES)
    is_exact = weights <= EXACT if exact is None else exact

    def still_of(view: TraceView) -> str:
        return _still(trace, view.module, view.layer, view.head)  # type: ignore[arg-type]

    return ShownView(
        OVERVIEW_OF_GIVEN if trace.origin and trace.origin.target is not None else OVERVIEW,
        lambda view: trace_content(trace, trace.label_of, is_exact=is_exact),
        TraceView(opens_with.layer, opens_with.head, step=clearest_step(trace, opens_with)),
        about=partial(_about, trace),
        fit=partial(fitting_trace, trace=trace),
        still_of=still_of,
        language=language,
    )


EXACT = 50_000  # weights, 200 kB


def heads(trace: Trace, *, language: str | None = None) -> ShownView[HeadsView]:
    """Every head of every layer as a thumbnail, coloured by a measure; one of them large."""
    return _maps(GLANCE, trace, language)


def arcs(trace: Trace, *, language: str | None = None) -> ShownView[HeadsView]:
    """The heads of one layer, overlaid, as arcs between two columns of tokens."""
    return _maps(ARCS, trace, language)


def query_key(trace: Trace, *, language: str | None = None) -> ShownView[HeadsView]:
    """How the weights of one query come about: its vector times that of each key, component by component."""
    return ShownView(
        QUERY_KEY,
        lambda view: stages_content(trace) | {"notes": []},
        usual_view(trace.config, _opens_with(trace)),
        about=partial(_about, trace),
        fit=partial(fitting_query, sizes=sizes_of(trace)),
        still_of=lambda view: _still(trace, view.module, view.layer, view.head),
        language=language,
    )


def step_by_step(
    trace: Trace, module: AttentionModule = "cross", layer: int = 0, head: int = 0, *, language: str | None = None
) -> ShownView[StagesView]:
    """One layer's heads from the embeddings to the output, stage by stage: Q, K, V, scores, mask, softmax, context.

    Args:
        module, layer: whose heads are there to choose from.
        head: the one that it opens with.

    Raises:
        ValueError: the model has no such head.
    """
    HeadRef(module, layer, head).check(trace.config)
    count = stack_config(trace.config, module).n_heads
    sheets = [partial(_recorded_sheet, trace, module, layer, n) for n in range(count)]
    link = {"module": module, "layer": str(layer + 1)}
    return _stages(sheets, head, partial(_about, trace, link=link), trace.attention(module, layer), STEPS, language)


def head_by_head(record: AttentionRecord, *, language: str | None = None) -> ShownView[StagesView]:
    """The heads of one recorded module, from Q, K and V to the context."""

    def sheet(n: int) -> Sheet:
        labels = default_labels()
        axes = Axes(
            labels[f"query_{record.module}"],
            labels[f"key_{record.module}"],
            record.query_tokens,
            record.key_tokens,
            is_cross=record.module == "cross",
            head=n,
            n_heads=len(record.q),
        )
        stages = (getattr(record, name)[n] for name in ("q", "k", "v", "scores", "scaled_scores"))
        rest = (record.mask, *(getattr(record, name)[n] for name in ("masked_scores", "weights", "context")))
        return sheet_of(HeadStages(*stages, *rest), axes)

    def about() -> About:
        labels = default_labels()
        title = _("{module}, layer {layer}").format(module=labels[record.module], layer=record.layer + 1)
        return About(title, ())

    return _stages([partial(sheet, n) for n in range(len(record.q))], 0, about, record, STEPS, language)


NEAR = 1e-2  # nats: another device or number format rounds, another model is far off


def live_html(
    trace: Trace,
    path: str | Path | None = None,
    *,
    int8: bool = False,
    view: str = "overview",
    theme: Theme = "",
    language: str | None = None,
) -> str:
    """One HTML file with the model of a trace, in which one can type: the browser computes what its views show.

    Args:
        path: where it is written; None writes nothing.
        int8: rounds the weights to eight bits, for half the file; the file says so.
        view: that it opens with: "overview", "glance", "arcs", "query_key", "steps" or "tree".
        theme: "light", "dark", or "" for that of the reader's system.
        language: that it opens in; it has all.

    Returns:
        The file's text.

    Raises:
        ValueError: nobody knows the trace's model, it is another one by now, or a browser cannot run it.
        FileNotFoundError: the folder does not exist.
    """
    from viz_transformer.notebook.live_file import KINDS, Opening, live_file

    check_theme(theme)
    origin = trace.origin
    if origin is None or not origin.model:
        raise SentenceError("This trace does not know the name or the folder of its model, which the file would hold.")
    translator = _traced_with(origin.model, origin.source, trace)
    if view not in KINDS:
        raise SentenceError("The view must be one of {names}; it was {view}.", names=", ".join(KINDS), view=repr(view))
    still = overview(trace, language=language).still()
    with speaking(language):
        opening = Opening(origin.source, origin.target, trace.interventions, view, still)
        return written(live_file(translator, opening, theme=theme, is_rounded=int8), path)


def _traced_with(model: str, source: str, trace: Trace) -> Translator:
    """The model that a trace names, after the same pass gave the same numbers."""
    translator = load(model, "cpu")
    again = translator.trace_ids(source, trace.predicted_ids, interventions=trace.interventions)
    if again.source_ids != trace.source_ids or not np.allclose(again.log_probs, trace.log_probs, atol=NEAR):
        raise SentenceError(
            "{model} gives other numbers now than in this trace: it is another model, or was changed, or hooks were "
            "active that no file can hold. Trace the text with it again.",
            model=model,
        )
    return translator


def _stages(
    sheets: list[Any], head: int, about: Any, record: AttentionRecord, kind: Kind[StagesView], language: str | None
) -> ShownView[StagesView]:
    def content(_view: StagesView) -> dict[str, Any]:
        options = [str(n + 1) for n in range(len(sheets))]
        hint = default_labels()["head_keys"]
        choice = Choice("head", _("Head"), options, hint=hint, has_digits=True, turns_sheets=True)
        return sheets_content([sheet() for sheet in sheets], [choice])

    first = sheets[0]()

    def fit(view: StagesView) -> StagesView:
        chosen = min((view.choices or (head,))[0], len(sheets) - 1)
        return replace(fitting_stages(view, first), choices=(chosen,))

    def still_of(view: StagesView) -> str:
        return _still_of_record(record, view.choices[0])

    return ShownView(
        kind,
        content,
        StagesView(stage=len(first.stages) - 2, choices=(head,)),
        about=about,
        fit=fit,
        still_of=still_of,
        language=language,
    )


def _recorded_sheet(trace: Trace, module: AttentionModule, layer: int, head: int) -> Sheet:
    return sheet_of(head_stages(trace, module, layer, head), axes_of(trace, module, head))


def _maps(kind: Kind[HeadsView], trace: Trace, language: str | None) -> ShownView[HeadsView]:
    return ShownView(
        kind,
        lambda view: maps_content(maps_of(trace), measure_scores(trace)) | {"notes": []},
        usual_view(trace.config, _opens_with(trace)),
        about=partial(_about, trace),
        fit=partial(fitting, sizes=sizes_of(trace)),
        still_of=lambda view: _still_grid(trace, view),
        language=language,
    )


def _opens_with(trace: Trace) -> HeadRef:
    """The head that the app opens with: the one that the model's card names, or the first of the last layer."""
    usual = HeadRef("cross", trace.config.n_decoder_layers - 1, 0)
    return trace.origin.opens_with or usual if trace.origin else usual


def _about(trace: Trace, link: dict[str, str] | None = None) -> About:
    origin = trace.origin
    source = origin.source if origin else " ".join(trace.source_tokens)
    target = origin.written if origin else " ".join(trace.predicted_tokens)
    facts = [(_("Model"), origin.model)] if origin and origin.model else []
    facts += [(_("Source"), source), (_("Target, given") if origin and origin.target else _("Target"), target)]
    changes = [str(intervention_to_dict(change)) for change in trace.interventions]
    facts.append((_("Changes"), "; ".join(changes) or _("none")))
    said = None
    if origin and origin.model and not changes:
        said = {"model": origin.model, "source": origin.source}
        said |= {"target": origin.target} if origin.target is not None else {}
        said |= link or {}
    return About(f"{source} → {target}", tuple(facts), said)


def _still(trace: Trace, module: AttentionModule, layer: int, head: int) -> str:
    layer = min(layer, n_layers(trace.config, module) - 1)
    return _still_of_record(trace.attention(module, layer), min(head, stack_config(trace.config, module).n_heads - 1))


def _still_of_record(record: AttentionRecord, head: int) -> str:
    labels = default_labels()
    place = labels["place"].format(layer=record.layer + 1, head=head + 1)
    return still.matrix(
        f"{labels[record.module]}, {place}",
        record.weights[head],
        record.mask,
        (labels[f"query_{record.module}"], record.query_tokens),
        (labels[f"key_{record.module}"], record.key_tokens),
        labels["weight"],
    )


def _still_grid(trace: Trace, view: HeadsView) -> str:
    labels, rows = default_labels(), []
    for module in ATTENTION_MODULES if view.only is None else (view.only,):
        for layer in range(n_layers(trace.config, module)):  # type: ignore[arg-type]
            record = trace.attention(module, layer)  # type: ignore[arg-type]
            name = _("{module}, layer {layer}").format(module=labels[module], layer=layer + 1)
            rows.append((name, [*record.weights], record.mask))
    return still.grid(_about(trace).title, rows, labels["weight"])
