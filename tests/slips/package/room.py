"""Rooms: what a class answered, and who may say what."""

from __future__ import annotations

from tests.slips.slip import Slip

STORES = ("tests/room/test_stores.py",)
ROOM: tuple[Slip, ...] = (
    Slip(
        "a lecturer who waits alone is nobody",
        "viz_transformer/room/door.py",
        before="own if room.clients else None",
        after="own or None",
        tests=("tests/room/test_door.py::test_who_opens_many_rooms_puts_no_waiting_lecturer_out",),
    ),
    Slip(
        "the last token that is shown is counted among the others, too",
        "viz_transformer/room/tally.py",
        before="for _, n in ranked[MOST_TOKENS:]",
        after="for _, n in ranked[MOST_TOKENS - 1 :]",
        tests=("tests/room/test_question.py",),
    ),
    Slip(
        "a curve at the top is counted below it",
        "viz_transformer/room/tally.py",
        before="min(int(height * BINS), BINS - 1)",
        after="min(int(height * BINS), BINS - 2)",
        tests=("tests/room/test_question.py",),
    ),
    Slip(
        "each answer of a student counts",
        "viz_transformer/room/memory.py",
        before="answers[member] = text",
        after="answers[f'{member}{len(answers)}'] = text",
        tests=STORES,
    ),
    Slip(
        "a question takes answers after it was revealed",
        "viz_transformer/room/memory.py",
        before="question is None or not question.open",
        after="question is None",
        tests=STORES,
    ),
    Slip(
        "whoever knows the code may lead",
        "viz_transformer/room/door.py",
        before="hello.secret is not None and not is_secret(hello.secret, kept)",
        after="hello.secret is not None and not kept",
        tests=("tests/room/test_hostile.py",),
    ),
    Slip(
        "a page of another site may come in",
        "viz_transformer/room/door.py",
        before="""origin.partition("://")[2] == host""",
        after="""bool(origin)""",
        tests=("tests/room/test_hostile.py",),
    ),
)
