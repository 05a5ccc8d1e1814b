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

INVENTED = 1 / 2  # the share of new names that are made up, where the kind allows
SPLICED = 1 / 2  # the share of those that are the beginning of one name and the end of another, not syllables
MARKED = 1 / 12  # how often a part of a syllable is one that English does not write
ROUND = 1 / 4  # the share of new numbers that end in zeros, as many do that people write and few that are drawn
YEARS = 3 / 4  # the share of numbers in the place of a year that are one
CAN_BE_INVENTED = frozenset({"woman", "man", "town"})
# What a syllable begins with, its vowel, and its end, often none: a name may be from anywhere.
_SYLLABLE, _MARKED = (
    [part.split(",") for part in parts]
    for parts in (
        (
            ",,,,B,C,D,F,G,H,J,K,L,M,N,P,Q,R,S,T,V,W,X,Y,Z,Bh,Br,Ch,Chr,Cl,Cz,Dh,Dr,Fl,Fr,Gh,Gl,Gr,Gw,Kh,Kl,Kn,Kr,Kw,"
            "Ll,Mb,Mc,Ng,Nj,Ny,Ph,Pr,Rh,Sch,Sh,Sk,Sl,Sm,Sn,St,Str,Sv,Sw,Sz,Th,Tr,Ts,Tsch,Vl,Wr,Zb,Zh",
            "a,e,i,o,u,a,e,i,o,u,ae,ai,au,ay,ea,ee,ei,eo,eu,ey,ia,ie,io,iu,oa,oe,oi,oo,ou,oy,ua,ue,ui,uo,y,ya,yo",
            ",,,,b,c,ch,ck,cz,d,f,ff,g,gh,h,k,kh,l,lb,ld,lf,lk,ll,lm,ls,lt,m,mb,mp,n,nd,ng,nk,nn,ns,nt,p,ph,r,rd,rg,"
            "rk,rl,rm,rn,rs,rsk,rt,s,sch,sh,sk,ss,st,t,tch,th,tt,tz,v,wn,ws,x,y,z,zh",
        ),
        (
            "Á,Å,Æ,Ç,É,Ö,Ø,Ü,Ł,Ñ,Ó,Ś,Š,Č,Ž",
            "á,à,â,ã,ä,å,æ,é,è,ê,ë,í,ì,î,ï,ó,ò,ô,õ,ö,ø,ú,ù,û,ü,ý,ą,ę,ě,ů,ő,ű,ă,ı",
            "ç,ñ,ł,ń,ś,ź,ż,ć,č,š,ž,ř,ň,ğ,ş,ț,đ,ð,þ,ß",
        ),
    )
)
LETTERS = "".join(
    sorted({letter for part in (*_SYLLABLE, *_MARKED) for word in part for letter in word.lower() + word.upper()})
)
_POSSESSIVE = {"en": "'s|'", "de": "s|'"}  # by language, the endings that make a name a possessive

_NUMBER = re.compile(r"\d+")
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b")
_PART = re.compile(r"(?<=\d)[.,:]")  # between two parts of a number, such as hours and minutes
_HOUR = re.compile(r"\d+:")
_WITH_PART = re.compile(r"\d+[.,]\d")
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

    A name is replaced by another of its kind if it occurs equally often on both sides; every second one of the new
    names is made up. Numbers are replaced by others that can stand in their place, if both sides have the same numbers.

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
        if kind not in CAN_BE_INVENTED or self._random.random() >= INVENTED:
            return self._random.choice(self._of_kind[kind])
        word = self._spliced(kind) if self._random.random() < SPLICED else self._syllables()
        return Name(kind, word, word)

    def _spliced(self, kind: str) -> str:
        first, last = (self._random.choice(self._of_kind[kind]).target for _ in range(2))
        draw = self._random.randrange
        return first[: draw(len(first)) + 1] + last[draw(len(last)) :].lower()

    def _syllables(self) -> str:
        parts = [*zip(_SYLLABLE, _MARKED, strict=True)] * self._random.choice((1, 2, 2, 2, 3))
        pick = self._random.choice
        word = "".join(pick(marked if self._random.random() < MARKED else plain) for plain, marked in parts)
        return word[0].upper() + word[1:].lower()

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
                has_part=bool(_WITH_PART.match(source, match.start())),
                is_date=is_date,
            )
            for match in _NUMBER.finditer(source)
        }
        source, target = (_NUMBER.sub(lambda match: others[match[0]], text) for text in pair)
        return source, target

    def _number_like(self, number: str, *, is_part: bool, is_hour: bool, has_part: bool, is_date: bool) -> str:
        """A number that can stand where `number` stands: minutes for minutes, a day for a day, a year for a year."""
        draw = self._random.randrange
        if is_hour:
            return str(draw(1, 24))
        if is_part:
            part = draw(60) if len(number) == 2 else draw(10 ** len(number)) * (self._random.random() >= ROUND)
            return f"{part:0{len(number)}}"
        if number in ("0", "1") and not has_part:  # in place of 1, another number would need a plural
            return number
        if len(number) == 4:
            is_year = self._random.random() < YEARS
            return str(self._often_round(draw(1500, 2040) if is_year else draw(1000, 10_000)))
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
    """A pattern for any of `forms` as a whole word, no part of *tom-tom* or *Tom's*: group 1 is the form, group 2 the
    ending of a possessive, if any."""
    longest_first = sorted(forms, key=len, reverse=True)
    possessive = _POSSESSIVE.get(language, "(?!)")
    letter = "A-Za-zÀ-ɏ-"
    any_form = "|".join(map(re.escape, longest_first)) or "(?!)"
    return re.compile(f"(?<![{letter}'])({any_form})({possessive})?(?![{letter}])")


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
