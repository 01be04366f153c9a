"""The containers of a model's result: tuples and lists by place, dictionaries, dataclasses and named tuples by key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, Final, TypeAlias

from bridge.compare.findings import Finding
from bridge.runtimes.recording import fields_of, labelled

#: What a result is made of: the name of a leaf's kind, a tuple for what goes by place, a mapping for what goes by key.
Form: TypeAlias = "str | tuple[Form, ...] | Mapping[str, Form]"
#: Keys that are written out; the rest is counted.
_KEYS: Final = 8


def form(value: Any) -> Form:
    """The form of a result. A tuple and a list of the same items have one form."""
    keyed = _keyed(value)
    if keyed is not None:
        return {f"{key}": form(item) for key, item in keyed.items()}
    if isinstance(value, (tuple, list)):
        return tuple(form(item) for item in value)
    return "None" if value is None else type(value).__name__ if isinstance(value, (bool, int, float, str)) else "tensor"


def written(one: Form) -> str:
    """``(tensor, (tensor, tensor))``, ``{boxes: tensor, scores: tensor}``."""
    if isinstance(one, str):
        return one
    if isinstance(one, Mapping):
        return "{" + ", ".join(f"{key}: {written(item)}" for key, item in one.items()) + "}"
    return "(" + ", ".join(map(written, one)) + ("," if len(one) == 1 else "") + ")"


def differences(a: Form, b: Form, names: tuple[str, str]) -> list[str]:
    """Where the forms of two results differ, in sentences: ``a`` is PyTorch's, ``b`` C#'s.

    By key, whatever their order. PyTorch's keys against C#'s places are no difference, since C# has no such classes; a result
    more or less is one of the values.
    """
    return list(_differences(a, b, names, "the result"))


def _differences(a: Form, b: Form, names: tuple[str, str], place: str) -> Iterator[str]:
    left, right = names
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if a.keys() != b.keys():
            words = f"{_keys(a, b)} in {left} and {_keys(b, a)} in {right}"
            yield f"{place[:1].upper()}{place[1:]} has {words}."
        for key in (key for key in a if key in b):
            yield from _differences(a[key], b[key], names, f"{place}['{key}']")
    elif isinstance(b, Mapping) or (not isinstance(a, Mapping) and _shape(a) != _shape(b) and count(a) == count(b)):
        yield f"{place[:1].upper()}{place[1:]} is {written(a)} in {left} and {written(b)} in {right}."


def _shape(one: Form) -> Any:
    """What holds what, without what the leaves are and whether keys or places tell them apart."""
    items = one.values() if isinstance(one, Mapping) else one
    return None if isinstance(one, str) else tuple(_shape(item) for item in items)


def count(one: Form) -> int:
    """How many leaves there are, None among them."""
    if isinstance(one, str):
        return 1
    return sum(map(count, one.values() if isinstance(one, Mapping) else one))


def _keys(of: Mapping[str, Form], other: Mapping[str, Form]) -> str:
    """The keys that the other lacks, and whether there are more."""
    only = [key for key in of if key not in other]
    if not only:
        return f"only {', '.join(of)}" if of else "no keys"
    shown = ", ".join(only[:_KEYS]) + (f" and {len(only) - _KEYS} more" if len(only) > _KEYS else "")
    return f"the key{'' if len(only) == 1 else 's'} {shown}"


@dataclass(slots=True)
class ByKey:
    """Gives PyTorch's result in the order of C#'s keys, so that values are compared by key; ``choose`` chooses of what is not such.

    Where C# has some of PyTorch's keys only, those are compared (``some``), and ``left_out`` are the others after the call.
    """

    like: Form
    choose: Callable[[Any], Any]
    some: bool
    left_out: Sequence[str] = ()

    def __call__(self, result: Any) -> Any:
        keyed = _keyed(result)
        if self.some and isinstance(self.like, Mapping) and keyed is not None:
            there = {f"{key}" for key, item in keyed.items() if item is not None}
            if self.like.keys() < there:
                self.left_out = [f"{key}" for key, item in keyed.items() if item is not None and key not in self.like]
                return arranged({key: keyed[key] for key in self.like}, self.like)
        return arranged(self.choose(result), self.like)

    def said(self) -> list[Finding]:
        """What was left out, in a sentence."""
        if not self.left_out or not isinstance(self.like, Mapping):
            return []
        taken, rest = (", ".join(f"`{name}`" for name in names) for names in (self.like, self.left_out))
        words = f"Of what the PyTorch model returns, the keys of the C# model are compared: {taken}, and not {rest}."
        return [Finding("left out", "", f"{words} --outputs chooses.")]


def _keyed(value: Any) -> dict[Any, Any] | None:
    """The items by key of what has keys; None for anything else."""
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return fields_of(value)
    names = getattr(value, "_fields", None)
    return dict(zip(names, value, strict=True)) if names is not None and isinstance(value, tuple) else None


def order(result: Any, like: Form) -> tuple[int, ...]:
    """The places of the result's leaves in the order of C#'s keys; empty where nothing is in another order."""
    names, wanted = labelled(result), labelled(arranged(result, like))
    return () if names == wanted else tuple(names.index(name) for name in wanted)


def arranged(result: Any, like: Form) -> Any:
    """A result in the order of C#'s keys; the result itself where nothing is in another order."""
    keyed = _keyed(result)
    if keyed is not None and isinstance(like, Mapping) and {f"{key}" for key in keyed} == like.keys():
        if all(isinstance(key, str) for key in keyed):
            items = {key: arranged(keyed[key], item) for key, item in like.items()}
            same = list(items) == list(keyed) and all(items[key] is keyed[key] for key in keyed)
            return result if same else items
    elif keyed is None and isinstance(result, (tuple, list)) and isinstance(like, tuple) and len(result) == len(like):
        items_ = [arranged(item, one) for item, one in zip(result, like, strict=True)]
        return result if all(map(_is, items_, result)) else tuple(items_)
    return result


def _is(one: Any, other: Any) -> bool:
    return one is other
