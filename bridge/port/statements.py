"""Statements of Python as lines of C#, and whole methods."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence

import torch

from bridge.port.comments import Comments
from bridge.port.csharp_types import Untranslatable, csharp_type, joined, parts, renamed
from bridge.port.expressions import Expressions
from bridge.port.members import Constant, Text, fit
from bridge.port.scope import ENTRIES

_IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
_SIGNS = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/=", ast.FloorDiv: "/=", ast.Mod: "%="}


class Statements:
    """Translates the body of one function to lines, each indented from nothing."""

    def __init__(self, expressions: Expressions) -> None:
        self.x = expressions
        self.declared: dict[str, str] = {}
        self.lines: list[str] = []
        self._results: list[str] = []
        self._depth = 0
        self._comments = Comments(expressions.method)
        self._depths: dict[str, int] = {}
        self._words: dict[str, dict[str, str]] = {}

    def body(self, statements: Sequence[ast.stmt]) -> list[str]:
        """The lines of a function's body. Raises Untranslatable."""
        self._declare_before(statements)
        self._block(statements)
        return self.lines

    @property
    def result(self) -> str:
        """The type of what is returned: object where these are tensors and something else."""
        return (joined(self._results) or "object") if self._results else ""

    def _emit(self, line: str) -> None:
        self.lines.append("    " * self._depth + line.replace("\n", "\n" + "    " * self._depth))

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            written = len(self.lines)
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                raise Untranslatable(statement, f"no translation of {type(statement).__name__}")
            method(statement)
            self._comment(statement, written)
            if (
                isinstance(statement, ast.If)
                and self.x.constant(statement.test) is not None
                and _ends(self._taken(statement))
            ):
                return

    def _comment(self, statement: ast.stmt, written: int) -> None:
        """Lays the comments above and beside a statement above and beside the lines that it became, if it became any."""
        if written == len(self.lines):
            return
        space = self.lines[written][: len(self.lines[written]) - len(self.lines[written].lstrip())]
        above, beside = self._comments.of(statement)
        if beside and not _inner(statement) and "\n" not in self.lines[written]:
            self.lines[written] += f" // {beside}"
        elif beside:
            above = [*above, beside]
        self.lines[written:written] = [f"{space}// {one}" for one in above]

    def _nested(self, statements: Sequence[ast.stmt]) -> None:
        self._emit("{")
        self._depth += 1
        known = set(self.declared)
        self._block(statements)
        for name in set(self.declared) - known:
            del self.declared[name]
        self._depth -= 1
        self._emit("}")

    # -- Declarations ---------------------------------------------------------------------------------------------------

    def _declare_before(self, statements: Sequence[ast.stmt]) -> None:
        """What is assigned first within an inner block and read outside of it is declared before."""
        self._outer: dict[int, set[str]] = {}
        self._look(statements, set())

    def _look(self, statements: Sequence[ast.stmt], known: set[str]) -> None:
        for position, statement in enumerate(statements):
            inner = _inner(statement)
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
        for node, seen in self.x.method.seen.items():
            if isinstance(node, ast.Name) and node.id == name and seen.sample is not None:
                return csharp_type(seen.sample, node)
        raise Untranslatable(statement, f"the type of {name}")

    def _set(self, name: str, value: Text, node: ast.AST) -> None:
        word = renamed(name)
        known = self.x.names.get(name)
        if name in self.declared or (
            isinstance(known, Text) and name in {one.arg for one in self.x.method.tree.args.args}
        ):
            assert isinstance(known, Text)
            if known.type != value.type and value.type not in (f"{known.type}?", known.type.removesuffix("?"), "null"):
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
            # A collection has no type of its own, and var of 0 is an int.
            plain = value.type == "long" and value.code.lstrip("-").isdigit()
            type_ = value.type if plain or value.code.startswith("[") else "var"
            self._emit(f"{type_} {word} = {value.code};")
        self._declare(name, Text(word, value.type))

    def _retyped(self, name: str, known: Text, value: Text, node: ast.AST) -> None:
        """A variable that becomes of another type is another variable of C#, if all that follows sees it."""
        if self._depths.get(name, 0) != self._depth:
            raise Untranslatable(node, f"{name} is a {known.type}, and becomes a {value.type}")
        words = self._words.setdefault(name, {known.type: known.code})
        if value.type in words:
            self._emit(f"{words[value.type]} = {value.code};")
        else:
            ending = {"L": "List", "(": "Tuple", "D": "Values"}.get(value.type[0], "Value")
            words[value.type] = f"{renamed(name)}{ending}"
            self._emit(f"var {words[value.type]} = {value.code};")
        self._declare(name, Text(words[value.type], value.type))

    def _ever(self, name: str) -> bool:
        """Whether the name was ever anything but None."""
        return any(
            isinstance(node, ast.Name) and node.id == name and seen.types - {"NoneType"}
            for node, seen in self.x.method.seen.items()
        )

    # -- Statements -----------------------------------------------------------------------------------------------------

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
            self._emit(f"var {_shape(target)} = {source.code};")
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

    def _taken(self, node: ast.If) -> Sequence[ast.stmt]:
        found = self.x.constant(node.test)
        return node.body if found is not None and found.value else node.orelse

    def _if(self, node: ast.If) -> None:
        if self.x.constant(node.test) is not None:
            self._block(self._taken(node))
            return
        if _only_raises(node.body) and not node.orelse:
            return
        self._before(node)
        self._emit(f"if ({self.x.condition(node.test).code})")
        self._nested(node.body)
        if node.orelse:
            self._emit("else")
            self._nested(node.orelse)

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
            self._emit(f"foreach (var {_shape(target)} in {code})")
            self._loop(node, found)

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

    def _return(self, node: ast.Return) -> None:
        if node.value is None:
            self._emit("return;")
            return
        text = self.x.text(node.value)
        self._results.append(text.type)
        self._emit(f"return {text.code};")

    def _expr(self, node: ast.Expr) -> None:
        if self.x.constant(node.value) is not None:
            return
        called = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
        if called.rpartition(".")[2] in ("_assert", "_log_api_usage_once", "warn", "print", "check"):
            return
        self._emit(f"{self.x.text(node.value).code};")

    def _assert(self, node: ast.Assert) -> None:
        """What the original asserts, its caller keeps to."""

    def _pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def _raise(self, node: ast.Raise) -> None:
        raise Untranslatable(node, f"'{ast.unparse(node)}' would be reached")

    def _break(self, node: ast.Break) -> None:
        self._emit("break;")

    def _continue(self, node: ast.Continue) -> None:
        self._emit("continue;")


def _inner(statement: ast.stmt) -> list[Sequence[ast.stmt]]:
    if isinstance(statement, (ast.If, ast.For, ast.While)):
        return [block for block in (statement.body, statement.orelse) if block]
    return []


def _shape(target: ast.expr) -> str:
    """A target as it stands in a deconstruction."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return f"({', '.join(map(_shape, target.elts))})"
    return renamed(target.id) if isinstance(target, ast.Name) else ast.unparse(target)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _ends(statements: Sequence[ast.stmt]) -> bool:
    return bool(statements) and isinstance(statements[-1], (ast.Return, ast.Raise))


def _only_raises(statements: Sequence[ast.stmt]) -> bool:
    return isinstance(statements[-1], ast.Raise)


def _loaded(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Attribute):
        return ast.Attribute(node.value, node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(node.value, node.slice, ast.Load())
    return node
