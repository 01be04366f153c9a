"""Lists, tuples, dictionaries and sets: indices, slices, order, removal, sorting, unpacking."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.port.semantics.probing import call, probe

X = torch.tensor([1.0, -2.0, 3.0])


@probe(call([1, 2, 3], 1), call([1, 2, 3], -1), call([1, 2, 3], -3), call([1, 2, 3], 3), call([1, 2, 3], -4))
class VariableIndex(nn.Module):
    def forward(self, items: list[int], n: int) -> int:
        return items[n]


@probe(call([1, 2, 3], 1), call([1, 2, 3], -1), call([5, 5, 5], 5), call([-9], -9))
class MembershipOfItemsThatRaise(nn.Module):
    def forward(self, items: list[int], n: int) -> bool:
        return n in [items[0], items[n]]


@probe(call([1, 2, 3]), call([7]), call([]))
class NegativeIndex(nn.Module):
    def forward(self, items: list[int]) -> int:
        return items[-1]


@probe(call([1, 2, 3, 4], 1), call([1, 2, 3, 4], -1), call([1], 5), call([1, 2, 3, 4], -9))
class SlicesOfLists(nn.Module):
    def forward(self, items: list[int], n: int) -> tuple[list[int], list[int], list[int]]:
        return items[n:], items[:n], items[::-1]


@probe(call([1, 2, 3, 4, 5, 6]), call([1, 2]), call([]))
class SlicesWithSteps(nn.Module):
    def forward(self, items: list[int]) -> tuple[list[int], list[int], list[int]]:
        return items[::2], items[1::2], items[-3:-1]


@probe(call([1, 2, 3, 4]), call([1]), call([]))
class SliceAssignment(nn.Module):
    def forward(self, items: list[int]) -> list[int]:
        items[1:3] = [9, 8, 7]
        return items


@probe(call([1, 2, 3]), call([5, 5]), call([1]))
class PopOrder(nn.Module):
    def forward(self, items: list[int]) -> tuple[int, list[int]]:
        return items.pop() - items.pop(0) * 2, items


@probe(call([1, 2, 3], 1), call([1, 2, 3], -1), call([1], 0), call([], 0))
class PopAtVariable(nn.Module):
    def forward(self, items: list[int], n: int) -> tuple[int, int]:
        return items.pop(n), len(items)


@probe(call([1, 2, 3]), call([1, 2, 3, 4]), call([1]))
class PopWhileNotEmpty(nn.Module):
    def forward(self, items: list[int]) -> int:
        total = 0
        while items:
            total = total * 10 + items.pop()
        return total


@probe(call([1, 2, 3], 0, 2), call([1, 2, 3], -1, 1), call([1, 2, 3], 1, 1))
class SwapOfItems(nn.Module):
    def forward(self, items: list[int], i: int, j: int) -> list[int]:
        items[i], items[j] = items[j], items[i]
        return items


@probe(call(1, 2), call(-1, 5), call(0, 0))
class SwapOfTuple(nn.Module):
    def forward(self, a: int, b: int) -> tuple[int, int]:
        a, b = b, a + b
        a, b = b - a, a
        return a, b


@probe(call([3, 1, 2]), call([5]), call([]))
class SortedWithKey(nn.Module):
    def forward(self, items: list[int]) -> tuple[list[int], list[int]]:
        return sorted(items, key=lambda item: -item), sorted(items, reverse=True)


@probe(call([(1, 2), (0, 5), (1, 1)]), call([(2, 2), (2, 1), (2, 0)]), call([]))
class StableSort(nn.Module):
    def forward(self, pairs: list[tuple[int, int]]) -> list[int]:
        pairs.sort(key=lambda pair: pair[0])
        return [second for _, second in pairs]


@probe(call([3, 1, 2]), call([-5, 4]), call([]))
class MaxWithKey(nn.Module):
    def forward(self, items: list[int]) -> tuple[int, int]:
        return max(items, key=lambda item: abs(item - 2)), min(items)


@probe(call([1, 2], 3), call([], 0), call([4, 4], -1))
class InsertExtendReverse(nn.Module):
    def forward(self, items: list[int], n: int) -> tuple[list[int], int, int]:
        items.insert(0, n)
        items.extend([n + 1, n])
        items.reverse()
        items += [7]
        return items, items.count(n), items.index(n)


@probe(call([1, 2], 2), call([1], 0), call([1], -3))
class RepeatedList(nn.Module):
    def forward(self, items: list[int], n: int) -> list[int]:
        return items * n + [0] * 2


@probe(call(2), call(3), call(1))
class RepeatedRows(nn.Module):
    def forward(self, n: int) -> int:
        rows = [[0] * 2] * n
        rows[0][1] = 5
        return sum(row[1] for row in rows)


@probe(call([1, 2, 3, 4]), call([1, 2]), call([1]))
class StarredUnpacking(nn.Module):
    def forward(self, items: list[int]) -> tuple[int, list[int], int]:
        first, *middle, last = items
        return first, middle, last


@probe(call([1, 2], [1, 2]), call([1, 2], [2, 1]), call([], []), call([1], [1, 0]))
class EqualLists(nn.Module):
    def forward(self, a: list[int], b: list[int]) -> tuple[bool, bool, bool]:
        return a == b, a != b, a is b


@probe(call(1, 2), call(2, 1), call(2, 2), call(-3, 2))
class OrderOfTuples(nn.Module):
    def forward(self, a: int, b: int) -> tuple[bool, bool]:
        return (a, b) < (b, a), (a, 1) == (b, 1)


@probe(call(X), call(-X))
class DictionaryKeepsOrder(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Tensor]:
        found = {"b": x, "a": x + 1}
        found["c"] = x * 2
        found["b"] = x - 1
        del found["a"]
        found["a"] = x / 2
        return found


@probe(call(X, "a"), call(X, "b"), call(X, "z"))
class DictionaryLookups(nn.Module):
    def forward(self, x: Tensor, key: str) -> tuple[Tensor, int, bool]:
        sizes = {"a": 1, "b": 2}
        return x * sizes.get(key, -1), sizes.get("z", 0), key in sizes


@probe(call(X, "a"), call(X, "z"))
class MissingKeyRaises(nn.Module):
    def forward(self, x: Tensor, key: str) -> Tensor:
        return x * {"a": 1, "b": 2}[key]


@probe(call([1, 2, 1]), call([]), call([3, 3, 3]))
class SetDefault(nn.Module):
    def forward(self, items: list[int]) -> tuple[int, int]:
        groups: dict[int, list[int]] = {}
        for place, item in enumerate(items):
            groups.setdefault(item, []).append(place)
        return len(groups), sum(len(group) * key for key, group in groups.items())


@probe(call(X), call(-X))
class DictionaryUpdateAndPop(nn.Module):
    def forward(self, x: Tensor) -> tuple[dict[str, Tensor], Tensor]:
        found = {"a": x, "b": x + 1}
        found.update({"b": x * 3, "c": x})
        last = found.pop("a")
        return found, found.pop("none", last)


@probe(call(X), call(-X))
class DictionaryComprehension(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Tensor]:
        found = {f"x{k}": x * k for k in range(4) if k != 2}
        return {key: value + 1 for key, value in reversed(found.items())}


@probe(call(X), call(-X))
class MergedDictionaries(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Tensor]:
        a = {"a": x, "b": x}
        return {**a, "b": x + 1} | {"c": x * 2}


@probe(call([1, 2, 2, 3]), call([]), call([5, 5]))
class SetsOfNumbers(nn.Module):
    def forward(self, items: list[int]) -> tuple[int, bool, list[int]]:
        seen = set()
        for item in items:
            seen.add(item)
        return len(seen), 2 in seen, sorted(seen & {1, 2, 5})


@probe(call([1, 2, 3]), call([]), call([-1, 4]))
class NestedComprehension(nn.Module):
    def forward(self, items: list[int]) -> list[int]:
        return [a * b for a in items if a > 0 for b in range(a)]


@probe(call([[1, 2], [3]]), call([]), call([[], [4]]))
class FlattenedLists(nn.Module):
    def forward(self, rows: list[list[int]]) -> tuple[list[int], int]:
        return [item for row in rows for item in row], len(sum(rows, []))


@probe(call([1.5, 2.5]), call([]), call([-1.0]))
class SumWithStart(nn.Module):
    def forward(self, items: list[float]) -> float:
        return sum(items, 10.0)


@probe(call([X, X + 1]), call([X]), call([]))
class StackOfList(nn.Module):
    def forward(self, items: list[Tensor]) -> Tensor:
        return torch.stack([item * k for k, item in enumerate(items)], dim=1)


@probe(call([X, X + 1, X * 2]), call([X]), call([]))
class LastOfTensors(nn.Module):
    def forward(self, items: list[Tensor]) -> tuple[Tensor, int]:
        rest = items[:-1]
        return items[-1] + len(rest), len(items[1:])


@probe(call(3), call(0))
class ItemOfATableThatRaises(nn.Module):
    def forward(self, n: int) -> int:
        return {"a": 5, "b": 3 // n}["a"]
