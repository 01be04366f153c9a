"""``export``: the export of a C# model to a file that runs without .NET."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common


def _split(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str] | None:
    """Return the names of a list with commas."""
    if value is None:
        return None
    names = [name.strip() for name in value.split(",")]
    if not all(names):
        raise click.BadParameter(f"'{value}' has an empty name.", context, parameter)
    return names


@click.command(short_help="Write a C# model as ONNX or .pt2.")
@click.argument("model", metavar="FILE.{dll,csproj,cs}:CLASS[(ARGS)]")
@click.option("-o", "--output", required=True, type=common.OUTPUT_FILE, metavar="FILE.onnx|.pt2",
              help="The file to write: ONNX, or an ExportedProgram of PyTorch.")  # fmt: skip
@common.input_options
@click.option("--weights", default="none", show_default=True, metavar="none|FILE.safetensors|.dat",
              help="Load the weights from a file; .dat is TorchSharp's format. none keeps the initial weights.")  # fmt: skip
@click.option("--dynamic", multiple=True, metavar="NAME[=[INPUT:]DIM]",
              help="A dimension whose size may differ in each call: 'batch' is dimension 0 of all inputs, 'length=tokens:1' dimension 1 "
                   "of the input 'tokens'. Repeatable.")  # fmt: skip
@click.option("--infer-sizes", is_flag=True,
              help="If C# reads a dynamic size as a number, trace at several sizes and infer how the numbers depend on it. A branch on a "
                   "size is found only if it changes the result at a size that is tried.")  # fmt: skip
@click.option("--input-names", callback=_split, metavar="NAME[,NAME...]",
              help="The names of the inputs in an ONNX file.  [default: the parameters of forward]")  # fmt: skip
@click.option("--output-names", callback=_split, metavar="NAME[,NAME...]",
              help="The names of the outputs in an ONNX file.")  # fmt: skip
@click.option("--opset", type=click.IntRange(min=1), metavar="N",
              help="The version of ONNX's operators.  [default: PyTorch's choice]")  # fmt: skip
@click.option("--rtol", type=common.TOLERANCE, default=1e-4, show_default=True, metavar="FLOAT",
              help="Tolerance for results, relative to the largest element.")  # fmt: skip
@click.option("--atol", type=common.TOLERANCE, default=0.0, show_default=True, metavar="FLOAT",
              help="Absolute tolerance for results.")  # fmt: skip
@common.forward_fires_option
@common.json_option
@common.handle_errors
def export(
    model: str,
    output: Path,
    files: tuple[Path, ...],
    shapes: tuple[str, ...],
    seed: int,
    weights: str,
    dynamic: tuple[str, ...],
    infer_sizes: bool,
    input_names: list[str] | None,
    output_names: list[str] | None,
    opset: int | None,
    rtol: float,
    atol: float,
    forward_fires: bool,
    json_out: Path | None,
) -> int:
    """Write a C# model with its weights as ONNX or .pt2, and check the file against the model.

    The file is run by ONNX Runtime (or PyTorch) on other inputs than those of the export, and on other sizes of the dynamic dimensions.
    A model is refused, with the module's path, if the file would have fixed something in silence: a branch on elements of tensors, a size
    that C# reads as a number, random numbers, changes from call to call.

    Exit codes: 0: the file was written, and gives the model's results. 2: it was not written.

    \b
    Example:
      python -m bridge export Vision.dll:Vision.LeNet \\
        --shape 1,1,28,28 --dynamic batch -o lenet.onnx
    """
    common.check_outputs(output, json_out, inputs=(*files, Path(weights)))
    with common.progress() as step:
        step("starting torch")
        import torch

        from bridge.compare.models import targets
        from bridge.compare.models.weights import load_into, read_any
        from bridge.exporting import exporter

        exporter.check_request(output, input_names, output_names, opset)
        read = read_any(Path(weights)) if weights != "none" else None
        target = targets.dotnet_target(model, forward_fires)
        inputs = common.load_inputs(files, shapes, seed)
        step(f"constructing {target}")
        torch.manual_seed(seed)
        made = target.make().eval()
        if read is not None:
            step(f"loading {weights}")
            load_into(read, [("dotnet", made)], weights)
        exported = exporter.export(
            made, inputs, output, dynamic=dynamic, input_names=input_names, output_names=output_names, opset=opset,
            infer_sizes=infer_sizes, rtol=rtol, atol=atol, seed=seed, step=step,
        )  # fmt: skip
        common.write_json(json_out, exported.to_json())
    console = common.make_console(json_out)
    for line in str(exported).splitlines():
        console.print(line, soft_wrap=True, markup=False, highlight=False)
    return common.SAME
