"""calls/keyword_sets.py: a dictionary that only gives keyword arguments is a variable for each."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import DictLiteral, Unsupported
from tests.port.frontend.lowering import differences, found, lower

T = torch.tensor([1.0, -2.0])


def scaled(x: torch.Tensor, factor: float = 1.0, twice: bool = False) -> torch.Tensor:
    return x * factor * (2 if twice else 1)


def given(x: torch.Tensor, n: float) -> torch.Tensor:
    settings = {"factor": n, "twice": n > 1}
    n = n + 1
    return scaled(x, **settings) + scaled(x * n, **settings)


def in_a_loop(x: torch.Tensor, n: float) -> torch.Tensor:
    for _ in range(3):
        settings = {"factor": n}
        n = n + 1
        x = scaled(x, **settings)
    return x


def copied(x: torch.Tensor, n: float, twice: bool = False) -> Any:
    settings = {"factor": n, "x": x}
    others = settings.copy()
    if twice:
        others["twice"] = True
    n = n + 1
    return scaled(**settings) - scaled(**others) * n


def later(x: torch.Tensor, n: float) -> torch.Tensor:
    settings = {"factor": n, "x": x}
    both = {"once": lambda: scaled(**settings), "twice": lambda: scaled(**settings, twice=True)}
    return both["twice"]()


def read_too(x: torch.Tensor, n: float) -> torch.Tensor:
    settings = {"factor": n}
    return scaled(x, **settings) * len(settings)


def test_keywords_have_the_values_of_where_the_dictionary_was_made() -> None:
    assert not found(lower(given, (T, 0.5)), DictLiteral)
    assert differences(given, ((T, 0.5),), ((T, 3.0),)) == []
    assert differences(in_a_loop, ((T, 0.5),), ((T, 3.0),)) == []


def test_keywords_are_copied_and_given_later() -> None:
    assert differences(copied, ((T, 0.5),), ((T, 3.0),)) == []
    assert differences(later, ((T, 0.5),), ((T, 3.0),)) == []
    (refused,) = found(lower(copied, (T, 0.5)), Unsupported)
    assert refused.why == "others, a dictionary of keyword arguments, as a value", "no run set the entry"
    with pytest.raises(Untranslatable, match="settings, a dictionary of keyword arguments, as a value"):
        lower(copied, (T, 0.5, True))


def test_a_dictionary_that_is_read_as_such_is_none_of_them() -> None:
    with pytest.raises(Untranslatable, match="arguments that are spread"):
        lower(read_too, (T, 0.5))


def moved(x: torch.Tensor, scale: float = 3.0, shift: float | None = None) -> torch.Tensor:
    return x * scale if shift is None else x * scale + shift


def passed_on(x: torch.Tensor, **options: Any) -> torch.Tensor:
    if options.get("shift") is not None:
        x = x * 2
    return moved(x, **options)


def some_give_it(x: torch.Tensor) -> torch.Tensor:
    return passed_on(x, scale=2.0) + passed_on(x, shift=1.0) + passed_on(x)


def asked(x: torch.Tensor, **options: Any) -> torch.Tensor:
    return x * 2 if "scale" in options else x


def some_are_asked(x: torch.Tensor) -> torch.Tensor:
    return asked(x, scale=2.0) + asked(x)


def softly(x: torch.Tensor, scale: float | None = 3.0) -> torch.Tensor:
    return x if scale is None else x * scale


def to_softly(x: torch.Tensor, **options: Any) -> torch.Tensor:
    return softly(x, **options)


def some_give_none(x: torch.Tensor) -> torch.Tensor:
    return to_softly(x, scale=None) + to_softly(x, scale=2.0) + to_softly(x)


def test_a_keyword_that_some_calls_give_is_none_or_the_default_elsewhere() -> None:
    assert differences(some_give_it, ((T,),), ((T * 2,),)) == []


def test_a_keyword_that_some_calls_give_may_not_be_asked_for() -> None:
    with pytest.raises(Untranslatable, match="in which scale is given in some calls only"):
        lower(some_are_asked, (T,))


def test_none_is_not_the_default_where_a_call_gives_none() -> None:
    with pytest.raises(Untranslatable, match="scale, which some calls do not give"):
        lower(some_give_none, (T,))
