"""parameters.py: parameters of which C# has no type are fixed at None, and said to be (issue 43, section 2)."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import ContainerCall, Unsupported
from bridge.port.ir.traversal import walk
from bridge.port.ir.types import NONE, STR, TENSOR, UNKNOWN, DictOf, OptionalOf
from tests.port.frontend.interpreter import run
from tests.port.frontend.lowering import differences, lower

T = torch.ones(2)


class Cache:
    def update(self, x: torch.Tensor) -> torch.Tensor:
        return x


def cached(x: torch.Tensor, cache: Cache | None = None) -> torch.Tensor:
    if cache is not None:
        x = cache.update(x)
    return x


def collected(x: torch.Tensor, caches: dict[str, Cache] | None = None) -> torch.Tensor:
    caches = caches if caches is not None else {}
    if caches.get("image") is None and x.shape[0] > 3:
        caches["image"] = Cache()
    if caches.get("image") is not None:
        x = caches["image"].update(x)
    return x


def masked(x: torch.Tensor, mask: torch.LongTensor | None = None) -> torch.Tensor:
    return x if mask is None else x * mask


def kept(x: torch.Tensor, past=None) -> torch.Tensor:  # type: ignore[no-untyped-def]  # as much of the world's code is
    return x if past is None else past.updated(x)


def placed(x: torch.Tensor, device: torch.device | str = "cpu") -> torch.Tensor:
    return x.to(device)


def scaled(x: torch.Tensor, factor: float = 2.0, shift: float | None = None, **kwargs: Any) -> torch.Tensor:
    return x * factor + (0 if shift is None else shift)


def handed_on(x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
    kwargs.pop("other", None)
    return scaled(x, **kwargs)


def asked(x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
    return scaled(x, **kwargs) if "factor" in kwargs else x


def of_two_defaults(x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
    return scaled(x, **kwargs) * kwargs.get("factor", 3.0)


def calls(x: torch.Tensor) -> torch.Tensor:
    return handed_on(x) + handed_on(x, factor=3.0, other=2) + handed_on(x, shift=1.0)


def test_a_keyword_that_some_calls_lack_has_the_default_of_where_it_is_taken() -> None:
    assert differences(calls, ((T,),), ((T * 2,),)) == []
    made = lower(handed_on, (T,), named=({"factor": 3.0, "other": 2}, {"shift": 1.0}))
    assert [(one.name, str(one.type)) for one in made.parameters[1:]] == [
        ("factor", "float | None"),
        ("other", "int | None"),
        ("shift", "float | None"),
    ]


@pytest.mark.parametrize("function", [asked, of_two_defaults])
def test_a_keyword_that_some_calls_lack_is_refused_where_no_literal_stands_for_it(function: Any) -> None:
    with pytest.raises(Untranslatable, match="factor is given in some calls only"):
        lower(function, (T,), named=({"factor": 3.0}, {}))


def test_a_parameter_of_a_foreign_class_is_fixed_at_none() -> None:
    made = lower(cached, (T,))
    assert [one.name for one in made.parameters] == ["x"]
    assert [(place, one.name, one.type) for place, one in made.fixed] == [(1, "cache", NONE)]


def test_a_dictionary_of_a_foreign_class_is_fixed_at_none() -> None:
    made = lower(collected, (T,))
    assert [(one.name, one.type) for _, one in made.fixed] == [("caches", NONE)]
    asked = [one.value.type for one in walk(made) if isinstance(one, ContainerCall)]
    assert asked == [DictOf(STR, UNKNOWN)] * 2
    assert len([one for one in walk(made) if isinstance(one, Unsupported)]) == 2


def test_a_parameter_that_is_used_as_no_tensor_is_fixed_at_none() -> None:
    assert [one.name for _, one in lower(kept, (T,)).fixed] == ["past"]


def test_a_tensor_that_may_be_none_stays_a_parameter() -> None:
    made = lower(masked, (T,))
    assert [one.type for one in made.parameters] == [TENSOR, OptionalOf(TENSOR)]
    assert not made.fixed


def reduced(x: torch.Tensor, way=None) -> torch.Tensor:  # type: ignore[no-untyped-def]  # as above
    assert way in (None, "mean", "sum")
    return x.sum() if way == "sum" else x.mean()


def test_a_parameter_that_is_compared_to_strings_is_one() -> None:
    made = lower(reduced, (T,))
    assert [str(one.type) for one in made.parameters] == ["Tensor", "str | None"]
    assert run(made, T, "sum") == T.sum()


def test_a_device_by_its_name_is_a_device() -> None:
    made = lower(placed, (T, torch.device("cpu")))
    assert [str(one.type) for one in made.parameters] == ["Tensor", "device"]


def applied(x: torch.Tensor, inner) -> torch.Tensor:  # type: ignore[no-untyped-def]  # as above
    return inner(x, 2)  # type: ignore[no-any-return]  # as above


def kept_function(x: torch.Tensor, inner) -> torch.Tensor:  # type: ignore[no-untyped-def]  # as above
    also = inner
    return also(x) if x.dim() else inner(x)


def test_a_function_that_is_given_has_the_types_of_its_calls() -> None:
    made = lower(applied, (T, lambda x, n: x * n), (T, lambda x, n: x + n))
    assert [str(one.type) for one in made.parameters] == ["Tensor", "(Tensor, int) -> Tensor"]
    assert run(made, T, lambda x, n: x - n).tolist() == (T - 2).tolist()
    with pytest.raises(Untranslatable, match="inner, which is function"):
        lower(kept_function, (T, lambda x: x * 2), (T, lambda x: x * 3))
