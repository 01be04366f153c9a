"""compare on ResNet-18: the right port, one BatchNorm's momentum changed, one forward for call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from bridge.clr.find.assemblies import sample

VISION = Path(__file__).parents[2] / "dotnet" / "samples" / "Vision"
Command = Callable[..., Result]


def _compare(command: Command, assembly: Path, *args: str) -> Result:
    python, dotnet = "bridge.samples.resnet:ResNet18", f"{assembly}:Vision.ResNet18"
    return command("compare", "--python", python, "--dotnet", dotnet, "--shape", "2,3,64,48", *args)


def _changed(build_csharp: Callable[..., Path], name: str, file: str, old: str, new: str) -> Path:
    """Compile the samples with one line of one file changed."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in VISION.glob("*.cs")}
    assert sources[file].count(old) == 1
    sources[file] = sources[file].replace(old, new)
    return build_csharp(sources, name)


@pytest.mark.parametrize("args", [(), ("--train", "--backward")])
def test_the_right_port_is_the_same_to_the_last_bit(dotnet: object, command: Command, args: tuple[str, ...]) -> None:
    done = _compare(command, sample("Vision.dll"), *args)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Same: 76 equal module calls on each side, identical order")
    assert done.stdout.rstrip().endswith("largest difference 0.")


def test_another_momentum_of_one_batch_norm(build_csharp: Callable[..., Path], command: Command) -> None:
    assembly = _changed(build_csharp, "Momentum", "ResNet18.cs", "BatchNorm2d(64)", "BatchNorm2d(64, momentum: 0.2)")
    assert _compare(command, assembly).exit_code == 0
    done = _compare(command, assembly, "--train")
    assert done.exit_code == 1
    assert "bn1 (BatchNorm2d): momentum is 0.1 in pytorch and 0.2 in dotnet" in done.stdout


def test_one_forward_for_call(build_csharp: Callable[..., Path], command: Command) -> None:
    """C-3: the bypassed child and the line of the fix; no value differs."""
    assembly = _changed(build_csharp, "Forwarded", "ResNet18.cs", "avgpool.call(x)", "avgpool.forward(x)")
    done = _compare(command, assembly)
    assert done.exit_code == 1
    assert "avgpool was run by forward(), not call()" in done.stdout
    assert "avgpool.call(x)" in done.stdout
