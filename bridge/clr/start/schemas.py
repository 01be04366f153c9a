"""The operator schemas of the running torch, as text from which .NET reads the arguments and defaults of operators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

#: The letters for argument types; X stands for any other type. ``[]`` follows the letter of a list's items, ``?`` an optional type.
_CODES = {
    "TensorType": "T",
    "IntType": "I",
    "SymIntType": "I",
    "FloatType": "F",
    "BoolType": "B",
    "NumberType": "N",
    "StringType": "S",
    "ScalarTypeType": "D",
    "DeviceObjType": "V",
    "LayoutType": "L",
    "MemoryFormatType": "M",
    "GeneratorType": "G",
}


def text(operators: Iterable[str]) -> str:
    """Return a line for each operator (``aten::softmax.int``): its name, its number of results, and its arguments, separated by tabs.

    An argument is ``name:type:default``; ``default`` is empty if there is none. Operators that this torch lacks are left out. A C# call of
    such an operator raises an error with the operator's name.
    """
    lines = []
    for operator in operators:
        name, _, overload = operator.partition(".")
        try:
            schema = torch._C._get_schema(name, overload)
        except RuntimeError:
            continue
        arguments = (f"{a.name}:{_code(a.real_type)}:{_default(a)}" for a in schema.arguments)
        lines.append("\t".join((operator, str(len(schema.returns)), *arguments)))
    return "\n".join(lines)


def every() -> str:
    """Return the lines for all ``aten`` operators but three, for a process that runs without Python."""
    schemas = (schema for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::"))
    names = dict.fromkeys(".".join(filter(None, (schema.name, schema.overload_name))) for schema in schemas)
    lines = (text([name]) for name in names)
    # Operators whose defaults have line breaks are left out: ``strip``, ``lstrip`` and ``rstrip`` of strings.
    return "\n".join(line for line in lines if line and "\n" not in line)


def _code(kind: Any) -> str:
    name = kind.kind()
    if name == "OptionalType":
        return _code(kind.getElementType()) + "?"
    if name == "ListType":
        return _code(kind.getElementType()) + "[]"
    return _CODES.get(name, "X")


def _default(argument: Any) -> str:
    if not argument.has_default_value():
        return ""
    value = argument.default_value
    if value is None:
        return "None"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_scalar(item) for item in value) + "]"
    return "'" + value if isinstance(value, str) else _scalar(value)


def _scalar(value: bool | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
