"""The judge of the probes: writes each as C#, and lays the results of the C# beside those of Python's eager run."""

from __future__ import annotations

import copy
import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn

import bridge
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.weights import share
from bridge.port.errors import PortError
from bridge.port.observe.arguments import drop_defaults
from bridge.port.observe.models.construction import construct as made
from bridge.port.porting import write
from tests.port.semantics.probing import Call, Probe

#: Kinds of faults whose C# is compiled but must not be run: it never ends, or ends the process.
UNRUN: Final = ("hangs", "ends_the_process")
#: Exceptions of C# that say that a value is none it can compute with: a refusal, not a fault.
REFUSING: Final = ("System.NotSupportedException", "System.OverflowException")
#: The name of the assembly of all probes.
ASSEMBLY: Final = "Probes"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a probe went: ``right``, ``refused``, or a kind of fault of known_faults.toml; and why."""

    kind: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ported:
    """The C# files of a probe and the full name of its class, with its constructor's arguments; a verdict where nothing is to compile."""

    files: Mapping[str, str]
    root: str
    verdict: Verdict | None = None
    keywords: Mapping[str, Any] = field(default_factory=dict)


def known_faults() -> dict[str, Verdict]:
    """Return the known faults by probe, from known_faults.toml."""
    kinds = tomllib.loads((Path(__file__).with_name("known_faults.toml")).read_text(encoding="utf-8"))
    return {name: Verdict(kind, why) for kind, probes in kinds.items() for name, why in probes.items()}


def expected(probe: Probe, faults: Mapping[str, Verdict]) -> Verdict:
    """Return the verdict that a probe must get today."""
    return faults.get(probe.name) or (Verdict("refused", probe.refused) if probe.refused else Verdict("right"))


def agrees(verdict: Verdict, wanted: Verdict) -> bool:
    """Return whether a probe went as it must: a refusal names the construct, other reasons are notes for readers."""
    return verdict.kind == wanted.kind and (wanted.kind != "refused" or wanted.why in verdict.why)


def not_compiling(text: str) -> dict[str, str]:
    """Return the probes whose C# the compiler's text has errors of, with the first error of each."""
    found: dict[str, str] = {}
    for name, why in re.findall(r"^(\w+)\.\w+\.cs\(.*?error (.*)$", text, re.MULTILINE):
        found.setdefault(name, why)
    return found


def write_port(probe: Probe) -> Ported:
    """Write a probe as C#, by the public way of `port`: a model and the arguments of one run."""
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings(action="ignore"):
            model, given = made(probe.factory)
            arguments = drop_defaults(model, _bound(model.eval(), probe.given))
            port = write(model, given, arguments, probe.name + "Port")
    except PortError as error:
        return Ported({}, "", Verdict("refused", str(error)))
    except Exception as error:  # whatever the compiler trips over
        return Ported({}, "", Verdict("crashes", f"{type(error).__name__}: {error}"))
    why = "; ".join(f"{todo.place}: {todo.why}" for todo in port.left)
    files = {f"{probe.name}.{name}": text for name, text in port.files.items()}
    return Ported(files, f"{port.namespace}.{port.root}", Verdict("refused", why) if why else None, port.arguments)


def sources(ports: Mapping[str, Ported], without: Sequence[str] = ()) -> dict[str, str]:
    """Return the C# of the probes to compile, without those that are named."""
    chosen = (port for name, port in ports.items() if port.verdict is None and name not in without)
    return {file: text for port in chosen for file, text in port.files.items()}


def run(probe: Probe, port: Ported, assembly: Path) -> Verdict:
    """Run all calls on new models, in a row and in eval mode, then backwards and in train mode; stop at the first difference."""
    calls = (probe.given, probe.given, *probe.hidden)
    for train, order in ((False, calls), (True, calls[::-1])):
        torch.manual_seed(0)
        original = probe.factory().train(train)
        try:
            loaded = bridge.load(assembly, port.root, **port.keywords)
            share("python", original, loaded)
        except Exception as error:  # whatever its constructor raises
            return Verdict("wrong", f"cannot be made: {_first_line(error)}")
        loaded.train(train)
        for number, one in enumerate(order):
            for difference in differences(original, loaded, one):
                if any(name in difference for name in REFUSING):
                    return Verdict("refused", difference)
                mode = "train" if train else "eval"
                return Verdict("wrong", f"{difference}, with {_shown(one)}, call {number + 1} in {mode} mode")
    return Verdict("right")


def _bound(model: nn.Module, one: Call) -> dict[str, Any]:
    given = copy.deepcopy(one)
    return Inputs(given.positional, given.named).bind(model)


def differences(original: nn.Module, loaded: nn.Module, one: Call) -> Iterator[str]:
    """Yield what differs after a call: what was raised, returned, changed in the arguments, shared with them, and the state."""
    (ours, mine), (theirs, other) = _outcome(original, one), _outcome(loaded, one)
    if isinstance(mine, Exception) != isinstance(other, Exception):
        yield f"Python gives {_first_line(mine)}, C# {_first_line(other)}"
        return
    if not isinstance(mine, Exception):
        yield from _unequal(mine, other, "result")
        if _shared(mine, ours) != _shared(other, theirs):
            yield f"results share memory with arguments {_shared(mine, ours)}, in C# {_shared(other, theirs)}"
    yield from _unequal(ours, theirs, "argument")
    yield from _unequal(dict(original.state_dict()), dict(loaded.state_dict()), "state")


def _outcome(model: nn.Module, one: Call) -> tuple[list[torch.Tensor], Any]:
    """Return the tensors of the arguments after the call, and what the model returned or raised.

    Lists and dictionaries cross to .NET as copies, so that their changes are seen in results alone.
    """
    given = copy.deepcopy(one)
    tensors = list(_tensors([*given.positional, *given.named.values()]))
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings(action="ignore"):
            return tensors, model(*given.positional, **given.named)
    except Exception as error:  # the other one must raise, too
        return tensors, error


def _unequal(mine: Any, other: Any, place: str) -> Iterator[str]:
    """Yield the first places where values differ. Lists and tuples are not told apart, all other types are."""
    if isinstance(mine, list | tuple) and isinstance(other, list | tuple):
        if len(mine) != len(other):
            yield f"{place} has {len(mine)} entries, in C# {len(other)}"
        for number, (one, its) in enumerate(zip(mine, other, strict=False)):
            yield from _unequal(one, its, f"{place}[{number}]")
    elif isinstance(mine, dict) and isinstance(other, dict):
        yield from _unequal(list(mine), list(other), f"keys of {place}")
        for key in mine.keys() & other.keys():
            yield from _unequal(mine[key], other[key], f"{place}[{key!r}]")
    elif isinstance(mine, torch.Tensor) and isinstance(other, torch.Tensor):
        if (mine.shape, mine.dtype, mine.requires_grad) != (other.shape, other.dtype, other.requires_grad):
            yield f"{place} is {_kind(mine)}, in C# {_kind(other)}"
        elif not bool(((mine == other) | ((mine != mine) & (other != other))).all()):
            yield f"{place} is {mine.detach().flatten()[:8].tolist()}, in C# {other.detach().flatten()[:8].tolist()}"
    elif type(mine) is not type(other) or repr(mine) != repr(other):
        yield f"{place} is {mine!r}, in C# {other!r}"


def _kind(tensor: torch.Tensor) -> str:
    grad = ", requires_grad" if tensor.requires_grad else ""
    return f"{tensor.dtype}{list(tensor.shape)}{grad}".removeprefix("torch.")


def _shared(result: Any, given: list[torch.Tensor]) -> list[bool]:
    """Return for each of the given tensors whether a tensor of the result lies in its memory."""
    places = {tensor.untyped_storage().data_ptr() for tensor in _tensors(result) if tensor.numel()}
    return [tensor.untyped_storage().data_ptr() in places for tensor in given]


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item)


def _shown(one: Call) -> str:
    values = [
        *((_brief(value)) for value in one.positional),
        *(f"{key}={_brief(value)}" for key, value in one.named.items()),
    ]
    return f"({', '.join(values)})"


def _brief(value: Any) -> str:
    return f"{_kind(value)}" if isinstance(value, torch.Tensor) else repr(value)


def _first_line(value: Any) -> str:
    text = f"{type(value).__name__}: {value}" if isinstance(value, Exception) else "a result"
    return text.partition("\n")[0][:200]
