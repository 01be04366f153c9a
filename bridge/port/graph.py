"""What ran in a module's own forward, as Python of one statement an operator: for a class whose source cannot be translated.

Each function of PyTorch that the forward calls is a statement, and so is each call of a child, whose insides are left to the child. Sizes
are followed: a number that comes from a tensor's shape is written as that. Which way a branch went, and how often a loop ran, is as it was.
"""

from __future__ import annotations

import ast
import functools
import inspect
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from bridge.port.csharp_types import Untranslatable, is_record, items_of
from bridge.port.watched import Method, Seen, as_before, kind, sample_of, source_of, tree_of

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
#: What tells the values of a tensor: a program that depends on them is not the same for another input.
_TELLING: Final = frozenset({"item", "tolist", "__bool__", "__int__", "__float__", "__index__", "equal", "allclose"})
_ARITHMETIC: Final[dict[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip


class Size(int):
    """A size of a tensor, or what is computed of sizes: its value in this run, and the expression that gives it."""

    record: Record
    node: ast.expr

    def __new__(cls, value: int, record: Record, node: ast.expr) -> Size:
        made = super().__new__(cls, value)
        made.record, made.node = record, node
        return made

    def _with(self, other: Any, op: type[ast.operator], swapped: bool = False) -> Any:
        if type(other) not in (int, Size):
            return NotImplemented
        a, b = (other, self) if swapped else (self, other)
        made = ast.BinOp(self.record.expression(a), op(), self.record.expression(b))
        value = _ARITHMETIC[op](int(a), int(b))
        return Size(value, self.record, self.record.note(made, value))

    def __add__(self, other: int) -> Any:
        return self._with(other, ast.Add)

    def __radd__(self, other: int) -> Any:
        return self._with(other, ast.Add, True)

    def __sub__(self, other: int) -> Any:
        return self._with(other, ast.Sub)

    def __rsub__(self, other: int) -> Any:
        return self._with(other, ast.Sub, True)

    def __mul__(self, other: int) -> Any:
        return self._with(other, ast.Mult)

    def __rmul__(self, other: int) -> Any:
        return self._with(other, ast.Mult, True)

    def __floordiv__(self, other: int) -> Any:
        return self._with(other, ast.FloorDiv)

    def __rfloordiv__(self, other: int) -> Any:
        return self._with(other, ast.FloorDiv, True)

    def __mod__(self, other: int) -> Any:
        return self._with(other, ast.Mod)

    __hash__ = int.__hash__


class Record:
    """One call of a module's forward as statements. ``failed`` says why there are none."""

    def __init__(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.module = module
        self.seen: dict[ast.expr, Seen] = {}
        self.body: list[ast.stmt] = []
        self.failed = ""
        self.given: dict[str, Any] = {}
        self._nodes: dict[int, Callable[[], ast.expr]] = {}
        self._kept: list[Any] = []
        self._first: torch.Tensor | None = None
        self._names = {"self", "output", *module._modules, *module._parameters, *module._buffers}
        self._own(module)
        bound = inspect.signature(source_of(type(module).forward)).bind(module, *args, **kwargs)
        for name, value in list(bound.arguments.items())[1:]:
            if bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                self.given.update(value)
            else:
                self.given[name] = value
        for name, value in self.given.items():
            self._names.add(name)
            self._parts(value, functools.partial(ast.Name, name, ast.Load()))

    def _own(self, module: nn.Module) -> None:
        """Parameters and buffers of the module, and of PyTorch's own modules below it."""
        for _path, child in module.named_modules():
            if child is module or type(child).__module__.startswith("torch.nn.modules"):
                for name, tensor in (*child._parameters.items(), *child._buffers.items()):
                    if tensor is not None:
                        self._keep(tensor, functools.partial(self._member, child, name))

    def _member(self, child: nn.Module, name: str) -> ast.expr:
        return ast.Attribute(self.path(child), name, ast.Load())

    def _keep(self, value: Any, node: Callable[[], ast.expr]) -> None:
        self._kept.append(value)  # so that nothing else gets its id
        self._nodes[id(value)] = node

    def _parts(self, value: Any, node: Callable[[], ast.expr]) -> None:
        """Names a tensor, or those within a structure."""
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
            if is_record(value):
                return self.note(ast.Attribute(whole, key, ast.Load()), value[key])
            return self.note(ast.Subscript(whole, ast.Constant(key), ast.Load()), value[key])

        return made

    def note(self, node: ast.expr, value: Any) -> ast.expr:
        """The node, for which the translation will know what it was."""
        seen = self.seen[node] = Seen({kind(value)}, sample=sample_of(value))
        seen.shape = tuple(value.shape) if isinstance(value, torch.Tensor) else ()
        if not isinstance(value, torch.Tensor):
            seen.values.append(value)
        return node

    def path(self, module: nn.Module) -> ast.expr:
        """``self.layers[2]``. Raises Untranslatable for a module that is no child of this one."""
        if module is self.module:
            return self.note(ast.Name("self", ast.Load()), module)
        path = next((path for path, one in self.module.named_modules() if one is module), None)
        if path is None:
            raise Untranslatable(
                ast.Pass(), f"a {type(module).__name__} that is not below {type(self.module).__name__}"
            )
        at: nn.Module = self.module
        node: ast.expr = ast.Name("self", ast.Load())
        for part in path.split("."):
            above, at = at, getattr(at, part)
            if isinstance(above, (nn.ModuleList, nn.Sequential)) and above is not self.module:
                node = ast.Subscript(node, ast.Constant(int(part) if part.isdigit() else part), ast.Load())
            elif above is self.module:
                node = ast.Attribute(node, part, ast.Load())
            else:
                raise Untranslatable(ast.Pass(), f"self.{path}, which is inside of another class")
            self.note(node, at)
        return node

    def expression(self, value: Any) -> ast.expr:
        """What gives the value. Raises Untranslatable for a tensor that came from elsewhere."""
        if isinstance(value, torch.Tensor):
            if id(value) not in self._nodes:
                raise Untranslatable(ast.Pass(), "a tensor that is neither given nor made by an operator of PyTorch")
            return self.note(self._nodes[id(value)](), value)
        if type(value) is Size:
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
        """Runs what adds a statement; the first that cannot be written ends the record."""
        if not self.failed:
            try:
                with torch._C.DisableTorchFunction():
                    write()
            except Untranslatable as error:
                self.failed = error.why

    def ran(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """A function of PyTorch was called."""
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
            callee = self.note(ast.Name(name, ast.Load()), function)
        return ast.Call(callee, [self._argument(one) for one in args], self._keywords(kwargs))

    def _argument(self, value: Any) -> ast.expr:
        if isinstance(value, _Training):
            return self.note(ast.Attribute(ast.Name("self", ast.Load()), "training", ast.Load()), False)
        return self.expression(value)

    def _keywords(self, kwargs: Mapping[str, Any]) -> list[ast.keyword]:
        return [ast.keyword(name, self._argument(value)) for name, value in kwargs.items()]

    def called(self, child: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """A child was called."""
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
        """A name for a variable that is none yet."""
        words = [word for word in hint.split("_") if word]
        base = words[0] + "".join(word.capitalize() for word in words[1:]) if words else "value"
        name, number = base, 2
        while name in self._names:
            name, number = f"{base}{number}", number + 1
        self._names.add(name)
        return name

    def finish(self, result: Any) -> None:
        """The forward returned."""
        self.body.append(ast.Return(self._result(result)))

    def _result(self, value: Any) -> ast.expr:
        if isinstance(value, Mapping) and not is_record(value):
            keys: list[ast.expr | None] = [ast.Constant(key) for key in value]
            return self.note(ast.Dict(keys, list(map(self._result, value.values()))), value)
        if isinstance(value, Mapping):
            there = [one for one in value.values() if one is not None]
            value = there[0] if len(there) == 1 else tuple(there)
        if not isinstance(value, (torch.Tensor, Mapping)) and (parts := items_of(value)) is not None:  # of a dataclass
            value = parts if len(parts) > 1 else parts[0]
        if isinstance(value, tuple):
            return self.note(ast.Tuple(list(map(self._result, value)), ast.Load()), value)
        if isinstance(value, list):
            return self.note(ast.List(list(map(self._result, value)), ast.Load()), value)
        return self.expression(value)

    def method(self, original: Method) -> Method:
        """The statements as a method to be translated in the original's place. Raises Untranslatable where they could not be recorded."""
        if self.failed:
            raise Untranslatable(original.tree, self.failed)
        tree = tree_of("forward", ["self", *self.given], self.body)
        ast.fix_missing_locations(tree)
        for name, value in self.given.items():
            self.note(ast.Name(name, ast.Load()), value)
        return Method(original.function, tree, original.file, original.line, self.seen, original.given)


class _Training:
    """Stands for ``self.training``."""


class _Recording(TorchFunctionMode):
    def __init__(self, stack: list[Record | None]) -> None:
        super().__init__()
        self._stack = stack

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = dict(kwargs or {})
        result = func(*_plain(args), **_plain(given))
        record = self._stack[-1]
        if record is None or record.failed:
            return result
        name = str(getattr(func, "__name__", ""))
        if (name == "__get__" and func.__self__.__name__ == "shape") or name in ("size", "numel"):
            return _sizes(record, args[0], name, result, *args[1:], **given)
        if _has_tensor(result) or name == "__setitem__":
            record.guarded(lambda: record.ran(func, args, given, result))
        elif name in _TELLING:
            record.failed = f"what it does depends on the values of a tensor ({name})"
        return result


def _sizes(record: Record, tensor: torch.Tensor, name: str, result: Any, dim: Any = 0) -> Any:
    found: list[Any] = []

    def write() -> None:
        for place, size in enumerate(tensor.shape):
            shape = record.note(ast.Attribute(record.expression(tensor), "shape", ast.Load()), tensor.shape)
            node = ast.Subscript(shape, ast.Constant(place), ast.Load())
            found.append(Size(size, record, record.note(node, size)))

    record.guarded(write)
    if record.failed:
        return result
    if name == "numel":
        whole: Any = 1
        for size in found:
            whole = whole * size
        return whole
    return torch.Size(found) if isinstance(result, torch.Size) else found[int(dim)]


def _has_tensor(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_has_tensor, value))
    return isinstance(value, torch.Tensor)


def _plain(value: Any) -> Any:
    """Sizes as the numbers that they are."""
    if type(value) is Size:
        return int(value)
    if type(value) is slice:
        return slice(_plain(value.start), _plain(value.stop), _plain(value.step))
    if type(value) in (tuple, list):
        return type(value)(map(_plain, value))
    if type(value) is torch.Size:
        return torch.Size(list(map(_plain, value)))
    if type(value) is dict:
        return {key: _plain(one) for key, one in value.items()}
    return value


def record(model: nn.Module, arguments: Mapping[str, Any], own: Callable[[type], bool]) -> dict[nn.Module, Record]:
    """Runs the model once in eval mode; the first call of each module of its own, as statements."""
    found: dict[nn.Module, Record] = {}
    with torch.no_grad(), torch.random.fork_rng(devices=()), as_before(model):
        given = {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in arguments.items()}
        model.eval()
        stack: list[Record | None] = [None]
        with _calls(stack, found, set(model.modules()), own), _Recording(stack):
            model(**given)
    return found


@contextmanager
def _calls(
    stack: list[Record | None], found: dict[nn.Module, Record], modules: set[nn.Module], own: Callable[[type], bool]
) -> Iterator[None]:
    original = nn.Module.__call__

    def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        outer = stack[-1]
        made = None
        if module in modules and own(type(module)) and module not in found:
            with torch._C.DisableTorchFunction():
                made = found[module] = Record(module, args, kwargs)
        stack.append(made)
        try:
            result = original(module, *args, **kwargs)
        finally:
            stack.pop()
        if made is not None:
            made.guarded(lambda: made.finish(result))
        if outer is not None and not outer.failed:
            outer.guarded(lambda: outer.called(module, args, kwargs, result))
        return result

    nn.Module.__call__ = call  # type: ignore[method-assign]  # for as long as one run is recorded
    try:
        yield
    finally:
        nn.Module.__call__ = original  # type: ignore[method-assign]  # as it was
