"""What an attacker would try: texts, links, and messages of a browser that is none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from google.protobuf.message import Message
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.packed import unpacked

MARK = "k9z"  # in each payload, so that it is found wherever it went
AWAY = "http://192.0.2.1"  # of a documentation network: nothing is there

PAYLOADS = {
    # HTML and script
    "script": "<script>alert('k9z')</script>",
    "script, closed": "\"></script><script>alert('k9z')</script>",
    "image": f"<img src={AWAY}/k9z onerror=alert('k9z')>",
    "image, quoted": f"'\"><img src='{AWAY}/k9z'>",
    "svg": "<svg/onload=alert('k9z')>",
    "iframe": f"<iframe src='{AWAY}/k9z'></iframe>",
    "style": f"<style>@import '{AWAY}/k9z';</style>",
    "link": f"<link rel=stylesheet href={AWAY}/k9z>",
    "base": f"<base href='{AWAY}/k9z'>",
    "meta": f"<meta http-equiv=refresh content='0;url={AWAY}/k9z'>",
    "details": "<details open ontoggle=alert('k9z')>",
    "closing": "</bdi></span></div>k9z",
    "comment": "<!-- k9z --><!--",
    "cdata": "<![CDATA[k9z]]>",
    "entity": "&lt;k9z&gt;&#60;b&#62;",
    "entity, hexadecimal": "&#x3c;script&#x3e;k9z",
    "attribute": '" onmouseover="alert(\'k9z\')',
    "single quote": "' onfocus='alert(`k9z`)' autofocus='",
    "template": "{{k9z}}${k9z}<%= k9z %>#{k9z}",
    # Markdown
    "picture": f"![k9z]({AWAY}/k9z.png)",
    "picture, by reference": f"![k9z][1]\n\n[1]: {AWAY}/k9z.png",
    "anchor": f"[k9z]({AWAY}/k9z)",
    "anchor, javascript": "[k9z](javascript:alert(1))",
    "angle link": f"<{AWAY}/k9z>",
    "bold": "**k9z** __k9z__ ~~k9z~~",
    "heading": "# k9z",
    "list": "1. k9z\n- k9z",
    "code": "```python\nk9z\n```",
    "inline code": "`k9z`",
    "table": "|k9z|b|\n|-|-|\n|1|2|",
    "quote": "> k9z",
    "rule": "k9z\n---\n***",
    "footnote": "k9z[^1]\n\n[^1]: k9z",
    "backslash": "\\k9z\\*\\",
    # Streamlit's own
    "colour": ":red[k9z] :blue-background[k9z]",
    "icon": ":material/home: :streamlit: k9z",
    "emoji": ":smile: k9z",
    "badge": ":green-badge[k9z] :small[k9z]",
    "arrow": "k9z -> k9z <- -- >=",
    # LaTeX
    "formula": "$k9z^2$",
    "formula, display": "$$\\href{javascript:alert(1)}{k9z}$$",
    "formula, input": "$\\includegraphics{/etc/passwd} k9z$",
    # addresses
    "url": f"{AWAY}/k9z",
    "javascript": "javascript:alert('k9z')",
    "data": "data:text/html,<script>alert('k9z')</script>",
    "mail": "mailto:k9z@example.org",
    "path": "../../../../etc/passwd k9z",
    "windows path": "C:\\..\\k9z\0.txt",
    "query": "k9z&model=/etc/passwd#x?y=1%00%0a",
    # what cannot be seen
    "bidi override": "k9z \u202eabc\u202c",
    "bidi isolate": "k9z \u2066abc\u2069",
    "zero width": "k9\u200bz k\u200c\u200d9z\ufeff",
    "tag characters": "k9z\U000e0068\U000e0069",
    "nul": "k9z\0\x01\x1b[31m\x7f",
    "c1": "k9z\x85\x9b",
    "line separators": "k9z\u2028a\u2029b\r\nc\x0bd",
    "lone surrogate": "k9z\ud800",
    "surrogate, reversed": "\udc00\ud800k9z",
    "noncharacter": "k9z\uffff\ufdd0",
    "private use": "k9z\ue000\U000f0000",
    "soft hyphen": "k\u00ad9\u00adz",
    "variation selectors": "k9z\ufe0f\U000e0100",
    # pictures and scripts
    "family": "k9z \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "flag": "k9z \U0001f3f4\U000e0067\U000e0062\U000e007f",
    "combining": "k9z" + "\u0301" * 300,
    "right to left": "k9z שלום مرحبا",
    "wide": "ｋ９ｚ k9z 　",
    # formats and other languages
    "braces": "{0} {k9z} {} {side} {{k9z}}",
    "attribute of a format": "{0.__class__.__mro__} k9z",
    "percent": "%s %d %(k9z)s %n %% %1$s",
    "gettext": 'msgid ""\nmsgstr "Content-Type: k9z"',
    "sql": "k9z'; DROP TABLE runs; --",
    "shell": "k9z; $(touch /tmp/k9z) `id` | cat",
    "python": "__import__('os').system('k9z')",
    "json": '{"k9z": NaN, "__proto__": {}}',
    "yaml": "!!python/object/apply:os.system [k9z]",
    "spreadsheet": "=HYPERLINK(\"http://192.0.2.1/k9z\"),k9z",
    "special tokens": "<s> </s> <pad> <unk> k9z",
    "number": "1e400 -0 NaN Infinity k9z",
    "digits": "3 1 4 k9z",
    "spaces": " \t k9z \n ",
    # much of it
    "long": "k9z " * 500,
    "long word": "k9z" + "a" * 3000,
}  # fmt: skip

# Every view of every page, as its link opens it.
PLACES: list[tuple[str, dict[str, str]]] = [
    ("", {}),
    ("attention", {}),
    ("attention", {"module": "cross", "cell": "1-1", "whatif": "temperature"}),
    ("attention", {"hand": "true"}),
    *(("masks", {"lesson": name}) for name in ("matrices", "softmax", "causality", "teacher", "encoder")),
    *(
        ("heads", {"view": name})
        for name in ("glance", "arcs", "query-key", "measured", "knock-out", "effect", "compare")
    ),
    ("heads", {"view": "compare", "compare": "sentence"}),
    *(("decoding", {"method": name}) for name in ("beam", "greedy", "sample")),
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
    *(("training", {"view": name}) for name in ("watch", "train", "pictures", "models")),
]

TEXTS = ("source", "target", "s1", "s2", "s3", "with", "by", "prefix", "ban", "order", "instead", "hand_q", "hand_mask")


def parameters() -> dict[str, list[str]]:
    """By page: every parameter of its links, as `docs/links.md` lists them."""
    text = (Path(__file__).resolve().parents[1] / "docs/links.md").read_text(encoding="utf-8")
    everywhere, *pages = re.split(r"^### ", text.partition("## On every page")[2], flags=re.MULTILINE)
    shared = _named(everywhere)
    found = {}
    for page in pages:
        title, _newline, rest = page.partition("\n")
        name = title.strip().lower().replace(" ", "_")
        found["" if name == "overview" else name] = sorted({*shared, *_named(rest)})
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


def fuzzed_links(count: int, seed: int = 0) -> Iterator[tuple[str, dict[str, str]]]:
    """Pages and the parameters of a link to each: a view that there is, and up to six parameters that are odd."""
    dice, named = Random(seed), parameters()
    words = sorted(set(re.findall(r"`([\w.-]+)`", (Path(__file__).parents[1] / "docs/links.md").read_text("utf-8"))))
    texts = list(PAYLOADS.values())
    for _ in range(count):
        page, query = dice.choice(PLACES)
        query = {"model": dice.choice(["copy", "copy", "reverse", "sort", "zh-en"]), **query}
        for name in dice.sample(named[page], dice.randint(1, 6)):
            query[name] = dice.choice(
                [dice.choice(_ODD), dice.choice(words), dice.choice(texts), str(dice.randint(-9, 99))]
            )
        yield page, query


BIG = "k9z" * 1_700_000  # 5 MB
VALUES: tuple[Any, ...] = (
    float("inf"), float("-inf"), float("nan"), -1, -(2**63), 2**63, 1e308, 0.5, 10**400, True, None, "", MARK, "\ud800",
    "../../etc/passwd", BIG, [], [[[[]]]], [-1, -1], [float("inf")] * 2, [0] * 5000, ["x"], {}, {"a": {"b": []}},
)  # fmt: skip


def forged_views(sent: bytes) -> Iterator[str]:
    """What a browser could answer to a component's message, as JSON: each field of its view with each odd value."""
    view = dict(unpacked(sent)["request"]["view"])
    revision = unpacked(sent)["request"]["revision"]
    for name in view:
        for value in VALUES:
            yield json.dumps({"view": {**view, name: value, "revision": revision}})
    for value in VALUES:
        yield json.dumps({"view": value})
    yield json.dumps({"view": dict.fromkeys(view, -1) | {"revision": revision}})
    yield json.dumps({"view": {"revision": revision}})
    yield json.dumps({"view": {**view, "revision": revision, "another": BIG}})
    yield from ("", "null", "[]", "{", '"x"', "[" * 5000, "NaN", '{"view": ' * 900)


# By field of a `WidgetState`: what no control of ours would send.
FORGED: dict[str, tuple[Any, ...]] = {
    "string_value": ("", MARK, "\0", "../../../etc/passwd", "-1", "NaN", "x" * 100_000),
    "bool_value": (True, False),
    "int_value": (-1, 2**63 - 1, -(2**63)),
    "double_value": (float("inf"), float("-inf"), float("nan"), 1e308, -1.0, 0.5),
    "double_array_value": ({"data": []}, {"data": [float("nan")]}, {"data": [1e308, -1e308, 5]}, {"data": [-1]}),
    "int_array_value": ({"data": []}, {"data": [-1]}, {"data": [2**62] * 3}),
    "string_array_value": ({"data": []}, {"data": [MARK]}, {"data": ["x" * 1000] * 100}),
    "json_value": ("", "null", "[]", "{", "[" * 5000, '{"view": 1}'),
    "trigger_value": (True,),
    "bytes_value": (b"", b"\xff\xfe"),
    "file_uploader_state_value": ({}, {"uploaded_file_info": [{"file_id": "x", "name": "../../x.zip", "size": 9}]}),
}


def forged_states() -> Iterator[dict[str, Any]]:
    """Each value of each field that a widget's state may have, whatever the widget is."""
    for field, values in FORGED.items():
        assert field in WidgetState.DESCRIPTOR.fields_by_name
        for value in values:
            yield {field: value}


def bytes_sent(element: Message) -> bytes:
    """The data of a component's element."""
    sent: bytes = element.bytes  # type: ignore[attr-defined]
    return sent
