"""Assignments: to names, tuples, entries and attributes."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from bridge.port.csharp_types import Untranslatable, parts, renamed
from bridge.port.members import Constant, Text, fit
from bridge.port.variables import Variables

_IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
_SIGNS = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/=", ast.FloorDiv: "/=", ast.Mod: "%="}


class Assigning(Variables):
    """Translates assignments."""

    def _assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            raise Untranslatable(node, "two targets of one assignment")
        self._assigned(node.targets[0], node.value, node)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assigned(node.target, node.value, node)

    def _assigned(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            if not self._settled(target.id, value):
                rows = (
                    self.x.rows(value) if isinstance(value, (ast.Tuple, ast.List)) and self._walked(target.id) else None
                )
                text = rows or self._sizes(target.id, value)
                self._set(target.id, text or self.x.text(value), node)
        elif isinstance(target, (ast.Tuple, ast.List)) and all(isinstance(one, ast.Name) for one in target.elts):
            self._unpacked([one.id for one in target.elts if isinstance(one, ast.Name)], value, node)
        elif isinstance(target, (ast.Tuple, ast.List)) and (source := self.x.text(value)).type.startswith("("):
            names = self._pattern(target, source.type, node)
            if known := [name for name in names if isinstance(self.x.names.get(name), Text)]:
                raise Untranslatable(node, f"'{ast.unparse(target)}', where {known[0]} has a value already")
            self._emit(f"var {shape_of(target)} = {source.code};")
            for name, text in names.items():
                if name != "_":
                    self._declare(name, text)
        elif isinstance(target, ast.Subscript):
            self._emit(f"{self.x.text(target.value).at(16)}[{self._indices(target)}] = {self.x.text(value).code};")
        else:
            raise Untranslatable(node, f"an assignment to '{ast.unparse(target)}'")

    def _walked(self, name: str) -> bool:
        """Whether there is a loop over the variable."""
        return any(
            isinstance(node, ast.For) and isinstance(node.iter, ast.Name) and node.iter.id == name
            for node in ast.walk(self.x.method.tree)
        )

    def _sizes(self, name: str, value: ast.expr) -> Text | None:
        """A shape, where it is no more than an argument later on: ``shape = (n, -1, 8)``, ``x.view(shape)``."""
        if not isinstance(value, ast.Tuple) or any(isinstance(one, ast.Starred) for one in value.elts):
            return None
        items = [self.x.text(one) for one in value.elts]
        given = {
            id(one.value if isinstance(one, ast.Starred) else one)
            for node in ast.walk(self.x.method.tree)
            if isinstance(node, ast.Call)
            for one in node.args
        }
        reads = [node for node in ast.walk(self.x.method.tree) if isinstance(node, ast.Name) and node.id == name]
        if {one.type for one in items} != {"long"} or any(
            id(one) not in given for one in reads if isinstance(one.ctx, ast.Load)
        ):
            return None
        return Text(f"[{', '.join(one.code for one in items)}]", "long[]")

    def _indices(self, target: ast.Subscript) -> str:
        made = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
        text = self.x._subscript(made).code
        return text[len(self.x.text(target.value).at(16)) + 1 : -1]

    def _unpacked(self, names: Sequence[str], value: ast.expr, node: ast.stmt) -> None:
        found = self.x.constant(value)
        if found is not None and isinstance(found.value, tuple) and not self._depth and None in found.value:
            self.x.names.update(zip(names, map(Constant, found.value), strict=True))
            return
        source = self.x.text(value)
        words = [renamed(name) if name != "_" else "_" for name in names]
        if source.type.startswith("("):
            types = parts(source.type[1:-1])
            if len(types) != len(names):
                raise Untranslatable(node, f"{len(names)} names for {source.type}")
            new = [name not in self.declared and not isinstance(self.x.names.get(name), Text) for name in names]
            targets = [f"var {word}" if fresh and word != "_" else word for word, fresh in zip(words, new, strict=True)]
            self._emit(
                f"({', '.join(targets)}) = {source.code};"
                if not all(new)
                else f"var ({', '.join(words)}) = {source.code};"
            )
        else:
            types = [self.x.element(value) if source.type != "Tensor" else "Tensor"] * len(names)
            if not source.code.replace("_", "").isalnum():
                holder = (
                    f"{words[0].lstrip('@')}Parts"
                    if source.type != "long[]"
                    else "shape"
                    if "shape" not in self.declared
                    else f"{words[0]}Shape"
                )
                self._emit(f"var {holder} = {source.code};")
                self.declared[holder] = source.type
                source = Text(holder, source.type)
            for number, (name, type_) in enumerate(zip(names, types, strict=True)):
                if name != "_":
                    self._set(name, Text(f"{source.code}[{number}]", type_), node)
            return
        for name, word, type_ in zip(names, words, types, strict=True):
            if name != "_":
                self._declare(name, Text(word, type_))

    def _augassign(self, node: ast.AugAssign) -> None:
        target = ast.copy_location(_loaded(node.target), node.target)
        if isinstance(node.target, ast.Name):
            known = self.x.names.get(node.target.id)
            left = known if isinstance(known, Text) else None
        else:
            left = self.x.text(target)
        if left is None:
            raise Untranslatable(node, f"'{ast.unparse(node)}'")
        if left.type == "Tensor" and type(node.op) in _IN_PLACE:
            value = self.x.argument(node.value)
            word = fit(value, "Scalar") or fit(value, "Tensor")
            self._emit(f"{left.at(16)}.{_IN_PLACE[type(node.op)]}({word});")
        elif left.type in ("long", "double", "string") and type(node.op) in _SIGNS:
            self._emit(f"{left.code} {_SIGNS[type(node.op)]} {self.x.text(node.value).code};")
        else:
            raise Untranslatable(node, f"'{ast.unparse(node)}' of a {left.type}")

    def _pattern(self, target: ast.expr, type_: str, node: ast.AST) -> dict[str, Text]:
        """The variables of a target, which may be tuples in tuples, of a value of that type."""
        if isinstance(target, ast.Name):
            return {target.id: Text(renamed(target.id), type_)}
        types = parts(type_[1:-1]) if type_.startswith("(") else []
        if not isinstance(target, (ast.Tuple, ast.List)) or len(types) != len(target.elts):
            raise Untranslatable(node, f"'{ast.unparse(target)}' for a {type_}")
        found: dict[str, Text] = {}
        for one, inner in zip(target.elts, types, strict=True):
            found |= self._pattern(one, inner, node)
        return found


def shape_of(target: ast.expr) -> str:
    """A target as it stands in a deconstruction."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return f"({', '.join(map(shape_of, target.elts))})"
    return renamed(target.id) if isinstance(target, ast.Name) else ast.unparse(target)


def _loaded(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Attribute):
        return ast.Attribute(node.value, node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(node.value, node.slice, ast.Load())
    return node
