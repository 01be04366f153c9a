"""bridge/clr/call/boundary.py: what Python and .NET share is what libtorch and NumPy say."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
import torch

from bridge.clr.call import boundary
from bridge.clr.start.runtime import libtorch


def test_dtype_numbers_and_names_are_libtorchs() -> None:
    library = ctypes.PyDLL(str(libtorch(Path(torch.__file__).parent / "lib")))
    asked = {}
    for number, name in boundary.dtypes().items():
        function = getattr(library, f"aoti_torch_dtype_{name}", None)
        if function is not None:
            asked[name] = function() == number
    assert all(asked.values()), asked
    assert len(asked) >= 16


@pytest.mark.parametrize("record", [entry["name"] for entry in boundary.manifest()["records"]])
def test_a_record_has_no_padding_and_no_unaligned_field(record: str) -> None:
    packed, aligned = np.dtype(boundary.fields(record)), np.dtype(boundary.fields(record), align=True)
    assert packed == aligned


def test_an_unknown_name_is_named() -> None:
    with pytest.raises(KeyError, match=r"boundary\.json does not list Missing under 'enums'"):
        boundary.members("Missing")
