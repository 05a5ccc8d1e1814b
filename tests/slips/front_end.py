"""Slips in the painting and its numbers: colours, layouts, axes, digits, keys. Tests of Node first; of the browser
(`tests/browser/`) only where nothing else can see it: they need a build and a server for each slip."""

from __future__ import annotations

from tests.slips.slip import Slip

FRONT_END: tuple[Slip, ...] = ()
