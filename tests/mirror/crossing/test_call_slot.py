"""bridge/mirror/crossing/call_slot.py: CPython calls a mirror through .NET's function, or through ``__call__``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

import bridge
from bridge.clr.start import capi
from bridge.mirror.module import Mirror

Load = Callable[..., bridge.Mirror]
X = torch.arange(6.0).reshape(2, 3)


@pytest.fixture
def ran() -> Iterator[list[str]]:
    """Yield the names of the Python functions that are called, in order."""
    names: list[str] = []

    def entered(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            names.append(frame.f_code.co_qualname)

    before = sys.getprofile()
    sys.setprofile(entered)
    yield names
    sys.setprofile(before)


def test_a_call_that_is_csharps_runs_no_python(load: Load, ran: list[str]) -> None:
    """C-5: with the arguments by position, none by name."""
    model = load("Pair")
    expected = model(X)
    ran.clear()
    found = model(X)
    assert ran == []
    assert torch.equal(model(*(X,), **{}), expected)
    assert torch.equal(found, expected)
    assert ran == []


def test_what_python_has_to_see_it_sees(load: Load, ran: list[str]) -> None:
    """An argument by name, one of a class of its own or that does not fit, a mode, a hook: each goes through ``__call__``."""
    model = load("Pair")
    expected = model(X)

    class Sees(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func)
            return func(*args, **(kwargs or {}))

    class Own(torch.Tensor):
        pass

    seen: list[Any] = []
    name = next(iter(bridge.mirror.linked(model).arguments or ()))[0]
    ran.clear()
    assert torch.equal(model(**{name: X}), expected)
    assert "Mirror.__call__" in ran
    ran.clear()
    assert torch.equal(model(X.as_subclass(Own)), expected)  # type: ignore[no-untyped-call]  # PyTorch's is untyped
    assert "Mirror.__call__" in ran
    ran.clear()
    with Sees():
        assert torch.equal(model(X), expected)
    assert "Mirror.__call__" in ran
    assert torch.nn.functional.linear in seen
    for arguments, error, words in (
        ((object(),), TypeError, "cannot pass an object"),
        ((X, X), RuntimeError, "it takes 1 argument, not 2"),
        ((), RuntimeError, "'input' is missing"),
    ):
        ran.clear()
        with pytest.raises(error, match=words):
            model(*arguments)
    results: list[Any] = []
    with model.register_forward_hook(lambda module, args, result: results.append(result)):
        assert torch.equal(model(X), expected)
    assert torch.equal(results[0], expected)


@pytest.mark.parametrize("place", ["the class", "Mirror", "a class of it"])
def test_a_call_that_is_written_is_run(load: Load, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """C-6: until it is put back."""
    model = load("Pair")
    expected = model(X)
    seen: list[Any] = []

    def call(self: Any, *args: Any) -> Any:
        seen.append(self)
        return original(self, *args)

    original = Mirror.__call__
    own = type(model)
    if place == "a class of it":
        model.__class__ = type("Own", (own,), {"__call__": call})
    else:
        monkeypatch.setattr(own if place == "the class" else Mirror, "__call__", call)
    assert torch.equal(model(X), expected)
    assert seen == [model]
    monkeypatch.undo()
    model.__class__ = own
    assert torch.equal(model(X), expected)
    assert seen == [model]


def test_a_class_that_was_written_is_taken_again_by_its_next_model(load: Load, ran: list[str]) -> None:
    model = load("Pair")
    kind: Any = type(model)
    kind.__call__ = lambda self, *args: Mirror.__call__(self, *args)
    del kind.__call__
    ran.clear()
    model(X)
    assert "Mirror.__call__" in ran
    again = load("Pair")
    assert type(again) is kind
    for one in (model, again):  # not in turn: by their addresses, one may take the other's place in C#'s cache
        for _ in range(3):  # the load made calls look anew, which gives the class a version, and then look at that
            one(X)
        ran.clear()
        one(X)
        assert ran == []


def test_where_python_hides_the_place_calls_begin_in_python(
    load: Load, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load("Pair")
    kind: Any = type(model)
    kind.__call__ = Mirror.__call__
    del kind.__call__
    monkeypatch.setattr(capi, "call_slot", lambda: (0, 0))
    again = load("Pair")
    ran.clear()
    assert torch.equal(again(X), again.second(again.first(X)))
    assert "Mirror.__call__" in ran


def test_an_error_comes_out_as_it_is(load: Load) -> None:
    """A-1: of C#, and of a hook in the midst of it."""
    model = load("Pair")
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        model(torch.ones(2, 5))

    def fail(*_: Any) -> None:
        raise KeyError("on purpose")

    with model.second.register_forward_hook(fail), pytest.raises(KeyError, match="on purpose"):
        model(X)
    assert model(X).shape == (2, 3)
