"""Rewriting of PyTorch's calls as equivalent calls that TorchSharp has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import torch
import torch.nn.functional as F

from bridge.port.csharp.building import is_plain, refused
from bridge.port.csharp.calls import legacy
from bridge.port.csharp.calls.fitting import is_sequence, known
from bridge.port.ir import nodes as ir
from bridge.port.ir import types

Rewriting = Callable[[ir.TorchCall], ir.Expression]
#: The dimension of a softmax that is called without a dimension, by the rank of its input; 1 for other ranks.
_IMPLICIT: Final = {0: 0, 1: 0, 3: 0}


def _values(node: ir.TorchCall) -> dict[str, ir.Expression]:
    """Return the arguments by name, including the receiver as ``input``."""
    given = {one.name: one.value for one in node.arguments}
    return given if node.receiver is None else {"input": node.receiver, **given}


def _literal(value: ir.Expression | None, default: Any = None) -> Any:
    """Return the value of a literal; the default if ``value`` is no literal."""
    return value.value if isinstance(value, ir.Literal) else default


def _called(node: ir.TorchCall, function: Any, given: Mapping[str, ir.Expression]) -> ir.TorchCall:
    """Return a call of ``function`` in place of ``node``, with the arguments ``given``; for a method, ``input`` is the receiver."""
    values = dict(given)
    receiver = (
        values.pop("input") if node.receiver is not None or isinstance(function, type(torch.Tensor.view)) else None
    )
    arguments = tuple(ir.Argument(name, value) for name, value in values.items())
    return replace(node, function=function, receiver=receiver, arguments=arguments, parameters=tuple(values))


def _method(receiver: ir.Expression, name: str, *arguments: ir.Expression) -> ir.TorchCall:
    """Return a call of a tensor's method that returns a tensor."""
    given = tuple(ir.Argument(f"argument{place}", one) for place, one in enumerate(arguments))
    names = tuple(one.name for one in given)
    function = getattr(torch.Tensor, name)
    return ir.TorchCall(function, receiver, given, names, type=types.TENSOR, origin=receiver.origin)


def _shape(tensor: ir.Expression) -> ir.Expression:
    return ir.Property(tensor, "shape", type=types.SIZES, origin=tensor.origin)


def _length(tensor: ir.Expression, place: int) -> ir.Expression:
    return ir.Item(_shape(tensor), known(place), type=types.INT, origin=tensor.origin)


def _size(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``size()`` as ``shape``, and ``size(0)`` as ``shape[0]``."""
    assert node.receiver is not None
    place = node.arguments[0].value if node.arguments else None
    shape = _shape(node.receiver)
    return shape if place is None else ir.Item(shape, place, type=types.INT, origin=node.origin)


def _shaped(name: str) -> Rewriting:
    """Return the rewriting of a method that takes a tensor for its shape, as the method ``name`` with ``tensor.shape``."""

    def rewrite(node: ir.TorchCall) -> ir.Expression:
        assert node.receiver is not None
        return replace(
            _method(node.receiver, name, _shape(node.arguments[0].value)), type=node.type, origin=node.origin
        )

    return rewrite


def _renamed(name: str) -> Rewriting:
    """Return the rewriting of a method as the method ``name`` with the same arguments."""
    return lambda node: replace(node, function=getattr(torch.Tensor, name))


def _dtype_of(node: ir.Expression) -> ir.Expression | None:
    """Return the dtype of a tensor, for a call of ``zeros`` or ``ones`` from its arguments; None if that would compute a tensor twice."""
    if is_plain(node):
        return ir.Property(node, "dtype", type=types.DTYPE, origin=node.origin)
    if not isinstance(node, ir.TorchCall) or node.function not in (torch.zeros, torch.ones):
        return None
    given = next((one.value for one in node.arguments if one.name == "dtype"), None)
    stated = given is not None and given.type == types.DTYPE and is_plain(given)
    return given if stated else known(torch.get_default_dtype()) if given is None else None


def _scatter(node: ir.TorchCall) -> ir.Expression:
    """Rewrite a scatter of a number as a scatter of a tensor filled with it, as TorchSharp requires, if nothing is computed twice."""
    given = _values(node)
    value = given.pop("value", given.get("src"))
    if value is None or not types.is_number(value.type):
        return node
    target = given["input"]
    index = given["index"]
    dtype = _dtype_of(target)
    if dtype is None or not is_plain(index):
        return node
    filled = ir.TorchCall(
        torch.full_like,
        None,
        (ir.Argument("input", index), ir.Argument("fill_value", value), ir.Argument("dtype", dtype, positional=False)),
        ("input", "fill_value"),
        type=types.TENSOR,
        origin=node.origin,
    )
    given["src"] = filled
    return _called(node, node.function, given)


def _interpolate(node: ir.TorchCall) -> ir.Expression:
    """Rewrite a single size or scale as a tuple with an item for each dimension, as TorchSharp requires."""
    given = _values(node)
    for name, kind in (("size", types.INT), ("scale_factor", types.FLOAT)):
        value = given.get(name)
        if value is None or not types.is_number(types.required(value.type)):
            continue
        if node.rank < 3 or not is_plain(value):
            raise refused(node, f"{name} of an input whose number of dimensions no run showed")
        count = node.rank - 2
        given[name] = ir.TupleLiteral((value,) * count, type=types.TupleOf((kind,) * count), origin=value.origin)
    return _called(node, F.interpolate, given)


def _attention(node: ir.TorchCall) -> ir.Expression:
    """Rewrite attention without ``scale`` and ``enable_gqa``: scale the query instead, and repeat keys and values."""
    given = _values(node)
    scale, grouped = given.pop("scale", known(None)), given.pop("enable_gqa", known(False))
    query, key = given["query"], given["key"]
    groups = not isinstance(grouped, ir.Literal) or grouped.value
    if (groups or scale.type != types.NONE) and not (is_plain(query) and is_plain(key)):
        raise refused(node, "scale and enable_gqa of a query or key that has no name")
    if groups:
        times: ir.Expression = ir.Binary("//", _length(query, -3), _length(key, -3), type=types.INT, origin=node.origin)
        if not isinstance(grouped, ir.Literal):
            times = ir.Conditional(grouped, times, known(1), type=types.INT, origin=node.origin)
        for name in ("key", "value"):
            given[name] = _method(given[name], "repeat_interleave", times, known(-3))
    if scale.type != types.NONE:
        root = ir.BuiltinCall("math.sqrt", (_length(query, -1),), type=types.FLOAT, origin=node.origin)
        number = ir.Convert(scale, type=types.FLOAT, proven=True) if isinstance(scale.type, types.OptionalOf) else scale
        factor: ir.Expression = ir.Binary("*", number, root, type=types.FLOAT, origin=node.origin)
        if number is not scale:
            if not is_plain(scale):
                raise refused(node, "a scale that may be None and has no name")
            is_given = ir.Compare("is-not", scale, known(None), type=types.BOOL, origin=node.origin)
            factor = ir.Conditional(is_given, factor, known(1.0), type=types.FLOAT, origin=node.origin)
        given["query"] = ir.Binary("*", query, factor, type=types.TENSOR, origin=node.origin)
    return _called(node, F.scaled_dot_product_attention, given)


def _softmax(node: ir.TorchCall) -> ir.Expression:
    """Rewrite a softmax without a dimension as a softmax over the dimension that PyTorch chooses."""
    given = _values(node)
    if _literal(given.get("dim"), default=None) is None and not _is_given(given.get("dim")):
        if node.rank < 0:
            raise refused(node, "a softmax without a dimension, of an input whose number of dimensions no run showed")
        first = next(iter(given))
        given = {first: given[first], "dim": known(_IMPLICIT.get(node.rank, 1)), **_without(given, first, "dim")}
        return _called(node, node.function, given)
    return node


def _is_given(value: ir.Expression | None) -> bool:
    return value is not None and value.type != types.NONE


def _without(given: Mapping[str, ir.Expression], *names: str) -> dict[str, ir.Expression]:
    return {name: value for name, value in given.items() if name not in names}


def _divergence(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``batchmean``, which TorchSharp's Reduction lacks, as the sum divided by the length of the batch."""
    given = _values(node)
    if _literal(given.get("reduction")) != "batchmean":
        return node
    if not is_plain(given["input"]):
        raise refused(node, "kl_div with batchmean of an input that has no name")
    summed = _called(node, node.function, {**given, "reduction": known("sum")})
    return ir.Binary("/", summed, _length(given["input"], 0), type=node.type, origin=node.origin)


def _filled(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``masked_fill`` with a tensor as ``where``, which passes a gradient to that tensor."""
    given = _values(node)
    if given["value"].type != types.TENSOR:
        return node
    mask, value, target = given["mask"], given["value"], given["input"]
    arguments = (ir.Argument("condition", mask), ir.Argument("input", value), ir.Argument("other", target))
    return ir.TorchCall(
        torch.where, None, arguments, ("condition", "input", "other"), type=node.type, origin=node.origin
    )


def _chosen(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``where`` with numbers as ``where`` with tensors, of the dtypes that PyTorch gives the numbers."""
    given = _values(node)
    numbers = [name for name, value in given.items() if types.is_number(value.type)]
    if len(numbers) == 1:
        return _called(node, node.function, {**given, numbers[0]: _beside(given, numbers[0])})
    if len(numbers) < 2:
        return node
    for name in numbers:
        value = given[name]
        argument = (ir.Argument("data", value),)
        given[name] = ir.TorchCall(torch.tensor, None, argument, ("data",), type=types.TENSOR, origin=node.origin)
    return _called(node, node.function, given)


def _beside(given: Mapping[str, ir.Expression], name: str) -> ir.Expression:
    """Return a number that C# would make a tensor of float64 as a tensor of the dtype that PyTorch gives the result.

    ``zeros + number`` has that dtype: a number counts less than the tensor that is given beside it.
    """
    value = given[name]
    (other,) = [one for key, one in given.items() if key not in ("condition", name)]
    exact = isinstance(value, ir.Literal) and torch.tensor(value.value, dtype=torch.float32).item() == value.value
    if value.type != types.FLOAT or exact:
        return value
    zeros = other if isinstance(other, ir.TorchCall) and other.function is torch.zeros else None
    if is_plain(other):
        zeros = ir.TorchCall(torch.zeros_like, None, (ir.Argument("input", other),), ("input",), type=types.TENSOR)
    return value if zeros is None else ir.Binary("+", zeros, value, type=types.TENSOR, origin=value.origin)


def _uniform(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``full`` with a bool, with its dtype added: TorchSharp would make a tensor of ints."""
    given = _values(node)
    if given["fill_value"].type != types.BOOL or _is_given(given.get("dtype")):
        return node
    return _called(node, node.function, {**given, "dtype": known(torch.bool)})


def _subtracted(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``sub`` with ``alpha``, and ``rsub``, as operators: TorchSharp has neither."""
    given = _values(node)
    left, right, alpha = given["input"], given["other"], given.get("alpha")
    if alpha is not None and _literal(alpha) != 1:
        right = ir.Binary("*", right, alpha, type=types.TENSOR, origin=node.origin)
    elif node.function is not torch.rsub:
        return node
    sides = (right, left) if node.function is torch.rsub else (left, right)
    return ir.Binary("-", *sides, type=node.type, origin=node.origin)


def _embedded(node: ir.TorchCall) -> ir.Expression:
    """Leave the arguments out that do not change the result or the gradients of ``F.embedding``."""
    given = _values(node)
    kept: dict[str, ir.Expression] = {name: given[name] for name in ("input", "weight") if name in given}
    # norm_type has no effect without max_norm
    others = _without(given, *kept, "padding_idx", "sparse", "norm_type")
    if len(kept) < 2 or any(_literal(one, default=True) for one in others.values()):
        raise refused(node, "an embedding with max_norm or scale_grad_by_freq")
    if _is_given(given.get("padding_idx")):
        kept["padding_idx"] = given["padding_idx"]
    return _called(node, node.function, kept)


def _spread(node: ir.TorchCall) -> ir.Expression:
    """Rewrite the argument ``correction`` of a variance, 0 or 1, as ``unbiased``."""
    given = _values(node)
    correction = given.pop("correction", None)
    if correction is None:
        return node
    if _literal(correction) not in (0, 1):
        raise refused(node, "a correction that is neither 0 nor 1")
    return _called(node, node.function, {**given, "unbiased": known(bool(_literal(correction)))})


def _norm(node: ir.TorchCall) -> ir.Expression:
    """Rewrite the Frobenius norm as the norm of order 2, and a norm over several dimensions as ``torch.linalg.norm``."""
    given = _values(node)
    order = given.get("p")
    if order is not None and _literal(order) == "fro":
        given["p"] = order = known(2)
    several = given.get("dim")
    if not _is_given(several) and isinstance(order, ir.Literal) and types.is_number(order.type):
        given["p"] = known(float(order.value))  # C# would take the 1 in norm(1) for a dimension
    if several is None or types.is_number(several.type) or several.type == types.NONE:
        return _called(node, node.function, given)
    if order is not None and _literal(order) != 2:
        raise refused(node, "a norm over several dimensions whose order is not 2")
    arguments = {name: given[name] for name in ("input", "dim", "keepdim") if name in given}
    made = tuple(ir.Argument(name, value) for name, value in arguments.items())
    return ir.TorchCall(torch.linalg.norm, None, made, tuple(arguments), type=node.type, origin=node.origin)


def _copied(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``torch.tensor(x)`` of a tensor as a copy, and ``as_tensor(x)`` as ``x``, each with ``to`` if a dtype or device is given."""
    given = _values(node)
    first = next(iter(given))
    data = given[first]
    if types.required(data.type) != types.TENSOR:
        return node
    if node.function is torch.tensor:
        data = _method(_method(data, "detach"), "clone")
    arguments = tuple(
        ir.Argument(name, one, positional=False) for name, one in given.items() if name in ("dtype", "device")
    )
    if not arguments:
        return data
    return ir.TorchCall(torch.Tensor.to, data, arguments, ("dtype", "device"), type=node.type, origin=node.origin)


def _number(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``scalar_tensor(s)`` as ``tensor(s)``, with its dtype, which does not depend on the number, added."""
    given = _values(node)
    dtype = given.get("dtype")
    if dtype is None or not _is_given(dtype):
        dtype = known(torch.get_default_dtype())
    kept = {name: value for name, value in given.items() if name == "device" and _is_given(value)}
    arguments = (
        ir.Argument("data", given["s"]),
        *(ir.Argument(name, value, positional=False) for name, value in {"dtype": dtype, **kept}.items()),
    )
    return replace(node, function=torch.tensor, arguments=arguments, parameters=("data", "dtype", "device"))


def _divided(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``div`` of a number as that of a tensor of the number, which has the dtype that PyTorch gives the quotient."""
    given = _values(node)
    number = given["input"]
    if node.receiver is not None or not types.is_number(number.type):
        return node
    if not types.is_number(given["other"].type):
        raise refused(node, "a division of a number by a tensor, which says the dtype of the quotient")
    made = ir.TorchCall(torch.tensor, None, (ir.Argument("data", number),), ("data",), type=types.TENSOR)
    return _called(node, node.function, {**given, "input": made})


def _pooled(node: ir.TorchCall) -> ir.Expression:
    """Rewrite a max pooling that also returns indices as the function ``…_with_indices``, and leave ``return_indices`` out."""
    given = _without(_values(node), "return_indices")
    both = isinstance(node.type, types.TupleOf)
    name = str(node.function.__name__)
    return _called(node, getattr(F, f"{name}_with_indices" if both else name), given)


def _summed(node: ir.TorchCall) -> ir.Expression:
    """Rewrite the arguments of an einsum as its equation and a list of its operands."""
    values = [one.value for one in node.arguments]
    items: list[ir.Expression | ir.Spread] = []
    for value in values:
        items += is_sequence(value) or (value,)
    equation, *operands = items
    if not isinstance(equation, ir.Expression) or equation.type != types.STR:
        raise refused(node, "an einsum without an equation")
    listed = ir.ListLiteral(tuple(operands), type=types.ListOf(types.TENSOR), origin=node.origin)
    return _called(node, node.function, {"equation": equation, "operands": listed})


def _like(function: Any) -> Rewriting:
    """Return the rewriting of ``x.new_tensor``, or of ``x.new_ones`` with a shape that is not written out or empty, as ``function``."""

    def rewrite(node: ir.TorchCall) -> ir.Expression:
        given = _values(node)
        tensor = given.pop("input")
        first = next(iter(given.values()))
        if function is not torch.tensor and (is_sequence(first) or types.is_number(first.type)):
            return node
        if not is_plain(tensor):
            raise refused(node, f"{node.function.__name__} of a tensor that has no name")
        for name, kind in (("dtype", types.DTYPE), ("device", types.DEVICE)):
            if not _is_given(given.get(name)):
                given[name] = ir.Property(tensor, name, type=kind, origin=node.origin)
        arguments = tuple(ir.Argument(name, value, positional=False) for name, value in given.items())
        return ir.TorchCall(function, None, arguments, tuple(given), type=node.type, origin=node.origin)

    return rewrite


def _multiplied(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``torch.sparse.mm`` as ``torch.mm``, which accepts sparse matrices, too."""
    given = _values(node)
    if given.keys() != {"sparse", "dense"}:
        raise refused(node, "torch.sparse.mm with a reduction")
    return _called(node, torch.mm, {"input": given["sparse"], "mat2": given["dense"]})


def _quantile(node: ir.TorchCall) -> ir.Expression:
    """Rewrite a number ``q`` as a tensor of the input's dtype, and flatten the input if neither ``dim`` nor ``keepdim`` is given."""
    given = _values(node)
    tensor, quantile = given["input"], given["q"]
    if types.is_number(quantile.type):
        if not is_plain(tensor):
            raise refused(node, "a quantile of a tensor that has no name")
        dtype = ir.Property(tensor, "dtype", type=types.DTYPE, origin=node.origin)
        arguments = (ir.Argument("data", quantile), ir.Argument("dtype", dtype, positional=False))
        given["q"] = ir.TorchCall(
            torch.tensor, None, arguments, ("data", "dtype"), type=types.TENSOR, origin=node.origin
        )
    if not _is_given(given.get("dim")) and not _is_given(given.get("keepdim")):
        given |= {"input": _method(tensor, "flatten"), "dim": known(0)}
    return _called(node, node.function, given)


def _new(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``x.new(2, 3)``, an uninitialized tensor, as ``x.new_empty((2, 3))``, and ``x.new([0.5])`` as ``new_tensor``."""
    given = [one.value for one in node.arguments]
    if (size := legacy.size_of(given)) is not None:
        return _called(node, torch.Tensor.new_empty, {"input": _values(node)["input"], "size": size})
    if len(given) != 1 or is_sequence(given[0]) is None:
        raise refused(node, "new of values that may be a shape, or the elements of a tensor")
    return _like(torch.tensor)(
        _called(node, torch.Tensor.new_tensor, {"input": _values(node)["input"], "data": given[0]})
    )


def _typed(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``x.type("torch.FloatTensor")`` as ``x.type(torch.float32)``."""
    given = _values(node)
    name = _literal(given.get("dtype"))
    kind = getattr(torch, name.removeprefix("torch."), None) if isinstance(name, str) else None
    if not isinstance(kind, type(torch.FloatTensor)):
        return node
    return _called(node, node.function, {**given, "dtype": known(kind.dtype)})


# -- Where TorchSharp's member is wrong (faults.py) ------------------------------------------------------------------------


def _batched(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``baddbmm`` as a sum with ``bmm``: TorchSharp's ``baddbmm`` takes the summand for the last matrix."""
    given = _values(node)
    factors = {"input": given["batch1"], "mat2": given["batch2"]}
    product: ir.Expression = ir.TorchCall(
        torch.bmm, None, tuple(ir.Argument(name, one) for name, one in factors.items()), tuple(factors),
        type=types.TENSOR, origin=node.origin,
    )  # fmt: skip
    summand = given["input"]
    if _is_given(given.get("alpha")) and _literal(given["alpha"]) != 1:
        product = ir.Binary("*", product, given["alpha"], type=types.TENSOR, origin=node.origin)
    if _is_given(given.get("beta")) and _literal(given["beta"]) != 1:
        if not isinstance(given["beta"], ir.Literal):
            raise refused(node, "baddbmm with a beta that may be 0, with which the summand is not read")
        if given["beta"].value == 0:
            return product
        summand = ir.Binary("*", summand, given["beta"], type=types.TENSOR, origin=node.origin)
    return ir.Binary("+", summand, product, type=types.TENSOR, origin=node.origin)


def _clipped(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``hardtanh`` as ``hardtanh_`` (of a copy, unless it is in place): TorchSharp's ``hardtanh`` returns its input."""
    given = {"min_val": known(-1.0), "max_val": known(1.0), **_values(node)}
    for name in ("min_val", "max_val"):  # an int may equal PyTorch's default, and would be left out
        if isinstance(limit := given[name], ir.Literal):
            given[name] = known(float(limit.value))
    inplace, tensor = given.pop("inplace", known(False)), given.pop("input")
    changed: ir.Expression = _method(tensor, "clone")
    if isinstance(inplace, ir.Literal) and inplace.value:
        changed = tensor
    elif not isinstance(inplace, ir.Literal):
        if not is_plain(tensor):
            raise refused(node, "hardtanh that may be in place, of a tensor that has no name")
        changed = ir.Conditional(inplace, tensor, changed, type=types.TENSOR, origin=node.origin)
    return _called(node, F.hardtanh_, {"input": changed, **given})


def _of_all_elements(node: ir.TorchCall) -> ir.Expression:
    """Rewrite a biased variance of all elements as the variance of the flattened tensor over its dimension."""
    made = _spread(node)
    assert isinstance(made, ir.TorchCall)
    given = _values(made)
    if _is_given(given.get("dim")) or _literal(given.get("unbiased"), default=True) is True:
        return made
    return _called(made, made.function, {**given, "input": _method(given["input"], "flatten"), "dim": known(0)})


def _contracted(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``dims`` of ``tensordot``, a number or a pair of lists, as two arguments, each a list."""
    given = _values(node)
    dims = given.pop("dims", known(2))
    pair = is_sequence(dims)
    if isinstance(dims, ir.Literal) and type(dims.value) is int and dims.value > 0:
        first, second = known(list(range(-dims.value, 0))), known(list(range(dims.value)))
    elif pair is not None and len(pair) == 2 and all(isinstance(one, ir.Expression) for one in pair):
        first, second = (one for one in pair if isinstance(one, ir.Expression))
    else:
        raise refused(node, "tensordot over dimensions that are not written out")
    return _called(node, node.function, {**given, "dims1": first, "dims2": second})


def _differences(node: ir.TorchCall) -> ir.Expression:
    """Rewrite ``diff`` with ``n`` above 1 as nested calls of ``diff``."""
    given = _values(node)
    times = _literal(given.pop("n", known(1)), default=0)
    if times == 1:
        return _called(node, node.function, given)
    if type(times) is not int or times < 1 or given.keys() & {"prepend", "append"}:
        raise refused(node, "diff a number of times that is not written out, or with values beside it")
    made: ir.Expression = given["input"]
    for _ in range(times):
        made = replace(_called(node, node.function, {**given, "input": made}), type=types.TENSOR)
    return made


def _unflattened(node: ir.TorchCall) -> ir.Expression:
    """Rewrite a negative dimension of ``unflatten`` as a dimension from the start, as TorchSharp requires."""
    given = _values(node)
    dim, tensor = given["dim"], given["input"]
    if not isinstance(dim, ir.Literal) or type(dim.value) is not int or dim.value >= 0:
        return node
    if not is_plain(tensor):
        raise refused(node, "unflatten, of a tensor that has no name, of a dimension that is counted from the end")
    rank = replace(_method(tensor, "dim"), type=types.INT)
    place = ir.Binary("-", rank, known(-dim.value), type=types.INT, origin=node.origin)
    return _called(node, node.function, {**given, "dim": place})


#: The rewriting of each call, by the name of PyTorch's function.
REWRITES: Final[Mapping[str, Rewriting]] = {
    "size": _size,
    "reshape_as": _shaped("reshape"),
    "ndimension": _renamed("dim"),
    "nelement": _renamed("numel"),
    "scatter": _scatter,
    "scatter_": _scatter,
    "interpolate": _interpolate,
    "upsample": _interpolate,
    "scaled_dot_product_attention": _attention,
    "softmax": _softmax,
    "log_softmax": _softmax,
    "softmin": _softmax,
    "kl_div": _divergence,
    "masked_fill": _filled,
    "where": _chosen,
    "embedding": _embedded,
    "std": _spread,
    "var": _of_all_elements,
    "norm": _norm,
    **dict.fromkeys((f"{kind}max_pool{count}d" for kind in ("", "adaptive_") for count in (1, 2, 3)), _pooled),
    "einsum": _summed,
    "full": _uniform,
    **dict.fromkeys(("sub", "subtract", "rsub"), _subtracted),
    "new": _new,
    **dict.fromkeys(legacy.NAMES, legacy.constructed),
    "_sparse_mm": _multiplied,
    "type": _typed,
    "new_ones": _like(torch.ones),
    "new_tensor": _like(torch.tensor),
    "quantile": _quantile,
    "nanquantile": _quantile,
    "baddbmm": _batched,
    "hardtanh": _clipped,
    "tensordot": _contracted,
    "diff": _differences,
    "unflatten": _unflattened,
    **dict.fromkeys(("div", "divide"), _divided),
    "scalar_tensor": _number,
    "tensor": _copied,
    "as_tensor": _copied,
}
