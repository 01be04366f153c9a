"""Python's hooks on TorchSharp's modules: each fires exactly once and as on the same model in PyTorch, whoever calls the module."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.nn.modules import module as global_hooks

import bridge
from bridge.torchsharp.in_process import hooks

pytestmark = [pytest.mark.dotnet, pytest.mark.inprocess]

Load = Callable[..., Any]
Pair = Callable[..., tuple[Any, Any]]
Log = list[tuple[Any, ...]]
X = torch.linspace(-1, 1, 8).reshape(2, 4)
MASK = torch.tensor([[1.0, 0.5, 2.0, -1.0]])


@pytest.fixture(autouse=True)
def _nothing_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Check that no call is left open, and that no hook is left registered globally."""
    monkeypatch.setattr(global_hooks, "_global_is_full_backward_hook", None)  # PyTorch never forgets the first kind
    yield
    assert hooks._calls == {}
    assert hooks._thread.open == []
    for phase in ("forward_pre", "forward", "backward_pre", "backward"):
        assert not getattr(global_hooks, f"_global_{phase}_hooks")


def described(value: Any) -> Any:
    """Return a value whose equality means equal tensors, bit for bit, in the same places."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype), value.requires_grad, value.tolist()
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [described(item) for item in value]
    if isinstance(value, dict):
        return {key: described(item) for key, item in value.items()}
    return value


class Recorder:
    """Hooks of each kind, which add an entry to a log: the kind, the module's path, and what the hook was given."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.paths = {module: path for path, module in model.named_modules()}
        self.log: Log = []

    def hook(self, kind: str, change: Callable[..., Any] = lambda *_: None) -> Callable[..., Any]:
        """Return a hook that adds an entry, and returns what ``change`` does."""

        def run(module: torch.nn.Module, *given: Any) -> Any:
            if module in self.paths:  # global hooks also run in other models
                self.log.append((kind, self.paths[module], *map(described, given)))
            return change(*given)

        return run


Register = Callable[[torch.nn.Module, Recorder], Any]
_FIRST: Any = {"prepend": True}
#: Kinds of registrations. Those of several hooks show the order.
KINDS: dict[str, Register] = {
    "pre": lambda m, r: m.register_forward_pre_hook(r.hook("pre")),
    "pre that replaces": lambda m, r: [
        m.register_forward_pre_hook(r.hook("first", lambda args: (args[0] * 2, *args[1:]))),
        m.register_forward_pre_hook(r.hook("second", lambda args: args[0] + 1 if len(args) == 1 else None)),
    ],
    "pre with kwargs": lambda m, r: m.register_forward_pre_hook(r.hook("pre kwargs"), with_kwargs=True),
    "pre with kwargs that replaces": lambda m, r: m.register_forward_pre_hook(
        r.hook("pre kwargs", lambda args, kwargs: ((args[0] * 2, *args[1:]), {k: v * 3 for k, v in kwargs.items()})),
        with_kwargs=True,
    ),
    "pre that is prepended": lambda m, r: [
        m.register_forward_pre_hook(r.hook("first")),
        m.register_forward_pre_hook(r.hook("prepended", lambda args: (args[0] - 1, *args[1:])), **_FIRST),
    ],
    "forward": lambda m, r: m.register_forward_hook(r.hook("forward")),
    "forward that replaces": lambda m, r: [
        m.register_forward_hook(r.hook("first", lambda args, result: result * 2)),
        m.register_forward_hook(r.hook("second")),
    ],
    "forward with kwargs": lambda m, r: m.register_forward_hook(
        r.hook("forward kwargs", lambda args, kwargs, result: result - 1), with_kwargs=True
    ),
    "forward that is prepended": lambda m, r: [
        m.register_forward_hook(r.hook("first")),
        m.register_forward_hook(r.hook("prepended", lambda args, result: result * 3), **_FIRST),
    ],
    "always called": lambda m, r: [
        m.register_forward_hook(r.hook("always"), always_call=True),
        m.register_forward_hook(r.hook("always kwargs"), always_call=True, with_kwargs=True),
    ],
    "backward": lambda m, r: m.register_full_backward_hook(r.hook("backward")),
    "backward that replaces": lambda m, r: [
        m.register_full_backward_hook(
            r.hook("first", lambda inputs, outputs: tuple(None if grad is None else grad * 2 for grad in inputs))
        ),
        m.register_full_backward_hook(r.hook("prepended"), **_FIRST),
    ],
    "backward pre": lambda m, r: m.register_full_backward_pre_hook(r.hook("backward pre")),
    "backward pre that replaces": lambda m, r: [
        m.register_full_backward_pre_hook(r.hook("first", lambda outputs: (outputs[0] * 2,))),
        m.register_full_backward_pre_hook(r.hook("prepended", lambda outputs: (outputs[0] + 1,)), **_FIRST),
    ],
    "backward of the older kind": lambda m, r: m.register_backward_hook(r.hook("older backward")),
    "all at once": lambda m, r: [
        KINDS[kind](m, r) for kind in KINDS if kind not in ("all at once", "backward of the older kind")
    ],
}
GLOBAL: dict[str, Callable[[Recorder], Any]] = {
    "pre": lambda r: global_hooks.register_module_forward_pre_hook(
        r.hook("pre", lambda args: (args[0] * 2, *args[1:]))
    ),
    "forward": lambda r: global_hooks.register_module_forward_hook(r.hook("forward", lambda args, result: result + 1)),
    "forward with kwargs": lambda r: global_hooks.register_module_forward_hook(
        r.hook("forward kwargs"), with_kwargs=True
    ),
    "always called": lambda r: global_hooks.register_module_forward_hook(r.hook("always"), always_call=True),
    "backward": lambda r: global_hooks.register_module_full_backward_hook(r.hook("backward")),
    "backward pre": lambda r: global_hooks.register_module_full_backward_pre_hook(r.hook("backward pre")),
    "backward of the older kind": lambda r: global_hooks.register_module_backward_hook(r.hook("older backward")),
}


def registering(kind: str, path: str) -> Callable[[Any, Recorder], Any]:
    """Return a function that registers hooks of a kind on one module of a model."""
    return lambda model, recorder: KINDS[kind](model.get_submodule(path), recorder)


def remove(handles: Any) -> None:
    """Remove what a registration returned."""
    for handle in handles if isinstance(handles, list) else [handles]:
        remove(handle) if isinstance(handle, list) else handle.remove()


def run(model: Any, *args: torch.Tensor, **kwargs: torch.Tensor) -> Any:
    """Call a model, run backward, and return the result and all gradients, described."""
    inputs = [value.clone().requires_grad_() for value in args]
    model.zero_grad()
    result = model(*inputs, **kwargs)
    result.square().sum().backward()
    return described([result, *(value.grad for value in inputs), *(parameter.grad for parameter in model.parameters())])


def same(pair: tuple[Any, Any], register: Callable[[Any, Recorder], Any], call: Callable[[Any], Any]) -> Log:
    """Register hooks, call twice, remove the hooks and call again, on both models; return the log, which is the same."""
    logs, results = [], []
    for model in pair:
        recorder = Recorder(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # hooks of the older kind say that they see a part of the gradients
            handles = register(model, recorder)
            found = [call(model), call(model)]
            remove(handles)
        count = len(recorder.log)
        found.append(call(model))
        assert len(recorder.log) == count, "a hook that was removed has run"
        logs.append(recorder.log)
        results.append(found)
    assert logs[0] == logs[1]
    assert results[0] == results[1]
    return logs[0]


@pytest.mark.parametrize("path", ["", "net", "net.act", "gate"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_fires_once_and_as_in_pytorch_when_csharp_calls(pair: Pair, kind: str, path: str) -> None:
    """O-1, O-2: Python calls the root, and C# its children, with one argument and with two."""
    register = registering(kind, path)
    assert same(pair("Outer"), register, lambda model: run(model, X))
    assert same(pair("Outer"), register, lambda model: run(model, X, MASK))


@pytest.mark.parametrize("path", ["", "net.act", "gate"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_fires_once_and_as_in_pytorch_when_python_calls(pair: Pair, kind: str, path: str) -> None:
    """With arguments by position, and by name where there are several."""
    register = registering(kind, path)
    assert same(pair("Outer"), register, lambda model: run(model.get_submodule(path), X))
    if path != "net.act":
        assert same(pair("Outer"), register, lambda model: run(model.get_submodule(path), X, mask=MASK))


@pytest.mark.parametrize("kind", GLOBAL)
def test_a_global_hook_fires_once_for_each_module(pair: Pair, kind: str) -> None:
    log = same(pair("Outer"), lambda model, recorder: GLOBAL[kind](recorder), lambda model: run(model, X, mask=MASK))
    assert sorted({path for _, path, *_ in log}) == ["", "gate", "gate.fc", "net", "net.act", "net.fc1", "net.fc2"]
    assert len(log) == 2 * 7


def test_all_hooks_on_all_modules_are_in_pytorchs_order(pair: Pair) -> None:
    def register(model: Any, recorder: Recorder) -> list[Any]:
        return [
            *(KINDS["all at once"](module, recorder) for module in model.modules()),
            *(GLOBAL[kind](recorder) for kind in GLOBAL if kind != "backward of the older kind"),
        ]

    assert len(same(pair("Outer"), register, lambda model: run(model, X, mask=MASK))) > 2 * 7 * 15


def test_hooks_on_a_class_with_an_overload_of_call(pair: Pair) -> None:
    """LSTM's results are three in C#, and a tensor and a tuple in PyTorch: the hooks see the same arguments, each once."""
    logs = []
    for model in pair("Recurrent"):
        recorder = Recorder(model)
        model.lstm.register_forward_pre_hook(recorder.hook("pre"))
        model.lstm.register_forward_pre_hook(recorder.hook("second", lambda args: args[0] * 2))
        model.lstm.register_forward_hook(recorder.hook("forward"))
        model(torch.linspace(-1, 1, 24).reshape(2, 3, 4))
        logs.append([entry[:3] for entry in recorder.log])
    assert logs[0] == logs[1]
    assert [entry[0] for entry in logs[0]] == ["pre", "second", "forward"]


def test_torchsharps_own_containers_call_their_modules(pair: Pair) -> None:
    def register(model: Any, recorder: Recorder) -> list[Any]:
        return [KINDS["all at once"](module, recorder) for module in model.modules()]

    assert same(pair("Chain"), register, lambda model: run(model, X))


def test_a_backward_that_csharp_begins_runs_backward_hooks(pair: Pair) -> None:
    def register(model: Any, recorder: Recorder) -> list[Any]:
        kinds = ("backward that replaces", "backward pre that replaces")
        return [KINDS[kind](module, recorder) for module in (model.net, model.net.act) for kind in kinds]

    def call(model: Any) -> Any:
        x = X.clone().requires_grad_()
        model.zero_grad()
        return described([model(x), x.grad, *(parameter.grad for parameter in model.parameters())])

    assert len(same(pair("Trains"), register, call)) == 2 * 2 * 4


@pytest.mark.parametrize("how", ["propagate", "rethrow", "catch"])
def test_always_called_hooks_run_once_when_csharp_throws(pair: Pair, how: str) -> None:
    """A-2, A-3: the inner module's first, with None for the result, also where C# catches the exception."""

    def register(model: Any, recorder: Recorder) -> list[Any]:
        return [KINDS[kind](module, recorder) for module in model.modules() for kind in ("always called", "forward")]

    caught = None if how == "catch" else Exception
    log = same(pair("Guard", how, True), register, lambda model: run_forward(model, caught))
    assert len([entry for entry in log if entry[0] == "always"]) == 2 * 3


def run_forward(model: Any, error: type[BaseException] | None = None) -> Any:
    """Call a model, and return the result, described; or None if it raises the exception that is expected."""
    if error is None:
        return described(model(X))
    with pytest.raises(error):
        model(X)
    return None


RAISING: dict[str, Callable[[Any, Any], Any]] = {
    "pre": lambda m, hook: m.register_forward_pre_hook(hook),
    "pre with kwargs": lambda m, hook: m.register_forward_pre_hook(hook, with_kwargs=True),
    "forward": lambda m, hook: m.register_forward_hook(hook),
    "forward with kwargs": lambda m, hook: m.register_forward_hook(hook, with_kwargs=True),
    "always called": lambda m, hook: m.register_forward_hook(hook, always_call=True),
    "global pre": lambda m, hook: global_hooks.register_module_forward_pre_hook(only(m, hook)),
    "global forward": lambda m, hook: global_hooks.register_module_forward_hook(only(m, hook)),
    "backward": lambda m, hook: m.register_full_backward_hook(hook),
    "backward pre": lambda m, hook: m.register_full_backward_pre_hook(hook),
    "on a tensor": lambda m, hook: m.register_forward_hook(
        lambda module, args, result: result.register_hook(hook) and None
    ),
}


def only(module: Any, hook: Callable[..., Any]) -> Callable[..., Any]:
    """Return a global hook that acts on one module."""
    return lambda other, *given: hook(other, *given) if other is module else None


class Mine(Exception):
    """An exception that no library of ours knows."""


@pytest.mark.parametrize(
    "error", [Mine("on purpose"), KeyboardInterrupt(), SystemExit(3)], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("path", ["", "net", "net.act", "gate"])
@pytest.mark.parametrize("kind", RAISING)
def test_an_exception_of_a_hook_is_the_very_object(load: Load, kind: str, path: str, error: BaseException) -> None:
    """A-1: whoever calls the module. The next calls run as before."""
    model = load("Outer")

    def hook(*_: Any) -> None:
        raise error

    for module in dict.fromkeys((model, model.get_submodule(path))):
        x = X.clone().requires_grad_()
        expected = run(module, X)
        handle = RAISING[kind](model.get_submodule(path), hook)
        with pytest.raises(type(error)) as caught:
            module(x).sum().backward()
        assert caught.value is error
        handle.remove()
        assert run(module, X) == expected


@pytest.mark.parametrize("interrupt", [False, True])
@pytest.mark.parametrize("kind", ["pre", "forward", "always called", "global pre", "global forward"])
def test_always_called_hooks_run_once_when_a_hook_raises(pair: Pair, kind: str, interrupt: bool) -> None:
    """A-3, A-4: not after an interrupt."""
    error = KeyboardInterrupt() if interrupt else Mine()

    def hook(*_: Any) -> None:
        raise error

    logs = []
    for model in pair("Guard", "rethrow", False):
        recorder = Recorder(model)
        for module in model.modules():
            KINDS["always called"](module, recorder)
        handle = RAISING[kind](model.inner.act, hook)
        KINDS["always called"](model.inner.act, recorder)
        with handle, pytest.raises(type(error)) as caught:
            model(X)
        assert caught.value is error
        logs.append(recorder.log)
    assert logs[0] == logs[1]
    assert logs[0]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)], ids=lambda e: type(e).__name__)
def test_csharp_cannot_swallow_an_interrupt(load: Load, error: BaseException) -> None:
    """A-4: its ``catch (Exception)`` runs, and the call raises the very object."""
    model = load("Guard", "catch", False)

    def hook(*_: Any) -> None:
        raise error

    with model.inner.fc1.register_forward_hook(hook), pytest.raises(type(error)) as caught:
        model(X)
    assert caught.value is error
    model(X)


@pytest.mark.parametrize("kind", ["pre", "forward", "global forward"])
def test_csharp_catches_the_exception_of_a_hook(pair: Pair, kind: str) -> None:
    def hook(*_: Any) -> None:
        raise Mine

    def register(model: Any, recorder: Recorder) -> list[Any]:
        always = [KINDS["always called"](module, recorder) for module in model.modules()]
        return [*always, RAISING[kind](model.inner.fc2, hook)]

    assert same(pair("Guard", "catch", False), register, run_forward)


def test_an_always_called_hook_that_raises_after_an_error_becomes_a_warning(pair: Pair) -> None:
    """A-6"""
    texts = []

    def hook(*_: Any) -> None:
        raise Mine("in the hook")

    for model in pair("Guard", "propagate", True):
        model.inner.register_forward_hook(hook, always_call=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run_forward(model, Exception)
        texts.append([str(warning.message) for warning in caught])
    assert texts[0] == texts[1]
    assert len(texts[0]) == 1


def test_hooks_of_torchsharp_run_once_beside_those_of_python(load: Load) -> None:
    """Python's run first in each phase, and see what C#'s pre hooks have made of the arguments after ``forward``."""
    model = load("Hooked")
    recorder = Recorder(model)
    for module in (model, model.fc):
        module.register_forward_pre_hook(recorder.hook("pre", lambda args: args[0] * 2))
        module.register_forward_hook(recorder.hook("forward", lambda args, result: result - 5))
    result = model(X)
    linear = torch.nn.functional.linear
    inner = (X * 2 + 2) * 2 * 10
    outer = linear(inner, model.fc.weight, model.fc.bias) - 5 + 1
    assert described(result) == described((outer - 5) * 3)
    assert model.counts.tolist() == [1, 1, 1, 1]
    assert [(kind, path, given[1][0][2]) for kind, path, given, *_ in recorder.log] == [
        ("pre", "", X.tolist()),
        ("pre", "fc", (X * 2 + 2).tolist()),
        ("forward", "fc", inner.tolist()),
        ("forward", "", (X * 2 + 2).tolist()),
    ]
    model.fc(X)  # called by Python
    assert model.counts.tolist() == [2, 2, 1, 1]


def test_an_exception_of_a_hook_of_torchsharp_calls_always_called_hooks(load: Load) -> None:
    """C#'s hook on the child throws after Python's hooks on it have run (A-2); the root's have not."""
    model = load("Hooked", True)
    recorder = Recorder(model)
    for module in (model, model.fc):
        module.register_forward_hook(recorder.hook("always"), always_call=True)
    with pytest.raises(bridge.DotNetError, match=r"System\.InvalidOperationException in the root module: in a hook"):
        model(X)
    assert [entry[:2] for entry in recorder.log] == [("always", "fc"), ("always", "")]
    assert recorder.log[1][-1] is None


def test_what_a_hook_returns_must_fit_csharp(load: Load) -> None:
    """F-2: the types of .NET are fixed."""
    model = load("Net")
    seen: list[Any] = []
    model.fc1.register_forward_hook(lambda module, args, result: seen.append(result), always_call=True)
    for register in (model.fc1.register_forward_pre_hook, model.fc1.register_forward_hook):
        with (
            register(lambda *_: "text"),
            pytest.raises(bridge.DotNetError, match="string was given where C# declares Tensor"),
        ):
            model(X)
    assert [type(result) for result in seen] == [type(None), torch.Tensor]  # the second ran before the hook that raised
    assert model(X).shape == X.shape


def test_a_hook_may_call_the_model_and_register_hooks(pair: Pair) -> None:
    """C-5: what is registered during a call on a module that runs bare waits for its next call."""

    def register(model: Any, recorder: Recorder) -> list[Any]:
        handles: list[Any] = []

        def call(module: Any, args: Any) -> None:
            if len(args) == 1 and args[0].shape == X.shape:
                model.gate(X[:1])
                model(X[1:])
                handles.append(model.gate.register_forward_hook(recorder.hook("later")))

        handles.append(model.net.fc1.register_forward_pre_hook(call))
        handles += [KINDS["pre"](model.net, recorder), KINDS["forward"](model, recorder)]
        return handles

    assert same(pair("Outer"), register, lambda model: run(model, X))


def test_threads_have_calls_of_their_own(load: Load) -> None:
    model = load("Outer")
    seen: dict[int, list[float]] = {}
    for module in model.modules():
        module.register_forward_hook(
            lambda module, args, kwargs, result: seen.setdefault(threading.get_ident(), []).append(len(args[0])),
            with_kwargs=True,
        )
    sizes: dict[int, int] = {}
    together = threading.Barrier(3)  # a thread that starts later could get the number of one that has ended

    def work(size: int) -> None:
        together.wait()
        sizes[threading.get_ident()] = size
        for _ in range(20):
            model(torch.ones(size, 4), mask=MASK)

    workers = [threading.Thread(target=work, args=(size,)) for size in (1, 2, 3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(sizes.values()) == [1, 2, 3]
    assert seen == {thread: [size] * 20 * 7 for thread, size in sizes.items()}
