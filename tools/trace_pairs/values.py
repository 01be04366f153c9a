"""Pairs that are written by hand: elements of tensors, digests, numbers and other values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bridge.trace import Value
from trace_pairs.calls import Call, net, tensor
from trace_pairs.corpus import Pair, calls_pair


def pairs() -> Iterator[Pair]:
    """Yield all pairs."""
    yield from _elements()
    yield from _whole_numbers()
    yield from _digests()
    yield from _other_values()


def _numbers(name: str, a: Any, b: Any, dtypes: tuple[Any, Any] = (np.float32, np.float32), **options: Any) -> Pair:
    return calls_pair(
        name,
        net("conv", result=(tensor(a, "full", dtypes[0]),)),
        net("conv", result=(tensor(b, "full", dtypes[1]),)),
        **options,
    )


def _literals(name: str, a: tuple[Value, ...], b: tuple[Value, ...], **options: Any) -> Pair:
    return calls_pair(name, net("fc", given=a), net("fc", given=b), **options)


def _elements() -> Iterator[Pair]:
    inf, nan = math.inf, math.nan
    pairs: tuple[Any, ...] = (
        ("equal", [1, 2], [1, 2], {}),
        ("beyond", [1, 2], [1, 2.5], {}),
        ("within atol", [1, 2], [1, 2.25], {"atol": 0.25}),
        ("beyond atol", [1, 2], [1, 2.2500002], {"atol": 0.25}),
        ("within rtol", [100, 200], [100, 190], {"rtol": 0.05}),
        ("beyond rtol", [100, 200], [100, 189.99], {"rtol": 0.05}),
        ("both tolerances", [100, 200, 3], [101, 211, 3.5], {"rtol": 0.05, "atol": 0.5}),
        ("zero and minus zero", [0.0], [-0.0], {}),
        ("NaN and NaN", [nan, 1], [nan, 2], {"atol": 0.5}),
        ("NaN and a number", [nan, 1], [1, 1], {"atol": 1e30}),
        ("infinities", [inf, -inf], [inf, -inf], {}),
        ("infinity and minus infinity", [inf, 1], [-inf, 1], {"rtol": 1.0}),
        ("infinity and a number", [inf], [3], {"rtol": 1.0, "atol": 1e38}),
        ("overflow", [3e38], [-3e38], {}),
        ("a digit to even", [1.125], [0.0], {}),
        ("a half to even", [0.125, 1], [0.0, 1], {}),
        ("rounded", [1, 2, 3], [1.2345, 2.000012345, 3], {}),
        ("empty", [], [], {}),
        ("shapes", [1, 2], [[1, 2]], {}),
        ("scalar", 1, 1.5, {}),
        ("scalar and a list", 1, [1], {}),
    )
    for name, a, b, options in pairs:
        yield _numbers(f"elements: {name}", a, b, **options)


def _whole_numbers() -> Iterator[Pair]:
    """Yield pairs of tensors of other dtypes, and of several tensors."""
    big = 2**63 - 1
    pairs: tuple[Any, ...] = (
        ("integers", [1, 5], [1, 7], ("int64", "int64"), {"atol": 1}),
        ("integers within", [1, 5], [1, 7], ("int64", "int64"), {"atol": 2}),
        ("large integers", [big, -big - 1], [-big - 1, big], ("int64", "int64"), {}),
        ("large integers, near", [big], [big - 1], ("int64", "int64"), {"atol": 0.5}),
        ("bytes", [0, 255], [255, 0], ("uint8", "uint8"), {}),
        ("bytes and small integers", [0, 200], [0, -100], ("uint8", "int8"), {}),
        ("signed and unsigned", [-1, 5], [2**64 - 1, 5], ("int64", "uint64"), {}),
        ("signed and unsigned, near", [big], [big + 1], ("int64", "uint64"), {"atol": 0.5}),
        ("booleans", [True, False], [True, True], ("bool", "bool"), {}),
        ("booleans within", [True, False], [True, True], ("bool", "bool"), {"atol": 1}),
        ("booleans and integers", [True], [2], ("bool", "int32"), {}),
        ("doubles", [1, 2], [1, 2 + 1e-12], ("float64", "float64"), {"rtol": 1e-13}),
        ("float and double", [1, 2], [1, 2], ("float32", "float64"), {}),
        ("float and double, other numbers", [1, 0.1], [1, 0.1], ("float32", "float64"), {}),
        ("half", [1, 65504], [1, 65472], ("float16", "float16"), {"rtol": 1e-4}),
        ("integer and float", [1, 2], [1, 2.5], ("int32", "float32"), {}),
        ("complex", [1 + 2j, 3], [1 + 2.5j, 4], ("complex64", "complex64"), {"atol": 0.75}),
        ("complex doubles", [1 + 2j, 3], [1 + 2j, 3], ("complex128", "complex128"), {}),
        ("complex NaN", [complex(math.nan, 1)], [complex(math.nan, 2)], ("complex64", "complex64"), {}),
        ("complex and real", [1 + 2j], [1], ("complex64", "float32"), {}),
        ("short integers", [-32768, 1], [32767, 1], ("int16", "int16"), {"rtol": 1.0}),
        ("unsigned", [0, 4_000_000_000], [1, 4_000_000_001], ("uint32", "uint32"), {"atol": 1}),
    )
    for name, a, b, dtypes, options in pairs:
        yield _numbers(f"elements: {name}", a, b, (np.dtype(dtypes[0]), np.dtype(dtypes[1])), **options)
    several = (tensor([1, 2], "full"), tensor([3 + 1j], "full", np.complex64), tensor([5], "full", np.int64))
    other = (tensor([1, 9], "full"), tensor([3 + 1j], "full", np.complex64), tensor([8], "full", np.int64))
    yield calls_pair("elements: several values", net("a", given=several), net("a", given=other))
    yield calls_pair("elements: a value less", net("a", given=several), net("a", given=other[:2]))
    yield calls_pair(
        "elements in one trace only",
        net("a", given=several),
        net("a", given=(tensor([1, 9]), tensor([3 + 1j], "digest", np.complex64))),
    )
    yield calls_pair("elements: aligned, values differ", net("a", "b", result=several), net("b", "a", result=other))


def _digests() -> Iterator[Pair]:
    def chain(*results: float, recorded: str = "digest") -> list[Call]:
        values = [(tensor(number, recorded),) for number in results]
        given = [values[0], *values[:-1]]
        return [
            Call(
                "",
                [Call(f"m.{k}", [], x, y) for k, (x, y) in enumerate(zip(given, values, strict=True))],
                given[0],
                values[-1],
            )
        ]

    yield calls_pair("digests: equal", chain(1, 2, 3), chain(1, 2, 3))
    yield calls_pair("digests: the second module", chain(1, 2, 3), chain(1, 7, 8))
    yield calls_pair("digests: the last module", chain(1, 2, 3), chain(1, 2, 8))
    yield calls_pair("digests: the inputs", chain(1, 2, 3), chain(4, 5, 6))
    yield calls_pair("digests: tolerances do not apply", chain(1, 2), chain(1, 2.001), atol=1.0)
    yield calls_pair("digests against elements", chain(1, 2), chain(1, 3, recorded="full"))
    yield calls_pair("digests against nothing", chain(1, 2), chain(1, 3, recorded="none"))
    yield calls_pair("nothing recorded", chain(1, 2, recorded="none"), chain(1, 3, recorded="none"))
    yield calls_pair(
        "elements: the culprit", chain(1, 2, 3, recorded="full"), chain(1, 2.5, 4, recorded="full"), atol=0.25
    )
    yield calls_pair(
        "elements: all within", chain(1, 2, 3, recorded="full"), chain(1.1, 2.1, 3.1, recorded="full"), atol=0.2
    )
    lost = chain(1, 2, 3)
    del lost[0].children[1]
    yield calls_pair("digests: a call is lost", chain(1, 2, 3), lost)
    direct = chain(1, 7, 8)
    direct[0].children[1].how = "bypass"
    yield calls_pair("digests: a bypassed culprit", chain(1, 2, 3), direct)
    direct[0].children[0].result = (tensor(9),)
    yield calls_pair("digests: a bypassed module after another difference", chain(1, 2, 3), direct)
    direct = chain(1, 2, 3, 4)
    direct[0].given = (tensor(9),)
    direct[0].children[2].how, direct[0].children[2].result = "bypass", (tensor(8),)
    yield calls_pair("digests: a bypassed module after other arguments and an equal call", chain(1, 2, 3, 4), direct)


def _other_values() -> Iterator[Pair]:
    def number(literal: Any) -> Value:
        kinds = {bool: "bool", int: "int", float: "float", str: "str", type(None): "none"}
        return Value(kinds[type(literal)], literal=literal)

    for a, b, options in (
        (2, 2, {}), (2, 3, {}), (2, 3, {"atol": 1}), (2, 2.0, {}), (2, 2.5, {"atol": 1}), (2**53 + 1, float(2**53), {}),
        (2**70, 2**70 + 1, {"rtol": 1e-9}), (2**70, 2**70 + 1, {}), (10**400, 10**400 + 1, {"rtol": 1.0}), (0.1, 0.3, {}),
        (0.1, 0.1 + 1e-17, {}), (1e16, 1e16 + 2, {}), (1e-5, 2e-5, {"atol": 1e-5}), (0.0, -0.0, {}), (math.nan, math.nan, {}),
        (math.nan, 1.0, {"atol": 5}), (math.inf, math.inf, {}), (math.inf, -math.inf, {"atol": 5}), (1e308, -1e308, {}),
        (5e-324, 0.0, {}), (True, True, {}), (True, False, {}), (True, False, {"atol": 1}), (True, 1, {}), (1, 1.0, {}),
        ("mean", "mean", {}), ("mean", "sum", {}), ("it's", 'quote "', {}), ("\\ \n\t\x00\x7f", "\u00e9\u6f22\U0001f600", {}),
        ("\u200b\u00a0", "both ' and \"", {}), ("\ud800", "a", {}), (None, 1, {}), (None, None, {}), (123456.5, 123457.5, {}),
    ):  # fmt: skip
        yield _literals(
            f"literals: {a!r:.30} and {b!r:.30} {options or ''}".strip(), (number(a),), (number(b),), **options
        )
    for kind in ("int", "float", "bool", "str"):
        yield _literals(f"literals: {kind} without a value", (Value(kind),), (Value(kind),))
    yield _literals("literals: int and float without a value", (Value("int"),), (Value("float"),))
    yield _literals("literals: 1 and int without a value", (Value("int", literal=1),), (Value("int"),))
    yield _literals("objects", (Value("object"),), (Value("object"),))
    yield _literals("object and none", (Value("object"),), (Value("none"),))
    yield _literals("other numbers of values", (number(1), number(2)), (number(1),))
    yield _literals("no values", (), (number(1),))
    mixed = (tensor(1), number(1), number("a"), number(None))
    yield _literals("values of each kind", mixed, mixed)
    yield _literals("values of each kind, two differ", mixed, (tensor(1), number(2), number("b"), number(None)))
    yield _literals("shape", (tensor([1, 2]),), (tensor([[1, 2]]),))
    yield _literals("dtype", (tensor([1, 2]),), (tensor([1, 2], dtype=np.float64),))
    yield _literals("dtype, not recorded", (tensor([1, 2], "none"),), (tensor([1, 2], "none", np.float64),))
    same = tensor([1, 2])
    yield _literals("dtype, equal digests", (same,), (replace(same, dtype="bfloat16"),))
    yield _literals("device", (same,), (replace(same, device="cuda:0"),))
    yield _literals("device and digest", (same,), (replace(tensor([1, 3]), device="cuda:0"),))
    device = [Call("", [Call("a", given=(replace(same, device="cuda:0"),))], result=(tensor(5),))]
    yield calls_pair("device before the culprit", [Call("", [Call("a", given=(same,))])], device)
    yield _literals("all at once", (tensor([1, 2]),), (replace(tensor([[1, 2]], dtype=np.float64), device="cuda:1"),))
