"""Every view by its link, and links that make no sense."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.helpers import SLIPS
from tests.hostile.texts import PAYLOADS

DOCUMENTED = Path(__file__).resolve().parents[2] / "docs/links.md"
Place = tuple[str, dict[str, str]]  # a page, and the parameters of its link
OPEN = {"mask": "on", "stop": "first", "topk": "0"}  # opens the boxes of Decoding, and changes nothing else

# Every view of every page, as its link opens it.
PLACES: list[Place] = [
    ("", {}),
    ("", {"lecture": "slips"}),
    ("", {"notes": "1", "lecture": "attention", "scene": "2.2"}),
    ("overview", {}),
    ("overview", {"lecture": "attention", "scene": "3"}),
    ("attention", {}),
    ("attention", {"module": "cross", "cell": "1-1", "whatif": "temperature"}),
    ("attention", {"hand": "true"}),
    *(("masks", {"lesson": name}) for name in ("matrices", "softmax", "causality", "teacher", "encoder")),
    *(
        ("heads", {"view": name})
        for name in ("glance", "arcs", "query-key", "measured", "knock-out", "effect", "compare")
    ),
    *(("heads", {"view": name}) for name in ("lens", "contributions")),
    ("heads", {"view": "compare", "compare": "sentence"}),
    *(("decoding", {"method": name, **OPEN}) for name in ("beam", "greedy", "sample")),
    *(("architecture", {"lesson": name}) for name in ("figure", "shapes", "cost", "heads", "norm", "ffn")),
    *(("why_attention", {"lesson": name}) for name in ("table", "timing", "paths", "lookup")),
    *(
        ("scaling", {"lesson": name, "part": part})
        for name in ("products", "softmax", "lengths")
        for part in ("theory", "experiment", "model")
        if (name, part) != ("lengths", "model")
    ),
    *(
        ("positions", {"lesson": name, "part": part})
        for name in ("encoding", "distance", "order")
        for part in ("theory", "experiment", "model")
    ),
    *(("slips", {"slip": name}) for name in SLIPS),
    *(("training", {"view": name}) for name in ("watch", "train", "pictures", "models")),
    ("exercises", {}),
    ("exercises", {"exercise": "beam-beats-greedy", "answer": "他怎么找到我们的?"}),
    ("exercises", {"print": "sheet", "exercises": "copy,by-hand"}),
]

TEXTS = ("source", "target", "s1", "s2", "s3", "with", "by", "prefix", "ban", "order", "instead", "hand_q", "hand_mask")


def parameters() -> dict[str, list[str]]:
    """By page: every parameter of its links, as `docs/links.md` lists them."""
    text = DOCUMENTED.read_text(encoding="utf-8")
    everywhere, *pages = re.split(r"^### ", text.partition("## On every page")[2], flags=re.MULTILINE)
    shared = _named(everywhere)
    found = {}
    for page in pages:
        title, _newline, rest = page.partition("\n")
        name = title.strip().lower().replace(" ", "_")
        found["" if name == "lecture" else name] = sorted({*shared, *_named(rest)})
    return found


def _named(section: str) -> list[str]:
    rows = re.findall(r"^\| (`[^|]*`) \|", section, flags=re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`(\w+)`", row)]


_ODD = (
    "", "0", "1", "2", "3", "-1", "1.5", "99999999999999999999", "1e400", "-1e400", "nan", "inf", "none", "None",
    "true", "false", "1-1", "3-2", "99-99", "-", "--", "1-", "cross.1.1", "cross.9.9", "encoder_self.1.2,x", "cross",
    "q1", "k9", "infinity.1.2", "copy", "reverse", "zh-en", "../models", "/etc", "my-copy-1", "3 1 4", "你好", "all",
    "head", "x", "٣", "१",
)  # fmt: skip


def fuzzed_links(count: int, seed: int = 0) -> Iterator[Place]:
    """Pages and the parameters of a link to each: a view that there is, and up to six parameters that are odd."""
    dice, named = Random(seed), parameters()
    words = sorted(set(re.findall(r"`([\w.-]+)`", DOCUMENTED.read_text(encoding="utf-8"))))
    texts = list(PAYLOADS.values())
    for _ in range(count):
        page, query = dice.choice(PLACES)
        query = {"model": dice.choice(["copy", "copy", "reverse", "sort", "zh-en"]), **query}
        for name in dice.sample(named[page], dice.randint(1, 6)):
            query[name] = dice.choice(
                [dice.choice(_ODD), dice.choice(words), dice.choice(texts), str(dice.randint(-9, 99))]
            )
        yield page, query
