"""The command line: open the app, translate with a model, train one, measure one, import one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from gettext import bindtextdomain, textdomain
from gettext import gettext as _
from importlib import import_module
from typing import Any

from viz_transformer.cli.errors import said
from viz_transformer.optional import MissingPackageError
from viz_transformer.resources import package_version
from viz_transformer.sentences import DOMAIN, LOCALE, N_

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
        unknown = _("unrecognized arguments: %s") % " ".join([*rest, *texts])
        hint = (
            _("Write -- before a text that begins with “-”, and put all options before the --.") if takes_texts else ""
        )
        parser.error(f"{unknown} {hint}".rstrip())
    if takes_texts:
        options.texts += rest + texts
    try:
        return options.command(options, arguments) or 0
    except (ValueError, OSError, MissingPackageError) as error:
        print(f"{PROGRAM}: {said(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


# Command -> its module, and what it is for. Each module has a function `add_<command>`.
COMMANDS = {
    "app": ("app", N_("open the app in the browser")),
    "train": ("train", N_("train a model on a toy task or on a TSV of sentence pairs")),
    "evaluate": ("evaluate", N_("measure a model: exact match, or BLEU and chrF")),
    "import": ("importing", N_("import a Marian model from Hugging Face")),
    "export": ("export", N_("write a view of a sentence as one HTML file")),
    "translate": ("translate", N_("translate texts given as arguments or on standard input")),
}


class _Command(argparse.ArgumentParser):
    """The options of one command, added when it is asked for: its module may import torch, which takes seconds."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        name = self.prog.split()[-1]
        module, _help = COMMANDS[name]
        getattr(import_module(f"viz_transformer.cli.{module}"), f"add_{name}")(self)
        return super().parse_known_args(args, namespace)


def make_parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description=_("Open the app, translate with a model, train one, measure one.")
    )
    version = f"{PROGRAM} {package_version()}"
    parser.add_argument("--version", action="version", version=version, help=_("show the version and exit"))
    commands = parser.add_subparsers(required=True, parser_class=_Command)
    for name, (_module, what) in COMMANDS.items():
        commands.add_parser(name, help=_(what))
    return parser
