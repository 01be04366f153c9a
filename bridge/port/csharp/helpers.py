"""PythonMath, a class of helpers for operations that differ between C# and Python; a project has only the helpers that it uses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Final

from bridge.port.csharp.words import indented

_NAMED: Final = re.compile(r"(?<![.\w])[A-Z]\w*")
_DOCUMENTATION: Final = re.compile(r"^ *///.*\n", re.MULTILINE)

#: Namespaces that not every helper needs, each with a pattern of the code that needs it.
_USINGS: Final = {
    "System.Globalization": r"\bCultureInfo\b",
    "System.Linq": r"\.(?:Select|Where|ToList|ToArray|Cast|Zip|SequenceEqual|Count|LongCount|All|Any|SelectMany)\(|\bEnumerable\.",
}


def text(helpers: Iterable[str], namespace: str) -> str:
    """Return the text of ``PythonMath.cs`` with the given helpers, and the helpers that they call."""
    members = "\n\n".join(indented(_members()[name]) for name in sorted(closure(helpers)))
    head = _read("PythonMath.cs.txt").replace("$namespace", namespace).replace("$members", members)
    for one, sign in _USINGS.items():
        if re.search(sign, members) is None:
            head = head.replace(f"using {one};\n", "")
    return head


def closure(helpers: Iterable[str]) -> set[str]:
    """Return the given helpers, and those that they call, directly or through one another. Raises KeyError for an unknown helper."""
    found: set[str] = set()
    waiting = list(helpers)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += set(_NAMED.findall(_DOCUMENTATION.sub("", _members()[name]))) & set(_members())
    return found


@cache
def _members() -> dict[str, str]:
    """Return the text of each helper by its name: the blocks of ``helpers.cs.txt``, each with its overloads, below ``// -- Name``."""
    blocks = re.split(r"^// -- (\w+)\n", _read("helpers.cs.txt"), flags=re.MULTILINE)[1:]
    found = {name: text.strip() for name, text in zip(blocks[::2], blocks[1::2], strict=True)}
    found |= {f"Deconstruct{count}": _deconstruct(count) for count in range(2, 9)}
    return found | {f"ToTuple{count}": _to_tuple(count) for count in range(2, 9)}


def _deconstruct(count: int) -> str:
    """Return the extension method that deconstructs a list of ``count`` elements: ``var (a, b) = list``."""
    letters = [f"item{number}" for number in range(1, count + 1)]
    parameters = ", ".join(f"out T {one}" for one in letters)
    lines = [f"    {one} = items[{place}];" for place, one in enumerate(letters)]
    return "\n".join(
        [
            f"/// <summary>Takes a list of {count} elements apart. Throws ArgumentException for another number of them.</summary>",
            f"internal static void Deconstruct<T>(this IList<T> items, {parameters})",
            "{",
            f"    if (items.Count != {count})",
            "    {",
            f'        throw new ArgumentException($"expected {count} values to unpack, got {{items.Count}}");',
            "    }",
            "",
            *lines,
            "}",
        ]
    )


def _to_tuple(count: int) -> str:
    """Return the method that converts a list of ``count`` elements to a tuple."""
    items = ", ".join(f"items[{place}]" for place in range(count))
    return "\n".join(
        [
            f"/// <summary>Returns a list of {count} elements as a tuple.</summary>",
            f"internal static ({', '.join('T' * count)}) ToTuple{count}<T>(IList<T> items)",
            "{",
            f"    return ({items});",
            "}",
        ]
    )


def _read(name: str) -> str:
    return resources.files("bridge.port.csharp").joinpath("templates", name).read_text(encoding="utf-8")
