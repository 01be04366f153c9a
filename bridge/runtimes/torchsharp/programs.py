"""Hook programs on TorchSharp's own modules, in a separate process (:mod:`bridge.torchsharp.process`).

The runtime ``torchsharp`` uses TorchSharp's own hooks. Codes such as TS-6 are known differences from PyTorch (docs/divergences.md). The
runtime ``torchsharp+bridge`` uses the hooks of ``Bridge.TorchSharp.HookRegistry`` on the same modules. These hooks follow the contract as
far as C#'s types allow.

In the variant ``typed``, modules take tensors. In the variant ``object``, modules take arguments of type ``object``. A variant is left
out if C#'s types do not allow the program's module tree in the variant. Only ``torchsharp`` has the variant ``actions``, which needs
TorchSharp 0.102.5 or newer: some hooks are registered as an ``Action<Module>``, which gets only the module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bridge.runtimes import csharp
from bridge.runtimes.errors import UnsupportedTreeError
from bridge.runtimes.torchsharp import process
from hook_contract.program import Program, parse, registrations
from hook_contract.runtimes.runtime import Events, Runtime

_NO_AUTOGRAD: Final = "no hook of TorchSharp sees a gradient (TS-6), and the C# interpreter computes none"
_NO_OBJECTS: Final = "the C# interpreter treats a tensor as a number, not as an object"
_NO_KWARGS: Final = "a call in C# has no keyword arguments for hooks to see (TS-5)"
_NO_COPIES: Final = "a module of TorchSharp cannot be copied or sliced"
_NO_ASSIGNMENT: Final = "a method of a C# object cannot be replaced by assignment"
_NO_PARTS: Final = "attention is one native module, and so is an encoder (TS-8)"
_NO_NET: Final = "of a module's methods, the C# interpreter calls only call and forward"
_NO_OPTION: Final = "TorchSharp has no counterpart of this feature (TS-6)"

#: The words (:func:`hook_contract.program.words`) that neither of the two runtimes supports, with the reasons.
_NEITHER: Final[Mapping[str, str]] = {
    "identity": _NO_OBJECTS,
    **dict.fromkeys(("value:vector", "action:add_"), _NO_OBJECTS),
    **{f"hook:{kind}": _NO_AUTOGRAD for kind in ("backward_pre", "backward", "legacy", "tensor", "accumulated")},
    **{f"read:{what}": _NO_AUTOGRAD for what in ("grad", "grad_fn", "requires_grad", "grad_mode")},
    **{
        f"step:{word}": _NO_AUTOGRAD
        for word in (
            "tensor", "compute", "sum", "backward", "grad", "zero", "inplace", "retain_grad", "no_grad", "functional_call", "checkpoint",
        )
    },
    **dict.fromkeys(("kwargs", "option:with_kwargs", "action:kwargs", "node:keyword"), _NO_KWARGS),
    **{f"step:{word}": _NO_COPIES for word in ("deepcopy", "copy", "slice", "drop")},
    "step:handle_copy": "a C# handle cannot be copied",
    **dict.fromkeys(("step:assign_forward", "step:assign_call", "action:assign_forward"), _NO_ASSIGNMENT),
    "step:rebind": "global hooks of C# are in no dictionary",
    "option:by": "a program can write into a dictionary of hooks only in Python",
    "node:attention": _NO_PARTS,
    **{f"step:{word}": _NO_NET for word in ("train", "eval", "methods")},
}  # fmt: skip

#: The words that only ``torchsharp+bridge`` does not support.
_ORDERED: Final[Mapping[str, str]] = {"node:encoder": _NO_PARTS}

#: The words that only ``torchsharp`` does not support.
_NATIVE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("global", "option:prepend", "option:always_call"), _NO_OPTION),
    "step:with": "a HookRemover of TorchSharp is not IDisposable (TS-16)",
    "step:ids": "a HookRemover of TorchSharp has no id",
}


class TorchSharp:
    """The runtime ``torchsharp`` or, if ``ordered``, ``torchsharp+bridge``."""

    devices = ("cpu",)

    def __init__(self, *, ordered: bool) -> None:
        self.name = "torchsharp+bridge" if ordered else "torchsharp"
        self.variants: tuple[str, ...] = ("typed", "object") if ordered else ("typed", "object", "actions")
        self.lacks: Mapping[str, str] = {**_NEITHER, **(_ORDERED if ordered else _NATIVE)}

    def version(self) -> str:
        """Return the version, and set the variants. Raises as :func:`bridge.runtimes.torchsharp.process.title`."""
        title = process.title()
        if self.name == "torchsharp":
            self.variants = ("typed", "object", *(("actions",) if _has_actions() else ()))
        return title

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        found: dict[str, Events] = {}
        for variant in self.variants:
            without_types = passive_hooks(program)[1::2] if variant == "actions" else ()
            if variant == "actions" and not without_types:
                continue
            form = "typed" if variant == "typed" else "object"
            answer = process.run(self.name, form, without_types, csharp.to_text(program))
            try:
                found[variant] = csharp.parse_answer(program, answer)
            except UnsupportedTreeError:
                continue
        return found


def _has_actions() -> bool:
    """Return whether this TorchSharp can register an ``Action`` as a hook, as 0.102.5 and newer can."""
    nothing = parse(
        {"name": "nothing", "clauses": [], "about": "", "tree": {"kind": "leaf"}, "steps": []}, validate=False
    )
    try:
        csharp.parse_answer(nothing, process.run("torchsharp", "object", ("hook",), csharp.to_text(nothing)))
    except UnsupportedTreeError:
        return False
    return True


def passive_hooks(program: Program) -> tuple[str, ...]:
    """Return the names of the root's hooks that only record their event, in the order of :func:`hook_contract.program.registrations`.

    These are the hooks without ``actions`` in the program. They can be registered as an ``Action<Module>``, which gets only the module. The
    C# interpreter adds the call's arguments and result to the event. It knows these only for calls by a step or a hook, so the function
    returns () for a root that calls itself.
    """
    if program.tree.get("kind") == "recurse":
        return ()
    found: dict[str, bool] = {}
    for registration in registrations(program):
        passive = not registration.get("actions") and not registration.get("on")
        found[registration["hook"]] = found.get(registration["hook"], True) and passive
    return tuple(name for name, passive in found.items() if passive)


#: The runtimes ``torchsharp`` and ``torchsharp+bridge``.
NATIVE: Runtime = TorchSharp(ordered=False)
ORDERED: Runtime = TorchSharp(ordered=True)
