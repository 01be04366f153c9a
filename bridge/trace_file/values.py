"""The file of values beside a trace file: the elements of tensors by their digest, in safetensors.

Equal tensors stand there once. Safetensors has no complex numbers but complex64, so every complex array is stored as reals, with a
last dimension of 2; the event's dtype tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from bridge.columns import Columns
from bridge.event import digest
from bridge.trace_file.errors import TraceValuesError, TraceWriteError

_REAL: Final = {"complex64": np.float32, "complex128": np.float64}
#: Kinds of NumPy dtype that the format has: booleans, integers, floats up to 64 bits, and complex numbers of them.
_KINDS: Final = "biufc"


def beside(path: Path) -> Path:
    """Where the values of a trace file stand: ``run.jsonl`` has ``run.values.safetensors``."""
    return path.with_name(f"{path.stem if path.suffix == '.jsonl' else path.name}.values.safetensors")


def check(path: Path, arrays: Iterable[np.ndarray]) -> None:
    """Raises TraceWriteError for a dtype that the format lacks."""
    for dtype in {array.dtype for array in arrays}:
        if dtype.kind not in _KINDS or (dtype.kind == "c" and dtype.name not in _REAL):
            raise TraceWriteError(path, f"elements of dtype {dtype} cannot be written")


def save(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Writes arrays by key. Raises TraceWriteError for a dtype that the format lacks, OSError where it cannot be written."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    stored = {}
    for key, array in arrays.items():
        plain: np.ndarray = np.ascontiguousarray(array).reshape(array.shape)
        if array.dtype.kind == "c":
            plain = plain.reshape(*plain.shape, 1).view(_REAL[array.dtype.name])
        stored[key] = plain
    try:
        save_file(stored, path)
    except SafetensorError as error:
        raise OSError(str(error)) from error
    except KeyError as error:
        raise TraceWriteError(path, f"elements of dtype {error} cannot be written") from error


class Stored(Mapping[int, np.ndarray]):
    """The elements of values by position, read from the file when they are looked at and checked against their digest."""

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
            raise TraceValuesError(self._path, f"the trace has elements of the digest {key}, and this file has not")
        value = self._items[self._forms[position]].value
        found = self._file.get_tensor(key)
        if (value.dtype or "").startswith("complex") and found.dtype.kind == "f" and found.shape[-1:] == (2,):
            found = found.view(np.complex64 if found.dtype == np.float32 else np.complex128).reshape(found.shape[:-1])
        if digest(found) != key:
            raise TraceValuesError(self._path, f"the elements of the digest {key} are not those that were written")
        if found.shape != value.shape:
            raise TraceValuesError(self._path, f"the elements of the digest {key} have another shape than in the trace")
        return np.asarray(found)

    def __iter__(self) -> Iterator[int]:
        return iter(np.flatnonzero(self._stored).tolist())

    def __len__(self) -> int:
        return self._count
