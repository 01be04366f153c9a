"""Python's built-in functions, and the functions of ``math``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from bridge.port.csharp import tree
from bridge.port.csharp.building import ZERO, call, is_plain, lambda_of, path, refused, static
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import as_double, as_number, wide
from bridge.port.csharp.types import LONG
from bridge.port.csharp.values import einops
from bridge.port.csharp.values.containers import array_of, element_of, walked
from bridge.port.csharp.values.formats import representation_of, text_of
from bridge.port.csharp.values.truth import count_of
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.ranges import is_nonnegative
from bridge.port.ir.types import BOOL, FLOAT, INT, SIZES, STR, TENSOR
from hook_contract.output.sentences import plural

Lowering = Callable[["Emission", ir.BuiltinCall], tree.Expression]

_ORDINAL: Final = path("StringComparer.Ordinal")


def lower_builtin(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    """Return a call of a built-in function."""
    lowering = _BUILTINS.get(node.name)
    if lowering is None:
        raise refused(node, f"a call of Python's {node.name}")
    unknown = [one.name for one in node.keywords if one.name not in _KEYWORDS.get(node.name, ())]
    if unknown and node.name != "dict" and not node.name.startswith("einops."):
        raise refused(node, f"{node.name} with {unknown[0]}")
    return lowering(emission, node)


_KEYWORDS: Final = {
    "min": ("key", "default"), "max": ("key", "default"), "sorted": ("key", "reverse"), "zip": ("strict",), "sum": ("start",),
    "enumerate": ("start",), "print": ("sep", "end", "flush"), "round": ("ndigits",), "warnings.warn": ("category", "stacklevel"),
}  # fmt: skip


def _arguments(node: ir.BuiltinCall, least: int, most: int | None = None) -> tuple[ir.Expression, ...]:
    """Return the arguments. Raises Untranslatable unless their number is ``least``, or from ``least`` to ``most``."""
    if not least <= len(node.arguments) <= (least if most is None else most):
        raise refused(node, f"{node.name} with {plural(len(node.arguments), 'argument')}")
    return node.arguments


def _keyword(node: ir.BuiltinCall, name: str) -> ir.Expression | None:
    """Return the value of a keyword argument; None if it is not given, or is the literal None."""
    found = next((one.value for one in node.keywords if one.name == name), None)
    return None if isinstance(found, ir.Literal) and found.value is None else found


# -- Numbers ---------------------------------------------------------------------------------------------------------------


def _length(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    (value,) = _arguments(node, 1)
    found = value.type
    if found == TENSOR:
        return tree.Index(tree.Member(emission.expression(value), "shape"), (tree.Argument(ZERO),))
    if isinstance(found, types.TupleOf) and is_plain(value):
        return tree.Literal(len(found.items))
    if isinstance(value, ir.Local) and value.name in emission.arrays:
        return tree.Member(emission.expression(value), "Length")
    if isinstance(value, ir.Slice) and isinstance(found, types.ModulesOf):
        return call(emission.expression(value), "Count")
    if found == STR:
        return emission.helper("Length", emission.expression(value))
    counted = count_of(found)
    if counted is None:
        raise refused(node, f"the length of a {found}")
    return tree.Member(emission.expression(value), counted)


def _int(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    if not node.arguments:
        return ZERO
    (value,) = _arguments(node, 1)
    if value.type == TENSOR:
        return call(emission.expression(value), "ToInt64")
    if value.type == STR:
        return emission.helper("ToInt64", emission.expression(value))
    if value.type in (INT, BOOL):
        return as_number(emission, value)
    return _cast_long(emission, node, emission.expression(value), value)


def _cast_long(
    emission: Emission, node: ir.BuiltinCall, made: tree.Expression, value: ir.Expression
) -> tree.Expression:
    if value.type != FLOAT:
        raise refused(node, f"{node.name} of a {value.type}")
    return tree.Cast(LONG, made)


def _float(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    if not node.arguments:
        return tree.Literal(0.0)
    (value,) = _arguments(node, 1)
    if value.type == TENSOR:
        return call(emission.expression(value), "ToDouble")
    if value.type == STR:
        if not isinstance(value, ir.Literal):
            return emission.helper("ToDouble", emission.expression(value))
        return emission.expression(ir.Literal(float(value.value), type=FLOAT, origin=node.origin))
    if not types.is_number(value.type):
        raise refused(node, f"a float of a {value.type}")
    return as_double(emission, value)


def _bool(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    if not node.arguments:
        return tree.Literal(False)
    (value,) = _arguments(node, 1)
    return emission.expression(ir.Truth(value, origin=node.origin))


def _round(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    value, *places = _arguments(node, 1, 2)
    digits = places[0] if places else _keyword(node, "ndigits")
    if value.type == TENSOR and digits is None:
        return call(emission.expression(value), "round")
    if value.type in (INT, BOOL):
        if digits is None or (isinstance(digits, ir.Literal) and digits.value >= 0):
            return as_number(emission, value)
        return emission.helper("Round", wide(emission, value), wide(emission, digits))
    if digits is None:
        return _cast_long(emission, node, static("Math.Round", emission.expression(value)), value)
    if value.type != FLOAT or digits.type != INT:
        raise refused(node, f"round of a {value.type}")
    return emission.helper("Round", *emission.expressions((value, digits)))


def _abs(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    (value,) = _arguments(node, 1)
    if value.type == TENSOR:
        return call(emission.expression(value), "abs")
    if not types.is_number(value.type):
        raise refused(node, f"abs of a {value.type}")
    return static("Math.Abs", as_number(emission, value))


def _pow(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    left, right = _arguments(node, 2)
    return emission.expression(ir.Binary("**", left, right, type=node.type, origin=node.origin))


def _divmod(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    left, right = _arguments(node, 2)
    if not (is_plain(left) and is_plain(right)):
        return emission.helper("DivMod", as_number(emission, left), as_number(emission, right))
    found = FLOAT if FLOAT in (left.type, right.type) else INT
    parts = tuple(ir.Binary(one, left, right, type=found, origin=node.origin) for one in ("//", "%"))
    return emission.expression(ir.TupleLiteral(parts, type=types.TupleOf((found, found)), origin=node.origin))


# -- The largest, the sum --------------------------------------------------------------------------------------------------


def _extreme(name: str) -> Lowering:
    def lower(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
        if len(node.arguments) == 1:
            return _extreme_of_elements(emission, node, name)
        if node.keywords or not all(types.is_number(one.type) for one in node.arguments):
            raise refused(node, f"{node.name} of a {node.arguments[0].type}")
        if FLOAT in [one.type for one in node.arguments]:  # if an argument is nan, their order decides
            first, *others = (as_number(emission, one) for one in node.arguments)
            for one in others:
                first = emission.helper(name, first, one)
            return first
        *others, last = (as_number(emission, one) for one in node.arguments)
        for one in reversed(others):
            last = static(f"Math.{name}", one, last)
        return last

    return lower


def _extreme_of_elements(emission: Emission, node: ir.BuiltinCall, name: str) -> tree.Expression:
    (source,) = node.arguments
    element, key, default = element_of(source.type), _keyword(node, "key"), _keyword(node, "default")
    if source.type == TENSOR:
        raise refused(node, f"{node.name} of a tensor by its rows")
    made = walked(emission, source, ordered=key is not None)
    if default is not None:
        made = call(made, "DefaultIfEmpty", wide(emission, default))
    if key is not None:
        if isinstance(key.type, types.FunctionOf) and key.type.result in (INT, FLOAT):
            return call(made, f"{name}By", emission.expression(key))
        raise refused(node, f"{node.name} with a key that is no function of numbers")
    if element == STR:
        return call(made, name, _ORDINAL)
    if element not in (INT, FLOAT):
        raise refused(node, f"{node.name} of a {source.type}")
    return call(made, name)


def _sum(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    source, *more = _arguments(node, 1, 2)
    start = more[0] if more else _keyword(node, "start")
    element = element_of(source.type)
    made = walked(emission, source, ordered=element not in (INT, BOOL))
    if element == TENSOR:
        add = tree.Lambda(("sum", "one"), tree.Binary("+", tree.Name("sum"), tree.Name("one")))
        return call(made, "Aggregate", *([] if start is None else [emission.expression(start)]), add)
    if isinstance(element, types.ListOf) and isinstance(start, ir.ListLiteral) and not start.items:
        return call(call(made, "SelectMany", lambda_of("one", tree.Name("one"))), "ToList")
    if element == BOOL:
        made = call(
            made,
            "Select",
            lambda_of("one", tree.Conditional(tree.Name("one"), tree.Literal(1, "L"), tree.Literal(0, "L"))),
        )
    elif element not in (INT, FLOAT):
        raise refused(node, f"the sum of a {source.type}")
    total = call(made, "Sum")
    if start is None or (isinstance(start, ir.Literal) and start.value == 0 and start.type == INT):
        return total
    if not types.is_number(start.type) or not is_plain(start):
        raise refused(node, f"a sum that starts with a {start.type}")
    return tree.Binary("+", as_number(emission, start), total)


def _tested(name: str) -> Lowering:
    """Return the lowering of ``any`` or ``all``; for a generator of bools, its element becomes the test."""

    def lower(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
        (source,) = _arguments(node, 1)
        one = ir.Local("one", type=element_of(source.type))
        if isinstance(source, ir.Comprehension) and source.key is None and isinstance(source.type, types.IteratorOf):
            made = emission.expression(source)
            if (
                isinstance(made, tree.Call)
                and isinstance(made.function, tree.Member)
                and made.function.name == "Select"
            ):
                selected = made.arguments[0].value
                if source.element.type == BOOL and isinstance(
                    selected, tree.Lambda
                ):  # Select(x => test).Any(one => one)
                    return call(made.function.value, name, selected)
        test = emission.expression(one if one.type == BOOL else ir.Truth(one))
        return call(walked(emission, source, ordered=False), name, lambda_of("one", test))

    return lower


# -- Iterables -------------------------------------------------------------------------------------------------------------


def _range(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    arguments = _arguments(node, 1, 3)
    if any(one.type not in (INT, BOOL) for one in arguments):
        raise refused(node, f"a range of a {arguments[0].type}")
    numbers = [as_number(emission, one) for one in arguments]
    return emission.helper("Range", *([ZERO, *numbers] if len(numbers) == 1 else numbers))


def _zip(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    if len(node.arguments) < 2:
        raise refused(node, f"zip with {plural(len(node.arguments), 'argument')}")
    every = [array_of(emission, one) for one in node.arguments]
    strict = _keyword(node, "strict")
    if strict is not None and not (isinstance(strict, ir.Literal) and strict.value is False):
        if len(every) > 3 or not isinstance(strict, ir.Literal):
            raise refused(node, "a strict zip of more than three")
        return emission.helper("ZipStrict", *every)
    first, *others = every
    made = call(first, "Zip", *others[:2])
    for place, other in enumerate(others[2:], 3):  # C# has a Zip of two and of three sequences
        known = ("First", "Second", "Third") if place == 3 else tuple(f"Item{number}" for number in range(1, place + 1))
        parts = tree.Tuple((*(path(f"all.{name}") for name in known), tree.Name("one")))
        made = call(made, "Zip", other, tree.Lambda(("all", "one"), parts))
    return made


def _enumerate(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    source, *more = _arguments(node, 1, 2)
    start = more[0] if more else _keyword(node, "start")
    number: tree.Expression = tree.Name("number")
    if start is None or (isinstance(start, ir.Literal) and start.value == 0):
        number = tree.Cast(LONG, number)
    elif is_plain(start):
        number = tree.Binary("+", number, wide(emission, start))
    else:
        raise refused(node, "enumerate with a start that is computed")
    body = tree.Tuple((number, tree.Name("one")))
    return call(array_of(emission, source), "Select", tree.Lambda(("one", "number"), body))


def _reversed(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    (source,) = _arguments(node, 1)
    return static("Enumerable.Reverse", array_of(emission, source))


def _sorted(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    """Return a sorted list; C#'s OrderBy keeps equal elements in order, as Python does."""
    (source,) = _arguments(node, 1)
    key, reverse = _keyword(node, "key"), _keyword(node, "reverse")
    if reverse is not None and not isinstance(reverse, ir.Literal):
        raise refused(node, "sorted with a computed direction")
    element: Any = element_of(source.type)
    if key is not None:
        element = key.type.result if isinstance(key.type, types.FunctionOf) else None
    if element not in (INT, FLOAT, STR):
        raise refused(node, f"a sorted {source.type}")
    name = "OrderByDescending" if reverse is not None and reverse.value else "OrderBy"
    arguments = [emission.expression(key)] if key is not None else []
    name = name if key is not None else name.replace("By", "")
    made = call(
        array_of(emission, source, ordered=key is not None), name, *arguments, *([_ORDINAL] if element == STR else [])
    )
    return call(made, "ToList")


def _map(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    function, source = _arguments(node, 2)
    return call(array_of(emission, source), "Select", emission.expression(function))


def _filter(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    function, source = _arguments(node, 2)
    if not isinstance(function.type, types.FunctionOf) or function.type.result != BOOL:
        raise refused(node, "a filter by something else than a test")
    return call(array_of(emission, source), "Where", emission.expression(function))


# -- Containers ------------------------------------------------------------------------------------------------------------


def _list(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    if not node.arguments:
        return tree.New(emission.type_of(node.type, node.origin))
    (source,) = _arguments(node, 1)
    if isinstance(source, ir.Comprehension) and source.type == node.type:  # a new list that nothing else has
        return emission.expression(source)
    if isinstance(source, ir.Comprehension) or source.type == TENSOR or not isinstance(source.type, types.TupleOf):
        return call(walked(emission, source), "ToList")
    if isinstance(source, ir.TupleLiteral):
        return emission.expression(ir.ListLiteral(source.items, type=node.type, origin=node.origin))
    return call(array_of(emission, source), "ToList")


def _tuple(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    """Return sizes, a list, or a tuple with as many items as its type has."""
    (source,) = _arguments(node, 1)
    if source.type == node.type:
        return emission.expression(source)
    if node.type == SIZES and element_of(source.type) == INT:
        if isinstance(source, ir.ListLiteral):
            return emission.expression(ir.TupleLiteral(source.items, type=SIZES, origin=node.origin))
        return call(walked(emission, source), "ToArray")
    if isinstance(node.type, types.ListOf) and element_of(source.type) == node.type.element:
        return call(walked(emission, source), "ToList")
    if isinstance(node.type, types.TupleOf) and isinstance(source.type, types.ListOf) and is_plain(source):
        places = (ir.Literal(place, type=INT) for place in range(len(node.type.items)))
        items = tuple(ir.Item(source, place, type=source.type.element) for place in places)
        return emission.expression(ir.TupleLiteral(items, type=node.type, origin=node.origin))
    raise refused(node, f"a tuple of a {source.type}")


def _set(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    if not node.arguments:
        return tree.New(emission.type_of(node.type, node.origin))
    (source,) = _arguments(node, 1)
    return call(array_of(emission, source, ordered=False), "ToHashSet")


def _dict(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    kind = emission.type_of(node.type, node.origin)
    if not node.arguments:
        entries = tuple((tree.Literal(one.name), emission.expression(one.value)) for one in node.keywords)
        return tree.New(kind, (), entries or None)
    (source,) = _arguments(node, 1)
    if node.keywords:
        raise refused(node, "a dictionary of another and of arguments by name")
    if isinstance(source.type, types.DictOf):
        return tree.New(kind, (tree.Argument(emission.expression(source)),))
    return emission.helper("ToDictionary", walked(emission, source))


def _isinstance(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    """Return whether a module is of a class; for other values, the frontend decides that."""
    value, kind = _arguments(node, 2)
    if isinstance(value.type, types.ModuleOf) and isinstance(kind, ir.Literal) and isinstance(kind.value, type):
        return tree.Binary("is", emission.expression(value), path(emission.class_name(kind.value)))
    raise refused(node, f"isinstance of a {value.type}")


def _next(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    """Return the first element of an iterable that is used for nothing else."""
    source, *default = _arguments(node, 1, 2)
    if isinstance(source, ir.Local) or default:
        raise refused(node, "the next element of an iterator")
    return call(walked(emission, source), "First")


def _iter(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    (source,) = _arguments(node, 1)
    return walked(emission, source)


# -- Text ------------------------------------------------------------------------------------------------------------------


def _str(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    if not node.arguments:
        return tree.Literal("")
    (value,) = _arguments(node, 1)
    return text_of(emission, value)


def _repr(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    (value,) = _arguments(node, 1)
    return representation_of(emission, value)


def _print(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    ends = {name: _keyword(node, name) for name in ("sep", "end")}
    if any(one is not None and not isinstance(one, ir.Literal) for one in ends.values()):
        raise refused(node, "print with a computed separator")
    separator, end = (one.value if isinstance(one, ir.Literal) else None for one in ends.values())
    parts: list[ir.Expression] = []
    for one in node.arguments:
        parts += [one] if not parts else [ir.Literal(" " if separator is None else separator, type=STR), one]
    line = end is None
    if end:
        parts.append(ir.Literal(end, type=STR))
    name = "Console.WriteLine" if line else "Console.Write"
    if not parts:
        return static(name) if line else static(name, tree.Literal(""))
    if len(parts) == 1:
        return static(name, text_of(emission, parts[0]))
    whole = ir.Format(tuple(parts), ("",) * len(parts), type=STR, origin=node.origin)
    return static(name, emission.expression(whole))


def _environment(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    """Return an environment variable, or the default if it is not set."""
    name, *default = emission.expressions(_arguments(node, 1, 2))
    found = call(tree.Name("Environment"), "GetEnvironmentVariable", name)
    return tree.Binary("??", found, default[0]) if default else found


def _warn(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    message, *_ = _arguments(node, 1, 2)
    return static("Console.Error.WriteLine", text_of(emission, message))


# -- math ------------------------------------------------------------------------------------------------------------------


def _number(emission: Emission, node: ir.BuiltinCall, value: ir.Expression) -> tree.Expression:
    if value.type == TENSOR:
        return call(emission.expression(value), "ToDouble")
    if not types.is_number(value.type):
        raise refused(node, f"{node.name} of a {value.type}")
    return as_number(emission, value)


def _math(name: str, least: int = 1, most: int | None = None) -> Lowering:
    def lower(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
        return static(name, *(_number(emission, node, one) for one in _arguments(node, least, most)))

    return lower


def _raising(python: str, name: str, least: int = 1, most: int | None = None) -> Lowering:
    """Return the lowering of a function that raises in Python where C#'s function returns nan or an infinity."""

    def lower(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
        arguments = _arguments(node, least, most)
        made = [_number(emission, node, one) for one in arguments]
        if _has_value(python, arguments) or (python == "sqrt" and is_nonnegative(arguments[0], emission.nonnegative)):
            return static(name, *made)
        return emission.helper("Checked", path(name), *made)

    return lower


def _has_value(name: str, arguments: tuple[ir.Expression, ...]) -> bool:
    """Return whether the arguments are literals for which the function does not raise."""
    if not all(isinstance(one, ir.Literal) for one in arguments):
        return False
    try:
        getattr(math, name)(*(one.value for one in arguments if isinstance(one, ir.Literal)))
    except (ArithmeticError, ValueError):
        return False
    return True


def _to_whole(name: str) -> Lowering:
    def lower(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
        (value,) = _arguments(node, 1)
        if value.type in (INT, BOOL):
            return as_number(emission, value)
        return tree.Cast(LONG, static(name, _number(emission, node, value)))

    return lower


def _whole(name: str, least: int) -> Lowering:
    """Return the lowering to a helper whose arguments are ints."""

    def lower(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
        arguments = _arguments(node, least)
        if any(one.type != INT for one in arguments):
            raise refused(node, f"{node.name} of a {arguments[0].type}")
        return emission.helper(name, *emission.expressions(arguments))

    return lower


def _product(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    (source,) = _arguments(node, 1)
    element = element_of(source.type)
    if element not in (INT, FLOAT):
        raise refused(node, f"the product of a {source.type}")
    one = tree.Literal(1, "L") if element == INT else tree.Literal(1.0)
    body = tree.Binary("*", tree.Name("product"), tree.Name("one"))
    return call(walked(emission, source), "Aggregate", one, tree.Lambda(("product", "one"), body))


def _fmod(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    left, right = (as_double(emission, one) for one in _arguments(node, 2))
    return tree.Binary("%", left, right)


def _degrees(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    factor = tree.Binary("/", tree.Literal(180.0), path("Math.PI"))
    return tree.Binary("*", _number(emission, node, _arguments(node, 1)[0]), factor)


def _radians(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    factor = tree.Binary("/", path("Math.PI"), tree.Literal(180.0))
    return tree.Binary("*", _number(emission, node, _arguments(node, 1)[0]), factor)


def _differentiable(emission: Emission, node: ir.BuiltinCall) -> tree.Expression:
    return emission.helper("Differentiable", *emission.expressions(node.arguments))


_OF_MATH: Final = {"atan": "Atan", "tanh": "Tanh", "asinh": "Asinh", "cbrt": "Cbrt"}
_RAISING: Final = {
    "sqrt": "Sqrt", "exp": "Exp", "log2": "Log2", "log10": "Log10", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin",
    "acos": "Acos", "sinh": "Sinh", "cosh": "Cosh", "acosh": "Acosh", "atanh": "Atanh",
}  # fmt: skip

_BUILTINS: Final[dict[str, Lowering]] = {
    "len": _length,
    "int": _int,
    "float": _float,
    "bool": _bool,
    "round": _round,
    "abs": _abs,
    "pow": _pow,
    "divmod": _divmod,
    "min": _extreme("Min"),
    "max": _extreme("Max"),
    "sum": _sum,
    "any": _tested("Any"),
    "all": _tested("All"),
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": _reversed,
    "sorted": _sorted,
    "map": _map,
    "filter": _filter,
    "list": _list,
    "tuple": _tuple,
    "set": _set,
    "frozenset": _set,
    "dict": _dict,
    "isinstance": _isinstance,
    "next": _next,
    "iter": _iter,
    "str": _str,
    "repr": _repr,
    "print": _print,
    "warnings.warn": _warn,
    "os.environ.get": _environment,
    "differentiable": _differentiable,
    "einops.rearrange": einops.lower,
    "einops.repeat": einops.lower,
    "einops.reduce": einops.lower,
    "single": lambda emission, node: call(emission.expression(node.arguments[0]), "Single"),
    **{f"math.{name}": _math(f"Math.{there}") for name, there in _OF_MATH.items()},
    **{f"math.{name}": _raising(name, f"Math.{there}") for name, there in _RAISING.items()},
    "math.log": _raising("log", "Math.Log", 1, 2),
    "math.pow": _raising("pow", "Math.Pow", 2),
    "is_integer": _math("double.IsInteger"),
    "math.atan2": _math("Math.Atan2", 2),
    "math.copysign": _math("Math.CopySign", 2),
    "math.hypot": _math("double.Hypot", 2),
    "math.fabs": _math("Math.Abs"),
    "math.isnan": _math("double.IsNaN"),
    "math.isinf": _math("double.IsInfinity"),
    "math.isfinite": _math("double.IsFinite"),
    "math.floor": _to_whole("Math.Floor"),
    "math.ceil": _to_whole("Math.Ceiling"),
    "math.trunc": _to_whole("Math.Truncate"),
    "math.gcd": _whole("Gcd", 2),
    "math.isqrt": _whole("IntegerSqrt", 1),
    "math.comb": _whole("Combinations", 2),
    "math.prod": _product,
    "math.fmod": _fmod,
    "math.degrees": _degrees,
    "math.radians": _radians,
}
