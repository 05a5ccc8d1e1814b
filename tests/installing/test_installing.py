"""`make` installs the very files that the locks name, also of build tools; tried in a small project, offline."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from tests.installing import backend

ROOT = Path(__file__).resolve().parents[2]
PROJECT = '[build-system]\nrequires = ["backend"]\nbuild-backend = "backend"\n[project]\nname = "{}"\nversion = "1.0"\n'
MISMATCH = "THESE PACKAGES DO NOT MATCH THE HASHES"


class Checkout:
    """The Makefile, beside requirements that are as small as they can be, and the index that has them."""

    def __init__(self, folder: Path) -> None:
        self.root, self.index = folder / "project", folder / "index"
        for path in (self.root, self.index):
            path.mkdir()
        shutil.copy(ROOT / "Makefile", self.root)
        self.write("pyproject.toml", PROJECT.format("ours"))
        self.write("requirements.txt", "torch==1.0\n")
        text = Path(backend.__file__).read_text(encoding="utf-8")
        self.torch = backend.make_wheel(self.index, "torch", "1.0", {})
        self.files = {
            "requirements-build.lock": backend.make_wheel(self.index, "backend", "1.0", {"backend.py": text}),
            "requirements.lock": self.sources("sources"),
            "requirements-dev.lock": self.sources("tool"),
        }
        for lock, file in self.files.items():
            self.write(lock, self.line(file))
        # A newer one, which no lock names, and by which nothing can be built.
        backend.make_wheel(self.index, "backend", "2.0", {"backend.py": "raise SystemExit('not the locked one')"})

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def line(self, file: Path) -> str:
        """The line for `file` in a lock."""
        return f"{file.name.partition('-')[0]}==1.0 --hash=sha256:{sha256(file.read_bytes()).hexdigest()}\n"

    def sources(self, name: str) -> Path:
        """A package that has to be built."""
        path = self.index / f"{name}-1.0.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for file, text in {"pyproject.toml": PROJECT.format(name), "PKG-INFO": f"Name: {name}\n"}.items():
                entry = tarfile.TarInfo(f"{name}-1.0/{file}")
                entry.size = len(text.encode())
                archive.addfile(entry, BytesIO(text.encode()))
        return path

    def make(self, target: str, *settings: str) -> subprocess.CompletedProcess[str]:
        """Runs make in an environment without pip, which would take seconds to install there."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.root / ".venv"], check=True)
        pip = f"PIP={sys.executable} -m pip --python .venv/bin/python install --quiet"
        index = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.index)}
        return subprocess.run(
            ["make", f".venv/{target}", pip, *settings],
            cwd=self.root, env={"PATH": os.environ["PATH"], **index}, capture_output=True, encoding="utf-8",
        )  # fmt: skip

    @property
    def installed(self) -> set[str]:
        return {path.name.partition("-")[0] for path in self.root.glob(".venv/lib/python*/site-packages/*.dist-info")}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_all_is_installed_and_built_by_what_is_locked(checkout: Checkout) -> None:
    checkout.write("torch.lock", checkout.line(checkout.torch))
    made = checkout.make("run-ready", "TORCH=-r torch.lock")
    assert made.returncode == 0, made.stderr
    assert checkout.installed == {"backend", "sources", "torch", "ours"}
    assert (checkout.root / ".venv/run-ready").exists()


@pytest.mark.parametrize(
    ("target", "lock", "before"),
    [
        ("run-ready", "requirements-build.lock", set()),
        ("run-ready", "requirements.lock", {"backend"}),
        ("test-ready", "requirements-dev.lock", {"backend"}),
    ],
)
def test_a_file_that_is_not_the_locked_one_is_refused(
    target: str, lock: str, before: set[str], checkout: Checkout
) -> None:
    with checkout.files[lock].open("ab") as archive:
        archive.write(b"\0")
    made = checkout.make(target)
    assert made.returncode and MISMATCH in made.stderr
    assert checkout.installed == before
    assert not (checkout.root / ".venv" / target).exists()


def test_another_torch_than_that_of_the_file_that_is_named_is_refused(checkout: Checkout) -> None:
    checkout.write("torch.lock", checkout.line(checkout.torch).rstrip()[:-4] + "0000\n")
    made = checkout.make("run-ready", "TORCH=-r torch.lock")
    assert made.returncode and MISMATCH in made.stderr
    assert "torch" not in checkout.installed
