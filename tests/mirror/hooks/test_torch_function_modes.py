"""What follows a model function by function sees of a C# model what it sees of a Python one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode
from torch.utils._device import DeviceContext
from torch.utils._python_dispatch import TorchDispatchMode

import bridge

pytestmark = [
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning"),  # nn.LSTM's own checks of sizes
    pytest.mark.filterwarnings("ignore:The tensor attributes:UserWarning"),  # torch.export says it of any LSTM
]
Load = Callable[..., bridge.Mirror]
X = torch.linspace(-1, 1, 18).reshape(2, 3, 3)


class Counterpart(nn.Module):
    """Models.Recurrent in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, batch_first=True)
        self.head = nn.Linear(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(3, dtype=torch.float32, device=x.device).expand_as(x)
        output, _ = self.lstm(x + places)
        return (x - self.head(output)).transpose(0, 1).split(1, 2)[1].flatten(1) * 2


@pytest.fixture
def both(load: Load) -> tuple[nn.Module, nn.Module]:
    original, model = Counterpart(), load("Recurrent")
    model.load_state_dict(original.state_dict())
    return original, model


class Seen(Tensor):
    """A tensor that notes which functions take it."""

    names: list[str]

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.names.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


def test_a_subclass_sees_every_function_and_comes_back(both: tuple[nn.Module, nn.Module]) -> None:
    seen = []
    for model in both:
        Seen.names = []
        result = model(X.as_subclass(Seen))
        assert type(result) is Seen
        seen.append([name for name in Seen.names if name not in ("__get__", "dim", "size")])
    assert seen[0] == seen[1]
    assert {"add", "lstm", "linear", "sub", "transpose", "split", "flatten", "mul"} <= set(seen[1])


def test_a_function_mode_sees_every_function(
    both: tuple[nn.Module, nn.Module], function_mode: Callable[[], Any]
) -> None:
    seen = []
    for model in both:
        with function_mode() as mode:
            model(X)
        seen.append([name for name in mode.names if name not in ("__get__", "dim", "size")])
    assert seen[0] == seen[1]
    with function_mode() as other:
        thread = threading.Thread(target=both[1], args=(X,))
        thread.start()
        thread.join()
    assert other.names == []


def test_a_function_mode_sees_a_call_without_arguments(load: Load, function_mode: Callable[[], Any]) -> None:
    model = load("Constant")
    for call in (model, model.forward):
        with function_mode() as mode:
            call()
        assert mode.names == ["ones", "neg"]


class Hooked(nn.Module):
    """Models.Hooked with the hooks of its constructor, in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.child = nn.Linear(2, 2)
        self.child.register_forward_hook(lambda module, args, output: output + 1)
        self.child.register_forward_hook(lambda module, args, output: output * 2)
        self.child.register_forward_pre_hook(lambda module, args: (args[0] * 10,), prepend=True)
        self.register_forward_hook(lambda module, args, output: output + sum(map(torch.numel, self.parameters())))

    def forward(self, x: Tensor) -> Any:
        return self.child(x)


def test_what_hooks_do_is_seen(load: Load, function_mode: Callable[[], Any]) -> None:
    """Those of the called module, too, which run before and after its forward."""
    original, model, x = Hooked(), load("Hooked", "constructor"), torch.ones(3, 2)
    model.load_state_dict(original.state_dict())
    seen: list[list[Any]] = []
    for each in (original, model):
        with function_mode() as mode:
            each(x)
        names = [name for name in mode.names if name != "numel"]  # C# has it as a number
        Seen.names = []
        result = each(x.as_subclass(Seen))
        assert type(result) is Seen
        traced = [node.target for node in make_fx(each)(x).graph.nodes]
        seen.append([names, [name for name in Seen.names if name in names], traced])
    assert seen[0] == seen[1]
    assert seen[0][0] == ["mul", "linear", "add", "mul", "add"]


def test_a_function_that_was_replaced_is_called(
    both: tuple[nn.Module, nn.Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    def noting(calls: list[int], function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any) -> Any:
            calls.append(1)
            return function(*args)

        return noted

    called: list[int] = []
    real = Tensor.transpose
    monkeypatch.setattr(Tensor, "transpose", noting(called, real))
    added: list[int] = []
    monkeypatch.setattr(Tensor, "__add__", noting(added, lambda *args: Tensor.add(*args)))
    add = Tensor.add
    monkeypatch.setattr(Tensor, "add", lambda *args: add(*args))
    for model in both:
        model(X)
        assert (called, added) == ([1], [1])
        called.clear()
        added.clear()


def test_the_trace_takes_another_batch(both: tuple[nn.Module, nn.Module]) -> None:
    """A state of the size of the traced batch would be read past its end."""
    original, model = both
    traced, expected = (torch.jit.trace(each, (X,)) for each in (model, original))
    for batch in (X[:1], torch.cat([X, X, X])):
        assert torch.equal(traced(batch), original(batch))
    kinds = [[node.kind() for node in each.inlined_graph.nodes()] for each in (traced, expected)]
    assert kinds[0] == kinds[1]
    assert not any(kind.startswith("bridge::") for kind in kinds[0])


def test_graphs_have_pytorchs_operators(both: tuple[nn.Module, nn.Module]) -> None:
    def operators(graph: torch.fx.Graph) -> list[str]:
        return [str(node.target) for node in graph.nodes if node.op == "call_function"]

    made = [operators(make_fx(model)(X).graph) for model in both]
    exported = [operators(torch.export.export(model, (X,), strict=False).graph) for model in both]
    assert made[0] == made[1]
    assert exported[0] == exported[1]


@pytest.mark.parametrize("inference", [False, True])
def test_a_dispatch_mode_sees_pytorchs_operators(both: tuple[nn.Module, nn.Module], inference: bool) -> None:
    """In inference mode too, where no autograd key takes ours apart."""
    seen: list[list[str]] = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen[-1].append(str(func))
            return func(*args, **(kwargs or {}))

    for model in both:
        seen.append([])
        with Mode(), torch.inference_mode(inference):
            model(X)
    assert seen[0] == seen[1]
    assert any("lstm" in name or "mm" in name for name in seen[0])


def test_an_export_takes_another_batch(both: tuple[nn.Module, nn.Module]) -> None:
    batch = torch.export.Dim("batch", min=2, max=8)
    program = torch.export.export(both[1], (X,), dynamic_shapes=({0: batch},), strict=False)
    more = torch.cat([X, X])
    assert torch.equal(program.module()(more), both[0](more))


def test_errors_and_unfollowed_calls_are_as_before(
    both: tuple[nn.Module, nn.Module], function_mode: Callable[[], Any]
) -> None:
    original, model = both
    with function_mode() as mode, pytest.raises(RuntimeError):
        model(torch.ones(2, 3, 5))
    before = list(mode.names)
    assert torch.equal(model(X), original(X))
    assert mode.names == before
    with torch.device("cpu"):
        assert torch.equal(model(X), original(X))


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt()])
def test_what_a_follower_raises_comes_back_as_the_same_object(load: Load, error: BaseException) -> None:
    class Raising(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is Tensor.split:
                raise error
            return func(*args, **(kwargs or {}))

    with Raising(), pytest.raises(type(error)) as raised:
        load("Recurrent")(X)
    assert raised.value is error


@pytest.mark.parametrize("error", [KeyboardInterrupt("now"), ValueError("here")], ids=["interrupt", "error"])
def test_what_a_device_context_raises_where_libtorch_does_not_look_is_raised(load: Load, error: BaseException) -> None:
    """An operator in place takes the tensor's hooks away through Python, and PyTorch leaves what a mode raises there unseen."""

    class Context(DeviceContext):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if getattr(func, "__name__", "") == "__set__":
                raise error
            return super().__torch_function__(func, types, args, kwargs)

    model = load("InPlace")
    with Context("cpu"), pytest.raises(type(error)) as raised:
        model(torch.ones(2, 3))
    assert raised.value is error
    assert model(torch.ones(2, 3)).shape == (2, 3)
