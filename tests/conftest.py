"""Fixtures of all tests, and the settings that make them quick and repeatable."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings
from streamlit.components.v2 import manifest_scanner

from tests.helpers import random_model, random_translator
from tests.outgoing import sitecustomize as outgoing
from viz_transformer import Transformer, Translator
from viz_transformer.hooks import hooks_active

torch.set_num_threads(1)  # tensors this small only lose time to a second thread

# The same examples in every run: a failure comes from the change, never from chance. No database is left behind.
settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],  # the first example imports and warms up
)
# New examples in every run, and many of them: `--hypothesis-profile nightly`.
settings.register_profile(
    "nightly", settings.get_profile("repeatable"), derandomize=False, max_examples=1000, print_blob=True
)
settings.register_profile("quick", settings.get_profile("repeatable"), max_examples=5)
settings.load_profile("repeatable")


# AppTest searches all installed packages for components each time that it opens a page: that takes 0.4 s, the page
# itself less than 0.1 s. So search once, as a server does.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

MAIN = sys.modules["__main__"]

# What starts servers, Jupyter's kernels or other processes, or walks through all of the app in Streamlit's runtime.
SLOW_FILES = {
    "hostile/test_strangers.py", "hostile/test_walks.py", "live/test_shipped.py", "notebook/test_worked_notebooks.py",
    "room/test_app.py", "room/test_door.py", "room/test_hostile.py", "room/test_several.py", "test_broken_models.py",
    "test_deploy.py", "test_serve.py", "test_streamlit_fence.py", "test_wheel.py", "ui/test_faults.py",
    "ui/test_server.py", "ui/test_warm_up.py",
}  # fmt: skip
SLOW_FIXTURES = {"redis_server", "lasting_redis"}
TESTS = Path(__file__).parent
WENT_OUT = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="what needs no browser, training or server; a fifth of all examples"
    )
    parser.addoption("--long", action="store_true", help="tries what takes too long for every run, too")


def pytest_configure(config: pytest.Config) -> None:
    _hear_what_goes_out()
    if config.getoption("quick"):
        settings.load_profile("quick")


def _hear_what_goes_out() -> None:
    """Notes what this process, and every process that it starts, asks the internet for."""
    if outgoing.KEPT_IN not in os.environ:
        handle, os.environ[outgoing.KEPT_IN] = tempfile.mkstemp(prefix="outgoing-")
        os.close(handle)
        path = [str(Path(outgoing.__file__).parent), os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    outgoing.install()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails the session if any test asked the internet for something, with or without success."""
    if hasattr(session.config, "workerinput"):
        return
    kept = Path(os.environ[outgoing.KEPT_IN])
    if asked := sorted({*kept.read_text(encoding="utf-8").splitlines()}):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        session.config.stash[WENT_OUT] = asked
    kept.unlink()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    path = collection_path.relative_to(TESTS).as_posix()
    return True if config.getoption("quick") and (path == "browser" or path in SLOW_FILES) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("long"):
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    if config.getoption("quick"):
        items[:] = [
            item
            for item in items
            if not item.get_closest_marker("trains") and not SLOW_FIXTURES & set(getattr(item, "fixturenames", ()))
        ]


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says at the very end, often all that is kept of a log, what the browser did in tests that failed."""
    for line in terminalreporter.config.stash.get(WENT_OUT, []):
        terminalreporter.write_line(f"Asked the internet: {line}", red=True)
    for report in [one for ones in terminalreporter.stats.values() for one in ones if hasattr(one, "sections")]:
        for name, text in report.sections:
            if name == "Captured browser teardown":
                terminalreporter.write_sep("-", report.nodeid)
                terminalreporter.write_line(text[-2500:])


def pytest_collection_finish() -> None:
    """Exempts all that is imported from garbage collection, which Streamlit does after each run of a page."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def the_main_module_is_the_tests_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that has run stays behind as `__main__`, and a process that a test spawns would run it once more."""
    monkeypatch.setitem(sys.modules, "__main__", MAIN)


@pytest.fixture(autouse=True)
def nothing_is_left_switched_on() -> Iterator[None]:
    """No test, however it ends, leaves a hook, inference mode or switched-off gradients to the next."""
    yield
    assert not hooks_active()
    assert not torch.is_inference_mode_enabled()
    assert torch.is_grad_enabled()


@pytest.fixture(scope="session")
def model() -> Transformer:
    """A tiny random model. Shared: a test that changes weights takes `helpers.changed_copy` of it."""
    return random_model()


@pytest.fixture(scope="session")
def translator() -> Translator:
    """A tiny random model with the digit tokenizer on both sides, whose outputs vary. Shared and read-only."""
    return random_translator(1, peaked=2.0)
