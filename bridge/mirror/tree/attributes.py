"""The hyper-parameters of a built-in's mirror, which is an object of PyTorch's own class: Python's object owns them.

What Python writes reaches C# before its next use: a property that C# has gets the value, and where C# does not compute with it, or the
object's class or ``forward`` was changed, the module's calls go to the Python object, whose ``forward`` is PyTorch's own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import torch

from bridge.clr import DotNetRuntime

#: C# computes with these as PyTorch does, with the values for which this is true: the rest PyTorch refuses.
COMPUTED: Final[Mapping[str, Callable[[Any], bool]]] = {
    "p": lambda value: 0 <= value <= 1,
    "inplace": lambda value: isinstance(value, bool),
    "eps": lambda value: value > 0,
    "momentum": lambda value: True,
}

_MISSING: Final = object()
_BASE: Final = frozenset(vars(torch.nn.Module()))
# Recurrent layers keep lists of their own parameters there, and update them whenever one is set; lists of parameters count theirs.
_DERIVED: Final = frozenset(
    {"_flat_weights", "_flat_weights_names", "_flat_weight_refs", "_all_weights", "_size", "_keys"}
)


class Attributes:
    """What C# has of a built-in's attributes.

    ``sources`` are, for attributes, the sign and the name of the property in C# (see ``builtins``), ``properties`` the names of all
    that C# has: others are called as the attributes are. ``tensors`` are its parameters and buffers in C#.
    """

    def __init__(
        self,
        host: DotNetRuntime,
        id: int,
        mirror: torch.nn.Module,
        sources: Mapping[str, tuple[str, str]],
        properties: Collection[str],
        tensors: Collection[str],
    ) -> None:
        self._host, self._id = host, id
        self._class = type(mirror)
        self._made = {name: value for name, value in vars(mirror).items() if name not in _BASE | _DERIVED}
        self._properties = {name: name for name in properties} | {name: source for name, (_, source) in sources.items()}
        self._names = {source: name for name, source in self._properties.items()}
        self._lower = frozenset(name for name, (sign, _) in sources.items() if sign == "#")
        # What C# got last, and what of it C# could not take.
        self._sent = dict(self._made)
        #: Attributes that are lists, whose writes in place have to be noticed.
        self.lists = tuple(_DERIVED & vars(mirror).keys())
        self._order, self._tensors = tuple(tensors), frozenset(tensors)

    def changed(self, mirror: torch.nn.Module, tensors: Sequence[torch.Tensor | None]) -> bool:
        """Whether the module is no longer what C# computes; sends C# what it has as properties."""
        state = vars(mirror)
        changed = type(mirror) is not self._class or torch.overrides.has_torch_function(
            tuple(tensor for tensor in tensors if tensor is not None)
        )
        present = frozenset(
            name for name, value in chain(mirror._parameters.items(), mirror._buffers.items()) if value is not None
        )
        # C# has neither a bias that it was made without nor another place for a weight that is gone.
        changed |= present != self._tensors
        changed |= any(name not in self._made and hasattr(self._class, name) for name in state.keys() - _BASE)
        # The padding by name of a mode other than zeros is a list, which nobody reports and torch.compile takes as it is.
        changed |= type(state.get("_reversed_padding_repeated_twice")) is list and state.get("padding_mode") != "zeros"
        if isinstance(mirror, torch.nn.RNNBase):
            changed |= not self._flat(state, tensors)
        for name in self._made:
            now = state.get(name, _MISSING)
            if not _same(now, self._sent[name]):
                source = self._properties.get(name)
                taken = source is not None and self._host.exports.set_property(self._id, source, now)
                self._sent[name] = now
                if taken and name in COMPUTED and COMPUTED[name](now):
                    self._made[name] = now
                    continue
            changed |= not _same(now, self._made[name])
        return changed

    def _flat(self, state: Mapping[str, Any], tensors: Sequence[torch.Tensor | None]) -> bool:
        """Whether the lists with which a recurrent layer of PyTorch's computes have its parameters."""
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
        """C# set a property: its attribute gets the value."""
        name = self._names.get(name, name)
        if name not in self._made:
            return
        made = self._made[name]
        if name in self._lower and isinstance(value, str):
            value = value.lower()
        if isinstance(value, tuple) and len(set(value)) == 1 and not isinstance(made, tuple):
            value = value[0]
        self._made[name] = self._sent[name] = value
        setattr(mirror, name, value)


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    return type(one) is type(other) and isinstance(one, (int, float, str, tuple, list)) and bool(one == other)
