"""Dictionaries with words as keys: made, read, asked and walked over."""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

from bridge.port.constants import Constants
from bridge.port.csharp_types import Untranslatable, csharp_type
from bridge.port.members import Text, literal

KINDS: Final = (dict, OrderedDict)
_START: Final = "Dictionary<string, "


def values_of(type_: str) -> str | None:
    """The type of a dictionary's values; None for another type."""
    return type_[len(_START) : -1] if type_.startswith(_START) else None


def literal_of(value: Mapping[Any, Any], node: ast.AST) -> Text:
    """A known dictionary as C#. Raises Untranslatable where its values have no text, or its keys are no words."""
    type_ = csharp_type(dict(value), node)
    words = [literal(one, values_of(type_) or "") for one in value.values()]
    if None in words:
        raise Untranslatable(node, f"the value {value!r}")
    keys = [literal(key, "string") for key in value]
    return Text(_made(type_, list(zip(map(str, keys), map(str, words), strict=True))), type_)


def _made(type_: str, entries: list[tuple[str, str]]) -> str:
    return f"new {type_} {{ {', '.join(f'[{key}] = {one}' for key, one in entries)} }}" if entries else f"new {type_}()"


class Dictionaries(Constants):
    """Translates the dictionaries of one function; other expressions within them are left to the whole."""

    text: Callable[[ast.expr], Text]

    def _dict(self, node: ast.Dict) -> Text:
        if None in node.keys:
            raise Untranslatable(node, f"'{ast.unparse(node)}', which spreads another")
        entries = [
            (self.text(key).code, self.text(one).code)
            for key, one in zip(node.keys, node.values, strict=True)
            if key is not None
        ]
        type_ = self.type(node)
        return Text(_made(type_, entries), type_)

    def new_dictionary(self, node: ast.Call) -> Text:
        """``OrderedDict()`` and ``dict(a=…)``."""
        if node.args:
            raise Untranslatable(node, f"'{ast.unparse(node)}'")
        type_ = self.type(node)
        return Text(_made(type_, [(f'"{one.arg}"', self.text(one.value).code) for one in node.keywords]), type_)

    def of_dictionary(self, node: ast.Call, function: ast.Attribute) -> Text:
        """A call of a dictionary's method."""
        target = self.text(function.value)
        value = values_of(target.type)
        if value is not None and not node.args and not node.keywords:
            if function.attr == "items":
                return Text(target.code, f"(string, {value})[]", target.level)
            if function.attr in ("keys", "values"):
                return Text(
                    f"{target.at(16)}.{function.attr.title()}",
                    f"IEnumerable<{value if function.attr == 'values' else 'string'}>",
                )
        if value is not None and function.attr == "get" and len(node.args) == 1:
            return Text(f"{target.at(16)}.GetValueOrDefault({self.text(node.args[0]).code})", f"{value}?")
        raise Untranslatable(node, f"a call of dict.{function.attr}: '{ast.unparse(node)}'")

    def contained(self, node: ast.Compare) -> Text | None:
        """``key in dictionary``; None for something else."""
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return None
        right = self.text(node.comparators[0])
        if values_of(right.type) is None:
            return None
        code = f"{right.at(16)}.ContainsKey({self.text(node.left).code})"
        return Text(code, "bool") if isinstance(node.ops[0], ast.In) else Text(f"!{code}", "bool", 14)
