"""Errors that nobody foresaw: a sentence and a number in the browser, the place in the code in the log."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.logger import get_logger

from tests.hostile.links import PLACES
from tests.visitor import Site, Visitor, site
from viz_transformer import translator as translators
from viz_transformer.checkpoint import WEIGHTS
from viz_transformer.ui.shared import models
from viz_transformer.ui.shared.byte_cache import CACHE
from viz_transformer.ui.shared.faults import say_fault
from viz_transformer.ui.shared.log import keep_texts_out_of_the_log, write_error

SECRET = "7 2 7 2"
NUMBER = re.compile(r"The number of this request is ([0-9a-f]{8})\.")


@pytest.fixture
def app() -> Iterator[Site]:
    with site(say_fault) as one:
        yield one


class Written(logging.Handler):
    """All that loggers write, however they are set up."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text += self.format(record) + "\n"


@pytest.fixture
def log() -> Iterator[Written]:
    """What all loggers write; those that do not propagate, such as Streamlit's, get the handler themselves."""
    written, make = Written(), logging.getLogRecordFactory()
    named = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    loggers = [logging.getLogger(), *(logger for logger in named if not logger.propagate)]
    for logger in loggers:
        logger.addHandler(written)
    keep_texts_out_of_the_log()
    yield written
    logging.setLogRecordFactory(make)
    for logger in loggers:
        logger.removeHandler(written)


def said(visitor: Visitor) -> list[str]:
    return [alert.body for alert in visitor.shown("alert")]


def fail(*arguments: object, **more: object) -> None:
    try:
        int(SECRET)  # whose message quotes the text
    except ValueError as error:
        raise RuntimeError(f"of «{SECRET}»") from error


@pytest.mark.parametrize(
    ("page", "broken"),
    [
        ("attention", "viz_transformer.ui.shared.reading.recorded_trace"),  # of the page
        ("attention", "viz_transformer.experiments.attention.steps.layer_stages"),  # of a fragment
    ],
)
def test_the_visitor_gets_a_sentence_and_the_log_the_place_without_the_text(
    page: str, broken: str, app: Site, log: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broken, fail)
    visitor = app.visitor()
    visitor.open(page, {"model": "copy", "source": SECRET})
    assert [type(fault) for fault in app.faults] == [RuntimeError]
    assert not visitor.shown("exception")
    [sentence] = said(visitor)
    assert sentence.startswith("Something went wrong on this server")
    found = NUMBER.search(sentence)
    assert found is not None
    assert log.text.count(f"Request {found[1]}") == 1
    assert "test_faults.py" in log.text and "RuntimeError" in log.text and "ValueError" in log.text
    assert SECRET not in log.text and SECRET not in sentence
    assert "source=7" in visitor.link  # it is still there after a reload


@pytest.mark.parametrize("name", ["runtime.app_session", "error_util", "called.otherwise"])
def test_what_any_logger_of_streamlits_writes_of_an_error_has_no_text(name: str, log: Written) -> None:
    logger = get_logger(f"streamlit.{name}")
    logger.addHandler(log)
    try:
        fail()
    except RuntimeError:
        logger.exception("Error processing back message")
    logger.removeHandler(log)
    assert "Error processing back message" in log.text and "test_faults.py" in log.text
    assert SECRET not in log.text


def test_an_error_that_nobody_wrote_is_in_the_log_by_the_number_that_the_visitor_reads(log: Written) -> None:
    """It is written once, even where Streamlit writes nothing of the error."""
    try:
        fail()
    except RuntimeError as error:
        numbers = {write_error(error), write_error(error)}
    assert len(numbers) == 1
    assert log.text.count(f"Request {numbers.pop()}") == 1
    assert "test_faults.py" in log.text and SECRET not in log.text


@pytest.fixture
def damaged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The folder of the default model, in a copy of all models that the app then has."""
    shutil.copytree(translators.MODELS, tmp_path / "models")
    monkeypatch.setattr(translators, "MODELS", tmp_path / "models")
    CACHE.forget(lambda key: True)
    yield tmp_path / "models/en-de"
    CACHE.forget(lambda key: True)


@pytest.mark.parametrize("damage", ["cut", "missing"])
def test_a_damaged_default_model_is_a_sentence_on_every_page(damage: str, damaged: Path, app: Site) -> None:
    weights = damaged / WEIGHTS
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:1000])
    else:
        weights.unlink()
    for page, query in PLACES:
        visitor = app.visitor()
        visitor.open(page, query)
        sentences = said(visitor)
        if app.faults:
            assert {type(fault) for fault in app.faults} == {models.ModelDamaged}, (page, query, app.faults)
            assert len(sentences) == 1
            assert "The model en-de cannot be read" in sentences[0] and "[copy](?model=copy)" in sentences[0]
            assert NUMBER.search(sentences[0]) and str(damaged) not in sentences[0]
        else:  # what needs no model goes on
            assert page in ("", "scaling", "positions", "training", "attention", "exercises"), (page, query)
        app.faults.clear()
        assert not visitor.shown("exception")
        visitor.leave()
    visitor = app.visitor()
    visitor.open("attention", {"model": "copy"})  # the others are as they were
    assert not app.faults and not said(visitor)


def test_only_the_name_of_a_model_is_one(app: Site, tmp_path: Path) -> None:
    shutil.copytree(translators.MODELS / "copy", tmp_path / "copy")
    with pytest.raises(KeyError):
        models.load_translator(str(tmp_path / "copy"), "cpu")
    visitor = app.visitor()
    visitor.open("attention", {"model": "copy", "source": "3 1 4 1 5 9 2 6"})
    [box] = [one for one in visitor.shown("selectbox") if one.label == "Model"]
    [text] = [one for one in visitor.shown("text_area") if one.label == "Source"]
    example = {text.id: {"string_value": "3 1 4 1 5 9 2 6"}}  # which another model replaces by its own
    visitor.send(example)
    before = len(CACHE.keys())
    # The box's callback is called before its options are looked at.
    for forged in (str(tmp_path / "copy"), "assets/models/reverse", "../copy", "my-copy-1", "\0", "x" * 9999):
        visitor.send({box.id: {"string_value": forged}, **example})
        assert not app.faults
    kept = [key[1][0] for key in CACHE.keys()[before:] if isinstance(key, tuple)]
    assert not any("/" in str(key) or "my-" in str(key) for key in kept)


def test_the_texts_of_a_link_are_read_by_the_model_that_is_shown(app: Site) -> None:
    """A text and its model are brought along, over a page that has no use for them; but the link says another model."""
    for page in ("attention", "heads", "decoding", "architecture", "overview"):
        visitor = app.visitor()
        visitor.open("heads", {"model": "zh-en"})
        visitor.open("why_attention", {"model": "copy"})
        visitor.open("scaling", {"model": "copy", "part": "theory"})
        visitor.open(page, {"model": "reverse"})
        assert not app.faults
        visitor.leave()
