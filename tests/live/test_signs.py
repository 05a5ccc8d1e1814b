"""How the front end reads single characters: normalised by the tables of the library, simplified by OpenCC's."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import pytest

from tests.live.asking import Asked, answers
from tests.live.texts import DATA
from viz_transformer import chinese
from viz_transformer.chinese import to_simplified
from viz_transformer.tokenizer_files import word_pieces


def test_every_character_that_normalising_changes_is_normalised_alike(tmp_path: Path) -> None:
    signs = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    normalize = word_pieces().normalizer.normalize_str
    # Newer versions of Unicode than the library's change more of them: those that JavaScript may know are asked, too.
    newer = [chr(code) for code in (*range(0xA7F0, 0xA800), *range(0x10780, 0x107C0), *range(0x1E030, 0x1E070))]
    newer += [chr(code) for code in (*range(0x1CCD6, 0x1CCFA), *range(0x1FBF0, 0x1FBFA), 0x32FF, 0xAB69, 0x1F16C)]
    changed = [sign for sign in signs if unicodedata.normalize("NFKC", sign) != sign or sign.isspace()]
    # Nor has the library the order of new marks.
    marks = [sign for sign in signs if unicodedata.ucd_3_2_0.category(sign) in ("Mn", "Mc")]
    marked = [f"a{sign}\u0323e\u0301" for sign in marks]
    texts = [*changed, *newer, *marked]
    assert len(texts) > 5000
    ((found,),) = answers(tmp_path, [Asked(None, [{"kind": "normalize", "texts": texts}])])
    assert found == [normalize(text) for text in texts]


def test_chinese_is_simplified_alike(tmp_path: Path) -> None:
    opencc = pytest.importorskip("opencc")
    dictionaries = chinese.dictionaries()
    to_traditional = opencc.OpenCC("s2t").convert
    rows = (DATA / "phrasebook.zh-en.tsv").read_text(encoding="utf-8").splitlines()[::10]
    texts = [to_traditional(row.split("\t")[0]) for row in rows]
    texts += ["".join(dictionaries[0]), "，".join(dictionaries[1]), "乾隆乾淨，Hello 漢字𡃁 瀋陽", ""]
    assert len(texts) > 250
    ((found,),) = answers(tmp_path, [Asked(None, [{"kind": "simplify", "texts": texts, "dictionaries": dictionaries}])])
    assert found == [to_simplified(text) for text in texts]
