"""Descriptions of a divergence: the operators or arguments that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from bridge.compare.isolate.divergence import Divergence
from bridge.compare.isolate.operators import OperatorCall, TensorSnapshot
from bridge.compare.isolate.value_comparison import describe_type, is_near

#: Functions whose operator is ATen's ``view``.
_VIEWS: Final = ("flatten", "unflatten", "reshape", "ravel")
#: Arguments that are dimensions: a negative one counts from the end.
_DIMENSIONS: Final = frozenset({"dim", "dims", "dim0", "dim1", "start_dim", "end_dim"})
#: Operators whose dimension refers to the result, which has one dimension more than the argument.
_WIDENING: Final = frozenset({"stack", "unsqueeze"})


def describe_divergence(divergence: Divergence, names: tuple[str, str]) -> str:
    """Describe the operators or arguments that differ, with the values in PyTorch and in C#, without a full stop."""
    left, right = divergence.left, divergence.right
    if divergence.missing:
        where = f"before {divergence.before}{_location_of(right)}"
        return f"{_describe_missing(divergence.missing, names)} {where}"
    if divergence.extra:
        return f"{names[1]} calls {_operator_names(divergence.extra)} before {divergence.before}, {names[0]} does not"
    if left is None and right is not None:
        return f"{names[1]} calls {_operator_names((right, *divergence.right_chain))}, {names[0]} does not"
    if left is not None and right is None:
        return _describe_missing((left, *divergence.left_chain), names)
    assert left is not None
    assert right is not None
    if left.name != right.name:
        mine, theirs = (
            _operator_names((left, *divergence.left_chain)),
            _operator_names((right, *divergence.right_chain)),
        )
        return f"{mine} in {names[0]}{_location_of(left)}, {theirs} in {names[1]}"
    if differing := list(differing_arguments(left, right)):
        values = ((name, *_format_both(mine, theirs)) for name, mine, theirs in differing)
        text = ", ".join(f"{name} {mine} in {names[0]}, {theirs} in {names[1]}" for name, mine, theirs in values)
        return f"{called_name(left, right)}: {text}"
    types = [", ".join(describe_type(output.data) for output in operator.outputs) for operator in (left, right)]
    if types[0] != types[1]:
        return f"{left.name} returns {types[0]} in {names[0]} and {types[1]} in {names[1]}"
    return f"{left.name} returns different numbers"


def is_informative(divergence: Divergence) -> bool:
    """Return False if :func:`describe_divergence` would name only arguments that look equal in PyTorch and C#, else True."""
    left, right = divergence.left, divergence.right
    if left is None or right is None or divergence.missing or divergence.extra or left.name != right.name:
        return True
    shown = [_format_both(mine, theirs) for _, mine, theirs in differing_arguments(left, right)]
    return not shown or any(mine != theirs for mine, theirs in shown)


def differing_arguments(left: OperatorCall, right: OperatorCall) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name and both values of each argument that differs."""
    for name in dict.fromkeys((*left.arguments, *right.arguments)):
        mine, theirs = left.arguments.get(name), right.arguments.get(name)
        if name in _DIMENSIONS and _dimension(mine, left) == _dimension(theirs, right):
            continue
        if not _equal(mine, theirs):
            yield name, mine, theirs


def called_name(left: OperatorCall, right: OperatorCall) -> str:
    """Return the name of the operator; for ``view``, the first name in ``_VIEWS`` that a source line has before a parenthesis."""
    written = (name for name in _VIEWS for call in (left, right) if f"{name}(" in call.location.line)
    return next(written, left.name) if left.name == "view" else left.name


def _equal(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, list) and isinstance(theirs, list):
        return len(mine) == len(theirs) and all(map(_equal, mine, theirs))
    if isinstance(mine, TensorSnapshot) or isinstance(theirs, TensorSnapshot):
        both = isinstance(mine, TensorSnapshot) and isinstance(theirs, TensorSnapshot)
        return both and is_near(mine.data, theirs.data)
    return bool(mine == theirs)


def _dimension(value: Any, operator: OperatorCall) -> Any:
    """Return a dimension, or a list of dimensions, without negative numbers. Returns other values unchanged."""
    if isinstance(value, list):
        return [_dimension(item, operator) for item in value]
    if not operator.inputs or not isinstance(value, int) or isinstance(value, bool):
        return value
    count = operator.inputs[0].data.ndim + (operator.name in _WIDENING)
    return value % count if count else value


def _format_both(mine: Any, theirs: Any) -> tuple[str, str]:
    """Format both values. If two tensors look the same, also name the tensors that they were computed from, if these differ."""
    left, right = _format(mine), _format(theirs)
    if left == right and isinstance(mine, TensorSnapshot) and isinstance(theirs, TensorSnapshot):
        first, second = _origin(mine), _origin(theirs)
        if first != second:
            return f"{left}, computed from {first}", f"{right}, computed from {second}"
    return left, right


def _origin(value: TensorSnapshot) -> str:
    """Describe the first tensor that a value was computed from."""
    while value.operator is not None and value.operator.inputs:
        value = value.operator.inputs[0]
    return value.origin or describe_type(value.data)


def _format(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_format, value))})"
    if not isinstance(value, TensorSnapshot):
        return f"{value:.6g}" if isinstance(value, float) else str(value)
    operator = value.operator
    if operator is not None and operator.aten.endswith("_"):
        return f"is a tensor that {operator.aten} changed in place{_location_of(operator)}"
    if value.data.ndim == 0:
        return f"{value.data.item():.6g}"
    if operator is not None:
        several = len(operator.outputs) > 1
        return f"is {f'result {operator.outputs.index(value) + 1}' if several else 'the result'} of {operator.name}"
    return f"is {value.origin}, {describe_type(value.data)}" if value.origin else describe_type(value.data)


def _describe_missing(operators: Sequence[OperatorCall], names: tuple[str, str]) -> str:
    verb = "is" if len(operators) == 1 else "are"
    return f"{_operator_names(operators)} of {names[0]}{_location_of(operators[0])} {verb} missing in {names[1]}"


def _operator_names(operators: Sequence[OperatorCall]) -> str:
    return ", ".join(operator.name for operator in operators)


def _location_of(operator: OperatorCall | None) -> str:
    return f" ({operator.location.source})" if operator is not None and operator.location.source else ""
