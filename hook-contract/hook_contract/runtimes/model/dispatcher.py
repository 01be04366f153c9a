"""The hook contract as an executable specification, without torch and .NET.

Comments cite the clauses of the contract (docs/contract.md) where they are implemented. This file has the hook registries of modules (G,
O), and the call of a module with its forward and backward hooks (C, P, F, A, D, B, L). ``handle.py`` has the handles of hooks, and
``autograd.py`` the graph. The three files use only the standard library. ``world.py`` runs hook programs on them.
"""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, ClassVar

from hook_contract.runtimes.model.autograd import GRAD, Node, Tensor
from hook_contract.runtimes.model.handle import Handle, Hook, Registry

#: Whether a kind of backward hook is full. Full and legacy backward hooks share their registries (G-4).
FULL = {"backward": True, "legacy": False}


class Hooked:
    """The hook registries of a module, or the global ones (G-3)."""

    #: The options of registration, by kind of hook (O-3, P-7, F-4).
    options: ClassVar = {"forward": {"with_kwargs", "always_call"}}
    #: The options whose entries in ``marks`` are removed together with the hook. As in PyTorch 2.6 to 2.14.0, a global hook's entry for
    #: ``with_kwargs`` is not removed (G-2).
    forgets: ClassVar = ["always_call"]

    def __init__(self) -> None:
        self.hooks: dict[str, Registry] = {kind: OrderedDict() for kind in Module.options}
        #: The hooks registered with an option such as ``always_call``, by option. Each call of a module reads them anew (D-2).
        self.marks: dict[str, Registry] = {name: OrderedDict() for name in Module.forgets}
        self.full: bool | None = None  # G-4, G-6

    def register(self, kind: str, hook: Hook, options: Mapping[str, bool]) -> Handle:
        if options.keys() - self.options.get(kind, set()):
            raise TypeError("unexpected keyword argument")  # A-1, O-3, P-7
        if self.full not in (None, full := FULL.get(kind, self.full)):
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks")  # G-5, G-7
        self.full = full
        marks = [self.marks[name] for name in self.forgets]
        handle = Handle(self.hooks[kind.replace("legacy", "backward")], hook, options.get("prepend", False), marks)
        for name, marked in self.marks.items():
            if options.get(name):
                marked[handle.id] = hook
        return handle


class ModuleCall:
    """The state of a call of a module, separate for each call (X-4). The call's graph keeps it for backward passes (D-4, D-5)."""

    #: Whether backward pre hooks without full backward hooks also cause the warning of B-9, as in PyTorch up to 2.13.
    warns_of_pre_hooks: ClassVar = False

    result: Any = None
    grad_output: Any = None

    def __init__(self, module: Module, args: Any, kwargs: Any) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.owners = (GLOBAL_HOOKS, module)  # O-1: global hooks first
        self.ran: set[Any] = set()

    def hooks(self, kind: str) -> list[tuple[Any, Hook]]:
        """Return the ids and hooks of a kind that are registered now, global hooks first (D-1)."""
        full, kind = FULL.get(kind), kind.replace("legacy", "backward")
        return [item for owner in self.owners if full in (None, owner.full) for item in owner.hooks[kind].items()]

    def run(self, forward: Hook) -> Any:
        try:
            return self.phases(forward)
        except Exception:
            self.recover()
            raise

    def phases(self, forward: Hook) -> Any:
        """Run the phases of a call in order (C-6, C-7)."""
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
            self.call_forward_hook(number, hook, self.owners)
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

    def call_forward_hook(self, number: Any, hook: Hook, asked: Iterable[Hooked]) -> None:
        """Call a forward hook. The hook also gets kwargs if one of the registries in ``asked`` has marked it ``with_kwargs``."""
        extra = (self.kwargs,) if any(number in owner.marks["with_kwargs"] for owner in asked) else ()
        changed = hook(self.module, self.args, *extra, self.result)  # F-1, F-4
        self.result = self.result if changed is None else changed  # F-2, F-3, A-5

    def recover(self) -> None:
        """Call the always_call hooks that have not started (A-3, A-9, D-3).

        Raises RuntimeError if a hook that is not the last of its registry changes this registry (A-8).
        """
        for where, owner in zip(("global module", "module"), self.owners, strict=True):
            for number, hook in owner.hooks["forward"].items():
                if number in owner.marks["always_call"] and number not in self.ran:
                    try:
                        self.call_forward_hook(number, hook, (self.module,))
                    except Exception as error:
                        text = f"{where} forward hook with ``always_call=True`` raised what was silenced: {error}"
                        warnings.warn(text, UserWarning, stacklevel=2)

    def wrap(self, values: Any, hook: Hook) -> Any:
        """Pass the Tensors in ``values`` through a new node with ``hook`` as its post hook (B-2, B-4).

        Returns the values, and for each value the number of the node's output, None for a value that is not a Tensor. If no graph is built,
        returns the values unchanged, and None instead of the numbers (B-5).
        """
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
            if self.full_hooks or self.warns_of_pre_hooks:
                # B-9
                warnings.warn("Full backward hook is firing when gradients are computed", UserWarning, stacklevel=2)
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
        """Attach legacy hooks to the node of the result's first Tensor (L-1). Raises if no Tensor is found (L-2)."""
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
        incomplete = {  # L-7: only the first warning whose condition holds is given
            "does not return a single Tensor": not all(isinstance(item, Tensor) for item in results),
            "does not take as input": not isinstance(args, tuple) or not all(isinstance(item, Tensor) for item in args),
            "different autograd Nodes": len(makers) > 1,
            "nested in python data structure": node not in makers,
            "multiple autograd Nodes": takers != {edge and edge[0] for edge in node.edges},
        }
        for known in [known for known, holds in incomplete.items() if holds][:1]:
            warnings.warn(known, FutureWarning, stacklevel=2)


class Module(Hooked):
    """A module. ``copy.copy`` and ``copy.deepcopy`` work without code here: they copy the attributes (I-1, I-2)."""

    options: ClassVar = {
        "pre": {"prepend", "with_kwargs"},
        "forward": {"prepend", "with_kwargs", "always_call"},
        "backward_pre": {"prepend"},
        "backward": {"prepend"},
    }
    forgets: ClassVar = ["with_kwargs", "always_call"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        forward = self.forward  # C-2, C-4
        if not any(any(owner.hooks.values()) for owner in (GLOBAL_HOOKS, self)):
            return forward(*args, **kwargs)  # C-5, A-10
        return ModuleCall(self, args, kwargs).run(forward)

    def forward(self, *input: Any) -> Any:
        raise NotImplementedError('is missing the required "forward" function')  # I-16


GLOBAL_HOOKS = Hooked()
