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
    """Return a callback that validates each line against the schema."""

    def check(_: str, line: bytes) -> None:
        SCHEMA.validate(json.loads(line))

    return check


@pytest.fixture
def make_host(checked: Callable[[str, bytes], None]) -> Iterator[Callable[..., TorchSharpProcess]]:
    """Return a factory of processes that end with the test: ``make_host(**options)``."""
    made: list[TorchSharpProcess] = []

    def make(**options: Any) -> TorchSharpProcess:
        made.append(TorchSharpProcess(**{"on_output": lambda line: None, "on_message": checked, **options}))
        return made[-1]

    yield make
    for host in made:
        host.close()


@pytest.fixture
def misbehaving(make_host: Callable[..., TorchSharpProcess]) -> Callable[..., TorchSharpProcess]:
    """Return a factory of processes that run ``misbehaving.py``: ``misbehaving(what)``."""

    def make(what: str, **options: Any) -> TorchSharpProcess:
        return make_host(command=[sys.executable, str(MISBEHAVING), what], on_message=None, **options)

    return make


def descriptors() -> int:
    """Return the number of open descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture(scope="session")
def torchsharp_models(
    build_csharp: Callable[..., Path], torchsharp: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Compile Models.cs against TorchSharp, which is put beside it with its libraries."""
    folder = tmp_path_factory.mktemp("torchsharp")
    built = build_csharp([Path(__file__).with_name("Models.cs")], "HostModelsTorchSharp", against=[torchsharp])
    for file in (built, torchsharp):
        shutil.copy(file, folder / file.name)
    (folder / "runtimes").symlink_to(torchsharp.with_name("runtimes"), target_is_directory=True)
    return folder / built.name


@pytest.fixture(scope="session")
def bridge_torch_models(build_csharp: Callable[..., Path]) -> Path:
    """Compile Models.cs against Bridge.Torch."""
    return build_csharp([Path(__file__).with_name("Models.cs")], "HostModels")


@pytest.fixture(params=["torchsharp_models", "bridge_torch_models"])
def models(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return Models.cs compiled for either library, without another TorchSharp on the machine."""
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path))
    monkeypatch.delenv("BRIDGE_TORCHSHARP", raising=False)
    library: Path = request.getfixturevalue(request.param)
    return library
