"""The data for the script of the HTML report: the aligned traces and the module tree as columns of numbers and a list of strings.

The traces and the tree are outlines: nodes in display order, each with its depth. A fold is a heading and the nodes below it, which the
heading hides or shows. For a heading, ``size`` is the number of the fold's nodes, including the heading; for any other node,
``size`` is 0. Equal strings and equal events are written once. All text from a trace is escaped to printable characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from bridge.compare.report.layout import Group, Line, format_path, format_values
from bridge.compare.report.module_tree import Gap, TreeNode
from bridge.compare.report.plot import format_difference
from bridge.trace import Event
from hook_contract.output.plain import to_printable
from hook_contract.output.sentences import plural

#: The largest number of rows of the traces on the page, and of modules of the tree: some browsers cannot scroll beyond 17.9 million pixels.
#: The page says how many rows of the traces it leaves out.
ROWS: Final = 300_000
#: The largest number of modules in a tree that is completely unfolded at first.
UNFOLDED: Final = 200
#: The marks of the rows by number, as in the script.
MARKS: Final = ("", "<", ">", "~", "≠")

_PATH: Final = 400
_Item = TypeVar("_Item")


class _Distinct(Generic[_Item]):
    """A list of distinct items."""

    def __init__(self) -> None:
        self.all: list[_Item] = []
        self._known: dict[_Item, int] = {}

    def add(self, item: _Item) -> int:
        """Return the index of an item; append the item if it is new."""
        number = self._known.get(item)
        if number is None:
            number = self._known[item] = len(self.all)
            self.all.append(item)
        return number


class Strings(_Distinct[str]):
    """A list of distinct strings."""


def trace_columns(
    top: Group, gaps: dict[int, Gap], strings: Strings, *, listed: int, limit: int = ROWS
) -> tuple[dict[str, Any], dict[int, int]]:
    """Return the columns of the aligned traces, and a dictionary from each row of ``diff.pairs`` on the page to its node.

    - ``a`` and ``b`` are indices of ``cells`` (:class:`_Cells`), -1 for no event. For a heading, they are indices of ``strings``: the path
      and type of the call, and the values of its first event with the number of events.
    - ``mark`` is an index of :data:`MARKS`. For a heading, it is 1 if the fold contains a difference, else 0.
    - ``open`` lists the headings of the folds that are unfolded at first.
    - ``gap`` maps a node to the largest difference of its values. ``notes`` maps a node to the numbers of the sentences on it. Numbers
      above ``listed``, the number of sentences on the page, are left out.
    """
    cells = _Cells(strings)
    depth: list[int] = []
    sizes: list[int] = []
    left: list[int] = []
    right: list[int] = []
    mark: list[int] = []
    unfolded: list[int] = []
    gap: dict[int, str] = {}
    noted: dict[int, list[int]] = {}
    nodes: dict[int, int] = {}
    row, level, seen = 0, 0, set[str]()
    stack: list[tuple[Iterator[Line | Group], int]] = [(iter(top.items), -1)]
    while stack:
        items, opened = stack[-1]
        for item in islice(items, max(0, limit - row)):
            node = len(depth)
            if isinstance(item, Line):
                depth.append(level)
                sizes.append(0)
                left.append(cells.add_event(item.a))
                right.append(cells.add_event(item.b))
                mark.append(MARKS.index(item.mark))
                if numbers := [number for number in item.notes if number <= listed]:
                    noted[node] = numbers
                if row in gaps:
                    gap[node] = format_difference(gaps[row].absolute)
                nodes[row] = node
                row += 1
                continue
            if not _folds(item):
                stack.append((iter(item.items), -1))
                break
            depth.append(level)
            level += 1
            sizes.append(1)
            left.append(strings.add(f"{format_path(item.path)} {to_printable(item.type)}"))
            right.append(strings.add(_detail(item)))
            mark.append(int(item.differs))
            if item.differs or item.depth > 0 or item.path not in seen:
                unfolded.append(node)
            seen.add(item.path)
            stack.append((iter(item.items), node))
            break
        else:
            stack.pop()
            if opened >= 0:
                sizes[opened] = len(depth) - opened
                level -= 1
    columns = {
        "depth": depth, "size": sizes, "a": left, "b": right, "mark": mark, "open": unfolded,
        "gap": gap, "notes": noted, "cells": cells.all,
    }  # fmt: skip
    return columns, nodes


def _folds(group: Group) -> bool:
    """Return whether a call has a heading: it is an outermost call or contains other calls."""
    return group.depth == 0 or any(isinstance(inner, Group) for inner in group.items)


def _detail(group: Group) -> str:
    events = plural(group.events, "event")
    first = next((item.event for item in group.items if isinstance(item, Line)), None)
    return f"{to_printable(format_values(first), 200)} · {events}" if first is not None and first.values else events


class _Cells(_Distinct[tuple[int, ...]]):
    """A list of distinct cells: the path, type, phase, hook and values of an event, as indices of strings."""

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self._strings = strings
        self._plain: dict[tuple[str, int], int] = {}

    def add_event(self, event: Event | None) -> int:
        """Return the index of an event's cell; append the cell if it is new. Return -1 for no event."""
        if event is None:
            return -1
        hook = "" if (event.scope, event.hook) == ("global", 0) else f"{event.scope} hook {event.hook}"
        cell = (
            self._string(event.path or "(root)", _PATH),
            self._string(event.type, 120),
            self._string(event.phase, 120),
            self._string(hook, 120),
            self._string(format_values(event), 1000),
        )
        return self.add(cell)

    def _string(self, text: str, limit: int) -> int:
        number = self._plain.get((text, limit))
        if number is None:
            number = self._plain[(text, limit)] = self._strings.add(to_printable(text, limit))
        return number


def tree_columns(
    tree: Sequence[TreeNode], nodes: dict[int, int], strings: Strings, *, limit: int = ROWS
) -> dict[str, Any]:
    """Return the columns of the module tree."""
    flat: list[tuple[TreeNode, int]] = []
    sizes: list[int] = []
    differs: list[int] = []
    stack: list[tuple[Iterator[TreeNode], int]] = [(iter(tree), -1)]
    while stack:
        items, opened = stack[-1]
        module = next(items, None) if len(flat) < limit else None
        if module is not None:
            flat.append((module, len(stack) - 1))
            sizes.append(1 if module.children else 0)
            differs.append(module.differences)
            stack.append((iter(module.children), len(flat) - 1))
            continue
        stack.pop()
        if opened >= 0 and sizes[opened]:
            sizes[opened] = len(flat) - opened
        if opened >= 0 and stack[-1][1] >= 0:
            differs[stack[-1][1]] += differs[opened]
    few = len(flat) <= UNFOLDED
    return {
        "depth": [depth for _, depth in flat],
        "size": sizes,
        "name": [strings.add(to_printable(module.name) or "(root)") for module, _ in flat],
        "path": [strings.add(to_printable(module.path, _PATH) or "(root)") for module, _ in flat],
        "type": [strings.add(to_printable(module.type)) for module, _ in flat],
        "calls": [module.calls for module, _ in flat],
        "own": [module.differences for module, _ in flat],
        "inside": differs,
        "open": [
            node
            for node, (_, depth) in enumerate(flat)
            if sizes[node] and (few or depth == 0 or differs[node] > flat[node][0].differences)
        ],
        "gap": {
            node: format_difference(module.gap.absolute)
            for node, (module, _) in enumerate(flat)
            if module.gap is not None
        },
        "first": {node: module.first for node, (module, _) in enumerate(flat) if module.first},
        "row": [nodes.get(module.row, -1) for module, _ in flat],
    }
