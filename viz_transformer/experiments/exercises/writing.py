"""Exercises about writing: tokens, teacher forcing, greedy and beam search, sampling."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

from viz_transformer.decoding.ranking import BeamOptions, Hypothesis
from viz_transformer.experiments.exercises.answers import ANumber, AText, AToken
from viz_transformer.experiments.exercises.bench import Bench, shipped_sources
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback, first_right, nearly, right, sized, wrong
from viz_transformer.sentences import N_
from viz_transformer.tokenizers import END_ID, EncodedText

_PIECES = 3
_PROBABLE = 0.01  # probability of the other translation, at least
_CAR = "Yesterday he bought a new car."
_COAT = "I'd like to buy a cheap coat."
_PEACE = "世界和平。"
_WEATHER = "今天天气很好。"
_TOP_P = 0.9


def _judge_pieces(_bench: Bench, read: EncodedText) -> Feedback:
    if not read.text.strip().isalpha():
        return wrong(N_("{text} is not one word: letters only, please."), text=read.text)
    values = {"word": read.text.strip(), "count": len(read.tokens), "pieces": " · ".join(read.tokens)}
    if len(read.tokens) == _PIECES:
        return right(N_("{word} is read in three pieces: {pieces}"), **values)
    say = nearly if abs(len(read.tokens) - _PIECES) == 1 else wrong
    return say(N_("{word} is read in {count} pieces: {pieces}"), **values)


def _words() -> Iterator[str]:
    for text in shipped_sources("en-de"):
        yield from (word for word in text.split() if word.isalpha() and word.islower())


def _judge_translation(bench: Bench, read: EncodedText) -> Feedback:
    if (*read.ids, END_ID) == bench.trace.predicted_ids:
        return wrong(N_("That is the model's own output, with a probability of {p:.1%}."), p=exp(bench.log_prob))
    forced = bench.translator.trace(_CAR, read)
    log_p = float(forced.token_log_probs.sum(dtype=float))
    values: dict[str, object] = {"p": exp(log_p), "log_p": log_p, "own": exp(bench.log_prob)}
    if exp(log_p) >= _PROBABLE:
        return right(N_("log p = {log_p:.2f}, a probability of {p:.1%}; its own output has {own:.1%}."), **values)
    worst = int(forced.token_log_probs.argmin())
    values["token"] = forced.predicted_tokens[worst]
    say = nearly if exp(log_p) >= _PROBABLE / 10 else wrong
    return say(N_("log p = {log_p:.2f}, a probability of {p:.3%}. It is surprised most by {token}."), **values)


def _solve_translation(bench: Bench) -> str:
    texts = (bench.text_of(hypothesis) for hypothesis in bench.finished(_CAR))
    return str(first_right(lambda text: _judge_translation(bench, bench.translator.encode_target(text)), texts))


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
            N_("{token} has log p = {log_p:.2f}, and rank {rank} of all tokens; all the same, the next row reads it."),
            **values,
        )
    return wrong(N_("{token} has log p = {log_p:.2f}; another token has {lowest:.2f}."), **values)


def _judge_beam(bench: Bench, read: EncodedText) -> Feedback:
    greedy, beam = bench.greedy(read), bench.finished(read)[0]
    values = {
        "beam": bench.text_of(beam),
        "beam_log_p": beam.total_log_prob,
        "greedy": bench.text_of(greedy),
        "greedy_log_p": greedy.total_log_prob,
    }
    if greedy.ids == beam.ids:
        return wrong(N_("Both write “{greedy}” with log p = {greedy_log_p:.3f}."), **values)
    if beam.total_log_prob <= greedy.total_log_prob:
        return nearly(
            N_(
                "They differ, but greedy search finds the likelier one: “{greedy}” ({greedy_log_p:.3f}), and the "
                "beam “{beam}” ({beam_log_p:.3f})."
            ),
            **values,
        )
    return right(
        N_("The beam writes “{beam}” ({beam_log_p:.3f}), greedy search “{greedy}” ({greedy_log_p:.3f})."), **values
    )


def _solve_beam(bench: Bench) -> str:
    return str(
        first_right(lambda text: _judge_beam(bench, bench.translator.encode_source(text)), shipped_sources("zh-en"))
    )


def _judge_seed(bench: Bench, seed: int) -> Feedback:
    *_, last = bench.translator.sample(_WEATHER, seed=seed)
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


def _solve_seed(bench: Bench) -> int:
    return int(first_right(lambda seed: _judge_seed(bench, seed), range(1000)))


def _kept(bench: Bench) -> tuple[int, float]:
    """How many tokens top-p keeps at the first step, and the model's probability of the first of them."""
    first = next(bench.translator.sample(_PEACE, top_p=_TOP_P))
    return len(first.kept_ids), exp(float(first.log_probs[first.kept_ids[0]]))


def _judge_top_p(bench: Bench, answer: int) -> Feedback:
    kept, likeliest = _kept(bench)
    if answer == kept:
        return right(
            N_("Top-p keeps {kept} tokens: the likeliest has only {likeliest:.1%}, so it takes many to reach 90 %."),
            kept=kept,
            likeliest=likeliest,
        )
    return sized(answer, kept)


def _best_at(finished: tuple[Hypothesis, ...], alpha: float) -> Hypothesis:
    rule = BeamOptions(length_penalty=alpha)
    return max(finished, key=lambda one: rule.score(one.total_log_prob, len(one.ids)))


def _longer_from(bench: Bench) -> float:
    """The smallest α, in tenths, at which a longer hypothesis ranks first than at α = 0."""
    finished = bench.finished(_COAT)
    shortest = len(_best_at(finished, 0).ids)
    return next(tenths / 10 for tenths in range(101) if len(_best_at(finished, tenths / 10).ids) > shortest)


def _judge_penalty(bench: Bench, answer: float) -> Feedback:
    finished, alpha = bench.finished(_COAT), round(answer, 1)
    best, plain = _best_at(finished, alpha), _best_at(finished, 0)
    values = {"alpha": alpha, "text": bench.text_of(best), "tokens": len(best.ids), "log_p": best.total_log_prob}
    if len(best.ids) <= len(plain.ids):
        return wrong(N_("At α = {alpha:g}, “{text}” still ranks first, with {tokens} tokens."), **values)
    if alpha > _longer_from(bench):
        return nearly(N_("At α = {alpha:g} the longer one ranks first, but so it does at a smaller α."), **values)
    return right(
        N_("At α = {alpha:g}, “{text}” ranks first, with {tokens} tokens, though its log p is {log_p:.2f}."), **values
    )


PIECES = Exercise(
    "three-pieces",
    N_("A word in three pieces"),
    N_("Type one English word that the tokenizer of this model cuts into exactly three pieces."),
    N_("Frequent words stay whole. Try a rare or a long one: *unbelievable* has five pieces."),
    AText("source", N_("Word")),
    _judge_pieces,
    lambda bench: first_right(lambda word: _judge_pieces(bench, bench.translator.encode_source(word)), _words()),
    "",
    {"source": "unbelievable"},
    "en-de",
)
TRANSLATION = Exercise(
    "another-translation",
    N_("Another good translation"),
    N_(
        "“Yesterday he bought a new car.” Type a German translation other than the model's own to which the model "
        "gives a probability of at least 1 %."
    ),
    N_("Type it as the target: with teacher forcing the model says how probable each of its tokens is."),
    AText("target"),
    _judge_translation,
    _solve_translation,
    "decoding",
    {"method": "beam"},
    "en-de",
    _CAR,
)
SURPRISE = Exercise(
    "surprise",
    N_("What surprises it"),
    N_("With teacher forcing the decoder reads this translation, which has a mistake. Which token surprises it most?"),
    N_("The lowest log p. *Das Tier* is neuter, and so should be what stands for it."),
    AToken("output"),
    _judge_surprise,
    lambda bench: int(bench.trace.token_log_probs.argmin()),
    "decoding",
    {"method": "greedy"},
    "en-de",
    "The animal didn't cross the street because it was too tired.",
    "Das Tier überquerte die Straße nicht, weil sie zu müde war.",
)
BEAM_BEATS = Exercise(
    "beam-beats-greedy",
    N_("Where beam 4 beats greedy"),
    N_("Type a Chinese sentence for which a beam of 4 finds an output with a higher log p than greedy search."),
    N_("Greedy search loses where the likeliest first token leads to an unlikely rest. The examples have some."),
    AText("source"),
    _judge_beam,
    _solve_beam,
    "decoding",
    {"method": "beam", "beam": "4"},
    "zh-en",
)
SEED = Exercise(
    "seed",
    N_("A seed of its own mind"),
    N_("Sample at temperature 1, with no top-k and no top-p. Find a seed whose output differs from the greedy one."),
    N_("Each seed draws another output; half of them or more may be the likeliest one."),
    ANumber(0, 9999, label=N_("Seed")),
    _judge_seed,
    _solve_seed,
    "decoding",
    {"method": "sample", "heat": "1", "topp": "1", "topk": "0"},
    "zh-en",
    _WEATHER,
)
TOP_P = Exercise(
    "top-p",
    N_("How many are left to draw from"),
    N_("With top-p = 0.9 and temperature 1, from how many tokens is the first one drawn?"),
    N_("Step 1 of sampling says how many tokens are kept: the fewest whose probabilities reach 0.9."),
    ANumber(1, 10_000),
    _judge_top_p,
    lambda bench: _kept(bench)[0],
    "decoding",
    {"method": "sample", "heat": "1", "topp": "0.9", "topk": "0", "step": "1", "node": "1-1"},
    "zh-en",
    _PEACE,
)
PENALTY = Exercise(
    "length-penalty",
    N_("A reward for length"),
    N_("A beam of 4 has finished. From which length penalty α on, in tenths, does a longer hypothesis rank first?"),
    N_("*Finished hypotheses* ranks anew: the sum of log p is divided by ((5 + length) / 6) to the power of α."),
    ANumber(0, 10, is_whole=False, label=N_("α")),
    _judge_penalty,
    _longer_from,
    "decoding",
    {"method": "beam", "beam": "4", "result": "finished", "rerank": "0"},
    "en-de",
    _COAT,
)
