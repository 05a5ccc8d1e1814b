"""`deploy/serve`, while it runs: a process that hangs is replaced, nothing outlives it, no log has what was typed."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL, SIGSTOP
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from websockets.sync.client import connect

from bench.programs import CADDY, NGINX
from bench.several import Several, children, serving
from bench.visitor import Visitor
from tests.helpers import in_a_loop
from tests.room.conftest import free_port
from tests.wheel import ROOT

pytestmark = pytest.mark.skipif(not NGINX.path, reason=NGINX.missing)
Proxy = Callable[[Path, int, str], list[str]]  # its folder, its port, the app -> the command that starts it
TYPED = "Xylophonsonate"  # a word that nobody else says


def until(is_so: object, seconds: float) -> float:
    """Waits until `is_so` -> the seconds that it took."""
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
        assert too_large in (413, 0)  # 0: the server may refuse, and hang up, before all of it is sent
        assert ask(f"{server.url}/{quote('é' * 300)}?{TYPED}") == 404
        assert ask(f"{server.url}/_stcore/stream?{TYPED}", headers={"Origin": "https://elsewhere.example"}) == 403
        [process] = server.processes.values()
        os.kill(process, SIGKILL)
        until(lambda: ask(link) in (502, 503, 504), 10)  # nobody stands behind nginx now
        until(lambda: ask(f"{server.url}/readyz") == 200, 60)
    said = "".join(server.said)
    assert "has ended" in said and TYPED not in said


def adapted(name: str, others: dict[str, str]) -> str:
    """An example of `deploy/tls/` as it stands, but for ports, certificate and name."""
    settings = (ROOT / "deploy/tls" / name).read_text(encoding="utf-8")
    for example, other in others.items():
        assert example in settings
        settings = settings.replace(example, other)
    return settings


def nginx_with_tls(folder: Path, port: int, app: str) -> list[str]:
    settings = adapted("nginx.conf", {
        "listen 80;": f"listen 127.0.0.1:{free_port()};", "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "/etc/ssl/attention": str(folder), "attention.example.org": "localhost", "http://127.0.0.1:8501": app,
    })  # fmt: skip
    around = f"pid {folder}/pid; daemon off; events {{}} http {{ {settings} }}"
    (folder / "nginx.conf").write_text(around, encoding="utf-8")
    return [str(NGINX.path), "-e", "stderr", "-p", str(folder), "-c", "nginx.conf"]


def caddy_with_tls(folder: Path, port: int, app: str) -> list[str]:
    if not CADDY.path:
        pytest.skip(CADDY.missing)
    site = f"https://localhost:{port} {{\nbind 127.0.0.1\ntls fullchain.pem privkey.pem\n"
    settings = adapted("Caddyfile", {
        "\n{\n": "\n{\nadmin off\nauto_https disable_redirects\n", "\nattention.example.org {\n": f"\n{site}",
        "127.0.0.1:8501": app.removeprefix("http://"),
    })  # fmt: skip
    (folder / "Caddyfile").write_text(settings, encoding="utf-8")
    return [str(CADDY.path), "run", "--config", "Caddyfile"]


@pytest.mark.parametrize("proxy", [nginx_with_tls, caddy_with_tls])
def test_the_examples_with_tls_pass_pages_and_lines_on(proxy: Proxy, tmp_path: Path) -> None:
    asked = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    certificate = tmp_path / "fullchain.pem"
    files = ["-addext", "subjectAltName=DNS:localhost", "-keyout", tmp_path / "privkey.pem", "-out", certificate]
    subprocess.run(["openssl", "req", *asked, *files], check=True, capture_output=True)
    trust = ssl.create_default_context(cafile=str(certificate))
    port = free_port()
    secure = f"localhost:{port}"
    with serving(1) as server, (tmp_path / "log").open("wb") as log:
        command = proxy(tmp_path, port, server.url)
        at_home = {**os.environ, "HOME": str(tmp_path)}
        with subprocess.Popen(command, cwd=tmp_path, env=at_home, stdout=log, stderr=log) as process:
            try:
                until(lambda: ask(f"https://{secure}/readyz", context=trust) == 200, 20)
                with urlopen(f"https://{secure}/overview?source={TYPED}", context=trust) as answer:
                    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
                    assert "SameSite=None" in answer.headers["Set-Cookie"] and "Secure" in answer.headers["Set-Cookie"]
                stream = f"wss://{secure}/_stcore/stream"
                with connect(stream, ssl=trust, origin=f"https://{secure}", proxy=None) as line:
                    assert line.ping().wait(30)
                os.kill(server.program, SIGKILL)
                link = f"https://{secure}/overview?source={TYPED}"
                until(lambda: ask(link, context=trust) == 502, 20)  # nobody stands behind it now: an error to log
            finally:
                process.terminate()
    assert TYPED not in (tmp_path / "log").read_text(encoding="utf-8")


def test_the_service_says_what_systemd_knows() -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed.")
    said = subprocess.run([program, "verify", ROOT / "deploy/viz-transformer.service"], capture_output=True, text=True)
    assert "Unknown" not in said.stderr and "Failed to parse" not in said.stderr, said.stderr
