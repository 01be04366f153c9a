"""PyTorch's public functions for its operators, such as ``torch.Tensor.flatten`` for ``aten::flatten.using_ints``.

Only calls of public functions reach ``__torch_function__`` (of tensor subclasses and of modes) and tools that replace PyTorch's functions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

#: The methods that are used although they are written in Python: they take the same arguments as the operator.
_PYTHON_METHODS = {"split", "unflatten"}
#: The namespaces of functions that are not methods. ``functional`` precedes ``_nn``: some tools replace functions in ``functional`` alone.
_SPACES = (torch, torch.nn.functional, torch._C._nn)
#: PyTorch's folder: a function whose code is elsewhere was replaced by a tool.
_TORCH = str(Path(torch.__file__).parent)
#: The special methods to call instead if there are two operands and no keyword arguments: some tools treat ``+`` and ``add`` differently.
_OPERATORS = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__"}


def find(operator: Any) -> Callable[..., Any] | None:
    """Return a function that passes an operator's arguments to the operator's public function; None if there is none to use.

    A public function that is written in Python is not used, except the methods in ``_PYTHON_METHODS``.

    Keyword arguments and trailing positional arguments that equal their defaults are left out. The public function is looked up at each
    call, since a tool may replace it.
    """
    schema = operator._schema
    name = schema.name.partition("::")[2]
    location = _locate(name, [argument.name for argument in schema.arguments])
    if location is None:
        return None
    owner, attribute = location
    positional = [(argument.name, _default(argument)) for argument in schema.arguments if not argument.kwarg_only]
    keywords = {argument.name: _default(argument) for argument in schema.arguments if argument.kwarg_only}
    lists = len(schema.returns) == 1 and schema.returns[0].type.kind() == "ListType"

    def call(*arguments: Any, **given: Any) -> Any:
        last = len(arguments)
        while last > 0 and _is_default(arguments[last - 1], positional[last - 1][1]):
            last -= 1
        named = {key: value for key, value in given.items() if not _is_default(value, keywords[key])}
        # alpha must be a keyword argument: with three positional arguments, PyTorch expects the deprecated ``add(input, alpha, other)``.
        if last == 3 and positional[2][0] == "alpha":
            last, named["alpha"] = 2, arguments[2]
        operands = arguments[:last]
        method = _OPERATORS.get(attribute, attribute) if last == 2 and not named else attribute
        if method != attribute and not isinstance(operands[0], torch.Tensor):  # a number minus a tensor
            method, operands = f"__r{method[2:]}", operands[::-1]
        function = getattr(owner, method)
        if inspect.isgetsetdescriptor(function):  # a property, such as mT
            return function.__get__(operands[0])
        result = function(*operands, **named)
        return list(result) if lists else result

    return call


_NO_DEFAULT = object()


def _default(argument: Any) -> Any:
    return argument.default_value if argument.has_default_value() else _NO_DEFAULT


def _is_default(value: Any, default: Any) -> bool:
    """Return whether a value equals the default. An int may equal a float, since .NET may pass either."""
    numbers = {type(value), type(default)} == {int, float}
    return default is not _NO_DEFAULT and (numbers or type(value) is type(default)) and bool(value == default)


def _locate(name: str, arguments: list[str]) -> tuple[Any, str] | None:
    """Return the namespace and name of the public function that :func:`find` uses for an operator; None if there is none."""
    if name.startswith("_"):
        return None
    method = getattr(torch.Tensor, name, None)
    if arguments[:1] == ["self"] and method is not None:
        return None if _is_python(method) and name not in _PYTHON_METHODS else (torch.Tensor, name)
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
    """Return whether a function is PyTorch's own and is written in Python. If a tool has wrapped it, the original is examined."""
    if not inspect.isfunction(function):
        return False
    own = inspect.unwrap(function)
    return inspect.isfunction(own) and own.__code__.co_filename.startswith(_TORCH)
