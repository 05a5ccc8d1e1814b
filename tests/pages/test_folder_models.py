"""Models of a folder that the app's operator names: listed, chosen on every page, loaded once, refused in words."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from threading import Thread

import pytest
from streamlit.testing.v1 import AppTest

from tests.cli.test_cli import assert_refused
from tests.helpers import assert_sentence, random_translator
from tests.pages.helpers import html_of
from viz_transformer import Translator, save_checkpoint
from viz_transformer.cli.main import main
from viz_transformer.ui.shared import folder_models
from viz_transformer.ui.shared.byte_cache import ByteCache
from viz_transformer.ui.shared.controls import model_names
from viz_transformer.ui.shared.folder_models import FILES, MODELS, load_folder_model, usable_names
from viz_transformer.ui.shared.models import ModelDamaged, card_of, load_translator
from viz_transformer.ui.shared.trace_file import trace_name

APP = str(Path(__file__).resolve().parents[2] / "app.py")
ODD = "a *b* <i>$c$ [d](e)"  # a folder may be called so
CARD = {"task": "copy", "licence": "CC0-1.0 <b>", "source": "https://example.org/$x$", "scores": 7, "opens_with": "?"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two models and two other things; none of its models has been loaded."""
    save(tmp_path / "good", seed=1)
    save(tmp_path / ODD, seed=2, n_heads=2)
    (tmp_path / "data").mkdir()
    (tmp_path / "notes.txt").write_text("no model", encoding="utf-8")
    monkeypatch.setenv(MODELS, str(tmp_path))
    for known in ("_loaded", "_faults"):
        monkeypatch.setattr(folder_models, known, {})
    folder_models._TRANSLATORS.clear()
    return tmp_path


def save(path: Path, seed: int, **changes: int) -> None:
    one = random_translator(seed, peaked=2.0, **changes)
    save_checkpoint(path, one.model, one.source_tokenizer, one.target_tokenizer, CARD)


def opened(page: str, **query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    app.switch_page(f"pages/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def fault_of(name: str) -> str:
    fault = folder_models.folder_models()[name].fault
    assert fault is not None
    assert_sentence(fault)
    return str(fault)


def test_every_subfolder_with_a_model_is_listed_under_its_own_name(folder: Path) -> None:
    assert usable_names() == [f"models/{ODD}", "models/good"]
    assert {"models/good", f"models/{ODD}"} < set(model_names())
    one = folder_models.folder_models()["models/good"]
    translator = random_translator(1)
    assert one.parameters == translator.model.count_parameters()
    assert one.config == translator.model.config
    assert one.size == sum((folder / "good" / name).stat().st_size for name in FILES)
    assert card_of("models/good") == {name: CARD[name] for name in ("task", "licence", "source")}


def test_without_a_folder_there_is_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for value in ("", "  ", str(tmp_path / "missing")):
        monkeypatch.setenv(MODELS, value)
        assert folder_models.folder_models() == {}


def test_a_model_is_loaded_once_however_many_ask_and_passes_are_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[Path] = []
    load = folder_models.load

    def counted(path: Path, device: str) -> Translator:
        loads.append(path)
        return load(path, device)

    monkeypatch.setattr(folder_models, "load", counted)
    found: list[Translator] = []
    threads = [Thread(target=lambda: found.append(load_folder_model("models/good", "cpu"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [folder / "good"]
    assert len(set(map(id, found))) == 1
    assert found[0].translate("3 1 4") == random_translator(1, peaked=2.0).translate("3 1 4")
    with pytest.raises(KeyError):
        load_folder_model("models/other", "cpu")


def test_the_python_for_a_notebook_opens_the_saved_pass(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = opened("attention", model=f"models/{ODD}", source="3 1 4", module="cross", cell="2-1").code[0].value
    monkeypatch.chdir(tmp_path)
    trace = load_translator(f"models/{ODD}", "cpu").trace("3 1 4")
    trace.save(trace_name(f"models/{ODD}"))
    exec(code, {})
    record = trace.attention("cross", layer=trace.config.n_decoder_layers - 1)
    tokens, *numbers = capsys.readouterr().out.splitlines()
    assert tokens == f"{record.query_tokens[1]} {record.key_tokens[0]}"
    assert [float(number) for number in numbers] in [
        [pytest.approx(scores[1, 0], abs=1e-6), pytest.approx(weights[1, 0], abs=1e-6)]
        for scores, weights in zip(record.scores, record.weights, strict=True)
    ]


@pytest.mark.parametrize("name", ["models/good", f"models/{ODD}"])
def test_a_page_shows_it_by_its_link_and_its_name_verbatim(folder: Path, name: str) -> None:
    app = opened("overview", model=name, source="3 1 4")
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="model").value == name
    assert app.query_params["model"] == name
    assert any("a model of this server" in one.value for one in app.caption)
    assert app.get("bidi_component")


def broken(path: Path, what: str) -> None:
    config = path / "config.json"
    if what == "cut weights":
        weights = path / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-8])
    elif what == "no card":
        (path / "card.json").unlink()
    elif what == "half a card":
        (path / "card.json").write_text('{"task":', encoding="utf-8")
    elif what == "unknown field":
        config.write_text(json.dumps({**json.loads(config.read_text(encoding="utf-8")), "n_gpu": 8}), encoding="utf-8")
    elif what == "no residuals":
        values = {**json.loads(config.read_text(encoding="utf-8")), "residuals": False}
        config.write_text(json.dumps(values), encoding="utf-8")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("cut weights", "not a safetensors file"),
        ("no card", "lacks card.json"),
        ("half a card", "not JSON"),
        ("unknown field", "n_gpu"),
        ("no residuals", "residual connections"),
    ],
)
def test_a_damaged_one_is_listed_with_the_reason_and_cannot_be_chosen(folder: Path, what: str, said: str) -> None:
    broken(folder / "good", what)
    assert said in fault_of("models/good")
    assert usable_names() == [f"models/{ODD}"]
    app = opened("overview", model="models/good", source="3 1 4")
    assert not app.exception
    assert app.selectbox(key="model").value != "models/good"
    assert any(
        said in one.value.replace(":small[]", "").replace("&#95;", "_").replace("&#46;", ".") for one in app.error
    )
    app = opened("training", view="models")
    assert said in html_of(app)


def test_what_only_loading_shows_is_said_and_from_then_on_it_cannot_be_chosen(folder: Path) -> None:
    config = folder / "good" / "config.json"
    values = {**json.loads(config.read_text(encoding="utf-8")), "d_ff": 99}
    config.write_text(json.dumps(values), encoding="utf-8")
    assert "models/good" in usable_names()
    with pytest.raises(ModelDamaged) as caught:
        load_translator("models/good", "cpu")
    assert "w_1" in caught.value.reason()
    assert "w_1" in fault_of("models/good")
    save(folder / "good", seed=1)  # mended
    assert "models/good" in usable_names()
    assert load_translator("models/good", "cpu").translate("3 1 4")


def test_files_that_change_below_a_loaded_model_are_not_mixed_with_its_passes(folder: Path) -> None:
    before = load_translator("models/good", "cpu").translate("3 1 4")
    save(folder / "good", seed=3)
    assert "have changed" in fault_of("models/good")
    assert "models/good" not in usable_names()
    assert load_translator("models/good", "cpu").translate("3 1 4") == before  # who has it open goes on with it
    folder_models._TRANSLATORS.clear()
    with pytest.raises(ModelDamaged):
        load_translator("models/good", "cpu")


def test_one_that_would_fill_the_memory_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = 4 * random_translator(1).model.count_parameters()
    folder_models._described.clear()
    monkeypatch.setattr(folder_models, "CACHE", ByteCache(2 * held - 2))
    assert "VIZ_MEMORY_MB" in fault_of("models/good")
    folder_models._described.clear()
    monkeypatch.setattr(folder_models, "CACHE", ByteCache(2 * held))
    assert "models/good" in usable_names()
    folder_models._described.clear()


def test_the_list_has_sizes_licence_and_source_as_they_are_written(folder: Path) -> None:
    save(folder / "uneven", seed=4, n_decoder_heads=2)
    app = opened("training", view="models")
    html = html_of(app)
    for cell in (
        "2 + 2 × 4 / 2 × 16",
        "CC0-1.0 &lt;b&gt;",
        "https://example.org/$x$",
        "models/a *b* &lt;i&gt;$c$ [d](e)",
    ):
        assert cell in html, cell
    assert "<i>$c$" not in html
    shutil.rmtree(folder / "uneven")
    assert "models/uneven" not in html_of(app.run())


def test_the_command_hands_the_folder_on_or_says_that_there_is_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.execv", lambda path, command: None)
    monkeypatch.delenv(MODELS)
    monkeypatch.chdir(folder.parent)
    assert main(["app", "--port", "0", "--no-browser", "--models", folder.name]) == 0
    assert os.environ[MODELS] == str(folder)
    capsys.readouterr()
    assert_refused(capsys, main(["app", "--models", str(folder / "missing")]), "missing")
