"""Lowering of calls of PyTorch's functions and of tensors' methods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bridge.port.csharp import tree
from bridge.port.csharp.building import path, refused
from bridge.port.csharp.calls.faults import has_fault
from bridge.port.csharp.calls.member_table import overloads
from bridge.port.csharp.calls.members import Call, Found, resolve
from bridge.port.csharp.calls.results import adapted
from bridge.port.csharp.calls.rewrites import REWRITES
from bridge.port.csharp.calls.tensors import WITHOUT_EFFECT, WRITTEN, Raw, of_tensor, target
from bridge.port.csharp.calls.torch_functions import OWN, PATHS, defaults_of, holder_of, is_default, name_of, paths_of
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.types import TENSOR
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.errors import Untranslatable


def lower(emission: Emission, node: ir.TorchCall) -> tree.Expression:
    """Return the call, with its result converted to the type that it has in Python. Raises Untranslatable."""
    return adapted(emission, node, *raw(emission, node))


def raw(emission: Emission, node: ir.TorchCall) -> Raw:
    """Return the call and its type in TorchSharp, an array where PyTorch returns a tuple of tensors. Raises Untranslatable."""
    name = str(getattr(node.function, "__name__", ""))
    if (rewrite := REWRITES.get(name)) is not None:
        made = rewrite(node)
        if not isinstance(made, ir.TorchCall):
            return emission.expression(made), emission.type_of(made.type, node.origin)
        node, name = made, str(made.function.__name__)
    if (written := WRITTEN.get(name)) is not None and (found := written(emission, node)) is not None:
        return found
    return _resolved(emission, node)


def function_of(emission: Emission, callee: Any) -> tree.Expression | None:
    """Return ``x => F.relu(x)`` for a function of torch that takes a tensor and returns a tensor; None for another function."""
    parameter = ir.Local("x", type=types.TENSOR)
    call = Call({"input": parameter}, ("input",), defaults_of(callee))
    for place in paths_of(callee) if holder_of(callee) else ():
        found = resolve(emission, overloads(place, name_of(callee)), call)
        if found is not None and found.member.result == TENSOR:
            return tree.Lambda(("x",), _static(place, found))
    return None


# -- Overload resolution ---------------------------------------------------------------------------------------------------


def _given(node: ir.TorchCall) -> dict[str, ir.Expression]:
    """Return the arguments by PyTorch's names, without arguments that have no effect or equal PyTorch's defaults."""
    defaults = defaults_of(node.function)
    return {
        one.name: one.value
        for one in node.arguments
        if one.name not in WITHOUT_EFFECT
        and not (
            isinstance(one.value, ir.Literal)
            and one.name in defaults
            and is_default(one.value.value, defaults[one.name])
        )
    }


def _resolved(emission: Emission, node: ir.TorchCall) -> Raw:
    given, order = _given(node), node.parameters or tuple(one.name for one in node.arguments)
    defaults = defaults_of(node.function)
    if node.receiver is None:
        return _of_function(emission, node, Call(given, order, defaults))
    name = str(node.function.__name__)
    found = resolve(emission, overloads("Tensor", name), Call(given, order, defaults))
    if found is not None:
        return of_tensor(target(emission, node), found)
    call = Call({"input": node.receiver, **given}, ("input", *order), defaults)
    for place in ("torch", "special", "functional"):
        found = resolve(emission, overloads(place, name), call)
        if found is not None:
            return _static(place, found), found.member.result
    raise _lacking(node, name, "TorchSharp's Tensor", ("Tensor", "torch"))


def _of_function(emission: Emission, node: ir.TorchCall, call: Call) -> Raw:
    name = name_of(node.function)
    for place in paths_of(node.function):
        found = resolve(emission, overloads(place, name), call)
        if found is not None:
            return _static(place, found), found.member.result
    first = next(iter(call.given), "")
    tensor = call.given.get(first)
    if tensor is not None and tensor.type == types.TENSOR and holder_of(node.function) not in OWN:
        rest = {key: value for key, value in call.given.items() if key != first}
        order = [one for one in call.order if one != first]
        found = resolve(emission, overloads("Tensor", name), Call(rest, order, call.defaults))
        if found is not None:
            return of_tensor(emission.expression(tensor), found)
    raise _lacking(node, name, "TorchSharp", paths_of(node.function))


def _static(place: str, found: Found) -> tree.Expression:
    return tree.Call(tree.Member(path(PATHS[place]), found.member.name), found.arguments)


def _lacking(node: ir.TorchCall, name: str, whose: str, places: Iterable[str]) -> Untranslatable:
    """Return the error for a call that no member of TorchSharp accepts."""
    right = ", or one that is not PyTorch's," if any(has_fault(place, name) for place in places) else ""
    listed = ", ".join(f"{one.name}: {one.value.type}" for one in node.arguments) or "none"
    return refused(node, f"{whose} has no {name}{right} with these arguments: {listed}")
