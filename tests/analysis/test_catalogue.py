"""What the shipped models' heads do on held-out sentences, and whether knocking them out agrees."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import assert_sentence, random_translator
from viz_transformer import AblateHeads, HeadRef, Translator, active_hooks, load, save_checkpoint
from viz_transformer.analysis.catalogue import HEADS, Example, make_catalogue, read_catalogue, write_catalogue
from viz_transformer.analysis.measures import measure_heads
from viz_transformer.analysis.scores import AlignedPair, alignment_scores
from viz_transformer.cli.evaluate import drawn_in_training
from viz_transformer.cli.main import main
from viz_transformer.decoding.search import greedy_batch
from viz_transformer.heads import ATTENTION_MODULES
from viz_transformer.training.corpus import make_batch
from viz_transformer.training.tasks import Task
from viz_transformer.translator import model_folder, shipped_models

SOURCES = ["3 1 4 1", "9 2 6", "5"]
PAIR = AlignedPair("3 1 4", "1 5", ("3", "1", "4"), ("1", "5"), frozenset({(1, 0), (0, 1)}))


def test_means_and_strongest_sentences_are_those_of_the_traces(translator: Translator) -> None:
    catalogue = make_catalogue(translator, SOURCES, {}, [PAIR])
    by_source = {source: measure_heads(translator.trace(source)) for source in SOURCES}
    for ref, means in catalogue.means.items():
        for name, mean in means.items():
            if name == "alignment":
                assert [example.source for example in catalogue.strongest[ref][name]] == [PAIR.source]
                continue
            values = {source: by_source[source][ref][name] for source in SOURCES}
            values = {source: value for source, value in values.items() if not math.isnan(value)}
            assert mean == pytest.approx(np.mean(list(values.values())), abs=1e-6)
            best = catalogue.strongest[ref][name]
            assert [example.value for example in best] == sorted(values.values(), reverse=True)[:3]
            assert all(values[example.source] == example.value for example in best)
    assert "punctuation" not in catalogue.means[HeadRef("cross", 0, 0)]  # digits have none
    assert "alignment" in catalogue.means[HeadRef("cross", 0, 0)]


def test_a_catalogue_is_written_and_read_and_belongs_to_its_weights(tmp_path: Path) -> None:
    translator = random_translator(1)
    save_checkpoint(tmp_path, translator.model, translator.source_tokenizer, translator.target_tokenizer, {})
    assert read_catalogue(tmp_path) is None
    written = make_catalogue(translator, SOURCES, {"data": "three of them"}, [PAIR])
    write_catalogue(tmp_path, written)
    read = read_catalogue(tmp_path)
    assert read is not None
    assert read.about["data"] == "three of them"
    for ref, means in written.means.items():
        assert read.means[ref] == pytest.approx(means, abs=1e-4)
        assert read.strongest[ref].keys() == written.strongest[ref].keys()
        for name, examples in written.strongest[ref].items():
            rounded = tuple(Example(round(e.value, 4), e.source, e.target) for e in examples)
            assert read.strongest[ref][name] == rounded
    other = random_translator(2)
    save_checkpoint(tmp_path, other.model, other.source_tokenizer, other.target_tokenizer, {})
    assert read_catalogue(tmp_path) is None  # it measured the weights that were here before


@pytest.mark.parametrize("text", ["", "[]", '{"about": {}, "sentences": [], "heads": {"cross": {}}}'])
def test_a_file_that_is_no_catalogue_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / HEADS).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        read_catalogue(tmp_path)
    assert_sentence(caught.value, HEADS)


def test_evaluate_heads_measures_a_sample_of_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    translator = random_translator(1)
    folder = tmp_path / "model"
    save_checkpoint(folder, translator.model, translator.source_tokenizer, translator.target_tokenizer, {})
    data = tmp_path / "pairs.tsv"
    data.write_text("".join(f"{n} {n}\t{n}\n" for n in range(10)), encoding="utf-8")
    command = ["evaluate", str(folder), "--heads", "--device", "cpu"]
    assert main(command) == 2
    assert "--data" in capsys.readouterr().err
    command += ["--data", str(data), "--count", "4", "--seed", "3", "--attribution", "nobody"]
    assert main(command) == 0
    catalogue = read_catalogue(folder)
    assert catalogue is not None
    about = {name: catalogue.about[name] for name in ("data", "count", "seed", "attribution")}
    assert about == {"data": "pairs.tsv", "count": 4, "seed": 3, "attribution": "nobody"}
    first = (folder / HEADS).read_bytes()
    assert main(command) == 0
    assert (folder / HEADS).read_bytes() == first


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_models_have_a_catalogue_of_their_weights(name: str) -> None:
    catalogue = read_catalogue(model_folder(name))
    assert catalogue is not None, f"Make it again: python -m viz_transformer evaluate {name} --heads"
    config = load(name, "cpu").model.config
    layers = config.n_encoder_layers + 2 * config.n_decoder_layers
    assert len(catalogue.means) == layers * config.n_heads
    assert {ref.module for ref in catalogue.means} == set(ATTENTION_MODULES)
    assert catalogue.about["count"] >= 100
    assert json.loads((model_folder(name) / HEADS).read_text(encoding="utf-8"))["about"]["seed"]


def test_the_heads_that_the_catalogue_names_carry_the_copy_and_others_do_not() -> None:
    translator = load("copy", "cpu")
    sources = [source for source, _ in Task("copy").unseen_pairs(drawn_in_training(translator.card), 60, seed=5)]
    batch = make_batch([translator.encode_source(source).ids for source in sources], [()] * len(sources)).source_ids

    def exact_match(*knocked_out: HeadRef) -> float:
        with active_hooks(AblateHeads(knocked_out).hook(translator.model.config)):
            outputs = greedy_batch(translator.model, batch)
        copies = [translator.target_tokenizer.decode(output) for output in outputs]
        return float(np.mean([copy == source for copy, source in zip(copies, sources, strict=True)]))

    catalogue = read_catalogue(model_folder("copy"))
    assert catalogue is not None
    ranked = sorted(catalogue.means, key=lambda ref: -catalogue.means[ref].get("diagonal", 0))
    named, others = ranked[:4], ranked[4:]
    assert all(catalogue.means[ref]["diagonal"] > 0.85 for ref in named)
    assert exact_match() > 0.98
    assert exact_match(*named) < 0.2
    random = np.random.default_rng(7)
    for _ in range(6):  # as many others, drawn at random
        chosen = [others[i] for i in random.choice(len(others), size=4, replace=False)]
        assert exact_match(*chosen) > 0.9, chosen


def test_reversing_has_an_antidiagonal_head_in_cross_attention() -> None:
    catalogue = read_catalogue(model_folder("reverse"))
    assert catalogue is not None
    best = max(catalogue.means, key=lambda ref: catalogue.means[ref].get("antidiagonal", 0))
    assert best.module == "cross"
    assert catalogue.means[best]["antidiagonal"] > 0.6
    assert catalogue.means[best]["diagonal"] < 0.15
    record = load("reverse", "cpu").trace("3 1 4 1 5 9 2").attention("cross", best.layer)
    pointed = record.weights[best.head, :7].argmax(axis=1)
    assert np.mean(pointed == np.arange(6, -1, -1)) > 0.8


def test_evaluate_alignment_reports_accuracy_and_error_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    translator = random_translator(1)
    folder = tmp_path / "model"
    save_checkpoint(folder, translator.model, translator.source_tokenizer, translator.target_tokenizer, {})
    row = {name: sorted(value) if name == "sure" else value for name, value in vars(PAIR).items()}
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["evaluate", str(folder), "--alignment", str(path), "--update-card", "--device", "cpu"]) == 0
    assert "alignment error rate, layer 1" in capsys.readouterr().out
    card = load(folder, "cpu").card
    scores = alignment_scores(load(folder, "cpu"), [PAIR])
    written = card["scores"]["pairs.jsonl"]
    assert np.asarray(written["alignment_error_rate"]["predicts"]["heads"]) == pytest.approx(
        scores.error_rate, abs=1e-4
    )
    assert np.asarray(written["alignment_accuracy"]["predicts"]["heads"]) == pytest.approx(scores.accuracy, abs=1e-4)
    assert len(card["opens_with"]) == 2
