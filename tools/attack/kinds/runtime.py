"""Models that use the runtime: tasks, threads that go on, finalizers, borrowed memory, cultures; and assemblies loaded again."""

from __future__ import annotations

import gc
import os
import tempfile
from pathlib import Path
from typing import Any, Final

import torch
from torch.nn.modules import module as registrations

import bridge
from attack import twins
from attack.case import Case, Side, tensor
from attack.kind import attack

#: The folder of the one file that "reloads" rewrites: .NET keeps the first build of a file, and unloads later ones.
_folder: Final = tempfile.TemporaryDirectory()


@attack("runtime", 40)
def runtime(case: Case) -> None:
    """Run a model that changes the state of PyTorch or .NET, or memory that is not its own."""
    kinds = ["borrow", "race", "write", "culture", "type"]
    if "ATTACK_RUNTIME" in os.environ:
        kinds.remove("write")  # TorchSharp's accessor of a matrix has two indices
        kinds.remove("type")  # TorchSharp's default dtype is set back after each call
    what = case.choice(*kinds)
    _use(case, case.choice("Waiting", "Dropping", *[f"Runtime {what}"] * 3))


@attack("stray threads", 15)
def stray_threads(case: Case) -> None:
    """Continue C# threads after the call, with its results, while the model is used and dropped."""
    for _ in range(case.rng.randrange(1, 4)):
        _use(case, case.choice("Straying", "Static"))


@attack("finalizers", 12)
def finalizers(case: Case) -> None:
    """Use, dispose and collect tensors in C# finalizers, on the finalizer thread."""
    _use(case, "Finalizing", case.choice("use", "dispose", "collect", "throw"), case.chance(0.5))


def _use(case: Case, name: str, *arguments: Any) -> None:
    """Call a model with hooks that keep results, while garbage is collected, and compare the state that it leaves."""
    hooked, lazily = case.chance(0.5), case.chance(0.5)
    kept: list[Any] = []

    def script(side: Side) -> None:
        if hooked:
            side.model.a.register_forward_hook(lambda module, args, y: kept.append(y))
        for _ in range(3):
            given = tensor(side.rng)
            x = torch._lazy_clone(given) if lazily else given
            x.requires_grad_(not name.startswith("Runtime"))  # PyTorch allows no write into an input with a gradient
            side.step(x=x)
            side.note(given, x, torch.get_default_dtype(), torch.ones(1).dtype, kept if name != "Straying" else None)
            other: Any = case.load("Chain") if side.is_mirror else twins.make("Chain")
            side.note(other.a.weight.dtype, other.a.weight.grad)
            torch.set_default_dtype(torch.float32)
            if side.chance(0.3):
                gc.collect(0)
                side.model.to(torch.float32)
        kept.clear()

    try:
        case.run(name, script, *arguments)
    finally:
        torch.set_default_dtype(torch.float32)


@attack("registrations", 10)
def registration_hooks(case: Case) -> None:
    """Compare the calls of global registration hooks: each module, parameter and buffer, once."""
    name = case.draw("Recurrent")
    seen: list[str] = []
    handles = [
        register(lambda module, name, value, what=what: seen.append(f"{what} {name} of {type(module).__name__}"))
        for what, register in (
            ("module", registrations.register_module_module_registration_hook),
            ("parameter", registrations.register_module_parameter_registration_hook),
            ("buffer", registrations.register_module_buffer_registration_hook),
        )
    ]
    try:
        case.load(name)
        mirror = sorted(seen)
        seen.clear()
        twins.make(name)
    finally:
        for handle in handles:
            handle.remove()
    case.check(mirror == sorted(seen), f"{name}: {mirror}, not {sorted(seen)}")


@attack("reloads", 5)
def reload(case: Case) -> None:
    """Rewrite a model's assembly while its models live: the next load runs the new one, old models continue."""
    name, arguments = twins.parse(case.draw())
    code, file = Path(case.assembly).read_bytes(), Path(_folder.name) / "Attack.dll"
    models = []
    for _ in range(2):
        file.write_bytes(code + case.rng.randbytes(8))  # .NET ignores bytes after the end of an assembly
        models.append(bridge.load(file, f"Attack.{name}", *arguments).eval())
    old, new = models
    new.load_state_dict(old.state_dict())
    x = tensor(case.rng)
    before, after = old(x).detach(), new(x).detach()
    case.check(torch.equal(after, before), f"{name}: another result after a reload")
