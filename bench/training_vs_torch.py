"""Training speed on the CPU: this project's loop, and a plain loop around `torch.nn.Transformer` of the same size.

    python -m bench.training_vs_torch [--repeats 5] [--steps 40] [--write]

Both train on the same batches, in one process, with one thread, and take turns, so that other work on the machine slows
both. The plain loop has what a tutorial's has: embeddings times √d_model, sinusoidal positions, masks, Adam, and
cross-entropy with label smoothing. This project's does more at each step: it clips gradients, sets the learning rate,
keeps the average of the weights, and reports the loss. The median of the repeats counts; speeds are by the processor's
time, which other work on the machine leaves alone, and by the clock beside it.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from statistics import median

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bench.report import Report, machine
from viz_transformer import Transformer, TransformerConfig
from viz_transformer.layers import sinusoidal_encoding
from viz_transformer.tokenizers import PAD_ID
from viz_transformer.training.corpus import Batch, TaskBatches
from viz_transformer.training.loop import Trainer, TrainingOptions
from viz_transformer.training.tasks import Task

SIZES = {
    "training page: d_model 64, 1 + 1 layers": (48, {"d_model": 64, "n_heads": 4, "d_ff": 128, "layers": 1}),
    "copy, as shipped: d_model 64, 2 + 2 layers": (64, {"d_model": 64, "n_heads": 4, "d_ff": 256, "layers": 2}),
    "d_model 128, 3 + 3 layers": (64, {"d_model": 128, "n_heads": 8, "d_ff": 512, "layers": 3}),
}
LOOPS = ("this project", "`torch.nn.Transformer`", "the same with fused Adam")
MAX_LEN, VOCAB = 17, 14
DROPOUT, SMOOTHING, RATE = 0.1, 0.1, 3e-3


class PlainModel(nn.Module):
    """`nn.Transformer` with what it leaves to its user; one matrix for both embeddings and the output, as in ours."""

    def __init__(self, d_model: int, n_heads: int, d_ff: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, d_model)
        self.register_buffer("positions", sinusoidal_encoding(torch.arange(MAX_LEN), d_model))
        self.dropout = nn.Dropout(DROPOUT)
        self.transformer = nn.Transformer(d_model, n_heads, layers, layers, d_ff, DROPOUT, batch_first=True)
        self.transformer.encoder.norm = self.transformer.decoder.norm = None  # post-norm needs none at the end
        self.scale = math.sqrt(d_model)

    def embed(self, ids: Tensor) -> Tensor:
        """(B, L) → (B, L, d_model)"""
        return self.dropout(self.embedding(ids) * self.scale + self.positions[: ids.shape[1]])

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """(B, S), (B, T) → (B, T, V)"""
        length = target_ids.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool).triu(1)  # True = masked, the other way round than ours
        padding = source_ids == PAD_ID
        decoded = self.transformer(
            self.embed(source_ids),
            self.embed(target_ids),
            tgt_mask=causal,
            tgt_is_causal=True,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_key_padding_mask=target_ids == PAD_ID,
        )
        return F.linear(decoded, self.embedding.weight)


def plain_loop(model: PlainModel, *, fused: bool) -> Callable[[list[Batch]], None]:
    """The loop of a tutorial; ours has the fused Adam."""
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98), eps=1e-9, fused=fused)
    model.train()

    def run(batches: list[Batch]) -> None:
        for batch in batches:
            logits = model(batch.source_ids, batch.target_ids)
            loss = F.cross_entropy(
                logits.flatten(0, 1), batch.label_ids.flatten(), ignore_index=PAD_ID, label_smoothing=SMOOTHING
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return run


def our_loop(config: TransformerConfig) -> tuple[Transformer, Callable[[list[Batch]], None]]:
    """`Trainer`, given the very same batches."""
    given: list[Batch] = []
    trainer = Trainer(Transformer(config), given, TrainingOptions(steps=10**6, learning_rate=RATE, warmup=100))

    def run(batches: list[Batch]) -> None:
        given.extend(batches)
        trainer.run(len(given))

    return trainer.model, run


def measure(name: str, repeats: int, steps: int) -> list[str]:
    """The row of one size."""
    batch_size, size = SIZES[name]
    layers = size["layers"]
    config = TransformerConfig(
        source_vocab_size=VOCAB,
        target_vocab_size=VOCAB,
        d_model=size["d_model"],
        n_heads=size["n_heads"],
        d_ff=size["d_ff"],
        n_encoder_layers=layers,
        n_decoder_layers=layers,
        max_len=MAX_LEN,
        dropout=DROPOUT,
        attention_dropout=DROPOUT,  # nn.Transformer drops weights too
    )
    torch.manual_seed(0)
    plain = PlainModel(**size)
    ours, run_ours = our_loop(config)
    parameters = [sum(p.numel() for p in model.parameters()) for model in (ours, plain)]
    # nn.Transformer drops values inside its feed-forward layers as well; it has no parameter more.
    assert parameters[0] == parameters[1], parameters
    loops = {
        LOOPS[0]: run_ours,
        LOOPS[1]: plain_loop(plain, fused=False),
        LOOPS[2]: plain_loop(PlainModel(**size), fused=True),
    }
    source = TaskBatches(Task("copy"), batch_size, seed=0)
    times: dict[str, list[tuple[float, float]]] = {loop: [] for loop in loops}
    tokens = []
    for repeat in range(repeats + 1):
        batches = [source[repeat * steps + n] for n in range(steps)]
        for loop, run in loops.items():
            clock, processor = time.perf_counter(), time.process_time()
            run(batches)
            if repeat:  # the first warms up
                times[loop].append((time.process_time() - processor, time.perf_counter() - clock))
        tokens.append(sum(int((batch.label_ids != PAD_ID).sum()) for batch in batches))
    by_processor, by_clock = (
        [median(count / one[n] for count, one in zip(tokens[1:], measured, strict=True)) for measured in times.values()]
        for n in (0, 1)
    )
    return [
        f"{name}; {parameters[0]:,} parameters, {batch_size} sequences a batch",
        *(f"{speed:,.0f}" for speed in by_processor),
        ", ".join(f"{by_processor[0] / speed:.2f}" for speed in by_processor[1:]),
        ", ".join(f"{speed:,.0f}" for speed in by_clock),
    ]


def main() -> None:
    """All sizes, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    options, report = parser.parse_args(), Report()
    torch.set_num_threads(1)
    report.head("size", *LOOPS, "ratios", "the three by the clock")
    for name in SIZES:
        report.row(measure(name, options.repeats, options.steps))
    if options.write:
        command = f"python -m bench.training_vs_torch --repeats {options.repeats} --steps {options.steps}"
        report.write("training_vs_torch", command, machine("torch"))


if __name__ == "__main__":
    main()
