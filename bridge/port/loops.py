"""Loops."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torch import nn

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
            down = len(ends) == 3 and ends[2].startswith("-")
            if len(ends) == 3 and not down and self.x.constant(source.args[2]) is None:
                raise Untranslatable(node, f"'{ast.unparse(source)}', whose step is no constant")
            step = f"{word} += {ends[2]}" if len(ends) == 3 else f"{word}++"
            step = f"{word}--" if step.endswith(" += -1") else step.replace(" += -", " -= ")
            declared = "var" if start.lstrip("-").isdigit() else "long"
            self._emit(f"for ({declared} {word} = {start}; {word} {'>' if down else '<'} {stop}; {step})")
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
        elif isinstance(target, ast.Tuple) and (made := self._of_modules(node, target)) is not None:
            word, code, lines, known = made
            self._emit(f"foreach (var {word} in {code})")
            self._loop(node, known, lines)
        else:
            text, element = self.x.walked(source)
            if name == "enumerate" and isinstance(target, ast.Tuple):
                target = ast.copy_location(ast.Tuple(list(reversed(target.elts)), ast.Store()), target)
            found = self._pattern(target, element, node)
            self._emit(f"foreach (var {shape_of(target)} in {text.code})")
            self._loop(node, found)

    def _of_modules(self, node: ast.For, target: ast.Tuple) -> tuple[str, str, list[str], dict[str, Text]] | None:
        """A list of lists of modules, each of which is taken apart: ``for block, down in self.downs``."""
        kind = next(iter(self.x.seen(node.iter).values), None)
        lists = list(kind) if isinstance(kind, nn.ModuleList) else []
        rows = [list(one.children()) for one in lists if isinstance(one, nn.ModuleList)]
        if not rows or len(rows) < len(lists) or {len(one) for one in rows} != {len(target.elts)}:
            return None
        text, element = self.x.walked(node.iter)
        word = "modules" if "modules" not in self.declared else "those"
        lines, known = [], {}
        for place, one in enumerate(target.elts):
            if not isinstance(one, ast.Name):
                raise Untranslatable(node, f"'{ast.unparse(target)}'")
            made = self.x.as_common(
                [row[place] for row in rows], Text(f"{word}[{place}]", element[len("ModuleList<") : -1])
            )
            known[one.id] = Text(renamed(one.id), made.type)
            if one.id != "_":
                lines.append(f"var {renamed(one.id)} = {made.code};")
        return word, text.code, lines, known

    def _entries(self, source: ast.expr) -> Text | None:
        """The children of the class itself, where it is a list or dictionary of modules and walks over itself."""
        function = source.func if isinstance(source, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.attr in ("items", "values", "children", "named_children"):
            source = function.value
        if ast.unparse(source) == f"{self.x.self}._modules":
            source = ast.copy_location(ast.Name(self.x.self, ast.Load()), source)
        if not (isinstance(source, ast.Name) and source.id == self.x.self and self.x.self):
            return None
        found = self.x.attribute(ast.copy_location(ast.Attribute(source, ENTRIES, ast.Load()), source))
        return found if isinstance(found, Text) and found.type.startswith("(string name, ") else None

    def _is_read(self, name: str, statements: Sequence[ast.stmt]) -> bool:
        return any(isinstance(node, ast.Name) and node.id == name for one in statements for node in ast.walk(one))

    def _loop(self, node: ast.For, names: dict[str, Text], first: Sequence[str] = ()) -> None:
        for name, text in names.items():
            self._declare(name, text, inner=1)
        self._nested(node.body, first)

    def _while(self, node: ast.While) -> None:
        self._before(node)
        self._emit(f"while ({self.x.condition(node.test).code})")
        self._nested(node.body)
