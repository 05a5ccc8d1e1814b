"""Models that a visitor trained or loaded."""

from __future__ import annotations

import gc
import io
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.helpers import assert_sentence, examples, random_model, random_translator
from viz_transformer import CheckpointError, Translator, load, shipped_models
from viz_transformer.translator import model_folder
from viz_transformer.ui.shared import own_models
from viz_transformer.ui.shared.own_models import (
    FILES,
    MAX_FILE,
    MAX_PASS,
    MAX_UNPACKED,
    from_zip,
    recorded_bytes,
    to_zip,
)
from viz_transformer.ui.shared.sizes import size_of

APP = str(Path(__file__).resolve().parents[2] / "app.py")
Contents = dict[str, bytes]


@pytest.fixture(scope="module")
def trained() -> Translator:
    """A random model with the card of a trained one."""
    card = {"task": "copy", "settings": {"steps": 3}, "scores": {"held-out": {"exact_match": 0.5, "count": 2}}}
    one = random_translator(4, peaked=2.0)
    return Translator(one.model, one.source_tokenizer, one.target_tokenizer, card)


def contents_of(packed: bytes) -> Contents:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zip_of(contents: Contents) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return packed.getvalue()


def shipped_files(**changes: bytes) -> Contents:
    """The files of a shipped model, with `changes` by the beginning of a file's name."""
    files = {name: (model_folder("copy") / name).read_bytes() for name in FILES}
    for name, content in changes.items():
        files[next(file for file in FILES if file.startswith(name))] = content
    return files


PACKED = to_zip("tiny", random_translator(0))


def test_what_is_saved_is_loaded_and_nothing_else_is_in_the_file(trained: Translator, tmp_path: Path) -> None:
    packed = to_zip("my-copy-1", trained)
    assert set(contents_of(packed)) == {f"my-copy-1/{name}" for name in FILES}
    again = from_zip(packed)
    for text in ("3 1 4", "7 7 0 7 5"):
        assert again.translate(text) == trained.translate(text)
    assert again.card["task"] == "copy"
    zipfile.ZipFile(io.BytesIO(packed)).extractall(tmp_path)  # as an engineer would
    assert load(tmp_path / "my-copy-1", "cpu").translate("3 1 4") == trained.translate("3 1 4")
    assert from_zip(to_zip("again", again)).translate("3 1 4") == trained.translate("3 1 4")


@pytest.mark.parametrize("name", shipped_models())
def test_every_shipped_model_can_be_saved_and_loaded(name: str) -> None:
    shipped = load(name, "cpu")
    again = from_zip(to_zip(name, shipped))
    assert again.source_tokenizer.to_json() == shipped.source_tokenizer.to_json()
    assert again.target_tokenizer.to_json() == shipped.target_tokenizer.to_json()
    text = "我爱你。" if name == "zh-en" else "3 1 4"
    assert again.translate(text) == shipped.translate(text)


def test_a_deleted_model_is_gone_and_the_others_stay(trained: Translator) -> None:
    app = AppTest.from_file(APP, default_timeout=120)
    app.switch_page("pages/training.py")
    app.session_state["own models"] = {"my-copy-1": trained, "my-copy-2": trained}
    app.query_params["view"] = "models"
    app.run()
    app.button(key="delete my-copy-1").click().run()
    assert not app.exception
    assert list(app.session_state["own models"]) == ["my-copy-2"]
    assert [text.value for text in app.text] == ["my-copy-2"]


def refused(data: bytes) -> str:
    with pytest.raises(CheckpointError) as caught:
        from_zip(data)
    assert_sentence(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("cut", [0, 1, 100, 1000, -1, -200])
def test_a_truncated_file_is_refused(trained: Translator, cut: int) -> None:
    packed = to_zip("my-copy", trained)
    refused(packed[:cut] if cut else b"")


def test_a_file_of_another_kind_is_refused() -> None:
    refused(b"\x80\x04\x95 this would be a pickle")
    refused((model_folder("copy") / "model.safetensors").read_bytes())
    refused(os.urandom(5000))


def test_too_large_a_file_is_refused() -> None:
    assert str(MAX_FILE // 2**20) in refused(b"PK" + bytes(MAX_FILE))


def test_a_zip_bomb_is_not_unpacked() -> None:
    assert str(MAX_UNPACKED // 2**20) in refused(zip_of(shipped_files(model=bytes(MAX_UNPACKED + 1))))
    lying = bytearray(zip_of(shipped_files(model=bytes(MAX_UNPACKED + 1))))
    size = (MAX_UNPACKED + 1).to_bytes(4, "little")
    assert size in lying
    refused(bytes(lying).replace(size, (1000).to_bytes(4, "little")))  # it says that it is small


@pytest.mark.parametrize(
    "name",
    [
        "../model.safetensors",
        "/etc/card.json",
        "a/b/card.json",
        "a\\card.json",
        "evil.py",
        "model.pkl",
        "a/../card.json",
    ],
)
def test_other_names_are_refused_by_name(name: str, tmp_path: Path) -> None:
    files = shipped_files()
    files[name] = files.pop("card.json")
    assert "not part of a model" in refused(zip_of(files))


def test_missing_doubled_and_linked_files_are_refused() -> None:
    files = shipped_files()
    del files["config.json"]
    assert "config.json" in refused(zip_of(files))
    files = shipped_files()
    files["again/card.json"] = files["card.json"]
    refused(zip_of(files))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in shipped_files().items():
            member = zipfile.ZipInfo(name)
            member.external_attr = (0o120777 if name == "card.json" else 0o100644) << 16  # a symbolic link
            archive.writestr(member, b"/etc/passwd" if name == "card.json" else content)
    assert "card.json" in refused(packed.getvalue())


def test_an_encrypted_zip_is_refused() -> None:
    packed = bytearray(zip_of(shipped_files()))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = packed.find(mark)
        while at >= 0:
            packed[at + place] |= 1  # says that it is encrypted
            at = packed.find(mark, at + 4)
    refused(bytes(packed))


def config_with(**changes: object) -> bytes:
    config = json.loads(shipped_files()["config.json"])
    return json.dumps({**config, **changes}).encode()


@pytest.mark.parametrize(
    "files",
    [
        shipped_files(config=b"{"),
        shipped_files(config=b"[1, 2]"),
        shipped_files(config=b"[" * 100_000),
        shipped_files(config=config_with(d_model=128)),
        shipped_files(config=config_with(max_len=2**20)),
        shipped_files(config=config_with(n_encoder_layers=200)),
        shipped_files(config=config_with(n_decoder_heads=64)),
        shipped_files(config=config_with(max_len="17")),
        shipped_files(config=config_with(made_up=1)),
        shipped_files(config=config_with(sublayers="feed_forward")),
        shipped_files(model=b"\xff" * 100),
        shipped_files(card=b"\xff\xfe"),
        shipped_files(source_tokenizer=b"{}"),
        shipped_files(target_tokenizer=b"null"),
    ],
    ids=range(14),
)
def test_hostile_contents_are_refused(files: Contents) -> None:
    refused(zip_of(files))


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_is_packed_in_an_unusual_way_is_refused(compression: int) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, content in shipped_files().items():
            archive.writestr(name, content)
    assert_sentence(refused(packed.getvalue()), "deflate")


@examples(8)
@given(places=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_zip_is_refused_with_a_sentence_or_works(places: list[tuple[int, int]]) -> None:
    packed = bytearray(PACKED)
    for place, value in places:  # half of them where the archive lists its files
        packed[-(place // 2 % 600) - 1 if place % 2 else place // 2 % len(packed)] = value
    try:
        from_zip(bytes(packed))
    except CheckpointError as error:
        assert_sentence(error)


@pytest.mark.parametrize(
    "changes",
    [{}, {"n_encoder_layers": 1, "d_ff": 200}, {"sublayers": "attention"}, {"max_len": 130}, {"n_decoder_heads": 8}],
    ids=str,
)
def test_what_a_recorded_pass_takes_is_known_before(changes: dict[str, Any]) -> None:
    one = random_translator(0, **changes)
    text = "7" * one.max_tokens
    recorded = sum(tensor.nbytes for tensor in one.trace(text, text).tensors.values())
    assert 0.6 < recorded / recorded_bytes(one.model.config) < 1.1


def test_a_model_whose_pass_would_fill_the_memory_is_refused() -> None:
    large = random_translator(0, max_len=1024, n_heads=16)  # 192 KB, within every other limit
    message = refused(to_zip("large", large))
    assert_sentence(message, "1024 tokens", recorded_bytes(large.model.config) // 2**20, MAX_PASS // 2**20)


def test_a_model_without_residuals_is_refused() -> None:
    assert "residual connections" in refused(zip_of(shipped_files(config=config_with(residuals=False))))


@pytest.mark.parametrize("field", ["padding", "truncation", "normalizer", "post_processor", "decoder"])
def test_a_tokenizer_of_another_kind_is_refused_by_its_field(field: str) -> None:
    tokenizer = json.loads(shipped_files()["target_tokenizer.json"])
    tokenizer[field] = {"type": "Fuse"}
    message = refused(zip_of(shipped_files(target_tokenizer=json.dumps(tokenizer).encode())))
    assert_sentence(message, "target_tokenizer.json", field, "null")


def test_of_a_strangers_card_only_checked_fields_are_kept() -> None:
    card = {"task": ["copy"], "source_language": "<script>", "opens_with": "everywhere", "curve": 3, "seconds": "x"}
    loaded = from_zip(zip_of(shipped_files(card=json.dumps(card).encode())))
    assert loaded.card == {"task": None, "source_language": None, "target_language": None}
    card = {"task": "reverse", "attribution": "<b>", "command": "rm"}
    assert from_zip(zip_of(shipped_files(card=json.dumps(card).encode()))).card["task"] == "reverse"


# --- in the app ------------------------------------------------------------------------------------------------


def open_page(page: str, session: dict[str, object] | None = None, **query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    app.switch_page(f"pages/{page}.py")
    for name, value in (session or {}).items():
        app.session_state[name] = value
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("page", ["overview", "attention", "masks", "heads", "decoding"])
def test_every_page_shows_an_own_model_and_another_session_does_not(page: str, trained: Translator) -> None:
    session = {"own models": {"my-copy-0123": trained}}
    own = open_page(page, session, model="my-copy-0123")
    (choice,) = [box for box in own.selectbox if box.label == "Model"]
    assert "my-copy-0123" in choice.options and choice.value == "my-copy-0123"
    assert any("your own model" in caption.value for caption in own.caption)
    stranger = open_page(page, None, model="my-copy-0123")
    (other,) = [box for box in stranger.selectbox if box.label == "Model"]
    assert "my-copy-0123" not in other.options and other.value in other.options


EVERYTHING = [
    *((page, {}) for page in ("overview", "attention", "decoding")),
    *(("masks", {"lesson": name}) for name in ("matrices", "softmax", "causality", "teacher", "encoder")),
    *(("heads", {"view": name}) for name in ("glance", "measured", "knock-out", "effect", "compare")),
    *(("heads", {"view": name}) for name in ("lens", "contributions")),
    *(("positions", {"lesson": name}) for name in ("encoding", "distance", "order")),
    *(("scaling", {"lesson": name}) for name in ("products", "softmax", "lengths")),
    *(("architecture", {"lesson": name}) for name in ("figure", "shapes", "cost", "heads", "norm", "ffn")),
    *(("why_attention", {"lesson": name}) for name in ("table", "timing", "paths", "lookup")),
]


@pytest.mark.parametrize(("page", "query"), EVERYTHING)
def test_every_lesson_opens_for_a_model_of_attention_alone(
    page: str, query: dict[str, str], trained: Translator
) -> None:
    alone = replace(trained, model=random_model(4, peaked=2.0, sublayers="attention"))
    app = open_page(page, {"own models": {"my-copy-alone": alone}}, model="my-copy-alone", **query)
    assert not app.error


@pytest.mark.parametrize(
    "view", ["glance", "arcs", "query-key", "measured", "knock-out", "effect", "lens", "contributions", "compare"]
)
def test_every_view_of_the_heads_shows_an_own_model(view: str, trained: Translator) -> None:
    open_page("heads", {"own models": {"my-copy-0123": trained}}, model="my-copy-0123", view=view)


def test_the_page_lists_the_models_and_takes_a_file(trained: Translator) -> None:
    session = {"own models": {"my-copy-0123": trained}}
    app = open_page("training", session, view="models")
    assert [button.label for button in app.get("download_button")] == ["Download"]
    assert any(text.value == "my-copy-0123" for text in app.text)
    app.file_uploader[0].upload("model.zip", to_zip("x", trained), "application/zip").run()
    assert not app.exception
    assert len(app.session_state["own models"]) == 2
    assert "my-copy-" in app.success[0].value
    app.file_uploader[0].upload("model.zip", b"nonsense", "application/zip").run()
    assert not app.exception
    assert "Nothing has changed" in app.error[0].value
    assert any("This is not a complete zip file" in text.value for text in app.text)
    assert len(app.session_state["own models"]) == 2


def test_what_all_visitors_hold_together_is_bounded(monkeypatch: pytest.MonkeyPatch, trained: Translator) -> None:
    packed = to_zip("again", trained)
    one = size_of(from_zip(packed))
    held: WeakValueDictionary[str, Translator] = WeakValueDictionary()
    monkeypatch.setattr(own_models, "_HELD", held)
    monkeypatch.setattr(own_models, "MAX_HELD", int(2.5 * one))
    visitors = [from_zip(packed), from_zip(packed)]
    held.update({"my-1": visitors[0], "my-2": visitors[1]})
    with pytest.raises(CheckpointError) as full:
        from_zip(packed)
    assert_sentence(full.value, "no room for another model")
    visitors.pop()  # a visitor leaves
    gc.collect()
    from_zip(packed)
