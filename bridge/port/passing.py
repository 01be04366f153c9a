"""How the arguments of a call reach the parameters of a function of the model's source."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping

from torch import nn

from bridge.port.constants import Constants, written
from bridge.port.csharp_types import Untranslatable, renamed
from bridge.port.members import Argument, Constant, Keyed, Text, fit
from bridge.port.signatures import signature
from bridge.port.watched import source_of


class Passing(Constants):
    """Arguments that are spread, and those that C# does not take."""

    text: Callable[[ast.expr], Text]
    argument: Callable[[ast.expr], Argument]

    def expanded(self, node: ast.Call) -> ast.Call:
        """The call without ``**``: by name, what it was. A ``*`` stays for :meth:`spread`."""
        if all(one.arg is not None for one in node.keywords):
            return node
        keywords: list[ast.keyword] = []
        for one in node.keywords:
            if one.arg is not None:
                keywords.append(one)
                continue
            known = self.names.get(one.value.id) if isinstance(one.value, ast.Name) else None
            if isinstance(known, Keyed):
                keywords += [ast.keyword(name, self._standing(value, one.value)) for name, value in known.items.items()]
            elif (found := self.constant(one.value)) is not None and isinstance(found.value, Mapping):
                keywords += [ast.keyword(name, ast.Constant(value)) for name, value in found.value.items()]
            else:
                raise Untranslatable(node, f"arguments that are spread: '{ast.unparse(node)}'")
        made = ast.copy_location(ast.Call(node.func, node.args, keywords), node)
        self.method.seen[made] = self.seen(node)
        return made

    def forward_of(self, kind: type[nn.Module]) -> types.FunctionType:
        """The function that is written as a class's forward."""
        found = (one for one, method in self.methods.items() if method.stands_for is kind)
        return next(found, source_of(kind.forward))

    def _standing(self, value: Text | Constant, node: ast.expr) -> ast.expr:
        """An expression that is translated to this."""
        if isinstance(value, Constant):
            return ast.copy_location(ast.Constant(value.value), node)
        name = ast.copy_location(ast.Name(value.code, ast.Load()), node)
        self.names.setdefault(value.code, value)
        return name

    def passed(self, node: ast.Call, callee: types.FunctionType, bound: bool = False, named: bool = True) -> list[str]:
        """The arguments in C#'s order, as far as C# takes them; those that have a name in Python have one if ``named``.

        Raises Untranslatable.
        """
        method = self.methods[callee]
        own = method.tree.args.args[0].arg if bound else ""
        found = signature(method, own)
        places = node.args[1:] if bound else node.args
        if any(isinstance(one, ast.Starred) for one in places[: None if not found.spread else len(found.order)]):
            raise Untranslatable(node, f"arguments that are spread: '{ast.unparse(node)}'")
        given = {**dict(zip(found.order, places, strict=False)), **{str(one.arg): one.value for one in node.keywords}}
        words = []
        for name, type_ in found.parameters:
            if name == found.spread:
                words += self._many(node, places[len(found.order) :])
                continue
            if name in found.unknown:
                raise Untranslatable(node, f"{name} is a {found.unknown[name]}")
            value = given.get(name, found.defaults.get(name))
            known = self.constant(value) if value is not None else Constant(None)
            word = fit(known, type_) if known is not None else None
            if known is not None and word is None:
                word = written(known, value or node).code
            if known is None and value is not None:
                word = fit(self.argument(value), type_) if type_ == "long[]" else None
            if word is None and value is not None:
                text = self.text(value)
                word = text.code
                if text.type.endswith("?") and not type_.endswith("?") and type_ in ("long", "double", "bool"):
                    word = f"{text.at(16)}.Value"
                elif text.type.endswith("?") and not type_.endswith("?"):
                    word = self.receiver(text)
                if isinstance(value, ast.Attribute) and value.attr == "bias" and text.type == type_ == "Tensor":
                    word = f"{text.at(16)}!"  # what TorchSharp's layers have may be null
            by_name = named and name in {one.arg for one in node.keywords}
            words.append(f"{renamed(name)}: {word}" if by_name else str(word))
        return words

    def _many(self, node: ast.Call, places: list[ast.expr]) -> list[str]:
        """What a parameter takes of which there may be any number: tensors, or all of a list or tuple."""
        if not any(isinstance(one, ast.Starred) for one in places):
            return [self.text(one).code for one in places]
        (first, *others) = places
        text = self.tensors(first) if isinstance(first, ast.Starred) and not others else None
        if text is None:
            raise Untranslatable(node, f"arguments that are spread: '{ast.unparse(node)}'")
        return [text.code]

    def tensors(self, node: ast.Starred) -> Text | None:
        """``*tensors`` as an array; None where it is no list of tensors."""
        text = self.text(node.value)
        if text.type == "List<Tensor>":
            return Text(f"{text.at(16)}.ToArray()", "Tensor[]")
        return text if text.type == "Tensor[]" else None

    def spread(self, nodes: list[ast.expr]) -> Text:
        """``*shape, -1`` as one array of numbers."""
        words = []
        for one in nodes:
            if not isinstance(one, ast.Starred):
                words.append(self.text(one).code)
                continue
            inner = self.text(one.value)
            if inner.type not in ("long[]", "List<long>"):
                raise Untranslatable(one, f"'{ast.unparse(one)}' of a {inner.type}")
            if len(nodes) == 1 and inner.type == "long[]":
                return inner
            words.append(f".. {inner.code}")
        return Text(f"[{', '.join(words)}]", "long[]")
