from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources import ROOT
from viz_transformer.experiments.exercises.typed_number import number_of

# The front end's tests read the same table.
TABLE = json.loads((ROOT / "frontend/test/typed_numbers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "value"), TABLE.items())
def test_a_number_is_read_as_people_write_it(text: str, value: float | None) -> None:
    assert number_of(text) == value


@given(st.integers())
def test_a_number_that_the_app_printed_is_read(number: int) -> None:
    assert number_of(f"{number:,}") == float(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_that_python_printed_is_read(number: float) -> None:
    assert number_of(str(number)) == number


@given(st.text(alphabet="0123456789,.+-−/e ７，", max_size=12))
def test_what_is_no_number_is_none(text: str) -> None:
    assert number_of(text) is None or isinstance(number_of(text), float)
