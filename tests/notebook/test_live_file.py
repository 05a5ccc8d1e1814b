"""A file one can type into: what it holds, how large it is, and what it refuses to hold."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load as load_tensors

import viz_transformer as vt
from tests.front_end import FRONT_END
from tests.helpers import changed_copy
from tests.packed import unpacked
from viz_transformer.cli.main import main
from viz_transformer.notebook.live_labels import REFUSALS
from viz_transformer.notebook.seven_bits import FIRST, WRONG, as_text
from viz_transformer.translator import model_folder

MIB = 1_000_000


@pytest.fixture(scope="module")
def trace() -> vt.Trace:
    return vt.load("en-de", "cpu").trace("The cat sleeps.")


@pytest.fixture(scope="module")
def exact(trace: vt.Trace) -> str:
    return trace.to_html(live=True)


def data_in(text: str) -> bytes:
    """What `as_text` was given, read in another way than the browser does: as one number."""
    sevens: list[int] = []
    for sign in text:
        code = ord(sign)
        sevens += [code] if code < FIRST else [WRONG[(code - FIRST) >> 7], (code - FIRST) & 127]
    bits = np.unpackbits(np.array(sevens, np.uint8)[:, None], axis=1)[:, 1:].ravel()
    return np.packbits(bits).tobytes()


def archive(text: str, name: str) -> Any:
    found = re.search(rf'<script type="text/plain" id="{name}" data-size="(\d+)">([^<]*)</script>', text)
    assert found
    return unpacked(gzip.decompress(data_in(found[2])[: int(found[1])]))


def weights_in(text: str) -> dict[str, np.ndarray]:
    model = archive(text, "model")
    return load_tensors(model["weights"].reshape(model["width"], -1).T.tobytes())


@pytest.mark.parametrize("length", [0, 1, 6, 7, 8, 1000])
def test_bytes_survive_as_text(length: int) -> None:
    data = np.random.default_rng(length).integers(0, 256, length, np.uint8).tobytes()
    for some in (data, bytes(length), b"<" * length, b"\r\n" * length, b"\x78\xf1\xe3\xc7" * length):
        text = as_text(some)
        assert not set(text) & set("\0\r\n<")
        assert data_in(text)[: len(some)] == some
        assert len(text.encode()) <= 8 * len(some) / 7 + 3


def test_it_holds_the_model_as_it_was_shipped(exact: str) -> None:
    shipped = load_tensors((model_folder("en-de") / "model.safetensors").read_bytes())
    found = weights_in(exact)
    assert found.keys() == shipped.keys()
    for name, values in shipped.items():
        assert found[name].dtype == values.dtype
        np.testing.assert_array_equal(found[name], values)
    for side in ("source", "target"):
        tokenizer = archive(exact, "model")[f"{side}Tokenizer"].tobytes().decode()
        assert tokenizer == getattr(vt.load("en-de", "cpu"), f"{side}_tokenizer").to_json()


def test_rounded_it_is_half_as_large_and_says_so(trace: vt.Trace, exact: str) -> None:
    rounded = trace.to_html(live=True, int8=True)
    assert len(exact.encode()) <= 12 * MIB
    assert len(rounded.encode()) <= 6.5 * MIB
    whole, found = weights_in(exact), weights_in(rounded)
    for name, values in whole.items():
        if values.ndim == 2:
            scale = found[f"{name}.scale"][:, None]
            assert found[name].dtype == np.int8
            assert np.abs(found[name] * scale - values).max() <= scale.max() / 2 + 1e-6
        else:
            np.testing.assert_array_equal(found[name], values)
    said = {name: texts["page"]["computed"] for name, texts in archive(rounded, "front")["texts"].items()}
    assert said == {
        "en": "computed in this browser, weights rounded to 8 bits",
        "zh": "由此浏览器计算，权重舍入到 8 位",
    }
    facts = archive(rounded, "front")["texts"]["en"]["facts"]
    assert ["Weights", "rounded to 8 bits"] in facts


def test_it_asks_for_nothing(exact: str) -> None:
    assert not re.search(r'(?:src|href)="(?!data:)', exact)
    assert "@import" not in exact


def test_texts_that_were_typed_are_data(trace: vt.Trace) -> None:
    typed = "A </script><script>alert(1)</script> <!-- cat."
    text = vt.load("en-de", "cpu").trace(typed, "<b>x</b>").to_html(live=True, language="zh")
    assert "alert(1)</script>" not in text
    front = archive(text, "front")
    assert (front["source"], front["target"], front["language"]) == (typed, "<b>x</b>", "zh")
    assert '<html lang="zh-Hans"' in text


def test_changes_are_kept(trace: vt.Trace) -> None:
    changed = vt.load("copy", "cpu").trace("12", interventions=[vt.AblateHeads([vt.HeadRef("cross", 0, 1)])])
    front = archive(changed.to_html(live=True), "front")
    assert front["interventions"] == [{"kind": "AblateHeads", "heads": [["cross", 0, 1]]}]
    assert any(name == "Changes" for name, _text in front["texts"]["en"]["facts"])


def test_traditional_characters_are_read_as_in_python() -> None:
    pytest.importorskip("opencc")
    model = archive(vt.load("zh-en", "cpu").trace("我爱你。").to_html(live=True), "model")
    assert len(model["dictionaries"]) == 2


def test_a_wrong_view_a_wrong_theme_and_a_missing_folder_get_a_sentence(trace: vt.Trace, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="The view must be one of overview, glance"):
        trace.to_html(live=True, view="poem")
    with pytest.raises(ValueError, match="theme"):
        trace.to_html(live=True, theme="blue")
    with pytest.raises(FileNotFoundError, match="no folder"):
        vt.load("copy", "cpu").trace("12").to_html(tmp_path / "nowhere/a.html", live=True)


def test_a_trace_of_other_weights_gets_a_sentence() -> None:
    """Else the file would open with numbers that the trace does not have."""
    translator = vt.load("copy", "cpu")
    weights = changed_copy(translator.model)
    with torch.no_grad():
        weights.decoder_layers[0].cross_attention.w_v.weight *= 1.5
    for trace in (
        replace(translator, model=weights).trace("12"),
        replace(vt.load("reverse", "cpu"), name="copy").trace("12"),
    ):
        with pytest.raises(ValueError, match="other numbers now than in this trace"):
            trace.to_html(live=True)
    with pytest.raises(ValueError, match="goes with live=True"):
        translator.trace("12").to_html(int8=True)


def test_a_trace_without_a_model_gets_a_sentence(tmp_path: Path) -> None:
    translator = vt.load("copy", "cpu")
    unnamed = vt.Translator(
        translator.model, translator.source_tokenizer, translator.target_tokenizer, translator.card
    ).trace("12")
    with pytest.raises(ValueError, match="does not know the name"):
        unnamed.to_html(live=True)


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", "copy", "12", str(tmp_path / "a.html"), "--live", "--int8", "--view", "query-key"])
    front = archive((tmp_path / "a.html").read_text(encoding="utf-8"), "front")
    assert (front["opens"], front["source"]) == ("query_key", "12")
    assert "KiB" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"), [(["--int8"], "goes with --live"), (["--live", "--beam", "8"], "always 4")]
)
def test_the_command_ignores_no_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["export", "copy", "12", str(tmp_path / "a.html"), *options]) == 2
    assert said in capsys.readouterr().err and not (tmp_path / "a.html").exists()


def test_what_the_browser_refuses_with_is_translated() -> None:
    """The sentences that a person meets stand in the sources of the front end as they stand here."""
    sources = "".join(path.read_text(encoding="utf-8") for path in (FRONT_END / "src").rglob("*.ts"))
    spoken = re.sub(r'"\s*\+\s*"', "", sources)
    for sentence in REFUSALS:
        assert f'"{sentence}"' in spoken, sentence
