"""Python's built-in functions and ``math``: the types of their results, from the types of their arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Final

from bridge.port.frontend import containers
from bridge.port.frontend.calls import formats, questions
from bridge.port.frontend.classes import entries
from bridge.port.frontend.context import Context
from bridge.port.frontend.evidence import observed_type
from bridge.port.frontend.operators import binary
from bridge.port.frontend.targets import element_of
from bridge.port.frontend.values import are_ints, as_bool, is_read, literal, there, tuple_of
from bridge.port.ir.nodes import Argument, BuiltinCall, Expression, Literal, Property, TupleItem, TupleLiteral
from bridge.port.ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    IteratorOf,
    ListOf,
    SetOf,
    TupleOf,
    Type,
    is_number,
    join,
)

_Arguments = Sequence[Expression]


def lower(context: Context, node: ast.Call, name: str) -> Expression:
    """Lower a call of a built-in function by its name (``math.sqrt``)."""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(context, node)
    if name in _TEXTS:
        formats.check_texts(context, node.args)
    arguments = tuple(there(one) if name not in _TEXTS else one for one in _arguments(context, node))
    keywords = []
    for one in node.keywords:
        if one.arg is None:
            context.fail(node, f"arguments that are spread: '{ast.unparse(node)}'")
        keywords.append(Argument(one.arg, _keyword(context, one, arguments), False, origin=context.origin(node)))
    typed = _TYPED.get(name)
    found = typed(arguments) if typed is not None else None
    if found == UNKNOWN:
        found = observed_type(context, node)
    if found is None:
        kinds = ", ".join(str(one.type) for one in arguments)
        context.fail(node, f"Python's {name} of ({kinds}): '{ast.unparse(node)}'")
    return BuiltinCall(name, arguments, tuple(keywords), type=found, origin=context.origin(node))


def _arguments(context: Context, node: ast.Call) -> list[Expression]:
    """Lower the positional arguments; the items of a spread tuple become arguments of their own."""
    found: list[Expression] = []
    for one in node.args:
        if not isinstance(one, ast.Starred):
            found.append(entries.lower(context, one) or context.expression(one))
            continue
        value = context.expression(one.value)
        if not isinstance(value.type, TupleOf) or not is_read(value):
            context.fail(node, f"arguments that are spread: '{ast.unparse(node)}'")
        items = enumerate(value.type.items)
        found += [TupleItem(value, at, type=kind, origin=value.origin) for at, kind in items]
    return found


def _keyword(context: Context, node: ast.keyword, arguments: _Arguments) -> Expression:
    """Lower a keyword argument; the lambda of ``key`` takes an element of the only positional argument."""
    element = element_of(arguments[0].type) if len(arguments) == 1 else None
    if node.arg == "key" and isinstance(node.value, ast.Lambda) and element is not None:
        return containers.lower_lambda(context, node.value, [element])
    return context.expression(node.value)


# -- By types --------------------------------------------------------------------------------------------------------------


def _always(result: Type) -> Callable[[_Arguments], Type | None]:
    return lambda arguments: result


def _of_numbers(result: Type) -> Callable[[_Arguments], Type | None]:
    """Return a function that gives ``result`` if all arguments are numbers, or tensors (which Python converts to numbers); else None."""
    return lambda arguments: result if all(is_number(one.type) or one.type == TENSOR for one in arguments) else None


def _elements(arguments: _Arguments) -> list[Type] | None:
    found = [element_of(one.type) for one in arguments]
    return [one for one in found if one is not None] if None not in found and found else None


def _iterator(arguments: _Arguments) -> Type | None:
    found = _elements(arguments[:1])
    return IteratorOf(found[0]) if found else None


def _zip(arguments: _Arguments) -> Type | None:
    found = _elements(arguments)
    return IteratorOf(TupleOf(tuple(found))) if found else None


def _enumerate(arguments: _Arguments) -> Type | None:
    found = _elements(arguments[:1])
    return IteratorOf(TupleOf((INT, found[0]))) if found else None


def _range(arguments: _Arguments) -> Type | None:
    return IteratorOf(INT) if all(one.type in (INT, BOOL) for one in arguments) else None


def _list(arguments: _Arguments) -> Type | None:
    if not arguments:
        return ListOf(UNKNOWN)
    found = _elements(arguments)
    return ListOf(found[0]) if found else None


def _set(arguments: _Arguments) -> Type | None:
    found = _list(arguments)
    return SetOf(found.element) if isinstance(found, ListOf) else None


def _dict(arguments: _Arguments) -> Type | None:
    if isinstance(arguments[0].type, DictOf):
        return arguments[0].type
    found = _elements(arguments)
    pair = found[0] if found else None
    return DictOf(*pair.items) if isinstance(pair, TupleOf) and len(pair.items) == 2 else None


def _next(arguments: _Arguments) -> Type | None:
    found = arguments[0].type
    if not isinstance(found, IteratorOf):
        return None
    return join([found.element, *(one.type for one in arguments[1:])])


def _sum(arguments: _Arguments) -> Type | None:
    found = _elements(arguments[:1])
    if not found:
        return None
    element = INT if found[0] == BOOL else found[0]
    start = arguments[1].type if len(arguments) > 1 else element
    if element == TENSOR:
        return TENSOR if start == TENSOR or is_number(start) else None
    return (
        join([element, start])
        if is_number(element) or isinstance(element, ListOf)
        else UNKNOWN
        if element == UNKNOWN
        else None
    )


def _extreme(arguments: _Arguments) -> Type | None:
    """Return the type of ``min`` or ``max`` of an iterable or of several arguments; None if these are neither numbers nor of one type."""
    if len(arguments) == 1:
        found = _elements(arguments)
        return found[0] if found else None
    kinds = [one.type for one in arguments]
    return join(kinds) if all(map(is_number, kinds)) or len(set(kinds)) == 1 else None


def _abs(arguments: _Arguments) -> Type | None:
    found = arguments[0].type
    return INT if found == BOOL else found if found in (INT, FLOAT, TENSOR) else None


def _round(arguments: _Arguments) -> Type | None:
    found = arguments[0].type
    if found == TENSOR:
        return TENSOR
    if not is_number(found):
        return None
    return FLOAT if len(arguments) > 1 and found == FLOAT and arguments[1].type != NONE else INT


def _divmod(arguments: _Arguments) -> Type | None:
    kinds = [one.type for one in arguments]
    if not all(map(is_number, kinds)):
        return None
    found = FLOAT if FLOAT in kinds else INT
    return TupleOf((found, found))


def _len(arguments: _Arguments) -> Type | None:
    found = arguments[0].type
    return None if isinstance(found, IteratorOf) or (element_of(found) is None and not _is_pair(found)) else INT


def _is_pair(found: Type) -> bool:
    """Return whether a type is that of a tuple, whose items may be of several types."""
    return isinstance(found, TupleOf)


def _product(arguments: _Arguments) -> Type | None:
    found = _elements(arguments[:1])
    if not found or not is_number(found[0]):
        return None
    return FLOAT if FLOAT in (found[0], *(one.type for one in arguments[1:])) else INT


def _truth_of_all(arguments: _Arguments) -> Type | None:
    return BOOL if _elements(arguments) else None


_REAL: Final = (
    "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "hypot", "erf", "erfc", "gamma", "lgamma", "fabs", "fmod", "copysign", "degrees",
    "radians", "cbrt", "exp2", "remainder", "ldexp",
)  # fmt: skip
_WHOLE: Final = ("ceil", "floor", "trunc", "gcd", "lcm", "comb", "perm", "factorial", "isqrt")
_TYPED: Final[dict[str, Callable[[_Arguments], Type | None]]] = {
    **{f"math.{name}": _of_numbers(FLOAT) for name in _REAL},
    **{f"math.{name}": _of_numbers(INT) for name in _WHOLE},
    **{f"math.{name}": _of_numbers(BOOL) for name in ("isnan", "isinf", "isfinite", "isclose")},
    "math.prod": _product,
    "math.fsum": lambda arguments: FLOAT if _product(arguments) is not None else None,
    "len": _len,
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": _iterator,
    "iter": _iterator,
    "sorted": _list,
    "list": _list,
    "set": _set,
    "frozenset": _set,
    "next": _next,
    "sum": _sum,
    "min": _extreme,
    "max": _extreme,
    "abs": _abs,
    "round": _round,
    "divmod": _divmod,
    "any": _truth_of_all,
    "all": _truth_of_all,
    "str": _always(STR),
    "repr": _always(STR),
    "chr": _always(STR),
    "ord": _always(INT),
    "print": _always(NONE),
    "warnings.warn": _always(NONE),
    "dict": _dict,
}
#: Functions that make texts of their arguments, which may be None.
_TEXTS: Final = frozenset({"print", "str", "repr", "warnings.warn"})


# -- With a rule of their own ----------------------------------------------------------------------------------------------


def _int(context: Context, node: ast.Call) -> Expression:
    return _number(context, node, "int", INT, int)


def _float(context: Context, node: ast.Call) -> Expression:
    return _number(context, node, "float", FLOAT, float)


def _number(context: Context, node: ast.Call, name: str, found: Type, kind: type) -> Expression:
    """Lower ``int(x)`` and ``float(x)``; if ``x`` is a literal, as in ``float("inf")``, the result is a literal, too."""
    origin = context.origin(node)
    if node.keywords or len(node.args) != 1:
        context.fail(node, f"'{ast.unparse(node)}'")
    value = there(context.expression(node.args[0]))
    if isinstance(value, Literal) and not value.name and isinstance(value.value, (bool, int, float, str)):
        made = literal(kind(value.value), origin)
        assert made is not None
        return made
    if value.type == found:
        return value
    if not is_number(value.type) and value.type not in (TENSOR, STR):
        context.fail(node, f"{name} of a {value.type}: '{ast.unparse(node)}'")
    return BuiltinCall(name, (value,), type=found, origin=origin)


def _bool(context: Context, node: ast.Call) -> Expression:
    if len(node.args) != 1:
        context.fail(node, f"'{ast.unparse(node)}'")
    return as_bool(context.expression(node.args[0]))


def _tuple(context: Context, node: ast.Call) -> Expression:
    """Lower ``tuple(x)``: tuples and sizes stay, list literals become tuples, other iterables of ints become sizes, and the rest lists."""
    origin = context.origin(node)
    if not node.args:
        return tuple_of((), origin)
    value = there(context.expression(node.args[0]))
    if isinstance(value.type, TupleOf) or value.type == SIZES:
        return value
    items = getattr(value, "items", None)
    if (
        isinstance(items, tuple)
        and all(isinstance(one, Expression) for one in items)
        and isinstance(value.type, ListOf)
    ):
        return TupleLiteral(items, type=TupleOf(tuple(one.type for one in items)), origin=origin)
    element = element_of(value.type)
    if element is None:
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    return BuiltinCall("tuple", (value,), type=SIZES if are_ints(value.type) else ListOf(element), origin=origin)


def _dict_or_entries(context: Context, node: ast.Call) -> Expression:
    if not node.args:
        return containers.keyed(context, node)
    if node.keywords:
        context.fail(node, f"'{ast.unparse(node)}'")
    value = there(context.expression(node.args[0]))
    found = _dict([value])
    if found is None:
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    return BuiltinCall("dict", (value,), type=found, origin=context.origin(node))


def _pow(context: Context, node: ast.Call) -> Expression:
    if len(node.args) != 2:
        context.fail(node, f"'{ast.unparse(node)}'")
    return binary(context, node, "**", context.expression(node.args[0]), context.expression(node.args[1]))


def _map(context: Context, node: ast.Call) -> Expression:
    """Lower ``map(function, values)`` as a generator expression."""
    if len(node.args) != 2 or isinstance(node.args[1], ast.Starred):
        context.fail(node, f"'{ast.unparse(node)}', of several iterables")
    function, source = node.args
    variable, body = _applied(function)
    return context.expression(_generator(node, variable, body, source, []))


def _filter(context: Context, node: ast.Call) -> Expression:
    """Lower ``filter(function, values)`` as a generator expression."""
    function, source = node.args
    none = isinstance(function, ast.Constant) and function.value is None
    variable, body = ("item", ast.Name("item", ast.Load())) if none else _applied(function)
    return context.expression(_generator(node, variable, ast.Name(variable, ast.Load()), source, [body]))


def _applied(function: ast.expr) -> tuple[str, ast.expr]:
    """Return the name of a variable, and the call of a function with that variable; for a lambda, its parameter and its body."""
    if isinstance(function, ast.Lambda) and len(function.args.args) == 1 and not function.args.defaults:
        return function.args.args[0].arg, function.body
    call = ast.Call(function, [ast.Name("item", ast.Load())], [])
    return "item", ast.copy_location(call, function)


def _generator(
    node: ast.Call, variable: str, body: ast.expr, source: ast.expr, tests: list[ast.expr]
) -> ast.GeneratorExp:
    generator = ast.comprehension(ast.Name(variable, ast.Store()), source, tests, 0)
    return ast.fix_missing_locations(ast.copy_location(ast.GeneratorExp(body, [generator]), node))


def _len_or_known(context: Context, node: ast.Call) -> Expression:
    """Lower ``len(x)``: a literal for a tuple of known length, ``ndim`` for the shape of a tensor."""
    if len(node.args) != 1:
        context.fail(node, f"'{ast.unparse(node)}'")
    value = there(context.expression(node.args[0]))
    origin = context.origin(node)
    known = isinstance(value, TupleLiteral) and all(isinstance(one, Literal) for one in value.items)
    if isinstance(value.type, TupleOf) and not value.type.names and (known or is_read(value)):
        return Literal(len(value.type.items), type=INT, origin=origin)
    if isinstance(value, Property) and value.name == "shape" and value.value.type == TENSOR:
        return Property(value.value, "ndim", type=INT, origin=origin)
    if _len([value]) is None:
        context.fail(node, f"'{ast.unparse(node)}' of a {value.type}")
    return BuiltinCall("len", (value,), type=INT, origin=origin)


_SPECIAL: Final[dict[str, Callable[[Context, ast.Call], Expression]]] = {
    "int": _int,
    "float": _float,
    "bool": _bool,
    "tuple": _tuple,
    "dict": _dict_or_entries,
    "pow": _pow,
    "map": _map,
    "filter": _filter,
    "len": _len_or_known,
    "isinstance": questions.lower_isinstance,
    "hasattr": questions.lower_hasattr,
    "getattr": questions.lower_getattr,
    "callable": questions.lower_callable,
}
