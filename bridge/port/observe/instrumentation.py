"""Functions whose code records the value of each of its expressions while they are instrumented.

A function of the model's source is instrumented when it is first observed as the value of an expression, before that value is called.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from bridge.port.errors import PortError
from bridge.port.observe.observations import Method, Observation, sample
from bridge.port.observe.sources import build_function, is_foreign, name_decorators, read_method, unwrap
from bridge.port.observe.substitutes import substitute

_NAME: Final = "__bridge_port_saw__"
_INNER: Final = "__bridge_port_watched__"


class Instrumentation:
    """The functions of a model's source that record their values, and the functions that they are observed to call.

    Each function that is discovered is added to ``methods``. ``own`` returns whether the methods of a class belong to the model's source.
    """

    def __init__(self, methods: dict[types.FunctionType, Method], own: Callable[[type], bool]) -> None:
        self._methods = methods
        self._own = own
        self._codes: dict[types.FunctionType, types.CodeType] = {}
        self._names: list[tuple[dict[str, Any], str]] = []
        self._recording: set[types.CodeType] = set()

    def __enter__(self) -> Instrumentation:
        for method in list(self._methods.values()):
            self._instrument(method)
        return self

    def __exit__(self, *_: object) -> None:
        for function, code in self._codes.items():
            function.__code__ = code
        for space, name in self._names:
            space.pop(name, None)

    def discover(self, value: Any) -> None:
        """Instrument the value if it is a function of the model's source."""
        function = unwrap(value)
        if not isinstance(function, types.FunctionType) or function.__code__ in self._recording:
            return
        of_own = isinstance(value, types.MethodType) and self._own(type(value.__self__))
        if function in self._methods:
            if hasattr(value, "__wrapped__") and not self._methods[function].decorators:
                self._methods[function].decorators = name_decorators(value)
        elif (of_own or not is_foreign(function)) and (method := read_method(value)) is not None:
            self._methods[function] = method
            self._instrument(method)

    @contextmanager
    def tentative(self) -> Iterator[None]:
        """Keep the observations made in the ``with`` statement only if it raises no exception; an exception is suppressed."""
        known = {function: (method, method.seen, method.given) for function, method in self._methods.items()}
        for method, _, _ in known.values():
            method.seen, method.given = {}, []
        accepted = False
        with suppress(Exception):  # whatever the user's model raises for arguments that it does not take
            yield
            accepted = True
        for function, method in list(self._methods.items()):
            if function not in known:
                if not accepted:
                    self._restore(function)
                continue
            further = method.seen, method.given
            _, method.seen, method.given = known[function]
            if accepted:
                method.merge(*further)

    def _restore(self, function: types.FunctionType) -> None:
        """Forget a function, and restore its code."""
        del self._methods[function]
        if function in self._codes:
            function.__code__ = self._codes.pop(function)

    def _instrument(self, method: Method) -> None:
        function, name = method.function, f"{_NAME}{len(self._names)}"
        recorder = _Recorder(method, self.discover)
        method.watched = False
        with suppress(PortError, SyntaxError, ValueError):  # the function then runs unchanged, without observations
            (code, method.nested), before = _recording_code(method, name, recorder), function.__code__
            function.__code__ = code
            self._codes[function] = before
            method.watched = True
            self._recording |= {code, *_codes_within(code)}
            function.__globals__[name] = recorder
            self._names.append((function.__globals__, name))


class _Recorder:
    """Receives the arguments and values of one function.

    ``nodes`` are its expressions and the parameters of the functions within it, by number.
    """

    def __init__(self, method: Method, discover: Callable[[Any], None]) -> None:
        self.nodes: list[ast.expr | ast.arg] = []
        self._method = method
        self._discover = discover
        arguments = method.tree.args
        self._parameters = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        self._parameters |= {one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None}
        self._parameters.discard("self")

    def enter(self, given: dict[str, Any]) -> None:
        """Note the arguments of a call."""
        self._method.given.append({name: sample(value) for name, value in given.items() if name in self._parameters})

    def __call__(self, number: int, value: Any) -> Any:
        """Note the value of an expression, and return it or its substitute."""
        value = substitute(value)
        self._method.seen.setdefault(self.nodes[number], Observation()).add(value)
        if isinstance(value, (types.FunctionType, types.MethodType)):
            self._discover(value)
        return value


class _Wrap(ast.NodeTransformer):
    """Makes each expression whose value is read the argument of a call of the recorder."""

    def __init__(self, name: str, recorder: _Recorder) -> None:
        self._name, self._recorder = name, recorder

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
            return node
        if isinstance(node, ast.JoinedStr):
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    part.value = self.visit(part.value)
            return node
        if isinstance(node, (ast.arguments, ast.pattern)):
            return node
        if isinstance(node, ast.FunctionDef):
            node.body = [*self._entered(node), *map(self.visit, node.body)]
            node.decorator_list = [self.visit(one) for one in node.decorator_list]
            return node
        if isinstance(node, (ast.Slice, ast.Starred)) or not isinstance(node, ast.expr):
            return self.generic_visit(node)
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return self.generic_visit(node)
        original = self._original[id(node)]
        inner = self.generic_visit(node)
        assert isinstance(original, ast.expr)
        assert isinstance(inner, ast.expr)
        if isinstance(node, ast.Name) and node.id == "super":
            return inner
        return self._recorded(original, inner)

    def _entered(self, node: ast.FunctionDef) -> Iterator[ast.stmt]:
        """Yield the statements that record the arguments of a nested function."""
        for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            original = self._original[id(one)]
            assert isinstance(original, ast.arg)
            yield ast.Expr(self._recorded(original, ast.Name(one.arg, ast.Load())))

    def _recorded(self, original: ast.expr | ast.arg, value: ast.expr) -> ast.Call:
        self._recorder.nodes.append(original)
        number = ast.Constant(len(self._recorder.nodes) - 1)
        return ast.Call(ast.Name(self._name, ast.Load()), [number, value], [])

    def run(self, tree: ast.FunctionDef, original: ast.FunctionDef) -> None:
        """Wrap the expressions of ``tree``, which is a copy of ``original``; the recorder gets the nodes of ``original``."""
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


def _recording_code(
    method: Method, name: str, recorder: _Recorder
) -> tuple[types.CodeType, dict[types.CodeType, ast.FunctionDef]]:
    """Return the function's code with calls of the recorder, a global variable ``name``, and the nodes of nested functions by code.

    Raises PortError if its closure would change.
    """
    tree = ast.parse(ast.unparse(method.tree)).body[0]
    original = ast.parse(ast.unparse(method.tree)).body[0]
    assert isinstance(tree, ast.FunctionDef)
    assert isinstance(original, ast.FunctionDef)
    if ast.dump(original) == ast.dump(method.tree):
        original = method.tree
    nested = {_place(one): other for one, other in zip(ast.walk(tree), ast.walk(original), strict=True)}
    _Wrap(name, recorder).run(tree, original)
    tree.name = _INNER  # with its own name, a recursive function would get a free variable
    free = method.function.__code__.co_freevars
    body: list[ast.stmt] = [tree, ast.Return(ast.Name(tree.name, ast.Load()))]
    module = ast.fix_missing_locations(ast.Module([build_function("outer", free, body)], []))
    code = compile(module, method.file or "<port>", "exec")
    (outer,) = (one for one in code.co_consts if isinstance(one, types.CodeType))
    (inner,) = (one for one in outer.co_consts if isinstance(one, types.CodeType) and one.co_name == tree.name)
    if inner.co_freevars != free:
        raise PortError(f"{method.function.__qualname__} uses its closure in a way that cannot be recorded.")
    known = method.function.__code__  # decorators are identified by its qualified name
    found = ((one, nested.get((one.co_name, one.co_firstlineno))) for one in _codes_within(inner))
    within = {one: node for one, node in found if isinstance(node, ast.FunctionDef)}
    return inner.replace(co_qualname=known.co_qualname) if sys.version_info >= (3, 11) else inner, within


def _place(node: ast.AST) -> tuple[str, int]:
    """Return the name and first line that the code of a function has, decorators included; a place of no code for other nodes."""
    if not isinstance(node, ast.FunctionDef):
        return "", 0
    return node.name, min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _codes_within(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of the functions within a function."""
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield one
            yield from _codes_within(one)
