"""The wheel as somebody else gets it: built, and installed in an empty virtual environment, in another folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import Distribution, distribution
from pathlib import Path
from tempfile import mkdtemp
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
READ_ONLY, WRITABLE = 0o555, 0o755


def build(target: str, folder: Path, source: Path = ROOT) -> Path:
    """The `wheel` or the `sdist` of the project that is in `source`."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    [built] = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built


def contents(wheel: Path) -> dict[str, bytes]:
    """What a wheel holds, by path."""
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class Installed:
    """An environment that holds the wheel and what the wheel says that it needs, and nothing else.

    Whoever runs something in it may write nowhere in it, nor at home.
    """

    def __init__(self, folder: Path, wheel: Path, extra: str) -> None:
        self.folder, self.home = folder / "environment", folder / "home"
        self.home.mkdir()
        self.python = self.folder / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder], check=True)
        pip = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check", "--no-input"]
        subprocess.run([*pip, "install", "--quiet", "--no-index", "--no-deps", wheel], check=True)
        [self.site] = self.folder.glob("lib/python*/site-packages")
        [metadata] = self.site.glob("viz_transformer-*.dist-info")
        for dependency in dependencies(Distribution.at(metadata), extra):
            link(dependency, self.site)

    def command(self, *command: str | Path) -> list[str]:
        """The command line that runs a program of this environment without rights."""
        return [*powerless(self.python), *map(str, [self.folder / "bin" / command[0], *command[1:]])]

    @property
    def variables(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "VIZ_DEVICE": "cpu", "LC_ALL": "C.UTF-8"}

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs a program of this environment at home, to its end."""
        return subprocess.run(
            self.command(*command), cwd=self.home, env=self.variables, capture_output=True, encoding="utf-8"
        )


@contextmanager
def installed(wheel: Path, extra: str = "") -> Iterator[Installed]:
    """The wheel in a folder of its own, with what its `extra` brings."""
    folder = Path(mkdtemp(prefix="viz-wheel-"))  # pytest's own folders are closed to others
    try:
        environment = Installed(folder, wheel, extra)
        set_modes(folder, READ_ONLY)
        yield environment
    finally:
        set_modes(folder, WRITABLE)
        shutil.rmtree(folder)


def set_modes(folder: Path, mode: int) -> None:
    """Sets the mode of all folders, not of files: many are hard links to those that the tests themselves run on."""
    for path, _folders, _files in os.walk(folder, topdown=False):
        Path(path).chmod(mode)


def dependencies(wheel: Distribution, extra: str) -> list[Distribution]:
    """Everything that the wheel requires, and what that requires, as it is installed where the tests run."""
    found: dict[str, Distribution] = {}
    waiting = [(wheel, {"", extra})]
    while waiting:
        asking, extras = waiting.pop()
        for required in map(Requirement, asking.requires or []):
            name = canonicalize_name(required.name)
            if name not in found and needed(required, extras):
                found[name] = distribution(name)
                waiting.append((found[name], {"", *required.extras}))
    return list(found.values())


def needed(required: Requirement, extras: set[str]) -> bool:
    return required.marker is None or any(required.marker.evaluate({"extra": extra}) for extra in extras)


def link(package: Distribution, site: Path) -> None:
    """Installs what is installed already, without copying gigabytes."""
    for file in package.files or []:
        if ".." in file.parts:  # a program, not a module
            continue
        place = site / file
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(str(file.locate()), place)
        except FileNotFoundError:  # the list may name compiled files that are not there
            continue
        except OSError:  # on another disk
            shutil.copy2(str(file.locate()), place)


def powerless(python: Path) -> Sequence[str]:
    """The prefix of a command that runs it without the rights of root, whom no mode of a file stops."""
    if sys.platform == "win32" or os.geteuid():
        return []
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    # Through a shell, since `setpriv` itself still finds the program with the rights of root.
    if not subprocess.run([*nobody, "sh", "-c", f"'{python}' -c ''"], capture_output=True).returncode:
        return nobody
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]  # this Python's folder is closed to the user nobody
