"""Python's part of what crosses; .NET reads arguments and makes results itself (Bridge.Interop's Objects)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn, TypeVar

import numpy as np
import torch
from torch.fx import Proxy
from torch.fx.proxy import TraceError
from torch.jit._trace import TracerWarning

from bridge.output.sentences import indefinite

F = TypeVar("F", bound=Callable[..., Any])

#: Marks an argument for which C# takes the default.
Default: Final = object()
_NO_FX: Final = (
    "torch.fx.symbolic_trace and what is built on it cannot follow a module into C#; use torch.export.export, make_fx or torch.jit.trace, "
    "or make the module a leaf (Tracer.is_leaf_module)"
)
_NO_GRAPH: Final = (
    "a C# module runs outside of torch.compile's graph, so fullgraph=True cannot work; use torch.compile without it, "
    "torch.export.export, make_fx or torch.jit.trace"
)
NO_SCRIPT: Final = "torch.jit.script cannot compile C#; use torch.jit.trace, torch.export.export or make_fx"


def outside_graphs(function: F) -> F:
    """Has ``torch.compile`` leave a function that enters C# out of its graph, and say why where it must not.

    As ``torch.compiler.disable`` does, without a frame more at each call and without the second that it takes to import the compiler.
    """
    function._torchdynamo_disable = True  # type: ignore[attr-defined]  # any function takes attributes
    function._torchdynamo_disable_msg = _NO_GRAPH  # type: ignore[attr-defined]  # the same
    frames: Any = torch._C._dynamo.eval_frame
    if hasattr(frames, "set_code_exec_strategy"):  # else the compiler tries the function by itself, and warns
        skip = frames._FrameAction.SKIP
        frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))
    return function


def plain(item: object) -> bool | int | float | None:
    """The number that NumPy has as a scalar, or as an array without dimensions; None for anything else.

    .NET asks for whatever it does not know.
    """
    if isinstance(item, np.ndarray) and item.ndim == 0:
        item = item[()]
    if isinstance(item, np.bool_):
        return bool(item)
    if isinstance(item, np.timedelta64):  # an np.integer too
        return None
    if isinstance(item, np.integer):
        return int(item)
    return float(item) if isinstance(item, np.floating) else None


def refuse(item: object) -> NoReturn:
    """Raises TypeError for an object that cannot cross, naming it."""
    if isinstance(item, Proxy):
        raise NotImplementedError(_NO_FX)
    if isinstance(item, int):
        error = TypeError("the integer does not fit into 64 bits, so .NET cannot take it")
    else:
        error = TypeError(
            f"cannot pass {indefinite(type(item).__name__)} to .NET; supported are tensors, numbers, strings, None, "
            "tuples, lists and dicts with string keys"
        )
    error.refused = item  # type: ignore[attr-defined]  # any exception takes attributes
    raise error


def refuse_tracing(error: ValueError) -> None:
    """Raises NotImplementedError if the error is that of ``torch.fx`` about what it cannot trace."""
    if isinstance(error, TraceError):
        raise NotImplementedError(_NO_FX) from None


def warn_of_constants(methods: str) -> None:
    """A TracerWarning for the C# methods, a line each, that read sizes or elements while a trace was recorded."""
    if methods:
        warnings.warn(
            f"C# reads sizes or elements of tensors in {', '.join(methods.splitlines())}: the trace keeps them as constants, "
            "so it might not hold for other inputs",
            TracerWarning,
            stacklevel=4,
        )


def name(error: TypeError, forward: str, parameters: Sequence[tuple[str, bool]] | None, args: tuple[Any, ...]) -> None:
    """Puts the parameter's name in front of what :func:`refuse` raised for one of ``args``, or for something in it."""
    refused = vars(error).pop("refused", Default)
    if refused is Default:
        return
    for (name, _), given in zip(parameters or (), args, strict=False):
        if _holds(given, refused):
            error.args = (f"'{name}' of {forward}: {error}",)
            return


def _holds(given: Any, item: object) -> bool:
    left, seen = [given], set[int]()
    while left:
        one = left.pop()
        if one is item:
            return True
        if isinstance(one, (tuple, list, dict)) and id(one) not in seen:
            seen.add(id(one))
            left += one.values() if isinstance(one, dict) else one
    return False


def bind(
    parameters: Sequence[tuple[str, bool]] | None, where: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The arguments by position, :data:`Default` for what is left out between them; at the end it is left out.

    ``parameters`` are the names of a C# ``forward``'s parameters and whether each has a default, ``where`` its module in messages.
    Raises TypeError when they do not fit.
    """
    parameters = parameters or ()
    names = [name for name, _ in parameters]
    unknown = [name for name in kwargs if name not in names]
    if unknown:
        raise TypeError(f"'{where or 'the model'}' takes the arguments ({', '.join(names)}), not {', '.join(unknown)}")
    double = [name for name in kwargs if names.index(name) < len(args)]
    if double:
        raise TypeError(f"got several values for {', '.join(double)}")
    rest = parameters[len(args) :]
    missing = [name for name, optional in rest if name not in kwargs and not optional]
    if missing:
        raise TypeError(f"missing: {', '.join(missing)}")
    bound = [*args, *(kwargs.get(name, Default) for name, _ in rest)]
    while bound and bound[-1] is Default:
        bound.pop()
    return tuple(bound)
