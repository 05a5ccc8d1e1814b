"""The files that the container is built from exist, and agree with the rest of the project.

Building and running the image takes a container engine: docs/deployment.md says what was tried, and how.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from signal import SIGKILL
from types import ModuleType
from typing import Any

import kubernetes_validate
import pytest
import yaml
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError
from redis.exceptions import ConnectionError as LostError
from redis.retry import Retry

from bench.programs import STORE
from tests.wheel import ROOT, build, contents
from viz_transformer.cli.main import make_parser
from viz_transformer.room.redis_store import RedisStore
from viz_transformer.room.stores import store_at


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


@pytest.fixture
def copy_of_requirements(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "requirements.txt", tmp_path)
    return tmp_path


def test_all_comes_by_the_locks_and_torch_by_its_version_or_its_hash(copy_of_requirements: Path) -> None:
    steps = [part.strip() for line in arguments("RUN") for part in line.split("&&")]
    build, rest, pin, torch, wheel, package = [step for step in steps if " -m venv " not in step]
    assert build.startswith("/opt/build/bin/pip") and build.endswith("--require-hashes -r requirements-build.lock")
    assert "--require-hashes" in rest and rest.endswith("-r requirements.lock")
    assert torch == 'pip install --index-url "$TORCH_INDEX" -r torch.txt'
    assert wheel.startswith("/opt/build/bin/python -m hatchling build") and "--no-index --no-deps" in package
    for given, wanted in {"": "", "sha256:12": " --hash=sha256:12"}.items():
        subprocess.run(["sh", "-c", pin], cwd=copy_of_requirements, env={**os.environ, "TORCH_HASH": given}, check=True)
        said = (copy_of_requirements / "torch.txt").read_text(encoding="utf-8")
        assert said.rstrip() == re.findall(r"^torch==[\d.]+$", text_of("requirements.txt"), re.MULTILINE)[0] + wanted


def test_the_image_has_the_python_that_the_project_is_tested_with() -> None:
    oldest = tomllib.loads(text_of("pyproject.toml"))["project"]["requires-python"].removeprefix(">=")
    assert {image.partition(" ")[0] for image in arguments("FROM")} == {"${PYTHON_IMAGE}"}
    assert f"PYTHON_IMAGE=python:{oldest}-slim" in arguments("ARG")
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


KUBERNETES = "1.33"
MANIFESTS = {path.stem: path for path in (ROOT / "deploy/kubernetes").iterdir()}


def manifest(name: str) -> dict[str, Any]:
    return yaml.safe_load(MANIFESTS[name].read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def serve() -> ModuleType:
    """`deploy/serve`, imported."""
    loader = SourceFileLoader("serve", str(ROOT / "deploy/serve"))
    spec = spec_from_loader("serve", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_three_containers_stand_behind_nginx_as_three_processes_do(serve: ModuleType) -> None:
    services = yaml.safe_load(text_of("deploy/compose.three.yaml"))["services"]
    proxy, rooms = services.pop("proxy"), services.pop("rooms")
    [port] = arguments("EXPOSE")
    said = proxy["environment"]
    assert serve.upstreams([f"{name}:{port}" for name in services]) == {
        name: said[name] for name in ("VIZ_WANTED", "VIZ_UPSTREAMS")
    }
    assert re.findall(r"\$\{(\w+)\}", text_of("deploy/nginx.conf.template")) == [
        "VIZ_WANTED", "VIZ_UPSTREAMS", "VIZ_LISTEN"
    ]  # fmt: skip
    assert [service["environment"]["VIZ_SERVER"] for service in services.values()] == ["1", "2", "3"]
    assert set(proxy["depends_on"]) == set(services)
    for service in [proxy, rooms, *services.values()]:
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert {service["environment"]["VIZ_ROOMS"] for service in services.values()} == {"valkey://rooms:6379"}
    assert "ports" not in rooms  # nobody outside speaks to it


def test_the_processes_share_what_one_may_keep(serve: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIZ_MEMORY_MB", "900")
    shared = {"VIZ_MEMORY_MB": "300", "VIZ_PROCESSES": "3", "VIZ_PLACES": "places"}
    assert serve.settings("127.0.0.1:8501", 3, Path("places")) == shared
    assert serve.settings("0.0.0.0:80", 3, Path("places"))["STREAMLIT_SERVER_ALLOWED_HOSTS"] == "*"


@pytest.mark.parametrize("said", ["abc", "0", "-1", "nan", "inf"])
def test_what_is_no_number_of_megabytes_gets_a_sentence(
    serve: ModuleType, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv("VIZ_MEMORY_MB", said)
    with pytest.raises(SystemExit, match=f"VIZ_MEMORY_MB must be a number of megabytes above 0; it is '{said}'"):
        serve.settings("127.0.0.1:8501", 3, Path("places"))


@pytest.mark.parametrize("listen", ["", ":8501", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:x", "99999"])
def test_what_nobody_can_listen_at_gets_a_sentence(
    serve: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], listen: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["serve", "1", "--listen", listen])
    with pytest.raises(SystemExit):
        serve.main()
    assert "is no HOST:PORT; an example is 127.0.0.1:8501" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root has rights to give up.")
def test_what_root_starts_has_no_rights(serve: ModuleType) -> None:
    for of in ("-u", "-G"):  # the user, and all groups
        assert subprocess.check_output([*serve.without_rights(), "id", of], text=True) == "65534\n"


@pytest.mark.skipif(not STORE.path, reason=STORE.missing)
def test_the_rooms_of_several_processes_are_behind_a_password_and_come_back(
    serve: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert STORE.path is not None
    monkeypatch.setattr(serve, "PAUSE", 0)
    monkeypatch.setattr(serve.Rights, "are_kept", True)  # where root runs the tests, only root can enter tmp_path
    monkeypatch.setattr(serve, "PLACES", str(STORE.path.parent))
    rooms = serve.Rooms(tmp_path)
    try:
        with Redis.from_url(rooms.address) as known, Redis(port=rooms.port, retry=Retry(NoBackoff(), 0)) as unknown:
            assert known.ping()
            assert known.config_get("bind")["bind"] == "127.0.0.1"
            with pytest.raises(AuthenticationError):
                unknown.ping()
            known.set("room", "open")
        first = rooms.process
        rooms.revive()  # does nothing: the process lives
        assert rooms.process is first
        os.kill(first.pid, SIGKILL)
        first.wait()
        rooms.revive()
        with Redis.from_url(rooms.address) as known:
            assert known.get("room") is None
    finally:
        rooms.end()
    assert rooms.process.returncode is not None
    with Redis.from_url(rooms.address, retry=Retry(NoBackoff(), 0)) as known, pytest.raises(LostError):
        known.ping()
    assert list(tmp_path.iterdir()) == []  # in memory alone


@pytest.mark.parametrize("name", MANIFESTS)
def test_kubernetes_knows_every_word_of_a_manifest(name: str) -> None:
    kubernetes_validate.validate(manifest(name), KUBERNETES, strict=True)
    of_rooms = name.startswith("rooms-")
    assert manifest(name)["metadata"]["name"] == ("viz-transformer-rooms" if of_rooms else "viz-transformer")


def test_a_word_that_kubernetes_does_not_know_is_found() -> None:
    wrong = manifest("deployment")
    wrong["spec"]["template"]["spec"]["containers"][0]["readinessprobe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, KUBERNETES, strict=True)


def test_the_manifests_mean_each_other_and_the_image() -> None:
    pod = manifest("deployment")["spec"]["template"]
    [app] = pod["spec"]["containers"]
    [port], [health] = app["ports"], [app["readinessProbe"]["httpGet"]]
    assert [str(port["containerPort"])] == arguments("EXPOSE")
    assert health["path"] in health_check()[-1]
    labels = pod["metadata"]["labels"]
    assert (
        labels == manifest("deployment")["spec"]["selector"]["matchLabels"] == manifest("service")["spec"]["selector"]
    )
    assert labels == manifest("network-policy")["spec"]["podSelector"]["matchLabels"]
    assert labels == manifest("disruption-budget")["spec"]["selector"]["matchLabels"]
    assert manifest("service")["spec"]["ports"][0]["targetPort"] == port["name"]
    [rule] = manifest("ingress")["spec"]["rules"]
    environment = {one["name"]: one.get("value") for one in app["env"]}
    assert environment["STREAMLIT_SERVER_ALLOWED_HOSTS"] == rule["host"]
    assert app["image"].endswith(f":{tomllib.loads(text_of('pyproject.toml'))['project']['version']}")


def test_a_pod_has_nothing_to_write_and_no_rights() -> None:
    pod = manifest("deployment")["spec"]["template"]["spec"]
    [app] = pod["containers"]
    assert (pod["securityContext"]["runAsNonRoot"], pod["automountServiceAccountToken"]) == (True, False)
    assert app["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert [mount["mountPath"] for mount in app["volumeMounts"]] == ["/tmp"]


def test_a_pod_speaks_to_the_rooms_and_asks_for_their_name_and_no_more() -> None:
    policy = manifest("network-policy")["spec"]
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    rooms, names = policy["egress"]
    [pods], [port] = rooms["to"], rooms["ports"]
    assert pods == {"podSelector": {"matchLabels": manifest("rooms-deployment")["spec"]["selector"]["matchLabels"]}}
    [container] = manifest("rooms-deployment")["spec"]["template"]["spec"]["containers"]
    assert [port["port"]] == [one["name"] for one in container["ports"]]
    [resolver] = names["to"]
    assert set(resolver) == {"namespaceSelector", "podSelector"}
    assert {(one["port"], one["protocol"]) for one in names["ports"]} == {(53, "UDP"), (53, "TCP")}


def test_the_rooms_are_one_pod_to_which_the_app_alone_speaks() -> None:
    deployment, service = manifest("rooms-deployment"), manifest("rooms-service")
    assert (deployment["spec"]["replicas"], deployment["spec"]["strategy"]) == (1, {"type": "Recreate"})
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert labels == deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    assert labels != manifest("deployment")["spec"]["template"]["metadata"]["labels"]
    pod = deployment["spec"]["template"]["spec"]
    [rooms], [app] = pod["containers"], manifest("deployment")["spec"]["template"]["spec"]["containers"]
    assert (pod["securityContext"]["runAsNonRoot"], pod["automountServiceAccountToken"]) == (True, False)
    assert rooms["securityContext"] == app["securityContext"]
    assert set(rooms["resources"]["limits"]) == {"cpu", "memory"}
    assert "volumeMounts" not in rooms  # nothing to write
    [port], [inside] = service["spec"]["ports"], rooms["ports"]
    assert port["targetPort"] == inside["name"]
    for probe in ("readinessProbe", "livenessProbe"):
        assert rooms[probe]["tcpSocket"] == {"port": inside["name"]}
    [rule] = manifest("rooms-network-policy")["spec"]["ingress"]
    [pods] = rule["from"]
    assert pods == {"podSelector": {"matchLabels": manifest("deployment")["spec"]["selector"]["matchLabels"]}}
    assert [one["port"] for one in rule["ports"]] == [inside["name"]]
    assert manifest("rooms-network-policy")["spec"]["podSelector"]["matchLabels"] == labels
    assert manifest("rooms-network-policy")["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert "egress" not in manifest("rooms-network-policy")["spec"]  # they speak to nobody


def test_the_rooms_are_the_same_in_kubernetes_and_in_compose() -> None:
    [rooms] = manifest("rooms-deployment")["spec"]["template"]["spec"]["containers"]
    compose = yaml.safe_load(text_of("deploy/compose.three.yaml"))["services"]["rooms"]
    password = ["--requirepass", "$(ROOMS_PASSWORD)"]  # others may reach a pod; compose's network is its own
    assert (rooms["image"], rooms["args"]) == (compose["image"], [*compose["command"], *password])
    security = manifest("rooms-deployment")["spec"]["template"]["spec"]["securityContext"]
    assert compose["user"] == f"{security['runAsUser']}:{security['runAsGroup']}"


def test_the_app_finds_the_rooms() -> None:
    service = manifest("rooms-service")
    [app] = manifest("deployment")["spec"]["template"]["spec"]["containers"]
    [rooms] = manifest("rooms-deployment")["spec"]["template"]["spec"]["containers"]
    [address] = [one["value"] for one in app["env"] if one["name"] == "VIZ_ROOMS"]
    [port] = service["spec"]["ports"]
    assert address == f"valkey://:$(ROOMS_PASSWORD)@{service['metadata']['name']}:{port['port']}"
    assert isinstance(store_at(address.replace("$(ROOMS_PASSWORD)", "0f1e")), RedisStore)
    for container in (app, rooms):
        [secret] = [one["valueFrom"]["secretKeyRef"] for one in container["env"] if one["name"] == "ROOMS_PASSWORD"]
        assert secret == {"name": "viz-transformer-rooms", "key": "password"}
        assert f"kubectl create secret generic {secret['name']} --from-literal={secret['key']}=" in text_of(
            "docs/deployment.md"
        )


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load(text_of("CITATION.cff"))
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    assert citation["version"] == project["version"]
    assert citation["authors"] == project["authors"]
    assert citation["license"] in project["license"].split()
    assert {"message", "title"} <= set(citation)
