"""Slips in the painting and its numbers: colours, layouts, axes, digits, keys. Tests of Node catch them; of the browser
(`tests/browser/`) only where nothing else can see it: they need a build and a server for each slip."""

from __future__ import annotations

from tests.slips.front_end.decoding import DECODING
from tests.slips.front_end.heads import HEADS
from tests.slips.front_end.kit import KIT
from tests.slips.front_end.lessons import LESSONS
from tests.slips.front_end.matrix import MATRIX
from tests.slips.front_end.plots import PLOTS
from tests.slips.front_end.room import ROOM
from tests.slips.front_end.trace import TRACE
from tests.slips.slip import Slip

FRONT_END: tuple[Slip, ...] = (*KIT, *MATRIX, *PLOTS, *TRACE, *DECODING, *HEADS, *LESSONS, *ROOM)
