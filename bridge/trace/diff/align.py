"""Alignment of two traces by their call trees.

Calls are matched by module path, inside enclosing calls that are matched. A call in another position is *moved*, not lost and added.

Time is linear in the number of events, except where lists of sibling calls differ. Then a longest common subsequence is computed, at a
bounded cost (:data:`EXACT_CELLS`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final, TypeAlias

from bridge.trace import Event

#: The maximum size, in bits, of the table of an exact longest common subsequence (32 MiB).
EXACT_CELLS: Final = 1 << 28


@dataclass(slots=True, eq=False)
class CallNode:
    """A module call. ``items`` are its own events and its inner calls, in order.

    A direct call of ``forward()``, which runs no hooks of the module, is ``bypassed``. Its only own event, if any, is a ``bypass`` event.
    """

    path: str
    type: str
    number: int
    parent: CallNode | None = None
    bypassed: bool = False
    items: list[Event | CallNode] = field(default_factory=list)


Item: TypeAlias = Event | CallNode
#: The key by which items are matched: the module path of a call, or the phase, scope and hook of an event.
Label: TypeAlias = str | tuple[str, str, int]
Match: TypeAlias = tuple[int | None, int | None]
#: An event of the first trace and the matching event of the second; None for an event that is missing.
Row: TypeAlias = tuple[Event | None, Event | None]


@dataclass(slots=True, eq=False)
class StructuralFinding:
    """A structural difference."""

    #: ``lost``, ``added``, ``moved``, ``repeated`` or ``bypass``.
    kind: str
    #: The call or event in the first trace, None if that trace does not have it.
    a: Item | None
    #: The call or event in the second trace, None if that trace does not have it.
    b: Item | None
    #: The index of the row at which the call or event begins. A moved call or event begins at two rows: this is the row in the first trace
    #: or, if the call or event is inside a lost call in the first trace, the row in the second trace.
    row: int = -1
    #: The index of the row at which a moved call or event begins in the second trace. -1 for other kinds, and for a moved call that is
    #: inside a lost or added call in one of the traces.
    other_row: int = -1
    #: The number of matched root calls that ended before the call or event.
    root: int = -1
    #: How often the module or hook ran in the enclosing call of each trace. (0, 0) for the kind ``bypass``. The finding of a call that
    #: moved to another enclosing call is made from that of a lost or an added call, and keeps its counts.
    times: tuple[int, int] = (0, 0)
    #: The call that encloses the call or event, in each trace.
    parents: tuple[CallNode | None, CallNode | None] = (None, None)


def call_tree(events: Iterable[Event]) -> CallNode:
    """Return the calls of a trace as a tree. The root of the tree is a node for the entire trace, with the number -1.

    A bypass event comes after the calls that the bypassed ``forward()`` made. These calls become children of the bypassed call, as far as
    ``_adopt`` finds them. A call that encloses others but has no events itself gets a node without a path, at the end of the root's items.
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
    """Move the calls of ``bypass``'s submodules that directly precede it from ``parent`` to ``bypass``, which is assumed to have made them.

    Moves none for the root module, whose path is empty.
    """
    prefix = f"{bypass.path}."
    start = len(parent.items)
    while start and isinstance(item := parent.items[start - 1], CallNode) and item.path.startswith(prefix):
        item.parent = bypass
        start -= 1
    bypass.items[:0] = parent.items[start:]
    del parent.items[start:]


def walk(item: Item) -> Iterator[Event]:
    """Yield an event itself, or the events of a call and of all calls inside it, in order."""
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
    """Two matched items, or one unmatched item. ``finding`` is the structural difference, if any."""

    a: Item | None
    b: Item | None
    finding: StructuralFinding | None = None


def align(a: CallNode, b: CallNode) -> tuple[list[Row], list[StructuralFinding]]:
    """Return the rows of two aligned call trees, and the structural differences in row order. Each event is in exactly one row."""
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
            else:
                rows.extend(_unmatched_rows(left, right))
        else:
            stack.pop()
    for finding in findings:
        finding.other_row = others.get(id(finding), -1)
    return rows, sorted(_merge_moved(findings), key=lambda finding: finding.row)


def _unmatched_rows(a: Item | None, b: Item | None) -> Iterator[Row]:
    if a is not None:
        yield from ((event, None) for event in walk(a))
    if b is not None:
        yield from ((None, event) for event in walk(b))


def _steps(a: CallNode, b: CallNode) -> list[_Step]:
    if a.bypassed != b.bypassed:
        return _bypass_steps(a, b)
    labels_a, labels_b = [_label(item) for item in a.items], [_label(item) for item in b.items]
    if labels_a == labels_b:
        return [_pair(x, y) for x, y in zip(a.items, b.items, strict=True)]
    a, b = _add_bypassed_calls(a, b), _add_bypassed_calls(b, a)
    labels_a, labels_b = [_label(item) for item in a.items], [_label(item) for item in b.items]
    matches = _match(a.items, b.items, labels_a, labels_b)
    counts_a, counts_b = Counter(labels_a), Counter(labels_b)
    moved_a: dict[int, StructuralFinding] = {}
    moved_b: dict[int, StructuralFinding] = {}
    for k, m in _moved_pairs(matches, labels_a, labels_b):
        times = (counts_a[labels_a[k]], counts_b[labels_a[k]])
        moved_a[k] = moved_b[m] = StructuralFinding("moved", a.items[k], b.items[m], times=times, parents=(a, b))
    steps = []
    for i, j in matches:
        if i is not None and j is not None:
            steps.append(_pair(a.items[i], b.items[j]))
        elif i is not None:
            times = (counts_a[labels_a[i]], counts_b[labels_a[i]])
            step_finding = moved_a.get(i) or StructuralFinding("lost", a.items[i], None, times=times, parents=(a, b))
            steps.append(_Step(a.items[i], None, step_finding))
        elif j is not None:
            times = (counts_a[labels_b[j]], counts_b[labels_b[j]])
            kind = "repeated" if times[0] else "added"
            step_finding = moved_b.get(j) or StructuralFinding(kind, None, b.items[j], times=times, parents=(a, b))
            steps.append(_Step(None, b.items[j], step_finding))
    return steps


def _moved_pairs(matches: list[Match], labels_a: list[Label], labels_b: list[Label]) -> Iterator[tuple[int, int]]:
    """Pair unmatched items of equal labels: the first in one trace with the first in the other, and so on. Yields their indices."""
    missing: dict[Label, deque[int]] = {}
    for i, j in matches:
        if j is None and i is not None:
            missing.setdefault(labels_a[i], deque()).append(i)
    for i, j in matches:
        if i is None and j is not None and missing.get(labels_b[j]):
            yield missing[labels_b[j]].popleft(), j


def _add_bypassed_calls(call: CallNode, other: CallNode) -> CallNode:
    """Return ``call`` with a node added for each direct call of ``forward()`` inside it that left no event.

    ``other`` is the matching call in the other trace. An example: inside ``other``, the module ``block`` was called. Inside ``call``, only
    its children ``block.conv`` and ``block.act`` were. Then the calls of the children become items of a new bypassed call of ``block``.
    ``block`` may also be the root module.
    """
    called = {item.path for item in call.items if isinstance(item, CallNode)}
    missing = {item.path for item in other.items if isinstance(item, CallNode)} - called
    if not missing:
        return call
    items: list[Item] = []
    found = CallNode(call.path, call.type, call.number, call.parent, call.bypassed, items)
    for item in call.items:
        owner = (
            next((path for path in _owners(item.path) if path in missing), None) if isinstance(item, CallNode) else None
        )
        last = items[-1] if items else None
        if owner is None or isinstance(item, Event):
            items.append(item)
        elif not (isinstance(last, CallNode) and last.path == owner) or last.items[0].path == item.path:
            item.parent = CallNode(owner, "", -1, found, True, [item])
            items.append(item.parent)
        else:
            item.parent = last
            last.items.append(item)
    return found


def _owners(path: str) -> Iterator[str]:
    """Yield the paths of the modules that enclose the module at ``path``, innermost first."""
    while path:
        yield (path := path.rpartition(".")[0])


def _pair(a: Item, b: Item) -> _Step:
    if isinstance(a, CallNode) and isinstance(b, CallNode) and a.bypassed != b.bypassed:
        return _Step(a, b, StructuralFinding("bypass", a, b, parents=(a.parent, b.parent)))
    return _Step(a, b)


def _bypass_steps(a: CallNode, b: CallNode) -> list[_Step]:
    """Match the items of a call of a module with those of a direct call of its ``forward()``.

    The inner calls of both are matched, and the ``forward`` event with the ``bypass`` event. The module call's other events, which a direct
    call cannot have, are not reported as differences.
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


def _match(xs: Sequence[Item], ys: Sequence[Item], labels_a: list[Label], labels_b: list[Label]) -> list[Match]:
    """Match items with equal labels, in order: the equal starts and ends of both lists, then a common subsequence of the rest."""
    m, n = len(labels_a), len(labels_b)
    low = 0
    while low < min(m, n) and labels_a[low] == labels_b[low]:
        low += 1
    high = 0
    while high < min(m, n) - low and labels_a[m - 1 - high] == labels_b[n - 1 - high]:
        high += 1
    surplus = abs(m - n)
    if low + high == min(m, n) and surplus:
        longer, shorter, labels = (xs, ys, labels_a) if m > n else (ys, xs, labels_b)
        low = _slide(longer, shorter, labels, low, surplus)
        high = min(m, n) - low
    middle = common_subsequence(labels_a[low : m - high], labels_b[low : n - high])
    anchors = [(k, k) for k in range(low)] + [(low + i, low + j) for i, j in middle]
    anchors += [(m - k, n - k) for k in range(high, 0, -1)] + [(m, n)]
    matches: list[Match] = []
    i = j = 0
    for next_i, next_j in anchors:
        matches += [(x, None) for x in range(i, next_i)]
        matches += [(None, y) for y in range(j, next_j)]
        if next_i < m:
            matches.append((next_i, next_j))
        i, j = next_i + 1, next_j + 1
    return matches


def _slide(longer: Sequence[Item], shorter: Sequence[Item], labels: list[Label], low: int, surplus: int) -> int:
    """Return the index of the first of the ``surplus`` items that only the longer list has.

    Among repeated calls of a module, several indices are possible. The function chooses the index for which the other calls are most
    similar in both lists: if the third of seven calls is missing, the third one is reported, not the last.
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
    """Return how similar two items of equal labels are: 1 for the same events inside, plus 1 for equal values of the first event."""
    same_events = all(
        x is not None and y is not None and (x.path, x.phase, x.hook) == (y.path, y.phase, y.hook)
        for x, y in zip_longest(walk(a), walk(b))
    )
    first, second = next(walk(a), None), next(walk(b), None)
    return same_events + (first is not None and second is not None and first.values == second.values)


def common_subsequence(a: Sequence[Label], b: Sequence[Label]) -> list[tuple[int, int]]:
    """Return index pairs of a common subsequence of two label lists.

    The result is a longest common subsequence if ``len(a) * len(b)`` is at most :data:`EXACT_CELLS`. Otherwise the k-th occurrence of a
    label in ``a`` is matched only with its k-th occurrence in ``b``, and the result is the longest subsequence with such matches.
    """
    if not a or not b:
        return []
    return _exact(a, b) if len(a) * len(b) <= EXACT_CELLS else _by_occurrence(a, b)


def _exact(a: Sequence[Label], b: Sequence[Label]) -> list[tuple[int, int]]:
    """Return a longest common subsequence by bit-parallel dynamic programming.

    Bit ``i`` of ``rows[j]`` is 0 if the longest common subsequence of ``a[:i + 1]`` and ``b[:j]`` is longer than that of ``a[:i]`` and
    ``b[:j]``.
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
    """Match only the k-th occurrence of a label in ``a`` with its k-th occurrence in ``b``.

    Returns a longest increasing subsequence of these matches, in O(n log n).
    """
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
    """Replace a lost and an added call of equal paths and equal :attr:`StructuralFinding.root` by one moved call.

    A lost call also becomes a moved call if an added call contains a call of the same path. Likewise, an added call becomes a moved call if
    a lost call contains a call of the same path.
    """
    dropped: set[int] = set()
    groups: dict[int, list[StructuralFinding]] = {}
    for finding in findings:
        if finding.kind in ("lost", "added"):
            groups.setdefault(finding.root, []).append(finding)
    for group in groups.values():
        lost = [finding for finding in group if isinstance(finding.a, CallNode)]
        added = [finding for finding in group if isinstance(finding.b, CallNode)]
        if lost and added:
            dropped |= _merge_pairs(lost, added)
            _merge_inner_calls(lost, [finding for finding in added if id(finding) not in dropped], added)
    return [finding for finding in findings if id(finding) not in dropped]


def _merge_pairs(lost: Sequence[StructuralFinding], added: Sequence[StructuralFinding]) -> set[int]:
    """Turn a lost and an added call of equal paths into one moved call. Returns the ``id()`` of each added finding that is merged."""
    dropped: set[int] = set()
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
    return dropped


def _merge_inner_calls(
    lost: Sequence[StructuralFinding], remaining: Sequence[StructuralFinding], added: Sequence[StructuralFinding]
) -> None:
    """Turn a lost call into a moved call if an added call contains a call of the same path.

    Likewise, turn a ``remaining`` added call into a moved call if a lost call contains a call of the same path.
    """
    inside_lost = _calls_by_path(finding.a for finding in lost if finding.kind == "lost")
    inside_added = _calls_by_path(finding.b for finding in added)
    for finding in lost:
        if finding.kind == "lost" and (found := inside_added.get(finding.a.path)):  # type: ignore[union-attr]  # lost has a, added has b
            _make_moved(finding, finding.a, found.popleft())  # type: ignore[arg-type]  # lost has a, added has b
    for finding in remaining:
        if found := inside_lost.get(finding.b.path):  # type: ignore[union-attr]  # lost has a, added has b
            _make_moved(finding, found.popleft(), finding.b)  # type: ignore[arg-type]  # lost has a, added has b


def _calls_by_path(items: Iterable[Item | None]) -> dict[str, deque[CallNode]]:
    paths: dict[str, deque[CallNode]] = {}
    for item in items:
        if isinstance(item, CallNode):
            for call in calls_in(item):
                paths.setdefault(call.path, deque()).append(call)
    return paths


def _make_moved(finding: StructuralFinding, a: CallNode, b: CallNode) -> None:
    finding.kind, finding.a, finding.b, finding.parents = "moved", a, b, (a.parent, b.parent)
