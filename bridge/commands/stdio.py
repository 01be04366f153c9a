"""The one way to the terminal: whatever a command prints goes through :func:`say` or the console of ``bridge.commands.console``.

Module paths, messages of exceptions and names of files may come from untrusted models and trace files. Their control characters are
escaped, so that none of them moves the cursor, sets the window's title or hides text. A character that the terminal's encoding
lacks is escaped too. A pipe whose reader has gone is not a failure: the command goes on silently and its exit code says what was
found. Any other stream that cannot be written to is a :class:`ScreenError`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

import click

from bridge.output.sentences import HANG, wrapped

# Escaped as in JSON, though JSON allows them: DEL, C1, and what changes the direction of text.
_ESCAPED: Final = {
    **{code: f"\\x{code:02x}" for code in range(0x20) if chr(code) not in "\n\t"},
    **{code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))},
}


class ScreenError(RuntimeError):
    """stdout or stderr cannot be written to, for instance because a disk is full."""


def visible(text: str) -> str:
    """``text`` with its control characters written out (ESC as ``\\x1b``); newlines and tabs stay. JSON stays the same JSON."""
    return text.translate(_ESCAPED)


def say(text: str, *, stderr: bool = False) -> None:
    """Print ``text``, as :func:`visible` makes it; on a terminal its lines are broken between words. Raises ScreenError."""
    width = columns(stderr)
    text = visible(text)
    write(f"{text if width is None else wrapped(text, width, hang=HANG)}\n", stderr=stderr)


def write(text: str, *, stderr: bool = False) -> None:
    """Print ``text`` as it stands but for control characters, without a newline: what is to be copied or read by a program."""
    with writing(stderr):
        click.echo(visible(text), err=stderr, nl=False)


def say_json(text: str) -> None:
    """Print JSON on stdout; in an encoding that is not Unicode's, in ASCII. Raises ScreenError."""
    if not (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf"):
        text = "".join(letter if letter.isascii() else json.dumps(letter)[1:-1] for letter in text)
    write(text)


def columns(stderr: bool) -> int | None:
    """Return the width of the terminal; None for a pipe or a file, whose lines programs read. TTY_COMPATIBLE=1 says that a pipe is shown
    on a terminal, as rich has it."""
    if not (_stream(stderr).isatty() or os.environ.get("TTY_COMPATIBLE") == "1"):
        return None
    return shutil.get_terminal_size().columns


def prepare() -> None:
    """Makes the standard streams safe to use: a closed one discards what is written, and every character can be encoded.

    A descriptor below 3 that is closed would otherwise be given to the next file or socket that is opened, and the model's own output,
    or .NET, would write into it or close it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # Opened for as long as the process lives.
    nowhere = Path(os.devnull)
    if sys.stdin is None:
        sys.stdin = nowhere.open(encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = nowhere.open("w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = nowhere.open("w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Writes what the streams still hold. Raises ScreenError, once: afterwards they discard everything."""
    for stderr in (False, True):
        with writing(stderr):
            _stream(stderr).flush()


@contextmanager
def writing(stderr: bool) -> Iterator[None]:
    """In this block, printing to a reader that has gone is ignored, and any other failure raises ScreenError."""
    try:
        yield
    except BrokenPipeError:
        to_nowhere(stderr)
    except OSError as error:
        to_nowhere(stderr)
        name = "stderr" if stderr else "stdout"
        raise ScreenError(f"{name} cannot be written to: {error.strerror or error}.") from error


def to_nowhere(stderr: bool) -> None:
    """Drops what the stream still holds and what comes later: Python flushes it once more at exit, which would fail."""
    with suppress(OSError):  # a stream of a test has no descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _stream(stderr).fileno())
        os.close(nowhere)


def _stream(stderr: bool) -> TextIO:
    return sys.stderr if stderr else sys.stdout
