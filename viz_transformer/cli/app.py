"""The command `app`: the app, served from this machine."""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from gettext import gettext as _
from pathlib import Path

from viz_transformer.checkpoint import is_folder
from viz_transformer.cli import open_browser
from viz_transformer.optional import needed
from viz_transformer.resources import resource
from viz_transformer.sentences import SentenceError

PORTS = range(8501, 8601)  # tried in turn where --port is not given
HERE = ("127.0.0.1", "::1", "localhost")
MODELS = "VIZ_MODELS"  # environment variable: tells the server the folder of models
ANYWHERE = ("0.0.0.0", "::")  # addresses to listen at, but not to visit


def add_app(parser: argparse.ArgumentParser) -> None:
    """The options of `app`."""
    parser.set_defaults(command=app)
    parser.add_argument("--port", type=int, help=_("default: the first free port from 8501 up"))
    parser.add_argument("--host", default="127.0.0.1", help=_("0.0.0.0 lets other machines in (default 127.0.0.1)"))
    parser.add_argument(
        "--models", type=Path, metavar="DIR", help=_("offers the models in this folder's subfolders, too")
    )
    parser.add_argument("--no-browser", action="store_true", help=_("only serve the app, without opening a browser"))


def app(options: argparse.Namespace, arguments: Sequence[str]) -> None:
    """Runs the app's server in place of this process, until it is stopped.

    Raises:
        MissingPackageError: Streamlit is not installed.
        ValueError: there is no such folder of models, no such host, or no free port.
    """
    needed("streamlit", "The app", "app")
    if options.models is not None:
        if not is_folder(options.models):
            raise SentenceError("There is no folder of models {folder!r}.", folder=str(options.models))
        os.environ[MODELS] = str(options.models.absolute())
    if options.port is not None and options.port not in range(65_536):
        raise SentenceError("A port is a number from 0 to 65535; --port is {port}.", port=options.port)
    port = free_port(options.host, PORTS if options.port is None else [options.port])
    url = f"http://{address(options.host)}:{port}"
    print(_("Inside attention is starting at {url} (press Ctrl+C to stop it).").format(url=url), flush=True)
    if not options.no_browser and has_screen():
        subprocess.Popen([sys.executable, "-P", open_browser.__file__, url])
    command = server_command(options.host, port)
    if sys.platform == "win32":  # where exec returns to the prompt at once
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)  # so that a signal to stop reaches the server


def address(host: str) -> str:
    """The host as it is written in a URL on this machine."""
    if host in ANYWHERE:
        return "localhost"
    return f"[{host}]" if ":" in host else host


def server_command(host: str, port: int) -> list[str]:
    """The command that serves the app; settings that are the same everywhere are in `.streamlit/config.toml`."""
    settings = {
        "server.address": host,
        "server.port": port,
        "logger.hideWelcomeMessage": "true",  # it asks the internet for this machine's address
    }
    if host not in HERE and "STREAMLIT_SERVER_ALLOWED_HOSTS" not in os.environ:
        settings["server.allowedHosts"] = "*"  # other machines may know this one by any name
    flags = [f"--{name}={value}" for name, value in settings.items()]
    # -P: without it, a random.py in the folder where the app is started would be imported as Python's module.
    return [sys.executable, "-P", "-m", "streamlit", "run", str(resource("app.py")), *flags]


def free_port(host: str, ports: Iterable[int]) -> int:
    """The first of `ports` at which one can listen; 0 stands for any."""
    tried = []
    for port in ports:
        try:
            with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as one:
                return int(one.getsockname()[1])
        except socket.gaierror as error:
            raise SentenceError("The app cannot be served at {host!r}: there is no such host.", host=host) from error
        except OSError:
            tried.append(str(port))
    where = tried[0] if len(tried) == 1 else _("{first} to {last}").format(first=tried[0], last=tried[-1])
    raise SentenceError("Cannot listen on port {where} of {host}: choose another with --port.", where=where, host=host)


def has_screen() -> bool:
    """Whether there is a desktop to open a browser on."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
