"""Arguments of a model's constructor beside the given ones: changed numbers, flags, words and lists, and None for optional parameters."""

from __future__ import annotations

import ast
import inspect
import random
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final

from torch import nn

#: If a model's parameters have more elements than this, no number is doubled.
_LARGE: Final = 20_000_000
#: The value that replaces None, by a word in the parameter's annotation.
_FOR_NONE: Final = {"bool": True, "int": 2, "float": 0.5}


def draw_arguments(
    model: nn.Module, given: Mapping[str, Any], names: Iterable[str], seed: int
) -> Iterator[dict[str, Any]]:
    """Yield changed arguments: first one change of each argument in ``names``, then the other changes alone, then two or three at once.

    ``given`` are all arguments of the model's constructor. The iterator has no end; if no argument can be changed, it yields nothing.
    """
    chooser = random.Random(seed)
    changes = [[(name, value) for value in _others(model, name, given[name])] for name in names if name in given]
    single = [one for some in zip_longest(*changes) for one in some if one is not None]
    yield from ({name: value} for name, value in single)
    while single:
        yield dict(chooser.sample(single, min(len(single), chooser.randint(2, 3))))


def _others(model: nn.Module, name: str, value: Any) -> Iterator[Any]:
    """Yield other values for one argument, each once."""
    parameter = inspect.signature(type(model)).parameters.get(name)
    annotation = "" if parameter is None or parameter.annotation is parameter.empty else str(parameter.annotation)
    default = inspect.Parameter.empty if parameter is None else parameter.default
    found = list(_changed(model, value))
    if value is None:
        found += [other for word, other in _FOR_NONE.items() if word in annotation]
    elif default is None or "None" in annotation or "Optional" in annotation:
        found.append(None)
    if isinstance(default, (bool, int, float, str)):
        found.append(default)
    yield from (other for place, other in enumerate(found) if not _in(other, [value, *found[:place]]))


def _in(value: Any, others: Iterable[Any]) -> bool:
    return any(type(one) is type(value) and one == value for one in others)


def _changed(model: nn.Module, value: Any) -> Iterator[Any]:
    """Yield other values of the same type."""
    match value:
        case bool():
            yield not value
        case int():
            yield from _numbers(value, sum(one.numel() for one in model.parameters()) > _LARGE)
        case float():
            yield from (value / 2, 0.0) if value else (0.25, 1.0)
        case str():
            yield from _words(type(model))
        case list() | tuple() if value and not hasattr(value, "_fields"):
            for place, item in enumerate(value):
                for other in list(_changed(model, item))[:1]:
                    yield type(value)((*value[:place], other, *value[place + 1 :]))
            yield value[:-1]
            yield type(value)((*value, value[-1]))


def _numbers(value: int, large: bool) -> Iterator[int]:
    """Yield numbers near the value, and much larger or smaller ones; only numbers above zero if the value is above zero."""
    if value > 0:
        yield from (one for one in (value + 1, value if large else 2 * value, value // 2, value - 1, 1) if one > 0)
    else:
        yield from (value + 1, value + 2)


def _words(kind: type) -> Iterator[str]:
    """Yield the strings that the constructor of the class compares with, or looks up."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind.__init__)))  # type: ignore[misc]  # mypy takes it for that of any subclass
    except (OSError, TypeError, SyntaxError):  # without a source
        return
    for node in ast.walk(tree):
        nodes = node.comparators if isinstance(node, ast.Compare) else node.keys if isinstance(node, ast.Dict) else ()
        nodes = [node.value] if isinstance(node, ast.MatchValue) else nodes
        parts = [part for one in nodes if one is not None for part in ast.walk(one)]
        yield from (one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str))
