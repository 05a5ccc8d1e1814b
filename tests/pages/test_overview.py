"""The logic of the Overview page, without a browser."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.packed import unpacked
from tests.pages.helpers import html_of, open_page
from viz_transformer.tokenizers import EncodedText, Tokenizer


def run(**query: str) -> AppTest:
    return open_page("app.py", **query)


def source_of(app: AppTest) -> str | None:
    """The source in the first line's field, which is a text area if the source has line breaks."""
    [field] = [one for one in (*app.text_input, *app.text_area) if one.key == "source"]
    return field.value


def test_the_page_opens_with_the_output_of_the_example() -> None:
    app = run()
    assert app.text_input(key="source").value == "你好,世界!"
    assert vt.load("zh-en", "cpu").translate("你好,世界!") in html_of(app)
    assert [unpacked(one.proto.bytes)["request"]["key"] for one in app.get("bidi_component")] == [
        "share",
        "room",
        "terms",
        "trace_view",
    ]


def test_the_page_says_which_model_and_device_are_at_work() -> None:
    app = run()
    config = vt.load("zh-en", "cpu").model.config
    assert app.selectbox(key="model").value == "zh-en"
    assert app.selectbox[1].value in app.selectbox[1].options
    assert f"d_model {config.d_model}" in app.caption[0].value


def test_an_untouched_example_changes_with_the_model() -> None:
    app = run()
    app.selectbox(key="model").set_value("sort").run()
    assert app.text_input(key="source").value == "3 1 4 1 5 9 2 6"
    assert "1 1 2 3 4 5 6 9" in html_of(app)


def test_a_typed_text_stays_when_the_model_changes() -> None:
    app = run()
    app.text_input(key="source").set_value("9 8 7").run()
    app.selectbox(key="model").set_value("reverse").run()
    assert app.text_input(key="source").value == "9 8 7"
    assert "7 8 9" in html_of(app)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "empty"), (" \n\t", "empty"), ("\u200b", "empty"), ("1 " * 17, "17 tokens, and this model reads at most 16")],
)
def test_unreadable_texts_get_a_sentence(text: str, sentence: str | None) -> None:
    app = run(model="copy")
    app.text_input(key="source").set_value(text).run()
    assert not app.exception
    assert source_of(app) == text
    if sentence is None:
        assert not app.error
    else:
        assert sentence in app.error[0].value


def test_an_unreadable_target_names_the_target() -> None:
    app = run(model="copy")
    app.text_area(key="target").set_value("2 " * 20).run()
    assert "target" in app.error[0].value
    assert "20 tokens" in app.error[0].value


def test_unknown_characters_are_named_and_escaped() -> None:
    app = run(model="copy")
    app.text_input(key="source").set_value("1 2 <b> 猫").run()
    assert "&lt;" in html_of(app)
    assert "<b>猫</b>" in html_of(app)
    assert "<b><b></b>" not in html_of(app)


def test_traditional_characters_are_read_as_simplified_ones_and_the_page_says_so() -> None:
    app = run(source="我愛你。")
    assert "The model reads simplified characters: <bdi><b>我爱你。</b></bdi>" in html_of(app)
    assert vt.load("zh-en", "cpu").translate("我爱你。") in html_of(app)
    assert app.text_input(key="source").value == "我愛你。"


def test_signs_that_nobody_sees_are_named_and_left_out() -> None:
    app = run(source="我\u200b爱你。", target="I love\u202e you.")
    note = "These characters are invisible, and the model does not know them. They were left out:"
    assert f"{note} <bdi><b>⟨U+200B⟩</b></bdi> <bdi><b>⟨U+202E⟩</b></bdi>" in html_of(app)
    assert "never seen" not in html_of(app)
    assert "simplified" not in html_of(app)
    assert source_of(app) == "我\u200b爱你。"


def test_traditional_characters_and_unseen_signs_are_told_apart() -> None:
    app = run(source="我愛\u200b你。")
    assert "The model reads simplified characters: <bdi><b>我爱你。</b></bdi>" in html_of(app)
    assert "<b>⟨U+200B⟩</b>" in html_of(app)


@pytest.mark.parametrize(
    ("query", "sentences"),
    [
        ({"source": "我爱你。谢谢你！"}, ["我爱你。", "谢谢你！"]),
        ({"source": "3 1\n2 7", "model": "copy"}, ["3 1", "2 7"]),
        ({"source": "1 " * 12 + "\n" + "2 " * 12, "model": "copy"}, ["1 " * 11 + "1", "2 " * 11 + "2"]),  # too long
    ],
)
def test_of_several_sentences_each_is_offered(query: dict[str, str], sentences: list[str]) -> None:
    app = run(**query)
    box = app.selectbox(key="sentence")
    assert (box.label, box.options, box.value) == (
        "2 sentences are read as one. Read only …",
        sentences,
        None,
    )
    app = box.set_value(sentences[1]).run()
    assert source_of(app) == sentences[1]
    assert not app.error
    assert "sentence" not in {one.key for one in app.selectbox}


@pytest.mark.parametrize("source", ["我爱你。", "3.14", "Dr. Lang", ""])
def test_one_sentence_is_not_offered_again(source: str) -> None:
    assert "sentence" not in {one.key for one in run(source=source).selectbox}


@pytest.mark.parametrize(("target", "times"), [("", 1), ("I love you.", 2)])
def test_a_text_is_tokenised_once_a_run(monkeypatch: pytest.MonkeyPatch, target: str, times: int) -> None:
    read, encode = [], Tokenizer.encode

    def counting(tokenizer: Tokenizer, text: str) -> EncodedText:
        read.append(text)
        return encode(tokenizer, text)

    monkeypatch.setattr(Tokenizer, "encode", counting)
    run(source=f"我爱你{times}。", target=target)  # in no cache yet
    assert read == [f"我爱你{times}。", target][:times]


@pytest.mark.parametrize("text", ["我爱你。\n你好。", "我爱你。\r\n你好。\n"])
def test_line_breaks_of_a_link_are_kept(text: str) -> None:
    app = run(source=text)
    assert source_of(app) == text
    assert vt.load("zh-en", "cpu").translate(text) in html_of(app)


@pytest.mark.parametrize(
    ("query", "is_noted"),
    [
        ({"source": "Hello, world!"}, True),
        ({"source": "I love 你"}, True),
        ({"source": "مرحبا"}, True),
        ({"source": "你好,世界!"}, False),
        ({"source": "我爱 Transformer。"}, False),
        ({"source": "1 + 1 = 2?!"}, False),
        ({"source": "你好,世界!", "target": "Hello, world!"}, False),
        ({"source": "1 2", "model": "copy"}, False),
    ],
)
def test_a_text_in_a_language_that_the_model_does_not_read_is_said_so(query: dict[str, str], is_noted: bool) -> None:
    app = run(**query)
    assert ("What it writes for any other language is noise." in html_of(app)) == is_noted


@pytest.mark.parametrize(
    ("source", "is_noted"),
    [
        ("Das Wetter ist heute schön.", True),
        ("Où est la bibliothèque ?", True),
        ("The weather is nice today.", False),
        ("Kowalczyk, Berlin", False),
        ("no", False),
        ("3 + 4", False),
    ],
)
def test_another_language_of_the_same_script_is_said_so_too(source: str, is_noted: bool) -> None:
    shown = html_of(run(source=source, model="en-de"))
    assert ("This model has learned to read only English." in shown) == is_noted


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("我爱 Transformer。", ["Transformer"]),
        ("我和 Hans 说 privet。", ["Hans", "privet"]),
        ("我爱你。", []),
        ("1 + 1", []),
    ],
)
def test_single_words_of_another_language_are_named(source: str, words: list[str]) -> None:
    shown = html_of(run(source=source))
    note = "This model has learned to read only Chinese. These are not Chinese, so what it writes for them is a guess:"
    assert (note in shown) == bool(words)
    for word in words:
        assert f"<b>{word}</b>" in shown


def test_beam_search_writes_something_else_than_greedy_in_some_of_the_examples() -> None:
    translator = vt.load("zh-en", "cpu")
    examples = [button.label for button in run().button if button.key and button.key.startswith("example ")]
    assert examples[0] == "你好,世界!"
    *_, greedy, beam = (None, *[[translator.translate(one, beam_size=size) for one in examples] for size in (1, 4)])
    assert sum(one != other for one, other in zip(greedy, beam, strict=True)) >= 3


def test_the_english_examples_come_out_right() -> None:
    """As somebody read them; of the last one both translations are right."""
    translator = vt.load("en-de", "cpu")
    buttons = run(lang="en", model="en-de").button
    examples = [button.label for button in buttons if str(button.key).startswith("example ")]
    assert {source: translator.translate(source) for source in examples} == {
        "Hello, world!": "Hallo, Welt!",
        "The animal didn't cross the street because it was too tired.": (
            "Das Tier überquerte die Straße nicht, weil es zu müde war."
        ),
        "The cat sleeps because it is tired.": "Die Katze schläft, weil sie müde ist.",
        "The dog sleeps because it is tired.": "Der Hund schläft, weil er müde ist.",
        "The child sleeps because it is tired.": "Das Kind schläft, weil es müde ist.",
        "Yesterday he bought a new car.": "Gestern hat er ein neues Auto gekauft.",
        "Do you like oranges?": "Magst du Orangen?",
    }
    assert translator.translate("Do you like oranges?", beam_size=4) == "Magst du Orangen?"


def test_an_example_button_sets_the_source_and_clears_the_target() -> None:
    app = run(target="Hi.")
    next(button for button in app.button if button.label == "我爱你。").click().run()
    assert app.text_input(key="source").value == "我爱你。"
    assert app.text_area(key="target").value == ""


def test_a_device_that_is_not_here_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIZ_DEVICE", "abacus")
    app = run()
    assert "'abacus' is not one of them" in app.error[0].value
