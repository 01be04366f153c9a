"""PyTorch's public functions behind its operators: ``torch.Tensor.flatten`` for ``aten::flatten.using_ints``.

Tensor subclasses, function modes and tools that replace functions see these, and see nothing of an operator that is called by itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

#: Methods that are written in Python and have the operator's arguments; others may mean something else by a name.
_IN_PYTHON = {"split", "unflatten"}
#: Where functions are that are not methods. functional has some of _nn's under their names, and a tool may replace these alone.
_SPACES = (torch, torch.nn.functional, torch._C._nn)
#: The folder of PyTorch's own functions that are written in Python. Those that tools put in place of others are elsewhere.
_TORCH = str(Path(torch.__file__).parent)
#: What an operator of two values is in Python, where the call has no more: tools that replace functions tell it from the method.
_SIGNS = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__"}


def of(operator: Any) -> Callable[..., Any] | None:
    """What calls the public function with an operator's arguments, as a user writes them: without those that have their defaults.

    The function is looked up at each call, since tools replace it. None where PyTorch has no such function.
    """
    schema = operator._schema
    name = schema.name.partition("::")[2]
    space = _space(name, [argument.name for argument in schema.arguments])
    if space is None:
        return None
    owner, attribute = space
    positional = [(argument.name, _default(argument)) for argument in schema.arguments if not argument.kwarg_only]
    keywords = {argument.name: _default(argument) for argument in schema.arguments if argument.kwarg_only}
    lists = len(schema.returns) == 1 and schema.returns[0].type.kind() == "ListType"

    def call(*arguments: Any, **given: Any) -> Any:
        last = len(arguments)
        while last > 0 and _same(arguments[last - 1], positional[last - 1][1]):
            last -= 1
        named = {key: value for key, value in given.items() if not _same(value, keywords[key])}
        # By position PyTorch's functions take it for the first number, which is deprecated.
        if last == 3 and positional[2][0] == "alpha":
            last, named["alpha"] = 2, arguments[2]
        sign = _SIGNS.get(attribute, attribute) if last == 2 and not named else attribute
        function = getattr(owner, sign)
        if inspect.isgetsetdescriptor(function):  # a property, such as mT
            return function.__get__(arguments[0])
        result = function(*arguments[:last], **named)
        return list(result) if lists else result

    return call


_NONE = object()


def _default(argument: Any) -> Any:
    return argument.default_value if argument.has_default_value() else _NONE


def _same(value: Any, default: Any) -> bool:
    """The value is the default; a number is, of whichever type .NET gave it."""
    numbers = {type(value), type(default)} == {int, float}
    return default is not _NONE and (numbers or type(value) is type(default)) and bool(value == default)


def _space(name: str, arguments: list[str]) -> tuple[Any, str] | None:
    """Where the function is, and what it is called there."""
    if name.startswith("_"):
        return None
    method = getattr(torch.Tensor, name, None)
    if arguments[:1] == ["self"] and method is not None:
        return None if _is_python(method) and name not in _IN_PYTHON else (torch.Tensor, name)
    for prefix in ("linalg", "special", "fft"):
        space = getattr(torch, prefix)
        if name.startswith(f"{prefix}_") and hasattr(space, name.removeprefix(f"{prefix}_")):
            return space, name.removeprefix(f"{prefix}_")
    for space in _SPACES:
        function = getattr(space, name, None)
        if function is not None and not _is_python(function):
            return space, name
    return None


def _is_python(function: Any) -> bool:
    """PyTorch's own function is written in Python, whatever a tool has put around it."""
    if not inspect.isfunction(function):
        return False
    own = inspect.unwrap(function)
    return inspect.isfunction(own) and own.__code__.co_filename.startswith(_TORCH)
