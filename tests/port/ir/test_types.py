"""types.py: the join of types."""

from __future__ import annotations

import pytest
from torch import nn

from bridge.port.ir.types import (
    ANY_MODULE,
    BOOL,
    FLOAT,
    INT,
    NONE,
    OBJECT,
    PLAIN_MODULE,
    SIZES,
    STR,
    TENSOR,
    UNKNOWN,
    DictOf,
    ListOf,
    ModuleOf,
    ModulesOf,
    OptionalOf,
    TupleOf,
    Type,
    join,
    optional,
    required,
)

PAIR = TupleOf((INT, INT))
LINEAR = ModuleOf(nn.Linear, plain=True)


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ([], UNKNOWN),
        ([INT], INT),
        ([INT, FLOAT], FLOAT),
        ([INT, BOOL], None),
        ([INT, STR], None),
        ([INT, TENSOR], None),
        ([NONE, TENSOR], OptionalOf(TENSOR)),
        ([OptionalOf(INT), FLOAT], OptionalOf(FLOAT)),
        ([NONE, NONE], NONE),
        ([UNKNOWN, NONE, TENSOR], OptionalOf(TENSOR)),
        ([ListOf(UNKNOWN), ListOf(TENSOR)], ListOf(TENSOR)),
        ([ListOf(INT), ListOf(STR)], None),
        ([DictOf(STR, UNKNOWN), DictOf(STR, INT)], DictOf(STR, INT)),
        ([TupleOf((INT, NONE)), TupleOf((FLOAT, TENSOR))], TupleOf((FLOAT, OptionalOf(TENSOR)))),
        ([PAIR, TupleOf((INT, INT, INT))], SIZES),
        ([PAIR, SIZES], SIZES),
        ([TupleOf((TENSOR,)), TupleOf((TENSOR, TENSOR))], None),
        ([OBJECT, TENSOR], OBJECT),
        ([OBJECT, NONE], OptionalOf(OBJECT)),
        ([LINEAR, ModuleOf(nn.ReLU, plain=True)], PLAIN_MODULE),
        ([LINEAR, ModulesOf(nn.Sequential, PLAIN_MODULE)], PLAIN_MODULE),
        ([TupleOf((TENSOR, INT)), TupleOf((TENSOR, INT), ("x", "n"))], TupleOf((TENSOR, INT), ("x", "n"))),
        ([TupleOf((INT,), ("m",)), TupleOf((INT,), ("n",))], TupleOf((INT,))),
        ([LINEAR, ModuleOf(nn.LSTM)], ANY_MODULE),
        ([LINEAR, ModulesOf(nn.ModuleList, LINEAR)], ANY_MODULE),
        (
            [ModulesOf(nn.ModuleList, LINEAR), ModulesOf(nn.ModuleList, ModuleOf(nn.ReLU, plain=True))],
            ModulesOf(nn.ModuleList, PLAIN_MODULE),
        ),
    ],
    ids=str,
)
def test_join(types: list[Type], expected: Type | None) -> None:
    assert join(types) == expected
    assert join(reversed(types)) == expected


def test_optional_and_required_undo_each_other() -> None:
    assert required(optional(INT)) == INT
    assert optional(optional(INT)) == optional(INT)
    assert optional(NONE) == NONE
