"""One run of a model in which every expression of its methods says what it was.

The methods of its own classes (and functions that they call) are compiled once more, with each expression handed to a recorder; after the
run everything is as before.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import torch
from torch.nn.utils.rnn import PackedSequence

from bridge.compare.errors import describe
from bridge.compare.io.inputs import describe_value
from bridge.port.memos import without_memos
from bridge.port.port_errors import PortError
from bridge.port.replacing import replaced

_NAME: Final = "__bridge_port_saw__"
_INNER: Final = "__bridge_port_watched__"
_KEPT: Final = 4


@dataclass(slots=True)
class Seen:
    """What one expression was: types' names, some of its plain values, the objects that were called, and whether it was true."""

    types: set[str] = field(default_factory=set)
    values: list[Any] = field(default_factory=list)
    truths: set[bool] = field(default_factory=set)
    sample: Any = None
    shape: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class Method:
    """A function of Python's source: its tree, where it stands, and what its expressions were; ``seen`` is by node, ``given`` are the
    arguments of each call, tensors without their elements; ``stands_for`` is the class whose own forward it replaces,
    ``original`` the function that it is a part of; ``result`` is the type of what it gives in C#, once it is written."""

    function: types.FunctionType
    tree: ast.FunctionDef
    file: str
    line: int
    seen: dict[ast.expr, Seen]
    given: list[dict[str, Any]] = field(default_factory=list)
    stands_for: type | None = None
    original: types.FunctionType | None = None
    result: str = ""

    def at(self, node: ast.AST) -> str:
        """``nets.py:57``"""
        return f"{self.file.rpartition('/')[2]}:{self.line + getattr(node, 'lineno', 1) - 1}"


def watch(
    model: torch.nn.Module,
    arguments: Mapping[str, Any],
    own: Callable[[type], bool],
    forwards: Mapping[type, types.FunctionType] = MappingProxyType({}),
) -> dict[types.FunctionType, Method]:
    """Runs the model, until no further function of its own is found; gives each with what was seen of it.

    ``forwards`` are functions that run instead of a class's forward.
    """
    found: dict[types.FunctionType, Method] = {}
    for kind in {type(module) for module in model.modules() if own(type(module))}:
        forward = source_of(forwards.get(kind, kind.forward))
        _add(found, forward)
        if kind in forwards:
            found[forward].stands_for = kind

    def run() -> None:
        with _forwards(model, forwards):
            _run(model, arguments)

    return _watched(found, run, own)


def watch_function(method: Method, run: Callable[[], None]) -> dict[types.FunctionType, Method]:
    """Runs what calls one function, until no further function of the model's source is found; gives each with what was seen of it."""
    return _watched({method.function: method}, run)


def _watched(
    found: dict[types.FunctionType, Method], run: Callable[[], None], own: Callable[[type], bool] = lambda kind: False
) -> dict[types.FunctionType, Method]:
    while True:
        before = len(found)
        for method in found.values():
            method.seen.clear()
            method.given.clear()
        with _instrumented(found):
            run()
        for method in list(found.values()):
            for seen in list(method.seen.values()):
                for value in seen.values:
                    function = source_of(value)
                    of_own = isinstance(value, types.MethodType) and own(type(value.__self__))
                    if isinstance(function, types.FunctionType) and (of_own or not _foreign(function)):
                        _add(found, function)
        if len(found) == before:
            return found


def _run(model: torch.nn.Module, arguments: Mapping[str, Any]) -> None:
    """In eval mode, then in train mode as far as that goes."""
    with torch.no_grad(), torch.random.fork_rng(devices=()), as_before(model):
        try:
            model.eval()(**_copies(arguments))
        except Exception as error:
            given = ", ".join(f"{name}={describe_value(value)}" for name, value in arguments.items())
            raise PortError(f"the model cannot be run with {given}: {describe(error)}") from error
        with suppress(Exception):  # for example a batch norm of one number
            model.train()(**{name: _twice(value) for name, value in arguments.items()})


@contextmanager
def as_before(model: torch.nn.Module) -> Iterator[None]:
    """Restore the modes, weights, buffers and attributes of the model afterwards."""
    restore = snapshot(model)
    try:
        yield
    finally:
        restore()


def snapshot(model: torch.nn.Module) -> Callable[[], None]:
    """Return a function that restores the modes, weights, buffers and attributes that the model has now."""
    modes = {module: module.training for module in model.modules()}
    state = {name: value.clone() for name, value in (*model.named_parameters(), *model.named_buffers())}
    attributes = {module: dict(vars(module)) for module in modes}  # a forward may leave something there
    held = [one for values in attributes.values() for one in values.values() if type(one) in (dict, list)]
    contents = [one.copy() for one in held]

    def restore() -> None:
        for module, before in attributes.items():
            vars(module).clear()
            vars(module).update(before)
        for one, content in zip(held, contents, strict=True):
            one.clear()
            (one.update if isinstance(one, dict) else one.extend)(content)
        for module, training in modes.items():
            module.training = training
        with torch.no_grad():
            for name, value in (*model.named_parameters(), *model.named_buffers()):
                value.copy_(state[name])

    return restore


def _copies(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in arguments.items()}


def _twice(value: Any) -> Any:
    """A batch of two: a batch norm refuses one number a channel."""
    return torch.cat([value, value]) if isinstance(value, torch.Tensor) and value.dim() > 1 else value


def source_of(value: Any) -> Any:
    """The function whose source runs: below its decorators, where ``functools.wraps`` says what these wrap."""
    function = value.__func__ if isinstance(value, types.MethodType) else value
    return inspect.unwrap(function) if isinstance(function, types.FunctionType) else function


def _foreign(function: types.FunctionType) -> bool:
    """Whether a function is PyTorch's, NumPy's or Python's own."""
    name = (function.__module__ or "").partition(".")[0]
    return name in ("torch", "numpy") or name in sys.stdlib_module_names


def _add(found: dict[types.FunctionType, Method], function: Any) -> None:
    if isinstance(function, types.FunctionType) and function not in found and (made := method_of(function)) is not None:
        found[function] = made


def method_of(function: Any) -> Method | None:
    """The function with its tree, of which nothing was seen yet; None where it has no source."""
    try:
        lines, line = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return None
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(tree, ast.FunctionDef) or not isinstance(function, types.FunctionType):
        return None
    return Method(function, without_memos(tree), inspect.getsourcefile(function) or "", line, {})


@contextmanager
def _forwards(model: torch.nn.Module, replaced: Mapping[type, types.FunctionType]) -> Iterator[None]:
    modules = [module for module in model.modules() if type(module) in replaced]
    try:
        for module in modules:
            module.forward = types.MethodType(replaced[type(module)], module)
        yield
    finally:
        for module in modules:
            vars(module).pop("forward", None)


@contextmanager
def _instrumented(found: Mapping[types.FunctionType, Method]) -> Iterator[None]:
    codes = {function: function.__code__ for function in found}
    spaces: list[dict[str, Any]] = []
    try:
        for function, method in found.items():
            recorder = _Recorder(method)
            name = f"{_NAME}{len(spaces)}"
            with suppress(PortError, SyntaxError, ValueError):  # then it runs as it is, and nothing is seen of it
                function.__code__ = _compiled(method, name, recorder)
                function.__globals__[name] = recorder
            spaces.append(function.__globals__)
        yield
    finally:
        for function, code in codes.items():
            function.__code__ = code
        for index, space in enumerate(spaces):
            space.pop(f"{_NAME}{index}", None)


class _Recorder:
    def __init__(self, method: Method) -> None:
        self.nodes: list[ast.expr] = []
        self._method = method

    def enter(self, given: dict[str, Any]) -> None:
        """Notes what a call was given."""
        arguments = self._method.tree.args
        names = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        names |= {one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None}
        self._method.given.append({name: sample_of(value) for name, value in given.items() if name in names - {"self"}})

    def __call__(self, number: int, value: Any) -> Any:
        node, value = self.nodes[number], replaced(value)
        seen = self._method.seen.setdefault(node, Seen())
        seen.types.add(kind(value))
        if seen.sample is None or (isinstance(seen.sample, (list, dict)) and not seen.sample):
            seen.sample = sample_of(value)
            seen.shape = tuple(value.shape) if isinstance(value, torch.Tensor) else ()
        if (
            not isinstance(value, torch.Tensor)
            and (len(seen.values) < _KEPT or _is_new(value, seen.values))
            and not any(one is value for one in seen.values)
        ):
            seen.values.append(value)
        if isinstance(value, (bool, int, float, str, tuple, list, dict, type(None), torch.nn.Module)):
            seen.truths.add(bool(value) if not isinstance(value, torch.nn.Module) else True)
        return value


def _is_new(value: Any, values: list[Any]) -> bool:
    """Whether it is a module of a class that none of the others has."""
    return isinstance(value, torch.nn.Module) and type(value) not in {type(one) for one in values}


def sample_of(value: Any) -> Any:
    """A value that stands for its type: tensors without their elements."""
    if isinstance(value, torch.Tensor):
        return value.detach()[:0] if value.dim() else value.detach()
    if isinstance(value, tuple) and not isinstance(value, (torch.Size, PackedSequence)):
        return tuple(map(sample_of, value))
    if isinstance(value, list):
        return [sample_of(one) for one in value[:1]]
    if type(value) is dict:
        return {key: sample_of(one) for key, one in value.items()}
    return value


def kind(value: Any) -> str:
    """The type's name, one for all tensors and one for all modules."""
    if isinstance(value, torch.Tensor):
        return "Tensor"
    return "Module" if isinstance(value, torch.nn.Module) else type(value).__name__


class _Wrap(ast.NodeTransformer):
    """Wraps each expression whose value is read."""

    def __init__(self, name: str, recorder: _Recorder) -> None:
        self._name, self._recorder = name, recorder

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.arguments, ast.Slice, ast.JoinedStr, ast.Starred, ast.Lambda)) or not isinstance(
            node, ast.expr
        ):
            return node if isinstance(node, (ast.arguments, ast.JoinedStr, ast.Lambda)) else self.generic_visit(node)
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return self.generic_visit(node)
        original = self._original[id(node)]
        inner = self.generic_visit(node)
        assert isinstance(original, ast.expr)
        assert isinstance(inner, ast.expr)
        if isinstance(node, ast.Name) and node.id == "super":
            return inner
        self._recorder.nodes.append(original)
        number = ast.Constant(len(self._recorder.nodes) - 1)
        return ast.Call(ast.Name(self._name, ast.Load()), [number, inner], [])

    def run(self, tree: ast.FunctionDef, original: ast.FunctionDef) -> None:
        """Wraps in ``tree``, a copy of ``original``, whose nodes are noted."""
        self._original = {id(a): b for a, b in zip(ast.walk(tree), ast.walk(original), strict=True)}
        entered = ast.Expr(
            ast.Call(
                ast.Attribute(ast.Name(self._name, ast.Load()), "enter", ast.Load()),
                [ast.Call(ast.Name("locals", ast.Load()), [], [])],
                [],
            )
        )
        tree.body = [entered, *(self.visit(statement) for statement in tree.body)]
        tree.decorator_list = []
        tree.returns = None


def tree_of(name: str, arguments: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """The tree of a function of these statements."""
    given = ast.arguments([], [ast.arg(one) for one in arguments], None, [], [], None, [])
    made = ast.FunctionDef(name, given, body, [], None)
    if sys.version_info >= (3, 12):
        made.type_params = []  # 3.12 fills in none
    return made


def _compiled(method: Method, name: str, recorder: _Recorder) -> types.CodeType:
    tree = ast.parse(ast.unparse(method.tree)).body[0]
    original = ast.parse(ast.unparse(method.tree)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    assert isinstance(original, ast.FunctionDef)
    if ast.dump(original) == ast.dump(method.tree):
        original = method.tree
    _Wrap(name, recorder).run(tree, original)
    tree.name = _INNER  # so that a function that names itself means the one that is watched
    free = method.function.__code__.co_freevars
    body: list[ast.stmt] = [tree, ast.Return(ast.Name(tree.name, ast.Load()))]
    outer = tree_of("outer", free, body)
    module = ast.fix_missing_locations(ast.Module([outer], []))
    code = compile(module, method.file or "<port>", "exec")
    (made,) = (one for one in code.co_consts if isinstance(one, types.CodeType))
    (inner,) = (one for one in made.co_consts if isinstance(one, types.CodeType) and one.co_name == tree.name)
    if inner.co_freevars != free:
        raise PortError(f"{method.function.__qualname__} uses its closure in a way that cannot be watched.")
    return inner
