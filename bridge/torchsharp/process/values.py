"""Conversion of Python's values to and from JSON (``value`` in ``host.schema.json``). Elements of tensors are in shared memory."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import torch

from bridge.clr.call import boundary
from bridge.mirror.crossing.objects import DotNetObject, to_scalar
from bridge.torchsharp.process.gradients import refuse_gradients
from bridge.torchsharp.process.objects import Reference, RemoteAccess
from bridge.torchsharp.process.shared_memory import ALIGNMENT, SharedMemory, view
from bridge.torchsharp.process.system import Block
from hook_contract.output.sentences import with_article

_DTYPES: Final[dict[int, torch.dtype]] = {
    entry["code"]: getattr(torch, entry["name"])
    for entry in boundary.manifest()["dtypes"]
    if hasattr(torch, entry["name"])
}
_CODES: Final = {dtype: code for code, dtype in _DTYPES.items()}
#: The maximum size in bytes of a result whose tensors are copied; larger results keep their block of shared memory.
_MAX_COPIED: Final = 1 << 18


class Packing:
    """The conversion of a request's values to JSON. The tensors are collected, and need ``length`` bytes of shared memory.

    ``owners`` has the allowed owners of .NET objects in the request: the RemoteObjects of the process, and the RemoteModel that is called.
    """

    def __init__(self, *owners: Any) -> None:
        self.owners = list(owners)
        self._tensors: list[tuple[torch.Tensor, int]] = []
        self.length = 0

    def pack(self, value: Any) -> Any:
        """Convert a value to JSON.

        Raises TypeError for a value or dtype that cannot be sent, and ValueError for a tensor that is not on the CPU or not dense.
        """
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, torch.Tensor):
            return {"tensor": self._tensor(value)}
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 63:
                raise TypeError("the integer does not fit into 64 bits, so .NET cannot take it")
            return int(value)
        if isinstance(value, float):
            return {"float": value if math.isfinite(value) else str(float(value))}
        if isinstance(value, tuple):
            return {"tuple": [self.pack(item) for item in value]}
        if isinstance(value, list):
            return [self.pack(item) for item in value]
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.pack(item) for key, item in value.items()}}
        if isinstance(value, Reference):
            return value.json
        if (scalar := to_scalar(value)) is not None:
            return self.pack(scalar)
        held = getattr(value, "dotnet", None) if isinstance(value, torch.nn.Module) else value
        if isinstance(held, DotNetObject):
            return self._pack_object(held)
        if callable(value) and not isinstance(value, (type, torch.nn.Module)):
            raise TypeError(
                f"the Python function {getattr(value, '__name__', repr(value))} cannot be called from the process of TorchSharp: load the "
                'model without runtime="torchsharp"'
            )
        raise TypeError(
            f"{with_article(type(value).__name__)} cannot be sent to the process of TorchSharp: pass tensors, real numbers, "
            "strings, booleans, None, devices, dtypes, .NET objects (bridge.new), modules of the model that is called, or tuples, lists "
            "and dictionaries of them; the keys of dictionaries must be strings"
        )

    def pack_arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """Convert the arguments of a call to JSON."""
        return [[self.pack(value) for value in args], {name: self.pack(value) for name, value in kwargs.items()}]

    def copy_to(self, block: Block) -> None:
        """Copy the elements of all tensors to a block."""
        memory = block.bytes()
        start = memory.ctypes.data
        for tensor, offset in self._tensors:
            if tensor.is_contiguous() and not (tensor.is_conj() or tensor.is_neg()):
                # Copied by one thread: the threads of PyTorch's copy_ would wait for each other on a busy machine.
                ctypes.memmove(start + offset, tensor.data_ptr(), tensor.numel() * tensor.element_size())
            else:
                view(memory, tensor.dtype, list(tensor.shape), offset).copy_(tensor)

    def _pack_object(self, held: DotNetObject) -> dict[str, Any]:
        access = held._access
        if isinstance(access, RemoteAccess) and access.owner in self.owners:
            return access.reference(held._handle)
        raise TypeError(
            f"the .NET object ({held._type_name}) is of another process or another model: C# takes objects that bridge.new made for the "
            "same runtime and libraries, and modules of the model that is called"
        )

    def _tensor(self, tensor: torch.Tensor) -> dict[str, Any]:
        if tensor.layout != torch.strided:
            raise ValueError(
                f"the process of TorchSharp takes only dense tensors, and this one has the layout {tensor.layout}: "
                "convert it to a dense tensor"
            )
        if tensor.is_meta:
            raise ValueError(
                "a tensor on the meta device cannot be sent to the process of TorchSharp: it has no elements"
            )
        if tensor.device.type != "cpu":
            raise ValueError(
                f"the process of TorchSharp takes only tensors on the CPU, and this one is on {tensor.device}: pass tensor.cpu()"
            )
        if tensor.dtype not in _CODES:
            raise TypeError(
                f"tensors of {tensor.dtype} cannot be sent to the process of TorchSharp: convert the tensor"
            )
        offset = self.length
        self._tensors.append((tensor.detach(), offset))
        self.length = -(-(offset + tensor.numel() * tensor.element_size()) // ALIGNMENT) * ALIGNMENT
        return {"dtype": _CODES[tensor.dtype], "shape": list(tensor.shape), "offset": offset}


class Unpacking:
    """The conversion of an answer's values from JSON.

    The elements of the answer's tensors are in the block ``room``, from byte ``start`` on, and take ``need`` bytes. If ``need`` is small,
    the tensors are copied. Otherwise the tensors use the block, which is given back when the last of these tensors is freed.
    ``find`` maps the keys ``object`` and ``module`` to functions that return the Python object.
    """

    def __init__(
        self, memory: SharedMemory, room: Block, need: int, start: int, find: Mapping[str, Callable[..., Any]]
    ) -> None:
        self._find = find
        self._start = start
        self._shared = need > _MAX_COPIED
        self._bytes = memory.lend(room) if self._shared else room.bytes()

    def unpack(self, value: Any) -> Any:
        """Convert a value from JSON."""
        if isinstance(value, list):
            return [self.unpack(item) for item in value]
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        if kind == "tensor":
            made = view(self._bytes, _DTYPES[content["dtype"]], content["shape"], self._start + content["offset"])
            made = made if self._shared else made.clone()
            return refuse_gradients(made) if "grad" in content else made
        if kind == "float":
            return float(content)
        if kind in self._find:
            return self._find[kind](*content)
        if kind == "other":  # a C# object in a recorded event
            return object()
        if kind == "tuple":
            return tuple(self.unpack(item) for item in content)
        return {key: self.unpack(item) for key, item in content.items()}

    @property
    def shared(self) -> bool:
        """Return whether the tensors use the block. If so, the caller must not give it back."""
        return self._shared
