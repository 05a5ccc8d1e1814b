"""`viz-transformer translate`: texts given as arguments, or line by line on standard input."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from gettext import gettext as _

from viz_transformer.chinese import WITHOUT_OPENCC, can_simplify
from viz_transformer.cli.errors import said
from viz_transformer.translator import Translator, load
from viz_transformer.visible import left_out, visible


def add_translate(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.set_defaults(command=translate)
    parser.add_argument("model", help=_("a shipped model's name or a folder"))
    parser.add_argument(
        "texts", nargs="*", help=_("if none are given, they are read from standard input, one per line")
    )
    parser.add_argument("--beam", type=int, default=1, help=_("beam size (default 1: greedy)"))
    parser.add_argument("--length-penalty", type=float, default=0.6, help=_("GNMT's α (default 0.6)"))
    parser.add_argument("--device", default="auto")


def translate(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    """Prints one line for each text, and on standard error what the model does not know."""
    translator = load(options.model, options.device)
    for text in options.texts:
        _translate(translator, text, options)
    return 0 if options.texts else _translate_lines(translator, options)


def _translate_lines(translator: Translator, options: argparse.Namespace) -> int:
    """Translates standard input line by line. One that cannot be read gives an empty line, and a sentence on stderr.

    Returns exit code 2 where there was such a line, else 0.
    """
    code = 0
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            if text.strip():
                _translate(translator, text, options)
                continue
        except ValueError as error:
            code = 2
            reason = _("It is not written in UTF-8.") if isinstance(error, UnicodeDecodeError) else said(error)
            print(_("Line {number}: {said}").format(number=number, said=reason), file=sys.stderr)
        print()
    return code


def _translate(translator: Translator, text: str, options: argparse.Namespace) -> None:
    read = translator.encode_source(text)
    left = visible(" ".join(left_out(text, read.text)))
    if left:
        print(_("Left out, because they are invisible: {signs}").format(signs=left), file=sys.stderr)
    if read.unknown:
        print(_("The model does not know: {unknown}").format(unknown=visible(" ".join(read.unknown))), file=sys.stderr)
        if translator.reads_chinese and not can_simplify():
            print(_(WITHOUT_OPENCC), file=sys.stderr)
    print(translator.translate(text, beam_size=options.beam, length_penalty=options.length_penalty))
