"""Drawn functions with arguments, written to a module: the same for a seed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.port.functions.grammar import arguments, functions

Arguments = tuple[Any, ...]
#: How often a function is observed, and how many calls are compared besides those.
_OBSERVED: Final = 3
_FURTHER: Final = 4
#: Functions of one seed of hypothesis: after its first ten it mostly changes what it drew before.
_ROUND: Final = 11


@dataclass(frozen=True, slots=True)
class Drawn:
    """A function's name and source, its types, the arguments with which it is observed, and those with which it is compared besides."""

    name: str
    source: str
    kinds: tuple[str, ...]
    result: str
    observed: tuple[Arguments, ...]
    further: tuple[Arguments, ...]

    @property
    def calls(self) -> tuple[Arguments, ...]:
        """Return the arguments of all calls that are compared."""
        return self.observed + self.further


def draw(count: int, number: int) -> list[Drawn]:
    """Return so many functions, no two alike, for the seed ``number``."""
    found: dict[str, Drawn] = {}
    rounds = 0
    while len(found) < count:
        for source, kinds, result, given_arguments in _round(f"{number}:{rounds}"):
            if source not in found and len(found) < count:
                name = f"f{len(found)}"
                observed, further = given_arguments[:_OBSERVED], given_arguments[_OBSERVED:]
                found[source] = Drawn(
                    name, source.replace("def f(", f"def {name}(", 1), kinds, result, observed, further
                )
        rounds += 1
    return list(found.values())


def _round(key: str) -> Iterator[tuple[str, tuple[str, ...], str, tuple[Arguments, ...]]]:
    made: list[tuple[str, tuple[str, ...], str, tuple[Arguments, ...]]] = []

    @settings(
        max_examples=_ROUND,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @seed(key)
    @given(st.data())
    def run(data: st.DataObject) -> None:
        source, kinds, result = data.draw(functions())
        one = arguments(kinds)
        made.append((source, kinds, result, tuple(data.draw(one) for _ in range(_OBSERVED + _FURTHER))))

    run()
    yield from made


def load(drawn: Sequence[Drawn], file: Path) -> dict[str, Callable[..., Any]]:
    """Write the functions to a module, and return them by name."""
    file.write_text("import torch\nfrom torch import Tensor\n\n\n" + "\n\n".join(one.source for one in drawn), "utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return {one.name: getattr(module, one.name) for one in drawn}
