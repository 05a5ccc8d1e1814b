"""Exercises in finding a slip: a few lines of code, one of which is wrong."""

from __future__ import annotations

from collections.abc import Callable

from viz_transformer.experiments.exercises.answers import ANumber
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback, right, wrong
from viz_transformer.sentences import N_

ATTENTION = """\
def attention(q, k, v, mask):
    d_k = q.size(-1)
    scores = q @ k.transpose(-2, -1)
    scores = scores / d_k ** 0.5
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ v
"""
HEADS = """\
def split_heads(x, n_heads):
    batch, tokens, width = x.shape
    assert width % n_heads == 0
    d_k = width // n_heads
    return x.view(batch, tokens, n_heads, d_k).transpose(1, 2)


def join_heads(x):
    batch, n_heads, tokens, d_k = x.shape
    return x.transpose(1, 2).reshape(batch, tokens, n_heads * d_k)
"""
LABELS = """\
def train(model, batches, optimizer):
    model.train()
    for source, target in batches:
        read = target[:, :-1]
        labels = target[:, 1:]
        logits = model(source, read)
        loss = cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
# The line that is right, and what one writes there by mistake.
SLIPS = {
    ATTENTION: ("weights = scores.softmax(dim=-1)", "weights = scores.softmax(dim=-2)"),
    HEADS: ("return x.view(batch, tokens, n_heads, d_k).transpose(1, 2)", "return x.view(batch, n_heads, tokens, d_k)"),
    LABELS: ("labels = target[:, 1:]", "labels = target[:, :-1]"),
}


def slipped(code: str) -> str:
    """The code with its slip."""
    return code.replace(*SLIPS[code])


def _line_of(code: str) -> int:
    """Where the slip is, counted from 1."""
    lines = zip(code.splitlines(), slipped(code).splitlines(), strict=True)
    return next(number for number, (is_right, is_wrong) in enumerate(lines, start=1) if is_right != is_wrong)


def _judge(code: str, why: str) -> Callable[[Bench, int], Feedback]:
    """Judges the number of a line; `why` is said of the right one."""

    def judge(_bench: Bench, line: int) -> Feedback:
        lines = slipped(code).splitlines()
        if line == _line_of(code):
            return right(why, line=line, code=SLIPS[code][0])
        if line > len(lines) or not lines[line - 1].strip():
            return wrong(N_("There is no code in line {line}."), line=line)
        return wrong(N_("Line {line} is as it should be: {code}"), line=line, code=lines[line - 1].strip())

    return judge


AXIS = Exercise(
    "slip-axis",
    N_("A slip in attention"),
    N_("One line of this attention is wrong: it runs, and the shapes fit. Which line is it?"),
    (
        N_("The weights of one query are a distribution over the keys. Which axis of the scores is that of the keys?"),
        N_("For each line, say into what shape it turns (…, queries, d_k), and along which axis it works."),
    ),
    ANumber(1, 99, label=N_("Line")),
    _judge(
        ATTENTION,
        N_(
            "Line {line} should be {code}: the keys are the last axis. Along the last but one, the weights of each "
            "*key* add up to 1."
        ),
    ),
    lambda bench: _line_of(ATTENTION),
    page="slips",
    parameters={"slip": "softmax-axis"},
    code=slipped(ATTENTION),
)
VIEW = Exercise(
    "slip-heads",
    N_("A slip in cutting the heads"),
    N_("One line of this code is wrong: it runs, and the shapes fit. Which line is it?"),
    (
        N_("A head has some of the features of *every* token. Which token do the first d_k numbers belong to?"),
        N_("*view* moves no numbers: it only changes how they are counted. What, then, swaps the axes?"),
    ),
    ANumber(1, 99, label=N_("Line")),
    _judge(
        HEADS,
        N_(
            "Line {line} should be {code}: *view* alone cuts the *tokens* into groups, and a head would mix features "
            "of different tokens."
        ),
    ),
    lambda bench: _line_of(HEADS),
    page="architecture",
    parameters={"lesson": "heads", "model": "copy"},
    code=slipped(HEADS),
)
SHIFT = Exercise(
    "slip-labels",
    N_("A slip in training"),
    N_(
        "With this code the loss falls almost to 0, and the model writes nonsense: one line is wrong. Which line is "
        "it? A target begins with the start token and ends with the end token."
    ),
    (
        N_("The loss is small if the model repeats what it reads. When would that be the task?"),
        N_(
            "Write the target “<s> a b </s>” twice, one below the other: what is read in each place, and what "
            "should be predicted there?"
        ),
    ),
    ANumber(1, 99, label=N_("Line")),
    _judge(
        LABELS,
        N_(
            "Line {line} should be {code}: each place predicts the token *after* the one that it reads. Without "
            "the shift the question contains its answer."
        ),
    ),
    lambda bench: _line_of(LABELS),
    page="masks",
    parameters={"lesson": "teacher"},
    code=slipped(LABELS),
)
