"""Python's part of the conversion of arguments and results; the main part is in .NET (``Converter.cs`` of Bridge.Interop)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn, TypeVar

import numpy as np
import torch
from torch.fx import Proxy
from torch.fx.proxy import TraceError
from torch.jit._trace import TracerWarning

from hook_contract.output.sentences import with_article

F = TypeVar("F", bound=Callable[..., Any])

#: Stands for an omitted argument, for which C# uses the parameter's default.
Default: Final = object()
_NO_FX: Final = (
    "torch.fx.symbolic_trace and tools that are built on it cannot trace a C# module; use torch.export.export, make_fx or torch.jit.trace, "
    "or make the module a leaf (Tracer.is_leaf_module)"
)
_NO_GRAPH: Final = (
    "a C# module runs outside of torch.compile's graph, so fullgraph=True cannot work; use torch.compile without it, "
    "torch.export.export, make_fx or torch.jit.trace"
)
NO_SCRIPT: Final = "torch.jit.script cannot compile C#; use torch.jit.trace, torch.export.export or make_fx"


def outside_graphs(function: F) -> F:
    """Keep a function out of the graphs of ``torch.compile``, since the function enters C#.

    With ``fullgraph=True``, the compiler raises an error. This decorator has the effect of ``torch.compiler.disable``, but adds no frame to
    calls, and does not import the compiler.
    """
    function._torchdynamo_disable = True  # type: ignore[attr-defined]  # functions have attributes
    function._torchdynamo_disable_msg = _NO_GRAPH  # type: ignore[attr-defined]  # functions have attributes
    frames: Any = torch._C._dynamo.eval_frame
    if hasattr(frames, "set_code_exec_strategy"):
        skip = frames._FrameAction.SKIP
        # Without this call, the compiler would try to compile the function, and warn.
        frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))
    return function


def to_number(item: object) -> bool | int | float | None:
    """Return the boolean, integer or float in a NumPy scalar or zero-dimensional array; None for any other object."""
    if isinstance(item, np.ndarray) and item.ndim == 0:
        item = item[()]
    if isinstance(item, np.bool_):
        return bool(item)
    if isinstance(item, np.timedelta64):  # a subclass of np.integer
        return None
    if isinstance(item, np.integer):
        return int(item)
    return float(item) if isinstance(item, np.floating) else None


def raise_unconvertible(item: object) -> NoReturn:
    """Raise the error for an object that cannot be passed to .NET. Called by .NET.

    Raises NotImplementedError for a proxy of ``torch.fx``, and TypeError for any other object.
    """
    if isinstance(item, Proxy):
        raise NotImplementedError(_NO_FX)
    if isinstance(item, int):
        error = TypeError("the integer does not fit into 64 bits, so .NET cannot take it")
    else:
        error = TypeError(
            f"cannot pass {with_article(type(item).__name__)} to .NET; supported are tensors, numbers, strings, None, devices, dtypes, "
            "functions, C# modules, C# objects, tuples, lists, and dicts with string keys"
        )
    error.refused = item  # type: ignore[attr-defined]  # exceptions have attributes
    raise error


def raise_for_fx(error: ValueError) -> None:
    """Raise NotImplementedError with advice if ``error`` is a TraceError of ``torch.fx``; otherwise do nothing."""
    if isinstance(error, TraceError):
        raise NotImplementedError(_NO_FX) from None


def warn_about_constants(methods: str) -> None:
    """Warn, by a TracerWarning, about C# methods that read sizes or elements of tensors while a trace was recorded.

    ``methods`` has a line for each method. Does nothing if ``methods`` is empty.
    """
    if methods:
        warnings.warn(
            f"C# reads sizes or elements of tensors in {', '.join(methods.splitlines())}: the trace has them as constants, "
            "so it may be wrong for other inputs",
            TracerWarning,
            stacklevel=4,
        )


def add_parameter_name(
    error: TypeError, where: str, parameters: Sequence[tuple[str, bool]] | None, args: tuple[Any, ...]
) -> None:
    """Add a parameter's name to the message of an error that :func:`raise_unconvertible` has raised.

    The parameter is the one whose argument in ``args`` is, or contains, the refused object. Does nothing for other errors. ``where`` is
    the signature of a C# ``forward``, or the name of a class.
    """
    refused = vars(error).pop("refused", Default)
    if refused is Default:
        return
    for (name, _), argument in zip(parameters or (), args, strict=False):
        if _contains(argument, refused):
            at = f"{where} was given {_describe(args)}: '{name}'" if where.endswith(")") else f"'{name}' of {where}"
            error.args = (f"{at}: {error}",)
            return


def _contains(argument: Any, item: object) -> bool:
    stack, seen = [argument], set[int]()
    while stack:
        value = stack.pop()
        if value is item:
            return True
        if isinstance(value, (tuple, list, dict)) and id(value) not in seen:
            seen.add(id(value))
            stack += value.values() if isinstance(value, dict) else value
    return False


def bind(
    parameters: Sequence[tuple[str, bool]] | None,
    where: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    overloads: Sequence[Sequence[tuple[str, bool]]] = (),
) -> tuple[Any, ...]:
    """Return all arguments by position. :data:`Default` stands for an omitted argument that precedes a given one.

    ``parameters`` has the name of each parameter of a C# ``forward``, and whether the parameter has a default. ``overloads`` has the
    parameters of each overload. If the arguments do not fit ``parameters``, the first overload that they fit is used. Messages show
    ``where``, the signature of ``forward``.

    Raises TypeError for an unknown name, for two values of one parameter, and for a missing value. Too many positional arguments are
    returned as they are: .NET then raises the error.
    """
    parameters = _choose(parameters or (), overloads, args, kwargs)
    names = [name for name, _ in parameters]
    unknown = [name for name in kwargs if name not in names]
    double = [name for name in kwargs if name in names[: len(args)]]
    rest = parameters[len(args) :]
    missing = [name for name, optional in rest if name not in kwargs and not optional]
    for problem, found in (
        ("no parameter is named", unknown),
        ("several values for", double),
        ("no value for", missing),
    ):
        if found:
            raise TypeError(f"{where} was given {_describe(args, kwargs)}: {problem} {', '.join(map(repr, found))}")
    bound = [*args, *(kwargs.get(name, Default) for name, _ in rest)]
    while bound and bound[-1] is Default:
        bound.pop()
    return tuple(bound)


def _choose(
    parameters: Sequence[tuple[str, bool]],
    overloads: Sequence[Sequence[tuple[str, bool]]],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Sequence[tuple[str, bool]]:
    for overload in (parameters, *overloads):
        rest = overload[len(args) :]
        names = {name for name, _ in rest}
        fits = len(args) <= len(overload) and names.issuperset(kwargs)
        if fits and all(optional or name in kwargs for name, optional in rest):
            return overload
    return parameters


def _describe(args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> str:
    """Return the types of arguments, and the shapes of tensors: ``(Tensor[2, 4], steps=str)``."""
    named = (f"{name}={_type_of(value)}" for name, value in (kwargs or {}).items())
    return f"({', '.join((*map(_type_of, args), *named))})"


def _type_of(value: Any, depth: int = 2) -> str:
    if issubclass(type(value), (torch.Tensor, np.ndarray)):  # not isinstance: an object may claim to be a tensor
        return f"{'ndarray' if isinstance(value, np.ndarray) else 'Tensor'}{list(value.shape)}"
    if value is None or value is Default:
        return "None" if value is None else "default"
    if not depth or type(value) not in (tuple, list):
        return type(value).__name__
    items = ", ".join([_type_of(item, depth - 1) for item in value[:4]] + ["…"] * (len(value) > 4))
    return f"({items})" if isinstance(value, tuple) else f"[{items}]"
