"""Exercises about writing: tokens, teacher forcing, greedy and beam search, sampling."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

from viz_transformer.decoding.ranking import BeamOptions, Hypothesis
from viz_transformer.experiments.exercises.answers import ANumber, AText, AToken
from viz_transformer.experiments.exercises.bench import Bench, shipped_sources
from viz_transformer.experiments.exercises.exercise import (
    Exercise,
    Feedback,
    first_right,
    first_text,
    nearly,
    right,
    sized,
    wrong,
)
from viz_transformer.resources import resource
from viz_transformer.sentences import N_
from viz_transformer.tokenizers import EncodedText

_PIECES = 3
_PROBABLE = 0.01  # probability of the other translation, at least
_TOP_P = 0.9
_LABELS = ("neues", "new")  # the token whose row is asked for


def _judge_pieces(_bench: Bench, read: EncodedText) -> Feedback:
    if not read.text.strip().isalpha():
        return wrong(N_("{text} is not one word: letters only, please."), text=read.text)
    values = {"word": read.text.strip(), "count": len(read.tokens), "pieces": " · ".join(read.tokens)}
    if len(read.tokens) == _PIECES:
        return right(N_("{word} is read as three pieces: {pieces}"), **values)
    say = nearly if abs(len(read.tokens) - _PIECES) == 1 else wrong
    return say(N_("{word} is read as {count} pieces: {pieces}"), **values)


def _words() -> Iterator[str]:
    for text in shipped_sources("en-de"):
        yield from (word for word in text.split() if word.isalpha() and word.islower())


def _written_words() -> Iterator[str]:
    for line in resource("assets/data/phrasebook.zh-en.tsv").read_text(encoding="utf-8").splitlines():
        yield from (word for word in line.split("\t")[1].split() if word.isalpha() and word.islower())


def _judge_translation(bench: Bench, read: EncodedText) -> Feedback:
    if bench.translator.ended_target(read)[0] == bench.trace.predicted_ids:
        return wrong(N_("That is the model's own output, with a probability of {p:.1%}."), p=exp(bench.log_prob))
    forced = bench.translator.trace(bench.source, read)
    p = exp(forced.log_prob)
    values: dict[str, object] = {"p": p, "log_p": forced.log_prob, "own": exp(bench.log_prob)}
    if p >= _PROBABLE:
        return right(
            N_("log p = {log_p:.2f}, a probability of {p:.1%}; the model's own output has {own:.1%}."), **values
        )
    worst = int(forced.token_log_probs.argmin())
    values["token"] = forced.predicted_tokens[worst]
    say = nearly if p >= _PROBABLE / 10 else wrong
    return say(N_("log p = {log_p:.2f}, a probability of {p:.3%}. What surprises the model most is {token}."), **values)


def _solve_translation(bench: Bench) -> str:
    texts = (bench.text_of(hypothesis) for hypothesis in bench.finished(bench.source))
    return first_text(bench, _judge_translation, texts, "target")


def _label_row(bench: Bench) -> int:
    return next(row for row, token in enumerate(bench.trace.predicted_tokens, start=1) if token in _LABELS)


def _judge_label_row(bench: Bench, row: int) -> Feedback:
    label = _label_row(bench)
    read = bench.trace.target_tokens  # the start token first
    values = {"row": row, "token": bench.trace.predicted_tokens[label - 1], "before": read[label - 1]}
    if row == label:
        return right(N_("Row {row} reads {before}, and {token} comes next: so that is its label."), **values)
    if row == label + 1:
        return nearly(N_("Row {row} reads {token}: it has to predict what comes after it."), **values)
    if row > len(read):
        return wrong(N_("There is no row {row}: the decoder reads {count} tokens."), row=row, count=len(read))
    return wrong(N_("Row {row} reads {read}."), row=row, read=read[row - 1])


def _judge_surprise(bench: Bench, place: int) -> Feedback:
    log_probs, ranks = bench.trace.token_log_probs, bench.trace.token_ranks
    values = {
        "token": bench.trace.predicted_tokens[place],
        "log_p": float(log_probs[place]),
        "rank": int(ranks[place]),
        "lowest": float(log_probs.min()),
    }
    if place == int(log_probs.argmin()):
        return right(
            N_(
                "{token} has log p = {log_p:.2f}, and ranks {rank} among all tokens; all the same, the next row "
                "reads it."
            ),
            **values,
        )
    return wrong(N_("{token} has log p = {log_p:.2f}; another token has {lowest:.2f}."), **values)


def _judge_beam(bench: Bench, read: EncodedText) -> Feedback:
    greedy = bench.greedy(read)
    beam = max(bench.finished(read), key=lambda one: one.total_log_prob)  # the beam itself ranks by length, too
    values = {
        "beam": bench.text_of(beam),
        "beam_log_p": beam.total_log_prob,
        "greedy": bench.text_of(greedy),
        "greedy_log_p": greedy.total_log_prob,
    }
    if greedy.ids == beam.ids:
        return wrong(
            N_("The beam finds nothing likelier than greedy search does: “{greedy}” ({greedy_log_p:.3f})."), **values
        )
    if beam.total_log_prob <= greedy.total_log_prob:
        return nearly(
            N_(
                "They differ, but greedy search finds the likelier one: “{greedy}” ({greedy_log_p:.3f}); the beam"
                " finds “{beam}” ({beam_log_p:.3f})."
            ),
            **values,
        )
    return right(
        N_("The beam finds “{beam}” ({beam_log_p:.3f}), greedy search “{greedy}” ({greedy_log_p:.3f})."), **values
    )


def _judge_seed(bench: Bench, seed: int) -> Feedback:
    *_, last = bench.translator.sample(bench.source, seed=seed)
    drawn = bench.text_of(last.hypothesis)
    if last.hypothesis.ids == bench.trace.predicted_ids:
        return wrong(N_("With seed {seed} it draws “{drawn}”, as greedy search does."), seed=seed, drawn=drawn)
    return right(
        N_("With seed {seed} it draws “{drawn}” (log p = {log_p:.2f}; greedy: {greedy:.2f})."),
        seed=seed,
        drawn=drawn,
        log_p=last.hypothesis.total_log_prob,
        greedy=bench.log_prob,
    )


def _kept_by_top_p(bench: Bench) -> list[float]:
    """The model's probabilities of the tokens that top-p keeps at the first step, the likeliest first."""
    first = next(bench.translator.sample(bench.source, top_p=_TOP_P))
    return sorted((exp(float(first.log_probs[token])) for token in first.kept_ids), reverse=True)


def _judge_top_p(bench: Bench, answer: int) -> Feedback:
    kept = _kept_by_top_p(bench)
    if answer == len(kept):
        return right(
            N_(
                "Top-p keeps {kept} tokens: together they have {whole:.1%} of the probability; without the last "
                "of them it would be {less:.1%}, and 90 % is needed."
            ),
            kept=len(kept),
            whole=sum(kept),
            less=sum(kept[:-1]),
        )
    return sized(answer, len(kept))


def _best_at(finished: tuple[Hypothesis, ...], alpha: float) -> Hypothesis:
    rule = BeamOptions(length_penalty=alpha)
    return max(finished, key=lambda one: rule.score(one.total_log_prob, len(one.ids)))


def _judge_tenths(bench: Bench, finished: tuple[Hypothesis, ...], tenths: int) -> Feedback:
    best, shortest = _best_at(finished, tenths / 10), len(_best_at(finished, 0).ids)
    values = {"alpha": tenths / 10, "text": bench.text_of(best), "tokens": len(best.ids), "log_p": best.total_log_prob}
    if len(best.ids) <= shortest:
        return wrong(N_("At α = {alpha:g}, “{text}” still ranks first, with {tokens} tokens."), **values)
    if any(len(_best_at(finished, smaller / 10).ids) > shortest for smaller in range(tenths)):
        return nearly(N_("At α = {alpha:g} a longer one ranks first, but this is already so at a smaller α."), **values)
    return right(
        N_("At α = {alpha:g}, “{text}” ranks first, with {tokens} tokens, though its log p is {log_p:.2f}."), **values
    )


def _judge_penalty(bench: Bench, answer: float) -> Feedback:
    return _judge_tenths(bench, bench.finished(bench.source), round(10 * answer))


def _solve_penalty(bench: Bench) -> float:
    finished = bench.finished(bench.source)
    return first_right(lambda tenths: _judge_tenths(bench, finished, tenths), range(101)) / 10


PIECES = Exercise(
    "three-pieces",
    N_("A word in three pieces"),
    N_("Type one English word that the tokenizer of this model cuts into exactly three pieces."),
    (
        N_("Frequent words stay whole. Try a rare or a long one: *unbelievable* has five pieces."),
        N_(
            "Type it as the sentence of *Overview*: its tokens are shown there one by one. A common word with a "
            "rare ending often has three."
        ),
    ),
    AText("source", N_("Word")),
    _judge_pieces,
    lambda bench: first_text(bench, _judge_pieces, _words()),
    page="overview",
    parameters={"source": "unbelievable"},
    model="en-de",
    chinese={
        "model": "zh-en",
        "question": N_("Type one English word that this model writes in exactly three pieces."),
        "hints": (
            N_("Frequent words stay whole. Try a rare or a long one: *unbelievable* has six pieces."),
            N_(
                "Type it as the sentence of *Overview*: its tokens are shown there one by one. A common word with"
                " a rare ending often has three."
            ),
        ),
        "kind": AText("target", N_("Word")),
        "solution": lambda bench: first_text(bench, _judge_pieces, _written_words(), "target"),
        "parameters": {"source": "猫睡了，因为它累了。", "target": "unbelievable"},
    },
)
TRANSLATION = Exercise(
    "another-translation",
    N_("Another good translation"),
    N_(
        "“Yesterday he bought a new car.” Type a German translation that differs from the model's own, and to "
        "which the model gives a probability of at least 1 %."
    ),
    (
        N_("Type it as the target: with teacher forcing the model says how probable each of its tokens is."),
        N_("Change one word of the model's own output: another tense, another order, or a reflexive pronoun."),
    ),
    AText("target"),
    _judge_translation,
    _solve_translation,
    page="decoding",
    parameters={"method": "beam"},
    model="en-de",
    source="Yesterday he bought a new car.",
    chinese={
        "model": "zh-en",
        "source": "昨天他买了一辆新车。",
        "question": N_(
            "“昨天他买了一辆新车。” Type an English translation that differs from the model's own, and to which the "
            "model gives a probability of at least 1 %."
        ),
    },
)
SURPRISE = Exercise(
    "surprise",
    N_("What surprises it"),
    N_(
        "With teacher forcing, the decoder reads this translation, which contains a mistake. Which token surprises"
        " it most?"
    ),
    (
        N_("Look for the lowest log p. *Das Tier* is neuter, and so should be the word that stands for it."),
        N_("Read each token with what comes before it: where would you have continued differently?"),
    ),
    AToken("output"),
    _judge_surprise,
    lambda bench: int(bench.trace.token_log_probs.argmin()),
    page="decoding",
    parameters={"method": "greedy"},
    model="en-de",
    source="The animal didn't cross the street because it was too tired.",
    target="Das Tier überquerte die Straße nicht, weil sie zu müde war.",
    chinese={
        "model": "zh-en",
        "source": "他昨天没有去学校。",
        "target": "He does not go to school yesterday.",
        "hints": (
            N_("Look for the lowest log p. *昨天* refers to the past, and so should the verb."),
            N_("Read each token with what comes before it. The model does not know yet that *yesterday* will follow."),
        ),
    },
)
LABEL_ROW = Exercise(
    "label-row",
    N_("Which row predicts it"),
    N_(
        "With teacher forcing, the decoder reads this translation, with the start token in row 1. In which row is"
        " “neues” the label, the token that should be predicted?"
    ),
    (
        N_("The labels are the translation, each token one row earlier than it is read."),
        N_(
            "Each row predicts the token after the one that it reads. What comes before “neues”, and in which row "
            "is that read?"
        ),
    ),
    ANumber(1, 1000, label=N_("Row")),
    _judge_label_row,
    _label_row,
    page="decoding",
    parameters={"method": "greedy"},
    model="en-de",
    source="Yesterday he bought a new car.",
    target="Gestern hat er ein neues Auto gekauft.",
    chinese={
        "model": "zh-en",
        "source": "昨天他买了一辆新车。",
        "target": "He bought a new car yesterday.",
        "question": N_(
            "With teacher forcing, the decoder reads this translation, with the start token in row 1. In which "
            "row is “new” the label, the token that should be predicted?"
        ),
        "hints": (
            N_("The labels are the translation, each token one row earlier than it is read."),
            N_(
                "Each row predicts the token after the one that it reads. What comes before “new”, and in which "
                "row is that read?"
            ),
        ),
    },
)
BEAM_BEATS = Exercise(
    "beam-beats-greedy",
    N_("Where beam 4 beats greedy"),
    N_("Type a Chinese sentence for which a beam of 4 finds an output with a higher log p than greedy search."),
    (
        N_(
            "Greedy search loses where the likeliest first token has only unlikely continuations. Some of the "
            "examples are like that."
        ),
        N_("Long sentences with two clauses are good candidates; so are beginnings that can continue in two ways."),
    ),
    AText("source"),
    _judge_beam,
    lambda bench: first_text(bench, _judge_beam, shipped_sources("zh-en")),
    page="decoding",
    parameters={"method": "beam", "beam": "4"},
    model="zh-en",
)
SEED = Exercise(
    "seed",
    N_("A seed with a mind of its own"),
    N_("Sample at temperature 1, with no top-k and no top-p. Find a seed whose output differs from the greedy one."),
    (
        N_("Each seed draws an output of its own; for half of the seeds or more it may be the likeliest one."),
        N_("Start with seed 0, and go on until the words below the tree differ from those of greedy search."),
    ),
    ANumber(0, 9999, label=N_("Seed")),
    _judge_seed,
    lambda bench: first_right(lambda seed: _judge_seed(bench, seed), range(1000)),
    page="decoding",
    parameters={"method": "sample", "heat": "1", "topp": "1", "topk": "0"},
    model="zh-en",
    source="今天天气很好。",
)
TOP_P = Exercise(
    "top-p",
    N_("How many are left to draw from"),
    N_("With top-p = 0.9 and temperature 1, from how many tokens is the first one drawn?"),
    (
        N_("Step 1 of sampling says how many tokens are kept: the fewest whose probabilities add up to 0.9."),
        N_("Add up the probabilities, starting with the largest, and stop as soon as the sum has reached 0.9."),
    ),
    ANumber(1, 10_000),
    _judge_top_p,
    lambda bench: len(_kept_by_top_p(bench)),
    page="decoding",
    parameters={"method": "sample", "heat": "1", "topp": "0.9", "topk": "0", "step": "1", "node": "1-1"},
    model="zh-en",
    source="今天天气很好。",
)
PENALTY = Exercise(
    "length-penalty",
    N_("A reward for length"),
    N_(
        "A beam of 4 has finished. What is the smallest length penalty α, in tenths, at which a longer hypothesis "
        "ranks first?"
    ),
    (
        N_("*Finished hypotheses* re-ranks them: the sum of log p is divided by ((5 + length) / 6) to the power of α."),
        N_("Move α up from 0, a tenth at a time, and look at which hypothesis ranks first and how long it is."),
    ),
    ANumber(0, 10, is_whole=False, label=N_("α")),
    _judge_penalty,
    _solve_penalty,
    page="decoding",
    parameters={"method": "beam", "beam": "4", "result": "finished", "rerank": "0"},
    model="en-de",
    source="I'm fully aware of that.",
    chinese={"model": "zh-en", "source": "注意力机制很重要。"},
)
