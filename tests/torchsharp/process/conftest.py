"""Hosts of the tests: what they print is kept from the test's own output, and every line that crosses is checked against the schema."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bridge.torchsharp.process import TorchSharpProcess

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = Draft202012Validator(json.loads((ROOT / "bridge/contract/host.schema.json").read_text(encoding="utf-8")))
MISBEHAVING = Path(__file__).with_name("snippets") / "misbehaving.py"


@pytest.fixture
def checked() -> Callable[[str, bytes], None]:
    """Takes what crosses; the schema holds for each line."""

    def check(_: str, line: bytes) -> None:
        SCHEMA.validate(json.loads(line))

    return check


@pytest.fixture
def make_host(checked: Callable[[str, bytes], None]) -> Iterator[Callable[..., TorchSharpProcess]]:
    """``make_host(**options)``: a host that is gone when the test ends."""
    made: list[TorchSharpProcess] = []

    def make(**options: Any) -> TorchSharpProcess:
        made.append(TorchSharpProcess(**{"heard": lambda line: None, "seen": checked, **options}))
        return made[-1]

    yield make
    for host in made:
        host.close()


@pytest.fixture
def misbehaving(make_host: Callable[..., TorchSharpProcess]) -> Callable[..., TorchSharpProcess]:
    """``misbehaving(what)``: a host whose program is ``misbehaving.py``."""

    def make(what: str, **options: Any) -> TorchSharpProcess:
        return make_host(command=[sys.executable, str(MISBEHAVING), what], seen=None, **options)

    return make


def is_running(pid: int) -> bool:
    """Whether there is a process of that number that has not ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def descriptors() -> int:
    """How many this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture(scope="session")
def prepare_torchsharp(
    build_csharp: Callable[..., Path], torchsharp: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Models.cs, compiled against TorchSharp, which lies beside it with its libraries."""
    source = Path(__file__).with_name("Models.cs").read_text(encoding="utf-8")
    folder = tmp_path_factory.mktemp("torchsharp")
    built = build_csharp({"Models.cs": source}, "HostModelsTorchSharp", against=[torchsharp])
    for file in (built, torchsharp):
        shutil.copy(file, folder / file.name)
    (folder / "runtimes").symlink_to(torchsharp.with_name("runtimes"))
    return folder / built.name


@pytest.fixture(scope="session")
def prepare_bridge_torch(build_csharp: Callable[..., Path]) -> Path:
    """Models.cs, compiled against Bridge.Torch."""
    source = Path(__file__).with_name("Models.cs").read_text(encoding="utf-8")
    return build_csharp({"Models.cs": source}, "HostModels")


@pytest.fixture(params=["prepare_torchsharp", "prepare_bridge_torch"])
def models(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Models.cs for either library, on a machine without any other TorchSharp."""
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path))
    monkeypatch.delenv("BRIDGE_TORCHSHARP", raising=False)
    library: Path = request.getfixturevalue(request.param)
    return library
