"""A model with its two tokenizers: texts in, texts and traces out. Users of the package start here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viz_transformer.checkpoint import CARD, CheckpointError, is_folder, load_checkpoint
from viz_transformer.chinese import to_simplified
from viz_transformer.decoding.ranking import DEFAULT_BEAM, BeamOptions
from viz_transformer.decoding.sampling import SamplingStep, sample
from viz_transformer.decoding.search import DecodingStep, beam_search, greedy_search
from viz_transformer.devices import pick_device
from viz_transformer.heads import HeadRef
from viz_transformer.interventions import Intervention
from viz_transformer.model import Transformer
from viz_transformer.resources import resource
from viz_transformer.sentences import SentenceError, Word
from viz_transformer.tokenizers import EncodedText, Tokenizer
from viz_transformer.trace import Origin, Trace, trace
from viz_transformer.visible import without_unseen

if TYPE_CHECKING:
    from viz_transformer.notebook import ShownView
    from viz_transformer.views.decoding.view import DecodingView

MODELS = resource("assets/models")
MAX_TEXT = 20_000  # characters, many times what any model reads: counting the tokens of more would take seconds


OPENS_WITH = "opens_with"  # in a model card: the [layer, head] of cross-attention that views open with


class TextError(SentenceError):
    """A text that the model cannot read; the message is a sentence for the person who typed it."""


def shipped_models() -> tuple[str, ...]:
    """The names of the models that come with the project."""
    return tuple(sorted(path.parent.name for path in MODELS.glob(f"*/{CARD}")))


def model_folder(name: str | Path) -> Path:
    """The folder of a shipped model by its name, else `name` as a path.

    Raises:
        TypeError: where `name` is neither a str nor a Path.
        CheckpointError: where there is no such folder.
    """
    if not isinstance(name, str | Path):
        raise TypeError(f"A model is called by its name or its folder, a str or a Path; it was {name!r}.")
    folder = MODELS / str(name) if str(name) in shipped_models() else Path(name)
    if not is_folder(folder):
        raise CheckpointError(
            "There is no model {name!r}: it is not a folder, and the models that come with the app are {shipped}.",
            name=str(name),
            shipped=", ".join(shipped_models()),
        )
    return folder


def load(name: str | Path, device: str = "auto") -> Translator:
    """A shipped model by name ("zh-en"), or any folder that `save_checkpoint` wrote.

    Args:
        name: one of `shipped_models()`, or a path.
        device: "auto" (the environment's VIZ_DEVICE, else the fastest here), "cpu", "cuda" or "mps".

    Raises:
        CheckpointError: where there is no such model, or its files are not what they should be.
        ValueError: where this machine has no such device.
    """
    model, source_tokenizer, target_tokenizer, card = load_checkpoint(model_folder(name))
    return Translator(model.to(pick_device(device)), source_tokenizer, target_tokenizer, card, str(name))


@dataclass(frozen=True, eq=False)
class Translator:
    """A model that reads and writes text. Read-only: any number of threads may share one.

    Wherever it takes a text, it also takes what `encode_source` or `encode_target` made of it.
    """

    model: Transformer
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    card: dict[str, Any]
    name: str = ""  # the name or path that it was loaded by

    @property
    def reads_chinese(self) -> bool:
        """Whether sources are Chinese that the model reads in simplified characters.

        The card's `simplify` says so; in a card without it, which this project's training wrote, the source language.
        """
        return self.card.get("simplify", self.card.get("source_language") == "zh") is True

    @property
    def opens_with(self) -> HeadRef:
        """The head that views open with: the one that the card names, or the first of the last layer."""
        layer, head = self.card.get(OPENS_WITH, (self.model.config.n_decoder_layers - 1, 0))
        return HeadRef("cross", int(layer), int(head))

    @cached_property
    def parameter_count(self) -> int:
        """How many numbers its model has learned."""
        return self.model.count_parameters()

    @property
    def max_tokens(self) -> int:
        """The longest text that the model reads or writes, in tokens, the end token not counted."""
        return self.model.config.max_len - 1

    def translate(self, text: str | EncodedText, *, beam_size: int = 1, **options: Any) -> str:
        """The model's output for `text`: greedy, or the best of a beam with the options of `beam_search`.

        Raises:
            TypeError: where `text` is no str.
            TextError: for a text that cannot be read.
        """
        *_, last = self.beam_search(text, beam_size=beam_size, **options)  # a beam of one is greedy search
        return self.target_tokenizer.decode(last.best.ids)

    def greedy_search(self, text: str | EncodedText, **options: Any) -> Iterator[DecodingStep]:
        """The steps of greedy search, with the options of `viz_transformer.greedy_search`.

        Raises:
            TextError: for a text that cannot be read.
        """
        return greedy_search(self.model, self._source_ids(text), label=self.target_tokenizer.label, **options)

    def beam_search(self, text: str | EncodedText, options: BeamOptions = DEFAULT_BEAM, **others: Any) -> BeamSearch:
        """The steps of beam search, with the arguments of `viz_transformer.beam_search`; a notebook shows its tree."""
        steps = beam_search(self.model, self._source_ids(text), options, label=self.target_tokenizer.label, **others)
        return BeamSearch(steps, self, text, options, others)

    def sample(self, text: str | EncodedText, **options: Any) -> Iterator[SamplingStep]:
        """The steps of one drawn output, with the options of `viz_transformer.sample`; raises a TextError likewise."""
        return sample(self.model, self._source_ids(text), label=self.target_tokenizer.label, **options)

    def trace(
        self,
        text: str | EncodedText,
        target: str | EncodedText | None = None,
        *,
        interventions: Sequence[Intervention] = (),
    ) -> Trace:
        """Records one forward pass over `text` and a target.

        Args:
            text: the source.
            target: the target; None takes the model's own greedy output under the same interventions.
            interventions: changes to the forward pass.

        Raises:
            TextError: for a text that cannot be read.
            ValueError: for an intervention that does not fit the model or the text.
        """
        source = self.encode_source(text)
        if target is None:
            *_, last = self.greedy_search(source, interventions=interventions)
            return self.trace_ids(source, last.best.ids, interventions=interventions)
        ids, tokens = self.ended_target(target)
        given = target if isinstance(target, str) else target.text
        return self._trace(source, ids, tokens, interventions, given)

    def trace_ids(
        self, text: str | EncodedText, ids: Sequence[int], *, interventions: Sequence[Intervention] = ()
    ) -> Trace:
        """Records one forward pass over `text` and an output of a search, ended or not: any `Hypothesis.ids`.

        Raises:
            TextError: for a text that cannot be read.
            ValueError: without ids, and for an intervention that does not fit the model or the text.
        """
        if not ids:
            raise SentenceError("An output must have at least one token; this one has none.")
        return self._trace(self.encode_source(text), tuple(ids), self.target_tokenizer.labels(ids), interventions)

    def _trace(
        self,
        source: EncodedText,
        predicted_ids: tuple[int, ...],
        predicted_tokens: tuple[str, ...],
        interventions: Sequence[Intervention],
        given: str | None = None,
    ) -> Trace:
        source_ids, source_tokens = self.ended_source(source)
        label = self.target_tokenizer.label
        start_id = self.model.config.start_id
        return trace(
            self.model,
            source_ids=source_ids,
            source_tokens=source_tokens,
            target_ids=(start_id, *predicted_ids[:-1]),
            target_tokens=(label(start_id), *predicted_tokens[:-1]),
            predicted_ids=predicted_ids,
            predicted_tokens=predicted_tokens,
            interventions=interventions,
            origin=Origin(self.name, source.text, given, self.target_tokenizer.decode(predicted_ids), self.opens_with),
            label=label,
        )

    def decode(self, trace: Trace) -> str:
        """The target of a trace as text."""
        return self.target_tokenizer.decode(trace.predicted_ids)

    def read_as(self, text: str) -> str:
        """The source text as its tokenizer gets it: Chinese in simplified characters, as in training."""
        _require_text(text)
        return to_simplified(text) if self.reads_chinese else text

    def encode_source(self, text: str | EncodedText) -> EncodedText:
        """The tokens of `read_as(text)`; raises a TextError where it is empty or too long.

        A sign that nobody sees, such as a space of no width, and that the vocabulary lacks, is left out.
        """
        if isinstance(text, EncodedText):
            return text
        _require_text(text)
        self._refuse_long(text, Word("source"))
        return self._encode(self.source_tokenizer, self.read_as(text), Word("source"))

    def encode_target(self, text: str | EncodedText) -> EncodedText:
        """The tokens of a target text, as in `encode_source`; raises a TextError where it is empty or too long."""
        if isinstance(text, EncodedText):
            return text
        _require_text(text)
        self._refuse_long(text, Word("target"))
        return self._encode(self.target_tokenizer, text, Word("target"))

    def _refuse_long(self, text: str, side: str) -> None:
        if len(text) > MAX_TEXT:
            raise TextError(
                "The {side} text has {count} characters, and this model reads at most {limit} tokens. Nothing was cut "
                "off: please shorten it.",
                side=side,
                count=len(text),
                limit=self.max_tokens,
            )

    def ended_source(self, text: str | EncodedText) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Ids and labels of a source as the encoder reads them, the end token last."""
        encoded, end_id = self.encode_source(text), self.model.config.end_id
        return (*encoded.ids, end_id), (*encoded.tokens, self.source_tokenizer.label(end_id))

    def ended_target(self, text: str | EncodedText) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Ids and labels of a target as the decoder should write them, the end token last."""
        encoded, end_id = self.encode_target(text), self.model.config.end_id
        return (*encoded.ids, end_id), (*encoded.tokens, self.target_tokenizer.label(end_id))

    def _source_ids(self, text: str | EncodedText) -> tuple[int, ...]:
        return self.ended_source(text)[0]

    def _encode(self, tokenizer: Tokenizer, text: str, side: str) -> EncodedText:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise TextError(
                "The {side} text has half a character, a lone surrogate, at position {place}.",
                side=side,
                place=error.start + 1,
            ) from error
        try:
            encoded = tokenizer.encode(text)
            known = without_unseen(text, "".join(encoded.unknown))
            if known != text:
                encoded = tokenizer.encode(known)
        except SentenceError as error:
            raise TextError(error.template, **error.values) from error
        if not encoded.ids:
            raise TextError("The {side} text is empty: type at least one word or symbol.", side=side)
        if len(encoded.ids) > self.max_tokens:
            raise TextError(
                "The {side} text has {count} tokens, and this model reads at most {limit}. Nothing was cut off: "
                "please shorten it.",
                side=side,
                count=len(encoded.ids),
                limit=self.max_tokens,
            )
        return encoded


class BeamSearch(Iterator[DecodingStep]):
    """The steps of a beam search, one after the other, as they are asked for; a notebook shows the tree of all."""

    def __init__(
        self,
        steps: Iterator[DecodingStep],
        translator: Translator,
        text: str | EncodedText,
        options: BeamOptions,
        others: Mapping[str, Any],
    ) -> None:
        self._steps, self._translator, self._text = steps, translator, text
        self._options, self._others = options, dict(others)

    def __next__(self) -> DecodingStep:
        return next(self._steps)

    def tree(self, *, language: str | None = None) -> ShownView[DecodingView]:
        """The tree of everything that this search considers, with the attention of its hypotheses; see `ShownView`.

        It searches again from the start, however many steps were taken, so that all its numbers come from one search.
        """
        from viz_transformer import notebook

        return notebook.tree(self._translator, self._text, self._options, language=language, **self._others)

    @cached_property
    def _tree(self) -> ShownView[DecodingView]:
        return self.tree()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """What a notebook shows; without anywidget, a line of text."""
        if find_spec("anywidget") is None:
            return {"text/plain": repr(self)}
        return self._tree._repr_mimebundle_(**kwargs)

    def _display_(self) -> Any:
        """What marimo shows."""
        return self._tree._display_()


def _require_text(text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"A text must be a str; it was {text!r}.")
