"""The shared parts of the commands: exit codes, options, progress, output files, and error messages."""

from __future__ import annotations

import errno
import functools
import io
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, ParamSpec, TypeAlias

import click

from hook_contract.commands.terminal import stdio
from hook_contract.errors import HookContractError

if TYPE_CHECKING:
    from rich.console import Console

#: Exit codes. A shell reports 130, which is 128 + SIGINT, for a program that Ctrl-C ended.
SAME, DIFFERENT, CANNOT_RUN, INTERRUPTED = 0, 1, 2, 130
#: Errors of the operating system that are reported without a traceback.
_SYSTEM_ERRORS: Final = frozenset(
    (errno.EACCES, errno.EDQUOT, errno.EMFILE, errno.ENAMETOOLONG, errno.ENFILE, errno.ENOSPC, errno.EPERM, errno.EROFS)
)

P = ParamSpec("P")
#: A decorator that adds options to a command.
Option: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
#: Reports the error of a command: the error, and the file of ``--json`` (None without the option).
Report: TypeAlias = Callable[[Exception, "Path | None"], None]


class _OutputFile(click.Path):
    """An output file. ``-`` is refused: the file would be mixed with the text on stdout."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value) == "-":
            self.fail("'-' (stdout) is not possible here: use a file name.", param, ctx)
        return super().convert(value, param, ctx)


OUTPUT_FILE: Final = _OutputFile()
#: An output file, or ``-`` for stdout.
FILE_OR_STDOUT: Final = click.Path(dir_okay=False, path_type=Path, allow_dash=True)
EXISTING_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)


def combine(*options: Option) -> Option:
    """Return a decorator that adds several options, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


# fmt: off
json_option = click.option("--json", "json_out", type=FILE_OR_STDOUT, metavar="OUT",
                           help="Write the result as JSON to this file; '-' prints it.")
# fmt: on


def error_handler(report: Report) -> Callable[[Callable[P, int]], Callable[P, NoReturn]]:
    """Return a decorator that turns a function that returns an exit code into a command that exits with that code.

    The code of an error is 2, since 1 means that a comparison has found a difference. ``report`` prints the message of an error that is
    not click's.
    """

    def handle_errors(command: Callable[P, int]) -> Callable[P, NoReturn]:
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
                    code = CANNOT_RUN  # click's own exit code is 1 for some of its errors
                except Exception as error:
                    report(error, json_out if isinstance(json_out, Path) else None)
                    code = CANNOT_RUN
            except stdio.ScreenError:
                code = CANNOT_RUN  # stderr cannot be written to, either
            sys.exit(code)

        return wrapped

    return handle_errors


def _check_folder() -> None:
    """Raise ClickException if the current folder was deleted, since torch's MKL would end the process."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise click.ClickException("the current folder was deleted: change to another one.") from None


def is_expected(error: Exception) -> bool:
    """Return whether the error is of this package, or one of ``_SYSTEM_ERRORS``: the user needs no traceback of it."""
    return isinstance(error, HookContractError) or (isinstance(error, OSError) and error.errno in _SYSTEM_ERRORS)


def report_error(error: Exception, json_out: Path | None, package: str = "hook-contract") -> None:
    """Print the message of an error; for one that is not expected (:func:`is_expected`), print a traceback first.

    ``package`` is named as the place of the bug in an unexpected error.
    """
    if not is_expected(error):
        stdio.write("".join(traceback.format_exception(error)), stderr=True)
    words = str(error) if is_expected(error) else f"this is a bug in {package}: {type(error).__name__}: {error}"
    if isinstance(error, OSError) and error.errno in _SYSTEM_ERRORS:
        words = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    stdio.say(f"cannot run: {words}", stderr=True)


handle_errors = error_handler(report_error)


def write_json(path: Path | None, found: Mapping[str, Any]) -> None:
    """Write ``found`` to ``path`` atomically, or print ``found`` if ``path`` is ``-``; do nothing if ``path`` is None.

    Raises OutputError if the file cannot be written, and ScreenError if stdout cannot be written.
    """
    if path is None:
        return
    from hook_contract.output import files
    from hook_contract.output.json_text import format_json

    text = format_json(found)
    if str(path) == "-":
        stdio.say_json(text)
        return
    with files.output_errors(path):
        files.write_atomically(path, text)


def print_report_path(console: Console, path: Path | None) -> None:
    """Print the path of the HTML report; do nothing if ``path`` is None."""
    from rich.text import Text

    if path is not None:
        console.print(Text(f"Report: {path}"), soft_wrap=True)


def check_outputs(*paths: Path | None, inputs: Iterable[Path] = ()) -> None:
    """Check output files before the work begins.

    Raises OutputError for a path that cannot be written to, and UsageError if two outputs are the same file or an output is one of the
    ``inputs``.
    """
    from hook_contract.output.files import check_writable

    files = [path for path in paths if path is not None and str(path) != "-"]
    for path in files:
        check_writable(path)
    if len({path.resolve() for path in files}) < len(files):
        raise click.UsageError("two outputs are the same file: use different files.")
    read = [path for path in inputs if os.path.exists(path)]  # noqa: PTH110  # Path.exists raises for a name that is too long
    for path in files:
        if path.exists() and any(path.samefile(other) for other in read):
            raise click.UsageError(f"{path} is an input and would be overwritten: write to another file.")


def make_console(json_out: Path | None) -> Console:
    """Return the console for the results: with colours on a terminal (unless NO_COLOR is set), silent if JSON is printed."""
    from hook_contract.commands.terminal.console import Screen

    return Screen(quiet=str(json_out) == "-")


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Show progress on stderr, if that is a terminal; yield a function to call with the name of each step."""
    from hook_contract.commands.terminal.console import Screen

    console = Screen(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("starting") as status:
        yield lambda words: status.update(words)
