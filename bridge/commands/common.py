"""The shared parts of the commands: options, inputs and error messages, beside those of :mod:`hook_contract.commands.common`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hook_contract.commands.common import (
    CANNOT_RUN,
    DIFFERENT,
    INTERRUPTED,
    OUTPUT_FILE,
    SAME,
    check_outputs,
    combine,
    error_handler,
    json_option,
    make_console,
    print_report_path,
    progress,
    report_error,
    write_json,
)
from hook_contract.commands.terminal import stdio

if TYPE_CHECKING:
    from bridge.trace.diff import Diff

__all__ = [
    "CANNOT_RUN",
    "DIFFERENT",
    "INTERRUPTED",
    "OUTPUT_FILE",
    "SAME",
    "check_outputs",
    "json_option",
    "make_console",
    "print_report_path",
    "progress",
    "write_json",
]

#: If two traces that are printed side by side take more lines than this, equal events are folded.
ROWS: Final = 40


class _Tolerance(click.FloatRange):
    """A finite number of at least 0. click's FloatRange accepts NaN and infinity."""

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


TOLERANCE: Final = _Tolerance()


class _Seed(click.types.IntParamType):
    """A seed of torch. click's IntRange would print the range in the help."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not 0 <= number < 2**64:
            self.fail(f"{number} is not in the range from 0 to {2**64 - 1}.", param, ctx)
        return number


class _PathTolerance(_Tolerance):
    """A tolerance for all modules; with ``PATH=VALUE``, for a module and its descendants; with ``GLOB=VALUE``, for matching modules."""

    name = "tolerance"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path, equals, number = str(value).rpartition("=")
        return (path if equals else None, super().convert(number, param, ctx))


# fmt: off
html_option = click.option("--html", "html_out", type=OUTPUT_FILE, metavar="OUT",
                           help="Write an HTML page with the result and both traces.")
_rtol = click.option("--rtol", type=_Tolerance(), default=0.0, show_default=True, metavar="FLOAT",
                     help="Relative tolerance for values.")
_atol = click.option("--atol", type=_Tolerance(), default=0.0, show_default=True, metavar="FLOAT",
                     help="Absolute tolerance for values.")
_atols = click.option("--atol", "atols", type=_PathTolerance(), multiple=True, metavar="[PATH=]FLOAT",
                      help="Absolute tolerance for values, or for those of one module and everything inside it: --atol encoder.norm=1e-5. "
                           "A * in PATH matches anything. Repeatable.  [default: 0.0]")
#: ``--rtol`` and ``--atol``: x and y are equal when |x - y| <= atol + rtol * max(|x|, |y|).
tolerance_options = combine(_rtol, _atol)
#: ``--rtol``, and ``--atol`` as pairs of a module path (None for all modules) and a number.
tolerances_by_path = combine(_rtol, _atols)
input_options = combine(
    click.option("--input", "files", type=click.Path(path_type=Path), multiple=True, metavar="FILE.npy|.npz|.py:FUNCTION",
                 help="Read an input (.npy), inputs by parameter name (.npz), or all inputs from a function. Repeatable for files."),
    click.option("--shape", "shapes", multiple=True, metavar="[NAME=]1,3,224,224[:DTYPE[<N]]",
                 help="Draw a random input of this shape, for the next parameter of forward or for NAME. DTYPE is float32 by default; "
                      "'1,16:int64<30522' draws integers below 30522. Repeatable."),
    click.option("--seed", type=_Seed(), metavar="N", default=0, show_default=True,
                 help="Seed for random inputs, weights, dropout and gradients."),
)
device_option = click.option("--device", type=click.Choice(("cpu", "cuda")), default="cpu", show_default=True,
                             help="The device of the models.")
run_options = combine(
    click.option("--train", is_flag=True, help="Run in train mode instead of eval mode."), device_option
)
forward_fires_option = click.option("--forward-fires", is_flag=True,
                                    help="Run each child.forward(x) of the C# model as child.call(x), so that hooks fire.")
dotnet_runtime_option = click.option("--dotnet-runtime", default="dotnet", show_default=True,
                                     metavar="dotnet|torchsharp[-in-process][:FOLDER]",
                                     help="Run the C# model on this package (dotnet), or on TorchSharp itself: in a process of its own "
                                          "(torchsharp) or in this one. FOLDER contains TorchSharp.dll.")
# fmt: on


def check_dotnet_runtime(runtime: str, forward_fires: bool, option: str = "--dotnet-runtime") -> None:
    """Raise UsageError for an unknown runtime, and for ``--forward-fires`` with TorchSharp in a process of its own."""
    name = runtime.partition(":")[0]
    if runtime != "dotnet" and name not in ("torchsharp", "torchsharp-in-process"):
        raise click.UsageError(
            f"{option} must be dotnet, torchsharp or torchsharp-in-process, or one of the last two with :FOLDER, "
            f"not '{runtime}'."
        )
    if name == "torchsharp" and forward_fires:
        raise click.UsageError(
            f"--forward-fires works with {option} dotnet or torchsharp-in-process only: TorchSharp in a process of its own runs "
            "assemblies unchanged."
        )


def _report_error(error: Exception, json_out: Path | None) -> None:
    """Print the error's message, and write it to ``json_out``, unless PyTorch is missing or broken: then, print how to install PyTorch."""
    if reason := _describe_missing_torch(error):
        stdio.say(f"cannot run: {reason}", stderr=True)
        return
    if json_out is not None:
        from bridge.compare.report import summary

        try:
            write_json(json_out, summary.error_to_json(error))
        except Exception as second:
            if str(second) != str(error):
                stdio.say(f"cannot write {json_out}: {second}", stderr=True)
    report_error(error, json_out, "torchsharp-bridge")


def _describe_missing_torch(error: Exception) -> str:
    """Return how to install PyTorch if the error occurred because PyTorch is missing or broken; else an empty string."""
    if not isinstance(error, (ImportError, OSError)) or sys.modules.get("torch") is not None:
        return ""
    from bridge.doctor import import_torch

    torch, (why, fix) = import_torch()
    return "" if torch is not None else f"PyTorch is {why}.\nInstall it with: {fix}"


handle_errors = error_handler(_report_error)


def write_html(path: Path | None, diff: Diff, **about: Any) -> None:
    """Write the page of :func:`bridge.compare.report.page.write_report`; do nothing if ``path`` is None. Raises OutputError."""
    if path is None:
        return
    from bridge.compare.report.page import write_report
    from hook_contract.output.files import output_errors

    with output_errors(path):
        write_report(path, diff, **about)


def load_inputs(files: tuple[Path, ...], shapes: tuple[str, ...], seed: int) -> Any:
    """Return the inputs of ``--input`` or ``--shape``; if ``--input`` names a function, the function's first inputs.

    Raises InputsError, TargetError, and UsageError, for example if both options are given.
    """
    _check_one_kind(files, shapes)
    from bridge.compare.io import inputs

    if (batches := _call_function(files)) is not None:
        return next(batches)
    if files:
        return inputs.from_files(files)
    return inputs.from_shapes([inputs.parse_shape(shape) for shape in shapes], seed)


def _check_one_kind(files: tuple[Path, ...], shapes: tuple[str, ...]) -> None:
    if files and shapes:
        raise click.UsageError("use either --input or --shape, not both.")
    if not files and not shapes:
        raise click.UsageError("the model needs inputs: use --shape 1,3,224,224 (random) or --input FILE.npy.")


def _call_function(files: tuple[Path, ...]) -> Any:
    """Return an iterator of the inputs that the function of ``--input`` returns; None if no ``--input`` names a function.

    Raises UsageError if a function is not the only ``--input``. The iterator raises TargetError and InputsError.
    """
    from bridge.compare.io import input_functions

    if not any(input_functions.is_function(str(file)) for file in files):
        return None
    if len(files) > 1:
        raise click.UsageError("the function of --input returns all inputs: do not use another --input.")
    return input_functions.from_function(str(files[0]))


def load_cases(files: tuple[Path, ...], shapes: tuple[str, ...], seed: int, cases: str) -> Callable[[Any], Any]:
    """Return a function that takes a model and returns an iterator of the cases of ``--cases``. Raises InputsError and UsageError.

    The returned function raises InputsError, and the iterator raises InputsError and TargetError.
    """
    from bridge.compare.io import cases as case_inputs
    from bridge.compare.io import inputs

    _check_one_kind(files, shapes)
    numbers = case_inputs.parse_cases(cases)
    if (batches := _call_function(files)) is not None:
        return lambda model: case_inputs.select_batches(batches, str(files[0]), numbers, seed)
    if files:
        raise click.UsageError("--cases needs --shape, or --input FILE.py:FUNCTION that returns several inputs.")
    given = [inputs.parse_shape(shape) for shape in shapes]

    def draw(model: Any) -> Any:
        vary = case_inputs.find_varying(
            given, lambda sizes: case_inputs.accepts_inputs(model, inputs.from_shapes(sizes, seed))
        )
        return case_inputs.draw_cases(given, vary, numbers, seed)

    return draw


def check_device(device: str) -> None:
    """Raise CompareError if ``device`` is ``cuda`` and torch finds no CUDA device."""
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        from bridge.compare.errors import CompareError

        reason = (
            f"is built for CUDA {torch.version.cuda} but finds no device"
            if torch.version.cuda
            else "is built without CUDA"
        )
        raise CompareError(f"no CUDA device is available: torch {torch.__version__} {reason}. Omit --device.")
