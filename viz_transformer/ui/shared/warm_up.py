"""What a server does before its first visitor comes, so that nobody waits for it."""

from __future__ import annotations

import gc
from importlib import import_module
from pkgutil import walk_packages

from viz_transformer import ui
from viz_transformer.devices import pick_device
from viz_transformer.training.scratch import remove_left_behind
from viz_transformer.ui.shared.controls import USUAL_MODELS, examples_of
from viz_transformer.ui.shared.models import ModelChoice, load_translator, own_output


def warm_up() -> None:
    """Removes what a killed server left, and does what else the first visitor would wait for.

    Loads the model that the app opens with in each language, passes its first example through it, and imports the code
    of every page. Each is kept where a visitor's run looks for it; a run that needs one meanwhile waits for it.
    """
    remove_left_behind()
    for name in USUAL_MODELS.values():
        model = ModelChoice(name, pick_device().type)
        translator = load_translator(model.name, model.device)
        own_output(model, translator.encode_source(examples_of(translator.card)[0]))
    for module in walk_packages(ui.__path__, f"{ui.__name__}."):
        import_module(module.name)
    gc.collect()
    gc.freeze()  # what is here stays: no collection looks through it again, in the middle of a visitor's run
