"""A plugin of pytest that writes down which tests failed, and whether by an assertion."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from traceback import walk_tb

import pytest
from hypothesis import Phase, settings

FILE = "SLIPS_VERDICT"  # the variable of the environment that names the file
ASSERTIONS = (AssertionError, pytest.fail.Exception)  # the second is what `pytest.raises` raises


def pytest_sessionstart() -> None:
    """An example that fails is enough: hypothesis would look for the smallest one, for up to minutes."""
    quick = [phase for phase in settings.default.phases if phase not in (Phase.shrink, Phase.explain)]
    settings.register_profile("slips", settings.default, phases=quick)
    settings.load_profile("slips")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and call.excinfo is not None:
        error = call.excinfo.value
        line = {
            "test": item.nodeid,
            "assertion": call.when == "call" and is_assertion_of_test(error),
            "error": type(error).__name__,
        }
        with Path(os.environ[FILE]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return report


def is_assertion_of_test(error: BaseException) -> bool:
    """Whether an assertion failed, and not one that the package makes itself."""
    if isinstance(error, BaseExceptionGroup):  # hypothesis found more than one
        return any(map(is_assertion_of_test, error.exceptions))
    *_, (frame, _line) = walk_tb(error.__traceback__)
    return isinstance(error, ASSERTIONS) and "viz_transformer" not in Path(frame.f_code.co_filename).parts
