"""What the front end makes for its views of its own pass is what Python sends of PyTorch's: every key of every content.

Texts and whole numbers must be equal, other numbers to 1e-5, and sums of log-probabilities to 1e-5 a token. As in
test_shipped.py, log-probabilities are compared with those of float64: PyTorch's own of float32 are up to 2e-5 off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.front_end import FRONT_END, node
from tests.live.asking import OPTIONS, TOLERANCE
from tests.live.texts import sentences
from tests.packed import unpacked
from viz_transformer import HeadRef, Trace, Translator, load
from viz_transformer.heads import AttentionModule
from viz_transformer.interventions import AblateHeads, ChangeMask, Intervention, Temperature, intervention_to_dict
from viz_transformer.notebook import ShownView, arcs, heads, overview, query_key, step_by_step, tree
from viz_transformer.views.head_sheet import sheet_labels
from viz_transformer.views.maps import measure_labels
from viz_transformer.views.text import speaking
from viz_transformer.views.trace_view import default_labels

KINDS = ("overview", "glance", "arcs", "query_key", "steps", "tree")

ODD = {
    "en-de": ["Hello", "<s> </s> $x$ «a» & `b`", "A 😀 cat!", "The the the the.", "a\u200bb c", "word " * 126],
    "zh-en": ["好", "<s>我爱你</s>", "你好😀！", "Tom 说 $x$", "我 " * 126],
    "copy": ["7", "0123456789012345"],
    "reverse": ["7", "0123456789012345"],
}
CHANGES: list[tuple[Intervention, ...]] = [
    (),
    (AblateHeads([HeadRef("cross", 1, 2), HeadRef("encoder_self", 0, 0)]),),
    (ChangeMask("off", frozenset({"decoder_self"})), Temperature(0.5)),
]
GREEDY = {"beam_size": 1, "normalization": "sum"}
BEAMS: list[dict[str, Any]] = [{}, GREEDY, {"beam_size": 3, "normalization": "power", "stop": "certain"}]
SUMS = ("/sums", "/scores", "/margins")  # of a search


@dataclass(frozen=True)
class Question:
    """A text, and what is shown of it."""

    text: str
    target: str | None = None
    interventions: tuple[Intervention, ...] = ()
    options: Mapping[str, Any] | None = None
    module: AttentionModule = "cross"
    layer: int = 0


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_contents_are_the_same(name: str, language: str, tmp_path: Path) -> None:
    assert_the_same(name, language, tmp_path, 4 if language == "en" else 1)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ODD)
def test_the_contents_are_the_same_for_many_sentences(name: str, tmp_path: Path) -> None:
    for n in range(10):
        folder = tmp_path / str(n)
        folder.mkdir()
        assert_the_same(name, "en", folder, 20, first=20 * n)


def assert_the_same(name: str, language: str, folder: Path, count: int, first: int = 0) -> None:
    translator = load(name, device="cpu")
    texts = [*(ODD[name] if first == 0 else []), *sentences(name, first + count)[first:]]
    modules: tuple[AttentionModule, ...] = ("cross", "encoder_self", "decoder_self")
    questions = [
        Question(
            text,
            target=texts[0] if n % 5 == 4 else None,
            interventions=CHANGES[n % len(CHANGES)],
            options=BEAMS[n % len(BEAMS)],
            module=modules[n // 3 % 3],
            layer=n % translator.model.config.n_decoder_layers,
        )
        for n, text in enumerate(texts)
    ]
    with speaking(language):
        exact = replace(translator, model=deepcopy(translator.model).double())
        traces = [exact.trace(one.text, one.target, interventions=one.interventions) for one in questions]
        shown = [views_of(translator, exact, *pair) for pair in zip(questions, traces, strict=True)]
        odd_views = [{kind: elsewhere(one.usual, n) for kind, one in views.items()} for n, views in enumerate(shown)]
        ask(folder, name, questions, odd_views)
        found = json.loads((folder / "views.json").read_text(encoding="utf-8"))
        for n, (question, views) in enumerate(zip(questions, shown, strict=True)):
            for kind, (usual, fitted) in zip(KINDS, found[n], strict=True):
                one, at = views[kind], f"{name} {question.text[:20]!r} {kind}"
                assert usual == json.loads(json.dumps(asdict(one.usual))), at
                one.view = odd_views[n][kind]
                assert fitted == json.loads(json.dumps(asdict(one.view))), at
                one.view = one.usual
                here = opened(unpacked((folder / f"{n}-{kind}.safetensors").read_bytes()))
                there = opened(unpacked(one.packed()))
                if kind == "overview":
                    settle_ranks(here["next"], there["next"], traces[n])
                compare(here, there, at)


def views_of(
    translator: Translator, exact: Translator, question: Question, in_float64: Trace
) -> dict[str, ShownView[Any]]:
    trace = translator.trace(question.text, question.target, interventions=question.interventions)
    searched = tree(exact, question.text, interventions=question.interventions, **(question.options or {}))
    return {
        "overview": overview(in_float64, exact=True),
        "glance": heads(trace),
        "arcs": arcs(trace),
        "query_key": query_key(trace),
        "steps": step_by_step(trace, question.module, question.layer),
        "tree": searched,
    }


def elsewhere(usual: Any, n: int) -> Any:
    """A view that is mostly beyond what there is."""
    changes: dict[str, Any] = {
        "layer": n,
        "head": 2 * n,
        "step": 3 * n,
        "module": ("encoder_self", "decoder_self", "cross")[n % 3],
        "token": (("key", "query")[n % 2], 40 * n),
        "heads": (n % 3, 9) if n % 2 else (9,),
        "stage": n,
        "choices": (n,),
        "node": (n, 2 * n),
        "zoom": n,
        "is_open": n % 2 == 0,
    }
    changes["pinned"] = (n, n, 2 * n) if hasattr(usual, "choices") else (n, 30 * n)
    return replace(usual, **{name: value for name, value in changes.items() if hasattr(usual, name)})


def ask(folder: Path, name: str, questions: Sequence[Question], views: Sequence[Mapping[str, Any]]) -> None:
    asked = {
        "model": name,
        "labels": default_labels() | measure_labels() | sheet_labels(),
        "questions": [
            {
                "text": one.text,
                "target": one.target,
                "interventions": [intervention_to_dict(change) for change in one.interventions],
                "options": {OPTIONS[option]: value for option, value in (one.options or {}).items()},
                "module": one.module,
                "layer": one.layer,
                "views": {kind: asdict(view) for kind, view in of_one.items()},
            }
            for one, of_one in zip(questions, views, strict=True)
        ],
    }
    (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    node(FRONT_END / "test/live/answer.ts", folder)


def settle_ranks(here: dict[str, Any], there: dict[str, Any], trace: Trace) -> None:
    """A token that was taken may have any rank among those that are as good as equal."""
    log_probs = trace.log_probs  # (T, V)
    taken = log_probs[np.arange(len(log_probs)), trace.predicted_ids][:, None]
    least, most = (1 + (log_probs > taken + change).sum(axis=1) for change in (TOLERANCE, -TOLERANCE))
    ranks = here["ranks"][:, -1]
    assert ((least <= ranks) & (ranks <= most)).all()
    here["ranks"] = np.column_stack([here["ranks"][:, :-1], there["ranks"][:, -1]])


def opened(content: Any) -> Any:
    """With the packed search in its place."""
    if "search" in content:
        content["search"] = unpacked(content["search"].tobytes())
    return content


def compare(actual: Any, expected: Any, at: str) -> None:
    """Fails where they differ in a key, a type, a text, or a number by more than `TOLERANCE`."""
    if isinstance(expected, dict):
        assert isinstance(actual, dict) and actual.keys() == expected.keys(), (at, set(actual) ^ set(expected))
        for name in expected:
            compare(actual[name], expected[name], f"{at}/{name}")
    elif isinstance(expected, list):
        assert isinstance(actual, list) and len(actual) == len(expected), at
        for n, (one, other) in enumerate(zip(actual, expected, strict=True)):
            compare(one, other, f"{at}/{n}")
    elif isinstance(expected, np.ndarray):
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape), (at, actual.shape, expected.shape)
        if at.endswith("/codes") and expected.dtype == np.uint16:  # multiples of 2e-5, which may round to the next
            assert np.abs(actual.astype(int) - expected.astype(int)).max(initial=0) <= 1, at
        elif expected.dtype.kind == "f":
            np.testing.assert_array_equal(np.isfinite(actual), np.isfinite(expected), at)
            size = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0)))
            if at.endswith(SUMS):
                size *= 128  # tokens, at most
            np.testing.assert_allclose(actual, expected, rtol=0, atol=size * TOLERANCE, err_msg=at)
        else:
            np.testing.assert_array_equal(actual, expected, at)
    elif isinstance(expected, float):
        assert actual == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE), at
    else:
        assert actual == expected, at
