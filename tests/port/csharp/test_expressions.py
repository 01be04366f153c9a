"""expressions.py: which C# an expression becomes, and that its values are those that Python computes."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from torch import nn

import csharp_compiler
from bridge.port.csharp import helpers
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.printer import text
from bridge.port.ir import nodes as ir
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import (
    BOOL,
    DEVICE,
    FLOAT,
    INT,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    FunctionOf,
    IteratorOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    SetOf,
    TupleOf,
    Type,
)  # fmt: skip
from tests.port.csharp.values.given import (
    COUNTS,
    INTS,
    MAYBE,
    MAYBE_N,
    SIZE,
    STRINGS,
    TENSORS,
    UNIQUE,
    A,
    B,
    M,
    N,
    P,
    Q,
    S,
    T,
    X,
    binary,
    builtin,
    compare,
    csharp,
    list_of,
    lit,
    method,
    tuple_of,
)  # fmt: skip

_WHOLE = (
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    7,
    -7,
    10,
    63,
    64,
    -64,
    1000003,
    -1000003,
    2**31,
    -(2**31),
    2**53,
    1 - 2**53,
    2**62,
    -(2**63),
    2**63 - 1,
)
_FLOATS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.1,
    -0.3,
    3.0,
    -7.25,
    1e-05,
    0.0001,
    1e16,
    123456789.125,
    2.675,
    1e23,
    -1e300,
    5e-324,
    math.inf,
)
_SMALL = (-12, -5, -3, -2, -1, 0, 1, 2, 3, 5, 12)
_STRINGS = ("", "a", "abc", "Z", "a b  c", "it's", "abcabc")
_LISTS = ([3, 1, 2], [], [5], [2, 2, -1, 4, 2])
_SETS = ({1}, set(), {1, 5})
_DICTS = ({"a": 1, "abc": 2}, {})
_VALUES: dict[str, Sequence[Any]] = {
    "n": _WHOLE, "m": _WHOLE, "a": _FLOATS, "b": _FLOATS, "p": (False, True), "q": (False, True), "s": _STRINGS, "t": _STRINGS,
    "i": _SMALL, "j": _SMALL, "ints": _LISTS, "size": tuple(map(tuple, _LISTS)), "strings": (["b", "a"], ["x"], ["B", "a", "c"]),
    "unique": _SETS, "counts": _DICTS, "c": (0, 1, 2, 7, 2**31, 2**62), "d": (1, 2, 3, 2**33), "k": (0, 1, 2, 7),
}  # fmt: skip
_TYPES = {
    name: one.type
    for name, one in {
        "n": N,
        "m": M,
        "a": A,
        "b": B,
        "p": P,
        "q": Q,
        "s": S,
        "t": T,
        "ints": INTS,
        "size": SIZE,
        "strings": STRINGS,
        "unique": UNIQUE,
        "counts": COUNTS,
    }.items()
} | {"i": INT, "j": INT, "c": INT, "d": INT, "k": INT}
_I, _J, _C, _D, _K = (ir.Local(name, type=INT) for name in "ijcdk")
_PYTHON = {"math": math}


@dataclass(frozen=True)
class Case:
    """An expression, what it is in Python, and where _C# is not asked for Python's error."""

    node: ir.Expression
    python: str
    lenient: bool = False

    @property
    def names(self) -> list[str]:
        bound = {one.name for one in walk(self.node) if isinstance(one, ir.LocalTarget)}
        return sorted({one.name for one in walk(self.node) if isinstance(one, ir.Local)} - bound)

    def operands(self) -> Iterator[tuple[Any, ...]]:
        return itertools.product(*(_VALUES[name] for name in self.names))

    def expected(self, values: tuple[Any, ...]) -> str | None:
        """Return the text of Python's value, ``error`` where it raises or the value has more than 64 bits, None where all is right."""
        given = dict(zip(self.names, values, strict=True))
        given = {name: value.copy() if isinstance(value, (list, dict, set)) else value for name, value in given.items()}
        try:
            value = eval(self.python, {**_PYTHON, **given})
        except (ArithmeticError, ValueError, IndexError, KeyError, TypeError):
            return None if self.lenient else "error"
        if isinstance(value, complex):
            return None
        numbers = value if isinstance(value, (tuple, list)) else (value,)
        if any(type(one) is int and not -(2**63) <= one < 2**63 for one in numbers):
            return "error"
        return repr(value)


def _operators() -> Iterator[Case]:
    for sign in ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"):
        yield Case(binary(sign, N, M), f"n {sign} m if '{sign}' != '<<' or m < 200 or not n else 1 << 64")
        yield Case(binary(sign, N, lit(3)), f"n {sign} 3")
        yield Case(
            binary(sign, P, N) if sign != "<<" else binary(sign, P, _I), f"p {sign} {'n' if sign != '<<' else 'i'}"
        )
        yield Case(binary(sign, P, Q), f"p {sign} q")
    for sign in ("//", "%"):
        yield Case(binary(sign, _C, _D), f"c {sign} d")
        yield Case(binary(sign, binary("+", _C, _D), builtin("len", INTS)), f"(c + d) {sign} len(ints)")
        yield Case(binary(sign, lit(-7), M), f"-7 {sign} m")
    for sign in ("+", "-", "*", "//", "%"):
        yield Case(binary(sign, A, B), f"a {sign} b")
        yield Case(binary(sign, A, N), f"a {sign} n")
        yield Case(binary(sign, N, A), f"n {sign} a")
        yield Case(binary(sign, P, A), f"p {sign} a")
    for left, right in itertools.product((A, _I, P), repeat=2):
        yield Case(binary("/", left, right), f"{left.name} / {right.name}", lenient=True)
    yield Case(binary("/", _I, lit(4)), "i / 4")
    yield Case(binary("/", lit(1), _I), "1 / i", lenient=True)
    yield Case(binary("**", N, _C), "n ** c if c < 64 or n in (0, 1, -1) else 1 << 64")
    yield Case(binary("**", _I, _J), "i ** j if j >= 0 else [][0]")
    yield Case(binary("**", A, B, FLOAT), "a ** b", lenient=True)
    yield Case(binary("**", _I, lit(-0.5)), "i ** -0.5", lenient=True)
    for sign in "+-~":
        yield Case(ir.Unary(sign, N, type=INT), f"{sign}n")
        yield Case(ir.Unary(sign, P, type=INT), f"{sign}p")
    yield Case(ir.Unary("-", A, type=FLOAT), "-a")
    yield Case(binary("-", binary("-", _I, _J), binary("-", _J, _I)), "(i - j) - (j - i)")
    yield Case(binary("*", binary("//", _I, lit(2)), binary("%", _J, lit(-3))), "(i // 2) * (j % -3)")


def _comparisons() -> Iterator[Case]:
    for sign in ("<", "<=", ">", ">=", "==", "!="):
        for left, right in ((N, M), (A, B), (_I, A), (A, _I), (P, Q), (P, _I), (S, T)):
            yield Case(compare(sign, left, right), f"{left.name} {sign} {right.name}")
            inverse = ir.Not(compare(sign, left, right))
            yield Case(inverse, f"not {left.name} {sign} {right.name}")
    for sign in ("==", "!="):
        yield Case(compare(sign, SIZE, tuple_of(lit(3), lit(1), lit(2))), f"size {sign} (3, 1, 2)")
        yield Case(compare(sign, INTS, list_of(lit(5))), f"ints {sign} [5]")
    for word, python in (("in", "in"), ("not-in", "not in")):
        yield Case(compare(word, _I, tuple_of(lit(1), lit(5))), f"i {python} (1, 5)")
        yield Case(compare(word, _I, list_of(lit(3))), f"i {python} [3]")
        yield Case(compare(word, _I, INTS), f"i {python} ints")
        yield Case(compare(word, _I, SIZE), f"i {python} size")
        yield Case(compare(word, _I, UNIQUE), f"i {python} unique")
        yield Case(compare(word, S, T), f"s {python} t")
        yield Case(compare(word, S, COUNTS), f"s {python} counts")
        yield Case(compare(word, _I, tuple_of(_J, binary("+", _J, lit(1)))), f"i {python} (j, j + 1)")


def _tests() -> Iterator[Case]:
    for one in (N, A, P, S, INTS, SIZE, UNIQUE, COUNTS):
        yield Case(ir.Truth(one), f"bool({one.name})")
        yield Case(ir.Not(ir.Truth(one)), f"not {one.name}")
    yield Case(
        ir.Logical("and", (ir.Truth(_I), ir.Logical("or", (P, Q), type=BOOL)), type=BOOL), "bool(i and (p or q))"
    )
    yield Case(ir.Conditional(P, _I, lit(7), type=INT), "i if p else 7")
    yield Case(ir.Conditional(P, lit(1), builtin("len", INTS), type=INT), "1 if p else len(ints)")
    yield Case(binary("//", ir.Conditional(P, lit(-1), lit(2), type=INT), lit(2)), "(-1 if p else 2) // 2")


def _parts() -> Iterator[Case]:
    for value in (INTS, SIZE, S):
        name, item = value.name, STR if value is S else INT
        for place in (0, 1, -1, -2):
            yield Case(ir.Item(value, lit(place), type=item), f"{name}[{place}]")
        yield Case(ir.Item(value, _I, type=item), f"{name}[i]")
        yield Case(ir.Item(value, _C, type=item), f"{name}[c]")
        yield Case(ir.Slice(value, _I, _J, type=value.type), f"{name}[i:j]")
        yield Case(ir.Slice(value, _I, _J, _D, type=value.type), f"{name}[i:j:d]")
        yield Case(ir.Slice(value, None, _J, lit(-2), type=value.type), f"{name}[:j:-2]")
        yield Case(ir.Slice(value, None, None, lit(-1), type=value.type), f"{name}[::-1]")
        yield Case(ir.Slice(value, _K, None, type=value.type), f"{name}[k:]")
    for start, stop in ((1, None), (None, -1), (-2, None), (1, -1), (None, 2)):
        bounds = (None if one is None else lit(one) for one in (start, stop))
        yield Case(
            ir.Slice(INTS, *bounds, type=INTS.type),
            f"ints[{'' if start is None else start}:{'' if stop is None else stop}]",
        )


def _builtins() -> Iterator[Case]:
    for name in ("math.floor", "math.ceil", "math.trunc", "int", "round"):
        yield Case(builtin(name, A), f"{name}(a)")
        yield Case(builtin(name, N), f"{name}(n)")
    for digits in (0, 1, 2, 5, -1):
        yield Case(builtin("round", A, lit(digits), kind=FLOAT), f"round(a, {digits})")
    yield Case(builtin("abs", N), "abs(n)")
    yield Case(builtin("abs", A, kind=FLOAT), "abs(a)")
    yield Case(builtin("float", N, kind=FLOAT), "float(n)")
    yield Case(builtin("float", P, kind=FLOAT), "float(p)")
    yield Case(builtin("min", _I, _J, lit(2)), "min(i, j, 2)")
    yield Case(builtin("max", _I, _J), "max(i, j)")
    yield Case(builtin("divmod", N, M, kind=TupleOf((INT, INT))), "divmod(n, m)")
    yield Case(builtin("sum", INTS), "sum(ints)")
    yield Case(builtin("sum", INTS, lit(5)), "sum(ints, 5)")
    yield Case(builtin("max", INTS), "max(ints)")
    yield Case(builtin("min", INTS, default=lit(9)), "min(ints, default=9)")
    yield Case(builtin("sorted", INTS, kind=INTS.type), "sorted(ints)")
    yield Case(builtin("sorted", STRINGS, kind=STRINGS.type, reverse=lit(True)), "sorted(strings, reverse=True)")
    yield Case(builtin("max", STRINGS, kind=STR), "max(strings)")
    yield Case(builtin("list", builtin("reversed", INTS, kind=IteratorOf(INT)), kind=INTS.type), "list(reversed(ints))")
    yield Case(builtin("list", builtin("range", _I, _J, kind=IteratorOf(INT)), kind=INTS.type), "list(range(i, j))")
    yield Case(builtin("list", builtin("range", _I, kind=IteratorOf(INT)), kind=INTS.type), "list(range(i))")
    yield Case(
        builtin("list", builtin("range", _I, _J, lit(-3), kind=IteratorOf(INT)), kind=INTS.type),
        "list(range(i, j, -3))",
    )
    pairs = builtin("zip", INTS, STRINGS, kind=IteratorOf(TupleOf((INT, STR))))
    yield Case(builtin("list", pairs, kind=ListOf(TupleOf((INT, STR)))), "list(zip(ints, strings))")
    strict = builtin("zip", INTS, STRINGS, kind=IteratorOf(TupleOf((INT, STR))), strict=lit(True))
    yield Case(builtin("list", strict, kind=ListOf(TupleOf((INT, STR)))), "list(zip(ints, strings, strict=True))")
    numbered = builtin("enumerate", STRINGS, lit(1), kind=IteratorOf(TupleOf((INT, STR))))
    yield Case(builtin("list", numbered, kind=ListOf(TupleOf((INT, STR)))), "list(enumerate(strings, 1))")
    for name in ("sqrt", "exp", "log", "sin", "tanh", "log2", "isfinite", "fabs"):
        yield Case(builtin(f"math.{name}", B, kind=FLOAT), f"math.{name}(b)", lenient=True)
    yield Case(builtin("math.gcd", _I, _J), "math.gcd(i, j)")
    yield Case(builtin("math.isqrt", N), "math.isqrt(n)")
    yield Case(builtin("math.comb", N, lit(2)), "math.comb(n, 2)")
    yield Case(builtin("math.prod", INTS), "math.prod(ints)")
    yield Case(builtin("tuple", INTS, kind=SIZES), "tuple(ints)")


def _containers() -> Iterator[Case]:
    yield Case(binary("+", INTS, list_of(_I)), "ints + [i]")
    yield Case(binary("*", list_of(_I), _J, INTS.type), "[i] * j")
    yield Case(binary("*", list_of(_I, lit(1)), _J, INTS.type), "[i, 1] * j")
    yield Case(binary("*", S, _I, STR), "s * i")
    yield Case(binary("+", S, T), "s + t")
    yield Case(binary("+", SIZE, tuple_of(_I, lit(-1)), SIZES), "size + (i, -1)")
    yield Case(tuple_of(ir.Spread(SIZE), _I, kind=SIZES), "(*size, i)")
    yield Case(list_of(ir.Spread(INTS), _I), "[*ints, i]")
    element = ir.Local("x", type=INT)
    one = ir.LocalTarget("x", INT)
    over = ir.Generator(one, INTS, (compare(">", element, _I),))
    yield Case(
        ir.Comprehension(binary("*", element, lit(2)), (over,), type=INTS.type), "[x * 2 for x in ints if x > i]"
    )
    yield Case(ir.Comprehension(lit(1), (ir.Generator(one, INTS),), type=INTS.type), "[1 for x in ints]")
    rests = ir.Comprehension(binary("%", element, lit(2)), (over,), type=SetOf(INT))
    yield Case(builtin("sorted", rests, kind=INTS.type), "sorted({x % 2 for x in ints if x > i})")
    keyed = ir.Comprehension(element, (ir.Generator(one, INTS),), binary("%", element, lit(2)), type=DictOf(INT, INT))
    yield Case(keyed, "{x % 2: x for x in ints}")
    counted = ir.Generator(one, builtin("range", _I, kind=IteratorOf(INT)))
    yield Case(ir.Comprehension(binary("-", element, lit(1)), (counted,), type=INTS.type), "[x - 1 for x in range(i)]")
    both = (ir.Generator(one, INTS), ir.Generator(ir.LocalTarget("y", INT), SIZE))
    product = binary("*", element, ir.Local("y", type=INT))
    names = ir.TupleTarget((ir.LocalTarget("k", STR), ir.LocalTarget("v", INT)))
    yield Case(ir.Comprehension(product, both, type=INTS.type), "[x * y for x in ints for y in size]")
    entry = ir.Generator(names, method(COUNTS, "items", kind=IteratorOf(TupleOf((STR, INT)))))
    key, value = ir.Local("k", type=STR), ir.Local("v", type=INT)
    yield Case(
        ir.Comprehension(tuple_of(value, key), (entry,), type=ListOf(TupleOf((INT, STR)))),
        "[(v, k) for k, v in counts.items()]",
    )
    numbered = ir.Generator(names, builtin("enumerate", STRINGS, kind=IteratorOf(TupleOf((INT, STR)))))
    pair = tuple_of(ir.Local("v", type=STR), ir.Local("k", type=INT))
    yield Case(
        ir.Comprehension(pair, (numbered,), type=ListOf(TupleOf((STR, INT)))), "[(v, k) for k, v in enumerate(strings)]"
    )
    some = ir.Comprehension(compare(">", element, _I), (ir.Generator(one, INTS),), type=IteratorOf(BOOL))
    yield Case(builtin("any", some, kind=BOOL), "any(x > i for x in ints)")
    yield Case(builtin("all", INTS, kind=BOOL), "all(ints)")
    yield Case(method(INTS, "pop", kind=INT), "ints.pop()")
    yield Case(method(INTS, "pop", _I, kind=INT), "ints.pop(i)")
    yield Case(method(INTS, "index", _I, kind=INT), "ints.index(i)")
    yield Case(method(SIZE, "index", _I, kind=INT), "size.index(i)")
    yield Case(method(INTS, "count", _I, kind=INT), "ints.count(i)")
    yield Case(method(COUNTS, "get", S, _I, kind=INT), "counts.get(s, i)")
    yield Case(method(COUNTS, "get", S, kind=INT), "counts.get(s)")
    yield Case(method(COUNTS, "pop", S, kind=INT), "counts.pop(s)")
    yield Case(method(COUNTS, "pop", S, _I, kind=INT), "counts.pop(s, i)")
    yield Case(method(COUNTS, "setdefault", S, _I, kind=INT), "counts.setdefault(s, i)")
    entries = method(COUNTS, "items", kind=IteratorOf(TupleOf((STR, INT))))
    yield Case(builtin("list", entries, kind=ListOf(TupleOf((STR, INT)))), "list(counts.items())")
    yield Case(builtin("list", COUNTS, kind=ListOf(STR)), "list(counts)")
    yield Case(builtin("list", S, kind=ListOf(STR)), "list(s)")
    yield Case(method(SIZE, "numel", kind=INT), "math.prod(size)")


def _texts() -> Iterator[Case]:
    for one in (N, A, P, S, INTS, SIZE, STRINGS, COUNTS):
        yield Case(builtin("str", one, kind=STR), f"str({one.name})")
        yield Case(builtin("repr", one, kind=STR), f"repr({one.name})")
        yield Case(ir.Format((lit("{"), one, lit("}")), ("", "", ""), type=STR), f"'{{' + str({one.name}) + '}}'")
    for value, form in (
        (A, ".3f"),
        (A, ".0f"),
        (A, "8.2f"),
        (A, "08.1f"),
        (A, ".1%"),
        (A, "<9.1f"),
        (N, "d"),
        (N, "05d"),
        (N, ">4"),
        (N, "3"),
        (N, "*<6d"),
        (N, ".1f"),
        (S, "5"),
        (S, ">5"),
    ):
        yield Case(ir.Format((value,), (form,), type=STR), f"format({value.name}, {form!r})")
    yield Case(binary("%", lit("%d: %s %5.2f%%"), tuple_of(_I, S, A), STR), "'%d: %s %5.2f%%' % (i, s, a)")
    yield Case(binary("%", lit("%03d|%-4d|%4d"), tuple_of(_I, _J, _I), STR), "'%03d|%-4d|%4d' % (i, j, i)")
    yield Case(binary("%", lit("n=%s"), A, STR), "'n=%s' % a")
    yield Case(
        method(lit("{} {1:.2f} {0}".replace("{}", "{0}")), "format", _I, A, kind=STR), "'{0} {1:.2f} {0}'.format(i, a)"
    )
    yield Case(method(S, "upper", kind=STR), "s.upper()")
    yield Case(method(S, "split", kind=ListOf(STR)), "s.split()")
    yield Case(method(S, "split", lit(" "), kind=ListOf(STR)), "s.split(' ')")
    yield Case(method(S, "split", lit("b"), lit(1), kind=ListOf(STR)), "s.split('b', 1)")
    yield Case(method(S, "startswith", T, kind=BOOL), "s.startswith(t)")
    yield Case(method(S, "endswith", T, kind=BOOL), "s.endswith(t)")
    yield Case(method(S, "find", T, kind=INT), "s.find(t)")
    yield Case(method(S, "strip", lit("ac"), kind=STR), "s.strip('ac')")
    yield Case(method(S, "replace", lit("a"), T, kind=STR), "s.replace('a', t)")
    yield Case(method(S, "join", STRINGS, kind=STR), "s.join(strings)")


_CASES = [*_operators(), *_comparisons(), *_tests(), *_parts(), *_builtins(), *_containers(), *_texts()]


def _literal(value: Any) -> str:
    """Return a value of Python's as _C#."""
    if isinstance(value, float) and math.isinf(value):
        return "double.PositiveInfinity"
    if isinstance(value, (bool, str)):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return f"{value!r}{'L' if isinstance(value, int) else ''}"
    if isinstance(value, dict):
        return f"new Dictionary<string, long> {{ {', '.join(f'[{json.dumps(key)}] = {one}' for key, one in value.items())} }}"
    items = ", ".join(map(_literal, value))
    kind = "string" if value and isinstance(next(iter(value)), str) else "long"
    if isinstance(value, tuple):
        return f"new long[] {{ {items} }}"
    return f"new {'HashSet' if isinstance(value, set) else 'List'}<{kind}> {{ {items} }}"


def _program(cases: Iterable[Case]) -> dict[str, str]:
    """Return a program that prints the values of each case, a line for each choice of operands."""
    emission = begin(nonnegative=frozenset("cdk"))
    methods, calls = [], []
    for number, case in enumerate(cases):
        parameters = ", ".join(f"{text(emission.type_of(_TYPES[name]))} {name}" for name in case.names)
        body = text(emission.expression(case.node))
        methods.append(f"static object? F{number}({parameters}) => {body};")
        for place, name in enumerate(case.names):
            if place == 0:
                calls.append("")
            values = ", ".join(f"() => {_literal(one)}" for one in _VALUES[name])
            kind = text(emission.type_of(_TYPES[name]))
            calls[-1] += f"foreach (var {name} in new Func<{kind}>[] {{ {values} }}) "
        given = ", ".join(f"{name}()" for name in case.names)
        calls[-1] += f"Show(() => F{number}({given}));"
    emission.helpers.add("Repr")
    main = f"""using System.Globalization;
using TorchSharp;
namespace Probe;
public static class Program
{{
    {chr(10).join(methods)}

    static void Show(Func<object?> value)
    {{
        try {{ Console.WriteLine(PythonMath.Repr(value())); }}
        catch (Exception error) when (error is not NullReferenceException) {{ Console.WriteLine("error"); }}
    }}

    public static void Main()
    {{
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        {chr(10).join(calls)}
    }}
}}
"""
    return {"Program.cs": main, "PythonMath.cs": helpers.text(emission.helpers, "Probe")}


@pytest.fixture(scope="module")
def printed(sdk: Any, default_references: Sequence[Path], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what the program prints."""
    folder = tmp_path_factory.mktemp("expressions")
    for name, source in _program(_CASES).items():
        (folder / name).write_text(source, encoding="utf-8")
    compiler, *framework = csharp_compiler.compiler_and_framework(sdk)
    references = [f'-reference:"{path}"' for path in (*framework, *default_references)]
    usings = "".join(f"global using {name};\n" for name in ("System", "System.Collections.Generic", "System.Linq"))
    (folder / "Usings.cs").write_text(usings, encoding="utf-8")
    options = [
        "-nostdlib+",
        "-target:exe",
        "-checked+",
        "-nullable:enable",
        "-nologo",
        "-warn:0",
        "-langversion:latest",
        "-out:Probe.dll",
    ]
    (folder / "arguments.rsp").write_text("\n".join([*options, *references, "*.cs"]), encoding="utf-8")
    for library in default_references:
        (folder / library.name).write_bytes(library.read_bytes())
    framework_wanted = {"name": "Microsoft.NETCore.App", "version": "8.0.0"}
    settings = {"runtimeOptions": {"framework": framework_wanted, "rollForward": "LatestMajor"}}
    (folder / "Probe.runtimeconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    for arguments in (["exec", compiler, "-noconfig", "@arguments.rsp"], ["exec", "Probe.dll"]):
        command = [sdk.command, *arguments]
        done = subprocess.run(
            command, cwd=folder, env=sdk.environ, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[:6000]
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.sdk
def test_values_are_those_that_python_computes(printed: list[str]) -> None:
    """Over negative, zero and large operands: _C# gives Python's value, and an error where Python raises or has more than 64 bits."""
    lines = iter(printed)
    wrong = [
        f"{case.python} with {dict(zip(case.names, values, strict=True))}: {found}, not {wanted}: {csharp(case.node, 'cdk')}"
        for case in _CASES
        for values, found in zip(case.operands(), lines, strict=False)
        if (wanted := case.expected(values)) is not None and found != wanted
    ]
    assert not wrong, f"{len(wrong)} of {len(printed)}:\n" + "\n".join(wrong[:60])
    assert next(lines, None) is None


_FLOATS_OPTIONAL = OptionalOf(FLOAT)
_MODULE = ir.Local("module", type=ModuleOf(nn.Module))


@pytest.mark.parametrize(
    ("value", "kind", "proven", "wanted"),
    [
        (N, FLOAT, False, "(double)n"),
        (lit(2), FLOAT, False, "2.0"),
        (P, INT, False, "p ? 1 : 0"),
        (ir.Local("f", type=FLOAT), INT, True, "(long)f"),
        (ir.Local("f", type=FLOAT), INT, False, None),
        (lit(None), MAYBE.type, False, "null"),
        (N, MAYBE_N.type, False, "n"),
        (N, _FLOATS_OPTIONAL, False, "(double)n"),
        (MAYBE, TENSOR, True, "maybe"),
        (MAYBE, TENSOR, False, "maybe!"),
        (ir.Item(ir.Local("all", type=ListOf(MAYBE.type)), lit(0), type=MAYBE.type), TENSOR, True, "all[0]!"),
        (MAYBE_N, INT, True, "maybeN.Value"),
        (MAYBE_N, FLOAT, True, "(double)maybeN.Value"),
        (tuple_of(N, lit(1)), SIZES, False, "new long[] { n, 1 }"),
        (list_of(N, lit(1)), SIZES, False, "new long[] { n, 1 }"),
        (INTS, SIZES, False, "ints.ToArray()"),
        (SIZE, INTS.type, False, "size.ToList()"),
        (ir.Local("pair", type=TupleOf((INT, INT))), SIZES, False, "new long[] { pair.Item1, pair.Item2 }"),
        (list_of(N, lit(1)), ListOf(FLOAT), False, "new List<double> { (double)n, 1.0 }"),
        (tuple_of(N, lit(None)), TupleOf((FLOAT, MAYBE.type)), False, "((double)n, null)"),
        (ir.Local("empty", type=ListOf(UNKNOWN)), TENSORS.type, False, "empty"),
        (_MODULE, ModuleOf(nn.Linear), False, "(Linear)module"),
        (ir.Local("module", type=ModuleOf(nn.Linear)), ModuleOf(nn.Module), False, "module"),
        (INTS, ListOf(FLOAT), False, None),
        (X, FLOAT, False, None),
        (S, INT, False, None),
    ],
)
def test_conversions(value: ir.Expression, kind: Type, proven: bool, wanted: str | None) -> None:
    """A list of other elements would be another list, and is refused."""
    node = ir.Convert(value, proven, type=kind)
    if wanted is not None:
        assert csharp(node) == wanted
        return
    with pytest.raises(Untranslatable):
        csharp(node)


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (ir.Self(type=ModuleOf(nn.Module)), "this"),
        (ir.Field("scale", type=FLOAT), "scale"),
        (ir.Training(type=BOOL), "training"),
        (ir.Training(_MODULE, type=BOOL), "module.training"),
        (ir.Property(X, "mT", type=TENSOR), "x.mT"),
        (ir.Property(X, "data", type=TENSOR), "x.detach()"),
        (ir.Property(X, "is_cuda", type=BOOL), "x.device_type == DeviceType.CUDA"),
        (ir.Property(ir.Property(X, "device", type=DEVICE), "type", type=STR), "x.device.type.ToString().ToLowerInvariant()"),
        (ir.Property(ir.Local("linear", type=ModuleOf(nn.Linear)), "weight", type=TENSOR), "linear.weight"),
        (ir.Property(ir.Local("linear", type=ModuleOf(nn.Linear)), "bias", type=TENSOR), "linear.bias!"),
        (ir.Property(ir.Local("linear", type=ModuleOf(nn.Linear)), "bias", type=OptionalOf(TENSOR)), "linear.bias"),
        (ir.Property(ir.Local("d", type=ModulesOf(nn.ModuleDict, ModuleOf(nn.Linear))), "a", type=ModuleOf(nn.Linear)), 'd["a"]'),
        (ir.Property(ir.Local("r", type=TupleOf((TENSOR, INT), ("loss", "count"))), "count", type=INT), "r.Item2"),
        (ir.Bind("n", lit(3), type=INT), "n = 3"),
        (ir.Lambda(("v",), ir.Local("v", type=TENSOR), type=FunctionOf((TENSOR,), TENSOR)), "v => v"),
        (ir.ValueCall(ir.Field("act", type=FunctionOf((TENSOR,), TENSOR)), (X,), type=TENSOR), "act(x)"),
    ],
)  # fmt: skip
def test_names_properties_and_functions_that_are_values(node: ir.Expression, wanted: str) -> None:
    assert csharp(node) == wanted


@pytest.mark.parametrize(
    "node",
    [ir.Property(X, "grad_fn", type=UNKNOWN), ir.Property(N, "real", type=INT), ir.Property(INTS, "a", type=INT)],
)
def test_properties_that_are_not_there_are_refused(node: ir.Expression) -> None:
    with pytest.raises(Untranslatable, match="the attribute"):
        csharp(node)


def test_a_value_without_a_translation_is_refused_with_its_reason() -> None:
    value = ir.UnsupportedValue("a lambda with a default", type=TENSOR)
    with pytest.raises(Untranslatable, match="a lambda with a default"):
        csharp(value)
