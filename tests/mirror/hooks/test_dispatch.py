"""Calls whose hooks are all C#'s: C# makes them itself, without Python, and they leave the traces that they leave through Python."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

import bridge
from bridge.mirror.hooks import dispatch
from bridge.mirror.loading import dotnet_runtime
from bridge.runtimes.dotnet import csharp_registration
from bridge.runtimes.dotnet.programs import DotNet
from bridge.runtimes.errors import UnsupportedTreeError
from bridge.runtimes.pytorch.programs import PyTorch
from hook_contract.program import Json, Program, corpus, parse, registrations
from hook_contract.program.events import first_difference
from hook_contract.runtimes.runtime import Events, unsupported_reason

pytestmark = pytest.mark.dotnet
Load = Callable[..., bridge.Mirror]
Counts = Callable[[], dict[str, int]]
X = torch.ones(1, 2)
#: Programs of whose calls C# leaves some to Python although all of their hooks are C#'s forward hooks: Python has assigned a forward.
THROUGH_PYTHON = frozenset({"C-2-instance-forward-of-a-child"})


class Crossed:
    """How many calls C# left to Python since the last look, and how many C# hooks Python ran."""

    def __init__(self) -> None:
        self._before = dotnet_runtime().exports.call_counts()

    def __call__(self) -> tuple[int, int]:
        now, before = dotnet_runtime().exports.call_counts(), self._before
        self._before = now
        return now["calls"] - before["calls"], now["hooks"] - before["hooks"]


@contextmanager
def through_python() -> Iterator[None]:
    """Have C# leave every call with hooks to Python; modules that are created meanwhile do so until their hooks change."""
    exports = dotnet_runtime().exports
    exports.give({"plan_hooks": lambda id: None})
    try:
        yield
    finally:
        exports.give({"plan_hooks": dispatch.plan_hooks})


def _trace(program: Program, form: str, hooks: tuple[str, ...]) -> Events | None:
    try:
        return DotNet()._trace(program, "cpu", form, hooks)
    except UnsupportedTreeError:
        return None


def _is_csharps(program: Program, hooks: tuple[str, ...]) -> bool:
    """Return whether all hooks of a program are forward hooks of modules, in C#."""
    return all(
        item["hook"] in hooks and item["kind"] in ("pre", "forward") and not item.get("global")
        for item in registrations(program)
    )


@pytest.mark.parametrize("form", ["typed", pytest.param("object", marks=pytest.mark.slow)])
def test_the_corpus_leaves_the_same_traces_with_and_without_python(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clauses C, P, F, O, H, D, A, X: every program of the corpus that has hooks in C#. C# makes all calls of those that have no others.

    What Python calls with arguments by name, and hooks that are always called after a failure, are PyTorch's.
    """
    registered = []
    register = csharp_registration.register
    monkeypatch.setattr(csharp_registration, "register", lambda *given: registered.append(given) or register(*given))
    others: dict[str, tuple[int, int]] = {}
    crossed = Crossed()
    for program in corpus():
        hooks = csharp_registration.registrable_hooks(program) if unsupported_reason(DotNet(), program) is None else ()
        if not hooks:
            continue
        with through_python():
            expected = _trace(program, form, hooks)
        through = crossed()
        registered.clear()
        found = _trace(program, form, hooks)
        calls, ran = crossed()
        assert found == expected, program.name
        assert calls <= through[0], program.name
        # What is registered in C# is registered as Python runs a hook.
        ran -= len(registered)
        if _is_csharps(program, hooks) and found is not None:
            others[program.name] = (calls, ran)
    assert {name for name, (calls, _) in others.items() if calls} == THROUGH_PYTHON
    assert sum(entered == (0, 0) for entered in others.values()) > 130


@pytest.mark.parametrize("given", [{"list": [0]}, {"tuple": [0]}, {"tuple": [{"list": [0]}]}], ids=str)
@pytest.mark.parametrize("kind", ["pre", "forward"])
def test_what_a_hook_of_a_call_from_csharp_gives(kind: str, given: Json) -> None:
    """P-2, F-3: a hook in C# calls the module again, and gives a list or a tuple; random programs found it refused."""
    actions: list[Json] = [{"return": given}, {"call": {"module": "", "args": [0], "limit": 1}}]
    steps: list[Json] = [
        {"do": "register", "hook": "h", "kind": kind, "actions": actions},
        {"do": "try", "steps": [{"do": "call", "args": [0]}]},
    ]
    program = parse(
        {"name": "again", "clauses": [], "about": "A hook that calls.", "tree": {"kind": "leaf"}, "steps": steps}
    )
    expected = PyTorch().run(program)[""]
    found = _trace(program, "object", ("h",))
    assert found is not None
    assert [event["event"] for event in expected].count(kind) == 2
    assert first_difference(expected, found) is None


def test_no_call_enters_python(load: Load) -> None:
    """C-6: pre hooks, forward, forward hooks of the model and of its child, in their order."""
    model = load("Hooked", "constructor")
    crossed = Crossed()
    expected = (torch.nn.functional.linear(X * 10, model.child.weight, model.child.bias) + 1) * 2 + 6
    assert torch.equal(model(X), expected)
    assert crossed() == (0, 0)
    handle = model.child.register_forward_hook(lambda module, args, result: result * 0)
    assert torch.equal(model(X), torch.full((1, 2), 6.0))
    assert crossed() == (1, 3)
    handle.remove()
    assert torch.equal(model(X), expected)
    assert crossed() == (0, 0)


def _rebound(model: Any) -> None:
    model.child._forward_hooks = OrderedDict(reversed(model.child._forward_hooks.items()))


def _plain(model: Any) -> None:
    model.child._forward_hooks = dict(reversed(model.child._forward_hooks.items()))


def _moved(model: Any) -> None:
    """Move an entry of a hook dictionary, which changes its order and is no write of a dict."""
    model.child._forward_hooks.move_to_end(next(iter(model.child._forward_hooks)))


def _taken_out(model: Any) -> None:
    key = next(iter(model.child._forward_hooks))
    hook = model.child._forward_hooks.pop(key)
    model.child._forward_hooks[key] = hook


def _exchanged(model: Any) -> None:
    """Exchange two hooks; the keys and their order stay."""
    hooks = model.child._forward_hooks
    first, second = hooks
    hooks[first], hooks[second] = hooks[second], hooks[first]


@pytest.mark.parametrize("change", [_rebound, _plain, _moved, _taken_out, _exchanged])
def test_pythons_dictionaries_are_the_order(load: Load, change: Callable[[Any], None]) -> None:
    """O-1, H-4: whatever Python does to them holds at the next call."""
    model = load("Hooked", "constructor")
    model._forward_hooks.clear()
    computed = torch.nn.functional.linear(X * 10, model.child.weight, model.child.bias)
    assert torch.equal(model(X), (computed + 1) * 2)
    change(model)
    crossed = Crossed()
    assert torch.equal(model(X), computed * 2 + 1)
    assert crossed() == (0, 0)
    model.child._forward_hooks.clear()
    assert torch.equal(model(X), computed)


def test_a_hook_that_is_called_otherwise_than_it_takes_is_pythons_to_refuse(load: Load) -> None:
    """P-3: the dictionary of those that take kwargs is watched too."""
    model = load("Disposing", 0)
    expected = model(X)
    key = next(iter(model.child._forward_hooks))
    model.child._forward_hooks_with_kwargs[key] = True
    with pytest.raises(TypeError, match="it was called with 4 arguments"):
        model(X)
    del model.child._forward_hooks_with_kwargs[key]
    assert torch.equal(model(X), expected)


class _Marked(torch.Tensor):
    pass


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:C# reads sizes:torch.jit.TracerWarning")  # its hook does (see test_tracing)
@pytest.mark.usefixtures("mode_checks")
def test_who_listens_to_pytorchs_functions_sees_them(load: Load, function_mode: Callable[[], Any]) -> None:
    """C-6: a hooked built-in runs PyTorch's forward where a mode, a tensor's class, or ``jit.trace`` would see its functions."""
    model = load("Hooked", "constructor")
    expected = model(X)
    crossed = Crossed()
    with function_mode() as mode:
        assert torch.equal(model(X), expected)
    assert "linear" in mode.names
    assert crossed()[0] == 1
    model(X.as_subclass(_Marked))
    assert crossed()[0] == 1
    torch.jit.trace(model, (X,), check_trace=False)
    assert crossed()[0] == 1
    model(X)
    assert crossed() == (0, 0)


def test_a_forward_of_its_own_is_run(load: Load) -> None:
    """C-2: C# does not run what Python replaced."""
    model = load("Hooked", "constructor")
    model._forward_hooks.clear()
    model.__class__ = type("Other", (type(model),), {"forward": lambda self, x: self.child(x) * 100})
    model._forward_hooks.update(model.child._forward_hooks)
    once = model.child(X)
    assert torch.equal(model(X), (once * 100 + 1) * 2)


@pytest.mark.parametrize("size", [2, 100_000], ids=["small", "large"])
def test_what_a_hook_keeps_outlives_the_code_that_disposes_it(load: Load, size: int) -> None:
    """The module's code disposes the result that its hook was given, and so does the scope of its call."""
    model = load("Disposing", size)
    crossed = Crossed()
    results = [model(torch.full((size,), float(number))) for number in range(20)]
    assert crossed() == (0, 0)
    gc.collect()
    assert [result[0].item() for result in results] == [number * 2 + 1 for number in range(20)]
    # Each call gives the sum of what was kept before.
    assert model.kept == 20
    assert model.sum == sum((number + 1) * size for number in range(20))


def test_what_no_hook_keeps_is_freed(load: Load, live_counts: Counts) -> None:
    model = load("Hooked", "constructor")
    model(X)
    before = live_counts()["tensors"]
    for _ in range(2000):
        model(X)
    assert live_counts()["tensors"] <= before + 20


def _counted(model: Any, at: int = 0) -> torch.Tensor:
    """Return the result of Counting where the forward hook number ``at`` returns ones."""
    x, ones = X, torch.ones(1, 2)
    for number, layer in enumerate(model.layers, 1):
        x = torch.nn.functional.linear(x, layer.weight, layer.bias) if hasattr(layer, "weight") else x
        x = ones if number == at else x
    return ones if at > len(model.layers) else x


#: With pre hooks, and without any, where a call needs no state until something else turns up.
counting = pytest.mark.parametrize("pres", [True, False])


@counting
def test_what_hooks_do_not_look_at_is_freed_with_the_call(load: Load, live_counts: Counts, pres: bool) -> None:
    """F-1, P-1: hooks that count. Nothing waits for .NET's collector, and C# makes the calls."""
    model = load("Counting", 6, 2, pres)
    with torch.no_grad():
        assert torch.equal(model(X), _counted(model))
        exports = dotnet_runtime().exports
        before, crossed = live_counts()["tensors"], Crossed()
        for _ in range(100):
            model(X)
        assert exports.live_counts()["tensors"] <= before + 2
    assert crossed() == (0, 0)
    assert (model.Pres, model.Posts, model.Seconds) == (101 * 8 * pres, 101 * 8, 101 * 8 * (not pres))


@counting
@pytest.mark.parametrize("at", range(1, 9))
def test_what_such_a_hook_gives_takes_the_results_place(load: Load, at: int, pres: bool) -> None:
    """F-3: six layers, their Sequential and the model."""
    model = load("Counting", 6, 2, pres)
    model.At = at
    result = model(X)
    assert torch.equal(result, _counted(model, at))
    for _ in range(20):
        model(X)
    assert torch.equal(result, _counted(model, at))
    assert model.Seconds == 21 * 8 * (not pres)


@counting
def test_gradients_flow_past_such_hooks(load: Load, pres: bool) -> None:
    model = load("Counting", 6, 2, pres)
    found = torch.autograd.grad(model(X).sum(), list(model.parameters()))
    expected = torch.autograd.grad(_counted(model).sum(), list(model.parameters()))
    assert all(map(torch.equal, found, expected))


@counting
@pytest.mark.parametrize("fails", [False, True])
def test_hooks_that_look_come_during_such_a_call(load: Load, fails: bool, pres: bool) -> None:
    """C-7, A-1: from then on somebody may keep the values: the arguments, and the result if there is one."""
    model = load("Counting", 6, 2, pres)
    kept: list[tuple[Any, Any]] = []

    def keep(module: Any, args: Any, result: Any) -> None:
        kept.append((args, result))

    def register(*_: Any) -> None:
        handle.remove()
        model.register_forward_hook(keep, always_call=True)
        if fails:
            raise RuntimeError("in a layer")

    handle = model.layers[3].register_forward_hook(register)
    if fails:
        with pytest.raises(RuntimeError, match="in a layer"):
            model(X)
    else:
        assert torch.equal(model(X), _counted(model))
    for _ in range(20):
        load("Counting", 6, 2)(X)
    ((args, result),) = kept
    assert torch.equal(args[0], X)
    assert result is None if fails else torch.equal(result, _counted(model))


@pytest.mark.parametrize("at", [3, 7, 8], ids=["layer", "chain", "model"])
def test_a_hook_of_pythons_comes_after_such_a_call(load: Load, at: int) -> None:
    """C-6, A-1, F-1: what the calls before have seen of the hooks does not count, and C# makes the calls again when it is gone."""
    model = load("Counting", 6, 2, False)
    module = [*model.layers, model.layers, model][at - 1]
    plain = model(X)
    assert torch.equal(plain, _counted(model))
    heard: list[Any] = []

    def hear(called: Any, args: Any, kwargs: Any, result: Any) -> torch.Tensor:
        heard.append((called is module, args, kwargs, result, model.Posts))
        return torch.ones(1, 2)

    handle = module.register_forward_hook(hear, with_kwargs=True)
    model.Posts = 0
    assert torch.equal(model(X), _counted(model, at))
    ((same, args, kwargs, result, posts),) = heard
    assert (same, len(args), kwargs, posts) == (True, 1, {}, at)
    assert torch.equal(module.forward(*args), result)
    handle.remove()
    failed: list[Any] = []
    always = module.register_forward_hook(lambda called, args, result: failed.append(result), always_call=True)
    # Neither its layer nor what is around it can compute with three numbers.
    with pytest.raises(RuntimeError, match="3"):
        model(torch.ones(1, 3))
    assert failed == ([] if at == 3 else [None])
    always.remove()
    crossed = Crossed()
    assert torch.equal(model(X), plain)
    assert torch.equal(model(X), plain)
    assert crossed() == (0, 0)


@counting
def test_a_recording_sees_what_such_hooks_do_not(load: Load, pres: bool) -> None:
    model = load("Counting", 6, 2, pres)
    with bridge.record(model, values="full") as found:
        model(X)
    with through_python():
        other = load("Counting", 6, 2, pres)
        other.load_state_dict(model.state_dict())
        with bridge.record(other, values="full") as expected:
            other(X)
    assert list(found.trace) == list(expected.trace)


def test_recordings_are_the_same(load: Load) -> None:
    model = load("Hooked", "constructor")
    with bridge.record(model, values="full") as found:
        model(X)
    with through_python():
        other = load("Hooked", "constructor")
        other.load_state_dict(model.state_dict())
        with bridge.record(other, values="full") as expected:
            other(X)
    assert list(found.trace) == list(expected.trace)


class _Marking(torch.nn.Module):
    """Models.Marking in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.other, self.inside, self.Calls = torch.nn.Identity(), torch.nn.Identity(), 0
        for hook in (self._count, lambda module, args, output: self.other(output) * 1, self._throw):
            self.register_forward_hook(hook)

    def _count(self, *_: Any) -> None:
        self.Calls += 1

    def _throw(self, *_: Any) -> None:
        raise RuntimeError("third")

    def forward(self, x: torch.Tensor) -> Any:
        return self.inside(x)


@pytest.mark.parametrize("where", ["other", "inside", "before"])
def test_a_hook_that_is_always_called_from_some_moment_on(load: Load, where: str) -> None:
    """A-2, A-3: one that has run before it became one runs again when the call fails; one that was one when it ran does not."""
    found = []
    for model in (_Marking(), load("Marking", True)):
        key = next(iter(model._forward_hooks))

        def mark(*_: Any, model: Any = model, key: int = key) -> None:
            model._forward_hooks_always_called[key] = True

        if where == "before":
            mark()
        else:
            getattr(model, where).register_forward_hook(mark)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="third"):
                model(X)
            found.append(model.Calls)
    assert found == {"other": [2, 3, 2, 3], "inside": [1, 2, 1, 2], "before": [1, 2, 1, 2]}[where]


def test_the_same_for_hooks_that_python_registered_during_the_call(load: Load) -> None:
    """C-7, A-2: Python runs the forward hooks of that call."""
    found = []
    for model in (_Marking(), load("Marking", False)):
        ran: list[str] = []

        def register(*_: Any, model: Any = model, ran: list[str] = ran) -> None:
            first = model.register_forward_hook(lambda *_: ran.append("first"))
            marked = model.register_forward_hook(lambda *_: ran.append("always"), always_call=True)

            def mark(*_: Any) -> None:
                model._forward_hooks_always_called[first.id] = True
                raise RuntimeError("last")

            model.register_forward_hook(mark)
            assert marked.id in model._forward_hooks

        if isinstance(model, _Marking):
            del model._forward_hooks[list(model._forward_hooks)[-1]]
        model.inside.register_forward_hook(register)
        with pytest.raises(RuntimeError, match="last"):
            model(X)
        found.append(ran)
    assert found == [["first", "always", "first"]] * 2
