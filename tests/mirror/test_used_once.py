"""NN/Lifetimes: what the code of a C# forward uses once is freed after that use, without a collection, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import gelu

import bridge

SIZE = 256 * 256 * 4  # as few bytes as a large tensor has: no collection is due before 32 of them
X = torch.arange(256.0 * 256).view(256, 256).sin()


def nested(x: Tensor) -> Tensor:
    return x.tanh().relu().tanh().relu().tanh().relu().tanh()


def looped(x: Tensor) -> Tensor:
    for i in range(4):
        x = x.tanh().relu()
        x = gelu(x) if i % 2 == 0 else x
    return x


def functions(x: Tensor) -> Tensor:
    y = gelu(x.tanh().relu().sigmoid().tanh()) * 2
    return ((y.sin() * 2).cos().tanh() * 2).cos()


def blocks(x: Tensor) -> Tensor:
    for _ in range(2):
        x = looped(nested(looped(nested(x))).relu()).relu()
    return x.tanh()


def shortcut(x: Tensor) -> Tensor:
    return ((-x.tanh().relu().tanh()).relu() + x.tanh() + x.tanh()).relu()


def swapped(x: Tensor) -> Tensor:
    a, b = x.tanh(), x.relu()
    for _ in range(5):
        a, b = b, a.tanh()
    return a - b


def helped(x: Tensor) -> Tensor:
    y = x.tanh()
    z = y.sin().relu()
    return 2 * z + 2 * (y.relu() + y) + y.relu() + y


def unusual(x: Tensor) -> Tensor:
    y = x.tanh()
    return 2 * (y.relu() + y) - y + (y > 0).float()


def kept_by_child(x: Tensor) -> Tensor:
    y = x.tanh()
    return 3 * y + y.relu() + y


def kept_far_below(x: Tensor) -> Tensor:
    y = x.tanh()
    return 3 * y + (y * 2).tanh() + y + (y + x.relu()) + y


def in_collections(x: Tensor) -> Tensor:
    items = x.tanh(), x.relu(), x.tanh().sin(), x.tanh()
    return sum((item.relu() + item for item in items), torch.zeros_like(x))


def in_array(x: Tensor) -> Tensor:
    y = x.tanh()
    joined = torch.cat([y, y.relu()])
    return torch.cat([joined, joined.relu()]).view(4, -1).sum(0).view(x.shape)


def before(x: Tensor) -> Tensor:
    results = [x]
    for _ in range(4):
        results.append(results[-1].tanh())
    return results[3] + results[4] + results[2]


def same_object(x: Tensor) -> Tensor:
    y = x.tanh()
    return x.relu() + y.relu() + y + (-y).relu() + x


ONCE: dict[str, Callable[[Tensor], Tensor]] = {
    "Nested": nested, "Looped": looped, "Functions": functions, "Blocks": blocks, "Shortcut": shortcut,
}  # fmt: skip
OFTEN: dict[str, Callable[[Tensor], Tensor]] = {
    "UsedTwice": lambda x: x.tanh().relu() + x.tanh(),
    "WithItself": lambda x: 2 * x.tanh() ** 2 * x.tanh().sin().sin(),
    "Assigned": lambda x: 2 * x.tanh().relu(),
    "InField": lambda x: x.tanh().relu() + x.tanh() + 2 * x.tanh().relu().sin(),
    "InCollections": in_collections,
    "InArray": in_array,
    "InClosure": lambda x: x.tanh().relu().sin() + x.tanh().relu() + x.tanh(),
    "InLocalFunction": lambda x: 2 * x.tanh().relu() + x.tanh(),
    "Before": before,
    "Swapped": swapped,
    "Branched": lambda x: x.tanh().relu() + x.tanh(),
    "SameObject": same_object,
    "Views": lambda x: x.tanh().relu() + x.tanh().T + x.tanh()[0],
    "KeptByChild": kept_by_child,
    "KeptFarBelow": kept_far_below,
    "Overriding": helped,
    "Caught": lambda x: x.tanh().relu() + x.tanh(),
    "Failing": lambda x: x.tanh().relu().tanh(),
    "Enumerated": lambda x: 4 * x.tanh().relu() + 3 * x.tanh(),
    "WithTable": lambda x: x.tanh().relu() + 2 * torch.ones_like(x).sin().cos(),
    "Scoped": lambda x: x.tanh().relu() + x.tanh(),
    "Unusual": unusual,
}


def peak(call: Callable[[], object]) -> int:
    """Return the peak of the bytes that libtorch's CPU allocator has given out since the call's begin."""
    with torch.autograd.profiler.profile(profile_memory=True) as profile:
        call()
    now = most = 0
    events = [event for event in profile.kineto_results.events() if event.name() == "[memory]"]
    for event in sorted(events, key=lambda event: event.start_ns()):
        now += event.nbytes()
        most = max(most, now)
    return most


@pytest.mark.parametrize("name", ONCE)
@torch.no_grad()
def test_it_is_freed_at_once(load: Callable[..., Any], name: str) -> None:
    model = load(name).eval()
    torch.testing.assert_close(model(X), ONCE[name](X))
    # A tensor and its successor; besides, the arguments of the modules that run, which are in use as in PyTorch.
    assert peak(lambda: model(X)) < (2 if name in ("Nested", "Looped", "Functions") else 4) * SIZE + 4096


@pytest.mark.parametrize("name", ONCE)
@torch.no_grad()
def test_as_an_inner_module(load: Callable[..., Any], name: str) -> None:
    model = torch.nn.Sequential(load(name), torch.nn.Tanh(), load(name)).eval()
    torch.testing.assert_close(model(X), ONCE[name](ONCE[name](X).tanh()))


@pytest.mark.parametrize("grad", [False, True], ids=["no_grad", "grad"])
@pytest.mark.parametrize("name", [*ONCE, *OFTEN])
def test_what_is_used_again_is_not_freed(load: Callable[..., Any], name: str, grad: bool) -> None:
    model = load(name).eval()
    expected = (ONCE | OFTEN)[name]
    for _ in range(3):
        x, y = (X.clone().requires_grad_(grad) for _ in range(2))
        with torch.set_grad_enabled(grad):
            result, right = model(x), expected(y)
        torch.testing.assert_close(result, right)
        torch.testing.assert_close(x, y)
        if grad:
            result.sum().backward()
            right.sum().backward()
            torch.testing.assert_close(x.grad, y.grad)


@pytest.mark.parametrize("name", [*ONCE, *OFTEN])
@torch.no_grad()
def test_while_hooks_listen_and_calls_are_recorded(load: Callable[..., Any], name: str) -> None:
    model = load(name).eval()
    seen: list[Tensor] = []
    expected = (ONCE | OFTEN)[name](X)
    with bridge.record(model, values="digest") as recording:
        torch.testing.assert_close(model(X), expected)
    assert len(recording.trace.events) >= 2
    for module in model.modules():
        module.register_forward_hook(lambda _, args, output: seen.extend((*args, output)))
    torch.testing.assert_close(model(X), expected)
    assert all(bool(tensor.isfinite().all()) for tensor in seen)


@torch.no_grad()
def test_after_a_call_that_fails(load: Callable[..., Any]) -> None:
    model = load("Failing")
    for _ in range(3):
        with pytest.raises(bridge.DotNetError, match="too many rows"):
            model(torch.cat([X, X]))
        torch.testing.assert_close(model(X), OFTEN["Failing"](X))


@torch.no_grad()
def test_what_csharp_hooks_keep_stays(load: Callable[..., Any]) -> None:
    model = load("WithHooks")
    for number in range(3):
        x = X + number
        torch.testing.assert_close(model(x), x.tanh().sin().relu().cos())
    torch.testing.assert_close(load("KeptByHooks")(X), torch.stack([x.tanh(), x.tanh().sin()]))
