"""Expressions of Python as expressions of C#, with the types that one run showed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import torch
from torch import nn

from bridge.port.calls import Calls
from bridge.port.constants import written
from bridge.port.csharp_types import Untranslatable, is_record, names_of, parts, renamed
from bridge.port.dictionaries import values_of
from bridge.port.members import Argument, Constant, Many, Text, fit

_ARITHMETIC: Final[dict[type, tuple[str, int]]] = {
    ast.Add: ("+", 11), ast.Sub: ("-", 11), ast.Mult: ("*", 12), ast.Div: ("/", 12), ast.FloorDiv: ("/", 12), ast.Mod: ("%", 12),
    ast.BitAnd: ("&", 7), ast.BitOr: ("|", 5), ast.BitXor: ("^", 6),
}  # fmt: skip
_COMPARED: Final[dict[type, tuple[str, int]]] = {
    ast.Lt: ("<", 9), ast.LtE: ("<=", 9), ast.Gt: (">", 9), ast.GtE: (">=", 9), ast.Eq: ("==", 8), ast.NotEq: ("!=", 8),
}  # fmt: skip
_TENSOR_OPERATORS: Final = {ast.MatMult: "matmul", ast.Pow: "pow", ast.FloorDiv: "floor_divide"}
_COMPARISONS: Final = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_PROPERTIES: Final = {
    "shape": "long[]",
    "dtype": "ScalarType",
    "device": "Device",
    "T": "Tensor",
    "mT": "Tensor",
    "H": "Tensor",
    "ndim": "long",
    "data": "Tensor",
    "real": "Tensor",
    "imag": "Tensor",
}


_CONTAINERS: Final = frozenset({"Sequential", "Module", "Module<Tensor, Tensor>"})


class Expressions(Calls):
    """Translates the expressions of one function."""

    def argument(self, node: ast.expr) -> Argument:
        """An expression that stands as an argument."""
        found = self.constant(node)
        if found is not None:
            return found
        if isinstance(node, (ast.Tuple, ast.List)) and not any(isinstance(one, ast.Starred) for one in node.elts):
            return Many(tuple(map(self.argument, node.elts)))
        return self.text(node)

    def text(self, node: ast.expr) -> Text:
        """An expression as C#. Raises Untranslatable."""
        found = self.constant(node)
        if found is not None and not isinstance(node, ast.Dict):
            return written(found, node)
        method: Callable[[Any], Text] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            kind = "an f-string" if isinstance(node, ast.JoinedStr) else type(node).__name__
            raise Untranslatable(node, f"no translation of {kind}: {ast.unparse(node)}")
        return method(node)

    def condition(self, node: ast.expr) -> Text:
        """An expression that is tested."""
        found = self.constant(node)
        if found is not None:
            return Text("true" if found.value else "false", "bool")
        text = self.text(node)
        if text.type == "bool":
            return text
        if text.type == "long":
            return Text(f"{text.at(9)} != 0", "bool", 8)
        if text.type == "Tensor":  # of one element
            return Text(f"{text.at(16)}.ToBoolean()", "bool")
        if text.type.endswith("?") and text.type not in ("bool?", "long?", "double?"):
            return Text(f"{text.at(9)} is not null", "bool", 9)
        raise Untranslatable(node, f"'{ast.unparse(node)}' is tested, and is a {text.type}")

    def _constant(self, node: ast.Constant) -> Text:
        return self.standing[node]

    def _name(self, node: ast.Name) -> Text:
        known = self.names.get(node.id)
        if isinstance(known, Text) and known.type.endswith(")?") and known.code in self.there:  # a value, as tuples are
            return Text(f"{known.code}.Value", known.type[:-1])
        if isinstance(known, Text):
            return known
        raise Untranslatable(node, f"the name {node.id}")

    def _attribute(self, node: ast.Attribute) -> Text:
        if isinstance(node.value, ast.Name) and node.value.id == self.self and self.self:
            if node.attr == "training":
                return Text("training", "bool")
            found = self.attribute(node)
            if isinstance(found, Text):
                hidden = found.code in map(renamed, self.assigned)  # a variable has the field's name
                return Text(f"this.{found.code}", found.type) if hidden else found
            raise Untranslatable(node, f"self.{node.attr} is a {type(found).__name__}")
        value = self.text(node.value)
        value = Text(self.receiver(value), value.type.removesuffix("?"))
        if is_record(result := self.seen(node.value).sample):
            return self._of_record(node, value, names_of(result).index(node.attr))
        if value.type in ("Tensor", "Parameter") and node.attr in _PROPERTIES:
            return Text(f"{value.at(16)}.{node.attr}", _PROPERTIES[node.attr])
        fields = getattr(next(iter(self.seen(node.value).values), None), "_fields", ())
        if value.type.startswith("(") and node.attr in fields:  # a named tuple's
            place = fields.index(node.attr)
            return Text(f"{value.at(16)}.Item{place + 1}", parts(value.type[1:-1])[place])
        if value.type == "ParameterDict":
            return Text(f'{value.at(16)}["{node.attr}"]', "Parameter")
        if "Module" in self.seen(node.value).types and isinstance(self.seen(node).sample, torch.Tensor):
            return Text(f"{value.at(16)}.{node.attr}", "Tensor")
        modules = [one for one in self.seen(node).values if isinstance(one, nn.Module)]
        if modules and value.type in {self.type_of_module(one) for one in self.seen(node.value).values} - _CONTAINERS:
            return Text(f"{value.at(16)}.{node.attr}", self.type_of_module(modules[0]))
        if value.type == "Sequential" or value.type.startswith("ModuleDict<"):
            return self._child(node, node.attr, value)
        kinds = self.seen(node).types
        if node.attr in ("weight", "bias") and kinds <= {"NoneType"} and value.type[:1].isupper():  # a layer's
            return Text(f"{value.at(16)}.{node.attr}", "Tensor?" if kinds else "Tensor")
        raise Untranslatable(node, f"the attribute {node.attr} of a {value.type}")

    def _child(self, node: ast.Attribute | ast.Subscript, name: str, value: Text) -> Text:
        """A child of nn.Sequential by its name: in C# by its place."""
        every = [list(getattr(one, "_modules", ())) for one in self.seen(node.value).values]
        if not every or name not in every[0] or every.count(every[0]) != len(every):
            raise Untranslatable(node, f"'{name}' of a {value.type}")
        if value.type.startswith("ModuleDict<"):
            return self.as_seen(node, Text(f'{value.at(16)}["{name}"]', value.type[len("ModuleDict<") : -1]))
        return Text(f"{value.at(16)}[{every[0].index(name)}]", "Module<Tensor, Tensor>")

    def as_seen(self, node: ast.expr, made: Text) -> Text:
        """A module of a collection as what it is, where the collection is of modules of several kinds."""
        return self.as_common([one for one in self.seen(node).values if isinstance(one, nn.Module)], made)

    def as_common(self, modules: Sequence[nn.Module], made: Text) -> Text:
        """One of these modules, which stand at one place, as what it is."""
        kinds = {self.type_of_module(one) for one in modules}
        if made.type != "Module" or len(kinds) != 1 or (kind := kinds.pop()) == made.type:
            return made
        return Text(f"({kind}){made.at(15)}", kind, 14)

    def _of_record(self, node: ast.expr, value: Text, place: int) -> Text:
        """A part of a result whose parts have names; of one part alone, that is the result itself."""
        if not value.type.startswith("("):
            return value
        return Text(f"{value.at(16)}.Item{place + 1}", parts(value.type[1:-1])[place])

    def _binop(self, node: ast.BinOp) -> Text:
        tensor = "Tensor" in self.seen(node).types
        if not self.seen(node).types and self.constant(node) is None:  # never reached: by its parts
            tensor = "Tensor" in (self.text(node.left).type, self.text(node.right).type)
        if tensor and type(node.op) in _TENSOR_OPERATORS:
            left, right = self.text(node.left), self.argument(node.right)
            if left.type != "Tensor" and isinstance(node.op, ast.Pow) and self.seen(node.right).shape:
                return Text(f"torch.pow(torch.tensor({left.code}), {self.text(node.right).code})", "Tensor")
            if left.type != "Tensor":
                raise Untranslatable(node, f"'{ast.unparse(node)}' with a number on its left")
            word = fit(right, "Scalar") or fit(right, "Tensor")
            return Text(f"{left.at(16)}.{_TENSOR_OPERATORS[type(node.op)]}({word})", "Tensor")
        if isinstance(node.op, ast.Pow):
            power = Text(f"Math.Pow({self.text(node.left).code}, {self.text(node.right).code})", "double")
            return Text(f"(long){power.code}", "long", 14) if self.type(node) == "long" else power
        if type(node.op) not in _ARITHMETIC:
            raise Untranslatable(node, f"the operator in '{ast.unparse(node)}'")
        sign, level = _ARITHMETIC[type(node.op)]
        if isinstance(node.op, ast.Add) and self._is_shape(node):
            return self.spread([*self._ends_of(node.left), *self._ends_of(node.right)])
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Tuple) and len(node.left.elts) == 1:
            one, count = self.text(node.left.elts[0]), self.text(node.right)
            number = f"{one.code}L" if one.code.isdigit() else one.code
            if one.type == count.type == "long":
                return Text(f"Enumerable.Repeat({number}, (int){count.at(15)}).ToArray()", "long[]")
        left, right = self.text(node.left), self.text(node.right)
        if left.type in ("Tensor?", "Parameter?"):
            left = Text(self.receiver(left), "Tensor")
        if right.type in ("Tensor?", "Parameter?"):
            right = Text(self.receiver(right), "Tensor")
        if left.type.startswith("List<"):
            return self.joined_lists(node, left, right)
        type_ = "Tensor" if tensor else self.type(node)
        if isinstance(node.op, ast.Div) and {left.type, right.type} == {"long"}:
            left = Text(f"(double){left.at(15)}", "double", 14)
        if (
            isinstance(node.op, (ast.FloorDiv, ast.Mod))
            and not tensor
            and (floored := self._floored(node, left, right))
        ):
            return floored
        if type_ not in ("Tensor", "long", "double", "string", "int"):
            raise Untranslatable(node, f"'{ast.unparse(node)}' is a {type_}")
        return Text(f"{left.at(level)} {sign} {right.at(level + 1)}", type_, level)

    def _floored(self, node: ast.BinOp, left: Text, right: Text) -> Text | None:
        """``//`` and ``%`` of numbers that may be negative or no whole numbers: C# cuts where Python goes down."""
        seen = [*self.seen(node.left).values, *self.seen(node.right).values]
        if all(isinstance(one, int) and one >= 0 for one in seen) and "double" not in (left.type, right.type):
            return None
        if isinstance(node.op, ast.Mod):
            return Text(f"(({left.at(12)} % {right.at(13)}) + {right.at(11)}) % {right.at(13)}", self.type(node), 12)
        floor = f"Math.Floor({'' if left.type == 'double' else '(double)'}{left.at(15)} / {right.at(13)})"
        return Text(floor, "double") if self.type(node) == "double" else Text(f"(long){floor}", "long", 14)

    def _is_shape(self, node: ast.expr) -> bool:
        sample = self.seen(node).sample
        return isinstance(sample, tuple) and bool(sample) and all(type(one) is int for one in sample)

    def _ends_of(self, node: ast.expr) -> list[ast.expr]:
        """What a part of a shape is put together of: ``(-1,)``, or another shape, spread."""
        if isinstance(node, ast.Tuple):
            return node.elts
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return [*self._ends_of(node.left), *self._ends_of(node.right)]
        return [ast.copy_location(ast.Starred(node, ast.Load()), node)]

    def _unaryop(self, node: ast.UnaryOp) -> Text:
        if isinstance(node.op, ast.Not):
            inner = self.condition(node.operand)
            return Text(f"!{inner.at(14)}", "bool", 14)
        value = self.text(node.operand)
        if isinstance(node.op, ast.Invert):
            return (
                Text(f"{value.at(16)}.logical_not()", "Tensor")
                if value.type == "Tensor"
                else Text(f"~{value.at(14)}", value.type, 14)
            )
        return Text(f"{'-' if isinstance(node.op, ast.USub) else ''}{value.at(14)}", value.type, 14)

    def _boolop(self, node: ast.BoolOp) -> Text:
        sign, level = ("&&", 4) if isinstance(node.op, ast.And) else ("||", 3)
        kept = [
            one
            for one in node.values
            if (found := self.constant(one)) is None or bool(found.value) == isinstance(node.op, ast.Or)
        ]
        words = []
        before = set(self.there)
        for one in kept:
            words.append(self.condition(one))
            self.there |= self.not_null(one, isinstance(node.op, ast.And))
        self.there = before
        return (
            words[0] if len(words) == 1 else Text(f" {sign} ".join(word.at(level + 1) for word in words), "bool", level)
        )

    def _compare(self, node: ast.Compare) -> Text:
        if len(node.ops) != 1:
            links = zip((node.left, *node.comparators), node.ops, node.comparators, strict=False)
            words = [self._compare(_located(ast.Compare(a, [op], [b]), node)) for a, op, b in links]
            return Text(" && ".join(word.at(5) for word in words), "bool", 4)
        op, right_node = node.ops[0], node.comparators[0]
        if isinstance(op, (ast.Is, ast.IsNot)):
            known = self.constant(right_node)
            if known is not None and known.value is None:
                return Text(
                    f"{self.text(node.left).at(9)} is {'not ' if isinstance(op, ast.IsNot) else ''}null", "bool", 9
                )
            left, right = self.text(node.left), self.text(right_node)
            if left.type == right.type == "Tensor":
                same = f"ReferenceEquals({left.code}, {right.code})"
                return Text(same, "bool") if isinstance(op, ast.Is) else Text(f"!{same}", "bool", 14)
            raise Untranslatable(node, f"'{ast.unparse(node)}'")
        if (found := self.contained(node)) is not None:
            return found
        if isinstance(op, (ast.In, ast.NotIn)) and (found := self._one_of(node, op, right_node)) is not None:
            return found
        if type(op) not in _COMPARED:
            raise Untranslatable(node, f"'{ast.unparse(node)}'")
        sign, level = _COMPARED[type(op)]
        left, right = self.text(node.left), self.text(right_node)
        if (word := fit(left, "long[]")) is not None and isinstance(op, (ast.Eq, ast.NotEq)) and left.type != "long":
            same = f"{Text(word, 'long[]').at(16)}.SequenceEqual({fit(right, 'long[]') or right.code})"
            return Text(same, "bool") if isinstance(op, ast.Eq) else Text(f"!{same}", "bool", 14)
        if "Tensor" in (left.type, right.type):
            return Text(f"{left.at(16)}.{_COMPARISONS[sign]}({right.code})", "Tensor")
        return Text(f"{left.at(level + 1)} {sign} {right.at(level + 1)}", "bool", level)

    @contextmanager
    def known(self, test: ast.expr, holds: bool) -> Iterator[None]:
        """Within: what is not null, for the test holds, or does not."""
        before = set(self.there)
        self.there |= self.not_null(test, holds)
        try:
            yield
        finally:
            self.there.clear()
            self.there.update(before)

    def not_null(self, test: ast.expr, holds: bool) -> set[str]:
        """What the test says not to be null."""
        if isinstance(test, ast.BoolOp):
            every = isinstance(test.op, ast.And) if holds else isinstance(test.op, ast.Or)
            return set().union(*(self.not_null(one, holds) for one in test.values)) if every else set()
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.not_null(test.operand, not holds)
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot if holds else ast.Is):
            test = test.left
        elif not holds or isinstance(test, ast.Compare):
            return set()
        with suppress(Untranslatable):
            return {self.text(test).at(16)}
        return set()

    def _one_of(self, node: ast.Compare, op: ast.cmpop, choices: ast.expr) -> Text | None:
        """``mode in ("a", "b")``: a pattern; None where the choices are not known."""
        known = self.constant(choices)
        if known is None and isinstance(choices, (ast.List, ast.Set)):
            known = self.constant(ast.copy_location(ast.Tuple(choices.elts, ast.Load()), choices))
        if known is None or not isinstance(known.value, (tuple, list, set, frozenset)) or not known.value:
            return None
        words = [written(Constant(one), node).code for one in known.value]
        pattern = " or ".join(words)
        pattern = f"not ({pattern})" if isinstance(op, ast.NotIn) else pattern
        return Text(f"{self.text(node.left).at(9)} is {pattern}", "bool", 9)

    def _ifexp(self, node: ast.IfExp) -> Text:
        test = self.constant(node.test)
        if test is None and self.tested(node.test):
            test = Constant(True)
        if test is not None:
            return self.text(node.body if test.value else node.orelse)
        with self.known(node.test, True):
            body = self.text(node.body)
        with self.known(node.test, False):
            other = self.text(node.orelse)
        return Text(f"{self.condition(node.test).at(3)} ? {body.at(3)} : {other.at(2)}", body.type, 2)

    def _tuple(self, node: ast.Tuple) -> Text:
        if any(isinstance(one, ast.Starred) for one in node.elts):
            return self.spread(node.elts)
        if len(node.elts) == 1:
            return self.text(node.elts[0])
        items = [self.text(one) for one in node.elts]
        types_ = ["Tensor?" if item.type == "null" else self.known_type(item) for item in items]
        return Text(f"({', '.join(item.code for item in items)})", f"({', '.join(types_)})")

    # -- Indices --------------------------------------------------------------------------------------------------------

    def _subscript(self, node: ast.Subscript) -> Text:
        value = self.text(node.value)
        place = self.constant(node.slice) if not isinstance(node.slice, ast.Slice) else None
        sample = self.seen(node.value).sample
        if place is not None and is_record(sample):
            there = names_of(sample)
            return self._of_record(
                node, value, there.index(place.value) if isinstance(place.value, str) else place.value
            )
        alone = isinstance(sample, tuple) and len(sample) == 1 and not value.type.startswith("(")
        if alone and place is not None and isinstance(place.value, int) and not value.type.endswith("[]"):
            return value
        if value.type.endswith("?"):
            value = Text(self.receiver(value), value.type.removesuffix("?"))
        if value.type in ("Tensor", "Parameter"):
            indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return Text(f"{value.at(16)}[{', '.join(map(self._index, indices))}]", "Tensor")
        if value.type == "ParameterDict":
            return Text(f"{value.at(16)}[{self.text(node.slice).code}]", "Parameter")
        if (inner := values_of(value.type)) is not None:
            return Text(f"{value.at(16)}[{self.text(node.slice).code}]", inner)
        index = self.constant(node.slice) if not isinstance(node.slice, ast.Slice) else None
        if value.type.startswith("(") and index is not None:
            items = parts(value.type[1:-1])
            if isinstance(sample, tuple) and len(sample) != len(items) and index.value:
                raise Untranslatable(node, f"'{ast.unparse(node)}', a tuple in what C# has without one")
            return Text(f"{value.at(16)}.Item{index.value % len(items) + 1}", items[index.value])
        if isinstance(node.slice, ast.Slice) and value.type.startswith("ModuleList<") and self._whole(node):
            return value
        if isinstance(node.slice, ast.Slice):
            return self._part(node, node.slice, value)
        if index is not None and isinstance(index.value, str):
            return self._child(node, index.value, value)
        if value.type.startswith("ModuleDict<"):
            made = Text(f"{value.at(16)}[{self.text(node.slice).code}]", value.type[len("ModuleDict<") : -1])
            return self.as_seen(node, made)
        word = f"^{-index.value}" if index is not None and index.value < 0 else self.place(node.slice)
        return self.as_seen(node, Text(f"{value.at(16)}[{word}]", self.element(node.value)))

    def _whole(self, node: ast.Subscript) -> bool:
        """Whether a part of a list of modules is all of it."""
        whole, part = self.seen(node.value).values, self.seen(node).values
        return bool(whole) and bool(part) and all(list(one) == list(whole[0]) for one in part)

    def _part(self, node: ast.Subscript, part: ast.Slice, value: Text) -> Text:
        if (found := self.part_of_list(node, part, value)) is not None:
            return found
        if part.step is not None or not value.type.endswith("[]"):
            raise Untranslatable(node, f"'{ast.unparse(node)}' of a {value.type}")
        return Text(f"{value.at(16)}[{self.end(part.lower)}..{self.end(part.upper)}]", value.type)

    def _index(self, node: ast.expr) -> str:
        if isinstance(node, ast.Slice):
            if node.lower is None and node.upper is None and node.step is None:
                return ".."
            ends = [
                self.argument(one) if one is not None else Constant(None) for one in (node.lower, node.upper, node.step)
            ]
            words = [fit(one, "long?") for one in ends]
            while words and words[-1] == "null":
                words.pop()
            return f"TensorIndex.Slice({', '.join(map(str, words))})"
        found = self.constant(node)
        if found is not None and found.value is None:
            return "TensorIndex.None"
        if found is not None and found.value is ...:
            return "TensorIndex.Ellipsis"
        if isinstance(node, ast.List):
            numbers = fit(self.argument(node), "long[]")
            if numbers is not None:
                return f"TensorIndex.Tensor(torch.tensor({numbers}))"
        text = self.text(node)
        if text.type in ("long", "int"):
            return text.code
        return f"TensorIndex.Tensor({text.code})" if text.type == "Tensor" else text.code


def _located(made: ast.Compare, node: ast.expr) -> ast.Compare:
    return ast.copy_location(made, node)
