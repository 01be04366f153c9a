"""A small autograd engine with the behavior that hooks can observe. Codes such as T-2 are clauses of the contract (docs/contract.md)."""

from __future__ import annotations

import heapq
import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partialmethod
from itertools import count
from typing import Any

from hook_contract.runtimes.model.handle import Handle, Hook, Registry


class Mode(threading.local):
    """The grad mode of a thread (``on``), and the counter that numbers the thread's new nodes (X-4)."""

    def __init__(self) -> None:
        self.on, self.numbers = True, count()


GRAD = Mode()


@contextmanager
def grad_mode(on: bool) -> Iterator[None]:
    before, GRAD.on = GRAD.on, on
    try:
        yield
    finally:
        GRAD.on = before


class Node:
    """A node of the graph, with ``width`` outputs.

    ``edges`` has the :meth:`Tensor.edge` of each input of the operation. ``backward(grads, wanted, freed)`` returns the gradients of the
    inputs. ``wanted`` tells for each input whether its gradient is needed. ``freed`` tells whether an earlier backward pass has freed the
    tensors that the operation saved.
    """

    def __init__(self, edges: Sequence[Any], backward: Hook, width: int = 1, post_hooks: Iterable[Hook] = ()) -> None:
        self.number: float = next(GRAD.numbers)
        self.edges, self.backward, self.width, self.freed = edges, backward, width, False
        self.hooks: list[tuple[int, Registry]] = []  # Tensor hooks, by output
        self.retained: dict[int, Tensor] = {}
        self.post_hooks = list(post_hooks)

    def before(self, grads: list[Any]) -> list[Any]:
        """Run the Tensor hooks on ``grads``, then add the resulting gradients to the ``grad`` of the tensors that retain them (T-15)."""
        for index, hooks in self.hooks:
            grads[index] = fire(hooks.values(), grads[index])
        for index, tensor in self.retained.items():
            if grads[index] is not None:
                tensor.grad = grads[index] + (0 if tensor.grad is None else tensor.grad)
        return grads


def fire(hooks: Iterable[Hook], value: Any, *rest: Any) -> Any:
    """Run hooks on a gradient, a tuple of gradients or a leaf tensor. A hook's result replaces the value, unless it is None (T-2).

    Returns the value after the last hook.
    """
    for hook in list(hooks):  # a copy, since a hook may register or remove hooks (T-7)
        result = hook(value, *rest)
        if result is not None:
            check(value, result)
            value = result
    return value


def check(old: Any, new: Any) -> None:
    """Raise unless a hook may replace ``old``, a gradient or a tuple of gradients, by ``new``. A None in a new tuple drops a gradient."""
    if isinstance(old, tuple):
        if not isinstance(new, tuple):
            raise TypeError("expected tuple, but hook returned another type")  # L-6
        if len(new) != len(old):
            raise RuntimeError("hook has returned an incorrect number of values")
        for pair in zip(old, new, strict=True):
            check(*pair)
    elif new is not None:
        if old is None:
            raise RuntimeError("can't replace a None gradient with a non-None value")  # T-4
        if not isinstance(new, Tensor):
            raise TypeError("expected Variable, but hook returned another type")  # T-3
        if old.shape != new.shape:
            raise RuntimeError("hook has changed the size of value")


def total(first: Any, second: Any) -> Any:
    """Return the sum of two gradients, either of which may be None (T-6)."""
    return second if first is None else first if second is None else first + second


class Tensor:
    """A one-dimensional array or a scalar. It is a leaf, or output ``index`` of ``node``."""

    device = "cpu"

    def __init__(self, data: list[float], shape: Any = None, version: list[int] | None = None) -> None:
        self.data, self.version = data, version or [0]  # a view shares both
        self.shape = (len(data),) if shape is None else shape
        self.requires_grad = False
        self.grad: Tensor | None = None
        self.node: Node | None = None
        # For a view that backward hooks made, ``seen`` is the version of the data at that time. For other tensors, it is -1.
        self.index, self.seen = 0, -1
        self.hooks: Registry | None = None
        self.accumulated: Registry = OrderedDict()
        self.accumulator: Node | None = None

    def __deepcopy__(self, memo: Any) -> Tensor:
        result = Tensor(list(self.data), self.shape)  # T-11, Q-5: without hooks
        result.requires_grad = self.requires_grad
        return result

    def binary(self, product: bool, other: Any) -> Any:
        """Return ``self * other`` or ``self + other``. A single element is broadcast."""
        right = other if isinstance(other, Tensor) else Tensor([other], ())
        a, b = self.data, right.data
        if len(a) != len(b) and 1 not in (len(a), len(b)):
            raise RuntimeError("The size of tensor a must match the size of tensor b")
        pairs = [(a[i % len(a)], b[i % len(b)]) for i in range(len(b) if len(a) == 1 else len(a))]
        data = [x * y if product else x + y for x, y in pairs]
        saved = [x for x, y in ((self, right), (right, self)) if product and y.requires_grad]
        partials = [lambda g: g * right, lambda g: g * self] if product else [lambda g: g, lambda g: g]
        return self.result_of(data, max(self.shape, right.shape) and (len(data),), (self, right), partials, saved)

    @staticmethod
    def result_of(data: list[float], shape: Any, inputs: Any, partials: Sequence[Hook], saved: Any = ()) -> Tensor:
        """Return the result of an operation. ``partials`` compute the gradients of ``inputs``, and need the ``saved`` tensors unchanged."""
        result, versions = Tensor(data, shape), [item.version[0] for item in saved]

        def backward(grads: Sequence[Any], wanted: Sequence[bool], freed: bool) -> list[Any]:
            if (saved and freed) or versions != [item.version[0] for item in saved]:
                raise RuntimeError("a tensor that the operation saved was freed, or modified by an inplace operation")
            steps, known = zip(partials, inputs, wanted, strict=True), grads[0] is not None
            return [step(grads[0]).narrowed(item) if want and known else None for step, item, want in steps]

        if GRAD.on and any(item.requires_grad for item in inputs):
            result.requires_grad, result.node = True, Node([item.edge() for item in inputs], backward)
        return result

    __mul__ = __rmul__ = partialmethod(binary, True)
    __add__ = __radd__ = partialmethod(binary, False)

    def narrowed(self, like: Tensor) -> Tensor:
        """Return this gradient in the shape of ``like``: the sum of the elements if ``like`` was broadcast."""
        if self.shape == like.shape:
            return self
        ones = [1.0] * len(self.data)
        return self.result_of([sum(self.data)], like.shape, (self,), [lambda g: g * Tensor(ones, self.shape)])

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return len(self.data)

    def __getitem__(self, index: int) -> Tensor:
        place = Tensor([float(i == index) for i in range(len(self))])
        return self.result_of([self.data[index]], (), (self,), [lambda g: g * place])

    def detach(self, node: Node | None = None, index: int = 0) -> Tensor:
        """Return a tensor with the same data. If ``node`` is given and this tensor requires grad, the result is an output of the node."""
        result = Tensor(self.data, self.shape, self.version)
        if node and self.requires_grad:
            result.requires_grad, result.node, result.index, result.seen = True, node, index, self.version[0]
        return result

    @property
    def grad_fn(self) -> Node | None:
        if self.seen not in (-1, self.version[0]):
            # B-16
            raise RuntimeError(
                "the tensor is a view and its base or another view of its base has been modified inplace"
            )
        return self.node

    def edge(self) -> Any:
        """Return a pair: the node that receives this tensor's gradient, and the tensor's ``index`` among the node's outputs.

        The node of a leaf accumulates the gradient. Returns None if the tensor does not require grad.
        """
        if not self.grad_fn and self.requires_grad and not self.accumulator:
            self.accumulator = Node((), self.accumulate)
            self.accumulator.number = math.inf
        node = self.node or self.accumulator
        return node and (node, self.index)

    def accumulate(self, grads: Sequence[Any], *_: Any) -> list[Any]:
        if grads[0] is not None and self.grad is not None and not GRAD.on:
            self.grad.add_(grads[0])
        elif grads[0] is not None:
            self.grad = grads[0] + (0 if self.grad is None else self.grad)
        if fire(self.accumulated.values(), self) is not self:
            raise RuntimeError("hooks should return None")
        return []

    def add_(self, other: Any) -> None:
        tracked, result = GRAD.on and self.requires_grad, self + other
        if tracked and (self.seen != -1 or not self.node):
            view = "the tensor is a view and is being modified inplace"  # B-16
            raise RuntimeError(view if self.node else "a leaf Variable that requires grad is being used in-place")
        self.data[:], self.version[0] = result.data, self.version[0] + 1
        if not (tracked and self.node):
            return
        if self.node.retained.pop(self.index, None) is self:
            result.node.retained[0] = self  # T-16
        self.node, self.index, self.hooks = result.node, 0, None  # T-10

    def register_hook(self, hook: Hook) -> Handle:
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")  # T-1
        if self.hooks is None:
            self.hooks = OrderedDict()
            node, index = self.edge()
            # The node shares the registry, so hooks that are registered later run too (T-5). The hooks stay with the node after an in-place
            # operation on the tensor (T-10).
            node.hooks.append((index, self.hooks))
        return Handle(self.hooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Hook) -> Handle:
        if self.grad_fn or not self.requires_grad:
            what = "non-leaf tensors" if self.grad_fn else "what doesn't require gradient"
            raise RuntimeError(f"post accumulate grad hooks cannot be registered on {what}")
        return Handle(self.accumulated, hook)

    def retain_grad(self) -> None:
        if self.grad_fn:  # T-14
            self.grad_fn.retained[self.index] = self
        elif not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")

    def backward(
        self, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        self.gradients(gradient, inputs, retain_graph, create_graph, captures=False)

    def gradients(
        self, gradient: Any, inputs: Any, retain_graph: Any = None, create_graph: bool = False,
        allow_unused: bool = False, captures: bool = True,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Run a backward pass and return the gradients of ``inputs``. With ``captures`` this is ``autograd.grad``, else ``backward``."""
        gradient = Tensor([1.0], self.shape) if gradient is None and len(self.data) == 1 else gradient
        if not isinstance(gradient, Tensor):
            raise (RuntimeError if gradient is None else TypeError)(
                "the gradient must be a Tensor, and must be given if the result has several elements"
            )
        if gradient.shape != self.shape or not self.edge():
            raise RuntimeError("the gradient must have the result's shape, and the result must require grad")
        for item in inputs or ():
            if not isinstance(item, Tensor) or not item.requires_grad:
                raise RuntimeError("inputs must be Tensors that require grad")
            if not captures:
                item.retain_grad()  # T-14: as in PyTorch, also if a later input raises
        targets = [item.edge() for item in inputs or ()]
        ends = {node for node, _ in targets}
        executed: dict[Node, bool] = {}  # whether a node is, or leads to, the node of an input; without inputs, True

        def visit(node: Node) -> bool:
            if node not in executed:
                leads = sum(visit(edge[0]) for edge in node.edges if edge)
                executed[node] = leads > 0 or node in ends or inputs is None
            return executed[node]

        (root, index), order, keep = self.edge(), count(), create_graph if retain_graph is None else retain_graph
        visit(root)
        waiting = Counter[Node](edge[0] for node in executed for edge in node.edges if edge)
        captured = dict.fromkeys(targets)
        buffers = {root: [gradient if place == index else None for place in range(root.width)]}
        ready = [(-root.number, next(order), root)]
        with grad_mode(create_graph):  # T-8
            while ready:
                node = heapq.heappop(ready)[-1]  # accumulators of leaves first, then the newest node
                wanted = [bool(edge) and executed[edge[0]] for edge in node.edges]
                needed = inputs is None or any(wanted) or (node in ends and not captures)
                grads = buffers.pop(node) if needed else node.before(buffers.pop(node))
                captured.update({target: grads[target[1]] for target in targets if target[0] is node})
                if not needed:
                    continue
                grads = node.before(grads)
                results = tuple(node.backward(grads, wanted, node.freed))
                results, node.freed = fire(node.post_hooks, results, tuple(grads)), not keep
                for place in [place for place, want in enumerate(wanted) if want]:
                    (target, position), result = node.edges[place], results[place]
                    buffer = buffers.setdefault(target, [None] * target.width)
                    buffer[position], waiting[target] = total(buffer[position], result), waiting[target] - 1
                    if not waiting[target]:
                        heapq.heappush(ready, (-target.number, next(order), target))
        if captures and None in captured.values() and not allow_unused:
            raise RuntimeError("One of the differentiated Tensors appears to not have been used in the graph")
        return tuple(captured[target] for target in targets)
