"""Mirror: calling, arguments, exceptions, modes, copies."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch

import bridge
from bridge.mirror import linked

Load = Callable[..., bridge.Mirror]
Pairs = Callable[[], tuple[torch.nn.Module, torch.nn.Module]]
X = torch.arange(6.0).reshape(2, 3)


def test_hooks_fire_in_pytorchs_order(pairs: Pairs) -> None:
    """C-6, C-9, O-1, O-2, O-4: global before own, prepend, order kept after a removal, nesting."""
    from torch.nn.modules import module as module_globals

    logs = []
    for model in pairs():
        log: list[str] = []
        names = {module: path or "root" for path, module in model.named_modules()}

        def hook(tag: str, log: list[str] = log, names: Any = names) -> Callable[..., None]:
            return lambda module, *_: log.append(f"{tag} {names[module]}")

        handles = [
            module_globals.register_module_forward_pre_hook(hook("gpre")),
            module_globals.register_module_forward_hook(hook("gpost")),
        ]
        for path in ("", "first", "second"):
            module = model.get_submodule(path)
            kept = [module.register_forward_hook(hook(name)) for name in "abcd"]
            kept[1].remove()
            module.register_forward_hook(hook("e"))
            module.register_forward_hook(hook("z"), prepend=True)
            module.register_forward_pre_hook(hook("p"))
            module.register_forward_pre_hook(hook("q"), prepend=True)
        model(X)
        for handle in handles:
            handle.remove()
        logs.append(log)
    assert len(logs[0]) == 3 * 9
    assert logs[1] == logs[0]


def test_hooks_replace_arguments_and_results(pairs: Pairs) -> None:
    """P-2, F-2, F-3, on the root and on children that .NET calls."""
    results = []
    for model in pairs():
        model.register_forward_pre_hook(lambda module, args: args[0] + 1)
        model.first.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
        model.first.register_forward_hook(lambda module, args, result: result - args[0].sum())
        model.second.register_forward_hook(lambda module, args, result: result * 3)
        model.register_forward_hook(lambda module, args, result: {"out": result})
        results.append(model(X)["out"])
    assert torch.equal(*results)


def test_always_call_runs_when_csharp_throws(load: Load) -> None:
    """A-1, A-3, A-9: the child's first, then the parent's, results None; the C# exception comes out."""
    model = load("Thrower", "inner")
    log: list[Any] = []
    model.register_forward_hook(lambda *a: log.append(("root", a[2])), always_call=True)
    model.inner.register_forward_hook(lambda *a: log.append(("inner", a[2])), always_call=True)
    model.inner.register_forward_hook(lambda *a: log.append("never"))
    with pytest.raises(bridge.DotNetError, match="no good inside"):
        model(X)
    assert log == [("inner", None), ("root", None)]


def test_keyword_arguments_bear_csharps_names(load: Load) -> None:
    model = load("TwoInTwoOut")
    x, y = torch.randn(3, 2), torch.randn(3, 2)
    expected = model(x, y)
    assert isinstance(expected, tuple)
    for given in (model(x, y=y), model(y=y, x=x)):
        assert all(torch.equal(a, b) for a, b in zip(expected, given, strict=True))
    with pytest.raises(
        TypeError, match=r"TwoInTwoOut\.forward\(Tensor x, Tensor y\) was given .*: no parameter is named 'z'"
    ):
        model(x, z=y)
    with pytest.raises(TypeError, match="several values for 'x'"):
        model(x, x=y)
    with pytest.raises(TypeError, match="no value for 'x'"):
        model(y=y)


def test_wrong_arguments_are_named(load: Load) -> None:
    model = load("Pair")
    with pytest.raises(
        bridge.DotNetError,
        match=r"input\) was given \(Tensor\[2, 3\], Tensor\[2, 3\]\): it takes 1 argument, not 2",
    ):
        model(X, X)
    with pytest.raises(TypeError, match="cannot pass a set to .NET"):
        model({1})
    with pytest.raises(bridge.DotNetError, match="string was given where C# declares Tensor"):
        model("x")
    with pytest.raises(bridge.DotNetError, match="long was given where C# declares Tensor"):
        model(3)
    with pytest.raises(bridge.DotNetError, match="None was given|mat1 and mat2|Linear"):
        model(torch.ones(2, 5))


def test_a_csharp_exception_tells_type_message_stack_and_path(load: Load) -> None:
    cases = {
        "root": ("System.ArgumentException", "no good at the root", ""),
        "inner": ("System.InvalidOperationException", "no good inside", "inner"),
    }
    for where, (kind, message, path) in cases.items():
        model = load("Thrower", where)
        with pytest.raises(bridge.DotNetError) as caught:
            model(X)
        assert caught.value.dotnet_type == kind
        assert caught.value.dotnet_message == message
        assert caught.value.module_path == path
        assert "Models." in caught.value.dotnet_stack
        assert caught.value.__cause__ is None
        # The process goes on.
        assert load("Pair")(X).shape == (2, 3)


class _MineError(Exception):
    pass


@pytest.mark.parametrize("where", ["pass", "other", "wrapped", "swallow"])
def test_a_python_exception_from_a_hook(load: Load, where: str) -> None:
    """The very same object, or the cause of what C# threw on the way."""
    model = load("Thrower", where)
    error = _MineError("mine")

    def hook(*_: Any) -> None:
        raise error

    model.inner.register_forward_pre_hook(hook)
    if where == "swallow":
        assert torch.equal(model(X), X * 2)
        return
    with pytest.raises(_MineError if where == "pass" else bridge.DotNetError) as caught:
        model(X)
    if where == "pass":
        assert caught.value is error
        assert any(entry.name == "hook" for entry in caught.traceback)
    else:
        assert caught.value.__cause__ is error


@pytest.mark.parametrize("where", ["pass", "other", "swallow"])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_is_not_an_exception_passes_whatever_csharp_does(
    load: Load, where: str, kind: type[BaseException]
) -> None:
    """A-4: nothing swallows it, and always-called hooks do not see it."""
    model = load("Thrower", where)
    error = kind("stop")
    log: list[str] = []

    def hook(*_: Any) -> None:
        raise error

    model.inner.register_forward_hook(hook)
    model.register_forward_hook(lambda *_: log.append("always"), always_call=True)
    with pytest.raises(kind) as caught:
        model(X)
    assert caught.value is error
    assert log == []


def test_endless_recursion_is_a_recursion_error(load: Load) -> None:
    """Bare and hooked; the process goes on."""
    model = load("Endless")
    with pytest.raises(RecursionError):
        model(X)
    model.register_forward_hook(lambda *_: None)
    with pytest.raises(RecursionError):
        model(X)
    assert torch.equal(load("Countdown", 100)(X), X + 1)


def test_recursion_fires_hooks_at_each_level(load: Load) -> None:
    """X-1."""
    model = load("Countdown", 3)
    log: list[str] = []
    model.register_forward_pre_hook(lambda *_: log.append("pre"))
    model.register_forward_hook(lambda *_: log.append("post"))
    model(X)
    assert log == ["pre", "pre", "pre", "post", "post", "post"]


def test_train_and_eval_reach_csharp_and_come_back(load: Load) -> None:
    model = load("Moody")
    assert model.training
    assert model.child.training
    model(X)
    assert not model.training
    assert not model.child.training
    model.eval()
    model(X)
    assert model.child.training
    norm = load("Deep", 2).eval()
    x = torch.randn(2, 1, 4, 4)
    assert torch.equal(norm(x), norm(x))
    before = norm.features.norm.running_mean.clone()
    norm.train()(x)
    assert norm.features.norm.num_batches_tracked.item() == 1
    assert not torch.equal(norm.features.norm.running_mean, before)


def test_grad_mode_is_shared(load: Load) -> None:
    model = load("GradMode")
    x = torch.ones(2, requires_grad=True)
    assert torch.equal(model(x), torch.full((2,), 2.0))
    assert torch.is_grad_enabled()
    with torch.no_grad():
        assert torch.equal(model(x), torch.zeros(2))
    with torch.inference_mode():
        assert model(x).is_inference()


def test_backward_fills_gradients_and_fires_backward_hooks(pairs: Pairs) -> None:
    """B-6, B-19 on mirrored children."""
    results = []
    for model in pairs():
        log: list[str] = []
        x = X.clone().requires_grad_()
        for name in ("first", "second"):
            model.get_submodule(name).register_full_backward_hook(lambda *_, log=log, name=name: log.append(name))
            model.get_submodule(name).register_full_backward_pre_hook(
                lambda *_, log=log, name=name: log.append("pre " + name)
            )
        model(x).square().sum().backward()
        results.append((log, [x.grad, *(parameter.grad for parameter in model.parameters())]))
    assert results[0][0] == results[1][0] == ["pre second", "second", "pre first", "first"]
    assert all(torch.equal(a, b) for a, b in zip(results[0][1], results[1][1], strict=True))


def test_deepcopy_is_a_model_of_its_own(load: Load) -> None:
    """I-1: same hooks in the same order, other parameters, another .NET module."""
    model = load("Deep", 3).eval()
    log: list[str] = []
    model.head.register_forward_hook(lambda *_: log.append("hook"))
    counterpart = copy.deepcopy(model)
    x = torch.randn(2, 1, 4, 4)
    assert torch.equal(model(x), counterpart(x))
    assert log == ["hook", "hook"]
    assert list(counterpart.head._forward_hooks) == list(model.head._forward_hooks)
    with torch.no_grad():
        counterpart.head.weight.zero_()
    assert not torch.equal(model(x), counterpart(x))
    assert not counterpart.training
    assert not counterpart.features.norm.training
    assert linked(counterpart.head).id != linked(model.head).id


def test_deepcopy_of_a_part(load: Load) -> None:
    """I-1: a part is made with all of its model, which is then gone."""
    model = load("Deep", 3).eval()
    model.features.norm.register_forward_hook(lambda module, args, result: result * 2)
    counterpart = copy.deepcopy(model.features)
    again = copy.deepcopy(counterpart)
    x = torch.randn(2, 1, 4, 4)
    assert torch.equal(model.features(x), counterpart(x))
    assert torch.equal(model.features(x), again(x))
    with torch.no_grad():
        counterpart.norm.bias.fill_(7)
    assert torch.equal(model.features(x), again(x))
    assert not torch.equal(model.features(x), counterpart(x))


def test_what_csharp_catches_does_not_depend_on_hooks(load: Load) -> None:
    """An exception that C# threw and that passed through Python is, in C#, that exception again; in Python, one object."""
    model = load("Catcher")
    assert torch.equal(model(X), X * 5)
    seen: list[torch.nn.Module] = []
    model.child.inner.register_forward_pre_hook(lambda module, args: seen.append(module))
    model.child.register_forward_pre_hook(lambda module, args: seen.append(module))
    assert torch.equal(model(X), X * 5)
    assert seen == [model.child, model.child.inner]
    with pytest.raises(bridge.DotNetError, match="no good inside") as caught:
        model.child(X)
    assert caught.value.module_path == "child.inner"


@pytest.mark.parametrize("in_task", [False, True])
def test_what_is_not_an_error_passes_always_called_hooks(load: Load, in_task: bool) -> None:
    """A-4: in Python, Bridge.Hooks.INotAnError is not an Exception, nor is the AggregateException that a task makes of it."""
    model = load("Stopping", in_task)
    called: list[str] = []
    model.child.register_forward_hook(lambda *_: called.append("always"), always_call=True)
    with pytest.raises(BaseException, match="stop it") as caught:
        model(X)
    assert not isinstance(caught.value, Exception)
    assert called == []


def test_results_have_pytorchs_identity(load: Load) -> None:
    """A module that returns its input returns the caller's own object."""
    model = load("Deep", 2)
    x = torch.randn(1, 2, 4, 4)
    inplace = x.clone()
    assert model.features.act(inplace) is not inplace
    assert torch.equal(model.features.act(x), x.relu())


def test_tensors_that_the_model_keeps_survive_its_call(load: Load) -> None:
    """Fields, collections and hooks may keep what a call made."""
    import gc

    model = load("Keeper")
    x = torch.ones(1, 2)
    y = model.child.weight.sum(1) + model.child.bias
    for count in range(1, 5):
        gc.collect()
        # y + last + history + seen, as they were: each grows by one tensor a call.
        expected = y * (1 + (count > 1) + (count - 1) + count)
        assert torch.allclose(model(x)[0], expected, atol=1e-5), count


def test_csharps_own_threads_do_not_deadlock(load: Load) -> None:
    model = load("Threaded")
    x = torch.ones(2, 2)
    expected = model.child(x) * 6
    assert torch.allclose(model(x), expected)
    calls: list[int] = []
    model.child.register_forward_hook(lambda *_: calls.append(1))
    assert torch.allclose(model(x), expected)
    assert len(calls) == 4


def test_what_calls_inside_the_model_hand_on_survives_them(load: Load) -> None:
    """A list that was an argument, a field, a tuple in the result; the rest is freed when the inner call ends."""
    model = load("Collector")
    with torch.no_grad():
        x = torch.zeros(1)
        y = x + 3
        expected = (y + 3) + (x + 1) + (y + 1) + (x + 4) + (y + 5) + (x + 2) + (y + 2)
        assert torch.equal(model(x), expected)
        assert torch.equal(model(x), expected)


def test_an_assigned_forward_is_run_also_where_nobody_listens(pairs: Pairs) -> None:
    """C-2: on the model and on a child that .NET calls bare."""
    for model in pairs():
        model.first.forward = lambda x: x + 1
        assert torch.equal(model(X), model.second(X + 1))
        del model.first.forward
        assert torch.equal(model(X), model.second(model.first(X)))
        model.forward = lambda x: x * 2
        assert torch.equal(model(X), X * 2)


def test_a_shallow_copy_shares_hooks_and_weights(pairs: Pairs) -> None:
    """I-2."""
    for model in pairs():
        counterpart = copy.copy(model)
        fired: list[torch.nn.Module] = []
        handle = counterpart.register_forward_hook(lambda module, *_: fired.append(module))
        assert torch.equal(model(X), counterpart(X))
        assert fired == [model, counterpart]
        handle.remove()
        with torch.no_grad():
            model.first.weight.add_(1)
        assert torch.equal(model(X), counterpart(X))
        assert len(fired) == 2


def test_a_deep_copy_of_a_shallow_copy_is_a_model_of_its_own(pairs: Pairs) -> None:
    """I-1, I-2: its children are those that the shallow copy shares with its origin."""
    for model in pairs():
        counterpart = copy.deepcopy(copy.copy(model))
        assert torch.equal(model(X), counterpart(X))
        before = model(X)
        with torch.no_grad():
            counterpart.first.weight.add_(1)
        assert torch.equal(model(X), before)
        assert not torch.equal(counterpart(X), before)
