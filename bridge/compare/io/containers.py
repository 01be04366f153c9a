"""The structure of a model's result, and the order of its items.

Tuples and lists have items by position. Dictionaries, dataclasses, named tuples and C# objects have items by key.
A leaf, such as a tensor, is a value in the result that is not a container.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any, Final, TypeAlias

from bridge.compare.findings import Finding, left_out_finding
from bridge.runtimes.recording import fields_of, leaf_names
from hook_contract.output.sentences import join_some

#: The structure of a result: the kind of a leaf, a tuple for items by position, or a mapping for items by key.
Form: TypeAlias = "str | tuple[Form, ...] | Mapping[str, Form]"
_LISTED_KEYS: Final = 8


def form(value: Any) -> Form:
    """Return the structure of a result. A tuple and a list of the same items have equal structures."""
    keyed = _items_by_key(value)
    if keyed is not None:
        return {f"{key}": form(item) for key, item in keyed.items()}
    if isinstance(value, (tuple, list)):
        return tuple(form(item) for item in value)
    return "None" if value is None else type(value).__name__ if isinstance(value, (bool, int, float, str)) else "tensor"


def format_form(form: Form) -> str:
    """Format a structure as ``(tensor, (tensor, tensor))`` or ``{boxes: tensor, scores: tensor}``."""
    if isinstance(form, str):
        return form
    if isinstance(form, Mapping):
        return "{" + ", ".join(f"{key}: {format_form(item)}" for key, item in form.items()) + "}"
    return "(" + ", ".join(map(format_form, form)) + ("," if len(form) == 1 else "") + ")"


def differences(a: Form, b: Form, names: tuple[str, str]) -> list[str]:
    """Return a sentence for each difference between the structures of PyTorch's result (``a``) and C#'s (``b``).

    The order of keys and the kinds of leaves do not matter. Results with keys in PyTorch may be a tuple in C#, since ports often replace a
    dataclass by a tuple. A different number of items in tuples is a difference of values, not of structure.
    """
    return list(_differences(a, b, names, "the result"))


def _differences(a: Form, b: Form, names: tuple[str, str], place: str) -> Iterator[str]:
    left, right = names
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if a.keys() != b.keys():
            words = f"{_describe_keys(a, b)} in {left} and {_describe_keys(b, a)} in {right}"
            yield f"{place[:1].upper()}{place[1:]} has {words}."
        for key in (key for key in a if key in b):
            yield from _differences(a[key], b[key], names, f"{place}['{key}']")
    elif isinstance(b, Mapping) or (not isinstance(a, Mapping) and _shape(a) != _shape(b) and count(a) == count(b)):
        yield f"{place[:1].upper()}{place[1:]} is {format_form(a)} in {left} and {format_form(b)} in {right}."
    elif isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        for index, (mine, theirs) in enumerate(zip(a, b, strict=True)):
            yield from _differences(mine, theirs, names, f"{place}[{index}]")


def _shape(form: Form) -> Any:
    """Return the nesting alone, without keys and kinds of leaves."""
    items = form.values() if isinstance(form, Mapping) else form
    return None if isinstance(form, str) else tuple(_shape(item) for item in items)


def count(form: Form) -> int:
    """Count the leaves, including None."""
    if isinstance(form, str):
        return 1
    return sum(map(count, form.values() if isinstance(form, Mapping) else form))


def _describe_keys(of: Mapping[str, Form], other: Mapping[str, Form]) -> str:
    """Describe the keys of ``of`` that ``other`` lacks, or all keys of ``of`` if ``other`` lacks none."""
    only = [key for key in of if key not in other]
    if not only:
        return f"only {', '.join(of)}" if of else "no keys"
    return f"the key{'' if len(only) == 1 else 's'} {join_some(only, _LISTED_KEYS)}"


@dataclass(slots=True)
class KeyedOutputs:
    """A function that applies ``choose`` to PyTorch's result, and puts the chosen items into the order of C#'s keys."""

    #: The structure of C#'s result.
    like: Form
    choose: Callable[[Any], Any]
    #: Whether C# may have only some of PyTorch's keys. If C# has only some, the items with C#'s keys are returned, without ``choose``.
    some: bool
    #: The keys of PyTorch's result that ``__call__`` has left out, except keys with the value None.
    left_out: Sequence[str] = ()

    def __call__(self, result: Any) -> Any:
        keyed = _items_by_key(result)
        if self.some and isinstance(self.like, Mapping) and keyed is not None:
            items = {f"{key}": item for key, item in keyed.items()}
            non_null = [key for key, item in items.items() if item is not None]
            if self.like.keys() < set(non_null):
                self.left_out = [key for key in non_null if key not in self.like]
                return arrange({key: items[key] for key in self.like}, self.like)
        return arrange(self.choose(result), self.like)

    def findings(self) -> list[Finding]:
        """Return a finding on the keys that were left out."""
        if not self.left_out or not isinstance(self.like, Mapping):
            return []
        return [left_out_finding("the results with the C# model's keys", self.like, self.left_out)]


def _items_by_key(value: Any) -> dict[Any, Any] | None:
    """Return the items of a mapping, dataclass, C# object or named tuple by key; None for other values."""
    if isinstance(value, Mapping):
        return dict(value)
    if (items := fields_of(value)) is not None:
        return items
    names = getattr(value, "_fields", None)
    return dict(zip(names, value, strict=True)) if names is not None and isinstance(value, tuple) else None


def order(result: Any, like: Form) -> tuple[int, ...]:
    """Return the positions of the result's leaves in the order of C#'s keys; empty if :func:`arrange` does not reorder the leaves."""
    names, wanted = leaf_names(result), leaf_names(arrange(result, like))
    return () if names == wanted else tuple(names.index(name) for name in wanted)


def arrange(result: Any, like: Form) -> Any:
    """Arrange the items of a result, also inside tuples and lists, in the order of C#'s keys.

    A result with keys becomes a dict, a tuple or list becomes a tuple. The result itself is returned if its items are in that order, have
    other keys, or have keys that are not strings.
    """
    keyed = _items_by_key(result)
    if keyed is not None and isinstance(like, Mapping) and {f"{key}" for key in keyed} == like.keys():
        if all(isinstance(key, str) for key in keyed):
            items = {key: arrange(keyed[key], item) for key, item in like.items()}
            same = list(items) == list(keyed) and all(items[key] is keyed[key] for key in keyed)
            return result if same else items
    elif keyed is None and isinstance(result, (tuple, list)) and isinstance(like, tuple) and len(result) == len(like):
        in_order = tuple(arrange(item, form) for item, form in zip(result, like, strict=True))
        return result if all(map(is_, in_order, result)) else in_order
    return result
