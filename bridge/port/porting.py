"""A live model as the classes of a C# project."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from bridge.compare.run import one_thread
from bridge.port.classes import translate
from bridge.port.csharp import helpers, printer, tree
from bridge.port.csharp.calls.layers import class_name, layer
from bridge.port.csharp.classes import file_of, settings_classes
from bridge.port.csharp.lowering import begin
from bridge.port.csharp.names import KEYWORDS
from bridge.port.errors import Unwritable, UnwritableArgument
from bridge.port.forwards import attention, transformers
from bridge.port.forwards.attention import ATTENDING
from bridge.port.frontend.classes.frozen import frozen
from bridge.port.frontend.classes.own import OwnClass
from bridge.port.frontend.classes.root import construction, given_arguments
from bridge.port.graphs.record import Record
from bridge.port.graphs.recording import record
from bridge.port.ir.errors import Untranslatable
from bridge.port.ir.nodes import Origin
from bridge.port.methods import Left, Wrote
from bridge.port.observe.dispatch import dispatched
from bridge.port.observe.models.computed_weights import computed_in_forward
from bridge.port.observe.models.construction import Given
from bridge.port.observe.modules import arguments as arguments_of
from bridge.port.observe.modules import chosen_forward, find_inheriting, is_layer, is_own
from bridge.port.observe.runs import observe, observe_ranks
from bridge.port.observe.stored_functions import leave_out
from bridge.port.observe.ties import find_shared_members, find_ties
from bridge.port.program import Program

#: The classes of a port that stand for no class of the model.
_OF_PORT = ("Functions", "PythonMath")
#: Types of .NET and TorchSharp that the C# of a port may name.
_OF_NET = (
    "Array", "Console", "Convert", "Dictionary", "Enumerable", "Func", "HashSet", "Index", "List", "Math", "Module", "Parameter",
    "Random", "Range", "Scalar", "Tensor", "Type",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Port:
    """The C# files by name, the class of the whole model, the methods left to do, and how each method was written.

    ``originals`` are the classes and functions of Python that were translated, ``unfinished`` the classes with methods left to do,
    ``inputs`` the parameters of the whole model's forward in C#, ``result`` the type of its result. ``construction`` is the C# expression
    that constructs the whole model, ``arguments`` are the constructor's arguments that differ from its defaults, by C#'s names, and
    ``parameters`` maps Python's name of each parameter to C#'s.
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
    construction: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def methods(self) -> int:
        """Return the number of methods and functions, without constructors."""
        return sum(not one.constructs for one in self.wrote)


def write(
    model: nn.Module,
    given: Given,
    arguments: Mapping[str, Any],
    namespace: str,
    step: Callable[[str], None] = lambda _: None,
) -> Port:
    """Translate the classes of ``model``, which is run with ``arguments`` to learn its types, to files of C#.

    If the ``namespace`` has the name of a class, or of a keyword of C#, ``Model`` is added to it. Raises Unwritable.
    """
    with computed_in_forward(model):
        return _write(model, given, arguments, namespace, step)


def _write(
    model: nn.Module,
    given: Given,
    arguments: Mapping[str, Any],
    namespace: str,
    step: Callable[[str], None],
) -> Port:
    step("observing the model")
    with one_thread():  # beside other processes, threads spend most of the time waiting for each other
        ranks = observe_ranks(model, arguments)
        lacking, inheriting = _lacking(model, ranks), find_inheriting(model)
        chosen = ((type(module), chosen_forward(module)) for module in model.modules())
        forwards = {kind: function for kind, function in chosen if function is not None} | dispatched(model.modules())
        if lacking & ATTENDING:
            calls = attention.calls_in(model, arguments)
            forwards = {**forwards, **attention.forwards(calls), **transformers.forwards(model, "masked" in calls)}

        def own(kind: type) -> bool:
            return is_own(kind) or kind in lacking or kind in inheriting

        methods = observe(model, arguments, own, forwards)
    for name in sorted({name for method in methods.values() for name in method.within}):
        leave_out(given.constructors, name)
    tied = find_ties(model, own)
    for kind, names in find_shared_members({**given.constructors, **methods}, own).items():
        tied.read.setdefault(kind, set()).update(names)
    order = list(reversed(dict.fromkeys(type(module) for module in _outside_in(model) if own(type(module)))))
    if type(model) not in order:
        raise Unwritable(f"{type(model).__name__} is PyTorch's own class: give a model of a class of yours.")
    if namespace in KEYWORDS | {kind.__name__.lstrip("_") for kind in order}:
        namespace += "Model"  # outside a namespace, its name would hide a class of the same name
    graphs: list[Mapping[nn.Module, Record]] = []

    def ran() -> Mapping[nn.Module, Record]:
        if not graphs:
            step("following one run")
            graphs.append(record(model, arguments, own))
        return graphs[0]

    chains = (module for module in model.modules() if isinstance(module, nn.Sequential) and not own(type(module)))
    chained = {type(child) for chain in chains for child in chain.children()}
    by_instances: dict[type, Untranslatable] = {}
    while True:
        modules = tuple(model.modules())
        program = Program(methods, forwards, own, chained.__contains__, given, ranks, tied, ran, by_instances, modules)
        try:
            program.emission.taken = _taken(model, order, namespace)
            made = _translate_all(model, program, order, lacking, step)
            constructed = construction(model, program.classes, ranks)
            break
        except UnwritableArgument as error:  # then the constructor of that class is made from its instances
            if error.kind in by_instances:
                raise
            by_instances[error.kind] = Untranslatable(Origin(), str(error))
    classes = [*made.declarations, *settings_classes(program.emission)]
    files = {f"{one.name}.cs": printer.text(file_of(namespace, one)) for one in classes}
    if program.emission.helpers:
        files["PythonMath.cs"] = helpers.text(program.emission.helpers, namespace)
    root = program.classes[type(model)]
    forward = root.forward
    return Port(
        files,
        root.name,
        tuple(made.left),
        tuple(made.wrote),
        tuple(made.originals),
        namespace,
        tuple(made.unfinished),
        tuple(one.name for one in forward.parameters) if forward is not None else (),
        printer.text(program.emission.type_of(forward.result)) if forward is not None else "",
        printer.text(program.emission.expression(constructed)),
        given_arguments(model, root),
        {one.name: root.names.get(one.name, one.name) for one in root.parameters},
    )


@dataclass(slots=True)
class _Translated:
    """The classes of a model in C#, and how they were written."""

    declarations: list[tree.ClassDeclaration] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    wrote: list[Wrote] = field(default_factory=list)
    originals: list[type | types.FunctionType] = field(default_factory=list)
    unfinished: list[type[nn.Module]] = field(default_factory=list)


def _translate_all(
    model: nn.Module,
    program: Program,
    order: Sequence[type[nn.Module]],
    lacking: Collection[type],
    step: Callable[[str], None],
) -> _Translated:
    """Translate the classes in this order, children first, and the functions that they call. Raises Unwritable."""
    made = _Translated()
    for kind in order:
        step(f"writing {kind.__name__}")
        instances = list(dict.fromkeys(module for module in model.modules() if type(module) is kind))
        others = () if kind in lacking else _layers(model)
        own = OwnClass(kind, _name(kind, program.classes, others), instances, kind is type(model))
        declaration, translation = translate(own, program, frozen(model) if kind is type(model) else ())
        made.declarations.append(declaration)
        made.left += translation.left
        made.unfinished += [kind] if translation.left else []
        made.wrote += translation.wrote
        made.originals += [*(() if kind in lacking else (kind,)), *translation.functions]
    _check_root(model, program.classes[type(model)])
    if (free := program.free.declaration()) is not None:
        made.declarations.append(free)
        made.wrote += program.free.wrote
        made.originals += program.free.declarations
    return made


def _check_root(model: nn.Module, root: OwnClass) -> None:
    """Raise Unwritable if a part has the model's class, whose constructor is made from instances and has required parameters."""
    parts = sum(type(one) is type(model) for one in model.modules()) - 1
    if parts and root.constructor is None and any(one.default is inspect.Parameter.empty for one in root.parameters):
        raise Unwritable(
            f"{type(model).__name__} is the class of the model and of a part of it, and these differ: give a model that holds it."
        )


def _lacking(model: nn.Module, ranks: Mapping[nn.Module, int]) -> set[type[nn.Module]]:
    """Return the layers of PyTorch that TorchSharp lacks, or cannot construct as in the model; they become classes of the project."""
    modules = [one for one in model.modules() if is_layer(one) and not is_own(type(one))]
    found: set[type[nn.Module]] = set()
    made: set[str] = set()
    for one in modules:
        rank = ranks.get(one, 0)
        key = f"{type(one).__qualname__} {rank} {sorted(arguments_of(one).items())}"
        if key not in made and layer(begin(), one, {}, rank) is None:
            found.add(type(one))
        made.add(key)
    if found & ATTENDING:  # these layers contain each other, and TorchSharp's cannot contain a class of the project
        found |= {type(one) for one in modules} & ATTENDING
    return found


def _taken(model: nn.Module, order: Sequence[type[nn.Module]], namespace: str) -> frozenset[str]:
    """Return the names that a class of constants cannot have: those of the model's other classes, and of types that C# calls by name."""
    own = {kind.__name__.lstrip("_") for kind in order}
    return frozenset({*own, *_layers(model), *_OF_PORT, *_OF_NET, namespace})


def _outside_in(model: nn.Module) -> list[nn.Module]:
    """Return the modules in an order in which containing modules come first, also if a class occurs at several depths."""
    depth: dict[type, int] = {}

    def walk(module: nn.Module, level: int) -> None:
        depth[type(module)] = max(level, depth.get(type(module), 0))
        for child in module.children():
            walk(child, level + 1)

    walk(model, 0)
    return sorted(model.modules(), key=lambda module: depth[type(module)])


def _layers(model: nn.Module) -> set[str]:
    """Return the names of the TorchSharp classes that the model uses, which a class of the same name would hide."""
    return {class_name(type(one)) for one in model.modules() if is_layer(one) and not is_own(type(one))}


def _name(kind: type[nn.Module], classes: Mapping[type, OwnClass], others: Collection[str]) -> str:
    name = kind.__name__.lstrip("_")
    taken = {one.name for one in classes.values()} | {*others, *_OF_PORT}
    while name in taken:
        name += "2"
    return name
