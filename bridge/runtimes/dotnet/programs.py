"""C# modules of Bridge.Torch as a runtime of hook programs, with hooks in Python, in C#, or in both.

In Python, each C# module is represented by a *mirror*, a ``torch.nn.Module``. A variant such as ``typed/csharp`` names two things:

- The modules' arguments: ``typed`` (tensors) or ``object`` (values of any type). ``typed`` is left out if C#'s types do not allow the
  program's tree.
- The language of the hooks:

  - ``python``: all hooks are in Python.
  - ``csharp``: every hook that C# can register is in C#.
  - ``mixed``: every second hook that C# can register is in C#.
  - ``alone``: the program runs in C# without Python (:mod:`bridge.runtimes.dotnet.csharp_only`).

``csharp`` is left out if C# can register none of the hooks, ``mixed`` if C# can register fewer than two.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from bridge import tensors
from bridge.clr import DotNetError, DotNetFailure, DotNetInterrupt, start
from bridge.clr.call.conformance import library, mirrored_run
from bridge.loading import load
from bridge.mirror import link_of
from bridge.mirror.hooks import module_handles
from bridge.mirror.loading import dotnet_runtime
from hook_contract.program import Json, Program
from bridge.runtimes.dotnet import csharp_only, csharp_registration
from bridge.runtimes.errors import UnsupportedTreeError
from hook_contract.runtimes.errors import RAISED
from hook_contract.runtimes.interpreter import Session, ThreadState
from bridge.runtimes.pytorch.world import TorchWorld
from hook_contract.runtimes.runtime import Events, Runtime
from hook_contract.runtimes.world import ProgramRun

_FACTORY = {
    "typed": "Bridge.Conformance.Mirrored.MirroredRun.Typed",
    "object": "Bridge.Conformance.Mirrored.MirroredRun.OverObject",
}
_MODULES = "Bridge.Conformance.Modules."
#: The C# exception that stands for a Python exception raised in :meth:`MirrorSession._run_action`. The C# message is the number of the
#: Python exception in ``MirrorSession._raised``, counted from 1.
_REQUEST_FAILED = "Bridge.Conformance.Mirrored.RequestFailedException"
_REQUEST_FAILED_TEXT = re.compile(re.escape(_REQUEST_FAILED) + r"[^:]*: (\d+)")


class MirrorWorld(TorchWorld):
    """The module library whose modules are mirrors. The C# method ``_FACTORY[form]`` builds the modules."""

    def __init__(self, form: str, device: str) -> None:
        super().__init__(device)
        self._form = form

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> torch.nn.Module:
        """Build the modules of a tree. Raises UnsupportedTreeError if C#'s types do not allow the tree."""
        try:
            return load(library(), _FACTORY[self._form], json.dumps(tree))
        except DotNetError as error:
            if error.dotnet_type == "System.NotSupportedException":
                raise UnsupportedTreeError from error
            raise


class MirrorSession(Session):
    """A run of a program whose modules are mirrors. The hooks ``in_csharp`` are in C# if C# can register them.

    C# records events in a buffer. Before Python records an event, it reads the buffered events, so that the events stay in order.
    """

    caught = (*Session.caught, DotNetInterrupt)

    def __init__(self, program: Program, world: TorchWorld, in_csharp: Iterable[str], typed: bool) -> None:
        super().__init__(program, world)
        self._numbering_writer = self.write if program.identity else None
        if program.identity:
            self.write = self._write_numbered
        self._in_csharp = frozenset(in_csharp)
        self._typed = typed and csharp_registration.can_be_typed(program)
        self._raised: list[BaseException] = []
        # Paths by module number, cached since a module may be freed before Python reads the events of the module's backward hooks.
        self._module_paths: dict[int, str] = {}
        self._host = dotnet_runtime()
        self._csharp = mirrored_run()(str(world.torch_device), program.identity, self._run_action)

    def record(self, event: dict[str, Json]) -> None:
        self._take_events()
        super().record(event)

    def finish(self) -> Events:
        self._take_events()
        return super().finish()

    def do_drop(self, step: Mapping[str, Json]) -> None:
        self._take_events()
        super().do_drop(step)

    def run_thread(self, steps: Iterable[Mapping[str, Json]], events: Events) -> None:
        self._csharp.OpenThread()
        try:
            super().run_thread(steps, events)
            self._take_events()
        finally:
            self._csharp.CloseThread()

    def set_backward_state(self, state: ThreadState | None) -> None:
        super().set_backward_state(state)
        self._csharp.SetWaitingForBackward(state is not None)

    def close(self) -> None:
        self._csharp.End()

    def describe_error(self, error: BaseException) -> tuple[str, str]:
        if not isinstance(error, DotNetFailure):
            return super().describe_error(error)
        if error.dotnet_type == _REQUEST_FAILED:
            return super().describe_error(self._raised[int(error.dotnet_message) - 1])
        name = error.dotnet_type.removeprefix(_MODULES)
        if name in RAISED:
            return name, error.dotnet_message
        kind = next((kind for kind in (TypeError, RecursionError, IndexError) if isinstance(error, kind)), RuntimeError)
        return kind.__name__, super().describe_error(error)[1]

    def show_warning(self, message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        """Record a warning. Where the text names a RequestFailedException and a number, put the Python exception's message instead."""
        text = _REQUEST_FAILED_TEXT.sub(lambda found: str(self._raised[int(found[1]) - 1]), str(message))
        super().show_warning(text, category, *rest, **more)

    def register(self, registration: Mapping[str, Json]) -> None:
        prepared = self._prepare(registration) if registration["hook"] in self._in_csharp else None
        if prepared is None:
            super().register(registration)
            return
        target, fields = prepared
        name = registration.get("handle", registration["hook"])
        self.handles[name] = csharp_registration.register(self._host, self._csharp, target, fields)

    do_register = register

    def _prepare(self, registration: Mapping[str, Json]) -> tuple[Any, dict[str, Json]] | None:
        """Return the target of a registration (None for a global hook), and the registration for C#.

        Returns None instead of this pair if C# cannot register the hook: an action calls a module that C# cannot call, or the hook is on a
        value that is not a tensor.
        """
        actions = []
        for action in registration.get("actions", ()):
            if "call" in action:
                target = self.module(action["call"].get("module", ""))
                if not _is_callable(target):
                    return None
                action = {"call": {**action["call"], "module": module_handles.handle_of(self._host, target)}}
            actions.append(action)
        fields = {**registration, "actions": actions}
        if registration.get("global"):
            return None, fields
        if registration["kind"] in ("tensor", "accumulated"):
            tensor = self.find(registration["on"])
            return (tensor, fields) if isinstance(tensor, torch.Tensor) else None
        module = self.module(registration.get("on", ""))
        return module, {**fields, "typed": self._typed and _is_callable(module) and not registration.get("with_kwargs")}

    def _run_action(self, text: str) -> int:
        """Run an action for a C# hook. If it raises, returns the exception's number in ``_raised``, counted from 1; otherwise 0."""
        try:
            ((word, content),) = json.loads(text).items()
            if word == "register":
                self.register(content)
            elif word == "read":
                self.read(content)
            else:
                self.handles[content].remove()
        except BaseException as error:
            self._raised.append(error)
            return len(self._raised)
        return 0

    def _write_numbered(self, value: Any) -> Json:
        """Convert a value to JSON. Reads C#'s events first, since tensors are numbered in the order of the events."""
        assert self._numbering_writer is not None
        self._take_events()
        return self._numbering_writer(value)

    def _take_events(self) -> None:
        text = self._csharp.Take()
        if text is None:
            return
        for event in json.loads(text):
            if "module" in event:
                event["module"] = self._module_path(event["module"])
            if self._numbering_writer is not None:
                event = {key: self._replace_handles(value) for key, value in event.items()}
            super().record(event)

    def _module_path(self, number: int) -> str:
        if number not in self._module_paths:
            self._module_paths[number] = self.path(module_handles.module_of(number))
        return self._module_paths[number]

    def _replace_handles(self, value: Json) -> Json:
        """Replace the tensor handles in a value from C# by the numbers of the tensor objects."""
        if isinstance(value, list):
            return [self._replace_handles(item) for item in value]
        if isinstance(value, dict):
            if value.keys() == {"value", "id"}:
                assert self._numbering_writer is not None
                return {**value, "id": self._numbering_writer(tensors.take(value["id"]))["id"]}
            return {key: self._replace_handles(item) for key, item in value.items()}
        return value


def _is_callable(module: torch.nn.Module) -> bool:
    """Return whether C# can call a module. It cannot call a ModuleList, or a module that is no mirror, such as a Sequential's slice."""
    link = link_of(module)
    return link is not None and link.arguments is not None


class DotNet:
    """The runtime ``dotnet``: C# modules of Bridge.Torch, called by Python or by C#."""

    name = "dotnet"
    variants: tuple[str, ...] = tuple(
        f"{form}/{how}" for form in ("typed", "object") for how in ("python", "csharp", "mixed", "alone")
    )
    lacks: Mapping[str, str] = {
        "node:attention": "the C# interpreter of programs has no module with attention",
        "node:encoder": "the C# interpreter of programs has no module with attention",
    }

    @property
    def devices(self) -> tuple[str, ...]:
        return ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)

    def version(self) -> str:
        return f".NET {start().version}, PyTorch {torch.__version__}, Python {platform.python_version()}"

    def run(self, program: Program, device: str = "cpu") -> Mapping[str, Events]:
        hooks = csharp_registration.registrable_hooks(program)
        languages: dict[str, tuple[str, ...]] = {"python": ()}
        if hooks:
            languages["csharp"] = hooks
        if len(hooks) > 1:
            languages["mixed"] = hooks[1::2]
        traces: dict[str, Events] = {}
        for form in _FACTORY:
            for language, in_csharp in languages.items():
                try:
                    # In the variant "mixed", C# registers hooks by the methods of the untyped base class.
                    typed = language == "csharp"
                    traces[f"{form}/{language}"] = self._trace(program, device, form, in_csharp, typed)
                except UnsupportedTreeError:
                    break
        return {**traces, **csharp_only.traces(program, device)}

    def _trace(
        self, program: Program, device: str, form: str, in_csharp: tuple[str, ...], typed: bool = True
    ) -> Events:
        session = MirrorSession(program, MirrorWorld(form, device), in_csharp, typed)
        try:
            return session.trace()
        finally:
            session.close()


RUNTIME: Runtime = DotNet()
