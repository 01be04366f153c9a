"""Assignments: to names, tuples, entries and attributes."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torch import nn

from bridge.port.csharp_types import Untranslatable, parts, renamed
from bridge.port.members import Constant, Text, fit
from bridge.port.variables import Variables
from bridge.port.watched import Seen, kind

_IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}
_SIGNS = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/=", ast.FloorDiv: "/=", ast.Mod: "%="}


class Assigning(Variables):
    """Translates assignments."""

    def _assign(self, node: ast.Assign) -> None:
        first, *others = reversed(node.targets)
        if others and not isinstance(first, ast.Name):
            raise Untranslatable(node, "several targets of one assignment, of which the last is no name")
        self._assigned(first, node.value, node)
        for one in others:
            assert isinstance(first, ast.Name)
            self._assigned(one, self._read(first, node.value), node)

    def _read(self, name: ast.Name, value: ast.expr) -> ast.Name:
        """The variable that was assigned just now."""
        made = ast.copy_location(ast.Name(name.id, ast.Load()), name)
        self.x.method.seen[made] = self.x.seen(value)
        return made

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assigned(node.target, node.value, node)

    def _assigned(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> None:
        if self._of_lstm(value):
            self._from_lstm(target, value, node)
        elif isinstance(target, ast.Name) and _is_empty(value) and self._is_filled(target.id):
            type_ = self._type_of(target.id, node)
            self._set(target.id, Text(f"new {type_}()", type_), node)
        elif isinstance(target, ast.Name):
            if not self._settled(target.id, value):
                rows = (
                    self.x.rows(value) if isinstance(value, (ast.Tuple, ast.List)) and self._walked(target.id) else None
                )
                text = rows or self._sizes(target.id, value)
                self._set(target.id, text or self.x.text(value), node)
        elif isinstance(target, (ast.Tuple, ast.List)) and all(isinstance(one, ast.Name) for one in target.elts):
            self._unpacked([one.id for one in target.elts if isinstance(one, ast.Name)], value, node)
        elif isinstance(target, (ast.Tuple, ast.List)) and any(isinstance(one, ast.Starred) for one in target.elts):
            self._starred(target, value, node)
        elif isinstance(target, (ast.Tuple, ast.List)) and self._apart(target, value, node):
            return
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
        elif isinstance(target, ast.Attribute) and ast.unparse(target.value) == self.x.self != "":
            text = self.x.text(value)
            word = self.x.keep(target, text)
            hidden = word in map(renamed, self.x.assigned)
            self._emit(f"{'this.' if hidden else ''}{word} = {text.code};")
        else:
            raise Untranslatable(node, f"an assignment to '{ast.unparse(target)}'")

    def _is_filled(self, name: str) -> bool:
        """Whether something is put into a list or dictionary that is empty at first."""
        for node in ast.walk(self.x.method.tree):
            changed = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            changed = changed or (isinstance(node, ast.Attribute) and node.attr in ("append", "extend", "insert"))
            owner = node.value if isinstance(node, (ast.Subscript, ast.Attribute)) and changed else None
            if isinstance(owner, ast.Name) and owner.id == name and self.x.seen(owner).types:
                return True
        return isinstance(self.x.names.get(name), Text)

    def _apart(self, target: ast.Tuple | ast.List, value: ast.expr, node: ast.stmt) -> bool:
        """``x, self.seen = …``: what is no name gets a variable first."""
        if all(isinstance(one, (ast.Name, ast.Tuple, ast.List)) for one in target.elts):
            return False
        sample = self.x.seen(value).sample
        if not isinstance(sample, (tuple, list)) or len(sample) != len(target.elts):
            return False
        names: list[ast.expr] = []
        rest = []
        for one, part in zip(target.elts, sample, strict=True):
            name = one
            if not isinstance(one, ast.Name):
                name = ast.copy_location(ast.Name(self._fresh(one), ast.Store()), one)
                read = ast.copy_location(ast.Name(name.id, ast.Load()), one)
                self.x.method.seen[read] = Seen({kind(part)}, sample=part)
                rest.append((one, read))
            names.append(name)
        self._assigned(ast.copy_location(ast.Tuple(names, ast.Store()), target), value, node)
        for one, read in rest:
            self._assigned(one, read, node)
        return True

    def _fresh(self, target: ast.expr) -> str:
        """A name for what is assigned to something that is no variable."""
        word = target.attr if isinstance(target, ast.Attribute) else "value"
        taken = {node.id for node in ast.walk(self.x.method.tree) if isinstance(node, ast.Name)} | set(self.declared)
        name = f"its{word.lstrip('_')[:1].upper()}{word.lstrip('_')[1:]}"
        return name if name not in taken else f"{name}2"

    def _starred(self, target: ast.Tuple | ast.List, value: ast.expr, node: ast.stmt) -> None:
        """``b, c, *_ = x.shape``: what has a star is not read, or a list of the rest."""
        source = self.x.text(value)
        if source.type.startswith("(") or not source.code.isidentifier():
            element = parts(source.type[1:-1])[0] if source.type.startswith("(") else self.x.element(value)
            if source.type.startswith("("):
                raise Untranslatable(node, f"'{ast.unparse(target)}' for a {source.type}")
            holder = "shape" if source.type == "long[]" and "shape" not in self.declared else self._fresh(target)
            ending = ".ToList()" if source.type.startswith("IEnumerable<") else ""
            self._emit(f"var {holder} = {source.code}{ending};")
            self.declared[holder] = source.type
            source = Text(holder, source.type)
        else:
            element = self.x.element(value)
        place = next(number for number, one in enumerate(target.elts) if isinstance(one, ast.Starred))
        for number, one in enumerate(target.elts):
            inner = one.value if isinstance(one, ast.Starred) else one
            if not isinstance(inner, ast.Name):
                raise Untranslatable(node, f"'{ast.unparse(target)}'")
            if inner.id == "_":
                continue
            left = len(target.elts) - number
            if isinstance(one, ast.Starred):
                end = f"^{left - 1}" if left > 1 else ""
                rest = f"{source.code}.Take({number}..{end}).ToList()"
                self._set(inner.id, Text(rest, f"List<{element}>"), node)
            else:
                self._set(inner.id, Text(f"{source.code}[{number if number < place else f'^{left}'}]", element), node)

    def _of_lstm(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Call) and isinstance(next(iter(self.x.seen(value.func).values), None), nn.LSTM)

    def _from_lstm(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> None:
        """What an LSTM gives: in C# three values, of which Python has two in a tuple of their own."""
        every = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        whole = target.id if isinstance(target, ast.Name) else "output"
        output = every[0] if every else ast.Name(f"{whole}Steps", ast.Store())
        state = every[1] if len(every) == 2 else None
        pair = state.elts if isinstance(state, (ast.Tuple, ast.List)) else []
        if not isinstance(output, ast.Name) or not all(isinstance(one, ast.Name) for one in pair):
            raise Untranslatable(node, f"'{ast.unparse(target)}' of an LSTM")
        names = [one.id for one in (output, *pair) if isinstance(one, ast.Name)]
        if not pair:
            apart = isinstance(state, ast.Name) and state.id == "_"
            stem = state.id if isinstance(state, ast.Name) else whole
            names += ["_", "_"] if apart else [f"{stem}Hidden", f"{stem}Cell"]
        self._deconstruct(names, self.x.text(value), node)
        if not pair and names[1] != "_":
            both = Text(f"({names[1]}, {names[2]})", "(Tensor, Tensor)")
            if isinstance(state, ast.Name):
                self._set(state.id, both, node)
            else:
                self._set(whole, Text(f"({names[0]}, {both.code})", f"(Tensor, {both.type})"), node)

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
            self._deconstruct(names, source, node)
        else:
            types = [self.x.element(value) if source.type != "Tensor" else "Tensor"] * len(names)
            if source.type.startswith("IEnumerable<"):
                source = Text(f"{source.at(16)}.ToList()", f"List<{types[0]}>")
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

    def _deconstruct(self, names: Sequence[str], source: Text, node: ast.AST) -> None:
        """``var (a, b) = source;``, where ``source`` is a tuple of C#."""
        words = [renamed(name) if name != "_" else "_" for name in names]
        types = parts(source.type[1:-1])
        if len(types) != len(names):
            raise Untranslatable(node, f"{len(names)} names for {source.type}")
        new = [name not in self.declared and not isinstance(self.x.names.get(name), Text) for name in names]
        for place, (name, type_) in enumerate(zip(names, types, strict=True)):
            known = self.x.names.get(name)
            if not new[place] and isinstance(known, Text) and known.type.removesuffix("?") != type_.removesuffix("?"):
                words[place], new[place] = self.other_word(name, type_, node), True
        targets = [f"var {word}" if fresh and word != "_" else word for word, fresh in zip(words, new, strict=True)]
        left = f"var ({', '.join(words)})" if all(new) else f"({', '.join(targets)})"
        self._emit(f"{left} = {source.code};")
        for name, word, type_ in zip(names, words, types, strict=True):
            known = self.x.names.get(name)
            if name != "_" and isinstance(known, Text) and (known.code, known.type) == (word, f"{type_}?"):
                self.x.there.add(word)  # it stays a variable that may be null, and is not
            elif name != "_":
                self._declare(name, Text(word, type_))

    def _augassign(self, node: ast.AugAssign) -> None:
        target = ast.copy_location(_loaded(node.target), node.target)
        if isinstance(node.target, ast.Name):
            known = self.x.names.get(node.target.id)
            if isinstance(known, Constant) and not self._depth:
                both = ast.copy_location(ast.BinOp(ast.Constant(known.value), node.op, node.value), node)
                if (found := self.x.constant(both)) is not None:
                    self.x.names[node.target.id] = found
                    return
            left = known if isinstance(known, Text) else None
        else:
            left = self.x.text(target)
        if left is None:
            raise Untranslatable(node, f"'{ast.unparse(node)}'")
        alone = isinstance(node.target, ast.Subscript)  # what an index of tensors gives is a copy, which is put back
        alone = alone or (isinstance(node.target, ast.Name) and node.target.id in self._numbers)
        if left.type == "Tensor" and type(node.op) in _IN_PLACE and alone:
            self._emit(f"{left.at(16)} {_SIGNS[type(node.op)]} {self.x.text(node.value).code};")
        elif left.type.startswith("List<") and isinstance(node.op, ast.Add):
            self._emit(f"{left.at(16)}.AddRange({self.x.text(node.value).code});")
        elif left.type == "Tensor" and type(node.op) in _IN_PLACE:
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


def _is_empty(value: ast.expr) -> bool:
    """``[]``, ``{}``, ``list()``, ``dict()``"""
    if isinstance(value, ast.Call):
        return ast.unparse(value) in ("list()", "dict()", "OrderedDict()")
    return (isinstance(value, ast.List) and not value.elts) or (isinstance(value, ast.Dict) and not value.keys)


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
