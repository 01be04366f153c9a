"""The test of a port for pytest, which compares the C# with its original."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from bridge.compare.models.targets import PythonTarget
from bridge.port.project.program import bound
from bridge.port.project.rendering import render


def render_test(
    csproj: str,
    type_: str,
    arguments: Mapping[str, Any],
    original: PythonTarget,
    masked: bool = False,
    place: str | None = None,
) -> str:
    """Return a test by :func:`bridge.testing.assert_same_model`: the C# beside the original with the same weights.

    With ``masked`` attention, PyTorch's fused kernels are off, since they compute it otherwise. ``place`` is the folder, seen from the
    test's, that the original is imported from; None where it is installed.
    """
    outer, _, _ = original.factory.partition(".")
    keywords = [f"{name}={value!r}" for name, value in original.keywords.items()]
    called = ", ".join([*map(repr, original.arguments), *keywords])
    return render(
        "test.py",
        csproj=csproj,
        type=type_,
        module=original.module,
        name=outer,
        original=f"{original.factory}({called})",
        inputs=", ".join(f"{name}={_draw(value)}" for name, value in arguments.items()),
        masked=masked,
        place=place,
    )


def _draw(value: Any) -> str:
    """Return the Python expression for an input of the same kind, random if it is a tensor."""
    if isinstance(value, torch.Tensor):
        shape = f"({', '.join(map(str, value.shape))}{',' if value.dim() == 1 else ''})"
        if value.is_floating_point() or value.is_complex():
            ends = "" if value.dtype == torch.float32 else f", dtype={value.dtype}"
            return f"torch.rand({shape}{ends})"
        ends = "" if value.dtype == torch.int64 else f", dtype={value.dtype}"
        return f"torch.randint({bound(value)}, {shape}{ends})"
    if isinstance(value, (list, tuple)):
        words = ", ".join(map(_draw, value))
        return f"[{words}]" if isinstance(value, list) else f"({words}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name!r}: {_draw(one)}' for name, one in value.items())}}}"
    return repr(value)
