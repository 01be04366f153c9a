"""Weight files in TorchSharp's format, which ``model.save("net.dat")`` writes in C# and ``model.load("net.dat")`` reads.

A file begins with the number of entries. An entry has, in this order:

- the length of its name in bytes, and the name in UTF-8
- libtorch's number of the element type
- the number of dimensions, and the sizes
- the elements, little-endian and in C order

All numbers but the elements are unsigned LEB128. Reading and writing need no .NET.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import torch

from bridge.clr.call import boundary
from hook_contract.output.files import atomic_file

#: The element types that TorchSharp has, by libtorch's numbers.
_TYPES: Final[dict[int, torch.dtype]] = {
    entry["code"]: getattr(torch, entry["name"]) for entry in boundary.manifest()["dtypes"] if "torchsharp" in entry
}
_CODES: Final = {dtype: code for code, dtype in _TYPES.items()}
#: The maximum length of a number in bytes: 63 bits in LEB128.
_MAX_LENGTH: Final = 9


def read_weights(path: str | os.PathLike[str]) -> dict[str, torch.Tensor]:
    """Read a weight file in TorchSharp's format, and return its tensors by name, as ``load_state_dict`` takes them.

    The tensors are on the CPU.

    Raises ValueError if the file has another format or is damaged, and OSError if the file cannot be read.
    """
    with Path(path).open("rb") as file:
        reader = _Reader(file, os.fstat(file.fileno()).st_size)
        state: dict[str, torch.Tensor] = {}
        for _ in range(reader.count(2)):
            name = reader.text()
            if name in state:
                raise reader.error(f"the name {name!r} occurs twice")
            state[name] = reader.tensor(name)
        if reader.remaining():
            raise reader.error(f"{reader.remaining()} bytes follow the last entry")
    return state


def write_weights(path: str | os.PathLike[str], state: Mapping[str, torch.Tensor]) -> None:
    """Write ``state``, for instance ``model.state_dict()``, in TorchSharp's format. The file is written completely or not at all.

    Raises TypeError for a value that is not a tensor, ValueError for a tensor that the format cannot hold, and OSError if the file
    cannot be written.
    """
    for name, tensor in state.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"{name!r} is {type(tensor).__name__}, not a tensor")
        if tensor.dtype not in _CODES:
            raise ValueError(f"{name!r} has elements of {tensor.dtype}, which TorchSharp does not have")
        if tensor.layout != torch.strided or tensor.is_meta:
            problem = "is on the meta device" if tensor.is_meta else f"has the layout {tensor.layout}"
            raise ValueError(f"{name!r} {problem}: TorchSharp's format holds only dense tensors with data")
    with atomic_file(Path(path)) as temporary, temporary.open("wb") as file:
        file.write(_encode_number(len(state)))
        for name, tensor in state.items():
            text = name.encode()
            header = (_CODES[tensor.dtype], tensor.dim(), *tensor.shape)
            file.write(_encode_number(len(text)) + text + b"".join(map(_encode_number, header)))
            plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
            file.write(_bytes(plain))
        file.flush()
        os.fsync(file.fileno())


def _bytes(tensor: torch.Tensor) -> Any:
    """Return a contiguous CPU tensor's memory as an array of bytes."""
    flat = torch.view_as_real(tensor.view(-1)).view(-1) if tensor.is_complex() else tensor.view(-1)
    return flat.view(torch.uint8).numpy()


def _encode_number(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


class _Reader:
    """A reader of a weight file. Raises ValueError if the file is damaged."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file = file
        self.size = size

    def remaining(self) -> int:
        return self.size - self.file.tell()

    def error(self, problem: str) -> ValueError:
        return ValueError(f"{self.file.name} is not a weight file in TorchSharp's format, or is damaged: {problem}")

    def take(self, count: int, part: str) -> bytes:
        if count > self.remaining():
            raise self.error(f"it ends within {part}")
        return self.file.read(count)

    def number(self, part: str) -> int:
        value = 0
        for index in range(_MAX_LENGTH):
            (byte,) = self.take(1, part)
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return value
        raise self.error(f"{part} is not a number")

    def count(self, min_size: int) -> int:
        """Read the number of entries, each of which has at least ``min_size`` bytes."""
        value = self.number("the number of entries")
        if value * min_size > self.remaining():
            raise self.error(f"it cannot have {value} entries")
        return value

    def text(self) -> str:
        data = self.take(self.number("the length of a name"), "a name")
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise self.error("a name is not UTF-8") from None

    def tensor(self, name: str) -> torch.Tensor:
        code = self.number(f"the element type of {name!r}")
        if code not in _TYPES:
            raise self.error(f"{name!r} has elements of the unknown type {code}")
        shape = [self.number(f"the sizes of {name!r}") for _ in range(self.number(f"the dimensions of {name!r}"))]
        length = torch.empty(0, dtype=_TYPES[code]).element_size()
        for size in shape:
            length *= size
        if length > self.remaining():
            raise self.error(f"it ends within {name!r}, which has the sizes {shape}")
        # One size may be 0, so that the length is 0 too. Not every system's torch sees that the product of the others overflows.
        if math.prod(filter(None, shape)) * _TYPES[code].itemsize >= 1 << 63:
            raise self.error(f"the sizes of {name!r} cannot be {shape}")
        tensor = torch.empty(shape, dtype=_TYPES[code])
        self.file.readinto(_bytes(tensor))  # type: ignore[attr-defined]  # typing.BinaryIO lacks it
        return tensor
