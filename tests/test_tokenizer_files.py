"""Tokenizer files from strangers: a sentence or a tokenizer that works, whatever they say."""

from __future__ import annotations

import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import assert_sentence
from viz_transformer import CheckpointError, load_checkpoint, shipped_models
from viz_transformer.tokenizer_files import MAX_PIECE
from viz_transformer.tokenizers import SPECIAL_TOKENS, Tokenizer, train_tokenizer
from viz_transformer.training.tasks import Task
from viz_transformer.translator import model_folder

DIGITS = json.loads(Task("copy").tokenizer().to_json())
LINES = ["I love the cat.", "I don't love you.", "We'll love the cats, maybe at 10:30."] * 3
PIECES = json.loads(train_tokenizer(LINES, 160, "en").to_json())

SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}
SHORT = {"direction": "Right", "strategy": "LongestFirst"}
PADDING = {"direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>"}
REPLACE = {"type": "Replace", "pattern": {"Regex": "."}, "content": "a" * 1000}

# What used to end the process, to raise no Exception, or to change the text without a word.
KILLERS: dict[str, dict[str, Any]] = {
    "padding": {"padding": {"strategy": {"Fixed": 10**12}, **PADDING}},
    "normalizer": {"normalizer": {"type": "Sequence", "normalizers": [REPLACE] * 5}},
    "pre_tokenizer": {"pre_tokenizer": {"pattern": {"Regex": "(a|aa)+$"}, **SPLIT}},
    "truncation": {"truncation": {"max_length": 2, "stride": 2, **SHORT}},
}
RUN = """
import resource, sys
from viz_transformer import CheckpointError, load_checkpoint
resource.setrlimit(resource.RLIMIT_AS, (2**35, 2**35))
for folder in sys.argv[1:]:
    try:
        _, source, *_ = load_checkpoint(folder)
        print("tokens", source.encode("a" * 40 + "b").tokens[:3])
    except CheckpointError as error:
        print("refused", error)
"""


def changed_model(folder: Path, **changes: Any) -> Path:
    """A copy of a shipped model whose source tokenizer says something else."""
    copytree(model_folder("copy"), folder)
    (folder / "source_tokenizer.json").write_text(json.dumps({**DIGITS, **changes}))
    return folder


def test_what_ended_the_process_is_refused(tmp_path: Path) -> None:
    folders = [changed_model(tmp_path / name, **changes) for name, changes in KILLERS.items()]
    ran = subprocess.run([sys.executable, "-c", RUN, *map(str, folders)], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr[-2000:]
    for name, line in zip(KILLERS, ran.stdout.splitlines(), strict=True):
        assert line.startswith("refused")
        assert_sentence(line, "source_tokenizer.json", f"'{name}'", "this project writes and loads")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"added_tokens": [{"id": 4, "content": "0", "special": True}]}, ("'added_tokens'", "[]")),
        ({"post_processor": {"type": "ByteLevel"}}, ("'post_processor'", "null")),
        ({"decoder": {"type": "ByteLevel"}}, ("'decoder'", "null")),
        ({"normalizer": {"type": "Lowercase"}}, ("'normalizer'", "Lowercase", "null")),
        ({"truncation": {"max_length": 2, "stride": 0, **SHORT}}, ("'truncation'", "null")),
        ({"surprise": 1}, ("'surprise'",)),
        ({"model": {**DIGITS["model"], "type": "Unigram"}}, ("'model.type'", '"WordLevel" or "BPE"')),
        ({"model": {**DIGITS["model"], "unk_token": "5"}}, ("'model.unk_token'", '"<unk>"')),
        ({"model": {**DIGITS["model"], "vocab": []}}, ("'model.vocab'",)),
        ({"model": {**DIGITS["model"], "vocab": {"<pad>": 0, "a": 7}}}, ("'model.vocab'", "0 to 1")),
        ({"model": {**DIGITS["model"], "vocab": {"<pad>": 0, "": 1}}}, ("'model.vocab'", MAX_PIECE)),
        ({"model": {**DIGITS["model"], "vocab": {"x" * 257: 0}}}, ("'model.vocab'", MAX_PIECE)),
        ({"model": {**DIGITS["model"], "vocab": {"\ud800": 0}}}, ("'model.vocab'", "half")),
        ({**PIECES, "model": {**PIECES["model"], "dropout": 0.5}}, ("'model.dropout'", "0.5", "null")),
        ({**PIECES, "model": {**PIECES["model"], "merges": ["a b"]}}, ("'model.merges'", "a b")),
        ({**PIECES, "model": {**PIECES["model"], "merges": [["~", "~"]]}}, ("'model.merges'", "~")),
    ],
    ids=str,
)
def test_what_this_project_does_not_write_is_refused_by_name(
    tmp_path: Path, changes: dict[str, Any], named: tuple[str, ...]
) -> None:
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(changed_model(tmp_path / "model", **changes))
    assert_sentence(caught.value, "source_tokenizer.json", *named)


def test_the_shipped_files_come_back_to_the_letter() -> None:
    paths = [path for name in shipped_models() for path in model_folder(name).glob("*_tokenizer.json")]
    assert len(paths) >= 8
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert Tokenizer.from_json(text).to_json() == text


# Parts that the library knows and this project does not write, and any JSON at all.
FOREIGN = st.sampled_from(
    [
        *(value for changes in KILLERS.values() for value in changes.values()),
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True},
        {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
        {"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}},
        REPLACE,
        [["a", "a"], ["a"]],
        2**32,
        2**64,
        -1,
    ]
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | FOREIGN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """The JSON of a tokenizer with one to three places changed, removed or added."""
    data = deepcopy(draw(st.sampled_from([DIGITS, PIECES])))
    for _ in range(draw(st.integers(1, 3))):
        place: Any = data
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = draw(st.sampled_from(keys)) if keys else None
            if key is None or not isinstance(place[key], dict | list) or draw(st.booleans()):
                break
            place = place[key]
        action = draw(st.sampled_from(["change", "remove", "add"]))
        if action == "add" or key is None:
            if isinstance(place, dict):
                place[draw(st.text(max_size=4) | st.sampled_from(["dropout", "▁the", "0"]))] = draw(ANY_JSON)
            else:
                place.append(draw(ANY_JSON))
        elif action == "remove":
            del place[key]
        else:
            place[key] = draw(ANY_JSON)
    return json.dumps(data)


@given(text=mutated(), typed=st.text(max_size=8) | st.just("the cat 31 aaaaaaaaaaaa"))
def test_a_changed_file_is_refused_with_a_sentence_or_works(text: str, typed: str) -> None:
    try:
        tokenizer = Tokenizer.from_json(text)
    except ValueError as error:
        assert_sentence(error)
        return
    encoded = tokenizer.encode(typed)
    assert all(0 <= token_id < tokenizer.vocab_size for token_id in encoded.ids)
    assert tokenizer.labels(range(4)) == SPECIAL_TOKENS
    assert all(tokenizer.labels(range(tokenizer.vocab_size)))
    tokenizer.decode(range(tokenizer.vocab_size))
    again = Tokenizer.from_json(tokenizer.to_json())  # what was loaded can be saved
    assert again.encode(typed) == encoded


def test_what_is_trained_on_endless_words_can_be_loaded() -> None:
    word = "ab" * 400 + "c" * 400
    tokenizer = train_tokenizer([word] * 4, 3000, "en")
    again = Tokenizer.from_json(tokenizer.to_json())
    assert max(map(len, again.labels(range(again.vocab_size)))) > MAX_PIECE / 2  # there were pieces to be bounded
    assert again.encode(word) == tokenizer.encode(word)
