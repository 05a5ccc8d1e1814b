"""The command line: open the app, translate with a model, train one, measure one, import one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from gettext import bindtextdomain, textdomain
from gettext import gettext as _

from viz_transformer.chinese import WITHOUT_OPENCC, can_simplify
from viz_transformer.cli.app import add_app
from viz_transformer.cli.evaluate import add_evaluate
from viz_transformer.cli.export import add_export
from viz_transformer.cli.importing import add_import
from viz_transformer.cli.train import add_train
from viz_transformer.optional import MissingPackageError
from viz_transformer.sentences import DOMAIN, LOCALE, N_, SaidError
from viz_transformer.translator import Translator, load
from viz_transformer.visible import left_out, visible

PROGRAM = "viz-transformer"  # also when run as `python -m viz_transformer`
# argparse's own messages, which it translates by the same gettext.
ARGPARSE = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("%(prog)s: error: %(message)s\n"),
    N_("the following arguments are required: %s"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("expected one argument"),
    N_("invalid %(type)s value: %(value)r"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("one of the arguments %s is required"),
    N_("not allowed with argument %s"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; a wrong option or file ends with one sentence on standard error and exit code 2.

    It speaks the language of the environment: LANGUAGE, LC_ALL, LC_MESSAGES or LANG.
    """
    bindtextdomain(DOMAIN, LOCALE)
    textdomain(DOMAIN)
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = make_parser()
    # argparse loses texts that come after an option.
    end = arguments.index("--") if arguments[:1] == ["translate"] and "--" in arguments else len(arguments)
    texts = arguments[end + 1 :]
    options, rest = parser.parse_known_args(arguments[:end])
    takes_texts = hasattr(options, "texts")
    if (rest or texts) and not (takes_texts and not any(text.startswith("-") for text in rest)):
        said = _("unrecognized arguments: %s") % " ".join([*rest, *texts])
        hint = (
            _("Write -- before a text that begins with “-”, and put all options before the --.") if takes_texts else ""
        )
        parser.error(f"{said} {hint}".rstrip())
    if takes_texts:
        options.texts += rest + texts
    try:
        return options.command(options, arguments) or 0
    except (ValueError, OSError, MissingPackageError) as error:
        print(f"{PROGRAM}: {_said(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _said(error: Exception) -> str:
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return _("There is no file {file}.").format(file=error.filename)
    return error.said(_) if isinstance(error, SaidError) else str(error)


def make_parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description=_("Open the app, translate with a model, train one, measure one.")
    )
    commands = parser.add_subparsers(required=True)
    add_app(commands.add_parser("app", help=_("open the app in the browser")))
    add_train(commands.add_parser("train", help=_("train a model on a toy task or on a TSV of sentence pairs")))
    add_evaluate(commands.add_parser("evaluate", help=_("measure a model: exact match, or BLEU and chrF")))
    add_import(commands.add_parser("import", help=_("import a Marian model from Hugging Face")))
    add_export(commands.add_parser("export", help=_("write a view of a sentence as one HTML file")))
    _add_translate(commands.add_parser("translate", help=_("translate texts given as arguments or on standard input")))
    return parser


def _add_translate(parser: argparse.ArgumentParser) -> None:
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
            said = _("It is not written in UTF-8.") if isinstance(error, UnicodeDecodeError) else _said(error)
            print(_("Line {number}: {said}").format(number=number, said=said), file=sys.stderr)
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
