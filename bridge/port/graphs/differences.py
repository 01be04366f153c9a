"""Differences between the graphs of a class's instances, and parts of the source whose other runs a graph may not match."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torch import nn

from bridge.port.errors import Unwritable
from bridge.port.frontend.classes.fields import Fields
from bridge.port.frontend.classes.instances import Instances
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Origin
from bridge.port.observe.observations import Method


def unify(graphs: Sequence[Method], instances: Sequence[nn.Module], fields: Fields, found: Instances) -> None:
    """Make a field of each number that differs between the graphs of the instances. Raises Untranslatable for any other difference."""
    origin = Origin(graphs[0].file, graphs[0].line)
    every = [list(ast.walk(one.tree)) for one in graphs]
    if len({len(one) for one in every}) != 1:
        raise Untranslatable(origin, "its instances differ in what runs")
    for nodes in zip(*every, strict=True):
        names = {getattr(one, "id", getattr(one, "attr", "")) for one in nodes}
        if len({type(one) for one in nodes}) > 1 or len(names) > 1:
            raise Untranslatable(origin, "its instances differ in what runs")
        values = [getattr(one, "value", None) for one in nodes] if isinstance(nodes[0], ast.Constant) else []
        if all(one == values[0] for one in values):
            continue
        if len(graphs) != len(instances) or not all(type(one) in (int, float) for one in values):
            raise Untranslatable(origin, "its instances differ in what runs")
        name = found.given_as(values) or f"size{len(fields.definitions)}"
        while name in fields.definitions:
            name += "2"
        try:
            fields.setting(name, values)
        except Unwritable as error:
            raise Untranslatable(origin, str(error)) from None
        place = ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())
        _replace(graphs[0].tree, nodes[0], place)


def _replace(tree: ast.AST, old: ast.AST, new: ast.expr) -> None:
    """Replace the node ``old`` of a tree by ``new``."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if value is old:
                setattr(node, name, new)
            elif isinstance(value, list):
                value[:] = [new if one is old else one for one in value]


def fixed_places(method: Method, absent: Sequence[str]) -> list[str]:
    """Return a line for each part of the source that the graph of one run fixes: ``absent`` arguments, branches, loops, mode, numbers."""
    read = {node.id for node in ast.walk(method.tree) if isinstance(node, ast.Name)}
    found = [f"{method.at(method.tree)}: {name} is None" for name in absent if name in read]
    for node in ast.walk(method.tree):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            found.append(f"{method.at(node)}: which way '{ast.unparse(node.test)}' went")
        elif isinstance(node, ast.For):
            found.append(f"{method.at(node)}: how often the loop over '{ast.unparse(node.iter)}' ran")
        elif isinstance(node, ast.Attribute) and node.attr == "training":
            found.append(f"{method.at(node)}: {ast.unparse(node)} is False")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("max", "min", "int"):
            found.append(f"{method.at(node)}: the value of '{ast.unparse(node)}'")
    return list(dict.fromkeys(found))
