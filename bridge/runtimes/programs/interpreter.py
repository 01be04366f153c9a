"""Runs a hook program on ``torch.nn.Module`` objects, whoever made them."""

from __future__ import annotations

import copy
import gc
import threading
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch.nn.modules import module as global_hooks
from torch.utils.checkpoint import checkpoint

from bridge.contract.messages import key
from bridge.program import Json, Program
from bridge.program import steps as every_step
from bridge.runtimes.programs import hooks, values
from bridge.runtimes.programs.errors import Interrupt, described

Build = Callable[["Session", Mapping[str, Json]], torch.nn.Module]
_GLOBALS = (
    "_global_forward_pre_hooks",
    "_global_forward_hooks",
    "_global_forward_hooks_always_called",
    "_global_forward_hooks_with_kwargs",
    "_global_backward_pre_hooks",
    "_global_backward_hooks",
)


class Ended(Exception):
    """A step failed that was not meant to, or did not fail as it was meant to: the rest of the program is left out."""


def run(
    program: Program, build: Build, device: str = "cpu", *, session: Session | None = None
) -> list[dict[str, Json]]:
    """The trace of a program on the modules that ``build`` makes of its tree.

    ``session`` is one of the runtime's own, if it needs another than :class:`Session`. The global registries are empty while it runs
    and are as before afterwards (G-3). Raises what ``build`` raises.
    """
    session = Session(program, device) if session is None else session
    try:
        with _alone(session), _own_garbage(program):
            session.roots[""] = build(session, program.tree)
            session.run(program.steps)
        return session.finish()
    finally:
        session.forget()


@contextmanager
def _alone(session: Session) -> Iterator[None]:
    """Global hooks and warnings of this run alone."""
    outer = {name: getattr(global_hooks, name) for name in _GLOBALS}
    flag = global_hooks._global_is_full_backward_hook
    for name in _GLOBALS:
        setattr(global_hooks, name, OrderedDict())
    global_hooks._global_is_full_backward_hook = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = session.warned
            yield
    finally:
        for name, value in outer.items():
            setattr(global_hooks, name, value)
        global_hooks._global_is_full_backward_hook = flag


@contextmanager
def _own_garbage(program: Program) -> Iterator[None]:
    """A program that drops a root looks through what was made since its own beginning, not through all that torch ever imported."""
    if all(step["do"] != "drop" for step in every_step(program.steps)):
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class _Here(threading.local):
    """The events and the names of one thread."""

    events: list[dict[str, Json]] | None = None
    names: dict[str, Any] | None = None


class Session:
    """One run of a program: its modules by root, its named tensors and results, its handles, its events."""

    #: What may leave a step: all else ends the process, Ctrl-C above all.
    caught: tuple[type[BaseException], ...] = (Exception, Interrupt)

    def __init__(self, program: Program, device: str) -> None:
        self.device = torch.device(device)
        self.write: Callable[[Any], Json] = values.Writer(program.identity, self.device)
        self.roots: dict[str, torch.nn.Module] = {}
        self.handles: dict[str, Any] = {}
        self.callables: dict[str, Callable[..., Any]] = {}
        self.events: list[dict[str, Json]] = []
        self._names: dict[str, Any] = {}
        self._here = _Here()
        self._paths: weakref.WeakKeyDictionary[torch.nn.Module, str] = weakref.WeakKeyDictionary()

    def __deepcopy__(self, memo: dict[int, Any]) -> Session:
        return self  # a copied module stays in this run

    # What modules and hooks tell.

    def record(self, event: dict[str, Json]) -> None:
        """Appends an event to the trace of this thread."""
        (self.events if self._here.events is None else self._here.events).append(event)

    def finish(self) -> list[dict[str, Json]]:
        """The trace."""
        return self.events

    def forget(self) -> None:
        """Lets go of what the program made: a result that is kept, and a hook in its graph that knows the run, would keep each other."""
        for kept in (self.roots, self.handles, self.callables, self._names):
            kept.clear()
        self.events = []  # whoever has the trace has the list; .NET may know this run until its own collector comes
        self.write = values.Writer(False, self.device)

    def entered(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        event: dict[str, Json] = {
            "event": "enter",
            "module": self.path(module),
            "args": [self.write(item) for item in args],
        }
        if kwargs:
            event["kwargs"] = {name: self.write(item) for name, item in kwargs.items()}
        self.record(event)

    def described(self, error: BaseException) -> tuple[str, str]:
        """The name and the match key of an exception that left a step."""
        return described(error)

    def warned(self, message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        known = key(str(message))
        if known:
            self.record({"event": "warning", "category": category.__name__, "key": known})

    # Names.

    def path(self, module: torch.nn.Module) -> str:
        """The module path: the first in the order of the roots and of ``named_modules``."""
        if module not in self._paths:
            for root, model in self.roots.items():
                for path, found in model.named_modules():
                    self._paths.setdefault(found, ".".join(part for part in (root, path) if part))
        return self._paths.get(module, "?")

    def module(self, path: str) -> torch.nn.Module:
        """The module at a path."""
        root, _, rest = path.partition(".") if path.startswith("@") else ("", "", path)
        return self.roots[root].get_submodule(rest)

    def find(self, name: str) -> Any:
        """What a name stands for: a saved value or an item of it, a tensor, a parameter or buffer (``a.weight``)."""
        first, *items = name.split(".")
        for names in (self._here.names or {}, self._names):
            if first in names:
                value = names[first]
                for item in items:
                    value = value[item] if isinstance(value, dict) else value[int(item)]
                return value
        path, _, last = name.rpartition(".")
        return getattr(self.module(path), last)

    def save(self, name: str, value: Any) -> None:
        (self._names if self._here.names is None else self._here.names)[name] = value

    def make(self, value: Json) -> Any:
        return values.make(value, self.device, self.find)

    # Steps.

    def run(self, steps: Iterable[Mapping[str, Json]]) -> None:
        """Runs the steps of the program, or of a thread, to their end or to the first that fails unexpectedly."""
        with suppress(Ended):
            self.steps(steps)

    def steps(self, steps: Iterable[Mapping[str, Json]], *, block: bool = False) -> None:
        """Runs steps; an unexpected exception ends the program, or leaves the ``block`` as it would leave Python's own."""
        for step in steps:
            expected = step.get("raises")
            try:
                getattr(self, f"do_{step['do']}")(step)
            except Ended:
                raise
            except self.caught as error:
                name, text = self.described(error)
                if block and name != expected:
                    raise
                self.record({"event": "raise", "error": name, "key": text})
                error.__traceback__ = None  # its frames hold the tensors and modules of the failed call
                if name != expected:
                    raise Ended from None
            else:
                if expected is not None:
                    self.record({"event": "raise", "error": "", "key": f"{expected} was expected"})
                    raise Ended

    def register(self, registration: Mapping[str, Json]) -> None:
        handle = hooks.register(self, registration)
        if handle is not None:
            self.handles[registration.get("handle", registration["hook"])] = handle

    do_register = register

    def do_remove(self, step: Mapping[str, Json]) -> None:
        self.handles[step["handle"]].remove()

    def do_call(self, step: Mapping[str, Json]) -> None:
        self._calls(step, self.module(step.get("module", "")))

    def do_forward(self, step: Mapping[str, Json]) -> None:
        self._calls(step, self.module(step.get("module", "")).forward)

    def _calls(self, step: Mapping[str, Json], call: Callable[..., Any]) -> None:
        for _ in range(step.get("times", 1)):
            args = [self.make(item) for item in step.get("args", ())]
            kwargs = {name: self.make(item) for name, item in step.get("kwargs", {}).items()}
            self._returned(step, call(*args, **kwargs))

    def _returned(self, step: Mapping[str, Json], result: Any) -> None:
        self.record({"event": "return", "value": self.write(result)})
        if "save" in step:
            self.save(step["save"], result)

    def do_functional_call(self, step: Mapping[str, Json]) -> None:
        parameters = {name: self.make(value) for name, value in step["parameters"].items()}
        args = tuple(self.make(item) for item in step.get("args", ()))
        self._returned(step, torch.func.functional_call(self.module(step.get("module", "")), parameters, args))

    def do_checkpoint(self, step: Mapping[str, Json]) -> None:
        args = [self.make(item) for item in step.get("args", ())]
        self._returned(step, checkpoint(self.module(step.get("module", "")), *args, use_reentrant=False))

    def do_tensor(self, step: Mapping[str, Json]) -> None:
        tensor = self.make(step["value"])
        self.save(step["name"], tensor.requires_grad_(step.get("requires_grad", True)))

    def do_compute(self, step: Mapping[str, Json]) -> None:
        k, c = self.make(step.get("k", 2)), self.make(step.get("c", 0))
        self.save(step["name"], self.find(step["of"]) * k + c)

    def do_sum(self, step: Mapping[str, Json]) -> None:
        total, *rest = (self.find(name) for name in step["of"])
        for item in rest:
            total = total + item
        self.save(step["name"], total)

    def do_backward(self, step: Mapping[str, Json]) -> None:
        self.find(step["of"]).backward(
            self.make(step["gradient"]) if "gradient" in step else None,
            retain_graph=step.get("retain_graph"),
            create_graph=step.get("create_graph", False),
            inputs=[self.find(name) for name in step["inputs"]] if "inputs" in step else None,
        )

    def do_grad(self, step: Mapping[str, Json]) -> None:
        inputs, output = [self.find(name) for name in step["inputs"]], self.find(step["of"])
        if not isinstance(output, torch.Tensor):  # a tuple would be several outputs
            raise TypeError(f"the gradient of a {type(output).__name__}")
        result = torch.autograd.grad(
            output,
            inputs,
            retain_graph=step.get("retain_graph"),
            create_graph=step.get("create_graph", False),
            allow_unused=step.get("allow_unused", False),
        )
        self._returned(step, result)

    def read(self, step: Mapping[str, Json]) -> None:
        what, name = step["what"], step.get("name", "")
        if what == "grad_mode":
            value: Any = torch.is_grad_enabled()
        elif what == "value":
            value = self.find(name)
        elif what == "grad_fn":
            value = self.find(name).grad_fn is not None
        elif what == "device":
            value = self.find(name).device.type
        else:
            value = getattr(self.find(name), what)
        self.record({"event": "read", "name": name, "what": what, "value": self.write(value)})

    do_read = read

    def do_zero(self, step: Mapping[str, Json]) -> None:
        self.find(step["name"]).grad = None

    def do_inplace(self, step: Mapping[str, Json]) -> None:
        self.find(step["name"]).add_(step.get("value", 1))

    def do_retain_grad(self, step: Mapping[str, Json]) -> None:
        self.find(step["name"]).retain_grad()

    def do_no_grad(self, step: Mapping[str, Json]) -> None:
        with torch.no_grad():
            self.steps(step["steps"], block=True)

    def do_train(self, step: Mapping[str, Json]) -> None:
        self.module(step.get("module", "")).train()

    def do_eval(self, step: Mapping[str, Json]) -> None:
        self.module(step.get("module", "")).eval()

    def do_methods(self, step: Mapping[str, Json]) -> None:
        module = self.module(step.get("module", ""))
        module.apply(lambda _: None)
        module.train().eval()
        module.state_dict()
        module.zero_grad()
        module.to(torch.float64)
        dict(module.named_modules())

    def do_try(self, step: Mapping[str, Json]) -> None:
        self.run(step["steps"])

    def do_with(self, step: Mapping[str, Json]) -> None:
        with self.handles[step["handle"]] as self.handles[step["handle"]]:  # H-5: it gives itself
            self.steps(step["steps"], block=True)

    def do_deepcopy(self, step: Mapping[str, Json]) -> None:
        self.roots[f"@{step['as']}"] = copy.deepcopy(self.module(step.get("module", "")))

    def do_copy(self, step: Mapping[str, Json]) -> None:
        self.roots[f"@{step['as']}"] = copy.copy(self.module(step.get("module", "")))

    def do_slice(self, step: Mapping[str, Json]) -> None:
        sequential: Any = self.module(step.get("module", ""))
        self.roots[f"@{step['as']}"] = sequential[step.get("start") : step.get("stop")]

    def do_drop(self, step: Mapping[str, Json]) -> None:
        del self.roots[f"@{step['as']}"]
        gc.collect()

    def do_thread(self, step: Mapping[str, Json]) -> None:
        traces: list[list[dict[str, Json]]] = [[] for _ in range(step.get("count", 1))]
        threads = [threading.Thread(target=self.run_thread, args=(step["steps"], events)) for events in traces]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, events in enumerate(traces):
            self.record({"event": "thread", "number": number, "events": events})

    def run_thread(self, steps: Iterable[Mapping[str, Json]], events: list[dict[str, Json]]) -> None:
        """Runs the steps of a thread, on it, and records what happens there into ``events``."""
        self._here.events, self._here.names = events, {}
        self.run(steps)

    def do_ids(self, step: Mapping[str, Json]) -> None:
        ids = [self.handles[name].id for name in step["handles"]]
        ranks = [sorted(ids).index(item) for item in ids]
        self.record({"event": "ids", "handles": list(step["handles"]), "ranks": ranks})

    def do_handle_copy(self, step: Mapping[str, Json]) -> None:
        self.handles[step["as"]] = copy.deepcopy(self.handles[step["handle"]])

    def do_rebind(self, step: Mapping[str, Json]) -> None:
        setattr(global_hooks, f"_global{hooks.DICTIONARIES[step['kind']]}", OrderedDict())

    def do_assign_forward(self, step: Mapping[str, Json]) -> None:
        self.assign("forward", self.module(step.get("module", "")), step)

    def do_assign_call(self, step: Mapping[str, Json]) -> None:
        self.assign("__call__", self.module(step.get("module", "")), step)

    def assign(self, name: str, module: torch.nn.Module | None, step: Mapping[str, Json]) -> None:
        """Sets an instance attribute to a function that does as a leaf does (C-2, C-4)."""
        assert module is not None
        weight, bias = self.make(step.get("k", 2)), self.make(step.get("c", 1))

        def forward(x: Any) -> Any:
            self.entered(module, (x,), {})
            return x * weight + bias

        setattr(module, name, forward)
