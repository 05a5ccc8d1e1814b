"""What Python refuses to read as a config, the front end refuses as well, with the same sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.helpers import tiny_config
from tests.live.asking import Asked, answers
from tests.live.test_configs import random_model, save
from viz_transformer.checkpoint import CheckpointError, read_config

BAD: list[dict[str, Any]] = [
    {"d_modle": 3},
    {"d_model": 15},
    {"d_model": 0},
    {"d_model": 2.5},
    {"d_model": True},
    {"d_model": "16"},
    {"n_heads": None},
    {"n_heads": 3},
    {"n_decoder_heads": 3},
    {"n_decoder_heads": 0},
    {"decoder_d_ff": 2**21},
    {"n_encoder_layers": 257},
    {"dropout": 1},
    {"attention_dropout": False},
    {"final_norms": 1},
    {"causal": 0},
    {"positions": "rotary"},
    {"activation": None},
    {"d_model": 15, "n_heads": 3},
    {"max_len": 2**20},
    {"source_vocab_size": 15},
    {"start_id": 14},
    {"pad_id": -1},
]


def test_a_bad_config_is_refused_with_the_same_sentence(tmp_path: Path) -> None:
    model = random_model(tiny_config(), 0, torch.float32)
    asked = []
    for n, changes in enumerate(BAD):
        folder = tmp_path / str(n)
        save(folder, model, torch.float32)
        (folder / "config.json").write_text(json.dumps(model.config.to_dict() | changes), encoding="utf-8")
        asked.append(Asked(folder, [], is_whole=False))
    for changes, one, answer in zip(BAD, asked, answers(tmp_path, asked), strict=True):
        assert one.folder is not None
        with pytest.raises(CheckpointError) as error:
            read_config(one.folder / "config.json")
        expected = str(error.value).removeprefix("config.json: ")
        # A value is shown as each language writes it: True or true.
        without_value = re.compile(r"it was [^;]*\.$")
        assert without_value.sub("", answer["refused"]) == without_value.sub("", expected), changes
