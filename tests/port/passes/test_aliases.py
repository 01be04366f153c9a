"""aliases.py: what a child of a Sequential returns is not its input."""

from __future__ import annotations

import torch
from torch import nn

from bridge.port.ir.nodes import Argument, Field, If, ModuleCall, Statement
from bridge.port.ir.types import BOOL, TENSOR, ModuleOf
from bridge.port.passes.aliases import alias_inputs
from tests.port.ir.building import back, call, function, lines, put, relu, var

X, Y, TEST = var("x", TENSOR), var("y", TENSOR), var("test", BOOL)


class Own(nn.Module):
    pass


def called(kind: type[nn.Module]) -> ModuleCall:
    return ModuleCall(Field("child", type=ModuleOf(kind)), (Argument("input", X),), type=TENSOR)


def returned(*body: Statement) -> list[bool]:
    """Return of each line that returns whether it makes an alias."""
    return ["alias" in line for line in lines(alias_inputs(function(*body))) if "return" in line]


def test_an_input_and_what_is_changed_in_place_become_aliases() -> None:
    assert returned(back(X)) == [True]
    assert returned(back(call(torch.Tensor.add_, X))) == [True]
    assert returned(put("y", call(torch.Tensor.contiguous, X)), back(Y)) == [True]
    assert returned(back(called(Own))) == [True]


def test_new_tensors_do_not() -> None:
    assert returned(back(relu(X))) == [False]
    assert returned(put("x", relu(X)), back(X)) == [False]
    assert returned(back(called(nn.Identity))) == [False]


def test_a_branch_may_leave_the_input() -> None:
    assert returned(If(TEST, (back(X),)), back(relu(X))) == [True, False]
    assert returned(If(TEST, (put("x", relu(X)),)), back(X)) == [True]
    assert returned(If(TEST, (put("x", relu(X)),), (put("x", relu(Y)),)), back(X)) == [False]
