"""What is said about an exercise, as Markdown for the page, with typed text verbatim, as plain text or as HTML."""

from __future__ import annotations

from viz_transformer.experiments.exercises.answers import AHead, AToken
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback
from viz_transformer.heads import HeadRef
from viz_transformer.sentences import Word
from viz_transformer.ui.exercises.checked import shown_bench
from viz_transformer.ui.shared.head_names import head_label, head_title
from viz_transformer.ui.shared.tokens import token_strip
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _
from viz_transformer.visible import escape


def question(exercise: Exercise) -> str:
    """In Markdown, its terms marked."""
    return explained(exercise.question).format(**{name: verbatim(str(one)) for name, one in exercise.values.items()})


def plain_question(exercise: Exercise) -> str:
    """The same as plain text."""
    return _plain(_(exercise.question)).format(**exercise.values)


def about(exercise: Exercise, bench: Bench) -> str:
    """The numbered tokens of its sentence, or else the name of its model, as HTML; "" where it is about a formula."""
    if bench.recorded is None:
        model = _("The model is {model}.").format(model=exercise.model)
        return f'<p class="vt-caption">{escape(model)}</p>' if exercise.model else ""
    read = _("{model}: what it reads").format(model=exercise.model)
    written = _("the target that it is given") if exercise.target else _("what it writes")
    sides = (read, bench.trace.source_tokens), (written, bench.trace.predicted_tokens)
    return "".join(token_strip(caption, tokens, range(1, len(tokens) + 1)) for caption, tokens in sides)


def lines(exercise: Exercise) -> str:
    """The code that it is about, its lines numbered, or its table, as HTML; "" where it has none."""
    kind = "vt-code" if exercise.code else "vt-table"
    spans = "".join(f"<span>{escape(line)}</span>" for line in (exercise.code or exercise.table).splitlines())
    return f'<pre class="{kind}" tabindex="0">{spans}</pre>' if spans else ""


def said(feedback: Feedback) -> str:
    """The sentence of a feedback, in Markdown."""
    values = {name: verbatim(shown) if isinstance(shown := _shown(one), str) else shown
              for name, one in feedback.values.items()}  # fmt: skip
    return f"**{verdict(feedback)}** {_(feedback.template).format(**values)}"


def plain_said(feedback: Feedback) -> str:
    """The same as plain text, without the verdict."""
    return _plain(_(feedback.template)).format(**{name: _shown(one) for name, one in feedback.values.items()})


def verdict(feedback: Feedback) -> str:
    """In two words."""
    return {"right": _("Right."), "nearly": _("Nearly."), "wrong": _("Not yet.")}[feedback.verdict]


def plain_answer(exercise: Exercise, answer: str) -> str:
    """An answer as a person reads it: a head or a token by its name, not only as the link spells it."""
    kind = exercise.kind
    if isinstance(kind, AHead):
        return head_title(kind.read(answer, shown_bench(exercise)))
    if isinstance(kind, AToken):
        bench = shown_bench(exercise)
        return f"{answer} · {kind.tokens(bench)[kind.read(answer, bench)]}"
    return answer


def _shown(value: object) -> object:
    if isinstance(value, HeadRef):
        return head_label(value)
    return _(value) if isinstance(value, Word) else value


def _plain(text: str) -> str:
    return text.replace("*", "")
