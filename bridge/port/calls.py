"""Calls of Python as calls of C#: of modules, methods, PyTorch's functions and Python's own."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any, Final

import torch
from torch import nn

from bridge.port.constants import written
from bridge.port.csharp_types import Untranslatable, is_record, names_of, parts
from bridge.port.dictionaries import KINDS, Dictionaries
from bridge.port.lists import Lists
from bridge.port.members import FUNCTION, Argument, Constant, Many, Text, call, escaped, fit, overloads
from bridge.port.passing import Passing
from bridge.port.signatures import MOST
from bridge.port.torch_functions import OWN, call_of, holder_of, is_default, name_of, parameters_of
from bridge.port.watched import source_of

#: The element of a tensor that has one, by its type; what takes the shape of another tensor, in C# by that shape.
_ITEMS: Final = {"long": "ToInt64", "double": "ToDouble", "bool": "ToBoolean"}
_AS: Final = {"reshape_as": "reshape"}


class Calls(Dictionaries, Lists, Passing):
    """Translates the calls of one function; the expressions within them are left to :class:`bridge.port.expressions.Expressions`."""

    text: Callable[[ast.expr], Text]
    argument: Callable[[ast.expr], Argument]

    def _call(self, node: ast.Call) -> Text:
        node = self.expanded(node)
        callees = self.seen(node.func).values or self._named(node.func)
        if not callees:
            return self._unseen(node)
        callee = callees[0]
        if isinstance(callee, nn.Module):
            return self._module(node)
        if len({id(source_of(one)) for one in callees if _is_function(one)}) > 1:
            return self._one_of_functions(node)
        if isinstance(callee, types.MethodType):
            if isinstance(callee.__self__, nn.Module):
                return self._method(node, callee)
            callee = callee.__func__
        if isinstance(callee, type) and is_record(self.seen(node).sample):
            return self._record(node, callee)
        owner = getattr(callee, "__self__", None)
        if isinstance(owner, torch.Tensor) or (
            isinstance(node.func, ast.Attribute) and "Tensor" in self.seen(node.func.value).types
        ):
            return self._tensor(node, node.func.attr if isinstance(node.func, ast.Attribute) else callee.__name__)
        if isinstance(owner, dict) and isinstance(node.func, ast.Attribute):
            return self.of_dictionary(node, node.func)
        if callee in KINDS:
            return self.new_dictionary(node)
        if isinstance(owner, list) and isinstance(node.func, ast.Attribute):
            return self.of_list(node, node.func)
        if getattr(callee, "__module__", "") in ("builtins", "math"):
            builtin: Callable[[ast.Call], Text] | None = getattr(self, f"_builtin_{callee.__name__}", None)
            if builtin is None:
                raise Untranslatable(node, f"a call of Python's {callee.__name__}")
            return builtin(node)
        if (holder := holder_of(callee)) is not None:
            return self._torch(node, holder, callee)
        if isinstance(callee, type) and issubclass(callee, tuple) and hasattr(callee, "_fields"):
            return self._named_tuple(node, callee)
        if isinstance(callee, types.FunctionType):
            callee = source_of(callee)
            bound = bool(node.args) and isinstance(node.args[0], ast.Name) and node.args[0].id == self.self != ""
            return self._written(node, callee, bound)
        raise Untranslatable(node, f"a call of {getattr(callee, '__qualname__', type(callee).__name__)}")

    def _one_of_functions(self, node: ast.Call) -> Text:
        """A call of what is another function in another instance: a setting of the module."""
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        own = isinstance(owner, ast.Name) and owner.id == self.self
        found = self.attribute(node.func) if own and isinstance(node.func, ast.Attribute) else None
        if not isinstance(found, Text) or found.type != FUNCTION or len(node.args) != 1 or node.keywords:
            raise Untranslatable(node, f"'{ast.unparse(node)}', which calls several functions")
        return Text(f"{self.text(node.func).at(16)}({self.text(node.args[0]).code})", "Tensor")

    def _named_tuple(self, node: ast.Call, kind: Any) -> Text:
        given = dict(zip(kind._fields, node.args, strict=False)) | {one.arg: one.value for one in node.keywords}
        if list(kind._field_defaults.keys() - given.keys()):
            raise Untranslatable(node, f"a {kind.__name__} with what it has by default")
        items = [self.text(given[name]) for name in kind._fields]
        types_ = ["Tensor?" if item.type == "null" else item.type for item in items]
        return Text(f"({', '.join(item.code for item in items)})", f"({', '.join(types_)})")

    def _unseen(self, node: ast.Call) -> Text:
        if isinstance(node.func, ast.Attribute) and (
            "Tensor" in self.seen(node.func.value).types or self._is_tensor(node.func.value)
        ):
            return self._tensor(node, node.func.attr)
        raise Untranslatable(node, f"'{ast.unparse(node.func)}' was never called in the run that was watched")

    def _is_tensor(self, node: ast.expr) -> bool:
        with suppress(Untranslatable):
            return self.text(node).type.removesuffix("?") == "Tensor"
        return False

    def _named(self, node: ast.expr) -> list[Any]:
        """A function of PyTorch, or of the model's source, that is called where the run did not come."""
        path: list[str] = []
        while isinstance(node, ast.Attribute):
            path.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.names or node.id == self.self:
            return []
        found = self.method.function.__globals__.get(node.id, getattr(builtins, node.id, None))
        for name in path:
            found = getattr(found, name, None)
        return [found] if callable(found) and not isinstance(found, type) else []

    def _module(self, node: ast.Call) -> Text:
        modules = [one for one in self.seen(node.func).values if isinstance(one, nn.Module)]
        callee = self.text(node.func)
        kinds = {self.type_of_module(one): one for one in modules}
        if callee.type.removesuffix("?") != "Module" or not kinds:
            return self._called(node, modules[0], callee)
        *first, (last, module) = kinds.items()
        text = self._called(node, module, Text(f"({last}){callee.at(15)}", last, 14))
        for kind, one in first:  # which it is, is asked
            name = kind[:1].lower() + kind[1:]
            asked = self._called(node, one, Text(name, kind))
            text = Text(f"{callee.at(9)} is {kind} {name} ? {asked.at(3)} : {text.at(2)}", text.type, 2)
        return text

    def _called(self, node: ast.Call, module: nn.Module, callee: Text) -> Text:
        """A call of this module."""
        function = self.forward_of(type(module))
        if function in self.methods:
            type_, made = self.type(node), self.methods[function].result
            if made.startswith("(") and made.replace("?", "") == type_.replace("?", ""):
                type_ = made  # of which another call gave nothing somewhere
            words = self.passed(node, function, named=False)
            if len(words) > MOST:
                raise Untranslatable(
                    node, f"a call with {len(words)} arguments, of which TorchSharp's modules take {MOST}"
                )
            return Text(f"{self.receiver(callee)}.call({', '.join(words)})", type_)
        given = self._of_layer(node, module)
        type_ = self.type(node)
        if isinstance(module, nn.LSTM):  # in C# nothing of what it gives is nested
            type_ = f"({parts(type_[1:-1])[0]}, Tensor, Tensor)"
        return Text(f"{self.receiver(callee)}.call({', '.join(map(self.given_to, given))})", type_)

    def _of_layer(self, node: ast.Call, module: nn.Module) -> list[ast.expr]:
        """The arguments of a call of one of PyTorch's modules by their places. Raises Untranslatable."""
        parameters = inspect.signature(module.forward).parameters
        named = {str(one.arg): one.value for one in node.keywords if self.constant(one.value) != Constant(None)}
        given = list(node.args)
        for name in list(parameters)[len(given) :]:
            if not named:
                break
            default = parameters[name].default
            given.append(named.pop(name) if name in named else ast.copy_location(ast.Constant(default), node))
        if isinstance(
            module, nn.MultiheadAttention
        ):  # TorchSharp's gives the mean of the heads' weights, and knows no is_causal
            for one, plain in zip(given[6:], (True, False), strict=False):
                if self.constant(one) != Constant(plain):
                    raise Untranslatable(node, f"'{ast.unparse(node)}', of which TorchSharp's takes six arguments")
            given = given[:6]
        return given

    def _method(self, node: ast.Call, callee: types.MethodType) -> Text:
        function = source_of(callee)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id == self.self:
            return self._written(node, function)
        if isinstance(owner, ast.Call) and ast.unparse(owner.func) == "super":
            return self._written(node, function, inherited=True)
        name = self.elsewhere(type(callee.__self__), function)
        if owner is None or name is None:
            raise Untranslatable(node, f"'{ast.unparse(node.func)}', a method of another module")
        words = ", ".join(self.passed(node, function))
        return Text(f"{self.receiver(self.text(owner))}.{name}({words})", self.type(node))

    def _written(
        self, node: ast.Call, callee: types.FunctionType, bound: bool = False, inherited: bool = False
    ) -> Text:
        """A call of a function of the model's source; one that is ``bound`` gets the module itself first, and becomes a method of it, as
        one becomes that the class has ``inherited`` and hidden."""
        name = self.function(callee, node, True) if bound or inherited else self.function(callee, node)
        if callee not in self.methods:
            raise Untranslatable(node, f"the function {callee.__qualname__}, whose source cannot be read")
        words = self.passed(node, callee, bound)
        made = self.methods[callee].result
        if made == "Tensor[]" or (
            made and not self.seen(node).types
        ):  # in Python a tuple or a list; or it was never called here
            return Text(f"{name}({', '.join(words)})", made)
        return Text(f"{name}({', '.join(words)})", self.type(node) if self.seen(node).types else "void")

    def _record(self, node: ast.Call, callee: type) -> Text:
        """A result whose parts have names: those that are there, in order."""
        order = list(inspect.signature(callee).parameters)
        given = {**dict(zip(order, node.args, strict=False)), **{str(one.arg): one.value for one in node.keywords}}
        record = self.seen(node).sample
        if not isinstance(record, Mapping):
            return self._dataclass(node, record, given)
        there = [given[name] for name in names_of(record) if name in given]
        if len(there) == 1:
            return self.text(there[0])
        items = [self.text(one) for one in there]
        return Text(f"({', '.join(one.code for one in items)})", f"({', '.join(one.type for one in items)})")

    def _dataclass(self, node: ast.Call, record: Any, given: Mapping[str, ast.expr]) -> Text:
        """A tuple of what a dataclass holds; null for what is None if it is not given."""
        defaults = {one.name: one.default for one in fields(record)}
        if any(name not in given and defaults[name] is not None for name in names_of(record)):
            raise Untranslatable(node, f"a {type(record).__name__} with what it has by default")
        items = [self.text(given[name]) if name in given else Text("null", "null") for name in names_of(record)]
        types_ = ["Tensor?" if item.type == "null" else self.known_type(item) for item in items]
        if len(items) == 1:
            return items[0]
        return Text(f"({', '.join(item.code for item in items)})", f"({', '.join(types_)})")

    def _tensor(self, node: ast.Call, name: str) -> Text:
        assert isinstance(node.func, ast.Attribute)
        target = self.text(node.func.value)
        target = Text(self.receiver(target), target.type)
        members = overloads("Tensor", name)
        parameters = parameters_of(getattr(torch.Tensor, name, None))[1:]
        if name == "size" and len(node.args) == 1:
            return Text(f"{target.at(16)}.shape[{self.end(node.args[0])}]", "long")
        if name == "size":
            return Text(f"{target.at(16)}.shape", "long[]")
        if name == "dim":
            return Text(f"{target.at(16)}.dim()", "long")
        if name == "item" and (kind := _ITEMS.get(self.type(node))) is not None:
            return Text(f"{target.at(16)}.{kind}()", self.type(node))
        if name in _AS and len(node.args) == 1:
            return Text(f"{target.at(16)}.{_AS[name]}({self.text(node.args[0]).at(16)}.shape)", "Tensor")
        if name in ("float", "long", "double", "half", "int", "bool") and not members:
            name = "to"
        given, order = self._bound(node, parameters)
        if name in ("scatter", "scatter_") and isinstance(value := given.get("value", given.get("src")), Constant):
            index = given["index"]
            given.pop("value", None)
            filled = f"torch.full_like({fit(index, 'Tensor')}, {written(value, node).code}, dtype: {target.code}.dtype)"
            given["src"] = Text(filled, "Tensor")
        found = call(members, given, order)
        if found is None:
            found = call(overloads("torch", name), {"input": target, **given}, ["input", *order])
            if found is not None:
                return Text(f"torch.{name}({found[0]})", _result(found[1].result, self, node))
            raise Untranslatable(node, f"TorchSharp's Tensor has no {name} with these arguments: '{ast.unparse(node)}'")
        return Text(f"{target.at(16)}.{escaped(name)}({found[0]})", _result(found[1].result, self, node))

    def _bound(self, node: ast.Call, parameters: Sequence[str]) -> tuple[dict[str, Argument], list[str]]:
        """The arguments by PyTorch's names. Several numbers in a row where one list is meant are that list."""
        first = next((place for place, one in enumerate(node.args) if isinstance(one, ast.Starred)), None)
        arguments = [self.argument(one) for one in node.args[:first]]
        if first is not None:
            (only, *others) = node.args
            tensors = self.tensors(only) if isinstance(only, ast.Starred) and not others else None
            arguments = [tensors or self.spread(node.args)]
        spread = next((number for number, name in enumerate(parameters) if name.startswith("*")), None)
        if spread is not None:
            given: dict[str, Argument] = dict(zip(parameters[:spread], arguments, strict=False))
            rest = arguments[spread:]
            alone = len(rest) == 1 and (isinstance(rest[0], Many) or not _is_number(rest[0])) and not spread
            given[parameters[spread][1:]] = rest[0] if alone else Many(tuple(rest))
        elif len(arguments) > 1 and len(parameters) == 1 and all(map(_is_number, arguments)):
            given = {parameters[0]: Many(tuple(arguments))}
        else:
            names = [*parameters, *(f"argument{number}" for number in range(len(parameters), len(arguments)))]
            given = dict(zip(names, arguments, strict=False))
        given.update((one.arg or "", self.argument(one.value)) for one in node.keywords)
        return given, [name.removeprefix("*") for name in parameters] or list(given)

    def _torch(self, node: ast.Call, holder: str, callee: Any) -> Text:
        name = name_of(callee)
        given, order = self._bound(node, parameters_of(callee))
        given = {key: value for key, value in given.items() if not is_default(callee, key, value)}
        if name == "addmm":
            given = {"beta": Constant(1), "alpha": Constant(1), **given}
        if name == "scaled_dot_product_attention":
            given = self._attention(node, given)
        if name in ("interpolate", "upsample"):
            given = self._each_dim(node, given)
        found = call_of(callee, given, order)
        if found is not None:
            return Text(found[0], _result(found[1].result, self, node))
        target = next(iter(given.values()), None)
        if holder not in OWN and isinstance(target, Text) and target.type == "Tensor":
            of_tensor = call(overloads("Tensor", name), dict(list(given.items())[1:]), order[1:])
            if of_tensor is not None:
                return Text(
                    f"{target.at(16)}.{escaped(name)}({of_tensor[0]})", _result(of_tensor[1].result, self, node)
                )
        raise Untranslatable(node, f"TorchSharp has no {name} with these arguments: '{ast.unparse(node)}'")

    def _each_dim(self, node: ast.Call, given: dict[str, Argument]) -> dict[str, Argument]:
        """With a size and a scale for each dimension, where one is given for all."""
        rank = len(self.seen(node.args[0]).shape) - 2 if node.args else 0
        made = dict(given)
        for name in ("size", "scale_factor"):
            value = given.get(name)
            if isinstance(value, Constant) and isinstance(value.value, (int, float)) and rank > 0:
                made[name] = Constant((value.value,) * rank)
            elif isinstance(value, Text) and value.type in ("long", "double") and rank > 0:
                made[name] = Many((value,) * rank)
        return made

    def _attention(self, node: ast.Call, given: dict[str, Argument]) -> dict[str, Argument]:
        """Without ``scale`` and ``enable_gqa``, which TorchSharp lacks: the query is scaled, keys and values are repeated."""
        nodes: dict[Any, ast.expr] = {
            **dict(zip(("query", "key", "value"), node.args, strict=False)),
            **{one.arg: one.value for one in node.keywords},
        }
        query, key = self.seen(nodes["query"]).shape, self.seen(nodes["key"]).shape
        scale, grouped = given.pop("scale", Constant(None)), given.pop("enable_gqa", Constant(False))
        if isinstance(scale, Constant) and scale.value is not None and query:
            factor = scale.value * math.sqrt(query[-1])
            text = given["query"]
            if not math.isclose(factor, 1.0, rel_tol=1e-12) and isinstance(text, Text):
                number = int(factor) if float(factor).is_integer() else factor
                given["query"] = Text(f"{text.at(12)} * {number}", "Tensor", 12)
        elif scale != Constant(None):
            given["scale"] = scale
        if isinstance(grouped, Constant) and grouped.value and query and key:
            for name in ("key", "value"):
                text = given[name]
                if query[-3] != key[-3] and isinstance(text, Text):
                    given[name] = Text(f"{text.at(16)}.repeat_interleave({query[-3] // key[-3]}, -3)", "Tensor")
        elif not isinstance(grouped, Constant):
            given["enable_gqa"] = grouped
        return given

    # -- Python's own functions -----------------------------------------------------------------------------------------

    def _builtin_int(self, node: ast.Call) -> Text:
        value = self.text(node.args[0])
        if value.type == "Tensor":
            return Text(f"{value.at(16)}.ToInt64()", "long")
        return value if value.type == "long" else Text(f"(long){value.at(15)}", "long", 14)

    def _builtin_float(self, node: ast.Call) -> Text:
        value = self.text(node.args[0])
        if value.type == "Tensor":
            return Text(f"{value.at(16)}.ToDouble()", "double")
        return value if value.type == "double" else Text(f"(double){value.at(15)}", "double", 14)

    def _builtin_bool(self, node: ast.Call) -> Text:
        return self.condition(node.args[0])

    def _builtin_sqrt(self, node: ast.Call) -> Text:
        return self._mathematics(node, "Sqrt")

    def _builtin_log(self, node: ast.Call) -> Text:
        return self._mathematics(node, "Log")

    def _builtin_exp(self, node: ast.Call) -> Text:
        return self._mathematics(node, "Exp")

    def _builtin_ceil(self, node: ast.Call) -> Text:
        return Text(f"(long){self._mathematics(node, 'Ceiling').code}", "long", 14)

    def _builtin_floor(self, node: ast.Call) -> Text:
        return Text(f"(long){self._mathematics(node, 'Floor').code}", "long", 14)

    def _mathematics(self, node: ast.Call, name: str) -> Text:
        return Text(f"Math.{name}({', '.join(self.text(one).code for one in node.args)})", "double")


def _is_function(value: Any) -> bool:
    """Whether it is a function, and no method of an object."""
    if isinstance(value, types.FunctionType):
        return True
    return isinstance(value, types.BuiltinFunctionType) and isinstance(value.__self__, (type, types.ModuleType))


def _is_number(argument: Argument) -> bool:
    return (isinstance(argument, Constant) and isinstance(argument.value, int)) or (
        isinstance(argument, Text) and argument.type in ("long", "int")
    )


def _result(declared: str, calls: Calls, node: ast.expr) -> str:
    if declared in ("Tensor", "long", "bool", "double", "long[]"):
        return declared
    return calls.type(node) if declared != "Tensor[]" else "Tensor[]"
