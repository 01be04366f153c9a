"""Bridge.Torch behind mirrors as a runtime of hook programs: the modules are C#'s, the hooks Python's, C#'s, or of both.

A program is run in variants: its modules with types (``typed``) and over ``object``, its hooks all in Python, in C# as far as C# can
have them, and every second of those in C# (``mixed``), and ``alone``: no mirror and no Python. A variant that would equal
an earlier one is left out, and so is ``typed`` when types forbid the tree (F-2), and ``alone`` when C# lacks a word.
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
from bridge.clr.call.conformance import library, runs
from bridge.mirror import link_of, load
from bridge.mirror.hooks import module_handles
from bridge.mirror.loading import runtime
from bridge.program import Json, Program
from bridge.runtimes.dotnet import csharp_only, csharp_registration
from bridge.runtimes.interpreter import ThreadState, Session
from bridge.runtimes.pytorch.world import TorchWorld
from bridge.runtimes.errors import RAISED, UnsupportedTreeError
from bridge.runtimes.runtime import Events, Runtime
from bridge.runtimes.world import ProgramRun

_FACTORY = {
    "typed": "Bridge.Conformance.Mirrored.MirroredRun.Typed",
    "object": "Bridge.Conformance.Mirrored.MirroredRun.OverObject",
}
_MODULES = "Bridge.Conformance.Modules."
_ASKED = "Bridge.Conformance.Mirrored.RequestFailedException"
_NUMBERED = re.compile(re.escape(_ASKED) + r"[^:]*: (\d+)")


class MirrorWorld(TorchWorld):
    """Modules of Bridge.Torch behind mirrors, in one of the forms of :data:`_FACTORY`."""

    def __init__(self, form: str, device: str) -> None:
        super().__init__(device)
        self._form = form

    def build(self, run: ProgramRun, tree: Mapping[str, Json]) -> torch.nn.Module:
        """Raises UnsupportedTreeError where types forbid the tree."""
        try:
            return load(library(), _FACTORY[self._form], json.dumps(tree))
        except DotNetError as error:
            if error.dotnet_type == "System.NotSupportedException":
                raise UnsupportedTreeError from error
            raise


class MirrorSession(Session):
    """A session whose modules are mirrors: what C# records comes first, and the hooks that are named are C#'s."""

    caught = (*Session.caught, DotNetInterrupt)

    def __init__(self, program: Program, world: TorchWorld, in_csharp: Iterable[str], typed: bool) -> None:
        super().__init__(program, world)
        self._identity = self.write if program.identity else None
        if program.identity:
            self.write = self._written
        self._in_csharp = frozenset(in_csharp)
        self._typed = typed and csharp_registration.typed(program)
        self._kept: list[BaseException] = []
        # Of modules by number: what ran in a backward may be gone when its events are taken.
        self._places: dict[int, str] = {}
        self._host = runtime()
        self._csharp = runs()(str(world.place), program.identity, self._asked)

    def record(self, event: dict[str, Json]) -> None:
        self._take()
        super().record(event)

    def finish(self) -> Events:
        self._take()
        return super().finish()

    def do_drop(self, step: Mapping[str, Json]) -> None:
        self._take()
        super().do_drop(step)

    def run_thread(self, steps: Iterable[Mapping[str, Json]], events: Events) -> None:
        self._csharp.OpenThread()
        try:
            super().run_thread(steps, events)
            self._take()
        finally:
            self._csharp.CloseThread()

    def behind(self, part: ThreadState | None) -> None:
        super().behind(part)
        self._csharp.SetWaitingForBackward(part is not None)

    def close(self) -> None:
        """C# forgets the run."""
        self._csharp.End()

    def describe_error(self, error: BaseException) -> tuple[str, str]:
        if not isinstance(error, DotNetFailure):
            return super().describe_error(error)
        if error.dotnet_type == _ASKED:
            return super().describe_error(self._kept[int(error.dotnet_message) - 1])
        name = error.dotnet_type.removeprefix(_MODULES)
        if name in RAISED:
            return name, error.dotnet_message
        kind = next((kind for kind in (TypeError, RecursionError, IndexError) if isinstance(error, kind)), RuntimeError)
        return kind.__name__, super().describe_error(error)[1]

    def warned(self, message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        """The text of an exception that was silenced (A-6) is part of PyTorch's: C#'s has the number of the one that was kept."""
        text = _NUMBERED.sub(lambda found: str(self._kept[int(found[1]) - 1]), str(message))
        super().warned(text, category, *rest, **more)

    def register(self, registration: Mapping[str, Json]) -> None:
        prepared = self._prepared(registration) if registration["hook"] in self._in_csharp else None
        if prepared is None:
            super().register(registration)
            return
        target, fields = prepared
        name = registration.get("handle", registration["hook"])
        self.handles[name] = csharp_registration.register(self._host, self._csharp, target, fields)

    do_register = register

    def _prepared(self, registration: Mapping[str, Json]) -> tuple[Any, dict[str, Json]] | None:
        """What the hook is registered on, and the registration with module ids instead of paths; None if it calls what C# cannot."""
        actions = []
        for action in registration.get("actions", ()):
            if "call" in action:
                target = self.module(action["call"].get("module", ""))
                if not _callable(target):
                    return None
                action = {"call": {**action["call"], "module": module_handles.number(self._host, target)}}
            actions.append(action)
        fields = {**registration, "actions": actions}
        if registration.get("global"):
            return None, fields
        if registration["kind"] in ("tensor", "accumulated"):
            tensor = self.find(registration["on"])
            return (tensor, fields) if isinstance(tensor, torch.Tensor) else None
        module = self.module(registration.get("on", ""))
        return module, {**fields, "typed": self._typed and _callable(module) and not registration.get("with_kwargs")}

    def _asked(self, text: str) -> int:
        """What C# cannot do itself. The exception is kept, since C# can only pass its number."""
        try:
            ((word, content),) = json.loads(text).items()
            if word == "register":
                self.register(content)
            elif word == "read":
                self.read(content)
            else:
                self.handles[content].remove()
        except BaseException as error:
            self._kept.append(error)
            return len(self._kept)
        return 0

    def _written(self, value: Any) -> Json:
        """The numbers of tensors' objects are given in the order of the events: C#'s come first."""
        assert self._identity is not None
        self._take()
        return self._identity(value)

    def _take(self) -> None:
        """Records what C# has recorded on this thread."""
        text = self._csharp.Take()
        if text is None:
            return
        for event in json.loads(text):
            if "module" in event:
                event["module"] = self._place(event["module"])
            if self._identity is not None:
                event = {key: self._identified(value) for key, value in event.items()}
            super().record(event)

    def _place(self, number: int) -> str:
        """The path of the module of a number: the one it was first found at, as :meth:`path` says it of a module that lives."""
        if number not in self._places:
            self._places[number] = self.path(module_handles.module(number))
        return self._places[number]

    def _identified(self, value: Json) -> Json:
        """A value from C# with the numbers of its tensors' objects in place of their handles."""
        if isinstance(value, list):
            return [self._identified(item) for item in value]
        if isinstance(value, dict):
            if value.keys() == {"value", "id"}:
                assert self._identity is not None
                return {**value, "id": self._identity(tensors.take(value["id"]))["id"]}
            return {key: self._identified(item) for key, item in value.items()}
        return value


def _callable(module: torch.nn.Module) -> bool:
    """C# can call it; it can neither call a list of modules nor a module of PyTorch's own, such as a slice."""
    link = link_of(module)
    return link is not None and link.arguments is not None


class DotNet:
    """C# modules of Bridge.Torch, mirrored in Python, under PyTorch's dispatcher."""

    name = "dotnet"
    variants: tuple[str, ...] = tuple(
        f"{form}/{how}" for form in ("typed", "object") for how in ("python", "csharp", "mixed", "alone")
    )
    lacks: Mapping[str, str] = {
        "node:attention": "the C# interpreter has no module with attention",
        "node:encoder": "the C# interpreter has no module with attention",
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
                    # Half of them are registered through the base class, which knows no types.
                    typed = language == "csharp"
                    traces[f"{form}/{language}"] = self._trace(program, device, form, in_csharp, typed)
                except UnsupportedTreeError:
                    break
        return {**traces, **csharp_only.traces(program, device)}

    def _trace(self, program: Program, device: str, form: str, in_csharp: tuple[str, ...], typed: bool = True) -> Events:
        session = MirrorSession(program, MirrorWorld(form, device), in_csharp, typed)
        try:
            return session.trace()
        finally:
            session.close()


RUNTIME: Runtime = DotNet()
