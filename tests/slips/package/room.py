"""Rooms: what a class answered, and who may say what."""

from __future__ import annotations

from tests.slips.slip import Slip

STORES = ("tests/room/test_stores.py",)
ROOM: tuple[Slip, ...] = (
    Slip(
        "a lecturer who waits alone is nobody",
        "viz_transformer/room/classroom_server.py",
        before="own if room.clients else None",
        after="own or None",
        tests=("tests/room/test_classroom_server.py::test_who_opens_many_rooms_puts_no_waiting_lecturer_out",),
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
        "what is true of one question is kept of another",
        "viz_transformer/room/question.py",
        before="len(values) == len(rows) * len(columns) == self.size",
        after="len(values) == len(rows) * len(columns)",
        tests=("tests/room/test_question.py",),
    ),
    Slip(
        "the moment of an answer says whose it is",
        "viz_transformer/room/store.py",
        before='"%Y-%m-%dT%H:%MZ"',
        after='"%Y-%m-%dT%H:%M:%SZ"',
        tests=("tests/room/test_classroom_server.py::test_what_is_exported_says_nothing_of_who_answered",),
    ),
    Slip(
        "whoever knows the code may lead",
        "viz_transformer/room/classroom_server.py",
        before="hello.secret is not None and is_secret(hello.secret, room.secret)",
        after="hello.secret is not None",
        tests=("tests/room/test_hostile.py",),
    ),
    Slip(
        "a page of another site may come in",
        "viz_transformer/room/classroom_server.py",
        before="""origin.partition("://")[2] == host""",
        after="""bool(origin)""",
        tests=("tests/room/test_hostile.py",),
    ),
    Slip(
        "a seat of any room is one of this",
        "viz_transformer/room/seats.py",
        before="hmac.new(key.encode(),",
        after="hmac.new(b'',",
        tests=("tests/room/test_classroom_server.py::test_of_another_room_a_seat_is_none",),
    ),
    Slip(
        "one address may take all seats",
        "viz_transformer/room/classroom_server.py",
        before="or room.addresses[address] >= self.seats_of_one",
        after="",
        tests=("tests/room/test_hostile.py::test_a_stranger_takes_no_seats_but_those_of_one_address",),
    ),
    Slip(
        "whoever guesses codes hears which are rooms",
        "viz_transformer/room/classroom_server.py",
        before="        if not missed.take():\n            raise ClosedError(TRY_AGAIN)\n        if room is None:",
        after="        missed.take()\n        if room is None:",
        tests=("tests/room/test_hostile.py::test_who_guesses_codes_soon_hears_of_no_room_any_more",),
    ),
    Slip(
        "words are shown that nobody has read",
        "viz_transformer/room/classroom_server.py",
        before='"tally": None if is_unread else tally,',
        after='"tally": tally,',
        tests=(
            "tests/room/test_classroom_server.py::test_words_are_shown_once_they_are_read_and_who_wrote_some_is_removed",
        ),
    ),
    Slip(
        "whoever was removed comes in again",
        "viz_transformer/room/memory.py",
        before="room.removed |= gone.keys()",
        after="room.removed &= gone.keys()",
        tests=(
            "tests/room/test_classroom_server.py::test_words_are_shown_once_they_are_read_and_who_wrote_some_is_removed",
        ),
    ),
    Slip(
        "a message that waits counts for nothing",
        "viz_transformer/room/outbox.py",
        before="self._all.bytes += more",
        after="self._all.bytes = max(more, 0)",
        tests=("tests/room/test_hostile.py::test_what_waits_is_bounded_in_bytes_of_one_and_of_all",),
    ),
    Slip(
        "a message that does not end is waited for",
        "viz_transformer/server/arrivals.py",
        before="if self.bytes > self.usual:",
        after="if self.bytes > self.largest:",
        tests=("tests/hostile/test_arrivals.py::test_a_message_that_does_not_end_is_given_up",),
    ),
    Slip(
        "where all is too much, who sent least goes first",
        "viz_transformer/server/arrivals.py",
        before="max(self.arrivals, key",
        after="min(self.arrivals, key",
        tests=("tests/hostile/test_arrivals.py::test_where_all_is_too_much_the_largest_goes_first",),
    ),
    Slip(
        "of the files on their way, the smallest goes first",
        "viz_transformer/server/uploads.py",
        before="max(self.coming, key",
        after="min(self.coming, key",
        tests=("tests/ui/test_uploads.py::test_of_what_is_on_its_way_the_largest_goes_first",),
    ),
)
