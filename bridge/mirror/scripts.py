"""TorchScript modules and compilation units that C# uses through ``torch.jit``. C# refers to each by a number.

A TorchScript module and the C# module that stands for it have the same tensors. But TorchScript code may replace a buffer instead of
writing to it, and Python may replace a parameter of the C# module's mirror (its ``torch.nn.Module``): :func:`_run` makes both modules have
the same tensors again.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch

#: For a TorchScript module and each of its descendants: the module's number, C#'s training flag, and the names and tensors that C# has.
Given = Sequence[tuple[int, bool, tuple[tuple[str, torch.Tensor], ...]]]

_numbers = itertools.count(1)
_scripts: dict[int, Any] = {}


def run(function: str, *arguments: Any) -> Any:
    """Run the function of this name. Called by .NET."""
    return _FUNCTIONS[function](*arguments)


def _load(file: str, device: str) -> tuple[Any, ...]:
    return _loaded(torch.jit.load(file, map_location=device))  # type: ignore[no-untyped-call]  # torch's is untyped


def _load_bytes(data: torch.Tensor, device: str) -> tuple[Any, ...]:
    file = io.BytesIO(bytes(data.untyped_storage()))
    return _loaded(torch.jit.load(file, map_location=device))  # type: ignore[no-untyped-call]  # torch's is untyped


def _loaded(script: Any) -> tuple[Any, ...]:
    """Register a loaded module. Return whether the module's code replaces attributes, and the description of the module."""
    methods = (getattr(script, name) for name in script._c._method_names())
    return any("prim::SetAttr" in str(method.inlined_graph) for method in methods), _describe(script)


def _describe(script: Any) -> tuple[Any, ...]:
    """Register a TorchScript module, and return the description by which C# builds its own module.

    The description has the number, name of the class, training flag, parameters of ``forward``, number of results, parameters, buffers, and
    children. A parameter of ``forward`` is described by its name, whether it has a default, and the default; a buffer by its name, the
    tensor, and whether it is persistent; a child by its name and description.
    """
    schema = script.forward.schema if script._c._has_method("forward") else None
    inputs = [] if schema is None else schema.arguments[1:]
    kept = {name for name, _ in script.named_buffers(recurse=False)} - set(script._non_persistent_buffers_set)
    return (
        _add(script),
        script.original_name,
        script.training,
        tuple((item.name, item.has_default_value(), _plain(item.default_value)) for item in inputs),
        0 if schema is None else len(schema.returns),
        tuple(script.named_parameters(recurse=False)),
        tuple((name, buffer, name in kept) for name, buffer in script.named_buffers(recurse=False)),
        tuple((name, _describe(child)) for name, child in script.named_children()),
    )


def _plain(default: Any) -> Any:
    """Return a default, converted to text if C# cannot have it as a default."""
    return default if default is None or isinstance(default, bool | int | float | str) else str(default)


def _add(script: Any) -> int:
    number = next(_numbers)
    _scripts[number] = script
    return number


def _run(number: int, method: str, given: Given, arguments: tuple[Any, ...]) -> Any:
    """Run a method, without hooks.

    ``given`` is empty if TorchScript has C#'s tensors and training flags already, and the module's code replaces no tensors.
    """
    _give(given)
    called = getattr(_scripts[number], method)
    result = called(*arguments)
    _take_back(given)
    return result


def _give(given: Given) -> None:
    """Give the TorchScript modules the training flags and tensors that C# has."""
    for number, training, tensors in given:
        script = _scripts[number]._c
        script.setattr("training", training)
        for name, tensor in tensors:
            if script.getattr(name) is not tensor:
                script.setattr(name, tensor)


def _take_back(given: Given) -> None:
    """Put C#'s tensors back into TorchScript modules whose code has replaced them. Each tensor gets the data of its replacement."""
    for number, _, tensors in given:
        script = _scripts[number]._c
        for name, tensor in tensors:
            now = script.getattr(name)
            if now is not tensor:
                tensor.data = now.detach()
                script.setattr(name, tensor)


def _set_training(number: int, training: bool) -> None:
    _scripts[number]._c.setattr("training", training)


def _set_attribute(number: int, name: str, value: torch.Tensor) -> None:
    script = _scripts[number]
    if not script._c.hasattr(name):
        raise AttributeError(f"the TorchScript module {script.original_name} has no attribute '{name}'")
    script._c.setattr(name, value)


def _save(number: int, file: str, given: Given) -> None:
    _give(given)
    torch.jit.save(_scripts[number], file)


def _compile(source: str) -> int:
    return _add(torch.jit.CompilationUnit(source + "\n"))


def _call(number: int, name: str, arguments: tuple[Any, ...]) -> Any:
    """Call a function of a compilation unit."""
    unit = _scripts[number]
    if unit.find_function(name) is None:
        raise AttributeError(f"the compilation unit has no function '{name}'")
    return getattr(unit, name)(*arguments)


def _release(numbers: tuple[int, ...]) -> None:
    for number in numbers:
        _scripts.pop(number, None)


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "load": _load,
    "load_bytes": _load_bytes,
    "run": _run,
    "set_training": _set_training,
    "set_attribute": _set_attribute,
    "save": _save,
    "compile": _compile,
    "call": _call,
    "release": _release,
}
