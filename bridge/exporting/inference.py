"""The inference of numbers that code computes from the size of a dynamic dimension: from traces at several fixed sizes.

Code that reads a size as a number, such as ``x.view(x.shape[0], -1)`` in C#, leaves a constant in a trace. The traces at several sizes have
the same operations, and constants that differ. Each such constant becomes an expression of the sizes, which further traces must confirm.
The graph with these expressions is then traced by ``torch.export`` with dynamic dimensions, like any PyTorch model.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any, Final, NamedTuple

import torch
from torch.fx import GraphModule, Node

from bridge.exporting import behavior, tracing
from bridge.exporting.dimensions import Dimension, draw
from bridge.exporting.errors import ExportError, name_module

#: The largest number of dynamic dimensions: more need too many traces.
_MOST: Final = 2
#: What sizes differ by, at least. Some models run only with sizes that are multiples.
_STEPS: Final = (1, 2, 4, 8, 16, 32)


class _Term(NamedTuple):
    """A part of an expression: a factor, and the indices of the dimensions whose sizes it is multiplied by."""

    factor: int
    dimensions: tuple[int, ...]


def infer(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dimensions: Sequence[Dimension],
    seed: int,
    step: Callable[[str], None],
) -> tuple[torch.export.ExportedProgram, dict[str, str]]:
    """Trace copies of a model at several sizes; return a program with dynamic dimensions, and a note for each module that reads a size.

    Raises ExportError, with the path of a module, if the traces differ in more than integers, or if an integer is not an expression of the
    sizes.
    """
    if len(dimensions) > _MOST:
        raise ExportError(f"sizes are inferred for at most {_MOST} dynamic dimensions, not {len(dimensions)}.")
    points = _find_points(model, (args, kwargs), dimensions, seed)
    graphs = []
    for point in points:
        words = _describe_point(point, dimensions)
        step(f"tracing the model at {words}")
        sizes = {dimension.name: size for dimension, size in zip(dimensions, point, strict=True)}
        drawn = draw((args, kwargs), dimensions, sizes, seed)
        program = tracing.trace(behavior.copy_model(model), drawn[0], drawn[1], ())
        tracing.check_random(program)
        graphs.append(program.module(check_guards=False))
    merger = _Merger(graphs, points, dimensions)
    merged = merger.merge()
    step("tracing the graph with inferred sizes")
    program = tracing.trace(merged, args, kwargs, dimensions)
    readers = tracing.find_size_readers(behavior.copy_model(model), args, kwargs, dimensions)
    return program, merger.notes(readers)


def _find_points(
    model: torch.nn.Module, values: Any, dimensions: Sequence[Dimension], seed: int
) -> list[tuple[int, ...]]:
    """Return the sizes at which to trace; the last confirm what the others give. Raises ExportError if the model does not run there."""
    model = behavior.copy_model(model)
    for distance in _STEPS:
        points = []
        for chosen in range(2 ** len(dimensions)):
            points.append(tuple(d.size + distance * (chosen >> at & 1) for at, d in enumerate(dimensions)))
        points.append(tuple(2 * d.size + (3 + at) * distance for at, d in enumerate(dimensions)))
        sizes = [{d.name: size for d, size in zip(dimensions, point, strict=True)} for point in points]
        if all(behavior.runs(model, draw(values, dimensions, given, seed)) for given in sizes):
            return points
    raise ExportError("the model runs at too few sizes to infer anything from them: leave out --infer-sizes.")


def _describe_point(point: tuple[int, ...], dimensions: Sequence[Dimension]) -> str:
    return ", ".join(f"{dimension.name} {size}" for dimension, size in zip(dimensions, point, strict=True))


class _Merger:
    """Merges the graphs of one model at several sizes into one graph that computes its numbers from the sizes."""

    def __init__(
        self, graphs: Sequence[GraphModule], points: Sequence[tuple[int, ...]], dimensions: Sequence[Dimension]
    ) -> None:
        self._graphs, self._points, self._dimensions = graphs, points, dimensions
        self._inferred: dict[str, set[str]] = {}
        self._sizes: list[Node] = []
        self._nodes: dict[tuple[_Term, ...], Node] = {}
        count = len(dimensions)
        self._monomials = [(), *((at,) for at in range(count)), *combinations(range(count), 2)]

    def merge(self) -> GraphModule:
        """Return the first graph, changed. Raises ExportError."""
        first = self._graphs[0]
        rows = [list(graph.graph.nodes) for graph in self._graphs]
        for nodes in zip(*rows, strict=False):
            if len({(node.op, str(node.target), node.name) for node in nodes}) > 1:
                raise self._branch(nodes)
        if len({len(row) for row in rows}) > 1:
            raise self._branch(tuple(row[-1] for row in rows))
        for dimension in self._dimensions:
            self._sizes.append(self._size_node(first, dimension))
        for nodes in zip(*rows, strict=True):
            if nodes[0].op == "get_attr":
                self._check_constant(nodes)
            elif nodes[0].op != "placeholder":
                nodes[0].args = tuple(self._merge(nodes, tuple(node.args for node in nodes)))
                nodes[0].kwargs = self._merge(nodes, tuple(dict(node.kwargs) for node in nodes))
        first.graph.lint()
        first.recompile()
        return first

    def notes(self, readers: Sequence[str]) -> dict[str, str]:
        """Return a note for each module that reads a size or whose numbers were inferred, by path."""
        tried = "; ".join(_describe_point(point, self._dimensions) for point in self._points)
        found = {path: self._inferred.get(path, set()) for path in (*readers, *self._inferred)}
        notes = {}
        for path, expressions in found.items():
            words = f"inferred as {', '.join(sorted(expressions))}" if expressions else "the file has no number from it"
            notes[path] = f"{name_module(path)} reads a size as a number: {words} (traced at {tried})."
        return notes

    def _size_node(self, graph: GraphModule, dimension: Dimension) -> Node:
        """Return a new node of the graph for the size of a dimension."""
        inputs = [
            node
            for node in graph.graph.nodes
            if node.op == "placeholder" and isinstance(node.meta.get("val"), torch.Tensor)
        ]
        index, dim = dimension.places[0]
        last = [node for node in graph.graph.nodes if node.op == "placeholder"][-1]
        following = self._sizes[-1] if self._sizes else last
        with graph.graph.inserting_after(following):
            return graph.graph.call_function(torch.ops.aten.sym_size.int, (inputs[index], dim))

    def _merge(self, nodes: Sequence[Node], values: Sequence[Any]) -> Any:
        """Return an argument of the merged graph, from the arguments in all graphs. Raises ExportError."""
        first = values[0]
        if any(type(value) is not type(first) for value in values):
            raise self._branch(nodes)
        if isinstance(first, Node):
            if len({value.name for value in values}) > 1:
                raise self._branch(nodes)
            return first
        if isinstance(first, (tuple, list)):
            if len({len(value) for value in values}) > 1:
                raise self._branch(nodes)
            return type(first)(self._merge(nodes, items) for items in zip(*values, strict=True))
        if isinstance(first, dict):
            if any(value.keys() != first.keys() for value in values):
                raise self._branch(nodes)
            return {key: self._merge(nodes, [value[key] for value in values]) for key in first}
        if all(value == first for value in values):
            return first
        if type(first) is not int:
            raise self._branch(nodes)
        return self._expression(nodes, values)

    def _expression(self, nodes: Sequence[Node], values: Sequence[int]) -> Node:
        terms = self._solve(values)
        if terms is None:
            path = tracing.path_of(nodes[0])
            raise ExportError(
                f"{self._where(nodes)} computes a number from a size ({self._listed(values)}, for {nodes[0].target}), and no expression of "
                "the sizes gives it: compute it with tensors, or leave out --dynamic.",
                path,
            )
        self._inferred.setdefault(tracing.path_of(nodes[0]) or "", set()).add(self._format(terms))
        if terms not in self._nodes:
            self._nodes[terms] = self._build(terms)
        return self._nodes[terms]

    def _solve(self, values: Sequence[int]) -> tuple[_Term, ...] | None:
        """Return the expression with these values at the points; None if no expression with integer factors fits all of them."""
        count = len(self._monomials)
        rows = [
            [*(Fraction(prod(point[at] for at in monomial)) for monomial in self._monomials), Fraction(value)]
            for point, value in zip(self._points, values, strict=True)
        ]
        matrix = [row[:] for row in rows[:count]]
        for column in range(count):
            pivot = next(row for row in range(column, count) if matrix[row][column])
            matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
            matrix[column] = [entry / matrix[column][column] for entry in matrix[column]]
            for row in range(count):
                if row != column and (factor := matrix[row][column]):
                    matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[column], strict=True)]
        factors = [row[-1] for row in matrix]
        if any(factor.denominator != 1 for factor in factors):
            return None
        if any(sum(f * x for f, x in zip(factors, row[:-1], strict=True)) != row[-1] for row in rows):
            return None
        return tuple(_Term(int(f), monomial) for f, monomial in zip(factors, self._monomials, strict=True) if f)

    def _build(self, terms: tuple[_Term, ...]) -> Node:
        """Add nodes that compute an expression behind those that are there already, and return the last."""
        graph = self._graphs[0].graph
        following = [*self._nodes.values()][-1] if self._nodes else self._sizes[-1]

        def add(function: Any, *arguments: Any) -> Node:
            nonlocal following
            with graph.inserting_after(following):
                following = graph.call_function(function, arguments)
            return following

        total: Any = None
        for factor, dimensions in sorted(terms, key=lambda term: -len(term.dimensions)):
            value: Any = factor
            for at in dimensions:
                value = (
                    self._sizes[at]
                    if isinstance(value, int) and value == 1
                    else add(operator.mul, self._sizes[at], value)
                )
            total = value if total is None else add(operator.add, total, value)
        assert isinstance(total, Node)
        return total

    def _check_constant(self, nodes: Sequence[Node]) -> None:
        """Raise ExportError if a tensor or a nested graph that is part of the graphs differs between them."""
        values = [operator.attrgetter(str(node.target))(graph) for node, graph in zip(nodes, self._graphs, strict=True)]
        first = values[0]
        if isinstance(first, torch.nn.Parameter) or first is None:
            return
        if isinstance(first, torch.Tensor):
            if not all(first.shape == value.shape and torch.equal(first, value) for value in values[1:]):
                raise self._branch([next(iter(node.users), node) for node in nodes])
        elif isinstance(first, GraphModule) and len({value.code for value in values}) > 1:
            raise self._branch([next(iter(node.users), node) for node in nodes])

    def _branch(self, nodes: Sequence[Node]) -> ExportError:
        tried = "; ".join(_describe_point(point, self._dimensions) for point in self._points)
        known = [path for node in nodes if (path := tracing.path_of(node)) is not None]
        return ExportError(
            f"{self._where(nodes)} does other work at other sizes ({tried}): "
            "it branches on a size, loops over it, or has numbers or constant tensors that depend on it.",
            known[0] if known else None,
        )

    def _where(self, nodes: Sequence[Node]) -> str:
        known = [path for node in nodes if (path := tracing.path_of(node)) is not None]
        return name_module(known[0]) if known else "the model"

    def _listed(self, values: Sequence[int]) -> str:
        pairs = zip(values, self._points, strict=True)
        return "; ".join(f"{value} at {_describe_point(point, self._dimensions)}" for value, point in pairs)

    def _format(self, terms: Sequence[_Term]) -> str:
        return (
            " + ".join(self._format_term(term) for term in sorted(terms, key=lambda term: -len(term.dimensions))) or "0"
        )

    def _format_term(self, term: _Term) -> str:
        names = [self._dimensions[at].name for at in term.dimensions]
        return "*".join([*([str(term.factor)] if term.factor != 1 or not names else []), *names])
