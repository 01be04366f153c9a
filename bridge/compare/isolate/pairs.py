"""The compared pairs: a PyTorch model and its C# port, and a recorded PyTorch call and the C# counterpart of the called module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import torch

from bridge.compare.isolate.matching import ArgumentBinder, result_for
from bridge.compare.isolate.module_finding import ModuleFinding
from bridge.compare.isolate.operators import OperatorRecorder
from bridge.compare.isolate.record import RecordedCall
from bridge.compare.isolate.replay import Arguments, ChildCall, ModulePaths, Outcome, replay
from bridge.compare.isolate.source_location import CSharpLocator, locate_python
from bridge.compare.isolate.value_comparison import NEAR, Tolerances, are_near, compare_values
from bridge.compare.models.settings import Setting
from bridge.mirror import linked
from bridge.runtimes.recording import paths

#: Represents an exception in the sets of :meth:`CallPair.find_differences`.
RAISED: Final = -1


@dataclass(frozen=True, eq=False)
class ModelPair:
    """A PyTorch model and its C# port; ``names`` are the names of the two runtimes, ``settings`` the settings that differ."""

    python: torch.nn.Module
    dotnet: torch.nn.Module
    names: tuple[str, str]
    settings: Sequence[Setting]
    tolerances: Tolerances
    binder: ArgumentBinder = field(default_factory=ArgumentBinder)

    @cached_property
    def python_paths(self) -> ModulePaths:
        """Return the path of each PyTorch module, in a tuple."""
        return {module: (path,) for module, path in paths({"": self.python}).items()}

    @cached_property
    def dotnet_paths(self) -> ModulePaths:
        """Return, for each C# module, the paths at which the calls of its PyTorch counterparts are recorded.

        A C# path that PyTorch lacks is returned unchanged.
        """
        found: dict[torch.nn.Module, list[str]] = {}
        for path, module in self.dotnet.named_modules(remove_duplicate=False):
            recorded = self._recorded_path(path)
            found.setdefault(module, []).append(path if recorded is None else recorded)
        return {module: tuple(dict.fromkeys(names)) for module, names in found.items()}

    @cached_property
    def counterparts(self) -> dict[str, torch.nn.Module]:
        """Return the C# modules by the paths at which the calls of their PyTorch counterparts are recorded."""
        found: dict[str, torch.nn.Module] = {}
        for path, module in self.dotnet.named_modules(remove_duplicate=False):
            if (recorded := self._recorded_path(path)) is not None:
                found.setdefault(recorded, module)
        return found

    @cached_property
    def _originals(self) -> dict[str, torch.nn.Module]:
        return dict(self.python.named_modules(remove_duplicate=False))

    def _recorded_path(self, path: str) -> str | None:
        """Return the path at which the calls of the PyTorch module at ``path`` are recorded; None if there is no such module.

        A module with several paths is recorded under its first path.
        """
        return self.python_paths[self._originals[path]][0] if path in self._originals else None


@dataclass(frozen=True, slots=True, eq=False)
class Recordings:
    """The operators and the outcomes of a replay in PyTorch and of a replay in C#."""

    left: OperatorRecorder
    right: OperatorRecorder
    python: Outcome
    dotnet: Outcome


@dataclass(frozen=True, eq=False)
class CallPair:
    """A recorded PyTorch call and the C# counterpart of the called module."""

    models: ModelPair
    call: RecordedCall
    dotnet: torch.nn.Module
    #: The arguments of the call as the C# module takes them.
    arguments: Arguments
    #: The outcome of the first replay of the C# module.
    outcome: Outcome = field(default_factory=Outcome)

    @property
    def names(self) -> tuple[str, str]:
        return self.models.names

    def replay_python(self, **options: Any) -> Outcome:
        """Replay the PyTorch module, with the options of :func:`.replay.replay`."""
        recorded = (self.call.args, self.call.kwargs)
        return replay(self.call.module, self.call, recorded, self.models.python_paths, **options)

    def replay_dotnet(self, **options: Any) -> Outcome:
        """Replay the C# module, with the options of :func:`.replay.replay`."""
        return replay(self.dotnet, self.call, self.arguments, self.models.dotnet_paths, **options)

    @cached_property
    def recordings(self) -> Recordings:
        """Replay both sides, and return their operators and outcomes."""
        left, right = OperatorRecorder(locate_python), OperatorRecorder(CSharpLocator(linked(self.dotnet).runtime))
        return Recordings(left, right, self.replay_python(listener=left), self.replay_dotnet(listener=right))

    def finding(self, kind: str, text: str, **options: Any) -> ModuleFinding:
        options.setdefault("number", self.call.number)
        return ModuleFinding(self.call.path, type(self.call.module).__name__, kind, text, **options)

    def bind(self, recorded: RecordedCall, child: ChildCall) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the arguments of a recorded call and of the C# child's call, both in the same order."""
        return self.models.binder.bind_both(recorded, child.module, child.args, child.kwargs)

    def has_arguments(self, child: ChildCall, recorded: RecordedCall) -> bool:
        """Return whether C# calls a child with the arguments of a recorded call, within tolerances; False for a call without arguments."""
        left, right = self.bind(recorded, child)
        return bool(left) and compare_values(left, right, self.names, *self.models.tolerances(recorded.path)) is None

    def find_differences(
        self,
        outcome: Outcome,
        near: float = NEAR,
        adjust: Callable[[Any, Any], Any] = lambda value, _: value,
        python: Outcome | None = None,
    ) -> frozenset[int | None]:
        """Return the set of the differences between ``outcome`` and the recorded call.

        The set has the numbers of the recorded calls directly inside this call that C# makes with other arguments. If C# raised, the set
        also has :data:`RAISED`. Otherwise, if the result differs, the set also has the element None.

        ``near`` is as in :func:`.value_comparison.is_near`. ``adjust(value, wanted)`` changes a C# value before it is compared with
        ``wanted``, PyTorch's value. ``python`` is a replay of PyTorch to compare with instead of the recorded call.
        """
        call = self.call
        children = {child.number: child for child in call.children}
        if python is not None:
            call = replace(call, result=python.result)
            for child in python.child_calls:
                if child.recorded is not None:
                    children[child.recorded.number] = replace(child.recorded, args=child.args, kwargs=child.kwargs)
        found: set[int | None] = set()
        for child in outcome.child_calls:
            if child.recorded is not None and child.direct:
                left, right = self.bind(children[child.recorded.number], child)
                if not are_near(left, adjust(right, left), near):
                    found.add(child.recorded.number)
        if outcome.raised is not None:
            return frozenset((*found, RAISED))
        result = result_for(self.dotnet, call)
        if not are_near(result, adjust(outcome.result, result), near):
            found.add(None)
        return frozenset(found)
