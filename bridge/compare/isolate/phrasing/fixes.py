"""The line of C# to write where two operators differ in one number, or one operator is missing."""

from __future__ import annotations

import re
from typing import Final

from bridge.compare.isolate.divergence import Divergence
from bridge.compare.isolate.module_finding import ModuleFinding
from bridge.compare.isolate.operators import OperatorCall, TensorSnapshot
from bridge.compare.isolate.phrasing.divergences import called_name, differing_arguments

#: Methods of a tensor whose arguments, if any, are integers.
_UNARY: Final = frozenset(
    {"transpose", "unsqueeze", "relu", "tanh", "sigmoid", "neg", "exp", "log", "sqrt", "square", "abs", "t"}
)
_SIGNS: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
#: C#'s words for the floats whose ``repr`` is not a number in C#.
_NON_FINITE: Final = {"inf": "double.PositiveInfinity", "-inf": "double.NegativeInfinity", "nan": "double.NaN"}
#: Operators that are written as an index.
_INDEXING: Final = frozenset({"select", "slice", "narrow"})


def suggest_fix(divergence: Divergence, finding: ModuleFinding) -> str:
    """Return the C# line with PyTorch's number, or with the missing operator on a child's argument; empty if uncertain."""
    left, right = divergence.left, divergence.right
    if left is not None and right is None and not divergence.left_chain and finding.kind == "input":
        return _insert_operator(left, finding)
    if left is None or right is None or divergence.missing or divergence.extra or left.name != right.name:
        return ""
    line = right.location.line
    differing = list(differing_arguments(left, right))
    if not line or len(differing) != 1:
        return ""
    _, wanted, actual = differing[0]
    if any(not isinstance(value, (int, float)) or isinstance(value, bool) for value in (wanted, actual)):
        return ""
    numbers = re.finditer(rf"(?<![\w.]){re.escape(repr(actual))}(?![\w.])", line)
    spans = [number.span() for number in numbers if _is_argument(line, number.span(), called_name(left, right))]
    if len(spans) != 1:
        return ""
    start, end = spans[0]
    return (line[:start] + _NON_FINITE.get(repr(wanted), repr(wanted)) + line[end:]).rstrip(";")


def _insert_operator(operator: OperatorCall, finding: ModuleFinding) -> str:
    """Return the line with the missing operator, such as ``fc.call(x.transpose(1, 2))`` for ``fc.call(x)``; empty if uncertain."""
    line = finding.location.line
    scalars = [value for value in operator.arguments.values() if not isinstance(value, TensorSnapshot)]
    found = re.search(rf"\b{re.escape(finding.child.rpartition('.')[2])}\.call\(([\w.]+)\)", line)
    if found is None or operator.name not in _UNARY or not all(isinstance(value, int) for value in scalars):
        return ""
    arguments = ", ".join("true" if value is True else str(value) for value in scalars)
    return f"{line[: found.start(1)]}{found[1]}.{operator.name}({arguments}){line[found.end(1) :].rstrip(';')}"


def _is_argument(line: str, span: tuple[int, int], name: str) -> bool:
    """Return whether the number at ``span`` is an argument of the operator ``name``.

    The number must be directly inside the operator's parentheses or index brackets, or next to the operator's sign, such as ``*``.
    """
    start, end = span
    if re.search(rf"\b{re.escape(name)}\s*\(", line) is not None:
        return _open_bracket(line, start) == f"{name}("
    if name in _SIGNS:
        sign = _SIGNS[name]
        return line[:start].rstrip().endswith(sign) or line[end:].lstrip().startswith(sign)
    return name in _INDEXING and _open_bracket(line, start).endswith("[")


def _open_bracket(line: str, position: int) -> str:
    """Return the innermost bracket that is open at a position of the line, with the name before it; empty if none is open."""
    depth = 0
    for at in range(position - 1, -1, -1):
        if line[at] in ")]}":
            depth += 1
        elif line[at] in "([{":
            if not depth:
                found = re.search(r"\w*\s*$", line[:at])
                return f"{'' if found is None else found[0].rstrip()}{line[at]}"
            depth -= 1
    return ""
