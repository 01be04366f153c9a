"""Python's part of what crosses; .NET reads arguments and makes results itself (Bridge.Interop's Objects)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn

#: Marks an argument for which C# takes the default.
Default: Final = object()


def refuse(item: object) -> NoReturn:
    """Raises TypeError for an object that cannot cross, naming it."""
    if isinstance(item, int):
        raise TypeError("the integer does not fit into 64 bits, so .NET cannot take it")
    raise TypeError(
        f"cannot pass a {type(item).__name__} to .NET; supported are tensors, numbers, strings, None, "
        "tuples, lists and dicts with string keys"
    )


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
