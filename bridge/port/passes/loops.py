"""Turn ``for`` over ``range`` into counting loops, whose bounds keep the value that they have before the loop, as in Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from bridge.port.ir import nodes
from bridge.port.ir.effects import effects, reads_after
from bridge.port.ir.nodes import (
    Assign,
    BuiltinCall,
    CountingLoop,
    Expression,
    For,
    Literal,
    Local,
    LocalTarget,
    Statement,
)
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import INT


def count_ranges(function: nodes.Function) -> nodes.Function:
    """Return the function with a CountingLoop for each ``for i in range(…)`` whose step is a literal."""
    return _Loops().run(function, ())  # type: ignore[no-any-return]  # the result for a function is a function


class _Loops:
    def __init__(self) -> None:
        self._numbers = count(1)

    def run(self, node: Any, after: tuple[Statement, ...]) -> Any:
        """Return the node with its loops changed; ``after`` are the statements that may run later."""
        changed = {}
        for name in ("body", "other"):
            block = getattr(node, name, None)
            if isinstance(block, tuple):
                # The body of a loop may run again after its end.
                again = block if isinstance(node, (For, nodes.While)) else ()
                changed[name] = tuple(self._block(block, (*again, *after)))
        return replace(node, **changed) if changed else node

    def _block(self, block: tuple[Statement, ...], after: tuple[Statement, ...]) -> Iterator[Statement]:
        for place, statement in enumerate(block):
            later = (*block[place + 1 :], *after)
            if isinstance(statement, For) and (bounds := _bounds(statement)) is not None:
                yield from self._counted(statement, *bounds, later)
            else:
                yield self.run(statement, later)

    def _counted(
        self, loop: For, start: Expression, stop: Expression, step: int, after: tuple[Statement, ...]
    ) -> Iterator[Statement]:
        target = loop.target
        assert isinstance(target, LocalTarget)
        inner = self.run(loop, after)
        if not self._stays(stop, loop):
            name = f"stop#{next(self._numbers)}"
            yield Assign(LocalTarget(name, INT), stop, origin=loop.origin)
            stop = Local(name, type=INT, origin=loop.origin)
        body, name = inner.body, target.name
        later = (
            *(one for one in after if one is not loop),
            nodes.Evaluate(loop.source),
        )  # the loop assigns the variable before its body reads it
        if name in effects(*loop.body).writes or reads_after(name, later) or _captured(name, loop.body):
            name = f"place#{next(self._numbers)}"
            body = (Assign(target, Local(name, type=INT), origin=loop.origin), *body)
        yield CountingLoop(
            name, start, stop, step, body, origin=loop.origin, comments=loop.comments, remark=loop.remark
        )

    def _stays(self, stop: Expression, loop: For) -> bool:
        """Return whether the bound is the same in each iteration, so that C# may evaluate it again."""
        if isinstance(stop, (Literal, nodes.Field)):
            return True
        found, inner = effects(stop), effects(*loop.body)
        if not found.pure or found.reads & inner.writes:
            return False
        changing = any(isinstance(one, (nodes.ContainerCall, nodes.TorchCall)) for one in walk(stop)) or any(
            isinstance(one, BuiltinCall) and one.name == "len" for one in walk(stop)
        )
        return not (changing and inner.mutates)


def _bounds(loop: For) -> tuple[Expression, Expression, int] | None:
    """Return start, stop and step of a loop over a range; None for another loop, or a step that is no literal."""
    source = loop.source
    if (
        not isinstance(source, BuiltinCall)
        or source.name != "range"
        or loop.other
        or not isinstance(loop.target, LocalTarget)
    ):
        return None
    given = source.arguments
    zero, one = Literal(0, type=INT, origin=source.origin), Literal(1, type=INT, origin=source.origin)
    start, stop, step = (zero, *given, one) if len(given) == 1 else (*given, one)[:3]
    if not isinstance(step, Literal) or type(step.value) is not int or step.value == 0:
        return None
    return start, stop, step.value


def _captured(name: str, body: tuple[Statement, ...]) -> bool:
    """Return whether a lambda or nested function in the body reads the variable, which C# would share between iterations."""
    return any(
        isinstance(inner, Local) and inner.name == name
        for statement in body
        for one in walk(statement)
        if isinstance(one, (nodes.Lambda, nodes.NestedFunction))
        for inner in walk(one)
    )
