"""Exchanges names, places and numbers in sentence pairs for others, the same ones on both sides.

A model that reads *Tom* in every fourth sentence and *Hamburg* in none learns to guess names. Hundreds of
names, some of them made up and read only once, teach it to copy what it is given.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from viz_transformer.lines import numbered_lines
from viz_transformer.sentences import SentenceError
from viz_transformer.training.corpus import Pair

INVENTED = 1 / 3  # the share of new names that are made up, where the kind allows
ROUND = 1 / 4  # the share of new numbers that end in zeros, as many do that people write and few that are drawn
_SYLLABLE = (
    ["B", "D", "F", "G", "H", "J", "K", "L", "M", "N", "P", "R", "S", "T", "V", "W", "Br", "Fr", "Kr", "Sch", "St"],
    ["a", "e", "i", "o", "u", "a", "e", "i", "o", "ei", "au"],
    ["", "", "", "l", "m", "n", "r", "s", "nd", "rt", "ck"],
)
_ENDINGS = {
    "woman": ["a", "a", "e", "ine"],
    "man": ["o", "an", "ert", "in"],
    "town": ["burg", "heim", "ton", "stadt", "a"],
}
_POSSESSIVE = {"en": "'s|'", "de": "s|'"}  # by language, the endings that make a name a possessive

_NUMBER = re.compile(r"\d+")
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b")
_PART = re.compile(r"(?<=\d)[.,:]")  # between two parts of a number, such as hours and minutes
_HOUR = re.compile(r"\d+:")
_DAY = re.compile(r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|月")


class Name(NamedTuple):
    """A name as both languages write it."""

    kind: str
    source: str
    target: str


def read_names(path: str | Path) -> list[Name]:
    """The names of a file: one per line, as kind ⇥ source ⇥ target; see `numbered_lines`.

    Raises:
        ValueError: with the line's number where a line has other than three fields, or is not UTF-8.
    """
    names = []
    for number, line in numbered_lines(path):
        fields = line.split("\t")
        if len(fields) != 3 or not all(map(str.strip, fields)):
            raise SentenceError(
                "{path}, line {number}: expected a kind, a tab, a name, a tab and the name in the other language; the "
                "line was {line!r}.",
                path=path,
                number=number,
                line=line,
            )
        names.append(Name(*fields))
    return names


class Exchange:
    """Exchanges names and numbers that occur on both sides of a pair, at random.

    A name is replaced by another of its kind if it occurs equally often on both sides; one in three of the new names
    is made up. Numbers are replaced by others that can stand in their place, if both sides have the same numbers.

    Args:
        names: the names to look for, and to replace them by.
        languages: of source and target.
        seed: with the same seed, the exchanges are the same.
        share: the share of pairs with names in which names are exchanged.
    """

    def __init__(self, names: Sequence[Name], languages: tuple[str, str], seed: int, share: float = 0.75) -> None:
        self._random = Random(seed)
        self._languages = languages
        self._share = share
        self._of_kind: defaultdict[str, list[Name]] = defaultdict(list)
        for name in names:
            self._of_kind[name.kind].append(name)
        self._by_source = {name.source: name for name in reversed(names)}
        self._sources = _any_of(self._by_source, languages[0])

    def __call__(self, pair: Pair) -> Pair:
        """The pair with other names and numbers; as it is where it has none."""
        return self._with_other_numbers(self._with_other_names(pair))

    def _with_other_names(self, pair: Pair) -> Pair:
        source, target = pair
        written = Counter(match[1] for match in self._sources.finditer(source))
        if not written or self._random.random() >= self._share:
            return pair
        of_source, of_target = self._languages
        others: dict[str, str] = {}
        in_target: dict[str, str] = {}
        for form, count in written.items():
            name = self._by_source[form]
            for translated in (name.target, name.source):  # Mary is Maria, or stays Mary
                if len(_any_of([translated], of_target).findall(target)) == count:
                    _, others[form], in_target[translated] = self._another(name.kind)
                    break
        return _exchanged(source, others, of_source), _exchanged(target, in_target, of_target)

    def _another(self, kind: str) -> Name:
        if kind in _ENDINGS and self._random.random() < INVENTED:
            syllables = _SYLLABLE * (1 + (self._random.random() < 0.3))
            word = "".join(map(self._random.choice, [*syllables, _ENDINGS[kind]])).capitalize()
            return Name(kind, word, word)
        return self._random.choice(self._of_kind[kind])

    def _with_other_numbers(self, pair: Pair) -> Pair:
        source, target = pair
        numbers = Counter(_NUMBER.findall(source))
        if not numbers or numbers != Counter(_NUMBER.findall(target)) or _ORDINAL.search(source):
            return pair
        is_date = bool(_DAY.search(source))
        others = {
            match[0]: self._number_like(
                match[0],
                is_part=match.start() > 0 and bool(_PART.match(source, match.start() - 1)),
                is_hour=bool(_HOUR.match(source, match.start())),
                is_date=is_date,
            )
            for match in _NUMBER.finditer(source)
        }
        source, target = (_NUMBER.sub(lambda match: others[match[0]], text) for text in pair)
        return source, target

    def _number_like(self, number: str, *, is_part: bool, is_hour: bool, is_date: bool) -> str:
        """A number that can stand where `number` stands: minutes for minutes, a day for a day, a year for a year."""
        draw = self._random.randrange
        if is_hour:
            return str(draw(1, 24))
        if is_part:
            part = draw(60) if len(number) == 2 else draw(10 ** len(number)) * (self._random.random() >= ROUND)
            return f"{part:0{len(number)}}"
        if number in ("0", "1"):  # in place of 1, another number would need a plural
            return number
        if len(number) == 4:
            return str(self._often_round(draw(1500, 2040)))
        if int(number) <= 31 and is_date:
            return str(draw(2, 32))
        more = 0 if len(number) == 3 else 1  # what follows three digits may be the rest of a number in thousands
        digits = max(1, len(number) + self._random.choice((0, 0, -1, more)))
        return str(self._often_round(draw(max(2, 10 ** (digits - 1)), 10**digits)))

    def _often_round(self, number: int) -> int:
        """`number`, or sometimes what is left of it when one or more of its last digits become zeros."""
        places = len(str(number))
        if places > 1 and self._random.random() < ROUND:
            number -= number % 10 ** self._random.randrange(1, places)
        return number


def _any_of(forms: Iterable[str], language: str) -> re.Pattern[str]:
    """A pattern for any of `forms` as a whole word: group 1 is the form, group 2 the ending of a possessive, if any."""
    longest_first = sorted(forms, key=len, reverse=True)
    possessive = _POSSESSIVE.get(language, "(?!)")
    letter = "[A-Za-zÀ-ɏ]"
    return re.compile(f"(?<!{letter})({'|'.join(map(re.escape, longest_first)) or '(?!)'})({possessive})?(?!{letter})")


def _exchanged(text: str, others: Mapping[str, str], language: str) -> str:
    """`text` with each name replaced by the one that `others` has for it; a possessive stays a possessive."""

    def other(match: re.Match[str]) -> str:
        name = others[match[1]]
        if not match[2]:
            return name
        if language == "de":
            return name + ("'" if name.endswith(("s", "ß", "x", "z", "ce")) else "s")
        return name + "'s"

    return _any_of(others, language).sub(other, text)
