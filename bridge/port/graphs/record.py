"""One run of a module's forward, as Python with one statement per operator, for a class whose source cannot be translated.

Each function of PyTorch that the forward calls becomes a statement, and so does each call of a child; the operators within the child are
not part of the record. A number computed from a tensor's shape is written as this computation. Branches and loops are fixed as they ran.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Final

import torch
from torch import nn

from bridge.port.frontend.evidence import parts_of
from bridge.port.graphs.sizes import Real, Size
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Origin
from bridge.port.observe.modules import forward_of
from bridge.port.observe.observations import Method, Observation, name_type, sample
from bridge.port.observe.sources import build_function, unwrap

_BINARY: Final[dict[str, tuple[type[ast.operator], bool]]] = {
    **dict.fromkeys(("add", "__add__"), (ast.Add, False)), **dict.fromkeys(("sub", "__sub__"), (ast.Sub, False)),
    **dict.fromkeys(("mul", "__mul__"), (ast.Mult, False)),
    **dict.fromkeys(("div", "true_divide", "__truediv__"), (ast.Div, False)),
    "__radd__": (ast.Add, True), "__rsub__": (ast.Sub, True), "rsub": (ast.Sub, True), "__rmul__": (ast.Mult, True),
    "__rtruediv__": (ast.Div, True), "__rdiv__": (ast.Div, True), "__matmul__": (ast.MatMult, False),
    "__pow__": (ast.Pow, False), "__and__": (ast.BitAnd, False), "__or__": (ast.BitOr, False),
}  # fmt: skip
_COMPARED: Final[dict[str, type[ast.cmpop]]] = {
    "__lt__": ast.Lt, "__le__": ast.LtE, "__gt__": ast.Gt, "__ge__": ast.GtE, "__eq__": ast.Eq, "__ne__": ast.NotEq,
    "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE, "eq": ast.Eq, "ne": ast.NotEq,
}  # fmt: skip
_IN_PLACE: Final = {"__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_"}


class Record:
    """One call of a module's forward as statements; ``absent`` are the arguments that were None.

    ``failed`` is the reason why the statements could not be recorded; empty if they could. ``escapes`` are the places where numbers
    computed from sizes became plain values.
    """

    def __init__(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module = module
        self.seen: dict[ast.expr | ast.arg, Observation] = {}
        self.body: list[ast.stmt] = []
        self.failed = ""
        self.escapes: list[str] = []
        self._done = False
        self.given: dict[str, Any] = {}
        self._nodes: dict[int, Callable[[], ast.expr]] = {}
        self._kept: list[Any] = []
        self._first: torch.Tensor | None = None
        self._names = {"self", "output", *module._modules, *module._parameters, *module._buffers}
        self._own(module)
        bound = inspect.signature(unwrap(forward_of(type(module)))).bind(module, *args, **kwargs)
        for name, value in list(bound.arguments.items())[1:]:
            if bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                self.given.update(value)
            else:
                self.given[name] = value
        bound.apply_defaults()
        self.absent = tuple(name for name, value in bound.arguments.items() if value is None)
        for name, value in self.given.items():
            self._names.add(name)
            self._parts(value, functools.partial(ast.Name, name, ast.Load()))

    def _own(self, module: nn.Module) -> None:
        """Store the expressions of the parameters and buffers of the module, and of PyTorch's own modules below it."""
        for _path, child in module.named_modules():
            if child is module or type(child).__module__.startswith("torch.nn.modules"):
                for name, tensor in (*child._parameters.items(), *child._buffers.items()):
                    if tensor is not None:
                        self._keep(tensor, functools.partial(self._member, child, name))

    def _member(self, child: nn.Module, name: str) -> ast.expr:
        return ast.Attribute(self.path(child), name, ast.Load())

    def _keep(self, value: Any, node: Callable[[], ast.expr]) -> None:
        self._kept.append(value)  # so that no other object gets its id
        self._nodes[id(value)] = node

    def _parts(self, value: Any, node: Callable[[], ast.expr]) -> None:
        """Store the expressions of the tensors in ``value``, whose own expression is ``node()``."""
        if isinstance(value, torch.Tensor):
            self._first = value if self._first is None else self._first
            self._keep(value, node)
        elif isinstance(value, (tuple, list)):
            for place, item in enumerate(value):
                self._parts(item, self._part(node, value, place))
        elif isinstance(value, Mapping):
            for key, item in value.items():
                self._parts(item, self._part(node, value, key))

    def _part(self, node: Callable[[], ast.expr], value: Any, key: Any) -> Callable[[], ast.expr]:
        def made() -> ast.expr:
            whole = self.note(node(), value)
            if parts_of(value) is not None:
                return self.note(ast.Attribute(whole, key, ast.Load()), value[key])
            return self.note(ast.Subscript(whole, ast.Constant(key), ast.Load()), value[key])

        return made

    def note(self, node: ast.expr, value: Any) -> ast.expr:
        """Return the node, and store an observation of its value for the translation."""
        seen = self.seen[node] = Observation({name_type(value)}, sample=sample(value))
        seen.shape = tuple(value.shape) if isinstance(value, torch.Tensor) else ()
        if not isinstance(value, torch.Tensor):
            seen.values.append(value)
        return node

    def path(self, module: nn.Module) -> ast.expr:
        """Return the expression of a module below this one, such as ``self.layers[2]``. Raises Untranslatable for any other module."""
        if module is self.module:
            return self.note(ast.Name("self", ast.Load()), module)
        path = next((path for path, one in self.module.named_modules() if one is module), None)
        if path is None:
            raise Untranslatable(Origin(), f"a {type(module).__name__} that is not below {type(self.module).__name__}")
        at: nn.Module = self.module
        node: ast.expr = ast.Name("self", ast.Load())
        for part in path.split("."):
            above, at = at, getattr(at, part)
            if isinstance(above, (nn.ModuleList, nn.Sequential)) and above is not self.module:
                node = ast.Subscript(node, ast.Constant(int(part) if part.isdigit() else part), ast.Load())
            elif above is self.module:
                node = ast.Attribute(node, part, ast.Load())
            else:
                raise Untranslatable(Origin(), f"self.{path}, which is inside of another class")
            self.note(node, at)
        return node

    def expression(self, value: Any) -> ast.expr:
        """Return the expression of a value. Raises Untranslatable for a tensor that no recorded expression gives."""
        if isinstance(value, torch.Tensor):
            if id(value) not in self._nodes:
                raise Untranslatable(Origin(), "a tensor that is neither given nor made by an operator of PyTorch")
            return self.note(self._nodes[id(value)](), value)
        if isinstance(value, (Size, Real)):
            if value.record is not self:
                raise Untranslatable(Origin(), "a size of a tensor in another module")
            return value.node
        if type(value) in (tuple, list, torch.Size):
            made: ast.expr = (ast.List if type(value) is list else ast.Tuple)(
                list(map(self.expression, value)), ast.Load()
            )
            return self.note(made, value)
        if isinstance(value, slice):
            ends = [None if one is None else self.expression(one) for one in (value.start, value.stop, value.step)]
            return ast.Slice(*ends)
        if isinstance(value, torch.device) and self._first is not None:
            return self.note(ast.Attribute(self.expression(self._first), "device", ast.Load()), value)
        return self.note(ast.Constant(value), value)

    # -- Statements -----------------------------------------------------------------------------------------------------

    def guarded(self, write: Callable[[], None]) -> None:
        """Run ``write``, which adds a statement; the first statement that cannot be written ends the record."""
        if not self.failed:
            try:
                with torch._C.DisableTorchFunction():
                    write()
            except Untranslatable as error:
                self.failed = error.why

    def ran(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Add a call of a function of PyTorch."""
        name = str(getattr(function, "__name__", function))
        if name == "__get__":
            name = function.__self__.__name__
            self._assign(name, ast.Attribute(self.expression(args[0]), name, ast.Load()), result)
            return
        if name == "__setitem__":
            target = ast.Subscript(self.expression(args[0]), self.expression(args[1]), ast.Store())
            self.body.append(ast.Assign([target], self.expression(args[2])))
            return
        if name == "dropout" and kwargs.get("training", True) is False:
            kwargs = {**kwargs, "training": _Training()}
        node: ast.expr | None = None
        if len(args) == 2 and not kwargs:
            left, right = args
            if name in _BINARY and not isinstance(right, (tuple, list)):
                op, swapped = _BINARY[name]
                a, b = (right, left) if swapped else (left, right)
                node = ast.BinOp(self.expression(a), op(), self.expression(b))
            elif name in _COMPARED:
                node = ast.Compare(self.expression(left), [_COMPARED[name]()], [self.expression(right)])
            elif name == "__getitem__":
                node = ast.Subscript(self.expression(left), self.expression(right), ast.Load())
        elif name in ("neg", "__neg__") and len(args) == 1:
            node = ast.UnaryOp(ast.USub(), self.expression(args[0]))
        self._assign(name, node or self._call(function, _IN_PLACE.get(name, name), args, kwargs), result)

    def _call(self, function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ast.Call:
        method = isinstance(args[0] if args else None, torch.Tensor) and hasattr(torch.Tensor, name)
        if method and (getattr(torch.Tensor, name, None) is function or name in _IN_PLACE.values()):
            callee = self.note(ast.Attribute(self.expression(args[0]), name, ast.Load()), function)
            args = args[1:]
        else:
            callee = self.note(ast.Name(f"torch.{name}", ast.Load()), function)  # no variable has this name
        return ast.Call(callee, [self._argument(one) for one in args], self._keywords(kwargs))

    def _argument(self, value: Any) -> ast.expr:
        if isinstance(value, _Training):
            return self.note(ast.Attribute(ast.Name("self", ast.Load()), "training", ast.Load()), False)
        return self.expression(value)

    def _keywords(self, kwargs: Mapping[str, Any]) -> list[ast.keyword]:
        return [ast.keyword(name, self._argument(value)) for name, value in kwargs.items()]

    def called(self, child: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Add a call of a child."""
        call = ast.Call(self.path(child), list(map(self.expression, args)), self._keywords(kwargs))
        path = next((path for path, one in self.module.named_modules() if one is child), "result")
        self._assign(path.rpartition(".")[2] if not path[-1].isdigit() else type(child).__name__.lower(), call, result)

    def _assign(self, hint: str, call: ast.expr, result: Any) -> None:
        self.note(call, result)
        if hint.endswith("_") and not hint.endswith("__") and id(result) in self._nodes:
            self.body.append(ast.Expr(call))
            return
        name = self.fresh(hint.strip("_"))
        self.body.append(ast.Assign([ast.Name(name, ast.Store())], call))
        self._parts(result, lambda: ast.Name(name, ast.Load()))

    def fresh(self, hint: str) -> str:
        """Return a name that no other variable has, and reserve it."""
        words = [word for word in hint.split("_") if word]
        base = words[0] + "".join(word.capitalize() for word in words[1:]) if words else "value"
        name, number = base, 2
        while name in self._names:
            name, number = f"{base}{number}", number + 1
        self._names.add(name)
        return name

    def escape(self, frame: FrameType) -> None:
        """Note that a number computed from sizes became a plain value, while the forward ran."""
        if not self._done:
            self.escapes.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}")

    def finish(self, result: Any) -> None:
        """Add the return statement of the forward."""
        self._done = True
        self.body.append(ast.Return(self._result(result)))

    def _result(self, value: Any) -> ast.expr:
        if isinstance(value, Mapping) and not parts_of(value) is not None:
            keys: list[ast.expr | None] = [ast.Constant(key) for key in value]
            return self.note(ast.Dict(keys, list(map(self._result, value.values()))), value)
        if isinstance(value, Mapping):
            there = [one for one in value.values() if one is not None]
            value = there[0] if len(there) == 1 else tuple(there)
        if not isinstance(value, (torch.Tensor, Mapping)) and (parts := parts_of(value)) is not None:  # of a dataclass
            value = tuple(parts.values()) if len(parts) > 1 else next(iter(parts.values()))
        if isinstance(value, tuple):
            return self.note(ast.Tuple(list(map(self._result, value)), ast.Load()), value)
        if isinstance(value, list):
            return self.note(ast.List(list(map(self._result, value)), ast.Load()), value)
        return self.expression(value)

    def method(self, original: Method) -> Method:
        """Return the method to translate in place of ``original``. Raises Untranslatable if its statements could not be recorded."""
        if self.failed:
            raise Untranslatable(Origin(original.file, original.line), self.failed)
        tree = build_function("forward", ["self", *self.given], self.body)
        ast.fix_missing_locations(tree)
        for name, value in self.given.items():
            self.note(ast.Name(name, ast.Load()), value)
        return Method(original.function, tree, original.file, original.line, self.seen, [self.given])


class _Training:
    """An argument that is written as ``self.training``."""
