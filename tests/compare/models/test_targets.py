"""bridge/compare/models/targets.py: how models are named. What goes wrong with them: tests/commands/test_bad_input.py."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bridge.compare.errors import TargetError
from bridge.compare.models.targets import DotNetTarget, PythonTarget, dotnet_target, python_target


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("pkg.mod:make", PythonTarget("pkg.mod", "make")),
        ("mod:Outer.make", PythonTarget("mod", "Outer.make")),
        ("mod:make()", PythonTarget("mod", "make")),
        ("mod:make(1, 'a', [2.5, null], true)", PythonTarget("mod", "make", (1, "a", [2.5, None], True))),
        ("mod:make(1, b=null)", PythonTarget("mod", "make", (1,), {"b": None})),
        ("some/nets.py:Net", PythonTarget("nets", "Net", file=Path("some/nets.py"))),
    ],
)
def test_a_python_model(text: str, target: PythonTarget) -> None:
    assert python_target(text) == target


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Models.dll:A.B", DotNetTarget(Path("Models.dll"), "A.B")),
        ("a b/Models.csproj:A.B+C", DotNetTarget(Path("a b/Models.csproj"), "A.B+C")),
        (r"C:\nets\Models.dll:A.B", DotNetTarget(Path(r"C:\nets\Models.dll"), "A.B")),
        ('x.dll:A.B(10, "re:lu()", false)', DotNetTarget(Path("x.dll"), "A.B", (10, "re:lu()", False))),
        ("x.dll:A.B(-1)", DotNetTarget(Path("x.dll"), "A.B", (-1,))),
        (
            "x.dll:A.B(2, bias=true, sizes=[1, 2])",
            DotNetTarget(Path("x.dll"), "A.B", (2,), keywords={"bias": True, "sizes": [1, 2]}),
        ),
    ],
)
def test_a_csharp_model(text: str, target: DotNetTarget) -> None:
    assert dotnet_target(text) == target


@pytest.mark.parametrize(
    "text",
    [
        "x.dll:A.B(open('f'))",
        "x.dll:A.B(1,, 2)",
        "x.dll:A.B(x)",
        "x.dll:A.B(*[1])",
        "x.dll:A.B(1])",
        "x.dll:A.B(1)(2)",
        "x.dll:A.B(1) + (2)",
        "x.dll:A.B(a=x)",
        "x.dll:A.B(a=1, a=2)",
        "x.dll:A.B(**{'a': 1})",
        "x.dll:A.B(a=1, 2)",
    ],
)
def test_arguments_are_literals_and_nothing_is_run(text: str) -> None:
    with pytest.raises(TargetError, match="are not literals"):
        dotnet_target(text)


def test_a_factory_is_called_with_its_arguments() -> None:
    made = python_target("torch.nn:Linear(3, 2, false)").make()
    assert isinstance(made, torch.nn.Linear)
    assert (made.in_features, made.out_features, made.bias) == (3, 2, None)


def test_keywords_reach_the_factory() -> None:
    made = python_target("torch.nn:Linear(3, out_features=2, bias=false)").make()
    assert isinstance(made, torch.nn.Linear)
    assert (made.in_features, made.out_features, made.bias) == (3, 2, None)


def test_an_option_of_load_is_no_argument() -> None:
    with pytest.raises(TargetError, match="forward_fires is an option, --forward-fires"):
        dotnet_target("x.dll:A.B(forward_fires=true)")


def test_a_module_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in_this_folder.py").write_text("import torch\nready = torch.nn.ReLU()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [])
    assert isinstance(python_target("in_this_folder:ready").make(), torch.nn.ReLU)


class Cyclic(torch.nn.Module):
    """Below ``outer.inner`` comes ``outer`` again."""

    def __init__(self) -> None:
        super().__init__()
        self.outer = torch.nn.Module()
        self.outer.inner = torch.nn.Sequential(torch.nn.ReLU())
        self.outer.inner.add_module("back", self.outer)


class Shared(torch.nn.Module):
    """One module at two places, which is not a cycle."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Sequential(torch.nn.ReLU())
        self.second = self.first
        self.third = torch.nn.Sequential(self.first, self.first)


def test_a_model_that_contains_itself_is_refused_by_its_paths() -> None:
    """PyTorch's own ``eval`` raises RecursionError on it."""
    with pytest.raises(
        TargetError,
        match=r"contains itself: the module at 'outer\.inner\.back' is the same object as the module at 'outer'; PyTorch does not",
    ):
        PythonTarget(__name__, "Cyclic").make()


def test_a_module_at_two_places_is_not_within_itself() -> None:
    assert isinstance(PythonTarget(__name__, "Shared").make(), Shared)
