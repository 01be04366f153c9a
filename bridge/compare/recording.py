"""The recording of one run of a model to a trace file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from bridge.compare.errors import InputsError, WeightsError
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.targets import DotNetTarget, PythonTarget
from bridge.compare.models.weights import load_into, read_weights, state
from bridge.compare.run import one_thread, run, runtime_name
from bridge.mirror import is_mirror
from bridge.runtimes.binding import without_defaults
from bridge.runtimes.recording import Values
from bridge.trace.file import write
from bridge.weight_file import write_weights
from hook_contract.output.files import output_errors


def record_to(
    path: Path,
    target: PythonTarget | DotNetTarget,
    inputs: Inputs,
    *,
    values: Values = "digest",
    weights: str = "none",
    train: bool = False,
    device: str = "cpu",
    seed: int = 0,
    save_inputs: Path | None = None,
    save_weights: Path | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Construct the model, run it once and write its trace to ``path``; return a summary as JSON values.

    ``weights`` is ``none`` or a safetensors file. ``seed`` seeds torch before the constructor and again before the run. ``save_inputs``
    and ``save_weights`` are files for the tensor arguments and the state dict before the run, in TorchSharp's format. Raises CompareError,
    and OutputError for a file that cannot be written.
    """
    step(f"constructing {target}")
    torch.manual_seed(seed)
    model = target.make()
    if weights in ("python", "dotnet"):
        raise WeightsError(f"--weights of a single model must be none or a .safetensors file, not '{weights}'.")
    if weights != "none":
        load_into(read_weights(Path(weights)), [(runtime_name(model), model)], weights)
    given = inputs.bind(model)
    arguments = {key: value.to(device) if isinstance(value, torch.Tensor) else value for key, value in given.items()}
    saved = _snapshots(given, save_inputs), _snapshots(state(model), save_weights)
    step(f"running {target}")
    model.to(device)  # in place: a model's own ``to`` may return nothing
    with one_thread():
        recorded = run(model, arguments, values=values, train=train, seed=seed)
    trace = without_defaults(recorded.trace, model) if is_mirror(model) else recorded.trace
    for file, tensors in zip((save_inputs, save_weights), saved, strict=True):
        if file is not None:
            step(f"writing {file.name}")
            _write_tensors(file, tensors)
    step(f"writing {path.name}")
    with output_errors(path):
        write(path, trace)
    return {
        "file": str(path),
        "runtime": recorded.runtime,
        "events": len(recorded.trace),
        "calls": recorded.trace.calls,
        "values": values,
        "seconds": recorded.seconds,
    }


def _snapshots(values: Mapping[str, Any], file: Path | None) -> dict[str, torch.Tensor]:
    """Copy the tensors among ``values``, which a run may change; return no copies if ``file`` is None."""
    if file is None:
        return {}
    return {name: value.detach().clone() for name, value in values.items() if isinstance(value, torch.Tensor)}


def _write_tensors(file: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    try:
        with output_errors(file):
            write_weights(file, tensors)
    except ValueError as error:  # TorchSharp's format cannot store a tensor of this kind
        raise InputsError(f"{file} cannot be written: {error}.") from error
