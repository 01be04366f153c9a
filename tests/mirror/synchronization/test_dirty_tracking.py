"""One list: a mirror's dictionaries are the list of its hooks, whatever writes them, whenever (C-5, C-7, D-1, G-3, O-5)."""

from __future__ import annotations

import copy
import itertools
import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.modules import module as module_globals

from bridge.mirror.synchronization import dirty_tracking

Pairs = Callable[[], tuple[torch.nn.Module, torch.nn.Module]]
X = torch.arange(6.0).reshape(2, 3)
WHEN = (
    "global pre",
    "global forward",
    "root pre",
    "root forward",
    "first pre",
    "first forward",
    "second pre",
    "second forward",
)
TARGETS = ("", "first", "second", "global")


def _register(model: torch.nn.Module, target: str, kind: str, hook: Callable[..., Any]) -> Any:
    if target == "global":
        function = (
            module_globals.register_module_forward_pre_hook
            if kind == "pre"
            else module_globals.register_module_forward_hook
        )
        return function(hook)
    module = model.get_submodule(target)
    return module.register_forward_pre_hook(hook) if kind == "pre" else module.register_forward_hook(hook)


def _scenario(
    model: torch.nn.Module, when: str, target: str, kind: str, ancestor: bool, remove: bool
) -> list[tuple[int, str, str]]:
    """Call a model twice, and return the hooks that fired: a hook at ``when`` registers another on ``target``, and may remove itself."""
    log: list[tuple[int, str, str]] = []
    names = {module: path for path, module in model.named_modules()}
    handles: list[Any] = []
    call = 0

    def new(module: torch.nn.Module, *_: Any) -> None:
        log.append((call, "new", names[module]))

    def first(module: torch.nn.Module, *_: Any) -> None:
        log.append((call, when, names[module]))
        if len(handles) == 1:
            handles.append(_register(model, target, kind, new))
            if remove:
                handles[0].remove()

    if ancestor:
        model.register_forward_hook(lambda module, *_: log.append((call, "ancestor", names[module])))
    where, _, phase = when.rpartition(" ")
    handles.append(_register(model, {"root": "", "global": "global"}.get(where, where), phase, first))
    for call in range(2):  # noqa: B007  # the hooks read it
        model(X)
    for handle in handles:
        handle.remove()
    return log


@pytest.mark.parametrize("when", WHEN)
def test_registration_from_every_phase_against_hooked_and_bare_ancestors(pairs: Pairs, when: str) -> None:
    """C-5, C-7, D-1: as PyTorch does it, for every target, kind and ancestor."""
    for target, kind, ancestor, remove in itertools.product(TARGETS, ("pre", "forward"), (False, True), (False, True)):
        counterpart, mirror = pairs()
        expected = _scenario(counterpart, when, target, kind, ancestor, remove)
        assert any(name == "new" for _, name, _ in expected)
        assert _scenario(mirror, when, target, kind, ancestor, remove) == expected, (target, kind, ancestor, remove)


def test_direct_dictionary_writes_register(pairs: Pairs) -> None:
    """O-5: an entry written straight into the dictionary fires, in its place; one deleted or moved is followed."""
    for model in pairs():
        log: list[str] = []
        model.second._forward_hooks[-7] = lambda *_, log=log: log.append("a")
        model.second._forward_hooks.update({-8: lambda *_, log=log: log.append("b")})
        model(X)
        model.second._forward_hooks.move_to_end(-7)
        model(X)
        del model.second._forward_hooks[-7]
        model(X)
        model.second._forward_hooks.clear()
        model(X)
        assert log == ["a", "b", "b", "a", "b"]


def test_rebound_dictionaries_are_followed(pairs: Pairs) -> None:
    """A module's dictionary replaced by another: its hooks are the list now, and the old ones no longer count."""
    for model in pairs():
        log: list[str] = []
        model.second.register_forward_hook(lambda *_: log.append("old"))
        model.second._forward_hooks = OrderedDict({1: lambda *_: log.append("new")})
        model(X)
        assert log == ["new"]
        model.second._forward_hooks = OrderedDict()
        model(X)
        assert log == ["new"]


def test_dictionary_rebound_by_a_hook_counts_in_the_same_call(pairs: Pairs) -> None:
    """C-5 is asked at each call's entry: a bare child hears of what its sibling's hook rebound."""
    logs = []
    for model in pairs():
        log: list[str] = []

        def rebind(*_: Any, model: torch.nn.Module = model, log: list[str] = log) -> None:
            model.second._forward_pre_hooks = OrderedDict({1: lambda *_: log.append("second")})

        model.first.register_forward_hook(rebind)
        model(X)
        logs.append(log)
    assert logs == [["second"], ["second"]]


def test_rebound_globals_take_effect_at_once(pairs: Pairs) -> None:
    """G-3, between calls and from a hook inside one."""
    logs = []
    for model in pairs():
        log: list[str] = []
        names = {module: path for path, module in model.named_modules()}

        def hook(module: torch.nn.Module, *_: Any, log: list[str] = log, names: Any = names) -> None:
            log.append(names.get(module, "?"))

        module_globals._global_forward_hooks = OrderedDict({1: hook})
        model(X)
        module_globals._global_forward_hooks = OrderedDict()
        model(X)

        def rebind(*_: Any, hook: Any = hook) -> None:
            module_globals._global_forward_pre_hooks = OrderedDict({2: hook})

        handle = model.first.register_forward_hook(rebind)
        model(X)
        module_globals._global_forward_pre_hooks = OrderedDict()
        handle.remove()
        model(X)
        logs.append(log)
    assert logs[0] == ["first", "second", "", "second"]
    assert logs[1] == logs[0]


def test_registration_from_another_thread_is_seen(pairs: Pairs) -> None:
    """A bare child sees what another thread registered while its parent was running."""
    for model in pairs():
        log: list[str] = []

        def elsewhere(*_: Any, model: torch.nn.Module = model, log: list[str] = log) -> None:
            thread = threading.Thread(target=lambda: model.second.register_forward_hook(lambda *_: log.append("seen")))
            thread.start()
            thread.join()

        model.first.register_forward_hook(elsewhere)
        model(X)
        assert log == ["seen"]


def test_bare_children_do_not_enter_python(pairs: Pairs, monkeypatch: pytest.MonkeyPatch) -> None:
    """C-5: nothing listens, so no child's mirror is called."""
    _, mirror = pairs()
    called = []
    monkeypatch.setattr(torch.nn.functional, "linear", lambda x, *_: called.append("first") or x)
    mirror(X)
    assert called == []
    mirror.first.register_forward_pre_hook(lambda *_: None)
    mirror(X)
    assert called == ["first"]


@pytest.mark.parametrize("way", ["setitem", "update", "pop", "popitem", "clear", "setdefault", "ior", "del"])
def test_every_write_to_tracked_dictionaries_advances_the_epoch(way: str) -> None:
    """No write of parameters, buffers or children goes unseen."""
    from bridge.mirror.synchronization import dirty_tracking

    tracked = dirty_tracking.TrackedDict({"a": 1})
    before = dirty_tracking.epoch()
    if way == "setitem":
        tracked["b"] = 2
    elif way == "update":
        tracked.update(b=2)
    elif way == "pop":
        tracked.pop("a")
    elif way == "popitem":
        tracked.popitem()
    elif way == "clear":
        tracked.clear()
    elif way == "setdefault":
        tracked.setdefault("b", 2)
    elif way == "ior":
        tracked |= {"b": 2}
    else:
        del tracked["a"]
    assert dirty_tracking.epoch() != before
    assert isinstance(tracked, dirty_tracking.TrackedDict)


class _StepCounterpart(torch.nn.Module):
    """A Models.Step in PyTorch."""

    def __init__(self, step: Any) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(2, 2)
        self.scale = torch.nn.Parameter(torch.ones(2))
        self.load_state_dict(step.state_dict())

    def forward(self, x: torch.Tensor) -> Any:
        return self.inner(x) * self.scale


def test_a_write_under_way_counts(load: Callable[..., Any]) -> None:
    """What a write frees, or reads, may call the model, which is what it is by then; other threads may meanwhile too."""
    net = load("Steps")
    counterpart = torch.nn.Sequential(*map(_StepCounterpart, net.h))
    results: list[list[torch.Tensor]] = []
    for model, entries in ((net, net.h), (counterpart, counterpart)):
        found: list[torch.Tensor] = []

        def called(model: Any = model, found: list[torch.Tensor] = found) -> None:
            found.append(model(torch.ones(1, 2)))

        others = [copy.deepcopy(entries[1]), copy.deepcopy(entries[2])]
        weakref.finalize(others[0], called)

        def written(others: list[Any] = others, called: Callable[[], None] = called) -> Iterator[tuple[str, Any]]:
            while others:
                yield "0", others.pop(0)
                called()

        called()
        entries._modules.update(written())
        results.append(found)
    assert len(results[1]) == 4
    assert torch.equal(torch.cat(results[0]), torch.cat(results[1]))


@pytest.mark.slow
def test_threads_that_replace_the_same_entry(load: Callable[..., Any]) -> None:
    """A thread frees what another one has just put there, while others call the model: every call computes with what lives."""
    net = load("Steps")
    x = torch.ones(1, 2)
    wanted = net(x)
    problems: list[object] = []
    interval = sys.getswitchinterval()

    def run(replaces: bool) -> None:
        try:
            for _ in range(2000):
                if replaces:
                    net.h[0] = copy.deepcopy(net.h[0])
                if not torch.equal(found := net(x), wanted):
                    problems.append(found)
        except Exception as error:
            problems.append(error)

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(run, [False, True] * 8))
    finally:
        sys.setswitchinterval(interval)
    assert problems == []


@pytest.mark.skipif(sys.version_info < (3, 12), reason="CPython reports writes of dictionaries from 3.12 on")
@pytest.mark.skipif(dirty_tracking.REPORTS_WRITES, reason="all tests run so")
def test_writes_that_cpython_reports(models: Path, run_snippet: Callable[..., Any]) -> None:
    """The way of Python 3.14 (``PyDict_Watch``), which 3.12 and 3.13 have too: what Python writes holds in C#."""
    names = ("tree/test_attributes.py", "synchronization/test_tensor_lookup.py", "hooks/test_dispatch.py")
    files = [str(Path(__file__).parents[1] / name) for name in names]
    # The corpus takes long, and what it has of dictionaries the other tests have too.
    done = run_snippet("reported", "run", "-k", "not corpus", *files)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
