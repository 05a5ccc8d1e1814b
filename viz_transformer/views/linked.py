"""How a view's state is spelled in a link. A view is a frozen dataclass; its fields say how they are spelled there.

    @dataclass(frozen=True)
    class HeadView:
        layer: int = linked("layer", INDEX, 0, always=True)
        cell: tuple[int, int] | None = linked("cell", OrNone(CELL), None)

One grammar everywhere: layers, heads, steps and places count from 1; a cell is `3-5` (row, column), a list `1-3`, a
head `cross.2.1` (module, layer, head). What a link says wrongly or not at all is as usual; what is too large is clamped
by `clamped`, to what the data has.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from viz_transformer.heads import ATTENTION_MODULES, HeadRef

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value")
View = TypeVar("View", bound="DataclassInstance")
MAX_INDEX = 9_999
MAX_TEXT = 200  # characters
# What comes along to another page: which model reads which texts, and the head that is shown. As in kit/leave.ts.
TRAVELS = ("model", "source", "target", "module", "layer", "head")


class Spelling(Protocol[Value]):
    """How a value is written in a link, and what a browser sends for it. Anything else is a ValueError."""

    @property
    def kind(self) -> str:
        """The name of this spelling in kit/link.ts, for views that the browser keeps in the link by itself."""

    def read(self, text: str) -> Value:
        """A link's text → the value."""

    def write(self, value: Value) -> str:
        """The value → a link's text."""

    def checked(self, raw: object) -> Value:
        """What a browser sent, parsed from JSON → the value."""


@dataclass(frozen=True)
class Index:
    """An index from 0, from 1 in the link."""

    kind: str = "index"

    def read(self, text: str) -> int:
        if not (text.isascii() and text.isdecimal() and int(text[:8]) > 0):
            raise ValueError(f"not a number from 1: {text[:20]!r}")
        return min(int(text[:8]), MAX_INDEX + 1) - 1

    def write(self, value: int) -> str:
        return str(value + 1)

    def checked(self, raw: object) -> int:
        if isinstance(raw, float) and raw.is_integer():
            raw = int(raw)
        if isinstance(raw, bool) or not isinstance(raw, int) or not 0 <= raw <= MAX_INDEX:
            raise ValueError("not an index")
        return raw


@dataclass(frozen=True)
class Indices:
    """Indices with dashes between them; exactly `count` of them, or any number."""

    count: int | None = None
    kind: str = "indices"

    def read(self, text: str) -> tuple[int, ...]:
        return self._counted(tuple(INDEX.read(part) for part in text.split("-", MAX_TEXT) if text))

    def write(self, value: tuple[int, ...]) -> str:
        return "-".join(INDEX.write(index) for index in value)

    def checked(self, raw: object) -> tuple[int, ...]:
        if not isinstance(raw, list | tuple) or len(raw) > MAX_TEXT:
            raise ValueError("not a list of indices")
        return self._counted(tuple(INDEX.checked(index) for index in raw))

    def _counted(self, indices: tuple[int, ...]) -> tuple[int, ...]:
        if self.count is not None and len(indices) != self.count:
            raise ValueError(f"not {self.count} indices")
        return indices


@dataclass(frozen=True)
class OneOf:
    """One of a few names."""

    names: tuple[str, ...]
    kind: str = "text"

    def read(self, text: str) -> str:
        return self.checked(text)

    def write(self, value: str) -> str:
        return value

    def checked(self, raw: object) -> str:
        if not isinstance(raw, str) or raw not in self.names:
            raise ValueError(f"not one of {', '.join(self.names)}")
        return raw


@dataclass(frozen=True)
class SomeOf:
    """Some of a few names, in their order, with commas between them; what is none of them is left out."""

    names: tuple[str, ...]
    kind: str = "text"

    def read(self, text: str) -> tuple[str, ...]:
        asked = text.split(",")
        return tuple(name for name in self.names if name in asked)

    def write(self, value: tuple[str, ...]) -> str:
        return ",".join(value)

    def checked(self, raw: object) -> tuple[str, ...]:
        return self.read(TEXT.checked(raw))


@dataclass(frozen=True)
class Text:
    """A short text."""

    kind: str = "text"
    longest: int = MAX_TEXT  # characters

    def read(self, text: str) -> str:
        return self.checked(text)

    def write(self, value: str) -> str:
        return value

    def checked(self, raw: object) -> str:
        if not isinstance(raw, str) or len(raw) > self.longest:
            raise ValueError("not a text of this length")
        raw.encode()  # a lone surrogate is a UnicodeEncodeError, which is a ValueError
        return raw


@dataclass(frozen=True)
class Flag:
    """Yes or no: 1 or 0."""

    kind: str = "flag"

    def read(self, text: str) -> bool:
        if text not in ("0", "1"):
            raise ValueError("neither 0 nor 1")
        return text == "1"

    def write(self, value: bool) -> str:
        return "1" if value else "0"

    def checked(self, raw: object) -> bool:
        if not isinstance(raw, bool):
            raise ValueError("neither true nor false")
        return raw


@dataclass(frozen=True)
class Number:
    """A number within bounds, with so many significant digits."""

    low: float
    high: float
    digits: int = 4
    kind: str = "number"

    def read(self, text: str) -> float:
        return self.checked(float(text[:MAX_TEXT]))

    def write(self, value: float) -> str:
        return f"{value:.{self.digits}g}"

    def checked(self, raw: object) -> float:
        if isinstance(raw, bool) or not isinstance(raw, int | float) or (isinstance(raw, float) and not isfinite(raw)):
            raise ValueError("not a number")
        # To the digits that the link keeps, so that a link opens what it was copied from.
        return float(self.write(float(max(self.low, min(raw, self.high)))))  # JSON has whole numbers of any size


@dataclass(frozen=True)
class Head:
    """A head of a model: `cross.2.1`. Read with dashes, too, as links had it once."""

    kind: str = "text"

    def read(self, text: str) -> HeadRef:
        module, *place = text.replace("-", ".").split(".", 3)
        for name in ATTENTION_MODULES:
            if name == module and len(place) == 2:
                return HeadRef(name, INDEX.read(place[0]), INDEX.read(place[1]))
        raise ValueError(f"not a head: {text[:20]!r}")

    def write(self, value: HeadRef) -> str:
        return f"{value.module}.{INDEX.write(value.layer)}.{INDEX.write(value.head)}"

    def checked(self, raw: object) -> HeadRef:
        return self.read(TEXT.checked(raw))


@dataclass(frozen=True)
class Heads:
    """Heads with commas between them; what is no head is left out."""

    kind: str = "text"

    def read(self, text: str) -> tuple[HeadRef, ...]:
        """A link's text → the heads."""
        heads = []
        for part in text.split(","):
            with suppress(ValueError):
                heads.append(HEAD.read(part))
        return tuple(heads)

    def write(self, value: tuple[HeadRef, ...]) -> str:
        """The heads → a link's text."""
        return ",".join(map(HEAD.write, value))

    def checked(self, raw: object) -> tuple[HeadRef, ...]:
        """What a browser sent → the heads."""
        return self.read(TEXT.checked(raw))


@dataclass(frozen=True)
class OrNone:
    """Another spelling's value or None, which is `none` in the link."""

    spelling: Spelling[Any]

    @property
    def kind(self) -> str:
        return self.spelling.kind

    def read(self, text: str) -> Any:
        return None if text == "none" else self.spelling.read(text)

    def write(self, value: Any) -> str:
        return "none" if value is None else self.spelling.write(value)

    def checked(self, raw: object) -> Any:
        return None if raw is None else self.spelling.checked(raw)


INDEX, INDICES, CELL, TEXT, FLAG = Index(), Indices(), Indices(2), Text(), Flag()
HEAD, HEADS = Head(), Heads()


def linked(name: str | None, spelling: Spelling[Any], default: Any = MISSING, *, always: bool = False) -> Any:
    """A field of a view.

    Args:
        name: of its parameter in the link; None: it is not kept there.
        always: it is in the link even where it is as usual, so that other pages find it there.
    """
    return field(default=default, metadata={"parameter": name, "spelling": spelling, "always": always})


def in_parameters(parameters: Mapping[str, str], usual: View) -> View:
    """The view that any link with these parameters asks for."""
    read = {name: read_in(parameters, *at, getattr(usual, name)) for name, at in linked_fields(usual).items()}
    return replace(usual, **read)


def parameters_of(view: View, usual: View) -> dict[str, str]:
    """What a link says of a view; what is as usual is left out of it, unless other pages look for it there."""
    return {
        parameter: spelling.write(getattr(view, name))
        for name, (parameter, spelling) in linked_fields(view).items()
        if is_always(view, name) or getattr(view, name) != getattr(usual, name)
    }


def read_in(parameters: Mapping[str, str], parameter: str, spelling: Spelling[Value], usual: Value) -> Value:
    """One parameter of a link; `usual` where it is missing or wrong."""
    text = parameters.get(parameter)
    try:
        return usual if text is None else spelling.read(text)
    except ValueError:
        return usual


def link_for_browser(usual: View) -> list[dict[str, Any]]:
    """The parameters of a view as kit/link.ts has them, for a view that the browser keeps in the link by itself."""
    return [
        {
            "field": name,
            "name": parameter,
            "spelling": spelling.kind,
            **({} if is_always(usual, name) else {"omit": getattr(usual, name)}),
        }
        for name, (parameter, spelling) in linked_fields(usual).items()
    ]


def checked(view: type[View], raw: object) -> View | None:
    """What a browser sent as a view of this class, each field checked; None where one is missing or wrong."""
    if not isinstance(raw, dict):
        return None
    try:
        return view(**{one.name: one.metadata["spelling"].checked(raw[one.name]) for one in fields(view)})
    except (KeyError, ValueError):
        return None


def clamped(view: View, **sizes: int | tuple[int, ...]) -> View:
    """The view with each named index, or each index of a named tuple, clamped to what there is; None stays None."""

    def within(index: int, size: int) -> int:
        return max(0, min(index, size - 1))

    changes: dict[str, Any] = {}
    for name, size in sizes.items():
        value = getattr(view, name)
        if isinstance(size, int):
            changes[name] = value if value is None else within(value, size)
        elif value is not None:
            indices = (within(index, count) for index, count in zip(value, size, strict=True))
            changes[name] = type(value)(*indices) if hasattr(value, "_fields") else tuple(indices)
    return replace(view, **changes)


def linked_fields(view: DataclassInstance) -> dict[str, tuple[str, Spelling[Any]]]:
    """Field → parameter and spelling, of the fields that are in the link."""
    return {
        one.name: (one.metadata["parameter"], one.metadata["spelling"])
        for one in fields(view)
        if one.metadata.get("parameter")
    }


def is_always(view: DataclassInstance, name: str) -> bool:
    """Whether a field is in the link even where it is as usual."""
    always: bool = next(one.metadata["always"] for one in fields(view) if one.name == name)
    return always
