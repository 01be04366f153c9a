"""One model's run, written to a trace file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from bridge.compare.errors import InputsError, WeightsError
from bridge.compare.io.inputs import Inputs
from bridge.compare.models.targets import DotNetTarget, PythonTarget
from bridge.compare.models.weights import give, read, state
from bridge.compare.run import one_thread, run
from bridge.mirror import is_mirror
from bridge.output.files import unwritable
from bridge.runtimes.binding import without_defaults
from bridge.runtimes.recording import Values
from bridge.trace.file import write
from bridge.weight_file import write_weights


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
    """Makes the model, runs it once and writes its trace to ``path``; gives what was written, as plain data.

    ``weights`` is ``none`` or a safetensors file; the model is made with torch's seed at ``seed``. ``save_inputs`` and ``save_weights``
    get the tensors that the model is given and its weights, as they are before the run, in TorchSharp's format. Raises CompareError.
    """
    step(f"making {target}")
    torch.manual_seed(seed)
    model = target.make()
    name = "dotnet" if is_mirror(model) else "pytorch"
    if weights in ("python", "dotnet"):
        raise WeightsError(f"--weights of a single model must be none or a .safetensors file, not '{weights}'.")
    if weights != "none":
        give(read(Path(weights)), [(name, model)], weights)
    given = inputs.bind(model)
    arguments = {key: value.to(device) if isinstance(value, torch.Tensor) else value for key, value in given.items()}
    saved = _snapshots(given, save_inputs), _snapshots(state(model), save_weights)
    step(f"running {target}")
    with one_thread():
        made = run(model.to(device), arguments, values=values, train=train, seed=seed)
    recorded = without_defaults(made.trace, model) if is_mirror(model) else made.trace
    for file, tensors in zip((save_inputs, save_weights), saved, strict=True):
        if file is not None:
            step(f"writing {file.name}")
            _write_tensors(file, tensors)
    step(f"writing {path.name}")
    try:
        write(path, recorded)
    except OSError as error:
        raise unwritable(path, error) from error
    return {
        "file": str(path),
        "runtime": made.runtime,
        "events": len(made.trace),
        "calls": made.trace.calls,
        "values": values,
        "seconds": made.seconds,
    }


def _snapshots(values: Mapping[str, Any], file: Path | None) -> dict[str, torch.Tensor]:
    """Copies of the tensors among ``values``: a run may write to them. None where there is no file for them."""
    if file is None:
        return {}
    return {name: value.detach().clone() for name, value in values.items() if isinstance(value, torch.Tensor)}


def _write_tensors(file: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    try:
        write_weights(file, tensors)
    except ValueError as error:  # an element type that TorchSharp lacks
        raise InputsError(f"{file} cannot be written: {error}.") from error
    except OSError as error:
        raise unwritable(file, error) from error
