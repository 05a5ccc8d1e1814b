"""A model of OPUS-MT's size in the app: how long its pages take, what they send and what visitors hold.

    python -m bench.big_model [--write] [--keep FOLDER]

The weights are random; sizes and variants are those of a Marian model: 6 + 6 layers of 8 heads, d_model 512, d_ff 2048,
one vocabulary of 65,001, 77 M parameters, swish, sines first, output bias, the padding token as start. Its end token
leans on the position, so that it ends outputs after some 40 tokens.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from torch import Tensor

from viz_transformer import Transformer, TransformerConfig, load, save_checkpoint
from viz_transformer.hooks import active_hooks
from viz_transformer.seeds import seeded
from viz_transformer.tokenizers import Tokenizer

VOCABULARY = 65_001
CONFIG = TransformerConfig(
    source_vocab_size=VOCABULARY,
    target_vocab_size=VOCABULARY,
    activation="swish",
    sines_first=True,
    output_bias=True,
    pad_id=VOCABULARY - 1,
    start_id=VOCABULARY - 1,
    end_id=0,
    unknown_id=3,
)
SOURCE = (
    "Yesterday he bought a new car. I'd like to buy a cheap coat. He didn't sleep well last night. She gave the man a "
    "book, because it was too tired in the street."
)  # 40 tokens, without the end
ENDS_AFTER = 40  # tokens


def build(folder: Path, config: TransformerConfig = CONFIG) -> None:
    """Saves the model in `folder`: the same weights every time."""
    shipped = load("en-de", "cpu")
    source = widened(shipped.source_tokenizer, config.source_vocab_size)
    target = widened(shipped.target_tokenizer, config.target_vocab_size)
    with seeded(0):
        model = Transformer(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("tokens.weight"):
                parameter.mul_(0.3)  # so that the position has its say
            elif parameter.dim() == 2:
                parameter.mul_(1.5 if "w_q" in name or "w_k" in name else 0.5)  # peaked attention
        _lean_end_on_position(model, [*source.encode(SOURCE).ids, config.end_id])
    card = {
        "name": folder.name,
        "source_language": "en",
        "target_language": "de",
        "licence": "CC0-1.0",
        "source": "random weights",
    }
    save_checkpoint(folder, model, source, target, card)


def widened(tokenizer: Tokenizer, size: int) -> Tokenizer:
    """The same with pieces that no text is cut into, up to `size` entries."""
    data = json.loads(tokenizer.to_json())
    vocabulary = data["model"]["vocab"]
    for n in range(size - len(vocabulary)):
        vocabulary[f"▁piece{n}"] = len(vocabulary)
    return Tokenizer.from_json(json.dumps(data, ensure_ascii=False))


def _lean_end_on_position(model: Transformer, source_ids: list[int]) -> None:
    """Gives the end token the row and the bias with which it wins after `ENDS_AFTER` tokens of the greedy output."""
    config, source = model.config, torch.tensor([source_ids])
    assert model.output_projection.bias is not None
    model.output_projection.bias[[config.end_id, config.pad_id]] = -1e4
    states: list[Tensor] = []

    def keep(name: str, tensor: Tensor) -> None:
        if name == "decoder_output":
            states.append(tensor[0, -1])

    memory, cache, written = model.encode(source), model.new_cache(), [config.start_id]
    best = []  # the largest logit of another token
    for _ in range(ENDS_AFTER + 20):
        with active_hooks(keep):
            logits = model.decode(torch.tensor([written[-1:]]), memory, source, cache)[0, -1]
        written.append(int(logits.argmax()))
        best.append(float(logits.max()))
    x = torch.stack(states)  # (steps, d_model)
    late = x[ENDS_AFTER:].mean(dim=0) - x[: ENDS_AFTER - 10].mean(dim=0)
    row = 20 * late / late.norm()
    model.output_projection.weight[config.end_id] = row
    model.output_projection.bias[config.end_id] = best[ENDS_AFTER] - float(x[ENDS_AFTER] @ row) + 0.5
