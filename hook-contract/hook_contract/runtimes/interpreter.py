"""The interpreter of hook programs (docs/programs.md). It corresponds to C#'s ``Interpreter.cs`` and ``ProgramSession.cs``.

Codes such as G-3 are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

import copy
import gc
import operator
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import reduce
from typing import Any

from hook_contract.contract.messages import key
from hook_contract.program import Json, Program
from hook_contract.program import steps as every_step
from hook_contract.runtimes import values
from hook_contract.runtimes.errors import Interrupt, ProgramEnded, describe_error
from hook_contract.runtimes.hook import Hook
from hook_contract.runtimes.runtime import Events
from hook_contract.runtimes.world import World


def run(program: Program, world: World) -> Events:
    """Run a program on the modules of ``world``, and return its trace. Raises the errors of ``world.build``."""
    return Session(program, world).trace()


@contextmanager
def _freeze_older_objects(program: Program) -> Iterator[None]:
    """Call ``gc.freeze`` while a program with ``drop`` steps runs, so that each ``gc.collect`` visits only objects of the program.

    If the process has frozen objects already, do nothing: ``gc.unfreeze`` would unfreeze those objects too.
    """
    if all(step["do"] != "drop" for step in every_step(program.steps)) or gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class ThreadState:
    """The events and saved values of one thread of a program."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self.names: dict[str, Any] = {}


class _CurrentThread(threading.local):
    """The state of the current thread. It is None on the program's main thread and on autograd's threads."""

    state: ThreadState | None = None


class Session:
    """A run of a program, with its root modules, saved values, handles and events."""

    #: The exceptions of a step that become ``raise`` events. Others, such as KeyboardInterrupt, propagate.
    caught: tuple[type[BaseException], ...] = (Exception, Interrupt)

    def __init__(self, program: Program, world: World) -> None:
        self.program, self.world = program, world
        self.write: Callable[[Any], Json] = values.Writer(world, program.identity)
        self.roots: dict[str, Any] = {}
        self.handles: dict[str, Any] = {}
        self.hooks: dict[str, Hook] = {}
        self._main = ThreadState([])
        self._current = _CurrentThread()
        # The state of the thread that waits for a backward pass on a GPU, None for the main thread. For a GPU, autograd runs hooks on
        # threads of its own, and the events of these hooks belong to the waiting thread.
        self._backward_state: ThreadState | None = None
        self._backward_lock = threading.Lock()
        self._paths: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()

    def __deepcopy__(self, memo: dict[int, Any]) -> Session:
        return self  # a copied module belongs to the same run

    def trace(self) -> Events:
        """Run the program and return its trace. Restores global hooks and warnings filters afterwards (G-3)."""
        try:
            with self.world.without_global_hooks(), warnings.catch_warnings(), _freeze_older_objects(self.program):
                warnings.simplefilter("always")
                warnings.showwarning = self.show_warning
                self.roots[""] = self.world.build(self, self.program.tree)
                self.run(self.program.steps)
            return self.finish()
        finally:
            self.forget()

    def record(self, event: dict[str, Json]) -> None:
        self.thread_state.events.append(event)

    def finish(self) -> Events:
        return self._main.events

    def forget(self) -> None:
        """Release the program's objects.

        Without this, they would live longer: a saved result may form a reference cycle with a hook in its graph, and .NET may refer to this
        session until .NET's garbage collector runs.
        """
        for objects in (self.roots, self.handles, self.hooks, self._main.names):
            objects.clear()
        self._main = ThreadState([])  # a new list, since the caller keeps the list of events
        self.write = values.Writer(self.world, False)

    def entered(self, module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        event: dict[str, Json] = {
            "event": "enter",
            "module": self.path(module),
            "args": [self.write(item) for item in args],
        }
        if kwargs:
            event["kwargs"] = {name: self.write(item) for name, item in kwargs.items()}
        self.record(event)

    def describe_error(self, error: BaseException) -> tuple[str, str]:
        """Return the name and ``key`` of an exception that a step raised, for a ``raise`` event."""
        return describe_error(error)

    def show_warning(self, message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        known = key(str(message))
        if known:
            self.record({"event": "warning", "category": category.__name__, "key": known})

    def path(self, module: Any) -> str:
        """Return the first path of a module, in the order of the roots and of ``named_modules``, or "?" if it is in no root."""
        if module not in self._paths:
            for root, model in self.roots.items():
                for path, found in model.named_modules():
                    self._paths.setdefault(found, ".".join(part for part in (root, path) if part))
        return self._paths.get(module, "?")

    def module(self, path: str) -> Any:
        root, _, rest = path.partition(".") if path.startswith("@") else ("", "", path)
        return self.roots[root].get_submodule(rest)

    def find(self, name: str) -> Any:
        """Return the value of a name: a saved value (``x``), an item of a saved value (``x.0``), a parameter or a buffer (``a.weight``)."""
        first, *items = name.split(".")
        for names in (self.thread_state.names, self._main.names):
            if first in names:
                return reduce(
                    lambda value, item: value[item if isinstance(value, dict) else int(item)], items, names[first]
                )
        path, _, last = name.rpartition(".")
        return getattr(self.module(path), last)

    def save(self, name: str, value: Any) -> None:
        self.thread_state.names[name] = value

    def make(self, value: Json) -> Any:
        return values.make(value, self.world, self.find)

    @property
    def thread_state(self) -> ThreadState:
        """Return the state of this thread. On a thread of autograd, return the state of the thread that waits for the backward pass."""
        return self._current.state or self._backward_state or self._main

    @contextmanager
    def _claim_backward_events(self) -> Iterator[None]:
        """Assign the events on autograd's threads to this thread during its backward pass. Passes of other threads wait for its end.

        Does nothing on the CPU or on the program's main thread.
        """
        state = self._current.state
        if state is None or self.world.device == "cpu":  # on the CPU, autograd runs on the calling thread
            yield
            return
        with self._backward_lock:
            self.set_backward_state(state)
            try:
                yield
            finally:
                self.set_backward_state(None)

    def set_backward_state(self, state: ThreadState | None) -> None:
        """Set the state to which events on autograd's threads belong. None means the main thread's state."""
        self._backward_state = state

    def run(self, steps: Iterable[Mapping[str, Json]]) -> None:
        """Run steps to the end, or to the first step that raises an unexpected exception or does not raise the expected one."""
        with suppress(ProgramEnded):
            self.steps(steps)

    def steps(self, steps: Iterable[Mapping[str, Json]], *, block: bool = False) -> None:
        """Run steps.

        Raises ProgramEnded if a step raises an unexpected exception, or does not raise the expected one. In a ``block``, the unexpected
        exception itself propagates, as from a ``with`` statement.
        """
        for step in steps:
            expected = step.get("raises")
            try:
                getattr(self, f"do_{step['do']}")(step)
            except ProgramEnded:
                raise
            except self.caught as error:
                name, text = self.describe_error(error)
                if block and name != expected:
                    raise
                self.record({"event": "raise", "error": name, "key": text})
                error.__traceback__ = None  # the frames would keep tensors and modules of the failed call alive
                if name != expected:
                    raise ProgramEnded from None
            else:
                if expected is not None:
                    self.record({"event": "raise", "error": "", "key": f"{expected} was expected"})
                    raise ProgramEnded

    def register(self, registration: Mapping[str, Json]) -> None:
        kind, name = registration["kind"], registration["hook"]
        hook = self.hooks.setdefault(name, Hook(self, registration))
        given = {
            option: registration[option]
            for option in ("prepend", "with_kwargs", "always_call")
            if option in registration
        }
        on = registration.get("on", "")
        if registration.get("global"):
            handle = self.world.register(None, kind, hook, given)
        elif kind == "tensor":
            handle = self.find(on).register_hook(hook)
        elif kind == "accumulated":
            handle = self.find(on).register_post_accumulate_grad_hook(hook)
        elif registration.get("by") == "dictionary":
            self.world.registry(self.module(on), kind)[name] = hook
            return
        else:
            handle = self.world.register(self.module(on), kind, hook, given)
        self.handles[registration.get("handle", name)] = handle

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
        self._returned(step, self.world.functional_call(self.module(step.get("module", "")), parameters, args))

    def do_checkpoint(self, step: Mapping[str, Json]) -> None:
        args = [self.make(item) for item in step.get("args", ())]
        self._returned(step, self.world.checkpoint(self.module(step.get("module", "")), args))

    def do_tensor(self, step: Mapping[str, Json]) -> None:
        tensor = self.make(step["value"])
        tensor.requires_grad = step.get("requires_grad", True)
        self.save(step["name"], tensor)

    def do_compute(self, step: Mapping[str, Json]) -> None:
        k, c = self.make(step.get("k", 2)), self.make(step.get("c", 0))
        self.save(step["name"], self.find(step["of"]) * k + c)

    def do_sum(self, step: Mapping[str, Json]) -> None:
        self.save(step["name"], reduce(operator.add, [self.find(name) for name in step["of"]]))

    def do_backward(self, step: Mapping[str, Json]) -> None:
        with self._claim_backward_events():
            self.find(step["of"]).backward(
                self.make(step["gradient"]) if "gradient" in step else None,
                retain_graph=step.get("retain_graph"),
                create_graph=step.get("create_graph", False),
                inputs=[self.find(name) for name in step["inputs"]] if "inputs" in step else None,
            )

    def do_grad(self, step: Mapping[str, Json]) -> None:
        inputs, output = [self.find(name) for name in step["inputs"]], self.find(step["of"])
        if not isinstance(output, self.world.tensor_type):  # autograd.grad would take a tuple as several outputs
            raise TypeError(f"the gradient of a {type(output).__name__}")
        with self._claim_backward_events():
            result = self.world.grad(
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
            value: Any = self.world.is_grad_enabled()
        elif what == "value":
            value = self.find(name)
        elif what == "grad_fn":
            value = self.find(name).grad_fn is not None
        elif what == "device":
            value = self.world.device_of(self.find(name))
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
        with self.world.no_grad():
            self.steps(step["steps"], block=True)

    def do_train(self, step: Mapping[str, Json]) -> None:
        getattr(self.module(step.get("module", "")), step["do"])()

    do_eval = do_train

    def do_methods(self, step: Mapping[str, Json]) -> None:
        self.world.call_hookless_methods(self.module(step.get("module", "")))

    def do_try(self, step: Mapping[str, Json]) -> None:
        self.run(step["steps"])

    def do_with(self, step: Mapping[str, Json]) -> None:
        with self.handles[step["handle"]] as self.handles[step["handle"]]:  # H-5: __enter__ returns the handle
            self.steps(step["steps"], block=True)

    def do_deepcopy(self, step: Mapping[str, Json]) -> None:
        self.roots[f"@{step['as']}"] = copy.deepcopy(self.module(step.get("module", "")))

    def do_copy(self, step: Mapping[str, Json]) -> None:
        self.roots[f"@{step['as']}"] = copy.copy(self.module(step.get("module", "")))

    def do_slice(self, step: Mapping[str, Json]) -> None:
        sequential = self.module(step.get("module", ""))
        self.roots[f"@{step['as']}"] = sequential[step.get("start") : step.get("stop")]

    def do_drop(self, step: Mapping[str, Json]) -> None:
        del self.roots[f"@{step['as']}"]
        gc.collect()

    def do_thread(self, step: Mapping[str, Json]) -> None:
        traces: list[Events] = [[] for _ in range(step.get("count", 1))]
        threads = [threading.Thread(target=self.run_thread, args=(step["steps"], events)) for events in traces]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, events in enumerate(traces):
            self.record({"event": "thread", "number": number, "events": events})

    def run_thread(self, steps: Iterable[Mapping[str, Json]], events: Events) -> None:
        self._current.state = ThreadState(events)
        self.run(steps)

    def do_ids(self, step: Mapping[str, Json]) -> None:
        ids = [self.handles[name].id for name in step["handles"]]
        ranks = [sorted(ids).index(item) for item in ids]
        self.record({"event": "ids", "handles": list(step["handles"]), "ranks": ranks})

    def do_handle_copy(self, step: Mapping[str, Json]) -> None:
        self.handles[step["as"]] = copy.deepcopy(self.handles[step["handle"]])

    def do_rebind(self, step: Mapping[str, Json]) -> None:
        self.world.rebind(step["kind"])

    def do_assign_forward(self, step: Mapping[str, Json]) -> None:
        self.assign("forward", self.module(step.get("module", "")), step)

    def do_assign_call(self, step: Mapping[str, Json]) -> None:
        self.assign("__call__", self.module(step.get("module", "")), step)

    def assign(self, name: str, module: Any, step: Mapping[str, Json]) -> None:
        """Set an instance attribute, ``forward`` or ``__call__``, to a function that returns ``x * k + c`` (C-2, C-4)."""
        weight, bias = self.make(step.get("k", 2)), self.make(step.get("c", 1))

        def forward(x: Any) -> Any:
            self.entered(module, (x,), {})
            return x * weight + bias

        setattr(module, name, forward)
