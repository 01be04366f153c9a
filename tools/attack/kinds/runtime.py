"""What .NET does around a call: it waits for tasks, drops and borrows memory, disposes on many threads, goes abroad, loads again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

import torch
from torch.nn.modules import module as registrations

import bridge
from attack import twins
from attack.case import Case, Side
from attack.kinds.inputs import simple, tensor

MODELS: Final = ("Waiting", "Dropping", "Borrowing", "Racing", "Writing", "Abroad", "Typing")


def around(case: Case) -> None:
    """Run a model that changes PyTorch's state, and compare the state that it leaves."""
    sides = case.pair(case.rng.choice(MODELS))
    hooked, lazily = case.rng.random() < 0.5, case.rng.random() < 0.5
    kept: list[Any] = []

    def script(side: Side) -> None:
        if hooked:
            side.model.a.register_forward_hook(lambda module, args, y: kept.append(y))
        for _ in range(3):
            given = tensor(side.rng)
            x = torch._lazy_clone(given) if lazily else given
            y = side.attempt("call", lambda: side.model(x))  # noqa: B023  # called at once
            if isinstance(y, torch.Tensor):
                y.sum().backward()
            side.note(given, x, torch.get_default_dtype(), torch.ones(1).dtype)
            made: Any = case.load("Chain") if side.is_mirror else twins.make("Chain")
            side.note(made.a.weight.dtype, made.a.weight.grad is None)
            side.note([value.detach() for value in kept])
            torch.set_default_dtype(torch.float32)
        kept.clear()

    try:
        case.both(script, sides)
        case.settled(sides)
    finally:
        torch.set_default_dtype(torch.float32)


def registered(case: Case) -> None:
    """Compare the calls of global registration hooks: each module, parameter and buffer, once and in order."""
    name = simple(case.rng, "Recurrent")
    seen: list[str] = []
    handles = [
        register(lambda module, name, value, kind=kind: seen.append(f"{kind} {name} of {type(module).__name__}"))
        for kind, register in (
            ("module", registrations.register_module_module_registration_hook),
            ("parameter", registrations.register_module_parameter_registration_hook),
            ("buffer", registrations.register_module_buffer_registration_hook),
        )
    ]
    try:
        case.load(*name)
        mirrors, seen = seen[:], []
        twins.make(*name)
    finally:
        for handle in handles:
            handle.remove()
    case.check(None if sorted(mirrors) == sorted(seen) else f"{name}: {sorted(mirrors)}, not {sorted(seen)}")


def reloaded(case: Case) -> None:
    """Rewrite a model's assembly while its models live: the next load runs the new one, old models continue."""
    name = simple(case.rng)
    code = Path(case.assembly).read_bytes()
    file = Path(_folder.name) / "Attack.dll"
    models = []
    for _ in range(2):
        # Bytes after the end of an assembly mean nothing.
        file.write_bytes(code + case.rng.randbytes(8))
        models.append(bridge.load(file, f"Attack.{name[0]}", *name[1:]).eval())
    old, new = models
    new.load_state_dict(old.state_dict())
    x = tensor(case.rng)
    before, found = old(x).detach(), new(x).detach()
    case.check(None if torch.equal(found, before) else f"{name}: another result after a reload")


#: One file for all cases of a process: the first build of a file stays loaded, and those that follow it go.
_folder: Final = tempfile.TemporaryDirectory()
