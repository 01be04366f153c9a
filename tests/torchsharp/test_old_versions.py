"""Assemblies that were compiled against TorchSharp 0.102 to 0.106 find every member, and sources bind to the current ones.

``old-members.jsonl`` lists the members of those versions that 0.107 no longer has, with the first and the last version that has them.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

import bridge
import csharp_compiler
from bridge.clr.find import assemblies

pytestmark = [pytest.mark.dotnet, pytest.mark.sdk]
HERE = Path(__file__).parent
REFERENCE = HERE.parents[1] / "dotnet" / "tests" / "TorchSharp.Reference"
VERSIONS = [f"0.102.{patch}" for patch in range(9)] + ["0.103.0", "0.103.1", "0.104.0", "0.105.0", "0.105.2", "0.106.0"]


def _rows(file: str) -> list[Any]:
    return [json.loads(line) for line in (REFERENCE / file).read_text(encoding="utf-8").splitlines()]


OLD = _rows("old-members.jsonl")


@pytest.fixture(scope="module")
def program(tools: Callable[[str], Any]) -> Callable[..., str]:
    """Return ``program(*arguments)``, which runs TorchSharp.Reference and returns its output."""
    found = tools("sdk").Sdk()
    library: Path = tools("sdk").ARTIFACTS / "bin" / "TorchSharp.Reference" / "release" / "TorchSharp.Reference.dll"

    def run(*arguments: str | Path) -> str:
        command = [found.command, str(library), *map(str, arguments)]
        return subprocess.run(command, env=found.environ, capture_output=True, text=True, check=True).stdout

    return run


def _write(path: Path, rows: list[Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """Return the old members as a list of TorchSharp's surface."""
    head, *types = _rows("surface.jsonl")
    kinds = {entry["name"]: {"kind": entry["kind"], "flags": entry["flags"]} for entry in types}
    return _write(tmp_path / "old.jsonl", [head, *({**entry, **kinds[entry["name"]]} for entry in OLD)])


def test_every_member_is_found_by_its_exact_signature(program: Callable[..., str], listed: Path) -> None:
    lines = program(listed).splitlines()
    assert [line for line in lines if not line.startswith("exact\t")] == []
    assert len(lines) == sum(len(entry["methods"]) for entry in OLD) == 71
    for first, last in (method["versions"] for entry in OLD for method in entry["methods"]):
        assert VERSIONS.index(first) <= VERSIONS.index(last)
    # A member of another signature is not found.
    rows = [json.loads(line) for line in listed.read_text(encoding="utf-8").splitlines()]
    rows[1]["methods"][0]["r"] = "long"
    lines = program(_write(listed, rows)).splitlines()
    assert sum(not line.startswith("exact\t") for line in lines) == 1


def _with_old_members() -> list[Any]:
    """Return the list of 0.107's surface, with each old member in place of the current members of its name."""
    rows = _rows("surface.jsonl")
    types = {entry["name"]: entry for entry in rows[1:]}
    for old in OLD:
        current, names = types[old["name"]], {method["n"] for method in old["methods"]}
        current["methods"] = [method for method in current["methods"] if method["n"] not in names] + old["methods"]
        current["properties"] = [entry for entry in current.get("properties", []) if entry["n"] not in names]
        for entry in current["properties"]:
            entry["t"] = next((m["r"] for m in old["methods"] if m["n"] == entry.get("get")), entry["t"])
    return rows


@pytest.fixture(scope="module")
def old(
    program: Callable[..., str], build_csharp: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("old")
    program(_write(folder / "old.jsonl", _with_old_members()), folder / "TorchSharp.dll")
    return build_csharp([HERE / "OldVersions.cs"], "OldVersions", against=[folder / "TorchSharp.dll"])


X = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(1))


def _unpooled(shape: tuple[int, ...], spatial: int) -> torch.Tensor:
    result = torch.zeros(shape)
    lead = X.shape[: X.dim() - spatial]
    flat = result.reshape(*lead, -1)
    values = X.reshape(*lead, -1).flip(-1)
    flat[..., : values.shape[-1]] = values
    return flat.reshape(shape)


def _gradient(pool: Callable[[torch.Tensor], torch.Tensor], flow: torch.Tensor) -> torch.Tensor:
    leaf = X.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(pool(leaf), leaf, flow)
    return gradient


#: What Member of OldVersions.cs gives for X, by name.
EXPECTED: dict[str, Callable[[], torch.Tensor]] = {
    "grad": lambda: 2 * X,
    "to type": lambda: X.double(),
    "to type, copy": lambda: torch.ones_like(X),
    "to type, dispose": lambda: (X + 1).double(),
    "to device": lambda: X,
    "to type and device": lambda: X.double(),
    "to device type": lambda: X,
    "to text": lambda: X,
    "to tensor": lambda: X.double(),
    "to_type": lambda: X.long(),
    "cuda": lambda: torch.ones(1),
    "softplus": lambda: F.softplus(X),
    "softplus of integers": lambda: F.softplus(X, 2, 3),
    "var": lambda: X.var((0, 2), keepdim=True),
    "var without keepdim": lambda: X.var(1),
    "avg_pool2d": lambda: F.avg_pool2d(X, 2, 1),
    "avg_pool2d of numbers": lambda: F.avg_pool2d(X, 2),
    "avg_pool2d of pairs": lambda: F.avg_pool2d(X, (2, 1), None, (1, 0), False, False),
    "avg_pool3d": lambda: F.avg_pool3d(X, 2, 1),
    "avg_pool2d_backward": lambda: _gradient(lambda x: F.avg_pool2d(x, 2, 1), X[..., 1:, 1:]),
    "avg_pool3d_backward": lambda: _gradient(lambda x: F.avg_pool3d(x, 2, 1, divisor_override=3), X[:, 1:, 1:, 1:]),
    "interpolate": lambda: F.interpolate(X, scale_factor=2),
    "max_unpool2d": lambda: _unpooled((2, 3, 9, 7), 2),
    "max_unpool3d": lambda: _unpooled((2, 3, 5, 9), 3),
    "functional softplus": lambda: F.softplus(X, 2, 3),
    "AvgPool1d": lambda: F.avg_pool1d(X[0], 2),
    "Upsample": lambda: F.interpolate(X, scale_factor=2),
    "Softplus": lambda: F.softplus(X, 2, 3),
    "PolynomialLR": lambda: torch.tensor([1, 9 / 16, 1 / 4, 1 / 16, 0], dtype=torch.float64),
    "new PolynomialLR": lambda: torch.tensor([1, 9 / 16, 1 / 4, 1 / 16, 0], dtype=torch.float64),
    "scope": lambda: X + 2,
    "loaders": lambda: torch.tensor([3 + 2 + 1 + 2 + 2 + 2 + 2 + 2 + 3 + 2]),
    "modules": lambda: torch.tensor([7, 7, 7, 5, 15, 7, 6, 9, 10, 6]),
    "overrides": lambda: torch.tensor([7, 100, 6, 100, 6]),
}


def test_the_members_do_what_they_did(old: Path) -> None:
    for name, expect in EXPECTED.items():
        expected = expect()
        found = bridge.load(old, "OldVersions.Member", name)(X)
        assert found.dtype == expected.dtype, name
        assert torch.allclose(found, expected), name


def test_the_assembly_calls_every_member(old: Path, program: Callable[..., str], listed: Path) -> None:
    lines = (line.split("\t") for line in program("--calls", old).splitlines())
    called = {(type_.partition("<")[0], name, signature) for type_, name, signature in lines}
    rows = map(json.loads, program("--json", listed).splitlines())
    uncalled = {(row["type"], row["name"], row["signature"]) for row in rows} - called
    assert uncalled == {
        ("TorchSharp.torch/Tensor", "mps", "TorchSharp.torch/Tensor()"),  # needs a device, as the next
        ("TorchSharp.ModuleExtensionMethods", "cuda", "static !!0(!!0,int)`1"),
    }


#: What the class SameEither of Bindings.cs calls.
SAME_EITHER: set[tuple[str, ...]] = {
    ("TorchSharp.ModuleExtensionMethods", "cpu"),
    ("TorchSharp.ModuleExtensionMethods", "to"),
    ("TorchSharp.Modules.DataLoader", ".ctor"),
    ("TorchSharp.Modules.DataLoader`2<long,long>", ".ctor"),
    ("TorchSharp.Modules.IterableDataLoader", ".ctor"),
    ("TorchSharp.torch/nn", "Softplus"),
    ("TorchSharp.torch/nn", "Upsample"),
    ("TorchSharp.torch/optim/lr_scheduler", "PolynomialLR"),
    ("TorchSharp.torch/optim/lr_scheduler/impl/PolynomialLR", ".ctor"),
    ("TorchSharp.torch/utils/data", "DataLoader"),
}


@pytest.mark.parametrize("language", ["10.0", "12.0", None])
def test_sources_bind_to_the_current_members(
    language: str | None, sdk: Any, program: Callable[..., str], reference: Path
) -> None:
    sources = {"Bindings.cs": (HERE / "Bindings.cs").read_text(encoding="utf-8")}

    def bound(references: tuple[Path, ...]) -> set[str]:
        wanted = csharp_compiler.Compilation("Bindings", sources, references, language=language)
        return set(program("--calls", csharp_compiler.compile_sources(sdk, wanted)).splitlines())

    folder, _ = assemblies.folder()
    theirs, ours = bound((reference,)), bound((folder / "Bridge.Hooks.dll", folder / "Bridge.Torch.dll"))
    other = {tuple(line.split("\t")[:2]) for line in ours - theirs}
    assert other == SAME_EITHER
