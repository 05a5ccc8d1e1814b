"""What the container is built from is there, and says the same as the rest of the project.

That the image itself builds and runs takes a container engine: docs/deployment.md says what was tried, and how.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import yaml

from tests.wheel import ROOT, build, contents
from viz_transformer.cli.main import make_parser


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


INSTRUCTIONS = [
    (word, rest)
    for word, _, rest in (
        line.partition(" ") for line in re.sub(r"\\\n\s*", "", text_of("deploy/Dockerfile")).splitlines()
    )
    if word.isupper()
]


def arguments(word: str) -> list[str]:
    """What follows each instruction of this name."""
    return [rest for found, rest in INSTRUCTIONS if found == word]


def health_check() -> list[str]:
    """The command that says by its exit code whether the app answers."""
    [rest] = arguments("HEALTHCHECK")
    return json.loads(rest.partition("CMD ")[2])


def copied() -> dict[str, str]:
    """Files and folders of the project -> where the image gets them."""
    pairs = [rest.split() for rest in arguments("COPY") if not rest.startswith("--from")]
    return {source: f"{place}{source.rpartition('/')[2]}" if place.endswith("/") else place
            for *sources, place in pairs for source in sources}  # fmt: skip


def test_what_the_image_copies_makes_the_wheel(tmp_path: Path) -> None:
    for source, place in copied().items():
        (tmp_path / "build" / place).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, tmp_path / "build" / place)
        else:
            shutil.copy(ROOT / source, tmp_path / "build" / place)
    built = build("wheel", tmp_path / "image", tmp_path / "build")
    assert contents(built) == contents(build("wheel", tmp_path / "project"))


def test_what_the_image_copies_and_nothing_else_is_sent_to_the_builder() -> None:
    everything, *rules = [line for line in text_of(".dockerignore").splitlines() if not line.startswith("#")]
    assert everything == "*"
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == set(copied())


def test_torch_and_the_rest_have_the_versions_of_the_requirements() -> None:
    torch, rest, package = (part for line in arguments("RUN") for part in line.split("&&") if "pip install" in part)
    assert "\"$(grep '^torch==' requirements.txt)\"" in torch and '"$TORCH_INDEX"' in torch
    assert re.findall(r"^torch==[\d.]+$", text_of("requirements.txt"), re.MULTILINE)
    assert "-r pinned.txt" in rest and "--no-deps" in package


def test_the_image_has_the_python_that_the_project_is_tested_with() -> None:
    oldest = tomllib.loads(text_of("pyproject.toml"))["project"]["requires-python"].removeprefix(">=")
    assert {image.partition(" ")[0] for image in arguments("FROM")} == {f"python:{oldest}-slim"}
    assert json.loads(text_of(".devcontainer/devcontainer.json"))["image"].endswith(f"python:{oldest}")


def test_the_container_starts_the_app_for_others_as_nobody() -> None:
    [program], [command] = arguments("ENTRYPOINT"), arguments("CMD")
    assert json.loads(program) == ["viz-transformer"]
    options = make_parser().parse_args(json.loads(command))
    assert (options.host, options.no_browser) == ("0.0.0.0", True)
    assert arguments("USER") == ["65534:65534"]
    assert arguments("EXPOSE") == [str(options.port)]
    assert f"http://127.0.0.1:{options.port}/" in health_check()[-1]


def test_compose_gives_the_container_nothing_to_write_and_no_rights() -> None:
    [service] = yaml.safe_load(text_of("deploy/compose.yaml"))["services"].values()
    assert (ROOT / "deploy" / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    assert (service["read_only"], service["tmpfs"], service["cap_drop"]) == (True, ["/tmp"], ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]
    [port] = arguments("EXPOSE")
    assert service["ports"] == [f"127.0.0.1:{port}:{port}"]  # this machine only


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load(text_of("CITATION.cff"))
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    assert citation["version"] == project["version"]
    assert citation["authors"] == project["authors"]
    assert citation["license"] in project["license"].split()
    assert {"message", "title"} <= set(citation)
