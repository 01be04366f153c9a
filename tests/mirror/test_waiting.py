"""Code of the user's that runs outside of ``forward``: it may wait for threads that use tensors, and what nobody uses does not run."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import bridge

SOURCE = Path(__file__).parent / "waiting" / "Waiting.cs"
ONES = torch.ones(4)


@pytest.fixture(scope="module")
def waiting(build_csharp: Callable[..., Path]) -> Path:
    """Return the assembly of Waiting.cs; without an SDK, the stored one."""
    return build_csharp([SOURCE], "Waiting")


def _message(assembly: Path) -> float:
    with pytest.raises(bridge.DotNetError, match="4 is what I waited for") as caught:
        bridge.load(assembly, "Waiting.Net")(ONES)
    return float(caught.value.dotnet_message.partition(" ")[0])


def _set(assembly: Path) -> float:
    model: Any = bridge.load(assembly, "Waiting.Net", True)
    model.Property = 1.0
    return float(model.Property)


WAITS: dict[str, Callable[[Path], Any]] = {
    "static field": lambda file: bridge.load(file, "Waiting.InField")(ONES),
    "constructor": lambda file: bridge.load(file, "Waiting.InConstructor")(ONES),
    "factory": lambda file: bridge.load(file, "Waiting.Pool.Make")(ONES),
    "property": _set,
    "copy": lambda file: copy.deepcopy(bridge.load(file, "Waiting.Net", True))(ONES),
    "message": _message,
    "hook": lambda file: bridge.load_hook(file, "Waiting.Hooks").Property,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("code", WAITS)
def test_it_may_wait_for_a_thread_that_computes(waiting: Path, code: str) -> None:
    """The thread takes the GIL for an operator that Python has to call: whoever waits for it does not hold it."""
    assert torch.equal(torch.as_tensor(WAITS[code](waiting)).broadcast_to(4), torch.full((4,), 4.0))


def test_what_a_model_does_not_use_is_not_initialized(waiting: Path) -> None:
    model: Any = bridge.load(waiting, "Waiting.Net", True)
    model(ONES)
    copy.deepcopy(model)(ONES)
    assert model.Ran is None


@pytest.mark.parametrize("place", ["bare", "initialized", "constructor", "structure"])
def test_what_a_static_field_keeps_survives_the_call(waiting: Path, place: str) -> None:
    model = bridge.load(waiting, "Waiting.Keeper", place)
    kept = None
    for number in range(1, 4):
        x = torch.full((2,), float(number))
        assert torch.equal(model(x), x if kept is None else x + kept)
        kept = x * 2
