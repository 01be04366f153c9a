"""tools/pybridge.py: TorchSharp.PyBridge, as it comes from NuGet, reads and writes weights on Bridge.Torch."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

pytestmark = [
    pytest.mark.dotnet,
    pytest.mark.sdk,
    pytest.mark.filterwarnings("ignore:Detected pickle protocol"),
]


@pytest.fixture(scope="module")
def tool(tools: Callable[[str], Any]) -> Any:
    return tools("pybridge")


@pytest.fixture(scope="module")
def assembly(tool: Any, sdk: Any, nuget_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile Drawn.cs beside TorchSharp.PyBridge. Skips where NuGet has no such package."""
    try:
        return tool.build(sdk, nuget_cache, tmp_path_factory.mktemp("pybridge"))  # type: ignore[no-any-return]
    except tool.NoPackage as error:
        pytest.skip(str(error))


def test_python_and_csharp_read_what_the_other_writes(tool: Any, assembly: Path, tmp_path: Path) -> None:
    found = {seed: tool.exchange(assembly, seed, tmp_path) for seed in range(5000, 5040)}
    assert found == dict.fromkeys(found)


def test_a_damaged_file_is_an_error(tool: Any, assembly: Path, tmp_path: Path) -> None:
    found = {seed: tool.damage(assembly, seed, tmp_path) for seed in range(5000, 5040)}
    counts = Counter(result for result, _ in found.values())
    assert counts["wrong"] == 0, found
    assert counts["error"] > 30, found


def test_a_difference_would_be_seen(tool: Any, assembly: Path, tmp_path: Path) -> None:
    state = {"a.b": torch.tensor([1.0, float("nan")]), "c": torch.tensor(3)}
    tool.write(state, "py", tmp_path / "a.pt", random.Random(1))
    model = tool.make(assembly, state, random.Random(1))
    assert tool.difference(model.state_dict(), state) == "a.b has other elements"
    assert model("load_py", str(tmp_path / "a.pt"), True) == "a.b\nc"
    assert tool.difference(model.state_dict(), state) is None
    assert "torch.int32" in tool.difference(state, {**state, "c": torch.tensor(3, dtype=torch.int32)})
    assert tool.difference(state, {"c": state["c"]}) == "the paths ['a.b'] are in one of the two"


def test_what_does_not_fit_the_module_is_an_error(tool: Any, assembly: Path, tmp_path: Path) -> None:
    """Strictly or not, from either format."""
    state = {"a": torch.ones(2, 3), "b": torch.ones(4)}
    for form in tool.FORMATS:
        path = tmp_path / f"a.{form}"
        tool.write({"a": state["a"]}, form, path, random.Random(1))
        model = tool.make(assembly, state, random.Random(1))
        with pytest.raises(bridge.DotNetError):
            model(f"load_{form}", str(path), True)
        assert model(f"load_{form}", str(path), False) == "a"
        assert torch.equal(model.state_dict()["a"], state["a"])
        with pytest.raises(bridge.DotNetError, match="FileNotFound"):
            model(f"load_{form}", str(tmp_path / "none"), True)


@pytest.mark.slow
def test_the_tool_says_how_many_differ(tool: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--states", "60", "--damaged", "40", "--seed", "9000"]) == 0
    out = capsys.readouterr().out
    assert "60 state dictionaries, 0 differ" in out
    assert "40 damaged files, 0 wrong" in out
