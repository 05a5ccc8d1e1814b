"""An instrumented encoder-decoder Transformer: every number of the forward pass can be seen and changed.

A name's module is imported when the name is first used: torch takes seconds, and the app's server answers before that.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from viz_transformer.resources import package_version

if TYPE_CHECKING:
    from viz_transformer.analysis.doubt import Doubt, doubts
    from viz_transformer.analysis.logit_attribution import LogitContributions, logit_contributions
    from viz_transformer.analysis.logit_lens import LogitLens, logit_lens
    from viz_transformer.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
    from viz_transformer.config import TransformerConfig
    from viz_transformer.decoding.n_best import NBest, rerank
    from viz_transformer.decoding.ranking import BeamOptions, Hypothesis, length_penalty_gnmt
    from viz_transformer.decoding.sampling import SamplingStep, sample
    from viz_transformer.decoding.search import Candidate, DecodingStep, beam_search, greedy_search
    from viz_transformer.heads import ATTENTION_MODULES, HeadRef
    from viz_transformer.hooks import HookPoint, active_hooks
    from viz_transformer.interventions import (
        AblateHeads,
        ChangeMask,
        PermuteSource,
        PositionsOff,
        ScaleHead,
        ScaleScores,
        ShiftPositions,
        Temperature,
    )
    from viz_transformer.marian.importing import from_huggingface
    from viz_transformer.model import Transformer
    from viz_transformer.tokenizers import Tokenizer
    from viz_transformer.trace import AttentionRecord, Trace, load_trace, record
    from viz_transformer.translator import TextError, Translator, load, shipped_models

__all__ = [
    "ATTENTION_MODULES",
    "AblateHeads",
    "AttentionRecord",
    "BeamOptions",
    "Candidate",
    "ChangeMask",
    "CheckpointError",
    "DecodingStep",
    "Doubt",
    "HeadRef",
    "HookPoint",
    "Hypothesis",
    "LogitContributions",
    "LogitLens",
    "NBest",
    "PermuteSource",
    "PositionsOff",
    "SamplingStep",
    "ScaleHead",
    "ScaleScores",
    "ShiftPositions",
    "Temperature",
    "TextError",
    "Tokenizer",
    "Trace",
    "Transformer",
    "TransformerConfig",
    "Translator",
    "active_hooks",
    "beam_search",
    "doubts",
    "from_huggingface",
    "greedy_search",
    "length_penalty_gnmt",
    "load",
    "load_checkpoint",
    "load_trace",
    "logit_contributions",
    "logit_lens",
    "record",
    "rerank",
    "sample",
    "save_checkpoint",
    "shipped_models",
]

__version__ = package_version()

_MODULES = {
    "analysis.doubt": ("Doubt", "doubts"),
    "analysis.logit_attribution": ("LogitContributions", "logit_contributions"),
    "analysis.logit_lens": ("LogitLens", "logit_lens"),
    "checkpoint": ("CheckpointError", "load_checkpoint", "save_checkpoint"),
    "config": ("TransformerConfig",),
    "decoding.n_best": ("NBest", "rerank"),
    "decoding.ranking": ("BeamOptions", "Hypothesis", "length_penalty_gnmt"),
    "decoding.sampling": ("SamplingStep", "sample"),
    "decoding.search": ("Candidate", "DecodingStep", "beam_search", "greedy_search"),
    "heads": ("ATTENTION_MODULES", "HeadRef"),
    "hooks": ("HookPoint", "active_hooks"),
    "interventions": (
        "AblateHeads",
        "ChangeMask",
        "PermuteSource",
        "PositionsOff",
        "ScaleHead",
        "ScaleScores",
        "ShiftPositions",
        "Temperature",
    ),
    "marian.importing": ("from_huggingface",),
    "model": ("Transformer",),
    "tokenizers": ("Tokenizer",),
    "trace": ("AttentionRecord", "Trace", "load_trace", "record"),
    "translator": ("TextError", "Translator", "load", "shipped_models"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"viz_transformer.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
