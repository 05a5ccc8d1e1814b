"""The Python files of the project, each read and parsed once for all tests that look at them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Source:
    """A Python file.

    Attributes:
        name: its path from the project's root.
    """

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.name)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return [*ast.walk(self.tree)]

    @cached_property
    def imports(self) -> list[tuple[int, str]]:
        """Line and full name of all that it imports, anywhere: `from a import b` is a.b, relative ones resolved."""
        return [*self._imports()]

    def _imports(self) -> Iterator[tuple[int, str]]:
        package = self.name.removesuffix(".py").split("/")[:-1]
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = [*package[: len(package) - node.level + 1]] if node.level else []
                base += [node.module] if node.module else []
                yield from ((node.lineno, ".".join([*base, alias.name])) for alias in node.names)


@cache
def sources(*patterns: str) -> list[Source]:
    """The files of these patterns, from the project's root, in the order of their names."""
    paths = sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
    return [_source(path) for path in paths]


@cache
def _source(path: Path) -> Source:
    return Source(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
