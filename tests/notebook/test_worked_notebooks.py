"""The worked notebooks: each runs from top to bottom, and its numbers agree with an independent computation."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import torch
from nbclient import NotebookClient
from torch.nn.functional import scaled_dot_product_attention

import viz_transformer as vt

ROOT = Path(__file__).resolve().parents[2]
BOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SOURCE = "我爱你。"


Outputs = dict[str, list[Any]]


def executed(name: str, folder: Path) -> Outputs:
    """Runs a notebook in an empty folder → the outputs of each cell by the cell's id."""
    book = nbformat.read(ROOT / f"notebooks/{name}.ipynb", as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("VIZ_DEVICE", "cpu")
        NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    assert not list(folder.iterdir())  # what a notebook writes, it writes elsewhere
    return {cell.id: cell.outputs for cell in book.cells if cell.cell_type == "code"}


def value(outputs: list[Any]) -> Any:
    """The value of a cell's last line, which must be a Python literal."""
    return ast.literal_eval(outputs[-1].data["text/plain"])


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_it_is_kept_clean(path: Path) -> None:
    """Without outputs, which would be those of one machine, and with words as cell ids, which the checks use."""
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    ids = [cell.id for cell in book.cells]
    assert len(set(ids)) == len(ids) and all(re.fullmatch("[a-z]+(-[a-z]+)*", id) for id in ids)
    assert book.cells[0].source.startswith("# ")
    for cell in book.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None
        for file in re.findall(r"\]\(([\w/.]+)\)", cell.source if cell.cell_type == "markdown" else ""):
            assert (path.parent / file).exists(), file


@pytest.mark.parametrize("name", [path.stem for path in BOOKS])
def test_it_runs_and_says_what_is_true(name: str, tmp_path: Path) -> None:
    said = executed(name, tmp_path)
    outputs = [output for cell in said.values() for output in cell]
    assert not [output for output in outputs if output.output_type in ("stream", "error")]
    views = [output.data for output in outputs if "application/vnd.jupyter.widget-view+json" in output.data]
    assert all(data["image/svg+xml"].startswith("<svg") and data["text/plain"] for data in views)
    assert len(views) == N_VIEWS[name]
    CHECKS[name](said, vt.load("zh-en", "cpu"))


def check_quick_start(said: Outputs, translator: vt.Translator) -> None:
    """Against the model's translation without recording."""
    translation = value(said["translate"])
    assert translation == "I love you." == translator.translate(SOURCE, beam_size=1)
    assert value(said["load"]) == vt.shipped_models()
    assert value(said["record"])[0] == (4, 5, 5)
    sums = said["sums"][-1].data["text/plain"]
    assert set(re.findall(r"[\d.]+", sums.replace("float32", ""))) == {"1."}


def check_one_head_step_by_step(said: Outputs, translator: vt.Translator) -> None:
    """Against PyTorch's own attention: with one-hot values, its context is the weights."""
    record = translator.trace(SOURCE).attention("decoder_self", 0)
    q, k = (torch.from_numpy(vectors[1].copy())[None] for vectors in (record.q, record.k))
    weights = scaled_dot_product_attention(q, k, torch.eye(k.shape[1])[None], is_causal=True)[0]
    np.testing.assert_allclose(value(said["softmax"]), weights, atol=1e-4)
    assert value(said["scores"]) == ((5, 5), record.q.shape[-1], True) and value(said["scaled"]) is True
    assert max(value(said["context"]).values()) < 1e-5


def check_knock_out_study(said: Outputs, translator: vt.Translator) -> None:
    """Against a model whose W_O is zero in the head's columns."""
    target, base = value(said["base"])
    (module, layer, head), change = value(said["worst"])
    assert base == pytest.approx(translator.trace(SOURCE, target).log_prob, abs=1e-5)
    changed = vt.load("zh-en", "cpu").model
    block = (changed.encoder_layers if module == "encoder_self" else changed.decoder_layers)[layer]
    d_head = changed.config.d_model // changed.config.n_heads
    with torch.no_grad():
        w_o = getattr(block, "cross_attention" if module == "cross" else "self_attention").w_o
        w_o.weight[:, head * d_head : (head + 1) * d_head] = 0
        trace = translator.trace(SOURCE, target)
        logits = changed(torch.tensor([trace.source_ids]), torch.tensor([trace.target_ids]))[0]
    log_probs = logits.log_softmax(dim=-1)[range(len(trace.predicted_ids)), list(trace.predicted_ids)]
    assert change == pytest.approx(log_probs.sum().item() - base, abs=1e-4)
    assert change < 0


def check_own_model(said: Outputs, translator: vt.Translator) -> None:
    """The notebook itself compares with `transformers`."""
    assert 0 <= value(said["same"]) < 1e-4
    assert value(said["import"]) > 20_000


def check_figures_for_a_paper(said: Outputs, translator: vt.Translator) -> None:
    shown, recorded = value(said["head-matrix-values"])
    assert shown == recorded == pytest.approx(translator.trace(SOURCE).attention("cross", 1).weights[0, 0, 0], abs=1e-5)
    assert value(said["read-again"]) is True
    assert len(value(said["files"])) == 5
    assert all("application/vnd.plotly.v1+json" in said[name][-1].data for name in ("head-matrix", "positions", "beam"))
    assert all("vega" in said[name][-1].data["text/html"] for name in ("entropy", "scores"))


CHECKS: dict[str, Callable[[Outputs, vt.Translator], None]] = {
    "quick_start": check_quick_start,
    "one_head_step_by_step": check_one_head_step_by_step,
    "knock_out_study": check_knock_out_study,
    "own_model": check_own_model,
    "figures_for_a_paper": check_figures_for_a_paper,
}
N_VIEWS = {"quick_start": 1, "one_head_step_by_step": 3, "knock_out_study": 1, "own_model": 1, "figures_for_a_paper": 0}
