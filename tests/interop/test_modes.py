"""PyTorch's modes, transforms and threads across the boundary."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
import torch
from torch.func import functional_call, grad, jacrev, vmap

from tests.interop.helpers import X, extra, load, pnet, raised

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess(shared=True)]


X3 = torch.linspace(-1, 1, 6).reshape(2, 3)


#: Seconds after which a thread has hung.
HANG = 300


def make_pair() -> tuple[Any, Any]:
    """Make Models.Pair and its counterpart in PyTorch, with equal weights."""
    mirror = load("Pair")
    counterpart = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    counterpart.load_state_dict(dict(zip(counterpart.state_dict(), mirror.state_dict().values(), strict=True)))
    return mirror, counterpart


def test_grad_mode_is_seen_and_restored() -> None:
    """C# sees Python's no_grad, inference_mode and enable_grad; its own no_grad ends where it ends, also by an exception."""
    model, zero = load("GradMode"), torch.zeros(1)  # +1 where C# sees gradients, -1 where not
    for _ in range(2):
        assert model(zero) == 1
        assert torch.is_grad_enabled()
        with torch.no_grad():
            assert model(zero) == -1
            assert not torch.is_grad_enabled()
            with torch.enable_grad():
                assert model(zero) == 1
            assert not torch.is_grad_enabled()
        with torch.inference_mode():
            result = model(zero)
            assert result == -1
            assert result.is_inference()
            assert torch.is_inference_mode_enabled()
        assert torch.is_grad_enabled()
        assert not torch.is_inference_mode_enabled()
    careless = extra("Careless", False)
    for mode in (True, False):
        with torch.set_grad_enabled(mode):
            assert raised(lambda: careless(zero)).dotnet_message == "careless"
            assert torch.is_grad_enabled() is mode


def test_a_hook_sees_csharps_no_grad() -> None:
    """A Python hook below C#'s `using (no_grad())`; what it switches itself stays as PyTorch would leave it."""
    model = extra("Quiet")
    seen: list[bool] = []
    model.child.register_forward_pre_hook(lambda *_: seen.append(torch.is_grad_enabled()))
    model.child.register_forward_hook(lambda module, args, result: seen.append(result.requires_grad))
    x = torch.ones(2, requires_grad=True)
    model(x).sum().backward()
    assert seen == [False, False, True, True], seen
    assert x.grad is not None
    assert torch.equal(x.grad, torch.ones(2))
    seen.clear()
    with torch.no_grad():
        model(x)
    assert seen == [False] * 4
    assert torch.is_grad_enabled()


def test_autocast() -> None:
    """Operators of C# run in autocast's dtype, bare and hooked; outside of it they do not."""
    mirror, counterpart = make_pair()
    seen: list[Any] = []
    for hooked in (False, True):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            result, expected = mirror(X3), counterpart(X3)
            assert result.dtype == expected.dtype == torch.bfloat16
            assert torch.equal(result, expected)
            with torch.autocast("cpu", enabled=False):
                assert mirror(X3).dtype == torch.float32
        assert mirror(X3).dtype == torch.float32
        if not hooked:
            mirror.second.register_forward_hook(
                lambda module, args, result: seen.append((args[0].dtype, torch.is_autocast_enabled("cpu")))
            )
    seen.clear()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mirror(X3)
    mirror(X3)
    assert seen == [(torch.bfloat16, True), (torch.float32, False)], seen


def test_full_backward_hooks() -> None:
    """On the root and on children that C# calls: as on its PyTorch counterpart, gradients included."""
    mirror, counterpart = make_pair()
    logs: list[tuple[list[Any], list[Any]]] = []
    for model in (mirror, counterpart):
        log: list[Any] = []
        for name, module in zip(("", "first", "second"), model.modules(), strict=True):

            def pre(module: Any, grads: Any, name: str = name, log: list[Any] = log) -> None:
                log.append(("pre", name, grads[0].clone()))

            def full(module: Any, inner: Any, outer: Any, name: str = name, log: list[Any] = log) -> None:
                log.append(("full", name, inner[0].clone(), outer[0].clone()))

            module.register_full_backward_pre_hook(pre)
            module.register_full_backward_hook(full)
        x = X3.clone().requires_grad_()
        model(x).square().sum().backward()
        logs.append((log, [x.grad] + [p.grad for p in model.parameters()]))

    def flat(log: list[Any]) -> list[Any]:
        return [item for entry in log for item in entry]

    assert [entry[:2] for entry in logs[0][0]] == [entry[:2] for entry in logs[1][0]]
    assert len(logs[0][0]) == 6
    for a, b in zip(flat(logs[0][0]) + logs[0][1], flat(logs[1][0]) + logs[1][1], strict=True):
        assert torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b


def test_vmap_and_grad() -> None:
    """Functional transforms over inputs and parameters, bare and hooked: as on its counterpart."""
    mirror, counterpart = make_pair()
    names = dict(zip(mirror.state_dict(), counterpart.state_dict(), strict=True))
    batch = torch.linspace(-2, 2, 24).reshape(4, 2, 3)
    seen: list[int] = []
    for hooked in (False, True):
        assert torch.allclose(vmap(mirror)(batch), vmap(counterpart)(batch))
        assert torch.allclose(jacrev(mirror)(X3), jacrev(counterpart)(X3))

        def loss(model: Any, parameters: Any, x: Any) -> Any:
            return functional_call(model, parameters, (x,)).square().sum()

        own = {name: p.detach() for name, p in mirror.named_parameters()}
        others = {names[name]: p for name, p in own.items()}
        per_sample = vmap(grad(lambda p, x: loss(mirror, p, x)), in_dims=(None, 0))(own, batch)
        expected = vmap(grad(lambda p, x: loss(counterpart, p, x)), in_dims=(None, 0))(others, batch)
        assert per_sample.keys() == own.keys()
        for name, value in per_sample.items():
            assert torch.allclose(value, expected[names[name]], atol=1e-5), name
        assert bool(seen) == hooked
        mirror.second.register_forward_hook(lambda *_: seen.append(1))


def test_backward_inside_of_a_hook() -> None:
    """The autograd engine refuses to run where the GIL is held; a callback below C# may start it."""
    model = pnet()
    inner = torch.nn.Linear(2, 1)
    grads: list[Any] = []

    def hook(module: Any, args: Any, result: torch.Tensor) -> None:
        inner.zero_grad()
        inner(torch.ones(1, 2)).sum().backward()
        assert inner.weight.grad is not None
        grads.append(inner.weight.grad.clone())
        grads.append(torch.autograd.grad(result.sum(), module.weight, retain_graph=True)[0])

    model.conv3.register_forward_hook(hook)
    model(X)[0].sum().backward()
    assert len(grads) == 2
    assert torch.equal(grads[0], torch.ones(1, 2))
    assert grads[1].shape == model.conv3.weight.shape


def test_a_forward_that_uses_threads_of_its_own() -> None:
    """Forward gives the GIL up, so Parallel.For over a hooked child does not deadlock; other Python threads run meanwhile."""
    model = load("Threaded")
    x = torch.ones(1, 2)
    expected = model(x)
    threads = set()
    two, answered = threading.Event(), threading.Event()

    def hook(module: Any, args: Any, result: Any) -> None:
        threads.add(threading.get_ident())
        if len(threads) > 1:
            two.set()
        assert two.wait(HANG), "it ran on one thread only"
        assert answered.wait(HANG), "Python's other threads stand still while C# waits for its own"

    def answer() -> None:
        two.wait(HANG)
        answered.set()

    for _ in range(10):
        assert torch.allclose(model(x), expected)
    model.child.register_forward_hook(hook)
    thread = threading.Thread(target=answer)
    thread.start()
    for hooked in range(2):
        for _ in range(10):
            assert torch.allclose(model(x), expected)
        if hooked == 0:
            model.child.register_forward_pre_hook(lambda *_: time.sleep(0.001))
    thread.join()
