from __future__ import annotations

import pytest

from tests.helpers import assert_sentence
from viz_transformer.training.tasks import MAX_DIGITS, TASKS, Task


@pytest.mark.parametrize(("name", "answer"), [("copy", "3 1 4 1 5"), ("reverse", "5 1 4 1 3"), ("sort", "1 1 3 4 5")])
def test_a_task_knows_its_answer(name: str, answer: str) -> None:
    assert " ".join(TASKS[name]("31415")) == answer


@pytest.mark.parametrize("name", TASKS)
def test_pairs_are_right_and_readable(name: str) -> None:
    task = Task(name)
    tokenizer = task.tokenizer()
    for source, target in task.pairs(200, seed=0):
        assert target == " ".join(TASKS[name](source.replace(" ", "")))
        assert not tokenizer.encode(source).unknown
        assert tokenizer.decode(tokenizer.encode(target).ids) == target


def test_lengths_go_from_one_to_the_longest_and_all_digits_occur() -> None:
    sources = [source for source, _ in Task("copy").pairs(2000, seed=0)]
    assert {len(source.split()) for source in sources} == set(range(1, MAX_DIGITS + 1))
    assert set("".join(sources)) == set("0123456789 ")


def test_the_same_seed_gives_the_same_pairs() -> None:
    assert Task("sort").pairs(50, seed=3) == Task("sort").pairs(50, seed=3)
    assert Task("sort").pairs(50, seed=3) != Task("sort").pairs(50, seed=4)


def test_an_unknown_task_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError) as caught:
        Task("translate")
    assert_sentence(caught.value, "'translate'", *TASKS)
