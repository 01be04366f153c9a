"""Functions that constructors store: ``self.act = lambda x: …`` becomes a function within the forward that reads ``self.act``."""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from torch import nn

from bridge.port.observe.observations import Method
from bridge.port.observe.sources import build_function, read_method

#: Nodes that mean something else within another function, or that bind names otherwise than assignments do.
_REFUSED: Final = (
    ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.ClassDef, ast.FunctionDef,
    ast.AsyncFunctionDef, ast.Import, ast.ImportFrom, ast.Try, ast.With, ast.Match,
)  # fmt: skip
_Definition = ast.Lambda | ast.FunctionDef
_Statement = TypeVar("_Statement", ast.FunctionDef, ast.Assign)


def define_within(method: Method, modules: Sequence[nn.Module]) -> None:
    """Define the functions that constructors stored, and that a forward reads from ``self``, within that forward.

    A function is moved only if it is the same in all ``modules`` that have the forward, if no other method assigns the attribute, and
    if its closure holds nothing but the module itself and parts of it. ``method.within`` then has the attribute.
    """
    kinds = {kind for kind in set(map(type, modules)) if _has(kind, method.function)}
    having = [one for one in modules if type(one) in kinds]
    receiver = next((one.arg for one in method.tree.args.args), "")
    read = [
        node.attr
        for node in ast.walk(method.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver
    ]
    for name in dict.fromkeys(read if having and receiver else ()):
        whole = _moved(name, having, method, receiver) or _listed(name, having, method, receiver)
        if whole is not None:
            own = whole.name if isinstance(whole, ast.FunctionDef) else ast.unparse(whole.targets[0])
            _Replaced({}, receiver, {name: own}).visit(method.tree)
            method.tree.body.insert(1 if ast.get_docstring(method.tree) is not None else 0, whole)
            method.within.add(name)


def _has(kind: type, function: types.FunctionType) -> bool:
    return any(value is function for owner in kind.__mro__ for value in vars(owner).values())


def leave_out(constructors: Mapping[types.FunctionType, Method], name: str) -> None:
    """Remove ``self.name = lambda …`` from the only constructor that mentions the attribute, if each of its runs makes the assignment."""
    trees = [one.tree for one in constructors.values()]
    found = [(tree, node) for tree in trees for node in ast.walk(tree) if getattr(node, "attr", "") == name]
    for tree, store in found if len(found) == 1 else ():
        kept = [
            one
            for one in tree.body
            if not (isinstance(one, ast.Assign) and one.targets == [store] and _makes(one.value))
        ]
        tree.body[:] = kept or [ast.copy_location(ast.Pass(), tree)]


def _makes(value: ast.expr) -> bool:
    """Return whether an expression is a lambda or a list of lambdas."""
    items = value.elts if isinstance(value, ast.List) else [value]
    return bool(items) and all(isinstance(one, ast.Lambda) for one in items)


def _definition(name: str, modules: Sequence[nn.Module], forward: types.FunctionType) -> _Definition | None:
    """Return the tree of the function that is the attribute of all modules; None if it is none, differs, or may be assigned later."""
    stored = [vars(one).get(name) for one in modules]
    first = stored[0]
    if not isinstance(first, types.FunctionType) or "<locals>" not in first.__qualname__:
        return None
    for one in stored:
        if not isinstance(one, types.FunctionType) or one.__code__ is not first.__code__:
            return None
    if first.__globals__ is not forward.__globals__:
        return None
    found: list[_Definition] = []
    for function in _functions(modules):
        method = read_method(function)
        if method is None:
            return None
        if first.__code__ in function.__code__.co_consts:
            found += (node for node in _defined(method) if _line(method, node) == first.__code__.co_firstlineno)
        elif any(getattr(node, "attr", "") == name and not _is_read(node) for node in ast.walk(method.tree)):
            return None
    return found[0] if len(found) == 1 else None


def _defined(method: Method) -> Iterator[_Definition]:
    for node in ast.walk(method.tree):
        if isinstance(node, (ast.Lambda, ast.FunctionDef)) and node is not method.tree:
            yield node


def _line(method: Method, node: _Definition) -> int:
    return method.line + node.lineno - 1


def _is_read(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _functions(modules: Sequence[nn.Module]) -> Iterator[types.FunctionType]:
    """Yield the functions of the classes of modules, without those of PyTorch's classes."""
    for kind in dict.fromkeys(one for module in modules for one in type(module).__mro__):
        if kind is not object and kind.__module__.partition(".")[0] != "torch":
            yield from (one for one in vars(kind).values() if isinstance(one, types.FunctionType))


def _moved(name: str, modules: Sequence[nn.Module], method: Method, receiver: str) -> ast.FunctionDef | None:
    """Return a stored function as a statement of a forward; None if it would mean something else in it."""
    found = _definition(name, modules, method.function)
    if found is None or (isinstance(found, ast.FunctionDef) and found.decorator_list):
        return None
    closure = _closure(name, modules, receiver)
    body = [ast.Return(found.body)] if isinstance(found, ast.Lambda) else found.body
    own = None if closure is None else _name_within(name, found.args, body, {receiver, *closure}, method.tree)
    if own is None or closure is None:
        return None
    inner = [_Replaced(closure, "", {}).visit(copy.deepcopy(one)) for one in body]
    return _placed(build_function(own, [one.arg for one in found.args.args], inner), method.tree)


def _listed(name: str, modules: Sequence[nn.Module], method: Method, receiver: str) -> ast.Assign | None:
    """Return a stored list of lambdas as a statement of a forward; None if they differ, or close over values, or may be replaced."""
    stored = [vars(one).get(name) for one in modules]
    listed = (isinstance(one, list) and all(isinstance(item, types.FunctionType) for item in one) for one in stored)
    made = _only_assignment(name, modules) if all(listed) else None
    if made is None or not isinstance(made, ast.List) or not _makes(made):
        return None
    for one in stored:
        if not isinstance(one, list) or not all(map(_is_like, one, made.elts)) or len(one) != len(made.elts):
            return None
        if any(function.__globals__ is not method.function.__globals__ for function in one):
            return None
    names = [
        _name_within(name, item.args, [item.body], {receiver}, method.tree)
        for item in made.elts
        if isinstance(item, ast.Lambda)
    ]
    if None in names or len(set(names)) != 1:
        return None
    return _placed(ast.Assign([ast.Name(str(names[0]), ast.Store())], copy.deepcopy(made)), method.tree)


def _only_assignment(name: str, modules: Sequence[nn.Module]) -> ast.expr | None:
    """Return the value of an attribute that the classes of modules assign once, and otherwise only take items of; else None."""
    made: list[ast.expr] = []
    for function in _functions(modules):
        method = read_method(function)
        for node in ast.walk(method.tree) if method is not None else ():
            for child in ast.iter_child_nodes(node):
                if getattr(child, "attr", "") != name:
                    continue
                if isinstance(node, ast.Assign) and node.targets == [child]:
                    made.append(node.value)
                elif not (isinstance(node, ast.Subscript) and _is_read(node) and _is_read(child)):
                    return None
        if method is None:
            return None
    return made[0] if len(made) == 1 else None


def _is_like(function: object, node: ast.expr) -> bool:
    """Return whether a function is what a lambda makes that closes over nothing."""
    code = compile(ast.fix_missing_locations(ast.Expression(copy.deepcopy(node))), "", "eval")
    (inner,) = (one for one in code.co_consts if isinstance(one, types.CodeType))
    return isinstance(function, types.FunctionType) and all(
        getattr(function.__code__, one) == getattr(inner, one)
        for one in ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars")
    )


def _name_within(
    name: str, arguments: ast.arguments, body: Sequence[ast.AST], others: set[str], forward: ast.FunctionDef
) -> str | None:
    """Return a name for a function in a forward; None if the function's names mean something else in it, which has ``others``, too."""
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs or arguments.defaults:
        return None
    if any(isinstance(node, _REFUSED) for one in body for node in ast.walk(one)):
        return None
    local = {*(one.arg for one in arguments.args), *_stored(body)}
    around = {*_stored([forward]), *(node.arg for node in ast.walk(forward) if isinstance(node, ast.arg))}
    if local & others or ({*_named(body)} - local - others) & around:
        return None
    taken = {*around, *_named([forward]), *_named(body)}
    while name in taken:
        name += "_"
    return name


def _placed(made: _Statement, forward: ast.FunctionDef) -> _Statement:
    for node in ast.walk(made):
        ast.copy_location(node, forward.body[0])
    return made


def _closure(name: str, modules: Sequence[nn.Module], receiver: str) -> dict[str, ast.expr] | None:
    """Return the expression, by name, of each value in the closure of a stored function; None if a value has no expression."""
    found: list[dict[str, str]] = []
    for module in modules:
        function = vars(module)[name]
        paths = {id(one): f"{receiver}.{path}" if path else receiver for path, one in module.named_modules()}
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        found.append({key: paths.get(id(_content(cell)), "") for key, cell in cells.items()})
    alike = all(one == found[0] for one in found)
    if not alike or not all(all(map(str.isidentifier, path.split("."))) for path in found[0].values()):
        return None
    return {key: ast.parse(path, mode="eval").body for key, path in found[0].items()}


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # the constructor deleted the variable
        return None


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    return {
        node.arg if isinstance(node, ast.arg) else node.id
        for one in nodes
        for node in ast.walk(one)
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and not _is_read(node))
    }


def _named(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for one in nodes for node in ast.walk(one) if isinstance(node, ast.Name)}


class _Replaced(ast.NodeTransformer):
    """Replaces variables by expressions, and attributes of the module by variables."""

    def __init__(self, values: Mapping[str, ast.expr], receiver: str, names: Mapping[str, str]) -> None:
        self._values, self._receiver, self._names = values, receiver, names

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the name that ast calls
        value = self._values.get(node.id)
        return node if value is None else copy.deepcopy(value)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # the name that ast calls
        own = isinstance(node.value, ast.Name) and node.value.id == self._receiver
        if own and node.attr in self._names:
            return ast.copy_location(ast.Name(self._names[node.attr], ast.Load()), node)
        self.generic_visit(node)
        return node
