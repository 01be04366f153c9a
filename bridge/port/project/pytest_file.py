"""The test of a port for pytest, which compares the C# with its original."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import torch
from torch.overrides import resolve_name

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
    keywords: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """Return a test that compares the C# with the original, with equal weights, by :func:`bridge.testing.assert_same_model`.

    With ``masked`` attention, PyTorch's fused kernels are off, since they compute masks differently. ``place`` is the folder from which the
    original is imported, relative to the test's folder; None if it is installed. ``keywords`` are arguments of the C# constructor.
    """
    outer, _, _ = original.factory.partition(".")
    words = [f"{name}={value!r}" for name, value in original.keywords.items()]
    called = ", ".join([*map(repr, original.arguments), *words])
    return render(
        "test.py",
        loaded=", ".join([f'FOLDER / "{csproj}", "{type_}"', *_keywords(keywords)]),
        module=original.module,
        name=outer,
        original=f"{original.factory}({called})",
        inputs=", ".join(_keywords(arguments)),
        masked=masked,
        place=place,
    )


def _keywords(arguments: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_draw(value)}" for name, value in arguments.items()]


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
    if callable(value) and (name := resolve_name(value)):  # a function of torch
        return str(name)
    return f'float("{value}")' if isinstance(value, float) and not math.isfinite(value) else repr(value)
