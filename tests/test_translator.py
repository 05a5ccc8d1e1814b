from __future__ import annotations

from pathlib import Path
from typing import Any, get_type_hints

import pytest

from tests.helpers import assert_near, assert_sentence, random_translator, tiny_config
from viz_transformer import (
    AblateHeads,
    BeamOptions,
    CheckpointError,
    HeadRef,
    PositionsOff,
    TextError,
    Translator,
    beam_search,
    load,
    save_checkpoint,
    shipped_models,
)
from viz_transformer.decoding.ranking import BeamKeywords
from viz_transformer.tokenizers import END_ID, PAD_ID, START_ID, Tokenizer
from viz_transformer.translator import MODELS, model_folder

TEXT = "3 1 4 1 5"
IDS = (7, 5, 8, 5, 9, 2)  # digits are 4 … 13, then the end token


def test_texts_become_ids_with_the_end_token(translator: Translator) -> None:
    shown = translator.trace(TEXT, "2 7")
    assert (shown.source_ids, shown.target_ids, shown.predicted_ids) == (IDS, (1, 6, 11), (6, 11, 2))
    assert translator.decode(shown) == "2 7"


def test_what_was_read_once_is_not_read_again(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = translator.translate(TEXT), translator.trace(TEXT, "2 7").log_probs.tobytes()
    own = translator.trace(TEXT).log_probs.tobytes()
    source, target = translator.encode_source(TEXT), translator.encode_target("2 7")
    assert (source.text, target.text) == (TEXT, "2 7")
    monkeypatch.delattr(Tokenizer, "encode")
    assert (translator.translate(source), translator.trace(source, target).log_probs.tobytes()) == expected
    assert translator.trace(source).log_probs.tobytes() == own


def test_translating_is_decoding_the_best_hypothesis(translator: Translator) -> None:
    *_, greedy = beam_search(translator.model, IDS, beam_size=1)
    assert len(set(greedy.best.ids)) > 1
    assert translator.translate(TEXT) == translator.target_tokenizer.decode(greedy.best.ids)
    *_, beam = beam_search(translator.model, IDS, beam_size=3, normalization="mean", stop="certain")
    translated = translator.translate(TEXT, beam_size=3, normalization="mean", stop="certain")
    assert translated == translator.target_tokenizer.decode(beam.best.ids)


def different_under(translator: Translator, intervention: Any) -> str:
    """A text whose greedy output the intervention changes."""
    for number in range(100):
        text = " ".join(f"{number:02}")
        plain = list(translator.greedy_search(text))
        changed = list(translator.greedy_search(text, interventions=[intervention]))
        if plain[-1].best.ids != changed[-1].best.ids:
            return text
    raise AssertionError("The intervention changes no output.")


def test_options_and_their_fields_as_keywords_are_the_same_search(translator: Translator) -> None:
    options = BeamOptions(3, normalization="mean", max_len=4)
    expected = [step.best for step in translator.beam_search(TEXT, beam_size=3, normalization="mean", max_len=4)]
    assert [step.best for step in translator.beam_search(TEXT, options)] == expected
    assert [
        step.best for step in translator.beam_search(TEXT, BeamOptions(max_len=4), beam_size=3, normalization="mean")
    ] == expected
    assert get_type_hints(BeamKeywords) == get_type_hints(BeamOptions)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_an_output_is_at_most_as_long_as_was_asked(translator: Translator, beam_size: int) -> None:
    endless = (PAD_ID, START_ID, END_ID)
    whole = translator.translate(TEXT, beam_size=beam_size, banned_ids=endless)
    cut = translator.translate(TEXT, beam_size=beam_size, max_len=2, banned_ids=endless)
    assert (len(whole.split()), len(cut.split())) == (translator.model.config.max_len, 2)
    *_, last = translator.greedy_search(TEXT, max_len=2, banned_ids=endless)
    assert (len(last.best.ids), last.stop_reason) == (2, "max_len")


def test_translating_greedily_honours_interventions_like_a_beam() -> None:
    translator, intervention = random_translator(1, peaked=2.0), PositionsOff()
    text = different_under(translator, intervention)
    *_, last = translator.greedy_search(text, interventions=[intervention])
    expected = translator.target_tokenizer.decode(last.best.ids)
    assert translator.translate(text, beam_size=1, interventions=[intervention]) == expected


def test_a_misspelt_option_is_refused_for_greedy_too(translator: Translator) -> None:
    for beam_size in (1, 2):
        with pytest.raises(TypeError):
            translator.translate(TEXT, beam_size=beam_size, lenght_penalty=1.0)


def test_a_beam_of_none_is_refused_with_a_sentence(translator: Translator) -> None:
    with pytest.raises(ValueError) as caught:
        translator.translate(TEXT, beam_size=0)
    assert_sentence(caught.value, "beam_size", 0)


def test_a_trace_without_target_takes_the_models_own_output_under_the_same_changes() -> None:
    translator = random_translator(1, peaked=2.0)
    text = different_under(translator, PositionsOff())
    shown = translator.trace(text, interventions=[PositionsOff()])
    *_, last = translator.greedy_search(text, interventions=[PositionsOff()])
    assert shown.predicted_ids == last.best.ids
    assert_near(shown.token_log_probs, last.best.log_probs, 1e-5)


def test_labels_of_a_search_are_the_target_tokenizers(translator: Translator) -> None:
    step = next(translator.beam_search(TEXT, interventions=[AblateHeads([HeadRef("cross", 0, 0)])]))
    labels = translator.target_tokenizer.labels(candidate.token_id for candidate in step.candidates)
    assert tuple(candidate.token for candidate in step.candidates) == labels


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_text_is_refused_with_a_sentence(translator: Translator, side: str, text: str) -> None:
    with pytest.raises(TextError) as caught:
        translator.trace(*(["1", text] if side == "target" else [text, "1"]))
    assert_sentence(caught.value, side)


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_text_too_long_is_refused_with_its_length_and_the_limit(translator: Translator, side: str) -> None:
    longest, too_long = "1" * 23, "1" * 24
    assert translator.max_tokens == 23
    shown = translator.trace(longest, longest)  # 23 and the end token: the whole table of positions
    assert len(shown.source_ids) == len(shown.target_ids) == 24
    with pytest.raises(TextError) as caught:
        translator.trace(*(["1", too_long] if side == "target" else [too_long, "1"]))
    assert_sentence(caught.value, side, 24, 23)
    assert caught.value.values == {"side": side, "count": 24, "limit": 23}
    assert caught.value.template.format(**caught.value.values) == str(caught.value)


@pytest.mark.parametrize("text", [None, 3, b"1 2", ["1"]])
def test_what_is_no_text_is_refused_with_a_sentence(translator: Translator, text: Any) -> None:
    for read in (translator.translate, translator.trace, translator.encode_target, load("zh-en", "cpu").encode_source):
        with pytest.raises(TypeError) as caught:
            read(text)
        assert_sentence(caught.value, repr(text))


def test_half_a_character_is_refused_with_its_place(translator: Translator) -> None:
    with pytest.raises(TextError) as caught:
        translator.trace("12\ud83d", "1")
    assert_sentence(caught.value, "source", 3)


def test_markup_in_a_text_error_is_no_template(translator: Translator) -> None:
    # Values are put in by name, so a text with braces cannot break the message.
    with pytest.raises(TextError) as caught:
        translator.trace("{count}{0}" * 10, "1")
    assert_sentence(caught.value)


def test_a_saved_model_can_be_loaded_by_its_folder(translator: Translator, tmp_path: Path) -> None:
    tokenizer = translator.source_tokenizer
    save_checkpoint(tmp_path, translator.model, tokenizer, tokenizer, {"name": "copy"}, half=False)
    loaded = load(tmp_path, device="cpu")
    assert loaded.card == {"name": "copy"}
    assert loaded.translate(TEXT) == translator.translate(TEXT)
    assert loaded.model.config == tiny_config()


@pytest.mark.parametrize("name", ["no-such-model", "../../etc", "", "a\0b", "a" * 5000, "a/" * 2500])
def test_a_model_that_does_not_exist_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        load(name if name else "no such folder")
    assert_sentence(caught.value)


def test_shipped_models_are_folders_with_a_card() -> None:
    for name in shipped_models():
        assert model_folder(name) == MODELS / name
        assert (MODELS / name / "card.json").is_file()
