"""The C# dispatcher Bridge.Hooks as a runtime of hook programs. It has no tensors: the programs' modules compute with integers.

Each program runs in a single call from Python to C#.
"""

from __future__ import annotations

from collections.abc import Mapping

from bridge.clr import start
from bridge.runtimes import csharp
from bridge.version import __version__
from hook_contract.program import Program
from hook_contract.runtimes.runtime import Events, Runtime

_NO_TENSORS = "Bridge.Hooks alone has no tensors and no autograd"
_NO_KWARGS = "a call in C# has no keyword arguments for hooks to see"
_NO_COPIES = "a C# module cannot be copied or sliced"
_NO_ASSIGNMENT = "a method of a C# object cannot be replaced by assignment"
_NO_NET = "Bridge.Hooks has no module class of its own"


class Hooks:
    """The runtime ``hooks``: the dispatcher and the hook registries of Bridge.Hooks."""

    name = "hooks"
    variants: tuple[str, ...] = ("",)
    devices = ("cpu",)
    lacks: Mapping[str, str] = {
        "identity": "a number has no identity, unlike a tensor",
        "parameters": _NO_TENSORS,
        "kwargs": _NO_KWARGS,
        **{f"read:{what}": _NO_TENSORS for what in ("grad", "grad_fn", "requires_grad", "device", "grad_mode")},
        **dict.fromkeys(("value:vector", "action:add_", "node:detach"), _NO_TENSORS),
        **{f"hook:{kind}": _NO_TENSORS for kind in ("backward_pre", "backward", "legacy", "tensor", "accumulated")},
        **{
            f"step:{word}": _NO_TENSORS
            for word in (
                "tensor", "compute", "sum", "backward", "grad", "zero", "inplace", "retain_grad", "no_grad",
                "functional_call", "checkpoint",
            )
        },
        **dict.fromkeys(("option:with_kwargs", "action:kwargs", "node:keyword"), _NO_KWARGS),
        **{f"step:{word}": _NO_COPIES for word in ("deepcopy", "copy", "slice", "drop")},
        "step:handle_copy": "a C# handle cannot be copied",
        **dict.fromkeys(("step:assign_forward", "step:assign_call", "action:assign_forward"), _NO_ASSIGNMENT),
        "step:rebind": "the global registries of Bridge.Hooks are static readonly fields",
        "option:by": "a registry of Bridge.Hooks is not a dictionary: only its methods write to it",
        **{f"step:{word}": _NO_NET for word in ("train", "eval", "methods")},
        **{f"node:{kind}": _NO_NET for kind in ("sequential", "modulelist", "attention", "encoder")},
    }  # fmt: skip

    def version(self) -> str:
        return f"Bridge.Hooks {__version__} on .NET {start().version}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        return {"": csharp.run(program, "hooks")}


RUNTIME: Runtime = Hooks()
