"""The command `export`: a view of a sentence, as one HTML file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from gettext import gettext as _
from typing import Any

from viz_transformer.sentences import SentenceError
from viz_transformer.translator import Translator, load

BEAM = 4
VIEWS = ("overview", "heads", "arcs", "query-key", "tree")
LIVE = {"heads": "glance", "query-key": "query_key"}  # what those are called in a file one can type into


def add_export(parser: argparse.ArgumentParser) -> None:
    """The options of `export`."""
    parser.set_defaults(command=export)
    parser.add_argument("model", help=_("a shipped model's name or a folder"))
    parser.add_argument("source", help=_("the text that it reads"))
    parser.add_argument("file", help=_("where the HTML file is written"))
    parser.add_argument("--target", help=_("the text that it should write (default: its own output)"))
    parser.add_argument("--view", choices=VIEWS, default="overview", help=_("what is shown (default: overview)"))
    parser.add_argument("--beam", type=int, default=BEAM, help=_("beam size of the tree (default 4)"))
    parser.add_argument("--language", choices=("en", "zh"), default="en", help=_("language of the texts (default: en)"))
    parser.add_argument("--live", action="store_true", help=_("a file that holds the model, in which one can type"))
    parser.add_argument("--int8", action="store_true", help=_("with --live: weights rounded to 8 bits, half the size"))
    parser.add_argument("--device", default="auto")


def export(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Writes the file, and says how large it is.

    Raises:
        ValueError: a text that the model cannot read.
        FileNotFoundError: the folder of the file does not exist.
    """
    if options.int8 and not options.live:
        raise SentenceError("--int8 goes with --live: a file that holds no model has no weights to round.")
    if options.live and options.beam != BEAM:
        raise SentenceError("In a file one can type into, the tree's beam is always {beam}.", beam=BEAM)
    translator = load(options.model, options.device)
    if options.live:
        trace = translator.trace(options.source, options.target)
        view = LIVE.get(options.view, options.view)
        text = trace.to_html(options.file, live=True, int8=options.int8, view=view, language=options.language)
    else:
        text = _shown(translator, options).to_html(options.file)
    print(_("{file}: {size:.0f} KiB.").format(file=options.file, size=len(text.encode()) / 1024))


def _shown(translator: Translator, options: argparse.Namespace) -> Any:
    language = options.language
    if options.view == "tree":
        return translator.beam_search(options.source, beam_size=options.beam).tree(language=language)
    trace = translator.trace(options.source, options.target)
    views = {"overview": trace.overview, "heads": trace.heads, "arcs": trace.arcs, "query-key": trace.query_key}
    return views[options.view](language=language)
