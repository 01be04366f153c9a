"""torch.autograd.SingleTensorFunction and MultiTensorFunction: autograd functions written in C#, against the same in Python."""

from __future__ import annotations

import copy
import gc
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import bridge
from bridge import clr


class Linear(torch.autograd.Function):
    """What LinearFunction of AutogradFunction.cs is."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        ctx.save_for_backward(x, weight, bias)
        output = x.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        x, weight, bias = ctx.saved_tensors
        (flow,) = gradients
        return flow.mm(weight), flow.t().mm(x), None if bias is None else flow.sum(0)


class Doubled(torch.autograd.Function):
    """What InPlace of AutogradFunction.cs is."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return gradients[0] * 2


def _apply(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    result: torch.Tensor = Linear.apply(x, weight, bias)  # type: ignore[no-untyped-call]  # torch's is untyped
    return result


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    return build_csharp([Path(__file__).with_name("AutogradFunction.cs")], "DerivedFunctions")


@pytest.fixture
def model(assembly: Path) -> Any:
    return bridge.load(assembly, "Derived.Applied")


@pytest.fixture
def pair() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(4)
    return (
        torch.randn(4, 3, generator=generator, dtype=torch.float64, requires_grad=True),
        torch.randn(2, 3, generator=generator, dtype=torch.float64, requires_grad=True),
    )


def _alive() -> tuple[int, int]:
    """Count the applications whose graph is alive, and C#'s tensors."""
    gc.collect()
    counts = clr.start().exports.live_counts()
    return counts["functions"], counts["tensors"]


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Check that every graph of a test is gone with its entry."""
    before = _alive()[0]
    yield
    for _ in range(200):  # a thread of the engine lets go of its graph a moment after backward has returned
        if _alive()[0] <= before:
            return
        time.sleep(0.05)
    raise AssertionError(f"{_alive()[0]} applications are left, {before} were there before")


@pytest.mark.parametrize("what", ["linear", "bias", "collected", "scopes"])
def test_results_and_gradients_are_those_of_the_same_in_python(
    model: Any, pair: tuple[torch.Tensor, torch.Tensor], bits_equal: Any, what: str
) -> None:
    expected = _apply(*pair, pair[1][:, 0] if what == "bias" else None)
    result = model(*pair, what)
    assert bits_equal(result, expected)
    assert result.grad_fn.name() == "LinearFunctionBackward"
    flow = expected.detach().cos()
    mine, other = (torch.autograd.grad(output, pair, flow, create_graph=True) for output in (result, expected))
    for first, second in zip(mine, other, strict=True):
        assert bits_equal(first, second)
    mine, other = (
        torch.autograd.grad(sum((value * value).sum() for value in gradients), pair, retain_graph=True)
        for gradients in (mine, other)
    )
    for first, second in zip(mine, other, strict=True):
        assert bits_equal(first, second)


@pytest.mark.parametrize("what", ["linear", "bias", "several", "second", "keeping", "threads"])
def test_gradcheck(model: Any, pair: tuple[torch.Tensor, torch.Tensor], what: str) -> None:
    if what in ("several", "second"):
        # Its gradient is zero where x is not positive, on purpose.
        pair = (pair[0].detach().abs().requires_grad_(), pair[1])
    if what == "keeping":
        model.double()
        pair = (pair[0].detach()[:1].requires_grad_(), pair[1])
    inputs = pair if what in ("linear", "bias", "threads") else pair[:1]

    def run(x: torch.Tensor, weight: torch.Tensor = pair[1]) -> torch.Tensor:
        result: torch.Tensor = model(x, weight, what)
        return result

    assert torch.autograd.gradcheck(run, inputs)
    if what != "keeping":  # its backward does not depend on its input as its forward says
        assert torch.autograd.gradgradcheck(run, inputs)


def test_undefined_gradients(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    """C# gets zeros, or invalid tensors when it says so; an integer output needs no gradient."""
    x, weight = pair
    mask = (x > 0).double()
    for what, expected in {
        "first": x.exp() * mask,
        "second": 3 * mask,
        "several": (x.exp() + 3) * mask,
    }.items():
        result = model(x, weight, what)
        assert torch.equal(torch.autograd.grad(result.sum(), x)[0], expected), what
    largest = model(x, weight, "largest")
    assert largest.item() == x.argmax()
    assert not largest.requires_grad


def test_an_argument_that_is_changed_in_place(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    x, other = pair[0] * 1, pair[0] * 1
    before = x.detach().clone()
    result = model(x, pair[1], "in place")
    assert result is x
    assert Doubled.apply(other) is other  # type: ignore[no-untyped-call]  # torch's is untyped
    assert x._version == other._version > 0
    assert torch.equal(result, before * 2)
    result.sum().backward()
    assert pair[0].grad is not None
    assert torch.equal(pair[0].grad, torch.full_like(before, 2))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        model(pair[0], pair[1], "in place")


def test_an_argument_that_is_given_back(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    result = model(*pair, "same")
    assert result is not pair[0]
    assert result.grad_fn.name() == "SameBackward"
    assert torch.equal(torch.autograd.grad(result.sum(), pair[0])[0], torch.full_like(pair[0], 5))
    assert model(*pair, "none").item()
    with torch.no_grad():
        result = model(*pair, "same")
        assert torch.equal(result, pair[0])
        assert not result.requires_grad


def test_without_gradients_forward_runs(model: Any, pair: tuple[torch.Tensor, torch.Tensor], bits_equal: Any) -> None:
    expected = _apply(*pair).detach()
    for what in ("no_grad", "inference"):
        result = model(*pair, what)
        assert bits_equal(result.clone(), expected), what
        assert result.grad_fn is None
        assert result.is_inference() == (what == "inference")
        assert _alive()[0] == 0
    with torch.no_grad():
        assert bits_equal(model(*pair, "linear"), expected)
    with torch.inference_mode():
        assert model(*pair, "linear").is_inference()
    assert bits_equal(model(pair[0].detach(), pair[1].detach(), "linear"), expected)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("few", r"Function Fails returned an incorrect number of gradients \(expected 2, got 1\)"),
        ("many", r"Function Fails returned an incorrect number of gradients \(expected 2, got 3\)"),
        ("wrong", "a gradient at position 2, but the corresponding forward input was not a Tensor"),
        ("shape", "FailsBackward returned an invalid gradient at index 0"),
        ("disposed", "The tensor was disposed"),
        ("nothing", "backward of 'Fails' returned null"),
        ("backward", "backward failed"),
    ],
)
def test_a_wrong_backward_is_an_error(
    model: Any, pair: tuple[torch.Tensor, torch.Tensor], what: str, message: str
) -> None:
    result = model(*pair, what)
    with pytest.raises(RuntimeError, match=message):
        result.sum().backward()
    assert pair[0].grad is None


def test_more_gradients_than_arguments_are_ignored_if_null(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    assert torch.equal(torch.autograd.grad(model(*pair, "more").sum(), pair[0])[0], torch.full_like(pair[0], 2))


def test_an_exception_arrives_as_itself(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    """In C# what C# threw, in Python what Python raised, through the engine, whoever started it."""
    assert model(*pair, "caught").item() == 4
    with pytest.raises(bridge.DotNetError, match="forward failed") as raised:
        model(*pair, "forward")
    assert raised.value.dotnet_type == "System.FormatException"
    raised_in_hook = ValueError("from a hook")

    def fail(_: torch.Tensor) -> None:
        raise raised_in_hook

    for what in ("raise", "raise alone"):
        x = pair[0] * 1
        x.register_hook(fail)
        with pytest.raises(ValueError, match="from a hook") as raised_again:
            model(x, pair[1], what)
        assert raised_again.value is raised_in_hook, what
        with pytest.raises(bridge.DotNetError, match="does not require grad"):
            model(pair[0].detach(), pair[1], what)


def test_saved_tensors_are_pytorchs(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    x = pair[0] * 1
    result = model(x, pair[1], "linear")
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()
    result = model(*pair, "linear")
    result.sum().backward(retain_graph=True)
    result.sum().backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        result.sum().backward()
    packed: list[torch.Size] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        packed.append(tensor.shape)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor * 2):
        result = model(*pair, "linear")
    assert packed == [pair[0].shape, pair[1].shape]
    assert torch.equal(torch.autograd.grad(result.sum(), pair[0])[0], 2 * pair[1].detach().sum(0).expand(4, 3))


def test_hooks_see_its_node(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    result = model(*pair, "linear")
    seen: list[Any] = []
    result.register_hook(lambda flow: seen.append("tensor") or flow * 2)
    result.grad_fn.register_prehook(lambda flows: seen.append("before"))
    result.grad_fn.register_hook(lambda gradients, flows: seen.append("after"))
    result.sum().backward()
    assert seen == ["tensor", "before", "after"]
    assert torch.equal(pair[0].grad, 2 * pair[1].detach().sum(0).expand(4, 3))  # type: ignore[arg-type]  # there is one


def test_checkpoint_and_another_thread(model: Any, pair: tuple[torch.Tensor, torch.Tensor], bits_equal: Any) -> None:
    expected = torch.autograd.grad(_apply(*pair).cos().sum(), pair)
    for reentrant in (False, True):
        result = checkpoint(model, *pair, "linear", use_reentrant=reentrant)
        pair[0].grad = pair[1].grad = None
        thread = threading.Thread(target=result.cos().sum().backward)
        thread.start()
        thread.join()
        assert bits_equal(pair[0].grad, expected[0])
        assert bits_equal(pair[1].grad, expected[1])
        del result, thread
    pair[0].grad = None
    assert bits_equal(model(*pair, "whole"), _apply(torch.eye(3).double(), pair[1]).sum(1).expand(4, 3).contiguous())
    assert torch.equal(model(*pair, "threads backward"), 4 * pair[1].detach().sum(0).expand(4, 3))


def test_backward_on_a_thread_of_the_engine(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    """Beyond 60 nested backwards PyTorch's engine goes on with a thread of its own, as it does for each GPU."""
    threads: set[int] = set()

    def nested(x: torch.Tensor, what: str, depth: int = 70) -> torch.Tensor:
        if depth:
            result: torch.Tensor = checkpoint(nested, x, what, depth - 1, use_reentrant=True)
            return result
        result = model(x, pair[1], what)
        if result.requires_grad:
            result.register_hook(lambda _: threads.add(threading.get_ident()))
        return result

    nested(pair[0], "linear").sum().backward()
    assert threads
    assert threading.get_ident() not in threads
    assert pair[0].grad is not None
    assert torch.allclose(pair[0].grad, pair[1].detach().sum(0).expand(4, 3))
    with pytest.raises(bridge.DotNetError, match="backward failed"):
        nested(pair[0], "backward").sum().backward()


def test_transforms_of_torch_func_are_refused_by_name(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    x, weight = (tensor.detach() for tensor in pair)
    message = "the C# autograd function 'LinearFunction' cannot run under a transform of torch.func"
    with pytest.raises(RuntimeError, match=message):
        torch.func.grad(lambda given: model(given, weight, "linear").sum())(x)
    with pytest.raises(RuntimeError, match=message):
        torch.func.vmap(lambda given: model(given[None], weight, "linear"))(x)
    assert model(x, weight, "linear").shape == (4, 2)


def test_anomaly_mode_names_it(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = model(torch.full_like(pair[0], torch.nan).requires_grad_(), pair[1] * torch.nan, "linear")
        with pytest.raises(RuntimeError, match="'LinearFunctionBackward' returned nan values"):
            result.sum().backward()


def test_an_application_lives_as_long_as_its_graph(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    result = model(*pair, "linear")
    assert _alive()[0] == 1
    more = (result * 2).sum()
    del result
    assert _alive()[0] == 1
    more.backward()
    assert _alive()[0] == 1
    del more
    assert _alive()[0] == 0
    model(*pair, "keep")
    gc.collect()
    assert _alive()[0] == 1
    assert torch.autograd.grad(model(*pair, "use"), pair[1])[0].shape == (2, 3)
    model(*pair, "drop")
    assert _alive()[0] == 0


@pytest.mark.parametrize(
    "what", ["linear", "several", "first", "in place", "keeping", "no_grad", "forward", "backward"]
)
def test_nothing_is_left_of_many(model: Any, pair: tuple[torch.Tensor, torch.Tensor], what: str) -> None:
    """Neither entries nor C#'s tensors grow, also of outputs that the context keeps; only what a user's static list keeps does."""

    def step() -> None:
        x, weight = (tensor.detach().float().requires_grad_() for tensor in pair)
        try:
            result = model(x[:1] * 1, weight, what)
            if result.requires_grad:
                result.sum().backward()
        except bridge.DotNetError as error:
            if "failed" not in str(error):
                raise

    step()
    before = _alive()
    for _ in range(60):
        step()
    functions, tensors = _alive()
    assert functions == before[0] == 0
    # A list keeps the seen gradient; another list of each context is for the collector.
    assert tensors - before[1] <= (120 if what == "keeping" else 0)


def test_what_a_function_keeps_survives_the_call(model: Any, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
    """Its fields, static ones too, data of the context, and parameters of a module that the context has."""
    x = pair[0].detach().float()[:1].requires_grad_()
    for _ in range(2):
        result = model(x, pair[1], "keeping")
        assert result.grad_fn.name() == "KeepingBackward"  # it has no name
        assert torch.equal(torch.autograd.grad(result.sum(), x)[0], 3 * model.layer.weight)
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.layer.weight.fill_(2)
    assert torch.equal(torch.autograd.grad(other(x, pair[1], "keeping").sum(), x)[0], torch.full((1, 3), 6.0))


@pytest.mark.parametrize("what", ["one", "outputs", "inputs", "both"])
def test_jacobian(assembly: Path, pair: tuple[torch.Tensor, torch.Tensor], bits_equal: Any, what: str) -> None:
    jacobian: Any = torch.autograd.functional.jacobian
    x, v = pair[0].detach(), pair[1].detach()[0]

    def joined(parts: Any) -> torch.Tensor:
        flat = [part if isinstance(part, tuple) else (part,) for part in parts]
        return torch.cat([part.reshape(-1) for row in flat for part in row])

    result = bridge.load(assembly, "Derived.Jacobians")(x, v, what)
    expected = {
        "one": lambda: jacobian(lambda given: given.pow(3).sum(1), x),
        "outputs": lambda: joined(jacobian(lambda given: (given.sum(), given * given), x)),
        "inputs": lambda: joined(jacobian(lambda a, b: a.matmul(b), (x, v))),
        "both": lambda: joined(jacobian(lambda a, b: (a.exp().matmul(b), (b * b).sum(), torch.ones(2)), (x, v))),
    }[what]()
    assert bits_equal(result, expected)
    assert not result.requires_grad
