"""Hosts of the tests: what they print is kept from the test's own output, and every line that crosses is checked against the schema."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bridge.torchsharp.process import TorchSharpProcess, loader, system
from bridge.torchsharp.process.exchange import Exchange
from bridge.torchsharp.process.library_search import FOLDER
from bridge.torchsharp.process.system.portable import PREFIX, NamedBlock, ThreadedPipes

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = Draft202012Validator(
    json.loads((ROOT / "bridge/torchsharp/process/host.schema.json").read_text(encoding="utf-8"))
)
#: Python itself: on Windows, the program of a virtual environment is a launcher, with a process and a number of its own.
PYTHON = str(getattr(sys, "_base_executable", sys.executable)) if os.name == "nt" else sys.executable
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
        return make_host(command=[PYTHON, str(MISBEHAVING), what], on_message=None, **options)

    return make


#: What each system has of its own, and what runs on every system: the same tests pass with both.
SYSTEMS = ["own", "portable"] if os.name == "posix" else ["own"]
#: The text of a program that uses what the test uses.
PRELUDES = {
    "own": "",
    "portable": (
        "from bridge.torchsharp.process import system\n"
        "from bridge.torchsharp.process.system.portable import NamedBlock, ThreadedPipes\n"
        "system.new_pipes, system.new_block = ThreadedPipes, NamedBlock\n"
    ),
}
_portable_exchanges: dict[str, Exchange] = {}


@pytest.fixture(params=SYSTEMS)
def on_each_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Use the pipes and the shared memory that this system has of its own, or those of every system. Return the text of a program."""
    name: str = request.param
    if name == "portable":
        monkeypatch.setattr(system, "new_pipes", ThreadedPipes)
        monkeypatch.setattr(system, "new_block", NamedBlock)
        monkeypatch.setattr(loader, "_exchanges", _portable_exchanges)
    return PRELUDES[name]


@pytest.fixture(scope="session", autouse=True)
def _nothing_left() -> Iterator[None]:
    """Check that no name of shared memory is left."""
    yield
    for exchange in _portable_exchanges.values():
        exchange.host.close()
    if (memory := Path("/dev/shm")).is_dir():
        assert list(memory.glob(f"{PREFIX}*")) == []


def put_link(link: Path, target: Path) -> None:
    """Make a link to a file or folder; on Windows, where users may not, of each file a second name, or a copy on another disk."""
    if os.name == "posix":
        link.symlink_to(target)
    elif target.is_dir():
        shutil.copytree(target, link, copy_function=_put_name)
    else:
        _put_name(str(target), str(link))


def _put_name(target: str, link: str) -> None:
    try:
        os.link(target, link)
    except OSError:
        shutil.copy(target, link)


@pytest.fixture(scope="session")
def torchsharp_models(
    build_csharp: Callable[..., Path], torchsharp: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Compile Models.cs against TorchSharp, which is put beside it with its libraries."""
    folder = tmp_path_factory.mktemp("torchsharp")
    built = build_csharp([Path(__file__).with_name("Models.cs")], "HostModelsTorchSharp", against=[torchsharp])
    for file in (built, torchsharp):
        shutil.copy(file, folder / file.name)
    (folder / FOLDER).parent.mkdir(parents=True)
    put_link(folder / FOLDER, torchsharp.parent / FOLDER)
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
