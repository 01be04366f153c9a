"""``compare``: a PyTorch model and its C# port, side by side."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common


@click.command(short_help="Compare a PyTorch model with its C# port.")
@click.option("--python", "python", required=True, metavar="PKG.MOD:FACTORY", help="The PyTorch model.")
@click.option("--dotnet", "dotnet", required=True, metavar="PATH.{dll,csproj,cs}:TYPE[(ARGS)]", help="The C# model.")
@common.input_options
@click.option("--weights", default="python", show_default=True, metavar="none|python|dotnet|FILE.safetensors",
              help="The weights that both models use, copied by name.")  # fmt: skip
@common.run_options
@common.forward_fires_option
@click.option("--backward", is_flag=True, help="Also compare the gradients of inputs and parameters.")
@common.tolerance_options
@common.json_option
@common.html_option
@common.exits
def compare(
    python: str,
    dotnet: str,
    files: tuple[Path, ...],
    shapes: tuple[str, ...],
    seed: int,
    weights: str,
    train: bool,
    device: str,
    forward_fires: bool,
    backward: bool,
    rtol: float,
    atol: float,
    json_out: Path | None,
    html_out: Path | None,
) -> int:
    """Run a PyTorch model and its C# port, and report the first difference in structure and in values.

    Exit codes: 0: they agree. 1: they differ. 2: could not run.
    """
    common.check_outputs(json_out, html_out, inputs=(*files, Path(weights)))
    with common.progress() as step:
        step("starting torch")
        import torch

        from bridge.compare import summary, targets
        from bridge.compare.comparing import compare as compared
        from bridge.compare.weight_sharing import share

        original, port = targets.python_target(python), targets.dotnet_target(dotnet, forward_fires)
        inputs = common.chosen_inputs(files, shapes, seed)
        common.check_device(device)
        step(f"making {original}")
        torch.manual_seed(seed)
        left = original.make()
        step(f"{'loading' if port.path.suffix == '.dll' else 'building'} {port.path.name}")
        torch.manual_seed(seed)
        right = port.make()
        step("copying weights")
        share(weights, left, right)
        found = compared(
            left,
            right,
            inputs,
            train=train,
            backward=backward,
            device=device,
            rtol=rtol,
            atol=atol,
            seed=seed,
            step=step,
        )
        step("writing")
        if json_out is not None:
            common.emit_json(json_out, summary.of_comparison(found))
        common.emit_html(
            html_out, found.diff, title=f"{original} and {port}", verdict=found.verdict, figures=found.figures()
        )
    _show(found, json_out)
    return common.SAME if found.same else common.DIFFERENT


def _show(found: object, json_out: Path | None) -> None:
    from rich.text import Text

    from bridge.compare.comparing import Comparison
    from bridge.compare.terminal import side_by_side

    assert isinstance(found, Comparison)
    console = common.screen(json_out)
    if console.is_terminal:
        console.print(side_by_side(found.diff, limit=common.ROWS))
    console.print(Text(found.verdict, style=f"bold {'green' if found.same else 'red'}"), soft_wrap=True)
    if words := found.explain():
        console.print(Text(words), soft_wrap=True)
