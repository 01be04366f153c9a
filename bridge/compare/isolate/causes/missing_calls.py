"""Children that a C# forward does not call, calls once more, or calls where PyTorch calls another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bridge.compare.isolate.copies import tensors
from bridge.compare.isolate.divergence import handed_to, is_near
from bridge.compare.isolate.operators import Recorded
from bridge.compare.isolate.record import Call
from bridge.compare.isolate.replay import Outcome, Received, below


@dataclass(frozen=True, slots=True)
class Stray:
    """A call that is otherwise: ``words`` say how, ``number`` is that of PyTorch's call where it begins, ``source`` the place in C#.
    ``bypass``: the child is run by ``forward()``."""

    words: str
    child: str
    number: int
    source: str = ""
    bypass: bool = False


def strays(call: Call, outcome: Outcome, recorded: Recorded, is_given: Callable[[Received, Call], bool]) -> list[Stray]:
    """The calls that are otherwise, in the order of PyTorch's. ``is_given`` says whether a child of C# was given what a call was."""
    answered = {one.call.number for one in outcome.received if one.call is not None}
    lacking = [child for child in call.children if child.number not in answered and not _ran(child, answered, recorded)]
    if outcome.raised is not None:
        lacking = [child for child in lacking if child.number < max(answered, default=-1)]
    # What was given to the right one is not another's.
    served = {one.call.number for one in outcome.received if one.call is not None and is_given(one, one.call)}
    astray = [child for child in call.children if child.number in answered - served or child in lacking]
    found: list[Stray] = []
    for received in outcome.received:
        other = received.call
        if other is not None and (not received.direct or is_given(received, other)):
            continue
        wanted = next((child for child in astray if child is not other and is_given(received, child)), None)
        # A child that is given what one before it should be shows that the one before is left out.
        if wanted is not None and other is not None and wanted in lacking:
            continue
        if wanted is not None and wanted.path != received.path:
            words = f"calls {received.path} where pytorch calls {wanted.path}, on what that is given there"
            handed = None if other is None else next(handed_to(recorded, other.number), None)
            found.append(Stray(words, received.path, wanted.number, "" if handed is None else handed.source))
            lacking = [child for child in lacking if child is not wanted]
        elif other is not None and (early := _early(received, other, outcome)) is not None:
            words = f"calls {early.path} before {received.path}, which pytorch calls first"
            found.append(
                Stray(
                    words, early.path, other.number, next((one.source for one in handed_to(recorded, other.number)), "")
                )
            )
        elif other is None:
            found.append(Stray(f"calls {received.path} once more", received.path, call.number))
    found += [Stray(f"{one.path} is not called", one.path, one.number, _place(one, recorded)) for one in lacking]
    return sorted(found, key=lambda one: one.number)


def uncalled(call: Call, outcome: Outcome) -> list[Call]:
    """The calls of which C# makes none, nor any inside of them."""
    answered = {one.call.number for one in outcome.received if one.call is not None}
    return [
        child
        for child in call.children
        if child.ended and not answered & {child.number, *(inner.number for inner in below(child))}
    ]


def bypassed(call: Call, outcome: Outcome, recorded: Recorded, types: Mapping[str, str]) -> list[Stray]:
    """The children that C# runs by ``forward()``: not called, while operators of this module's run come of that method of their class and
    give what they do. ``types`` are the names of their C# classes."""
    found = []
    for child in uncalled(call, outcome):
        results = tensors(child.result)
        method = f"{types.get(child.path, '')}.forward"
        inside = [one for one in recorded.operators if one.method == method]
        given = [value.data for one in inside for value in one.outputs]
        if results and all(any(is_near(one, result, 1e-4) for one in given) for result in results):
            words = "was run by forward(), not call()"
            found.append(Stray(words, child.path, child.number, inside[0].source, bypass=True))
    return found


def _early(received: Received, call: Call, outcome: Outcome) -> Call | None:
    """A child that PyTorch calls after this one, and C# before it."""
    before = outcome.received[: outcome.received.index(received)]
    return next(
        (one.call for one in before if one.direct and one.call is not None and one.call.number > call.number), None
    )


def _ran(child: Call, answered: set[int], recorded: Recorded) -> bool:
    """It was run all the same, by ``forward`` or as a function: what it gives is there, or what is below it was called.

    What gives what it takes, such as a dropout in eval mode, leaves no trace of that.
    """
    if any(inner.number in answered for inner in below(child)):
        return True
    results, given = tensors(child.result), tensors((child.args, child.kwargs))
    if results and all(any(is_near(one, result, 0.0) for one in given) for result in results):
        return False
    return bool(results) and all(any(is_near(one.data, result, 1e-4) for one in recorded.values) for result in results)


def _place(child: Call, recorded: Recorded) -> str:
    """Where C# makes what the child should be given."""
    for tensor in tensors((child.args, child.kwargs)):
        for value in recorded.values:
            source = value.source or (value.maker.source if value.maker is not None else "")
            if source and is_near(value.data, tensor, 1e-4):
                return source
    return ""
