"""The view of a search: its tree, and the attention of its hypotheses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from viz_transformer.decoding.ranking import DEFAULT_BEAM, BeamOptions
from viz_transformer.decoding.step_decoder import never_written
from viz_transformer.interventions import intervention_to_dict
from viz_transformer.notebook import still
from viz_transformer.notebook.notebook_view import About, ShownView
from viz_transformer.views.decoding.build_search_tree import as_generated, grow_search
from viz_transformer.views.decoding.pack import pack_search, shown_content
from viz_transformer.views.decoding.tree import Search, Settings
from viz_transformer.views.decoding.view import DecodingView, fitted
from viz_transformer.views.kinds import TREE
from viz_transformer.views.text import _

if TYPE_CHECKING:
    from viz_transformer.tokenizers import EncodedText
    from viz_transformer.translator import Translator


def tree(
    translator: Translator,
    text: str | EncodedText,
    options: BeamOptions = DEFAULT_BEAM,
    *,
    language: str | None = None,
    **others: Any,
) -> ShownView[DecodingView]:
    """The tree of a beam search, and for the hypothesis that is chosen in it the recorded pass.

    Args:
        text: the source.
        options, others: as `Translator.beam_search` has them.

    Raises:
        ValueError: what the search raises.
    """
    config, tokenizer = translator.model.config, translator.target_tokenizer
    source = translator.encode_source(text)
    settings = _settings(translator, options, others)
    *_steps, search = grow_search(translator, source, settings)
    greedy = search.greedy_path()
    if greedy is None:
        *_steps, found = grow_search(translator, source, settings.greedy())
        greedy = found.greedy_path()
    assert greedy is not None  # a greedy search always follows the greedy path
    packed = pack_search(search, greedy, tokenizer, config, len(source.ids) + 1)
    written = tokenizer.decode(search.best_ids)

    def content_of(view: DecodingView) -> dict[str, Any]:
        trace = translator.trace_ids(source, search.ids(*view.node), interventions=as_generated(settings.interventions))
        return shown_content(packed, trace, view.node, tokenizer)

    def about() -> About:
        beam = settings.beam
        facts = [(_("Model"), translator.name)] if translator.name else []
        facts += [(_("Source"), source.text), (_("Target"), written), (_("Beam"), str(beam.beam_size))]
        facts.append(
            (_("Changes"), "; ".join(str(intervention_to_dict(one)) for one in settings.interventions) or _("none"))
        )
        is_known = settings == Settings("beam", BeamOptions(beam_size=beam.beam_size)) and translator.name
        link = {"model": translator.name, "source": source.text, "method": "beam", "beam": str(beam.beam_size)}
        return About(f"{source.text} → {written}", tuple(facts), link if is_known else None)

    opens_with = translator.opens_with
    return ShownView(
        TREE,
        content_of,
        DecodingView(
            opens_with.layer, opens_with.head, search.best[0], search.best, rerank=settings.beam.length_penalty
        ),
        about=about,
        fit=lambda view: replace(fitted(view, search, config), asked=None),
        still_of=lambda view: still.lines(f"{source.text} → {written}", _ranked(search, translator)),
        follows=lambda view: view.node,
        language=language,
    )


def _settings(translator: Translator, options: BeamOptions, others: dict[str, Any]) -> Settings:
    """The settings of the tree; keywords other than ids and interventions replace fields of `options`."""
    others = dict(others)
    prefix_ids = tuple(others.pop("prefix_ids", ()))
    banned = others.pop("banned_ids", None)
    interventions = tuple(others.pop("interventions", ()))
    never = never_written(translator.model.config)
    banned_ids = tuple(one for one in banned or () if one not in never)
    return Settings(
        "beam", replace(options, **others), prefix_ids=prefix_ids, banned_ids=banned_ids, interventions=interventions
    )


def _ranked(search: Search, translator: Translator) -> list[str]:
    """Everything that has finished, the best score first."""
    decode = translator.target_tokenizer.decode
    ended = sorted(
        ((node.score, search.ids(t, r)) for t, level in enumerate(search.levels) for r, node in enumerate(level)
         if node.status == "finished"),
        reverse=True,
    )  # fmt: skip
    return [f"{score:.4f}  {decode(ids)}" for score, ids in ended] or [decode(search.best_ids)]
