"""The fields of a class, from its live instances: children, parameters, buffers and settings, and the statements that make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import nn

from bridge.port.errors import Unwritable
from bridge.port.frontend.classes.instances import ENTRIES, FUNCTION, Instances, function, literal
from bridge.port.ir.nodes import (
    Argument,
    Assign,
    BuiltinCall,
    Conditional,
    Construct,
    Expression,
    Field,
    FieldDefinition,
    Literal,
    Modules,
    PlaceTarget,
    RegisterBuffer,
    Statement,
    TorchCall,
    TupleLiteral,
)
from bridge.port.ir.types import NONE, SIZES, TENSOR, ModulesOf, Type, optional

#: The most elements that a tensor written as a literal may have.
_FEW: Final = 64


class Fields:
    """Fields and the statements of the constructor that make them, in order.

    ``later`` are the statements that follow the registration of all parts; ``lacking`` gives the reason why an attribute has no field.
    """

    def __init__(self, name: str, instances: Instances) -> None:
        self._class = name
        self._instances = instances
        self._every = instances.instances
        self.definitions: dict[str, FieldDefinition] = {}
        self.statements: list[Statement] = []
        self.later: list[Statement] = []
        self.lacking: dict[str, str] = {}

    def define(self, name: str, found: Type, role: str, value: Expression | None = None) -> Field:
        """Add a field, and the statement that sets it to ``value`` unless that is None."""
        self.definitions[name] = FieldDefinition(name, found, role)
        place = Field(name, type=found)
        if value is not None:
            self.statements.append(Assign(PlaceTarget(place), value))
        return place

    def add_entries(self, whole: bool) -> None:
        """Add the children of a class that is a list or dictionary of them, each registered by its name.

        The constructor takes any number of them as an argument; for the ``whole`` model, it makes them itself.
        """
        made = self._instances.made_entries() if whole else self._instances.entries()
        self.define(ENTRIES, made.type, "entries", made if whole else BuiltinCall("list", (made,), type=made.type))

    def add_children(self) -> None:
        """Add the children of the class. Raises Unwritable."""
        for name in {name: None for one in self._every for name in one._modules}:
            modules = [one._modules.get(name) for one in self._every]
            if any(module is not None for module in modules):
                made = self._parameters_of(modules, name) or self._instances.module(modules, name)
                place = self.define(name, made.type, "module", made)
                if None not in modules:
                    self._instances.children.setdefault(tuple(modules), place)

    def add_parameters(self) -> None:
        """Add the parameters of the class itself. Raises Unwritable."""
        for name in {name: None for one in self._every for name in one._parameters}:
            tensors = [one._parameters.get(name) for one in self._every]
            if all(tensor is None for tensor in tensors):
                continue
            made = self._where_present(tensors, name, self._parameter(tensors, name))
            self.define(name, made.type, "parameter", made)

    def add_buffers(self, without: frozenset[str] = frozenset()) -> None:
        """Add the buffers that the constructor does not compute. Raises Unwritable."""
        for name in {name: None for one in self._every for name in one._buffers}:
            if name not in without:
                self._add_buffer(name, [one._buffers.get(name) for one in self._every])

    def _add_buffer(self, name: str, tensors: Sequence[torch.Tensor | None]) -> None:
        if all(tensor is None for tensor in tensors):
            return
        kept = name not in self._every[0]._non_persistent_buffers_set
        value = self._filled(tensors, name) if kept else self._spelled(name, tensors)
        if value is not None:
            made = self._where_present(tensors, name, value)
            self.define(name, made.type, "buffer")
            self.statements.append(RegisterBuffer(name, made, kept))

    def _where_present(self, tensors: Sequence[torch.Tensor | None], name: str, made: Expression) -> Expression:
        """Return ``made``, or null in the instances that have no such tensor."""
        if all(tensor is not None for tensor in tensors):
            return made
        there = self._instances.value([tensor is not None for tensor in tensors], f"has_{name}")
        return Conditional(there, made, Literal(None, type=NONE), type=optional(TENSOR))

    def _spelled(self, name: str, tensors: Sequence[torch.Tensor | None]) -> Expression | None:
        """Return the expression of a small tensor that all instances have; for another tensor, note the reason and return None."""
        made = self.spelled(tensors)
        if made is None and any(_is_filled(tensors, value) for value in (0, 1)):
            return self._filled(tensors, name)
        if made is None:
            why = self.lacking.get(name, "no line that runs when the model is made computes it again")
            self.lacking[name] = f"self.{name} is a buffer that is not in the state_dict: {why}"
        return made

    def spelled(self, tensors: Sequence[torch.Tensor | None]) -> Expression | None:
        """Return the expression of a tensor that is equal in all instances and has few elements or only one value; else None."""
        first = tensors[0]
        alike = first is not None and all(one is not None and torch.equal(one, first) for one in tensors)
        if first is not None and alike and first.numel() > _FEW and bool((first == first.flatten()[0]).all()):
            size, value = _sizes(list(map(literal, first.shape))), literal(first.flatten()[0].item())
            return _call(torch.full, size=size, fill_value=value, dtype=literal(first.dtype))
        if first is None or not alike or first.numel() > _FEW:
            return None
        made = _call(torch.tensor, data=literal(first.flatten().tolist()), dtype=literal(first.dtype))
        shape = Argument("shape", _sizes(list(map(literal, first.shape))))
        return TorchCall(torch.Tensor.reshape, made, (shape,), ("shape",), type=TENSOR)

    # -- Parameters ----------------------------------------------------------------------------------------------------

    def _parameters_of(self, modules: Sequence[nn.Module | None], name: str) -> Expression | None:
        """Return the expression of a list or dictionary of parameters; None for other modules. Raises Unwritable if instances differ."""
        kind = type(modules[0])
        if kind not in (nn.ParameterList, nn.ParameterDict) or any(type(one) is not kind for one in modules):
            return None
        every = [dict(one.named_parameters(recurse=False)) for one in modules if one is not None]
        if any(one.keys() != every[0].keys() for one in every):
            raise Unwritable(f"{self._class}.{name} has other parameters from instance to instance.")
        entries = [(key, self._parameter([one[key] for one in every], f"{name}_{key}")) for key in every[0]]
        return Modules(kind, tuple(entries), type=ModulesOf(kind, TENSOR))

    def _parameter(self, tensors: Sequence[torch.Tensor | None], name: str) -> Expression:
        return Construct(nn.Parameter, (Argument("data", self._filled(tensors, name)),), type=TENSOR)

    def _filled(self, tensors: Sequence[torch.Tensor | None], name: str) -> Expression:
        """Return the expression of a tensor of the right shape: ones if all elements are 1, else zeros. The weights are loaded later."""
        some = next(tensor for tensor in tensors if tensor is not None)
        shapes = [tuple((some if tensor is None else tensor).shape) for tensor in tensors]
        if len({len(one) for one in shapes}) > 1:
            raise Unwritable(f"{self._class}.{name} has other numbers of dimensions from instance to instance.")
        sizes = [self._instances.value(size, f"{name}_{place}") for place, size in enumerate(zip(*shapes, strict=True))]
        ones = all(bool((tensor == 1).all()) for tensor in tensors if tensor is not None)
        dtype = {} if some.dtype == torch.float32 else {"dtype": literal(some.dtype)}
        if not sizes:
            number: Any = ones if some.dtype == torch.bool else int(ones)
            number = float(number) if some.dtype.is_floating_point else number
            return _call(torch.tensor, data=literal(number), dtype=literal(some.dtype))
        return _call(torch.ones if ones else torch.zeros, size=_sizes(sizes), **dtype)

    # -- Settings ------------------------------------------------------------------------------------------------------

    def setting(self, name: str, values: Sequence[Any]) -> Expression:
        """Return a setting: its literal if all instances have the same value, else a field. Raises Unwritable."""
        found = self._instances.value(values, name)
        if isinstance(found, Literal):
            return Literal(found.value, name, type=found.type)
        if isinstance(found, TupleLiteral) and all(isinstance(one, Literal) for one in found.items):
            return found
        if found.type == FUNCTION:
            for one in dict.fromkeys(values):
                function(one)  # raises for a function that the constructor could not be given
        return self.define(name, found.type, "setting", found)


def _is_filled(tensors: Sequence[torch.Tensor | None], value: int) -> bool:
    """Return whether there is a tensor in each instance, and all its elements have this value."""
    return all(one is not None and one.numel() > 0 and bool((one == value).all()) for one in tensors)


def _sizes(items: Sequence[Expression]) -> Expression:
    return TupleLiteral(tuple(items), type=SIZES)


def _call(function: Any, **arguments: Expression) -> TorchCall:
    first = next(iter(arguments))
    made = tuple(Argument(name, value, name == first) for name, value in arguments.items())
    return TorchCall(function, None, made, tuple(arguments), type=TENSOR)
