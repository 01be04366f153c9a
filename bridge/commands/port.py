"""``port``: the translation of a PyTorch model to a C# project."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.commands import common


@click.command(short_help="Translate a PyTorch model to a C# project.")
@click.argument("model", metavar="FILE.py|MODULE:CLASS[(ARGS)]")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FOLDER",
              help="The folder of the project, which must be new or empty.")  # fmt: skip
@common.input_options
@click.option("--train", is_flag=True, help="Also compare in train mode, including the buffers after the run.")
@click.option("--backward", is_flag=True, help="Also compare the gradients of inputs and parameters.")
@click.option("--runtime", type=click.Choice(("torchsharp", "bridge")), default="torchsharp", show_default=True,
              help="The package reference of the project: TorchSharp or Bridge.Torch.")  # fmt: skip
@common.handle_errors
def port(
    model: str,
    output: Path,
    files: tuple[Path, ...],
    shapes: tuple[str, ...],
    seed: int,
    train: bool,
    backward: bool,
    runtime: str,
) -> int:
    """Translate a PyTorch model to a C# project for TorchSharp, build it, and compare it with the original.

    The model runs once on the inputs, to determine the types of its values. Code that cannot be translated is listed as left to do, and
    the other modules are compared. Without a .NET SDK, the project is written, but neither built nor compared.

    Exit codes: 0: the port is complete and agrees. 1: it is incomplete, differs, or was not compared. 2: the command could not run.

    \b
    Example:
      python -m bridge port lenet.py:LeNet \\
        --shape 1,1,28,28 -o LeNet
    """
    with common.progress() as step:
        step("starting torch")
        import torch

        from bridge.compare.errors import CompareError
        from bridge.compare.models import targets
        from bridge.port import porting, project, proving
        from bridge.port.making import made

        target = targets.python_target(model)
        project.check_folder(output)
        inputs = common.load_inputs(files, shapes, seed)
        step(f"constructing {target}")
        torch.manual_seed(seed)
        original, given = made(target.make)
        arguments = porting.given_alone(original, inputs.bind(original.eval()))
        name = project.namespace_of(output.resolve())
        written = porting.write(original, given, arguments, name, step)
        step(f"writing {output.name}")
        project.write_project(output, written, original, arguments, target, runtime)
        judged, why = None, "there is no .NET SDK."
        if proving.can_build():
            try:
                judged = proving.judge(
                    original,
                    output / f"{name}.csproj",
                    f"{written.namespace}.{written.root}",
                    arguments,
                    seed=seed,
                    step=step,
                    modes=(False, True) if train else (False,),
                    backward=backward,
                    unfinished=written.unfinished,
                )
            except CompareError as error:
                if not written.left:
                    raise
                why = str(error)  # reported with the code that is left to do, which may be the cause
    console = common.make_console(None)
    lines = proving.report(output, written, judged, why)
    for line in (*lines, "", *project.next_commands(output, runtime, left=bool(written.left))):
        console.print(line, soft_wrap=True, markup=False, highlight=False)
    return common.SAME if judged and not written.left and all(result.same for _, result in judged) else common.DIFFERENT
