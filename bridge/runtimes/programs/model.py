"""The model of the contract as a runtime of hook programs: the words of ``docs/programs.md`` over ``bridge.runtimes.model``."""

from __future__ import annotations

import copy
import gc
import operator
import platform
import threading
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import reduce
from typing import Any

from bridge.contract.messages import key
from bridge.program import Json, Program
from bridge.runtimes.model import EVERYWHERE, GRAD, Handle, Hook, Hooked, Module, Tensor, grad_mode
from bridge.runtimes.programs.errors import RAISED, Interrupt, described
from bridge.runtimes.programs.model_modules import Part, build
from bridge.runtimes.programs.runtime import Events, Runtime

Step = Mapping[str, Json]


class Ended(Exception):
    """A step failed that was not meant to, or did not fail as it was meant to: the rest of the program is left out."""


class Model:
    """The executable specification."""

    name = "model"
    variants: tuple[str, ...] = ("",)
    devices = ("cpu",)
    lacks: Mapping[str, str] = {
        "node:attention": "the model has no modules of a library",
        "node:encoder": "the model has no modules of a library",
        "step:checkpoint": "the model keeps what an operation saves, and has nothing to compute it again",
    }

    def version(self) -> str:
        return f"the model of the contract, Python {platform.python_version()}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        session = Session(program)
        before = dict(vars(EVERYWHERE))
        vars(EVERYWHERE).update(vars(Hooked()))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings.showwarning = session.warned
                session.add("", build(session, program.tree))
                session.run(program.steps)
        finally:
            vars(EVERYWHERE).update(before)
        return {"": session.events}


class Here(threading.local):
    """The events and the names of one thread."""

    events: Events | None = None
    names: dict[str, Any] | None = None


class Session:
    """One run of a program."""

    def __init__(self, program: Program) -> None:
        self.identity = program.identity
        self.roots: dict[str, Part] = {}
        self.handles: dict[str, Handle] = {}
        self.callables: dict[str, Hook] = {}
        self.events: Events = []
        self.names: dict[str, Any] = {}
        self.ids: dict[Tensor, int] = {}
        self.here = Here()
        self.paths: weakref.WeakKeyDictionary[Module, str] = weakref.WeakKeyDictionary()

    def __deepcopy__(self, memo: Any) -> Session:
        return self  # a copied module stays in this run

    # Modules, names and values.

    def add(self, root: str, module: Part) -> None:
        """Adds a root; a module has the first path at which it is found."""
        self.roots[root] = module
        for path, found in module.walk():
            self.paths.setdefault(found, ".".join(part for part in (root, path) if part))

    def module(self, path: str) -> Any:
        root, _, rest = path.partition(".") if path.startswith("@") else ("", "", path)
        return self.roots[root].part(rest)

    def find(self, name: str) -> Any:
        first, *items = name.split(".")
        for names in (self.here.names or {}, self.names):
            if first in names:
                return reduce(
                    lambda value, item: value[item if isinstance(value, dict) else int(item)], items, names[first]
                )
        path, _, last = name.rpartition(".")
        return self.module(path).part(last)

    def make(self, value: Json) -> Any:
        """A value of a program."""
        if value is None or isinstance(value, Tensor):
            return value
        if not isinstance(value, dict):
            return Tensor([float(value)])
        ((form, content),) = value.items()
        match form:
            case "tuple" | "list":
                return {"tuple": tuple, "list": list}[form](self.make(item) for item in content)
            case "dict":
                return {name: self.make(item) for name, item in content.items()}
            case "vector":
                return Tensor([float(item) for item in content])
            case "name":
                return self.find(content)
            case _:
                return content  # plain, text

    def write(self, value: Any) -> Json:
        """A value as a trace has it."""
        match value:
            case Tensor():
                numbers = [number(item) for item in value.data]
                written = numbers[0] if len(numbers) == 1 else {"vector": numbers}
                return {"value": written, "id": self.ids.setdefault(value, len(self.ids))} if self.identity else written
            case None:
                return None
            case bool() | int() | float():
                return {"plain": number(value)}
            case str():
                return {"text": value}
            case tuple() | list():
                return {type(value).__name__: self.all(value)}
            case dict():
                return {"dict": self.named(value)}
        return {"object": type(value).__name__}

    def all(self, values: Iterable[Any]) -> list[Json]:
        return [self.write(item) for item in values]

    def named(self, values: Mapping[str, Any]) -> dict[str, Json]:
        return {name: self.write(item) for name, item in values.items()}

    # Events.

    def record(self, event: str, **fields: Json) -> None:
        (self.events if self.here.events is None else self.here.events).append({"event": event, **fields})

    def entered(self, module: Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        fields: dict[str, Json] = {"module": self.paths.get(module, "?"), "args": self.all(args)}
        self.record("enter", **fields, **({"kwargs": self.named(kwargs)} if kwargs else {}))

    def warned(self, message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        if known := key(str(message)):
            self.record("warning", category=category.__name__, key=known)

    # Hooks.

    def register(self, step: Step) -> None:
        kind, name = step["kind"], step["hook"]
        hook = self.callables.setdefault(name, self.hook(step))
        options = {option: step[option] for option in ("prepend", "with_kwargs", "always_call") if option in step}
        if step.get("global"):
            handle = EVERYWHERE.register(kind, hook, options)
        elif kind in ("tensor", "accumulated"):
            owner = self.find(step["on"])
            handle = (owner.register_hook if kind == "tensor" else owner.register_post_accumulate_grad_hook)(hook)
        elif step.get("by") == "dictionary":
            self.module(step.get("on", "")).hooks[kind.replace("legacy", "backward")][name] = hook  # O-5
            return
        else:
            handle = self.module(step.get("on", "")).register(kind, hook, options)
        self.handles[step.get("handle", name)] = handle

    def hook(self, step: Step) -> Hook:
        """The callable: takes what its kind demands (P-1, F-1, B-1), records its event, does its actions."""
        kind, name, actions = step["kind"], step["hook"], step.get("actions", ())
        fields, calls = FIELDS[kind], [0] * len(actions)
        if step.get("with_kwargs"):
            fields = ("module", "args", "kwargs") if kind == "pre" else ("module", "args", "kwargs", "output")

        def hook(*values: Any) -> Any:
            if len(values) != len(fields):
                raise TypeError(f"{name}() takes {len(fields)} positional arguments but {len(values)} were given")
            given = dict(zip(fields, values, strict=True))
            if kind == "accumulated":
                given["grad"] = given["value"].grad
            self.record(kind, hook=name, **{field: self.shown(field, value) for field, value in given.items()})
            result = None
            for place, action in enumerate(actions):
                if "return" in action:
                    result = self.make(action["return"])
                elif "add" in action:
                    result = added(kind, given, action["add"])
                elif "call" in action:
                    calls[place] += 1
                    if calls[place] <= action["call"].get("limit", 1):
                        target = self.module(action["call"].get("module", ""))
                        target(*(self.make(item) for item in action["call"].get("args", ())))
                else:
                    self.act(name, given, action)
            return result

        return hook

    def shown(self, field: str, value: Any) -> Json:
        if field == "module":
            return self.paths.get(value, "?")
        if field == "kwargs":
            return self.named(value)
        return self.all(value) if field in ("args", "grad_input", "grad_output") else self.write(value)

    def act(self, name: str, given: Mapping[str, Any], action: Step) -> None:
        """An action that says nothing about what the hook returns."""
        if "raise" in action:
            raise RAISED[action["raise"]](action.get("message", name))
        if "register" in action:
            self.register(action["register"])
        elif "remove" in action:
            self.handles[action["remove"]].remove()
        elif "kwargs" in action:
            given["kwargs"].update({key: self.make(value) for key, value in action["kwargs"].items()})
        elif "add_" in action:
            what = given["args"][0] if "args" in given and "output" not in given else subject(given)
            if not isinstance(what, Tensor):
                raise TypeError(f"add_ of a {type(what).__name__}")
            what.add_(action["add_"])
        elif "read" in action:
            self.read(action["read"])
        elif "assign_forward" in action:
            target = action["assign_forward"]
            self.assign("forward", self.module(target["module"]) if "module" in target else given["module"], target)

    # Steps.

    def run(self, steps: Iterable[Step]) -> None:
        with suppress(Ended):
            self.steps(steps)

    def steps(self, steps: Iterable[Step], *, block: bool = False) -> None:
        for step in steps:
            expected = step.get("raises")
            try:
                getattr(self, f"do_{step['do']}")(step)
            except Ended:
                raise
            except (Exception, Interrupt) as error:
                found, text = described(error)
                if block and found != expected:
                    raise  # H-5: the step around the block judges it
                self.record("raise", error=found, key=text)
                error.__traceback__ = None  # its frames hold the modules of the failed call
                if found != expected:
                    raise Ended from None
            else:
                if expected is not None:
                    self.record("raise", error="", key=f"{expected} was expected")
                    raise Ended

    do_register = register

    def do_remove(self, step: Step) -> None:
        self.handles[step["handle"]].remove()

    def do_call(self, step: Step) -> None:
        self.called(step, self.module(step.get("module", "")))

    def do_forward(self, step: Step) -> None:
        self.called(step, self.module(step.get("module", "")).forward)

    def called(self, step: Step, call: Callable[..., Any]) -> None:
        for _ in range(step.get("times", 1)):
            args = [self.make(item) for item in step.get("args", ())]
            kwargs = {name: self.make(item) for name, item in step.get("kwargs", {}).items()}
            self.returned(step, call(*args, **kwargs))

    def returned(self, step: Step, result: Any) -> None:
        self.record("return", value=self.write(result))
        if "save" in step:
            self.save(step["save"], result)

    def save(self, name: str, value: Any) -> None:
        (self.names if self.here.names is None else self.here.names)[name] = value

    def do_functional_call(self, step: Step) -> None:  # I-17
        module = self.module(step.get("module", ""))
        given = {name: self.make(value) for name, value in step["parameters"].items()}
        own = {
            ".".join(filter(None, (path, name))): (part.parts, name)
            for path, part in module.walk()
            for name in part.parts
        }
        for name in list(given):  # a tensor has one value under all its names
            parts, last = own[name]
            given |= {other: given[name] for other, (more, item) in own.items() if more.get(item) is parts[last]}
        before = []
        for name, tensor in given.items():
            parts, last = own[name]
            before.append((parts, last, parts[last]))
            parts[last] = tensor
        try:
            self.called({**step, "kwargs": {}}, module)
        finally:
            for parts, last, tensor in before:  # I-17a: not the last one first
                parts[last] = tensor

    def do_tensor(self, step: Step) -> None:
        tensor = self.make(step["value"])
        tensor.requires_grad = step.get("requires_grad", True)
        self.save(step["name"], tensor)

    def do_compute(self, step: Step) -> None:
        self.save(step["name"], self.find(step["of"]) * self.make(step.get("k", 2)) + self.make(step.get("c", 0)))

    def do_sum(self, step: Step) -> None:
        self.save(step["name"], reduce(operator.add, [self.find(name) for name in step["of"]]))

    def do_backward(self, step: Step) -> None:
        inputs = [self.find(name) for name in step["inputs"]] if "inputs" in step else None
        self.find(step["of"]).backward(self.make(step.get("gradient")), step, inputs)

    def do_grad(self, step: Step) -> None:
        inputs, result = [self.find(name) for name in step["inputs"]], self.find(step["of"])
        if not isinstance(result, Tensor):
            raise TypeError(f"the gradient of a {type(result).__name__}")
        self.returned(step, result.backward(None, step, inputs, captures=True))

    def read(self, step: Step) -> None:
        what, name = step["what"], step.get("name", "")
        if what == "grad_mode":
            value: Any = GRAD.on
        elif what == "value":
            value = self.find(name)
        elif what == "grad_fn":
            value = self.find(name).grad_fn is not None
        else:
            value = getattr(self.find(name), what)
        self.record("read", name=name, what=what, value=self.write(value))

    do_read = read

    def do_zero(self, step: Step) -> None:
        self.find(step["name"]).grad = None

    def do_inplace(self, step: Step) -> None:
        self.find(step["name"]).add_(step.get("value", 1))

    def do_retain_grad(self, step: Step) -> None:
        self.find(step["name"]).retain_grad()

    def do_no_grad(self, step: Step) -> None:
        with grad_mode(False):
            self.steps(step["steps"], block=True)

    def do_train(self, step: Step) -> None:
        self.module(step.get("module", ""))  # C-8: nothing here looks at the mode

    do_eval = do_train

    def do_methods(self, step: Step) -> None:
        for _, module in self.module(step.get("module", "")).walk():  # C-8: of all of them zero_grad alone can be seen
            for part in module.parts.values():
                part.grad = None

    def do_try(self, step: Step) -> None:
        self.run(step["steps"])

    def do_with(self, step: Step) -> None:
        with self.handles[step["handle"]] as self.handles[step["handle"]]:  # H-5: it gives itself
            self.steps(step["steps"], block=True)

    def do_deepcopy(self, step: Step) -> None:
        self.add(f"@{step['as']}", copy.deepcopy(self.module(step.get("module", ""))))

    def do_copy(self, step: Step) -> None:
        self.add(f"@{step['as']}", copy.copy(self.module(step.get("module", ""))))

    def do_slice(self, step: Step) -> None:
        parts = list(self.module(step.get("module", "")).parts.items())[step.get("start") : step.get("stop")]
        sequential = Part(self, {"kind": "sequential"})
        sequential.parts.update(parts)
        self.add(f"@{step['as']}", sequential)

    def do_drop(self, step: Step) -> None:
        del self.roots[f"@{step['as']}"]
        gc.collect()

    def do_thread(self, step: Step) -> None:
        traces: list[Events] = [[] for _ in range(step.get("count", 1))]

        def work(events: Events) -> None:
            self.here.events, self.here.names = events, {}
            self.run(step["steps"])

        threads = [threading.Thread(target=work, args=(events,)) for events in traces]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, events in enumerate(traces):
            self.record("thread", number=number, events=events)

    def do_ids(self, step: Step) -> None:
        ids = [self.handles[name].id for name in step["handles"]]
        self.record("ids", handles=list(step["handles"]), ranks=[sorted(ids).index(item) for item in ids])

    def do_handle_copy(self, step: Step) -> None:
        self.handles[step["as"]] = copy.deepcopy(self.handles[step["handle"]])  # H-6

    def do_rebind(self, step: Step) -> None:
        EVERYWHERE.hooks[step["kind"].replace("legacy", "backward")] = OrderedDict()  # G-3

    def do_assign_forward(self, step: Step) -> None:
        self.assign("forward", self.module(step.get("module", "")), step)

    def do_assign_call(self, step: Step) -> None:
        self.assign("__call__", self.module(step.get("module", "")), step)

    def assign(self, name: str, module: Module, step: Step) -> None:
        weight, bias = self.make(step.get("k", 2)), self.make(step.get("c", 1))

        def forward(x: Any) -> Any:
            self.entered(module, (x,), {})
            return x * weight + bias

        setattr(module, name, forward)


#: What a hook of each kind is called with.
FIELDS = {
    "pre": ("module", "args"),
    "forward": ("module", "args", "output"),
    "backward_pre": ("module", "grad_output"),
    "backward": ("module", "grad_input", "grad_output"),
    "legacy": ("module", "grad_input", "grad_output"),
    "tensor": ("grad",),
    "accumulated": ("value",),
}


def added(kind: str, given: Mapping[str, Any], n: float) -> Any:
    """What came to a hook, with n added."""
    if kind == "pre":
        args = given["args"]
        changed = (args[0] + n, *args[1:])
        if "kwargs" in given:
            return changed, given["kwargs"]
        return changed[0] if len(changed) == 1 else changed
    if kind == "forward":
        return plus(given["output"], n)
    if kind == "tensor":
        return given["grad"] + n
    return tuple(None if grad is None else grad + n for grad in subject(given))


def subject(given: Mapping[str, Any]) -> Any:
    """What a hook may change: the output, or the gradients that it stands for."""
    return next(given[field] for field in ("output", "grad_input", "grad_output", "grad") if field in given)


def plus(output: Any, n: float) -> Any:
    if isinstance(output, dict):
        first = next(iter(output))
        return {**output, first: plus(output[first], n)}
    if isinstance(output, (tuple, list)):
        return type(output)((plus(output[0], n), *output[1:]))
    return output + n


def number(value: float) -> float:
    """A float that is whole, as an integer."""
    return value if isinstance(value, bool) or value != value // 1 else int(value)


RUNTIME: Runtime = Model()
