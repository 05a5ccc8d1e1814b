"""What every slip is shown on: the texts, a head, and a side with code, symptom, check and a run that makes it."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import ndiff
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, HeadRef, n_layers
from viz_transformer.ui.shared.choices import linked_choice, linked_number, module_names
from viz_transformer.ui.shared.models import opening_head
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.terms import explained
from viz_transformer.ui.shared.text import _, chosen_language


@dataclass(frozen=True)
class Code:
    """Lines of a program.

    Attributes:
        wrong, right: the slip, and what is meant.
        check: finds it in a program of one's own.
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
class Stand:
    """What a slip is given: the texts, and where its picture and its side stand."""

    reading: Reading
    picture: DeltaGenerator
    side: DeltaGenerator

    def choose_module(self, usual: AttentionModule) -> AttentionModule:
        """One of the three attention modules (in the link as `module`)."""
        with self.side:
            chosen = linked_choice(_("Attention module"), "module", module_names(), usual, wide=True)
        return next(module for module in ATTENTION_MODULES if module == chosen)

    def choose_head(self, module: AttentionModule) -> HeadRef:
        """A head of it (in the link as `layer` and `head`); the one that the pages open with is the usual one."""
        config, usual = self.reading.trace.config, opening_head(self.reading.translator)
        layer, head = (usual.layer, usual.head) if module == usual.module else (0, 0)
        with self.side.container(horizontal=True):
            return HeadRef(
                module,
                linked_number(_("Layer"), "layer", n_layers(config, module), layer + 1),
                linked_number(_("Head"), "head", config.n_heads, head + 1),
            )

    def explain(self, symptom: str, code: Code, train: str) -> None:
        """The symptom, which reads the numbers on the screen; what training makes of it; and the code."""
        with self.side:
            st.markdown(symptom)
            st.markdown(train)
            st.code(code.diff, language="python", wrap_lines=True)  # the colours of "diff" are too pale
            st.caption(_("− the slip, + what is right. This finds it in your own code:"))
            st.code(code.check, language="python", wrap_lines=True)


def trained(said: str, slip: str) -> str:
    """A sentence on what training with a slip shows, and a link to the page Training with that run ready."""
    link = f"training?{urlencode({'view': 'train', 'lesson_of_run': slip, **chosen_language()})}"
    return f"{said} " + explained("**[Train with this slip →]({link})**").format(link=link)
