"""A parting of two recordings in words, and the line to write where the two differ in one number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from bridge.compare.isolate.call_judge import Fault
from bridge.compare.isolate.divergence import Parting, is_near
from bridge.compare.isolate.measures import described
from bridge.compare.isolate.operators import Operator, Value

#: What a tensor has as a method that takes integers at most.
_UNARY: Final = frozenset(
    {"transpose", "unsqueeze", "relu", "tanh", "sigmoid", "neg", "exp", "log", "sqrt", "square", "abs", "t"}
)
#: What ATen calls a view of.
_VIEWS: Final = ("flatten", "unflatten", "reshape", "ravel")
#: Arguments that are dimensions, counted from the end where they are negative.
_DIMENSIONS: Final = frozenset({"dim", "dims", "dim0", "dim1", "start_dim", "end_dim"})
#: Operators that are written as a sign, and those that are written as an index.
_SIGNS: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_INDEXING: Final = frozenset({"select", "slice", "narrow"})
#: What gives one dimension more than it takes, and counts it.
_WIDENING: Final = frozenset({"stack", "unsqueeze"})


def spelled(parting: Parting, names: tuple[str, str]) -> str:
    """What differs, both sides' values in it; no full stop."""
    left, right = parting.left, parting.right
    if parting.missing:
        verb = "is" if len(parting.missing) == 1 else "are"
        lacking = f"{_listed(parting.missing)} of {names[0]}{_at(parting.missing[0])}"
        return (
            f"{lacking} {verb} missing in {names[1]} before {parting.before}{_at(right) if right is not None else ''}"
        )
    if parting.extra:
        return f"{names[1]} calls {_listed(parting.extra)} before {parting.before}, {names[0]} does not"
    mine, theirs = parting.behind
    if left is None and right is not None:
        return f"{names[1]} calls {_listed((right, *theirs))}, {names[0]} does not"
    if right is None and left is not None:
        verb = "are" if mine else "is"
        return f"{_listed((left, *mine))} of {names[0]}{_at(left)} {verb} missing in {names[1]}"
    assert left is not None
    assert right is not None
    if left.name != right.name:
        return f"{_listed((left, *mine))} in {names[0]}{_at(left)}, {_listed((right, *theirs))} in {names[1]}"
    if differing := list(_arguments(left, right)):
        called = _called(left, right)
        said = ", ".join(
            f"{name} {ours} in {names[0]}, {theirs} in {names[1]}"
            for name, one, other in differing
            for ours, theirs in (_shown_apart(one, other),)
        )
        return f"{called}: {said}"
    forms = ([described(value.data) for value in operator.outputs] for operator in (left, right))
    one, other = map(", ".join, forms)
    if one != other:
        return f"{left.name} gives {one} in {names[0]} and {other} in {names[1]}"
    return f"{left.name} gives other numbers"


def tells(parting: Parting) -> bool:
    """Whether the words say something: not that an argument is the result of the same operator on both sides."""
    left, right = parting.left, parting.right
    if left is None or right is None or parting.missing or parting.extra or left.name != right.name:
        return True
    differing = list(_arguments(left, right))
    pairs = (_shown_apart(one, other) for _, one, other in differing)
    return not differing or any(one != other for one, other in pairs)


def fix(parting: Parting, fault: Fault) -> str:
    """A line of C#: what is there with PyTorch's number in it, where one number differs and stands there once; or the call of a child with
    the missing operators on what it is given."""
    left, right = parting.left, parting.right
    if left is not None and right is None and not parting.behind[0] and fault.kind == "received":
        return _called_on(left, fault)
    if left is None or right is None or parting.missing or parting.extra or left.name != right.name or not right.line:
        return ""
    differing = list(_arguments(left, right))
    if len(differing) != 1:
        return ""
    _, wanted, given = differing[0]
    if not all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (wanted, given)):
        return ""
    numbers = re.finditer(rf"(?<![\w.]){re.escape(repr(given))}(?![\w.])", right.line)
    places = [one for one in numbers if _is_of(right.line, one.span(), _called(left, right))]
    if len(places) != 1:
        return ""
    return (right.line[: places[0].start()] + repr(wanted) + right.line[places[0].end() :]).rstrip(";")


def _is_of(line: str, place: tuple[int, int], name: str) -> bool:
    """Whether a number in a line is an argument of that operator: in its parentheses and no others inside of them, or beside its sign."""
    start, end = place
    if re.search(rf"\b{re.escape(name)}\s*\(", line) is None:
        sign = _SIGNS.get(name)
        if sign is None:
            return name in _INDEXING and _around(line, start).endswith("[")
        return line[:start].rstrip().endswith(sign) or line[end:].lstrip().startswith(sign)
    return _around(line, start) == f"{name}("


def _around(line: str, place: int) -> str:
    """The innermost bracket that is open there, and the name before it."""
    depth = 0
    for at in range(place - 1, -1, -1):
        if line[at] in ")]}":
            depth += 1
        elif line[at] in "([{":
            if not depth:
                found = re.search(r"(\w*)\s*$", line[:at])
                return f"{found[1] if found is not None else ''}{line[at]}"
            depth -= 1
    return ""


def _called_on(operator: Operator, fault: Fault) -> str:
    """``fc.call(x)`` as ``fc.call(x.transpose(1, 2))``."""
    given = [value for value in operator.arguments.values() if not isinstance(value, Value)]
    name = fault.child.rpartition(".")[2]
    found = re.search(rf"\b{re.escape(name)}\.call\(([\w.]+)\)", fault.line)
    if found is None or operator.name not in _UNARY or not all(isinstance(one, int) for one in given):
        return ""
    called = f"{found[1]}.{operator.name}({', '.join('true' if one is True else str(one) for one in given)})"
    return fault.line[: found.start(1)] + called + fault.line[found.end(1) :].rstrip(";")


def _arguments(left: Operator, right: Operator) -> Iterator[tuple[str, Any, Any]]:
    """The arguments that differ, both values."""
    for name in dict.fromkeys((*left.arguments, *right.arguments)):
        one, other = left.arguments.get(name), right.arguments.get(name)
        if isinstance(one, Value) and isinstance(other, Value):
            if not _same_data(one, other):
                yield name, one, other
        elif name in _DIMENSIONS and _dimension(one, left) == _dimension(other, right):
            continue
        elif not _equal(one, other):
            yield name, one, other


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, Value) and isinstance(other, Value):
        return _same_data(one, other)
    if isinstance(one, Value) or isinstance(other, Value):
        return False
    return bool(one == other)


def _same_data(one: Value, other: Value) -> bool:
    return is_near(one.data, other.data, 1e-4)


def _dimension(value: Any, operator: Operator) -> Any:
    if not operator.inputs:
        return value
    count = operator.inputs[0].data.ndim + (operator.name in _WIDENING)
    if isinstance(value, list):
        return [one % count if isinstance(one, int) and count else one for one in value]
    return value % count if isinstance(value, int) and not isinstance(value, bool) and count else value


def _shown_apart(one: Any, other: Any) -> tuple[str, str]:
    """Both values; where the same operators gave them, what those began with."""
    ours, theirs = _shown(one), _shown(other)
    if ours == theirs and isinstance(one, Value) and isinstance(other, Value):
        begins = [f"{ours}, made of {_begin(value)}" for value in (one, other)]
        if begins[0] != begins[1]:
            return begins[0], begins[1]
    return ours, theirs


def _begin(value: Value) -> str:
    """What no operator gave, of what a value was made."""
    while value.maker is not None and value.maker.inputs:
        value = value.maker.inputs[0]
    return value.words or described(value.data)


def _shown(value: Any) -> str:
    if isinstance(value, Value):
        if value.maker is not None and value.maker.aten.endswith("_"):
            return f"is what {value.maker.aten} has changed in place{_at(value.maker)}"
        if value.data.ndim == 0:
            return f"{value.data.item():.6g}"
        if value.maker is not None:
            several = len(value.maker.outputs) > 1
            which = f"result {value.maker.outputs.index(value) + 1}" if several else "the result"
            return f"is {which} of {value.maker.name}"
        return f"is {value.words}, {described(value.data)}" if value.words else described(value.data)
    if isinstance(value, list):
        return f"({', '.join(map(_shown, value))})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _called(left: Operator, right: Operator) -> str:
    """What the user wrote for a view, if it stands in either line."""
    written = (name for name in _VIEWS if f"{name}(" in left.line or f"{name}(" in right.line)
    return next(written, left.name) if left.name == "view" else left.name


def _listed(operators: tuple[Operator, ...]) -> str:
    return ", ".join(one.name for one in operators)


def _at(operator: Operator) -> str:
    return f" ({operator.source})" if operator.source else ""
