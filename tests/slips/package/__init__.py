"""Slips in the package: formulas, places, orders and signs, from the model to what is sent to the browser."""

from __future__ import annotations

from tests.slips.package.analysis import ANALYSIS
from tests.slips.package.contract import CONTRACT
from tests.slips.package.decoding import DECODING
from tests.slips.package.experiments import EXPERIMENTS
from tests.slips.package.model import MODEL
from tests.slips.package.room import ROOM
from tests.slips.package.supply import SUPPLY
from tests.slips.package.training import TRAINING
from tests.slips.slip import Slip

PACKAGE: tuple[Slip, ...] = (*MODEL, *DECODING, *TRAINING, *ANALYSIS, *EXPERIMENTS, *CONTRACT, *ROOM, *SUPPLY)
