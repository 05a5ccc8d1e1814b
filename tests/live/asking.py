"""Asks the front end's model, in Node, what the package is asked as well; both answers are then compared."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.front_end import FRONT_END, node
from tests.helpers import as_array
from viz_transformer import Transformer
from viz_transformer.decoding.search import DecodingStep, beam_search
from viz_transformer.interventions import Intervention, intervention_to_dict
from viz_transformer.trace import record

TOLERANCE = 1e-5

# The names of a search's options there.
OPTIONS = {
    "beam_size": "beamSize",
    "length_penalty": "lengthPenalty",
    "normalization": "normalization",
    "stop": "stop",
    "max_len": "maxLen",
    "forced_end": "forcedEnd",
    "prefix_ids": "prefixIds",
    "banned_ids": "bannedIds",
}

# The numbers of a candidate, and their names there.
CANDIDATE = {"log_prob": "logProb", "total_log_prob": "totalLogProb", "score": "score", "margin": "margin"}


@dataclass(frozen=True)
class Asked:
    """Questions to one model.

    Attributes:
        folder: of the model; None for questions that need none.
        questions: what is asked; see `frontend/test/model/answer.ts`.
        is_whole: whether the folder has tokenizers and a card, too.
        is_plain: whether products are computed without WebAssembly.
    """

    folder: Path | None
    questions: Sequence[dict[str, Any]]
    is_whole: bool = True
    is_plain: bool = False


def answers(folder: Path, asked: Sequence[Asked]) -> list[Any]:
    """One list of answers for each model, its arrays in their places; {"refused": a sentence} where there is none."""
    content = [
        {
            "folder": one.folder and str(one.folder),
            "isWhole": one.is_whole,
            "isPlain": one.is_plain,
            "questions": one.questions,
        }
        for one in asked
    ]
    (folder / "asked.json").write_text(json.dumps(content), encoding="utf-8")
    node(FRONT_END / "test/model/answer.ts", folder)
    numbers = np.fromfile(folder / "arrays.bin", "<f4")

    def array(value: dict[str, Any]) -> Any:
        if value.keys() != {"start", "shape"}:
            return value
        return numbers[value["start"] :][: np.prod(value["shape"], dtype=int)].reshape(value["shape"])

    found: list[Any] = json.loads((folder / "answers.json").read_text(encoding="utf-8"), object_hook=array)
    return found


def search_question(
    source_ids: Sequence[int], options: dict[str, Any], interventions: Sequence[Intervention] = ()
) -> dict[str, Any]:
    changes = {OPTIONS[name]: value for name, value in options.items()}
    changes["interventions"] = [intervention_to_dict(one) for one in interventions]
    return {"kind": "search", "source": list(source_ids), "options": changes}


def pass_question(
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    interventions: Sequence[Intervention] = (),
    points: Sequence[str] | None = None,
) -> dict[str, Any]:
    """`points`: how the names of those that are compared end; None compares all."""
    return {
        "kind": "pass",
        "source": list(source_ids),
        "target": list(target_ids),
        "interventions": [intervention_to_dict(one) for one in interventions],
        "points": points,
    }


class Differences:
    """The largest difference of each kind of number that was compared."""

    def __init__(self) -> None:
        self.largest: dict[str, float] = {}
        self.ties = 0  # searches that were compared only up to candidates as good as equal

    def __str__(self) -> str:
        return f"{self.ties} ties; " + ", ".join(f"{kind} {size:.1e}" for kind, size in sorted(self.largest.items()))

    def compare(self, kind: str, actual: Any, expected: Any, count: int = 1) -> None:
        """Fails where they differ by more than `TOLERANCE`, relative to the largest of them if it is above 1.

        Log-probabilities are compared as they are.

        Args:
            kind: of number.
            actual, expected: of the same shape.
            count: how many numbers each is the sum of.
        """
        actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
        assert actual.shape == expected.shape, (kind, actual.shape, expected.shape)
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(actual[~finite], expected[~finite], kind)
        if not finite.any():
            return
        size = 1.0 if kind == "log_prob" else max(1.0, float(np.abs(expected[finite]).max()))
        difference = float(np.abs(actual[finite] - expected[finite]).max()) / size / count
        assert difference <= TOLERANCE, (kind, difference)
        self.largest[kind] = max(self.largest.get(kind, 0.0), difference)


def compare_search(
    found: Any,
    model: Transformer,
    source_ids: Sequence[int],
    options: dict[str, Any],
    differences: Differences,
    interventions: Sequence[Intervention] = (),
) -> None:
    """Every step of a search, as far as no two candidates are as good as equal; or both refuse."""
    try:
        steps = list(beam_search(model, source_ids, interventions=interventions, **options))
    except ValueError as error:
        assert isinstance(found, dict), f"Python refuses: {error}"
        return
    assert isinstance(found, list), found
    for step, here in zip(steps, found, strict=False):
        candidates, length = here["candidates"], step.index + 1
        numbers = {
            kind: ([one[key] for one in candidates], [getattr(one, kind) for one in step.candidates])
            for kind, key in CANDIDATE.items()
        }
        differences.compare("total_log_prob", *numbers.pop("total_log_prob"), length)
        expected = [(one.parent, one.token_id, one.rank, one.status, one.reason) for one in step.candidates]
        actual = [tuple(one[name] for name in ("parent", "tokenId", "rank", "status", "reason")) for one in candidates]
        if actual != expected and _has_tie(step, length):
            differences.ties += 1
            return
        assert actual == expected, (expected, actual)
        for kind, (those, there) in numbers.items():
            differences.compare(kind, those, there, 1 if kind == "log_prob" else length)
        for hypotheses, those in ((step.live, here["live"]), (step.finished, here["finished"])):
            ids = [(list(one.ids), one.finished) for one in hypotheses]
            assert ids == [(one["ids"], one["finished"]) for one in those]
            for one, other in zip(hypotheses, those, strict=True):
                differences.compare("log_prob", other["logProbs"], one.log_probs)
                differences.compare("score", other["score"], one.score, len(one.ids))
        assert here["stopReason"] == step.stop_reason
    assert len(found) == len(steps)


def _has_tie(step: DecodingStep, length: int) -> bool:
    """Whether two candidates are so close that the last bits of a sum decide which comes first."""
    totals = [one.total_log_prob for one in step.candidates]
    return any(abs(one - other) < length * TOLERANCE for one, other in pairwise(totals))


def compare_pass(
    found: Any,
    model: Transformer,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    differences: Differences,
    interventions: Sequence[Intervention] = (),
    points: Sequence[str] | None = None,
) -> None:
    """The points whose names end so; or every point, and all log-probabilities as float64 has them."""
    ids = torch.tensor([list(source_ids)]), torch.tensor([list(target_ids)])
    try:
        _logits, recorded = record(model, *ids, interventions)
    except ValueError as error:
        assert found.keys() == {"refused"}, f"Python refuses: {error}"
        return
    assert "points" in found, found
    names = [name for name in recorded if points is None or name.endswith(tuple(points))]
    assert found["points"].keys() == set(names)
    for name in names:
        differences.compare(name.rpartition(".")[2], found["points"][name], as_array(recorded[name]))
    if points is None:
        logits, _recorded = record(deepcopy(model).double(), *ids, interventions)
        differences.compare("log_prob", found["log_probs"], as_array(logits[0].log_softmax(dim=-1)))


def some(values: Sequence[Any], count: int, seed: int = 0) -> list[Any]:
    """`count` of them, always the same."""
    values = list(dict.fromkeys(values))
    return random.Random(seed).sample(values, min(count, len(values)))
