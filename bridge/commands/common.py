"""What the commands share: exit codes, options, progress, files that they write, and failing in one clear line."""

from __future__ import annotations

import errno
import functools
import io
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, ParamSpec

import click

from bridge.commands import stdio

if TYPE_CHECKING:
    from rich.console import Console

    from bridge.trace.diff import Diff

#: Exit codes. 130 is what a shell reports for a program that Ctrl-C ended: 128 + SIGINT.
SAME, DIFFERENT, CANNOT_RUN, INTERRUPTED = 0, 1, 2, 130
#: Rows of two traces that a terminal shows side by side; a page has them all.
ROWS: Final = 40
#: What an operating system refuses by no fault of this package, whatever is asked of it.
_SURROUNDINGS: Final = frozenset(
    (errno.EACCES, errno.EDQUOT, errno.EMFILE, errno.ENAMETOOLONG, errno.ENFILE, errno.ENOSPC, errno.EPERM, errno.EROFS)
)

P = ParamSpec("P")


class _File(click.Path):
    """A file to be written. ``-`` is refused: on stdout it would be mixed with the text for people."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value) == "-":
            self.fail("this cannot be printed to the terminal; give a file name.", param, ctx)
        return super().convert(value, param, ctx)


class _Tolerance(click.FloatRange):
    """Zero or more. With NaN or infinity nothing would ever differ."""

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


#: A file that a command writes.
FILE: Final = _File()
#: The same, or ``-`` for the screen.
FILE_OR_SCREEN: Final = click.Path(dir_okay=False, path_type=Path, allow_dash=True)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--json OUT``; ``-`` prints the JSON, and nothing else."""
    return click.option(
        "--json",
        "json_out",
        type=FILE_OR_SCREEN,
        metavar="OUT",
        help="Write the result as JSON; '-' prints it to the terminal.",
    )(command)


def html_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--html OUT``."""
    return click.option(
        "--html",
        "html_out",
        type=FILE,
        metavar="OUT",
        help="Write an HTML page with the result and both traces.",
    )(command)


def tolerance_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--rtol`` and ``--atol``: x and y are equal when |x - y| <= atol + rtol * max(|x|, |y|)."""
    number = _Tolerance()
    command = click.option(
        "--atol", type=number, default=0.0, show_default=True, metavar="FLOAT", help="Absolute tolerance for values."
    )(command)
    return click.option(
        "--rtol", type=number, default=0.0, show_default=True, metavar="FLOAT", help="Relative tolerance for values."
    )(command)


class _Seed(click.types.IntParamType):
    """A seed as torch takes it; its range is nothing to read in a help text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not 0 <= number < 2**64:
            self.fail(f"{number} is not in the range from 0 to {2**64 - 1}.", param, ctx)
        return number


class _ByPath(_Tolerance):
    """A tolerance, or one for a module: ``PATH=VALUE``."""

    name = "tolerance"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path, equals, number = str(value).rpartition("=")
        return (path if equals else None, super().convert(number, param, ctx))


def tolerances_by_path(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--rtol``, and ``--atol`` for all or by module: pairs of a path (None: all) and a number."""
    command = click.option(
        "--atol", "atols", type=_ByPath(), multiple=True, metavar="[PATH=]FLOAT",
        help="Absolute tolerance for values, or only for those of a module and all below it: --atol encoder.norm=1e-5; * matches "
             "any name. Repeatable.  [default: 0.0]",
    )(command)  # fmt: skip
    return click.option(
        "--rtol",
        type=_Tolerance(),
        default=0.0,
        show_default=True,
        metavar="FLOAT",
        help="Relative tolerance for values.",
    )(command)


def input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--input`` and ``--shape``, both many times, and ``--seed``."""
    options = (
        click.option("--input", "files", type=click.Path(path_type=Path), multiple=True, metavar="FILE.npy|.npz|.py:FUNCTION",
                     help="An input (.npy), one for each parameter (.npz), or a function that returns them. Repeatable."),
        click.option("--shape", "shapes", multiple=True, metavar="[NAME=]1,3,224,224[:DTYPE[<N]]",
                     help="A random input of this shape, for the next parameter of forward or for NAME; float32, or another dtype: "
                          "'1,16:int64<30522' has integers below 30522. Repeatable."),
        click.option("--seed", type=_Seed(), metavar="N", default=0, show_default=True,
                     help="Seed for random inputs, weights, dropout and gradients."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def device_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--device``; see :func:`check_device`."""
    return click.option(
        "--device", type=click.Choice(("cpu", "cuda")), default="cpu", show_default=True, help="Where the models run."
    )(command)


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--train`` and ``--device``."""
    return click.option("--train", is_flag=True, help="Run in train mode. Default: eval mode.")(device_option(command))


def forward_fires_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--forward-fires``."""
    words = "Run every child.forward(x) of the C# model as child.call(x), so that hooks fire."
    return click.option("--forward-fires", is_flag=True, help=words)(command)


def dotnet_runtime_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--dotnet-runtime``."""
    return click.option(
        "--dotnet-runtime",
        "dotnet_runtime",
        default="dotnet",
        show_default=True,
        metavar="dotnet|torchsharp[:FOLDER]",
        help="What runs the C# model: this package, or TorchSharp itself in a process of its own.",
    )(command)


def check_dotnet_runtime(runtime: str, forward_fires: bool) -> None:
    """Raises UsageError for another word than those."""
    if runtime != "dotnet" and runtime.partition(":")[0] != "torchsharp":
        raise click.UsageError(f"--dotnet-runtime must be dotnet, torchsharp or torchsharp:FOLDER, not '{runtime}'.")
    if runtime != "dotnet" and forward_fires:
        raise click.UsageError(
            "--forward-fires works with --dotnet-runtime dotnet only: TorchSharp runs an assembly as it is."
        )


def exits(command: Callable[P, int]) -> Callable[P, NoReturn]:
    """Makes a command of a function that returns the exit code. What cannot run exits with 2 and a message, without a traceback.

    The message is written to ``--json`` too, if the command has it. An unexpected error keeps its traceback, and
    exits with 2 as well: 1 would mean that something was compared.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> NoReturn:
        json_out = kwargs.get("json_out")
        try:
            try:
                _check_folder()
                code = command(*args, **kwargs)
                stdio.flush()
            except click.ClickException as error:
                words = io.StringIO()
                error.show(words)
                stdio.say(words.getvalue().rstrip("\n"), stderr=True)
                code = CANNOT_RUN  # click itself ends with 1 where the command was used as it should be
            except Exception as error:
                if reason := _without_torch(error):
                    stdio.say(f"cannot run: {reason}", stderr=True)
                else:
                    if not _expected(error):
                        stdio.write("".join(traceback.format_exception(error)), stderr=True)
                    _tell(error, json_out if isinstance(json_out, Path) else None)
                code = CANNOT_RUN
        except stdio.ScreenError:
            code = CANNOT_RUN  # stderr cannot be written to either
        sys.exit(code)

    return wrapped


def _check_folder() -> None:
    """Raises ClickException where the current folder is gone: torch's MKL, which asks for it, would end the process."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise click.ClickException("the current folder was deleted: change to another one.") from None


def _expected(error: Exception) -> bool:
    """Whether the message is meant for the user. Looked up late: the classes' modules may import torch."""
    if isinstance(error, OSError) and error.errno in _SURROUNDINGS:
        return True
    kinds = [("bridge.compare.errors", "CompareError"), ("bridge.output.files", "OutputError"),
             ("bridge.trace.file", "TraceFileError"), ("bridge.clr.errors", "StartError"),
             ("bridge.clr.find.installation", "DotNetNotFound"), ("bridge.clr.find.assemblies", "AssembliesNotFound"),
             ("bridge.program", "ProgramError"),
             ("bridge.conformance.acceptance", "NotAcceptedError"), ("bridge.contract.ledger", "LedgerError"),
             ("bridge.conformance.report_file", "ReportError"), ("bridge.conformance.selection", "SelectionError"),
             ("bridge.torchsharp.process.errors", "HostError"), ("bridge.commands.stdio", "ScreenError")]  # fmt: skip
    return any(isinstance(error, getattr(sys.modules[module], name)) for module, name in kinds if module in sys.modules)


def _without_torch(error: Exception) -> str:
    """Return that PyTorch is missing or broken, and how to install it, where that is why a command failed; else nothing."""
    if not isinstance(error, (ImportError, OSError)) or sys.modules.get("torch") is not None:
        return ""
    from bridge.doctor import import_torch

    torch, (why, fix) = import_torch()
    return "" if torch is not None else f"PyTorch is {why}.\nInstall it with: {fix}"


def _tell(error: Exception, json_out: Path | None) -> None:
    if json_out is not None:
        from bridge.compare.report import summary

        try:
            emit_json(json_out, summary.of_error(error))
        except Exception as second:
            if str(second) != str(error):
                stdio.say(f"cannot write {json_out}: {second}", stderr=True)
    words = str(error) if _expected(error) else f"this is a bug in torchsharp-bridge: {type(error).__name__}: {error}"
    if isinstance(error, OSError) and error.errno in _SURROUNDINGS:
        words = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    stdio.say(f"cannot run: {words}", stderr=True)


def emit_json(path: Path | None, found: Mapping[str, Any]) -> None:
    """Writes ``found`` to ``path`` at once, or prints it for ``-``; nothing for None. Raises OutputError."""
    if path is None:
        return
    from bridge.compare.report import summary
    from bridge.output import files

    if str(path) == "-":
        stdio.say_json(summary.text(found))
        return
    try:
        files.write_at_once(path, summary.text(found))
    except OSError as error:
        raise files.unwritable(path, error) from error


def emit_html(path: Path | None, diff: Diff, **about: Any) -> None:
    """Writes the page on ``diff``, as :func:`bridge.compare.report.page.write_report` does. Raises OutputError."""
    if path is None:
        return
    from bridge.compare.report.page import write_report
    from bridge.output import files

    try:
        write_report(path, diff, **about)
    except OSError as error:
        raise files.unwritable(path, error) from error


def say_report(console: Console, path: Path | None) -> None:
    """Print where the HTML report was written; nothing for None."""
    from rich.text import Text

    if path is not None:
        console.print(Text(f"Report: {path}"), soft_wrap=True)


def check_outputs(*paths: Path | None, inputs: Iterable[Path] = ()) -> None:
    """Raises OutputError for the first path that cannot be written to, and UsageError for one that is another output, or one of
    the ``inputs``: better now than after the work."""
    from bridge.output.files import check_writable

    files = [path for path in paths if path is not None and str(path) != "-"]
    for path in files:
        check_writable(path)
    if len({path.resolve() for path in files}) < len(files):
        raise click.UsageError("two outputs are the same file; give each its own.")
    read = [path for path in inputs if os.path.exists(path)]  # noqa: PTH110  # Path's own raises for a name that is too long
    for path in files:
        if path.exists() and any(path.samefile(other) for other in read):
            raise click.UsageError(f"{path} is an input and would be overwritten; write to another file.")


def screen(json_out: Path | None) -> Console:
    """The console for people: colours and tables on a terminal (NO_COLOR is respected), silent when JSON is printed."""
    from bridge.commands.console import Screen

    return Screen(quiet=str(json_out) == "-")


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Shows on stderr what is going on, on a terminal only; the function is called with what begins."""
    from bridge.commands.console import Screen

    console = Screen(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("starting") as status:
        yield lambda words: status.update(words)


def chosen_inputs(files: tuple[Path, ...], shapes: tuple[str, ...], seed: int) -> Any:
    """The inputs that the options name, of a function its first. Raises InputsError, and UsageError when both or none are given."""
    _either(files, shapes)
    from bridge.compare.io import inputs

    if (function := _function(files)) is not None:
        return next(function)
    if files:
        return inputs.from_files(files)
    return inputs.from_shapes([inputs.parse_shape(shape) for shape in shapes], seed)


def _either(files: tuple[Path, ...], shapes: tuple[str, ...]) -> None:
    if files and shapes:
        raise click.UsageError("use either --input or --shape, not both.")
    if not files and not shapes:
        raise click.UsageError("give the model's inputs: --shape 1,3,224,224 (random) or --input FILE.npy.")


def _function(files: tuple[Path, ...]) -> Any:
    """What the function that ``--input`` names gives; None where it names files. Raises UsageError for both."""
    from bridge.compare.io import input_functions

    if not any(input_functions.is_function(str(file)) for file in files):
        return None
    if len(files) > 1:
        raise click.UsageError("the function of --input returns all inputs: give no other --input beside it.")
    return input_functions.from_function(str(files[0]))


def chosen_cases(files: tuple[Path, ...], shapes: tuple[str, ...], seed: int, cases: str) -> Callable[[Any], Any]:
    """What gives the cases that the options name, for a PyTorch model. Raises InputsError, UsageError."""
    from bridge.compare.io import cases as several
    from bridge.compare.io import inputs

    _either(files, shapes)
    numbers = several.numbers(cases)
    if (function := _function(files)) is not None:
        return lambda model: several.batches(function, str(files[0]), numbers, seed)
    if files:
        raise click.UsageError("--cases needs --shape, or --input FILE.py:FUNCTION, which gives several.")
    given = [inputs.parse_shape(shape) for shape in shapes]

    def made(model: Any) -> Any:
        vary = several.varying(given, lambda some: several.runs(model, inputs.from_shapes(some, seed)))
        return several.drawn(given, vary, numbers, seed)

    return made


def check_device(device: str) -> None:
    """Raises CompareError when torch has no such device."""
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        from bridge.compare.errors import CompareError

        built = (
            f"is built for CUDA {torch.version.cuda} and sees no device"
            if torch.version.cuda
            else "is built without CUDA"
        )
        raise CompareError(f"no CUDA device is available: torch {torch.__version__} {built}. Omit --device.")
