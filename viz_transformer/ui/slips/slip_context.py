"""What every slip is shown with: texts, a head, and a side with its symptom, its code, a check, and a run to train."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import ndiff
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz_transformer.heads import AttentionModule, HeadRef, n_layers, stack_config
from viz_transformer.ui.shared.choices import choose_module, linked_number
from viz_transformer.ui.shared.models import opening_head
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.text import chosen_language
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, in_a_row


@dataclass(frozen=True)
class Code:
    """Lines of a program.

    Attributes:
        wrong, right: the lines with the slip, and the right ones.
        check: lines that find the slip in a program of one's own.
    """

    wrong: str
    right: str
    check: str

    @property
    def diff(self) -> str:
        """What is taken away and what is put in its place, as `diff` writes it."""
        lines = ndiff(self.wrong.split("\n"), self.right.split("\n"))
        return "\n".join(line for line in lines if not line.startswith("?"))


@dataclass(frozen=True)
class SlipContext:
    """What a slip is given: the texts, and where its picture and its side stand."""

    reading: Reading
    picture: DeltaGenerator
    side: DeltaGenerator

    def choose_module(self, usual: AttentionModule) -> AttentionModule:
        """One of the three attention modules (in the link as `module`)."""
        with self.side:
            return choose_module(usual, wide=True)

    def choose_head(self, module: AttentionModule) -> HeadRef:
        """A head of the module (in the link as `layer` and `head`); at first the one that the pages open with."""
        config, usual = self.reading.trace.config, opening_head(self.reading.translator)
        layer, head = (usual.layer, usual.head) if module == usual.module else (0, 0)
        with self.side.container(horizontal=True):
            return HeadRef(
                module,
                linked_number(_("Layer"), "layer", n_layers(config, module), layer + 1),
                linked_number(_("Head"), "head", stack_config(config, module).n_heads, head + 1),
            )

    def explain(self, symptom: str, code: Code, train: str) -> None:
        """Says what the numbers on the screen show of the slip, and what training makes of it; and shows the code."""
        self.side.container(key="vt-reading").markdown(symptom)
        self._teach(code, train)

    def excuse(self, reason: str, code: Code, train: str) -> None:
        """Says, in place of a picture, why the slip changes nothing in this model; the rest is as in `explain`."""
        self.picture.info(reason)
        self._teach(code, train)

    def _teach(self, code: Code, train: str) -> None:
        with self.side:
            st.markdown(train)
            with st.container(key="slip-code"):
                st.code(code.diff, language="python", wrap_lines=True)  # the colours of "diff" are too pale
                st.caption(_("− marks the slip, + the correct code. This finds it in your own code:"))
                st.code(code.check, language="python", wrap_lines=True)


def trained(said: str, slip: str) -> str:
    """A sentence on what training with a slip shows, and a link to the page Training with that run ready."""
    link = f"training?{urlencode({'view': 'train', 'lesson_of_run': slip, **chosen_language()})}"
    return in_a_row(said, explained("**[Train with this slip →]({link})**").format(link=link))
