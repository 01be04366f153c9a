"""Survivors among the mechanical mutants that no program can catch, each with the reason.

A key is a mutant's title without its line number, so that it outlives edits elsewhere in the file.
"""

from __future__ import annotations

import re
from typing import Final

_APART = "The two touch different things, and neither can fail: their order cannot be seen."
_EXCLUSIVE = "The two conditions never hold together: what has a node requires grad, and a wrapped view has a node."
_LOST = "When the check fails, what the other statement made is lost with the call."
_RECORD = "To make the call's record, which a bare call does not use, does nothing."
_NUMBERS = "Leaves that are met first then take numbers before the node does, but theirs are replaced, so the order of all others stays."
_NO_HOOKS = "When the check fails, the tensor has a registry without hooks, which does nothing."
_REFUSED = "Only a tensor that requires no grad cannot retain it, and that is refused either way, by the same error."
_RETRY = (
    "It matters when two threads write at once, and to C#'s own callers, who get the answer: RegistryTests prove both."
)
_REPLACED = (
    "It matters when the exception that was seen passing is replaced below by one that somebody below catches. In a program only an "
    "Interrupt replaces an exception, and nothing there catches one: AlwaysCallTests prove it."
)

EXPLAINED: Final[dict[str, str]] = {
    "model.py swapped: self.registry.pop(self.id, None)": _APART,
    "model.py swapped: for name in self.marks:": _APART,
    'model.py swapped: self.pre_hooks, self.full_hooks = self.hooks("backward_pre"), self.hooks("backward", True)': _APART,
    "model.py swapped: self.ran.add(number)": _APART,
    "model.py swapped: if not isinstance(self.result, (Tensor, tuple)):": _APART,
    "model.py swapped: self.given = len(results)": "Wrapping gives as many results as it took.",
    "model.py swapped: node.post_hooks.append(hook)": _APART,
    "model.py swapped: super().__init__()": _APART,
    "model.py swapped: if not any(any(owner.hooks.values()) for owner in (EVERYWHERE, self)):": _RECORD,
    "model.py swapped: self.number: float = next(GRAD.numbers)": _NUMBERS,
    "model.py swapped: self.edges = [item.edge() for item in inputs]": _APART,
    "model.py swapped: for old, new in pairs:": "The pairs are made already, and when a check fails the value is lost with the call.",
    "model.py swapped: if self.shape == like.shape:": _LOST,
    "model.py swapped: if tracked and self.seen != -1:": _EXCLUSIVE,
    "model.py swapped: self.data[:], self.version[0] = result.data, self.version[0] + 1": _APART,
    "model.py swapped: if not self.requires_grad:": _EXCLUSIVE,
    "model.py swapped: if accumulated and self.grad_fn:": _NO_HOOKS,
    "model.py swapped: self.hooks = OrderedDict()": _APART,
    "model.py swapped: for item in () if captures else inputs or ():": _REFUSED,
    "model.py swapped: waiting.update(following)": "All of the graph is counted before a node runs, in whatever order.",
    "model.py swapped: visit(root)": _APART,
    'model.py swapped: node.freed |= not step.get("retain_graph", GRAD.on)': _APART,
    "model.py swapped: if result is not None:": _APART,
    "Dispatcher.cs swapped: RunForwardHooks(target, in args, ref output, ref state, observer);": _REPLACED,
    "Dispatcher.cs deleted: failed = false;": _REPLACED,
    "Registry.cs negated: ReferenceEquals(Interlocked.CompareExchange(ref _entries, changed, old), old)": _RETRY,
    "Registry.cs deleted: return true;": _RETRY,
}


def reason(title: str) -> str | None:
    """Why no program can catch the mutant of that title, if somebody said so."""
    return EXPLAINED.get(re.sub(r" line \d+,", "", title))
