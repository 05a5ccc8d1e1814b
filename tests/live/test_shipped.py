"""The shipped models, computed by the front end: what they read, write and attend to is what it is in Python.

In float32, PyTorch's own log-probabilities of en-de are up to 2e-5 off those of float64, and the front end's 6e-6. So
log-probabilities and searches are compared with float64's; outputs and n-best lists must be float32's, too.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.live.asking import Asked, Differences, answers, compare_pass, compare_search, pass_question, search_question
from tests.live.texts import ODD, random_texts, sentences, targets
from viz_transformer import load
from viz_transformer.decoding.search import beam_search
from viz_transformer.translator import TextError, Translator, model_folder, shipped_models

GREEDY: dict[str, Any] = {"beam_size": 1, "normalization": "sum"}
BEAMS: list[dict[str, Any]] = [
    {},
    {"beam_size": 5, "stop": "certain"},
    {"beam_size": 3, "stop": "likely", "normalization": "power", "length_penalty": 1.0},
    {"beam_size": 8, "normalization": "mean", "stop": "certain"},
    {"beam_size": 4, "normalization": "sum"},
    {"beam_size": 4, "max_len": 5, "forced_end": True, "length_penalty": -0.5},
]
MAPS = ("masked_scores", "weights")


@pytest.mark.parametrize("name", shipped_models())
def test_a_shipped_model_is_the_same(name: str, tmp_path: Path) -> None:
    assert_the_same(name, tmp_path, n_sentences=60, n_beams=18)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", shipped_models())
def test_a_shipped_model_is_the_same_on_a_thousand_sentences(name: str, tmp_path: Path) -> None:
    assert_the_same(name, tmp_path, n_sentences=1000, n_beams=1000)


def assert_the_same(name: str, folder: Path, n_sentences: int, n_beams: int) -> None:
    """Ids, labels and spans of texts; greedy search and a pass for each sentence, for some a beam; now and then all."""
    translator = load(name, device="cpu")
    model, tokenizer = translator.model, translator.target_tokenizer
    sources = [translator.read_as(text) for text in sentences(name, n_sentences)]
    texts = [*sources, *ODD, *random_texts(5 * n_sentences, 1)]
    written = [*targets(name, n_sentences), *ODD, *random_texts(2 * n_sentences, 2)]

    source_ids = [translator.ended_source(text)[0] for text in sources]
    outputs = [list(translator.greedy_search(text))[-1].best.ids for text in sources]
    searches = [(ids, GREEDY) for ids in source_ids]
    searches += [(ids, BEAMS[n % len(BEAMS)]) for n, ids in enumerate(source_ids[:n_beams])]
    passes = [
        (ids, (model.config.start_id, *output[:-1]), MAPS if n % 10 else None)
        for n, (ids, output) in enumerate(zip(source_ids, outputs, strict=True))
    ]

    asked = Asked(
        model_folder(name),
        [
            {"kind": "encode", "side": "source", "texts": texts},
            {"kind": "encode", "side": "target", "texts": written},
            {"kind": "decode", "side": "target", "ids": [list(ids) for ids in outputs]},
            *(search_question(*search) for search in searches),
            *(pass_question(source, target, points=points) for source, target, points in passes),
        ],
    )
    in_plain = Asked(
        asked.folder,
        [*(search_question(*search) for search in searches[:2]), pass_question(*passes[0][:2])],
        is_plain=True,
    )
    (of_source, of_target, of_ids, *found), found_in_plain = answers(folder, [asked, in_plain])

    compare_texts(of_source, texts, translator, "source")
    compare_texts(of_target, written, translator, "target")
    assert of_ids == [{"text": tokenizer.decode(ids), "labels": list(tokenizer.labels(ids))} for ids in outputs]
    differences = Differences()
    exact = deepcopy(model).double()
    answered = [
        *zip(searches, found[: len(searches)], strict=True),
        *zip(searches[:2], found_in_plain[:2], strict=True),
    ]
    for (ids, options), answer in answered:
        compare_search(answer, exact, ids, options, differences)
        *_, last = beam_search(model, ids, **options)
        assert [one["ids"] for one in answer[-1]["finished"]] == [list(one.ids) for one in last.finished]
    maps = [*zip(passes, found[len(searches) :], strict=True), (passes[0], found_in_plain[2])]
    for (source, target, points), answer in maps:
        compare_pass(answer, model, source, target, differences, points=points)
    assert differences.ties <= n_beams // 500
    print(f"\n{name}: {len(texts) + len(written)} texts, {len(sources)} sentences, {n_beams} beams; {differences}")


def compare_texts(found: list[Any], texts: list[str], translator: Translator, side: str) -> None:
    """What each text is read as, or that both refuse it with the same sentence."""
    for text, here in zip(texts, found, strict=True):
        try:
            encoded = translator.encode_source(text) if side == "source" else translator.encode_target(text)
        except TextError as error:
            assert here == {"refused": str(error)}, repr(text)
            continue
        assert here == {
            "text": encoded.text,
            "ids": list(encoded.ids),
            "tokens": list(encoded.tokens),
            "unknown": list(encoded.unknown),
            "spans": [list(span) for span in encoded.spans],
        }, repr(text)
