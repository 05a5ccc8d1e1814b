"""What recording costs: a pass with its recording, and with every stage kept, beside the plain pass.

    python -m bench.recording [--repeats 9] [--write]

One source and one target of T tokens, one thread. The three take turns, so that all meet what the machine does besides;
the median of the repeats counts, each the median of many passes, by the processor's time. "Kept" is the memory behind
all tensors that stay after the pass, each counted once.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Mapping
from statistics import median

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from torch import Tensor

from bench.report import Report, machine
from viz_transformer import Transformer, TransformerConfig, active_hooks, record

LENGTHS = (20, 128, 512)
SIZES = {128: 4, 256: 8}  # d_model: heads; 2 + 2 layers
VOCABULARY = 8000


def model_of(d_model: int) -> Transformer:
    """A model with random weights: its time does not depend on their values."""
    config = TransformerConfig(
        source_vocab_size=VOCABULARY,
        target_vocab_size=VOCABULARY,
        d_model=d_model,
        n_heads=SIZES[d_model],
        n_encoder_layers=2,
        n_decoder_layers=2,
        d_ff=4 * d_model,
        max_len=max(LENGTHS),
    )
    return Transformer(config).eval().requires_grad_(False)


def every_stage(model: Transformer, source: Tensor, target: Tensor) -> dict[str, Tensor]:
    """Every stage of a pass, kept by a hook."""
    seen: dict[str, Tensor] = {}

    def see(name: str, tensor: Tensor) -> None:
        seen[name] = tensor

    with active_hooks(see):
        model(source, target)
    return seen


def processor_time(run: Callable[[], object], passes: int) -> float:
    """The median of so many passes, in ms."""
    times = []
    for _ in range(passes):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return 1000 * median(times)


def mebibytes(tensors: Mapping[str, Tensor]) -> float:
    """The memory behind them, counted once."""
    storages = (tensor.untyped_storage() for tensor in tensors.values())
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values()) / 2**20


@torch.inference_mode()
def measure(report: Report, d_model: int, length: int, repeats: int) -> None:
    """One row of the table."""
    model = model_of(d_model)
    dice = torch.Generator().manual_seed(0)
    source, target = (torch.randint(4, VOCABULARY, (1, length), generator=dice) for _ in range(2))
    runs: tuple[Callable[[], object], ...] = (
        lambda: model(source, target),
        lambda: record(model, source, target),
        lambda: every_stage(model, source, target),
    )
    passes = max(5, 2000 // length)
    for run in runs:
        run()
    times = [[processor_time(run, passes) for run in runs] for _ in range(repeats)]
    plain = median(row[0] for row in times)
    recorded, every = (median(row[n] / row[0] for row in times) for n in (1, 2))
    kept, all_kept = mebibytes(record(model, source, target)[1].kept), mebibytes(every_stage(model, source, target))
    report.row(
        [d_model, length, f"{plain:.1f} ms", f"× {recorded:.2f}", f"× {every:.2f}", f"{kept:.1f}", f"{all_kept:.1f}"]
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    torch.set_num_threads(1)
    report = Report()
    report.head("d_model", "T", "plain pass", "recorded", "every stage kept", "kept, MiB", "every stage, MiB")
    for d_model in SIZES:
        for length in LENGTHS:
            measure(report, d_model, length, options.repeats)
    if options.write:
        report.write("recording", "python -m bench.recording", machine())


if __name__ == "__main__":
    main()
