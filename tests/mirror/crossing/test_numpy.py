"""NumPy's scalars are numbers wherever Python's are; an error about an argument names the parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import bridge
from bridge.runtimes import dotnet

Load = Callable[..., bridge.Mirror]
X = torch.ones(1, 2)
NUMBERS = [
    (kind(1), expected)
    for kinds, expected in (
        ((np.float16, np.float32, np.float64, np.longdouble), 1.0),
        ((np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64), 1),
        ((np.bool_,), True),
    )
    for kind in kinds
]


@pytest.mark.parametrize("hooked", [False, True])
def test_everywhere(load: Load, hooked: bool) -> None:
    """As an argument, in containers, as what a hook gives; an array without dimensions is its number."""
    model = load("Anything", True)
    if hooked:
        model.get_submodule("child").register_forward_hook(lambda *_: None)
    for given, expected in [*NUMBERS, *((np.array(number), plain) for number, plain in NUMBERS)]:
        for back in (model(given), model([given])[0], model((given, 1))[0], model({"a": {"b": given}})["a"]["b"]):
            assert back == expected
            assert type(back) is type(expected)
    assert model(np.uint64(2**64 - 1)) == 2**64 - 1
    model.register_forward_hook(lambda *_: np.float32(0.5))
    assert model(X) == 0.5
    six = load("Six")
    expected = six(X, 3, 1.5, False)
    assert torch.equal(six(X, np.int64(3), np.float32(1.5), np.bool_(False)), expected)


@pytest.mark.parametrize(
    "wrong",
    [np.ones(1), np.ones((0,)), np.complex64(1), np.datetime64("2020-01-01"), np.array("text"), np.bytes_(b"a")],
)
def test_what_is_no_number_is_refused(load: Load, wrong: Any) -> None:
    with pytest.raises(
        TypeError,
        match=rf"\(object\? input\) was given .*: 'input': cannot pass a {type(wrong).__name__} to .NET",
    ):
        load("Anything", False)(wrong)


def test_they_are_recorded_as_numbers(load: Load) -> None:
    model = load("Six")
    with dotnet.record(model, values="full") as recording:
        model(X, np.int64(3), np.float32(1.5))
    assert [value.kind for value in recording.trace[0].values] == ["tensor", "int", "float"]


@pytest.mark.parametrize("hooked", [False, True])
def test_an_error_names_the_parameter(load: Load, hooked: bool) -> None:
    """By position or by name, whether the value cannot cross or is not what C# declares."""
    six, three = load("Six"), load("Three")
    for model in (six, three) if hooked else ():
        for module in model.modules():
            module.register_forward_pre_hook(lambda *_: None)
    with pytest.raises(
        TypeError,
        match=r"Six\.forward\(.*\) was given \(.*\): 'integer': double was given where C# declares long",
    ):
        six(X, 1.5)
    with pytest.raises(
        TypeError, match=r"Six\.forward\(.*\) was given \(.*\): 'real': None was given where C# declares double"
    ):
        six(X, real=None)
    with pytest.raises(
        TypeError, match=r"Six\.forward\(.*\) was given \(.*\): 'x': long was given where C# declares Tensor"
    ):
        six(1)
    with pytest.raises(TypeError, match=r"Three\.forward\(.*\) was given \(.*\): 'b': cannot pass a set to .NET"):
        three(X, {1}, X)
    with pytest.raises(TypeError, match=r"Three\.forward\(.*\) was given \(.*\): 'c': cannot pass an object to .NET"):
        three(X, X, c=[X, {"a": object()}])
    with pytest.raises(
        TypeError,
        match=r"Six\.forward\(.*\) was given \(.*\): 'integer': the integer does not fit into 64 bits",
    ):
        six(X, 2**64)
    with pytest.raises(
        TypeError,
        match=r"Sum\.forward\(.*\) was given \(.*\): 'items': long was given where C# declares Tensor",
    ):
        load("Varied").get_submodule("sum")([X, 1])


def test_what_a_hook_gives_is_named_by_where_it_goes(load: Load) -> None:
    model = load("Six")
    model.child.register_forward_pre_hook(lambda module, args: ("text", *args[1:]))
    with pytest.raises(
        TypeError, match=r"Five\.forward\(.*\) was given \(.*\): 'x': string was given where C# declares Tensor"
    ):
        model(X)
