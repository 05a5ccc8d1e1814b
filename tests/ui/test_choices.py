"""The server's answer to one choice does not overwrite what a person has chosen since."""

from __future__ import annotations

from typing import Any

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


def test_a_choice_that_reads_otherwise_is_set_since_the_browser_holds_its_text() -> None:
    with site() as app:
        visitor = app.visitor()
        visitor.open("heads", {"model": "reverse", "source": "3 1 4", "view": "contributions", "step": "2"})

        def lists() -> dict[str, Any]:
            return {box.label: box for box in visitor.shown("selectbox")}

        before = lists()["Compared with"]
        visitor.send({lists()["Step"].id: {"string_value": lists()["Step"].options[2]}})
        now = lists()["Compared with"]
        assert before.raw_value not in now.options  # the same rank, but of another step's tokens
        assert (now.set_value, now.raw_value) == (True, now.options[1])
        visitor.open("masks", {"lang": "en"})
        visitor.link += "&lang=zh"
        visitor.send()
        modules = [radio for radio in visitor.shown("radio") if "交叉注意力" in radio.options]
        assert [radio.raw_value for radio in modules] == ["解码器自注意力"]
