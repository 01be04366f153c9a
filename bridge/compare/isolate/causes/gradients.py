"""Differences of gradients, with the ``detach`` or ``no_grad`` that causes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bridge.compare.errors import describe
from bridge.compare.isolate.causes.grad_cuts import (
    CutRun,
    GradientCut,
    find_cuts,
    find_proven_cut,
    have_equal_gradients,
)
from bridge.compare.isolate.module_finding import ModuleFinding
from bridge.compare.isolate.pairs import CallPair
from bridge.compare.isolate.replay import Gradients, Outcome
from bridge.compare.isolate.source_location import SourceLocation
from bridge.compare.isolate.value_comparison import compare_values, is_near


def find_gradient_differences(pair: CallPair) -> Iterator[ModuleFinding]:
    """Yield a finding on the first gradient that differs, or on an exception of C#'s backward pass. The calls must not differ otherwise.

    Yields nothing if PyTorch's backward pass raises.
    """
    python = pair.replay_python(backward=True)
    if python.backward_raised is not None:
        return
    if pair.outcome.backward_raised is not None:
        yield pair.finding("backward", describe(pair.outcome.backward_raised))
        return
    left, right = python.gradients or {}, _gradients_of(pair.outcome)
    if (finding := _find_child_without_gradient(pair, python, right)) is not None:
        yield finding
        return
    first, second = pair.names
    for name, mine in left.items():
        theirs = right.get(name)
        if name not in right or (mine is None and theirs is None):
            continue
        if mine is None:
            yield pair.finding("gradient", f"exists in {second} and not in {first}", child=name)
            return
        if theirs is None:
            text = f"exists in {first} and not in {second}"
        elif is_near(mine, theirs):
            continue
        else:
            difference = compare_values(mine, theirs, pair.names)
            text = "differs" if difference is None else difference.text
        finding = pair.finding("gradient", text, child=name)
        cut = _find_cut(pair, right)
        if cut is not None:
            text = f"{text}: {cut.name} in {second}, not in {first}"
            finding = replace(finding, text=text, location=SourceLocation(cut.source))
        yield finding
        return


def _gradients_of(outcome: Outcome) -> Gradients:
    """Return the gradients, but not those of a child's result if the child was called under ``no_grad``.

    In the replay, a recorded result takes the place of the child's result. The recorded result requires a gradient, and so
    gets one even if the child was called under ``no_grad``.
    """
    suffixes = tuple(f" of {child.path}" for child in outcome.child_calls if not child.grad_enabled)
    gradients = outcome.gradients or {}
    return {name: value for name, value in gradients.items() if not suffixes or not name.endswith(suffixes)}


def _find_child_without_gradient(pair: CallPair, python: Outcome, right: Gradients) -> ModuleFinding | None:
    """Return a finding on the first child that only one model calls under ``no_grad``, and whose result has a gradient in the other.

    If C# calls the child under ``no_grad``, the finding is returned only if this is proven to be the cause: all other gradients are equal,
    or :func:`_find_cut` finds a ``no_grad`` and its source line.
    """
    enabled = {child.recorded.number: child.grad_enabled for child in python.child_calls if child.recorded is not None}
    for child in pair.outcome.child_calls:
        if child.recorded is None or enabled.get(child.recorded.number, child.grad_enabled) == child.grad_enabled:
            continue
        gradients = (pair.outcome if child.grad_enabled else python).gradients or {}
        if all(value is None for name, value in gradients.items() if name.endswith(f" of {child.path}")):
            continue
        first, second = pair.names if child.grad_enabled else pair.names[::-1]
        text = f"is cut: {child.path} is called under no_grad in {first}, not in {second}"
        finding = pair.finding("gradient", text, child=child.path)
        if child.grad_enabled:
            return finding
        if have_equal_gradients(python.gradients or {}, right):
            source = pair.recordings.right.source_of(child.recorded.number)
            return replace(finding, location=SourceLocation(source))
        cut = _find_cut(pair, right, "no_grad")
        if cut is not None and cut.source:
            return replace(finding, location=SourceLocation(cut.source))
    return None


def _find_cut(pair: CallPair, right: Gradients, name: str = "") -> GradientCut | None:
    """Return C#'s cut (``detach`` or ``no_grad``) that, made in PyTorch's ``forward`` too, gives C#'s gradients; None if there is none.

    With a ``name``, only cuts of that name are tried.
    """

    def run(cut: CutRun) -> Gradients:
        outcome = pair.replay_python(backward=True, listener=cut, carries_gradient=cut.carries_gradient)
        return outcome.gradients or {}

    cuts = [cut for cut in find_cuts(pair.recordings.left, pair.recordings.right) if name in ("", cut.name)]
    return find_proven_cut(cuts, right, run)
