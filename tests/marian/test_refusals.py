"""What cannot be imported is refused with a sentence that names it; and where an imported model may be opened."""

from __future__ import annotations

import io
import json
import pickle
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from tests.helpers import assert_sentence
from tests.marian.opus import different, opus, trained_spm
from viz_transformer import CheckpointError, from_huggingface, load, load_checkpoint, save_checkpoint
from viz_transformer.cli import importing
from viz_transformer.cli.main import main
from viz_transformer.marian import files
from viz_transformer.sentencepiece_tokenizer import MAX_SPM, SentencePieceTokenizer
from viz_transformer.ui.shared.own_models import from_zip

Change = Callable[[Path], object]
LAYER = "model.encoder.layers.0.fc1.weight"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opus")
    opus(folder)
    return folder


def in_json(name: str, **changes: Any) -> Change:
    """Changes fields of a JSON file; ABSENT takes one out."""

    def change(folder: Path) -> None:
        data = json.loads((folder / name).read_text(encoding="utf-8")) | changes
        data = {key: value for key, value in data.items() if value is not ABSENT}
        (folder / name).write_text(json.dumps(data), encoding="utf-8")

    return change


ABSENT = object()


def in_config(**changes: Any) -> Change:
    return in_json("config.json", **changes)


def in_weights(change: Callable[[dict[str, Tensor]], object]) -> Change:
    def rewrite(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        change(weights)
        save_file(weights, folder / "model.safetensors", {"format": "pt"})

    return rewrite


def with_last_piece(piece: str) -> Change:
    def change(folder: Path) -> None:
        vocab = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
        vocab[piece] = vocab.pop("<pad>")
        (folder / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")

    return change


def with_bias(folder: Path) -> None:
    in_weights(lambda weights: weights.update(final_logits_bias=torch.ones(2, 979)))(folder)


def with_few_words(folder: Path) -> None:
    in_config(vocab_size=50, decoder_vocab_size=50, pad_token_id=49, decoder_start_token_id=49)(folder)


def with_end_token(folder: Path) -> None:
    in_json("tokenizer_config.json", eos_token={"content": "<eos>"})(folder)


def with_shape(folder: Path) -> None:
    in_weights(lambda weights: weights.update({LAYER: torch.ones(2, 2)}))(folder)


def without(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def with_bytes(name: str, content: bytes) -> Change:
    return lambda folder: (folder / name).write_bytes(content)


def huge(name: str, size: int) -> Change:
    def grow(folder: Path) -> None:
        with (folder / name).open("r+b") as file:
            file.truncate(size)  # a hole: it takes no room

    return grow


def with_shards(**renamed: str) -> Change:
    """Splits the weights into two files; the index may give the second one another name."""

    def split(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        (folder / "model.safetensors").unlink()
        names, where = sorted(weights), {}
        for part, file in ((names[::2], "model-1-of-2.safetensors"), (names[1::2], "model-2-of-2.safetensors")):
            save_file({name: weights[name] for name in part}, folder / file, {"format": "pt"})
            where |= {name: renamed.get("second", file) if file.startswith("model-2") else file for name in part}
        (folder / files.SAFE_INDEX).write_text(json.dumps({"weight_map": where}), encoding="utf-8")

    return split


def pickled(value: object) -> Change:
    def change(folder: Path) -> None:
        (folder / "model.safetensors").unlink()
        torch.save(value, folder / "pytorch_model.bin")

    return change


class Trap:
    """Unpickled, it would write a file."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("sprung"),)


def with_trap(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"weight": Trap()}, protocol=2))


def resized_spm(folder: Path) -> None:
    (folder / "source.spm").write_bytes(b"")


def with_bytes_model(folder: Path) -> None:
    (folder / "source.spm").write_bytes(trained_spm(0, byte_fallback=True))


BROKEN: dict[str, tuple[Change, tuple[str, ...]]] = {
    "another kind of model": (in_config(model_type="mbart"), ("model_type", "mbart", "marian")),
    "no kind": (in_config(model_type=ABSENT), ("model_type", "None")),
    "pre-norm": (in_config(normalize_before=True), ("normalize_before", "True", "false")),
    "embedding norm": (in_config(normalize_embedding=True), ("normalize_embedding", "True")),
    "final norms": (in_config(add_final_layer_norm=True), ("add_final_layer_norm", "True")),
    "another bias": (in_config(add_bias_logits=True), ("add_bias_logits", "True")),
    "learned positions": (in_config(static_position_embeddings=False), ("static_position_embeddings", "False", "true")),
    "a decoder alone": (in_config(is_decoder=True), ("is_decoder", "True")),
    "activation": (in_config(activation_function="gelu_new"), ("activation_function", "gelu_new", "swish")),
    "no activation": (in_config(activation_function=[1]), ("activation_function", "[1]")),
    "switch": (in_config(scale_embedding="yes"), ("scale_embedding", "yes", "true, false")),
    "a size that is none": (in_config(encoder_layers=0), ("encoder_layers", "0", "1 to")),
    "a size that is a word": (in_config(d_model="32"), ("d_model", "'32'")),
    "too many layers": (in_config(decoder_layers=500), ("n_decoder_layers", "500")),
    "heads that do not fit": (in_config(encoder_attention_heads=5), ("config.json", "32", "5")),
    "two vocabularies in one": (in_config(decoder_vocab_size=900), ("decoder_vocab_size", "900")),
    "several ends": (in_config(eos_token_id=[0, 2]), ("eos_token_id", "[0, 2]")),
    "no padding": (in_config(pad_token_id=None), ("pad_token_id", "None")),
    "padding elsewhere": (in_config(pad_token_id=7), ("pad_token_id", "7", "vocab.json", "<pad>")),
    "end elsewhere": (in_config(eos_token_id=3), ("eos_token_id", "3", "vocab.json", "</s>")),
    "start outside": (in_config(decoder_start_token_id=10**6), ("decoder_start_token_id", "1000000")),
    "dropout": (in_config(dropout=2), ("dropout", "2")),
    "endless positions": (in_config(max_position_embeddings=2**20), ("max_len", "d_model")),
    "added tokens": (with_bytes("added_tokens.json", b'{"<x>": 980, "</s>": 0}'), ("'<x>'.", "added")),
    "added tokens that the settings list": (
        in_json("tokenizer_config.json", added_tokens_decoder={"0": {"content": "</s>"}, "980": {"content": "new"}}),
        ("'new'.", "added"),
    ),
    "rows of no token": (in_config(vocab_size=1024, decoder_vocab_size=1024), ("1024", "vocab.json", "resize_token")),
    "too few words": (with_few_words, ("vocab.json", "50")),
    "config missing": (without("config.json"), ("config.json", "not a Marian model")),
    "config cut": (with_bytes("config.json", b'{"a": '), ("config.json", "JSON")),
    "config a list": (with_bytes("config.json", b"[]"), ("config.json", "list")),
    "config deep": (with_bytes("config.json", b"[" * 100_000), ("config.json", "JSON")),
    "config huge": (huge("config.json", files.MAX_JSON + 1), ("config.json", "32")),
    "weights missing": (without("model.safetensors"), ("model.safetensors", "pytorch_model.bin")),
    "weights cut": (with_bytes("model.safetensors", b"\x10" + b"\0" * 30), ("model.safetensors", "damaged")),
    "weights huge": (huge("model.safetensors", files.MAX_WEIGHTS + 2**20), ("model.safetensors", "4096")),
    "a shard missing": (with_shards(second="model-3-of-2.safetensors"), ("model-3-of-2.safetensors", "lacks")),
    "a shard elsewhere": (with_shards(second="../model-2.safetensors"), ("../model-2.safetensors", "index.json")),
    "a shard of another kind": (with_shards(second="model-2.bin"), ("model-2.bin", "model-*.safetensors")),
    "an index of nothing": (
        lambda folder: (with_shards()(folder), in_json(files.SAFE_INDEX, weight_map=ABSENT)(folder)), ("weight_map",),
    ),
    "a tensor missing": (in_weights(lambda weights: weights.pop(LAYER)), (LAYER, "lack")),
    "no embeddings": (in_weights(lambda weights: weights.pop("model.shared.weight")), ("model.shared.weight", "lack")),
    "a tensor more": (in_weights(lambda weights: weights.update(more=torch.ones(2))), ("more", "does not have")),
    "another shape": (with_shape, (LAYER, "(64, 32)", "(2, 2)")),
    "another bias's shape": (with_bias, ("final_logits_bias", "(2, 979)")),
    "not a number": (in_weights(lambda weights: weights[LAYER][0].fill_(torch.nan)), (LAYER, "finite")),
    "whole numbers": (in_weights(lambda weights: weights.update({LAYER: weights[LAYER].char()})), (LAYER, "int8")),
    "tiny floats": (
        in_weights(lambda weights: weights.update({LAYER: weights[LAYER].to(torch.float8_e4m3fn)})), (LAYER, "float8"),
    ),
    "two that should be one": (
        in_weights(lambda weights: weights.update({"lm_head.weight": weights["model.shared.weight"] + 1})),
        ("lm_head.weight", "model.shared.weight", "tie_word_embeddings"),
    ),
    "other positions": (
        in_weights(lambda weights: weights.update({"model.encoder.embed_positions.weight": torch.zeros(48, 32)})),
        ("model.encoder.embed_positions.weight", "sinusoids", "48"),
    ),
    "a trap": (with_trap, ("pytorch_model.bin", "more than weights", "model.safetensors")),
    "a number said over and over": (
        pickled({"final_logits_bias": torch.ones(1).expand(2**40)}),
        ("pytorch_model.bin", "final_logits_bias", "larger than what the file holds"),
    ),
    "no dictionary": (pickled([torch.ones(2)]), ("pytorch_model.bin", "tensors by name")),
    "no tensors": (pickled({"weight": "heavy"}), ("pytorch_model.bin", "tensors by name")),
    "pickle cut": (
        lambda folder: (without("model.safetensors")(folder), with_bytes("pytorch_model.bin", b"PK\3\4")(folder)),
        ("pytorch_model.bin", "damaged"),
    ),
    "vocabulary missing": (without("vocab.json"), ("vocab.json",)),
    "vocabulary with a gap": (in_json("vocab.json", **{"<pad>": 5000}), ("vocab.json", "each once")),
    "vocabulary of words": (in_json("vocab.json", **{"<pad>": "last"}), ("vocab.json", "each once")),
    "vocabulary without padding": (in_json("vocab.json", **{"<pad>": ABSENT}), ("<pad>", "lacks")),
    "a piece of nothing": (with_last_piece(""), ("1 to", "''")),
    "half a character": (with_last_piece("\ud800"), ("half",)),
    "source.spm missing": (without("source.spm"), ("source.spm",)),
    "target.spm missing": (without("target.spm"), ("target.spm",)),
    "spm empty": (resized_spm, ("SentencePiece", "empty")),
    "spm of noise": (with_bytes("target.spm", b"noise" * 100), ("SentencePiece",)),
    "spm huge": (huge("source.spm", MAX_SPM + 2**20), ("source.spm", "17", "16")),
    "spm of bytes": (with_bytes_model, ("SentencePiece", "bytes")),
    "another padding token": (in_json("tokenizer_config.json", pad_token="[PAD]"), ("pad_token", "[PAD]")),
    "another end token": (with_end_token, ("tokenizer_config.json", "eos_token", "<eos>")),
    "second vocabulary missing": (in_json("tokenizer_config.json", separate_vocabs=True), ("target_vocab.json",)),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_does_not_fit_is_named(name: str, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "model"
    shutil.copytree(whole, folder)
    monkeypatch.chdir(tmp_path)
    change, parts = BROKEN[name]
    change(folder)
    with pytest.raises(CheckpointError) as caught:
        from_huggingface(folder)
    assert_sentence(caught.value, *parts)
    assert "weights_only" not in str(caught.value)  # torch's advice on how to load it all the same is not passed on
    assert not Path("sprung").exists()


def test_of_a_readme_no_more_than_its_beginning_is_read(whole: Path, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("---\nlicense: apache-2.0\ntags:\n" + "- tag\n" * 300_000, encoding="utf-8")
    about = files._front_matter(readme)
    assert about["license"] == "apache-2.0" and len(about["tags"]) < files.MAX_FRONT


def test_padding_that_only_the_source_has_is_refused(tmp_path: Path) -> None:
    different(tmp_path)
    vocab = json.loads((tmp_path / "target_vocab.json").read_text(encoding="utf-8"))
    vocab["<pad>"], vocab["<unk>"] = vocab["<unk>"], vocab["<pad>"]
    (tmp_path / "target_vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
    with pytest.raises(CheckpointError) as caught:
        from_huggingface(tmp_path)
    assert_sentence(caught.value, "pad_token_id", "target_vocab.json", "<pad>")


def test_what_is_no_marian_model_or_has_no_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        from_huggingface(nn.Linear(2, 2))
    assert_sentence(caught.value, "MarianMTModel", "Linear")
    theirs = opus(tmp_path)
    with pytest.raises(CheckpointError) as caught:
        from_huggingface(theirs)
    assert_sentence(caught.value, "tokenizer")
    with pytest.raises(CheckpointError) as caught:
        from_huggingface(theirs, tokenizer=3)
    assert_sentence(caught.value, "MarianTokenizer", "int")


# --- the hub ----------------------------------------------------------------------------------------------------


class Hub:
    """Stands in for `huggingface_hub`: notes what it is asked for, and answers with folders and errors in turn."""

    def __init__(self, answers: list[Path | Exception]) -> None:
        self.answers, self.asked = answers, []  # type: ignore[var-annotated]

    def snapshot_download(self, name: str, allow_patterns: list[str]) -> str:
        self.asked.append((name, allow_patterns))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)


def test_without_the_network_a_name_of_the_hub_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub([ConnectionError("no route")])
    monkeypatch.setattr(files, "needed", lambda *_: hub)
    with pytest.raises(CheckpointError) as caught:
        from_huggingface("Helsinki-NLP/opus-mt-en-de")
    assert_sentence(caught.value, "Helsinki-NLP/opus-mt-en-de", "internet", "ConnectionError")


def test_the_library_s_own_word_that_it_is_offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(CheckpointError) as caught:
        from_huggingface("Helsinki-NLP/no-such-model-anywhere")
    assert_sentence(caught.value, "internet")


def test_what_is_neither_a_folder_nor_a_name_of_the_hub_is_refused() -> None:
    for name in ("nowhere", "../nowhere", "a/b/c", "-a/b", "a" * 5000, ""):
        with pytest.raises(CheckpointError) as caught:
            from_huggingface(name or "no folder")
        assert_sentence(caught.value, "Helsinki-NLP/opus-mt-en-de")


def test_from_the_hub_come_the_files_that_are_read_and_one_kind_of_weights(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "0123abcd"
    shutil.copytree(whole, old)
    hub = Hub([whole, tmp_path, old])
    monkeypatch.setattr(files, "needed", lambda *_: hub)
    from_huggingface("some/model")
    assert len(hub.asked) == 1
    translator = from_huggingface("some/model")  # the first folder has no safetensors
    kinds = [[name for name in patterns if "model" in name] for _name, patterns in hub.asked]
    safe = ["model.safetensors", "model.safetensors.index.json", "model-*.safetensors"]
    pickled = ["pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-*.bin"]
    assert kinds == [safe, safe, pickled]
    assert translator.card["imported_from"] == "huggingface.co/some/model, version 0123abcd"


# --- what it becomes --------------------------------------------------------------------------------------------

README = """---
language:
- en
- zh
license: cc-by-4.0
tags:
- translation
---
# opus
"""


def test_the_card_says_licence_source_and_languages(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "opus-mt-en-zh"
    shutil.copytree(whole, folder)
    plain = from_huggingface(folder).card
    assert plain["licence"] == plain["languages"] == "not stated"
    assert (plain["source_language"], plain["target_language"]) == ("en", "zh")
    (folder / "README.md").write_text(README, encoding="utf-8")
    card = from_huggingface(folder).card
    assert (card["licence"], card["languages"]) == ("cc-by-4.0", "en, zh")
    assert (card["name"], card["imported_from"]) == ("opus-mt-en-zh", "opus-mt-en-zh")
    assert card["simplify"] is False
    json.dumps(card)


def test_the_command_writes_a_folder_of_ours(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["import", str(whole), "one", "--models", "models"]) == 0
    said = capsys.readouterr().out
    assert "2 + 2 layers" in said and "not stated" in said and str(Path("models/one")) in said
    monkeypatch.setenv(importing.MODELS, "by-environment")
    assert main(["import", str(whole), "one"]) == 0
    assert main(["import", str(whole), "some/where"]) == 0  # a path is not taken for a name
    monkeypatch.delenv(importing.MODELS)
    assert main(["import", str(whole), "here"]) == 0
    folders = [Path("models/one"), Path("by-environment/one"), Path("some/where"), Path("here")]
    for folder in folders:
        found = {path.name for path in folder.iterdir()}
        assert found == {
            "model.safetensors", "config.json", "card.json", "source_tokenizer.json", "target_tokenizer.json",
            "source.spm", "target.spm",
        }  # fmt: skip
    capsys.readouterr()
    assert main(["import", str(whole), "here"]) == 2
    assert "already" in capsys.readouterr().err
    assert main(["import", str(tmp_path), "other"]) == 2
    assert "config.json" in capsys.readouterr().err
    assert not Path("other").exists()


def test_a_model_that_could_not_be_loaded_again_is_not_written(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = from_huggingface(whole).parameter_count * 4
    monkeypatch.setattr(importing, "MAX_BYTES", size)
    assert main(["import", str(whole), str(tmp_path / "full")]) == 2
    assert "--half" in capsys.readouterr().err
    assert not (tmp_path / "full").exists()
    assert main(["import", str(whole), str(tmp_path / "half"), "--half"]) == 0


def test_what_was_saved_is_loaded_as_it_was(whole: Path, tmp_path: Path) -> None:
    ours = from_huggingface(whole)
    save_checkpoint(tmp_path, ours.model, ours.source_tokenizer, ours.target_tokenizer, ours.card, half=False)
    again = load(tmp_path, device="cpu")
    assert again.card == ours.card and again.model.config == ours.model.config
    assert all(torch.equal(*both) for both in zip(again.model.parameters(), ours.model.parameters(), strict=True))
    for side in ("source_tokenizer", "target_tokenizer"):
        mine, theirs = getattr(again, side), getattr(ours, side)
        assert isinstance(mine, SentencePieceTokenizer) and isinstance(theirs, SentencePieceTokenizer)
        assert (mine.model, mine.to_json()) == (theirs.model, theirs.to_json())
    assert again.translate("Hello!", max_len=6) == ours.translate("Hello!", max_len=6)


DAMAGED: dict[str, tuple[Change, tuple[str, ...]]] = {
    "spm missing": (without("source.spm"), ("source_tokenizer.json", "source.spm")),
    "spm of noise": (with_bytes("target.spm", b"noise" * 100), ("target_tokenizer.json", "SentencePiece")),
    "no pieces": (in_json("source_tokenizer.json", pieces=3), ("source_tokenizer.json", "pieces")),
    "a piece twice": (in_json("source_tokenizer.json", pieces=["<pad>", "</s>", "<unk>", "a", "a"]), ("'a' twice",)),
    "too few pieces": (in_json("target_tokenizer.json", pieces=["<pad>", "</s>", "<unk>"]), ("3 entries",)),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_folder_is_refused(name: str, whole: Path, tmp_path: Path) -> None:
    assert main(["import", str(whole), str(tmp_path / "model")]) == 0
    change, parts = DAMAGED[name]
    change(tmp_path / "model")
    with pytest.raises(CheckpointError) as caught:
        load(tmp_path / "model")
    assert_sentence(caught.value, *parts)


def zipped(folder: Path, names: list[str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.write(folder / name, name)
    return packed.getvalue()


def test_sentencepiece_never_gets_a_file_that_a_browser_sent(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    assert main(["import", str(whole), str(folder)]) == 0

    def parse(*_arguments: object) -> None:
        raise AssertionError("SentencePiece was asked")

    monkeypatch.setattr("viz_transformer.sentencepiece_tokenizer._processor", parse)
    everything = sorted(path.name for path in folder.iterdir())
    for names in (everything, [name for name in everything if not name.endswith(".spm")]):
        with pytest.raises(CheckpointError) as caught:
            from_zip(zipped(folder, names))
        assert_sentence(caught.value, "--models", "browser")
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(folder, is_trusted=False)
    assert_sentence(caught.value, "--models", "browser")
