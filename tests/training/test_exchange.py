from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import assert_sentence
from viz_transformer.training.corpus import Pair
from viz_transformer.training.exchange import LETTERS, Exchange, Name, read_names

NAMES = [
    Name("man", "Tom", "Tom"),
    Name("man", "Jonas", "Jonas"),
    Name("woman", "Mary", "Maria"),
    Name("woman", "Anna", "Anna"),
    Name("town", "Munich", "München"),
    Name("town", "Hong Kong", "Hongkong"),
    Name("country", "Italy", "Italien"),
    Name("country", "France", "Frankreich"),
]
GERMAN = {name.source: name.target for name in NAMES}
SEEDS = st.integers(0, 10_000)


def exchanged(pair: Pair, seed: int) -> Pair:
    return Exchange(NAMES, ("en", "de"), seed, share=1.0)(pair)


def name_in(pattern: str, text: str) -> str:
    found = re.fullmatch(pattern, text)
    assert found, text
    return found[1]


@given(SEEDS)
def test_a_name_is_the_same_on_both_sides_as_each_language_writes_it(seed: int) -> None:
    source, target = exchanged(("I saw Mary in Munich.", "Ich habe Maria in München gesehen."), seed)
    woman, town = re.fullmatch(r"I saw (.+) in (.+)\.", source).groups()
    assert target == f"Ich habe {GERMAN.get(woman, woman)} in {GERMAN.get(town, town)} gesehen."


def test_a_name_gives_way_to_those_of_its_kind_and_to_some_that_are_made_up() -> None:
    seen = {kind: Counter[str]() for kind in ("woman", "country")}
    exchange = Exchange(NAMES, ("en", "de"), seed=0)
    for _ in range(6000):
        source, _target = exchange(("Mary loves Italy.", "Maria liebt Italien."))
        woman, country = re.fullmatch(r"(.+) loves (.+)\.", source).groups()
        seen["woman"][woman] += 1
        seen["country"][country] += 1
    assert set(seen["country"]) == {"Italy", "France"}
    known = seen["woman"]["Mary"] + seen["woman"]["Anna"]
    # A quarter of the pairs stays as it is; of the others, every second one gets a name that is made up.
    assert 0.57 < known / 6000 < 0.70
    made_up = [woman for woman in seen["woman"] if woman not in GERMAN]
    assert all((woman[0].isupper() and woman[1:].islower()) or woman in "MA" for woman in made_up)
    assert set("".join(made_up)) <= set(LETTERS)
    assert {letter for letter in LETTERS if letter.islower()} <= set("".join(made_up))


@given(SEEDS)
def test_the_german_possessive_has_an_s_or_only_an_apostrophe(seed: int) -> None:
    source, target = exchanged(("Tom's dog bit Tom.", "Toms Hund biss Tom."), seed)
    name = name_in(r"(.+)'s dog bit \1\.", source)
    assert target == f"{name}{chr(39) if name[-1] in 'sßxz' else 's'} Hund biss {name}."


@given(SEEDS)
def test_a_possessive_apostrophe_becomes_an_s_again(seed: int) -> None:
    source, target = exchanged(("This is Jonas' hat.", "Das ist Jonas' Hut."), seed)
    name = name_in(r"This is (.+)'s hat\.", source)
    assert target == f"Das ist {name}{chr(39) if name[-1] in 'sßxz' else 's'} Hut."


@pytest.mark.parametrize(
    "pair",
    [
        ("Tom and I saw Tom.", "Tom und ich sahen ihn."),  # not equally often on both sides
        ("Ask Tomas or Tommy.", "Frag Tomas oder Tommy."),  # parts of other words
        ("I like tom-toms.", "Ich mag Tomtoms."),
        ("I'm Anna-Tom.", "Ich bin Anna-Tom."),
        ("He left at 2:30.", "Er ging um halb drei."),  # not the same numbers on both sides
        ("It was May 3rd.", "Es war der 3. Mai."),  # the ending belongs to the number
        ("I have 1 cat.", "Ich habe 1 Katze."),  # one is singular
        ("The weather is nice.", "Das Wetter ist schön."),
    ],
)
@given(seed=SEEDS)
def test_what_may_not_be_exchanged_stays(pair: Pair, seed: int) -> None:
    assert exchanged(pair, seed) == pair


@given(SEEDS)
def test_a_number_gives_way_to_one_that_can_stand_in_its_place(seed: int) -> None:
    pair = (
        "On May 12 at 8:45 she paid 1,500 francs for 3 bags.",
        "Am 12. Mai um 8:45 hat sie für 3 Taschen 1.500 Franken bezahlt.",
    )
    source, target = exchanged(pair, seed)
    found = re.fullmatch(r"On May (\d+) at (\d+):(\d\d) she paid (\d+),(\d{3}) francs for (\d+) bags\.", source)
    assert found, source
    day, hour, minute, thousands, rest, bags = found.groups()
    assert target == f"Am {day}. Mai um {hour}:{minute} hat sie für {bags} Taschen {thousands}.{rest} Franken bezahlt."
    assert 2 <= int(day) <= 31
    assert 1 <= int(hour) <= 23
    assert int(minute) < 60


@given(SEEDS)
def test_a_number_has_as_many_digits_as_before_or_one_less_or_more(seed: int) -> None:
    source, target = exchanged(("In 1987 there were 24 of us.", "Im Jahr 1987 waren wir 24."), seed)
    year, others = re.fullmatch(r"In (\d{4}) there were (\d{1,3}) of us\.", source).groups()
    assert target == f"Im Jahr {year} waren wir {others}."
    assert int(others) >= 2


def test_three_years_in_four_stay_years_so_that_other_numbers_of_four_digits_are_read_too() -> None:
    exchange = Exchange([], ("en", "de"), seed=0)
    years = [int(exchange(("in 1987", "1987"))[1]) for _ in range(2000)]
    assert all(1000 <= year < 10_000 for year in years)
    assert abs(sum(year <= 2040 for year in years) / 2000 - (3 / 4 + 1 / 4 * 1040 / 9000)) < 0.03


@given(SEEDS)
def test_a_one_that_only_begins_a_number_gives_way_too(seed: int) -> None:
    source, target = exchanged(("We drove 1,400 miles.", "Wir fuhren 1.400 Meilen."), seed)
    thousands, rest = re.fullmatch(r"We drove (\d+),(\d{3}) miles\.", source).groups()
    assert target == f"Wir fuhren {thousands}.{rest} Meilen."


@given(SEEDS)
def test_a_letter_gives_way_to_another_but_not_the_end_of_a_short_form(seed: int) -> None:
    letters = [Name("letter", letter, letter) for letter in "nst"] + [
        Name("capital", letter, letter) for letter in "BC"
    ]
    pair = ("How's Tom's plan B, isn't it on page t?", "Wie geht's mit Toms Plan B, steht der nicht auf Seite t?")
    source, target = Exchange(letters, ("en", "de"), seed, share=1.0)(pair)
    plan, page = re.fullmatch(r"How's Tom's plan ([BC]), isn't it on page ([nst])\?", source).groups()
    assert target == f"Wie geht's mit Toms Plan {plan}, steht der nicht auf Seite {page}?"


def test_some_numbers_are_round() -> None:
    """As many are that people write; of numbers that are only drawn, one in a thousand ends in 000."""
    exchange = Exchange([], ("en", "de"), seed=0)
    seen = [exchange(("600,000 of 45 in 1987", "600.000 von 45 in 1987"))[0] for _ in range(2000)]
    numbers = [re.fullmatch(r"(\d+),(\d{3}) of (\d+) in (\d+)", one).groups() for one in seen]
    thousands, rest, few, years = zip(*numbers, strict=True)
    assert all(number[0] != "0" and len(number) <= 3 for number in (*thousands, *few))
    for column, zeros, share in ((thousands, "0", 0.33), (rest, "000", 0.25), (few, "0", 0.25), (years, "0", 0.32)):
        assert abs(sum(number.endswith(zeros) for number in column) / 2000 - share) < 0.05


def test_chinese_names_need_no_space_around_them() -> None:
    names = [Name("man", "汤姆", "Tom"), Name("man", "保罗", "Paul")]
    exchange = Exchange(names, ("zh", "en"), seed=0, share=1.0)
    assert {("汤姆爱猫。", "Tom loves cats."), ("保罗爱猫。", "Paul loves cats.")} <= {
        exchange(("汤姆爱猫。", "Tom loves cats.")) for _ in range(50)
    }


def test_the_same_seed_exchanges_the_same() -> None:
    pairs = [("Tom has 7 cats.", "Tom hat 7 Katzen.")] * 20
    runs = [[*map(Exchange(NAMES, ("en", "de"), seed), pairs)] for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_names_are_read_and_a_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text("woman\tMary\tMaria\n\ntown\tMunich\tMünchen\n", encoding="utf-8")
    assert read_names(path) == [Name("woman", "Mary", "Maria"), Name("town", "Munich", "München")]
    path.write_text("woman\tMary\n", encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        read_names(path)
    assert_sentence(caught.value, path, 1, "woman")
