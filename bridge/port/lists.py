"""Lists and what is walked over: comprehensions, parts, ``zip``, ``enumerate``, ``reversed``, sums."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from bridge.port.constants import Constants, written
from bridge.port.csharp_types import Untranslatable, joined, parts, renamed, whole_numbers
from bridge.port.dictionaries import values_of
from bridge.port.members import Argument, Constant, Text, fit

_METHODS: Final = {"append": "Add", "copy": "ToList", "extend": "AddRange", "reverse": "Reverse", "insert": "Insert"}
_MODULE: Final = "Module<Tensor, Tensor>"


class Lists(Constants):
    """Translates the lists of one function; other expressions within them are left to the whole."""

    text: Callable[[ast.expr], Text]
    argument: Callable[[ast.expr], Argument]
    condition: Callable[[ast.expr], Text]
    #: Lines that have to follow the statement in which an expression stands.
    after: list[str]

    # -- Walked over ----------------------------------------------------------------------------------------------------

    def walked(self, node: ast.expr) -> tuple[Text, str]:
        """What is walked over as C#, and the type of its elements. Raises Untranslatable."""
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if isinstance(node, ast.Call) and name in ("zip", "enumerate", "reversed", "range"):
            method: Callable[[ast.Call], tuple[Text, str]] = getattr(self, f"_walked_{name}")
            return method(node)
        if isinstance(node, (ast.Tuple, ast.List)) and node.elts:
            return self._array(node)
        if (entries := self.entries(node)) is not None:
            return entries
        text = self.text(node)
        if text.type == "Tensor":
            return Text(f"{text.at(16)}.unbind()", "Tensor[]"), "Tensor"
        element = self._element(text.type)
        if element is None:
            raise Untranslatable(node, f"'{ast.unparse(node)}' is walked over, and is a {text.type}")
        return text, element

    def entries(self, node: ast.expr) -> tuple[Text, str] | None:
        """The children of a dictionary of modules: both, or one of names and modules; None for something else."""
        function = node.func if isinstance(node, ast.Call) and not node.args else None
        if isinstance(function, ast.Attribute) and function.attr in ("items", "values", "keys"):
            text = self.text(function.value)
            if text.type.startswith("ModuleDict<") or text.type == "ParameterDict":
                element = text.type.removeprefix("ModuleDict<").removesuffix(">").replace("ParameterDict", "Parameter")
                if function.attr == "items":
                    return text, f"(string, {element})"
                made = Text(f"{text.at(16)}.{function.attr}()", f"IEnumerable<{element}>")
                return made, element if function.attr == "values" else "string"
        return None

    @staticmethod
    def _element(type_: str) -> str | None:
        for start in ("List<", "ModuleList<", "IEnumerable<"):
            if type_.startswith(start):
                return type_.removeprefix(start).removesuffix("?").removesuffix(">")
        if type_.removesuffix("?").endswith("[]"):
            return type_.removesuffix("?").removesuffix("[]")
        return {"Sequential": _MODULE, "ParameterList": "Parameter"}.get(type_)

    def element(self, node: ast.expr) -> str:
        """The type of the elements of what is walked over, or indexed."""
        return self.walked(node)[1]

    def _walked_zip(self, node: ast.Call) -> tuple[Text, str]:
        every = [self.walked(one) for one in node.args]
        type_ = f"({', '.join(element for _, element in every)})"
        first, *others = [text.at(16) for text, _ in every]
        code = f"{first}.Zip({', '.join(others[:2])})"
        for place, other in enumerate(others[2:], 3):  # C# has it for two and for three
            names = ", ".join(["all.First", "all.Second", "all.Third"] if place == 3 else
                              [f"all.Item{number}" for number in range(1, place + 1)])  # fmt: skip
            code += f".Zip({other}, (all, one) => ({names}, one))"
        return Text(code, f"{type_}[]"), type_

    def _walked_enumerate(self, node: ast.Call) -> tuple[Text, str]:
        text, element = self.walked(node.args[0])
        start = [*node.args[1:], *(one.value for one in node.keywords)]
        number = f"number + {self.text(start[0]).at(12)}" if start else "(long)number"
        type_ = f"({element}, long)"
        return Text(f"{text.at(16)}.Select((one, number) => (one, {number}))", f"{type_}[]"), type_

    def _walked_reversed(self, node: ast.Call) -> tuple[Text, str]:
        text, element = self.walked(node.args[0])
        return Text(f"Enumerable.Reverse({text.code})", f"IEnumerable<{element}>"), element

    def _walked_range(self, node: ast.Call) -> tuple[Text, str]:
        ends = [self.text(one) for one in node.args]
        start, stop = (Text("0", "long"), ends[0]) if len(ends) == 1 else ends[:2]
        if len(ends) > 2:
            raise Untranslatable(node, f"'{ast.unparse(node)}' with a step")
        count = stop if start.code == "0" else Text(f"{stop.at(11)} - {start.at(12)}", "long", 11)
        word = count.code if count.code.isdigit() else f"(int){count.at(15)}"
        first = start.code if start.code.isdigit() else f"(int){start.at(15)}"
        return Text(f"Enumerable.Range({first}, {word})", "IEnumerable<long>"), "long"

    def _array(self, node: ast.Tuple | ast.List) -> tuple[Text, str]:
        if (rows := self.rows(node)) is not None:
            return rows, rows.type.removesuffix("[]")
        items = [self.text(one) for one in node.elts]
        element = joined([one.type for one in items])
        words = ", ".join(one.code for one in items)
        if element is None and all("Module" in self.seen(one).types for one in node.elts):
            element = _MODULE
            return Text(f"new {element}[] {{ {words} }}", f"{element}[]"), element
        if element is None:
            raise Untranslatable(node, f"'{ast.unparse(node)}' of several types is walked over")
        new = "new" if element not in ("long", "double") else f"new {element}"
        return Text(f"{new}[] {{ {words} }}", f"{element}[]"), element

    def rows(self, node: ast.Tuple | ast.List) -> Text | None:
        """Tuples of one kind in a tuple, as an array that can be walked over; None where they are not of one kind."""
        rows = [[self.text(item) for item in one.elts] for one in node.elts if isinstance(one, (ast.Tuple, ast.List))]
        if len(rows) != len(node.elts) or len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
            return None
        types_ = [joined([item.type for item in column]) for column in zip(*rows, strict=True)]
        if None in types_:
            return None
        type_ = f"({', '.join(map(str, types_))})"
        words = [f"({', '.join(item.code for item in row)})" for row in rows]
        return Text(f"new {type_}[] {{ {', '.join(words)} }}", f"{type_}[]")

    # -- Made -----------------------------------------------------------------------------------------------------------

    def _list(self, node: ast.List) -> Text:
        items = [self.text(one) for one in node.elts]
        element = items[0].type if items else self.type(node).removeprefix("List<").removesuffix(">")
        return Text(
            f"new List<{element}> {{ {', '.join(item.code for item in items)} }}"
            if items
            else f"new List<{element}>()",
            f"List<{element}>",
        )

    def _listcomp(self, node: ast.ListComp) -> Text:
        made = self._generatorexp(node)
        return Text(f"{made.at(16)}.ToList()", f"List<{self._element(made.type)}>")

    def _generatorexp(self, node: ast.ListComp | ast.GeneratorExp) -> Text:
        (generator, *more) = node.generators
        if more:
            raise Untranslatable(node, f"'{ast.unparse(node)}', a loop in a loop")
        source, element = self.walked(generator.iter)
        head, names = self._lambda(generator.target, element, generator.iter)
        before = {name: self.names.get(name) for name in names}
        self.names.update(names)
        waiting = len(self.after)
        try:
            code = source.at(16)
            for one in generator.ifs:
                code += f".Where({head} => {self.condition(one).code})"
            body = self.text(node.elt)
        finally:
            for name, known in before.items():
                if known is None:
                    del self.names[name]
                else:
                    self.names[name] = known
        if len(self.after) > waiting:
            raise Untranslatable(node, f"'{ast.unparse(node)}', which changes a list")
        if body.code == head:
            return Text(code, f"IEnumerable<{body.type}>")
        cast = "(long)" if body.type == "long" and source.code.startswith("Enumerable.Range(") else ""
        inner = body.at(15) if cast else body.code
        return Text(f"{code}.Select({head} => {cast}{inner})", f"IEnumerable<{body.type}>")

    def _lambda(self, target: ast.expr, element: str, source: ast.expr) -> tuple[str, dict[str, Text]]:
        """The parameter of a lambda, and what stands for each name of the target within it."""
        if isinstance(target, ast.Name):
            return renamed(target.id), {target.id: Text(renamed(target.id), element)}
        types_ = parts(element[1:-1]) if element.startswith("(") else []
        enumerated = isinstance(source, ast.Call) and ast.unparse(source.func) == "enumerate"
        elements = list(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else []
        if enumerated:
            elements.reverse()
        if len(elements) != len(types_) or not all(isinstance(one, ast.Name) for one in elements):
            raise Untranslatable(target, f"'{ast.unparse(target)}' for a {element}")
        names = [one.id for one in elements if isinstance(one, ast.Name)]
        return "one", {
            name: Text(f"one.Item{place}", type_)
            for place, (name, type_) in enumerate(zip(names, types_, strict=True), 1)
        }

    def joined_lists(self, node: ast.BinOp, left: Text, right: Text) -> Text:
        """``a + b``, and ``[a] * n``."""
        if isinstance(node.op, ast.Add) and right.type.removesuffix("?") == left.type.removesuffix("?"):
            return Text(f"{left.at(16)}.Concat({right.code}).ToList()", left.type.removesuffix("?"))
        if (
            isinstance(node.op, ast.Mult)
            and right.type == "long"
            and isinstance(node.left, ast.List)
            and len(node.left.elts) == 1
        ):
            one = self.text(node.left.elts[0])
            number = f"{one.code}L" if one.code.isdigit() else one.code
            return Text(f"Enumerable.Repeat({number}, (int){right.at(15)}).ToList()", left.type)
        raise Untranslatable(node, f"'{ast.unparse(node)}' of lists")

    def part_of_list(self, node: ast.Subscript, part: ast.Slice, value: Text) -> Text | None:
        """``items[1:]``, ``items[::-1]``; None where it is no list."""
        element = self._element(value.type)
        if element is None or value.type.endswith("[]"):
            return None
        known = self.constant(part.step) if part.step is not None else None
        step = known.value if known is not None else None
        if part.step is not None and (step != -1 or part.lower is not None or part.upper is not None):
            raise Untranslatable(node, f"'{ast.unparse(node)}' with a step")
        taken = f"{value.at(16)}.Take({self.end(part.lower)}..{self.end(part.upper)})"
        code = f"Enumerable.Reverse({value.code})" if step == -1 else taken
        if value.type.startswith("List<"):
            return Text(f"{code}.ToList()", f"List<{element}>")
        return Text(code, f"IEnumerable<{element}>")

    def end(self, node: ast.expr | None) -> str:
        """An end of a part as an index of C#."""
        if node is None:
            return ""
        found = self.constant(node)
        return f"^{-found.value}" if found is not None and found.value < 0 else self.place(node)

    def place(self, node: ast.expr) -> str:
        """A whole number as C#'s int."""
        text = self.text(node)  # a constant of the class is a long
        return text.code if text.code.removeprefix("-").isdigit() else f"(int){text.at(15)}"

    # -- Methods and functions ------------------------------------------------------------------------------------------

    def of_list(self, node: ast.Call, function: ast.Attribute) -> Text:
        """A call of a list's method."""
        target = self.text(function.value)
        if function.attr == "copy" and target.type.endswith("[]"):
            return Text(f"{target.at(16)}.ToArray()", target.type)
        is_list = target.type.removesuffix("?").startswith("List<")
        if function.attr == "pop" and is_list:
            return self._pop(node, target)
        name = _METHODS.get(function.attr)
        if name is None or not is_list:
            raise Untranslatable(node, f"a call of list.{function.attr}")
        words = [
            self.place(one) if name == "Insert" and not at else self.given_to(one) for at, one in enumerate(node.args)
        ]
        return Text(f"{target.at(16)}.{name}({', '.join(words)})", target.type)

    def _pop(self, node: ast.Call, target: Text) -> Text:
        """The element, which is taken out after the statement."""
        if any(line.startswith(f"{target.code}.RemoveAt(") for line in self.after):
            raise Untranslatable(node, f"'{ast.unparse(node)}' twice in one statement")
        place = self.constant(node.args[0]) if node.args else Constant(-1)
        if place is None or place.value not in (0, -1):
            raise Untranslatable(node, f"'{ast.unparse(node)}'")
        first = place.value == 0
        self.after.append(f"{target.at(16)}.RemoveAt({'0' if first else f'{target.at(16)}.Count - 1'});")
        return Text(f"{target.at(16)}[{'0' if first else '^1'}]", str(self._element(target.type)))

    def given_to(self, node: ast.expr) -> str:
        """An argument for a method of the project: whole numbers that belong together are an array there."""
        argument = self.argument(node)
        if isinstance(argument, Constant):
            return written(argument, node).code
        if whole_numbers(self.seen(node).sample) and (word := fit(argument, "long[]")) is not None:
            return word
        return argument.code if isinstance(argument, Text) else self.text(node).code

    def _builtin_len(self, node: ast.Call) -> Text:
        value = self.text(node.args[0])
        if value.type == "Tensor":
            return Text(f"{value.at(16)}.shape[0]", "long")
        return Text(f"{value.at(16)}.{'Length' if value.type.endswith('[]') else 'Count'}", "long")

    def _builtin_max(self, node: ast.Call) -> Text:
        return self._extreme(node, "Max")

    def _builtin_min(self, node: ast.Call) -> Text:
        return self._extreme(node, "Min")

    def _extreme(self, node: ast.Call, name: str) -> Text:
        if len(node.args) == 1 and not node.keywords:
            text, element = self.walked(node.args[0])
            if element in ("long", "double"):
                return Text(f"{text.at(16)}.{name}()", element)
        if len(node.args) != 2:
            raise Untranslatable(node, f"'{ast.unparse(node)}'")
        return Text(f"Math.{name}({', '.join(self.text(one).code for one in node.args)})", self.type(node))

    def _builtin_sum(self, node: ast.Call) -> Text:
        text, element = self.walked(node.args[0])
        if len(node.args) == 1 and element in ("long", "double"):
            return Text(f"{text.at(16)}.Sum()", element)
        if len(node.args) == 1 and element == "Tensor":
            return Text(f"{text.at(16)}.Aggregate((sum, one) => sum + one)", "Tensor")
        raise Untranslatable(node, f"a sum of what are no numbers: '{ast.unparse(node)}'")

    def _builtin_list(self, node: ast.Call) -> Text:
        if len(node.args) != 1:
            return Text(f"new {self.type(node)}()", self.type(node))
        value, element = self.walked(node.args[0])
        return Text(f"{value.at(16)}.ToList()", f"List<{element}>")

    def _builtin_reversed(self, node: ast.Call) -> Text:
        return self._walked_reversed(node)[0]

    def _builtin_tuple(self, node: ast.Call) -> Text:
        """A tuple of C#, which has a size: as many as there were in each call."""
        value = self.text(node.args[0])
        if whole_numbers(self.seen(node).sample):
            return value if value.type == "long[]" else Text(f"{value.at(16)}.ToArray()", "long[]")
        sizes = {len(one) for one in self._every(node) if isinstance(one, tuple)}
        element = self._element(value.type)
        if len(sizes) != 1 or element is None or not value.type.startswith("List<") or not value.code.isidentifier():
            raise Untranslatable(node, f"'{ast.unparse(node)}'")
        count = sizes.pop()
        words = ", ".join(f"{value.code}[{place}]" for place in range(count))
        return Text(f"({words})", f"({', '.join([element] * count)})") if count > 1 else Text(words, element)

    def _every(self, node: ast.expr) -> list[Any]:
        return self.seen(node).values

    def of_modules(self, type_: str) -> str | None:
        """The type of a dictionary's or a list's modules; None for another type."""
        if type_.startswith("ModuleDict<"):
            return type_.removeprefix("ModuleDict<").removesuffix(">")
        return values_of(type_)
