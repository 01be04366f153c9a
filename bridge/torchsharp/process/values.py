"""Python's values as the lines have them (``value`` of the schema), and back. Elements of tensors are elsewhere: in shared memory."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Final

import numpy as np
import torch

from bridge.clr.call import boundary
from bridge.output.sentences import indefinite
from bridge.torchsharp.process.shared_memory import ALIGNMENT, Block, SharedMemory, view

_DTYPES: Final[dict[int, torch.dtype]] = {
    entry["code"]: getattr(torch, entry["name"])
    for entry in boundary.manifest()["dtypes"]
    if hasattr(torch, entry["name"])
}
_CODES: Final = {dtype: code for code, dtype in _DTYPES.items()}
#: Tensors of a result that take no more bytes together are copied: a block for them alone would be a waste.
_SMALL: Final = 1 << 18


class Packing:
    """Values of one request: what is written of them, and the tensors to be copied."""

    def __init__(self) -> None:
        self._tensors: list[tuple[torch.Tensor, int]] = []
        self.length = 0

    def pack(self, value: Any) -> Any:
        """A value as JSON has it.

        Raises TypeError for a kind that does not cross, and ValueError for a tensor that is not on the CPU or has no elements in memory.
        """
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, torch.Tensor):
            return {"tensor": self._tensor(value)}
        if isinstance(value, (int, np.integer)):
            return int(value)
        if isinstance(value, (float, np.floating)):
            number = float(value)
            return {
                "float": number
                if math.isfinite(number)
                else "nan"
                if math.isnan(number)
                else "inf"
                if number > 0
                else "-inf"
            }
        if isinstance(value, tuple):
            return {"tuple": [self.pack(item) for item in value]}
        if isinstance(value, list):
            return [self.pack(item) for item in value]
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.pack(item) for key, item in value.items()}}
        raise TypeError(
            f"{indefinite(type(value).__name__)} does not cross to the process of TorchSharp: tensors, numbers, strings, booleans, None, "
            "and tuples, lists and dictionaries of them do"
        )

    def copy_to(self, block: Block) -> None:
        """Copies the elements of all tensors."""
        memory = block.bytes()
        start = memory.ctypes.data
        for tensor, offset in self._tensors:
            if tensor.is_contiguous() and not (tensor.is_conj() or tensor.is_neg()):
                # One thread: several of PyTorch's wait for each other where the machine is busy.
                ctypes.memmove(start + offset, tensor.data_ptr(), tensor.numel() * tensor.element_size())
            else:
                view(memory, tensor.dtype, list(tensor.shape), offset).copy_(tensor)

    def _tensor(self, tensor: torch.Tensor) -> dict[str, Any]:
        if tensor.device.type != "cpu" or tensor.layout != torch.strided:
            where = tensor.device if tensor.layout == torch.strided else tensor.layout
            raise ValueError(
                f"the process of TorchSharp gets tensors of the CPU, and this one is {where}: move it by .cpu()"
            )
        if tensor.dtype not in _CODES:
            raise TypeError(f"tensors of {tensor.dtype} do not cross to the process of TorchSharp")
        offset = self.length
        self._tensors.append((tensor.detach(), offset))
        self.length = -(-(offset + tensor.numel() * tensor.element_size()) // ALIGNMENT) * ALIGNMENT
        return {"dtype": _CODES[tensor.dtype], "shape": list(tensor.shape), "offset": offset}


class Unpacking:
    """Values of one answer.

    Their tensors are on the block ``room`` from ``start`` on, which is theirs then, or copies where they are small.
    """

    def __init__(self, memory: SharedMemory, room: Block, need: int, start: int = 0) -> None:
        self._start = start
        self._shared = need > _SMALL
        # Each tensor owns what it is on.
        self._bytes = memory.lend(room) if self._shared else room.bytes()

    def unpack(self, value: Any) -> Any:
        """A value of JSON as Python has it."""
        if isinstance(value, list):
            return [self.unpack(item) for item in value]
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        if kind == "tensor":
            made = view(self._bytes, _DTYPES[content["dtype"]], content["shape"], self._start + content["offset"])
            return made if self._shared else made.clone()
        if kind == "float":
            return float(content)
        if kind == "other":
            return object()
        if kind == "tuple":
            return tuple(self.unpack(item) for item in content)
        return {key: self.unpack(item) for key, item in content.items()}

    @property
    def shared(self) -> bool:
        """Whether tensors are on the block, so that it is not to be given back."""
        return self._shared
