"""Loops."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from bridge.port.assigning import Assigning, shape_of
from bridge.port.csharp_types import Untranslatable, parts, renamed
from bridge.port.members import Text
from bridge.port.scope import ENTRIES


class Loops(Assigning):
    """Translates ``for`` and ``while``."""

    def _for(self, node: ast.For) -> None:
        if node.orelse:
            raise Untranslatable(node, "an else of a loop")
        self._before(node)
        source, target = node.iter, node.target
        name = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
        if name == "range" and isinstance(target, ast.Name) and isinstance(source, ast.Call):
            ends = [self.x.text(one).code for one in source.args]
            word = renamed(target.id)
            start, stop = ("0", ends[0]) if len(ends) == 1 else ends[:2]
            step = f"{word} += {ends[2]}" if len(ends) == 3 else f"{word}++"
            self._emit(f"for (var {word} = {start}; {word} < {stop}; {step})")
            self._loop(node, {target.id: Text(word, "long")})
        elif (entries := self._entries(source)) is not None:
            names = (
                [one.id for one in target.elts if isinstance(one, ast.Name)] if isinstance(target, ast.Tuple) else []
            )
            if isinstance(target, ast.Name):
                names = ["_", target.id]
            element = parts(entries.type[1:-3])[1].rpartition(" ")[0]
            words = [renamed(one) if self._is_read(one, node.body) else "_" for one in names]
            self._emit(f"foreach (var ({', '.join(words)}) in {entries.code})")
            self._loop(node, {names[0]: Text(words[0], "string"), names[1]: Text(words[1], element)})
        elif name == "enumerate" and isinstance(target, ast.Tuple) and isinstance(source, ast.Call):
            number, item = target.elts
            if not isinstance(number, ast.Name) or not isinstance(item, ast.Name):
                raise Untranslatable(node, f"'{ast.unparse(target)}'")
            inner = source.args[0]
            source_text = f"{self.x.text(inner).at(16)}.Select((one, number) => (one, (long)number))"
            self._emit(f"foreach (var ({renamed(item.id)}, {renamed(number.id)}) in {source_text})")
            self._loop(
                node,
                {number.id: Text(renamed(number.id), "long"), item.id: Text(renamed(item.id), self.x.element(inner))},
            )
        else:
            if name == "zip" and isinstance(source, ast.Call):
                walked = [self.x.text(one).at(16) for one in source.args]
                code = f"{walked[0]}.Zip({', '.join(walked[1:])})"
                element = f"({', '.join(map(self.x.element, source.args))})"
            else:
                code, element = self.x.text(source).code, self.x.element(source)
            found = self._pattern(target, element, node)
            self._emit(f"foreach (var {shape_of(target)} in {code})")
            self._loop(node, found)

    def _entries(self, source: ast.expr) -> Text | None:
        """The children of the class itself, where it is a list or dictionary of modules and walks over itself."""
        function = source.func if isinstance(source, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.attr in ("items", "values", "children", "named_children"):
            source = function.value
        if not (isinstance(source, ast.Name) and source.id == self.x.self and self.x.self):
            return None
        found = self.x.attribute(ast.copy_location(ast.Attribute(source, ENTRIES, ast.Load()), source))
        return found if isinstance(found, Text) and found.type.startswith("(string name, ") else None

    def _is_read(self, name: str, statements: Sequence[ast.stmt]) -> bool:
        return any(isinstance(node, ast.Name) and node.id == name for one in statements for node in ast.walk(one))

    def _loop(self, node: ast.For, names: dict[str, Text]) -> None:
        for name, text in names.items():
            self._declare(name, text, inner=1)
        self._nested(node.body)

    def _while(self, node: ast.While) -> None:
        self._before(node)
        self._emit(f"while ({self.x.condition(node.test).code})")
        self._nested(node.body)
