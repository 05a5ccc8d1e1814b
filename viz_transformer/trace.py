"""One recorded forward pass of one source and one target, and the views on it.

Shapes: T target length, S source length, H heads, D = d_k, V target vocabulary. All arrays are numpy; numbers
are float32, masks bool (True = may attend).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file
from torch import Tensor

from viz_transformer.config import TransformerConfig
from viz_transformer.heads import (
    ATTENTION_MODULES,
    AttentionModule,
    HeadRef,
    check_layer,
    hook_path,
    n_layers,
    stack_config,
)
from viz_transformer.hooks import active_hooks, hooks_active
from viz_transformer.interventions import (
    Intervention,
    PermuteSource,
    hooks_of,
    intervention_from_dict,
    intervention_to_dict,
)
from viz_transformer.masks import padding_mask, target_padding_mask
from viz_transformer.model import Transformer
from viz_transformer.recording import STAGES, Recording
from viz_transformer.tokenizers import check_ids

if TYPE_CHECKING:
    from viz_transformer.notebook import ShownView
    from viz_transformer.views.heads import HeadsView
    from viz_transformer.views.matrices import StagesView
    from viz_transformer.views.trace_view import TraceView

Floats = NDArray[np.float32]

_FORMAT = "viz_transformer.trace.2"
_FORMATS = (_FORMAT, "viz_transformer.trace.1")  # version 1 kept every stage
_WITHOUT_BATCH = (".positions.positions", ".positions.encoding")
_BY_HEAD = (".q", ".k", ".v")  # (H, L, D): transposed views of (L, H·D), which the projections give


@dataclass(frozen=True, eq=False)
class AttentionRecord:
    """Every stage of one attention module in one forward pass (paper §3.2.1, equation 1).

    Attributes:
        q, k, v: (H, T, D), (H, S, D), (H, S, D) after the projections W_Q, W_K, W_V.
        scores, scaled_scores: (H, T, S) QKᵀ, then divided by √d_k.
        mask: (T, S) bool, True = may attend.
        masked_scores: (H, T, S), -inf where masked.
        weights: (H, T, S) the softmax over the keys.
        context: (H, T, D) weights @ V, before W_O.
        output: (T, d_model) the heads side by side, times W_O.
        query_tokens, key_tokens: T and S labels.
        make_stages: computes the four stages from scores to weights, when one of them is first read.
    """

    module: AttentionModule
    layer: int
    q: Floats
    k: Floats
    v: Floats
    mask: NDArray[np.bool_]
    context: Floats
    output: Floats
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    make_stages: Callable[[], Mapping[str, Floats]] = field(repr=False)

    @cached_property
    def _stages(self) -> Mapping[str, Floats]:
        return self.make_stages()

    @property
    def scores(self) -> Floats:
        return self._stages["scores"]

    @property
    def scaled_scores(self) -> Floats:
        return self._stages["scaled_scores"]

    @property
    def masked_scores(self) -> Floats:
        return self._stages["masked_scores"]

    @property
    def weights(self) -> Floats:
        return self._stages["weights"]

    def show(self, *, language: str | None = None) -> ShownView[StagesView]:
        """A view of its heads from Q, K and V to the context, for a notebook; see `ShownView`."""
        from viz_transformer import notebook

        return notebook.head_by_head(self, language=language)


@dataclass(frozen=True)
class Origin:
    """Where a trace comes from: the model, and the texts.

    Attributes:
        model: its name; "" for one without.
        source: the text that was read.
        target: the text that was given; None where the model wrote it.
        written: the text of the tokens that the rows should predict.
        opens_with: the head that the model's card names.
    """

    model: str
    source: str
    target: str | None
    written: str
    opens_with: HeadRef | None = None


@dataclass(frozen=True, eq=False)
class Trace:
    """What the model computed for one source and one target. Row t reads target token t and predicts the next.

    Attributes:
        source_ids, source_tokens: S ids and labels, the end token last, as the encoder read them.
        target_ids, target_tokens: T ids and labels that the decoder read, the start token first.
        predicted_ids, predicted_tokens: T ids and labels, what row t should predict.
        interventions: the changes under which the pass ran.
        tensors: every hook point's name and what it saw, without the batch axis; and "log_probs". Some are made again
            from the others when they are looked at, see `Recording`.
        origin: model and texts, where they are known.
        label: gives the label of a target id; None where only the labels in this trace are known.

    A notebook shows it by itself; see `heads`, `arcs`, `query_key` and `step_by_step` for its other views, and
    `to_html` for a file.
    """

    config: TransformerConfig
    source_ids: tuple[int, ...]
    source_tokens: tuple[str, ...]
    target_ids: tuple[int, ...]
    target_tokens: tuple[str, ...]
    predicted_ids: tuple[int, ...]
    predicted_tokens: tuple[str, ...]
    interventions: tuple[Intervention, ...]
    tensors: Mapping[str, NDArray[Any]] = field(repr=False)
    origin: Origin | None = None
    label: Callable[[int], str] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.tensors, Arrays):
            for tensor in self.tensors.values():  # a trace may be shared, so nobody may change a recorded number
                tensor.flags.writeable = False

    def attention(self, module: AttentionModule, layer: int) -> AttentionRecord:
        """The record of one attention module; raises a ValueError where the model has no such module or layer."""
        check_layer(self.config, module, layer)
        path = hook_path(module, layer)
        points = {point: self.tensors[f"{path}.{point}"] for point in ("q", "k", "v", "context", "output")}
        query_tokens, key_tokens = self.tokens_of(module)
        mask = np.broadcast_to(self.tensors[f"{path}.mask"][0], (len(query_tokens), len(key_tokens)))
        return AttentionRecord(
            module,
            layer,
            mask=mask,
            query_tokens=query_tokens,
            key_tokens=key_tokens,
            make_stages=lambda: self._stages(path),
            **points,
        )

    def tokens_of(self, module: AttentionModule) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The labels of a module's queries and of its keys."""
        query_tokens = self.source_tokens if module == "encoder_self" else self.target_tokens
        key_tokens = self.target_tokens if module == "decoder_self" else self.source_tokens
        return query_tokens, key_tokens

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of `tensors[name]`, without computing the tensor."""
        return self.tensors.shape(name) if isinstance(self.tensors, Arrays) else self.tensors[name].shape

    def _stages(self, path: str) -> Mapping[str, Floats]:
        if isinstance(self.tensors, Arrays):
            return self.tensors.stages(path)
        return {stage: self.tensors[f"{path}.{stage}"] for stage in STAGES}

    @property
    def log_probs(self) -> Floats:
        """(T, V) log-softmax of the logits, natural logarithm; computed anew at every access, so keep it."""
        return self.tensors["log_probs"]

    @cached_property
    def _predicted(self) -> tuple[Floats, NDArray[np.int64]]:
        """Log p and rank of each predicted token, from one computation of `log_probs`."""
        log_probs = self.log_probs  # (T, V)
        taken = log_probs[np.arange(len(self.predicted_ids)), self.predicted_ids]  # (T,)
        ranks: NDArray[np.int64] = 1 + (log_probs > taken[:, None]).sum(axis=1)
        return taken, ranks

    @property
    def token_log_probs(self) -> Floats:
        """(T,) log p of each predicted token."""
        return self._predicted[0]

    @property
    def log_prob(self) -> float:
        """log p of all predicted tokens together, in nats: their sum, in double precision."""
        return float(self.token_log_probs.sum(dtype=np.float64))

    @property
    def token_ranks(self) -> NDArray[np.int64]:
        """(T,) the place of each predicted token among all tokens by probability, 1 for the most likely."""
        return self._predicted[1]

    def positional_encoding(self, side: str) -> Floats:
        """(S or T, d_model) what was added to the embeddings of the "source" or the "target"."""
        if side not in ("source", "target"):
            raise ValueError(f'side must be "source" or "target"; it was {side!r}.')
        return self.tensors[f"{side}_embedding.positions.encoding"]

    def label_of(self, token_id: int) -> str:
        """The label of a token of the target vocabulary; `#7` for id 7 if the trace does not know its label."""
        if self.label is not None:
            return self.label(token_id)
        known = {**dict(zip(self.target_ids, self.target_tokens, strict=True)),
                 **dict(zip(self.predicted_ids, self.predicted_tokens, strict=True))}  # fmt: skip
        return known.get(token_id, f"#{token_id}")

    def overview(self, *, language: str | None = None) -> ShownView[TraceView]:
        """All of its attention, step by step; what a notebook shows of a trace. See `ShownView`."""
        from viz_transformer import notebook

        return notebook.overview(self, language=language)

    def heads(self, *, language: str | None = None) -> ShownView[HeadsView]:
        """Every head of every layer as a thumbnail, coloured by a measure; one of them large."""
        from viz_transformer import notebook

        return notebook.heads(self, language=language)

    def arcs(self, *, language: str | None = None) -> ShownView[HeadsView]:
        """The heads of one layer, overlaid, as arcs between two columns of tokens."""
        from viz_transformer import notebook

        return notebook.arcs(self, language=language)

    def query_key(self, *, language: str | None = None) -> ShownView[HeadsView]:
        """How the weights of one query come about, component by component."""
        from viz_transformer import notebook

        return notebook.query_key(self, language=language)

    def step_by_step(
        self, module: AttentionModule = "cross", layer: int = 0, head: int = 0, *, language: str | None = None
    ) -> ShownView[StagesView]:
        """A layer's heads from the embeddings to the output: Q, K, V, scores, scaling, mask, softmax, context.

        Raises:
            ValueError: the model has no such head.
        """
        from viz_transformer import notebook

        return notebook.step_by_step(self, module, layer, head, language=language)

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        exact: bool | None = None,
        live: bool = False,
        int8: bool = False,
        **options: Any,
    ) -> str:
        """`overview` as one HTML file, which needs no network.

        Args:
            path: where it is written; None writes nothing.
            exact: True keeps every bit of every weight; False keeps the four decimals that are shown, in half the
                bytes; None keeps every bit up to 50,000 weights.
            live: the file holds the model, too, and one can type into it; see `notebook.live_html`.
            int8: the weights of such a file are rounded to eight bits, which takes half the room; the file says so.
            options: of `ShownView.to_html`, or of `live_html`; and `language`.

        Returns:
            The file's text.
        """
        from viz_transformer import notebook

        if int8 and not live:
            raise ValueError("int8 goes with live=True: a file that holds no model has no weights to round.")
        if live:
            return notebook.live_html(self, path, int8=int8, **options)
        language = options.pop("language", None)
        return notebook.overview(self, exact=exact, language=language).to_html(path, **options)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """What a notebook shows; without anywidget, a line of text."""
        if find_spec("anywidget") is None:
            return {"text/plain": repr(self)}
        return self._overview._repr_mimebundle_(**kwargs)

    def _display_(self) -> Any:
        """What marimo shows."""
        return self._overview._display_()

    @cached_property
    def _overview(self) -> ShownView[TraceView]:
        return self.overview()

    def to_frame(self) -> pd.DataFrame:
        """One row for each module, layer, head, query and key, with the value between them at every stage.

        For a model without attention it has the same columns and no rows.
        """
        frames = [
            _record_frame(self.attention(module, layer))
            for module in ATTENTION_MODULES
            for layer in range(n_layers(self.config, module))
        ]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(_COLUMNS)).astype(_COLUMNS)

    def save(self, path: str | Path) -> None:
        """Writes one safetensors file; labels, ids and config are JSON in its header.

        Raises:
            FileNotFoundError: where its folder does not exist.
        """
        folder = Path(path).parent
        if not folder.is_dir():
            raise FileNotFoundError(f"There is no folder {str(folder)!r} to save the trace in.")
        description = {
            "config": self.config.to_dict(),
            "interventions": [intervention_to_dict(intervention) for intervention in self.interventions],
            **{name: list(getattr(self, name)) for name in _LISTS},
            "origin": self.origin and asdict(self.origin),
        }
        kept = self.tensors.kept if isinstance(self.tensors, Arrays) else self.tensors
        names = dict.fromkeys((*kept, "logits", "log_probs"))  # the model that makes these two is not in the file
        tensors = {name: np.ascontiguousarray(self.tensors[name]) for name in names}
        metadata = {"format": _FORMAT, "trace": json.dumps(description, ensure_ascii=False)}
        save_file(tensors, path, metadata=metadata)


_LISTS = ("source_ids", "source_tokens", "target_ids", "target_tokens", "predicted_ids", "predicted_tokens")


def load_trace(path: str | Path) -> Trace:
    """The trace that `Trace.save` wrote, every number the same.

    Raises:
        ValueError: a sentence where the file is something else.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
    except SafetensorError as error:
        raise ValueError(f"{path} is not a safetensors file: {error}.") from error
    except (AttributeError, TypeError) as error:  # numbers of a kind that numpy does not have
        raise ValueError(f"{path} is a safetensors file, but not a trace: {error}.") from error
    if metadata.get("format") not in _FORMATS:
        raise ValueError(f"{path} is a safetensors file, but not a trace that this version of the package wrote.")
    try:
        description = json.loads(metadata["trace"])
        config = TransformerConfig.from_dict(description["config"])
        lists: dict[str, Any] = {name: tuple(description[name]) for name in _LISTS}
        kept = {name: _from_numpy(name, array) for name, array in tensors.items()}
        loaded = Trace(
            config=config,
            interventions=tuple(intervention_from_dict(values) for values in description["interventions"]),
            tensors=Arrays(Recording(kept, config)),
            origin=_origin_from(description.get("origin")),
            **lists,
        )
        _check_whole(loaded, kept)
        return loaded
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError, RecursionError) as error:
        raise ValueError(f"{path} is a trace whose description is broken: {error!r}.") from error


def _origin_from(values: dict[str, Any] | None) -> Origin | None:
    """The origin in a file, None in an older one; raises a ValueError, KeyError or TypeError where it is broken."""
    if values is None:
        return None
    texts = {name: values[name] for name in ("model", "source", "written")}
    target, head = values["target"], values["opens_with"]
    if not all(isinstance(text, str) for text in (*texts.values(), "" if target is None else target)):
        raise ValueError("its origin should hold texts")
    return Origin(**texts, target=target, opens_with=head and HeadRef(head[0], int(head[1]), int(head[2])))


def _check_whole(trace: Trace, kept: Mapping[str, Tensor]) -> None:
    """Raises a ValueError or KeyError where ids, labels, config and tensors of a file do not belong together."""
    config, lengths = trace.config, {"source": len(trace.source_ids), "target": len(trace.target_ids)}
    check_ids("source_ids", trace.source_ids, config.source_vocab_size)
    for name in ("target_ids", "predicted_ids"):
        check_ids(name, getattr(trace, name), config.target_vocab_size)
    for name in _LISTS:
        values, count = getattr(trace, name), lengths["source" if name.startswith("source") else "target"]
        if len(values) != count or (name.endswith("tokens") and not all(isinstance(value, str) for value in values)):
            raise ValueError(f"{name} should hold {count} ids or labels")
    if missing := {"logits", "log_probs"} - kept.keys():  # the model that makes these two is not in the file
        raise KeyError(min(missing))
    if trace.log_probs.shape != (lengths["target"], config.target_vocab_size):
        raise ValueError(f"log_probs has the shape {trace.log_probs.shape}")
    shapes: dict[str, tuple[int, ...]] = {}
    for module in ATTENTION_MODULES:
        stack = stack_config(config, module)
        heads, d_k = stack.n_heads, stack.d_k
        queries = lengths["source" if module == "encoder_self" else "target"]
        keys = lengths["target" if module == "decoder_self" else "source"]
        points: dict[str, tuple[int, ...]] = {
            **{"q": (heads, queries, d_k), "k": (heads, keys, d_k), "v": (heads, keys, d_k)},
            **dict.fromkeys(STAGES, (heads, queries, keys)),
            **{"context": (heads, queries, d_k), "output": (queries, config.d_model)},
        }
        for layer in range(n_layers(config, module)):
            path = hook_path(module, layer)
            shapes |= {f"{path}.{point}": shape for point, shape in points.items()}
            found = [stage for stage in STAGES if f"{path}.{stage}" in kept]
            if found != list(STAGES if found or trace.interventions else ()):  # changed stages cannot be recomputed
                raise ValueError(f"of the stages of {path} it holds {found}")
            mask = trace.tensors[f"{path}.mask"]
            if mask.dtype != np.bool_ or mask.shape not in ((1, queries, keys), (1, 1, keys)):
                raise ValueError(f"{path}.mask is no mask of {queries} queries and {keys} keys")
    for name, shape in shapes.items():
        if trace.shape(name) != shape:
            raise ValueError(f"{name} should have the shape {shape}; it has {trace.shape(name)}")


class Arrays(Mapping[str, NDArray[Any]]):
    """A recording of one sequence as read-only arrays without the batch axis, and "log_probs"."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    @property
    def kept(self) -> Mapping[str, Tensor]:
        """The recorded tensors, which take the memory."""
        return self._recording.kept

    def __iter__(self) -> Iterator[str]:
        yield from self._recording
        if "log_probs" not in self._recording:
            yield "log_probs"

    def __len__(self) -> int:
        return len(self._recording) + ("log_probs" not in self._recording)

    def __contains__(self, name: object) -> bool:
        return name == "log_probs" or name in self._recording

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name == "log_probs" and name not in self._recording:
            return _to_numpy(name, self._recording["logits"].log_softmax(dim=-1))
        return _to_numpy(name, self._recording[name])

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of one array, without computing the array."""
        if name == "log_probs":
            name = "logits"
        shape = self._recording.shape(name)
        return shape if name.endswith(_WITHOUT_BATCH) else shape[1:]

    def stages(self, path: str) -> dict[str, Floats]:
        """`Recording.stages` of one attention module."""
        return {stage: _to_numpy(stage, tensor) for stage, tensor in self._recording.stages(path).items()}


@torch.inference_mode()
def record(
    model: Transformer, source_ids: Tensor, target_ids: Tensor, interventions: Sequence[Intervention] = ()
) -> tuple[Tensor, Recording]:
    """One forward pass with every hook point recorded.

    Args:
        model: in eval mode.
        source_ids, target_ids: (B, S) and (B, T).
        interventions: act before the recorder, see `hooks_of`.

    Returns:
        The logits (B, T, V), and what every hook point saw, by name. What follows from the rest is computed again when
        it is read; under interventions, or where other hooks are active, everything is what the pass computed.

    Raises:
        TypeError: for ids that are no tensor.
        ValueError: for ids of another shape or number of sequences, ids beyond the vocabulary, and a sequence of
            padding only.
    """
    for name, ids in (("source_ids", source_ids), ("target_ids", target_ids)):
        if not isinstance(ids, Tensor):
            raise TypeError(f"{name} must be a tensor of ids, (B, S) or (B, T); it was a {type(ids).__name__}.")
        if ids.ndim != 2:
            raise ValueError(f"{name} must have two axes, sequences and tokens; its shape is {tuple(ids.shape)}.")
    if len(source_ids) != len(target_ids):
        raise ValueError(f"source_ids has {len(source_ids)} sequences and target_ids {len(target_ids)}: not as many.")
    config = model.config
    has_token = {
        "source": padding_mask(source_ids, config.pad_id),
        "target": target_padding_mask(target_ids, config.pad_id, config.start_id),
    }
    for side, mask in has_token.items():
        if not mask.any(dim=-1).all():
            raise ValueError(f"Every {side} needs at least one token that is not padding; one has none.")
    check_ids("source_ids", source_ids.flatten().tolist(), config.source_vocab_size)
    check_ids("target_ids", target_ids.flatten().tolist(), config.target_vocab_size)
    kept: dict[str, Tensor] = {}

    def recorder(name: str, tensor: Tensor) -> None:
        kept[name] = tensor

    is_alone, is_plain = not hooks_active(), not interventions and not hooks_active()
    with active_hooks(*hooks_of(interventions, config), recorder, every_stage=not is_plain):
        logits = model(source_ids, target_ids)
    if is_plain:
        for name in [name for name in kept if name.endswith(".context")]:  # made again from "concatenated"
            del kept[name]
    if not is_alone:
        return logits, Recording(kept, config)
    del kept["logits"]
    return logits, Recording(kept, config, model.output_projection)


def trace(
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    predicted_ids: Sequence[int],
    source_tokens: Sequence[str],
    target_tokens: Sequence[str],
    predicted_tokens: Sequence[str],
    interventions: Sequence[Intervention] = (),
    origin: Origin | None = None,
    label: Callable[[int], str] | None = None,
) -> Trace:
    """Records one teacher-forced pass. The arguments are attributes of `Trace`, before any intervention.

    Raises:
        ValueError: where labels and ids differ in number, ids are none of the vocabulary's, the source or the target
            is padding only, or an intervention does not fit.
    """
    for name, ids, tokens in (
        ("source", source_ids, source_tokens),
        ("target", target_ids, target_tokens),
        ("predicted", predicted_ids, predicted_tokens),
    ):
        if len(ids) != len(tokens):
            raise ValueError(f"There are {len(ids)} {name} ids, but {len(tokens)} {name} labels.")
    check_ids("predicted_ids", predicted_ids, model.config.target_vocab_size)
    device = model.device
    _logits, recorded = record(
        model,
        torch.tensor([list(source_ids)], device=device),
        torch.tensor([list(target_ids)], device=device),
        interventions,
    )
    for intervention in interventions:
        if isinstance(intervention, PermuteSource):  # labels follow their tokens
            source_ids, source_tokens = intervention.apply(source_ids), intervention.apply(source_tokens)
    return Trace(
        model.config,
        tuple(source_ids),
        tuple(source_tokens),
        tuple(target_ids),
        tuple(target_tokens),
        tuple(predicted_ids),
        tuple(predicted_tokens),
        tuple(interventions),
        Arrays(recorded.on_cpu()),
        origin,
        label,
    )


def _to_numpy(name: str, tensor: Tensor) -> NDArray[Any]:
    """Without the batch axis, and read-only: a trace may be shared, so nobody may change a recorded number."""
    values = tensor.numpy() if name.endswith(_WITHOUT_BATCH) else tensor[0].numpy()
    values.flags.writeable = False
    return values


def _from_numpy(name: str, array: NDArray[Any]) -> Tensor:
    """A tensor as the pass had it, in the same memory layout: the last bit of a product may depend on it."""
    tensor = torch.from_numpy(array)
    if name.endswith(_BY_HEAD):
        tensor = tensor.transpose(0, 1).contiguous().transpose(0, 1)  # (H, L, D)
    return tensor if name.endswith(_WITHOUT_BATCH) else tensor[None]


_COLUMNS = {
    "module": "str", "layer": "int64", "head": "int64", "query": "int64", "query_token": "str", "key": "int64",
    "key_token": "str", "score": "float32", "scaled_score": "float32", "may_attend": "bool", "masked_score": "float32",
    "weight": "float32",
}  # fmt: skip


def _record_frame(record: AttentionRecord) -> pd.DataFrame:
    heads, queries, keys = record.weights.shape
    head, query, key = np.indices((heads, queries, keys)).reshape(3, -1)
    return pd.DataFrame(
        {
            "module": record.module,
            "layer": record.layer,
            "head": head,
            "query": query,
            "query_token": np.array(record.query_tokens, dtype=object)[query],
            "key": key,
            "key_token": np.array(record.key_tokens, dtype=object)[key],
            "score": record.scores.ravel(),
            "scaled_score": record.scaled_scores.ravel(),
            "may_attend": np.broadcast_to(record.mask, record.weights.shape).ravel(),
            "masked_score": record.masked_scores.ravel(),
            "weight": record.weights.ravel(),
        }
    )
