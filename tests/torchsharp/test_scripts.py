"""TorchScript in C#: ``torch.jit.load`` and its modules, hooks, training and conversion, and ``torch.jit.compile``."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import bridge

pytestmark = pytest.mark.dotnet


def _loaded(file: Path) -> Any:
    return torch.jit.load(file)  # type: ignore[no-untyped-call]  # torch's is untyped


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a module in TorchScript; beside it, one with two arguments."""
    folder = tmp_path_factory.mktemp("scripts")
    spec = importlib.util.spec_from_file_location("script_nets", Path(__file__).with_name("script_nets.py"))
    assert spec is not None
    assert spec.loader is not None
    nets = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(nets)
    torch.manual_seed(0)
    torch.jit.save(torch.jit.script(nets.Net(nets.Block())), folder / "net.pt")
    torch.jit.save(torch.jit.script(nets.Two()), folder / "net2.pt")
    return folder / "net.pt"


@pytest.fixture(scope="module")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    return build_csharp([Path(__file__).with_name("Scripts.cs")], "Scripted")


@pytest.fixture
def program(assembly: Path) -> Any:
    return bridge.new(assembly, "Scripts.Program")


def test_numbers_are_pythons(program: Any, file: Path, bits_equal: Any) -> None:
    expected: Any = _loaded(file)
    x = torch.rand(5, 3)
    torch.manual_seed(3)
    ours = program.Run(str(file), x)
    torch.manual_seed(3)
    theirs = expected(x)
    assert bits_equal(ours, theirs)
    torch.manual_seed(3)
    assert bits_equal(program.RunBytes(str(file), x), theirs)


def test_members_of_the_module(program: Any, file: Path) -> None:
    parameters, buffers, modules, children, state, attributes, rest = program.Names(str(file)).split("|")
    expected: Any = _loaded(file)
    assert parameters.split() == [name for name, _ in expected.named_parameters()]
    assert buffers.split() == [name for name, _ in expected.named_buffers()]
    assert sorted(modules.split()) == sorted(name for name, _ in expected.named_modules() if name)
    assert children == "inner:Block out:Linear"
    assert sorted(state.split()) == sorted(expected.state_dict())
    assert attributes == "scale shift"
    assert rest == "Net 1 1"


def test_results_are_of_torchsharps_types(program: Any, file: Path) -> None:
    assert program.Results(str(file)) == (
        "(T2,T4) T6 T6 [T4,T4,T4] S5 S6 S0 a! {aT2,bT4} (T2,S3,[T2]) null null [S2,S3] 7"
    )


def test_hooks_fire_on_call(program: Any, file: Path) -> None:
    x = torch.ones(2, 3)
    assert program.Hooks(str(file), x).split("\n") == [
        "pre True",
        "post 12",
        "untyped 1 0.000",
        "0",
        "True",
        "untyped 1 " + f"{_loaded(file).eval()(x).sum().item():.3f}",
        "True",
        "1 10",
    ]


def test_training_changes_the_module(program: Any, file: Path, tmp_path: Path, bits_equal: Any) -> None:
    x = torch.rand(6, 3)
    expected: Any = _loaded(file)
    torch.manual_seed(4)
    optimizer = torch.optim.SGD(expected.parameters(), 0.5)
    for _ in range(3):
        optimizer.zero_grad()
        expected(x).square().sum().backward()
        optimizer.step()
    torch.manual_seed(4)
    output, *state = program.Train(str(file), x, str(tmp_path / "saved.pt"))
    expected.eval()
    assert bits_equal(output, expected(x))
    known = expected.state_dict()
    assert known["inner.seen"] == 4
    assert _loaded(tmp_path / "saved.pt").state_dict()["inner.seen"] == 3
    names = [*dict(expected.named_parameters()), *dict(expected.named_buffers())]
    for name, tensor in zip(names, state, strict=True):
        assert bits_equal(tensor, known[name]), name
    assert bits_equal(_loaded(tmp_path / "saved.pt")(x), output)


def test_conversion_and_attributes(program: Any, file: Path) -> None:
    assert program.Converted(str(file), torch.ones(2, 3)) == "Float64 10 True"


def test_a_compilation_unit(program: Any) -> None:
    assert [tensor.item() for tensor in program.Compiled()] == [3, 1, 2, 1]


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("file", "net.pt.absent"),
        ("method", "has no attribute 'absent'"),
        ("attribute", "the TorchScript module Net has no attribute 'absent'"),
        ("arguments", "forward() expected at most 2 argument(s)"),
        ("type", "was given where C# declares (Tensor, Tensor)"),
        ("bytes", "give the name of a file"),
        ("disposed", "disposed object"),
        ("function", "has no function 'g'"),
        ("syntax", "expected ident"),
        ("empty", "The script is empty"),
        ("export", "load it by torch.jit.load"),
        ("tensorboard", "torch.utils.tensorboard.SummaryWriter"),
        ("complex", "complex Scalar"),
    ],
)
def test_refused_by_name(program: Any, file: Path, what: str, text: str) -> None:
    with pytest.raises(Exception, match=re.escape(text)):
        program.Refused(str(file), what)


def test_a_part_of_a_model(assembly: Path, file: Path, bits_equal: Any) -> None:
    """The mirror of the part has its parameters, which TorchScript uses, and its hooks."""
    torch.manual_seed(7)
    model: Any = bridge.load(assembly, "Scripts.Holder", str(file), False).eval()
    part = _loaded(file).eval()
    x = torch.rand(4, 3)
    assert set(model.net.state_dict()) == set(part.state_dict())
    assert bits_equal(model(x), model.last(part(x)))
    model(x).sum().backward()
    assert model.net.inner.fc.weight.grad is not None
    assert bits_equal(model.net(x), part(x))
    with torch.no_grad():
        model.net.scale.mul_(2)
        part.scale.mul_(2)
    model.net.out.bias = nn.Parameter(torch.ones(2))
    part.out.bias = nn.Parameter(torch.ones(2))
    assert bits_equal(model(x), model.last(part(x)))
    assert model.net.inner.seen == 4
    shapes: list[torch.Size] = []
    handle = model.net.register_forward_hook(lambda _, args, output: shapes.append(output.shape))
    model(x)
    handle.remove()
    assert shapes == [(4, 2)]
    model.train()
    torch.manual_seed(1)
    trained = model(x)
    part.train()
    torch.manual_seed(1)
    assert bits_equal(trained, model.last(part(x)))
    model.eval()
    model.double()
    assert model(x.double()).dtype == torch.float64
    model.net.inner.fc = nn.Linear(3, 4)
    with pytest.raises(RuntimeError, match="was replaced or removed in Python"):
        model(x.double())


def test_hooks_of_the_part_in_csharp(assembly: Path, file: Path, bits_equal: Any) -> None:
    model: Any = bridge.load(assembly, "Scripts.Holder", str(file), True).eval()
    assert len(model.net._forward_hooks) == 1
    zero = model.last(torch.zeros(4, 2))
    assert bits_equal(model(torch.rand(4, 3)), zero)
    assert bits_equal(model.last(model.net(torch.rand(4, 3))), zero)
    model.net._forward_hooks.clear()
    assert not bits_equal(model(torch.rand(4, 3)), zero)


def test_parameters_of_the_part_are_trained(assembly: Path, file: Path, bits_equal: Any) -> None:
    model: Any = bridge.load(assembly, "Scripts.Holder", str(file), False).eval()
    before = {name: value.clone() for name, value in model.net.state_dict().items()}
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model(torch.rand(4, 3)).square().sum().backward()
    optimizer.step()
    changed = {name for name, value in model.net.state_dict().items() if not bits_equal(value, before[name])}
    assert changed == {name for name, _ in model.net.named_parameters()} | {"inner.seen"}
