"""Each sentence of the everyday ones is told from its translation; so is no English one of the phrasebook."""

from __future__ import annotations

from pathlib import Path

import pytest

from viz_transformer.training.corpus import read_pairs
from viz_transformer.ui.shared.other_language import is_another_language

DATA = Path(__file__).resolve().parents[2] / "assets/data"


def test_german_is_not_english_and_english_is() -> None:
    pairs = read_pairs(DATA / "everyday.en-de.tsv")
    assert sum(is_another_language(german, "en") for _, german in pairs) >= 0.9 * len(pairs)
    assert not any(is_another_language(english, "en") for english, _ in pairs)


def test_english_with_names_and_numbers_stays_english() -> None:
    phrasebook = [english for english, _ in read_pairs(DATA / "phrasebook.en-de.tsv")[::20]]
    assert not [english for english in phrasebook if is_another_language(english, "en")]


@pytest.mark.parametrize("language", ["zh", "ja", ""])
def test_nothing_is_said_of_a_language_that_it_does_not_know(language: str) -> None:
    assert not is_another_language("Das Wetter ist schön.", language)
