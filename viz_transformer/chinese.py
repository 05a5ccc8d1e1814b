"""Chinese text: told from other scripts, simplified for the model to read, cut into words to train a tokenizer on."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import Any

from viz_transformer.optional import needed
from viz_transformer.sentences import N_

WITHOUT_OPENCC = N_(
    "Traditional characters are read as they are, because OpenCC, which would simplify them, is not installed: "
    "pip install 'viz-transformer[chinese]'."
)

# By the language that a model reads: what is said about a text in another language, and about single words.
ONLY = {
    "zh": N_("This model has learned to read only Chinese. What it writes for any other language is noise."),
    "en": N_("This model has learned to read only English. What it writes for any other language is noise."),
}
NOT_ITS_WORDS = {
    "zh": N_(
        "This model has learned to read only Chinese. These are not Chinese, so what it writes for them is a guess:"
    ),
    "en": N_(
        "This model has learned to read only English. These are not English, so what it writes for them is a guess:"
    ),
}


def can_simplify() -> bool:
    """Whether OpenCC is installed; `WITHOUT_OPENCC` says what that means."""
    return _converter() is not None


def to_simplified(text: str) -> str:
    """Traditional characters turned into simplified ones by OpenCC; unchanged where it is not installed."""
    converter = _converter()
    return converter.convert(text) if converter else text


def dictionaries() -> list[dict[str, str]]:
    """What `to_simplified` replaces, first the phrases, for a program that does the same; none without OpenCC."""
    converter = _converter()
    groups = converter._dict_chain_data if converter else []  # what OpenCC has no public way to ask for
    return [
        {entry: value.split(" ")[0] for entry, value in entries.items()}
        for group in groups
        for *_lengths, entries in group
    ]


@cache
def _converter() -> Any:
    try:
        from opencc import OpenCC
    except ImportError:
        return None
    return OpenCC("t2s")


def cut_chinese(lines: Iterable[str]) -> Iterator[str]:
    """Each line with a space between words, cut by jieba.

    Its dictionary also holds phrases (我爱你, 今天天气, 打网球), which are left out so that a class sees 我 · 爱 · 你.
    An entry is taken for a phrase if its count is far below that of both its halves, or close to 0.
    """
    jieba = needed("jieba", "Training a tokenizer on Chinese", "chinese")  # no model needs it to run
    jieba.setLogLevel("ERROR")
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    counts: dict[str, int] = tokenizer.FREQ
    for word in [word for word, count in counts.items() if count and _is_phrase(word, counts)]:
        counts[word] = 0
    for line in lines:
        yield " ".join(tokenizer.cut(line, HMM=False))  # HMM=True would invent words such as 看电视


def _is_phrase(word: str, counts: dict[str, int]) -> bool:
    rarer_half = max((min(counts.get(word[:i], 0), counts.get(word[i:], 0)) for i in range(1, len(word))), default=0)
    return counts[word] < 0.02 * rarer_half or (len(word) > 2 and counts[word] <= 3)


def foreign_words(text: str, language: str) -> tuple[list[str], bool]:
    """The words in another script than the language's -> these, and whether they are most words of the text.

    A Chinese character counts as a word.
    """
    runs = [(script, "".join(signs)) for script, signs in groupby(text, _script_of) if script]
    words = [(script, word) for script, run in runs for word in (run if script == "CJK" else [run])]
    foreign = [word for script, word in words if script != {"zh": "CJK", "en": "LATIN"}[language]]
    return foreign, 2 * len(foreign) > len(words)


def _script_of(sign: str) -> str:
    return unicodedata.name(sign, "").partition(" ")[0] if sign.isalpha() else ""
