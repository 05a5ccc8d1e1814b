"""Views without the app: a notebook's widget and an HTML file both get the recorded numbers."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from safetensors.numpy import load as load_tensors

import viz_transformer as vt
from viz_transformer.cli.main import main
from viz_transformer.heads import n_layers
from viz_transformer.notebook import ShownView
from viz_transformer.training.snapshots import from_codes

SOURCE = "The cat <s> & $x$ sleeps."


@pytest.fixture(scope="module")
def translator() -> vt.Translator:
    return vt.load("en-de", "cpu")


@pytest.fixture(scope="module")
def trace(translator: vt.Translator) -> vt.Trace:
    return translator.trace(SOURCE)


def shown_of(trace: vt.Trace, translator: vt.Translator) -> dict[str, ShownView[Any]]:
    return {
        "overview": trace.overview(),
        "heads": trace.heads(),
        "arcs": trace.arcs(),
        "query-key": trace.query_key(),
        "step by step": trace.step_by_step("cross", 1, 2),
        "tree": translator.beam_search("The cat sleeps.").tree(),
    }


def part(text: str, name: str) -> str:
    found = re.search(rf'id="{name}">(.*?)</script>', text, re.DOTALL)
    assert found
    return found[1]


def content_of(text: str) -> dict[str, np.ndarray]:
    return load_tensors(gzip.decompress(b64decode(part(text, "content"))))


def test_a_file_holds_the_recorded_weights(trace: vt.Trace) -> None:
    tensors = content_of(trace.to_html())
    for n, module in enumerate(vt.ATTENTION_MODULES):
        layers = range(n_layers(trace.config, module))
        recorded = np.stack([trace.attention(module, layer).weights for layer in layers])
        np.testing.assert_array_equal(tensors[f"modules/{n}/weights"], recorded)


def test_in_two_bytes_the_four_decimals_are_those_recorded(trace: vt.Trace) -> None:
    tensors = content_of(trace.to_html(exact=False))
    recorded = np.stack([trace.attention("cross", layer).weights for layer in range(2)])
    n = vt.ATTENTION_MODULES.index("cross")
    codes = tensors[f"modules/{n}/high"].astype(np.uint16) * 256 + tensors[f"modules/{n}/low"]
    shown = [f"{value:.4f}" for value in from_codes(codes).ravel()]
    assert shown == [f"{value:.4f}" for value in recorded.ravel()]


def test_a_file_needs_nothing_from_elsewhere_and_says_what_it_is_of(trace: vt.Trace, translator: vt.Translator) -> None:
    for name, shown in shown_of(trace, translator).items():
        text = shown.to_html()
        outside = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
        assert not re.search(r'(src|href)="(?!#|http://127\.0\.0\.1:8501/|data:)', outside), name
        assert "<dd>en-de</dd>" in text
        assert json.loads(part(text, "request"))["view"]
    assert "The cat &lt;s&gt; &amp; $x$ sleeps." in trace.to_html()


def test_typed_text_ends_no_element(translator: vt.Translator) -> None:
    text = translator.trace("A </script><script>alert(1)</script> cat.").to_html()
    assert "<script>alert" not in text
    assert text.count("</script>") == 4


def test_the_link_opens_the_view(trace: vt.Trace) -> None:
    shown = trace.heads().go(layer=0, head=3)
    assert "/heads?model=en-de&source=" in shown.link()
    assert "layer=1" in shown.link()
    assert "head=4" in shown.link()
    assert shown.link(app=None) == ""
    assert "reopen" not in re.sub(r"<script.*?</script>", "", shown.to_html(app=None), flags=re.DOTALL)


def test_a_view_is_clamped_and_a_wrong_one_refused(trace: vt.Trace) -> None:
    shown = trace.overview()
    shown.view = replace(shown.view, layer=99, head=99)
    assert (shown.view.layer, shown.view.head) == (2, 3)  # the encoder's last layer
    with pytest.raises(TypeError, match="TraceView"):
        shown.view = 3  # type: ignore[assignment]
    with pytest.raises(ValueError, match="zh"):
        trace.overview(language="fr")
    with pytest.raises(ValueError, match="theme"):
        shown.to_html(theme="blue")  # type: ignore[arg-type]


def test_the_widget_goes_where_python_says_and_hears_the_browser(trace: vt.Trace) -> None:
    shown = trace.heads()
    widget = shown.widget
    revision = widget.request["revision"]
    shown.go(layer=0)
    assert widget.request["view"]["layer"] == 0
    assert widget.request["revision"] != revision
    view = {**widget.request["view"], "layer": 1, "head": 2}
    widget.settled = {**view, "revision": "an earlier one"}
    assert shown.view.layer == 0
    widget.settled = {**view, "revision": widget.request["revision"]}
    assert (shown.view.layer, shown.view.head, widget.view) == (1, 2, shown.view)
    widget.view = replace(shown.view, head=99)
    assert shown.view.head == widget.view.head == 3


def test_a_tree_gets_the_pass_of_the_hypothesis_that_is_chosen(translator: vt.Translator) -> None:
    shown = translator.beam_search("The cat sleeps.").tree()
    before = shown.widget.content
    settled = {**shown.widget.request["view"], "node": [1, 1], "revision": shown.widget.request["revision"]}
    shown.widget.settled = settled
    assert shown.view.node == (1, 1)
    assert shown.widget.content != before


def test_a_search_is_the_same_iterator_as_ever(translator: vt.Translator) -> None:
    search = translator.beam_search("The cat sleeps.")
    first = next(search)
    *_steps, last = search
    assert first.index == 0
    assert translator.target_tokenizer.decode(last.best.ids) == translator.translate("The cat sleeps.", beam_size=4)


def test_a_bundle_has_a_still_picture_with_the_tokens(trace: vt.Trace, translator: vt.Translator) -> None:
    for shown in shown_of(trace, translator).values():
        data, _metadata = shown._repr_mimebundle_()
        assert "application/vnd.jupyter.widget-view+json" in data
        ElementTree.fromstring(data["image/svg+xml"])
    texts = [one.text for one in ElementTree.fromstring(trace.overview().still()).iter() if one.tag.endswith("text")]
    assert {*trace.source_tokens, *trace.target_tokens} <= {*texts}


def test_a_saved_trace_knows_what_it_is_of(trace: vt.Trace, tmp_path: Path) -> None:
    trace.save(tmp_path / "trace.safetensors")
    loaded = vt.load_trace(tmp_path / "trace.safetensors")
    assert loaded.origin == trace.origin
    assert loaded.label_of(trace.predicted_ids[0]) == trace.predicted_tokens[0]


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tree.html"
    assert main(["export", "en-de", "The cat sleeps.", str(file), "--view", "tree", "--language", "zh"]) == 0
    assert 'lang="zh-Hans"' in file.read_text(encoding="utf-8")
    assert "KiB" in capsys.readouterr().out
    assert main(["export", "en-de", "The cat sleeps.", str(tmp_path / "no" / "tree.html")]) == 2
