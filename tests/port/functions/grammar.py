"""Random functions of Python, drawn by hypothesis from its grammar: numbers, strings, lists, dictionaries, tuples, tensors."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any, Final

import torch
from hypothesis import strategies as st

Draw = Any
#: Types of values, by what an annotation calls them.
TYPES: Final = (
    "int",
    "float",
    "bool",
    "str",
    "list[int]",
    "list[float]",
    "dict[str, int]",
    "tuple[int, float]",
    "Tensor",
)
_SCALARS: Final = ("int", "float", "bool", "str")
_ELEMENTS: Final = {"list[int]": "int", "list[float]": "float"}
_INTS: Final = st.one_of(st.integers(-4, 9), st.sampled_from((0, 1, 100, -17, 2**31, 10**12)))
_FLOATS: Final = st.sampled_from((0.0, -0.5, 1.5, 2.5, -3.0, 7.25, 1e-3, 1e6))
_WORDS: Final = st.sampled_from(("", "a", "ab", "Abc", "x y", "-1"))
_NUMBERS: Final = st.lists(_FLOATS, min_size=1, max_size=3)
_GIVEN: Final[dict[str, st.SearchStrategy[Any]]] = {
    "int": _INTS,
    "float": _FLOATS,
    "bool": st.booleans(),
    "str": _WORDS,
    "list[int]": st.lists(st.integers(-3, 7), min_size=1, max_size=4),
    "list[float]": st.lists(_FLOATS, min_size=1, max_size=4),
    "dict[str, int]": st.dictionaries(st.sampled_from("abcd"), st.integers(-3, 7), min_size=1, max_size=3),
    "tuple[int, float]": st.tuples(st.integers(-3, 7), _FLOATS),
    "Tensor": _NUMBERS.map(lambda one: torch.tensor(one, dtype=torch.float64)),
}


@dataclass(slots=True)
class _Scope:
    """Variables by name, with their types, and how deep the statement stands."""

    names: dict[str, str]
    result: str
    depth: int = 0
    loop: bool = False
    count: list[int] = field(default_factory=lambda: [0])

    def of(self, kind: str) -> list[str]:
        return [name for name, one in self.names.items() if one == kind]

    def inner(self, loop: bool | None = None, **names: str) -> _Scope:
        return _Scope(
            {**self.names, **names}, self.result, self.depth + 1, self.loop if loop is None else loop, self.count
        )

    def fresh(self, stem: str) -> str:
        self.count[0] += 1
        return f"{stem}{self.count[0]}"


@st.composite
def functions(draw: Draw, name: str = "f") -> tuple[str, tuple[str, ...], str]:
    """Draw the source of a function, the types of its parameters, and that of its result."""
    kinds = tuple(draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3)))
    given = {f"p{place}": kind for place, kind in enumerate(kinds)}
    scope = _Scope(dict(given), draw(st.sampled_from(TYPES)))
    lines = _block(draw, scope, draw(st.integers(1, 4)))
    lines.append(f"return {_value(draw, scope, scope.result)}")
    head = ", ".join(f"{one}: {kind}" for one, kind in given.items())
    return f"def {name}({head}):\n" + textwrap.indent("\n".join(lines), "    ") + "\n", kinds, scope.result


def arguments(kinds: tuple[str, ...]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Draw arguments of these types."""
    return st.tuples(*(_GIVEN[kind] for kind in kinds))


# -- Statements ------------------------------------------------------------------------------------------------------------


def _block(draw: Draw, scope: _Scope, size: int) -> list[str]:
    lines: list[str] = []
    for _ in range(size):
        rules = [_assign, _assign, _augment, _change]
        if scope.depth < 2:
            rules += [_if, _for, _while, _early]
        if scope.loop:
            rules += [_leave]
        lines += draw(st.sampled_from(rules))(draw, scope)
    return lines or ["pass"]


def _assign(draw: Draw, scope: _Scope) -> list[str]:
    kind = draw(st.sampled_from(TYPES))
    value = _value(draw, scope, kind)
    known = scope.of(kind)
    name = draw(st.sampled_from(known)) if known and draw(st.booleans()) else scope.fresh("v")
    scope.names[name] = kind
    return [f"{name} = {value}"]


def _augment(draw: Draw, scope: _Scope) -> list[str]:
    kind = draw(st.sampled_from(("int", "float", "str", "list[int]", "Tensor")))
    if not (known := scope.of(kind)):
        return _assign(draw, scope)
    name = draw(st.sampled_from(known))
    sign = draw(
        st.sampled_from({"int": ("+", "-", "*", "//", "%"), "float": ("+", "-", "*", "/", "//", "%")}.get(kind, ("+",)))
    )
    other = "float" if kind == "Tensor" else kind
    return [f"{name} {sign}= {_value(draw, scope, other)}"]


def _change(draw: Draw, scope: _Scope) -> list[str]:
    """Change a list or a dictionary in place."""
    kind = draw(st.sampled_from(("list[int]", "list[float]", "dict[str, int]")))
    if not (known := scope.of(kind)):
        return _assign(draw, scope)
    name = draw(st.sampled_from(known))
    if kind == "dict[str, int]":
        return [f"{name}[{_value(draw, scope, 'str')}] = {_value(draw, scope, 'int')}"]
    value = _value(draw, scope, _ELEMENTS[kind])
    return [
        draw(
            st.sampled_from(
                (
                    f"{name}.append({value})",
                    f"{name}.insert({_value(draw, scope, 'int')}, {value})",
                    f"{name}.pop()",
                    f"{name}.reverse()",
                    f"{name}.sort()",
                    f"{name}[{_value(draw, scope, 'int')}] = {value}",
                    f"{name}.extend({_value(draw, scope, kind)})",
                )
            )
        )
    ]


def _if(draw: Draw, scope: _Scope) -> list[str]:
    test = _value(draw, scope, draw(st.sampled_from(("bool", "bool", "int", "str", "list[int]"))))
    lines = [f"if {test}:", *_indented(_block(draw, scope.inner(), draw(st.integers(1, 2))))]
    if draw(st.booleans()):
        lines += ["else:", *_indented(_block(draw, scope.inner(), draw(st.integers(1, 2))))]
    return lines


def _for(draw: Draw, scope: _Scope) -> list[str]:
    name = scope.fresh("i")
    source, names = draw(
        st.sampled_from(
            (
                (f"range({draw(st.integers(0, 4))})", {name: "int"}),
                (f"range(len({_value(draw, scope, 'list[int]')}))", {name: "int"}),
                (f"range(min({_value(draw, scope, 'int')}, 4))", {name: "int"}),
                (
                    f"range({draw(st.integers(-2, 3))}, {draw(st.integers(-3, 6))}, {draw(st.sampled_from((1, 2, -1)))})",
                    {name: "int"},
                ),
                (f"list({_value(draw, scope, 'list[int]')})", {name: "int"}),
                (f"enumerate({_value(draw, scope, 'list[float]')})", {name: "int", f"{name}x": "float"}),
                (
                    f"zip({_value(draw, scope, 'list[int]')}, {_value(draw, scope, 'list[float]')})",
                    {name: "int", f"{name}x": "float"},
                ),
                (f"list({_value(draw, scope, 'dict[str, int]')}.items())", {name: "str", f"{name}x": "int"}),
            )
        )
    )
    body = _block(draw, scope.inner(True, **names), draw(st.integers(1, 2)))
    lines = [f"for {', '.join(names)} in {source}:", *_indented(body)]
    if draw(st.integers(0, 5)) == 0:
        lines += ["else:", *_indented(_block(draw, scope.inner(False), 1))]
    return lines


def _while(draw: Draw, scope: _Scope) -> list[str]:
    name = scope.fresh("w")
    body = [f"{name} += 1", *_block(draw, scope.inner(True), draw(st.integers(1, 2)))]
    test = f"{name} < {draw(st.integers(1, 4))}"
    if draw(st.booleans()):
        test = f"{test} and {_value(draw, scope, 'bool')}"
    scope.names[name] = "int counter"
    return [f"{name} = 0", f"while {test}:", *_indented(body)]


def _early(draw: Draw, scope: _Scope) -> list[str]:
    return [f"if {_value(draw, scope, 'bool')}:", f"    return {_value(draw, scope, scope.result)}"]


def _leave(draw: Draw, scope: _Scope) -> list[str]:
    return [f"if {_value(draw, scope, 'bool')}:", f"    {draw(st.sampled_from(('break', 'continue')))}"]


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


# -- Expressions -----------------------------------------------------------------------------------------------------------


def _value(draw: Draw, scope: _Scope, kind: str, depth: int = 0) -> str:
    """Draw an expression of a type."""
    leaves = list(scope.of(kind))
    if kind == "int":
        leaves += scope.of("int counter")
    if depth > 2 or (leaves and draw(st.integers(0, 2)) == 0):
        return draw(st.sampled_from(leaves)) if leaves and draw(st.booleans()) else _literal(draw, kind)

    def of(other: str) -> str:
        return _value(draw, scope, other, depth + 1)

    made: str = draw(st.sampled_from(_RULES[kind]))(draw, of)
    return made


def _literal(draw: Draw, kind: str) -> str:
    if kind == "Tensor":
        return f"torch.tensor({draw(_NUMBERS)}, dtype=torch.float64)"
    return repr(draw(_GIVEN[kind]))


def _binary(kind: str, signs: tuple[str, ...], left: str = "", right: str = "") -> Any:
    return lambda draw, of: f"({of(left or kind)} {draw(st.sampled_from(signs))} {of(right or kind)})"


def _chosen(kind: str) -> Any:
    return lambda draw, of: f"({of(kind)} if {of('bool')} else {of(kind)})"


def _logical(kind: str) -> Any:
    return lambda draw, of: f"({of(kind)} {draw(st.sampled_from(('and', 'or')))} {of(kind)})"


def _form(text: str) -> Any:
    """Return a rule by a form: ``len({list[int]})``."""
    parts = text.split("§")
    return lambda draw, of: "".join(part if place % 2 == 0 else of(part) for place, part in enumerate(parts))


def _formatted(draw: Draw, of: Any) -> str:
    """Return an f-string; a nested one would need other quotes before Python 3.12."""
    parts = of("int"), of("float")
    return f'f"{{{parts[0]}}}:{{{parts[1]}:.2f}}"' if not set('"{}') & set("".join(parts)) else f"str({parts[0]})"


_COMPARED: Final = ("<", "<=", ">", ">=", "==", "!=")
_RULES: Final[dict[str, list[Any]]] = {
    "int": [
        _binary("int", ("+", "-", "*")), _binary("int", ("//", "%")), _form("(§int§ ** 2)"),
        _binary("int", ("&", "|", "^")), _chosen("int"),
        _logical("int"), _form("(-§int§)"), _form("abs(§int§)"), _form("int(§float§)"), _form("len(§list[int]§)"),
        _form("len(§str§)"), _form("round(§float§)"), _form("min(§int§, §int§)"), _form("max(§list[int]§)"),
        _form("sum(§list[int]§)"), _form("§list[int]§[§int§]"), _form("§dict[str, int]§.get(§str§, §int§)"),
        _form("§tuple[int, float]§[0]"), _form("(§bool§ + §int§)"), _form("§list[int]§.count(§int§)"),
        _form("len(§dict[str, int]§)"),
        _form("divmod(§int§, §int§)[1]"), _form("sum(x * 2 for x in §list[int]§ if x > §int§)"),
        _form("§Tensor§.shape[0]"),
    ],
    "float": [
        _binary("float", ("+", "-", "*")), _binary("float", ("/", "//", "%")), _form("(§int§ / §int§)"),
        _chosen("float"),
        _logical("float"), _form("(-§float§)"), _form("float(§int§)"), _form("(§int§ * §float§)"),
        _form("min(§float§, §float§)"),
        _form("max(§list[float]§)"), _form("sum(§list[float]§)"), _form("§tuple[int, float]§[1]"),
        _form("§list[float]§[§int§]"),
        _form("round(§float§, 1)"), _form("abs(§float§)"), _form("§Tensor§.sum().item()"),
    ],
    "bool": [
        _binary("int", _COMPARED), _binary("float", _COMPARED), _binary("str", ("==", "!=", "<")), _logical("bool"),
        _form("(not §bool§)"), _form("(not §int§)"), _form("bool(§list[int]§)"), _form("(§int§ < §float§ <= §int§)"),
        _form("(§int§ in §list[int]§)"), _form("(§str§ in §dict[str, int]§)"), _form("(§str§ in §str§)"),
        _form("any(x > 0 for x in §list[int]§)"),
        _form("all(§list[int]§)"), _form("(§list[int]§ == §list[int]§)"), _form("§str§.startswith(§str§)"),
        _form("isinstance(§int§, int)"),
    ],
    "str": [
        _binary("str", ("+",)), _form("(§str§ * 2)"), _form("str(§int§)"), _form("str(§float§)"),
        _form("str(§bool§)"), _chosen("str"),
        _form("§str§.upper()"), _form("§str§.replace('a', §str§)"), _form("', '.join([§str§, §str§])"),
        _form("§str§[§int§:§int§]"),
        _formatted, _form("§str§.strip()"), _form("'-'.join(str(x) for x in §list[int]§)"), _form("§str§[::-1]"),
        _logical("str"),
    ],
    "list[int]": [
        _binary("list[int]", ("+",)), _form("§list[int]§[§int§:§int§]"), _form("§list[int]§[::-1]"),
        _form("sorted(§list[int]§)"),
        _form("[x + §int§ for x in §list[int]§]"), _form("[x for x in §list[int]§ if x % 2 == 0]"),
        _form("[§int§, §int§]"),
        _form("list(range(§bool§ + 3))"), _form("list(reversed(§list[int]§))"), _form("([§int§] * 3)"),
        _form("list(§dict[str, int]§.values())"),
        _chosen("list[int]"), _form("sorted(§list[int]§, key=lambda x: -x)"),
        _form("[i * x for i, x in enumerate(§list[int]§)]"),
    ],
    "list[float]": [
        _form("[x / 2 for x in §list[int]§]"), _binary("list[float]", ("+",)), _form("[§float§, §float§]"),
        _form("§list[float]§[§int§:]"),
        _form("sorted(§list[float]§, reverse=True)"), _form("§Tensor§.tolist()"),
    ],
    "dict[str, int]": [
        _form("{'a': §int§, §str§: §int§}"), _form("{str(x): x for x in §list[int]§}"),
        _form("dict(§dict[str, int]§)"), _chosen("dict[str, int]"),
    ],
    "tuple[int, float]": [_form("(§int§, §float§)"), _chosen("tuple[int, float]")],
    "Tensor": [
        _form("(§Tensor§ * §float§)"), _form("(§Tensor§ + §int§)"), _form("§Tensor§.abs()"),
        _form("torch.relu(§Tensor§)"), _form("(-§Tensor§)"),
        _form("§Tensor§[:1]"), _form("torch.cat([§Tensor§, §Tensor§])"), _form("(§Tensor§ > §float§).double()"),
        _form("§Tensor§.clone()"), _chosen("Tensor"),
    ],
}  # fmt: skip
