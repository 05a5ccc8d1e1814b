"""Which program is taken: an installed one, one from a package of PyPI, or Debian's. Nothing is downloaded."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bench import programs
from bench.programs import Program

APT_GET = """#!/bin/sh
echo "$@" >> {folder}/asked
case "$@" in *install*) printf '#!/bin/sh\\n' > {folder}/redis-server; /bin/chmod +x {folder}/redis-server;; esac
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the only place where programs are looked for; and the user is not root."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "BESIDES", "")
    monkeypatch.setattr(programs, "is_root", lambda: False)
    return tmp_path


def install(folder: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def store(wheel: Path | None = None) -> Program:
    return Program("store of rooms", ("redis-server", "valkey-server"), ("redis-server",), lambda: wheel)


@pytest.mark.parametrize("name", ["redis-server", "valkey-server"])
def test_what_is_installed_is_taken_first(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "is_root", lambda: True)
    install(folder, "apt-get", APT_GET.format(folder=folder))
    installed = install(folder, name)
    assert store(wheel=folder / "wheel").bring() == f"store of rooms: {installed}."
    assert not (folder / "asked").exists()


def test_then_the_one_of_a_wheel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "is_root", lambda: True)
    install(folder, "apt-get", APT_GET.format(folder=folder))
    assert store(wheel=folder / "wheel").bring() == f"store of rooms: {folder / 'wheel'}."
    assert not (folder / "asked").exists()


def test_then_debian_s_where_one_is_root(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "is_root", lambda: True)
    install(folder, "apt-get", APT_GET.format(folder=folder))
    assert store().bring() == f"store of rooms: {folder / 'redis-server'}."
    assert (folder / "asked").read_text(encoding="utf-8").splitlines() == [
        "-qq update",
        "-qq install -y --no-install-recommends redis-server",
    ]


def test_else_it_says_the_line_that_installs_it(folder: Path) -> None:
    install(folder, "apt-get", APT_GET.format(folder=folder))
    missing = "redis-server or valkey-server is missing: `apt-get install redis-server` as root installs it"
    assert store().bring() == f"store of rooms: {missing}."
    assert not (folder / "asked").exists()


def test_the_wheel_among_the_requirements_has_a_server_that_runs() -> None:
    """So the tests of rooms are not skipped on any machine for which there is such a wheel."""
    path = programs.valkey()
    assert path is not None and os.access(path, os.X_OK)
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    assert "Valkey server v=9.1" in version
