"""What the server says of a choice leaves alone what a person has chosen since."""

from __future__ import annotations

from tests.visitor import site


def test_an_answer_sets_no_control_anew_and_back_does() -> None:
    with site() as app:
        visitor = app.visitor()
        visitor.open("masks")
        ids = {radio.label: radio.id for radio in visitor.shown("radio")}
        known = visitor.link
        chosen = {ids["Attention module"]: {"string_value": "Cross-attention"}}
        visitor.send(chosen)
        radios = {radio.label: radio for radio in visitor.shown("radio")}
        assert len(radios) >= 3  # the module, the mask, its convention
        assert [radio.label for radio in radios.values() if radio.set_value] == []
        visitor.link = known
        visitor.send(chosen, is_history_navigation=True)
        set_again = {radio.label: radio.raw_value for radio in visitor.shown("radio") if radio.set_value}
        assert set_again["Attention module"] == "Decoder self-attention"
