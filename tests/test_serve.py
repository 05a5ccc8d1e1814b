"""`deploy/serve`, while it runs: a process that hangs is replaced, nothing outlives it, no log has what was typed."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL, SIGSTOP
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from websockets.sync.client import connect

from bench.programs import NGINX
from bench.several import Several, serving
from bench.visitor import Visitor
from tests.helpers import in_a_loop
from tests.room.conftest import free_port
from tests.wheel import ROOT

pytestmark = pytest.mark.skipif(not NGINX.path, reason=NGINX.missing)
TYPED = "Xylophonsonate"  # a word that nobody else says


def until(is_so: object, seconds: float) -> float:
    """Seconds that it took."""
    begun = time.monotonic()
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < begun + seconds
        time.sleep(0.1)
    return time.monotonic() - begun


def lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in found for child in file.read_text(encoding="ascii").split()]


def ask(url: str, context: ssl.SSLContext | None = None, **options: object) -> int:
    with suppress(OSError):
        try:
            with urlopen(Request(url, **options), timeout=10, context=context) as answer:  # type: ignore[arg-type]
                return int(answer.status)
        except HTTPError as error:
            return error.code
    return 0


async def visit(server: Several) -> None:
    async with Visitor(server.url) as visitor:
        await visitor.open("overview", {"model": "copy", "source": f"1 2 {TYPED}"})


def test_a_process_that_hangs_is_replaced_and_nothing_outlives_the_program() -> None:
    with serving(1) as server:
        [first] = server.processes.values()
        os.kill(first, SIGSTOP)
        until(lambda: [*server.processes.values()] != [first], 15)
        assert not lives(first) and f"Process {first} does not answer.\n" in server.said
        until(lambda: ask(f"{server.url}/readyz") == 200, 60)
        started = children(server.program)
        assert len(started) == 2  # the app and nginx
        os.kill(server.program, SIGKILL)
        until(lambda: not any(map(lives, started)), 10)


def test_what_was_typed_is_in_no_log() -> None:
    with serving(1) as server:
        link = f"{server.url}/overview?model=copy&source={TYPED}"
        assert ask(link) == 200
        in_a_loop(visit(server))
        too_large = ask(f"{server.url}/_stcore/upload_file/{TYPED}/x", data=b"x" * 27_000_000, method="PUT")
        assert too_large in (413, 0)  # as soon as it is known, which may be before all of it is sent
        assert ask(f"{server.url}/{quote('é' * 300)}?{TYPED}") == 404
        assert ask(f"{server.url}/_stcore/stream?{TYPED}", headers={"Origin": "https://elsewhere.example"}) == 403
        [process] = server.processes.values()
        os.kill(process, SIGKILL)
        until(lambda: ask(link) in (502, 503, 504), 10)  # nobody stands behind nginx now
        until(lambda: ask(f"{server.url}/readyz") == 200, 60)
    said = "".join(server.said)
    assert "has ended" in said and TYPED not in said


def test_the_example_with_tls_passes_pages_and_lines_on(tmp_path: Path) -> None:
    """nginx reads it as it stands, but for ports, certificate and name."""
    key, certificate = tmp_path / "privkey.pem", tmp_path / "fullchain.pem"
    asked = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost", "-keyout", key]
    subprocess.run(["openssl", "req", *asked, "-out", certificate], check=True, capture_output=True)
    plain, secure = free_port(), free_port()
    with serving(1) as server:
        settings = (ROOT / "deploy/tls/nginx.conf").read_text(encoding="utf-8")
        for name, other in {
            "listen 80;": f"listen 127.0.0.1:{plain};", "listen 443 ssl;": f"listen 127.0.0.1:{secure} ssl;",
            "/etc/ssl/attention": str(tmp_path), "attention.example.org": "localhost",
            "http://127.0.0.1:8501": server.url,
        }.items():  # fmt: skip
            assert name in settings
            settings = settings.replace(name, other)
        around = f"pid {tmp_path}/pid; daemon off; events {{}} http {{ {settings} }}"
        (tmp_path / "nginx.conf").write_text(around, encoding="utf-8")
        command = [str(NGINX.path), "-e", "stderr", "-p", str(tmp_path), "-c", "nginx.conf"]
        with subprocess.Popen(command) as proxy:
            try:
                trust = ssl.create_default_context(cafile=str(certificate))
                trust.check_hostname = False
                until(lambda: ask(f"https://localhost:{secure}/readyz", context=trust) == 200, 20)
                with urlopen(f"https://localhost:{secure}/overview", context=trust) as answer:
                    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
                    assert "SameSite=None" in answer.headers["Set-Cookie"] and "Secure" in answer.headers["Set-Cookie"]
                with connect(
                    f"wss://localhost:{secure}/_stcore/stream",
                    ssl=trust,
                    origin=f"https://localhost:{secure}",
                    proxy=None,
                ) as line:
                    assert line.ping().wait(30)
            finally:
                proxy.terminate()


def test_the_service_says_what_systemd_knows() -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed.")
    said = subprocess.run([program, "verify", ROOT / "deploy/viz-transformer.service"], capture_output=True, text=True)
    assert "Unknown" not in said.stderr and "Failed to parse" not in said.stderr, said.stderr
