"""A model of OPUS-MT's size in the app: when its pictures are there, what is sent, and what ten visitors hold.

    python -m bench.big_model [--places 12] [--visitors 10] [--write] [--folder FOLDER]

The weights are random; sizes and variants are those of a Marian model: 6 + 6 layers of 8 heads, d_model 512, d_ff 2048,
one vocabulary of 65,001, 77 M parameters, swish, sines first, output bias, the padding token as start. The logit of its
end token depends on the position, so that outputs end after some 40 tokens.

- *First picture*: from the request for a page, in a new tab, until its first picture is there; the source has 40
  tokens, and nobody has read it before. The first line also loads the model.
- *Calm*: until the run has ended.
- *Sent*: all that the page's WebSocket received until then, in bytes.
- *Memory*: resident, of a process whose ten visitors open Overview, Heads, Decoding and Masks, each with another text
  of 40 tokens, and stay (no network, see `bench.in_process`).
"""

from __future__ import annotations

import argparse
import os
import random
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from urllib.parse import urlencode

import torch
from playwright.sync_api import Browser, sync_playwright
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from torch import Tensor

from bench.browser import launch, serve, until
from bench.first_screen import HAS_PICTURE, IS_CALM
from bench.in_process import Visitor, run, served
from bench.memory import resident
from bench.report import Report, machine
from viz_transformer import Transformer, TransformerConfig, save_checkpoint
from viz_transformer.hooks import active_hooks
from viz_transformer.seeds import seeded
from viz_transformer.sentencepiece_tokenizer import SentencePieceTokenizer
from viz_transformer.tokenizers import END, PAD, UNKNOWN

VOCABULARY = 65_001
SENTENCES = Path(__file__).resolve().parents[1] / "assets/data/phrasebook.en-de.tsv"
CONFIG = TransformerConfig(
    source_vocab_size=VOCABULARY,
    target_vocab_size=VOCABULARY,
    activation="swish",
    sines_first=True,
    output_bias=True,
    pad_id=VOCABULARY - 1,
    start_id=VOCABULARY - 1,
    end_id=0,
    unknown_id=1,
)
SOURCE = "Yesterday he bought a car. I'd like to buy a cheap coat. He didn't sleep."  # 40 tokens, without the end
ENDS_AFTER = 40  # tokens
NAME = "opus-size"
WORDS = SOURCE.removesuffix(".").split()
PLACES = {  # what is measured: a page and its parameters
    "Overview, the model loaded with it": ("overview", {}),
    "Overview": ("overview", {}),
    "Attention step by step": ("attention", {}),
    "Heads, all 144": ("heads", {}),
    "Heads, arcs": ("heads", {"view": "arcs"}),
    "Heads, knock-out of each": ("heads", {"view": "knock-out"}),
    "Decoding, beam of 4": ("decoding", {}),
    "Masks": ("masks", {}),
    "Architecture": ("architecture", {}),
    "Scaling, this model": ("scaling", {"part": "model"}),
    "Positions, this model": ("positions", {"part": "model"}),
    "Slips": ("slips", {}),
}
VISIT = ("overview", "heads", "decoding", "masks")
VISITORS = 10


def build(folder: Path, config: TransformerConfig = CONFIG) -> None:
    """Saves the model in `folder`: the same weights every time."""
    source, target = tokenizers(config.source_vocab_size)
    with seeded(0):
        model = Transformer(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("tokens.weight"):
                parameter.mul_(0.3)  # small, so that the positions beside them count
            elif parameter.dim() == 2:
                parameter.mul_(1.5 if "w_q" in name or "w_k" in name else 0.5)  # peaked attention
        _lean_end_on_position(model, [*source.encode(SOURCE).ids, config.end_id])
    card = {
        "name": folder.name,
        "source_language": "en",
        "target_language": "de",
        "licence": "CC0-1.0",
        "source": "random weights",
    }
    save_checkpoint(folder, model, source, target, card)


def tokenizers(size: int) -> list[SentencePieceTokenizer]:
    """Those of English and German, with one vocabulary: `</s>` and `<unk>` first, `<pad>` last, as OPUS-MT has it.

    Between their pieces and the padding come made-up ones, which no text contains.
    """
    pairs = [line.split("\t") for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    models = [trained([pair[side] for pair in pairs]) for side in range(2)]
    pieces = [END, UNKNOWN]
    for model in models:
        spm = SentencePieceProcessor(model_proto=model)
        pieces += [spm.id_to_piece(n) for n in range(spm.get_piece_size()) if not spm.is_control(n)]
    pieces = list(dict.fromkeys(pieces))
    pieces += [f"▁piece{n}" for n in range(size - len(pieces) - 1)]
    return [SentencePieceTokenizer(model, [*pieces, PAD]) for model in models]


def trained(sentences: list[str]) -> bytes:
    """A SentencePiece model of these sentences."""
    file = BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=file, vocab_size=8000, hard_vocab_limit=False, minloglevel=2
    )
    return file.getvalue()


def _lean_end_on_position(model: Transformer, source_ids: list[int]) -> None:
    """Gives the end token the row and the bias with which it wins after `ENDS_AFTER` tokens of the greedy output."""
    config, source = model.config, torch.tensor([source_ids])
    assert model.output_projection.bias is not None
    model.output_projection.bias[[config.end_id, config.pad_id]] = -1e4
    states: list[Tensor] = []

    def keep(name: str, tensor: Tensor) -> None:
        if name == "decoder_output":
            states.append(tensor[0, -1])

    memory, cache, written = model.encode(source), model.new_cache(), [config.start_id]
    best = []  # the largest logit of another token
    for _ in range(ENDS_AFTER + 20):
        with active_hooks(keep):
            logits = model.decode(torch.tensor([written[-1:]]), memory, source, cache)[0, -1]
        written.append(int(logits.argmax()))
        best.append(float(logits.max()))
    x = torch.stack(states)  # (steps, d_model)
    late = x[ENDS_AFTER:].mean(dim=0) - x[: ENDS_AFTER - 10].mean(dim=0)
    row = 20 * late / late.norm()
    model.output_projection.weight[config.end_id] = row
    model.output_projection.bias[config.end_id] = best[ENDS_AFTER] - float(x[ENDS_AFTER] @ row) + 0.5


def texts(seed: int = 0) -> list[str]:
    """Sentences of the same words, each in another order."""
    dice = random.Random(seed)
    return [" ".join(dice.sample(WORDS, len(WORDS))) + "." for _ in range(VISITORS + len(PLACES))]


def pictures(report: Report, folder: Path, places: int) -> str:
    """A row for each of the first `places` -> Chromium's version."""
    report.head("page", "first picture, s", "calm, s", "sent, KB")
    with serve(VIZ_MODELS=str(folder)) as url, sync_playwright() as playwright:
        browser = launch(playwright)
        for (title, (page, more)), text in islice(zip(PLACES.items(), texts(), strict=False), places):
            query = {"model": f"models/{NAME}", "source": text, **more}
            if page == "masks":
                query |= {f"s{n}": part for n, part in enumerate((text, "I love you.", "Hello!"), start=1)}
            report.row([title, *seen(browser, f"{url}/{page}?{urlencode(query)}")])
        version = browser.version
        browser.close()
        return version


def seen(browser: Browser, address: str) -> list[str]:
    """Seconds until the first picture is there, seconds until the run has ended, and the KB that came until then."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    received = [0]

    def count(data: str | bytes) -> None:
        received[0] += len(data)

    page.on("websocket", lambda socket: socket.on("framereceived", count))
    started = perf_counter()
    page.goto(address)
    until(page, HAS_PICTURE, seconds=300)
    first = perf_counter() - started
    until(page, IS_CALM, seconds=600)
    calm = perf_counter() - started
    page.close()
    return [f"{first:.1f}", f"{calm:.1f}", f"{received[0] / 1000:,.0f}"]


async def visits(report: Report, count: int) -> None:
    """The table of memory while so many visitors come and stay."""
    async with served() as runtime:
        before, visitors = resident(), []
        report.say()
        report.head("visitors", "resident, MB", "growth, MB")
        report.row([0, f"{before:,.0f}", ""])
        for n, text in enumerate(texts(1)[:count], start=1):
            visitors.append(Visitor(runtime))
            for page in VISIT:
                batch = {f"s{k}": part for k, part in enumerate((text, "I love you.", "Hello!"), start=1)}
                await visitors[-1].open(page, {"model": f"models/{NAME}", "source": text, **batch})
            if n in (1, 2, 5, count):
                report.row([n, f"{resident():,.0f}", f"{resident() - before:+,.0f}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where the model is kept; without it, nowhere")
    parser.add_argument("--places", type=int, default=len(PLACES), help="rows of the first table (all)")
    parser.add_argument("--visitors", type=int, default=VISITORS, help="who stay (default %(default)s)")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    asked = parser.parse_args()
    report = Report()
    with TemporaryDirectory() as temporary:
        folder = (asked.folder or Path(temporary)).absolute()
        if not (folder / NAME).is_dir():
            build(folder / NAME)
        chromium = pictures(report, folder, asked.places)
        os.environ["VIZ_MODELS"] = str(folder)
        run(visits(report, asked.visitors))
    if asked.write:
        command = f"python -m bench.big_model --places {asked.places} --visitors {asked.visitors}"
        report.write("big_model", command, machine("torch", "streamlit", chromium=chromium))


if __name__ == "__main__":
    main()
