"""The lines of attention.py behind each stage, read from the source that runs, so that they cannot drift."""

from __future__ import annotations

import inspect
import re
from functools import cache
from textwrap import dedent

from viz_transformer import attention
from viz_transformer.heads import AttentionModule
from viz_transformer.trace import Trace
from viz_transformer.translator import shipped_models

_MARKS = {  # stage -> what its lines contain
    "x": ("self.query_input(x)", "self.key_input(x)"),
    "qkv": ("self.w_q(", "self.w_k("),
    "scores": ('see("scores"',),
    "scale": ('see("scaled_scores"',),
    "mask": ('see("masked_scores"', "masked_fill_("),
    "softmax": ('see("weights"',),
    "context": ("self.context(",),
    "output": ("self.concatenated(", "self.output("),
}
EINSUMS = {  # stage -> its product as it stands in other code, of q (B, H, T, D), k and v (B, H, S, D)
    "scores": 'torch.einsum("bhtd,bhsd->bhts", q, k)',
    "context": 'torch.einsum("bhts,bhsd->bhtd", weights, v)',
}


@cache
def code_of(stage: str) -> str:
    """The lines of attention.py that compute a stage, with their line numbers there, and the same product as an einsum.

    Raises:
        KeyError: for an unknown stage.
        LookupError: where attention.py has no such line (a test holds that it has).
    """
    lines = inspect.getsource(attention).splitlines()
    found = []
    for mark in _MARKS[stage]:
        numbered = [(n, line) for n, line in enumerate(lines, start=1) if mark in line and "HookPoint" not in line]
        if not numbered:
            raise LookupError(f"attention.py has no line with {mark!r} any more.")
        found += numbered
    code = dedent("\n".join(re.sub(r"\s*$", "", line) for _n, line in found)).splitlines()
    shown = [f"{n:>3}  {line.strip()}" for (n, _line), line in zip(found, code, strict=True)]
    return "\n".join([*shown, *(f"  =  {EINSUMS[name]}" for name in EINSUMS if name == stage)])


def snippet(
    model: str, source: str, trace: Trace, target: str, place: tuple[AttentionModule, int, int, int, int], file: str
) -> str:
    """Python that reproduces the numbers of one cell in a notebook; `place` is module, layer, head, query, key.

    `file` is the name under which the page saves the trace. Opening it needs no model. Only shipped models
    can be loaded by name, so for any other the snippet opens the file.
    """
    module, layer, head, i, j = place
    record = trace.attention(module, layer)
    given = f", target={target!r}" if target else ""
    opened = f"trace = vt.load_trace({file!r})"
    if model in shipped_models():
        opening = (
            f'trace = vt.load({model!r}, "cpu").trace({source!r}{given})',
            f"# Or, without the model, the file that this page saves: {opened}",
        )
    else:
        opening = ("# The file that this page saves:", opened)
    return "\n".join(
        (
            "import viz_transformer as vt",
            "",
            *opening,
            f"record = trace.attention({module!r}, layer={layer})",
            f"print(record.query_tokens[{i}], record.key_tokens[{j}])",
            f"print(record.scores[{head}, {i}, {j}])  # {record.scores[head, i, j]:.6f}",
            f"print(record.weights[{head}, {i}, {j}])  # {record.weights[head, i, j]:.6f}",
            "",
        )
    )
