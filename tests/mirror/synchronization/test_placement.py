"""A child that Python replaces, also in the middle of a call: calls under way go on with the old one, what comes next has the new one."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

Load = Callable[..., Any]
X = torch.tensor([[1.0, 2.0], [3.0, -4.0]])


class Step(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.scale = nn.Linear(2, 2), nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor) -> Any:
        return self.inner(x) * self.scale


class Gated(nn.Module):
    """Models.Gated in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.fc, self.step = nn.ReLU(), nn.Linear(2, 2), Step()
        self.h = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
        self.seq = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
        self.scale = nn.Parameter(torch.ones(2) * 3)

    def forward(self, x: torch.Tensor) -> Any:
        x = self.gate(x)
        x = self.fc(x) * self.scale
        x = self.step(x)
        for layer in self.h:
            x = layer(x)
        x = self.seq(x)
        return x.matmul(self.fc.weight) + x.matmul(self.h[1].weight)


class Holder(nn.Module):
    """Models.Holder in PyTorch."""

    def __init__(self, reads: bool) -> None:
        super().__init__()
        self.block, self.act, self.reads = Gated(), nn.Tanh(), reads

    def forward(self, x: torch.Tensor) -> Any:
        x = self.act(self.block(x))
        return x.matmul(self.block.fc.weight) if self.reads else x


def _pair(load: Load, reads: bool = False) -> tuple[Any, Any]:
    """Return the PyTorch model and the mirror, with equal weights."""
    mirror, counterpart = load("Holder", reads), Holder(reads)
    counterpart.load_state_dict(mirror.state_dict())
    return counterpart, mirror


class Other(nn.Module):
    """Has a child of that name, and nothing else that the old one has."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> Any:
        return self.fc(x) + 1


def _news(load: Load) -> dict[str, tuple[Any, Any]]:
    """Return the replacements of a block, for PyTorch and for .NET."""
    other, gated, torn, mirrored = Other(), Gated(), Gated(), load("Gated")
    del torn.step
    counterpart = Gated()
    counterpart.load_state_dict(mirrored.state_dict())
    return {
        "other": (other, other),
        "the same in Python": (gated, gated),
        "without a child": (torn, torn),
        "another mirror": (counterpart, mirrored),
    }


NEWS = ("other", "the same in Python", "without a child", "another mirror")


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("new", NEWS)
def test_a_hook_in_the_old_child_replaces_it(load: Load, new: str, hooked: bool, kept: bool) -> None:
    """The call under way goes on with the old child and all that it has, though nothing else keeps that alive."""
    pair, results, olds = _pair(load, new != "without a child"), [], []
    for model, given in zip(pair, _news(load)[new], strict=True):
        if kept:
            olds.append(model.block)
        if hooked:
            model.block.register_forward_hook(lambda *_: None)

        def replace(*_: Any, model: Any = model, given: Any = given) -> None:
            handle.remove()
            model.block = given
            gc.collect()

        handle = model.block.gate.register_forward_hook(replace)
        results.append([model(X)])
        if new != "without a child":
            results[-1].append(model(X))
    torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)


@pytest.mark.parametrize("new", NEWS)
def test_another_thread_replaces_it(load: Load, new: str) -> None:
    """Two threads are in the old child when a third replaces it, and calls the model before they go on."""
    results = []
    for model, given in zip(_pair(load), _news(load)[new], strict=True):
        inside, go = threading.Barrier(3), threading.Event()

        def wait(*_: Any, inside: threading.Barrier = inside, go: threading.Event = go) -> None:
            inside.wait(60)
            assert go.wait(60)

        old = threading.local()
        handle = model.block.gate.register_forward_hook(wait)
        found: dict[int, Any] = {}

        def run(number: int, model: Any = model, found: dict[int, Any] = found) -> None:
            try:
                found[number] = model(X)
            except BaseException as error:
                found[number] = error

        threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        inside.wait(60)
        handle.remove()
        del old
        model.block = given
        gc.collect()
        if new != "without a child":
            found[2] = model(X)
        go.set()
        for thread in threads:
            thread.join()
        if new != "without a child":
            found[3] = model(X)
        results.append([found[number] for number in sorted(found)])
    for expected, result in zip(*results, strict=True):
        assert isinstance(result, torch.Tensor), result
        assert torch.equal(result, expected)


@pytest.mark.parametrize("on", ["a task", "a thread"])
def test_a_thread_of_the_old_child_goes_on_with_it(load: Load, on: str) -> None:
    """Wherever .NET has it from: what the old child started has what it has."""
    model, given = load("OfApart", on), Other()
    fc = copy.deepcopy(model.block.fc)

    def replace(*_: Any) -> None:
        handle.remove()
        model.block = given

    handle = model.block.gate.register_forward_hook(replace)
    with torch.no_grad():
        torch.testing.assert_close(model(X), fc(X.relu()).matmul(fc.weight), rtol=0, atol=0)
        torch.testing.assert_close(model(X), given(X), rtol=0, atol=0)


def test_the_old_child_called_by_itself(load: Load) -> None:
    """It has what it had, also while the model has another one, and both at once."""
    results = []
    for model, given in zip(_pair(load, True), _news(load)["the same in Python"], strict=True):
        old = model.block
        model.block = given
        results.append([old(X), model(X), old(X), old.step(X), old.h[0](X), old.seq(X), model(X)])
    torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)


@pytest.mark.parametrize("kept", [False, True])
def test_csharp_reads_the_new_grandchild(load: Load, kept: bool) -> None:
    """Whether or not the old child is alive; and the new one's writes count, and the old one's return."""
    results = []
    for model, given in zip(_pair(load, True), _news(load)["other"], strict=True):
        old = model.block if kept else None
        model.block = copy.deepcopy(given)
        got = [model(X)]
        model.block.fc = nn.Linear(2, 2)
        model.block.fc.weight = nn.Parameter(torch.eye(2) * 5)
        model.block.fc.bias = nn.Parameter(torch.ones(2))
        got.append(model(X))
        if old is not None:
            model.block = old
            got.append(model(X))
        results.append(got)
    torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)


def test_a_later_read_has_the_new_one(load: Load) -> None:
    """A hook behind the child replaces it: what the parent reads from then on is the new one's."""
    results = []
    for model, given in zip(_pair(load, True), _news(load)["the same in Python"], strict=True):

        def replace(*_: Any, model: Any = model, given: Any = given) -> None:
            model.block = given

        handle = model.act.register_forward_hook(replace)
        got = [model(X)]
        handle.remove()
        results.append([*got, model(X)])
    torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)


@pytest.mark.parametrize("kept", [False, True])
def test_csharp_sets_the_mode_of_the_new_child(load: Load, kept: bool) -> None:
    """train and eval reach what is in the child's place, and what that has, as in PyTorch; not the old one."""
    model = load("Switching")
    old = model.block if kept else None
    model.block = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
    model.drop = nn.Dropout(0.1)
    for trains in (False, True):
        model.Trains = trains
        model(X)
        assert [module.training for module in model.modules()] == [True, *[trains] * 4]
        assert old is None or all(module.training for module in old.modules())
        assert model.Modes.split()[::2] == [str(trains), str(trains)]


def test_threads_of_net_call_what_came_during_the_call(load: Load) -> None:
    """The new entry was no part of the model when the call began."""
    model, new = load("Branching"), load("Gated")
    handle = model.gate.register_forward_hook(lambda *_: setattr(model.h, "0", new))
    y = torch.relu(X)
    expected = new(y) + model.h[1](y)
    assert torch.equal(model(X), expected)
    handle.remove()
    assert torch.equal(model(X), expected)


class Walking(nn.Module):
    """Models.Walking in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.h = nn.ReLU(), nn.ModuleList([Gated(), Gated()])

    def forward(self, x: torch.Tensor) -> Any:
        x = self.gate(x)
        for entry in self.h:
            x = entry(x)
        return x


def _once(module: Any, act: Callable[[], object]) -> None:
    """Run ``act`` and collect garbage in the next call of the module."""

    def hook(*_: Any) -> None:
        handle.remove()
        act()
        gc.collect()

    handle = module.register_forward_hook(hook)


def _exchanged(model: Any, place: str) -> None:
    model.h[int(place)] = copy.deepcopy(model.h[int(place)])


@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("python", [False, True])
def test_an_entry_that_came_during_the_call_is_replaced(load: Load, python: bool, called: bool, threads: bool) -> None:
    """The entry that a hook put into the list is used to the end of the call that reached it, though it is replaced while it runs.

    ``python`` says that the entries are Python's own, ``called`` that the model is called again meanwhile.
    """
    mirror, counterpart = load("Walking"), Walking()
    counterpart.load_state_dict(mirror.state_dict())
    if python:
        for name, child in counterpart.h.named_children():
            mirror.h[int(name)] = copy.deepcopy(child)
    results = []
    for model in (counterpart, mirror):

        def replace(model: Any = model) -> None:
            _exchanged(model, "0")
            _exchanged(model, "1")
            if called:
                model(X)

        def act(model: Any = model, replace: Callable[[], None] = replace) -> None:
            if threads:
                thread = threading.Thread(target=replace)
                thread.start()
                thread.join()
            else:
                replace()

        def begin(model: Any = model, act: Callable[[], None] = act) -> None:
            _exchanged(model, "0")
            _exchanged(model, "1")
            _once(model.h[0].gate, act)

        _once(model.gate, begin)
        results.append([model(X), model(X)])
    torch.testing.assert_close(results[1], results[0], rtol=0, atol=0)


def test_an_entry_is_freed_at_the_end_of_the_calls_that_have_it(load: Load) -> None:
    """One that came and went during a call lives until that call ends, whatever calls began later, and no longer."""
    model = load("Walking")
    inside, go, end = threading.Event(), threading.Event(), threading.Event()
    came: list[weakref.ref[Any]] = []

    def begin() -> None:
        for _ in range(2):
            _exchanged(model, "0")
            model(X)
            came.append(weakref.ref(model.h[0]))
        _exchanged(model, "0")
        model(X)
        gc.collect()
        inside.set()
        assert go.wait(60)

    def later() -> None:
        inside.set()
        assert end.wait(60)

    _once(model.gate, begin)
    first = threading.Thread(target=model, args=(X,))
    first.start()
    assert inside.wait(60)
    inside.clear()
    _once(model.gate, later)
    second = threading.Thread(target=model, args=(X,))
    second.start()
    assert inside.wait(60)
    alive = [reference() is not None for reference in came]
    go.set()
    first.join()
    gc.collect()
    left = [reference() is not None for reference in came]
    end.set()
    second.join()
    assert alive == [True, True]
    assert left == [False, False]


def test_an_entry_that_comes_while_those_of_an_ended_call_are_freed(load: Load) -> None:
    """A call that is under way then has it to its end, though none began between the two times that the list was changed before."""
    model = load("Walking")
    inside, go, end = threading.Event(), threading.Event(), threading.Event()
    results: list[object] = []

    def begin() -> None:
        for _ in range(2):
            _exchanged(model, "0")
            model(X)
            if not results:
                weakref.finalize(model.h[0], freed)
                results.append(model(X))
        _exchanged(model, "0")
        model(X)
        gc.collect()
        inside.set()
        assert go.wait(60)

    def freed() -> None:
        _exchanged(model, "1")
        results.append(model(X))

    def later() -> None:
        inside.set()
        assert end.wait(60)
        _once(model.h[0].gate, lambda: _exchanged(model, "1"))

    def call() -> None:
        try:
            results.append(model(X))
        except Exception as error:
            results.append(error)

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread, act in zip(threads, (begin, later), strict=True):
        _once(model.gate, act)
        thread.start()
        assert inside.wait(60)
        inside.clear()
    go.set()
    threads[0].join()
    end.set()
    threads[1].join()
    assert len(results) == 4
    for result in results:
        assert isinstance(result, torch.Tensor), result
        assert torch.equal(result, model(X))


def test_a_call_while_a_replaced_child_is_being_freed_leaves_that_one_alone(load: Load) -> None:
    """Python runs callbacks of weak references then, and other threads; a call must not take a reference to what has none any more."""
    theirs, ours = _pair(load)
    results: list[tuple[torch.Tensor, torch.Tensor]] = []
    references = []
    for _ in range(20):
        child = ours.block
        references.append(weakref.ref(child, lambda _: results.append((ours(X), theirs(X)))))
        ours.block = copy.deepcopy(child)
        del child
    gc.collect()
    assert len(results) == len(references)
    for result, expected in results:
        torch.testing.assert_close(result, expected)
