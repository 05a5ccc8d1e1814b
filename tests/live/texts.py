"""Texts for the tokenizers: ordinary sentences, and what people type or paste besides."""

from __future__ import annotations

import csv
import random
from pathlib import Path

from tests.live.asking import some
from viz_transformer.resources import resource

DATA: Path = resource("assets/data")

ODD = (
    "", " ", "\u3000\n", "😀", "Hi 😀!", "👩\u200d👩\u200d👧 ok", "🇩🇪 ❤\ufe0f\u200d🔥", "<s>", "</s> <pad> <unk>",
    "$x$", "`*_` \\(a\\)", "e\u0301cole", "q\u0307\u0323", "q\u0323\u0307", "e\u0316\u0301x", "\u0301a",
    "a\u0301\u0301\u0301", "Ü\u0308ber u\u0308ber", "ﬁne ½ Ⅳ ㎏", "ﷺ", "I’ve “quoted” it's",
    "Don't, I'll, we're, O'Neill's's", "汉字 and English 混合 2024年", "１２３ＡＢＣ，你好！", "你 好 吗",
    "我爱你ab12。。。", "ｶﾞｷﾞ ガ", "한국어 ㅎㅏㄴ 가\u11a8", "\u1112\u1161\u11ab", "a\u200bb", "\u200b",
    "\u202eabc\u202c", "a\u0085b\u2028c", "▁▁a▁", "a▁b", "\x1c\x1da", "\x1c", "\ufeffHello", "'s", "'", "''", "’s ’t",
    "naïve café Straße", "7 8 9", "123456", "0 1 2 3", "3 1 a 2", "9" * 16, "9" * 17, "1\t2\n3", "\ud800",
    "ab\udc00c", "a\u00adb", "x" * 300, "a " * 127, "a " * 128, "我" * 126, "हिन्दी नमस्ते", "ক\u09cb ক\u09c7\u09be",
    "ไทย", "Ω Å K", "\u1e9b\u0323", "\u0344 \u0958 \u2adc", "〇一二", "々", "𠮷野家", "\U0001d400\U0001d7d8",
    "a\u0300\u0301\u0323\u0316", "ㄅㄆ", "🏴\U000e0067\U000e0062", "\u00a0x\u00a0y", "Hello,world", "Tom,Mary;Tom",
    "e.g. U.S.A. 3.14 50% #1", "http://a.b/c?d=e&f", "x=y+z", "A" * 20_001,
)  # fmt: skip

# Pools that random texts draw from.
_POOLS = (
    "abcdeABCDE", "tehnoisr", " ", " ", "\u3000\t\u00a0", "0123456789", ".,!?'\"-;:", "'’‘“”", "äöüßéèàñ",
    "\u0301\u0308\u0323\u0316\u0327\u0302", "我你他她是的了不在有人", "汉语学习天气很好", "ｶｷﾞﾟガ",
    "가나다ㅎㅏㄴ\u1112\u1161\u11ab", "ﬁﬀ½ⅣⅫ㎏①", "😀🎉👩\u200d❤\ufe0f", "\u200b\u202e\ufeff\u00ad", "▁#<>/$_*`",
    "अिकखे\u09be\u09c7", "абвгд", "αβγΩ",
)  # fmt: skip


def random_texts(count: int, seed: int) -> list[str]:
    """Texts of up to twenty characters, from a few pools each."""
    dice = random.Random(seed)
    texts = []
    for _ in range(count):
        pools = dice.sample(_POOLS, dice.randint(1, 4))
        texts.append("".join(dice.choice(dice.choice(pools)) for _ in range(dice.randint(1, 20))))
    return texts


def sentences(name: str, count: int) -> list[str]:
    """Sources for a shipped model: from its data, or for a toy task rows of digits."""
    files = [DATA / f"{kind}.{name}.tsv" for kind in ("everyday", "typed", "names_and_numbers", "judged", "phrasebook")]
    found = [row[0] for path in files if path.exists() for row in _rows(path)]
    if found:
        return some(found, count)
    dice = random.Random(name)
    return ["".join(dice.choices("0123456789", k=dice.randint(1, 16))) for _ in range(count)]


def targets(name: str, count: int) -> list[str]:
    """Texts in the language that a shipped model writes."""
    path = DATA / f"phrasebook.{name}.tsv"
    return some([row[1] for row in _rows(path)], count) if path.exists() else sentences(name, count)


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
