"""Values as they cross: every kind both ways, and what cannot cross is refused by name."""

from __future__ import annotations

import enum
import math
import weakref
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
import torch

import bridge
from bridge.mirror.crossing import conversion

Load = Callable[..., bridge.Mirror]
X = torch.ones(1, 2)


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
def test_round_trip_of_every_kind(load: Load, hooked: bool) -> None:
    model = load("Anything", True)
    if hooked:
        for module in model.modules():
            module.register_forward_pre_hook(lambda *_: None)
    x, y = torch.randn(2), torch.ones(3, dtype=torch.int64)
    items = [
        x,
        None,
        True,
        -5,
        2**64 - 1,
        -(2**63),
        1.5,
        -0.0,
        math.inf,
        "",
        "häß\0€🎉",
        (x, (y, None), 3),
        [],
        [x, [1]],
        {},
    ]
    back = [model(item) for item in items]
    assert back[0] is x
    assert back[1:11] == items[1:11]
    assert [type(item) for item in back[1:11]] == [type(item) for item in items[1:11]]
    assert math.copysign(1, back[7]) == -1
    assert back[11][0] is x
    assert back[11][1][0] is y
    assert back[11][1:] == ((y, None), 3)
    assert back[12:] == [[], [x, [1]], {}]
    assert math.isnan(model(math.nan))


def test_subclasses_cross_as_what_they_are(load: Load) -> None:
    """A dict in its own order, a named tuple as a tuple, an enum's int and a subclass of str by their values."""
    model = load("Anything", False)
    ordered = OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    assert list(model(ordered)) == ["b", "a"]
    assert model(defaultdict(int, a=1)) == {"a": 1}
    assert model(namedtuple("Point", "x y")(1, 2)) == (1, 2)
    assert model(enum.IntEnum("Number", "ONE").ONE) == 1
    assert model(enum.StrEnum("Word", "one").one) == "one"
    assert model(torch.finfo(torch.float32).eps) == torch.finfo(torch.float32).eps


def test_numbers_of_every_size(load: Load) -> None:
    """C#'s narrow and unsigned numbers are Python's ints and floats."""
    assert load("Gives", "numbers")(X) == (1, -2, -3, 4, 5, 2**64 - 1, 0.5, 0.25)


def test_text_with_half_a_pair(load: Load) -> None:
    """C#'s strings are any UTF-16; Python can hold them, and only cannot hand half a surrogate pair back."""
    assert load("Gives", "half a pair")(X) == "a\ud800b"
    with pytest.raises(UnicodeEncodeError):
        load("Anything", False)("\ud800")


@pytest.mark.parametrize("place", ["argument", "item", "hook's argument", "hook's result"])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({1}, "cannot pass a set to .NET"),
        ({1: X}, "cannot pass a dict to .NET; .* dicts with string keys"),
        (object(), "cannot pass an object to .NET"),
        (2**64, "the integer does not fit into 64 bits"),
        (-(2**63) - 1, "the integer does not fit into 64 bits"),
        # PyTorch's own operators refuse these two by a TypeError as well.
        (Mock(spec=torch.Tensor), "cannot pass a Mock to .NET"),
        (weakref.proxy(X), "cannot pass a (weakproxy|ProxyType) to .NET"),
    ],
    ids=["set", "dict", "object", "large", "small", "mock", "proxy"],
)
def test_what_cannot_cross_is_refused(load: Load, place: str, wrong: Any, message: str) -> None:
    """Wherever it occurs, including what only claims to be a tensor."""
    model = load("Anything", True)
    child = next(model.children())
    if place == "hook's argument":
        child.register_forward_pre_hook(lambda module, args: (wrong,))
    elif place == "hook's result":
        child.register_forward_hook(lambda module, args, result: wrong)
    given = {"argument": wrong, "item": [X, {"a": (wrong,)}]}.get(place, X)
    with pytest.raises(TypeError, match=message):
        model(given)
    assert load("Anything", True)(X) is X


def test_what_is_not_a_tensor_as_a_parameter(load: Load) -> None:
    """PyTorch lets a mock or a proxy of a Parameter be registered."""
    model = load("Pair")
    kept = torch.nn.Parameter(torch.ones(3, 3))
    for wrong in (weakref.proxy(kept), Mock(spec=torch.nn.Parameter)):
        model.first._parameters["weight"] = wrong
        with pytest.raises(
            TypeError, match=r"'first.weight' is a (weakproxy|ProxyType|Mock), but .NET needs a tensor or None"
        ):
            model(torch.ones(1, 3))
    model.first.weight = kept
    assert model(torch.ones(1, 3)).shape == (1, 3)


class _Long(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 1_000_000

    def __iter__(self) -> Any:
        raise AssertionError("nobody asks")


class _Wide(tuple):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return -1


class _Named(dict):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 0

    def keys(self) -> Any:
        return ["b", "c"]

    def items(self) -> Any:
        raise AssertionError("nobody asks")


class _Ordered(OrderedDict):  # type: ignore[type-arg]
    def items(self) -> Any:
        return [("a", 1), ("b",), 3]


def test_containers_that_lie(load: Load) -> None:
    """What is in memory crosses, whatever ``__len__`` and ``keys()`` of a subclass say."""
    model = load("Anything", False)
    assert model(_Long([1, [2]])) == [1, [2]]
    assert model(_Wide((1, (2,)))) == (1, (2,))
    assert model(_Named(a=1)) == {"a": 1}
    with pytest.raises(TypeError, match="cannot pass a _Ordered to .NET"):
        model(_Ordered(a=1))


@pytest.mark.parametrize("hooked", [False, True], ids=["bare", "hooked"])
def test_any_number_of_values(load: Load, hooked: bool) -> None:
    """As arguments, as results, and for a child with a hook that does nothing."""
    model = load("Varied")
    expected = load("Varied")(X)
    many, anything = load("Gives", "many"), load("Anything", True)
    if hooked:
        for module in (*model.modules(), *many.modules(), *anything.modules()):
            module.register_forward_pre_hook(lambda *_: None)
            module.register_forward_hook(lambda *_: None)
    assert torch.equal(model(X), expected)
    assert torch.equal(expected, X * sum(range(300)) + (X * 2 + 1) * 3 * 2 * 2)
    result = many(X)
    assert [tensor[0, 0].item() for tensor in result] == list(range(1, 301))
    assert anything(list(range(10_000))) == list(range(10_000))
    assert all(item is other for item, other in zip(anything(result), result, strict=True))
    assert anything({str(number): number for number in range(1_000)})["999"] == 999


def test_an_object_of_any_class_is_handed_over(load: Load) -> None:
    _, (doubled, address) = load("Gives", "an object")(X)
    assert torch.equal(doubled, X * 2)
    assert isinstance(address, bridge.DotNetObject)
    assert str(address) == "about:blank"


@pytest.mark.parametrize(
    ("what", "message"), [("too large", "0 elements do not fill"), ("negative", "4 elements do not fill")]
)
def test_sizes_that_wrap_round(load: Load, what: str, message: str) -> None:
    with pytest.raises(bridge.DotNetError, match=message):
        load("Gives", what)(X)
    assert load("Gives", "empty")(X).shape == (0, 2**40)


def test_bind() -> None:
    """Names find their places; what is left out between them is C#'s default."""
    parameters = [("x", False), ("n", True), ("y", True)]
    assert conversion.bind(parameters, "", (1,), {"y": 3}) == (1, conversion.Default, 3)
    assert conversion.bind(parameters, "", (), {"x": 1, "n": 2}) == (1, 2)
    with pytest.raises(TypeError, match=r"^f\(x\) was given \(int, z=Tensor\[2, 3\]\): no parameter is named 'z'"):
        conversion.bind(parameters, "f(x)", (1,), {"z": torch.ones(2, 3)})
    with pytest.raises(TypeError, match=r"^f\(x\) was given \(\[\(int, None\)\], x=int\): several values for 'x'"):
        conversion.bind(parameters, "f(x)", ([(1, None)],), {"x": 3})
    with pytest.raises(TypeError, match=r"^f\(x\) was given \(n=\[int, int, int, int, …\]\): no value for 'x'"):
        conversion.bind(parameters, "f(x)", (), {"n": [1] * 5})


class _Listening(torch.Tensor):
    functions: list[str] = []  # noqa: RUF012  # one list for all, as torch calls the class

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.functions.append(getattr(function, "__name__", ""))
        return super().__torch_function__(function, types, args, kwargs or {})


class _Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Any:
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)  # type: ignore[attr-defined]
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return cls(function(*[item.inner if isinstance(item, cls) else item for item in args], **(kwargs or {})))


def test_what_a_tensor_subclass_becomes(load: Load) -> None:
    """Itself where C# hands it on; where C# computes, what PyTorch's functions make of it."""
    pair, anything = load("Pair").requires_grad_(False), load("Anything", True)
    seen: list[torch.Tensor] = []
    pair.first.register_forward_pre_hook(lambda module, args: seen.append(args[0]))
    pair.second.register_forward_pre_hook(lambda module, args: seen.append(args[0]))
    x = torch.rand(2, 3)
    named = x.as_subclass(_Listening)
    assert anything([named])[0] is named
    assert type(pair(named)) is _Listening
    assert seen[0] is named
    assert type(seen[1]) is _Listening
    wrapped = pair(_Wrapped(x))
    assert type(wrapped) is type(seen[3]) is _Wrapped
    assert torch.equal(wrapped.inner, pair(x))
    pair.second._forward_pre_hooks.clear()
    pair.first._forward_pre_hooks.clear()
    _Listening.functions.clear()
    assert type(pair(named)) is _Listening
    assert "linear" in _Listening.functions
    assert type(pair(torch.nn.Parameter(x))) is torch.Tensor
