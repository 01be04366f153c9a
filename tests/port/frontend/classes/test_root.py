"""root.py: the arguments of the whole model's constructor."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.frontend.classes.own import ConstructorParameter, OwnClass
from bridge.port.frontend.classes.root import check_given, construction, given_arguments
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Argument, Construct, Literal
from bridge.port.ir.types import ANY_MODULE, BOOL, INT, ListOf, OptionalOf, TupleOf, Type


class Net(nn.Module):
    pass


def own(*parameters: tuple[str, Type, Any, Any]) -> tuple[nn.Module, OwnClass]:
    """Return the second of two instances, and a class whose parameters have these names, types, values of that instance, and defaults."""
    first, second = Net(), Net()
    found = [ConstructorParameter(name, kind, (7, value), default=default) for name, kind, value, default in parameters]
    return second, OwnClass(Net, "Net", [first, second], parameters=found)


def test_arguments_that_equal_the_defaults_are_left_out() -> None:
    model, found = own(
        ("width", INT, 8, inspect.Parameter.empty), ("classes", INT, 10, 1000), ("bias", BOOL, True, True)
    )
    assert given_arguments(model, found) == {"width": 8, "classes": 10}
    found.names = {"classes": "number"}
    assert given_arguments(model, found) == {"width": 8, "number": 10}
    made = construction(model, {Net: found}, {})
    assert isinstance(made, Construct)
    assert made.kind is Net
    assert made.arguments == (
        Argument("width", Literal(8, type=INT)),
        Argument("classes", Literal(10, type=INT), False),
    )


def test_a_tuple_of_one_is_given_as_its_item() -> None:
    """C# has no such tuple, so that its constructor takes the item."""
    sizes = TupleOf((INT,)), TupleOf((INT, INT))
    model, found = own(
        ("shape", sizes[0], (8,), inspect.Parameter.empty), ("size", sizes[1], (8, 8), inspect.Parameter.empty)
    )
    assert given_arguments(model, found) == {"shape": 8, "size": (8, 8)}


def test_a_class_without_parameters() -> None:
    model, found = own()
    assert given_arguments(model, found) == {}
    made = construction(model, {Net: found}, {})
    assert isinstance(made, Construct)
    assert made.arguments == ()


@pytest.mark.parametrize(
    "value",
    [nn.Linear(2, 2), [nn.Linear(2, 2)], torch.relu, (1, {"a": torch.relu})],
    ids=["module", "modules", "function", "within"],
)
def test_an_argument_that_python_cannot_give_to_csharp(value: Any) -> None:
    model, found = own(("width", INT, 8, 8), ("block", ListOf(ANY_MODULE), value, inspect.Parameter.empty))
    with pytest.raises(Untranslatable, match="the model's block, a module or a function that Python cannot give to C#"):
        check_given(model, found)


def test_no_module_is_given_where_the_default_stands() -> None:
    model, found = own(
        ("width", INT, 8, 4), ("block", OptionalOf(ANY_MODULE), None, None), ("act", INT, torch.relu, torch.relu)
    )
    check_given(model, found)
