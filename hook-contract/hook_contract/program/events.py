"""Events of a program's trace: equality, first difference, alignment and description.

An event is a JSON object. Its
kind, such as ``return``, ``raise`` or ``warning``, determines its fields. Its values are exact, so traces are compared as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from hook_contract.program import Json

Event = Mapping[str, Json]

#: The fields with which a description begins. Their names are omitted.
_UNNAMED: Final = ("event", "hook", "module")
#: For some kinds of events, the two fields that describe an event, "" if there is no second field.
_SHORT: Final = {"return": ("value", ""), "raise": ("error", "key"), "warning": ("category", "key")}


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first difference of two traces: their events at ``number`` (from 1). The event of a trace that has ended before is None."""

    number: int
    expected: Event | None
    got: Event | None

    def __str__(self) -> str:
        return f"event {self.number}: expected {_or_end(self.expected)}, got {_or_end(self.got)}"


def key(item: Json) -> str:
    """Return an event or value as text. Equal events or values have equal texts. The texts of 1 and 1.0 are equal, that of True differs."""
    return json.dumps(_plain(item), sort_keys=True, ensure_ascii=False)


def first_difference(expected: Sequence[Event], got: Sequence[Event]) -> FirstDifference | None:
    """Return the first difference of two traces, or None if they are equal."""
    for number, (left, right) in enumerate(zip(expected, got, strict=False), 1):
        if key(left) != key(right):
            return FirstDifference(number, left, right)
    shorter = min(len(expected), len(got))
    if len(expected) == len(got):
        return None
    left_rest, right_rest = expected[shorter:], got[shorter:]
    return FirstDifference(shorter + 1, left_rest[0] if left_rest else None, right_rest[0] if right_rest else None)


def align(expected: Sequence[Event], got: Sequence[Event]) -> tuple[tuple[Event | None, Event | None], ...]:
    """Align two traces in rows of two events. None fills the places of missing events.

    Where several events in succession differ, the first ones of both traces share a row, then the second ones, and so on.
    """
    found = first_difference(expected, got)
    if found is None:
        return tuple(zip(expected, got, strict=True))
    start = found.number - 1
    left, right = [key(item) for item in expected[start:]], [key(item) for item in got[start:]]
    rows: list[tuple[Event | None, Event | None]] = list(zip(expected[:start], got[:start], strict=True))
    for _, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for offset in range(max(b - a, d - c)):
            rows.append(
                (
                    expected[start + a + offset] if a + offset < b else None,
                    got[start + c + offset] if c + offset < d else None,
                )
            )
    return tuple(rows)


def same(a: Event | None, b: Event | None) -> bool:
    """Return whether two events are equal. None stands for the end of a trace. The ends of two traces are equal."""
    return key(a) == key(b)


def describe(event: Event) -> str:
    """Describe an event in one line: ``forward own a: args (3), output 7`` is an event of the hook ``own`` on the module ``a``."""
    if event["event"] == "thread":
        inner = "; ".join(describe(item) for item in event["events"])
        return f"thread {event['number']}: {inner or 'nothing'}"
    if event["event"] in _SHORT:
        first, second = _SHORT[event["event"]]
        more = f" {json.dumps(event[second], ensure_ascii=False)}" if second and event.get(second) else ""
        return f"{event['event']} {_field(first, event.get(first)) or 'nothing'}{more}"
    head = [str(event["event"])]
    head += [str(event["hook"])] if "hook" in event else []
    head += [str(event["module"]) or "(root)"] if "module" in event else []
    fields = ", ".join(
        f"{name} {_field(name, value)}" for name, value in event.items() if name not in _UNNAMED and value != ""
    )
    return " ".join(head) + (f": {fields}" if fields else "")


def lines(trace: Iterable[Event]) -> list[str]:
    """Return a trace as lines, one per event. The events of a thread are indented."""
    found = []
    for event in trace:
        if event["event"] == "thread":
            found.append(f"thread {event['number']}:")
            found += [f"  {line}" for line in lines(event["events"])]
        else:
            found.append(describe(event))
    return found


def describe_value(item: Json) -> str:
    """Return a value as text: ``3``, ``<1 2>``, ``plain 3``, ``(1, 2)``, ``[1, 2]``, ``{a: 1}``, ``"text"``, ``None``.

    ``<1 2>`` is a tensor with several elements, ``plain 3`` a number that is not a tensor. A numbered tensor, such as tensor 0 with the
    value 3, is ``3 #0``.
    """
    if item is None:
        return "None"
    if not isinstance(item, Mapping):
        return json.dumps(item, ensure_ascii=False)
    if set(item) == {"value", "id"}:
        return f"{describe_value(item['value'])} #{item['id']}"
    if len(item) != 1:
        return json.dumps(_plain(item), ensure_ascii=False)
    ((form, content),) = item.items()
    if form == "tuple":
        return f"({', '.join(map(describe_value, content))}{',' * (len(content) == 1)})"
    if form == "list":
        return f"[{', '.join(map(describe_value, content))}]"
    if form == "dict":
        return "{" + ", ".join(f"{name}: {describe_value(part)}" for name, part in content.items()) + "}"
    if form == "text":
        return json.dumps(content, ensure_ascii=False)
    if form == "vector":
        return f"<{' '.join(map(describe_value, content))}>"
    return f"{form} {describe_value(content) if form == 'plain' else content}"


def _field(name: str, content: Json) -> str:
    if isinstance(content, list):
        # A field with several values, such as args or grad_input. A list as a single value is {"list": […]}.
        return f"({', '.join(map(describe_value, content))})"
    if name == "kwargs":
        return "{" + ", ".join(f"{key}: {describe_value(item)}" for key, item in content.items()) + "}"
    if name in ("error", "category", "name", "what"):
        return str(content)
    return describe_value(content)


def _plain(item: Json) -> Json:
    if isinstance(item, Mapping):
        return {name: _plain(part) for name, part in item.items()}
    if isinstance(item, (list, tuple)):
        return [_plain(part) for part in item]
    if isinstance(item, float) and item.is_integer():
        return int(item)
    return item


def _or_end(event: Event | None) -> str:
    return "the end of the trace" if event is None else describe(event)
