"""The harness sees a sabotaged compiler: ten rules of passes and lowerings, each made wrong alone (acceptance 3 of issue 43)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest

from bridge.port.csharp import tree
from bridge.port.csharp.building import index, int32, path
from bridge.port.csharp.values import arithmetic, builtins, indexing
from bridge.port.ir import nodes as ir
from bridge.port.ir.effects import Effects
from bridge.port.ir.types import INT, STR
from bridge.port.passes import declarations, folding, logic, loops, pruning
from tests.port.functions import harness
from tests.port.functions.drawing import Drawn, draw, load

_COUNT: Final = 250
_SEED: Final = 7
#: How many of the functions that a sabotage changes are run.
_FIRST: Final = 40
Patch = pytest.MonkeyPatch


def _cut_division(patch: Patch) -> None:
    _floored(patch, "//", "/")


def _cut_modulo(patch: Patch) -> None:
    _floored(patch, "%", "%")


def _floored(patch: Patch, operator: str, there: str) -> None:
    right = arithmetic._floored

    def wrong(emission: Any, node: ir.Binary) -> tree.Expression:
        if node.operator != operator:
            return right(emission, node)
        return tree.Binary(there, emission.expression(node.left), emission.expression(node.right))

    patch.setattr(arithmetic, "_floored", wrong)


def _swap_logic(patch: Patch) -> None:
    right = logic._Logic._chosen
    swapped = {"and": "or", "or": "and"}
    patch.setattr(logic._Logic, "_chosen", lambda self, operator, *rest: right(self, swapped[operator], *rest))


def _loop_once_more(patch: Patch) -> None:
    right = loops._bounds

    def wrong(loop: ir.For) -> tuple[ir.Expression, ir.Expression, int] | None:
        if (found := right(loop)) is None:
            return None
        start, stop, step = found
        return start, ir.Binary("+", stop, ir.Literal(step, type=INT), type=INT), step

    patch.setattr(loops, "_bounds", wrong)


def _declare_within(patch: Patch) -> None:
    patch.setattr(declarations, "_level", lambda *_: frozenset())


def _prune_by_values(patch: Patch) -> None:
    right = pruning.decided
    patch.setattr(pruning, "decided", lambda test: True if isinstance(test, ir.Compare) else right(test))


def _fold_cut(patch: Patch) -> None:
    patch.setitem(folding._COMPUTED, "//", lambda left, right: int(left / right))


def _slice_unclipped(patch: Patch) -> None:
    right = indexing._by_helper

    def wrong(emission: Any, node: ir.Slice, value: tree.Expression, is_modules: bool) -> tree.Expression:
        if node.value.type != STR or node.step is not None:
            return right(emission, node, value, is_modules)
        ends = (None if one is None else int32(emission.expression(one)) for one in (node.start, node.stop))
        return index(value, tree.Range(*ends))

    patch.setattr(indexing, "_by_helper", wrong)


def _round_away(patch: Patch) -> None:
    right = builtins.static

    def wrong(name: str, *arguments: tree.Expression) -> tree.Call:
        more = (path("MidpointRounding.AwayFromZero"),) if name == "Math.Round" else ()
        return right(name, *arguments, *more)

    patch.setattr(builtins, "static", wrong)


def _take_negative_places(patch: Patch) -> None:
    patch.setattr(indexing, "is_nonnegative", lambda *_: True)


def _drop_what_raises(patch: Patch) -> None:
    patch.setattr(Effects, "removable", Effects.pure)


_SABOTAGES: Final[tuple[Callable[[Patch], None], ...]] = (
    _cut_division,
    _cut_modulo,
    _swap_logic,
    _loop_once_more,
    _declare_within,
    _prune_by_values,
    _fold_cut,
    _slice_unclipped,
    _round_away,
    _take_negative_places,
    _drop_what_raises,
)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.sdk
@pytest.mark.dotnet
def test_each_sabotage_is_seen(sdk: Any, tmp_path: Path) -> None:
    """All are compiled as one assembly: of each the first functions whose C# it changes."""
    drawn = draw(_COUNT, _SEED)
    functions = load(drawn, tmp_path / "sabotaged.py")
    right = harness.translate(drawn, functions)
    every, whole, called = [], harness.Translation(harness.program()), {}
    for sabotage in _SABOTAGES:
        with pytest.MonkeyPatch.context() as patch:
            sabotage(patch)
            wrong = harness.translate(drawn, functions, right)
        whole.helpers.update(wrong.helpers)
        for one in _changed(drawn, right, wrong):
            name = f"{sabotage.__name__}_{one.name}"
            every.append(replace(one, name=name))
            whole.declarations[name] = replace(wrong.declarations[one.name], name=name)
            called[name] = functions[one.name]
    seen = _seen(sdk, every, whole, called, tmp_path)
    assert [one.__name__ for one in _SABOTAGES if one.__name__ not in seen] == []


def _changed(drawn: list[Drawn], right: harness.Translation, wrong: harness.Translation) -> list[Drawn]:
    """Return the first functions whose C# a sabotage changes."""
    both = right.declarations.keys() & wrong.declarations.keys()
    found = (one for one in drawn if one.name in both and wrong.declarations[one.name] != right.declarations[one.name])
    return list(islice(found, _FIRST))


def _seen(sdk: Any, drawn: list[Drawn], translation: harness.Translation, functions: Any, folder: Path) -> set[str]:
    """Return the sabotages of which a function differs: gives something else, or is no C#."""
    assembly, failed = harness.compiled(sdk, drawn, translation)
    texts = harness.run(assembly, [one for one in drawn if one.name not in failed], folder)
    reports = (harness.judged([one], functions, translation, failed, texts) for one in drawn)
    return {one.name.rpartition("_")[0] for one, report in zip(drawn, reports, strict=True) if report.differences}
