"""Models that are broken, each in one way: functions that spoil a folder which `save_valid` wrote.

Run as a program, `python -m tests.broken_models VALID FOLDER…` tries to load each, in one process, and writes JSON
objects, one a line: before each try, which model it is, and after it, what came of it.
"""

from __future__ import annotations

import faulthandler
import io
import json
import os
import pickle
import resource
import struct
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from tests.helpers import random_model
from viz_transformer import save_checkpoint
from viz_transformer.checkpoint import CARD, CONFIG, SOURCE_TOKENIZER, TARGET_TOKENIZER, WEIGHTS
from viz_transformer.tokenizers import train_tokenizer
from viz_transformer.training.tasks import Task

FILES = (WEIGHTS, CONFIG, SOURCE_TOKENIZER, TARGET_TOKENIZER, CARD)
JSON_FILES = FILES[1:]
HANGS = 60  # seconds, after which a model counts as one that never ends
MATRIX = "encoder_layers.0.feed_forward.w_1.weight"
LINES = ["I love the cat.", "I don't love you.", "We'll love the cats, maybe at 10:30."] * 3

Spoil = Callable[[Path], object]
BROKEN: dict[str, tuple[Spoil, tuple[str, ...]]] = {}  # by name: how, and what the sentence names


def save_valid(folder: Path) -> Path:
    """A model of a few thousand numbers that reads English pieces and writes digits."""
    source, target = train_tokenizer(LINES, 160, "en"), Task("copy").tokenizer()
    model = random_model(weight_tying="target", source_vocab_size=source.vocab_size, d_ff=24)
    save_checkpoint(folder, model, source, target, {"name": "tiny", "task": None})
    return folder


def broken(name: str, *named: str) -> Callable[[Spoil], Spoil]:
    """Puts a way of breaking a model on the list, with the words that the sentence about it must have."""

    def listed(spoil: Spoil) -> Spoil:
        assert name not in BROKEN, name
        BROKEN[name] = spoil, named
        return spoil

    return listed


def content(file: str, data: bytes) -> Spoil:
    """Replaces the content of one file."""
    return lambda folder: (folder / file).write_bytes(data)


def instead(file: str, put: Callable[[Path], object]) -> Spoil:
    """Replaces one file by whatever `put` makes at its path."""

    def spoil(folder: Path) -> None:
        (folder / file).unlink()
        put(folder / file)

    return spoil


def fields(file: str, **changes: Any) -> Spoil:
    """Changes fields of a JSON file; a dictionary called `model` changes fields within the tokenizer's model."""

    def spoil(folder: Path) -> None:
        data = json.loads((folder / file).read_text(encoding="utf-8"))
        model = changes.get("model")
        inner = {"model": {**data["model"], **model}} if isinstance(model, dict) else {}
        (folder / file).write_text(json.dumps({**data, **changes, **inner}), encoding="utf-8")

    return spoil


def texts(file: str, before: str, after: str) -> Spoil:
    """Replaces the first `before` in a file by `after`."""

    def spoil(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert before in text
        (folder / file).write_text(text.replace(before, after, 1), encoding="utf-8")

    return spoil


def tensors(change: Callable[[dict[str, torch.Tensor]], object]) -> Spoil:
    """Changes the weights."""

    def spoil(folder: Path) -> None:
        weights = load_file(folder / WEIGHTS)
        change(weights)
        save_file(weights, folder / WEIGHTS)

    return spoil


def header(entries: Any, data: bytes = b"", length: int | None = None) -> Spoil:
    """Writes a safetensors file with this list of tensors as its header, whose stated `length` may be wrong."""
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return content(WEIGHTS, struct.pack("<Q", len(text) if length is None else length) + text + data)


def entry(start: int, end: int, shape: list[int], kind: str = "F16") -> dict[str, Any]:
    """One tensor in the list of a safetensors file."""
    return {"dtype": kind, "shape": shape, "data_offsets": [start, end]}


def both(*spoils: Spoil) -> Spoil:
    """Applies all of them, one after the other."""
    return lambda folder: [spoil(folder) for spoil in spoils]


class Payload:
    """Ends the process when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (13,)


# --- all five files ----------------------------------------------------------------------------------------------

for _file in FILES:
    broken(f"{_file}: missing", _file)(lambda folder, file=_file: (folder / file).unlink())
    broken(f"{_file}: empty", _file)(content(_file, b""))
    broken(f"{_file}: a pickle", _file)(content(_file, pickle.dumps(Payload())))
    broken(f"{_file}: random bytes", _file)(content(_file, bytes(range(256)) * 40))
    broken(f"{_file}: a pipe", _file)(instead(_file, os.mkfifo))
    broken(f"{_file}: endless zeros", _file)(instead(_file, lambda path: path.symlink_to("/dev/zero")))
    broken(f"{_file}: a link to itself", _file)(instead(_file, lambda path: path.symlink_to(path)))
    broken(f"{_file}: a folder", _file)(instead(_file, lambda path: path.mkdir()))
for _file in JSON_FILES:
    broken(f"{_file}: cut off", _file)(lambda folder, file=_file: os.truncate(folder / file, 20))
    broken(f"{_file}: a list", _file)(content(_file, b"[1, 2]"))
    broken(f"{_file}: a number of 5,000 digits", _file)(content(_file, b'{"a": ' + b"9" * 5000 + b"}"))
    broken(f"{_file}: nested", _file)(content(_file, b'{"a":' * 200_000 + b"1" + b"}" * 200_000))
    broken(f"{_file}: two million lists", _file)(
        content(_file, b'{"a": [' + (b"[" * 900 + b"]" * 900 + b",") * 2200 + b"1]}")
    )
    broken(f"{_file}: a million numbers", _file)(content(_file, b'{"a": [' + b"999," * 10**6 + b"1]}"))
    broken(f"{_file}: 400 MB of spaces", _file)(lambda folder, file=_file: os.truncate(folder / file, 400 * 2**20))
    broken(f"{_file}: a name twice", _file, "twice")(texts(_file, "{", '{"name": 1, "name": 2, '))
    broken(f"{_file}: NaN", _file, "NaN")(texts(_file, "{", '{"version": NaN, '))
    broken(f"{_file}: 1e400", _file, "1e400")(texts(_file, "{", '{"version": 1e400, '))
    broken(f"{_file}: UTF-16", _file)(
        lambda folder, file=_file: (folder / file).write_bytes((folder / file).read_text().encode("utf-16"))
    )

# --- config ------------------------------------------------------------------------------------------------------

_SIZES = (
    "source_vocab_size", "target_vocab_size", "d_model", "n_heads", "n_encoder_layers", "n_decoder_layers", "d_ff",
    "max_len", "pad_id", "start_id", "end_id", "unknown_id", "n_decoder_heads", "decoder_d_ff",
)  # fmt: skip
_WRONG_SIZES: dict[str, Any] = {
    "none": None, "true": True, "a half": 2.5, "a text": "4", "a list": [4], "below 0": -1, "2**63": 2**63,
    "10**40": 10**40,
}  # fmt: skip
for _name in _SIZES:
    for _what, _value in _WRONG_SIZES.items():
        if _value is None and _name in ("n_decoder_heads", "decoder_d_ff"):
            continue  # as in the encoder
        broken(f"config: {_name} is {_what}", CONFIG, _name)(fields(CONFIG, **{_name: _value}))
for _name, _value in {
    "dropout": "0.1", "attention_dropout": 1, "norm_first": 1, "scale_embeddings": None, "scale_scores": "yes",
    "causal": 0, "residuals": [], "sines_first": 1, "embedding_norm": "no", "final_norms": 0, "output_bias": None,
    "positions": "rotary", "weight_tying": {}, "activation": 3, "sublayers": "neither",
}.items():  # fmt: skip
    broken(f"config: {_name} is {_value!r}", CONFIG, _name)(fields(CONFIG, **{_name: _value}))
for _name, _changes, _named in (
    ("an unknown field", {"rotary": 1}, ("rotary",)),
    ("a field of 50,000 characters", {"x" * 50_000: 1}, ("xxx",)),
    ("a value of 50,000 characters", {"positions": "<b>" * 15_000}, ("positions",)),
    ("a thousand unknown fields", {f"field {n}": n for n in range(1000)}, ("field 0",)),
    ("heads that do not divide the width", {"n_heads": 7}, ("n_heads",)),
    ("a table of positions of 64 MB", {"max_len": 2**20}, ("max_len",)),
    ("the widest model", {"d_model": 2**20, "n_heads": 1, "max_len": 1, "d_ff": 2**20}, (WEIGHTS,)),
    ("the largest vocabularies", {"source_vocab_size": 2**20, "target_vocab_size": 2**20}, (WEIGHTS,)),
    ("as many layers as there may be", {"n_encoder_layers": 256, "n_decoder_layers": 256}, (WEIGHTS, "layers.")),
    ("a layer too few", {"n_decoder_layers": 1}, (WEIGHTS, "decoder_layers.1", "absent")),
    ("learned positions without their table", {"positions": "learned"}, (WEIGHTS, "table")),
    ("pre-norm without the last norms", {"norm_first": True}, (WEIGHTS, "norm")),
    ("attention alone, of a model that has more", {"sublayers": "attention"}, (WEIGHTS, "feed_forward")),
    ("embeddings that are not tied", {"weight_tying": "none"}, (WEIGHTS, "output_projection")),
    ("one embedding for two vocabularies", {"weight_tying": "all"}, (CONFIG, "weight_tying")),
    ("padding that is a word", {"pad_id": 5}, (CONFIG, "pad_id", "5")),
    ("padding that is the start token", {"pad_id": 1}, (CONFIG, "pad_id", "1")),
    ("a start that is a word", {"start_id": 6}, (CONFIG, "start_id", "6")),
    ("an end that is a word", {"end_id": 7}, (CONFIG, "end_id", "7")),
    ("an end that is the start", {"end_id": 1}, (CONFIG, "end_id", "1")),
    ("a bias that the weights lack", {"output_bias": True}, (WEIGHTS, "output_projection.bias", "absent")),
    ("a decoder of another width", {"decoder_d_ff": 25}, (WEIGHTS, "decoder_layers.0", "25")),
    ("decoder heads that do not divide the width", {"n_decoder_heads": 7}, ("n_heads", "7")),
):
    broken(f"config: {_name}", *_named)(fields(CONFIG, **_changes))
broken("config: dropout is -Infinity", CONFIG, "-Infinity")(texts(CONFIG, '"dropout": 0.1', '"dropout": -Infinity'))

# --- tokenizers --------------------------------------------------------------------------------------------------

_PADDING = {"direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>"}
_REPLACE = {"type": "Replace", "pattern": {"Regex": "."}, "content": "a" * 1000}
_SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}
_WHOLE = {"type": "Sequence", "normalizers": [_REPLACE] * 5}
_SLOW = {"pattern": {"Regex": "(a|aa)+$"}, **_SPLIT}
_CUT = {"max_length": 2, "stride": 5, "direction": "Right", "strategy": "LongestFirst"}
_ADDED = {"id": 4, "content": "I", "single_word": False, "lstrip": False, "rstrip": False, "normalized": True}
_TEMPLATE = {"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}}
_SPECIAL = {"<pad>": 0, "<s>": 1, "</s>": 2, "<unk>": 3}


def _vocab(change: Callable[[dict[str, int]], dict[str, int]]) -> Spoil:
    def spoil(folder: Path) -> None:
        vocab = json.loads((folder / SOURCE_TOKENIZER).read_text(encoding="utf-8"))["model"]["vocab"]
        fields(SOURCE_TOKENIZER, model={"vocab": change(vocab)})(folder)

    return spoil


for _name, _changes, _named in (
    ("padding to 10**12 tokens", {"padding": {"strategy": {"Fixed": 10**12}, **_PADDING}}, ("'padding'",)),
    ("a text a thousand times as long, five times", {"normalizer": _WHOLE}, ("'normalizer'",)),
    ("a pattern that never ends", {"pre_tokenizer": _SLOW}, ("'pre_tokenizer'",)),
    ("texts cut off", {"truncation": _CUT}, ("'truncation'",)),
    ("an added token", {"added_tokens": [{**_ADDED, "special": True}]}, ("'added_tokens'",)),
    ("a post-processor", {"post_processor": _TEMPLATE}, ("'post_processor'",)),
    ("another decoder", {"decoder": {"type": "ByteLevel"}}, ("'decoder'",)),
    ("an unknown field", {"x" * 5000: "y" * 5000}, ("xxx", "yyy")),
    ("no model", {"model": None}, ('"model"',)),
    ("another kind of model", {"model": {"type": "Unigram"}}, ("'model.type'",)),
    ("a dropout", {"model": {"dropout": 0.5}}, ("'model.dropout'",)),
    ("pieces before which something stands", {"model": {"continuing_subword_prefix": "##"}}, ("'model.continuing",)),
    ("another unknown token", {"model": {"unk_token": "nowhere"}}, ("'model.unk_token'",)),
    ("a vocabulary that is a list", {"model": {"vocab": ["a"]}}, ("'model.vocab'",)),
    ("an empty vocabulary", {"model": {"vocab": {}, "merges": []}}, ("first ids",)),
    ("an id that is a text", {"model": {"vocab": {"a": "0"}}}, ("'model.vocab'",)),
    ("an id of 2**80", {"model": {"vocab": {**_SPECIAL, "a": 2**80}}}, ("'model.vocab'",)),
    ("an id below 0", {"model": {"vocab": {**_SPECIAL, "a": -1}}}, ("'model.vocab'",)),
    ("a vocabulary of four", {"model": {"vocab": _SPECIAL, "merges": []}}, ("4 entries",)),
    ("merges that are no list", {"model": {"merges": {}}}, ("'model.merges'",)),
    ("a merge of pieces that are none", {"model": {"merges": [["never", "seen"]]}}, ("'model.merges'", "never")),
    ("a merge of three", {"model": {"merges": [["I", "I", "I"]]}}, ("'model.merges'",)),
    ("a merge of numbers", {"model": {"merges": [[1, 2]]}}, ("'model.merges'",)),
    ("a million merges of a word", {"model": {"merges": ["I I"] * 10**6}}, (SOURCE_TOKENIZER,)),
):
    broken(f"tokenizer: {_name}", SOURCE_TOKENIZER, *_named)(fields(SOURCE_TOKENIZER, **_changes))
for _name, _change, _named in (
    ("a hole in the ids", lambda vocab: {**vocab, "hole": 10**6}, ("0 to",)),
    ("an id twice", lambda vocab: {**vocab, "again": 7}, ("0 to",)),
    ("special tokens elsewhere", lambda vocab: {**vocab, "<pad>": 2, "</s>": 0}, ("</s>",)),
    ("a piece of a megabyte", lambda vocab: {**vocab, "x" * 10**6: len(vocab)}, ("256",)),
    ("an empty piece", lambda vocab: {**vocab, "": len(vocab)}, ("256",)),
    ("half a character", lambda vocab: {**vocab, "\ud83d": len(vocab)}, ("half",)),
    ("a piece more than the config says", lambda vocab: {**vocab, "more": len(vocab)}, (CONFIG,)),
    ("200,000 pieces", lambda vocab: {**vocab, **{f"{n}-": n for n in range(len(vocab), 200_000)}}, (CONFIG,)),
):
    broken(f"tokenizer: {_name}", SOURCE_TOKENIZER, *_named)(_vocab(_change))
broken("tokenizer: the two exchanged", CONFIG)(
    lambda folder: [
        (folder / SOURCE_TOKENIZER).rename(folder / "x"),
        (folder / TARGET_TOKENIZER).rename(folder / SOURCE_TOKENIZER),
        (folder / "x").rename(folder / TARGET_TOKENIZER),
    ]
)

_PIECES = ["</s>", "<unk>", *(f"piece {n}" for n in range(126)), "<pad>"]


def _sentencepiece(put: Callable[[Path], object], pieces: object = _PIECES) -> Spoil:
    """Gives the source a SentencePiece tokenizer, whose model's file `put` makes."""

    def spoil(folder: Path) -> None:
        text = json.dumps({"type": "SentencePiece", "reads_prefixes": False, "pieces": pieces})
        (folder / SOURCE_TOKENIZER).write_text(text)
        put(folder / "source.spm")

    return spoil


for _name, _put, _pieces in (
    ("no model", lambda path: None, _PIECES),
    ("an empty model", lambda path: path.touch(), _PIECES),
    ("a model of random bytes", lambda path: path.write_bytes(bytes(range(256)) * 400), _PIECES),
    ("a model of one endless field", lambda path: path.write_bytes(b"\x0a" + b"\xff" * 9 + b"\x01"), _PIECES),
    ("a model that is a pipe", os.mkfifo, _PIECES),
    ("a model of 100 MB", lambda path: (path.touch(), os.truncate(path, 100 * 2**20)), _PIECES),
    ("pieces that are no list", lambda path: path.touch(), {}),
    ("pieces that are numbers", lambda path: path.touch(), list(range(129))),
    ("pieces without an end", lambda path: path.touch(), _PIECES[1:]),
):
    broken(f"SentencePiece: {_name}", SOURCE_TOKENIZER)(_sentencepiece(_put, _pieces))  # type: ignore[arg-type]

# --- weights -----------------------------------------------------------------------------------------------------

for _kind in (torch.int8, torch.int64, torch.bool, torch.float8_e4m3fn, torch.float8_e5m2, torch.complex64):
    _word = str(_kind).removeprefix("torch.")
    broken(f"weights: {_word}", WEIGHTS, MATRIX, _word)(
        tensors(lambda weights, kind=_kind: weights.update({MATRIX: weights[MATRIX].to(kind)}))
    )
for _name, _tensor_change, _named in (
    ("NaN", lambda weights: weights[MATRIX].fill_(torch.nan), (MATRIX,)),
    ("one infinity", lambda weights: weights[MATRIX].view(-1)[7:8].fill_(-torch.inf), (MATRIX,)),
    ("one tensor missing", lambda weights: weights.pop(MATRIX), (MATRIX, "absent")),
    ("one tensor more", lambda weights: weights.update(more=torch.zeros(1)), ("'more'", "absent")),
    ("no tensor", lambda weights: weights.clear(), ("absent",)),
    ("a tensor on its side", lambda weights: weights.update({MATRIX: weights[MATRIX].T.contiguous()}), (MATRIX,)),
    ("a tensor without numbers", lambda weights: weights.update({MATRIX: torch.zeros(0, 16)}), (MATRIX, "(0, 16)")),
    ("a tensor of 60 axes", lambda weights: weights.update({MATRIX: torch.zeros([1] * 60)}), (MATRIX,)),
    ("a name that is a path", lambda weights: weights.update({"../../../tmp/x": torch.zeros(1)}), ("../../../tmp/x",)),
    ("a name of 100 KB", lambda weights: weights.update({"a" * 100_000: torch.zeros(1)}), ("aaa",)),
    ("10,000 tensors more", lambda weights: weights.update({str(n): torch.zeros(1) for n in range(9999)}), ("absent",)),
    ("50 MB more", lambda weights: weights.update(more=torch.zeros(25 * 2**20, dtype=torch.half)), ("'more'",)),
):
    broken(f"weights: {_name}", WEIGHTS, *_named)(tensors(_tensor_change))  # type: ignore[arg-type]
for _name, _spoil in (
    ("a list of a terabyte", header(b"{}", length=2**40)),
    ("a list of 2**64 - 1 bytes", header(b"{}", length=2**64 - 1)),
    ("a list one byte too long", header(b"{}", length=3)),
    ("a list that is nested", header(b"[" * 500_000)),
    ("a list that is a number", header(b"3       ")),
    ("a list that is not UTF-8", header(b'{"\xff": 1}')),
    ("tensors one over the other", header({"a": entry(0, 4, [2]), "b": entry(2, 6, [2])}, bytes(6))),
    ("a tensor beyond the end", header({"a": entry(0, 400, [200])}, bytes(6))),
    ("a tensor that ends before it begins", header({"a": entry(4, 0, [2])}, bytes(4))),
    ("a hole between tensors", header({"a": entry(0, 4, [2]), "b": entry(100, 104, [2])}, bytes(104))),
    ("a shape beyond 64 bits", header({"a": entry(0, 4, [2**63, 2**63])}, bytes(4))),
    ("a shape below 0", header({"a": entry(0, 4, [-1])}, bytes(4))),
    ("an unknown kind", header({"a": entry(0, 4, [2], "X" * 9000)}, bytes(4))),
    ("notes that are no texts", header({"__metadata__": {"a": [1]}, "a": entry(0, 4, [2])}, bytes(4))),
    ("200,000 tensors", header({f"{n}": entry(0, 0, [0]) for n in range(200_000)})),
    ("a zip of them", lambda folder: torch.save({"a": torch.zeros(3)}, folder / WEIGHTS)),
    ("cut off", lambda folder: os.truncate(folder / WEIGHTS, (folder / WEIGHTS).stat().st_size - 50)),
    ("400 MB more than there are", lambda folder: os.truncate(folder / WEIGHTS, 400 * 2**20)),
):
    broken(f"weights: {_name}", WEIGHTS)(_spoil)  # type: ignore[arg-type]
broken("weights: 600 MB", "MiB")(lambda folder: os.truncate(folder / WEIGHTS, 600 * 2**20))

# --- card --------------------------------------------------------------------------------------------------------

broken("card: a language of 10 MB", CARD)(fields(CARD, source_language="<script>" * 10**6))
broken("card: half a character", CARD, "surrogate")(fields(CARD, name="\ud83d"))


# --- the process that tries them ---------------------------------------------------------------------------------


def packed(folder: Path) -> bytes | None:
    """The folder as a file that a browser brings; None where it holds what is no file, or too much."""
    paths = [path for path in sorted(folder.iterdir()) if path.is_file() and not path.is_symlink()]
    if len(paths) < len(list(folder.iterdir())) or sum(path.stat().st_size for path in paths) > 64 * 2**20:
        return None
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            archive.write(path, path.name)
    return buffer.getvalue()


def _say(**values: object) -> None:
    print(json.dumps(values), flush=True)


def _tried(name: str, load: Callable[[], object]) -> None:
    _say(tries=name)
    faulthandler.dump_traceback_later(HANGS, exit=True)
    began, peak, error = time.process_time(), _peak(), None
    try:
        load()
    except Exception as raised:
        error = raised
    _say(
        name=name,
        kinds=[kind.__name__ for kind in type(error).__mro__],
        sentence=None if error is None else str(error),
        seconds=time.process_time() - began,
        megabytes=_peak() - peak,
    )


def _peak() -> float:
    """The most memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main(valid: Path, folders: list[Path]) -> None:
    """Tries each folder, as it is and as an upload; the valid one before, to have everything imported, and after."""
    from viz_transformer import load
    from viz_transformer.ui.shared.own_models import from_zip

    resource.setrlimit(resource.RLIMIT_AS, (2**35, 2**35))  # a model that takes endless memory ends only this process
    whole = packed(valid)
    assert whole is not None
    for round_of in ("first", "last"):
        _tried(f"valid, {round_of}", lambda: load(valid, "cpu").translate("I love the cats."))
        _tried(f"valid, {round_of}, uploaded", lambda: from_zip(whole).translate("I love the cats."))
        for folder in folders if round_of == "first" else ():
            _tried(folder.name, lambda folder=folder: load(folder, "cpu"))  # type: ignore[misc]
            upload = packed(folder)
            if upload is not None:
                _tried(f"{folder.name}, uploaded", lambda upload=upload: from_zip(upload))  # type: ignore[misc]


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(folder) for folder in sys.argv[2:]])
