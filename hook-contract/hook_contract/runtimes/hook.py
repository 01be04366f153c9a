"""The hook of a program: a callable that records an event and runs the hook's actions. Its counterpart in C# is ``ProgramHook.cs``.

Codes such as P-1 are clauses of the contract (docs/contract.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from hook_contract.output.sentences import plural
from hook_contract.program import Json
from hook_contract.runtimes.errors import RAISED
from hook_contract.runtimes.values import plus
from hook_contract.runtimes.world import FIELDS, World

#: The fields of an event that hold several values.
_SEVERAL = frozenset({"args", "grad_input", "grad_output"})


class HookContext(Protocol):
    """The part of :class:`hook_contract.runtimes.interpreter.Session` that hooks use."""

    handles: dict[str, Any]

    @property
    def world(self) -> World: ...

    def record(self, event: dict[str, Json]) -> None: ...

    def path(self, module: Any) -> str: ...

    def module(self, path: str) -> Any: ...

    def make(self, value: Json) -> Any: ...

    def write(self, value: Any) -> Json: ...

    def register(self, registration: Mapping[str, Json]) -> None: ...

    def read(self, step: Mapping[str, Json]) -> None: ...

    def assign(self, name: str, module: Any, step: Mapping[str, Json]) -> None: ...


class Hook:
    """The hook of a registration. It takes exactly the arguments that its kind and ``with_kwargs`` define (P-1, F-1, B-1)."""

    def __init__(self, run: HookContext, registration: Mapping[str, Json]) -> None:
        self.run = run
        self.kind, self.name = registration["kind"], registration["hook"]
        self.actions = registration.get("actions", ())
        self.fields = FIELDS[self.kind]
        if registration.get("with_kwargs"):
            after_args = self.fields.index("args") + 1
            self.fields = (*self.fields[:after_args], "kwargs", *self.fields[after_args:])
        self.calls = [0] * len(self.actions)

    def __deepcopy__(self, memo: dict[int, Any]) -> Hook:
        return self  # like a function: a copied module keeps the hooks of the original

    def __call__(self, *values: Any) -> Any:
        if len(values) != len(self.fields):
            were = "was" if len(values) == 1 else "were"
            raise TypeError(
                f"{self.name}() takes {plural(len(self.fields), 'positional argument')} but {len(values)} {were} given"
            )
        given = dict(zip(self.fields, values, strict=True))
        if self.kind == "accumulated":
            given["grad"] = given["value"].grad
        written = {field: self._to_json(field, value) for field, value in given.items()}
        self.run.record({"event": self.kind, "hook": self.name, **written})
        result = None
        for index, action in enumerate(self.actions):
            if "return" in action:
                result = self.run.make(action["return"])
            elif "add" in action:
                result = self._add(given, action["add"])
            elif "call" in action:
                self.calls[index] += 1
                if self.calls[index] <= action["call"].get("limit", 1):
                    target = self.run.module(action["call"].get("module", ""))
                    target(*(self.run.make(item) for item in action["call"].get("args", ())))
            else:
                self._act(given, action)
        return result

    def _to_json(self, field: str, value: Any) -> Json:
        if field == "module":
            return self.run.path(value)
        if field == "kwargs":
            return {name: self.run.write(item) for name, item in value.items()}
        return [self.run.write(item) for item in value] if field in _SEVERAL else self.run.write(value)

    def _act(self, given: Mapping[str, Any], action: Mapping[str, Json]) -> None:
        """Run an action that does not determine the hook's return value."""
        if "raise" in action:
            raise RAISED[action["raise"]](action.get("message", self.name))
        if "register" in action:
            self.run.register(action["register"])
        elif "remove" in action:
            self.run.handles[action["remove"]].remove()
        elif "kwargs" in action:
            given["kwargs"].update({name: self.run.make(item) for name, item in action["kwargs"].items()})
        elif "add_" in action:
            tensor = given["args"][0] if self.kind == "pre" else self._changeable_value(given)
            if not isinstance(tensor, self.run.world.tensor_type):
                raise TypeError(f"add_ of a {type(tensor).__name__}")
            tensor.add_(action["add_"])
        elif "read" in action:
            self.run.read(action["read"])
        elif "assign_forward" in action:
            target = action["assign_forward"]
            module = self.run.module(target["module"]) if "module" in target else given["module"]
            self.run.assign("forward", module, target)

    def _add(self, given: Mapping[str, Any], n: float) -> Any:
        """Return the result of the action ``add``.

        A pre hook adds ``n`` to the first argument of the call. It returns a single argument as it is, and several as a tuple. A pre hook
        ``with_kwargs`` returns the tuple of arguments and the kwargs. Other hooks add ``n`` to the output
        (:func:`~hook_contract.runtimes.values.plus`) or to each gradient.
        """
        if self.kind == "pre":
            args = given["args"]
            changed = (args[0] + n, *args[1:])
            if "kwargs" in given:
                return changed, given["kwargs"]
            return changed[0] if len(changed) == 1 else changed
        value = self._changeable_value(given)
        if self.kind == "forward":
            return plus(value, n)
        if self.kind in ("tensor", "accumulated"):
            return value + n
        return tuple(None if grad is None else grad + n for grad in value)

    @staticmethod
    def _changeable_value(given: Mapping[str, Any]) -> Any:
        """Return the value that a hook other than a pre hook may change: the output, or the gradients."""
        return next(given[field] for field in ("output", "grad_input", "grad_output", "grad") if field in given)
