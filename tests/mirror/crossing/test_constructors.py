"""The arguments of constructors: by position, by the C# parameters' names, by their defaults."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import bridge

X = torch.ones(1)


@pytest.fixture
def made(models: Path) -> Callable[..., str]:
    """Return a function that constructs a model and returns its description of the arguments: ``made("Constructed", …)``."""

    def make(type_name: str, /, *args: Any, **kwargs: Any) -> str:
        return str(bridge.load(models, f"Models.{type_name}", *args, **kwargs)(X))

    return make


def test_by_name(made: Callable[..., str]) -> None:
    assert made("Constructed", inputs=8) == "8 0.5 True net Monday "
    assert made("Constructed", 3, bias=False) == "3 0.5 False net Monday "
    assert made("Constructed", 3, 0.25, sizes=[1, 2], day="Friday") == "3 0.25 True net Friday 1,2"
    assert made("Constructed", sizes=(), name="a", inputs=1) == "1 0.5 True a Monday "
    assert made("Constructed.Make", outputs=4, inputs=8) == "8 4 True net Monday "


def test_numpys_numbers(made: Callable[..., str]) -> None:
    given = {"rate": np.float32(0.25), "bias": np.bool_(False), "sizes": [np.int32(1), np.uint8(2)]}
    assert made("Constructed", np.int64(3), **given) == "3 0.25 False net Monday 1,2"
    assert made("Constructed", np.array(3), name=np.str_("a")) == "3 0.5 True a Monday "
    with pytest.raises(TypeError, match=r"'sizes'.*ndarray"):
        made("Constructed", 3, sizes=np.array([1, 2]))
    with pytest.raises(TypeError, match=r"argument 1 .*object"):
        made("Constructed", object())


def test_what_load_takes_itself_is_given_by_position(made: Callable[..., str], models: Path) -> None:
    """``forward_fires`` is load's; ``path`` and ``type_name`` are by position only, so C#'s parameters may have these names."""
    assert made("Constructed", "a", True) == "a True"
    with pytest.raises(ValueError, match=r'path: "a"\) match no constructor'):
        made("Constructed", path="a", forward_fires=True)
    with pytest.raises(TypeError, match="positional"):
        bridge.load(path=models, type_name="Models.Constructed")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        (
            (),
            {"outputs": 3},
            r"\(outputs: 3\) match no constructor of Models\.Constructed. It has: .*Constructed\(long inputs",
        ),
        ((3,), {"inputs": 3}, r"\(3, inputs: 3\) match no constructor"),
        ((), {"bias": True}, r"\(bias: true\) match no constructor"),
        ((), {"Inputs": 3}, r"\(Inputs: 3\) match no constructor"),
    ],
)
def test_what_fits_none_lists_the_constructors(
    made: Callable[..., str], args: tuple[object, ...], kwargs: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        made("Constructed", *args, **kwargs)


def test_the_nearest_constructor(made: Callable[..., str]) -> None:
    """An integer is nearer to an integer than to a real number, a text to a text than to an enumeration's member."""
    assert made("Ambiguous", 3) == "integer 3"
    assert made("Ambiguous", 3.0) == "real 3"
    assert made("Ambiguous", math.inf) == made("Ambiguous", np.float32(math.inf)) == "real Infinity"
    assert made("Ambiguous", "Friday") == "text Friday"
    assert made("Ambiguous", day="Friday") == "day Friday"
    assert made("Ambiguous", day=5) == "day Friday"
    with pytest.raises(ValueError, match="match no constructor"):
        made("Ambiguous", day=9)
    assert made("Ambiguous", 1, "a") == "int 1 a"
    assert made("Ambiguous", 2**40, "a") == "long 1099511627776 a"
    with pytest.raises(
        ValueError,
        match=r"match several constructors of Models\.Ambiguous: Ambiguous\(Uri one, bool two\); Ambiguous\(Version one",
    ):
        made("Ambiguous", None, True)
