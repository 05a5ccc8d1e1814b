from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.helpers import assert_near, assert_same_bits, assert_sentence, one, random_ids, random_model
from viz_transformer import CheckpointError, Transformer, load_checkpoint, save_checkpoint
from viz_transformer.checkpoint import MAX_BYTES
from viz_transformer.tokenizers import symbol_tokenizer
from viz_transformer.training.tasks import Task

TOKENIZER = Task("copy").tokenizer()
SOURCE, TARGET = one(random_ids(0, 8)), one([1, 5, 6, 7])
CARD = {"name": "copy", "licence": "CC BY 2.0 FR", "note": "你好"}


def saved(folder: Path, model: Transformer | None = None, **options: Any) -> Path:
    save_checkpoint(folder, model or random_model(), TOKENIZER, TOKENIZER, CARD, **options)
    return folder


@pytest.mark.parametrize("tying", ["all", "target", "none"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "none"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_a_model_saved_in_full_comes_back_exactly(tmp_path: Path, tying: Any, positions: Any, norm_first: bool) -> None:
    model = random_model(weight_tying=tying, positions=positions, norm_first=norm_first)
    loaded, source, target, card = load_checkpoint(saved(tmp_path / "model", model, half=False))
    assert_same_bits(loaded(SOURCE, TARGET), model(SOURCE, TARGET))
    assert loaded.config == model.config
    assert card == CARD
    assert source.encode("12x") == target.encode("12x") == TOKENIZER.encode("12x")


def test_a_model_saved_in_half_precision_differs_by_its_rounding_only(tmp_path: Path) -> None:
    model = random_model()
    loaded, *_ = load_checkpoint(saved(tmp_path))
    for (name, original), read in zip(model.named_parameters(), loaded.parameters(), strict=True):
        assert read.dtype == torch.float32  # computed in float32, whatever is in the file
        assert_same_bits(read, original.half().float())
        assert name
    assert_near(loaded(SOURCE, TARGET), model(SOURCE, TARGET), 0.05)
    assert all(tensor.dtype == torch.float16 for tensor in load_file(tmp_path / "model.safetensors").values())


def test_a_loaded_model_is_ready_for_reading(tmp_path: Path) -> None:
    loaded, *_ = load_checkpoint(saved(tmp_path, random_model(dropout=0.5)))
    assert not loaded.training
    assert not any(parameter.requires_grad for parameter in loaded.parameters())
    assert loaded.output_projection.weight is loaded.target_embedding.tokens.weight


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_a_model_is_loaded_without_a_draw_that_a_training_run_in_another_thread_would_miss(
    tmp_path: Path, positions: Any
) -> None:
    folder = saved(tmp_path, random_model(weight_tying="none", positions=positions))
    before = torch.get_rng_state()
    load_checkpoint(folder)
    assert_same_bits(torch.get_rng_state(), before)


def test_a_shared_matrix_is_written_once(tmp_path: Path) -> None:
    names = set(load_file(saved(tmp_path) / "model.safetensors"))
    assert len([name for name in names if name.endswith("tokens.weight") or name.startswith("output_projection")]) == 1


# --- folders that are no models --------------------------------------------------------------------------------


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def write_bytes(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def change_config(**changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


def change_model(*, max_len: int, **changes: Any) -> Callable[[Path], None]:
    """Another model, whose config then says another `max_len`."""

    def change(folder: Path) -> None:
        saved(folder, random_model(**changes))
        change_config(max_len=max_len)(folder)

    return change


def change_weights(change: Callable[[dict[str, torch.Tensor]], Any]) -> Callable[[Path], None]:
    def rewrite(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        change(weights)
        save_file(weights, folder / "model.safetensors")

    return rewrite


def truncate(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-50])


def change_type(dtype: torch.dtype) -> Callable[[Path], None]:
    return change_weights(lambda weights: weights.update({ONE_NAN: weights[ONE_NAN].to(dtype)}))


def other_tokenizer(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(symbol_tokenizer("abc").to_json()) and None


ONE_NAN = "encoder_layers.0.feed_forward.w_1.weight"
FILES = ["model.safetensors", "config.json", "source_tokenizer.json", "target_tokenizer.json", "card.json"]
WRONG: list[tuple[str, Callable[[Path], None], tuple[str, ...]]] = [
    *((f"without {name}", remove(name), (name,)) for name in FILES),
    ("truncated weights", truncate, ("model.safetensors",)),
    ("empty weights", write_bytes("model.safetensors", b""), ("model.safetensors",)),
    ("a zip as weights", write_bytes("model.safetensors", b"PK\3\4" + b"\0" * 60), ("model.safetensors",)),
    (
        "a header of a terabyte",
        write_bytes("model.safetensors", (2**40).to_bytes(8, "little") + b"{}"),
        ("model.safetensors",),
    ),
    ("a matrix of another shape", change_config(d_ff=25), ("w_1.bias", "25", "24")),
    ("a layer too many", change_config(n_decoder_layers=3), ("decoder_layers.2", "absent")),
    ("a layer too few", change_config(n_encoder_layers=1), ("encoder_layers.1", "absent")),
    ("no table of positions", change_config(positions="learned"), ("positions.table", "absent")),
    ("NaN", change_weights(lambda w: w[ONE_NAN].fill_(torch.nan)), ("model.safetensors",)),
    ("one infinity", change_weights(lambda w: w[ONE_NAN][0].copy_(torch.tensor(torch.inf))), ("model.safetensors",)),
    ("integers", change_weights(lambda w: w.update({ONE_NAN: w[ONE_NAN].long()})), ("model.safetensors",)),
    *(
        (str(dtype), change_type(dtype), ("model.safetensors", str(dtype).removeprefix("torch."), "bfloat16"))
        for dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.complex64, torch.bool)
    ),
    ("an unknown field", change_config(rotary=True), ("config.json", "rotary")),
    ("a wrong field", change_config(d_model="wide"), ("config.json", "d_model", "'wide'")),
    ("another vocabulary size", change_config(source_vocab_size=15, target_vocab_size=15), ("14", "15")),
    ("another source tokenizer", other_tokenizer("source_tokenizer.json"), ("source_tokenizer.json", "7", "14")),
    ("another target tokenizer", other_tokenizer("target_tokenizer.json"), ("target_tokenizer.json", "7", "14")),
    *(
        (f"{name} not UTF-8", write_bytes(name, b'{"a": "\xff\xfe"}'), (name,))
        for name in FILES
        if name.endswith("json")
    ),
    *((f"{name} no JSON", write_bytes(name, b"{"), (name,)) for name in FILES if name.endswith("json")),
    *((f"{name} a list", write_bytes(name, b"[]"), (name,)) for name in FILES if name.endswith("json")),
    *((f"{name} too deep", write_bytes(name, b"[" * 100_000), (name,)) for name in FILES if name.endswith("json")),
    # Hostile sizes: no memory may be taken and no time spent on what the weights do not hold.
    ("a table of 128 MiB", change_model(d_model=32, max_len=2**20), ("config.json", "max_len", "131072")),
    ("a table of 8 TB", change_config(max_len=10**12), ()),
    ("a number beyond 64 bits as max_len", change_config(max_len=10**30), ()),
    ("a number beyond 64 bits as d_model", change_config(d_model=10**30), ()),
    ("a width whose square overflows", change_config(d_model=2**40), ()),
    ("a feed-forward whose size overflows", change_config(d_ff=2**62), ()),
    ("a million layers", change_config(n_encoder_layers=10**6), ()),
]


@pytest.mark.timeout(30)  # a hostile config must not keep a server busy; all others take milliseconds
@pytest.mark.parametrize(("spoil", "named"), [(s, n) for _, s, n in WRONG], ids=[name for name, _, _ in WRONG])
def test_a_wrong_folder_is_refused_with_a_sentence(
    tmp_path: Path, spoil: Callable[[Path], None], named: tuple[str, ...]
) -> None:
    spoil(saved(tmp_path, half=False))
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(tmp_path)
    assert_sentence(caught.value, *named)


def test_a_folder_that_does_not_exist_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(tmp_path / "nowhere")
    assert_sentence(caught.value, "nowhere")


def test_a_folder_with_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    saved(tmp_path)
    os.truncate(tmp_path / "card.json", MAX_BYTES + 1)  # sparse: takes no space on the disk
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(tmp_path)
    assert_sentence(caught.value, "512")


# --- pickles ---------------------------------------------------------------------------------------------------


class Payload:
    """Makes a folder when it is unpickled: the harmless sibling of what an attacker would write."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.folder,)


def plain_pickle(path: Path, payload: Payload) -> None:
    path.write_bytes(pickle.dumps(payload))


def torch_pickle(path: Path, payload: Payload) -> None:
    torch.save({"weights": payload}, path)


@pytest.mark.parametrize("write", [plain_pickle, torch_pickle])
@pytest.mark.parametrize("name", FILES)
def test_no_file_of_a_model_is_ever_unpickled(tmp_path: Path, write: Any, name: str) -> None:
    saved(tmp_path / "model")
    write(tmp_path / "model" / name, Payload(tmp_path / "owned"))
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(tmp_path / "model")
    assert_sentence(caught.value, name)
    assert not (tmp_path / "owned").exists()


def test_the_payload_of_the_test_above_is_live(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Payload(tmp_path / "owned")))
    assert (tmp_path / "owned").is_dir()
