"""``compare``: the comparison of a PyTorch model with its C# port, or of a C# model with itself on another runtime."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from bridge.commands import common
from bridge.commands.watch import Watchable, Watched, watch

#: The number of screen lines for the verdict and for the shell's prompt or the last line of --watch.
_OTHER_LINES = 5


@click.command(cls=Watchable, short_help="Compare a PyTorch model with its C# port.")
@click.option("--python", "python", metavar="FILE.py|MODULE:CLASS[(ARGS)]",
              help="The PyTorch model: a class, or a function that returns the model.")  # fmt: skip
@click.option("--reference", metavar="torchsharp[-in-process][:FOLDER]|dotnet",
              help="Instead of --python: compare with the same C# model on this runtime.")  # fmt: skip
@click.option("--dotnet", "dotnet", required=True, metavar="FILE.{dll,csproj,cs}:CLASS[(ARGS)]",
              help="The C# model: a class with its namespace, or a static method that returns the model.")  # fmt: skip
@common.input_options
@click.option("--cases", metavar="N|FROM..TO",
              help="Compare N inputs, or those numbered FROM to TO, and report the worst. With --shape, the sizes that are ranges "
                   "(--shape 1..4,3) vary. If there are none, each size varies that can be 1 larger without an error. With a function as "
                   "--input, each batch is an input.")  # fmt: skip
@click.option("--weights", default="python", show_default=True, metavar="none|python|dotnet|FILE.safetensors",
              help="Copy the weights of the PyTorch model (or of the model on --reference), of the C# model, or of a file to both "
                   "models; none copies nothing.")  # fmt: skip
@click.option("--map", "names", metavar="FILE|auto",
              help="Map the names of the port to PyTorch's: a file with a line PYTORCH = DOTNET for each name, or auto, which matches "
                   "modules by order, class and shapes.")  # fmt: skip
@click.option("--outputs", metavar="NAME[,NAME...]|FILE.py:FUNCTION",
              help="Compare only these results of the PyTorch model, by name or by a function.  [default: as many as C# "
                   "returns]")  # fmt: skip
@click.option("--any-structure", is_flag=True,
              help="Ignore how results are nested and keyed: (out, (h, c)) equals (out, h, c).")  # fmt: skip
@common.run_options
@common.forward_fires_option
@common.dotnet_runtime_option
@click.option("--backward", is_flag=True, help="Also compare the gradients of inputs and parameters.")
@click.option("--lockstep/--no-lockstep", default=None,
              help="Run each C# module in isolation on inputs of its PyTorch counterpart.  [default: if something differs]")  # fmt: skip
@common.tolerances_by_path
@click.option(
    "--exact",
    is_flag=True,
    help="Compare gradients bit by bit, without allowing the rounding errors of sums in another order.",
)
@click.option("--memory", "measures", is_flag=True,
              help="Also measure one call without gradients: the tensors that live and the peak by module, and the first module that "
                   "keeps tensors in C# that PyTorch frees.")  # fmt: skip
@click.option("--all", "show_all", is_flag=True, help="Show all findings and both traces.")
@click.option("--watch", "watching", is_flag=True,
              help="Compare again after each save of a file that the comparison reads, until Ctrl-C.")  # fmt: skip
@common.json_option
@common.html_option
@common.handle_errors
def compare(
    python: str | None,
    reference: str | None,
    dotnet: str,
    files: tuple[Path, ...],
    shapes: tuple[str, ...],
    seed: int,
    cases: str | None,
    weights: str,
    names: str | None,
    outputs: str | None,
    any_structure: bool,
    train: bool,
    device: str,
    forward_fires: bool,
    dotnet_runtime: str,
    backward: bool,
    lockstep: bool | None,
    rtol: float,
    atols: tuple[tuple[str | None, float], ...],
    exact: bool,
    measures: bool,
    show_all: bool,
    watching: bool,
    json_out: Path | None,
    html_out: Path | None,
) -> int:
    """Run a PyTorch model and its C# port, and report the first difference in structure and in values.

    With --reference, run the C# model on two runtimes: on this package and on TorchSharp itself, for example.

    Exit codes: 0: the models agree. 1: they differ, or there was nothing to compare. 2: the command could not run.

    \b
    Example:
      python -m bridge compare --python lenet.py:LeNet \\
        --dotnet Vision.dll:Vision.LeNet --shape 1,1,28,28
    """
    common.check_dotnet_runtime(dotnet_runtime, forward_fires)
    _check_reference(python, reference, dotnet_runtime, forward_fires)
    if names is not None and dotnet_runtime != "dotnet":
        raise click.UsageError(
            "--map works with --dotnet-runtime dotnet only: the names of models on TorchSharp cannot be mapped."
        )
    _check_memory(measures, reference, dotnet_runtime, cases)
    common.check_outputs(json_out, html_out, inputs=(*files, Path(weights)))
    if watching:
        if reference is not None:
            raise click.UsageError("--watch works with --python only.")
        return _watch(dotnet, dotnet_runtime, (*files, Path(weights), Path(names or weights)))
    watched = click.get_current_context().find_object(Watched)
    with common.progress() as step:
        step("starting torch")
        import torch

        from bridge.compare.comparison import compare as compare_models
        from bridge.compare.findings import Finding
        from bridge.compare.io.cases import compare_cases
        from bridge.compare.io.outputs import parse_outputs
        from bridge.compare.models import targets
        from bridge.compare.models.renamed_model import apply_map
        from bridge.compare.models.weights import share
        from bridge.compare.report import summary

        port = targets.dotnet_target(dotnet, forward_fires, dotnet_runtime)
        original: targets.PythonTarget | targets.DotNetTarget
        original = targets.python_target(python) if python is not None else replace(port, runtime=reference or "")
        make_cases = None if cases is None else common.load_cases(files, shapes, seed, cases)
        inputs = common.load_inputs(files, shapes, seed) if make_cases is None else None
        chosen = None if outputs is None else parse_outputs(outputs)
        common.check_device(device)
        step(f"constructing {original if python is not None else f'{original} on {reference}'}")
        torch.manual_seed(seed)
        left = original.make()
        step(f"{'loading' if port.path.suffix == '.dll' else 'building'} {port.path.name}")
        torch.manual_seed(seed)
        # Under --watch, load the assembly that was built; messages still name the user's file.
        built = port.path if watched is None else watched.assembly or port.path
        right = replace(port, path=built).make()
        matched: list[Finding] = []
        if names is not None:
            right, matched = apply_map(names, left, right)
        step("copying weights")
        share(weights, left, right, _names(reference, dotnet_runtime))
        options: dict[str, Any] = {
            "train": train, "backward": backward, "device": device, "rtol": rtol,
            "atol": next((number for path, number in reversed(atols) if path is None), 0.0),
            "by_path": [(path, number) for path, number in atols if path is not None], "exact": exact,
            "lockstep": lockstep, "outputs": chosen, "any_structure": any_structure, "step": step,
        }  # fmt: skip
        if inputs is not None:
            found = compare_models(left, right, inputs, seed=seed, **options)
        elif make_cases is not None:
            found = compare_cases(make_cases(left), (left, right), partial(compare_models, left, right), **options)
        found = replace(found, found=(*found.found, *matched))
        memory = None
        if measures and inputs is not None and not found.raised:
            from bridge.compare.memory.comparison import compare_memory

            step("measuring memory")
            memory = compare_memory(left, right, inputs, train=train, device=device, seed=seed)
        step("writing")
        if json_out is not None:
            common.write_json(
                json_out,
                summary.comparison_to_json(found) | ({} if memory is None else {"memory": memory.to_json()}),
            )
        common.write_html(
            html_out,
            found.diff,
            title=f"{original} and {port}" if python is not None else f"{port} on {reference} and on {dotnet_runtime}",
            verdict=found.verdict,
            figures=found.figures(),
            findings=found.findings,
            good=found.same,
        )
    _show(found, json_out, html_out, show_all, watched is not None)
    if memory is not None:
        common.make_console(json_out).print(
            f"{memory.table()}\n{memory.explain()}", soft_wrap=True, highlight=False, markup=False
        )
    return common.SAME if found.same else common.DIFFERENT


def _check_reference(python: str | None, reference: str | None, runtime: str, forward_fires: bool) -> None:
    """Raise UsageError if both or neither of ``--python`` and ``--reference`` are given, or if ``--reference`` is unsuitable."""
    if (python is None) == (reference is None):
        raise click.UsageError(
            "give either --python, a PyTorch model, or --reference, another runtime for the C# model, for example "
            "--reference torchsharp-in-process."
        )
    if reference is None:
        return
    common.check_dotnet_runtime(reference, forward_fires, "--reference")
    if reference == runtime:
        raise click.UsageError(f"--reference and --dotnet-runtime are both {runtime}: use two runtimes.")


def _check_memory(measures: bool, reference: str | None, runtime: str, cases: str | None) -> None:
    """Raise UsageError if ``--memory`` is given with an option that it does not work with."""
    if measures and (reference is not None or runtime != "dotnet"):
        raise click.UsageError(
            "--memory works with --python and --dotnet-runtime dotnet only: Bridge.Torch knows the line that creates a tensor, and counts "
            "those that TorchSharp keeps."
        )
    if measures and cases is not None:
        raise click.UsageError("--memory measures one input: leave out --cases.")


def _names(reference: str | None, runtime: str) -> tuple[str, str]:
    """Return the names of the two models in messages: the runtimes, with their folders if only the folders differ."""
    if reference is None:
        return "pytorch", "dotnet"
    left, right = reference.partition(":")[0], runtime.partition(":")[0]
    return (left, right) if left != right else (reference, runtime)


def _watch(dotnet: str, runtime: str, files: tuple[Path, ...]) -> int:
    from bridge.clr.find.installation import find_dotnet
    from bridge.compare.errors import TargetError
    from bridge.compare.models import targets

    target = targets.dotnet_target(dotnet).path
    if not target.is_file():
        raise TargetError(f"there is no file {target} in {Path.cwd()}.")
    if target.suffix != ".dll":
        find_dotnet(sdk=True)  # reports a missing SDK, which the child process could not
    return watch(target, runtime, [file for file in files if file.is_file()])


def _show(found: object, json_out: Path | None, html_out: Path | None, show_all: bool, watched: bool) -> None:
    """Print the verdict and the findings (on a terminal, at most a screen of findings); with ``show_all``, all findings and both traces."""
    from rich.text import Text

    from bridge.compare.report.terminal import first_lines, render_traces
    from bridge.compare.result import Comparison

    assert isinstance(found, Comparison)
    console = common.make_console(json_out)
    if watched and console.is_terminal:
        console.clear()
    console.print(Text(found.verdict, style=f"bold {'green' if found.same else 'red'}"), soft_wrap=True)
    if words := found.explain(all_of_them=show_all):
        if console.is_terminal and not show_all:
            words = first_lines(words, console.width, console.height - _OTHER_LINES)
        console.print(Text(words), soft_wrap=True)
    if show_all:
        console.print(render_traces(found.diff, limit=common.ROWS))
    common.print_report_path(console, html_out)
