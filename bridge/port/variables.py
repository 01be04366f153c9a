"""The variables of one method in C#: where each is declared, and with which type."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence

import torch

from bridge.port.csharp_types import Untranslatable, csharp_type, renamed
from bridge.port.expressions import Expressions
from bridge.port.members import Constant, Text


class Variables:
    """The lines of a method so far, and its variables."""

    _block: Callable[[Sequence[ast.stmt]], None]

    def __init__(self, expressions: Expressions) -> None:
        self.x = expressions
        self.declared: dict[str, str] = {}
        self.lines: list[str] = []
        self._depth = 0
        self._depths: dict[str, int] = {}
        self._words: dict[str, dict[str, str]] = {}
        #: Tensors that were numbers first: nothing can be added to those in place.
        self._numbers: set[str] = set()

    def _emit(self, line: str) -> None:
        self.lines.append("    " * self._depth + line.replace("\n", "\n" + "    " * self._depth))

    def _nested(self, statements: Sequence[ast.stmt], first: Sequence[str] = ()) -> None:
        if self.x.after:
            raise Untranslatable(statements[0], "a list that is changed in the head of a loop or branch")
        self._emit("{")
        self._depth += 1
        for line in first:
            self._emit(line)
        known = set(self.declared)
        self._block(statements)
        for name in set(self.declared) - known:
            del self.declared[name]
        self._depth -= 1
        self._emit("}")

    def _declare_before(self, statements: Sequence[ast.stmt]) -> None:
        """What is assigned first within an inner block and read outside of it is declared before."""
        self._outer: dict[int, set[str]] = {}
        self._look(statements, set())

    def _look(self, statements: Sequence[ast.stmt], known: set[str]) -> None:
        for position, statement in enumerate(statements):
            inner = inner_blocks(statement)
            if inner:
                stored = {
                    node.id
                    for block in inner
                    for one in block
                    for node in ast.walk(one)
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                }
                later = {
                    node.id
                    for one in statements[position + 1 :]
                    for node in ast.walk(one)
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
                }
                needed = (stored & later) - known
                if isinstance(statement, (ast.For, ast.While)):
                    needed -= {
                        node.id
                        for node in ast.walk(getattr(statement, "target", ast.Pass()))
                        if isinstance(node, ast.Name)
                    }
                self._outer[id(statement)] = needed
                known |= needed
                for block in inner:
                    self._look(block, set(known))
            known |= (
                {
                    node.id
                    for node in ast.walk(statement)
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                }
                if not inner
                else set()
            )

    def carry(self, statement: ast.stmt, taken: Sequence[ast.stmt]) -> None:
        """A branch that the configuration takes stands where its ``if`` stood: what is read after that is declared within."""
        needed = self._outer.get(id(statement), set()) - self.declared.keys()
        for one in taken:
            stored = {
                node.id for node in ast.walk(one) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            if inner_blocks(one):
                self._outer[id(one)] = self._outer.get(id(one), set()) | (needed & stored)
            needed -= stored

    def _before(self, statement: ast.stmt) -> None:
        for name in sorted(self._outer.get(id(statement), ())):
            if name in self.declared or isinstance(self.x.names.get(name), Text):
                continue
            type_ = self._type_of(name, statement)
            self._emit(
                f"{type_} {renamed(name)}{'' if isinstance(statement, ast.If) and statement.orelse else ' = default!'};"
            )
            self._declare(name, Text(renamed(name), type_))

    def _declare(self, name: str, text: Text, inner: int = 0) -> None:
        self.declared[name] = text.type
        self._depths[name] = self._depth + inner
        self.x.names[name] = text

    def _type_of(self, name: str, statement: ast.AST) -> str:
        samples = [
            (seen.sample, node)
            for node, seen in self.x.method.seen.items()
            if isinstance(node, ast.Name) and node.id == name and seen.sample is not None
        ]
        full = [one for one in samples if not isinstance(one[0], (list, dict)) or one[0]]  # an empty one says nothing
        for sample, node in full or samples:
            return csharp_type(sample, node)
        raise Untranslatable(statement, f"the type of {name}")

    def _set(self, name: str, value: Text, node: ast.AST) -> None:
        word = renamed(name)
        known = self.x.names.get(name)
        if name in self.declared or (
            isinstance(known, Text) and name in {one.arg for one in self.x.method.tree.args.args}
        ):
            assert isinstance(known, Text)
            if known.type.endswith("?"):
                (self.x.there.discard if value.type.endswith("?") or value.type == "null" else self.x.there.add)(
                    known.code
                )
            if known.type == "Tensor" and value.type in ("long", "double"):
                self._emit(f"{known.code} = {value.code};")
            elif known.type != value.type and value.type not in (
                f"{known.type}?",
                known.type.removesuffix("?"),
                "null",
            ):
                self._retyped(name, known, value, node)
            elif known.code != value.code:
                self._emit(f"{known.code} = {value.code};")
            return
        if value.type == "null":
            if not self._ever(name):
                self.x.names[name] = Constant(None)
                return
            value = Text("null", f"{self._type_of(name, node)}?")
            self._emit(f"{value.type} {word} = null;")
        else:
            if value.type in ("long", "double") and self._becomes_tensor(name):
                self._emit(f"Tensor {word} = {value.code};")
                self._numbers.add(name)
                self._declare(name, Text(word, "Tensor"))
                return
            # A collection has no type of its own, and var of 0 is an int.
            plain = value.type == "long" and value.code.lstrip("-").isdigit()
            type_ = value.type if plain or value.code.startswith("[") else "var"
            self._emit(f"{type_} {word} = {value.code};")
        self._declare(name, Text(word, value.type))

    def _retyped(self, name: str, known: Text, value: Text, node: ast.AST) -> None:
        """A variable that becomes of another type is another variable of C#."""
        self._words.setdefault(name, {known.type: known.code})
        new = value.type not in self._words[name]
        word = self.other_word(name, value.type, node)
        self._emit(f"{'var ' if new else ''}{word} = {value.code};")
        self._declare(name, Text(word, value.type))

    def other_word(self, name: str, type_: str, node: ast.AST) -> str:
        """What a variable is called as one of another type. Raises Untranslatable where not all that follows would see it."""
        known = self.x.names[name]
        assert isinstance(known, Text)
        if self._depths.get(name, 0) != self._depth:
            raise Untranslatable(node, f"{name} is a {known.type}, and becomes a {type_}")
        words = self._words.setdefault(name, {known.type: known.code})
        ending = {"L": "List", "(": "Tuple", "D": "Values"}.get(type_[0], "Value")
        return words.setdefault(type_, f"{renamed(name)}{ending}")

    def _becomes_tensor(self, name: str) -> bool:
        """Whether a variable that is a number is a tensor in the same places at other times."""
        if any(
            isinstance(node, ast.Name) and node.id == name and "Tensor" in seen.types and seen.types & {"int", "float"}
            for node, seen in self.x.method.seen.items()
        ):
            return True
        inner = [
            node
            for statement in self.x.method.tree.body
            for block in inner_blocks(statement)
            for one in block
            for node in ast.walk(one)
        ]
        changes: list[ast.Assign | ast.AugAssign] = [
            node for node in ast.walk(self.x.method.tree) if isinstance(node, ast.AugAssign)
        ]
        changes += [node for node in inner if isinstance(node, ast.Assign)]
        return any(
            isinstance(target, ast.Name) and target.id == name and self.x.seen(node.value).types == {"Tensor"}
            for node in changes
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        )

    def _ever(self, name: str) -> bool:
        """Whether the name was ever anything but None."""
        return any(
            isinstance(node, ast.Name) and node.id == name and seen.types - {"NoneType"}
            for node, seen in self.x.method.seen.items()
        )

    def _settled(self, name: str, value: ast.expr) -> bool:
        """Whether a variable needs none in C#: it is a function that the configuration chooses, or what it always was is known."""
        seen = self.x.seen(value)
        if seen.values and all(isinstance(one, (types.FunctionType, types.BuiltinFunctionType)) for one in seen.values):
            return True
        found = self.x.constant(value)
        if found is None or self._depth or name in self.declared:
            return False
        if isinstance(found.value, (int, float, str, torch.dtype)) and not isinstance(found.value, bool):
            return False
        if isinstance(found.value, (tuple, list)) and found.value:
            return False
        if found.value is None or isinstance(found.value, bool):
            kinds = {kind for node, one in self.x.method.seen.items() if _is_name(node, name) for kind in one.types}
            truths = {truth for node, one in self.x.method.seen.items() if _is_name(node, name) for truth in one.truths}
            if kinds - {type(found.value).__name__} or len(truths) > 1:
                known = self.x.names.get(name)
                if not isinstance(known, Constant) or truths - {bool(found.value)}:
                    return False
        self.x.names[name] = found
        return True


def inner_blocks(statement: ast.stmt) -> list[Sequence[ast.stmt]]:
    """The blocks of a compound statement."""
    if isinstance(statement, (ast.Try, ast.With)):
        return [statement.body]
    if isinstance(statement, (ast.If, ast.For, ast.While)):
        return [block for block in (statement.body, statement.orelse) if block]
    return []


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
