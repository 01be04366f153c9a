"""Alignment of two traces by their call trees.

Alignment follows the call tree (C-9) instead of the flat lists of events: a call is matched by module path among the calls of the same
enclosing call, so that two children in exchanged order are *moved*, not lost and added. Every step is linear, except a longest common
subsequence for each pair of unequal sibling lists, whose cost is bounded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final, TypeAlias

from bridge.trace import Event

#: The maximum number of bits of the exact search (32 MiB); longer sibling lists are matched by occurrence.
EXACT_CELLS: Final = 1 << 28


@dataclass(slots=True, eq=False)
class CallNode:
    """A module call with its items in order: its own events and inner calls.

    A direct call of ``forward()`` (C-3) is a ``bypassed`` call, whose only event is the ``bypass`` event.
    """

    path: str
    type: str
    number: int
    parent: CallNode | None = None
    bypassed: bool = False
    items: list[Event | CallNode] = field(default_factory=list)


Item: TypeAlias = Event | CallNode
Label: TypeAlias = str | tuple[str, str, int]
Match: TypeAlias = tuple[int | None, int | None]
Row: TypeAlias = tuple[Event | None, Event | None]


@dataclass(slots=True, eq=False)
class StructuralFinding:
    """A structural difference. ``kind`` is ``lost``, ``added``, ``moved``, ``repeated`` or ``bypass``.

    ``a`` and ``b`` are the calls of each trace, ``row`` and ``other_row`` their first rows in the alignment. ``times`` counts how often
    the item's module (or hook) ran in the enclosing call of each trace.
    """

    kind: str
    a: Item | None
    b: Item | None
    row: int = -1
    other_row: int = -1
    root: int = -1
    times: tuple[int, int] = (0, 0)
    parents: tuple[CallNode | None, CallNode | None] = (None, None)


def call_tree(events: Iterable[Event]) -> CallNode:
    """Return the calls of a trace as a tree, under a call for the entire trace (number -1).

    A bypass is no call and has number -1, or a number of its own; in both cases the calls made by the bypassed container become its
    children. Events without a known enclosing call come last, at the top.
    """
    top = CallNode("", "", -1)
    calls = {-1: top}
    pending: dict[int, CallNode] = {}

    def enclosing(number: int) -> CallNode:
        call = calls.get(number) or pending.get(number)
        if call is None:
            call = pending[number] = CallNode("", "", number)
        return call

    for event in events:
        if event.phase == "bypass":
            own = pending.pop(event.call, None)
            outer = calls.get(event.call)
            parent = outer if outer is not None and outer is not top else enclosing(event.parent)
            call = own or CallNode(event.path, event.type, event.call)
            call.path, call.type, call.bypassed = event.path, event.type, True
            call.parent = parent
            if outer is None:
                calls[event.call] = call
            _adopt(parent, call)
            parent.items.append(call)
        else:
            found = calls.get(event.call)
            if found is None:
                parent = enclosing(event.parent)
                found = pending.pop(event.call, None) or CallNode(event.path, event.type, event.call)
                found.path, found.type, found.parent = event.path, event.type, parent
                calls[event.call] = found
                parent.items.append(found)
            call = found
        call.items.append(event)
    for orphan in pending.values():
        orphan.parent = top
        top.items.append(orphan)
    return top


def _adopt(parent: CallNode, bypass: CallNode) -> None:
    """Move the preceding calls of ``bypass``'s child modules from ``parent`` to ``bypass``, which made them."""
    prefix = f"{bypass.path}."
    start = len(parent.items)
    while start and isinstance(item := parent.items[start - 1], CallNode) and item.path.startswith(prefix):
        item.parent = bypass
        start -= 1
    bypass.items[:0] = parent.items[start:]
    del parent.items[start:]


def walk(item: Item) -> Iterator[Event]:
    """Yield the events of an item, in order, at any depth."""
    stack: list[Iterator[Item]] = [iter((item,))]
    while stack:
        for entry in stack[-1]:
            if isinstance(entry, Event):
                yield entry
            else:
                stack.append(iter(entry.items))
                break
        else:
            stack.pop()


def calls_in(call: CallNode) -> Iterator[CallNode]:
    """Yield the calls inside a call, outer ones first."""
    stack = [call]
    while stack:
        inner = [item for item in stack.pop().items if isinstance(item, CallNode)]
        yield from inner
        stack.extend(reversed(inner))


def _label(item: Item) -> Label:
    return item.path if isinstance(item, CallNode) else (item.phase, item.scope, item.hook)


@dataclass(slots=True)
class _Step:
    a: Item | None
    b: Item | None
    finding: StructuralFinding | None = None


def align(a: CallNode, b: CallNode) -> tuple[list[Row], list[StructuralFinding]]:
    """Return the rows of two aligned call trees, and the structural differences in row order.

    Each event is in exactly one row, and both columns keep their order.
    """
    rows: list[Row] = []
    findings: list[StructuralFinding] = []
    others: dict[int, int] = {}
    root = -1
    stack: list[Iterator[_Step]] = [iter(_steps(a, b))]
    while stack:
        if len(stack) == 1:
            root += 1
        for step in stack[-1]:
            left, right, finding = step.a, step.b, step.finding
            if finding is not None:
                if left is None and finding.kind == "moved":
                    others[id(finding)] = len(rows)
                else:
                    finding.row, finding.root = len(rows), root
                    findings.append(finding)
            if isinstance(left, CallNode) and isinstance(right, CallNode):
                stack.append(iter(_steps(left, right)))
                break
            if isinstance(left, Event) and isinstance(right, Event):
                rows.append((left, right))
                continue
            if left is not None:
                rows.extend((event, None) for event in walk(left))
            if right is not None:
                rows.extend((None, event) for event in walk(right))
        else:
            stack.pop()
    for finding in findings:
        finding.other_row = others.get(id(finding), -1)
    return rows, sorted(_merge_moved(findings), key=lambda finding: finding.row)


def _steps(a: CallNode, b: CallNode) -> list[_Step]:
    if a.bypassed != b.bypassed:
        return _bypass_steps(a, b)
    la, lb = [_label(item) for item in a.items], [_label(item) for item in b.items]
    if la == lb:
        return [_pair(x, y) for x, y in zip(a.items, b.items, strict=True)]
    a, b = _add_bypassed_calls(a, b), _add_bypassed_calls(b, a)
    la, lb = [_label(item) for item in a.items], [_label(item) for item in b.items]
    matches = _match(a.items, b.items, la, lb)
    na, nb = Counter(la), Counter(lb)
    missing: dict[Label, deque[int]] = {}
    for i, j in matches:
        if j is None and i is not None:
            missing.setdefault(la[i], deque()).append(i)
    moved: dict[int, StructuralFinding] = {}
    at_b: dict[int, StructuralFinding] = {}
    for i, j in matches:
        if i is None and j is not None and missing.get(lb[j]):
            k = missing[lb[j]].popleft()
            label = la[k]
            finding = StructuralFinding("moved", a.items[k], b.items[j], times=(na[label], nb[label]), parents=(a, b))
            moved[k] = at_b[j] = finding
    steps = []
    for i, j in matches:
        if i is not None and j is not None:
            steps.append(_pair(a.items[i], b.items[j]))
        elif i is not None:
            times = (na[la[i]], nb[la[i]])
            step_finding = moved.get(i) or StructuralFinding("lost", a.items[i], None, times=times, parents=(a, b))
            steps.append(_Step(a.items[i], None, step_finding))
        elif j is not None:
            times = (na[lb[j]], nb[lb[j]])
            kind = "repeated" if times[0] else "added"
            step_finding = at_b.get(j) or StructuralFinding(kind, None, b.items[j], times=times, parents=(a, b))
            steps.append(_Step(None, b.items[j], step_finding))
    return steps


def _add_bypassed_calls(call: CallNode, other: CallNode) -> CallNode:
    """Add calls of ``forward()`` that left no event, which only their child modules show (C-3).

    If ``block`` was called on the other side, but only ``block.conv`` and ``block.act`` here, these become children of a bypassed call of
    ``block``. The same applies to the root.
    """
    here = {item.path for item in call.items if isinstance(item, CallNode)}
    missing = {item.path for item in other.items if isinstance(item, CallNode)} - here
    if not missing:
        return call
    items: list[Item] = []
    for item in call.items:
        owner = (
            next((path for path in _owners(item.path) if path in missing), None) if isinstance(item, CallNode) else None
        )
        last = items[-1] if items else None
        if owner is None or isinstance(item, Event):
            items.append(item)
        elif not (isinstance(last, CallNode) and last.path == owner) or last.items[0].path == item.path:
            item.parent = CallNode(owner, "", -1, call, True, [item])
            items.append(item.parent)
        else:
            item.parent = last
            last.items.append(item)
    return CallNode(call.path, call.type, call.number, call.parent, call.bypassed, items)


def _owners(path: str) -> Iterator[str]:
    """Yield the paths of the enclosing modules, innermost first."""
    while path:
        yield (path := path.rpartition(".")[0])


def _pair(a: Item, b: Item) -> _Step:
    if isinstance(a, CallNode) and isinstance(b, CallNode) and a.bypassed != b.bypassed:
        return _Step(a, b, StructuralFinding("bypass", a, b, parents=(a.parent, b.parent)))
    return _Step(a, b)


def _bypass_steps(a: CallNode, b: CallNode) -> list[_Step]:
    """Align a call of a module with a direct call of its ``forward()``.

    Inner calls are matched, and the forward event with the bypass event. The call's other events are missing on the other side by C-3,
    which is no further difference.
    """
    called = b if a.bypassed else a
    own = [item for item in called.items if isinstance(item, Event)]
    result = next((event for event in own if event.phase == "forward"), None)
    inner_a = CallNode(
        a.path, a.type, a.number, a.parent, False, [item for item in a.items if isinstance(item, CallNode)]
    )
    inner_b = CallNode(
        b.path, b.type, b.number, b.parent, False, [item for item in b.items if isinstance(item, CallNode)]
    )
    bypass = next((item for item in (a if a.bypassed else b).items if isinstance(item, Event)), None)
    swap = a.bypassed

    def step(mine: Event | None, theirs: Event | None) -> _Step:
        return _Step(theirs, mine) if swap else _Step(mine, theirs)

    steps = [step(event, None) for event in own if event.phase == "pre"]
    steps += _steps(inner_a, inner_b)
    for event in own:
        if event.phase != "pre":
            steps.append(step(event, bypass if event is result else None))
    if result is None and bypass is not None:
        steps.append(step(None, bypass))
    return steps


def _match(xs: Sequence[Item], ys: Sequence[Item], la: list[Label], lb: list[Label]) -> list[Match]:
    """Match equal labels in order: equal ends are trimmed first, the rest is a longest common subsequence."""
    m, n = len(la), len(lb)
    low = 0
    while low < min(m, n) and la[low] == lb[low]:
        low += 1
    high = 0
    while high < min(m, n) - low and la[m - 1 - high] == lb[n - 1 - high]:
        high += 1
    surplus = abs(m - n)
    if low + high == min(m, n) and surplus:
        longer, shorter, labels = (xs, ys, la) if m > n else (ys, xs, lb)
        low = _slide(longer, shorter, labels, low, surplus)
        high = min(m, n) - low
    middle = common_subsequence(la[low : m - high], lb[low : n - high])
    anchors = [(k, k) for k in range(low)] + [(low + i, low + j) for i, j in middle]
    anchors += [(m - k, n - k) for k in range(high, 0, -1)] + [(m, n)]
    matches: list[Match] = []
    i = j = 0
    for k, n_k in anchors:
        matches += [(x, None) for x in range(i, k)]
        matches += [(None, y) for y in range(j, n_k)]
        if k < m:
            matches.append((k, n_k))
        i, j = k + 1, n_k + 1
    return matches


def _slide(longer: Sequence[Item], shorter: Sequence[Item], labels: list[Label], low: int, surplus: int) -> int:
    """Return the start of a surplus of repeated calls: of all positions with equal paths, the one whose arguments match best.

    Otherwise the last of seven calls would be reported if the third one is missing.
    """
    best = position = low
    score = best_score = 0
    while position and labels[position - 1] == labels[position - 1 + surplus]:
        position -= 1
        other = shorter[position]
        score += _similarity(longer[position + surplus], other) - _similarity(longer[position], other)
        if score > best_score:
            best, best_score = position, score
    return best


def _similarity(a: Item, b: Item) -> int:
    """Return how similar two items of one label are: 1 for equal events inside, plus 1 for equal first arguments."""
    shape = all(
        x is not None and y is not None and (x.path, x.phase, x.hook) == (y.path, y.phase, y.hook)
        for x, y in zip_longest(walk(a), walk(b))
    )
    first, second = next(walk(a), None), next(walk(b), None)
    return shape + (first is not None and second is not None and first.values == second.values)


def common_subsequence(a: Sequence[Label], b: Sequence[Label]) -> list[tuple[int, int]]:
    """Return index pairs of a common subsequence of two label lists.

    It is a longest one if ``len(a) * len(b)`` is at most :data:`EXACT_CELLS`, else the longest that matches k-th occurrences of labels.
    """
    if not a or not b:
        return []
    return _exact(a, b) if len(a) * len(b) <= EXACT_CELLS else _by_occurrence(a, b)


def _exact(a: Sequence[Label], b: Sequence[Label]) -> list[tuple[int, int]]:
    """Return a longest common subsequence by bit-parallel dynamic programming.

    In row ``j`` (for ``b[:j]``) bit ``i`` is 0 where the answer for ``a[:i + 1]`` is longer than for ``a[:i]``.
    """
    places: dict[Label, int] = {}
    for i, label in enumerate(a):
        places[label] = places.get(label, 0) | 1 << i
    mask = (1 << len(a)) - 1
    row = mask
    rows = [row]
    for label in b:
        hit = row & places.get(label, 0)
        row = (row + hit | row - hit) & mask
        rows.append(row)
    pairs: list[tuple[int, int]] = []
    i, j = len(a), len(b)
    while i and j:
        if rows[j] >> i - 1 & 1:
            i -= 1
        elif not rows[j - 1] >> i - 1 & 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def _by_occurrence(a: Sequence[Label], b: Sequence[Label]) -> list[tuple[int, int]]:
    """Match k-th occurrences of labels and keep the longest increasing run of pairs; O(n log n)."""
    seen: Counter[Label] = Counter()
    places: dict[tuple[Label, int], int] = {}
    for j, label in enumerate(b):
        places[label, seen[label]] = j
        seen[label] += 1
    seen.clear()
    tails: list[int] = []
    ends: list[int] = []
    before: dict[int, int] = {}
    pairs: list[tuple[int, int]] = []
    for i, label in enumerate(a):
        place = places.get((label, seen[label]))
        seen[label] += 1
        if place is None:
            continue
        k = bisect_left(tails, place)
        tails[k : k + 1] = [place]
        ends[k : k + 1] = [len(pairs)]
        before[len(pairs)] = ends[k - 1] if k else -1
        pairs.append((i, place))
    chain: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _merge_moved(findings: list[StructuralFinding]) -> list[StructuralFinding]:
    """Turn a lost and an added call of one path within a root call into a moved one, even if only the enclosing call changed."""
    dropped: set[int] = set()
    groups: dict[int, list[StructuralFinding]] = {}
    for finding in findings:
        if finding.kind in ("lost", "added"):
            groups.setdefault(finding.root, []).append(finding)
    for group in groups.values():
        lost = [finding for finding in group if isinstance(finding.a, CallNode)]
        added = [finding for finding in group if isinstance(finding.b, CallNode)]
        if not lost or not added:
            continue
        by_path: dict[str, deque[StructuralFinding]] = {}
        for finding in added:
            by_path.setdefault(finding.b.path, deque()).append(finding)  # type: ignore[union-attr]  # lost has a, added has b
        for finding in lost:
            partners = by_path.get(finding.a.path)  # type: ignore[union-attr]  # lost has a, added has b
            if partners:
                partner = partners.popleft()
                _make_moved(finding, finding.a, partner.b)  # type: ignore[arg-type]  # lost has a, added has b
                finding.other_row = partner.row
                dropped.add(id(partner))
        inside_lost, inside_added = (
            _calls_by_path(f.a for f in lost if f.kind == "lost"),
            _calls_by_path(f.b for f in added),
        )
        for finding in lost:
            if finding.kind == "lost" and (found := inside_added.get(finding.a.path)):  # type: ignore[union-attr]  # lost has a, added has b
                _make_moved(finding, finding.a, found.popleft())  # type: ignore[arg-type]  # lost has a, added has b
        for finding in added:
            if id(finding) not in dropped and (found := inside_lost.get(finding.b.path)):  # type: ignore[union-attr]  # lost has a, added has b
                _make_moved(finding, found.popleft(), finding.b)  # type: ignore[arg-type]  # lost has a, added has b
    return [finding for finding in findings if id(finding) not in dropped]


def _calls_by_path(items: Iterable[Item | None]) -> dict[str, deque[CallNode]]:
    paths: dict[str, deque[CallNode]] = {}
    for item in items:
        if isinstance(item, CallNode):
            for call in calls_in(item):
                paths.setdefault(call.path, deque()).append(call)
    return paths


def _make_moved(finding: StructuralFinding, a: CallNode, b: CallNode) -> None:
    finding.kind, finding.a, finding.b, finding.parents = "moved", a, b, (a.parent, b.parent)
