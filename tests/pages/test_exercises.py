"""The page Exercises, without a browser: every exercise failed and solved on it, every link opened, the sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.experiments.exercises.answers import WRONG, WRONG_IN_CHINESE
from tests.experiments.exercises.test_exercises import load, solution
from tests.pages.helpers import html_of, markdown_of, open_page
from viz_transformer.experiments.exercises.catalogue import BY_SLUG, EXERCISES
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback
from viz_transformer.ui.exercises import checked, sheet
from viz_transformer.ui.shared.qr import qr_image
from viz_transformer.ui.shared.scheduler import LONG
from viz_transformer.ui.shared.server_address import server_address
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.terms import explained
from viz_transformer.visible import escape

every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.slug)


def run(**query: str) -> AppTest:
    return open_page("pages/exercises.py", **query)


def answer(app: AppTest, exercise: Exercise, text: str, check: str = "Check") -> None:
    boxes = [*app.selectbox, *app.text_input]
    (box,) = (one for one in boxes if one.key == f"answer to {exercise.slug}")
    box.set_value(text)
    next(button for button in app.button if button.label == check).click()
    app.run()
    assert not app.exception


@every_exercise
def test_every_exercise_is_failed_and_solved(exercise: Exercise) -> None:
    app = run(exercise=exercise.slug)
    assert f"**0 of {len(EXERCISES)} solved**" in markdown_of(app)
    answer(app, exercise, WRONG[exercise.slug])
    assert [error.value.startswith("**Not yet.**") for error in app.error] == [True]
    assert f"**0 of {len(EXERCISES)} solved**" in markdown_of(app)
    answer(app, exercise, solution(exercise.slug))
    assert [success.value.startswith("**Right.**") for success in app.success] == [True]
    assert not app.error and f"**1 of {len(EXERCISES)} solved**" in markdown_of(app)
    assert [option for option in app.radio[0].options if option.startswith("✓")] == [
        f"✓ {EXERCISES.index(exercise) + 1} · {exercise.title}"
    ]
    assert app.query_params["answer"] == solution(exercise.slug)


@pytest.mark.parametrize("slug", [exercise.slug for exercise in EXERCISES if exercise.chinese])
def test_in_chinese_an_exercise_is_about_a_chinese_sentence(slug: str) -> None:
    exercise = BY_SLUG[slug].for_reader("zh")
    found = exercise.solve(exercise.bench(load(exercise.model)))
    app = run(exercise=slug, lang="zh")
    (button,) = app.get("link_button")
    query = {name: values[0] for name, values in parse_qs(urlsplit(button.proto.url).query).items()}
    assert query == {**exercise.link(), "lang": "zh"}
    answer(app, exercise, WRONG_IN_CHINESE[slug], check="检查")
    assert len(app.error) == 1
    answer(app, exercise, found, check="检查")
    assert len(app.success) == 1 and not app.error
    page = open_page(f"pages/{exercise.page}.py", **query)
    assert not page.error and page.session_state["model"] == "zh-en"


@every_exercise
def test_every_link_opens_the_view_that_it_names(exercise: Exercise) -> None:
    app = run(exercise=exercise.slug)
    (button,) = app.get("link_button")
    where = urlsplit(button.proto.url)
    assert where.path == f"./{exercise.page}"
    query = {name: values[0] for name, values in parse_qs(where.query).items()}
    assert query == exercise.link()
    page = open_page(f"pages/{exercise.page}.py", **query)
    assert not page.error
    for name in ("view", "lesson", "part", "method", "hand"):  # a page removes unknown tabs from its link
        if name in query:
            assert page.query_params[name] == query[name]
            assert page.button_group(key=f"choice of {name}").value == query[name]
    for name in ("model", "source"):
        if name in query:
            assert page.session_state[name] == query[name]


def test_a_link_opens_an_answer() -> None:
    app = run(exercise="by-hand", answer="0.12")
    assert app.text_input[0].value == "0.12"
    assert "without the mask" in app.warning[0].value


def test_a_right_answer_in_a_link_is_somebody_else_s() -> None:
    app = run(exercise="by-hand", answer=solution("by-hand"))
    assert app.success[0].value.startswith("**Right.**")
    assert f"**0 of {len(EXERCISES)} solved**" in markdown_of(app)
    answer(app, BY_SLUG["by-hand"], solution("by-hand"))
    assert f"**1 of {len(EXERCISES)} solved**" in markdown_of(app)


@pytest.mark.parametrize("text", ["1,0", "0,12", "3/25", "０.12"])
def test_a_number_is_read_as_people_write_it(text: str) -> None:
    app = run(exercise="by-hand", answer=text)
    assert app.error or app.warning
    assert all("is not a number" not in box.value for box in [*app.error, *app.warning])


def test_a_wrong_link_gives_a_right_page() -> None:
    app = run(exercise="<b>", answer="", print="x")
    assert app.header[0].value == "1 · A head that copies"
    assert "There is no answer yet" in app.error[0].value
    assert run(exercise="copy", answer="cross.7.7").selectbox[0].value is None


def test_another_exercise_leaves_the_answer_behind() -> None:
    app = run(exercise="by-hand", answer="0.12")
    app.radio[0].set_value("variance").run()
    assert not app.warning and "answer" not in app.query_params
    next(button for button in app.button if button.label == "Next →").click()
    app.run()
    assert app.query_params["exercise"] == EXERCISES[EXERCISES.index(BY_SLUG["variance"]) + 1].slug


def test_a_link_may_be_about_some_of_them() -> None:
    app = run(exercises="bag,by-hand", exercise="copy")
    assert app.header[0].value == "1 · A look-up by hand"
    assert "**0 of 2 solved**" in markdown_of(app)
    assert app.radio[0].options == ["1 · A look-up by hand", "2 · A sentence that needs no order"]
    next(button for button in app.button if button.label == "Next →").click()
    app.run()
    assert app.query_params["exercise"] == "bag"
    assert next(button for button in app.button if button.label == "Next →").disabled
    next(button for button in app.button if button.label == f"Show all {len(EXERCISES)}").click()
    app.run()
    assert "exercises" not in app.query_params and len(app.radio[0].options) == len(EXERCISES)
    assert app.header[0].value == f"{len(EXERCISES)} · A sentence that needs no order"


def test_there_are_two_hints() -> None:
    app = run(exercise="variance")
    assert [box.label for box in app.expander][:2] == ["Hint", "Another hint"]
    assert [box.markdown[0].value for box in app.expander][:2] == [explained(one) for one in BY_SLUG["variance"].hints]


def test_code_and_a_table_stand_below_the_question_line_by_line() -> None:
    for slug, lines in (("slip-axis", 7), ("beam-by-hand", 5)):
        for html in (html_of(run(exercise=slug)), html_of(run(print="sheet", exercises=slug))):
            (shown,) = re.findall(r"<pre.*?</pre>", html)
            assert shown.count("<span>") == lines
    assert "<span>a       0.32  0.25  0.15  0.28</span>" in html


def test_what_is_typed_is_data() -> None:
    app = run(exercise="three-pieces", answer="<b>*x* $y$</b>")
    said = app.error[0].value
    assert "<b>" not in said and "*x*" not in said and "$y$" not in said
    assert "letters only" in said


def test_an_answer_that_is_kept_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "one two " * 30  # long enough to queue
    costs: list[float] = []

    def in_turn(job: Iterable[Feedback], cost: float, place: object) -> Iterable[Feedback]:
        costs.append(cost)
        return job

    monkeypatch.setattr(checked, "in_turn", in_turn)
    app = run(exercise="bag", answer=text)
    said = app.error[0].value
    app.run()
    assert app.error[0].value == said
    assert len(costs) == 1 and costs[0] > LONG
    run(exercise="bag", answer="你好世界" * 200)
    assert costs[1:] == [0]  # it is refused


def test_a_sentence_of_another_language_is_refused() -> None:
    assert "never seen" in run(exercise="bag", answer="你好世界").error[0].value
    assert "only Chinese" in run(exercise="beam-beats-greedy", answer="Hello, world!").error[0].value


def test_traditional_characters_are_said_to_be_simplified() -> None:
    app = run(exercise="beam-beats-greedy", answer="我愛你。")
    assert app.error and "simplified" in html_of(app)


def test_the_sheet_says_both_right_answers() -> None:
    assert all(run(exercise="same-product", answer=place).success for place in ("37", "43"))
    assert "37 and 43 are both right" in html_of(run(print="answers"))


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:8501/", "http://localhost/", "http://[::1]:8501/app/"])
def test_no_code_leads_where_only_this_machine_comes(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "server_address", lambda url: address)
    app = run(print="sheet", exercises="by-hand")
    said = next(one for one in markdown_of(app) if "no QR codes" in one)
    assert verbatim(address) in said and "<img" not in html_of(app)


def sections_of(html: str) -> dict[str, str]:
    """The exercises on a sheet that has all of them, by slug."""
    return dict(zip(BY_SLUG, re.findall(r'<section class="vt-exercise">(.*?)</section>', html), strict=True))


def test_the_sheet_has_every_exercise_and_room_for_each_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "server_address", lambda url: "http://class.example/app/")
    html = html_of(run(print="sheet"))
    sections = sections_of(html)
    for slug, section in sections.items():
        assert escape(BY_SLUG[slug].title) in section
        address = f"http://class.example/app/exercises?exercise={slug}&lang=en"  # whose sentence is on the paper
        assert qr_image(address, BY_SLUG[slug].title) in section
        assert any(space in section for space in ("<td></td>", "vt-line", "vt-box"))
    assert "http://class.example/app/" in html and "Name <i></i> Date <i></i>" in html
    assert '<p class="vt-answer' not in html
    assert '"Page " counter(page) " of " counter(pages) ""' in html
    # Layers and heads; queries and keys; working and a number; lines; the tokens to choose from.
    assert sections["copy"].count("<tr>") == 3 and sections["copy"].count("<td></td>") == 1 + 2 * 4
    assert sections["previous-word"].count("<table") == 3
    assert sections["largest-score"].count("<td></td>") == 1 + 8 * 8
    assert "<bdi>1 Yesterday</bdi>" in sections["largest-score"]
    assert "vt-working" in sections["by-hand"] and "vt-working" not in sections["look"]
    assert sections["bag"].count("vt-line") == 2
    assert "<bdi>今天</bdi><small>1</small>" in sections["look"]


def test_a_sheet_has_the_exercises_of_its_link() -> None:
    app = run(print="sheet", exercises="bag,copy,<b>,bag")
    html = html_of(app)
    assert re.findall(r"<h2>(.*?)</h2>", html) == ["1 · A head that copies", "2 · A sentence that needs no order"]
    pills = app.button_group(key="exercises on the sheet")
    assert pills.value == ["copy", "bag"]
    pills.set_value(["by-hand", "bag"]).run()
    assert app.query_params["exercises"] == "by-hand,bag"
    assert re.findall(r"<h2>(.*?)</h2>", html_of(app))[0] == "1 · A look-up by hand"
    app.radio[0].set_value("answers").run()
    assert app.query_params["print"] == "answers"
    assert len(re.findall('<p class="vt-answer', html_of(app))) == 2
    app.button_group(key="exercises on the sheet").set_value([]).run()
    assert "exercises" not in app.query_params
    assert len(sections_of(html_of(app))) == len(EXERCISES)


def test_the_solutions_are_those_that_are_found_and_stand_at_the_end() -> None:
    sheet_itself, solutions = html_of(run(print="answers")).split('<div class="vt-solutions">')
    assert len(sections_of(sheet_itself)) == len(EXERCISES)
    by_slug = dict(zip(BY_SLUG, re.findall(r'<p class="vt-answer">(.*?)</p>', solutions), strict=True))
    assert "<b>Cross-attention, layer 2, head 3</b>" in by_slug["copy"]
    assert f"<b>{solution('shift')}</b>" in by_slug["shift"]
    assert "<b>1 · 今天</b>" in by_slug["look"]


def test_the_sheet_leads_back() -> None:
    app = run(print="sheet")
    app.button[0].click().run()
    assert "print" not in app.query_params and app.header[0].value == "1 · A head that copies"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:8501/exercises?exercise=copy", "http://127.0.0.1:8501/"),
        ("https://class.example/app/exercises", "https://class.example/app/"),
        ("http://[::1]:8501/exercises", "http://[::1]:8501/"),
        ("javascript:alert(1)", ""),
        ("http://user:secret@class.example/", ""),
        ('http://a"><b>/', ""),
        ("http://[", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_the_address_is_checked(url: str | None, address: str) -> None:
    assert server_address(url) == address


@given(st.text())
def test_any_address_is_read_or_refused(url: str) -> None:
    assert re.fullmatch(r"(https?://[\w.:\[\]/~-]+/)?", server_address(f"http://{url}"))
