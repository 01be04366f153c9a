"""``trace``: the recording of a model's run to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.commands import common

if TYPE_CHECKING:
    from bridge.runtimes.recording import Values


@click.command(short_help="Record one run of a model to a file.")
@click.option("--python", "python", metavar="FILE.py|MODULE:CLASS[(ARGS)]",
              help="A PyTorch model: a class, or a function that returns the model.")  # fmt: skip
@click.option("--dotnet", "dotnet", metavar="FILE.{dll,csproj,cs}:CLASS[(ARGS)]",
              help="A C# model: a class with its namespace, or a static method that returns the model.")  # fmt: skip
@click.option("-o", "--output", required=True, type=common.OUTPUT_FILE, metavar="FILE.jsonl",
              help="The file to write the trace to.")  # fmt: skip
@click.option("--values", type=click.Choice(("digest", "full", "none")), default="digest", show_default=True,
              help="Store a digest of each tensor's elements, all elements (full), or only shape and dtype (none).")  # fmt: skip
@common.input_options
@click.option("--weights", default="none", show_default=True, metavar="none|FILE.safetensors",
              help="Load the weights from a file; none keeps the initial weights.")  # fmt: skip
@click.option("--save-inputs", type=common.OUTPUT_FILE, metavar="FILE",
              help="Also write the model's inputs in TorchSharp's format, for a C# program.")  # fmt: skip
@click.option("--save-weights", type=common.OUTPUT_FILE, metavar="FILE",
              help="Also write the model's weights in TorchSharp's format, for model.load in C#.")  # fmt: skip
@common.run_options
@common.forward_fires_option
@common.dotnet_runtime_option
@common.json_option
@common.handle_errors
def trace(
    python: str | None,
    dotnet: str | None,
    output: Path,
    values: Values,
    files: tuple[Path, ...],
    shapes: tuple[str, ...],
    seed: int,
    weights: str,
    save_inputs: Path | None,
    save_weights: Path | None,
    train: bool,
    device: str,
    forward_fires: bool,
    dotnet_runtime: str,
    json_out: Path | None,
) -> int:
    """Record one run of a PyTorch or C# model to a file. `diff` compares two such files.

    Exit codes: 0: the trace was written. 2: the command could not run.

    \b
    Examples:
      python -m bridge trace -o python.jsonl \\
        --python lenet.py:LeNet --shape 1,1,28,28
      python -m bridge trace -o dotnet.jsonl \\
        --dotnet Vision.dll:Vision.LeNet --shape 1,1,28,28
    """
    if (python is None) == (dotnet is None):
        raise click.UsageError("the command needs one model: use --python FILE.py:CLASS or --dotnet FILE.dll:CLASS.")
    if forward_fires and dotnet is None:
        raise click.UsageError("--forward-fires needs a C# model: use --dotnet.")
    if dotnet_runtime != "dotnet" and dotnet is None:
        raise click.UsageError("--dotnet-runtime needs a C# model: use --dotnet.")
    common.check_dotnet_runtime(dotnet_runtime, forward_fires)
    from bridge.trace.file import beside

    values_out = beside(output) if values == "full" else None
    common.check_outputs(output, values_out, json_out, save_inputs, save_weights, inputs=(*files, Path(weights)))
    with common.progress() as step:
        step("starting torch")
        from bridge.compare.models import targets
        from bridge.compare.recording import record_to
        from hook_contract.output.sentences import plural

        target: targets.PythonTarget | targets.DotNetTarget = (
            targets.python_target(python)
            if python is not None
            else targets.dotnet_target(dotnet or "", forward_fires, dotnet_runtime)
        )
        inputs = common.load_inputs(files, shapes, seed)
        common.check_device(device)
        recorded = record_to(
            output, target, inputs, values=values, weights=weights, train=train, device=device, seed=seed, step=step,
            save_inputs=save_inputs, save_weights=save_weights,
        )  # fmt: skip
        common.write_json(json_out, recorded)
    console = common.make_console(json_out)
    console.print(
        f"{output}: {plural(recorded['events'], 'event')}, {plural(recorded['calls'], 'module call')} of {target}",
        soft_wrap=True,
        markup=False,
    )
    return common.SAME
