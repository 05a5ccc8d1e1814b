from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import viz_transformer as vt
from tests.english import english_in
from tests.helpers import assert_near, assert_sentence, one
from viz_transformer import Translator, load, load_checkpoint, shipped_models
from viz_transformer.analysis.measures import MEASURES
from viz_transformer.analysis.scores import ALIGNMENT
from viz_transformer.cli.evaluate import drawn_in_training
from viz_transformer.cli.main import main
from viz_transformer.cli.train import add_train, settings_of, without_capitals
from viz_transformer.training.corpus import CorpusBatches, Pair, TaskBatches
from viz_transformer.training.snapshots import read_film
from viz_transformer.training.tasks import Task
from viz_transformer.translator import MODELS, model_folder

TINY = ["--d-model", "16", "--heads", "2", "--encoder-layers", "1", "--decoder-layers", "1", "--d-ff", "16"]
TINY += ["--device", "cpu", "--warmup", "2", "--batch", "16"]
WORDS = ["cat", "dog", "house", "tree", "river", "bread", "night", "hand", "stone", "bird"]


@pytest.fixture
def tsv(tmp_path: Path) -> Path:
    """Twenty pairs of sentences, no two alike."""
    path = tmp_path / "pairs.tsv"
    lines = [f"the {word} is {kind}.\t{word} {kind}!\tnobody" for word in WORDS for kind in ("old", "new")]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(tmp_path: Path, *arguments: str | Path, steps: int = 3) -> int:
    common = ["--out", tmp_path / "model", "--run", tmp_path / "run", "--steps", steps, *TINY]
    return main([str(argument) for argument in ("train", *arguments, *common)])


def card_of(tmp_path: Path) -> dict:
    return json.loads((tmp_path / "model" / "card.json").read_text(encoding="utf-8"))


HELP = """
import sys
from viz_transformer.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print("torch" in sys.modules)
"""


@pytest.mark.parametrize(("option", "said"), [("--help", "usage: viz-transformer"), ("--version", vt.__version__)])
def test_help_and_version_do_not_wait_for_torch(option: str, said: str) -> None:
    done = subprocess.run([sys.executable, "-c", HELP, option], capture_output=True, text=True, check=True)
    assert said in done.stdout and done.stdout.endswith("\nFalse\n")


@pytest.mark.parametrize("task", ["copy", "reverse", "sort"])
def test_three_steps_on_a_task_make_a_model_that_loads(tmp_path: Path, task: str) -> None:
    assert run(tmp_path, "--task", task) == 0
    translator = load(tmp_path / "model")
    assert isinstance(translator.translate("3 1 4"), str)
    assert (translator.model.config.d_model, translator.model.config.weight_tying) == (16, "all")
    card = card_of(tmp_path)
    assert (card["task"], card["training"]["steps"]) == (task, 3)
    assert [point["step"] for point in card["curve"]] == [3]
    assert all(0 < card["curve"][0][name] < 10 for name in ("loss", "valid_loss"))


def test_three_steps_on_pairs_make_a_model_that_loads(
    tmp_path: Path, tsv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    languages = ["--source-language", "en", "--target-language", "en"]
    assert run(tmp_path, "--data", tsv, *languages, "--source-vocab", "130", "--target-vocab", "120") == 0
    translator = load(tmp_path / "model")
    config = translator.model.config
    assert (config.source_vocab_size, config.target_vocab_size) == (130, 120)
    assert config.weight_tying == "target"
    assert set(card_of(tmp_path)["curve"][0]) == {"step", "loss", "train_loss", "seconds"}  # nothing was held out
    assert "training loss without smoothing and dropout" in capsys.readouterr().out
    assert not translator.encode_source("the cat is old.").unknown
    assert isinstance(translator.translate("the cat is old."), str)


def test_the_card_says_how_to_make_the_model_again(tmp_path: Path) -> None:
    assert run(tmp_path, "--task", "copy", "--seed", "7") == 0
    card = card_of(tmp_path)
    assert card["command"].startswith("python -m viz_transformer train --task copy --seed 7 --out ")
    assert card["seed"] == 7
    model, *_ = load_checkpoint(tmp_path / "model")
    assert card["parameters"] == model.count_parameters()


@pytest.mark.parametrize("name", shipped_models())
def test_the_settings_in_a_card_are_those_of_its_command(name: str) -> None:
    card = json.loads((MODELS / name / "card.json").read_text(encoding="utf-8"))
    parser = ArgumentParser()
    add_train(parser)
    *_, last = card["command"].split(" && ")  # which went on with what those before it had begun
    options = parser.parse_args(shlex.split(last)[4:])  # after python -m viz_transformer train
    settings = settings_of(options)
    assert card["settings"].items() <= settings.items()
    # A setting that is newer than the card is not in its command, and has its default.
    assert all(settings[name] == parser.get_default(name) for name in settings.keys() - card["settings"].keys())
    assert card["training"].items() <= card["settings"].items()


def test_what_training_drew_is_read_from_the_settings_in_the_card(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "--task", "copy", "--seed", "7") == 0
    card = card_of(tmp_path)
    assert drawn_in_training(card) == TaskBatches(Task("copy"), 16, 7).sources(3)
    model = str(tmp_path / "model")
    assert main(["evaluate", model, "--count", "20"]) == 0
    capsys.readouterr()
    for settings in (None, [], {}, card["settings"] | {"steps": "3"}, card["settings"] | {"task": "chess"}):
        (tmp_path / "model" / "card.json").write_text(json.dumps(card | {"settings": settings}), encoding="utf-8")
        assert_refused(capsys, main(["evaluate", model, "--count", "20"]), "settings")


def test_a_joint_vocabulary_cuts_both_languages_alike(tmp_path: Path, tsv: Path) -> None:
    languages = ["--source-language", "en", "--target-language", "de"]
    assert run(tmp_path, "--data", tsv, *languages, "--joint-vocab", 120) == 0
    translator = load(tmp_path / "model")
    assert translator.source_tokenizer.to_json() == translator.target_tokenizer.to_json()
    assert translator.model.config.weight_tying == "target"
    both = [text for line in tsv.read_text().splitlines() for text in line.split("\t")[:2]]
    assert not any(translator.source_tokenizer.encode(text).unknown for text in both)


def test_chinese_has_no_vocabulary_in_common_with_another_language(
    tmp_path: Path, tsv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(capsys, run(tmp_path, "--data", tsv, "--joint-vocab", 120), "Chinese", "--joint-vocab")


def test_names_are_exchanged_and_capitals_left_out_once_the_vocabulary_is_made(
    tmp_path: Path, tsv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Pair] = []

    def batches(pairs: list[Pair], *args: Any) -> CorpusBatches:
        read.extend(pairs)
        return CorpusBatches(pairs, *args)

    monkeypatch.setattr("viz_transformer.cli.train.CorpusBatches", batches)
    tsv.write_text("Tom saw 7 cats.\tTom sah 7 Katzen.\n" * 300, encoding="utf-8")
    names = tmp_path / "names.tsv"
    names.write_text("man\tTom\tTom\nman\tXaver\tXaver\n", encoding="utf-8")
    languages = ["--source-language", "en", "--target-language", "de"]
    assert run(tmp_path, "--data", tsv, *languages, "--exchange", names, "--lower-case", 0.2) == 0
    assert {source.split()[0] for source, _ in read} >= {"Tom", "tom", "Xaver", "xaver"}
    assert {target.split()[0] for _, target in read} >= {"Tom", "Xaver"}
    assert all(target[0].isupper() for _, target in read)  # targets keep their capitals
    tokenizer = load(tmp_path / "model").source_tokenizer
    assert tokenizer.encode("Tom saw").tokens == ("Tom", "saw")
    assert len(tokenizer.encode("Xaver").tokens) > 1

    read.clear()
    held_out = tmp_path / "held out.tsv"
    held_out.write_text("Xaver saw 9 cats.\tXaver sah 9 Katzen.\n", encoding="utf-8")
    exchanged = ["--exchange", names, "--exchange-rounds", 3, "--valid", held_out]
    assert run(tmp_path, "--data", tsv, *languages, *exchanged) == 0
    assert 700 < len(read) < 900  # three times 300, less what the exchange happened to make of a held-out sentence
    assert ("Xaver saw 9 cats.", "Xaver sah 9 Katzen.") not in read

    read.clear()
    assert run(tmp_path, "--data", tsv, *languages, "--exchange", names, "--exchange-share", 0) == 0
    assert {source.split()[0] for source, _ in read} == {"Tom"}
    assert len({source.split()[2] for source, _ in read}) > 5  # numbers are exchanged whatever the share of names is


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("I have a plan B.", "i have a plan B."),
        ("A cat saw Tom's CD in Łódź.", "a cat saw tom's cd in łódź."),
        ("X and y are the same, Ü is not.", "X and y are the same, ü is not."),
    ],
)
def test_letters_by_themselves_are_typed_as_they_are_written(written: str, typed: str) -> None:
    assert without_capitals(written) == typed


def test_a_resumed_run_ends_in_the_same_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viz_transformer.cli.train.SAVE_EVERY", 2)
    assert run(tmp_path, "--task", "copy", steps=5) == 0
    whole, *_ = load_checkpoint(tmp_path / "model")
    curve = card_of(tmp_path)["curve"]

    # The run is killed after step 4: its last save was there, and the model was not yet written.
    other = tmp_path / "other"
    saves: list[Path] = []

    def kill(*_: object) -> None:
        if len(saves) == 2:
            raise KeyboardInterrupt
        saves.append(other)

    monkeypatch.setattr("viz_transformer.cli.train.tqdm.write", kill)  # called after each save
    assert run(other, "--task", "copy", steps=5) in (0, 130)
    monkeypatch.undo()
    monkeypatch.setattr("viz_transformer.cli.train.SAVE_EVERY", 2)
    assert run(other, "--task", "copy", "--resume", steps=5) == 0
    resumed, *_ = load_checkpoint(other / "model")
    source, target = one([5, 6, 2]), one([1, 5])
    assert_near(resumed(source, target), whole(source, target), 0)
    strip = [{name: point[name] for name in ("step", "loss", "valid_loss")} for point in card_of(other)["curve"]]
    assert strip == [{name: point[name] for name in ("step", "loss", "valid_loss")} for point in curve]
    assert "--resume" not in card_of(other)["command"]


def test_snapshots_are_written_and_go_on_with_a_resumed_run(
    tmp_path: Path, tsv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viz_transformer.cli.train.SAVE_EVERY", 2)
    languages = ["--source-language", "en", "--target-language", "en", "--source-vocab", "130", "--target-vocab", "120"]
    arguments = ["--data", tsv, *languages, "--snapshots", "4"]
    assert run(tmp_path, *arguments, steps=6) == 0
    film = read_film(tmp_path / "model")
    assert (film.snapshots[0].step, film.snapshots[-1].step) == (0, 6)
    assert film.sentences[0].source == "the cat is old."  # the first of the data: there is no held-out file
    assert film.snapshots[-1].numbers == {}

    other = tmp_path / "other"
    saves: list[int] = []

    def kill(*_: object) -> None:
        if len(saves) == 1:
            raise KeyboardInterrupt
        saves.append(1)

    monkeypatch.setattr("viz_transformer.cli.train.tqdm.write", kill)
    run(other, *arguments, steps=6)
    monkeypatch.setattr("viz_transformer.cli.train.tqdm.write", lambda *_: None)
    assert run(other, *arguments, "--resume", steps=6) == 0
    again = read_film(other / "model")
    assert [one.step for one in again.snapshots] == [one.step for one in film.snapshots]
    assert again.curve == film.curve
    assert_near(again.snapshots[-1].maps[0]["cross"], film.snapshots[-1].maps[0]["cross"], 0)


def test_a_model_without_a_part_is_saved_in_the_form_that_writes(tmp_path: Path) -> None:
    assert run(tmp_path, "--task", "copy", "--no-scaling", "--no-causal-mask", "--snapshots", "2") == 0
    config = load(tmp_path / "model").model.config
    assert config.scale_scores and config.causal
    film = read_film(tmp_path / "model")
    assert film.sentences[0].masks["decoder_self"].all()  # as it was trained
    assert "exact_match" in film.snapshots[-1].numbers


def test_a_model_without_residuals_says_so_in_its_config_and_card(tmp_path: Path) -> None:
    assert run(tmp_path, "--task", "copy", "--no-residuals") == 0
    model, *_, card = load_checkpoint(tmp_path / "model")
    assert (model.config.residuals, card["settings"]["no_residuals"]) == (False, True)


def test_heads_that_are_not_there_are_not_filmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--task", "copy", "--sublayers", "feed_forward", "--snapshots", "2"]
    assert_refused(capsys, run(tmp_path, *arguments), "--snapshots")


def test_a_finished_run_can_be_resumed_to_write_its_model_again(tmp_path: Path) -> None:
    assert run(tmp_path, "--task", "copy") == 0
    before = (tmp_path / "model" / "model.safetensors").read_bytes()
    assert run(tmp_path, "--task", "copy", "--resume") == 0
    assert (tmp_path / "model" / "model.safetensors").read_bytes() == before


def assert_refused(capsys: pytest.CaptureFixture[str], code: int, *parts: object) -> None:
    """Exit code 2, and one line on standard error: the program's name and a sentence."""
    assert code == 2
    error = capsys.readouterr().err
    assert error.startswith("viz-transformer: ")
    assert error.count("\n") == 1
    assert_sentence(error.strip(), *parts)


@pytest.mark.parametrize("option", ["--valid", "--test"])
@pytest.mark.parametrize("line", ["the  CAT is old!\tsomething else", "something else\tcat old"])
def test_held_out_sentences_that_are_trained_on_are_refused(
    tmp_path: Path, tsv: Path, capsys: pytest.CaptureFixture[str], option: str, line: str
) -> None:
    held_out = tmp_path / "held_out.tsv"
    held_out.write_text(f"nobody knows\tnothing\n{line}\n", encoding="utf-8")
    code = run(tmp_path, "--data", tsv, option, held_out, "--source-language", "en")
    assert_refused(capsys, code, held_out)
    assert not (tmp_path / "model").exists()


def test_a_wrong_line_is_refused_with_its_number(tmp_path: Path, tsv: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tsv.write_text(tsv.read_text(encoding="utf-8") + "no tab\n", encoding="utf-8")
    assert_refused(capsys, run(tmp_path, "--data", tsv), "line 21")


def test_without_sacrebleu_a_translation_model_is_not_measured(
    tmp_path: Path, tsv: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    languages = ["--source-language", "en", "--target-language", "en"]
    assert run(tmp_path, "--data", tsv, *languages, "--source-vocab", "130", "--target-vocab", "120") == 0
    capsys.readouterr()
    for name in ("sacrebleu", "sacrebleu.metrics"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails
    monkeypatch.setattr(Translator, "translate", None)  # it says so before anything is translated
    code = main(["evaluate", str(tmp_path / "model"), "--data", str(tsv)])
    assert_refused(capsys, code, "sacrebleu", "pip install 'viz-transformer[evaluate]'")


def test_without_jieba_no_chinese_tokenizer_is_trained(
    tmp_path: Path, tsv: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jieba", None)
    assert_refused(
        capsys,
        run(tmp_path, "--data", tsv, "--source-language", "zh"),
        "jieba",
        "pip install 'viz-transformer[chinese]'",
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--task", "copy", "--heads", "3"], "n_heads"),
        (["--task", "copy", "--d-model", "0"], "d_model"),
        (["--task", "copy", "--dropout", "1.5"], "dropout"),
        (["--task", "copy", "--learning-rate", "-1"], "learning_rate"),
        (["--task", "copy", "--device", "tpu"], "'tpu'"),
    ],
)
def test_a_wrong_option_is_refused_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    code = main(["train", "--out", str(tmp_path / "model"), "--run", str(tmp_path), *TINY, "--steps", "3", *arguments])
    assert_refused(capsys, code, named)


def test_a_run_that_was_never_saved_cannot_be_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--task", "copy", "--resume") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "state.safetensors" in error


def test_a_run_with_other_options_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--task", "copy", steps=3) == 0
    capsys.readouterr()
    assert_refused(capsys, run(tmp_path, "--task", "copy", "--resume", "--seed", "9", steps=3), "different options")


def test_a_run_is_prolonged_and_its_card_tells_both_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "--task", "copy", steps=3) == 0
    assert run(tmp_path, "--task", "copy", "--resume", steps=5) == 0
    card = card_of(tmp_path)
    commands = tmp_path / "run" / "commands.json"
    assert " && ".join(json.loads(commands.read_text())) == card["command"]
    commands.unlink()  # as beside a state of an earlier version
    assert run(tmp_path, "--task", "copy", "--resume", steps=5) == 0
    first, second = card["command"].split(" && ")
    assert "--steps 3" in first and "--resume" not in first
    assert "--steps 5" in second and second.endswith(" --resume")
    assert [point["step"] for point in card["curve"]] == [3, 5]
    assert card["training"]["steps"] == 5
    capsys.readouterr()
    assert_refused(
        capsys, run(tmp_path, "--task", "copy", "--resume", steps=4), "was saved at step 5, beyond this run's last step"
    )


def test_a_prolonged_run_keeps_its_vocabulary_whatever_is_added(tmp_path: Path, tsv: Path) -> None:
    arguments = ["--data", tsv, "--source-language", "en", "--target-language", "de", "--joint-vocab", 120]
    assert run(tmp_path, *arguments) == 0
    before = load(tmp_path / "model")
    more, others = tmp_path / "more.tsv", tmp_path / "others.tsv"
    more.write_text("Wolves howl.\tWölfe heulen.\n" * 99, encoding="utf-8")
    others.write_text("Foxes howl.\tFüchse heulen.\n" * 99, encoding="utf-8")
    assert run(tmp_path, *arguments, "--extra", more, others, "--resume", steps=5) == 0
    after = load(tmp_path / "model")
    assert after.source_tokenizer.to_json() == before.source_tokenizer.to_json()
    assert after.target_tokenizer.to_json() == before.target_tokenizer.to_json()
    assert after.card["settings"]["extra"] == [more.as_posix(), others.as_posix()]


def test_a_run_of_another_model_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--task", "copy") == 0
    capsys.readouterr()
    assert_refused(capsys, run(tmp_path, "--task", "copy", "--resume", "--norm-first"))


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(capsys, main(["translate", str(tmp_path), "hello"]), tmp_path)
    assert_refused(capsys, main(["evaluate", str(tmp_path / "nowhere")]), tmp_path)


def test_translating_writes_a_line_a_text_and_says_what_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(tmp_path, "--task", "copy") == 0
    capsys.readouterr()
    model = str(tmp_path / "model")
    assert main(["translate", model, "1 2", "3 x"]) == 0
    from_arguments = capsys.readouterr()
    translator = load(model)
    assert from_arguments.out.splitlines() == [translator.translate("1 2"), translator.translate("3 x")]
    assert "x" in from_arguments.err
    assert main(["translate", "--beam", "3", model, "1 2"]) == 0
    assert capsys.readouterr().out.splitlines() == [translator.translate("1 2", beam_size=3)]
    monkeypatch.setattr("sys.stdin", typed(b"1 2\n3 x\n"))
    assert main(["translate", model]) == 0
    assert capsys.readouterr().out == from_arguments.out
    assert_refused(capsys, main(["translate", model, " "]))


def typed(lines: bytes) -> io.TextIOWrapper:
    """A stream of these lines, to stand in for standard input."""
    return io.TextIOWrapper(io.BytesIO(lines))


def test_a_line_that_cannot_be_read_ends_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    translator = load("copy")
    long = " ".join("1" for _n in range(translator.max_tokens + 1)).encode()
    lines = [b"\xef\xbb\xbf1 2\r", b"", b"  ", "3 é".encode("latin-1"), long, "\u4f60".encode("gbk"), b"4 5"]
    monkeypatch.setattr("sys.stdin", typed(b"\n".join(lines)))
    assert main(["translate", "copy"]) == 2
    said = capsys.readouterr()
    assert said.out.splitlines() == ["1 2", "", "", "", "", "", "4 5"]
    assert said.err.splitlines()[:2] == ["Line 4: It is not written in UTF-8.", mock.ANY]
    assert [line.split(":")[0] for line in said.err.splitlines()] == ["Line 4", "Line 5", "Line 6"]


def test_a_sign_that_nobody_sees_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", "en-de", "I love\u200b you."]) == 0
    said = capsys.readouterr()
    assert said.err == "Left out, because they are invisible: ⟨U+200B⟩\n"
    assert said.out.strip() == load("en-de").translate("I love you.")


def test_a_text_may_begin_as_an_option_does(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["translate", "copy", "-12-"])
    assert caught.value.code == 2
    assert "unrecognized arguments: -12- Write -- before a text that begins with “-”" in capsys.readouterr().err
    assert main(["translate", "copy", "--beam", "2", "--", "-12-"]) == 0
    assert capsys.readouterr().out.splitlines() == [load("copy").translate("-12-", beam_size=2)]


def test_options_may_stand_between_the_model_and_the_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--task", "copy") == 0
    capsys.readouterr()
    model = str(tmp_path / "model")
    assert main(["translate", model, "--beam", "2", "1 2"]) == 0
    assert capsys.readouterr().out.splitlines() == [load(model).translate("1 2", beam_size=2)]


@pytest.mark.parametrize("arguments", [[], ["train"], ["train", "--task", "chess", "--out", "x"], ["nonsense"]])
def test_a_wrong_command_shows_its_usage(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: viz-transformer" in capsys.readouterr().err


COMMANDS = ("app", "train", "evaluate", "export", "import", "translate")
VALUES = {
    "model",
    "name",
    "texts",
    "source",
    "file",
    "overview",
    "heads",
    "arcs",
    "query-key",
    "query",
    "key",
    "tree",
    "en",
    "zh",
}


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_no_english_word_is_left_in_the_help(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "zh_CN.UTF-8")
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit):
        main([*filter(None, [command]), "--help"])
    said = capsys.readouterr().out
    # Options, what stands for a value, and an example of one.
    typed = re.compile(r"viz-transformer|Helsinki-NLP/\S+|--[a-z-]+|\b[A-Z_]{3,}\b|runs/")
    assert english_in(typed.sub(" ", said)) - {*COMMANDS, *VALUES} == set()
    assert "选项" in said


def test_no_english_word_is_left_in_what_evaluate_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "zh_CN.UTF-8")
    model = tmp_path / "copy"
    shutil.copytree(model_folder("copy"), model)
    (tmp_path / "pairs.tsv").write_text("1 2\t1 2\n", encoding="utf-8")
    words = {"source_words": ["1", "2"], "target_words": ["1", "2"], "sure": [[0, 0], [1, 1]]}
    aligned = {"source": "1 2", "target": "1 2", **words}
    (tmp_path / "aligned.jsonl").write_text(json.dumps(aligned) + "\n", encoding="utf-8")
    card = json.loads((model / "card.json").read_text(encoding="utf-8"))
    assert main(["evaluate", str(model), "--count", "3"]) == 0
    assert main(["evaluate", str(model), "--heads", "--count", "2"]) == 0
    assert main(["evaluate", str(model), "--alignment", str(tmp_path / "aligned.jsonl")]) == 0
    (model / "card.json").write_text(json.dumps(card | {"task": None}), encoding="utf-8")
    assert main(["evaluate", str(model), "--data", str(tmp_path / "pairs.tsv")]) == 0
    assert main(["evaluate", str(model), "--data", str(tmp_path / "nowhere.tsv")]) == 2
    out, err = capsys.readouterr()
    assert all(heading in out for heading in ("完全匹配率", "各句的平均", "准确率", "句对")), out
    assert "不存在" in err
    signature = re.compile(r"^nrefs:.*$", re.MULTILINE)
    measures = {measure.name for measure in (*MEASURES, ALIGNMENT)}  # as heads.json has them
    left = english_in(signature.sub("", out).replace(str(tmp_path), ""))
    assert left - {part for name in measures for part in re.findall(r"[a-z]+", name)} == set()


def test_it_speaks_the_language_of_the_environment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for language, sentences in {
        "zh_CN.UTF-8": ("没有模型 'nope'", "源文本是空的", "用法："),
        "en_US.UTF-8": ("There is no model 'nope'", "The source text is empty", "usage: "),
    }.items():
        monkeypatch.setenv("LANGUAGE", language)
        assert main(["translate", "nope", "x"]) == 2
        assert main(["translate", "copy", ""]) == 2
        with pytest.raises(SystemExit):
            main(["translate"])
        said = capsys.readouterr().err
        assert all(sentence in said for sentence in sentences)
