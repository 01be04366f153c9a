"""The file of values beside a trace file: the elements of tensors by digest, in the format safetensors.

Equal tensors are stored once. Complex arrays are stored as real arrays with an additional last dimension of 2, since safetensors has no
complex128.

Two files cannot be replaced at once. When a trace is overwritten, the file of values first gets the elements of both the old and the new
trace. Then the trace is replaced, then the old elements are removed. So a complete trace exists even if the process is killed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from bridge.trace.columns import Columns, is_digest
from bridge.trace.event import digest
from bridge.trace.file.errors import TraceValuesError, TraceWriteError
from hook_contract.output.files import atomic_file

_REAL: Final = {"complex64": np.float32, "complex128": np.float64}
#: The names of NumPy's dtypes in safetensors.
_NAMES: Final = {
    "b1": "BOOL", "i1": "I8", "u1": "U8", "i2": "I16", "u2": "U16", "f2": "F16", "i4": "I32", "u4": "U32", "f4": "F32",
    "i8": "I64", "u8": "U64", "f8": "F64",
}  # fmt: skip


def beside(path: Path) -> Path:
    """Return a trace's file of values: ``run.values.safetensors`` for ``run.jsonl``, ``run.elements.safetensors`` for ``run``."""
    if path.suffix == ".jsonl":
        return path.with_name(f"{path.stem}.values.safetensors")
    return path.with_name(f"{path.name}.elements.safetensors")


def check(path: Path, arrays: Iterable[np.ndarray]) -> None:
    """Raise TraceWriteError if the file of values cannot store the dtype of an array."""
    for dtype in {array.dtype for array in arrays}:
        if (dtype.name not in _REAL) if dtype.kind == "c" else (dtype.str[1:] not in _NAMES):
            raise TraceWriteError(path, f"elements of dtype {dtype} cannot be written")


class ElementsFile:
    """The file of values of a trace that is being written. Call :meth:`before` and :meth:`after` around the replacement of the trace."""

    def __init__(self, trace: Path, arrays: Mapping[str, np.ndarray]) -> None:
        self._place = beside(trace)
        self._new = {key: _plain(array) for key, array in arrays.items()}
        self._old = {}
        if trace.exists():
            self._old = {key: array for key, array in _elements(self._place).items() if key not in self._new}

    def before(self) -> None:
        """Write the elements of the old and the new trace. If the new trace has none, do nothing."""
        if self._new:
            _save(self._place, {**self._old, **self._new})

    def after(self) -> None:
        """Remove the elements that only the old trace has."""
        if not self._old:
            return
        if self._new:
            _save(self._place, self._new)
        else:
            self._place.unlink(missing_ok=True)


def _elements(place: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a file of values by digest, {} if the file is not a file of values or cannot be read."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not place.is_file():
        return {}
    try:
        found = dict(load_file(place))
    except (SafetensorError, OSError, ValueError, TypeError, KeyError):
        return {}
    return found if all(map(is_digest, found)) else {}


def _plain(array: np.ndarray) -> np.ndarray:
    """Convert an array to C order, and a complex array to a real array with an additional last dimension of 2."""
    plain: np.ndarray = np.ascontiguousarray(array).reshape(array.shape)
    return plain.reshape(*plain.shape, 1).view(_REAL[array.dtype.name]) if array.dtype.kind == "c" else plain


def _save(place: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays to a safetensors file by the names in ``arrays``. The writer of the library safetensors would copy all data twice."""
    names: dict[str, Any] = {}
    end = 0
    # Arrays of larger elements first, so that each array is aligned.
    for key, array in sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        start, end = end, end + array.nbytes
        names[key] = {"dtype": _NAMES[array.dtype.str[1:]], "shape": list(array.shape), "data_offsets": [start, end]}
    header = json.dumps(names, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    with atomic_file(place) as temporary, temporary.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for key in names:
            array = arrays[key]
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            file.write(little.reshape(-1).view(np.uint8).data if little.size else b"")


class StoredElements(Mapping[int, np.ndarray]):
    """The elements in a file of values. A key is the position of a tensor among all values of the trace.

    The elements are read on access, and checked against their digests.
    """

    def __init__(self, path: Path, columns: Columns, stored: np.ndarray) -> None:
        from safetensors import SafetensorError, safe_open

        opener: Any = safe_open
        assert columns.digests is not None
        self._path = path
        self._digests = columns.digests
        self._forms = columns.form
        self._items = columns.tables.forms.items
        self._stored = stored
        self._count = int(np.count_nonzero(stored))
        try:
            self._file: Any = opener(path, framework="numpy")
        except (SafetensorError, OSError) as error:
            raise TraceValuesError(path, f"the file of values cannot be read ({error})") from error
        self._keys = frozenset(self._file.keys())

    def __getitem__(self, position: int) -> np.ndarray:
        if not (0 <= position < len(self._stored) and self._stored[position]):
            raise KeyError(position)
        key = self._digests[position].tobytes().hex()
        if key not in self._keys:
            raise TraceValuesError(self._path, f"the elements with digest {key} are missing from this file")
        value = self._items[self._forms[position]].value
        from safetensors import SafetensorError

        try:
            found = self._file.get_tensor(key)
        except (SafetensorError, OSError, ValueError, TypeError) as error:
            raise TraceValuesError(self._path, f"the elements with digest {key} cannot be read ({error})") from error
        if (value.dtype or "").startswith("complex") and found.dtype.kind == "f" and found.shape[-1:] == (2,):
            found = found.view(np.complex64 if found.dtype == np.float32 else np.complex128).reshape(found.shape[:-1])
        if digest(found) != key:
            raise TraceValuesError(self._path, f"the elements do not match their digest {key}")
        if found.shape != value.shape:
            raise TraceValuesError(self._path, f"the elements with digest {key} do not have the shape in the trace")
        return np.asarray(found)

    def __iter__(self) -> Iterator[int]:
        return iter(np.flatnonzero(self._stored).tolist())

    def __len__(self) -> int:
        return self._count
