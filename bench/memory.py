"""What the server's process holds while visitors come and go: one visitor after the other, in Streamlit's own runtime.

    VIZ_MEMORY_MB=400 python -m bench.memory tour [--texts 40] [--write]
    VIZ_MEMORY_MB=400 python -m bench.memory visits [--visits 200] [--write]

There is no network in it: a client connects to the runtime, asks for pages as a browser does, and is gone.

- `tour`: every visitor brings another text of 127 tokens, the longest that is read, and looks at it on the pages that
  compute something from it.
- `visits`: every visitor opens Attention and Heads with another text of 127 tokens, and closes the page. Streamlit
  keeps the session of a closed page for a while (`server.disconnectedSessionTTL`), 128 of them at most, with what its
  fragments refer to; `--warm-up` visits come before the first number.

Numbers are the resident memory that the system reports for the process.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from urllib.parse import urlencode

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as app.py sets it

from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.session_manager import SessionClient

from bench.browser import ROOT
from bench.report import Report, machine
from viz_transformer.tokenizers import Tokenizer
from viz_transformer.ui.shared.controls import DEFAULT_MODEL
from viz_transformer.ui.shared.models import load_translator
from viz_transformer.ui.shared.warm_up import warm_up

PAGE = ROOT / "docs/reliability.md"
CHARACTERS = "我你他们今天明学校老师生朋友喜欢习中文数气很好在和书家吃饭喝水工作城市北京火车"
LENGTH = 127  # tokens, the end token among them
Place = tuple[str, dict[str, str]]  # a page and its parameters
TOUR: list[Place] = [
    ("attention", {}),
    ("heads", {}),
    ("masks", {}),
    ("decoding", {}),
    ("architecture", {}),
    ("scaling", {"lesson": "softmax", "part": "model"}),
    ("scaling", {"lesson": "products", "part": "model"}),
    ("positions", {"lesson": "order", "part": "model"}),
]
VISIT: list[Place] = [("attention", {}), ("heads", {})]
SLOWEST = 300  # seconds for one page, on a machine that others use too


class Client(SessionClient):
    """What a browser is to the server: it waits for the end of its run."""

    def __init__(self) -> None:
        self.has_finished = asyncio.Event()

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        if msg.WhichOneof("type") == "script_finished":
            assert msg.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            self.has_finished.set()


async def visit(runtime: Runtime, places: list[Place], text: str) -> None:
    """One visitor, who goes to all places with this text and then closes the page."""
    client = Client()
    session = runtime.connect_session(client, {})
    for page, more in places:
        client.has_finished.clear()
        state = ClientState(query_string=urlencode({"source": text, **more}), page_name=page)
        runtime.handle_backmsg(session, BackMsg(rerun_script=state))
        await asyncio.wait_for(client.has_finished.wait(), SLOWEST)
    runtime.disconnect_session(session)


def texts(tokenizer: Tokenizer, seed: int = 0) -> Iterator[str]:
    """Chinese without sense, each of `LENGTH` tokens, one text after the other."""
    dice = random.Random(seed)
    while True:
        text = ""
        while len(tokenizer.encode(text + "。").ids) < LENGTH - 1:
            text += dice.choice(CHARACTERS)
        yield text


def resident() -> float:
    """Megabytes of this process."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def measure(report: Report, places: list[Place], warm: int, count: int, every: int) -> None:
    """A row of the table for every so many visitors."""
    PagesManager.uses_pages_directory = False
    warm_up()
    tokenizer = load_translator(DEFAULT_MODEL, "cpu").source_tokenizer
    coming = texts(tokenizer)
    media, uploads = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/upload")
    closed = MemorySessionStorage(ttl_seconds=config.get_option("server.disconnectedSessionTTL"))  # as the server does
    runtime = Runtime(RuntimeConfig(str(ROOT / "app.py"), media, uploads, session_storage=closed))
    await runtime.start()
    try:
        for _ in range(warm):
            await visit(runtime, places, next(coming))
        started, first = perf_counter(), resident()
        report.head("visitors", "resident, MB", "growth, MB", "seconds")
        report.row((warm, f"{first:,.0f}", "", ""))
        for n in range(1, count + 1):
            await visit(runtime, places, next(coming))
            if n % every == 0:
                now = resident()
                report.row((warm + n, f"{now:,.0f}", f"{now - first:+,.0f}", f"{perf_counter() - started:,.0f}"))
    finally:
        runtime.stop()
        await runtime.stopped


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("tour", "visits"))
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--visits", type=int, default=200)
    parser.add_argument("--warm-up", type=int, default=60)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    report = Report()
    if asked.what == "tour":
        asyncio.run(measure(report, TOUR, 0, asked.texts, 5))
        command = f"python -m bench.memory tour --texts {asked.texts}"
    else:
        asyncio.run(measure(report, VISIT, asked.warm_up, asked.visits, 20))
        command = f"python -m bench.memory visits --visits {asked.visits} --warm-up {asked.warm_up}"
    if limit := os.environ.get("VIZ_MEMORY_MB"):
        command = f"VIZ_MEMORY_MB={limit} {command}"
    if asked.write:
        report.write(f"memory {asked.what}", command, machine("streamlit", "torch"), PAGE)


if __name__ == "__main__":
    main()
