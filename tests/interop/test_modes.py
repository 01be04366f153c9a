"""Re-entrant modules (field notes 10): grad mode, autocast, inference mode, transforms and threads go through a mirror."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PAIR = """
def pair():
    mirror = load("Pair")
    twin = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    twin.load_state_dict({"0.weight": mirror.first.weight, "0.bias": mirror.first.bias,
                          "1.weight": mirror.second.weight, "1.bias": mirror.second.bias})
    return mirror, twin
X3 = torch.linspace(-1, 1, 6).reshape(2, 3)
"""


def test_grad_mode_is_seen_and_restored(snippet: Callable[..., Any]) -> None:
    """C# sees Python's no_grad, inference_mode and enable_grad; its own no_grad ends where it ends, also by an exception."""
    snippet(
        """
        model, zero = load("GradMode"), torch.zeros(1)     # +1 where C# sees gradients, -1 where not
        for _ in range(2):
            assert model(zero) == 1 and torch.is_grad_enabled()
            with torch.no_grad():
                assert model(zero) == -1 and not torch.is_grad_enabled()
                with torch.enable_grad():
                    assert model(zero) == 1
                assert not torch.is_grad_enabled()
            with torch.inference_mode():
                result = model(zero)
                assert result == -1 and result.is_inference() and torch.is_inference_mode_enabled()
            assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
        careless = extra("Careless", False)
        for mode in (True, False):
            with torch.set_grad_enabled(mode):
                assert raised(lambda: careless(zero)).dotnet_message == "careless"
                assert torch.is_grad_enabled() is mode
        leaving()
        """
    )


def test_a_hook_sees_csharps_no_grad(snippet: Callable[..., Any]) -> None:
    """A Python hook below C#'s `using (no_grad())`; what it switches itself stays as PyTorch would leave it."""
    snippet(
        """
        model = extra("Quiet")
        seen = []
        model.child.register_forward_pre_hook(lambda *_: seen.append(torch.is_grad_enabled()))
        model.child.register_forward_hook(lambda module, args, result: seen.append(result.requires_grad))
        x = torch.ones(2, requires_grad=True)
        model(x).sum().backward()
        assert seen == [False, False, True, True], seen
        assert torch.equal(x.grad, torch.ones(2))
        seen.clear()
        with torch.no_grad():
            model(x)
        assert seen == [False] * 4 and torch.is_grad_enabled()
        leaving()
        """
    )


def test_autocast(snippet: Callable[..., Any]) -> None:
    """Operators of C# run in autocast's dtype, bare and hooked; outside of it they do not."""
    snippet(
        PAIR
        + """
mirror, twin = pair()
seen = []
for hooked in (False, True):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        result, expected = mirror(X3), twin(X3)
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
leaving()
"""
    )


def test_full_backward_hooks(snippet: Callable[..., Any]) -> None:
    """On the root and on children that C# calls: as on a PyTorch twin, gradients included."""
    snippet(
        PAIR
        + """
mirror, twin = pair()
logs = []
for model in (mirror, twin):
    log = []
    for name, module in zip(("", "first", "second"), model.modules()):
        def pre(module, grads, name=name, log=log):
            log.append(("pre", name, grads[0].clone()))
        def full(module, inner, outer, name=name, log=log):
            log.append(("full", name, inner[0].clone(), outer[0].clone()))
        module.register_full_backward_pre_hook(pre)
        module.register_full_backward_hook(full)
    x = X3.clone().requires_grad_()
    model(x).square().sum().backward()
    logs.append((log, [x.grad] + [p.grad for p in model.parameters()]))
def flat(log):
    return [item for entry in log for item in entry]
assert [entry[:2] for entry in logs[0][0]] == [entry[:2] for entry in logs[1][0]] and len(logs[0][0]) == 6
for a, b in zip(flat(logs[0][0]) + logs[0][1], flat(logs[1][0]) + logs[1][1], strict=True):
    assert torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b
leaving()
"""
    )


def test_vmap_and_grad(snippet: Callable[..., Any]) -> None:
    """Functional transforms over inputs and parameters, bare and hooked: as on a twin."""
    snippet(
        PAIR
        + """
from torch.func import functional_call, grad, jacrev, vmap
mirror, twin = pair()
names = {"first.weight": "0.weight", "first.bias": "0.bias", "second.weight": "1.weight", "second.bias": "1.bias"}
batch = torch.linspace(-2, 2, 24).reshape(4, 2, 3)
seen = []
for hooked in (False, True):
    assert torch.allclose(vmap(mirror)(batch), vmap(twin)(batch))
    assert torch.allclose(jacrev(mirror)(X3), jacrev(twin)(X3))
    def loss(model, parameters, x):
        return functional_call(model, parameters, (x,)).square().sum()
    own = {name: p.detach() for name, p in mirror.named_parameters()}
    others = {names[name]: p for name, p in own.items()}
    per_sample = vmap(grad(lambda p, x: loss(mirror, p, x)), in_dims=(None, 0))(own, batch)
    expected = vmap(grad(lambda p, x: loss(twin, p, x)), in_dims=(None, 0))(others, batch)
    assert per_sample.keys() == own.keys()
    for name, value in per_sample.items():
        assert torch.allclose(value, expected[names[name]], atol=1e-5), name
    assert bool(seen) == hooked
    mirror.second.register_forward_hook(lambda *_: seen.append(1))
leaving()
"""
    )


def test_backward_inside_of_a_hook(snippet: Callable[..., Any]) -> None:
    """2, 6: the autograd engine refuses to run where the GIL is held; a callback below C# may start it."""
    snippet(
        """
        model = pnet()
        inner = torch.nn.Linear(2, 1)
        grads = []
        def hook(module, args, result):
            inner.zero_grad()
            inner(torch.ones(1, 2)).sum().backward()
            grads.append(inner.weight.grad.clone())
            grads.append(torch.autograd.grad(result.sum(), module.weight, retain_graph=True)[0])
        model.conv3.register_forward_hook(hook)
        model(X)[0].sum().backward()
        assert len(grads) == 2 and torch.equal(grads[0], torch.ones(1, 2)) and grads[1].shape == model.conv3.weight.shape
        leaving()
        """
    )


def test_a_forward_that_uses_threads_of_its_own(snippet: Callable[..., Any]) -> None:
    """6: forward gives the GIL up, so Parallel.For over a hooked child does not deadlock; other Python threads run meanwhile."""
    snippet(
        """
        model = load("Threaded")
        x = torch.ones(1, 2)
        expected = model(x)
        threads = set()
        def hook(module, args, result):
            threads.add(threading.get_ident())
            time.sleep(0.01)
        for hooked in range(3):
            for _ in range(10):
                assert torch.allclose(model(x), expected)
            if hooked == 0:
                model.child.register_forward_hook(hook)
            else:
                model.child.register_forward_pre_hook(lambda *_: time.sleep(0.001))
        assert len(threads) > 1, "it ran on one thread only"
        ticks = 0
        stop = False
        def tick():
            global ticks
            while not stop:
                ticks += 1
                time.sleep(0.0005)
        ticker = threading.Thread(target=tick)
        ticker.start()
        for _ in range(10):
            model(x)
        stop = True
        ticker.join()
        assert ticks > 5
        leaving()
        """
    )
