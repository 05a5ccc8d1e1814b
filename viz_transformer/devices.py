"""Where the model runs: an accelerator where there is one, unless told otherwise."""

from __future__ import annotations

import os

import torch

from viz_transformer.sentences import SentenceError

DEVICE_VARIABLE = "VIZ_DEVICE"


def available_devices() -> tuple[str, ...]:
    """The devices of this machine, the fastest first; "cpu" is always among them."""
    devices = []
    if torch.cuda.is_available():
        devices.append("cuda")
    if torch.backends.mps.is_available():
        devices.append("mps")
    return (*devices, "cpu")


def pick_device(name: str = "auto") -> torch.device:
    """The device called `name`; "auto" takes the environment's VIZ_DEVICE, else the fastest one here.

    Raises:
        ValueError: where this machine has no such device.
    """
    if name == "auto":
        name = os.environ.get(DEVICE_VARIABLE) or "auto"
    devices = available_devices()
    if name == "auto":
        return torch.device(devices[0])
    if name not in devices:
        raise SentenceError(
            "This machine has the devices {devices}; {name!r} is not one of them.",
            devices=", ".join(devices),
            name=name,
        )
    return torch.device(name)
