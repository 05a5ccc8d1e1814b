"""Rooms: how a class is led, and how its answers are drawn."""

from __future__ import annotations

from tests.slips.slip import Slip

FOLLOWER, LECTURER = ("frontend/test/room/follower.test.ts",), ("frontend/test/room/lecturer.test.ts",)
PREDICT = ("frontend/test/lecture/predict_room.test.ts",)
ROOM: tuple[Slip, ...] = (
    Slip(
        "whoever comes into their room again is taken for a new tab, which leads nobody",
        "frontend/src/room/panel.ts",
        before="isNewTab() && !led.has(this.#code)",
        after="isNewTab()",
        tests=("tests/browser/test_room.py::test_a_lecturer_who_comes_in_again_leads_on_from_where_they_are",),
    ),
    Slip(
        "the box that shares goes as a page opens",
        "frontend/src/share/panel.ts",
        before="if (moved && this.#box.open) this.#takeAddress();",
        after="if (moved && this.#box.open) this.#box.close();",
        tests=("tests/browser/test_share.py::test_a_box_that_is_opened_while_a_page_opens_stays_and_is_of_that_page",),
    ),
    Slip(
        "who explores is led all the same",
        "frontend/src/room/follower.ts",
        before="""this.#state?.mode === "follow" && !this.#hasLetGo""",
        after="""this.#state?.mode === "follow\"""",
        tests=FOLLOWER,
    ),
    Slip(
        "a paused class is led",
        "frontend/src/room/follower.ts",
        before="""this.#state?.mode === "follow" &&""",
        after="""this.#state?.mode !== "free" &&""",
        tests=FOLLOWER,
    ),
    Slip(
        "who let go is not called back",
        "frontend/src/room/follower.ts",
        before="""if (part.mode === "follow") this.#hasLetGo = false;""",
        after="""if (part.mode === "free") this.#hasLetGo = false;""",
        tests=FOLLOWER,
    ),
    Slip(
        "views of the page before are told of the next one",
        "frontend/src/room/lecturer.ts",
        before="this.#views = {}; // of what was shown before",
        after="",
        tests=LECTURER,
    ),
    Slip(
        "every change of a view makes the class run the page",
        "frontend/src/room/lecturer.ts",
        before="this.#isTouched && !this.#isMoved",
        after="this.#isTouched",
        tests=LECTURER,
    ),
    Slip(
        "after Back a class stays where a view had led it",
        "frontend/src/room/lecturer.ts",
        before="    this.#settleLater();\n  };",
        after="  };",
        tests=LECTURER,
    ),
    Slip(
        "a view that is led is told as the student's own",
        "frontend/src/kit/component.ts",
        before="if (!this.#isLed) tellChanged(key, view);",
        after="tellChanged(key, view);",
        tests=("frontend/test/remote_view.test.ts",),
    ),
    Slip(
        "cells of a class's answers count rows from the columns",
        "frontend/src/room/answers.ts",
        before="Math.floor(Number(place) / columns) + 1",
        after="Math.floor(Number(place) / columns)",
        tests=("frontend/test/room/answers.test.ts",),
    ),
    Slip(
        "what is true of a matrix is its largest weight alone",
        "frontend/src/room/answers.ts",
        before="values.slice(start, start + columns.length)",
        after="values",
        tests=("frontend/test/room/answers.test.ts",),
    ),
    Slip(
        "a token in other capitals scores as the likeliest",
        "frontend/src/kit/score.ts",
        before="spelled.has(tokens[rank].toLowerCase())",
        after="spelled.has(tokens[rank])",
        tests=("tests/experiments/lecture/test_scores.py::test_the_tokens_that_a_room_keeps_score_as_all_of_them_do",),
    ),
    Slip(
        "the last answer of a class lies beyond the line",
        "frontend/src/lecture/predict_number.ts",
        before="value >= low && value <= high)\n",
        after="value >= low && value < high)\n",
        tests=PREDICT,
    ),
    Slip(
        "the median of two answers is the larger one",
        "frontend/src/lecture/predict_number.ts",
        before="values[Math.floor(half)] / 2 + values[Math.ceil(half)] / 2",
        after="values[Math.ceil(half)]",
        tests=PREDICT,
    ),
    Slip(
        "a class's curves are upside down",
        "frontend/src/lecture/predict_curve.ts",
        before="[this.#yOf((bin + 1) / bins), this.#yOf(bin / bins)]",
        after="[this.#yOf(1 - bin / bins), this.#yOf(1 - (bin + 1) / bins)]",
        tests=PREDICT,
    ),
    Slip(
        "a class's marks stand in the cell beside",
        "frontend/src/lecture/predict_cells.ts",
        before="[counts[place], row + 1, column + 1]",
        after="[counts[place + 1] ?? 0, row + 1, column + 1]",
        tests=PREDICT,
    ),
)
