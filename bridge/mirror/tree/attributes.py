"""The hyper-parameters of built-in modules, which in Python are instances of PyTorch's own classes.

An attribute that Python has changed is sent to C# before C# uses the module again. If C# cannot compute with the new value, or the class
or ``forward`` of the instance was changed, Python runs the module's calls.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import torch

from bridge.clr import DotNetRuntime

#: The attributes whose changed values C# can use, each with a test of the value. If the test fails, Python runs the calls.
CHANGEABLE: Final[Mapping[str, Callable[[Any], bool]]] = {
    "p": lambda value: 0 <= value <= 1,
    "inplace": lambda value: isinstance(value, bool),
    "eps": lambda value: value > 0,
    "momentum": lambda value: True,
}

_MISSING: Final = object()
#: The attributes that every module has.
_MODULE_ATTRIBUTES: Final = frozenset(vars(torch.nn.Module()))
# Attributes that PyTorch derives from parameters: the lists of recurrent layers, and the size and keys of parameter collections.
_DERIVED: Final = frozenset(
    {"_flat_weights", "_flat_weights_names", "_flat_weight_refs", "_all_weights", "_size", "_keys"}
)


class Attributes:
    """The attributes of a built-in module, and the C# properties that correspond to them.

    Args:
        runtime: The .NET runtime.
        id: The module id.
        mirror: The module in Python.
        sources: For each attribute, a sign that tells how to convert its value (``#`` for an enumeration), and the name of the C# property
            that has the value. Both are from the module's row in ``builtins.ROWS``.
        properties: The names of all properties of the C# module.
        tensors: The names of the parameters and buffers in C#.
    """

    def __init__(
        self,
        runtime: DotNetRuntime,
        id: int,
        mirror: torch.nn.Module,
        sources: Mapping[str, tuple[str, str]],
        properties: Collection[str],
        tensors: Collection[str],
    ) -> None:
        self._runtime, self._id = runtime, id
        self._class = type(mirror)
        # The values with which C# computes, by attribute.
        self._computed = {
            name: value for name, value in vars(mirror).items() if name not in _MODULE_ATTRIBUTES | _DERIVED
        }
        self._properties = {name: name for name in properties} | {name: source for name, (_, source) in sources.items()}
        self._names = {source: name for name, source in self._properties.items()}
        # The attributes that are enumerations in C# and strings in lower case in PyTorch.
        self._enumerations = frozenset(name for name, (sign, _) in sources.items() if sign == "#")
        # The values that were last sent to C#, including those that C# did not accept.
        self._sent = dict(self._computed)
        #: The names of the derived attributes that the mirror has. In-place writes to the lists among them must be tracked.
        self.lists = tuple(_DERIVED & vars(mirror).keys())
        self._order, self._tensors = tuple(tensors), frozenset(tensors)

    def send_changes(self, mirror: torch.nn.Module, tensors: Sequence[torch.Tensor | None]) -> bool:
        """Send C# the changed attributes, and return whether C# would compute another result than PyTorch's ``forward``.

        ``tensors`` are the module's current parameters and buffers.
        """
        state = vars(mirror)
        changed = type(mirror) is not self._class or torch.overrides.has_torch_function(
            tuple(tensor for tensor in tensors if tensor is not None)
        )
        present = frozenset(
            name for name, value in chain(mirror._parameters.items(), mirror._buffers.items()) if value is not None
        )
        # C# cannot add a bias to a module that was constructed without one, or remove a weight.
        changed |= present != self._tensors
        changed |= any(
            name not in self._computed and hasattr(self._class, name) for name in state.keys() - _MODULE_ATTRIBUTES
        )
        # If ``padding`` is a string and the padding mode is not zeros, a convolution reads this list. Writes to the list are not tracked.
        changed |= type(state.get("_reversed_padding_repeated_twice")) is list and state.get("padding_mode") != "zeros"
        if isinstance(mirror, torch.nn.RNNBase):
            changed |= not self._has_own_weights(state, tensors)
        for name in self._computed:
            value = state.get(name, _MISSING)
            if not _is_equal(value, self._sent[name]):
                source = self._properties.get(name)
                taken = source is not None and self._runtime.exports.set_property(self._id, source, value)
                self._sent[name] = value
                if taken and name in CHANGEABLE and CHANGEABLE[name](value):
                    self._computed[name] = value
                    continue
            changed |= not _is_equal(value, self._computed[name])
        return changed

    def _has_own_weights(self, state: Mapping[str, Any], tensors: Sequence[torch.Tensor | None]) -> bool:
        """Return whether the lists from which PyTorch's recurrent layer reads its weights hold the layer's current parameters."""
        flat, names, references = (
            state.get(name, ()) for name in ("_flat_weights", "_flat_weights_names", "_flat_weight_refs")
        )
        return (
            len(flat) == len(names) == len(references) == len(tensors)
            and tuple(names) == self._order
            and all(map(operator.is_, flat, tensors))
            and all(
                reference is not None and reference() is tensor
                for reference, tensor in zip(references, tensors, strict=True)
            )
        )

    def set(self, mirror: torch.nn.Module, name: str, value: Any) -> None:
        """Set the attribute, if there is one, that corresponds to a property that C# has changed."""
        name = self._names.get(name, name)
        if name not in self._computed:
            return
        previous = self._computed[name]
        if name in self._enumerations and isinstance(value, str):
            value = value.lower()
        if isinstance(value, tuple) and len(set(value)) == 1 and not isinstance(previous, tuple):
            value = value[0]
        self._computed[name] = self._sent[name] = value
        setattr(mirror, name, value)


def _is_equal(value: Any, other: Any) -> bool:
    if value is other:
        return True
    return type(value) is type(other) and isinstance(value, (int, float, str, tuple, list)) and bool(value == other)
