"""One model's run, written to a trace file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from bridge.compare.compare_errors import WeightsError
from bridge.compare.inputs import Inputs
from bridge.compare.one_run import one_thread, run
from bridge.compare.targets import DotNetTarget, PythonTarget
from bridge.compare.weight_sharing import give, read
from bridge.mirror import is_mirror
from bridge.output.files import unwritable
from bridge.runtimes.binding import without_defaults
from bridge.runtimes.recording import Values
from bridge.trace.file import write


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
    step: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Makes the model, runs it once and writes its trace to ``path``; gives what was written, as plain data.

    ``weights`` is ``none`` or a safetensors file; the model is made with torch's seed at ``seed``. Raises CompareError.
    """
    step(f"making {target}")
    torch.manual_seed(seed)
    model = target.make()
    name = "dotnet" if is_mirror(model) else "pytorch"
    if weights in ("python", "dotnet"):
        raise WeightsError(f"for one model, weights must be none or a .safetensors file, not {weights}.")
    if weights != "none":
        give(read(Path(weights)), [(name, model)], weights)
    given = inputs.bind(model)
    arguments = {key: value.to(device) if isinstance(value, torch.Tensor) else value for key, value in given.items()}
    step(f"running {target}")
    with one_thread():
        made = run(model.to(device), arguments, values=values, train=train, seed=seed)
    recorded = without_defaults(made.trace, model) if is_mirror(model) else made.trace
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
