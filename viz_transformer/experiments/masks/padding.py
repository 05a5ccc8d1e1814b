"""Several sentences in one padded batch: their masks, and what the padding mask of the encoder keeps out.

Shapes: B sentences, S and T the longest source and target of the batch, L real tokens of one sentence, H heads,
V target vocabulary. True = may attend (paper §3.2.3 for the causal mask; padding is left to implementations there).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_transformer.config import TransformerConfig
from viz_transformer.heads import AttentionModule, hook_path, n_layers
from viz_transformer.hooks import Hook
from viz_transformer.interventions import ChangeMask, Intervention
from viz_transformer.masks import causal_mask, padding_mask
from viz_transformer.model import Transformer
from viz_transformer.tokenizers import PAD
from viz_transformer.trace import record
from viz_transformer.translator import Translator

Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Labels = tuple[tuple[str, ...], ...]

LISTED = 8  # more than the special ids of a config and one taken id, so that `runner_up` finds another


@dataclass(frozen=True, eq=False)
class PaddedBatch:
    """B sentences and their targets, padded on the right to the longest.

    Attributes:
        source_ids, source_tokens: (B, S), the end token last, then padding.
        target_ids, target_tokens: (B, T) what the decoder reads, the start token first, then padding.
        label_ids, label_tokens: (B, T) what each row of the decoder should predict: the target, one place earlier.
        pad_id: the id of the padding.
    """

    source_ids: Ids
    target_ids: Ids
    label_ids: Ids
    source_tokens: Labels
    target_tokens: Labels
    label_tokens: Labels
    pad_id: int

    @property
    def source_lengths(self) -> tuple[int, ...]:
        """B numbers of real source tokens."""
        return tuple((self.source_ids != self.pad_id).sum(axis=1).tolist())

    @property
    def target_lengths(self) -> tuple[int, ...]:
        """B numbers of real target tokens."""
        return tuple((self.label_ids != self.pad_id).sum(axis=1).tolist())


@dataclass(frozen=True, eq=False)
class BatchPass:
    """One recorded forward pass of a batch. Of the V next tokens of a row it keeps a few.

    Attributes:
        label_log_probs: (B, T) log p of each label; NaN where the pass was not told what they are.
        likeliest: (B, T, K) ids of the K = `LISTED` most likely tokens, or of all where V is smaller, in order.
        tensors: every hook point's name and what it saw, with the batch axis; not the logits.
    """

    label_log_probs: Floats
    likeliest: Ids
    tensors: Mapping[str, NDArray[Any]]

    def stage(self, module: AttentionModule, layer: int, stage: str) -> NDArray[Any]:
        """One stage of one attention module, as its hook point in `attention.py` says."""
        return self.tensors[f"{hook_path(module, layer)}.{stage}"]


@dataclass(frozen=True, eq=False)
class ModuleMasks:
    """The masks of one sentence of a batch in one attention module, each (queries, keys), True = may attend.

    Attributes:
        padding: True where the key is not padding.
        causal: True where the key does not come after the query; None where the module has no such mask.
        combined: what the pass used, as it was recorded there.
    """

    padding: Bools
    causal: Bools | None
    combined: Bools
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PaddingLeak:
    """One sentence alone, and the same one padded in a batch, with and without the encoder's padding mask.

    Attributes:
        change_on, change_off: (L,) the largest change of a number of the encoder's output at each real token.
        pad_weight_on, pad_weight_off: (layers, H, L) weight that each real token puts on padding, summed.
        log_probs_alone, log_probs_on, log_probs_off: (real target tokens,) log p of each label.
    """

    change_on: Floats
    change_off: Floats
    pad_weight_on: Floats
    pad_weight_off: Floats
    log_probs_alone: Floats
    log_probs_on: Floats
    log_probs_off: Floats


@dataclass(frozen=True, eq=False)
class ZeroPadding:
    """Gives padding zeros as its embedding, as `nn.Embedding(…, padding_idx=…)` does. It still has a position.

    Args:
        is_padding: (B, S) of the source.
    """

    is_padding: Bools

    def hook(self, config: TransformerConfig) -> Hook:
        def change(name: str, tensor: Tensor) -> Tensor | None:
            if name != "source_embedding.scaled_tokens":
                return None
            is_padding = torch.from_numpy(self.is_padding).to(tensor.device)
            return tensor.masked_fill(is_padding[..., None], 0)  # (B, S, d_model)

        return change


def make_batch(translator: Translator, sources: Sequence[str], targets: Sequence[str] | None = None) -> PaddedBatch:
    """Texts → one padded batch; targets are the model's own greedy output where none are given.

    Raises:
        TextError: for a text that cannot be read, such as an empty one.
        ValueError: without sentences, or where sources and targets differ in number.
    """
    if not sources:
        raise ValueError("A batch needs at least one sentence; there was none.")
    if targets is not None and len(targets) != len(sources):
        raise ValueError(f"There are {len(sources)} sources, but {len(targets)} targets.")
    source = [translator.ended_source(text) for text in sources]
    labels = []
    for n, text in enumerate(sources):
        if targets is None:
            *_, last = translator.greedy_search(text)
            labels.append((last.best.ids, translator.target_tokenizer.labels(last.best.ids)))
        else:
            labels.append(translator.ended_target(targets[n]))
    pad_id, start_id = translator.model.config.pad_id, translator.model.config.start_id
    start = translator.target_tokenizer.label(start_id)
    read = [((start_id, *ids[:-1]), (start, *tokens[:-1])) for ids, tokens in labels]

    source_ids, source_tokens = _pad(source, pad_id)
    target_ids, target_tokens = _pad(read, pad_id)
    label_ids, label_tokens = _pad(labels, pad_id)
    return PaddedBatch(source_ids, target_ids, label_ids, source_tokens, target_tokens, label_tokens, pad_id)


def widened(batch: PaddedBatch, width: int) -> PaddedBatch:
    """The batch with its sources padded to `width` tokens if they are shorter, as beside a sentence of that length."""
    further = max(0, width - batch.source_ids.shape[1])
    return replace(
        batch,
        source_ids=np.pad(batch.source_ids, ((0, 0), (0, further)), constant_values=batch.pad_id),
        source_tokens=tuple((*tokens, *[PAD] * further) for tokens in batch.source_tokens),
    )


def record_batch(
    model: Transformer,
    source_ids: Ids,
    target_ids: Ids,
    interventions: Sequence[Intervention] = (),
    label_ids: Ids | None = None,
) -> BatchPass:
    """Records one pass over source_ids (B, S) and target_ids (B, T), whose rows should predict label_ids (B, T)."""
    device = model.device
    sources, targets = (torch.from_numpy(ids).to(device) for ids in (source_ids, target_ids))
    logits, tensors = record(model, sources, targets, interventions)
    arrays = {name: tensor.cpu().numpy() for name, tensor in tensors.items() if name != "logits"}
    for array in arrays.values():  # a pass may be shared, so nobody may change a recorded number
        array.flags.writeable = False
    log_probs = np.full(target_ids.shape, np.nan, dtype=np.float32)
    if label_ids is not None:
        for n, labels in enumerate(label_ids):  # one sentence at a time: all at once would copy the logits of the batch
            log_probs[n] = label_log_probs(logits[n].log_softmax(dim=-1).cpu().numpy(), labels)
    likeliest = logits.topk(min(LISTED, logits.shape[-1])).indices.cpu().numpy()  # (B, T, K)
    return BatchPass(log_probs, likeliest, arrays)


def module_masks(batch: PaddedBatch, recorded: BatchPass, module: AttentionModule, sentence: int) -> ModuleMasks:
    """The masks of sentence number `sentence`, from 0, in `module`; those of all its layers are the same."""
    query_tokens = (batch.source_tokens if module == "encoder_self" else batch.target_tokens)[sentence]
    key_tokens = (batch.target_tokens if module == "decoder_self" else batch.source_tokens)[sentence]
    key_ids = (batch.target_ids if module == "decoder_self" else batch.source_ids)[sentence]
    shape = (len(query_tokens), len(key_tokens))
    padding = padding_mask(torch.from_numpy(key_ids)[None], batch.pad_id)[0, 0].numpy()  # (1, keys)
    return ModuleMasks(
        padding=np.broadcast_to(padding, shape),
        causal=causal_mask(*shape).numpy() if module == "decoder_self" else None,
        combined=np.broadcast_to(recorded.stage(module, 0, "mask")[sentence, 0], shape),
        query_tokens=query_tokens,
        key_tokens=key_tokens,
    )


def label_log_probs(log_probs: Floats, label_ids: Ids) -> Floats:
    """log_probs (T, V), label_ids (T,) → (T,) log p of each label."""
    return log_probs[np.arange(len(label_ids)), label_ids]


def without_mask(batch: PaddedBatch, sentence: int, *, zeros: bool) -> tuple[Intervention, ...]:
    """What takes the padding mask away from encoder self-attention; the decoder still masks the padding of the source.

    Args:
        zeros: whether padding gets zeros as its embedding in its place.
    """
    off = ChangeMask("off", frozenset({"encoder_self"}))
    is_padding = batch.source_ids[sentence : sentence + 1] == batch.pad_id  # (1, S)
    return (off, ZeroPadding(is_padding)) if zeros else (off,)


def padding_leak(model: Transformer, batch: PaddedBatch, sentence: int, *, zeros: bool = False) -> PaddingLeak:
    """How the other sentences of a batch change sentence number `sentence`, merely by being longer.

    "Off" is `without_mask`.
    """
    n_source, n_target = batch.source_lengths[sentence], batch.target_lengths[sentence]
    rows = slice(sentence, sentence + 1)
    targets, labels = batch.target_ids[rows], batch.label_ids[rows]
    alone = record_batch(
        model, batch.source_ids[rows, :n_source], targets[:, :n_target], label_ids=labels[:, :n_target]
    )
    # Only this sentence, at the width of the batch: its neighbours reach it through the padding alone.
    off_changes = without_mask(batch, sentence, zeros=zeros)
    on, off = (record_batch(model, batch.source_ids[rows], targets, changes, labels) for changes in ((), off_changes))

    def change(padded: BatchPass) -> Floats:
        difference = padded.tensors["memory"][0, :n_source] - alone.tensors["memory"][0]  # (L, d_model)
        largest: Floats = np.abs(difference).max(axis=1)
        return largest

    def pad_weight(padded: BatchPass) -> Floats:
        layers = range(n_layers(model.config, "encoder_self"))
        weights = np.stack([padded.stage("encoder_self", layer, "weights")[0] for layer in layers])
        paid: Floats = weights[:, :, :n_source, n_source:].sum(axis=-1)  # (layers, H, S, S) -> (layers, H, L)
        return paid

    return PaddingLeak(
        change(on),
        change(off),
        pad_weight(on),
        pad_weight(off),
        *(padded.label_log_probs[0, :n_target] for padded in (alone, on, off)),
    )


def _pad(rows: Sequence[tuple[Sequence[int], Sequence[str]]], pad_id: int) -> tuple[Ids, Labels]:
    """Ids and labels of each sentence → (B, longest) ids, and as many labels."""
    longest = max(len(ids) for ids, _ in rows)
    ids = np.array([[*ids, *[pad_id] * (longest - len(ids))] for ids, _ in rows], dtype=np.int64)
    return ids, tuple((*tokens, *[PAD] * (longest - len(tokens))) for _, tokens in rows)
