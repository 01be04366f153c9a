"""A live model as the classes of a C# project."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from bridge.compare.run import one_thread
from bridge.port import attention, layers, transformers
from bridge.port.attention import ATTENDING
from bridge.port.classes import ClassWriter
from bridge.port.frozen import frozen
from bridge.port.graph import Record, record
from bridge.port.making import Given
from bridge.port.methods import FunctionWriter, Left, Wrote
from bridge.port.port_errors import Unwritable
from bridge.port.scope import Written
from bridge.port.signatures import signature
from bridge.port.ties import read_elsewhere, ties
from bridge.port.watched import as_before, source_of, watch


@dataclass(frozen=True, slots=True)
class Port:
    """C# files by name, the class of the whole model, what is left to do, how each method was written, and what of Python was.

    ``unfinished`` are the classes in which something is left, ``inputs`` the parameters of the whole model's forward in C#.
    """

    files: dict[str, str]
    root: str
    left: tuple[Left, ...]
    wrote: tuple[Wrote, ...]
    originals: tuple[type | types.FunctionType, ...] = ()
    namespace: str = ""
    unfinished: tuple[type[nn.Module], ...] = ()
    inputs: tuple[str, ...] = ()

    @property
    def methods(self) -> int:
        """How many methods there are, functions among them."""
        return len(self.wrote)


def is_own(kind: type) -> bool:
    """Whether a class has a forward of its own, so that it becomes a class of C#."""
    if not issubclass(kind, nn.Module) or kind.__module__.startswith("torch.nn.modules"):
        return False
    return not (kind.forward.__module__ or "").startswith("torch.nn.modules")


def given_alone(model: nn.Module, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without the last ones that are what ``forward`` takes without them."""
    found = dict(arguments)
    parameters = inspect.signature(model.forward).parameters
    for name, value in reversed(list(arguments.items())):
        if name not in parameters or isinstance(value, torch.Tensor) or parameters[name].default is not value:
            break
        del found[name]
    return found


def write(
    model: nn.Module,
    given: Given,
    arguments: Mapping[str, Any],
    namespace: str,
    step: Callable[[str], None] = lambda _: None,
) -> Port:
    """Writes the classes of ``model``, which is run with ``arguments`` to learn its types; their namespace gets another name than each.

    Raises Unwritable.
    """
    step("watching one run")
    with one_thread():  # threads that wait for each other take most of the time beside other work
        ranks = _ranks(model, arguments)
        lacking = _lacking(model, ranks)
        replaced: dict[type[nn.Module], types.FunctionType] = {}
        if lacking & ATTENDING:
            calls = attention.calls_in(model, arguments)
            replaced = {**attention.forwards(calls), **transformers.forwards(model, "masked" in calls)}

        def own(kind: type) -> bool:
            return is_own(kind) or kind in lacking

        methods = watch(model, arguments, own, replaced)
    tied = ties(model, own)
    for kind, names in read_elsewhere(methods, own).items():
        tied.read.setdefault(kind, set()).update(names)
    classes: dict[type[nn.Module], Written] = {}
    functions = FunctionWriter(methods)
    graphs: list[dict[nn.Module, Record]] = []

    def ran() -> dict[nn.Module, Record]:
        if not graphs:
            step("following one run")
            graphs.append(record(model, arguments, own))
        return graphs[0]

    files: dict[str, str] = {}
    left: list[Left] = []
    wrote: list[Wrote] = []
    originals: list[type | types.FunctionType] = []
    unfinished: list[type[nn.Module]] = []
    order = list(reversed(dict.fromkeys(type(module) for module in _outside_in(model) if own(type(module)))))
    if type(model) not in order:
        raise Unwritable(
            f"{type(model).__name__} is PyTorch's own class: give a model whose class has a forward of its own."
        )
    if namespace in {kind.__name__.lstrip("_") for kind in order}:
        namespace += "Model"  # a namespace named as its class hides it outside
    for kind in order:
        step(f"writing {kind.__name__}")
        instances = list(dict.fromkeys(module for module in model.modules() if type(module) is kind))
        written = Written(kind, _name(kind, classes, () if kind in lacking else _layers(model)), instances)
        writer = ClassWriter(
            written, given, classes, methods, functions, replaced.get(kind, kind.forward), ran, ranks, tied
        )
        text = writer.write(frozen(model) if kind is type(model) else ())
        classes[kind] = written
        left += writer.left
        unfinished += [kind] if writer.left else []
        wrote += writer.wrote
        originals += [*(() if kind in lacking else (kind,)), *writer.functions]
        files[f"{written.name}.cs"] = _file(text, namespace)
    # A collection's constructor takes its entries, those of the model too.
    parts = sum(type(one) is type(model) for one in model.modules()) - 1
    if parts and any(one.default is inspect.Parameter.empty for one in classes[type(model)].parameters):
        raise Unwritable(
            f"{type(model).__name__} is the class of the model and of a part of it, and these differ: give a model that holds it."
        )
    if text := functions.write():
        files["Functions.cs"] = _file(text, namespace)
        wrote += functions.wrote
        originals += functions.functions
    inputs = [
        name for name, _ in signature(methods[source_of(replaced.get(type(model), type(model).forward))]).parameters
    ]
    return Port(
        files,
        classes[type(model)].name,
        tuple(left),
        tuple(wrote),
        tuple(originals),
        namespace,
        tuple(unfinished),
        tuple(inputs),
    )


def _lacking(model: nn.Module, ranks: Mapping[nn.Module, int]) -> set[type[nn.Module]]:
    """PyTorch's own classes that TorchSharp lacks, or cannot make as one of the model's modules is: they become classes of the project."""
    modules = [one for one in model.modules() if layers.is_layer(one) and not is_own(type(one))]
    found = {type(one) for one in modules if layers.written(one, {}, ranks.get(one, 0)) is None}
    if found & ATTENDING:  # one of them in the other's place would be of another class
        found |= {type(one) for one in modules} & ATTENDING
    return found


def _ranks(model: nn.Module, arguments: Mapping[str, Any]) -> dict[nn.Module, int]:
    """How many dimensions the input had of each module that TorchSharp makes by that."""
    modules = [module for module in model.modules() if isinstance(module, nn.Upsample)]
    found: dict[nn.Module, int] = {}

    def note(module: nn.Module, args: tuple[Any, ...]) -> None:
        found[module] = args[0].dim() if args else 0

    with as_before(model), ExitStack() as hooks, torch.no_grad(), torch.random.fork_rng(devices=()):
        for module in modules:
            hooks.callback(module.register_forward_pre_hook(note).remove)
        if modules:
            model.eval()(**arguments)
    return found


def _outside_in(model: nn.Module) -> list[nn.Module]:
    """Modules so that whatever holds another comes first, also where classes hold each other at several depths."""
    depth: dict[type, int] = {}

    def walk(module: nn.Module, level: int) -> None:
        depth[type(module)] = max(level, depth.get(type(module), 0))
        for child in module.children():
            walk(child, level + 1)

    walk(model, 0)
    return sorted(model.modules(), key=lambda module: depth[type(module)])


def _layers(model: nn.Module) -> set[str]:
    """The names of TorchSharp's classes that the model has, which would be hidden by a class of the same name."""
    return {layers.name_of(one) for one in model.modules() if layers.is_layer(one) and not is_own(type(one))}


def _name(kind: type[nn.Module], classes: Mapping[type[nn.Module], Written], others: Collection[str]) -> str:
    name = kind.__name__.lstrip("_")
    taken = {one.name for one in classes.values()} | {*others}
    while name in taken:
        name += "2"
    return name


def _file(text: str, namespace: str) -> str:
    using = [
        "using TorchSharp;",
        "using TorchSharp.Modules;",
        "using static TorchSharp.torch;",
        "using static TorchSharp.torch.nn;",
        *(["using F = TorchSharp.torch.nn.functional;"] if "F." in text else []),
    ]
    return "\n".join(using) + f"\n\nnamespace {namespace};\n\n{text}\n"
