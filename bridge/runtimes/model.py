"""The hook contract as a program that runs, without torch and without .NET: an executable specification.

The id of a clause stands where the clause is carried out. The chapters: handles and registries (H, G, O), the call of a module with its
forward and backward hooks (C, P, F, A, D, B, L), and as much of an autograd engine as can be seen through hooks (T, Q, N).
``bridge.runtimes.programs.model`` runs hook programs on it.
"""

from __future__ import annotations

import heapq
import math
import threading
import warnings
import weakref
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, partialmethod
from itertools import count
from typing import Any, ClassVar

Hook = Callable[..., Any]
Registry = OrderedDict[Any, Hook]
#: G-4: full and legacy backward hooks share their registries.
FULL = {"backward": True, "legacy": False}


# H, G, O. Handles and registries.


class Handle:
    """Ids count up over all registries (H-1); to remove twice does nothing (H-3)."""

    numbers = count()

    def __init__(self, registry: Registry, hook: Hook, prepend: bool = False, marks: Sequence[Registry] = ()) -> None:
        self.id, self.registry, self.marks = next(self.numbers), registry, marks
        registry[self.id] = hook  # O-1: the order of the dictionary is that of the hooks; G-8: twice is two
        if prepend:
            registry.move_to_end(self.id, last=False)  # O-2, O-4

    def remove(self) -> None:
        for held in (self.registry, *self.marks):
            held.pop(self.id, None)  # H-4

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()  # H-5


class Hooked:
    """What hooks are registered on: a module; or, for all modules, the process (G-3)."""

    options: ClassVar = {"forward": {"with_kwargs", "always_call"}}  # O-3, P-7, F-4
    forgets: ClassVar = ["always_call"]  # G-2: of all modules, that a hook takes kwargs is never forgotten

    def __init__(self) -> None:
        self.hooks: dict[str, Registry] = {kind: OrderedDict() for kind in Module.options}
        self.marks: dict[str, Registry] = {name: OrderedDict() for name in Module.forgets}  # D-2: read at each call
        self.full: bool | None = None  # G-4, G-6

    def register(self, kind: str, hook: Hook, options: Mapping[str, bool]) -> Handle:
        if options.keys() - self.options.get(kind, set()):
            raise TypeError("unexpected keyword argument")
        if self.full not in (None, full := FULL.get(kind, self.full)):
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks")  # G-5, G-7
        self.full = full
        marks = [self.marks[name] for name in self.forgets]
        handle = Handle(self.hooks[kind.replace("legacy", "backward")], hook, options.get("prepend", False), marks)
        for name, marked in self.marks.items():
            if options.get(name):
                marked[handle.id] = hook
        return handle


# C, P, F, A, D, B, L. The call of a module.


class Call:
    """One call, with all its state (X-4): a graph has a record of its own (D-4, D-5)."""

    result: Any = None
    grad_output: Any = None

    def __init__(self, module: Module, args: Any, kwargs: Any) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.owners = (EVERYWHERE, module)  # O-1: global hooks first
        self.ran: set[Any] = set()

    def hooks(self, kind: str) -> list[tuple[Any, Hook]]:
        """D-1: those that are registered when the phase begins."""
        full, kind = FULL.get(kind), kind.replace("legacy", "backward")
        return [item for owner in self.owners if full in (None, owner.full) for item in owner.hooks[kind].items()]

    def run(self, forward: Hook) -> Any:
        try:
            return self.phases(forward)
        except Exception:
            self.recover()
            raise

    def phases(self, forward: Hook) -> Any:
        """C-6, in its order; C-7 follows."""
        self.pre_hooks, self.full_hooks, legacy = map(self.hooks, ("backward_pre", "backward", "legacy"))
        for number, hook in self.hooks("pre"):
            if number in self.module.marks["with_kwargs"]:
                changed = hook(self.module, self.args, self.kwargs)  # P-1, P-5, P-6
                if isinstance(changed, tuple) and len(changed) == 2:
                    self.args, self.kwargs = changed  # P-4
                elif changed is not None:
                    raise RuntimeError("forward pre-hook must return None or a tuple")  # P-3
            elif (changed := hook(self.module, self.args)) is not None:
                self.args = changed if isinstance(changed, tuple) else (changed,)  # P-2
        if self.pre_hooks or self.full_hooks:
            self.args, self.inputs = self.wrap(self.args, self.at_inputs)
        self.result = forward(*self.args, **self.kwargs)
        for number, hook in self.hooks("forward"):
            self.ran.add(number)
            self.show(number, hook, self.owners)
        if self.pre_hooks or self.full_hooks:
            results = self.result if isinstance(self.result, tuple) else (self.result,)
            results, self.outputs = self.wrap(results, self.at_outputs)
            if isinstance(self.result, tuple):
                self.result = results
            elif isinstance(self.result, Tensor):
                self.result = results[0]
            else:
                warnings.warn("should be a Tensor or a tuple of Tensors", UserWarning, stacklevel=2)  # B-10
        if legacy:
            self.attach(legacy)
        return self.result

    def show(self, number: Any, hook: Hook, asked: Iterable[Hooked]) -> None:
        """One forward hook, which gets kwargs if one of those who are ``asked`` knows that it takes them."""
        extra = (self.kwargs,) if any(number in owner.marks["with_kwargs"] for owner in asked) else ()
        changed = hook(self.module, self.args, *extra, self.result)  # F-1, F-4
        self.result = self.result if changed is None else changed  # F-2, F-3, A-5

    def recover(self) -> None:
        """A-3, A-9: after an exception the always_call hooks that did not run yet, over the live dictionary (A-8, D-3)."""
        for where, owner in zip(("global module", "module"), self.owners, strict=True):
            for number, hook in owner.hooks["forward"].items():
                if number in owner.marks["always_call"] and number not in self.ran:
                    try:
                        self.show(number, hook, (self.module,))
                    except Exception as error:
                        text = f"{where} forward hook with ``always_call=True`` raised what was silenced: {error}"
                        warnings.warn(text, UserWarning, stacklevel=2)

    def wrap(self, values: Any, hook: Hook) -> Any:
        """B-2, B-4: the Tensors among the values behind one node, and of each value which output it is; B-5: or nothing."""
        tensors, numbers = [value for value in values if isinstance(value, Tensor)], count()
        outputs = [next(numbers) if isinstance(value, Tensor) else None for value in values]
        if not GRAD.on or not any(item.requires_grad for item in tensors):
            return values, None

        def backward(grads: Sequence[Any], *_: Any) -> list[Any]:  # B-11
            pairs = zip(grads, tensors, strict=True)
            return [Tensor([0.0] * len(like.data), like.shape) if grad is None else grad for grad, like in pairs]

        edges, pairs = [item.edge() for item in tensors], zip(values, outputs, strict=True)
        node = Node(edges, backward, len(tensors), (hook,))
        return tuple(value if index is None else value.detach(node, index) for value, index in pairs), outputs  # B-17

    def at_outputs(self, _: Any, grads: Any) -> Any:
        self.grad_output = tuple(None if index is None else grads[index] for index in self.outputs)  # B-3
        for _, hook in self.pre_hooks:
            changed = hook(self.module, self.grad_output)
            if changed is not None and len(changed) != len(self.outputs):
                raise RuntimeError("Backward pre hook returned an invalid number of grad_output")
            self.grad_output = self.grad_output if changed is None else changed  # B-13
        if self.inputs is None:  # B-7
            warnings.warn("Full backward hook is firing when gradients are computed", UserWarning, stacklevel=2)  # B-9
            for _, hook in self.full_hooks:
                changed = hook(self.module, (None,) * len(self.args), self.grad_output)
                if changed is not None and not (isinstance(changed, tuple) and all(item is None for item in changed)):
                    raise RuntimeError("Backward hook for Modules where no input requires gradient")  # B-8
        return tuple(self.grad_output[place] for place, index in enumerate(self.outputs) if index is not None)

    def at_inputs(self, grads: Any, _: Any) -> Any:
        if self.grad_output is None:
            return None  # B-15
        grad_input: Any = tuple(None if index is None else grads[index] for index in self.inputs)
        for _, hook in self.full_hooks:
            changed = hook(self.module, grad_input, self.grad_output)  # B-1, B-14
            if changed is not None and len(changed) != len(self.args):
                raise RuntimeError("Backward hook returned an invalid number of grad_input")
            grad_input = grad_input if changed is None else changed  # B-12
        self.grad_output = None
        return tuple(grad_input[place] for place, index in enumerate(self.inputs) if index is not None)

    def attach(self, hooks: list[tuple[Any, Hook]]) -> None:
        """L-1: to the node of the first Tensor of the result; what the search raises stays as it is (L-2)."""
        first: Any = self.result
        while not isinstance(first, Tensor):
            first = next(t for t in first.values() if isinstance(t, Tensor)) if isinstance(first, dict) else first[0]
        node, module, args = first.grad_fn, weakref.ref(self.module), self.args
        if not node:
            return  # L-3

        def weak(hook: Hook, *grads: Any) -> Any:
            if (target := module()) is None:
                raise RuntimeError("You are trying to call the hook of a dead Module!")  # L-8
            return hook(target, *grads)

        node.post_hooks += [partial(weak, hook) for _, hook in hooks]  # L-4, L-9
        results = self.result if isinstance(self.result, tuple) else (self.result,)
        makers, takers = ({t.grad_fn for t in ts if isinstance(t, Tensor)} - {None} for ts in (results, args))
        incomplete = {  # L-7: the first that holds
            "does not return a single Tensor": not all(isinstance(item, Tensor) for item in results),
            "does not take as input": not isinstance(args, tuple) or not all(isinstance(item, Tensor) for item in args),
            "different autograd Nodes": len(makers) > 1,
            "nested in python data structure": node not in makers,
            "multiple autograd Nodes": takers != {edge and edge[0] for edge in node.edges},
        }
        for known in [known for known, holds in incomplete.items() if holds][:1]:
            warnings.warn(known, FutureWarning, stacklevel=2)


class Module(Hooked):
    """A module: what can be called. Copies of it follow from what it holds (I-1, I-2)."""

    options: ClassVar = {
        "pre": {"prepend", "with_kwargs"},
        "forward": {"prepend", "with_kwargs", "always_call"},
        "backward_pre": {"prepend"},
        "backward": {"prepend"},
    }
    forgets: ClassVar = ["with_kwargs", "always_call"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        forward = self.forward  # C-2, C-4
        if not any(any(owner.hooks.values()) for owner in (EVERYWHERE, self)):
            return forward(*args, **kwargs)  # C-5, A-10
        return Call(self, args, kwargs).run(forward)

    def forward(self, *input: Any) -> Any:
        raise NotImplementedError('is missing the required "forward" function')  # I-16


EVERYWHERE = Hooked()


# T, Q, N. Tensors, the graph that gradients go through, and the hooks on both.


class Mode(threading.local):
    """Of each thread its own (X-4): whether operations build the graph, and the numbers of the nodes that they make."""

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
    """One operation of the graph: ``backward(grads, wanted, freed)`` gives the gradients of its inputs."""

    def __init__(self, edges: Sequence[Any], backward: Hook, width: int = 1, post_hooks: Iterable[Hook] = ()) -> None:
        self.number: float = next(GRAD.numbers)
        self.edges, self.backward, self.width, self.freed = edges, backward, width, False
        self.hooks: list[tuple[int, Registry]] = []  # Tensor hooks, by output
        self.retained: dict[int, Tensor] = {}
        self.post_hooks = list(post_hooks)

    def before(self, grads: list[Any]) -> list[Any]:
        """N-2: Tensor hooks, then what retain_grad keeps, which is the gradient after all of them (T-15)."""
        for index, hooks in self.hooks:
            grads[index] = fire(hooks.values(), grads[index])
        for index, tensor in self.retained.items():
            if grads[index] is not None:
                tensor.grad = grads[index] + (0 if tensor.grad is None else tensor.grad)
        return grads


def fire(hooks: Iterable[Hook], value: Any, *rest: Any) -> Any:
    """The hooks of a node on a gradient or a tuple of them: each sees what its predecessor left (T-2, N-5)."""
    for hook in list(hooks):  # T-7
        result = hook(value, *rest)
        if result is not None:
            check(value, result)
            value = result
    return value


def check(old: Any, new: Any) -> None:
    """Whether a hook may put this in the place of a gradient, or of a tuple of them, of which None keeps one."""
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
    """T-6: the sum of what came along two ways, either of which may bring nothing."""
    return second if first is None else first if second is None else first + second


class Tensor:
    """Numbers in one dimension, or one number in none; a leaf, or the output ``index`` of ``node``."""

    device = "cpu"  # there is no other

    def __init__(self, data: list[float], shape: Any = None, version: list[int] | None = None) -> None:
        self.data, self.version = data, version or [0]  # a view shares both
        self.shape = (len(data),) if shape is None else shape
        self.requires_grad = False
        self.grad: Tensor | None = None
        self.node: Node | None = None
        self.index, self.seen = 0, -1  # seen: of a view that backward hooks made, the version then
        self.hooks: Registry | None = None
        self.accumulated: Registry = OrderedDict()
        self.accumulator: Node | None = None

    def __deepcopy__(self, memo: Any) -> Tensor:
        result = Tensor(list(self.data), self.shape)  # T-11, Q-5: without hooks
        result.requires_grad = self.requires_grad
        return result

    def binary(self, product: bool, other: Any) -> Any:
        """``self * other`` or ``self + other``, one number repeated for many."""
        right = other if isinstance(other, Tensor) else Tensor([other], ())
        a, b = self.data, right.data
        if len(a) != len(b) and 1 not in (len(a), len(b)):
            raise RuntimeError("The size of tensor a must match the size of tensor b")
        pairs = [(a[i % len(a)], b[i % len(b)]) for i in range(len(b) if len(a) == 1 else len(a))]
        data = [x * y if product else x + y for x, y in pairs]
        saved = [x for x, y in ((self, right), (right, self)) if product and y.requires_grad]
        partials = [lambda g: g * right, lambda g: g * self] if product else [lambda g: g, lambda g: g]
        return self.made(data, max(self.shape, right.shape) and (len(data),), (self, right), partials, saved)

    @staticmethod
    def made(data: list[float], shape: Any, inputs: Any, partials: Sequence[Hook], saved: Any = ()) -> Tensor:
        """The result of an operation; in grad mode with its node, when an input requires grad."""
        result, versions = Tensor(data, shape), [item.version[0] for item in saved]

        def backward(grads: Sequence[Any], wanted: Sequence[bool], freed: bool) -> list[Any]:
            if (saved and freed) or versions != [item.version[0] for item in saved]:
                raise RuntimeError("what the operation needs is freed, or was modified by an inplace operation")
            steps, known = zip(partials, inputs, wanted, strict=True), grads[0] is not None
            return [step(grads[0]).narrowed(item) if want and known else None for step, item, want in steps]

        if GRAD.on and any(item.requires_grad for item in inputs):
            result.requires_grad, result.node = True, Node([item.edge() for item in inputs], backward)
        return result

    __mul__ = __rmul__ = partialmethod(binary, True)
    __add__ = __radd__ = partialmethod(binary, False)

    def narrowed(self, like: Tensor) -> Tensor:
        """A gradient in the shape of ``like``: the sum, where one number was repeated."""
        if self.shape == like.shape:
            return self
        ones = [1.0] * len(self.data)
        return self.made([sum(self.data)], like.shape, (self,), [lambda g: g * Tensor(ones, self.shape)])

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return len(self.data)

    def __getitem__(self, index: int) -> Tensor:
        place = Tensor([float(i == index) for i in range(len(self))])
        return self.made([self.data[index]], (), (self,), [lambda g: g * place])

    def detach(self, node: Node | None = None, index: int = 0) -> Tensor:
        """The same number, of no node; or as an output of another one, if it requires grad."""
        result = Tensor(self.data, self.shape, self.version)
        if node and self.requires_grad:
            result.requires_grad, result.node, result.index, result.seen = True, node, index, self.version[0]
        return result

    @property
    def grad_fn(self) -> Node | None:
        if self.seen not in (-1, self.version[0]):
            raise RuntimeError("is a view and its base or another view of its base has been modified inplace")  # B-16
        return self.node

    def edge(self) -> Any:
        """Where its gradient goes: to its node; for a leaf to one that accumulates, before any other (N-4)."""
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
            view = "is a view and is being modified inplace"  # B-16
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
            node.hooks.append((index, self.hooks))  # T-5: where its gradient goes now; for a leaf that stays
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

    def backward(self, gradient: Any, step: Mapping[str, Any], inputs: Any, captures: bool = False) -> tuple[Any, ...]:
        """One pass over the graph; ``captures``: as autograd.grad does, which gives the gradients of ``inputs``."""
        gradient = Tensor([1.0], self.shape) if gradient is None and len(self.data) == 1 else gradient
        if not isinstance(gradient, Tensor):
            raise (RuntimeError if gradient is None else TypeError)("gradients are Tensors")
        if gradient.shape != self.shape or not self.edge():
            raise RuntimeError("the gradient has another shape, or nothing requires grad")
        for item in inputs or ():
            if not isinstance(item, Tensor) or not item.requires_grad:
                raise RuntimeError("inputs are Tensors that require grad")
            if not captures:
                item.retain_grad()  # T-14: those before one that is refused, too
        targets = [item.edge() for item in inputs or ()]
        ends = {node for node, _ in targets}
        executed: dict[Node, bool] = {}  # N-6: what leads to the inputs

        def visit(node: Node) -> bool:
            if node not in executed:
                leads = sum(visit(edge[0]) for edge in node.edges if edge)
                executed[node] = leads > 0 or node in ends or inputs is None
            return executed[node]

        (root, index), order, keep = self.edge(), count(), step.get("retain_graph", step.get("create_graph"))
        visit(root)
        waiting = Counter[Node](edge[0] for node in executed for edge in node.edges if edge)
        captured = dict.fromkeys(targets)
        buffers = {root: [gradient if place == index else None for place in range(root.width)]}
        ready = [(-root.number, next(order), root)]
        with grad_mode(step.get("create_graph", False)):  # T-8
            while ready:
                node = heapq.heappop(ready)[-1]  # N-4: the one that was made last
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
        if captures and None in captured.values() and not step.get("allow_unused"):
            raise RuntimeError("One of the differentiated Tensors appears to not have been used in the graph")
        return tuple(captured[target] for target in targets)
