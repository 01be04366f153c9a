"""The header of a recording: versions, threads, seed, and digests of inputs and weights."""

from __future__ import annotations

import platform
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
import torch

from bridge.runtimes.recording import Values, elements
from bridge.trace import Header, Trace
from bridge.trace.event import PHASES, SCOPES, digest
from bridge.version import __version__

_PYTHON: Final = platform.python_version()


def make_header(
    runtime: str,
    version: str,
    roots: Mapping[str, torch.nn.Module],
    modules: Collection[torch.nn.Module],
    values: Values,
    *,
    dotnet: str | None = None,
) -> Header:
    """Return the header of a recording that is about to begin. The header has digests of the weights unless ``values`` is ``none``."""
    first = next(
        (parameter for module in modules for parameter in module._parameters.values() if parameter is not None), None
    )
    return Header(
        runtime,
        version,
        __version__,
        torch.__version__,
        _PYTHON,
        dotnet,
        "cpu" if first is None else str(first.device),
        torch.get_num_threads(),
        torch.initial_seed(),
        len(modules),
        values,
        tuple(roots),
        weights=weights(roots) if values != "none" else {},
    )


def weights(roots: Mapping[str, torch.nn.Module]) -> dict[str, str]:
    """Return the digest of each tensor in the models' ``state_dict`` whose elements can be copied.

    A key is the name of the root, a dot and the tensor's name in ``state_dict``. For a root named "", the key is only the tensor's name.
    """
    found = {}
    for root, model in roots.items():
        for name, tensor in model.state_dict().items():
            data = elements(tensor) if isinstance(tensor, torch.Tensor) else None
            if data is not None:
                found[".".join(part for part in (root, name) if part)] = digest(data)
    return found


def add_input_digests(trace: Trace) -> Trace:
    """Add the digests of the root calls' arguments to the trace's header, if the trace has digests, and return the trace."""
    if trace.header is not None and trace.header.values != "none":
        trace.header = replace(trace.header, inputs=inputs(trace))
    return trace


def inputs(trace: Trace) -> dict[str, str]:
    """Return the digests of the root calls' tensor arguments, or {} for a trace without digests.

    A key is ``CALL.POSITION``: the index of the call among the root calls, and the index of the tensor among the values of the call's
    ``pre`` event.
    """
    columns = trace.columns
    if columns.digests is None:
        return {}
    entered = (columns.phase == PHASES.index("pre")) & (columns.scope == SCOPES.index("global"))
    forms, firsts = columns.tables.forms.items, columns.firsts()
    found = {}
    for call, row in enumerate(np.flatnonzero(entered & (columns.parent == -1)).tolist()):
        start = int(firsts[row])
        for position in range(start, int(firsts[row + 1])):
            if forms[columns.form[position]].hashed:
                found[f"{call}.{position - start}"] = columns.digests[position].tobytes().hex()
    return found
