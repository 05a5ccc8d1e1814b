"""A choice survives the answer to the choice before it, whichever of the server's links the browser had by then."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode

from hypothesis import given
from hypothesis import strategies as some

from viz_transformer.ui.shared.merged_link import merged_link

names = some.sampled_from(["model", "head", "layer", "stage", "room"])
parameters = some.dictionaries(names, some.text(min_size=0, max_size=3), max_size=5)
steps = some.lists(parameters, min_size=1, max_size=4)


def spelled(link: dict[str, str]) -> str:
    return urlencode(link)


def read(link: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(link, keep_blank_values=True).items()}


@given(steps, some.data())
def test_an_older_link_is_no_choice(links: list[dict[str, str]], data: some.DataObject) -> None:
    """A browser that sends a link it once had has chosen nothing new: what the server has changed since stays."""
    known = [spelled(link) for link in links]
    assert merged_link(data.draw(some.sampled_from(known)), known, known[-1]) == known[-1]


@given(parameters, parameters)
def test_who_knows_the_latest_link_leads(before: dict[str, str], asked: dict[str, str]) -> None:
    assert read(merged_link(spelled(asked), [spelled(before)], spelled(before))) == asked


@given(parameters, some.data())
def test_of_two_who_change_other_parameters_both_do(before: dict[str, str], data: some.DataObject) -> None:
    """The changes of both sides are drawn; as an oracle, they are applied one after the other."""
    ours = data.draw(some.dictionaries(some.sampled_from(["model", "head"]), some.none() | some.text(max_size=3)))
    theirs = data.draw(some.dictionaries(some.sampled_from(["layer", "stage"]), some.none() | some.text(max_size=3)))

    def changed(link: dict[str, str], by: dict[str, str | None]) -> dict[str, str]:
        return {name: value for name, value in {**link, **by}.items() if value is not None}

    server, browser = changed(before, ours), changed(before, theirs)
    merged = merged_link(spelled(browser), [spelled(before)], spelled(server))
    assert read(merged) == changed(server, theirs)


def test_the_link_that_the_browser_had_is_the_one_nearest_to_what_it_says() -> None:
    known = ["model=copy", "model=copy&head=3", "model=copy&head=3&layer=2"]
    assert read(merged_link("model=copy&head=3&stage=mask", known, known[-1])) == {
        "model": "copy",
        "head": "3",
        "layer": "2",
        "stage": "mask",
    }
    assert read(merged_link("model=copy", known, "model=copy&room=ABCDE")) == {"model": "copy", "room": "ABCDE"}
