"""The glossary: terms in texts are marked, and explain themselves where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from gettext import NullTranslations

from viz_transformer.sentences import N_
from viz_transformer.views.text import _, spoken


@dataclass(frozen=True)
class Term:
    """One term for one thing, as docs/glossary.md has it.

    Args:
        name: in English.
        said: one sentence that explains it, as plain text.
        also: other names of the same thing.
    """

    name: str
    said: str
    also: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """What names it in a link."""
        return self.name.replace(" ", "-")


TERMS = (
    # Attention
    Term(N_("attention"), N_("Each query takes an average of the values, weighted by how well their keys fit it.")),
    Term(
        N_("weight"),
        N_("A factor in a sum: in attention the share that a key gets, in a layer a number that was learned."),
        also=(N_("attention weight"),),
    ),
    Term(N_("self-attention"), N_("Attention whose queries, keys and values all come from the same sequence.")),
    Term(N_("cross-attention"), N_("Attention in which the decoder asks, and the encoder's output answers.")),
    Term(N_("multi-head attention"), N_("Several heads side by side; W_O mixes what they found.")),
    Term(
        N_("additive attention"),
        N_("Attention whose scores come from a small network, vᵀ tanh(W_q q + W_k k), and not from a dot product."),
    ),
    Term(
        N_("head"),
        N_("One of a layer's attentions, with projections W_Q, W_K and W_V of its own."),
        also=(N_("attention head"),),
    ),
    Term(N_("query"), N_("The vector with which a position asks for what it needs.")),
    Term(N_("key"), N_("The vector that queries are compared with: the better it fits, the more weight it gets.")),
    Term(N_("value"), N_("The vector that a position hands on; attention averages the values.")),
    Term(
        N_("score"),
        N_("How well a key fits a query, before the softmax; in a search, what outputs are ranked by."),
    ),
    Term(
        N_("scaling"),
        N_("Division of the scores by √d_k, so that they stay moderate however many dimensions the vectors have."),
    ),
    Term(N_("softmax"), N_("Turns a row of scores into positive shares that add up to 1.")),
    Term(N_("context vector"), N_("What attention gives a query: the weighted average of the values.")),
    Term(N_("mask"), N_("Says which keys a query may attend to; the others get weight 0.")),
    Term(N_("causal mask"), N_("Hides the tokens that come later, so that no position can look ahead.")),
    Term(N_("padding"), N_("Tokens without a meaning that make the sentences of a batch equally long.")),
    Term(N_("padding mask"), N_("Hides padding, so that no weight goes to it.")),
    # The model
    Term(N_("token"), N_("What the model reads and writes: a word, a part of one, or a symbol.")),
    Term(N_("vocabulary"), N_("All tokens that the model knows.")),
    Term(N_("start token"), N_("The symbol <s>, with which the decoder's input begins.")),
    Term(N_("end token"), N_("The symbol </s>, with which a text ends; once the model writes it, it is done.")),
    Term(N_("embedding"), N_("The learned vector that stands for a token.")),
    Term(N_("positional encoding"), N_("The vector that is added to a token's embedding to mark its position.")),
    Term(N_("encoder"), N_("The half of the model that reads the source.")),
    Term(N_("decoder"), N_("The half of the model that writes the target, one token after another.")),
    Term(N_("residual connection"), N_("Adds the input of a sub-layer to its output: x + Sublayer(x).")),
    Term(N_("residual stream"), N_("The vectors that run through all layers; each sub-layer adds something to them.")),
    Term(
        N_("layer normalisation"),
        N_("Brings the numbers of each token to mean 0 and variance 1, then applies a learned gain and bias."),
        also=(N_("LayerNorm"), N_("layer norm")),
    ),
    Term(N_("post-norm"), N_("LayerNorm after each residual sum, as in the paper.")),
    Term(N_("pre-norm"), N_("LayerNorm on the way into each sub-layer; the residual stream itself is only added to.")),
    Term(
        N_("feed-forward network"),
        N_("Two linear maps with a nonlinear function between them, applied to each position separately."),
        also=(N_("feed-forward"),),
    ),
    Term(N_("weight tying"), N_("One matrix serves for both the embeddings and the logits.")),
    Term(N_("logit"), N_("The number that a token has before the softmax turns it into a probability.")),
    Term(
        N_("logit lens"),
        N_("What the output layer makes of an earlier layer's states, as if the model ended there."),
    ),
    Term(N_("forward pass"), N_("One computation of the model, from its input to its output.")),
    Term(N_("recurrent layer"), N_("Reads a sequence step by step; each step waits for the one before it.")),
    Term(N_("convolution"), N_("Takes a weighted sum of nearby positions, with the same weights everywhere.")),
    Term(N_("receptive field"), N_("The inputs on which an output can depend.")),
    Term(N_("kernel"), N_("A function of a distance: the nearer, the more weight.")),
    Term(N_("kernel regression"), N_("An average of values in which near points weigh more.")),
    # Decoding
    Term(N_("greedy search"), N_("Takes the most probable token at each step."), also=(N_("greedy"),)),
    Term(N_("beam search"), N_("Keeps the best few outputs at each step, instead of one.")),
    Term(
        N_("log-probability"),
        N_("The logarithm of a probability: 0 if it is certain, the further below 0 the less likely."),
        also=(N_("log p"),),
    ),
    # Training
    Term(N_("teacher forcing"), N_("In training, the decoder reads the correct target and not what it wrote itself.")),
    Term(
        N_("exposure bias"),
        N_(
            "The model was trained to continue correct beginnings, but when it generates it continues its own, "
            "mistakes and all."
        ),
    ),
    Term(N_("cross-entropy"), N_("The loss: minus the log-probability of the correct token, on average.")),
    Term(N_("exact match"), N_("The share of outputs that are right from the first token to the last.")),
    Term(N_("token accuracy"), N_("The share of tokens predicted right where everything before them is right.")),
    Term(N_("learning rate"), N_("How far one step of training moves the weights.")),
    Term(N_("warm-up"), N_("The first steps of training, in which the learning rate rises.")),
    Term(N_("label smoothing"), N_("Aims at a little less than probability 1 for the correct token.")),
    Term(N_("gradient"), N_("How the loss changes with each number; training moves in the opposite direction.")),
    Term(N_("BLEU"), N_("How many runs of words a translation shares with the reference, from 0 to 100.")),
    Term(N_("perplexity"), N_("How many tokens the model wavers between, so to speak: e to the power of the loss.")),
    # Numbers
    Term(N_("entropy"), N_("How widely a distribution is spread: 0 if all of it is in one place.")),
    Term(N_("variance"), N_("The mean of the squared distances from the mean.")),
    Term(
        N_("dot product"), N_("The products of two vectors' components, added up: large where they point the same way.")
    ),
)

# Phrases in which the letters of a term mean something else; no term is marked in them.
_OTHERWISE = (
    "scores use", "value under",
    "开头", "从头", "回头", "数值", "均值", "峰值", "最大值", "最小值", "取值", "值得",
    "播放键", "按键", "关键", "键盘",
)  # fmt: skip
# Where no term is marked: code, formulas, brackets (links), tags, headings, placeholders, escapes of Markdown,
# entities of HTML, icons of Streamlit, addresses.
_UNTOUCHED = (
    r"(?P<ticks>`+).*?(?P=ticks)|\$\$.*?\$\$|\$[^$\n]*\$"
    r"|\[(?:[^][]|\[[^][]*\])*\](?:\([^()]*\))?|<[^<>]+>|^ {0,3}#{1,6} [^\n]*"
    r"|\{[^{}]*\}|\\.|&#?\w+;|:[\w/+-]+:|https?://\S+"
)
_STRESS = ("*", "~")
_SHORT_TEXTS = 8192  # how many texts the caches hold


def explained(message: str) -> str:
    """The translated message in Markdown, with its terms marked; what visitors typed is filled in afterwards."""
    return marked(_(message))


def marked(text: str) -> str:
    """The same Markdown, in which the first mention of each term is a link `#term-<slug>`; terms.ts explains it.

    Args:
        text: of the app, in the reader's language, without anything that was typed.
    """
    return _marked(text, spoken())


def named_in(*texts: str) -> str:
    """Slugs of the terms that short texts of a picture name, with spaces between them; see kit/term_highlight.ts."""
    return _named_in(texts, spoken())


@lru_cache(_SHORT_TEXTS)
def _named_in(texts: tuple[str, ...], catalogue: NullTranslations) -> str:
    pattern, slugs = _mentions(catalogue)
    found = (slugs.get((one["term"] or "").lower()) for text in texts for one in pattern.finditer(text))
    named = [slug for slug in found if slug]
    kinds = [kind for slug in named if (kind := slug.rpartition("-")[2]) in slugs.values()]  # a causal mask is a mask
    return " ".join(dict.fromkeys([*named, *kinds]))


def glossary() -> dict[str, dict[str, str]]:
    """Title and explanation of each term in the reader's language, by slug."""
    return {term.slug: {"title": _title(term), "said": _(term.said)} for term in TERMS}


def _title(term: Term) -> str:
    name = _(term.name)
    return name if name == term.name else _("{term} ({english})").format(term=name, english=term.name)


@lru_cache(_SHORT_TEXTS)
def _marked(text: str, catalogue: NullTranslations) -> str:
    pattern, slugs = _mentions(catalogue)
    seen: set[str] = set()

    def mark(found: re.Match[str]) -> str:
        slug = slugs.get((found["term"] or "").lower())
        if slug is None or slug in seen or not _may_be_link(text, *found.span()):
            return found[0]
        seen.add(slug)
        return f"[{found[0]}](#term-{slug})"

    return pattern.sub(mark, text)


def _may_be_link(text: str, start: int, end: int) -> bool:
    """Whether Markdown reads the characters around a word in the same way once the word is a link."""
    before, after = text[:start], text[end:]
    if before.endswith("!"):
        return False  # it would be a picture
    # Between a letter and the bracket of a link, Markdown does not take `**` for emphasis.
    opens, closes = before.endswith(_STRESS), after.startswith(_STRESS)
    return not (opens and before.rstrip("*~")[-1:].isalnum()) and not (closes and after.lstrip("*~")[:1].isalnum())


@cache
def _mentions(catalogue: NullTranslations) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern that finds a term in that language, or a part to leave alone; and form → slug of its term."""
    slugs = {form.lower(): term.slug for term in reversed(TERMS) for form in _forms(term, catalogue)}
    forms = sorted([*slugs, *_OTHERWISE], key=len, reverse=True)
    terms = "|".join(_whole(form) for form in forms)
    return re.compile(rf"{_UNTOUCHED}|(?P<term>{terms})", re.DOTALL | re.MULTILINE | re.IGNORECASE), slugs


def _forms(term: Term, catalogue: NullTranslations) -> Iterator[str]:
    for name in map(catalogue.gettext, (term.name, *term.also)):
        yield name
        if name.isascii():
            yield _plural(name)


def _plural(name: str) -> str:
    """`queries`, `hypotheses`, `softmaxes`."""
    endings = ((r"(?<=[^aeiou])y$", "ies"), (r"is$", "es"), (r"(?<=[hsx])$", "es"), (r"$", "s"))
    return next(many for ending, new in endings if (many := re.sub(ending, new, name)) != name)


def _whole(form: str) -> str:
    """A pattern for this form as a whole word; Chinese does not separate words, so there it matches anywhere."""
    return rf"(?<![A-Za-z0-9_-]){re.escape(form)}(?![A-Za-z0-9_-])" if form.isascii() else re.escape(form)
