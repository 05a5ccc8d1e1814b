"""One training loop for every model of the project (paper §5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Protocol

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from viz_transformer.model import Transformer
from viz_transformer.sentences import SentenceError
from viz_transformer.tokenizers import PAD_ID
from viz_transformer.training.corpus import Batch

OPTIMIZERS = ("adam", "muon")
PRECISIONS = ("float32", "bfloat16")
STATE = ("step", "exp_avg", "exp_avg_sq", "momentum_buffer")  # what Adam and Muon keep of each parameter


@dataclass(frozen=True)
class TrainingOptions:
    """How to train. The defaults follow §5.3 and §5.4 of the paper where they apply to small models.

    Attributes:
        learning_rate: the peak, reached after `warmup` steps; then it falls with 1/√step, as in the paper.
        cooldown: the share of the steps, at the end, over which the learning rate also falls linearly to 0.
        average: decay of the exponential moving average of the weights, which is what is saved; 0 for none.
        optimizer: "adam", as in the paper, or "muon": Muon (Jordan et al. 2024), which learns more from a step, for the
            matrices of the sublayers, Adam for all else.
        precision: of a step's matrix products: "float32", or "bfloat16", which is faster on some processors.
    """

    steps: int = 2000
    learning_rate: float = 2e-3
    warmup: int = 200
    cooldown: float = 0.4
    label_smoothing: float = 0.1
    clip: float = 1.0
    average: float = 0.999
    seed: int = 0
    optimizer: str = "adam"
    precision: str = "float32"

    def __post_init__(self) -> None:
        for name in ("steps", "warmup"):
            if getattr(self, name) < 1:
                raise SentenceError("{name} must be at least 1; it was {value}.", name=name, value=getattr(self, name))
        for name in ("cooldown", "label_smoothing", "average"):
            if not 0 <= getattr(self, name) < 1:
                raise SentenceError(
                    "{name} must be at least 0 and less than 1; it was {value}.",
                    name=name,
                    value=getattr(self, name),
                )
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise SentenceError("{name} must be above 0; it was {value}.", name=name, value=getattr(self, name))
        for name, allowed in (("optimizer", OPTIMIZERS), ("precision", PRECISIONS)):
            if getattr(self, name) not in allowed:
                choices = " or ".join(allowed)
                raise SentenceError(
                    "{name} must be {choices}; it was {value!r}.",
                    name=name,
                    choices=choices,
                    value=getattr(self, name),
                )

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of step 1, 2, …: the paper's warm-up and decay (§5.3), then the cool-down."""
        rate: float = self.learning_rate * min(step / self.warmup, (self.warmup / step) ** 0.5)
        start = self.steps * (1 - self.cooldown)
        if step > start:
            rate *= (self.steps + 1 - step) / (self.steps + 1 - start)
        return rate


@dataclass(frozen=True)
class Report:
    """What one step of training reports."""

    step: int
    loss: float  # nats per token, label smoothing included
    learning_rate: float
    tokens_per_second: float  # target tokens


class Batches(Protocol):
    """A batch for every step number; the same number gives the same batch."""

    def __getitem__(self, step: int, /) -> Batch: ...


def token_loss(model: Transformer, batch: Batch, label_smoothing: float = 0.0) -> Tensor:
    """Mean cross-entropy of the labels, padding left out, in nats a token."""
    logits = model(batch.source_ids, batch.target_ids)
    return mean_loss(logits, batch.label_ids, label_smoothing, pad_id=model.config.pad_id)


def mean_loss(logits: Tensor, label_ids: Tensor, label_smoothing: float = 0.0, *, pad_id: int = PAD_ID) -> Tensor:
    """The mean cross-entropy as in `token_loss`, from logits (B, T, V) and labels (B, T)."""
    return F.cross_entropy(
        logits.flatten(0, 1), label_ids.flatten(), ignore_index=pad_id, label_smoothing=label_smoothing
    )


def _optimizers(model: Transformer, options: TrainingOptions) -> list[torch.optim.Optimizer]:
    matrices: list[Tensor] = []
    if options.optimizer == "muon":
        layers = (*model.encoder_layers, *model.decoder_layers)
        matrices = [parameter for layer in layers for parameter in layer.parameters() if parameter.ndim == 2]
    others = [parameter for parameter in model.parameters() if not any(parameter is matrix for matrix in matrices)]
    rate = options.learning_rate
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.Adam(others, lr=rate, betas=(0.9, 0.98), eps=1e-9, fused=True)
    ]
    if matrices:  # Muon's steps are scaled to the size of Adam's, so that one learning rate fits both
        optimizers.append(torch.optim.Muon(matrices, lr=rate, weight_decay=0, adjust_lr_fn="match_rms_adamw"))
    return optimizers


class Trainer:
    """Trains `model` on `batches`; can stop after any step, save its state, and go on as if it had never stopped.

    Adam with β = (0.9, 0.98), ε = 1e-9 (§5.3), or Muon beside it; gradient clipping, label smoothing (§5.4).
    """

    def __init__(self, model: Transformer, batches: Batches, options: TrainingOptions) -> None:
        self.model, self.batches, self.options = model, batches, options
        self.step = 0
        self.seconds = 0.0
        self.optimizers = _optimizers(model, options)
        self._averages = [parameter.detach().clone() for parameter in model.parameters()]
        torch.manual_seed(options.seed)

    def run(self, until: int | None = None, on_step: Callable[[Report], None] = lambda report: None) -> None:
        """Trains up to step `until` (default: all of them)."""
        until = self.options.steps if until is None else min(until, self.options.steps)
        self.model.train()
        while self.step < until:
            on_step(self._train_step())
        self.model.eval()

    def _train_step(self) -> Report:
        started = perf_counter()
        batch = self.batches[self.step].to(self.model.device)
        self.step += 1
        rate = self.options.learning_rate_at(self.step)
        with torch.autocast(batch.source_ids.device.type, torch.bfloat16, self.options.precision == "bfloat16"):
            loss = self.loss(batch)
        self.model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.options.clip)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
        self._average()
        seconds = perf_counter() - started
        self.seconds += seconds
        tokens = int((batch.label_ids != self.model.config.pad_id).sum())
        return Report(self.step, loss.item(), rate, tokens / seconds)

    def loss(self, batch: Batch) -> Tensor:
        """The loss that a step minimises."""
        return token_loss(self.model, batch, self.options.label_smoothing)

    @torch.no_grad()
    def _average(self) -> None:
        decay = min(self.options.average, self.step / (self.step + 9))  # short at first, to forget the initial weights
        torch._foreach_lerp_(self._averages, [p.detach() for p in self.model.parameters()], 1 - decay)

    @torch.no_grad()
    def averaged_model(self) -> Transformer:
        """A copy of the model, in eval mode, with the average of the weights."""
        model = deepcopy(
            self.model
        )  # building a new one would draw random numbers, and the run would go on differently
        for parameter, average in zip(model.parameters(), self._averages, strict=True):
            parameter.copy_(average)
        return model.eval().requires_grad_(False)

    def _state_of(self, parameter: Tensor) -> dict[str, Tensor]:
        """What an optimizer keeps of `parameter`."""
        return next(
            optimizer.state[parameter]
            for optimizer in self.optimizers
            if any(parameter is one for group in optimizer.param_groups for one in group["params"])
        )

    def save(self, folder: str | Path) -> None:
        """Everything that a resumed run needs, as safetensors and JSON."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        tensors = {"rng": torch.get_rng_state()}
        if self.model.device.type == "cuda":
            tensors["rng.cuda"] = torch.cuda.get_rng_state(self.model.device)
        for (name, parameter), average in zip(self.model.named_parameters(), self._averages, strict=True):
            tensors[f"model.{name}"], tensors[f"average.{name}"] = parameter.detach(), average
            for key, value in self._state_of(parameter).items():
                tensors[f"{key}.{name}"] = value
        partial = folder / "state.safetensors.partial"
        state = {"step": str(self.step), "seconds": str(self.seconds), "options": json.dumps(asdict(self.options))}
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, partial, metadata=state)
        partial.replace(folder / "state.safetensors")  # whole or not at all

    def resume(self, folder: str | Path) -> None:
        """Continues from what `save` wrote, towards as many steps as the options say now.

        Raises:
            FileNotFoundError: where there is no such state.
            ValueError: where it is broken, is past the last step, or the run had other options or another model.
        """
        path = Path(folder) / "state.safetensors"
        if not path.is_file():
            raise FileNotFoundError(f"There is no saved state {str(path)!r} to resume from.")
        try:
            with safe_open(path, framework="pt") as file:
                state: dict[str, str] = file.metadata() or {}
            tensors = load_file(path)
        except SafetensorError as error:
            raise SentenceError("{path} is not the saved state of a run: {reason}.", path=path, reason=error) from error
        if not {"options", "step", "seconds"} <= state.keys():
            raise SentenceError("{path} is not the saved state of a run.", path=path)
        if json.loads(state["options"]) | {"steps": self.options.steps} != asdict(self.options):
            raise SentenceError(
                "{path} belongs to a run with different options: {options}.", path=path, options=state["options"]
            )
        saved = {name: tensors[name].shape for name in tensors if name.startswith("model.")}
        if saved != {f"model.{name}": parameter.shape for name, parameter in self.model.named_parameters()}:
            raise SentenceError("{path} belongs to a run of another model.", path=path)
        if int(state["step"]) > self.options.steps:
            raise SentenceError(
                "{path} was saved at step {step}, beyond this run's last step.", path=path, step=state["step"]
            )
        self.step, self.seconds = int(state["step"]), float(state["seconds"])
        with torch.no_grad():
            for (name, parameter), average in zip(self.model.named_parameters(), self._averages, strict=True):
                parameter.copy_(tensors[f"model.{name}"])
                average.copy_(tensors[f"average.{name}"])
                self._state_of(parameter).update(
                    (key, tensors[f"{key}.{name}"].to(parameter.device)) for key in STATE if f"{key}.{name}" in tensors
                )
        torch.set_rng_state(tensors["rng"])
        if "rng.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["rng.cuda"], self.model.device)
