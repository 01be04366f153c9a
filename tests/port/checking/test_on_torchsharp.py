"""Issue 43, section 3: ports build on the real TorchSharp, too, and give the same there."""

from __future__ import annotations

import inspect
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

import bridge
from bridge.compare.errors import TargetError
from bridge.port.verify.comparisons import judge_on_torchsharp
from tests.port.checking.checker import check
from tests.port.compiled import FIRST, MODELS, Written

pytestmark = [pytest.mark.dotnet, pytest.mark.slow]
_INPUTS: Final = 20


@pytest.mark.parametrize("name", MODELS)
def test_a_port_is_the_same_on_torchsharp(
    name: str, written: Written, sources: Mapping[str, str], torchsharp: Path, build_csharp: Callable[..., Path]
) -> None:
    """Section 3: 'builds on the real TorchSharp 0.107 too, and gives the same there'."""
    _, model, port, arguments = written[name]
    built = build_csharp(sources, "AllPorts", against=[torchsharp])
    parameters = inspect.signature(model.forward).parameters
    given = {one: arguments.get(one, parameters[one].default) for one in port.inputs}
    type_, runtime = f"{port.namespace}.{port.root}", f"torchsharp:{torchsharp.parent}"
    make = partial(bridge.load, built, type_, runtime=runtime, **port.arguments)
    report = check(model, make, given, seed=list(MODELS).index(name), inputs=_INPUTS, apart=True)
    assert report.difference is None, str(report)
    assert report.accepted == _INPUTS


def test_an_assembly_without_torchsharp_is_not_taken_for_one_with_it(
    written: Written, sources: Mapping[str, str], build_csharp: Callable[..., Path]
) -> None:
    _, model, port, arguments = written["Biases"]
    built, root = build_csharp(sources, "AllPorts"), f"{port.namespace}.{port.root}"
    with pytest.raises(TargetError, match="AllPorts.dll was built without TorchSharp"):
        judge_on_torchsharp(model, built, root, arguments, seed=0, step=lambda _: None, keywords=port.arguments)


@pytest.mark.sdk
def test_a_project_restores_torchsharp_itself_and_runs(written: Written, tmp_path: Path, sdk: Any) -> None:
    """The folder as it was written, with its package; what it built gives the original's results."""
    folder, model, port, arguments = written[FIRST]
    project = shutil.copytree(folder, tmp_path / folder.name)
    environ = {**sdk.environ, "UseAppHost": "false", "NuGetAudit": "false"}  # neither is fetched for tests
    run = subprocess.run(
        [sdk.command, "run"], cwd=project, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1x10" in run.stdout
    (built,) = (project / "bin").glob(f"*/*/{folder.name}.dll")
    make = partial(bridge.load, built, f"{port.namespace}.{port.root}", runtime="torchsharp", **port.arguments)
    report = check(model, make, arguments, seed=0, inputs=_INPUTS, apart=True)
    assert report.difference is None, str(report)
