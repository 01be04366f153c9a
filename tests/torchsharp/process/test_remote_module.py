"""A model in the process of TorchSharp, as a module of Python: on TorchSharp, and on Bridge.Torch in that process."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge
from bridge.clr.errors import DotNetError
from bridge.samples import resnet
from bridge.torchsharp.process import HostDied, HostTimeout, TorchSharpProcess
from bridge.torchsharp.process.exchange import Exchange
from bridge.torchsharp.process.loader import prepare_bridge_torch
from bridge.torchsharp.process.remote_model import Recipe, RemoteModel
from bridge.torchsharp.process.remote_module import build
from tests.support.processes import WINE, kill

pytestmark = [pytest.mark.dotnet, pytest.mark.usefixtures("on_each_system")]
#: What is told of a process that was killed, and of one that ended itself.
KILLED, ABORTED = ("SIGKILL", "SIGABRT") if os.name == "posix" else ("exit code 9", "exit code 0x")


def load(path: Path, name: str, *args: Any, **kwargs: Any) -> torch.nn.Module:
    return bridge.load(path, f"Models.{name}", *args, runtime="torchsharp", **kwargs)


def host_of(model: torch.nn.Module) -> TorchSharpProcess:
    host: TorchSharpProcess = model.__dict__["_model"].exchange.host
    return host


def net(model: torch.nn.Module) -> torch.nn.Sequential:
    """Return the PyTorch original of Net, with the same weight objects."""
    made = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    made[0].weight, made[0].bias = model.fc1.weight, model.fc1.bias
    made[2].weight, made[2].bias = model.fc2.weight, model.fc2.bias
    return made


def test_which_runtime_it_is_is_said(torchsharp_models: Path, bridge_torch_models: Path) -> None:
    model = load(torchsharp_models, "Net")
    assert model.runtime == "TorchSharp 0.107.0, libtorch 2.10.0.0, own process"
    assert "TorchSharp 0.107.0, libtorch 2.10.0.0, own process" in repr(model)
    version = torch.__version__.split("+")[0]
    assert load(bridge_torch_models, "Net").runtime == f"Bridge.Torch 0.1.0, libtorch {version}, own process"


def test_a_model_has_the_tree_and_the_weights_and_computes(models: Path) -> None:
    model = load(models, "Net")
    assert [name for name, _ in model.named_modules()] == ["", "fc1", "act", "fc2"]
    assert [type_of(module) for module in model.modules()] == ["Net", "Linear", "ReLU", "Linear"]
    assert list(model.state_dict()) == ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]
    assert all(isinstance(parameter, torch.nn.Parameter) for parameter in model.parameters())
    x = torch.randn(3, 4)
    with torch.no_grad():
        assert torch.allclose(model(x), net(model)(x), atol=1e-6)
        assert torch.allclose(model.fc1(x), torch.nn.functional.linear(x, model.fc1.weight, model.fc1.bias), atol=1e-6)


def type_of(module: torch.nn.Module) -> str:
    return type(module).__name__


def test_arguments_of_the_constructor_are_given(models: Path) -> None:
    assert load(models, "Net", 5).fc1.weight.shape == (5, 4)
    assert load(models, "Net", width=6).fc1.weight.shape == (6, 4)


@torch.no_grad()
def test_what_python_writes_to_weights_is_there_at_the_next_call(models: Path) -> None:
    model, x = load(models, "Net"), torch.randn(3, 4)
    model.fc1.weight.mul_(2)
    assert torch.allclose(model(x), net(model)(x), atol=1e-6)
    model.load_state_dict({name: torch.randn_like(value) for name, value in model.state_dict().items()})
    assert torch.allclose(model(x), net(model)(x), atol=1e-6)
    model.fc2.bias = torch.nn.Parameter(torch.ones(2))
    assert torch.allclose(model(x), net(model)(x), atol=1e-6)
    model.fc2.bias.data = torch.zeros(2)
    assert torch.allclose(model(x), net(model)(x), atol=1e-6)
    state = torch.optim.SGD(model.parameters(), lr=0.5)
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    state.step()
    assert torch.allclose(model(x), net(model)(x), atol=1e-6)


@torch.no_grad()
def test_what_a_call_writes_to_buffers_comes_back_where_modules_train(models: Path) -> None:
    model, x = load(models, "Counting"), torch.randn(2, 2)
    assert torch.equal(model.seen, torch.zeros(3))
    model(x)
    seen = model.seen.clone()
    assert seen[0] != 0
    model.eval()
    model(x)
    assert torch.equal(model.seen, seen)
    model.train()
    model(x)
    assert not torch.equal(model.seen, seen)


@torch.no_grad()
def test_dotted_names_of_native_modules_are_pytorchs(models: Path) -> None:
    """TS-8: what libtorch makes has its parameters flat there, as `layers.0.linear1.weight`, and no children."""
    model, x = load(models, "Encoding").eval(), torch.randn(3, 2, 4)
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8)
    original = torch.nn.ModuleDict(
        {"encoder": torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)}
    ).eval()
    assert {*model.state_dict()} == {*original.state_dict()}
    assert {name for name, _ in model.named_parameters()} == {name for name, _ in original.named_parameters()}
    for parameter in original.parameters():
        parameter.copy_(torch.randn_like(parameter))
    model.load_state_dict(original.state_dict(), strict=True)
    assert torch.equal(model.get_parameter("encoder.layers.1.linear2.bias"), original["encoder"].layers[1].linear2.bias)
    if "libtorch" in model.runtime and "no libtorch" not in model.runtime:
        assert torch.allclose(model(x), original["encoder"](x), atol=1e-5)
    else:
        assert torch.allclose(model(x), x + original["encoder"].layers[0].norm2.bias, atol=1e-5)
    assert torch.equal(copy.deepcopy(model)(x), model(x))
    model.encoder.get_submodule("layers").train()
    with pytest.raises(
        RuntimeError, match=r"'encoder.layers' is part of 'encoder': both must have the same training mode"
    ):
        model(x)
    model.eval()
    part, model.encoder.layers = model.encoder.layers, torch.nn.Identity()
    with pytest.raises(RuntimeError, match=r"Python has (replaced or removed 'encoder.layers'|taken)"):
        model(x)
    model.encoder.layers = part
    model(x)


def test_a_module_that_is_there_twice_is_one(models: Path) -> None:
    model = load(models, "Counting")
    assert model.first is model.second
    assert [name for name, _ in model.named_modules()] == ["", "first", "fc"]


@torch.no_grad()
def test_values_of_every_kind_cross(models: Path) -> None:
    model, x = load(models, "Kinds"), torch.randn(2, 3)
    same, pair, numbers, entries, other = model(x, (3, 0.5), "text", flag=True)
    assert torch.equal(same, x)
    assert (pair, numbers, other) == (("text", True), [3.0, 0.5], None)
    assert list(entries) == ["x"]
    assert torch.equal(entries["x"], x)
    *_, numbers, _, other = model(x, (1, float("inf")), other=x)
    assert numbers == [1.0, float("inf")]
    assert torch.equal(other, x)
    numbers = model(x, numbers=(2, float("nan")))[2]
    assert numbers[1] != numbers[1]


@torch.no_grad()
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16])
def test_tensors_of_any_shape_cross(models: Path, dtype: torch.dtype) -> None:
    model = load(models, "Identity")
    for shape in ((), (0,), (3, 0, 2), (5,), (2, 3, 4), (1000, 300)):
        x = torch.randint(0, 2, shape).to(dtype)
        y = model(x)
        assert y.dtype == dtype
        assert torch.equal(x, y)
    x = torch.randint(0, 2, (6, 4)).to(dtype).t()
    assert torch.equal(model(x), x)


@torch.no_grad()
def test_results_are_their_owners(models: Path) -> None:
    """Large ones are on shared memory, which is no other call's while they live."""
    model = load(models, "Identity")
    given = [torch.full((300_000,), float(number)) for number in range(6)]
    kept = [model(x) for x in given]
    assert all(map(torch.equal, kept, given))
    kept[0].zero_()
    assert all(map(torch.equal, kept[1:], given[1:]))
    assert torch.equal(model(given[3]), given[3])


def test_gradients_do_not_cross_and_the_error_says_so(models: Path) -> None:
    model, x = load(models, "Net"), torch.randn(3, 4)
    result = model(x)
    assert result.requires_grad
    with pytest.raises(RuntimeError, match="gradients do not reach the process of TorchSharp"):
        result.sum().backward()
    with torch.no_grad():
        assert not model(x).requires_grad
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    assert not model(x).requires_grad


@torch.no_grad()
def test_hooks_run_where_python_calls_and_nowhere_else(models: Path) -> None:
    model, x, heard = load(models, "Net"), torch.randn(3, 4), []
    handle = model.register_forward_hook(lambda module, args, result: heard.append(result) or result * 0)
    assert torch.equal(model(x), torch.zeros(3, 2))
    assert len(heard) == 1
    handle.remove()
    handle = model.fc1.register_forward_pre_hook(lambda module, args: (args[0] * 0,))
    assert torch.allclose(model.fc1(x), model.fc1.bias.expand(3, -1))
    with pytest.raises(RuntimeError, match="'fc1' has Python hooks, which cannot run"):
        model(x)
    handle.remove()
    model(x)


@torch.no_grad()
def test_what_cannot_cross_is_an_error(models: Path) -> None:
    model, x = load(models, "Net"), torch.randn(3, 4)
    with pytest.raises(TypeError, match="an object cannot be sent"):
        model(object())
    with pytest.raises(ValueError, match="on the meta device"):
        model(x.to("meta"))
    with pytest.raises(
        DotNetError,
        match=r"\(Tensor\[3, 4\], Tensor\[3, 4\]\) match no overload of Net.forward. It has: forward\(Tensor x\) \(F-2",
    ):
        model(x, x)
    with pytest.raises(DotNetError, match=r"The arguments \(\) match no overload of Net.forward"):
        model()
    with pytest.raises(DotNetError, match=r"\(Tensor\[3, 4\], y: 1\) match no overload of Net.forward"):
        model(x, y=1)
    with pytest.raises(DotNetError, match=r"\"text\" is no Tensor for 'x'"):
        model("text")
    assert host_of(model).ask("ping") == {}
    part, model.fc1 = model.fc1, torch.nn.Linear(4, 8)
    with pytest.raises(RuntimeError, match="Python has replaced or removed 'fc1'"):
        model(x)
    model.fc1 = part
    bias, model.fc1.bias = model.fc1.bias, None
    with pytest.raises(RuntimeError, match=r"Python has removed 'fc1.bias'"):
        model(x)
    model.fc1.bias = bias
    model(x)
    with pytest.raises(DotNetError, match="'fc1.weight' cannot be written"):
        model.double()(x.double())


@torch.no_grad()
def test_a_copy_is_a_model_of_its_own(models: Path) -> None:
    model, x = load(models, "Net").eval(), torch.randn(3, 4)
    model.fc1.weight.mul_(3)
    other = copy.deepcopy(model)
    assert torch.equal(other(x), model(x))
    assert not other.fc1.training
    other.fc1.weight.zero_()
    assert not torch.equal(other(x), model(x))
    with pytest.raises(TypeError, match="copy the whole model"):
        copy.deepcopy(model.fc1)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model)


def test_a_copy_has_the_frozen_parameters_and_the_hooks_of_the_root(models: Path) -> None:
    model, calls = load(models, "Net"), []
    model.fc1.weight.requires_grad_(False)
    model.register_forward_hook(lambda module, args, kwargs, output: calls.append(module), with_kwargs=True)
    model.note = ["mine"]
    other = copy.deepcopy(model)
    assert not other.fc1.weight.requires_grad
    assert other.fc1.bias.requires_grad
    assert other.note == ["mine"]
    assert other.note is not model.note
    with torch.no_grad():
        other(torch.randn(3, 4))
    assert calls == [other]


@torch.no_grad()
def test_a_model_outlives_its_process_with_its_weights_and_modes(models: Path) -> None:
    model, x = load(models, "Counting"), torch.randn(2, 2)
    model.eval()
    model.fc.weight.fill_(3)
    model(x)
    pid = host_of(model).pid
    assert pid is not None
    kill(pid)
    with pytest.raises(HostDied, match=KILLED):
        model(x)
    seen = model.seen.clone()
    assert torch.equal(model(x), x.relu())
    assert torch.equal(model.seen, seen)
    assert torch.equal(model.fc(torch.ones(2)), model.fc.bias + 6)
    assert host_of(model).pid != pid


@torch.no_grad()
@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("fail", f"{ABORTED}.*the model gave up"),
        ("exit", "exit code 7"),
        pytest.param(
            "overflow",
            f"{ABORTED}.*Stack overflow",
            marks=pytest.mark.skipif(WINE, reason="under Wine, a .NET program whose stack overflows does not end"),
        ),
    ],
)
def test_a_model_that_ends_its_process_ends_nothing_else(models: Path, what: str, why: str, capfd: Any) -> None:
    model, x = load(models, "Doing"), torch.randn(2)
    with pytest.raises(HostDied) as caught:
        model(x, what)
    first, _, rest = why.partition(".*")
    assert first in str(caught.value)
    # What .NET says of an overflow is longer than what is kept of it.
    assert rest in capfd.readouterr().err
    assert torch.equal(model(x, "nothing"), x)


@torch.no_grad()
@pytest.mark.parametrize("what", ["hang", "spin"])
def test_a_model_that_hangs_is_ended_at_the_deadline(models: Path, what: str) -> None:
    model, x = load(models, "Doing"), torch.randn(2)
    host = host_of(model)
    before, host._timeout = host._timeout, 1.0
    try:
        with pytest.raises(HostTimeout):
            model(x, what)
    finally:
        host._timeout = before
    assert torch.equal(model(x, "nothing"), x)


@torch.no_grad()
def test_what_a_model_prints_is_seen_and_is_no_answer(models: Path, capsys: Any) -> None:
    model, x = load(models, "Doing"), torch.randn(2)
    assert torch.equal(model(x, "print"), x)
    host_of(model).close()
    assert '{"id": 1, "result": {}}' in capsys.readouterr().err
    assert torch.equal(model(x, "read"), x)


@torch.no_grad()
def test_what_a_model_throws_is_raised(models: Path) -> None:
    model, x = load(models, "Doing"), torch.randn(2)
    pid = host_of(model).pid
    with pytest.raises(DotNetError, match="not today") as caught:
        model(x, "throw")
    assert caught.value.dotnet_type == "System.InvalidOperationException"
    assert "Models.Doing.forward" in caught.value.dotnet_stack
    assert torch.equal(model(x, "nothing"), x)
    assert host_of(model).pid == pid


@torch.no_grad()
@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("index", IndexError),
        ("range", IndexError),
        ("range", ValueError),
        ("key", KeyError),
        ("file", FileNotFoundError),
        ("division", ZeroDivisionError),
        ("unsupported", NotImplementedError),
    ],
)
def test_what_a_model_throws_has_pythons_class(models: Path, what: str, kind: type[Exception]) -> None:
    """By the table of Python's own process."""
    with pytest.raises(kind, match="not today") as caught:
        load(models, "Doing")(torch.randn(2), what)
    assert isinstance(caught.value, DotNetError)
    assert "Models.Doing.forward" in caught.value.dotnet_stack


def test_wrong_arguments_are_type_errors(models: Path) -> None:
    model, x = load(models, "Net"), torch.randn(3, 4)
    for given in ((x, x), (), ("text",)):
        with pytest.raises(TypeError) as caught:
            model(*given)
        assert isinstance(caught.value, DotNetError)


@torch.no_grad()
def test_buffers_of_a_call_that_throws_are_as_it_left_them(models: Path) -> None:
    model = load(models, "Counting")
    with pytest.raises(DotNetError):
        model(torch.ones(2), None)
    assert torch.equal(model.seen, torch.zeros(3))


@torch.no_grad()
def test_large_arguments_are_the_models_own(models: Path) -> None:
    """They are no copies where libtorch can use the memory that they crossed in: what a model keeps, no later call writes to."""
    model = load(models, "Keeping")
    memory = model.__dict__["_model"].exchange._memory
    results, number = [], 2_000_000
    for call in range(1, 8):
        results.append(model(torch.full((number,), float(call))))
    first = torch.full((number,), 1.0)
    for result in results:
        first.view(torch.uint8)[3] += 1
        assert torch.equal(result, first)
    host_of(model).kill()
    assert torch.equal(model(torch.zeros(number))[1:], torch.zeros(number - 1))
    assert len(memory._handed_over) <= 1


@torch.no_grad()
def test_large_arguments_need_no_more_memory_than_two_calls(models: Path) -> None:
    model = load(models, "Identity")
    memory = model.__dict__["_model"].exchange._memory
    x = torch.randn(1_500_000)
    for _ in range(3):
        model(x)
    before = memory._numbers
    for _ in range(30):
        assert torch.equal(model(x), x)
    assert memory._numbers - before <= 2
    assert len(memory._handed_over) <= 2


@torch.no_grad()
def test_a_result_on_its_arguments_memory_is_its_owners(
    bridge_torch_models: Path, make_host: Callable[..., TorchSharpProcess]
) -> None:
    """It is not copied, since nothing in the process uses that memory any more; what the model keeps is."""
    exchange = Exchange(make_host(prepare=prepare_bridge_torch, on_message=None))
    model = build(RemoteModel(exchange, Recipe(str(bridge_torch_models), "Models.Identity", [[], {}])))
    given = [torch.full((3_000_000,), float(number)) for number in range(5)]
    kept = [model(x) for x in given]
    model(torch.zeros(3_000_000))
    assert all(map(torch.equal, kept, given))
    kept[0].zero_()
    assert all(map(torch.equal, kept[1:], given[1:]))
    assert not exchange._memory._handed_over
    host_of(model).kill()
    assert all(map(torch.equal, kept[1:], given[1:]))
    x = torch.randn(2000, 1500)
    assert torch.equal(model(x.t()), x.t())


@torch.no_grad()
def test_a_block_of_a_refused_call_is_used_again(models: Path) -> None:
    model, x = load(models, "Net"), torch.randn(300_000, 4)
    memory = model.__dict__["_model"].exchange._memory
    for _ in range(5):
        with pytest.raises(DotNetError):
            model(x, x)
    model(x)
    assert len(memory._handed_over) <= 2


def test_what_cannot_be_loaded_says_why(models: Path) -> None:
    with pytest.raises(DotNetError, match="has no type 'Models.None'"):
        load(models, "None")
    with pytest.raises(DotNetError, match="match no constructor"):
        load(models, "Net", "wide")
    with pytest.raises(FileNotFoundError):
        load(models.with_name("None.dll"), "Net")
    with pytest.raises(ValueError, match="with ':FOLDER', not 'other'"):
        bridge.load(models, "Models.Net", runtime="other")
    with pytest.raises(ValueError, match="forward_fires is for models in this process"):
        load(models, "Net", forward_fires=True)


@torch.no_grad()
def test_a_sample_computes_there_what_it_computes_here() -> None:
    there = bridge.load(bridge.sample("Vision.dll"), "Vision.ResNet18", runtime="torchsharp").eval()
    original = resnet.ResNet18().eval()
    original.load_state_dict(there.state_dict())
    x = torch.randn(2, 3, 64, 64)
    assert torch.equal(there(x), original(x))
    there.train()
    original.train()
    assert torch.equal(there(x), original(x))
    assert all(torch.equal(a, b) for a, b in zip(there.buffers(), original.buffers(), strict=True))


ODD = """
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

public sealed class Odd : Module<Tensor, Tensor>
{
    private readonly string what;

    public Odd(string what) : base(nameof(Odd)) => this.what = what;

    public override Tensor forward(Tensor x) => throw (what == "data" ? new OddExternal() : new OddException(what));
}

public sealed class OddExternal : System.Runtime.InteropServices.ExternalException
{
    public override System.Collections.IDictionary Data => throw new NotSupportedException();
}

public sealed class OddException(string what) : Exception
{
    public override string Message => what switch
    {
        "message" => throw new NotSupportedException(),
        "null" => null!,
        "surrogate" => "half \\ud800 a pair",
        _ => what,
    };

    public override string? StackTrace => what == "stack" ? throw new NotSupportedException() : base.StackTrace;
}
"""


@pytest.mark.parametrize(
    ("what", "shown"),
    [
        ("message", r"OddException: \(it cannot be read: System\.NotSupportedException\)"),
        ("null", "OddException: "),
        ("surrogate", "OddException: half \ufffd+ a pair"),
        ("stack", "OddException: stack\n.*it cannot be read: System.NotSupportedException"),
        ("data", "OddExternal: External component has thrown an exception"),
    ],
)
def test_an_exception_whose_properties_throw_is_an_error_and_the_process_stays(
    build_csharp: Callable[..., Path], torchsharp_models: Path, monkeypatch: pytest.MonkeyPatch, what: str, shown: str
) -> None:
    theirs = torchsharp_models.with_name("TorchSharp.dll")
    monkeypatch.setenv("BRIDGE_TORCHSHARP", str(theirs))
    model = load(build_csharp({"Odd.cs": ODD}, "HostOdd", against=[theirs]), "Odd", what)
    process = host_of(model).generation
    for _ in range(2):
        with torch.no_grad(), pytest.raises(DotNetError, match=shown):
            model(torch.ones(2))
    assert host_of(model).generation == process
