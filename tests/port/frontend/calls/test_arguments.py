"""arguments.py: tuples and keywords that are spread reach the parameters (issue 43, section 2)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import BuiltinCall, Compare, Conditional, FunctionCall, Return, UnsupportedValue
from bridge.port.ir.types import BOOL, NONE, TENSOR
from bridge.port.porting import Port
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([[1.0, -2.0]])


def keywords(x: torch.Tensor, **options: Any) -> torch.Tensor:
    return x * options.get("scale", 2.0) if "scale" in options else x


def calls_with_keywords(x: torch.Tensor) -> torch.Tensor:
    return keywords(x, scale=3.0)


def test_keywords_are_read_as_the_parameters_that_they_stand_for() -> None:
    assert differences(keywords, ((T,),), ()) == []
    assert found(lower(calls_with_keywords, (T,)), Compare) == []


def spread(x: torch.Tensor, pair: tuple[int, int]) -> torch.Tensor:
    return scaled(x, *pair)


def scaled(x: torch.Tensor, a: int, b: int = 1) -> torch.Tensor:
    return x * a + b


def test_a_tuple_is_spread_over_the_parameters() -> None:
    assert differences(spread, ((T, (2, 3)),), ((T, (-1, 0)),)) == []


def parts(x: torch.Tensor, n: int) -> tuple[torch.Tensor, int, int]:
    x.add_(1)
    return x * 2, n, n + 1


def spread_results(x: torch.Tensor, n: int) -> torch.Tensor:
    items = scaled(*parts(x, n))
    return items + scaled(*parts(items, n))


def test_a_result_is_computed_once_and_spread_over_the_parameters() -> None:
    assert differences(spread_results, ((T, 2),), ((T, -3),)) == []


SPACE: dict[str, Any] = {"__name__": "transformers.utils.generic", "wraps": functools.wraps}
exec(
    "def can_return_tuple(function):\n    @wraps(function)\n    def wrapper(*args, **kwargs):\n"
    "        kwargs.pop('return_dict', None)\n        return function(*args, **kwargs)\n    return wrapper",
    SPACE,
)


@SPACE["can_return_tuple"]  # type: ignore[untyped-decorator]  # as transformers has it
def recorded(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def calls_recorded(x: torch.Tensor) -> torch.Tensor:
    return recorded(x, return_dict=True)  # type: ignore[call-arg, no-any-return]  # which the decorator takes


def calls_for_a_tuple(x: torch.Tensor) -> torch.Tensor:
    return recorded(x, return_dict=False)  # type: ignore[call-arg, no-any-return]  # which the decorator takes


def test_an_argument_that_a_decorator_of_transformers_takes_reaches_no_parameter() -> None:
    assert differences(calls_recorded, ((T,),), ()) == []
    with pytest.raises(Untranslatable, match="no parameter return_dict"):
        lower(calls_for_a_tuple, (T,))


def too_many(x: torch.Tensor) -> torch.Tensor:
    return x if x is None else scaled(x, *[1, 2][:1])


def test_a_list_of_unknown_length_is_not_spread() -> None:
    with pytest.raises(Untranslatable, match="number that is not known"):
        lower(too_many, (T,))


def pops(x: torch.Tensor, **options: Any) -> torch.Tensor:
    _ = options.pop("a", None)
    return scaled(x, a=5, **options)


def pops_sometimes(x: torch.Tensor, **options: Any) -> torch.Tensor:
    if x.dim() > 1:
        options.pop("b")
    return scaled(x, a=5, **options)


def calls_pops(x: torch.Tensor) -> torch.Tensor:
    return pops(x, a=2, b=3)


def calls_pops_sometimes(x: torch.Tensor) -> torch.Tensor:
    return pops_sometimes(x, b=3)


def test_a_keyword_that_was_taken_out_is_not_given_on() -> None:
    assert differences(calls_pops, ((T,),), ()) == []
    with pytest.raises(Untranslatable, match="after a pop of options"):
        lower(calls_pops_sometimes, (T,))


def masked(x: torch.Tensor, mask=None) -> torch.Tensor:  # type: ignore[no-untyped-def]  # as much of the world's code is
    return x if mask is None else x * mask


def calls_with_a_list(x: torch.Tensor, masks: list[torch.Tensor] | None = None) -> torch.Tensor:
    return masked(x, mask=masks)


def test_an_optional_argument_of_a_type_that_no_call_showed_is_none_or_throws() -> None:
    lowered = lower(calls_with_a_list, (T,))
    (guarded,) = found(lowered, Conditional)
    assert isinstance(guarded.other, UnsupportedValue)
    assert guarded.other.why == "masked takes no mask but None in C#"
    (call,) = found(lowered, FunctionCall)
    assert [one.value.type for one in call.arguments] == [TENSOR, NONE]


def records(x: torch.Tensor, whole: bool = True) -> torch.Tensor:
    return recorded(x, return_dict=whole)  # type: ignore[call-arg, no-any-return]  # which the decorator takes


def test_a_call_for_a_record_throws_where_it_is_one_for_a_tuple() -> None:
    (guarded,) = found(lower(records, (T,)), Conditional)
    assert isinstance(guarded.other, UnsupportedValue)
    assert guarded.test.type == BOOL


class Wide(nn.Module):
    """A forward of more parameters than TorchSharp's modules take."""

    def forward(
        self,
        x: torch.Tensor,
        a: torch.Tensor,
        b: torch.Tensor,
        c: torch.Tensor,
        d: torch.Tensor,
        mask: torch.Tensor | None = None,
        scale: float = 1.0,
        **options: bool,
    ) -> torch.Tensor:
        x = x + a + b + c + d
        x = x if mask is None else x * mask
        return doubled(x * scale, **options)


def doubled(x: torch.Tensor, twice: bool = True) -> torch.Tensor:
    return x * 2 if twice else x


class Around(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide = Wide()

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, twice: bool = False) -> torch.Tensor:
        y = self.wide(x, x, x, x, x, mask, twice=twice)
        return y + self.wide(x, x, x, x, x, twice=False)


def test_keywords_that_are_the_same_in_every_call_are_left_out_first(ported: Callable[..., Port]) -> None:
    files = ported(Around, T).files
    assert "var y = wide.call(x, x, x, x, x, mask);" in files["Around.cs"]
    assert "return y + wide.call(x, x, x, x, x, null);" in files["Around.cs"]
    assert "forward takes no other twice in C#" in files["Around.cs"]
    assert "// Fixed as in every call: twice is False" in files["Wide.cs"]


def taking_one(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    return x * factor


def spread_alone(*given: torch.Tensor) -> torch.Tensor:
    return taking_one(*given)


def test_a_list_is_spread_over_a_function_that_requires_one_argument() -> None:
    (returned,) = lower(spread_alone, (T,)).body
    assert isinstance(returned, Return)
    assert isinstance(returned.value, FunctionCall)
    (argument,) = returned.value.arguments
    assert isinstance(argument.value, BuiltinCall)
    assert argument.value.name == "single"


def spread_nothing(x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
    return torch.relu(x, *others)


def test_no_argument_is_spread_where_no_call_gave_one() -> None:
    assert differences(spread_nothing, ((T,),), ((-T,),)) == []
