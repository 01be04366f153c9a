# ruff: noqa: PTH123, RET503, RET504  # what is lowered is written as models are
"""statements/: a function and its representation do the same also on inputs that no run saw (issue 43, section 2)."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import (
    Assert,
    Bind,
    Function,
    GradientMode,
    If,
    Raise,
    Return,
    Unsupported,
    UnsupportedValue,
)
from bridge.port.ir.types import OBJECT, TENSOR
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([1.0, -2.0])


def until_a_value(x: torch.Tensor) -> torch.Tensor:
    extra = None
    if x.max() > 100:
        extra = x * 3
    if extra is not None:
        x = x + extra
    return x


def early(x: torch.Tensor, n: int) -> torch.Tensor:
    if n > 3:
        return x * n
    x = x + 1
    return x


def mask_or_not(x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    if mask is not None:
        x = x * mask
    return x


def left_early(x: torch.Tensor) -> torch.Tensor:
    if x.numel() > 0:
        return x + 1
    eval("3")
    return x


def checked(x: torch.Tensor, n: int) -> torch.Tensor:
    assert n > 0, f"n is {n}"
    if n == 7:
        raise ValueError("seven")
    return x * n


def gone(n: int) -> int:
    m = n
    del n
    return m + 1


def maybe_nothing(n: int) -> int | None:
    if n > 2:
        return n


def first_of_two(n: int) -> float:
    if n > 2:
        return 1
    return 0.5


def in_a_shape(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] > 2:
        x = x * 2
    elif x.shape[0] == 1:
        x = x - 1
    return x


@pytest.mark.parametrize(
    ("function", "seen", "tried"),
    [
        (until_a_value, [(T,)], [(T * 1000,)]),
        (early, [(T, 1)], [(T, 5)]),
        (mask_or_not, [(T,)], [(T, T > 0), (T, None)]),
        (checked, [(T, 2)], [(T, 0), (T, 7)]),
        (gone, [(3,)], [(-4,)]),
        (maybe_nothing, [(3,)], [(1,)]),
        (in_a_shape, [(T,)], [(T[:1],), (torch.ones(5),)]),
    ],
)
def test_what_no_run_took_is_translated(function: Callable[..., Any], seen: Any, tried: Any) -> None:
    assert differences(function, tuple(seen), tuple(tried)) == []


def foreign(x: torch.Tensor, n: int) -> torch.Tensor:
    if n > 1:
        with open("nothing", encoding="utf-8") as _:
            x = x + 1
    return x * 2


def test_a_branch_that_no_run_took_and_that_has_no_translation_throws() -> None:
    made = lower(foreign, (T, 1))
    (one,) = found(made, Unsupported)
    assert "with open" in one.why
    assert isinstance(made.body[-1], Return)


def foreign_rest(x: torch.Tensor, n: int) -> torch.Tensor:
    if n > 1:
        return x * n
    with open("nothing", encoding="utf-8") as _:
        x = x + 1
    return x.tolist()


def foreign_end(x: torch.Tensor, n: int) -> torch.Tensor:
    if n > 1:
        return x * n
    with open("nothing", encoding="utf-8") as _:
        return x + 1


@pytest.mark.parametrize("function", [foreign_rest, foreign_end])
def test_a_rest_that_no_run_reached_and_that_has_no_translation_throws(function: Any) -> None:
    made = lower(function, (T, 2))
    assert isinstance(made.body[-1], Unsupported)
    assert made.result == TENSOR


def reached_rest(x: torch.Tensor, n: int) -> Any:
    if n > 1:
        return x
    return x.grad_fn


def test_a_rest_that_a_run_reached_is_refused() -> None:
    assert isinstance(lower(reached_rest, (T, 2)).body[-1], Unsupported)
    with pytest.raises(Untranslatable, match="the attribute grad_fn"):
        lower(reached_rest, (T, 2), (T, 0))


def test_a_branch_that_ran_and_that_has_no_translation_is_refused() -> None:
    def opened(x: torch.Tensor) -> torch.Tensor:
        with warnings.catch_warnings():
            x = x + 1
        return x

    with pytest.raises(Untranslatable, match="with warnings.catch_warnings"):
        lower(opened, (T,))


def maybe_autocast(enabled: bool = True) -> Any:
    return contextlib.nullcontext()


def test_a_context_of_transformers_that_is_off_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maybe_autocast, "__module__", "transformers.utils")

    def off(x: torch.Tensor) -> torch.Tensor:
        with maybe_autocast(enabled=False):
            return x * 2

    def on(x: torch.Tensor) -> torch.Tensor:
        with maybe_autocast():
            return x * 2

    assert [type(one).__name__ for one in lower(off, (T,)).body] == ["Return"]
    with pytest.raises(Untranslatable, match="with maybe_autocast"):
        lower(on, (T,))


def test_effects_stay() -> None:
    made = lower(checked, (T, 2))
    assert found(made, Assert)
    assert [one.kind for one in found(made, Raise)] == ["ValueError"]


def quiet(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        y = x * 2
    return y


@torch.no_grad()
def quiet_by_a_decorator(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@pytest.mark.parametrize("function", [quiet, quiet_by_a_decorator])
def test_modes_of_gradients(function: Callable[..., Any]) -> None:
    made = lower(function, (T,))
    assert [one.mode for one in found(made, GradientMode)] == ["no_grad"]


def joined_returns(n: int) -> float:
    if n > 0:
        return n
    return 0.5


def test_returns_are_of_one_type() -> None:
    made = lower(first_of_two, (1,), (3,))
    assert str(made.result) == "float"


def mixed(x: torch.Tensor, n: int) -> Any:
    if n:
        return x
    return x, x


def test_returns_of_no_one_type_are_objects() -> None:
    assert lower(mixed, (T, 0), (T, 1)).result == OBJECT


def test_a_return_of_another_type_that_no_run_reached_is_refused() -> None:
    made = lower(mixed, (T, 0))
    (one,) = found(made, Unsupported)
    assert "returns a Tensor beside a (Tensor, Tensor)" in one.why


def settings(x: torch.Tensor, twice: bool = False) -> torch.Tensor:
    """Double or not.

    More.
    """
    # above
    if twice:  # beside
        x = x * 2
    return x


def test_comments_and_docstrings() -> None:
    made: Function = lower(settings, (T,))
    assert made.doc.startswith("Double or not.")
    first = made.body[0]
    assert isinstance(first, If)
    assert (first.comments, first.remark) == (("above",), "beside")


def matched(n: int) -> str:
    match n % 5:
        case 0 | 1:
            text = "few"
        case 2 if n > 10:
            text = "two"
        case other:
            text = str(other)
    return text


def test_match_is_a_chain_of_tests() -> None:
    assert differences(matched, ((2,),), ((5,), (12,), (13,), (-1,))) == []


def test_what_follows_a_return_in_every_run_may_have_no_translation() -> None:
    lowered = lower(left_early, (T,))
    assert [type(one) for one in lowered.body] == [If, Unsupported]
    with pytest.raises(Untranslatable):
        lower(left_early, (T,), (T[:0],))


def unlike_none(x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    if x != None:  # noqa: E711  # as models write it
        x = x + 1
    if mask == None:  # noqa: E711  # as models write it
        return x
    return x * mask


def test_tensors_are_compared_with_none() -> None:
    assert differences(unlike_none, ((T,),), ((T, T),)) == []


def of_another_type(x: torch.Tensor, every: bool) -> torch.Tensor:
    kept = x
    if every:
        kept = (x, x)
    return kept + 1


def grown_where_asked(x: torch.Tensor, every: bool) -> torch.Tensor:
    kept = () if every else None
    if every:
        kept = kept + (x,)  # noqa: RUF005  # as models do
    return x * 2


def test_a_branch_that_no_run_took_throws_where_it_leaves_another_type() -> None:
    made = lower(of_another_type, (T, False))
    (one,) = found(made, Unsupported)
    assert "kept is of another type" in one.why
    assert differences(of_another_type, ((T, False),), ()) == []
    made = lower(grown_where_asked, (T, False))
    assert "is a () or a None" in found(made, UnsupportedValue)[0].why
    assert differences(grown_where_asked, ((T, False),), ()) == []


def walrus_of_another_type(mask: torch.Tensor | None) -> torch.Tensor:
    if not isinstance(kept := mask, dict):
        kept = {"full": mask}
    full = kept["full"]
    return torch.zeros(2) if full is None else full * 2


def named_first(n: int) -> int:
    if (half := n // 2) > 2 and half < 10:
        return half
    if n > 1:
        n = n + 1
    elif (third := n // 3) > 0 or n:
        n = n - third
    return n + half


def test_a_walrus_that_a_test_begins_with_is_an_assignment_before_it() -> None:
    assert differences(walrus_of_another_type, ((None,), (T,)), ()) == []
    made = lower(named_first, (9,))
    assert not found(made, Bind)
    assert differences(named_first, ((9,),), ((2,), (3,), (40,), (-9,))) == []


def later(n: int) -> int:
    if n > 2 and (half := n // 2) > 2:
        return half
    return n


def test_a_walrus_that_a_test_may_skip_stays() -> None:
    assert found(lower(later, (9,)), Bind)
    assert differences(later, ((9,),), ((1,), (3,))) == []


def after_a_return(x: torch.Tensor, n: int) -> torch.Tensor:
    if n < 3:
        return x * n
    x = x + 1
    with open("nothing", encoding="utf-8") as _:
        x = x * 2
    return x


def test_what_follows_a_branch_that_ended_all_runs_throws_where_it_has_no_translation() -> None:
    made = lower(after_a_return, (T, 1))
    (one,) = found(made, Unsupported)
    assert "with open" in one.why
    assert differences(after_a_return, ((T, 1),), ((T, 2),)) == []
