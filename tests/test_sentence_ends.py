"""A typed text is cut where its sentences end, and nowhere else; nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from viz_transformer.sentence_ends import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Hello, world! How are you?", ["Hello, world!", "How are you?"]),
        ("Dr. Lang comes at 3 p.m. on Monday. He is late.", ["Dr. Lang comes at 3 p.m. on Monday.", "He is late."]),
        ("It costs 3.50 euros. OK?", ["It costs 3.50 euros.", "OK?"]),
        ("“Go!” she said. Bye.", ["“Go!” she said.", "Bye."]),
        ("Wait... what? no way", ["Wait... what? no way"]),
        ("Er kommt am 3. Mai. Gut.", ["Er kommt am 3. Mai.", "Gut."]),
        ("我爱你。谢谢你！", ["我爱你。", "谢谢你！"]),
        ("她说：“你好。”我走了。", ["她说：“你好。”", "我走了。"]),
        ("你好!世界", ["你好!", "世界"]),
        ("3 1 4\r\n2 7\n", ["3 1 4", "2 7"]),
        ("the first\n\nand the second", ["the first", "and the second"]),
        ("one", ["one"]),
        ("   \n ", []),
        ("", []),
    ],
)
def test_sentences_end_at_their_marks_and_at_line_breaks(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(some.text(some.sampled_from("aB1 .!?。！？…\n\r\t”)你")))
def test_nothing_is_lost_and_no_sentence_is_empty(text: str) -> None:
    sentences = split_sentences(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(one == one.strip() != "" for one in sentences)
