"""TorchScript modules and compilation units that C# uses through ``torch.jit``. C# refers to each by a number.

C# and the module share the parameters and buffers: both have the same tensors. But TorchScript code may replace a buffer instead of writing
to it, and Python may replace a parameter of the mirror of a C# module: :func:`_run` makes both agree again.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch

#: The tensors of a module and its descendants, as C# has them: the number of each module, its training flag, and names and tensors.
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
    """Return whether a method of the module replaces attributes, and its description."""
    methods = (getattr(script, name) for name in script._c._method_names())
    return any("prim::SetAttr" in str(method.inlined_graph) for method in methods), _describe(script)


def _describe(script: Any) -> tuple[Any, ...]:
    """Return what C# builds its module of; the children are described in the same way, each after its name.

    Returns number, name of the class, training flag, parameters of ``forward``, number of results, parameters, buffers, and children. A
    parameter of ``forward`` is its name, whether it has a default, and the default.
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
    """Return a default that C# can have; a text in place of any other."""
    return default if default is None or isinstance(default, bool | int | float | str) else str(default)


def _add(script: Any) -> int:
    number = next(_numbers)
    _scripts[number] = script
    return number


def _run(number: int, method: str, given: Given, arguments: tuple[Any, ...]) -> Any:
    """Run a method, without hooks. ``given`` is empty if C# and the module have the same tensors before and after it."""
    _give(given)
    called = getattr(_scripts[number], method)
    result = called(*arguments)
    _take_back(given)
    return result


def _give(given: Given) -> None:
    """Give the modules the training flags and tensors that C# has."""
    for number, training, tensors in given:
        script = _scripts[number]._c
        script.setattr("training", training)
        for name, tensor in tensors:
            if script.getattr(name) is not tensor:
                script.setattr(name, tensor)


def _take_back(given: Given) -> None:
    """Write what a method has put in place of C#'s tensors into these tensors, and give them back to the modules."""
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
