"""What a server does before its first visitor comes, so that nobody waits for it."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from importlib import import_module
from pkgutil import walk_packages

from viz_transformer import ui
from viz_transformer.devices import pick_device
from viz_transformer.training.scratch import remove_left_behind
from viz_transformer.ui.shared.controls import USUAL_MODELS, examples_of
from viz_transformer.ui.shared.models import ModelChoice, load_translator, own_output
from viz_transformer.ui.shared.other_language import identifier

_log = logging.getLogger(__name__)


def warm_up(say: Callable[[str], None]) -> None:
    """Removes what a killed server left, and does what else the first visitor would wait for.

    Loads the model that the app opens with in each language, passes its first example through it, and imports the code
    of every page. Each is kept where a visitor's run looks for it; a run that needs one meanwhile waits for it.

    Args:
        say: is told of each of these models that does not work; the others do, and so does every page.
    """
    remove_left_behind()
    for name in USUAL_MODELS.values():
        try:
            _pass_an_example_through(ModelChoice(name, pick_device().type))
        except Exception:  # whatever a damaged file makes a library raise
            _log.exception("The model %s does not work.", name)
            say(f"The model {name} does not work; the log says why.")
    identifier()
    for module in walk_packages(ui.__path__, f"{ui.__name__}."):
        import_module(module.name)
    gc.collect()
    gc.freeze()  # what is here stays: no collection looks through it again, in the middle of a visitor's run


def _pass_an_example_through(model: ModelChoice) -> None:
    translator = load_translator(model.name, model.device)
    own_output(model, translator.encode_source(examples_of(translator.card)[0]))
