"""What a wheel holds besides the package: the files that stand at the repository's top level, mapped into it."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ShippedFiles(BuildHookInterface):
    """Adds the `files` of `pyproject.toml`; an editable install gets no copies, for it finds them where they stand."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            build_data["force_include"].update(self.config["files"])
