"""Starts and drives JupyterLab and marimo, whose settings and state stay in the folder of the test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from socket import create_connection, socket
from textwrap import indent
from threading import Thread
from time import monotonic, sleep
from typing import IO

import nbformat
from playwright.sync_api import Page, expect

from bench.browser import until

READY = "() => globalThis.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
COMMAND = "([name, given]) => void jupyterapp.commands.execute(name, given)"


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab that serves this folder, and asks nobody for news."""
    home = folder / ".home"
    said = home / "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    said.parent.mkdir(parents=True)
    said.write_text('{"fetchNews": "false", "checkForUpdates": false}', encoding="utf-8")
    kept = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    options = [
        "--no-browser",
        "--allow-root",
        "--expose-app-in-browser",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
    ]
    environment = {name: str(home / place) for name, place in kept.items()}
    with _running([sys.executable, "-m", "jupyterlab", *options], folder, environment) as printed:
        for line in printed:
            if "http://127.0.0.1" in line:
                break
        else:
            raise RuntimeError("JupyterLab did not start.")
        at = line[line.index("http://") :].split("/lab")[0]
        _open(printed, at.removeprefix("http://"))
        yield at


@contextmanager
def marimo(folder: Path, cells: Sequence[str]) -> Iterator[str]:
    """The address of a marimo that runs a notebook of these cells. Each begins with a comment: its arguments."""
    parts = ["import marimo\n\napp = marimo.App()\n"]
    for cell in cells:
        takes, _, code = cell.partition("\n")
        parts.append(f"@app.cell\ndef _({takes.lstrip('# ')}):\n{indent(code, '    ')}\n")
    (folder / "notebook.py").write_text("\n\n".join(parts), encoding="utf-8")
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    options = ["--headless", "--no-token", "--host", "127.0.0.1", "--port", address.rpartition(":")[2]]
    command = [sys.executable, "-m", "marimo", "run", *options, "notebook.py"]
    kept = {f"XDG_{name}_HOME": str(folder / f".{name}") for name in ("CONFIG", "STATE", "CACHE")}
    with _running(command, folder, {**kept, "MARIMO_SKIP_UPDATE_CHECK": "1"}) as printed:
        for line in printed:
            if "URL" in line:
                break
        else:
            raise RuntimeError("marimo did not start.")
        _open(printed, address)
        yield f"http://{address}"


@contextmanager
def _running(command: Sequence[str], folder: Path, more: dict[str, str]) -> Iterator[IO[str]]:
    """Starts a server -> what it prints. It is stopped at the end of the block."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "VIZ_DEVICE": "cpu", **more}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()


def _open(printed: IO[str], address: str) -> None:
    """Waits until the server answers at an address that it has printed, which it may do before it listens there."""
    Thread(target=list, args=(printed,), daemon=True).start()  # a full pipe would stop the server
    host, _, port = address.rpartition(":")
    end = monotonic() + 60
    while True:
        try:
            create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            if monotonic() > end:
                raise
            sleep(0.05)


def write_notebook(path: Path, cells: Sequence[str]) -> None:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel}
    )
    nbformat.write(made, path)


def open_notebook(page: Page, address: str, name: str) -> None:
    """Opens it in JupyterLab and waits for its kernel: before that, JupyterLab would ask which kernel to use."""
    page.goto(f"{address}/doc/tree/{name}")
    until(page, READY, seconds=60)


def tell_lab(page: Page, command: str, **given: object) -> None:
    """Executes a command of JupyterLab, as an entry of its menus does."""
    page.evaluate(COMMAND, [command, given])


def run_cell(page: Page, code: str) -> str:
    """Runs this below the last cell -> what it prints."""
    before = page.locator(".jp-Notebook-cell").count()
    page.evaluate(
        """(code) => {
          const { content } = jupyterapp.shell.currentWidget;
          content.activeCellIndex = content.widgets.length - 1;
          const at = content.model.cells.length;
          content.model.sharedModel.insertCell(at, { cell_type: "code", source: code });
          content.activeCellIndex = at;
          content.deselectAll();
        }""",
        code,
    )
    expect(page.locator(".jp-Notebook-cell")).to_have_count(before + 1)
    tell_lab(page, "notebook:run-cell")
    output = page.locator(".jp-Notebook-cell").last.locator(".jp-OutputArea-output")
    expect(output.last).to_be_visible()
    return output.last.inner_text().strip()
