"""Child calls that are missing or additional in C#, in another order, with another call's arguments, or replaced by ``forward()``."""

from __future__ import annotations

from collections.abc import Iterator

from bridge.compare.isolate.copies import tensors
from bridge.compare.isolate.module_finding import ModuleFinding
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.pairs import CallPair
from bridge.compare.isolate.record import RecordedCall
from bridge.compare.isolate.replay import ChildCall, Outcome
from bridge.compare.isolate.source_location import SourceLocation
from bridge.compare.isolate.value_comparison import is_near


def find_call_differences(pair: CallPair) -> list[ModuleFinding]:
    """Return a finding for each child call that is missing, additional, out of order, or has the arguments of another child's call.

    The findings are in the order of PyTorch's calls.
    """
    called = _called_numbers(pair.outcome)
    missing = _find_missing(pair, called)
    # The numbers of the PyTorch calls that C# makes with the right arguments. No other C# call is matched to these.
    correct = {
        child.recorded.number
        for child in pair.outcome.child_calls
        if child.recorded is not None and pair.has_arguments(child, child.recorded)
    }
    candidates = [call for call in pair.call.children if call.number in called - correct or call in missing]
    found: list[ModuleFinding] = []
    for child in pair.outcome.child_calls:
        if child.recorded is not None and (not child.direct or pair.has_arguments(child, child.recorded)):
            continue
        intended = next(
            (call for call in candidates if call is not child.recorded and pair.has_arguments(child, call)), None
        )
        # If C# makes this call with the arguments of a missing call, only the missing call is reported.
        if intended is not None and child.recorded is not None and intended in missing:
            continue
        if intended is not None and intended.path != child.path:
            found.append(_wrong_child_finding(pair, child, intended))
            missing = [call for call in missing if call is not intended]
        elif child.recorded is None:
            text = f"{pair.names[1]} calls {child.path} once more than {pair.names[0]} does"
            found.append(_finding(pair, text, child.path, pair.call.number, ""))
        elif (early := _called_earlier(pair.outcome, child, child.recorded)) is not None:
            found.append(_wrong_order_finding(pair, child.recorded, early))
    found += [_missing_finding(pair, call) for call in missing]
    return sorted(found, key=lambda finding: finding.number)


def find_uncalled(pair: CallPair) -> list[RecordedCall]:
    """Return the PyTorch calls that have a result, and for which C# makes neither the call itself nor a call inside it."""
    called = _called_numbers(pair.outcome)
    return [
        call
        for call in pair.call.children
        if call.has_result and not called & {call.number, *(inner.number for inner in call.descendants())}
    ]


def find_bypassed(pair: CallPair) -> Iterator[ModuleFinding]:
    """Yield a finding for each child call that C# replaces by ``forward()``.

    Such a call is recognized when operators in the child's ``forward`` return its recorded result.
    """
    for call in find_uncalled(pair):
        results = tensors(call.result)
        child = pair.models.counterparts.get(call.path)
        method = f"{type(child).__name__ if child is not None else ''}.forward"
        inside = [operator for operator in pair.recordings.right.operators if operator.location.method == method]
        outputs = [output.data for operator in inside for output in operator.outputs]
        if results and all(any(is_near(output, result) for output in outputs) for result in results):
            text = "was run by forward(), not call()"
            yield pair.finding("bypass", text, child=call.path, number=call.number, location=inside[0].location)


def _called_numbers(outcome: Outcome) -> set[int]:
    return {child.recorded.number for child in outcome.child_calls if child.recorded is not None}


def _find_missing(pair: CallPair, called: set[int]) -> list[RecordedCall]:
    """Return the PyTorch calls that C# neither makes nor runs inline; if C# raises, only those before the last call that C# makes."""
    end = max(called, default=-1) if pair.outcome.raised is not None else None
    return [
        call
        for call in pair.call.children
        if call.number not in called
        and not _ran_inline(call, called, pair.recordings.right)
        and (end is None or call.number < end)
    ]


def _ran_inline(call: RecordedCall, called: set[int], recorder: OperatorRecorder) -> bool:
    """Return whether C# runs the child's code without a call of the child: C# calls the child's descendants, or computes its results.

    A child that returns its argument, such as a dropout in eval mode, cannot be recognized by its results.
    """
    if any(inner.number in called for inner in call.descendants()):
        return True
    results, arguments = tensors(call.result), tensors((call.args, call.kwargs))
    if results and all(any(is_near(argument, result, 0.0) for argument in arguments) for result in results):
        return False
    return bool(results) and all(any(is_near(item.data, result) for item in recorder.snapshots) for result in results)


def _called_earlier(outcome: Outcome, child: ChildCall, call: RecordedCall) -> RecordedCall | None:
    """Return a call that C# makes before ``child``, but PyTorch makes after ``call``; None if there is none.

    ``call`` is PyTorch's counterpart of ``child``.
    """
    earlier = outcome.child_calls[: outcome.child_calls.index(child)]
    calls = (other.recorded for other in earlier if other.direct and other.recorded is not None)
    return next((other for other in calls if other.number > call.number), None)


def _wrong_child_finding(pair: CallPair, child: ChildCall, intended: RecordedCall) -> ModuleFinding:
    text = f"{pair.names[1]} calls {child.path} with the arguments that {pair.names[0]} passes to {intended.path}"
    source = "" if child.recorded is None else pair.recordings.right.source_of(child.recorded.number)
    return _finding(pair, text, child.path, intended.number, source)


def _wrong_order_finding(pair: CallPair, call: RecordedCall, early: RecordedCall) -> ModuleFinding:
    text = f"{pair.names[1]} calls {early.path} before {call.path}, {pair.names[0]} calls {call.path} first"
    return _finding(pair, text, early.path, call.number, pair.recordings.right.source_of(call.number))


def _missing_finding(pair: CallPair, call: RecordedCall) -> ModuleFinding:
    # The location of the finding is where C# computes an argument of the missing call.
    sources = (
        item.made_at
        for tensor in tensors((call.args, call.kwargs))
        for item in pair.recordings.right.snapshots
        if item.made_at and is_near(item.data, tensor)
    )
    return _finding(pair, f"{call.path} is not called in {pair.names[1]}", call.path, call.number, next(sources, ""))


def _finding(pair: CallPair, text: str, child: str, number: int, source: str) -> ModuleFinding:
    return pair.finding("calls", text, child=child, number=number, location=SourceLocation(source))
