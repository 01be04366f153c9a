"""A live model as the classes of a C# project."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn

from bridge.compare.run import one_thread
from bridge.port.classes import ClassTranslation, Program
from bridge.port.csharp import helpers, printer, tree
from bridge.port.csharp.calls.layers import class_name, layer
from bridge.port.csharp.classes import file_of
from bridge.port.csharp.lowering import begin
from bridge.port.errors import Unwritable
from bridge.port.forwards import attention, transformers
from bridge.port.forwards.attention import ATTENDING
from bridge.port.frontend.classes.frozen import frozen
from bridge.port.frontend.classes.own import OwnClass
from bridge.port.graphs.record import Record
from bridge.port.graphs.recording import record
from bridge.port.methods import Left, Wrote
from bridge.port.observe.construction import Given
from bridge.port.observe.modules import is_layer, is_own
from bridge.port.observe.runs import observe, observe_ranks
from bridge.port.observe.ties import find_shared_members, find_ties

#: The classes of a port that are none of the model's.
_OF_PORT = ("Functions", "PythonMath")


@dataclass(frozen=True, slots=True)
class Port:
    """C# files by name, the class of the whole model, what is left to do, how each method was written, and what of Python was.

    ``unfinished`` are the classes in which something is left, ``inputs`` the parameters of the whole model's forward in C#,
    ``result`` the type of its result.
    """

    files: dict[str, str]
    root: str
    left: tuple[Left, ...]
    wrote: tuple[Wrote, ...]
    originals: tuple[type | types.FunctionType, ...] = ()
    namespace: str = ""
    unfinished: tuple[type[nn.Module], ...] = ()
    inputs: tuple[str, ...] = ()
    result: str = ""

    @property
    def methods(self) -> int:
        """Return how many methods there are, functions among them."""
        return len(self.wrote)


def write(
    model: nn.Module,
    given: Given,
    arguments: Mapping[str, Any],
    namespace: str,
    step: Callable[[str], None] = lambda _: None,
) -> Port:
    """Translate the classes of ``model``, which is run with ``arguments`` to learn its types, to files of C#.

    Their namespace gets another name than each class. Raises Unwritable.
    """
    step("observing the model")
    with one_thread():  # threads that wait for each other take most of the time beside other work
        ranks = observe_ranks(model, arguments)
        lacking = _lacking(model, ranks)
        forwards: dict[type[nn.Module], types.FunctionType] = {}
        if lacking & ATTENDING:
            calls = attention.calls_in(model, arguments)
            forwards = {**attention.forwards(calls), **transformers.forwards(model, "masked" in calls)}

        def own(kind: type) -> bool:
            return is_own(kind) or kind in lacking

        methods = observe(model, arguments, own, forwards)
    tied = find_ties(model, own)
    for kind, names in find_shared_members(methods, own).items():
        tied.read.setdefault(kind, set()).update(names)
    order = list(reversed(dict.fromkeys(type(module) for module in _outside_in(model) if own(type(module)))))
    if type(model) not in order:
        raise Unwritable(
            f"{type(model).__name__} is PyTorch's own class: give a model whose class has a forward of its own."
        )
    if namespace in {kind.__name__.lstrip("_") for kind in order}:
        namespace += "Model"  # a namespace named as its class hides it outside
    graphs: list[Mapping[nn.Module, Record]] = []

    def ran() -> Mapping[nn.Module, Record]:
        if not graphs:
            step("following one run")
            graphs.append(record(model, arguments, own))
        return graphs[0]

    chains = (module for module in model.modules() if isinstance(module, nn.Sequential) and not own(type(module)))
    chained = {type(child) for chain in chains for child in chain.children()}
    program = Program(methods, forwards, own, chained.__contains__, given, ranks, tied, ran)
    classes: list[tree.ClassDeclaration] = []
    left: list[Left] = []
    wrote: list[Wrote] = []
    originals: list[type | types.FunctionType] = []
    unfinished: list[type[nn.Module]] = []
    for kind in order:
        step(f"writing {kind.__name__}")
        instances = list(dict.fromkeys(module for module in model.modules() if type(module) is kind))
        others = () if kind in lacking else _layers(model)
        translation = ClassTranslation(OwnClass(kind, _name(kind, program.classes, others), instances), program)
        classes.append(translation.translate(frozen(model) if kind is type(model) else ()))
        left += translation.left
        unfinished += [kind] if translation.left else []
        wrote += translation.wrote
        originals += [*(() if kind in lacking else (kind,)), *translation.functions]
    _check_root(model, program.classes[type(model)])
    if (free := program.free.declaration()) is not None:
        classes.append(free)
        wrote += program.free.wrote
        originals += program.free.declarations
    files = {f"{one.name}.cs": printer.text(file_of(namespace, one)) for one in classes}
    if program.emission.helpers:
        files["PythonMath.cs"] = helpers.text(program.emission.helpers, namespace)
    root = program.classes[type(model)]
    forward = root.forward
    return Port(
        files,
        root.name,
        tuple(left),
        tuple(wrote),
        tuple(originals),
        namespace,
        tuple(unfinished),
        tuple(one.name for one in forward.parameters) if forward is not None else (),
        printer.text(program.emission.type_of(forward.result)) if forward is not None else "",
    )


def _check_root(model: nn.Module, root: OwnClass) -> None:
    """Raise Unwritable where the constructor of the whole model takes what is known of a part of it only."""
    parts = sum(type(one) is type(model) for one in model.modules()) - 1
    if parts and any(one.default is inspect.Parameter.empty for one in root.parameters):
        raise Unwritable(
            f"{type(model).__name__} is the class of the model and of a part of it, and these differ: give a model that holds it."
        )


def _lacking(model: nn.Module, ranks: Mapping[nn.Module, int]) -> set[type[nn.Module]]:
    """Return PyTorch's own classes that TorchSharp lacks, or cannot make as the model has them: they become classes of the project."""
    modules = [one for one in model.modules() if is_layer(one) and not is_own(type(one))]
    found = {type(one) for one in modules if layer(begin(), one, {}, ranks.get(one, 0)) is None}
    if found & ATTENDING:  # one of them in the other's place would be of another class
        found |= {type(one) for one in modules} & ATTENDING
    return found


def _outside_in(model: nn.Module) -> list[nn.Module]:
    """Return the modules so that whatever holds another comes first, also where classes hold each other at several depths."""
    depth: dict[type, int] = {}

    def walk(module: nn.Module, level: int) -> None:
        depth[type(module)] = max(level, depth.get(type(module), 0))
        for child in module.children():
            walk(child, level + 1)

    walk(model, 0)
    return sorted(model.modules(), key=lambda module: depth[type(module)])


def _layers(model: nn.Module) -> set[str]:
    """Return the names of TorchSharp's classes that the model has, which would be hidden by a class of the same name."""
    return {class_name(type(one)) for one in model.modules() if is_layer(one) and not is_own(type(one))}


def _name(kind: type[nn.Module], classes: Mapping[type, OwnClass], others: Collection[str]) -> str:
    name = kind.__name__.lstrip("_")
    taken = {one.name for one in classes.values()} | {*others, *_OF_PORT}
    while name in taken:
        name += "2"
    return name
