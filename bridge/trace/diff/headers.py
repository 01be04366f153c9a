"""Comparison of two headers: digests of inputs and weights, and modules that a recording cannot see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Final

from bridge.trace import Header, Trace
from bridge.trace.diff.phrases import path_name
from hook_contract.output.sentences import plural

#: The maximum number of names in a sentence.
_LISTED: Final = 5
#: The maximum number of unseen modules in a sentence.
_UNSEEN: Final = 3


def differences(a: Header | None, b: Header | None, names: tuple[str, str]) -> tuple[str, ...]:
    """Return a sentence if the inputs differ, and another sentence if the weights differ.

    Inputs, like weights, are compared only if both headers have digests of them.
    """
    if a is None or b is None:
        return ()
    said = []
    for what, left, right in (("inputs", *_arguments(a.inputs, b.inputs)), ("weights", a.weights, b.weights)):
        if left and right and (words := _words(left, right, names)):
            said.append(f"Different {what}: {words}.")
    return tuple(said)


def unseen(a: Trace, b: Trace, names: tuple[str, str]) -> tuple[str, ...]:
    """Return a sentence for each trace whose header lists modules that it cannot see and at or below which only the other has events."""
    if not any(trace.header is not None and trace.header.unseen for trace in (a, b)):
        return ()
    left, right = ({event.path for event in trace.events} for trace in (a, b))
    sides = ((a, names[0], right - left), (b, names[1], left - right))
    return tuple(words for trace, name, others in sides if (words := _unseen_words(trace, name, others)))


def _unseen_words(trace: Trace, name: str, others: Iterable[str]) -> str:
    """Return the sentence for a trace, or "". ``others`` are the paths at which only the other trace has events."""
    called = {outer for path in others for outer in accumulate(path.split("."), "{}.{}".format)}
    found = [path for path in (trace.header.unseen if trace.header is not None else ()) if path in called]
    if not found:
        return ""
    listed = ", ".join(map(path_name, found[:_UNSEEN])) + (", …" if len(found) > _UNSEEN else ".")
    return f"{name} cannot see {plural(len(found), 'module')} that TorchSharp runs as native code or without hooks: {listed}"


def _arguments(a: Mapping[str, str], b: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Replace keys such as ``0.1`` by words such as ``argument 1 of call 0``, or ``argument 1`` if both mappings have only call 0."""
    single = all(key.startswith("0.") for key in (*a, *b))

    def words(key: str) -> str:
        call, dot, position = key.partition(".")
        return f"argument {position}" + ("" if single else f" of call {call}") if dot else key

    return {words(key): value for key, value in a.items()}, {words(key): value for key, value in b.items()}


def _words(left: Mapping[str, str], right: Mapping[str, str], names: tuple[str, str]) -> str:
    other = [name for name, value in left.items() if right.get(name, value) != value]
    parts = [_list(other) + " differ" + ("s" if len(other) == 1 else "")] if other else []
    for mine, theirs, name in ((left, right, names[0]), (right, left, names[1])):
        alone = [key for key in mine if key not in theirs]
        if alone:
            parts.append(f"{_list(alone)} only in {name}")
    return "; ".join(parts)


def _list(names: list[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
